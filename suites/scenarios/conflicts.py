"""Conflicts between writers of one key: who wins, everywhere alike (document 004, L16 to L18, L67 to L69)."""

from __future__ import annotations

from itertools import permutations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.bulk import BULK
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    Scope,
    Status,
)
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

GATES_AND_COUNTS = (Capability.LISTENER_GATES, Capability.STATISTICS)
GATES_AND_MESSAGES = (Capability.LISTENER_GATES, Capability.MESSAGE_CONTROL)


def tie(s: Stage, key: str, one: str, other: str) -> tuple[Operation, Operation]:
    """Two members update a key at the same time; the first one's update reaches the third member first."""
    first = s.park(one, one, key)
    second = s.park(other, other, key)
    s.release(first)
    for member in s.members:
        if member not in (one, other):
            s.shown_at(member, first)
    s.release(second)
    s.settle()
    return first, second


@scenario("CONS-RR-01")
def a_writer_need_not_wait_for_a_writer_elsewhere(s: Stage) -> None:
    s.put(s.mid, "x")
    s.park(s.low, s.low, "x")
    second = s.park(s.high, s.high, "x")
    s.holds(s.high, "x", second)
    s.release(second)
    s.shown_at(s.mid, second)


@scenario("CONS-RR-02")
def both_concurrent_calls_end_normally(s: Stage) -> None:
    s.put(s.mid, "x")
    first = s.park(s.low, s.low, "x")
    second = s.park(s.high, s.high, "x")
    s.release(first)
    s.release(second)
    for operation in (first, second):
        outcome = s.finish(operation)
        if outcome.status is not Status.OK:
            raise MismatchError(
                "both calls to end ok", f"{operation.token}: {outcome.status} {outcome.detail}"
            )


@scenario("CONS-RR-03")
def a_discarded_value_is_never_read(s: Stage) -> None:
    for turn in range(12):
        key = f"x{turn}"
        s.put(s.mid, key)
        loser = s.park(s.low, s.low, key)
        winner = s.park(s.high, s.high, key)
        s.release(winner)
        s.release(loser)
        for _ in range(6):
            s.reads_only(s.get(s.high, key), (winner,))
        s.settle()
        s.not_told(s.high, loser)


@scenario("CONS-RR-04", needs=())
def all_members_end_alike(s: Stage) -> None:
    for member in s.members:
        s.put(member, "x")
        s.put(member, "y")
    gone = s.do(s.low, OperationKind.DESTROY, "y")
    again = s.do(s.mid, OperationKind.CREATE, "y")
    emptied = s.do(s.high, OperationKind.INVALIDATE, "x")
    kept = s.do(s.low, OperationKind.PUT_IF_ABSENT, "z")
    replaced = s.do(s.mid, OperationKind.REPLACE, "z")
    s.settle()
    for member in s.members:
        s.told_once(member, gone)
        s.told_once(member, kept)
    s.all_hold("x", emptied)
    s.all_hold("y", again)
    s.all_hold("z", replaced)


@scenario("CONS-RR-05")
def the_common_value_is_one_of_the_two_written(s: Stage) -> None:
    s.put(s.mid, "x")
    first, second = tie(s, "x", s.low, s.high)
    for member in s.members:
        s.holds(member, "x", first, second)


@scenario("VER-CMP-01", scope=Scope.NO_ACK)
def a_larger_version_is_applied_across_a_gap(s: Stage) -> None:
    _, second = _withheld(s)
    s.shown_at(s.mid, second)
    s.holds(s.mid, "x", second)


@scenario("VER-CMP-02", needs=GATES_AND_COUNTS, scope=Scope.NO_ACK)
def a_smaller_version_that_comes_late_is_discarded(s: Stage) -> None:
    first, second = _withheld(s)
    s.shown_at(s.mid, second)
    s.settle()
    s.all_hold("x", second)
    s.not_told(s.mid, first)
    s.discards(low=0, mid=1, high=0)
    # Had the loser left its version behind, the middle member would now be one version late.
    last = s.put(s.mid, "x")
    s.settle()
    s.all_hold("x", last)


def _withheld(s: Stage) -> tuple[Operation, Operation]:
    """The low member's update of x is withheld from the middle one; the high member updates x again.

    The middle member's listener is held at another key that the same thread put before, and messages of
    one thread to one member keep their order.
    """
    s.put(s.mid, "x")
    s.settle()
    s.park(s.mid, s.low, "gate", thread="one thread")
    first = s.start(s.low, OperationKind.PUT, "x", thread="one thread")
    s.shown_at(s.high, first)
    second = s.put(s.high, "x")
    return first, second


