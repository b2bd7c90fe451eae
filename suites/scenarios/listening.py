"""The stage of an asynchronous event queue: what a scenario calls, and what its listener must receive.

Site 1 has the members `here` and a queue with a listener on each member that runs it. The region, and SECOND
where a scenario has it, are attached to the queue; the region APART is not. Knows literal expectations; asks
neither model nor rulebook.
"""

from __future__ import annotations

from collections.abc import Sequence

from plumbline.reference.history.actions import Park, ScriptQueue
from plumbline.reference.history.listener_calls import QUEUE, SUCCESS, QueueCall, answer_words
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    STORES_VALUE,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Scope,
    Site,
    Topology,
)
from plumbline.suites.harness.driver import Driver
from plumbline.suites.scenarios.course import REGION
from plumbline.suites.scenarios.mismatch import MismatchError, in_words
from plumbline.suites.scenarios.sites import APART, BATCH_SIZE, Sites, filtering, queues, substituting
from plumbline.suites.scenarios.stage import Stage

LISTENED = "listened"
ALSO = "listened too"
FIRST_ALONE = "alone"
"""A region that feeds the first asynchronous queue, and nothing else."""


def topology(here: int, *, there: bool = False) -> Topology:
    """One site of some members, or two of them."""
    first = Site(1, ("A", "B", "E")[:here])
    return Topology((first, Site(2, ("C", "D")))) if there else Topology((first,))


def listened_queues(
    batch_size: int = BATCH_SIZE,
    members: tuple[str, ...] = (),
    *,
    both: bool = False,
    there: bool = False,
    parallel: bool = False,
    refused: tuple[str, ...] = (),
    withheld: tuple[str, ...] = (),
    substituted: tuple[str, ...] = (),
    failing: tuple[str, ...] = (),
) -> tuple[QueueAttributes, ...]:
    """The asynchronous queues of site 1, and its gateway senders if there is another site.

    Args:
        batch_size: most events of a batch.
        members: those that run the queue; all where none is named.
        both: whether there are two queues.
        there: whether there is another site.
        parallel: whether each member dispatches for the buckets that it is primary for.
        refused: the keys whose events the first one's filter refuses.
        withheld: the keys whose events the first one's filter withholds.
        substituted: the keys for whose values the first one's substitution filter gives others.
        failing: the keys at whose events that fails.
    """
    sized = "" if batch_size == BATCH_SIZE else f" by {batch_size}"
    named = f" on {' and '.join(members)}" if members else ""
    ids = (LISTENED, ALSO) if both else (LISTENED,)
    kind = " in parallel" if parallel else ""
    found = tuple(
        QueueAttributes(
            id=f"{name}{kind}{sized}{named}",
            site=1,
            batch_size=batch_size,
            members=members,
            parallel=parallel,
        )
        for name in ids
    )
    first = substituting(filtering(found[0], refused, withheld), substituted, failing)
    found = (first, *found[1:])
    return (*found, *(queues(batch_size) if there else ()))


def regions(
    all_queues: tuple[QueueAttributes, ...], scope: Scope, checks: bool | None, also: tuple[str, ...]
) -> tuple[RegionAttributes, ...]:
    """The region, and others, attached to all queues, or FIRST_ALONE to one; and one attached to none."""
    listened = tuple(queue.id for queue in all_queues if queue.remote_site is None)
    senders = tuple(queue.id for queue in all_queues if queue.remote_site is not None)
    attached = (
        RegionAttributes(
            name=name,
            scope=scope,
            checks=checks,
            senders=() if name == FIRST_ALONE else senders,
            queues=listened[:1] if name == FIRST_ALONE else listened,
        )
        for name in (REGION, *also)
    )
    return (*attached, RegionAttributes(name=APART, scope=scope, checks=checks))


