"""Whether peers count an event of another site that they refuse for its time is the candidate's affair."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.explain.oracle import find
from plumbline.reference.history.actions import Count, Do, Inject, Park, PlanStep, Release, Settle
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import StatisticRead
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan

COUNTER = "conflatedEvents"
LINKS = ((1, 2), (2, 1))


def put(number: int, member: str) -> Operation:
    return Operation(
        op_id=number,
        thread=f"{member}1",
        member=member,
        region="r",
        kind=OperationKind.PUT,
        key="x",
        token=f"v{number}",
    )


@pytest.fixture(scope="module")
def history() -> History:
    """A of site 1 puts; D of site 2 puts later and sends it to no member yet.

    C receives the first put and sends it to D.
    """
    queues = tuple(QueueAttributes(id=f"{a} to {b}", site=a, remote_site=b) for a, b in LINKS)
    cut, healed = (
        [Inject(Fault(kind=kind, site=a, remote_site=b)) for a, b in LINKS]
        for kind in (FaultKind.LINK_DOWN, FaultKind.LINK_UP)
    )
    steps: tuple[PlanStep, ...] = (
        *cut,
        Do(put(1, "A")),
        Park(put(2, "D"), "D"),
        *healed,
        Settle(),
        Release(2, "D"),
        Settle(),
        *(Count(member, COUNTER) for member in "CD"),
    )
    region = RegionAttributes(name="r", senders=tuple(queue.id for queue in queues))
    plan = Plan(Topology((Site(1, ("A", "B")), Site(2, ("C", "D")))), (region,), steps, queues)
    with Session(find_candidate("reference")) as session:
        return play_plan(plan, session).history


def counted(history: History, member: str, times: int) -> Answer:
    """What is said of it, had the member counted so often."""
    timeline = tuple(
        replace(what, delta=times)
        if isinstance(what, StatisticRead) and (what.member, what.name) == (member, COUNTER)
        else what
        for what in history.timeline
    )
    with Session(find_candidate("reference")) as session:
        return find(replace(history, timeline=timeline), session.book).answer


def test_the_peer_is_told_of_what_it_refuses(history: History):
    told = {member: [shown.event.token for shown in log] for member, log in history.logs.items()}
    assert told["C"] == ["v1", "v2"]
    assert told["D"] == ["v2"]


@pytest.mark.parametrize("times", [0, 1])
def test_a_peer_counts_it_or_does_not(history: History, times: int):
    assert counted(history, "D", times) is Answer.EXPLAINED


@pytest.mark.parametrize(("member", "times"), [("D", 2), ("C", 1)])
def test_nobody_counts_what_it_has_not_refused(history: History, member: str, times: int):
    assert counted(history, member, times) is Answer.REFUTED
