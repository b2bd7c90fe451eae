"""Queues of members that all die and start again: what waits, what comes back, what does not (000, L9).

All receivers of the other site are stopped meanwhile, so that what is queued stays queued.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites

CRASHES = (Capability.QUEUE_INSPECTION, Capability.MEMBER_FAULTS)
CRASHES_AND_DISK = (*CRASHES, Capability.DISK)


def _queued(stage: Sites) -> list[Operation]:
    """Updates called on both members, two of one key among them, stay in the queue."""
    stage.stop_receivers()
    first, second = stage.here
    puts = [stage.put(first, "x"), stage.put(second, "y"), stage.put(second, "x")]
    for member in stage.here:
        stage.queues_now(member, *puts)
    return puts


def _crashed(stage: Sites) -> tuple[str, str]:
    """All members that run the sender are killed, the primary last; gives the last one first."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.crash(secondary)
    stage.crash(primary)
    return primary, secondary


def _restarted(stage: Sites) -> tuple[str, str]:
    """All members that run the sender are killed and start again from their disks, the last to die first."""
    both = _crashed(stage)
    stage.recover(*both)
    return both


def _nothing_shown(stage: Sites, puts: list[Operation]) -> None:
    for member in stage.there:
        for put in puts:
            stage.not_told(member, put)


def _all_shown(stage: Sites, puts: list[Operation]) -> None:
    """Each of them is shown at the other site, in the order in which they were queued."""
    for member in stage.there:
        stage.told_of_all_in_order(member, *puts)


@between_sites("SER-PRIMARY-04", needs=CRASHES, persistent=True)
def what_is_queued_waits_until_a_sender_runs_again(stage: Sites) -> None:
    """No member is left that runs the sender: nothing crosses until they start again, and then all does."""
    puts = _queued(stage)
    last, first = _crashed(stage)
    stage.start_receivers()
    stage.settle()
    _nothing_shown(stage, puts)
    stage.recover(last, first)
    stage.settle()
    _all_shown(stage, puts)


@between_sites("GWQ-PERSIST-01", "REM-SCOPE-01", needs=CRASHES, persistent=True)
def a_persistent_queue_is_back_when_its_members_start_again(stage: Sites) -> None:
    """Each copy holds again what was queued, and all of it is delivered."""
    puts = _queued(stage)
    for member in _restarted(stage):
        stage.queues_now(member, *puts)
    stage.start_receivers()
    stage.settle()
    _all_shown(stage, puts)


@between_sites("GWQ-PERSIST-01", "REM-SCOPE-01", "GWQ-OVERFLOW-03", needs=CRASHES_AND_DISK)
def a_queue_is_not_persistent_unless_that_is_asked_for(stage: Sites) -> None:
    """The same without a setting: every copy is empty, and only what is called later is delivered."""
    puts = _queued(stage)
    for member in _restarted(stage):
        stage.queues_now(member)
    later = stage.put(stage.here[0], "z")
    stage.start_receivers()
    stage.settle()
    _nothing_shown(stage, puts)
    _all_shown(stage, [later])


@between_sites("GWQ-PERSIST-02", needs=CRASHES, persistent=True)
def a_sender_resumes_at_the_oldest_event_that_was_not_removed(stage: Sites) -> None:
    """What was delivered and removed before stays away; the rest comes, the oldest first."""
    delivered = [stage.put(member, key) for member, key in zip(stage.here, "xy", strict=True)]
    stage.settle()
    for member in stage.here:
        stage.depth_is(member, 0)
    puts = _queued(stage)
    for member in _restarted(stage):
        stage.queues_now(member, *puts)
    stage.start_receivers()
    stage.settle()
    _all_shown(stage, [*delivered, *puts])


@between_sites("GWQ-PERSIST-03", needs=CRASHES, persistent=True)
def what_is_queued_after_a_restart_comes_behind_what_was_recovered(stage: Sites) -> None:
    """New updates enter the recovered queue behind all that it holds, and replace none of it."""
    puts = _queued(stage)
    members = _restarted(stage)
    puts += [stage.put(member, key) for member, key in zip(members, "zx", strict=True)]
    for member in members:
        stage.queues_now(member, *puts)
    stage.start_receivers()
    stage.settle()
    _all_shown(stage, puts)


@between_sites("SHQ-TYPE-01", "SER-PRIMARY-02", needs=CRASHES_AND_DISK)
def a_member_that_starts_again_takes_a_copy_of_the_queue(stage: Sites) -> None:
    """The secondary dies and starts again: it has a copy, and delivers it when the primary dies."""
    puts = _queued(stage)
    primary, secondary = stage.primary(), stage.secondary()
    stage.crash(secondary)
    stage.recover(secondary)
    stage.queues_now(secondary, *puts)
    stage.crash(primary)
    stage.start_receivers()
    stage.settle()
    _all_shown(stage, puts)
