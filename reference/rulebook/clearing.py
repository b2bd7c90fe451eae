"""Decisions about clearing a region of replicates that check (document 004, L105).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations


def shuts_out(on_clearing_member: bool) -> bool:  # noqa: ARG001
    """Whether an update waits while a clear has the lock of its region: on every member (L105 s3)."""
    return True


def clear_waits_for_updates() -> bool:
    """Whether a clear waits until updates begun before it have arrived everywhere: it does (L105 s4)."""
    return True


def cleared_with(others: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the other members empty their copies in a clear: all (L105 s2)."""
    return others


def clear_keeps_tombstones() -> bool:
    """Whether tombstones from before a clear stay: they do not (L105 s1)."""
    return False


def clear_told() -> int:
    """How often a listener is told of a clear: once, for the whole region (L105 s1)."""
    return 1


def frees_lock_of_dead() -> bool:
    """Whether updates go on once a member has died that had the lock of a clear: they do (L105 s3)."""
    return True
