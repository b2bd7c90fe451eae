"""Faulty variants of conflict resolvers: when they are asked, what they are told, what their answer does."""

from __future__ import annotations

from plumbline.reference.operations import EventKind
from plumbline.reference.rulebook.resolvers import Told
from plumbline.reference.rulebook.variant import variant


def _old_for_new(right: Told) -> Told:
    return right._replace(new=right.old, old=right.new)


def _sites_swapped(right: Told) -> Told:
    return right._replace(site=right.stored_site, stored_site=right.site)


def _destroyed_untold(right: Told) -> Told:
    return right._replace(old=None) if right.kind is EventKind.DESTROY else right


RESOLVERS = (
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
        "allowed-still-compared",
        "WANC-RESOLVER-03",
        "what the resolver allows is compared by time all the same where it was received",
        applies_allowed=lambda later: later,
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
        "WANC-RESOLVER-04",
        "an event that is later is applied although the resolver disallows it",
        applies_disallowed=lambda later: later,
    ),
    variant(
        "disallowed-announced",
        "WANC-RESOLVER-04",
        "the listener is told of an event that the resolver disallows",
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
        "a conflict resolver is told the old value for the new one",
        told_to_resolver=_old_for_new,
    ),
    variant(
        "resolver-not-told-what-goes",
        "WANC-RESOLVER-06",
        "a conflict resolver is not told the value that an event is to destroy",
        told_to_resolver=_destroyed_untold,
    ),
    variant(
        "resolver-told-sites-swapped",
        "WANC-RESOLVER-06",
        "a conflict resolver is told each site for the other",
        told_to_resolver=_sites_swapped,
    ),
    variant(
        "resolver-told-times-swapped",
        "WANC-RESOLVER-06",
        "a conflict resolver is told each timestamp for the other",
        told_to_resolver=lambda right: right._replace(later=not right.later),
    ),
    variant(
        "resolver-error-stops-queue",
        "WANC-RESOLVER-07",
        "an event about which the resolver fails is never answered",
        goes_on_after_error=lambda: False,
    ),
)