@scenario("VER-TIE-01")
def at_equal_versions_the_higher_id_replaces_the_lower(s: Stage) -> None:
    s.put(s.high, "x")
    _, second = tie(s, "x", s.low, s.high)
    s.all_hold("x", second)
    s.told_once(s.mid, second)
    s.told_once(s.low, second)


@scenario("VER-TIE-02", needs=GATES_AND_COUNTS)
def at_equal_versions_the_lower_id_is_dropped(s: Stage) -> None:
    s.put(s.high, "x")
    first, second = tie(s, "x", s.high, s.low)
    s.all_hold("x", first)
    s.not_told(s.mid, second)
    s.not_told(s.high, second)
    s.discards(low=0, mid=1, high=1)


@scenario("VER-TIE-03", "VER-ID-01")
def three_writers_end_with_the_highest_in_every_order(s: Stage) -> None:
    for turn, order in enumerate(permutations(s.members)):
        key = f"x{turn}"
        s.put(s.mid, key)
        writers = {member: s.park(member, member, key) for member in s.members}
        for member in order:
            s.release(writers[member])
        s.settle()
        s.all_hold(key, writers[s.high])


@scenario("VER-ID-01")
def every_pair_of_members_has_one_order_on_all_members(s: Stage) -> None:
    pairs = [(s.low, s.mid), (s.mid, s.high), (s.low, s.high)]
    for turn, (lower, higher) in enumerate(pairs):
        for way, (one, other) in enumerate(((lower, higher), (higher, lower))):
            key = f"x{turn}{way}"
            s.put(lower, key)
            writers = dict(zip((one, other), tie(s, key, one, other), strict=True))
            s.all_hold(key, writers[higher])


@scenario("VER-OPS-01")
def every_kind_of_operation_takes_part_in_the_comparison(s: Stage) -> None:
    kinds = (OperationKind.PUT, OperationKind.INVALIDATE, OperationKind.DESTROY)
    for lower in kinds:
        for higher in kinds:
            for low_first in (True, False):
                first = "lower-first" if low_first else "higher-first"
                key = f"{lower}-{higher}-{first}"
                s.put(s.mid, key)
                losing = s.park(s.low, s.low, key, lower)
                winning = s.park(s.high, s.high, key, higher)
                for operation in (losing, winning) if low_first else (winning, losing):
                    s.release(operation)
                    s.shown_at(s.mid, losing if low_first else winning)
                s.settle()
                s.all_hold(key, winning)


@scenario("VER-OPS-01", "VER-STAMP-02")
def whatever_creates_or_replaces_a_value_takes_part_in_the_comparison(s: Stage) -> None:
    put = OperationKind.PUT
    for kind in (put, OperationKind.CREATE, OperationKind.PUT_IF_ABSENT, OperationKind.REPLACE):
        key = f"x-{kind}"
        if kind is OperationKind.REPLACE:
            s.put(s.mid, key)
        # Of a new key both have version 1, with each kind of operation.
        losing = s.park(s.low, s.low, key, kind)
        winning = s.park(s.high, s.high, key, put)
        s.release(winning)
        s.shown_at(s.mid, winning)
        s.release(losing)
        s.settle()
        s.all_hold(key, winning)


@scenario("VER-OPS-01", needs=(Capability.LISTENER_GATES, Capability.BULK_OPERATIONS))
def each_of_many_keys_takes_part_in_the_comparison(s: Stage) -> None:
    for kind in BULK:
        key, other = f"{kind} x", f"{kind} y"
        s.put(s.mid, key)
        s.put(s.mid, other)
        winning = s.park(s.high, s.high, key)
        bulk, losing, alone = s.start_bulk(s.low, kind, key, other)
        s.shown_at(s.mid, losing)
        s.release(winning)
        s.finish(bulk)
        s.settle()
        s.all_hold(key, winning)
        s.all_hold(other, alone)


@scenario("VER-DUP-01", needs=GATES_AND_MESSAGES)
def a_message_delivered_again_changes_nothing(s: Stage) -> None:
    operation = s.put(s.low, "x")
    s.settle()
    s.redeliver(operation, s.mid)
    s.settle()
    s.told_once(s.mid, operation)
    s.all_hold("x", operation)
    s.all_hold("x", s.put(s.high, "x"))
