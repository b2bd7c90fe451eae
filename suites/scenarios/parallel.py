"""The stage of a parallel asynchronous event queue: the region's buckets, and what lies where of the queue.

One site, whose members hold a partitioned region and its queue, with a listener on each. Knows what the
candidate says of primaries and copies; asks neither model nor rulebook.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from plumbline.reference.history.actions import Do, Park, Start
from plumbline.reference.history.listener_calls import SUCCESS
from plumbline.reference.history.operations import (
    Operation,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
)
from plumbline.suites.scenarios.buckets import BucketStage
from plumbline.suites.scenarios.course import REGION
from plumbline.suites.scenarios.listening import Listening
from plumbline.suites.scenarios.mismatch import MismatchError, in_words


def parallel_region(
    queues: tuple[QueueAttributes, ...], redundancy: int, name: str = REGION
) -> RegionAttributes:
    """A partitioned region that feeds these queues."""
    attached = tuple(queue.id for queue in queues)
    return RegionAttributes(name=name, policy=RegionPolicy.PARTITION, redundancy=redundancy, queues=attached)


class ParallelStage(BucketStage, Listening):
    """One scenario of a parallel queue under way."""

    def primary(self, key: str = "") -> str:
        """The member that is primary for a key."""
        return BucketStage.primary(self, key)

    def look(self) -> None:
        """Read what all members that live hold."""
        for member in self.members:
            self._driver.contents(member, REGION)

    def hold_all(self) -> None:
        """Have no member begin a batch."""
        for member in self.members:
            self.pause(member)

    def go_on(self) -> None:
        """Have all members that live dispatch again."""
        for member in self.members:
            self.resume(member)

    def holders_hold(self, events: dict[str, list[Operation]]) -> None:
        """Each living member comes to hold just the events of the keys that lie on it, in the key's order."""
        for member in self.members:
            wanted = [
                operation
                for key, of_key in events.items()
                if member in self.holders(key)
                for operation in of_key
            ]
            self.depth_is(member, len(wanted))
            seen = self.queue(member).tokens
            tokens = Counter(operation.token for operation in wanted)
            if seen is not None and Counter(seen) != tokens:
                named = in_words(sorted(map(str, tokens)))
                raise MismatchError(
                    f"the buckets of {self.listened} on {member} to hold {named}",
                    in_words(list(seen)),
                )

    def drained(self) -> None:
        """No living member holds anything of the queue, in time."""
        for member in self.members:
            self.depth_is(member, 0)

    def dispatched_by(self, member: str, *operations: Operation, once: bool = True) -> None:
        """A member's listener has succeeded with these, those of a key in this order, and with nothing else.

        Args:
            member: whose listener.
            operations: what it has to receive.
            once: whether none may come again.
        """
        seen = [
            change.token
            for call in self.calls()
            if call.member == member and call.answer == SUCCESS
            for change in call.events
        ]
        first = list(dict.fromkeys(seen))
        for key in dict.fromkeys(operation.key for operation in operations):
            wanted = self._tokens([operation for operation in operations if operation.key == key])
            shown = [token for token in first if token in wanted]
            if shown != wanted:
                raise MismatchError(
                    f"the listener of {member} to receive {in_words(wanted)} of {key}", in_words(shown)
                )
        self._nothing_else(f"the listener of {member}", seen if once else first, operations)

    def dispatched_in_all(self, operations: Iterable[Operation]) -> None:
        """The listeners have received each of these once, all members together, and nothing else."""
        seen = [change.token for call in self.calls() for change in call.events]
        self._nothing_else("the listeners", seen, operations)

    def _nothing_else(self, who: str, seen: list[str | None], operations: Iterable[Operation]) -> None:
        wanted = self._tokens(list(operations))
        if Counter(seen) != Counter(wanted):
            raise MismatchError(f"{who} to receive {in_words(wanted)} once each", in_words(seen))

    def of_primary(self, member: str) -> list[Operation]:
        """All writes so far of keys that a member is primary for."""
        called = [step.operation for step in self.steps if isinstance(step, Do | Start | Park)]
        return [operation for operation in called if self.primary(operation.key) == member]

    def came_at_all(self, *operations: Operation) -> None:
        """Each of these was received by some listener that succeeded."""
        seen = {change.token for call in self.calls() if call.answer == SUCCESS for change in call.events}
        lost = [token for token in self._tokens(operations) if token not in seen]
        if lost:
            raise MismatchError(f"a listener to succeed with {in_words(lost)}", "none did")

    def received_in_order(self, *operations: Operation) -> None:
        """Listeners have received all of these; first deliveries came in this order, on any members."""
        seen = [change.token for call in self.calls() if call.answer == SUCCESS for change in call.events]
        wanted = self._tokens(operations)
        first = [token for token in dict.fromkeys(seen) if token in wanted]
        if first != wanted:
            raise MismatchError(f"the listeners to receive {in_words(wanted)} in this order", in_words(first))
