"""Decisions about replicated regions of one site (document 004).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations

from plumbline.reference.operations import OperationKind, Status
from plumbline.reference.rulebook.values import EntryState, Stamp


def waits_for_other_writers(other_writers: int) -> bool:  # noqa: ARG001
    """Whether an operation waits while others of the same key are under way elsewhere: it does not (L16)."""
    return False


def status_of_loser(status: Status, discarded: bool) -> Status:  # noqa: ARG001
    """What a caller is told whose update some member discarded: the same as any other (L16)."""
    return status


def stores_before_checking() -> bool:
    """Whether a member stores an update before it has compared the versions: it does not (L16, L67)."""
    return False


def recipients(others: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the other members that host the region are sent an update: all of them (L16)."""
    return others


def value_stored(incoming: str | None, stored: str | None) -> str | None:  # noqa: ARG001
    """What an applied update leaves behind: exactly its own value (L17)."""
    return incoming


def value_stored_unchecked(incoming: str | None, stored: str | None) -> str | None:  # noqa: ARG001
    """What an update leaves behind where checking is off: exactly its own value (L51)."""
    return incoming


def stamp(stored: Stamp | None, member: str, kind: OperationKind) -> Stamp:  # noqa: ARG001
    """The stamp of a local change: one more than the stored version, and the own id (L65, L73)."""
    return Stamp(1 if stored is None else stored.version + 1, member)


def stamp_stored(incoming: Stamp, stored: Stamp | None, receiver: str) -> Stamp:  # noqa: ARG001
    """The stamp that an applied update leaves behind: the one it came with (L65, L67)."""
    return incoming


def takes_part(kind: OperationKind) -> bool:  # noqa: ARG001
    """Whether operations of this kind are subject to the comparison: all are (L16, L93)."""
    return True


def applies_newer(gap: int) -> bool:  # noqa: ARG001
    """Whether an update is applied whose version is larger by `gap`, or of a key never seen: it is (L67)."""
    return True


def applies_older() -> bool:
    """Whether an update of a smaller version is applied: it is discarded (L18, L67)."""
    return False


def applies_tie_of_higher() -> bool:
    """Whether an update of equal version from the higher member id is applied: it is (L69, L85)."""
    return True


def applies_tie_of_lower() -> bool:
    """Whether an update of equal version from the lower member id is applied: it is discarded (L69, L79)."""
    return False


def applies_same_stamp() -> bool:
    """Whether an update whose stamp is stored already is applied again: it is not (L69)."""
    return False


def is_higher(member: str, other: str, order: tuple[str, ...], at: str) -> bool:  # noqa: ARG001
    """Whether `member` has the higher id, as the member `at` sees it: all see the same order (L69)."""
    return order.index(member) > order.index(other)


def applies_while_another_is_under_way() -> bool:
    """Whether an update is applied although a concurrent one has not arrived yet: it is (L77)."""
    return True


def announces_discarded() -> bool:
    """Whether listeners are told of a discarded update: they are not (L71)."""
    return False


def announcements_of_applied(overwrites_concurrent: bool) -> int:  # noqa: ARG001
    """How often listeners are told of an applied update: once, also where it replaces a loser (L71, L77)."""
    return 1


def counted_by(receiver: str, caller: str) -> tuple[str, ...]:  # noqa: ARG001
    """Which members' conflatedEvents a discarded update adds to: the one that discarded it (L71)."""
    return (receiver,)


def counts_applied() -> bool:
    """Whether an applied update moves conflatedEvents: it does not (L71)."""
    return False


def image_includes(state: EntryState) -> bool:  # noqa: ARG001
    """Whether an entry is handed to a member that takes a copy of the region: tombstones, too (L63)."""
    return True


def checks_in_force(setting: bool | None) -> bool:
    """Whether a region checks consistency: unless it is told otherwise (L43)."""
    return True if setting is None else setting
