"""Parallel asynchronous event queues: who holds an event, who dispatches it, who removes it (document 002).

Queues are paused wherever events are to gather, or a listener stands at a gate with its batch.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.listener_calls import QUEUE
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.suites.scenarios.course import named
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.parallel import ParallelStage
from plumbline.suites.scenarios.scenario import in_parallel

LOOKS = (Capability.QUEUE_INSPECTION,)
GATES = (Capability.LISTENER_GATES,)
CALLS = (Capability.LISTENER_GATES, Capability.CALLBACK_SCRIPTS)
MOVES = (Capability.BUCKET_MOVES,)
FAULTS = (Capability.MEMBER_FAULTS,)


def put_of_each(s: ParallelStage, count: int = 2) -> dict[str, list[Operation]]:
    """Put each of some keys of every member twice, from different members: what was put, key by key."""
    keys = [key for member in s.members for key in s.keys_of(member, count)]
    return {key: [s.put(s.members[0], key), s.put(s.members[-1], key)] for key in keys}


def each_dispatches_for_its_own(s: ParallelStage) -> None:
    written = put_of_each(s)
    s.settle()
    for member in s.members:
        own = [put for key, of_key in written.items() if s.primary(key) == member for put in of_key]
        s.dispatched_by(member, *own)
    s.dispatched_in_all(put for of_key in written.values() for put in of_key)


@in_parallel("PAR-ACTIVE-01")
def each_member_dispatches_for_the_buckets_that_it_is_primary_for(s: ParallelStage) -> None:
    each_dispatches_for_its_own(s)


@in_parallel("PAR-ACTIVE-01", redundancy=0)
def each_member_dispatches_for_its_buckets_without_redundancy(s: ParallelStage) -> None:
    each_dispatches_for_its_own(s)


@in_parallel("PAR-ACTIVE-01", redundancy=2)
def members_without_the_primary_bucket_stay_idle(s: ParallelStage) -> None:
    """Keys of one primary only are put, on every member: the listeners of the others receive nothing."""
    primary = s.primary("x")
    keys = s.keys_of(primary, 3)
    written = [s.put(member, key) for key in keys for member in s.members]
    s.settle()
    s.dispatched_by(primary, *written)
    for other in s.members:
        if other != primary:
            s.dispatched_by(other)


@in_parallel("ARCH-THREAD-02", needs=CALLS)
def a_member_dispatches_though_the_listener_of_another_stands(s: ParallelStage) -> None:
    """The listener of one primary stands with its batch: what another is primary for comes to that one's."""
    other = s.elsewhere("x")
    first = s.park(s.primary("x"), s.low, "x", callback=QUEUE)
    second = s.hold(s.primary(other), s.low, other, callback=QUEUE)
    s.stands(s.primary(other), second, QUEUE)
    s.settle()
    s.dispatched_by(s.primary("x"), first)
    s.dispatched_by(s.primary(other), second)


@in_parallel("PAR-ORDER-01")
def events_of_a_key_come_in_the_order_of_its_bucket(s: ParallelStage) -> None:
    """While no batch begins, members write several keys in turn: of each key the order is kept."""
    s.hold_all()
    keys = [key for member in s.members for key in s.keys_of(member, 1)]
    written: dict[str, list[Operation]] = {key: [] for key in keys}
    for _ in range(2):
        for member in s.members:
            for key in keys:
                written[key].append(s.put(member, key))
    s.go_on()
    s.settle()
    for of_key in written.values():
        s.received_in_order(*of_key)


@in_parallel("PAR-ORDER-01", batch_size=2)
def events_of_a_key_keep_their_order_across_batches(s: ParallelStage) -> None:
    """A key is put, destroyed and put again, several times, and batches hold two events."""
    s.hold_all()
    written = []
    for member in s.members:
        written += [s.put(member, "x"), s.do(member, OperationKind.DESTROY, "x"), s.put(member, "x")]
    s.go_on()
    s.settle()
    if s.driver.introduction.callback_arguments:
        s.received_in_order(*written)
    else:
        s.received_in_order(*(one for one in written if one.kind is OperationKind.PUT))


