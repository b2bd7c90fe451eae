"""Which calls may end without an answer, and which may not: exceptions at callers of healthy systems."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from plumbline.reference.explain.groundless import groundless
from plumbline.reference.explain.oracle import find
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import (
    Armed,
    Called,
    FaultBegun,
    FaultDone,
    Gate,
    Moment,
    Released,
    Returned,
    Scripted,
    Settled,
)
from plumbline.reference.history.operations import (
    HostPolicy,
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

UNSURE = Outcome(Status.INDEFINITE, detail="NullPointerException")


def operation(kind: OperationKind = OperationKind.PUT, op_id: int = 1, key: str = "x") -> Operation:
    return Operation(op_id=op_id, thread="A0", member="A", region="r", kind=kind, key=key, token=f"t{op_id}")


def history(*timeline: Moment, region: RegionAttributes | None = None) -> History:
    return History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=(region or RegionAttributes(name="r"),),
        timeline=timeline,
        logs={"A": (), "B": ()},
    )


PUT = (Called(operation()), Returned(1, UNSURE))
CRASH = Fault(kind=FaultKind.CRASH, member="B")
HERE = Gate("B", 2)
LESSER = RegionAttributes(name="r", policies=(HostPolicy("A", RegionPolicy.EMPTY),))


@pytest.mark.parametrize(
    "wrong",
    [
        history(*PUT),
        history(Settled(), *PUT, Settled()),
        # A gate that was released, and all has settled since.
        history(Armed(HERE), Called(operation(op_id=2)), Released(HERE), Settled(), *PUT),
        # What goes wrong later is no cause.
        history(*PUT, FaultBegun(1, CRASH), FaultDone(1, CRASH)),
        history(Scripted("A", "r", ()), *PUT),
        history(Called(operation(OperationKind.GET)), Returned(1, UNSURE)),
    ],
)
def test_an_exception_at_the_caller_of_a_healthy_system_is_refuted_and_named(wrong: History):
    found = find(wrong, Rulebook())
    assert found.answer is Answer.REFUTED
    assert found.requirements == ("CONS-RR-02",)
    assert "ended without an answer, though nothing kept it from its end: NullPointer" in found.sight


@pytest.mark.parametrize(
    "right",
    [
        history(FaultBegun(1, CRASH), FaultDone(1, CRASH), *PUT),
        history(PUT[0], FaultBegun(1, CRASH), FaultDone(1, CRASH), PUT[1]),
        history(Armed(HERE), Called(operation(op_id=2)), *PUT),
        history(PUT[0], Armed(HERE), PUT[1]),
        history(Armed(HERE), Called(operation(op_id=2)), Released(HERE), *PUT),
        history(Armed(HERE), Called(operation(op_id=2)), Settled((("B", "x"),)), *PUT),
        history(Scripted("A", "r", ("x",)), *PUT),
        history(*PUT, region=LESSER),
        history(Called(operation(OperationKind.EXPIRE_DESTROY)), Returned(1, UNSURE)),
        history(Called(operation(OperationKind.TX_COMMIT)), Returned(1, UNSURE)),
        history(Called(operation(OperationKind.DESTROY_REGION, 2, "")), *PUT),
        history(PUT[0], Returned(1, Outcome(Status.OK))),
    ],
)
def test_what_something_may_have_kept_from_its_end_may_end_so(right: History):
    assert groundless(right) is None


DONE = Outcome(Status.OK)
BEGIN, COMMIT = OperationKind.TX_BEGIN, OperationKind.TX_COMMIT


def of_transaction(kind: OperationKind, op_id: int) -> Operation:
    return Operation(op_id=op_id, thread="A0", member="A", region="r", kind=kind, key="", token=None)


def committed(
    *beside: Moment, failing: Status = Status.FAILED, first: tuple[Moment, ...] = (), put: Outcome = DONE
) -> History:
    """A transaction with one put, what happens beside it, and a commit that fails."""
    begin, commit = of_transaction(BEGIN, 1), of_transaction(COMMIT, 3)
    return history(
        *first,
        Called(begin),
        Returned(1, DONE),
        Called(operation(op_id=2)),
        Returned(2, put),
        *beside,
        Called(commit),
        Returned(3, Outcome(failing)),
    )


BESIDE = Called(replace(operation(op_id=9, key="y"), thread="B0", member="B"))


@pytest.mark.parametrize("failing", [Status.FAILED, Status.REFUSED])
def test_a_commit_that_meets_no_other_call_may_not_fail(failing: Status):
    found = find(committed(failing=failing), Rulebook())
    assert found.answer is Answer.REFUTED
    assert found.requirements == ("TX-VER-01",)
    assert "failed, though it met no other call" in found.sight


@pytest.mark.parametrize(
    "right",
    [
        committed(BESIDE),
        committed(BESIDE, Returned(9, DONE)),
        committed(first=(BESIDE,)),
        committed(Armed(HERE)),
        committed(put=Outcome(Status.REFUSED)),
        committed(failing=Status.OK),
    ],
    ids=[
        "beside one under way",
        "behind one",
        "begun beside one",
        "a gate is shut",
        "a refused put",
        "it ends well",
    ],
)
def test_a_commit_may_fail_that_may_have_met_another(right: History):
    assert groundless(right) is None
