"""Certificates: the run by which the search explains a history is one of the model, step by step."""

from __future__ import annotations

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.generators.drawn_plans import play_drawn
from plumbline.ci.selftest.generators.random_trials import draw_trial
from plumbline.ci.selftest.soundness import comparison
from plumbline.ci.selftest.soundness.comparison import SEARCH_BUDGET, compare
from plumbline.reference.explain.certificates import certificate, checked, noting_runs
from plumbline.reference.explain.question import Question, ask
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.run_checker import check_run
from plumbline.reference.search.search import Answer, Explanation, explain
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.run.playing import play
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

PLANS, SEED = 3, 2


@pytest.mark.parametrize("machine", MACHINES)
def test_the_model_takes_each_run_found_for_what_a_machine_draws(machine: str):
    drawn = play_drawn(machine, "reference:chaotic", PLANS, SEED, checks_runs=True)
    assert drawn.examples
    assert (drawn.broken_runs, drawn.unchecked_runs) == ((), 0)


@pytest.mark.slow
def test_the_model_takes_each_run_found_for_a_scenario():
    broken, explained = [], 0
    with Session(find_candidate("reference")) as session:
        for scenario in SCENARIOS.values():
            with noting_runs() as runs:
                play(scenario, session, session.book, naming_ms=0)
            explained += len(runs)
            if (run := runs.broken()) is not None:
                broken.append((scenario.name, run.words))
    assert broken == []
    assert explained > len(SCENARIOS) / 2


def drawn(seed: int) -> tuple[History, Question, Explanation]:
    history = draw_trial(seed).history
    question = ask(history, Rulebook())
    return history, question, explain(question.system, question.logs, SEARCH_BUDGET)


def explained() -> tuple[History, Question, Explanation]:
    """The first that is explained."""
    return next(one for one in map(drawn, range(50)) if one[2].answer is Answer.EXPLAINED)


def test_a_run_does_not_hold_for_another_history():
    found = [drawn(seed) for seed in range(12)]
    right = [one for one in found if one[2].answer is Answer.EXPLAINED]
    assert len(right) > len("abc")
    for history, question, run in right:
        assert checked(question, run).holds
        for other, asked, _ in right:
            assert other is history or not checked(asked, run).holds


def test_no_moment_of_the_harness_can_be_left_out():
    _, question, found = explained()
    run = certificate(found)
    moments = [at for at, name in enumerate(run) if name[0] == "harness"]
    assert len(moments) > len("abc")
    for at in moments:
        assert not check_run(question.system, question.logs, run[:at] + run[at + 1 :]).holds


def test_a_run_that_is_none_of_the_models_is_a_disagreement(monkeypatch: pytest.MonkeyPatch):
    """The search is made to lose the second half of each run."""
    trial = next(trial for trial in map(draw_trial, range(50)) if compare(trial).answer is Answer.EXPLAINED)
    assert not compare(trial).disagree
    monkeypatch.setattr(comparison, "explain", lambda *given: cut(explain(*given)))
    found = compare(trial)
    assert found.broken_run
    assert found.disagree


def cut(found: Explanation) -> Explanation:
    return Explanation(found.answer, found.states, run=found.run[: len(found.run) // 2])


def test_runs_are_noted_only_where_that_is_asked_for():
    history, _, _ = explained()
    with noting_runs() as runs:
        assert search(history, Rulebook()).answer is Answer.EXPLAINED
    search(history, Rulebook())
    assert len(runs) == 1
    assert runs.broken() is None