def lies_with_its_bucket(s: ParallelStage) -> None:
    s.hold_all()
    keys = [key for member in s.members for key in s.keys_of(member, 1)]
    written = {key: [s.put(member, key) for member in s.members[:2]] for key in keys}
    s.settle()
    s.holders_hold(written)
    s.go_on()
    s.settle()
    s.dispatched_in_all(put for of_key in written.values() for put in of_key)


@in_parallel("SHQ-TYPE-02", "PAR-COLOC-01", needs=LOOKS)
def an_event_lies_where_the_bucket_of_its_key_lies_and_nowhere_else(s: ParallelStage) -> None:
    lies_with_its_bucket(s)


@in_parallel("SHQ-TYPE-02", redundancy=0, needs=LOOKS)
def an_event_without_redundancy_lies_on_its_primary_alone(s: ParallelStage) -> None:
    lies_with_its_bucket(s)


@in_parallel("PAR-REDUND-02", "PAR-COLOC-01", redundancy=2, members=3, needs=LOOKS)
def every_redundant_copy_holds_what_waits(s: ParallelStage) -> None:
    lies_with_its_bucket(s)


@in_parallel("PAR-REDUND-02", members=2, needs=LOOKS)
def the_redundant_copy_holds_creates_updates_and_destroys(s: ParallelStage) -> None:
    s.hold_all()
    written = {}
    for key in ("x", s.elsewhere("x")):
        first, second = s.put(s.low, key), s.put(s.high, key)
        written[key] = [first, second, s.do(s.low, OperationKind.DESTROY, key)]
    s.settle()
    s.holders_hold(written)


def not_offered(s: ParallelStage, operation: Operation) -> None:
    """No listener of the queue has received an operation, though all the time was given for it."""
    s.is_held_back(operation)
    if any(change.token == operation.token for call in s.calls() for change in call.events):
        raise MismatchError(f"{named(operation)} to wait for the redundant copies", "a listener received it")


@in_parallel("PAR-REDUND-01", needs=GATES)
def an_event_is_in_the_redundant_copy_before_it_can_be_dispatched(s: ParallelStage) -> None:
    """An update stands in the region listener of its redundant copy: its primary dispatches it only then."""
    for key in ("x", s.elsewhere("x")):
        update = s.park(s.copy(key), s.without(key), key)
        not_offered(s, update)
        s.release(update)
        s.settle()
        s.dispatched_by(s.primary(key), *s.of_primary(s.primary(key)))


@in_parallel("PAR-REDUND-01", redundancy=2, needs=GATES)
def an_event_is_in_all_redundant_copies_before_it_can_be_dispatched(s: ParallelStage) -> None:
    """The same with two copies, of which either stands."""
    for copy in s.copies("x"):
        update = s.park(copy, s.primary("x"), "x")
        not_offered(s, update)
        s.release(update)
        s.settle()


@in_parallel("PAR-FAILOVER-01", needs=FAULTS)
def a_new_primary_dispatches_what_waits_in_order_and_without_loss(s: ParallelStage) -> None:
    """Events of several keys of one primary wait, and it is killed: they come from those promoted."""
    s.hold_all()
    lost = s.primary("x")
    other = next(member for member in s.members if member != lost)
    written = {key: [s.put(other, key) for _ in range(3)] for key in s.keys_of(lost, 2)}
    s.crash(lost)
    s.go_on()
    s.settle()
    for of_key in written.values():
        s.received_in_order(*of_key)
    s.dispatched_in_all(put for of_key in written.values() for put in of_key)


@in_parallel("PAR-FAILOVER-01", needs=FAULTS)
def a_new_primary_dispatches_later_events_behind_those_that_wait(s: ParallelStage) -> None:
    s.hold_all()
    lost = s.primary("x")
    other = next(member for member in s.members if member != lost)
    written = [s.put(other, "x") for _ in range(2)]
    s.crash(lost)
    s.settle()
    written += [s.put(other, "x") for _ in range(2)]
    s.go_on()
    s.settle()
    s.received_in_order(*written)


