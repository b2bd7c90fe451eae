"""Consistency checking switched on, off, or left unnamed (document 004, L43 to L51)."""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, OperationKind
from plumbline.suites.scenarios.conflicts import tie
from plumbline.suites.scenarios.scenario import scenario
from plumbline.suites.scenarios.stage import Stage


@scenario("CFG-CHECKS-01", needs=(Capability.CONFIGURATION,))
def a_region_reports_checking_by_default(s: Stage) -> None:
    for member in s.members:
        s.checks_are(member, on=True)


@scenario("CFG-CHECKS-01")
def a_region_checks_by_default(s: Stage) -> None:
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


SET = (Capability.CHECKS_SETTING, Capability.CONFIGURATION)
OTHER = "other"


@scenario("CFG-CHECKS-03", needs=SET, checks=True, also=(OTHER,), also_checks=False)
def one_region_checks_and_the_other_does_not(s: Stage) -> None:
    for member in s.members:
        s.checks_are(member, on=True)
        s.checks_are(member, on=False, region=OTHER)


@scenario("CFG-CHECKS-03", needs=SET, checks=False, also=(OTHER,), also_checks=True)
def one_region_does_not_check_and_the_other_does(s: Stage) -> None:
    for member in s.members:
        s.checks_are(member, on=False)
        s.checks_are(member, on=True, region=OTHER)


OPTED_OUT, CHECKING = "K", "L"


@scenario(
    "CFG-CHECKS-06",
    needs=(Capability.LISTENER_GATES, Capability.CLIENTS, Capability.CHECKS_SETTING),
    clients=(
        Client(name=OPTED_OUT, servers=("B",), checks=False),
        Client(name=CHECKING, servers=("B",)),
    ),
)
def a_client_that_does_not_check_is_shown_what_its_server_has_discarded(s: Stage) -> None:
    base = s.put(s.low, "x")
    s.settle()
    writer = next(member for member in s.members if member not in ("B", s.high))
    winner = s.high if s.high != "B" else "B"
    late = s.park(writer, writer, "x")
    first = s.start(winner, OperationKind.PUT, "x")
    s.shown_at("B", first)
    s.release(late)
    s.settle()
    s.all_hold("x", first)
    s.log_is(CHECKING, "x", base, first)
    s.holds(CHECKING, "x", first)
    s.log_is(OPTED_OUT, "x", base, first, late)
    s.holds(OPTED_OUT, "x", late)


UNCHECKED = (Capability.CHECKS_SETTING, Capability.STATISTICS)


@scenario("CFG-CHECKS-08", needs=UNCHECKED, checks=False)
def without_checking_a_destroy_leaves_no_tombstone(s: Stage) -> None:
    for turn, key in enumerate(("x", "y", "z")):
        s.put(s.members[turn], key)
        s.settle()
        s.do(s.members[turn - 1], OperationKind.DESTROY, key)
    s.settle()
    s.all_say("tombstoneCount", 0)


@scenario("CFG-CHECKS-08", needs=UNCHECKED, checks=False)
def without_checking_no_update_counts_as_discarded(s: Stage) -> None:
    for _ in range(3):
        for member in s.members:
            s.start(member, OperationKind.PUT, "x")
        s.settle()
    s.discards(low=0, mid=0, high=0)


def hosts_share_a_setting(s: Stage, in_force: bool) -> None:
    for member in s.members:
        s.leave(member)
        s.is_not_hosted_so(member, checks=not in_force)
        for host in s.members:
            s.checks_are(host, on=in_force)
        operation = s.put(member, member)
        s.settle()
        s.all_hold(member, operation)


@scenario("CFG-CHECKS-04", needs=SET, checks=True)
def a_member_may_not_host_a_region_unchecked_that_others_check(s: Stage) -> None:
    hosts_share_a_setting(s, in_force=True)


@scenario("CFG-CHECKS-04", needs=SET, checks=False)
def a_member_may_not_host_a_region_checked_that_others_do_not_check(s: Stage) -> None:
    hosts_share_a_setting(s, in_force=False)


@scenario("CFG-CHECKS-02", needs=(Capability.DISK, Capability.CONFIGURATION))
def a_persistent_region_does_not_do_without_checking(s: Stage) -> None:
    for member in s.members:
        s.leave(member)
    s.is_not_hosted_so(s.low, checks=False, persistent=True)
    s.checks_are(s.low, on=True)
    for member in s.members[1:]:
        s.join(member)
    s.put(s.high, "x")
