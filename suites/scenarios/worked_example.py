"""The worked example of document 004 (L72 to L87), literally: members A < B < C, entry X at version C2.

A and C update X at the same time. Here A, B, C are the members of the lowest, middle and highest id.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

X = "X"
GATES = (Capability.LISTENER_GATES,)
GATES_AND_COUNTS = (Capability.LISTENER_GATES, Capability.STATISTICS)


def _step_1(s: Stage) -> tuple[Operation, Operation, Operation, Operation]:
    """X is at version C2; A and C update it, both undistributed. Gives version 1, C2, A3 and C3."""
    first = s.put(s.low, X)
    c2 = s.put(s.high, X)
    a3 = s.park(s.low, s.low, X)
    c3 = s.park(s.high, s.high, X)
    return first, c2, a3, c3


@scenario("EX-A3C3-01", "CONS-RR-01", needs=GATES)
def step_1_both_members_have_their_own_value_at_once(s: Stage) -> None:
    _, c2, a3, c3 = _step_1(s)
    s.holds(s.low, X, a3)
    s.holds(s.mid, X, c2)
    s.holds(s.high, X, c3)


@scenario("EX-A3C3-01", needs=GATES)
def step_1_each_update_is_version_3_of_its_own_member(s: Stage) -> None:
    *_, a3, c3 = _step_1(s)
    s.release(a3)
    s.shown_at(s.mid, a3)
    s.release(c3)
    s.settle()
    # Only between equal versions of different members the higher id decides.
    s.all_hold(X, c3)


@scenario("EX-A3C3-02", needs=GATES)
def step_2_b_applies_a3_for_the_time_being(s: Stage) -> None:
    first, c2, a3, _ = _step_1(s)
    s.release(a3)
    s.shown_at(s.mid, a3)
    s.log_is(s.mid, X, first, c2, a3)
    s.holds(s.mid, X, a3)


@scenario("EX-A3C3-03", needs=GATES_AND_COUNTS)
def step_2_c_discards_a3_and_counts_it(s: Stage) -> None:
    first, c2, a3, c3 = _step_1(s)
    s.release(a3)
    s.shown_at(s.mid, a3)
    s.settle()
    s.holds(s.high, X, c3)
    s.log_is(s.high, X, first, c2, c3)
    s.discards(high=1)


@scenario("EX-A3C3-04", needs=GATES_AND_COUNTS)
def step_3_a_and_b_overwrite_with_c3(s: Stage) -> None:
    first, c2, a3, c3 = _step_1(s)
    s.release(a3)
    s.shown_at(s.mid, a3)
    s.release(c3)
    s.settle()
    s.log_is(s.low, X, first, c2, a3, c3)
    s.log_is(s.mid, X, first, c2, a3, c3)
    s.holds(s.low, X, c3)
    s.holds(s.mid, X, c3)
    s.discards(low=0, mid=0)


@scenario("EX-A3C3-04", needs=GATES)
def step_3_a_takes_over_the_originator_of_c3(s: Stage) -> None:
    *_, a3, c3 = _step_1(s)
    b3 = s.park(s.mid, s.mid, X)
    s.release(a3)
    s.release(c3)
    s.shown_at(s.low, c3)
    s.release(b3)
    s.settle()
    # A has compared a third update of version 3 with the id of C, not with its own.
    s.all_hold(X, c3)
    s.not_told(s.low, b3)


@scenario("EX-A3C3-05", needs=GATES_AND_COUNTS)
def the_example_ends_with_c3_everywhere_in_either_order(s: Stage) -> None:
    first, c2, a3, c3 = _step_1(s)
    s.release(a3)
    s.shown_at(s.mid, a3)
    s.settle()
    s.all_hold(X, c3)
    y = "Y"
    s.put(s.high, y)
    a = s.park(s.low, s.low, y)
    c = s.park(s.high, s.high, y)
    s.release(c)
    s.shown_at(s.mid, c)
    s.settle()
    s.all_hold(y, c)
    s.not_told(s.mid, a)
    s.log_is(s.low, X, first, c2, a3, c3)
    s.discards(low=0, mid=1, high=2)
    # Version 4 of any member beats both versions 3.
    s.all_hold(X, s.put(s.mid, X))
    s.all_hold(y, s.put(s.low, y))
