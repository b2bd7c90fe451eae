"""Conflict resolvers: when they are asked, what they are told, and what their answers do (004, L31, L121).

The links are cut while both sites write, and healed in quiescence. So each event that arrives afterwards
meets the other site's update, and nothing is sent twice.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites

LINKS = (Capability.LINK_FAULTS,)
HELD = (Capability.SITE_CLOCKS,)
AHEAD_MS = 30_000
PUT, DESTROY = OperationKind.PUT, OperationKind.DESTROY


def _apart(
    stage: Sites, key: str, *, here_first: bool = True, last: OperationKind = PUT
) -> tuple[Operation, Operation]:
    """Each site writes the key while it hears nothing of the other; gives the update of each.

    The later is the one of `there`, unless `here_first` is False.
    """
    stage.cut_both_ways()
    if here_first:
        one = stage.put(stage.here[0], key)
        stage.let_clocks_pass()
        other = stage.do(stage.there[1], last, key)
    else:
        other = stage.put(stage.there[1], key)
        stage.let_clocks_pass()
        one = stage.do(stage.here[0], last, key)
    stage.settle()
    stage.heal_both_ways()
    stage.settle()
    return one, other


def _apart_by(stage: Sites, key: str, milliseconds: int) -> tuple[Operation, Operation]:
    """Each site writes the key apart, `there` so much later by clocks that are held; gives both updates."""
    stage.cut_both_ways()
    stage.hold_time()
    one = stage.put(stage.here[0], key)
    if milliseconds > 0:
        stage.leap(milliseconds)
    other = stage.put(stage.there[1], key)
    stage.let_run()
    stage.settle()
    stage.heal_both_ways()
    stage.settle()
    return one, other


def _takes(stage: Sites, members: tuple[str, ...], *updates: Operation) -> None:
    """All members of a site have received these updates of a key and no others, and hold the last."""
    last = updates[-1]
    stage.site_holds(members, last.key, last)
    for member in members:
        stage.log_is(member, last.key, *updates)


@between_sites("WANC-RESOLVER-01", needs=LINKS, clocks=True, resolver="disallow")
def a_resolver_sees_every_possible_conflict(stage: Sites) -> None:
    """Earlier and later ones, of values and destroys, also where what it finds is a tombstone."""
    for here_first in (True, False):
        one, other = _apart(stage, f"x{here_first}", here_first=here_first)
        stage.asks(stage.here, one.key, other)
        stage.asks(stage.there, one.key, one)
        stage.site_holds(stage.here, one.key, one)
        stage.site_holds(stage.there, one.key, other)
    base = stage.put(stage.here[1], "y")
    stage.settle()
    stage.both_sites_hold("y", base)
    one, gone = _apart(stage, "y", last=DESTROY)
    stage.asks(stage.here, "y", gone)
    stage.asks(stage.there, "y", one)
    stage.site_holds(stage.here, "y", one)
    stage.site_holds(stage.there, "y", gone)


@between_sites("WANC-RESOLVER-01", needs=(*LINKS, Capability.SITE_CLOCKS), resolver="prefer 1 within 0 ms")
def a_resolver_decides_ties(stage: Sites) -> None:
    """Of updates of the same time it sees both, and the site wins that it prefers, though its id is lower."""
    one, other = _apart_by(stage, "x", 0)
    stage.asks(stage.here, "x", other)
    stage.asks(stage.there, "x", one)
    stage.both_sites_hold("x", one)


@between_sites("WANC-RESOLVER-02", needs=LINKS, resolver="disallow")
def a_resolver_is_not_asked_without_a_conflict(stage: Sites) -> None:
    """Not of what is new to its site, of what the last writer writes next, nor of what is called at home."""
    for writer in (stage.here[0], stage.here[1]):
        key = f"x{writer}"
        updates = [stage.put(writer, key) for _ in range(2)]
        stage.settle()
        stage.both_sites_hold(key, updates[-1])
        gone = stage.do(writer, DESTROY, key)
        again = stage.put(writer, key)
        stage.settle()
        stage.both_sites_hold(key, again)
        for member in stage.there:
            stage.log_is(member, key, *updates, gone, again)
        stage.asks(stage.here, key)
        stage.asks(stage.there, key)
    one = stage.put(stage.there[0], "y")
    other = stage.put(stage.there[1], "y")
    stage.settle()
    stage.both_sites_hold("y", other)
    stage.asks(stage.here, "y")
    stage.asks(stage.there, "y")
    stage.log_is(stage.here[0], "y", one, other)


@between_sites("WANC-RESOLVER-03", needs=LINKS, clocks=True, resolver="allow")
def what_a_resolver_allows_is_applied_everywhere(stage: Sites) -> None:
    """Each site takes the other's update, the earlier one as well, and all its members tell of it."""
    for here_first in (True, False):
        one, other = _apart(stage, f"x{here_first}", here_first=here_first)
        _takes(stage, stage.here, one, other)
        _takes(stage, stage.there, other, one)


