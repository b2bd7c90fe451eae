"""How a sender delivers what is queued, also when links, receivers or the sender fail (000; 002)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites

LINKS = (Capability.LINK_FAULTS,)
DEPTHS = (Capability.LINK_FAULTS, Capability.QUEUE_INSPECTION)
CRASHES = (Capability.MEMBER_FAULTS, Capability.QUEUE_INSPECTION)
RETRIES = (Capability.VIRTUAL_TIME, Capability.RETRY_TIME)
GATES = (Capability.LISTENER_GATES,)


def told_there(stage: Sites, key: str, *operations: Operation) -> None:
    """Every member of site 2 that lives receives exactly these, in order, and holds the last."""
    for member in stage.there:
        if member in stage.members:
            stage.told_in_order(member, key, *operations)
            stage.holds(member, key, operations[-1])


@between_sites("WAN-ASYNC-01", "WANC-ASYNC-01", needs=LINKS)
def calls_return_while_nothing_can_be_sent(stage: Sites) -> None:
    """Paused, cut off, without a receiver: calls return and are seen at home, and arrive in the end."""
    obstacles = (
        (stage.pause, stage.resume),
        (stage.cut, stage.heal),
        (stage.stop_receivers, lambda: stage.start_receiver(stage.there[1])),
    )
    for turn, (block, mend) in enumerate(obstacles):
        block()
        puts = [stage.put(member, f"x{turn}") for member in stage.here]
        stage.site_holds(stage.here, f"x{turn}", puts[-1])
        stage.settle()
        stage.site_holds(stage.there, f"x{turn}", None)
        mend()
        stage.settle()
        told_there(stage, f"x{turn}", *puts)


@between_sites("GWQ-RETRY-07", needs=LINKS)
def a_sender_without_a_link_delays_no_caller(stage: Sites) -> None:
    """While one sender cannot send, calls on its region return and the other site's sender delivers."""
    stage.cut()
    near = stage.put(stage.here[0], "x")
    far = stage.put(stage.there[0], "y")
    stage.settle()
    stage.site_holds(stage.here, "x", near)
    stage.both_sites_hold("y", far)
    stage.heal()
    stage.settle()
    stage.both_sites_hold("x", near)


@between_sites("WAN-ORDER-03", "RCV-DEDUP-01", needs=LINKS)
def what_is_sent_again_keeps_its_order(stage: Sites) -> None:
    """Answers are lost, newer values follow, and all is sent again over another connection."""
    for turn in range(3):
        key = f"x{turn}"
        stage.lose_replies()
        # All in one batch: a sender may wait with the next until this one is answered.
        stage.pause()
        puts = [stage.put(stage.here[turn % 2], key), stage.put(stage.here[0], key)]
        other = stage.put(stage.here[1], f"y{turn}")
        stage.resume()
        stage.settle()
        puts += [stage.put(stage.here[0], key), stage.put(stage.here[1], key)]
        stage.settle()
        stage.heal()
        stage.settle()
        told_there(stage, key, *puts)
        told_there(stage, f"y{turn}", other)


@between_sites("GWQ-ACK-04", "SER-ENQ-01", needs=(Capability.QUEUE_INSPECTION,))
def without_a_fault_everything_is_delivered_once(stage: Sites) -> None:
    """Wherever it was called, an event stands in the queue once and is told once."""
    stage.pause()
    puts = {f"x{turn}": stage.put(stage.here[turn % 2], f"x{turn}") for turn in range(4)}
    stage.settle()
    stage.depth_is(stage.primary(), len(puts))
    stage.resume()
    stage.settle()
    for key, put in puts.items():
        for member in stage.members:
            stage.told_once(member, put)
        stage.both_sites_hold(key, put)