@in_parallel("PAR-FAILOVER-01", needs=FAULTS)
def a_primary_that_runs_again_leaves_what_waits_to_the_new_one(s: ParallelStage) -> None:
    """Events of two keys wait, their primary dies and runs again: those promoted dispatch them, each once."""
    s.hold_all()
    lost = s.primary("x")
    keys = s.keys_of(lost, 2)
    written = {key: [s.put(s.copy(key), key) for _ in range(2)] for key in keys}
    s.crash(lost)
    s.restart(lost)
    for key in keys:
        written[key].append(s.put(lost, key))
    s.go_on()
    s.settle()
    for of_key in written.values():
        s.received_in_order(*of_key)
    s.dispatched_in_all(put for of_key in written.values() for put in of_key)
    s.dispatched_by(lost)


def moves_with_what_waits(s: ParallelStage, heir: str) -> None:
    """Events of several keys wait, and the primary of one moves. The new one dispatches them, in order."""
    old = s.primary("x")
    s.hold_all()
    keys = dict.fromkeys(("x", *s.keys_of(old, 3)))
    written = {key: [s.put(member, key) for member in s.members[:2]] for key in keys}
    s.move("x", heir)
    written["x"] += [s.put(old, "x"), s.put(heir, "x")]
    s.go_on()
    s.settle()
    s.received_in_order(*written["x"])
    # Keys that share a bucket with x have moved with it.
    for member in (heir, old):
        of_it = [put for key in keys if s.primary(key) == member for put in written[key]]
        s.dispatched_by(member, *of_it)


@in_parallel("PAR-FAILOVER-01", "PAR-ACTIVE-01", needs=MOVES)
def a_primary_that_moves_has_its_events_dispatched_by_the_new_one(s: ParallelStage) -> None:
    moves_with_what_waits(s, s.copy("x"))


@in_parallel("PAR-FAILOVER-01", "PAR-COLOC-01", redundancy=0, needs=MOVES)
def the_queues_bucket_moves_with_that_of_its_region(s: ParallelStage) -> None:
    moves_with_what_waits(s, s.without("x"))


@in_parallel("PAR-ACTIVE-01", needs=(*MOVES, *LOOKS))
def what_is_put_behind_a_move_comes_from_the_new_primary_alone(s: ParallelStage) -> None:
    old, heir = s.primary("x"), s.copy("x")
    first = s.put(old, "x")
    s.settle()
    s.drained()  # what a copy still holds may come again
    s.move("x", heir)
    behind = [s.put(member, "x") for member in s.members]
    s.settle()
    s.dispatched_by(old, first)
    s.dispatched_by(heir, *behind)


@in_parallel("PAR-FAILOVER-01", needs=(*MOVES, *CALLS))
def what_a_standing_listener_has_not_answered_survives_a_move(s: ParallelStage) -> None:
    """The listener of the old primary stands with an event while the primary moves: none is lost."""
    old, heir = s.primary("x"), s.copy("x")
    written = [s.park(old, s.without("x"), "x", callback=QUEUE)]
    written += [s.put(s.without("x"), "x") for _ in range(2)]
    s.move("x", heir)
    written.append(s.put(old, "x"))
    s.release(written[0])
    s.settle()
    s.came_at_all(*written)
    s.received_in_order(*written)


@in_parallel("REM-PARALLEL-03", needs=(*MOVES, *LOOKS))
def all_copies_drain_behind_a_move(s: ParallelStage) -> None:
    old, heir = s.primary("x"), s.copy("x")
    s.hold_all()
    written = [s.put(s.low, "x"), s.put(s.high, "x")]
    s.move("x", heir)
    s.settle()
    s.holders_hold({"x": written})
    s.go_on()
    s.settle()
    s.drained()
    s.move("x", old)
    s.settle()
    s.dispatched_in_all(written)


