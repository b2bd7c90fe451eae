"""Decisions about conflict resolvers: when one is asked, what it is told, and what its answer does (004).

Each answers one question about plain values. Knows neither policies nor models.
"""

from __future__ import annotations

from typing import NamedTuple

from plumbline.reference.operations import EventKind


class Told(NamedTuple):
    """What a resolver is told of an event: all but its key.

    Attributes:
        kind: what the event does.
        new: its value, or what it is named by where it has none.
        old: the value stored, None where there is none.
        site: the event's.
        stored_site: the last change's; 0 if nothing was recorded.
        later: whether the event has the later timestamp, or an equal one and the higher site id.
    """

    kind: EventKind
    new: str | None
    old: str | None
    site: int
    stored_site: int
    later: bool


def asks_resolver(later: bool) -> bool:  # noqa: ARG001
    """Whether a resolver is asked about an event of another site than wrote last: it is (L121)."""
    return True


def asks_without_conflict(recorded: bool) -> bool:  # noqa: ARG001
    """Whether one is asked about an event of the site that wrote last, or the first of its key: no (L121)."""
    return False


def told_to_resolver(told: Told) -> Told:
    """What a resolver is told of an event and of what is stored: what they are (L31, L121)."""
    return told


def applies_allowed(later: bool) -> bool:  # noqa: ARG001
    """Whether an event that the resolver allows is applied where it was received: however early (L121)."""
    return True


def compares_allowed() -> bool:
    """Whether the other members compare the timestamp of an event that was allowed: they do not (L121)."""
    return False


def applies_disallowed(later: bool) -> bool:  # noqa: ARG001
    """Whether an event that the resolver disallows is applied: it is discarded, however late (L121)."""
    return False


def announces_disallowed() -> bool:
    """Whether a listener is told of an event that the resolver disallows: it is not (L121)."""
    return False


def takes_time_of_allowed() -> bool:
    """Whether an entry has the timestamp of an event that was allowed, however early: it has (L30, L121)."""
    return True


def takes_time_of_disallowed() -> bool:
    """Whether an entry takes the timestamp of an event that was disallowed: it stays as it was (L121)."""
    return False


def value_replaced(own: str | None, replaced: str | None) -> str | None:  # noqa: ARG001
    """Which value the other members of its site get of an event that the resolver has changed: its (L31)."""
    return replaced


def goes_on_after_error() -> bool:
    """Whether an event about which the resolver failed is dealt with all the same: it is (L31)."""
    return True
