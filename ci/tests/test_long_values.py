"""Long values: the harness makes them, knows them again, and notices one that has changed on its way."""

from __future__ import annotations

from typing import Any

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.history.operations import Content, Operation, OperationKind, QueueRole, QueueSight
from plumbline.reference.results.verdicts import Verdict
from plumbline.suites.harness.long_values import LongValues
from plumbline.suites.harness.session import Session
from plumbline.suites.run.playing import play
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

WHOLE = "v1" + 7 * "."


def _called(op_id: int, kind: OperationKind, **more: Any) -> Operation:
    return Operation(op_id=op_id, thread="A-1", member="A", region="region", kind=kind, key="x", **more)


PUT = _called(1, OperationKind.PUT, token="v1", value_bytes=len(WHOLE))  # noqa: S106 - a value, no password


def test_a_value_is_sent_in_full_length_and_told_by_its_token():
    values = LongValues()
    assert values.sent(PUT).token == WHOLE
    assert values.told(WHOLE) == "v1"
    assert values.contents((Content("x", WHOLE), Content("y", None))) == (
        Content("x", "v1"),
        Content("y", None),
    )
    sight = QueueSight(depth=1, role=QueueRole.PRIMARY, tokens=(WHOLE,))
    assert values.sight(sight).tokens == ("v1",)


@pytest.mark.parametrize("told", ["v1", "v1......", "v1........", "v2......."])
def test_another_value_is_not_taken_for_it(told: str):
    values = LongValues()
    values.sent(PUT)
    assert values.told(told) not in (None, "v1")


def test_a_value_that_nobody_has_put_is_cut_for_people():
    told = LongValues().told("?" * 100_000)
    assert told is not None
    assert told.startswith("?" * 40 + "… (100,000 characters")
    assert len(told) < 100


def test_what_an_operation_expects_is_sent_in_full_length_too():
    values = LongValues()
    values.sent(PUT)
    other = _called(2, OperationKind.REMOVE_IF_EQUAL, expected="v1")
    assert values.sent(other).expected == WHOLE


@pytest.mark.parametrize(
    "name",
    [
        "a_full_queue_delivers_all_that_was_called",
        "part_of_a_full_queue_is_on_disk",
        "nothing_of_a_queue_within_its_memory_is_on_disk",
    ],
)
@pytest.mark.parametrize("candidate", ["reference", "reference:chaotic"])
def test_the_reference_passes_what_fills_a_queue(candidate: str, name: str):
    with Session(find_candidate(candidate, seed=3)) as session:
        assert play(SCENARIOS[name], session, session.book).verdict is Verdict.PASS
