"""Decisions about partitioned regions (document 004; bulk loads of them: 001).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from plumbline.reference.rulebook.decision import Subject, any_recipients, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


def any_carrier(primary: str, member: str, copies: tuple[str, ...], *_: bool) -> Free:
    """The primary, or the member where it is called, if that holds a copy."""
    return Free(tuple(dict.fromkeys((primary, *((member,) if member in copies else ())))))


class PartitionDecisions(Subject):
    """How a primary carries out updates, and what its copies do."""

    @staticmethod
    @decision("CONS-PR-01", free=any_carrier)
    def carried_out_at(primary: str, member: str, copies: tuple[str, ...], by_client: bool) -> str:  # noqa: ARG004
        """On which member an update is carried out, and stamped, first: on its key's primary (L12 s1).

        Args:
            primary: the key's primary.
            member: where it is called, which is the server where a client calls it.
            copies: the members that hold redundant copies.
            by_client: whether a client calls it.
        """
        return primary

    @staticmethod
    @decision("CONS-PR-02")
    def locks_key(same_key: bool) -> bool:
        """Whether a primary holds updates of the same key, or of others, back meanwhile: the same.

        Source: L12 s2.
        """
        return same_key

    @staticmethod
    @decision("CONS-PR-03")
    def works_off_in_order() -> bool:
        """Whether a copy applies what it is sent one after the other, and then answers: it does (L12 s3)."""
        return True

    @staticmethod
    @decision("CONS-PR-04", free=any_recipients)
    def copies_sent(copies: tuple[str, ...]) -> tuple[str, ...]:
        """Which of the members that hold a copy of a key are sent an update of it: all (L12 s2)."""
        return copies

    @staticmethod
    @decision("CONS-PR-04", free=any_recipients)
    def copies_awaited(copies: tuple[str, ...]) -> tuple[str, ...]:
        """Which copies have answered before a call returns: all that were sent the update (L12 s2, s3)."""
        return copies

    @staticmethod
    @decision("CONS-PR-05")
    def synchronises() -> bool:
        """Whether the copies that survive a primary agree on one state of each key: they do (L12 s3)."""
        return True

    @staticmethod
    @decision("CONS-PR-05")
    def keeps_copies() -> bool:
        """Whether what the copies hold outlasts their primary: it does (L12 s3)."""
        return True

    @staticmethod
    @decision("CLEAR-SCOPE-01")
    def refused_clear_empties() -> bool:
        """Whether a clear that is refused empties the caller's copies all the same: it does not (L105)."""
        return False

    @staticmethod
    @decision("S2C-OPS-07")
    def sends_overheard() -> bool:
        """Whether a server sends its clients what it holds no copy of: it does, as of any peer (001, L38)."""
        return True

    @staticmethod
    @decision("INT-BULK-02", free=lambda server, members: Free((members, (server,))))
    def loaded_from(server: str, members: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG004
        """Whose buckets a client's bulk load covers: those of all members (001, L57 s3)."""
        return members


def _nearest_copy(primary: str, member: str, copies: tuple[str, ...], *, chosen: bool) -> str:
    return member if chosen and member in copies else primary


FAULTS = (
    variant(
        "copy-carries-out",
        "CONS-PR-01",
        "a member that holds a redundant copy applies its own updates there first, and passes them on",
        carried_out_at=lambda primary, member, copies, by_client: _nearest_copy(
            primary, member, copies, chosen=not by_client
        ),
    ),
    variant(
        "servers-copy-carries-out",
        "CONS-PR-01",
        "a server that holds a redundant copy applies updates of its clients there first, and passes them on",
        carried_out_at=lambda primary, member, copies, by_client: _nearest_copy(
            primary, member, copies, chosen=by_client
        ),
    ),
    variant(
        "unlocks-before-copies",
        "CONS-PR-02",
        "the primary lets go of a key before its copies have received the update",
        locks_key=lambda same_key: False,  # noqa: ARG005
    ),
    variant(
        "locks-all-keys",
        "CONS-PR-02",
        "while copies receive an update of one key, the primary holds back updates of its other keys, too",
        locks_key=lambda same_key: True,  # noqa: ARG005
    ),
    variant(
        "copies-work-off-in-any-order",
        "CONS-PR-03",
        "a copy answers at once and works off what it was sent by several threads, in any order",
        chaotic=True,
        works_off_in_order=lambda: False,
    ),
    variant(
        "skips-a-copy",
        "CONS-PR-04",
        "an update is not sent to the last of a key's copies",
        copies_sent=lambda copies: copies[:-1],
    ),
    variant(
        "returns-before-copies",
        "CONS-PR-04",
        "a call returns before the copies have answered",
        chaotic=True,
        copies_awaited=lambda _: (),
    ),
    variant(
        "survivors-differ",
        "CONS-PR-05",
        "copies that survive their primary do not compare what they have missed",
        chaotic=True,
        synchronises=lambda: False,
    ),
    variant(
        "promoted-empty",
        "CONS-PR-05",
        "a new primary begins with an empty queue",
        keeps_copies=lambda: False,
    ),
    variant(
        "refused-clear-empties",
        "CLEAR-SCOPE-01",
        "a clear of a partitioned region is refused, and has emptied the caller's copies by then",
        refused_clear_empties=lambda: True,
    ),
    variant(
        "tells-of-own-buckets",
        "S2C-OPS-07",
        "a server sends its clients what becomes of the keys that it holds a copy of, and of no others",
        sends_overheard=lambda: False,
    ),
    variant(
        "loads-own-buckets",
        "INT-BULK-02",
        "a bulk load covers the buckets of the server that was asked, and no others",
        loaded_from=lambda server, _: (server,),
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
