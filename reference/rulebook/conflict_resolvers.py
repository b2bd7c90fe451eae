"""Decisions about conflict resolvers: when one is asked, what it is told, and what its answer does (004).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

from typing import NamedTuple

from plumbline.reference.history.operations import EventKind
from plumbline.reference.rulebook.decision import Subject, any_value, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant


class Told(NamedTuple):
    """What a resolver receives about an event: all but its key.

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


def any_told(right: Told) -> Free:
    """What is right, or with values, sites or times swapped, another kind, or without the value stored."""
    swapped = right._replace(new=right.old, old=right.new)
    sites = right._replace(site=right.stored_site, stored_site=right.site)
    times = right._replace(later=not right.later)
    nothing = right._replace(old=None)
    updates = right._replace(kind=EventKind.UPDATE)
    return Free(tuple(dict.fromkeys((right, swapped, sites, times, nothing, updates))))


class ResolverDecisions(Subject):
    """When a conflict resolver is asked, and what its answer does."""

    @staticmethod
    @decision("WANC-RESOLVER-02")
    def asks_without_conflict(recorded: bool) -> bool:  # noqa: ARG004
        """Whether one is asked about an event of the site that wrote last, or the first of its key: no.

        Source: L121.
        """
        return False

    @staticmethod
    @decision("WANC-RESOLVER-02")
    def asks_about_own() -> bool:
        """Whether one is asked about an update of its own cluster, as a peer tells it: it is not (L121)."""
        return False

    @staticmethod
    @decision("WANC-RESOLVER-01")
    def asks_resolver(later: bool) -> bool:  # noqa: ARG004
        """Whether a resolver is asked about an event of another site than wrote last: it is (L121)."""
        return True

    @staticmethod
    @decision("WANC-RESOLVER-06", "WANC-META-01", free=any_told)
    def told_to_resolver(told: Told) -> Told:
        """What a resolver receives about an event and the stored entry: what they are (L31, L121)."""
        return told

    @staticmethod
    @decision("WANC-RESOLVER-03")
    def compares_allowed() -> bool:
        """Whether the other members compare the timestamp of an event that was allowed: they do not.

        Source: L121.
        """
        return False

    @staticmethod
    @decision("WANC-RESOLVER-03")
    def applies_allowed(later: bool, tied: bool) -> bool:  # noqa: ARG004
        """Whether an event that the resolver allows is applied where it came: however early, or tied.

        Source: L121.
        """
        return True

    @staticmethod
    @decision("WANC-RESOLVER-04")
    def announces_disallowed() -> bool:
        """Whether a listener receives an event that the resolver disallows: it does not (L121)."""
        return False

    @staticmethod
    @decision("WANC-RESOLVER-03")
    def takes_time_of_allowed() -> bool:
        """Whether an entry has the timestamp of an event that was allowed, however early: it has.

        Source: L30, L121.
        """
        return True

    @staticmethod
    @decision("WANC-RESOLVER-04")
    def takes_time_of_disallowed() -> bool:
        """Whether an entry takes the timestamp of an event that was disallowed: it stays as it was (L121)."""
        return False

    @staticmethod
    @decision("WANC-RESOLVER-04", "WANC-RESOLVER-07")
    def applies_disallowed(later: bool) -> bool:  # noqa: ARG004
        """Whether an event that the resolver disallows is applied: it is discarded, however late (L121)."""
        return False

    @staticmethod
    @decision("WANC-RESOLVER-05", free=any_value)
    def value_replaced(own: str | None, replaced: str | None) -> str | None:  # noqa: ARG004
        """Which value the other members of its site get of an event that the resolver has changed: its.

        Source: L31.
        """
        return replaced

    @staticmethod
    @decision("WANC-RESOLVER-07")
    def goes_on_after_error() -> bool:
        """Whether an event about which the resolver failed is dealt with all the same: it is (L31)."""
        return True


def _old_for_new(right: Told) -> Told:
    return right._replace(new=right.old, old=right.new)


def _sites_swapped(right: Told) -> Told:
    return right._replace(site=right.stored_site, stored_site=right.site)


def _destroyed_untold(right: Told) -> Told:
    return right._replace(old=None) if right.kind is EventKind.DESTROY else right