@between_sites("GWQ-ACK-03", "SER-FAILOVER-01", needs=CRASHES)
def nothing_is_lost_with_the_primary(stage: Sites) -> None:
    """The primary dies with all that was put still queued; the other sender delivers it."""
    stage.pause()
    primary, secondary = stage.primary(), stage.secondary()
    puts = [stage.put(member, "x") for member in (primary, secondary, primary)]
    other = stage.put(secondary, "y")
    stage.settle()
    stage.crash(primary)
    stage.resume()
    stage.settle()
    told_there(stage, "x", *puts)
    told_there(stage, "y", other)


@between_sites("GWQ-ACK-05", needs=LINKS, batch_size=1)
def one_batch_is_under_way_at_a_time(stage: Sites) -> None:
    """While the answer to a batch of one event does not come, the next event is not sent."""
    stage.lose_replies()
    first = stage.put(stage.here[0], "x")
    stage.settle()
    stage.site_holds(stage.there, "x", first)
    second = stage.put(stage.here[0], "y")
    stage.settle()
    stage.site_holds(stage.there, "y", None)
    stage.heal()
    stage.settle()
    told_there(stage, "x", first)
    told_there(stage, "y", second)


@between_sites("GWQ-ACK-06", "GWQ-RETRY-01", "GWQ-PROC-02", needs=(*GATES, *CRASHES))
def a_batch_whose_receiver_dies_goes_to_another(stage: Sites) -> None:
    """The receiver dies while it applies the second of four events; the other one is sent all of them."""
    dying, staying = stage.there
    stage.receive_at(dying)
    stage.pause()
    puts = [stage.put(stage.here[0], "x")]
    held = stage.hold(dying, stage.here[0], "y")
    stage.finish(held)
    puts += [stage.put(stage.here[1], "x"), stage.put(stage.here[0], "x")]
    stage.resume()
    stage.stands(dying, held)
    stage.crash(dying)
    stage.start_receiver(staying)
    stage.settle()
    told_there(stage, "x", *puts)
    told_there(stage, "y", held)
    stage.depth_is(stage.primary(), 0)


@between_sites("GWQ-RETRY-01", needs=DEPTHS)
def silence_is_not_taken_for_an_answer(stage: Sites) -> None:
    """An event that was applied there but not answered stays queued until its answer arrives."""
    stage.lose_replies()
    puts = {key: stage.put(member, key) for key, member in zip("xy", stage.here, strict=True)}
    stage.settle()
    stage.site_holds(stage.there, "x", puts["x"])
    stage.depth_is(stage.primary(), 2)
    stage.cut()
    stage.settle()
    stage.depth_is(stage.primary(), 2)
    stage.heal()
    stage.settle()
    for member in stage.here:
        stage.depth_is(member, 0)
    for key, put in puts.items():
        told_there(stage, key, put)


@between_sites("GWQ-RETRY-02", needs=DEPTHS)
def an_event_is_never_given_up(stage: Sites) -> None:
    """An event that is sent over one connection after the other and never answered stays queued."""
    stage.lose_replies()
    put = stage.put(stage.here[0], "x")
    for _ in range(4):
        stage.settle()
        stage.cut()
        stage.settle()
        stage.depth_is(stage.primary(), 1)
        stage.lose_replies()
    stage.heal()
    stage.settle()
    stage.depth_is(stage.primary(), 0)
    told_there(stage, "x", put)


@between_sites("GWQ-RETRY-02", needs=(*DEPTHS, Capability.VIRTUAL_TIME))
def an_event_is_never_too_old(stage: Sites) -> None:
    """What was not answered for days stays queued when its connection breaks, and is delivered."""
    stage.lose_replies()
    put = stage.put(stage.here[0], "x")
    stage.settle()
    stage.hold_time()
    for _ in range(3):
        stage.leap(24 * 3_600_000)
        stage.settle()
    stage.let_run()
    stage.cut()
    stage.settle()
    stage.depth_is(stage.primary(), 1)
    stage.heal()
    stage.settle()
    stage.depth_is(stage.primary(), 0)
    told_there(stage, "x", put)


