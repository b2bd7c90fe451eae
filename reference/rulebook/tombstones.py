"""Decisions about tombstones: what a member keeps of a destroyed entry (document 004).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations

from plumbline.reference.rulebook.values import EntryState, Stamp


def keeps_tombstone() -> bool:
    """Whether a destroy leaves a tombstone with its version: it does (L93 s1 to s3, L57)."""
    return True


def remembers_unseen_destroy() -> bool:
    """Whether a destroy that comes to a member without the key leaves a tombstone there: it does (L93)."""
    return True


def compared_with_tombstone(stamp: Stamp) -> Stamp | None:
    """What an update is compared with where it finds a tombstone: with the version of the destroy (L93)."""
    return stamp


def goes_on_from(tombstone: Stamp) -> Stamp | None:
    """Which stamp a new entry goes on from over a tombstone: that of the destroy (L93)."""
    return tombstone


def tombstone_read_as() -> EntryState:
    """What anybody who reads finds in place of a tombstone: no entry (L93)."""
    return EntryState.ABSENT
