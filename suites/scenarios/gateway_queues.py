"""How a gateway sender's queue is filled, copied, dispatched and emptied (000, L7 to L34; 002, Serial)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, Operation, OperationKind
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import APART, Sites

LOOKS = (Capability.QUEUE_INSPECTION,)
CLIENTS = (Client(name="K", servers=("A",)), Client(name="L", servers=("B",)))
LOOKS_AND_GATES = (Capability.QUEUE_INSPECTION, Capability.LISTENER_GATES)


@between_sites("SHQ-CREATE-01", "SHQ-TYPE-01", "WAN-CFG-01", needs=LOOKS)
def every_copy_of_the_queue_holds_the_events_of_every_member(stage: Sites) -> None:
    """What is done on either member is in both copies, and only where the region is attached."""
    stage.pause()
    one = stage.put(stage.here[0], "x")
    stage.put_in(APART, stage.here[0], "y")
    other = stage.put(stage.here[1], "z")
    stage.settle()
    for member in stage.here:
        stage.queues_now(member, one, other)
    stage.resume()
    stage.settle()
    stage.both_sites_hold("x", one)
    stage.both_sites_hold("z", other)
    for member in stage.there:
        if stage.driver.contents(member, APART):
            raise MismatchError(f"{member} to hold nothing of {APART}", "an entry")


@between_sites("SHQ-CREATE-01", "WAN-CFG-01", needs=LOOKS, manual_start=True)
def a_sender_that_is_started_later_queues_the_events_of_its_regions(stage: Sites) -> None:
    """The sender starts when the region is there already: both copies hold its events all the same."""
    stage.pause()
    puts = [stage.put(member, key) for member, key in zip(stage.here, "xy", strict=True)]
    stage.settle()
    for member in stage.here:
        stage.queues_now(member, *puts)
    stage.resume()
    stage.settle()
    stage.both_sites_hold("x", puts[0])
    stage.both_sites_hold("y", puts[1])


@between_sites("WAN-ASYNC-02", "REM-SCOPE-01", needs=LOOKS)
def what_was_done_is_queued_in_every_copy_when_the_call_returns(stage: Sites) -> None:
    """Right after each call both copies hold its event, for calls on each member."""
    stage.pause()
    done = []
    for number in range(6):
        done.append(stage.put(stage.here[number % 2], f"k{number}"))
        for member in stage.here:
            stage.queues_now(member, *done)


@between_sites("GWQ-ACK-01", "GWQ-PROC-02", "REM-GEN-01", "STAT-QUEUE-01", needs=LOOKS_AND_GATES)
def a_batch_stays_in_every_copy_until_it_is_answered(stage: Sites) -> None:
    """While the other site is applying an event both copies count it, and soon no longer afterwards."""
    primary, secondary = stage.primary(), stage.secondary()
    put = stage.park(stage.there[0], primary, "x")
    stage.finish(put)
    stage.queues_now(primary, put)
    stage.queues_now(secondary, put)
    stage.settle()
    stage.queues_now(primary)
    stage.depth_is(secondary, 0)
    stage.both_sites_hold("x", put)


@between_sites("GWQ-ACK-02", "SHQ-FIFO-01", "SHQ-FIFO-02", needs=LOOKS_AND_GATES, batch_size=1)
def an_answer_removes_its_own_batch(stage: Sites) -> None:
    """Of two batches the first is answered and the second held at the other site: the second stays."""
    primary = stage.primary()
    first, second = _two_batches(stage, primary)
    stage.queue_is(primary, second)
    stage.settle()
    stage.queues_now(primary)
    stage.both_sites_hold("x", first)
    stage.both_sites_hold("y", second)


@between_sites("GWQ-ACK-02", needs=LOOKS)
def an_answer_removes_all_of_its_batch(stage: Sites) -> None:
    """Several events leave in one batch; once all is at rest the primary has kept none of them."""
    stage.pause()
    for turn in range(3):
        stage.put(stage.here[turn % 2], f"x{turn}")
    stage.resume()
    stage.settle()
    stage.depth_is(stage.primary(), 0)


@between_sites("REM-SERIAL-03", needs=LOOKS_AND_GATES, batch_size=1)
def a_removal_message_leaves_what_was_not_answered(stage: Sites) -> None:
    """The same, looked at on the secondary, which is told of the first batch only."""
    primary, secondary = stage.primary(), stage.secondary()
    _, second = _two_batches(stage, primary)
    stage.queue_is(secondary, second)
    stage.settle()
    stage.depth_is(secondary, 0)


@between_sites("REM-SERIAL-03", needs=LOOKS)
def a_removal_message_removes_all_that_was_answered(stage: Sites) -> None:
    """Several events leave in one batch; the secondary, which may receive the last alone, keeps none."""
    secondary = stage.secondary()
    stage.pause()
    puts = [stage.put(stage.here[turn % 2], f"x{turn}") for turn in range(3)]
    stage.queues_now(secondary, *puts)
    stage.resume()
    stage.settle()
    stage.depth_is(secondary, 0)


def _two_batches(stage: Sites, primary: str) -> tuple[Operation, Operation]:
    """Two batches have been sent, and the second stands in a listener of the other site."""
    stage.pause()
    first = stage.put(primary, "x")
    second = stage.hold(stage.there[0], primary, "y")
    stage.finish(second)
    stage.resume()
    stage.stands(stage.there[0], second)
    return first, second


@between_sites("WAN-ORDER-01", "GWQ-BATCH-06", "SHQ-FIFO-01", "GWQ-PROC-01", needs=LOOKS)
def events_cross_in_the_order_in_which_they_were_queued(stage: Sites) -> None:
    """Updates of a key, called on both members and held up, reach the other site in their order."""
    stage.pause()
    puts = [stage.put(member, "x") for member in stage.here]
    stage.queues_now(stage.primary(), *puts)
    stage.resume()
    stage.settle()
    for member in stage.there:
        stage.log_is(member, "x", *puts)
    stage.both_sites_hold("x", puts[-1])


@between_sites("WAN-ORDER-01", needs=LOOKS)
def events_of_a_thread_cross_in_the_order_of_its_calls(stage: Sites) -> None:
    """What one thread of the primary's member puts under several keys is queued, and told, in its order."""
    primary = stage.primary()
    stage.pause()
    puts = [stage.put(primary, key, thread=f"{primary}-one") for key in ("x", "y")]
    stage.queues_now(primary, *puts)
    stage.resume()
    stage.settle()
    for member in stage.there:
        stage.told_of_all_in_order(member, *puts)