@between_sites("RCV-DEDUP-01", needs=LINKS, clocks=True)
def what_is_sent_again_leaves_what_its_receivers_wrote_later(stage: Sites) -> None:
    """Answers are lost, the other site writes the key, and what it has had already is sent again."""
    for receiver in stage.there:
        key = f"x{receiver}"
        stage.receive_at(receiver)
        stage.lose_replies()
        first = stage.put(stage.here[0], key)
        stage.settle()
        stage.site_holds(stage.there, key, first)
        stage.let_clocks_pass()
        later = stage.put(receiver, key)
        stage.settle()
        stage.heal()
        stage.settle()
        stage.both_sites_hold(key, later)


@between_sites("GWQ-RETRY-03", "GWQ-RETRY-04", "GWQ-ACK-03", needs=(Capability.QUEUE_INSPECTION,))
def events_wait_for_a_receiver(stage: Sites) -> None:
    """The receiver is stopped with events queued; another starts, and nothing else is done."""
    first, second = stage.there
    stage.receive_at(first)
    before = stage.put(stage.here[0], "x")
    stage.settle()
    stage.both_sites_hold("x", before)
    stage.stop_receivers()
    puts = [stage.put(member, "x") for member in stage.here]
    stage.settle()
    stage.site_holds(stage.there, "x", before)
    stage.depth_is(stage.primary(), 2)
    stage.start_receiver(second)
    stage.settle()
    stage.depth_is(stage.primary(), 0)
    told_there(stage, "x", before, *puts)


@between_sites("GWQ-RETRY-03", needs=(Capability.QUEUE_INSPECTION, *RETRIES), batch_size=1)
def a_sender_that_found_no_receiver_tries_again_five_seconds_later(stage: Sites) -> None:
    """A receiver starts three seconds behind an attempt; the event still waits until five have passed."""
    first, second = stage.there
    stage.receive_at(first)
    puts = [stage.put(stage.here[0], "x")]
    stage.settle()
    stage.both_sites_hold("x", puts[0])
    stage.hold_time()
    for waits_ms, then_ms in ((1_999, 1), (1_000, 3_000)):
        stage.stop_receivers()
        put = stage.put(stage.here[1], "x")
        stage.settle()
        stage.leap(3_000)
        stage.settle()
        stage.start_receiver(second)
        stage.settle()
        stage.leap(waits_ms)
        stage.settle()
        stage.site_holds(stage.there, "x", puts[-1])
        stage.depth_is(stage.primary(), 1)
        stage.leap(then_ms)
        stage.settle()
        stage.site_holds(stage.there, "x", put)
        stage.depth_is(stage.primary(), 0)
        puts.append(put)
    told_there(stage, "x", *puts)


@between_sites("GWQ-RETRY-05", needs=DEPTHS)
def events_gather_behind_those_that_wait(stage: Sites) -> None:
    """New values queue up behind a batch that was not answered, and come after it."""
    stage.lose_replies()
    puts = [stage.put(stage.here[0], "x")]
    stage.settle()
    stage.cut()
    puts += [stage.put(stage.here[turn % 2], "x") for turn in range(3)]
    other = stage.put(stage.here[1], "y")
    stage.settle()
    stage.site_holds(stage.there, "x", puts[0])
    stage.depth_is(stage.primary(), 5)
    stage.heal()
    stage.settle()
    stage.depth_is(stage.primary(), 0)
    told_there(stage, "x", *puts)
    told_there(stage, "y", other)


@between_sites("WAN-ORDER-03", "GWQ-RETRY-05", "GWQ-ACK-06", needs=(*GATES, *CRASHES))
def what_a_dead_receiver_had_not_applied_comes_first(stage: Sites) -> None:
    """The receiver dies at the first event of a batch, and a newer value stands behind that batch."""
    dying, staying = stage.there
    stage.receive_at(dying)
    stage.pause()
    held = stage.hold(dying, stage.here[0], "y")
    stage.finish(held)
    puts = [stage.put(member, "x") for member in stage.here]
    stage.resume()
    stage.stands(dying, held)
    puts.append(stage.put(stage.here[0], "x"))
    stage.crash(dying)
    stage.start_receiver(staying)
    stage.settle()
    told_there(stage, "x", *puts)
    told_there(stage, "y", held)


