"""Decisions about how consistency checking is set, and what holds where it is off (document 004, L43 to L59).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations


def setting_obeyed(own: bool | None, others: tuple[bool | None, ...]) -> bool | None:  # noqa: ARG001
    """Which setting of checks a region goes by: its own, whatever other regions name (L43 s3)."""
    return own


def keeps_tombstone_unchecked() -> bool:
    """Whether a destroy leaves a tombstone where checking is off: it does not (L93 s1)."""
    return False


def counts_unchecked() -> bool:
    """Whether an update that arrives where checking is off moves conflatedEvents: it does not (L59)."""
    return False


def sends_discarded_unchecked() -> bool:
    """Whether a client that does not check is sent what its server has discarded: it is (L47 s2)."""
    return True


def setting_of_joiner(asked: bool, in_force: bool) -> bool:  # noqa: ARG001
    """With which setting a member comes to host a region, unless it is refused: the one in force (L45)."""
    return in_force


def setting_of_persistent(asked: bool) -> bool:  # noqa: ARG001
    """Whether a persistent region checks that was to do without, unless it is refused: it does (L43 s2)."""
    return True
