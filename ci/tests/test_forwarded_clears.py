"""Clears called where the region is not replicated: a replicate carries them out, under its lock."""

from __future__ import annotations

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.explain.oracle import find
from plumbline.reference.history.actions import Await, Do, Park, PlanStep, Release, Settle, Start
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import (
    HostPolicy,
    Operation,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan

REGION = "region"
LESSER = RegionAttributes(
    name=REGION, policies=(HostPolicy("B", RegionPolicy.NORMAL), HostPolicy("C", RegionPolicy.EMPTY))
)
PUT, CLEAR, DESTROY = OperationKind.PUT, OperationKind.CLEAR, OperationKind.DESTROY


def call(op_id: int, member: str, kind: OperationKind, key: str = "") -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"{member}{op_id}",
        member=member,
        region=REGION,
        kind=kind,
        key=key,
        token=f"v{op_id}",
    )


def played(candidate: str, seed: int, *steps: PlanStep) -> History:
    plan = Plan(Topology((Site(1, ("A", "B", "C")),)), (LESSER,), steps)
    with Session(find_candidate(candidate, seed=seed)) as session:
        return play_plan(plan, session).history


def held_clear(caller: str, *meanwhile: PlanStep) -> tuple[PlanStep, ...]:
    """A clear of this member is held in the writer of the replicate, and let go behind these steps."""
    clear = call(2, caller, CLEAR)
    before = Do(call(1, "B", PUT, "x"))
    return (before, Settle(), Park(clear, "A", "writer"), *meanwhile, Release(2, "A", "writer"), Settle())


ON_THE_REPLICATE = call(3, "A", PUT, "y")


@pytest.mark.parametrize("caller", ["A", "B", "C"])
@pytest.mark.parametrize("seed", range(6))
def test_whatever_is_called_while_a_clear_has_the_lock_is_explained(caller: str, seed: int):
    others = [call(4, "B", PUT, "x"), call(5, "C", PUT, "y"), call(6, "B", DESTROY, "x")]
    meanwhile = (ON_THE_REPLICATE, *others[seed % 3 :])
    history = played("reference:chaotic", seed, *held_clear(caller, *map(Start, meanwhile)))
    assert find(history, Rulebook()).answer is Answer.EXPLAINED


@pytest.mark.parametrize("caller", ["B", "C"])
def test_an_update_of_the_replicate_that_does_not_wait_is_refuted(caller: str):
    steps = held_clear(caller, Start(ON_THE_REPLICATE), Await(ON_THE_REPLICATE.op_id, "A"))
    found = find(played("faulty:forwarded-clear-takes-no-lock", 1, *steps), Rulebook())
    assert found.answer is Answer.REFUTED
    assert "CLEAR-NR-01" in found.requirements
    right = played("reference", 1, *steps)
    assert find(right, Rulebook()).answer is Answer.EXPLAINED
