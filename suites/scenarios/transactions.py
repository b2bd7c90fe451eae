"""Transactions: their observations before, at and behind their end, and the members that host them."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import (
    HostPolicy,
    Operation,
    OperationKind,
    RegionPolicy,
    Status,
)
from plumbline.suites.scenarios.conflicts import tie
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

BEGIN, COMMIT, ROLLBACK = OperationKind.TX_BEGIN, OperationKind.TX_COMMIT, OperationKind.TX_ROLLBACK
PUT, DESTROY, INVALIDATE = OperationKind.PUT, OperationKind.DESTROY, OperationKind.INVALIDATE

TX = (Capability.TRANSACTIONS,)
TX_AND_GATES = (*TX, Capability.LISTENER_GATES)
NORMAL, PRELOADED, EMPTY = "B", "C", "D"
KEEP_LESS = (
    HostPolicy(NORMAL, RegionPolicy.NORMAL),
    HostPolicy(PRELOADED, RegionPolicy.PRELOADED),
    HostPolicy(EMPTY, RegionPolicy.EMPTY),
)
"""Beside the only replicate, A, one member of each kind that keeps less."""


def begun(s: Stage, member: str, *calls: tuple[OperationKind, str]) -> tuple[str, list[Operation]]:
    """A transaction of these operations that is open; its thread, and they."""
    thread = f"transaction {len(s.steps)} of {member}"
    s.do(member, BEGIN, "", thread=thread)
    return thread, [s.do(member, kind, key, thread=thread) for kind, key in calls]


def committed(s: Stage, member: str, *calls: tuple[OperationKind, str]) -> list[Operation]:
    """A transaction of these operations that has been committed."""
    thread, operations = begun(s, member, *calls)
    s.do(member, COMMIT, "", thread=thread)
    return operations


def ends_well(s: Stage, commit: Operation) -> None:
    """A commit returns, and has not failed."""
    outcome = s.finish(commit)
    if outcome.status is not Status.OK:
        raise MismatchError(f"the commit at {commit.member} to end ok", f"{outcome.status} {outcome.detail}")


@scenario("TX-VER-01", needs=TX_AND_GATES)
def what_a_commit_has_changed_takes_part_in_conflicts_as_any_update(s: Stage) -> None:
    for member in s.members:
        for low_first in (True, False):
            key, other = f"x of {member} {low_first}", f"y of {member} {low_first}"
            s.put(s.mid, key)
            s.settle()
            *_, last, beside = committed(s, member, (PUT, key), (PUT, key), (PUT, other))
            s.settle()
            s.all_hold(key, last)
            s.all_hold(other, beside)
            one, two = tie(s, key, s.low, s.high) if low_first else tie(s, key, s.high, s.low)
            s.all_hold(key, two if low_first else one)


@scenario("TX-VER-01", needs=TX_AND_GATES)
def a_commit_raises_the_version_by_one_however_often_an_entry_was_touched(s: Stage) -> None:
    s.put(s.mid, "x")
    s.settle()
    thread, (*_, last) = begun(s, s.low, (PUT, "x"), (PUT, "x"), (PUT, "x"))
    plain = s.park(s.high, s.high, "x")
    commit = s.start(s.low, COMMIT, "", thread=thread)
    s.shown_at(s.mid, last)
    s.release(plain)
    ends_well(s, commit)
    s.settle()
    s.all_hold("x", plain)


@scenario("TX-VER-01", needs=TX_AND_GATES)
def a_commit_is_later_than_what_came_after_the_transaction_had_touched_the_entry(s: Stage) -> None:
    s.put(s.mid, "x")
    s.settle()
    thread, (mine,) = begun(s, s.low, (PUT, "x"))
    s.put(s.high, "x")
    other = s.put(s.high, "x")
    s.settle()
    commit = s.start(s.low, COMMIT, "", thread=thread)
    # That it met another may be a reason for the commit to fail.
    done = s.finish(commit).status is Status.OK
    s.settle()
    s.all_hold("x", mine if done else other)


@scenario("TX-VER-02", needs=TX)
def what_an_open_transaction_has_done_shows_nowhere_and_a_rollback_leaves_nothing(s: Stage) -> None:
    base = {key: s.put(s.high, key) for key in ("x", "y", "z")}
    s.settle()
    thread, inside = begun(s, s.mid, (PUT, "x"), (PUT, "x"), (DESTROY, "y"), (INVALIDATE, "z"), (PUT, "w"))

    def as_before() -> None:
        for key, operation in base.items():
            s.all_hold(key, operation)
        s.all_hold("w", None)
        for member in s.members:
            s.reads_only(s.get(member, "x"), (base["x"],))
            for operation in inside:
                s.not_told(member, operation)

    s.settle()
    as_before()
    s.do(s.mid, ROLLBACK, "", thread=thread)
    s.settle()
    as_before()
    # Had anything got a version, what is as new by another member would not replace it.
    for key in base:
        operation = s.put(s.low, key)
        s.settle()
        s.all_hold(key, operation)


@scenario("TX-VER-02", needs=TX)
def a_transaction_alone_reads_its_own_changes_until_it_commits(s: Stage) -> None:
    base = s.put(s.low, "x")
    s.settle()
    thread, (first, second, new) = begun(s, s.mid, (PUT, "x"), (PUT, "x"), (PUT, "y"))
    for key, operation in (("x", second), ("y", new)):
        s.reads_only(s.finish(s.start(s.mid, OperationKind.GET, key, thread=thread)).value, (operation,))
    s.settle()
    s.all_hold("x", base)
    s.all_hold("y", None)
    s.do(s.mid, COMMIT, "", thread=thread)
    s.settle()
    s.all_hold("x", second)
    s.all_hold("y", new)
    for member in s.members:
        s.not_told(member, first)


@scenario("TX-VER-02", needs=TX, members=4, policies=KEEP_LESS)
def a_rollback_called_on_a_member_that_keeps_less_leaves_nothing(s: Stage) -> None:
    for caller in (NORMAL, PRELOADED, EMPTY):
        key, new = f"x of {caller}", f"new of {caller}"
        base = s.put("A", key)
        s.settle()
        thread, inside = begun(s, caller, (PUT, key), (PUT, new))
        s.do(caller, ROLLBACK, "", thread=thread)
        s.settle()
        s.holds("A", key, base)
        s.holds("A", new, None)
        for member in s.members:
            for operation in inside:
                s.not_told(member, operation)


@scenario("TOMB-RETAIN-01", needs=(*TX, Capability.TOMBSTONES, Capability.STATISTICS))
def what_a_commit_destroys_leaves_a_tombstone_on_all_members(s: Stage) -> None:
    for turn, member in enumerate(s.members):
        key = f"x{turn}"
        s.put(s.mid, key)
        s.settle()
        committed(s, member, (DESTROY, key), (PUT, f"y{turn}"))
        s.settle()
        s.all_say("tombstoneCount", turn + 1)


def runs_on_the_replicate(s: Stage, caller: str) -> None:
    key = f"x of {caller}"
    s.put("A", key)
    s.settle()
    thread, (inside,) = begun(s, caller, (PUT, key))
    commit = s.hold("A", caller, "", COMMIT, thread=thread, callback="writer")
    s.stands("A", commit, "writer")
    s.not_told("A", inside)
    s.release(commit)
    s.settle()
    s.holds("A", key, inside)


DELEGATES = (*TX, Capability.CALLBACK_SCRIPTS)


@scenario("TX-DELEG-01", needs=DELEGATES, members=4, policies=KEEP_LESS)
def a_transaction_called_on_a_normal_or_an_empty_member_runs_on_a_replicate(s: Stage) -> None:
    for caller in (NORMAL, EMPTY):
        runs_on_the_replicate(s, caller)


@scenario("TX-DELEG-01", needs=DELEGATES, members=4, policies=KEEP_LESS)
def a_transaction_called_on_a_preloaded_member_runs_on_a_replicate(s: Stage) -> None:
    runs_on_the_replicate(s, PRELOADED)


@scenario(
    "TX-DELEG-01",
    needs=(*DELEGATES, Capability.LISTENER_GATES),
    policies=(HostPolicy("C", RegionPolicy.NORMAL),),
)
def what_a_replicate_commits_for_another_member_carries_its_own_id(s: Stage) -> None:
    low, high = (member for member in s.members if member != "C")
    for turn in range(4):
        key = f"x{turn}"
        s.put(low, key)
        s.settle()
        thread, (inside,) = begun(s, "C", (PUT, key))
        commit = s.hold(low, "C", "", COMMIT, thread=thread, callback="writer")
        if not s.comes_to_stand(low, commit, "writer"):
            s.settle()
            continue  # the other replicate carries it out
        plain = s.park(high, high, key)
        s.release(commit)
        s.may_be_shown_at(low, inside)
        s.release(plain)
        s.settle()
        # Both have one version. The ids of the two replicates decide, and not that of the caller.
        if s.has(low, key, plain) and s.has(high, key, inside):
            # The host's id has lost at the host, so it is the right one: the other replicate did not yield.
            raise MismatchError(
                f"the commit hosted by {low} to yield at {high}",
                "it was stored there",
                blames=("TX-CONV-01",),
            )
        s.holds(low, key, plain)
        s.holds(high, key, plain)


LOCALLY = {OperationKind.LOCAL_DESTROY: DESTROY, OperationKind.LOCAL_INVALIDATE: INVALIDATE}


def refuses_what_is_local(s: Stage, caller: str) -> None:
    for kind in LOCALLY:
        key, other = f"x of {caller} {kind}", f"y of {caller} {kind}"
        held = s.put(caller, key)
        s.settle()
        thread, (inside,) = begun(s, caller, (PUT, other))
        refused = s.do(caller, kind, key, thread=thread, expect=Status.REFUSED)
        s.do(caller, COMMIT, "", thread=thread)
        s.settle()
        s.holds("A", key, held)
        s.holds("A", other, inside)
        for member in s.members:
            s.not_told(member, refused)


LOCAL_TX = (*TX, Capability.LOCAL_OPERATIONS)


@scenario("TX-LIMIT-01", needs=LOCAL_TX, members=4, policies=KEEP_LESS)
def local_operations_are_refused_in_transactions_of_normal_members(s: Stage) -> None:
    refuses_what_is_local(s, NORMAL)


@scenario("TX-LIMIT-01", needs=LOCAL_TX, members=4, policies=KEEP_LESS)
def local_operations_are_refused_in_transactions_of_empty_members(s: Stage) -> None:
    refuses_what_is_local(s, EMPTY)


@scenario("TX-LIMIT-01", needs=LOCAL_TX, members=4, policies=KEEP_LESS)
def local_operations_are_refused_in_transactions_of_preloaded_members(s: Stage) -> None:
    refuses_what_is_local(s, PRELOADED)


@scenario("TX-LIMIT-02", needs=TX_AND_GATES, policies=(HostPolicy("C", RegionPolicy.NORMAL),))
def destroy_and_invalidate_stand_in_for_them_and_are_remembered(s: Stage) -> None:
    low, high = (member for member in s.members if member != "C")
    for kind in LOCALLY.values():
        key = f"x {kind}"
        s.put("C", key)
        s.settle()
        older = s.park(low, low, key)
        thread, _ = begun(s, "C")
        inside = s.start("C", kind, key, thread=thread)
        # In each order of commits the older version loses, or the lower id in a tie. The low member may have
        # the transaction wait for the parked event, or may report a conflict.
        if not s.returns(inside):
            s.release(older)
            s.finish(inside)
        commit = s.start("C", COMMIT, "", thread=thread)
        s.may_be_shown_at(high, inside)
        s.release(older)
        done = s.finish(commit).status is Status.OK
        s.settle()
        for member in s.members:
            s.holds(member, key, inside if done else older)


@scenario("TX-CONV-01", needs=TX_AND_GATES)
def a_commit_and_a_plain_put_at_the_same_time_end_as_the_higher_id_has_it(s: Stage) -> None:
    for plainly, transacting in ((s.high, s.low), (s.low, s.high), (s.mid, s.low), (s.mid, s.high)):
        for base in (True, False):
            key = f"x of {plainly} and {transacting} {base}"
            if base:
                s.put(s.mid, key)
                s.settle()
            thread, (inside,) = begun(s, transacting, (PUT, key))
            plain = s.park(plainly, plainly, key)
            commit = s.start(transacting, COMMIT, "", thread=thread)
            (observer,) = (member for member in s.members if member not in (plainly, transacting))
            s.shown_at(observer, inside)
            s.release(plain)
            ends_well(s, commit)
            s.settle()
            order = s.members
            s.all_hold(key, plain if order.index(plainly) > order.index(transacting) else inside)