@between_sites("WANC-RESOLVER-03", needs=(*HELD, *LINKS), resolver="allow")
def what_a_resolver_allows_of_the_same_time_is_applied_whatever_its_site(stage: Sites) -> None:
    """Each site takes the other's update of the same time, site 2 that of the lower id as well."""
    one, other = _apart_by(stage, "x", 0)
    _takes(stage, stage.here, one, other)
    _takes(stage, stage.there, other, one)


@between_sites("WANC-RESOLVER-04", needs=LINKS, clocks=True, resolver="disallow")
def what_a_resolver_disallows_is_discarded(stage: Sites) -> None:
    """Each site keeps its own update, also where the other's is later, and no listener shows the other's."""
    for here_first in (True, False):
        one, other = _apart(stage, f"x{here_first}", here_first=here_first)
        _takes(stage, stage.here, one)
        _takes(stage, stage.there, other)
    after = stage.put(stage.here[0], "after")
    stage.settle()
    stage.both_sites_hold("after", after)


@between_sites("WANC-RESOLVER-04", needs=LINKS, clocks=True, resolver="disallow")
def what_is_disallowed_leaves_the_entry_as_it_was(stage: Sites) -> None:
    """The last change is still that of the own site: the next event of the other is a conflict again."""
    one, other = _apart(stage, "x")
    next_one = stage.put(stage.here[1], "x")
    stage.settle()
    stage.asks(stage.there, "x", one, next_one)
    stage.site_holds(stage.there, "x", other)
    stage.site_holds(stage.here, "x", next_one)


@between_sites("WANC-RESOLVER-04", needs=HELD, resolver="disallow")
def what_is_disallowed_does_not_date_what_is_called_next(stage: Sites) -> None:
    """Its clock was half a minute ahead; the put over the entry that it was to replace is earlier."""
    stage.hold_time()
    stage.set_clocks(2, AHEAD_MS)
    stage.put(stage.here[0], "x")
    ahead = stage.put(stage.there[0], "x")
    _crosses(stage)
    # Either of them may have received the disallowed update. The last one comes from it, or replaces what
    # does.
    for member in stage.here:
        last = stage.put(member, "x")
        _crosses(stage)
    stage.is_told(stage.there, last, ahead, later=False)
    stage.let_run()


@between_sites("WANC-RESOLVER-03", needs=(*HELD, *LINKS), resolver="allow")
def what_is_allowed_dates_its_entry_though_it_is_earlier(stage: Sites) -> None:
    """A put over it need not be later than the replaced update, which was half a minute ahead.

    Events show that.
    """
    stage.cut()
    stage.hold_time()
    stage.set_clocks(1, AHEAD_MS)
    stage.put(stage.here[0], "x")
    stage.set_clocks(1, 0)
    stage.put(stage.there[0], "x")
    _crosses(stage)
    for member in stage.here:
        over = stage.put(member, "x")
        _crosses(stage)
    later = stage.put(stage.there[0], "x")
    _crosses(stage)
    stage.is_told(stage.here, later, over, later=True)
    stage.let_run()


def _crosses(stage: Sites) -> None:
    """A second passes while clocks are held, so that what is queued crosses to the other site."""
    stage.leap(1_000)
    stage.settle()