def killed_in_its_listener(s: ParallelStage, count: int) -> None:
    """A primary is killed while its listener has not answered: all events of the key come, in order."""
    lost = s.primary("x")
    other = next(member for member in s.members if member != lost)
    written = [s.park(lost, other, "x", callback=QUEUE)]
    written += [s.put(other, "x") for _ in range(count)]
    s.crash(lost)
    s.settle()
    heirs = [call.member for call in s.calls() for change in call.events if change.token == written[0].token]
    if not set(heirs) - {lost}:
        raise MismatchError(f"{named(written[0])} to come again from another member", f"it came from {heirs}")
    s.received_in_order(*written)


@in_parallel("REM-PARALLEL-05", "REM-PARALLEL-04", needs=(*CALLS, *FAULTS))
def what_a_dead_primary_had_only_offered_comes_from_the_new_one(s: ParallelStage) -> None:
    killed_in_its_listener(s, 0)


@in_parallel("REM-PARALLEL-05", "REM-PARALLEL-04", needs=(*CALLS, *FAULTS))
def what_stood_behind_the_batch_of_a_dead_primary_comes_behind_it(s: ParallelStage) -> None:
    killed_in_its_listener(s, 2)


@in_parallel("REM-PARALLEL-04", needs=(*CALLS, *FAULTS))
def what_a_listener_has_failed_is_not_removed_from_the_copies(s: ParallelStage) -> None:
    """A listener fails with an event and stands with the next, or with both; then its member is killed."""
    lost = s.primary("x")
    other = next(member for member in s.members if member != lost)
    s.answers("false", at=(lost,))
    first = s.park(lost, other, "x", callback=QUEUE)
    behind = s.hold(lost, other, "x", callback=QUEUE)
    s.finish(behind)
    s.release(first)
    s.stands(lost, behind, QUEUE)
    s.crash(lost)
    s.settle()
    s.came_at_all(first, behind)


@in_parallel("REM-PARALLEL-03", needs=LOOKS)
def redundant_copies_drain_when_their_primaries_have_dispatched(s: ParallelStage) -> None:
    put_of_each(s)
    s.settle()
    s.drained()


@in_parallel("REM-PARALLEL-03", redundancy=2, needs=LOOKS)
def all_redundant_copies_drain_behind_a_batch_of_several_buckets(s: ParallelStage) -> None:
    """Events of two buckets gather and leave in one batch or few; nothing stays on any member."""
    s.hold_all()
    for key in s.keys_of(s.primary("x"), 2):
        s.put(s.low, key)
    s.go_on()
    s.settle()
    s.drained()


@in_parallel("REM-PARALLEL-02", redundancy=2, needs=LOOKS)
def a_removal_leaves_events_of_other_buckets_in_their_copies(s: ParallelStage) -> None:
    """Two members are primary for a key each, and one is paused: what it holds stays in the copies."""
    waiting, other = s.primary("x"), s.elsewhere("x")
    s.pause(waiting)
    stays = [s.put(s.low, "x"), s.put(s.high, "x")]
    s.put(s.low, other)
    s.settle()
    s.holders_hold({"x": stays})
    s.resume(waiting)
    s.settle()
    s.drained()


@in_parallel("REM-PARALLEL-02", batch_size=1, needs=(*CALLS, *LOOKS))
def a_removal_leaves_later_events_of_its_bucket_in_the_copies(s: ParallelStage) -> None:
    """A listener has dealt with one event of a key, and stands with the next: the copy holds that one."""
    primary = s.primary("x")
    first = s.park(primary, s.copy("x"), "x", callback=QUEUE)
    second = s.hold(primary, s.copy("x"), "x", callback=QUEUE)
    s.finish(second)
    s.release(first)
    s.stands(primary, second, QUEUE)
    s.depth_is(s.copy("x"), 1)
    s.release(second)
    s.settle()
    s.drained()
