"""What a secondary keeps in mind, and what becomes of it when it takes over (002, Serial Gateway Sender)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation, OperationKind, Scope
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites

CRASHES = (Capability.QUEUE_INSPECTION, Capability.MEMBER_FAULTS)
CRASHES_AND_GATES = (*CRASHES, Capability.LISTENER_GATES)


@between_sites("SER-PRIMARY-04", "SER-SECONDARY-06", needs=CRASHES)
def a_secondary_takes_over_and_goes_on(stage: Sites) -> None:
    """After the crash of the primary the other delivers what was queued, and what is done there then."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.pause()
    queued = stage.put(primary, "x")
    stage.crash(primary)
    stage.resume()
    stage.settle()
    if stage.primary() != secondary:
        raise MismatchError(f"{secondary} to be primary", "it is not")
    later = stage.put(secondary, "y")
    stage.settle()
    stage.inherits(secondary, queued)
    for member in stage.there:
        stage.told_once(member, later)
    stage.both_sites_hold("y", later)


@between_sites("SER-PRIMARY-05", needs=CRASHES, here=3)
def the_surviving_secondary_takes_over(stage: Sites) -> None:
    """Of three members the primary crashes and then another: the last delivers what was queued."""
    primary, next_one = stage.primary(), stage.secondary()
    (last,) = (member for member in stage.here if member not in (primary, next_one))
    stage.pause()
    put = stage.put(next_one, "x")
    stage.crash(primary)
    stage.crash(next_one)
    stage.resume()
    stage.settle()
    if stage.primary() != last:
        raise MismatchError(f"{last} to be primary", "it is not")
    stage.inherits(last, put)


@between_sites("SER-PRIMARY-06", needs=CRASHES, here=3)
def a_member_that_was_not_chosen_is_chosen_later(stage: Sites) -> None:
    """Of three members two become primary one after the other, each when the one before it dies."""
    for _ in range(2):
        stage.crash(stage.primary())
        stage.settle()
    put = stage.put(stage.primary(), "x")
    stage.settle()
    stage.both_sites_hold("x", put)


@between_sites("SER-PRIMARY-06", needs=(*CRASHES, Capability.VIRTUAL_TIME))
def a_secondary_waits_for_days(stage: Sites) -> None:
    """Days pass with a primary that lives; when it dies the other delivers what was queued all the same."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.hold_time()
    for _ in range(3):
        stage.leap(24 * 3_600_000)
        stage.settle()
    stage.let_run()
    stage.pause()
    put = stage.put(primary, "x")
    stage.crash(primary)
    stage.resume()
    stage.settle()
    if stage.primary() != secondary:
        raise MismatchError(f"{secondary} to be primary", "it is not")
    stage.inherits(secondary, put)


def _only_at_the_secondary(stage: Sites, kind: OperationKind) -> Operation:
    """Something reaches a secondary alone before its primary crashes, and is told of once all the same."""
    primary, secondary = stage.primary(), stage.secondary()
    done = stage.park(secondary, secondary, "x", kind)
    stage.remembers(secondary, 1)
    stage.crash(primary)
    stage.settle()
    for member in stage.there:
        stage.told_once(member, done)
    return done


@between_sites("SER-SECONDARY-01", "SER-ENQ-02", "SER-FAILOVER-01", needs=CRASHES_AND_GATES)
def what_only_a_secondary_knows_of_is_queued_at_takeover(stage: Sites) -> None:
    """An update that has not reached the primary when that crashes is delivered all the same, once."""
    put = _only_at_the_secondary(stage, OperationKind.PUT)
    stage.both_sites_hold("x", put)


@between_sites("SER-SECONDARY-01", "SER-ENQ-02", "SER-FAILOVER-01", needs=CRASHES_AND_GATES)
def a_destroy_that_only_a_secondary_knows_of_is_queued_at_takeover(stage: Sites) -> None:
    """The same of a destroy, which has no value that could be recorded."""
    stage.put(stage.primary(), "x")
    stage.settle()
    _only_at_the_secondary(stage, OperationKind.DESTROY)
    stage.both_sites_hold("x", None)


@between_sites("SER-ENQ-02", "SER-FAILOVER-01", needs=CRASHES_AND_GATES)
def what_the_primary_has_queued_but_not_acknowledged_is_delivered_once(stage: Sites) -> None:
    """An update that the primary has applied, but not answered, when it crashes is queued once."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.pause()
    put = stage.park(primary, secondary, "x")
    stage.crash(primary)
    stage.settle()
    stage.queues_now(secondary, put)
    stage.resume()
    stage.settle()
    for member in stage.there:
        stage.told_once(member, put)
    stage.both_sites_hold("x", put)


