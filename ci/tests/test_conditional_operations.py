"""Operations that expect a value: they change an entry where it holds that value, and only there."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.selftest.generators import one_site, two_sites
from plumbline.ci.selftest.generators.random_trials import BOTH_SITES, draw_trial
from plumbline.ci.selftest.soundness.comparison import compare
from plumbline.reference.explain.oracle import find
from plumbline.reference.history.actions import Do, Park, PlanStep, Start
from plumbline.reference.history.moments import Returned
from plumbline.reference.history.operations import (
    DESTROYS,
    STORES_VALUE,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.history.plan_mistakes import mistakes
from plumbline.reference.history.plans import Plan, plan_words
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan

REGION = "region"
ONE = Topology((Site(1, ("A", "B")),))
PUT = OperationKind.PUT
REPLACE, REMOVE = OperationKind.REPLACE_IF_EQUAL, OperationKind.REMOVE_IF_EQUAL


def call(op_id: int, member: str, kind: OperationKind, expected: str | None = None) -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"{member}{op_id}",
        member=member,
        region=REGION,
        kind=kind,
        key="x",
        token=f"v{op_id}",
        expected=expected,
    )


def plan_of(*operations: Operation) -> Plan:
    return Plan(ONE, (RegionAttributes(name=REGION),), tuple(map(Do, operations)))


SWAPS = plan_of(
    call(1, "A", PUT),
    call(2, "B", REPLACE, "v0"),
    call(3, "B", REPLACE, "v1"),
    call(4, "A", REMOVE, "v1"),
    call(5, "A", REMOVE, "v3"),
    call(6, "B", REPLACE, "v3"),
)
DUE = ["false", "true", "false", "true", "false"]


class SaysOtherwise(ReferenceAdapter):
    """The reference, but it says of one operation the contrary of what it has done."""

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        ended = super().finish(op_id, timeout_ms)
        if ended is None or ended.value is None or op_id != 4:
            return ended
        return msgspec.structs.replace(ended, value="true")


def played(plan: Plan, adapter: Callable[[], Adapter] = ReferenceAdapter) -> Any:
    kind = find_candidate("reference").kind
    with Session(Candidate(name="expects", kind=kind, in_process=True, open=adapter)) as session:
        return play_plan(plan, session).history


def test_an_entry_changes_where_it_holds_the_expected_value():
    history = played(SWAPS)
    told = [what.outcome for what in history.timeline if isinstance(what, Returned)]
    assert told == [Outcome(Status.OK), *(Outcome(Status.OK, value) for value in DUE)]
    assert find(history, Rulebook()).answer is Answer.EXPLAINED


def test_who_says_that_it_has_changed_what_it_has_not_is_refuted():
    assert find(played(SWAPS, SaysOtherwise), Rulebook()).answer is Answer.REFUTED


def test_a_plan_says_which_value_is_expected():
    assert plan_words(SWAPS)[2] == "B (B3): replace_if_equal x v3 where it holds v1, and wait for it"


@pytest.mark.parametrize("operation", [call(1, "A", REMOVE), call(1, "A", PUT, "v0")])
def test_a_plan_is_wrong_whose_operation_lacks_a_value_or_has_one_too_many(operation: Operation):
    assert mistakes(plan_of(operation))


def _expecting(plan: Plan, draw: random.Random) -> Plan:
    """The plan with operations that expect a value in place of some others."""
    tokens = ["v0"]
    steps: list[PlanStep] = []
    for step in plan.steps:
        if isinstance(step, Do | Start | Park):
            operation = step.operation
            of_kind = REPLACE if operation.kind in STORES_VALUE else REMOVE
            if operation.kind in STORES_VALUE | DESTROYS and draw.random() < 0.5:
                expected = draw.choice(tokens[-2:])
                operation = msgspec.structs.replace(operation, kind=of_kind, expected=expected)
            tokens.append(operation.token or "v0")
            step = msgspec.structs.replace(step, operation=operation)  # noqa: PLW2901
        steps.append(step)
    return msgspec.structs.replace(plan, steps=tuple(steps))


@pytest.mark.slow
@pytest.mark.parametrize(("sites", "more"), [(1, {}), (1, {"tombstones": True}), (BOTH_SITES, {})])
def test_the_search_and_the_judge_agree_where_values_are_expected(
    monkeypatch: pytest.MonkeyPatch, sites: int, more: dict[str, bool]
):
    for generator in (one_site, two_sites):
        drawn = generator.draw_plan

        def draw_plan(draw: random.Random, shape: Any, drawn: Any = drawn) -> Plan:
            plan = drawn(draw, shape)
            lesser = any(region.policies for region in plan.regions)
            return plan if plan.clients or lesser else _expecting(plan, draw)

        monkeypatch.setattr(generator, "draw_plan", draw_plan)
    found = [compare(draw_trial(seed, sites, **more)) for seed in range(CASES)]  # type: ignore[arg-type]
    assert [one for one in found if one.disagree] == []
    assert {Answer.EXPLAINED, Answer.REFUTED} <= {one.answer for one in found}


@pytest.mark.parametrize("seed", range(60))
def test_search_and_judge_agree_beside_clients_and_on_partitioned_regions(seed: int):
    assert not compare(draw_trial(seed, comparing=True)).disagree


CASES = 25
