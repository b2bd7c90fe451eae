"""The stage of a parallel gateway sender: one site partitions a region, the other replicates it.

Each member of site 1 sends what it is primary for. Knows what the candidate says of primaries and copies;
asks neither model nor rulebook.
"""

from __future__ import annotations

from collections import Counter

from plumbline.reference.history.operations import (
    HostPolicy,
    Operation,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Topology,
)
from plumbline.suites.scenarios.buckets import BucketStage
from plumbline.suites.scenarios.course import REGION
from plumbline.suites.scenarios.mismatch import MismatchError, in_words
from plumbline.suites.scenarios.sites import BATCH_SIZE, INTERVAL_MS, Sites

IN_PARALLEL = "in parallel to there"
"""The sender of site 1."""


def senders(batch_size: int = BATCH_SIZE) -> tuple[QueueAttributes, ...]:
    """The parallel sender of site 1; another size makes another sender."""
    sized = "" if batch_size == BATCH_SIZE else f" by {batch_size}"
    return (
        QueueAttributes(
            id=f"{IN_PARALLEL}{sized}",
            site=1,
            remote_site=2,
            parallel=True,
            batch_size=batch_size,
            batch_interval_ms=INTERVAL_MS,
        ),
    )


def parted_region(
    topology: Topology, queues: tuple[QueueAttributes, ...], redundancy: int, name: str = REGION
) -> RegionAttributes:
    """A region that site 1 partitions and sends by these, and that the other site replicates."""
    _, *others = topology.sites
    return RegionAttributes(
        name=name,
        policy=RegionPolicy.PARTITION,
        policies=tuple(HostPolicy(m, RegionPolicy.REPLICATE) for site in others for m in site.members),
        redundancy=redundancy,
        senders=tuple(queue.id for queue in queues),
    )


class PartedSites(BucketStage, Sites):
    """One scenario of a parallel gateway sender under way."""

    def primary(self, key: str = "") -> str:
        """The member of site 1 that is primary for a key."""
        return BucketStage.primary(self, key)

    def without(self, key: str) -> str:
        """A member of site 1 that holds no copy of a key."""
        found = [m for m in self.here if m in self.members and m not in self.holders(key)]
        if not found:
            raise MismatchError(f"some member to hold no copy of {key}", f"all hold {key}")
        return found[0]

    def survivor(self, lost: str) -> str:
        """A member of site 1 that lives on."""
        return next(member for member in self.here if member != lost and member in self.members)

    def look(self) -> None:
        """Read what all members that live hold."""
        for member in self.members:
            self._driver.contents(member, REGION)

    def arrives(self, key: str, *operations: Operation) -> None:
        """Each member of site 2 comes to receive these of a key in this order, and holds the last."""
        for member in self.there:
            if member in self.members:
                self.told_in_order(member, key, *operations)
                self.holds(member, key, operations[-1])

    def has_not_arrived(self, *operations: Operation) -> None:
        """No member of site 2 has received any of these."""
        self._driver.poll()
        tokens = {operation.token for operation in operations}
        seen = [e.token for m in self.there for e in self._driver.log(m) if e.token in tokens]
        if seen:
            raise MismatchError(f"{in_words(sorted(map(str, tokens)))} to wait at site 1", in_words(seen))

    def holders_hold(self, events: dict[str, list[Operation]]) -> None:
        """Each living member of site 1 comes to hold just the events of the keys that lie on it."""
        for member in self.here:
            if member not in self.members:
                continue
            lying = [of_key for key, of_key in events.items() if member in self.holders(key)]
            wanted = [operation for of_key in lying for operation in of_key]
            self.depth_is(member, len(wanted))
            seen = self.queue(member).tokens
            tokens = Counter(operation.token for operation in wanted)
            if seen is not None and Counter(seen) != tokens:
                named = in_words(sorted(map(str, tokens)))
                raise MismatchError(f"the sender's buckets on {member} to hold {named}", in_words(list(seen)))
