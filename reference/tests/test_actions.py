"""Each step of a plan has one home: its record knows its needs, its words and what is wrong with it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest

from plumbline.reference.history.action import Action
from plumbline.reference.history.actions import PlanStep
from plumbline.reference.history.fault_kinds import TRAITS, Fault, FaultKind, fault_words
from plumbline.reference.history.moments import Moment

ROOT = Path(__file__).parents[2]

GENERAL = (
    "reference/history/plan_needs.py",
    "reference/history/plan_mistakes.py",
    "suites/run/reducer.py",
    "reports/timeline.py",
)
"""Modules that treat all steps, or all moments, alike."""

MOST_MODULES = 6

SAMPLES = {"Inquire": "AttributesRead", "Read": None, "Count": None, "Await": None}
"""Steps, and the moment that only they leave, if there is one."""

PLAYERS = ("suites/machines/", "suites/scenarios/", "ci/selftest/", "docs/")
"""Where plans are made; each names the steps that it draws."""


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}


def modules_that_know(names: set[str]) -> set[str]:
    found = set()
    for folder in ("reference", "suites", "adapters", "reports", "spark", "ci"):
        for path in (ROOT / folder).rglob("*.py"):
            within = str(path.relative_to(ROOT))
            if "tests" not in path.parts and not within.startswith(PLAYERS) and names & names_in(path):
                found.add(within)
    return found


@pytest.mark.parametrize("step", get_args(PlanStep), ids=lambda step: step.__name__)
def test_each_step_says_what_it_is(step: type[Action]):
    assert issubclass(step, Action)
    assert step.words is not Action.words
    assert step.__doc__


@pytest.mark.parametrize("kind", FaultKind)
def test_each_fault_has_words_of_its_own(kind: FaultKind):
    fault = Fault(kind=kind, member="B", queue="q", site=1, remote_site=2, milliseconds=5, client="K")
    others = {fault_words(Fault(kind=other, member="B", site=1, remote_site=2)) for other in TRAITS} - {
        fault_words(Fault(kind=kind, member="B", site=1, remote_site=2))
    }
    assert "{" not in fault_words(fault)
    assert fault_words(fault) not in others


@pytest.mark.parametrize("moment", get_args(Moment), ids=lambda moment: moment.__name__)
def test_each_moment_has_words_for_people(moment: type):
    assert callable(moment.told)  # type: ignore[attr-defined]


@pytest.mark.parametrize("module", GENERAL)
def test_what_treats_all_steps_alike_names_few_of_them(module: str):
    known = names_in(ROOT / module)
    alone = {"Inquire", "Script", "Register", "Redeliver", "Count", "Read", "Host", "Look"}
    assert known & alone == set()


@pytest.mark.parametrize("step", SAMPLES)
def test_a_step_and_its_moment_are_known_to_few_modules(step: str):
    own = {"reference/history/actions.py", "reference/history/moments.py"}
    moment = SAMPLES[step]
    found = modules_that_know({step} | ({moment} if moment else set())) | own
    assert len(found) <= MOST_MODULES, sorted(found)
