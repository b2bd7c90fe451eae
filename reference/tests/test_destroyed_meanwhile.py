"""A local destroy while a registration is under way: what its answer may bring then."""

from __future__ import annotations

import pytest

from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, ContentsAsked, ContentsRead, Moment, Returned, Settled
from plumbline.reference.history.operations import (
    Client,
    Content,
    Interest,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.history.registration_moments import (
    AnswerHeld,
    AnswerReleased,
    RegistrationBegun,
    RegistrationEnded,
)
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told

_REGISTERS = Interest(client="K", region="r", kind="all", specification="", policy="keys_values")
_VALUE = "v"
_KINDS = {"g": OperationKind.GET, "d": OperationKind.LOCAL_DESTROY}


def history(calls: str, holds: str) -> History:
    """A holds x. The answer of K's registration has it, and is held back while K calls.

    Args:
        calls: `g` gets x, `d` destroys it locally, `a` does so and finds nothing.
        holds: what K holds in the end: "x", or "" for nothing.
    """
    put = Operation(
        op_id=1, thread="A1", member="A", region="r", kind=OperationKind.PUT, key="x", token=_VALUE
    )
    moments: list[Moment] = [Called(put), Returned(1, Outcome(Status.OK)), Settled()]
    moments += [RegistrationBegun(number=2, interest=_REGISTERS, held=True), AnswerHeld(number=2, client="K")]
    for number, letter in enumerate(calls, 3):
        kind = _KINDS.get(letter, OperationKind.LOCAL_DESTROY)
        token = None if kind is OperationKind.GET else f"d{number}"
        call = Operation(
            op_id=number, thread=f"K{number}", member="K", region="r", kind=kind, key="x", token=token
        )
        status = Status.ABSENT if letter == "a" else Status.OK
        moments += [Called(call), Returned(number, Outcome(status, "v" if letter == "g" else None))]
    moments += [
        AnswerReleased(number=2, client="K"),
        RegistrationEnded(number=2, client="K", status=Status.OK),
    ]
    contents = (Content("x", "v"),) if holds else ()
    moments += [Settled(), ContentsAsked(1, "K", "r"), ContentsRead(1, "K", "r", contents), Settled()]
    return History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=(RegionAttributes(name="r"),),
        timeline=tuple(moments),
        logs={},
        member_order=("A", "B"),
        clients=(Client(name="K", servers=("B",)),),
        registers=False,
    )


@pytest.mark.parametrize("holds", ["", "x"])
def test_an_answer_may_bring_what_a_local_destroy_did_not_find(holds: str):
    assert told(history("a", holds)) is Answer.EXPLAINED


@pytest.mark.parametrize("calls", ["gd", "gda"])
def test_an_answer_brings_nothing_that_a_local_destroy_has_removed(calls: str):
    assert told(history(calls, "")) is Answer.EXPLAINED
    assert told(history(calls, "x")) is Answer.REFUTED
