"""Decisions about versions: how an update is stamped, and how two stamps compare (document 004, L65 to L69).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.history.bulk import BULK
from plumbline.reference.history.operations import OperationKind
from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import EntryState, Free, Stamp
from plumbline.reference.rulebook.variant import variant


def any_stamp(stored: Stamp | None, member: str, kind: OperationKind) -> Free:
    """Counted once, twice or not at all, and signed by the caller or as before."""
    del kind
    version = 0 if stored is None else stored.version
    members = (member,) if stored is None else (member, stored.member)
    return Free(tuple(Stamp(version + step, by) for step in (1, 0, 2) for by in members))


def any_stamp_stored(incoming: Stamp, stored: Stamp | None, receiver: str) -> Free:
    """The version of the update, the next one or the stored one, signed by each member or client involved."""
    versions = {incoming.version, incoming.version + 1, *(() if stored is None else (stored.version,))}
    members = {incoming.member, receiver, *(() if stored is None else (stored.member,))}
    return Free(tuple(Stamp(version, member) for version in sorted(versions) for member in sorted(members)))


_ONCE_MORE = Free((False, True))


class ComparisonDecisions(Subject):
    """Which of two stamps wins."""

    @staticmethod
    @decision("VER-DUP-01")
    def applies_same_stamp(at_client: bool) -> bool | Free:
        """Whether an update whose stamp is stored already is applied once more: it is not (L69).

        A client may have the value by a get, or by a registration, before the event. Its listener was not
        told of that event so far, and may be. The value stays the same.

        Args:
            at_client: whether a client compares.
        """
        return _ONCE_MORE if at_client else False

    @staticmethod
    @decision("VER-CMP-01")
    def applies_newer(gap: int, known: bool) -> bool:  # noqa: ARG004
        """Whether an update is applied whose version is larger by `gap`, the key known or not: it is.

        Source: L67.
        """
        return True

    @staticmethod
    @decision("VER-CMP-02")
    def applies_older() -> bool:
        """Whether an update of a smaller version is applied: it is discarded (L18, L67)."""
        return False

    @staticmethod
    @decision("VER-CMP-02", free=lambda stored, incoming: Free((stored, incoming)))
    def stamp_kept(stored: Stamp, incoming: Stamp) -> Stamp:  # noqa: ARG004
        """The stamp of an entry once an older update was discarded: as before (L67)."""
        return stored

    @staticmethod
    @decision("VER-TIE-01", "EX-A3C3-04")
    def applies_tie_of_higher() -> bool:
        """Whether an update of equal version from the higher member id is applied: it is (L69, L85)."""
        return True

    @staticmethod
    @decision("VER-TIE-02", "EX-A3C3-03", "EX-A3C3-05")
    def applies_tie_of_lower() -> bool:
        """Whether an update of equal version from the lower member id is applied: it is discarded.

        Source: L69, L79.
        """
        return False

    @staticmethod
    @decision("VER-ID-01", "VER-TIE-03", "EX-A3C3-05")
    def is_higher(member: str, other: str, order: tuple[str, ...], at: str) -> bool:  # noqa: ARG004
        """Whether `member` has the higher id, as the member `at` sees it: all see the same order (L69)."""
        return order.index(member) > order.index(other)

    @staticmethod
    @decision("VER-OPS-01")
    def takes_part(kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether operations of this kind are subject to the comparison: all are (L16, L93)."""
        return True


class StampDecisions(Subject):
    """Which stamp an update has, and which one its receivers store."""

    @staticmethod
    @decision("VER-STAMP-02", "VER-STAMP-01", "EX-A3C3-01", free=any_stamp)
    def stamp(stored: Stamp | None, member: str, kind: OperationKind) -> Stamp:  # noqa: ARG004
        """The stamp of a local change: one more than the stored version, and the own id (L65, L73)."""
        return Stamp(1 if stored is None else stored.version + 1, member)

    @staticmethod
    @decision("VER-STAMP-03", "VER-STAMP-01", "VER-CMP-01", "EX-A3C3-04", "CONS-RR-04", free=any_stamp_stored)
    def stamp_stored(incoming: Stamp, stored: Stamp | None, receiver: str) -> Stamp:  # noqa: ARG004
        """The stamp that an applied update leaves behind: the one it came with (L65, L67)."""
        return incoming

    @staticmethod
    @decision("VER-STAMP-04")
    def image_includes(state: EntryState) -> bool:  # noqa: ARG004
        """Whether an entry is handed to a member that takes a copy of the region: tombstones, too (L63)."""
        return True

    @staticmethod
    @decision("VER-STAMP-04")
    def image_has_versions() -> bool:
        """Whether the entries that a member takes over have their versions: they have (L63)."""
        return True


_CREATING = {
    OperationKind.CREATE: "creates",
    OperationKind.PUT: "puts",
    OperationKind.PUT_IF_ABSENT: "puts-if-absent",
    OperationKind.REPLACE: "replaces",
}
"""Operations that leave a value, and what variants of each are called."""


def _creates_begin_at_two(stored: Stamp | None, member: str, kind: OperationKind) -> Stamp:
    first = 2 if kind is OperationKind.CREATE else 1
    return Stamp(first if stored is None else stored.version + 1, member)


def _destroy_keeps_version(stored: Stamp | None, member: str, kind: OperationKind) -> Stamp:
    version = 0 if stored is None else stored.version
    return Stamp(max(version, 1) if kind is OperationKind.DESTROY else version + 1, member)


