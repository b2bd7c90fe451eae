"""Decisions about members that keep less than a replicate: normal, preloaded, empty (document 004, L37).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations

from plumbline.reference.rulebook.values import Stamp


def checks_less_than_replicate() -> bool:
    """Whether a member without a replicate checks an update of an entry that it holds: it does (L37)."""
    return True


def absent_goes_to_replicate() -> bool:
    """Whether an operation on an entry that the member lacks goes to a replicate first: it does (L37)."""
    return True


def stamp_taken_over(given: Stamp, caller: str) -> Stamp:  # noqa: ARG001
    """The stamp that a caller keeps of what a replicate did for it: the replicate's (L37)."""
    return given


def takes_destroy_of_invalid() -> bool:
    """Whether a member without a replicate takes a destroy of an entry without a value: it does (L37)."""
    return True


def stamp_of_fetched(given: Stamp, reader: str) -> Stamp:  # noqa: ARG001
    """The stamp of what a member without a replicate keeps of another's answer: as of that copy (L37)."""
    return given


def told_by_less_than_replicate(others: tuple[str, ...], replicates: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
    """Who is told of what a member without a replicate has changed of its own: all others (L16, L37)."""
    return others


def ends_without_replicate() -> bool:
    """Whether an operation ends that finds no replicate to go to: it does (L37)."""
    return True


def asks_another_replicate() -> bool:
    """Whether another replicate is asked when the one that was asked has died: it is (L37)."""
    return True


def recognises_asked_again() -> bool:
    """Whether what a replicate is asked once more is told of once by who has it already: it is (L37)."""
    return True


def clear_goes_to_replicate() -> bool:
    """Whether a clear called on a member without a replicate is one for all members: it is (L37, L105)."""
    return True
