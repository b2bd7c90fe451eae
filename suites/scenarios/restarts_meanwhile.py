"""Members that start again while others write: what they copy, and what comes meanwhile (004, L16, L63)."""

from __future__ import annotations

from functools import partial

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.suites.scenarios.copies_meanwhile import calls_come, changes_come
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


def _dies_at_rest(s: Stage, member: str) -> None:
    """A member is killed while nothing is under way, and all has settled behind it."""
    s.settle()
    s.crash(member)
    s.settle()


@scenario("VER-STAMP-04", "CONS-RR-04", needs=RESTARTS)
def what_changes_while_a_member_starts_again_comes_to_it(s: Stage) -> None:
    changes_come(s, partial(_dies_at_rest, s), s.begin_restart)


@scenario("VER-STAMP-04", "CONS-RR-04", needs=(*RESTARTS, Capability.LISTENER_GATES))
def what_is_under_way_as_a_member_starts_again_comes_to_it(s: Stage) -> None:
    calls_come(s, partial(_dies_at_rest, s), partial(s.begin_restart, held=False))


@between_sites("SER-PRIMARY-03", "GWQ-ACK-03", needs=QUEUED_RESTARTS)
def a_secondary_that_starts_again_has_what_is_queued_meanwhile(stage: Sites) -> None:
    """What was queued before and meanwhile is in its copy, and it delivers that when the primary dies."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.stop_receivers()
    before = [stage.put(primary, key) for key in "xy"]
    _dies_at_rest(stage, secondary)
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
    _dies_at_rest(stage, secondary)
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
