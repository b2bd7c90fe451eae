"""Asynchronous event queues: what their listeners receive, and when a batch leaves the queue (000, 002).

The listener stands at a gate wherever events are to gather in the queue, or answers as it was told to.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.listener_calls import QUEUE
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.suites.scenarios.listening import FIRST_ALONE, Listening
from plumbline.suites.scenarios.scenario import with_listener
from plumbline.suites.scenarios.sites import APART

SECOND = "second"
GATES = (Capability.LISTENER_GATES, Capability.CALLBACK_SCRIPTS, Capability.QUEUE_INSPECTION)
SCRIPTS = (Capability.CALLBACK_SCRIPTS,)

MANY = 120
"""So many events wait in a long queue."""


@with_listener("WAN-CFG-01", also=(SECOND,))
def a_listener_receives_events_of_attached_regions_and_of_no_other(stage: Listening) -> None:
    """Of three regions two are attached to a queue: its listener receives puts and destroys of these."""
    first = stage.put(stage.here[0], "x")
    second = stage.put_in(SECOND, stage.here[1], "x")
    stage.put_in(APART, stage.here[0], "x")
    third = stage.do(stage.here[1], OperationKind.DESTROY, "x")
    stage.do(stage.here[0], OperationKind.DESTROY, "x", region=APART)
    stage.settle()
    stage.received_once(first, second, third)


@with_listener("DISC-GW-01", needs=(Capability.LISTENER_GATES, Capability.QUEUE_INSPECTION), runs_on=("B",))
def what_the_primary_discards_its_listener_does_not_receive(stage: Listening) -> None:
    """Two members write a key at once; the loser comes to the queue's primary, which wrote the winner."""
    low, high = stage.low, stage.high
    primary = stage.primary()
    other = low if primary == high else high
    own = stage.park(primary, primary, "x")
    others = stage.park(other, other, "x")
    stage.settle()
    last = stage.put(primary, "y")
    stage.settle()
    if primary == high:
        stage.received_once(own, last)
    else:
        stage.received_once(own, others, last)


@with_listener("GWQ-ACK-01", needs=GATES)
def a_batch_stays_in_the_queue_until_its_listener_has_answered(stage: Listening) -> None:
    """A listener stands at a gate: the queue holds its batch meanwhile, and nothing once it has answered."""
    first = stage.block(stage.here[0], "x")
    second = stage.put(stage.here[1], "y")
    stage.depth_is(stage.primary(), 2)
    stage.release(first)
    stage.settle()
    stage.depth_is(stage.primary(), 0)
    stage.received_once(first, second)


@with_listener("GWQ-BATCH-01", needs=GATES, batch_size=2)
def a_call_of_a_listener_brings_one_event_at_least_and_a_batch_at_most(stage: Listening) -> None:
    """Five events gather behind one that a listener holds: they come in batches of one or two."""
    first = stage.block(stage.here[0], "x")
    rest = [stage.put(stage.here[turn % 2], key) for turn, key in enumerate("uvwxy")]
    stage.release(first)
    stage.settle()
    stage.received_once(first, *rest)
    stage.no_batch_is_empty_or_larger_than(2)


@with_listener("AEQ-DISPATCH-01", needs=GATES)
def a_listener_receives_each_value_though_the_region_holds_a_later_one(stage: Listening) -> None:
    """Calls return while a listener stands at a gate; then it receives each value, in the puts' order."""
    first = stage.block(stage.here[0], "x")
    second = stage.put(stage.here[1], "x")
    third = stage.put(stage.here[0], "x")
    stage.all_hold("x", third)
    stage.release(first)
    stage.settle()
    stage.received_once(first, second, third)


