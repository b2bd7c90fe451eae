"""Three sites in a chain or a ring: what travels on by way of a site that did not write it (004, L24 to L29).

Whether events travel on is not said by any document, so each outcome is written out for either answer that a
candidate gives (`sends_on`). Timestamps differ in all of them: of equal ones the documents do not have such
sites agree.
"""

from __future__ import annotations

from itertools import product

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.scenarios.mesh import CHAIN, RING, Mesh
from plumbline.suites.scenarios.scenario import among_sites

LINKS = (Capability.LINK_FAULTS,)
TIME = (Capability.SITE_CLOCKS,)
CRASHES = (Capability.QUEUE_INSPECTION, Capability.MEMBER_FAULTS, Capability.LISTENER_GATES)
OFF_MS = 30_000


def _arrives_once(stage: Mesh, writer: int, reached: tuple[int, ...]) -> None:
    """A site creates, destroys and creates a key; these sites receive it once, the others nothing."""
    key = f"x{writer}"
    member = stage.sites[writer][0]
    put = stage.put(member, key)
    gone = stage.do(member, OperationKind.DESTROY, key)
    again = stage.put(member, key)
    stage.settle()
    for site, members in stage.sites.items():
        has_it = site in reached or stage.sends_on
        stage.site_holds(members, key, again if has_it else None)
        for other in members:
            stage.log_is(other, key, *((put, gone, again) if has_it else ()))


@among_sites("SER-ENQ-01", "WAN-CFG-01", sited=CHAIN)
def what_a_site_of_a_chain_writes_arrives_once_at_each_other(stage: Mesh) -> None:
    """It goes from one end to the other if the candidate sends it on, never back to where it came from."""
    for writer, reached in ((1, (1, 2)), (2, (1, 2, 3)), (3, (2, 3))):
        _arrives_once(stage, writer, reached)


@among_sites("WANC-TS-02", "WANC-TOMB-01", needs=LINKS, clocks=True, sited=CHAIN)
def what_the_middle_of_a_chain_discards_goes_no_further(stage: Mesh) -> None:
    """An end writes, and is not heard; the middle writes or destroys later, and discards what then comes."""
    for turn, (kind, end) in enumerate(
        (kind, end) for kind in (OperationKind.PUT, OperationKind.DESTROY) for end in (1, 3)
    ):
        key = f"x{turn}"
        middle, other = stage.there[turn % 2], stage.sites[4 - end][0]
        base = stage.put(middle, key)
        stage.settle()
        stage.cut_links((end, 2))
        early = stage.put(stage.sites[end][0], key)
        stage.let_clocks_pass()
        late = stage.do(middle, kind, key)
        stage.settle()
        stage.heal_links((end, 2))
        stage.settle()
        stage.all_hold(key, late)
        stage.log_is(stage.sites[end][0], key, base, early, late)
        for told in (*stage.there, other):
            stage.log_is(told, key, base, late)


@among_sites("WANC-RESOLVER-04", sited=CHAIN, resolver="disallow")
def what_the_resolver_of_a_middle_disallows_goes_no_further(stage: Mesh) -> None:
    """The middle has written a key, and disallows what an end writes then: the other end hears nothing."""
    for end in (1, 3):
        key, far = f"x{end}", stage.sites[4 - end][0]
        base = stage.put(stage.there[0], key)
        stage.settle()
        own = stage.put(stage.sites[end][0], key)
        stage.settle()
        stage.site_holds(stage.sites[end], key, own)
        for member in (*stage.there, far):
            stage.holds(member, key, base)
            stage.log_is(member, key, base)


@among_sites("WAN-CFG-01", "WANC-TOMB-01", needs=LINKS, clocks=True, sited=CHAIN)
def a_destroy_goes_on_by_way_of_a_site_that_has_destroyed_the_key_before(stage: Mesh) -> None:
    """The middle destroys, then one end writes, then the other end destroys: that is the last of all.

    Either member of the middle is sent that: the queue that it goes on by has its primary at one of them.
    """
    for turn, (end, receiver) in enumerate(product((1, 3), stage.there)):
        key, other = f"x{turn}", 4 - end
        stage.receive_at(receiver)
        stage.put(stage.there[turn % 2], key)
        stage.settle()
        stage.cut_links()
        stage.do(stage.there[turn % 2], OperationKind.DESTROY, key)
        stage.let_clocks_pass()
        put = stage.put(stage.sites[other][0], key)
        stage.let_clocks_pass()
        stage.do(stage.sites[end][0], OperationKind.DESTROY, key)
        stage.settle()
        stage.heal_from(end, 2, other)
        for site, members in stage.sites.items():
            goes_by = site == other and not stage.sends_on
            stage.site_holds(members, key, put if goes_by else None)


@among_sites("WANC-CAUSAL-01", needs=TIME, sited=CHAIN)
def what_is_put_over_what_came_through_a_chain_wins_at_its_other_end(stage: Mesh) -> None:
    """Site 3, half a minute behind, changes what site 1 wrote; where it does not get that, it cannot."""
    for kind in (OperationKind.PUT, OperationKind.DESTROY):
        key = f"x {kind}"
        stage.hold_time()
        stage.set_clocks(3, -OFF_MS)
        stage.put(stage.here[0], key)
        for _ in range(2):  # from one site to the next
            stage.leap(1_000)
            stage.settle()
        if not stage.sends_on:
            stage.site_holds(stage.sites[3], key, None)
            stage.let_run()
            continue
        second = stage.do(stage.sites[3][0], kind, key)
        for _ in range(2):
            stage.leap(1_000)
            stage.settle()
        stage.all_hold(key, second)
        stage.let_run()


@among_sites("SER-ENQ-01", "WAN-CFG-01", sited=RING)
def an_event_that_goes_round_a_ring_ends_before_its_origin(stage: Mesh) -> None:
    """Each site shows each update once; the site that wrote it does not receive it from the last one."""
    for writer in (1, 2, 3):
        _arrives_once(stage, writer, (writer, writer % 3 + 1))


@among_sites("SER-SECONDARY-01", "SER-ENQ-02", needs=CRASHES, sited=CHAIN)
def what_only_a_secondary_has_received_goes_on_at_takeover(stage: Mesh) -> None:
    """Of the middle of a chain a secondary receives something, and the primary dies without having it."""
    primary = stage.primary_between(2, 3)
    (secondary,) = (member for member in stage.there if member != primary)
    stage.receive_at(secondary)
    put = stage.park(secondary, stage.here[0], "x")
    stage.crash(primary)
    stage.release(put)
    stage.settle()
    stage.holds(secondary, "x", put)
    (end,) = stage.sites[3]
    stage.holds(end, "x", put if stage.sends_on else None)
    stage.log_is(end, "x", *([put] if stage.sends_on else []))
