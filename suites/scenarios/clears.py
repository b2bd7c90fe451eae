"""What a clear does to a region while others write to it (document 004, L105)."""

from __future__ import annotations

from plumbline.adapters.errors import UnsupportedError
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import (
    EventKind,
    Operation,
    OperationKind,
    Status,
    TombstoneSettings,
)
from plumbline.suites.scenarios.buckets import BucketStage
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.scenario import partitioned, scenario
from plumbline.suites.scenarios.stage import Stage
from plumbline.suites.scenarios.transactions import begun

PUT, DESTROY, CLEAR = OperationKind.PUT, OperationKind.DESTROY, OperationKind.CLEAR

CLEARS = (Capability.CLEAR,)
GATES = (Capability.CLEAR, Capability.LISTENER_GATES)
HELD = (*GATES, Capability.CALLBACK_SCRIPTS)


def _under_lock(s: Stage) -> Operation:
    """A clear that stands in the cache writer, where it has the lock and has emptied nothing.

    No document has a clear ask a writer: of one that does not, this cannot be judged.
    """
    clear = s.hold(s.high, s.high, "", CLEAR, callback="writer")
    if not s.comes_to_stand(s.high, clear, "writer") and s.returns(clear):
        raise UnsupportedError("clears ask no cache writer, so that none can be held while it has the lock")
    s.stands(s.high, clear, "writer")
    return clear


@scenario("CLEAR-LOCK-01", needs=HELD)
def updates_wait_on_every_member_while_a_clear_has_the_lock(s: Stage) -> None:
    kept = s.put(s.low, "x")
    s.settle()
    clear = _under_lock(s)
    first = s.start(s.low, PUT, "y")
    second = s.start(s.mid, PUT, "x")
    own = s.start(clear.member, PUT, "z", thread="another")
    s.not_shown_at(s.low, first)
    s.not_shown_at(s.mid, second)
    s.not_shown_at(clear.member, own)
    # A read need not wait.
    s.reads_only(s.get(s.mid, "x"), (kept,))
    s.release(clear)
    s.settle()
    s.all_hold("y", first)
    s.all_hold("x", second)
    s.all_hold("z", own)


@scenario("CLEAR-LOCK-01", needs=(*HELD, Capability.TRANSACTIONS))
def a_commit_waits_while_a_clear_has_the_lock(s: Stage) -> None:
    s.put(s.low, "x")
    s.settle()
    thread, (inside,) = begun(s, s.mid, (PUT, "x"))
    clear = _under_lock(s)
    commit = s.start(s.mid, OperationKind.TX_COMMIT, "", thread=thread)
    s.not_shown_at(s.low, inside)
    s.release(clear)
    # That the entry is gone by then may be a reason for the commit to fail.
    done = s.finish(commit).status is Status.OK
    s.settle()
    try:
        s.all_hold("x", inside if done else None)
    except MismatchError as error:
        # The commit has waited for the lock; its effects are another matter.
        raise MismatchError(error.expected, error.seen, blames=("CLEAR-CONV-01",)) from None


@scenario("CLEAR-LOCK-02", needs=GATES)
def a_clear_waits_for_an_update_that_was_begun_before_it(s: Stage) -> None:
    for clearing in (s.mid, s.high):
        key = f"x-{clearing}"
        s.put(s.mid, key)
        late = s.park(s.low, s.low, key)
        clear = s.start(clearing, CLEAR, "")
        s.is_under_way(clear)
        s.release(late)
        s.settle()
        s.all_hold(key, None)


def _agree_after_a_clear(s: Stage, clearing: str) -> None:
    for member in s.members:
        s.put(member, f"before {member}")
        s.put(member, "x")
    begun = [s.start(member, PUT, f"meanwhile {member}") for member in s.members]
    s.start(clearing, CLEAR, "")
    begun += [s.start(member, PUT, "meanwhile") for member in s.members]
    s.settle()
    for member in s.members:
        s.all_hold(f"before {member}", None)
    s.all_hold("x", None)
    for key in dict.fromkeys(operation.key for operation in begun):
        s.everybody_agrees(key)
    s.all_hold("x", s.put(clearing, "x"))


# One after the other in one example they are more than can be explained where logs are in little order.
@scenario("CLEAR-CONV-01", needs=CLEARS)
def all_members_agree_after_a_clear_of_the_lowest(s: Stage) -> None:
    _agree_after_a_clear(s, s.low)


@scenario("CLEAR-CONV-01", needs=CLEARS)
def all_members_agree_after_a_clear_of_the_middle(s: Stage) -> None:
    _agree_after_a_clear(s, s.mid)