@with_listener("AEQ-OPS-01", needs=(Capability.LOCAL_OPERATIONS,))
def a_listener_receives_what_gateways_distribute_and_nothing_else(stage: Listening) -> None:
    """Creates, puts and destroys come to it; gets, invalidates and local operations do not."""
    here, other = stage.here
    created = stage.do(here, OperationKind.CREATE, "x")
    put = stage.put(other, "x")
    stage.get(here, "x")
    stage.do(here, OperationKind.INVALIDATE, "x")
    stage.do(other, OperationKind.LOCAL_INVALIDATE, "x", expect=None)
    for member in stage.here:
        stage.do(member, OperationKind.LOCAL_DESTROY, "x", expect=None)
    stage.settle()
    again = stage.put(here, "x")
    gone = stage.do(here, OperationKind.DESTROY, "x")
    last = stage.put(here, "y")
    stage.settle()
    stage.received_once(created, put, again, gone, last)


@with_listener("AEQ-OPS-01", needs=(Capability.CONFIGURATION,))
def a_listener_receives_nothing_of_expiration(stage: Listening) -> None:
    """Entries expire by destroy and by invalidate: a listener receives their puts, and then another one."""
    first = stage.put(stage.here[0], "x")
    second = stage.put(stage.here[0], "y")
    stage.expires(stage.here[0], OperationKind.EXPIRE_DESTROY, "x")
    stage.expires(stage.here[0], OperationKind.EXPIRE_INVALIDATE, "y")
    stage.settle()
    last = stage.put(stage.here[0], "z")
    stage.settle()
    stage.received_once(first, second, last)


@with_listener("AEQ-RETRY-01", "AEQ-RETRY-02", needs=GATES)
def a_batch_that_a_listener_fails_or_throws_at_comes_again(stage: Listening) -> None:
    """A listener answers false, then throws, then answers false: four calls begin with the same event."""
    stage.answers("false", "throw", "false")
    first = stage.block(stage.here[0], "x")
    second = stage.put(stage.here[1], "y")
    third = stage.put(stage.here[0], "x")
    stage.release(first)
    stage.settle()
    stage.each_begins_with_the_one_before(3)
    stage.processed_once(first, second, third)


@with_listener("AEQ-RETRY-01", needs=GATES)
def a_batch_that_failed_stays_in_the_queue(stage: Listening) -> None:
    """A listener has thrown at a batch, and stands at a gate with it once more: the queue holds all of it."""
    primary = stage.primary()
    stage.answers("throw")
    first = stage.block(stage.here[0], "x", at=primary)
    second = stage.hold(primary, stage.here[1], "y", callback=QUEUE)
    stage.release(first)
    stage.stands(primary, second, QUEUE)
    stage.depth_is(primary, 1 if _is_gone(stage, first) else 2)
    stage.settle()
    stage.processed_once(first, second)


def _is_gone(stage: Listening, operation: Operation) -> bool:
    """Whether the listener has received an operation with success, before the call that it stands in."""
    done = (call for call in stage.calls()[:-1] if call.answer == "true")
    return any(change.token == operation.token for call in done for change in call.events)


@with_listener("AEQ-RETRY-02", needs=GATES, batch_size=3)
def later_events_come_behind_a_batch_that_failed(stage: Listening) -> None:
    """Of six events in batches of three the first batch fails twice: the others come behind it."""
    first = stage.block(stage.here[0], "x")
    stage.answers("false", "throw")
    rest = [stage.put(stage.here[turn % 2], key) for turn, key in enumerate("uvwyz")]
    stage.release(first)
    stage.settle()
    stage.processed_once(first, *rest)


@with_listener("AEQ-RETRY-03", needs=GATES)
def success_removes_a_batch_that_grew_since_it_failed(stage: Listening) -> None:
    """A batch fails, more events gather, and it comes again with them or before them: each succeeds once."""
    stage.answers("false")
    first = stage.block(stage.here[0], "x")
    rest = [stage.put(stage.here[turn % 2], key) for turn, key in enumerate("uvw")]
    stage.release(first)
    stage.settle()
    last = stage.put(stage.here[0], "y")
    stage.settle()
    stage.processed_once(first, *rest, last)
    for member in stage.here:
        stage.depth_is(member, 0)