@between_sites("STAT-QUEUE-01", needs=LOOKS)
def the_depth_is_what_was_put_while_paused_and_nothing_at_rest(stage: Sites) -> None:
    """While paused a queue is as deep as events were put; once all is quiet its depth is nought."""
    primary = stage.primary()
    stage.queues_now(primary)
    stage.pause()
    puts = [stage.put(primary, key) for key in ("x", "y", "z")]
    stage.queues_now(primary, *puts)
    stage.resume()
    stage.settle()
    stage.queues_now(primary)


@between_sites("REM-SERIAL-02", needs=LOOKS)
def a_secondary_comes_to_forget_all_that_was_sent(stage: Sites) -> None:
    """Its copy becomes empty once dispatching rests, again and again."""
    secondary = stage.secondary()
    for member in stage.here:
        stage.put(member, "x")
        stage.settle()
        stage.depth_is(secondary, 0)


@between_sites("SER-PRIMARY-01", "SER-PRIMARY-03", "GWQ-PROC-01", needs=LOOKS)
def a_secondary_never_dispatches(stage: Sites) -> None:
    """While the primary alone is paused nothing crosses, and no copy shrinks, for calls on each member."""
    primary = stage.primary()
    stage.pause(primary)
    puts = [stage.put(member, key) for member, key in zip(stage.here, "xy", strict=True)]
    stage.settle()
    for member in stage.here:
        stage.queues_now(member, *puts)
    for member in stage.there:
        for put in puts:
            stage.not_told(member, put)
    stage.resume(primary)
    stage.settle()
    stage.both_sites_hold("x", puts[0])
    stage.both_sites_hold("y", puts[1])


@between_sites("SER-PRIMARY-02", needs=LOOKS, batch_size=12)
def the_first_to_start_becomes_primary_and_stays_it(stage: Sites) -> None:
    """Senders that no other scenario has are started on one member after the other; the first is primary."""
    first = stage.here[0]
    for member in (*stage.here, first):
        if stage.primary() != first:
            raise MismatchError(f"{first} to be primary", f"{stage.primary()} is")
        stage.put(member, "x")
        stage.settle()


@between_sites("SER-ENQ-01", "SER-SECONDARY-04", "GWQ-ACK-04", needs=LOOKS)
def an_event_is_queued_and_delivered_once_wherever_it_was_called(stage: Sites) -> None:
    """Of operations called on either member each is in the queue once, and the other site is told once."""
    stage.pause()
    puts = [stage.put(member, key) for member, key in zip(stage.here, "xy", strict=True)]
    stage.settle()
    for member in stage.here:
        stage.queues_now(member, *puts)
    stage.remembers(stage.secondary(), 0)
    stage.resume()
    stage.settle()
    for member in stage.there:
        for put in puts:
            stage.told_once(member, put)
    stage.both_sites_hold("x", puts[0])
    stage.both_sites_hold("y", puts[1])


@between_sites("SER-ENQ-01", needs=LOOKS, clients=CLIENTS)
def what_a_client_calls_is_queued_once(stage: Sites) -> None:
    """Clients of either member put, and each event is in the queue once, and told once."""
    stage.pause()
    puts = [stage.put(client.name, key) for client, key in zip(CLIENTS, "xy", strict=True)]
    stage.settle()
    for member in stage.here:
        stage.queues_now(member, *puts)
    stage.resume()
    stage.settle()
    for member in stage.there:
        for put in puts:
            stage.told_once(member, put)


@between_sites("SER-ENQ-01", needs=LOOKS)
def what_came_from_a_site_is_not_queued_for_it(stage: Sites) -> None:
    """With the way back paused, events of one site stand in no queue of the other."""
    stage.pause(*stage.there)
    puts = [stage.put(member, key) for member, key in zip(stage.here, "xy", strict=True)]
    stage.settle()
    for member in stage.there:
        stage.queues_now(member)
    stage.resume(*stage.there)
    stage.settle()
    for member in stage.there:
        for put in puts:
            stage.told_once(member, put)


@between_sites("SER-ENQ-01", needs=LOOKS, here=3, runs_on=("A", "B"))
def what_a_member_without_the_sender_calls_is_queued_once(stage: Sites) -> None:
    """Two of three members run the sender; its operation is queued once, and shown once."""
    *running, other = stage.here
    stage.pause(*running)
    done = [stage.put(other, "x"), stage.put(running[0], "y"), stage.do(other, OperationKind.DESTROY, "x")]
    stage.settle()
    for member in running:
        stage.queues_now(member, *done)
    stage.remembers(running[1], 0)
    stage.resume(*running)
    stage.settle()
    for member in stage.there:
        for one in done:
            stage.told_once(member, one)
    stage.both_sites_hold("y", done[1])