FAULTS = (
    variant(
        "resolver-asked-of-losers",
        "WANC-RESOLVER-01",
        "a conflict resolver is asked only about events that are earlier than what is there",
        asks_resolver=lambda later: not later,
    ),
    variant(
        "resolver-asked-of-winners",
        "WANC-RESOLVER-01",
        "a conflict resolver is asked only about events that are later than what is there",
        asks_resolver=lambda later: later,
    ),
    variant(
        "resolver-asked-of-last-writer",
        "WANC-RESOLVER-02",
        "a conflict resolver is asked about every event of another site for a key that is recorded",
        asks_without_conflict=lambda recorded: recorded,
    ),
    variant(
        "resolver-asked-of-new-keys",
        "WANC-RESOLVER-02",
        "a conflict resolver is asked about events for keys of which nothing is recorded",
        asks_without_conflict=lambda recorded: not recorded,
    ),
    variant(
        "resolver-asked-by-peers",
        "WANC-RESOLVER-02",
        "a conflict resolver is asked about updates of its own cluster, as peers tell them",
        asks_about_own=lambda: True,
    ),
    variant(
        "allowed-still-compared",
        "WANC-RESOLVER-03",
        "what the resolver allows is compared by time all the same where it was received",
        applies_allowed=lambda later, tied: later or tied,
    ),
    variant(
        "allowed-ties-still-compared",
        "WANC-RESOLVER-03",
        "what the resolver allows is compared by site all the same, where timestamps are equal",
        applies_allowed=lambda later, tied: later or not tied,
    ),
    variant(
        "allowed-compared-by-peers",
        "WANC-RESOLVER-03",
        "the other members compare what the resolver allowed by time",
        compares_allowed=lambda: True,
    ),
    variant(
        "allowed-leaves-later-time",
        "WANC-RESOLVER-03",
        "an event that is allowed though it is earlier leaves the entry its later timestamp",
        takes_time_of_allowed=lambda: False,
    ),
    variant(
        "disallowed-leaves-its-time",
        "WANC-RESOLVER-04",
        "an event that is disallowed though it is later leaves the entry its own timestamp",
        takes_time_of_disallowed=lambda: True,
    ),
    variant(
        "disallowed-applied-if-later",
        "WANC-RESOLVER-04 WANC-RESOLVER-07",
        "an event that is later is applied although the resolver disallows it",
        applies_disallowed=lambda later: later,
    ),
    variant(
        "disallowed-announced",
        "WANC-RESOLVER-04",
        "the listener receives an event that the resolver disallows",
        announces_disallowed=lambda: True,
    ),
    variant(
        "replacement-stays",
        "WANC-RESOLVER-05",
        "the other members of its site get the event's own value, not the one that the resolver put in place",
        value_replaced=lambda own, _: own,
    ),
    variant(
        "resolver-told-old-for-new",
        "WANC-RESOLVER-06",
        "a conflict resolver receives the old value for the new one",
        told_to_resolver=_old_for_new,
    ),
    variant(
        "resolver-not-told-what-goes",
        "WANC-RESOLVER-06",
        "a conflict resolver does not receive the value that an event destroys",
        told_to_resolver=_destroyed_untold,
    ),
    variant(
        "resolver-told-sites-swapped",
        "WANC-RESOLVER-06",
        "a conflict resolver receives each site for the other",
        told_to_resolver=_sites_swapped,
    ),
    variant(
        "resolver-told-times-swapped",
        "WANC-RESOLVER-06",
        "a conflict resolver receives each timestamp for the other",
        told_to_resolver=lambda right: right._replace(later=not right.later),
    ),
    variant(
        "resolver-told-update-for-destroy",
        "WANC-RESOLVER-06",
        "a conflict resolver receives a destroy as an update",
        told_to_resolver=lambda right: right._replace(kind=EventKind.UPDATE),
    ),
    variant(
        "resolver-told-time-of-arrival",
        "WANC-META-01",
        "an event has the timestamp of its arrival, as a conflict resolver receives it",
        told_to_resolver=lambda right: right._replace(later=True),
    ),
    variant(
        "resolver-error-stops-queue",
        "WANC-RESOLVER-07",
        "an event about which the resolver fails is never answered",
        goes_on_after_error=lambda: False,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
