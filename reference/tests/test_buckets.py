"""Keys of partitioned regions: what search and judge say of histories written out by hand."""

from __future__ import annotations

import pytest

from plumbline.reference.explain.oracle import find
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import (
    Called,
    ContentsAsked,
    ContentsRead,
    FaultBegun,
    FaultDone,
    Located,
    Moment,
    Returned,
    Settled,
)
from plumbline.reference.history.operations import (
    Content,
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    RegionPolicy,
    Site,
    Status,
    Topology,
)
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told as judged

PLACED = Located("r", "x", "A", ("B", "C"))
CRASH = Fault(kind=FaultKind.CRASH, member="A")
DEATH: tuple[Moment, ...] = (FaultBegun(1, CRASH), FaultDone(1, CRASH))


def put(op_id: int, member: str) -> Called:
    return Called(
        Operation(
            op_id=op_id,
            thread=f"{member}{op_id}",
            member=member,
            region="r",
            kind=OperationKind.PUT,
            key="x",
            token=f"v{op_id}",
        )
    )


def ok(op_id: int) -> Returned:
    return Returned(op_id, Outcome(Status.OK))


def reading(number: int, member: str, *tokens: str) -> tuple[Moment, ...]:
    held = tuple(Content("x", token) for token in tokens)
    return (ContentsAsked(number, member, "r"), ContentsRead(number, member, "r", held))


def told(member: str, *tokens: str, after: int = 0, before: int = 99) -> tuple[Observation, ...]:
    return tuple(
        Observation(
            Event(member=member, region="r", key="x", kind=EventKind.UPDATE, token=token), after, before
        )
        for token in tokens
    )


def history(timeline: tuple[Moment, ...], **logs: tuple[Observation, ...]) -> History:
    return History(
        topology=Topology((Site(1, ("A", "B", "C", "D")),)),
        regions=(RegionAttributes(name="r", policy=RegionPolicy.PARTITION, redundancy=2),),
        timeline=timeline,
        logs=logs,
        member_order=("A", "B", "C", "D"),
    )


CALM = (PLACED, put(1, "D"), ok(1), put(2, "B"), ok(2), Settled())


@pytest.mark.parametrize("heard", [(), ("v1",), ("v1", "v2")])
def test_a_member_without_a_copy_may_be_told_or_not_and_holds_nothing(heard: tuple[str, ...]):
    logs = {member: told(member, "v1", "v2") for member in "ABC"}
    timeline = (*CALM, *reading(1, "D"), *reading(2, "C", "v2"))
    assert judged(history(timeline, **logs, D=told("D", *heard))) is Answer.EXPLAINED
    held = (*CALM, *reading(1, "D", "v2"))
    assert judged(history(held, **logs, D=told("D", *heard))) is Answer.REFUTED


def test_a_primary_may_be_told_behind_its_copies_but_not_behind_the_return():
    logs = {member: told(member, "v1", after=2, before=2) for member in "BC"}
    timeline = (PLACED, put(1, "D"), Settled((("A", "x"),)), ok(1), Settled())
    assert judged(history(timeline, **logs, A=told("A", "v1", after=3, before=3))) is Answer.EXPLAINED
    assert judged(history(timeline, **logs, A=told("A", "v1", after=4, before=4))) is Answer.REFUTED


def test_a_copy_that_lags_behind_a_return_breaks_what_is_owed_to_callers():
    logs = {member: told(member, "v1") for member in "ABC"}
    timeline = (PLACED, put(1, "D"), ok(1), *reading(1, "C"), Settled())
    lagging = history(timeline, **logs)
    assert judged(lagging) is Answer.REFUTED
    assert find(lagging, Rulebook()).requirements[0] == "CONS-PR-04"


def test_no_copy_is_told_in_another_order_than_the_primary():
    timeline = (PLACED, put(1, "D"), put(2, "B"), ok(1), ok(2), Settled())
    logs = {"A": told("A", "v1", "v2"), "B": told("B", "v1", "v2"), "C": told("C", "v2", "v1")}
    assert judged(history(timeline, **logs)) is Answer.REFUTED


@pytest.mark.parametrize("left", ["v1", "v2"])
def test_survivors_hold_the_update_or_what_stood_there_before(left: str):
    before = (PLACED, put(1, "A"), ok(1), put(2, "A"), *DEATH, Returned(2, Outcome(Status.INDEFINITE)))
    timeline = (*before, Settled(), Located("r", "x", "B", ("C",)), *reading(1, "B", left))
    logs = {"A": told("A", "v1"), "B": told("B", "v1", "v2"), "C": told("C", "v1")}
    assert judged(history((*timeline, *reading(2, "C", left)), **logs)) is Answer.EXPLAINED
    other = "v1" if left == "v2" else "v2"
    apart = history((*timeline, *reading(2, "C", other)), **logs)
    assert judged(apart) is Answer.REFUTED
    if left == "v2":  # each kept what it had
        assert "CONS-PR-05" in find(apart, Rulebook()).requirements


def test_an_update_that_had_returned_outlasts_its_primary():
    timeline = (PLACED, put(1, "A"), ok(1), *DEATH, Settled(), Located("r", "x", "C", ("B",)))
    logs = {member: told(member, "v1") for member in "ABC"}
    assert judged(history((*timeline, *reading(1, "B", "v1")), **logs)) is Answer.EXPLAINED
    assert judged(history((*timeline, *reading(1, "B")), **logs)) is Answer.REFUTED


def test_nobody_becomes_primary_while_the_primary_lives():
    logs = {member: told(member, "v1", "v2") for member in "ABC"}
    assert judged(history((*CALM, PLACED), **logs)) is Answer.EXPLAINED
    moved = (*CALM, Located("r", "x", "B", ("A", "C")))
    assert judged(history(moved, **logs)) is Answer.REFUTED


@pytest.mark.parametrize("shown", [(), ("v1",), ("v1", "v2")])
def test_the_log_of_a_primary_that_dies_may_lack_several_updates_of_a_key(shown: tuple[str, ...]):
    calls = (
        PLACED,
        put(1, "D"),
        put(2, "A"),
        *DEATH,
        Settled(),
        ok(1),
        Returned(2, Outcome(Status.INDEFINITE)),
    )
    logs = {member: told(member, "v1", "v2", before=5) for member in "BC"}
    assert judged(history(calls, **logs, A=told("A", *shown, before=4))) is Answer.EXPLAINED
    turned = told("A", "v2", "v1", before=4)
    assert judged(history(calls, **logs, A=turned)) is Answer.REFUTED
