"""What listeners and statistics show of conflicts (document 004, L71, L77 to L79)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.suites.scenarios.conflicts import tie
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage

COUNTS = (Capability.STATISTICS,)
GATES_AND_COUNTS = (Capability.LISTENER_GATES, Capability.STATISTICS)


@scenario("DISC-LSN-01")
def listeners_see_what_is_applied_once_and_nothing_that_is_discarded(s: Stage) -> None:
    base = s.put(s.mid, "x")
    first, second = tie(s, "x", s.low, s.high)
    s.log_is(s.low, "x", base, first, second)
    s.log_is(s.mid, "x", base, first, second)
    s.log_is(s.high, "x", base, second)
    base = s.put(s.mid, "y")
    first, second = tie(s, "y", s.high, s.low)
    s.log_is(s.low, "y", base, second, first)
    s.log_is(s.mid, "y", base, first)
    s.log_is(s.high, "y", base, first)


@scenario("DISC-APPLIED-01")
def what_is_applied_and_overwritten_is_announced_too(s: Stage) -> None:
    base = s.put(s.high, "x")
    first, second = tie(s, "x", s.low, s.high)
    s.log_is(s.mid, "x", base, first, second)


@scenario("STAT-CONFLATED-01", needs=GATES_AND_COUNTS)
def discarded_updates_are_counted_and_applied_ones_are_not(s: Stage) -> None:
    for member in s.members:
        s.put(member, "x")
    s.settle()
    s.discards(low=0, mid=0, high=0)
    tie(s, "x", s.low, s.high)
    s.discards(low=0, mid=0, high=1)


@scenario("STAT-CONFLATED-02", needs=GATES_AND_COUNTS)
def the_member_that_counts_depends_on_the_order_of_arrival(s: Stage) -> None:
    s.put(s.mid, "x")
    tie(s, "x", s.low, s.high)
    s.discards(low=0, mid=0, high=1)
    s.put(s.mid, "y")
    tie(s, "y", s.high, s.low)
    s.discards(low=0, mid=1, high=2)
