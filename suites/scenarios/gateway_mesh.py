"""Three sites, each connected to each: all end alike with each order of arrival (004, L26, L119)."""

from __future__ import annotations

from itertools import permutations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.scenarios.mesh import Mesh
from plumbline.suites.scenarios.scenario import among_sites

LINKS = (Capability.LINK_FAULTS,)
TIES = (Capability.LINK_FAULTS, Capability.SITE_CLOCKS)
SITES = (1, 2, 3)


@among_sites("WANC-MULTI-01", needs=LINKS, clocks=True)
def the_latest_of_three_sites_wins_everywhere(stage: Mesh) -> None:
    """Each site writes a key apart; they hear of one another in every order."""
    for turn, written in enumerate(permutations(SITES)):
        heard = list(permutations(SITES))[(turn * 5 + 2) % 6]
        key = f"x{turn}"
        stage.cut_links()
        for site in written:
            last = stage.put(stage.sites[site][-1], key)
            stage.let_clocks_pass()
        stage.settle()
        stage.heal_from(*heard)
        stage.all_hold(key, last)


@among_sites("WANC-MULTI-01", needs=TIES)
def at_the_same_time_the_highest_of_three_sites_wins(stage: Mesh) -> None:
    """Three sites write a key while the clocks stand; they hear of one another in every order."""
    for turn, heard in enumerate(permutations(SITES)):
        key = f"x{turn}"
        stage.cut_links()
        stage.hold_time()
        puts = {site: stage.put(stage.sites[site][0], key) for site in heard}
        stage.let_run()
        stage.settle()
        stage.heal_from(*heard)
        stage.all_hold(key, puts[3])


@among_sites("WANC-MULTI-01", needs=TIES)
def a_site_that_wrote_nothing_decides_the_tie_of_the_others(stage: Mesh) -> None:
    """The third site may receive either of two updates of one time first; it ends as the two others do."""
    for one, other in permutations(SITES, 2):
        key = f"x{one}{other}"
        stage.cut_links()
        stage.hold_time()
        puts = {site: stage.put(stage.sites[site][-1], key) for site in (one, other)}
        stage.let_run()
        stage.settle()
        stage.heal_from(one, other, 6 - one - other)
        stage.all_hold(key, puts[max(one, other)])


@among_sites("WANC-MULTI-01", needs=LINKS)
def what_is_put_over_another_sites_value_may_arrive_before_it(stage: Mesh) -> None:
    """Site 2 changes what it has of site 1 before site 3 hears of that: the late event is discarded."""
    for turn, kind in enumerate((OperationKind.PUT, OperationKind.DESTROY)):
        key = f"x{turn}"
        base = stage.put(stage.sites[3][0], key)
        stage.settle()
        stage.cut_links((1, 3))
        first = stage.put(stage.here[turn], key)
        stage.settle()
        second = stage.do(stage.there[0], kind, key)
        stage.settle()
        stage.heal_links((1, 3))
        stage.settle()
        stage.all_hold(key, second)
        stage.log_is(stage.sites[3][0], key, base, second)
        stage.log_is(stage.here[0], key, base, first, second)


@among_sites("GWQ-RETRY-07", needs=LINKS)
def a_sender_without_a_link_delays_no_other_of_its_site(stage: Mesh) -> None:
    """While the link to site 2 is cut, site 3 is sent what is put at site 1."""
    stage.cut_links((1, 2))
    puts = [stage.put(member, f"x{member}") for member in stage.here]
    stage.settle()
    for put in puts:
        stage.site_holds(stage.there, put.key, None)
        stage.site_holds(stage.sites[3], put.key, put)
    stage.heal_links((1, 2))
    stage.settle()
    for put in puts:
        stage.all_hold(put.key, put)


@among_sites("WANC-NEW-01", "WANC-MULTI-01", needs=LINKS, clocks=True)
def a_destroy_of_an_entry_that_a_site_lacks_leaves_a_tombstone_there(stage: Mesh) -> None:
    """Site 1 receives the destroy before the destroyed update, which is older and so is discarded."""
    for turn in range(2):
        key = f"x{turn}"
        stage.cut_links((3, 1))
        stage.put(stage.sites[3][0], key)
        stage.settle()
        stage.let_clocks_pass()
        stage.do(stage.there[0], OperationKind.DESTROY, key)
        stage.settle()
        stage.heal_links((3, 1))
        stage.settle()
        stage.all_hold(key, None)


@among_sites("WANC-MULTI-01")
def what_one_site_writes_arrives_once_at_each_other(stage: Mesh) -> None:
    """No site receives it again by way of a third site, and nothing comes back."""
    for site, members in stage.sites.items():
        put = stage.put(members[0], f"x{site}")
        gone = stage.do(members[-1], OperationKind.DESTROY, f"x{site}")
        again = stage.put(members[0], f"x{site}")
        stage.settle()
        stage.all_hold(f"x{site}", again)
        for member in stage.members:
            stage.log_is(member, f"x{site}", put, gone, again)
