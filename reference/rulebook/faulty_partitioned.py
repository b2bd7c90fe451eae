"""Faulty variants of partitioned regions: primaries, their copies, and what follows a lost primary.

Knows nothing of how they are found out.
"""

from __future__ import annotations

from plumbline.reference.rulebook.variant import variant


def _nearest_copy(primary: str, member: str, copies: tuple[str, ...]) -> str:
    return member if member in copies else primary


PARTITIONED = (
    variant(
        "copy-carries-out",
        "CONS-PR-01",
        "a member that holds a redundant copy applies its own updates there first, and passes them on",
        carried_out_at=_nearest_copy,
    ),
    variant(
        "unlocks-before-copies",
        "CONS-PR-02",
        "the primary lets go of a key before its copies have received the update",
        locks_key=lambda: False,
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
        "whoever becomes primary begins anew, with nothing",
        keeps_copies=lambda: False,
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