@between_sites("WAN-ORDER-03", "GWQ-RETRY-05", needs=(*GATES, *LINKS))
def what_had_not_left_comes_behind_what_was_not_answered(stage: Sites) -> None:
    """The connection breaks while a batch is being applied, and a newer value has not left the queue.

    Two connections then deliver side by side. A peer of the receiver may hear of the later value first, and
    does not receive the earlier one any more.
    """
    receiver = stage.there[1]
    stage.receive_at(receiver)
    stage.pause()
    held = stage.hold(receiver, stage.here[0], "y")
    stage.finish(held)
    puts = [stage.put(member, "x") for member in stage.here]
    stage.resume()
    stage.stands(receiver, held)
    stage.pause()
    puts.append(stage.put(stage.here[0], "x"))
    stage.cut()
    stage.heal()
    stage.resume()
    stage.settle()
    stage.told_in_order(receiver, "x", *puts)
    stage.both_sites_hold("x", puts[-1])
    told_there(stage, "y", held)


@between_sites("RCV-APPLY-01", needs=GATES)
def a_receiver_applies_in_the_order_of_the_queue(stage: Sites) -> None:
    """A receiver held at the first of many events applies the others behind it, one after the other."""
    receiver = stage.there[1]
    stage.receive_at(receiver)
    stage.pause()
    near, far = stage.here
    chain = [stage.hold(receiver, near, "x", OperationKind.CREATE)]
    stage.finish(chain[0])
    others = [stage.put(far, "y")]
    chain += [stage.do(far, kind, "x") for kind in (OperationKind.PUT, OperationKind.DESTROY)]
    others += [stage.put(near, "y")]
    chain += [stage.do(near, kind, "x") for kind in (OperationKind.CREATE, OperationKind.PUT)]
    stage.resume()
    stage.stands(receiver, chain[0])
    stage.settle()
    for member in stage.there:
        stage.log_is(member, "x", *chain)
        stage.log_is(member, "y", *others)
    stage.both_sites_hold("x", chain[-1])
    stage.both_sites_hold("y", others[-1])


@between_sites("RCV-APPLY-01", needs=GATES, batch_size=2)
def a_receiver_applies_one_batch_after_the_other(stage: Sites) -> None:
    """A receiver is held at the first event of several batches, which may all have arrived by then."""
    receiver = stage.there[1]
    stage.receive_at(receiver)
    stage.pause()
    first = stage.hold(receiver, stage.here[0], "x")
    stage.finish(first)
    puts = [first, *(stage.put(stage.here[turn % 2], "x") for turn in range(4))]
    stage.resume()
    stage.stands(receiver, first)
    stage.settle()
    for member in stage.there:
        stage.log_is(member, "x", *puts)
    stage.both_sites_hold("x", puts[-1])


@between_sites("RCV-RETRY-02", needs=GATES)
def a_receiver_that_is_stopped_in_a_batch_answers_nothing(stage: Sites) -> None:
    """The receiver is stopped while it applies the first of a batch; another is sent all of it."""
    stopping, starting = stage.there
    stage.receive_at(stopping)
    stage.pause()
    held = stage.hold(stopping, stage.here[0], "x")
    stage.finish(held)
    puts = [stage.put(stage.here[1], "y"), stage.put(stage.here[0], "y")]
    stage.resume()
    stage.stands(stopping, held)
    stage.stop_receivers()
    stage.release(held)
    stage.start_receiver(starting)
    stage.settle()
    for member in stage.there:
        for operation in (held, *puts):
            stage.shown_at(member, operation)
    stage.both_sites_hold("x", held)
    stage.both_sites_hold("y", puts[-1])
