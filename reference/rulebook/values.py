"""The plain values that decisions speak of.

Knows no model state and no log.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import msgspec

from plumbline.reference.history.operations import EventKind, Status


class Stamp(msgspec.Struct, frozen=True):
    """Version record of an entry: how often it was changed, and by which member last (004, L65).

    Where there are several sites, also which of them wrote last, and when (004, L30): `times` are the
    operations whose timestamp may be the one recorded; it is the latest of theirs.

    `allowed` tells that a conflict resolver let it in (004, L121).

    Where tombstones expire, `time` is when it was given, in milliseconds that the harness had let pass.
    """

    version: int
    member: str
    site: int = 0
    times: frozenset[int] = frozenset()
    time: int = 0
    allowed: bool = False


class EntryState(IntEnum):
    """What an entry is. A tombstone is the retained record of a destroyed entry (004, L93)."""

    ABSENT = 0
    TOMBSTONE = 1
    INVALID = 2
    LIVE = 3


class Effect(NamedTuple):
    """One way in which an operation may take effect on the member that it is called on.

    Attributes:
        status: what the caller is told.
        value: what the caller gets back.
        becomes: what the entry becomes; None if it stays as it is.
        event: what listeners of the member are told; None for nothing.
        distributed: whether the operation goes to the other members.
        at_client: whether the client that called it carries it out on its own copy, although its server
            had nothing to do.
    """

    status: Status
    value: str | None = None
    becomes: EntryState | None = None
    event: EventKind | None = None
    distributed: bool = False
    at_client: bool = False


class Free(msgspec.Struct, frozen=True):
    """The answer of a decision that may be answered in any of these ways."""

    choices: tuple[Any, ...]


NO_ENTRY = "no entry"
"""In place of the value that an update leaves: it removes the entry. No call writes it."""


def each(answer: Any) -> tuple[Any, ...]:
    """All answers that a decision leaves open: one, unless it is free."""
    return answer.choices if type(answer) is Free else (answer,)
