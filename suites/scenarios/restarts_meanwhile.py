"""Members that start again while others write: what they copy, and what comes meanwhile (004, L16, L63)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.scenarios.scenario import between_sites, scenario
from plumbline.suites.scenarios.sites import Sites
from plumbline.suites.scenarios.stage import Stage

RESTARTS = (
    Capability.CONFIGURATION,
    Capability.MEMBER_FAULTS,
    Capability.HELD_JOINS,
    Capability.CONCURRENT_RESTARTS,
)
QUEUED_RESTARTS = (Capability.MEMBER_FAULTS, Capability.HELD_JOINS, Capability.CONCURRENT_RESTARTS)


@scenario("VER-STAMP-04", "CONS-RR-04", needs=RESTARTS)
def what_changes_while_a_member_starts_again_comes_to_it(s: Stage) -> None:
    for writer in (s.mid, s.high, s.low):
        old = {key: s.put(writer, key) for key in "adu"}
    s.settle()
    s.crash(s.mid)
    s.begin_restart(s.mid)
    changed = s.put(s.high, "u")
    created = s.put(s.low, "c")
    s.do(s.high, OperationKind.DESTROY, "d")
    s.end_join(s.mid)
    s.reads_only(s.get(s.mid, "a"), (old["a"],))
    s.settle()
    s.holds(s.mid, "u", changed)
    s.holds(s.mid, "c", created)
    s.holds(s.mid, "d", None)
    for key in "aucd":
        s.all_hold(key, s.put(s.mid, key))


@scenario("VER-STAMP-04", "CONS-RR-04", needs=(*RESTARTS, Capability.LISTENER_GATES))
def what_is_under_way_as_a_member_starts_again_comes_to_it(s: Stage) -> None:
    s.put(s.low, "x")
    s.settle()
    s.crash(s.mid)
    s.settle()
    under_way = s.park(s.low, s.low, "x")
    s.begin_restart(s.mid, held=False)
    s.release(under_way)
    s.end_join(s.mid)
    s.settle()
    s.all_hold("x", under_way)
    s.all_hold("x", s.put(s.mid, "x"))


@between_sites("SER-PRIMARY-03", "GWQ-ACK-03", needs=QUEUED_RESTARTS)
def a_secondary_that_starts_again_has_what_is_queued_meanwhile(stage: Sites) -> None:
    """What was queued before and meanwhile is in its copy, and it delivers that when the primary dies."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.stop_receivers()
    before = [stage.put(primary, key) for key in "xy"]
    stage.crash(secondary)
    stage.begin_restart(secondary)
    meanwhile = [stage.put(primary, key) for key in "xz"]
    stage.end_join(secondary)
    stage.settle()
    stage.crash(primary)
    stage.start_receivers()
    stage.settle()
    for member in stage.there:
        stage.told_of_all_in_order(member, *before, *meanwhile)


@between_sites("SER-PRIMARY-03", "GWQ-ACK-03", needs=(*QUEUED_RESTARTS, Capability.QUEUE_INSPECTION))
def each_copy_holds_what_is_queued_while_a_member_starts_again(stage: Sites) -> None:
    """Both copies hold the same once the member runs, in the order in which it was queued."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.stop_receivers()
    queued = [stage.put(primary, "x")]
    stage.crash(secondary)
    stage.begin_restart(secondary)
    queued += [stage.put(primary, key) for key in "yx"]
    stage.end_join(secondary)
    queued.append(stage.put(secondary, "z"))
    for member in stage.here:
        stage.queues_now(member, *queued)
    stage.start_receivers()
    stage.settle()
    for member in stage.there:
        stage.told_of_all_in_order(member, *queued)