def _keeps_old_signature(stored: Stamp | None, member: str, kind: OperationKind) -> Stamp:
    del kind
    return Stamp(1, member) if stored is None else Stamp(stored.version + 1, stored.member)


def _receiver_recounts(incoming: Stamp, stored: Stamp | None, receiver: str) -> Stamp:
    del receiver
    return Stamp(1 if stored is None else stored.version + 1, incoming.member)


def _receiver_signs(incoming: Stamp, stored: Stamp | None, receiver: str) -> Stamp:
    del stored
    return Stamp(incoming.version, receiver)


def _own_is_highest(member: str, other: str, order: tuple[str, ...], at: str) -> bool:
    return at != other and (at == member or order.index(member) > order.index(other))


def _rock_paper_scissors(member: str, other: str, order: tuple[str, ...], at: str) -> bool:
    del at
    return (order.index(member) - order.index(other)) % 3 == 1


FAULTS = (
    variant(
        "destroy-keeps-version",
        "VER-STAMP-02",
        "a destroy does not increase the version",
        stamp=_destroy_keeps_version,
    ),
    variant(
        "keeps-old-signature",
        "VER-STAMP-01 VER-STAMP-02 EX-A3C3-01",
        "a local change keeps the member id that was stored",
        stamp=_keeps_old_signature,
    ),
    variant(
        "keeps-no-version",
        "VER-STAMP-01",
        "entries carry no version to go on from: every change has version 1",
        stamp=lambda stored, member, kind: Stamp(1, member),  # noqa: ARG005
    ),
    variant(
        "creates-begin-at-two",
        "VER-STAMP-02",
        "a create of a key never seen gets version 2, and any other operation version 1",
        stamp=_creates_begin_at_two,
    ),
    variant(
        "receiver-recounts",
        "VER-STAMP-03 VER-CMP-01 CONS-RR-04",
        "a receiver counts versions by itself instead of storing the one that came",
        stamp_stored=_receiver_recounts,
    ),
    variant(
        "receiver-signs",
        "VER-STAMP-01 VER-STAMP-03 EX-A3C3-04",
        "a receiver stores its own member id with what it applied",
        stamp_stored=_receiver_signs,
    ),
    variant(
        "wants-no-gaps",
        "VER-CMP-01",
        "an update that skips a version is dropped",
        applies_newer=lambda gap, known: gap == 1,  # noqa: ARG005
    ),
    variant(
        "drops-what-is-new",
        "VER-CMP-01",
        "an update is dropped where nothing is stored under its key",
        applies_newer=lambda gap, known: known,  # noqa: ARG005
    ),
    variant(
        "late-wins",
        "VER-CMP-02",
        "an update that arrives late is applied over a newer one",
        applies_older=lambda: True,
    ),
    variant(
        "losers-leave-their-stamp",
        "VER-CMP-02",
        "an update that is discarded as older leaves its version and id with the entry",
        stamp_kept=lambda stored, incoming: incoming,  # noqa: ARG005
    ),
    *(
        variant(
            f"{called}-always-win",
            "VER-OPS-01",
            f"a {kind} is applied without comparing versions",
            takes_part=lambda asked, kind=kind: asked is not kind,
        )
        for kind, called in _CREATING.items()
    ),
    variant(
        "destroys-always-win",
        "VER-OPS-01",
        "a destroy is applied without comparing versions",
        takes_part=lambda kind: kind is not OperationKind.DESTROY,
    ),
    variant(
        "invalidates-always-win",
        "VER-OPS-01",
        "an invalidate is applied without comparing versions",
        takes_part=lambda kind: kind is not OperationKind.INVALIDATE,
    ),
    variant(
        "bulk-always-wins",
        "VER-OPS-01",
        "entries of a putAll or removeAll are applied without comparing versions",
        takes_part=lambda kind: kind not in BULK,
    ),
    variant(
        "tie-keeps-own",
        "VER-TIE-01 EX-A3C3-04",
        "at equal versions the stored value stays",
        applies_tie_of_higher=lambda: False,
    ),
    variant(
        "tie-last-wins",
        "VER-TIE-02 EX-A3C3-03 EX-A3C3-05",
        "at equal versions the arriving update is applied",
        applies_tie_of_lower=lambda: True,
    ),
    variant(
        "own-is-highest",
        "VER-ID-01 EX-A3C3-05",
        "each member takes its own id for the highest",
        is_higher=_own_is_highest,
    ),
    variant(
        "rock-paper-scissors",
        "VER-ID-01 VER-TIE-03 EX-A3C3-05",
        "ids are compared in a circle: no id is the highest",
        is_higher=_rock_paper_scissors,
    ),
    variant(
        "applies-again",
        "VER-DUP-01",
        "a message that is delivered once more is applied and announced once more",
        applies_same_stamp=lambda at_client: True,  # noqa: ARG005
    ),
    variant(
        "image-forgets-tombstones",
        "VER-STAMP-04",
        "a member that takes a copy of the region receives no tombstones",
        image_includes=lambda state: state is not EntryState.TOMBSTONE,
    ),
    variant(
        "image-forgets-the-invalid",
        "VER-STAMP-04",
        "a member that takes a copy of the region does not receive entries without a value",
        image_includes=lambda state: state is not EntryState.INVALID,
    ),
    variant(
        "image-forgets-the-versions",
        "VER-STAMP-04",
        "the entries of a copy come without their versions, and every later update replaces them",
        image_has_versions=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
