"""A stage with a partitioned region: the primary of a key, the holders of copies, and the others.

Knows what the candidate says of that; asks neither model nor rulebook.
"""

from __future__ import annotations

from plumbline.reference.history.actions import Read
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Operation, RegionAttributes, RegionPolicy
from plumbline.suites.scenarios.course import REGION
from plumbline.suites.scenarios.mismatch import MismatchError, in_words
from plumbline.suites.scenarios.stage import Stage


def region(redundancy: int) -> RegionAttributes:
    """The region of such a scenario."""
    return RegionAttributes(name=REGION, policy=RegionPolicy.PARTITION, redundancy=redundancy)


class BucketStage(Stage):
    """A scenario of a partitioned region under way."""

    def primary(self, key: str) -> str:
        """The member that is primary for a key."""
        return self.driver.locate(REGION, key).primary

    def copies(self, key: str) -> tuple[str, ...]:
        """The members that hold redundant copies of a key and live."""
        redundant = self.driver.locate(REGION, key).redundant
        return tuple(member for member in redundant if member not in self.driver.crashed)

    def holders(self, key: str) -> tuple[str, ...]:
        """The members that hold a key and live, the primary first."""
        primary = self.primary(key)
        return (*((primary,) if primary not in self.driver.crashed else ()), *self.copies(key))

    def copy(self, key: str) -> str:
        """A member that holds a redundant copy, which the region is configured to have."""
        copies = self.copies(key)
        if not copies:
            raise MismatchError(f"some member to hold a redundant copy of {key}", "none does")
        return copies[0]

    def without(self, key: str) -> str:
        """A member that holds no copy of a key."""
        holders = self.holders(key)
        found = [member for member in self.members if member not in holders]
        if not found:
            raise MismatchError(f"some member to hold no copy of {key}", f"it lies on {holders}")
        return found[0]

    def elsewhere(self, key: str) -> str:
        """A key that has another primary."""
        primary = self.primary(key)
        for number in range(64):
            if self.primary(f"{key}{number}") != primary:
                return f"{key}{number}"
        raise MismatchError("keys to lie on several members", f"all are on {primary}")

    def keys_of(self, primary: str, count: int) -> list[str]:
        """So many keys of which a member is primary."""
        found: list[str] = []
        for number in range(64 * count):
            if len(found) == count:
                break
            found += [key for key in [f"k{number}"] if self.primary(key) == primary]
        return found

    def move(self, key: str, member: str) -> None:
        """Have a member become primary of a key; all is at rest but for queues."""
        self._break(Fault(kind=FaultKind.MOVE_PRIMARY, member=member, region=REGION, key=key))
        if self.primary(key) != member:
            raise MismatchError(f"{member} to be primary of {key}", f"{self.primary(key)} is")

    def copies_hold(self, key: str, operation: Operation | None) -> None:
        """Every member that holds the key has the outcome of an operation."""
        for holder in self.holders(key):
            self.holds(holder, key, operation)

    def copies_agree(self, key: str) -> None:
        """Every member that holds the key has the same."""
        seen = {}
        for holder in self.holders(key):
            self.steps.append(Read(holder, REGION))
            contents = self.driver.contents(holder, REGION)
            seen[holder] = contents.get(key, "") if key in contents else "nothing"
        if len(set(seen.values())) > 1:
            raise MismatchError(f"all copies of {key} to be alike", in_words(seen))

    def is_held_back(self, operation: Operation) -> None:
        """A call does not return, though it is given all the time for it."""
        outcome = self.driver.finish(operation.op_id)
        if outcome is not None:
            raise MismatchError(f"{operation.token} to be held back", f"its call ended {outcome.status}")