@between_sites("WANC-RESOLVER-05", needs=LINKS, clocks=True, resolver="replace")
def what_a_resolver_puts_in_place_is_stored_everywhere(stage: Sites) -> None:
    """All members of the site hold the value that its resolver has put in place, and tell of that."""
    one, other = _apart(stage, "x")
    for members, own, event in ((stage.here, one, other), (stage.there, other, one)):
        stage.asks(members, "x", event)
        stage.holds_value(members, "x", f"{event.token}~")
        for member in members:
            stage.told_values(member, "x", own.token, f"{event.token}~")


@between_sites("WANC-RESOLVER-05", needs=LINKS, clocks=True, resolver="replace")
def what_is_put_in_place_counts_as_the_other_sites(stage: Sites) -> None:
    """It bears the site of the event: another event of that site is no conflict, one called here is."""
    one, other = _apart(stage, "x")
    following = stage.put(stage.here[0], "x")
    stage.settle()
    stage.asks(stage.here, "x", other)
    stage.asks(stage.there, "x", one)
    stage.both_sites_hold("x", following)


@between_sites("WANC-RESOLVER-06", needs=LINKS, clocks=True, resolver="disallow")
def a_resolver_receives_a_complete_event(stage: Sites) -> None:
    """What the event does, key, old and new value, both sites, and both timestamps."""
    for here_first in (True, False):
        one, other = _apart(stage, f"x{here_first}", here_first=here_first)
        stage.is_told(stage.here, other, one, later=here_first)
        stage.is_told(stage.there, one, other, later=not here_first)
    created = stage.put(stage.there[0], "z")
    stage.settle()
    stage.both_sites_hold("z", created)
    one, gone = _apart(stage, "z", last=DESTROY)
    stage.is_told(stage.here, gone, one, later=True)
    stage.is_told(stage.there, one, None, later=False)


@between_sites(
    "WANC-RESOLVER-06", "WANC-META-01", needs=(*LINKS, Capability.SITE_CLOCKS), resolver="disallow"
)
def a_resolver_receives_the_times_that_the_clocks_showed(stage: Sites) -> None:
    """Where clocks stand they are known, so that no run of the model has others."""
    one, other = _apart_by(stage, "x", 1_000)
    stage.is_told(stage.here, other, one, later=True)
    stage.is_told(stage.there, one, other, later=False)


@between_sites("WANC-RESOLVER-07", needs=LINKS, clocks=True, resolver="prefer 1 within 600000 ms")
def sites_that_prefer_the_same_site_end_alike(stage: Sites) -> None:
    """Of updates made apart that of site 1 wins everywhere, in both orders."""
    for here_first in (True, False):
        one, other = _apart(stage, f"x{here_first}", here_first=here_first)
        stage.asks(stage.here, one.key, other)
        stage.asks(stage.there, one.key, one)
        stage.both_sites_hold(one.key, one)


@between_sites("WANC-RESOLVER-07", needs=(*LINKS, Capability.SITE_CLOCKS), resolver="prefer 1 within 1000 ms")
def beyond_the_span_the_later_update_wins(stage: Sites) -> None:
    """A policy that prefers a site within a second: after two the later update wins at both sites."""
    for milliseconds in (1_000, 2_000):
        key = f"x{milliseconds}"
        one, other = _apart_by(stage, key, milliseconds)
        stage.both_sites_hold(key, one if milliseconds == 1_000 else other)


@between_sites("WANC-RESOLVER-07", needs=(*LINKS, Capability.QUEUE_INSPECTION), clocks=True, resolver="throw")
def a_resolver_that_fails_leaves_delivery_intact(stage: Sites) -> None:
    """Its event is compared as without one or given up, and answered; the events behind it arrive."""
    for here_first in (True, False):
        key = f"x{here_first}"
        one, other = _apart(stage, key, here_first=here_first)
        later = other if here_first else one
        stage.site_holds(stage.here, key, later, one)
        stage.site_holds(stage.there, key, later, other)
        for member in (stage.primary(), stage.there[0]):
            stage.depth_is(member, 0)
        after = stage.put(stage.here[0], f"after {key}")
        back = stage.put(stage.there[0], f"back {key}")
        stage.settle()
        stage.both_sites_hold(f"after {key}", after)
        stage.both_sites_hold(f"back {key}", back)
