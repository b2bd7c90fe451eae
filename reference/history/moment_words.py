"""Moments in words: where each belongs, and what its words depend on besides itself.

Knows no moment.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history.operations import Operation

HARNESS = ""
"""Where a moment belongs that concerns no single thread or member."""


class MomentWords(msgspec.Struct, frozen=True):
    """A moment for people: where it belongs (a thread, a member, or HARNESS), its words, its operation."""

    place: str
    words: str
    op_id: int | None = None


class MomentContext(msgspec.Struct, frozen=True):
    """What the words of a moment depend on besides itself.

    Attributes:
        operations: the called operations, by id.
        several: whether there are several regions, so that each is named.
    """

    operations: dict[int, Operation]
    several: bool
