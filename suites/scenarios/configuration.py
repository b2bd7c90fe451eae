"""Consistency checking switched on, off, or left unnamed (document 004, L43 to L51)."""

from __future__ import annotations

from plumbline.reference.capabilities import Capability
from plumbline.suites.scenarios.conflicts import tie
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage


@scenario("CFG-CHECKS-01", needs=(Capability.CONFIGURATION,))
def a_region_says_that_it_checks_unless_told_otherwise(s: Stage) -> None:
    for member in s.members:
        s.checks_are_on(member)


@scenario("CFG-CHECKS-01")
def a_region_checks_unless_told_otherwise(s: Stage) -> None:
    s.put(s.mid, "x")
    _, second = tie(s, "x", s.low, s.high)
    s.all_hold("x", second)
    first, _ = tie(s, "y", s.high, s.low)
    s.all_hold("y", first)


@scenario(
    "CFG-CHECKS-07",
    needs=(Capability.LISTENER_GATES, Capability.CHECKS_SETTING),
    checks=False,
)
def without_checking_each_member_holds_one_of_the_values_written(s: Stage) -> None:
    s.put(s.mid, "x")
    first, second = tie(s, "x", s.low, s.high)
    for member in s.members:
        s.holds(member, "x", first, second)