class Listening(Sites):
    """One scenario of an asynchronous event queue under way.

    Attributes:
        listened: id of the queue.
        other: id of a second one; "" where there is none.
    """

    def __init__(
        self, driver: Driver, order: tuple[str, ...], all_queues: tuple[QueueAttributes, ...]
    ) -> None:
        Stage.__init__(self, driver, order)
        self.here, self.there, *_ = (*(site.members for site in driver.topology.sites), ())
        self.listened, self.other, *_ = (
            *(queue.id for queue in all_queues if queue.remote_site is None),
            "",
        )
        self.to_there, self.to_here = self.listened, ""
        self._to_mend = {}

    def answers(self, *answers: str, at: tuple[str, ...] = (), queue: str = "") -> None:
        """Have the listeners answer so, call by call, and then that they have succeeded.

        Args:
            answers: of each listener.
            at: the members whose listeners; all that live and run the queue if none is named.
            queue: which; the first if none is named.
        """
        name = queue or self.listened
        for member in at or (member for member in self.here if member in self.members):
            self.done.append(answer_words(member, name, answers))
            self.steps.append(ScriptQueue(member, name, answers))
            self._driver.script_queue(member, name, answers)

    def block(
        self,
        member: str,
        key: str,
        kind: OperationKind = OperationKind.PUT,
        *,
        at: str = "",
        region: str = REGION,
    ) -> Operation:
        """Call an operation, and wait for it; the listener that receives it stands there until `release`.

        Args:
            member: where it is called.
            key: of which key.
            kind: what it does.
            at: the member whose listener stands; the primary's if none is named.
            region: of which region.
        """
        where = at or self.primary()
        operation = self._operation(member, kind, key, None, region)
        gate = Gate(where, operation.op_id, QUEUE)
        self.done.append(f"{member}: {kind} {key}, held in the listener of {where}")
        self.steps.append(Park(operation, where, QUEUE))
        self._driver.arm(gate)
        self._gates.setdefault(operation.op_id, []).append(gate)
        self._driver.call(operation)
        self.stands(where, operation, QUEUE)
        self.finish(operation)
        return operation

    def calls(self, queue: str = "") -> tuple[QueueCall, ...]:
        """The calls of the queue's listeners so far."""
        self._driver.poll()
        return self._driver.queue_calls(queue or self.listened)

    def _named(self, call: QueueCall) -> list[str | None]:
        return [change.token for change in call.events]

    def _tokens(self, operations: Sequence[Operation]) -> list[str | None]:
        """How calls name these operations: a destroy by nothing, where no callback arguments are passed."""
        named = self._driver.introduction.callback_arguments
        return [one.token if named or one.kind in STORES_VALUE else None for one in operations]

    def received_once(self, *operations: Operation, queue: str = "") -> None:
        """The listeners have received these operations, in this order, each once, and nothing else."""
        wanted = self._tokens(operations)
        seen = [token for call in self.calls(queue) for token in self._named(call)]
        if seen != wanted:
            raise MismatchError(f"the listener to receive {in_words(wanted)}", in_words(seen))

    def repetitions_are_marked(self) -> None:
        """Each event that the listeners have received before carries the mark of a possible duplicate."""
        self._marks_are(of_repetitions=True)

    def new_events_are_unmarked(self) -> None:
        """No event that the listeners receive for the first time carries the mark of a possible duplicate."""
        self._marks_are(of_repetitions=False)

    def _marks_are(self, *, of_repetitions: bool) -> None:
        before: set[str | None] = set()
        checked = 0
        for number, call in enumerate(self.calls(), 1):
            for change in call.events:
                again = change.token in before
                checked += again is of_repetitions
                if again is of_repetitions and change.marked is not again:
                    raise MismatchError(
                        f"call {number} of the listener to bring {change.token} {_marked(again)}",
                        _marked(bool(change.marked)),
                    )
            before |= {change.token for change in call.events}
        if not checked:
            raise MismatchError(
                "the listener to receive an event again"
                if of_repetitions
                else "the listener to receive an event",
                in_words([*before]),
            )

    def never_received(self, key: str, queue: str = "") -> None:
        """No call of the listeners has held an event of a key, whether it succeeded or failed."""
        seen = [change.token for call in self.calls(queue) for change in call.events if change.key == key]
        if seen:
            raise MismatchError(f"the listener to receive nothing of {key}", in_words(seen))

    def processed_once(self, *operations: Operation, queue: str = "", at: str = "") -> None:
        """Of calls that succeeded, the listeners have received these operations once each, in this order.

        Only calls on one member count, if it is named.
        """
        wanted = self._tokens(operations)
        calls = (call for call in self.calls(queue) if at in ("", call.member))
        done = (call for call in calls if call.answer == SUCCESS)
        seen = [token for call in done for token in self._named(call)]
        if seen != wanted:
            raise MismatchError(
                f"the listener to receive {in_words(wanted)} with success once each", in_words(seen)
            )

    def each_begins_with_the_one_before(self, failed: int, queue: str = "") -> None:
        """So many calls failed, and each call behind one that failed begins with all that it held."""
        calls = self.calls(queue)
        failures = [number for number, call in enumerate(calls) if call.answer != SUCCESS]
        if len(failures) != failed:
            raise MismatchError(f"{failed} calls of the listener to fail", f"{len(failures)}")
        for number in failures:
            before = self._named(calls[number])
            again = self._named(calls[number + 1]) if number + 1 < len(calls) else []
            if again[: len(before)] != before:
                raise MismatchError(
                    f"the call behind the one that failed to begin with {in_words(before)}", in_words(again)
                )

    def no_batch_is_empty_or_larger_than(self, size: int, queue: str = "") -> None:
        """Each call brings at least one event, and at most so many."""
        for call in self.calls(queue):
            if not 1 <= len(call.events) <= size:
                raise MismatchError(
                    f"1 to {size} events in a call of the listener", f"{len(call.events)} events"
                )


def _marked(marked: bool) -> str:
    return "with the mark of a possible duplicate" if marked else "without a mark"