@with_listener("AEQ-RETRY-04", needs=GATES)
def a_batch_comes_again_whole_though_some_of_it_was_processed(stage: Listening) -> None:
    """A listener throws behind the first event of its batch: the next call begins with that event."""
    stage.answers("true", "part", "part")
    first = stage.block(stage.here[0], "x")
    # These wait, and make one batch.
    more = [stage.put(stage.here[turn % 2], key) for turn, key in enumerate("yzuv")]
    stage.release(first)
    stage.settle()
    stage.each_begins_with_the_one_before(2)
    stage.processed_once(first, *more)


@with_listener("ARCH-THREAD-01", needs=SCRIPTS)
def a_processor_goes_on_behind_each_exception_of_its_listener(stage: Listening) -> None:
    """A listener throws at three batches, one after the other: each event comes to it with success."""
    puts = []
    for turn, answer in enumerate(("throw", "part", "throw")):
        stage.answers(answer)
        puts.append(stage.put(stage.here[turn % 2], f"x{turn}"))
        stage.settle()
    stage.processed_once(*puts)


@with_listener("ARCH-SHARED-01", needs=GATES, there=True)
def a_listener_and_another_site_receive_the_same_sequence(stage: Listening) -> None:
    """A region feeds a gateway sender and an asynchronous queue: both carry the same events in one order."""
    first = stage.block(stage.here[0], "x")
    rest = [
        stage.put(stage.here[1], "x"),
        stage.put(stage.here[0], "y"),
        stage.put(stage.here[1], "z"),
        stage.put(stage.here[0], "x"),
    ]
    stage.release(first)
    stage.settle()
    stage.received_once(first, *rest)
    stage.told_of_all_in_order(stage.there[0], first, *rest)


@with_listener("ARCH-SHARED-01", needs=GATES, both=True)
def a_listener_that_stands_holds_up_no_other_queue(stage: Listening) -> None:
    """Two queues on a region: one listener fails and throws, and the other receives each event once."""
    stage.answers("false", "throw", "false")
    puts = [stage.put(stage.here[turn % 2], key) for turn, key in enumerate("xyx")]
    stage.settle()
    stage.processed_once(*puts)
    stage.received_once(*puts, queue=stage.other)


@with_listener("ARCH-THREAD-02", needs=GATES, both=True, also=(FIRST_ALONE,))
def a_listener_is_called_though_that_of_another_queue_stands(stage: Listening) -> None:
    """A region feeds one of two queues, whose listener stands; what feeds both comes to the other's."""
    first = stage.block(stage.here[0], "x", region=FIRST_ALONE)
    second = stage.hold(stage.primary_of(stage.other), stage.here[1], "y", callback=QUEUE)
    stage.stands(stage.primary_of(stage.other), second, QUEUE)
    stage.settle()
    stage.received_once(first, second)
    stage.received_once(second, queue=stage.other)


@with_listener("ARCH-THREAD-02", needs=GATES, there=True, also=(FIRST_ALONE,))
def a_sender_sends_though_a_listener_on_its_member_stands(stage: Listening) -> None:
    """The listener of an asynchronous queue stands: what is called meanwhile arrives at the other site."""
    first = stage.block(stage.here[0], "x", region=FIRST_ALONE)
    second = stage.hold(stage.there[0], stage.here[1], "y")
    stage.stands(stage.there[0], second)
    stage.settle()
    stage.received_once(first, second)


CRASHES = (*GATES, Capability.MEMBER_FAULTS)


@with_listener("AEQ-RETRY-03", "AEQ-RETRY-02", needs=CRASHES)
def a_secondary_offers_what_no_listener_has_answered(stage: Listening) -> None:
    """A listener stands at a gate as its member dies: the other member's receives all, in order."""
    primary = stage.primary()
    other = next(member for member in stage.here if member != primary)
    first = stage.block(other, "x")
    second = stage.put(other, "y")
    stage.crash(primary)
    third = stage.put(other, "x")
    stage.settle()
    stage.processed_once(first, second, third, at=other)