@scenario("CLEAR-CONV-01", needs=CLEARS)
def all_members_agree_after_a_clear_of_the_highest(s: Stage) -> None:
    _agree_after_a_clear(s, s.high)


@scenario("CLEAR-CONV-01", needs=GATES)
def what_is_held_back_while_a_region_is_cleared_ends_alike_everywhere(s: Stage) -> None:
    s.put(s.mid, "x")
    late = s.park(s.low, s.low, "x")
    s.start(s.high, CLEAR, "")
    s.release(late)
    s.settle()
    s.everybody_agrees("x")


@scenario("CLEAR-TOMB-01", needs=CLEARS)
def a_clear_is_announced_once_and_later_writes_are_accepted_on_all_members(s: Stage) -> None:
    puts = {key: s.put(s.low, key) for key in ("x", "y")}
    for _ in range(3):
        puts["z"] = s.put(s.mid, "z")
        gone = s.do(s.high, DESTROY, "z")
    s.settle()
    clear = s.on_region(s.mid, CLEAR)
    s.settle()
    for member in s.members:
        s.told_as(member, clear, EventKind.CLEAR)
        for key in ("x", "y"):
            s.log_is(member, key, puts[key])
        s.told_once(member, gone)
    for member, key in zip(s.members, ("x", "y", "z"), strict=True):
        s.all_hold(key, s.put(member, key))
        s.all_hold(key, s.put(s.low, key))


@scenario(
    "CLEAR-TOMB-01",
    "STAT-TOMB-01",
    needs=(Capability.CLEAR, Capability.TOMBSTONES, Capability.STATISTICS),
    tombstones=TombstoneSettings(threshold=1_000),
)
def a_clear_leaves_no_tombstones_and_drops_those_that_were_there(s: Stage) -> None:
    for key in ("x", "y"):
        s.put(s.low, key)
        s.do(s.mid, DESTROY, key)
    s.put(s.high, "z")
    s.settle()
    s.all_say("tombstoneCount", 2)
    s.on_region(s.mid, CLEAR)
    s.settle()
    s.all_say("tombstoneCount", 0)


@scenario("CLEAR-LIVE-01", needs=(*HELD, Capability.MEMBER_FAULTS))
def updates_go_on_when_the_member_has_died_that_held_the_lock(s: Stage) -> None:
    s.put(s.low, "x")
    s.settle()
    _under_lock(s)
    s.crash(s.high)
    s.all_hold("y", s.put(s.low, "y"))
    s.all_hold("x", s.put(s.mid, "x"))


@scenario("CLEAR-LIVE-01", needs=(*GATES, Capability.MEMBER_FAULTS))
def updates_go_on_when_the_member_has_died_that_waited_for_the_lock(s: Stage) -> None:
    s.put(s.low, "x")
    late = s.park(s.low, s.low, "x")
    clear = s.start(s.high, CLEAR, "")
    s.is_under_way(clear)
    s.crash(s.high)
    s.release(late)
    s.settle()
    s.all_hold("y", s.put(s.low, "y"))
    s.all_hold("x", s.put(s.mid, "x"))


def _updates_go_on(s: Stage) -> None:
    for member in s.members:
        key = f"x of {member}"
        update = s.put(member, key)
        s.settle()
        s.all_hold(key, update)


@scenario("CLEAR-LIVE-01", needs=CLEARS)
def updates_go_on_when_a_clear_has_returned(s: Stage) -> None:
    s.put(s.low, "x")
    s.on_region(s.mid, CLEAR)
    _updates_go_on(s)


@scenario("CLEAR-LIVE-01", needs=(*CLEARS, Capability.CALLBACK_SCRIPTS))
def updates_go_on_when_a_clear_has_failed(s: Stage) -> None:
    """A cache writer refuses it. A clear that asks no writer returns, and updates go on as well."""
    kept = s.put(s.low, "x")
    s.refuse(s.mid, "")
    cleared = s.finish(s.start(s.mid, CLEAR, "")).status is Status.OK
    s.settle()
    s.all_hold("x", None if cleared else kept)
    _updates_go_on(s)


@partitioned("CLEAR-SCOPE-01", needs=CLEARS)
def a_clear_that_is_refused_changes_nothing(s: BucketStage) -> None:
    keys = ("x", s.elsewhere("x"))
    kept = {key: s.put(s.without(key), key) for key in keys}
    s.settle()
    for member in s.members:
        if s.finish(s.start(member, CLEAR, "")).status is Status.OK:
            raise UnsupportedError("the candidate offers clears of partitioned regions, which are not judged")
        for key, operation in kept.items():
            s.copies_hold(key, operation)
