"""Updates of one entry from two sites, and what each sends of its own conflicts (004, L26 to L34)."""

from __future__ import annotations

from plumbline.adapters.errors import UnsupportedError
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites

LINKS = (Capability.LINK_FAULTS,)
GATES = (Capability.LISTENER_GATES,)
ROLES = (Capability.LISTENER_GATES, Capability.QUEUE_INSPECTION)


@between_sites("WANC-CHK-01", needs=LINKS)
def sites_that_wrote_apart_end_alike(stage: Sites) -> None:
    """Either of two updates made apart is the later; all members of both sites end with the same value."""
    for turn in range(4):
        key = f"x{turn}"
        stage.cut_both_ways()
        first, second = (stage.here, stage.there) if turn % 2 else (stage.there, stage.here)
        writers = [stage.put(first[turn // 2], key), stage.put(second[turn // 2], key)]
        stage.settle()
        stage.heal_both_ways()
        stage.settle()
        stage.all_alike(key, *writers)


@between_sites("WANC-CHK-01", "SER-ENQ-01")
def nothing_comes_back(stage: Sites) -> None:
    """What one site has sent to the other is told there, and not again where it came from."""
    for member in stage.here:
        put = stage.put(member, f"x{member}")
        stage.settle()
        for anybody in stage.members:
            stage.log_is(anybody, f"x{member}", put)


@between_sites("WANC-SAME-01")
def what_the_last_writer_sends_is_applied(stage: Sites) -> None:
    """Updates of one site in quick succession are all applied at the other, in their order."""
    puts = [stage.put(stage.here[turn % 2], "x") for turn in range(6)]
    stage.settle()
    for member in stage.there:
        stage.log_is(member, "x", *puts)
    stage.both_sites_hold("x", puts[-1])


@between_sites("WANC-TS-01", "WANC-TS-02", "WANC-TOMB-01", needs=LINKS, clocks=True)
def the_later_update_wins_at_both_sites(stage: Sites) -> None:
    """Of updates made apart the later is applied at both sites; the earlier is not even told of."""
    for turn, (first, second) in enumerate(((stage.here, stage.there), (stage.there, stage.here))):
        for earlier in (OperationKind.PUT, OperationKind.DESTROY):
            for later in (OperationKind.PUT, OperationKind.DESTROY):
                key = f"{earlier} {later} {turn}"
                stage.put(stage.here[0], key)
                stage.settle()
                stage.cut_both_ways()
                loser = stage.do(first[0], earlier, key)
                stage.let_clocks_pass()
                winner = stage.do(second[1], later, key)
                stage.settle()
                stage.heal_both_ways()
                stage.settle()
                stage.both_sites_hold(key, winner)
                for member in second:
                    stage.not_told(member, loser)
    after = stage.put(stage.here[0], "after")
    stage.settle()
    stage.both_sites_hold("after", after)


@between_sites("WANC-TIE-01", "WANC-TIE-02", needs=(*LINKS, Capability.SITE_CLOCKS))
def at_the_same_time_the_higher_site_wins(stage: Sites) -> None:
    """Of updates made apart while the clocks stand that of site 2 wins, and is the only one it receives."""
    for turn, (first, second) in enumerate(((stage.here, stage.there), (stage.there, stage.here))):
        for kind in (OperationKind.PUT, OperationKind.CREATE):
            key = f"{kind} {turn}"
            stage.cut_both_ways()
            stage.hold_time()
            one, other = stage.do(first[0], kind, key), stage.do(second[1], kind, key)
            stage.let_run()
            stage.settle()
            stage.heal_both_ways()
            stage.settle()
            loser, winner = (one, other) if second is stage.there else (other, one)
            stage.both_sites_hold(key, winner)
            for member in stage.there:
                stage.not_told(member, loser)


@between_sites("WANC-NEW-01", needs=LINKS, clocks=True)
def where_nothing_is_recorded_an_event_is_applied(stage: Sites) -> None:
    """A key new to the other site is taken; a destroy keeps out an older create that comes late."""
    created = stage.do(stage.here[0], OperationKind.CREATE, "x")
    stage.settle()
    stage.both_sites_hold("x", created)
    stage.cut_back()
    stage.do(stage.there[0], OperationKind.CREATE, "y")
    stage.let_clocks_pass()
    stage.do(stage.here[0], OperationKind.CREATE, "y")
    gone = stage.do(stage.here[1], OperationKind.DESTROY, "y")
    stage.settle()
    stage.both_sites_hold("y", gone)
    stage.heal_back()
    stage.settle()
    stage.both_sites_hold("y", gone)


@between_sites("WANC-PEER-01", needs=GATES)
def an_event_that_meets_a_local_update_ends_alike(stage: Sites) -> None:
    """One member holds its own update back while the other receives that of the other site."""
    for turn, (writer, receiver) in enumerate((stage.there, stage.there[::-1])):
        stage.receive_at(receiver)
        for remote_first in (True, False):
            key = f"x{turn}{remote_first}"
            stage.put(writer, key)
            stage.settle()
            stage.pause()
            if remote_first:
                remote = stage.put(stage.here[0], key)
                local = stage.park(writer, writer, key)
            else:
                local = stage.park(writer, writer, key)
                remote = stage.put(stage.here[0], key)
            stage.resume()
            stage.shown_at(receiver, remote)
            stage.release(local)
            stage.settle()
            stage.all_alike(key, local, remote)


@between_sites("WANC-META-01", "VER-STAMP-01", needs=GATES, clocks=True)
def an_event_keeps_the_time_of_its_call(stage: Sites) -> None:
    """However late it is sent and received, an event does not beat an update that was called later."""
    for turn, (writer, receiver) in enumerate((stage.there, stage.there[::-1])):
        key = f"x{turn}"
        stage.receive_at(receiver)
        stage.put(writer, key)
        stage.settle()
        stage.pause()
        remote = stage.put(stage.here[0], key)
        stage.let_clocks_pass()
        local = stage.park(writer, writer, key)
        stage.let_clocks_pass()
        stage.resume()
        stage.shown_at(receiver, remote)
        stage.release(local)
        stage.settle()
        stage.both_sites_hold(key, local)


@between_sites("WANC-LOCAL-01", needs=ROLES)
def only_what_the_primary_has_applied_is_sent(stage: Sites) -> None:
    """An update that its primary discards, since it has a newer one, is not queued, and never sent."""
    for turn in range(3):
        key = f"x{turn}"
        primary, secondary = stage.primary(), stage.secondary()
        stage.pause()
        base = stage.put(primary, key)
        stage.settle()
        loser = stage.park(secondary, secondary, key)
        puts = []
        for _ in range(2):
            puts.append(stage.start(primary, OperationKind.PUT, key))
            stage.shown_at(primary, puts[-1])
        stage.settle()
        stage.log_is(primary, key, base, *puts)
        stage.queues_now(primary, base, *puts)
        stage.resume()
        stage.settle()
        for member in stage.there:
            stage.not_told(member, loser)
            stage.log_is(member, key, base, *puts)
        stage.both_sites_hold(key, puts[-1])


@between_sites("DISC-GW-01", needs=ROLES)
def an_overwritten_update_crosses_a_discarded_one_does_not(stage: Sites) -> None:
    """Only the order differs in which its primary applies two updates.

    A discarded update stays in its site.
    """
    primary, secondary = stage.primary(), stage.secondary()
    first = stage.put(secondary, "overwritten")
    second = stage.put(primary, "overwritten")
    stage.settle()
    for member in stage.there:
        stage.log_is(member, "overwritten", first, second)
    base = stage.put(primary, "discarded")
    stage.settle()
    loser = stage.park(secondary, secondary, "discarded")
    updates = []
    for _ in range(2):
        updates.append(stage.start(primary, OperationKind.PUT, "discarded"))
        stage.shown_at(primary, updates[-1])
    stage.settle()
    stage.log_is(primary, "discarded", base, *updates)
    for member in stage.there:
        stage.not_told(member, loser)
        stage.log_is(member, "discarded", base, *updates)
    stage.both_sites_hold("discarded", updates[-1])


@between_sites("DISC-GW-01", "DISC-APPLIED-01", needs=ROLES)
def the_loser_of_a_tie_does_not_cross(stage: Sites) -> None:
    """Two members write at the same time: the primary's update goes, the other only if it beats it there."""
    primary, secondary = stage.primary(), stage.secondary()
    base = stage.put(primary, "x")
    stage.settle()
    own = stage.park(primary, primary, "x")
    other = stage.park(secondary, secondary, "x")
    stage.settle()
    if stage.get(primary, "x") == own.token:
        stage.log_is(primary, "x", base, own)
        sent = [base, own]
    else:
        sent = [base, own, other]
    for member in stage.there:
        stage.log_is(member, "x", *sent)
    stage.both_sites_hold("x", sent[-1])


@between_sites("WANC-LOCAL-02", needs=(*ROLES, *LINKS), clocks=True)
def the_later_time_of_a_loser_is_kept(stage: Sites) -> None:
    """The loser at home is the latest of three updates; its site wins, with the update that beat it."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.put(primary, "x")
    stage.settle()
    stage.cut_both_ways()
    first = stage.park(secondary, secondary, "x")
    stage.let_clocks_pass()
    far = stage.put(stage.there[0], "x")
    stage.let_clocks_pass()
    last = stage.park(primary, primary, "x")
    stage.settle()
    if stage.get(primary, "x") == last.token:
        stage.mend()
        raise UnsupportedError("the primary's member has the higher id here, so that its update cannot lose")
    stage.site_holds(stage.here, "x", first)
    stage.site_holds(stage.there, "x", far)
    stage.heal_both_ways()
    stage.settle()
    stage.both_sites_hold("x", first)
