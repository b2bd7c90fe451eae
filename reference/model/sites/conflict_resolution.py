"""Contests: which of two updates of different sites wins, by time and, where the times are equal, by site.

The rulebook decides; what of the times is known, and what was chosen, is told by `times`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import msgspec

from plumbline.reference.model.setting import Propagation, Setting
from plumbline.reference.model.sites.site_state import Queued
from plumbline.reference.model.sites.timestamp_order import (
    Pairs,
    Times,
    comparisons,
    difference,
    is_strictly_ordered,
    tied,
)
from plumbline.reference.rulebook.values import Stamp, each
from plumbline.reference.search.transition import Entry, Place


class ContestResult(msgspec.Struct, frozen=True):
    """How the comparison of an event from another site with what is stored ended, and what follows.

    Attributes:
        applied: whether it is applied.
        pairs: the order of timestamps that then holds.
        asked: what a conflict resolver has shown of it.
        event: what it has become by that; None if it stays what it was.
        allowed: whether a resolver let it in.
        announced: whether listeners are told of it though it is not applied, as they should not.
        stuck: whether it is never dealt with, as it should be.
    """

    applied: bool
    pairs: Pairs
    asked: tuple[tuple[Place, Entry], ...] = ()
    event: Queued | None = None
    allowed: bool = False
    announced: bool = False
    stuck: bool = False


def contests(
    setting: Setting,
    pairs: Pairs,
    times: Times,
    site: int,
    stored: Stamp,
    at: int,
    *,
    over_tombstone: bool = False,
) -> Iterator[tuple[bool, Pairs]]:
    """Every way in which an update of another site may end: whether it is applied, and what then holds.

    Args:
        setting: the example.
        pairs: what was chosen so far of the key's timestamps.
        times: the incoming update's.
        site: which site wrote it.
        stored: what it is compared with.
        at: at which site.
        over_tombstone: whether that is a tombstone.
    """
    book = setting.book
    apart = difference(pairs, times, stored.times, setting.readings)
    # An event that comes back by way of other sites meets itself, and has its own timestamp.
    if times == stored.times or tied(pairs, times, stored.times, setting.readings):
        yield from ((applies, pairs) for applies in _of_the_same_time(setting, site, stored.site, at))
        return
    if _may_be_tied(setting, pairs, times, site, stored):
        yield from ((applies, pairs) for applies in _of_the_same_time(setting, site, stored.site, at))
    for later, chosen in comparisons(
        pairs,
        times,
        stored.times,
        clock=setting.clock,
        readings=setting.readings,
        higher=lambda one, other: counts_as_later(setting, one, other, at),
    ):
        for wins in (later,) if apart is None else each(book.wins_by_time(apart, later, site > stored.site)):
            answer = book.applies_later_time(over_tombstone) if wins else book.applies_earlier_time()
            yield from ((applies, chosen) for applies in each(answer))


def _may_be_tied(setting: Setting, pairs: Pairs, times: Times, site: int, stored: Stamp) -> bool:
    """Whether two hidden timestamps may be equal, so that the ids of sites decide.

    It matters where events travel on with the id of the site that sends them on: one site then lets the first
    of the two win, and another the second. Elsewhere the winner may as well have the later timestamp.
    """
    if setting.onward is Propagation.STAYS:
        return False
    for one, other in product(times, stored.times):
        written_at = [setting.site_of[setting.operations[op_id].member] for op_id in (one, other)]
        if written_at != [site, stored.site] and _may_share_a_tick(setting, pairs, one, other):
            return True
    return False


def _may_share_a_tick(setting: Setting, pairs: Pairs, one: int, other: int) -> bool:
    """Whether nothing proves that one of two operations has a later timestamp than the other.

    Clocks have a resolution, so calls that follow each other may get equal timestamps. Different ones are
    proved by one replacing the other, by what held clocks have shown, and by clocks that moved on between.
    """
    if one == other or one not in setting.ticks or other not in setting.ticks:
        return False
    (called, returned), (called_too, returned_too) = setting.ticks[one], setting.ticks[other]
    if returned < called_too or returned_too < called or is_strictly_ordered(pairs, one, other):
        return False
    apart = difference(pairs, frozenset((one,)), frozenset((other,)), setting.readings)
    return apart is None or apart == 0


def counts_as_later(setting: Setting, one: int, other: int, at: int) -> bool:
    """Whether, of two operations of one time, the first may count as the later: by the ids of their sites."""
    mine, theirs = (setting.site_of[setting.operations[op_id].member] for op_id in (one, other))
    if mine == theirs or any(_of_the_same_time(setting, mine, theirs, at)):
        return True
    return not any(_of_the_same_time(setting, theirs, mine, at))


def _of_the_same_time(setting: Setting, site: int, stored: int, at: int) -> Iterator[bool]:
    """Whether an update of the same time is applied: by the ids of the sites that wrote them."""
    book = setting.book
    for decides in each(book.decides_ties_of_others()) if at not in (site, stored) else (True,):
        if not decides:
            yield False
            continue
        for higher in each(book.is_higher_site(site, stored)):
            yield from each(book.applies_tie_of_higher_site() if higher else book.applies_tie_of_lower_site())