@between_sites("SER-FAILOVER-01", "SER-FAILOVER-02", "GWQ-ACK-03", needs=CRASHES_AND_GATES)
def what_was_queued_comes_before_what_was_only_recorded(stage: Sites) -> None:
    """A new primary keeps what its copy holds; its records come behind, and what is new behind both."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.pause()
    queued = stage.put(primary, "x")
    recorded = stage.park(secondary, secondary, "x")
    stage.crash(primary)
    stage.settle()
    stage.queues_now(secondary, queued, recorded)
    later = stage.put(secondary, "x")
    stage.queues_now(secondary, queued, recorded, later)
    stage.resume()
    stage.settle()
    for member in stage.there:
        stage.log_is(member, "x", queued, recorded, later)
    stage.both_sites_hold("x", later)


@between_sites("SER-FAILOVER-02", needs=CRASHES_AND_GATES)
def what_was_recorded_is_queued_in_its_order(stage: Sites) -> None:
    """Two updates of a key that the primary has not queued reach the other site in their order."""
    primary, secondary = stage.primary(), stage.secondary()
    first = stage.park(secondary, secondary, "x")
    # It may have to wait for the first, or be recorded as well.
    second = stage.hold(secondary, secondary, "x")
    stage.crash(primary)
    stage.settle()
    for member in stage.there:
        stage.log_is(member, "x", first, second)
    stage.both_sites_hold("x", second)


@between_sites("SER-ENQ-02", "WAN-ASYNC-02", needs=CRASHES, scope=Scope.NO_ACK)
def an_event_survives_its_caller_even_without_acknowledgements(stage: Sites) -> None:
    """When the primary crashes right after a call its event is in the copy, though its data may be lost."""
    primary = stage.primary()
    stage.pause()
    puts = {key: stage.put(primary, key) for key in ("u", "v", "w", "x", "y", "z")}
    stage.crash(primary)
    stage.resume()
    stage.settle()
    for key, put in puts.items():
        stage.site_holds(stage.there, key, put)


@between_sites("SER-SECONDARY-02", "SER-SECONDARY-04", needs=CRASHES)
def what_the_primary_has_queued_is_off_the_record(stage: Sites) -> None:
    """Once all is queued a secondary remembers nothing, and has nothing to send when it takes over."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.pause()
    puts = [stage.put(secondary, "x"), stage.put(primary, "y")]
    stage.settle()
    stage.queues_now(secondary, *puts)
    stage.remembers(secondary, 0)
    stage.crash(primary)
    stage.settle()
    stage.queues_now(secondary, *puts)
    stage.resume()
    stage.settle()
    for member in stage.there:
        for put in puts:
            stage.told_once(member, put)


@between_sites("SER-SECONDARY-03", "SER-SECONDARY-04", needs=CRASHES_AND_GATES)
def an_operation_that_comes_behind_its_queue_entry_leaves_no_record(stage: Sites) -> None:
    """It was queued, and delivered, before the secondary received it; a takeover sends nothing again.

    A primary may also call its listener before it queues (002 has listeners apart from the flows): then
    nothing has come by the time of the crash, and nothing need come.
    """
    primary, secondary = stage.primary(), stage.secondary()
    put = stage.park(primary, primary, "x")
    stage.settle()
    stage.remembers(secondary, 0)
    stage.depth_is(secondary, 0)
    stage.pause()
    stage.crash(primary)
    stage.settle()
    stage.queues_now(secondary)
    for member in stage.there:
        stage.told_some_of(member, "x", put)


@between_sites("SER-SECONDARY-05", "SER-FAILOVER-03", needs=CRASHES)
def what_was_delivered_and_removed_is_not_queued_again_at_takeover(stage: Sites) -> None:
    """Once a secondary's copy is empty there is nothing that it would deliver again."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.pause()
    put = stage.put(secondary, "x")
    stage.queues_now(secondary, put)
    stage.resume()
    stage.settle()
    stage.depth_is(secondary, 0)
    stage.remembers(secondary, 0)
    stage.pause()
    stage.crash(primary)
    stage.settle()
    stage.queues_now(secondary)
    stage.resume()
    stage.settle()
    for member in stage.there:
        stage.told_once(member, put)


@between_sites("REM-SERIAL-04", needs=(*CRASHES, Capability.LINK_FAULTS))
def a_new_primary_skips_nothing_of_what_it_inherits(stage: Sites) -> None:
    """What was applied but not answered is in its copy, and what was not sent yet behind it."""
    primary, secondary = stage.primary(), stage.secondary()
    stage.lose_replies()
    sent = stage.put(primary, "x")
    stage.shown_at(stage.there[0], sent)
    stage.pause()
    unsent = stage.put(secondary, "y")
    stage.crash(primary)
    stage.heal()
    stage.settle()
    stage.queues_now(secondary, sent, unsent)
    stage.resume()
    stage.settle()
    for member in stage.there:
        stage.told_once(member, unsent)
    stage.both_sites_hold("x", sent)
    stage.both_sites_hold("y", unsent)
