"""Entries: what a member or client holds of a key of a region.

Knows nothing of what changes one.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.rulebook.values import EntryState, Stamp


class Entry(msgspec.Struct, frozen=True):
    """What one member keeps of one key. `stamp` is None where consistency checking is off."""

    state: EntryState
    token: str | None = None
    stamp: Stamp | None = None


ABSENT = Entry(EntryState.ABSENT)