@with_listener("AEQ-RETRY-01", needs=CRASHES)
def what_a_listener_has_failed_is_offered_by_the_member_that_takes_over(stage: Listening) -> None:
    """A listener has failed its batch, and holds it once more as its member dies: the other's receives it."""
    primary = stage.primary()
    other = next(member for member in stage.here if member != primary)
    stage.answers("false", "throw", at=(other,))
    first = stage.block(other, "x")
    rest = [stage.put(other, key) for key in "yz"]
    stage.crash(primary)
    stage.settle()
    stage.processed_once(first, *rest, at=other)


@with_listener("SER-ENQ-01", here=3, runs_on=("A", "B"))
def a_listener_receives_what_members_without_the_queue_call(stage: Listening) -> None:
    """Of three members two run a queue: its listener receives what each of the three calls, once."""
    puts = [stage.put(member, key) for member, key in zip(stage.here, "xyz", strict=True)]
    stage.settle()
    stage.received_once(*puts)


@with_listener("AEQ-RETRY-03", "GWQ-ACK-03", needs=GATES)
def a_pause_beside_a_batch_loses_nothing_and_repeats_nothing(stage: Listening) -> None:
    """A queue is paused while its listener stands: the batch counts once, and the rest comes behind it."""
    first = stage.block(stage.here[0], "x")
    rest = [stage.put(stage.here[turn % 2], key) for turn, key in enumerate("yz")]
    stage.pause()
    stage.release(first)
    stage.settle()
    last = stage.put(stage.here[0], "u")
    stage.resume()
    stage.settle()
    stage.received_once(first, *rest, last)


@with_listener("AEQ-RETRY-01", "GWQ-ACK-03", needs=GATES)
def a_batch_that_fails_beside_a_pause_comes_again(stage: Listening) -> None:
    """A queue is paused while its listener stands, which then fails: its batch comes again."""
    stage.answers("false")
    first = stage.block(stage.here[0], "x")
    second = stage.put(stage.here[1], "y")
    stage.pause()
    stage.release(first)
    stage.settle_around()
    stage.resume()
    stage.settle()
    stage.processed_once(first, second)


@with_listener("REM-SERIAL-02", needs=(*GATES, Capability.MEMBER_FAULTS), here=3)
def each_secondary_removes_what_a_listener_has_processed(stage: Listening) -> None:
    """Two members die, one after the other, once all is removed: the third one repeats nothing."""
    puts = [stage.put(member, "x") for member in stage.here]
    stage.settle()
    for member in stage.here:
        stage.depth_is(member, 0)
    for _ in range(2):
        stage.crash(stage.primary())
        stage.settle()
    living = next(member for member in stage.here if member in stage.members)
    last = stage.put(living, "y")
    stage.settle()
    stage.received_once(*puts, last)


@with_listener("AEQ-RETRY-02", needs=SCRIPTS)
def a_listener_that_fails_many_times_receives_its_batch_until_it_succeeds(stage: Listening) -> None:
    """A listener fails a dozen times: its batch comes again each time."""
    stage.answers(*("false", "throw", "part") * 4)
    only = stage.put(stage.here[0], "x")
    stage.settle()
    stage.each_begins_with_the_one_before(12)
    stage.processed_once(only)


@with_listener("SER-ENQ-02", "GWQ-ACK-03", needs=(*GATES, Capability.MEMBER_FAULTS))
def a_long_queue_outlives_its_primary(stage: Listening) -> None:
    """So many events wait that they fill several batches: the secondary has each of them."""
    first = stage.block(stage.here[0], "x")
    rest = [stage.put(stage.here[1], f"y{number}") for number in range(MANY)]
    for member in stage.here:
        stage.depth_is(member, 1 + MANY)
    survivor = stage.secondary()
    stage.crash(stage.primary())
    stage.settle()
    stage.processed_once(first, *rest, at=survivor)
