"""Copies under way: what the machine draws is judged as the exhaustive search judges it, right or wrong."""

from __future__ import annotations

import pytest

from plumbline.adapters.reference.limits import CAPABILITIES
from plumbline.ci.selftest.generators.drawn_plans import play_drawn
from plumbline.reference.explore.findings import explore
from plumbline.reference.explore.programs import programs
from plumbline.reference.explore.scopes import SHAPES
from plumbline.reference.explore.topics import ExploreScope, Topic
from plumbline.reference.history.actions import Do, Inject, Park
from plumbline.reference.history.join_actions import BeginJoin, EndJoin, ReleaseCopy
from plumbline.reference.history.plans import Plan
from plumbline.reference.model.pending_copies import PendingCopies
from plumbline.reference.rulebook.book import Rulebook
from plumbline.suites.machines.all_machines import MACHINES, drive


@pytest.mark.parametrize("seed", [3, 11])
def test_no_right_run_is_accused_and_each_run_found_is_the_models(seed: int):
    drawn = play_drawn("copies_under_way", "reference:chaotic", cases=60, seed=seed, checks_runs=True)
    assert (drawn.examples, drawn.refuted, drawn.unknown, drawn.broken_runs) == (60, (), (), ())


def test_the_machine_draws_copies_beside_all_that_members_call_and_beside_deaths():
    plans: list[Plan] = []
    drive(
        MACHINES["copies_under_way"],
        plans.append,
        offers=frozenset(CAPABILITIES),
        examples=80,
        steps=30,
        draw_seed=5,
        shrink=False,
    )
    kinds = {type(step) for plan in plans for step in plan.steps}
    assert kinds >= {BeginJoin, EndJoin, ReleaseCopy, Do, Park, Inject}
    assert {step.held for plan in plans for step in plan.steps if isinstance(step, BeginJoin)} == {
        True,
        False,
    }
    both = [
        plan for plan in plans if {s.member for s in plan.steps if isinstance(s, BeginJoin)} == {"C", "D"}
    ]
    assert both


def test_a_copy_that_misses_what_was_on_its_way_to_its_provider_breaks_convergence(
    monkeypatch: pytest.MonkeyPatch,
):
    """What was sent before a member takes part reaches it by the copy alone."""
    program = next(
        one
        for one in programs(SHAPES[Topic.COPIES, ExploreScope.SMALL][0])
        if str(one).startswith("put by A")
    )
    assert explore(program, Rulebook()).findings == ()
    monkeypatch.setattr(PendingCopies, "_late", lambda *_: set())
    assert "CONS-RR-04" in {finding.requirement for finding in explore(program, Rulebook()).findings}
