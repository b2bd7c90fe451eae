"""Partitioned regions: one primary a key, its copies, and what follows a lost primary (document 004, L12)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, Operation, OperationKind, Status
from plumbline.suites.scenarios.buckets import BucketStage
from plumbline.suites.scenarios.scenario import partitioned

GATES = (Capability.LISTENER_GATES,)
FAULTS = (Capability.MEMBER_FAULTS,)
MOVES = (Capability.BUCKET_MOVES,)
GATED_FAULTS = (*FAULTS, *GATES)


@partitioned("CONS-PR-01", needs=GATES)
def a_copy_receives_only_what_its_primary_has_already(s: BucketStage) -> None:
    for turn in range(3):
        key = f"x{turn}"
        copy = s.copy(key)
        s.put(s.without(key), key)
        # Called where a redundant copy lies; held there once that copy has it.
        update = s.park(copy, copy, key)
        s.holds(s.primary(key), key, update)
        s.release(update)
        s.settle()
        s.copies_hold(key, update)


@partitioned("CONS-PR-01", needs=GATES)
def what_is_called_at_a_copy_waits_for_the_primary_too(s: BucketStage) -> None:
    copy = s.copy("x")
    s.put(s.without("x"), "x")
    first = s.park(copy, s.without("x"), "x")
    second = s.start(copy, OperationKind.PUT, "x")
    s.not_shown_at(copy, second)
    s.holds(copy, "x", first)
    s.release(first)
    s.settle()
    for holder in s.holders("x"):
        s.told_once(holder, second)
    s.copies_hold("x", second)


@partitioned("CONS-PR-01", redundancy=2)
def updates_of_all_members_come_first_to_the_primary(s: BucketStage) -> None:
    for key in ("x", "y", "z"):
        called = [s.put(member, key) for member in s.members]
        s.log_is(s.primary(key), key, *called)
        s.copies_hold(key, called[-1])


@partitioned("CONS-PR-02", needs=GATES)
def an_update_waits_until_the_copies_have_the_one_before(s: BucketStage) -> None:
    beside = [key for key in s.keys_of(s.primary("x"), 2) if key != "x"]
    s.put(s.without("x"), "x")
    first = s.park(s.copy("x"), s.primary("x"), "x", thread="one")
    second = s.start(s.primary("x"), OperationKind.PUT, "x", thread="two")
    for number, other in enumerate((s.elsewhere("x"), *beside)):
        s.put(s.primary("x"), other, thread=f"other {number}")
    s.not_shown_at(s.primary("x"), second)
    s.is_held_back(second)
    s.holds(s.primary("x"), "x", first)
    s.settle()
    s.copies_hold("x", second)


def applied_in_the_order_of_the_primary(s: BucketStage, key: str, started: list[Operation]) -> None:
    called = {operation.token: operation for operation in started}
    s.settle()
    primary = s.primary(key)
    order = [called[e.token] for e in s.driver.log(primary) if e.key == key and e.token in called]
    for operation in called.values():
        s.told_once(primary, operation)
    for copy in s.copies(key):
        s.log_is(copy, key, *order)


@partitioned("CONS-PR-03", redundancy=2)
def copies_apply_what_many_write_in_the_order_of_the_primary(s: BucketStage) -> None:
    for turn in range(3):
        key = f"x{turn}"
        started = [s.start(member, OperationKind.PUT, key) for member in (*s.members, *s.members)]
        applied_in_the_order_of_the_primary(s, key, started)


@partitioned("CONS-PR-03", redundancy=2)
def copies_apply_what_is_called_at_the_primary_in_its_order(s: BucketStage) -> None:
    for turn in range(3):
        key = f"x{turn}"
        primary = s.primary(key)
        started = [s.start(primary, OperationKind.PUT, key, thread=f"{key} {at}") for at in range(4)]
        applied_in_the_order_of_the_primary(s, key, started)


@partitioned("CONS-PR-04", redundancy=2)
def copies_have_an_update_when_its_call_returns(s: BucketStage) -> None:
    for turn in range(6):
        for member in s.members:
            update = s.put(member, f"x{turn}")
            s.copies_hold(f"x{turn}", update)


@partitioned("CONS-PR-04")
def a_read_gives_what_was_written_wherever_it_is_called(s: BucketStage) -> None:
    for turn in range(2):
        key = f"x{turn}"
        for writer in s.members:
            update = s.put(writer, key)
            for reader in s.members:
                s.reads_only(s.get(reader, key), (update,))
        gone = s.do(s.low, OperationKind.DESTROY, key)
        s.copies_hold(key, gone)
        s.do(s.high, OperationKind.DESTROY, key, expect=Status.ABSENT)


def survivors_agree(s: BucketStage, kind: OperationKind) -> None:
    lost = s.primary("x")
    keys = s.keys_of(lost, 10)
    before = {key: s.put(s.copy(key), key) for key in keys}
    callers = (s.copy("x"), lost, lost, lost)
    updates = {key: s.start(callers[turn % 4], kind, key) for turn, key in enumerate(keys)}
    s.crash(lost)
    s.settle()
    for key in keys:
        for holder in s.holders(key):
            s.holds(holder, key, before[key], updates[key])
        s.copies_agree(key)


@partitioned("CONS-PR-05", redundancy=2, needs=FAULTS)
def survivors_of_a_primary_agree_on_what_was_under_way(s: BucketStage) -> None:
    survivors_agree(s, OperationKind.PUT)


@partitioned("CONS-PR-05", redundancy=2, needs=FAULTS)
def survivors_of_a_primary_agree_on_what_was_being_destroyed(s: BucketStage) -> None:
    survivors_agree(s, OperationKind.DESTROY)


@partitioned("CONS-PR-05", redundancy=2, needs=FAULTS)
def copies_keep_what_was_written_when_their_primary_is_lost(s: BucketStage) -> None:
    lost = s.primary("x")
    keys = s.keys_of(lost, 3)
    written = {key: s.put(s.copy(key), key) for key in keys}
    s.crash(lost)
    s.settle()
    for key in keys:
        s.copies_hold(key, written[key])
    for key in keys:
        again = s.put(s.members[0], key)
        s.copies_hold(key, again)


@partitioned("CONS-PR-01", "CONS-PR-05", needs=FAULTS)
def a_member_that_runs_again_leaves_keys_where_they_are(s: BucketStage) -> None:
    """A primary dies and runs again: what was written lies on those that had copies, and goes on there."""
    lost = s.primary("x")
    keys = s.keys_of(lost, 3)
    written = {key: s.put(s.copy(key), key) for key in keys}
    s.crash(lost)
    s.restart(lost)
    s.settle()
    for key in keys:
        s.reads_only(s.get(lost, key), (written[key],))
        again = s.put(lost, key)
        s.copies_hold(key, again)
        s.copies_hold(key, s.put(s.primary(key), key))


@partitioned("CONS-PR-01", redundancy=0, needs=FAULTS)
def a_key_without_copies_has_another_primary_when_its_own_has_died(s: BucketStage) -> None:
    """What it held is lost with it; what is written later lies with the new primary."""
    lost = s.primary("x")
    s.put(s.without("x"), "x")
    s.crash(lost)
    s.settle()
    s.copies_hold("x", s.put(s.members[0], "x"))
    s.restart(lost)
    s.settle()
    s.copies_hold("x", s.put(lost, "x"))


def goes_on_elsewhere(s: BucketStage, heir: str) -> None:
    """A primary moves: what was written is there, and what is written comes first to the new primary."""
    old, copies = s.primary("x"), s.copies("x")
    before = s.put(s.members[0], "x")
    s.move("x", heir)
    s.copies_hold("x", before)
    called = [s.put(member, "x") for member in s.members]
    if copies:
        s.log_is(heir, "x", before, *called)
    s.copies_hold("x", called[-1])
    s.reads_only(s.get(old, "x"), (called[-1],))
    s.move("x", old)
    s.copies_hold("x", s.do(heir, OperationKind.DESTROY, "x"))


@partitioned("CONS-PR-01", "CONS-PR-04", needs=MOVES)
def a_copy_that_becomes_primary_carries_out_what_is_called(s: BucketStage) -> None:
    goes_on_elsewhere(s, s.copy("x"))


@partitioned("CONS-PR-01", "CONS-PR-04", redundancy=0, needs=MOVES)
def a_bucket_that_moves_takes_its_entries_with_it(s: BucketStage) -> None:
    goes_on_elsewhere(s, s.without("x"))


def held_back_at_a_copy(s: BucketStage, kind: OperationKind) -> None:
    lost = s.primary("x")
    keys = s.keys_of(lost, 10)
    caller = s.copy("x")
    before = {key: s.put(caller, key) for key in keys}
    # None can return before its primary dies: some copy stands in its listener, or has yet to get there.
    updates = {key: s.hold(s.copies(key)[turn % 2], lost, key, kind) for turn, key in enumerate(keys)}
    s.crash(lost)
    for update in updates.values():
        s.release(update)
    s.settle()
    for key in keys:
        for holder in s.holders(key):
            s.holds(holder, key, before[key], updates[key])
        s.copies_agree(key)
    again = {key: s.put(caller, key) for key in keys}
    for key in keys:
        s.copies_hold(key, again[key])


@partitioned("CONS-PR-05", redundancy=2, needs=GATED_FAULTS)
def what_a_copy_still_holds_back_meets_a_new_primary(s: BucketStage) -> None:
    held_back_at_a_copy(s, OperationKind.PUT)


@partitioned("CONS-PR-05", redundancy=2, needs=GATED_FAULTS)
def a_destroy_that_a_copy_still_holds_back_meets_a_new_primary(s: BucketStage) -> None:
    held_back_at_a_copy(s, OperationKind.DESTROY)


K = Client(name="K", servers=("A",))


EACH_ITS_OWN = tuple(Client(name=name, servers=(server,)) for name, server in zip("KLM", "ABC", strict=True))
"""A client of each member: of any key, one of them holds a copy where it is served, and one does not."""


@partitioned("CONS-PR-01", needs=(*GATES, Capability.CLIENTS), clients=EACH_ITS_OWN)
def a_copy_receives_of_a_client_only_what_its_primary_has_already(s: BucketStage) -> None:
    client_of = {client.servers[0]: client.name for client in EACH_ITS_OWN}
    for turn in range(3):
        key = f"x{turn}"
        copy = s.copy(key)
        s.put(s.without(key), key)
        # The client's server holds a redundant copy; the update is held there once that copy has it.
        update = s.park(copy, client_of[copy], key)
        s.holds(s.primary(key), key, update)
        s.release(update)
        s.settle()
        s.copies_hold(key, update)


@partitioned("S2C-OPS-07", redundancy=0, needs=(Capability.CLIENTS,), clients=EACH_ITS_OWN)
def clients_receive_events_of_a_key_whose_copies_lie_elsewhere(s: BucketStage) -> None:
    for client in EACH_ITS_OWN:
        s.register(client.name)
    for key in ("x", s.elsewhere("x")):
        written = s.put(s.primary(key), key)
        again = s.put(s.without(key), key)
        gone = s.do(s.primary(key), OperationKind.DESTROY, key)
        last = s.put(s.without(key), key)
        s.settle()
        for client in EACH_ITS_OWN:
            s.log_is(client.name, key, written, again, gone, last)
            s.holds(client.name, key, last)


@partitioned("INT-BULK-02", redundancy=0, needs=(Capability.CLIENTS,), clients=(K,))
def a_bulk_load_covers_the_buckets_of_all_members(s: BucketStage) -> None:
    keys = [*(f"k{number}" for number in range(12)), "x", s.elsewhere("x")]
    written = {key: s.put(s.mid, key) for key in keys}
    s.register("K")
    for key, operation in written.items():
        s.holds("K", key, operation)


@partitioned("INT-BULK-02", redundancy=1, needs=(Capability.CLIENTS,), clients=(K,))
def a_bulk_load_of_a_list_covers_keys_wherever_they_lie(s: BucketStage) -> None:
    keys = [f"k{number}" for number in range(8)]
    written = {key: s.put(s.high, key) for key in keys}
    s.register("K", "list", "\n".join(keys[1:]))
    s.holds("K", keys[0], None)
    for key in keys[1:]:
        s.holds("K", key, written[key])
