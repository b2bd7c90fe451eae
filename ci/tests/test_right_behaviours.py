"""Right but unusual candidates, each of which passes all scenarios and explains all that machines draw.

A reference that shows the same as the calm one proves nothing, so each behaviour has to show somewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.checks.behaviour import Behaviour, by_name
from plumbline.ci.selftest.checks.behaviours import BEHAVIOURS
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.explain.remembered import remembering
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History
from plumbline.reference.history.plans import Plan, plan_words
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.playing import play
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.scenarios.all_scenarios import SCENARIOS
from plumbline.suites.scenarios.scenario import Scenario

BUDGET = Budget(states=20_000)
EXAMPLES, RULES, SEED = 4, 10, 1
RIGHT = (Verdict.PASS, Verdict.UNSUPPORTED)

TURNS = 6
"""One in so many scenarios is played with each behaviour; `--thorough` has all of them played."""


@lru_cache
def _drawn(machine: str) -> tuple[tuple[Plan, History], ...]:
    """Plans of a machine, each with what the calm reference shows."""
    found: dict[Plan, History] = {}
    with Session(find_candidate("reference")) as session:

        def execute(plan: Plan) -> None:
            if plan not in found:
                found[plan] = play_plan(plan, session).history

        offers = frozenset(session.introduction.capabilities)
        drive(
            MACHINES[machine],
            execute,
            offers=offers,
            examples=EXAMPLES,
            steps=RULES,
            draw_seed=SEED,
            shrink=False,
        )
    return tuple(found.items())


def _played(behaviour: Behaviour) -> Iterator[tuple[Plan, History]]:
    """What a behaviour is played with, besides scenarios, and what the calm reference shows there."""
    with Session(find_candidate("reference")) as session:
        for plan in behaviour.plans:
            yield plan, play_plan(plan, session).history
    for machine in behaviour.machines:
        yield from _drawn(machine)


@lru_cache
@remembering()
def _calm(scenario: str) -> History | None:
    """What the calm reference shows in a scenario."""
    with Session(find_candidate("reference")) as session:
        return play(SCENARIOS[scenario], session, session.book, naming_ms=0).history


def _owed(scenario: Scenario, session: Session) -> bool:
    return any(map(session.owes, scenario.requirements))


@pytest.mark.slow
@pytest.mark.parametrize("name", one_in(2, BEHAVIOURS))
@remembering()
def test_a_right_behaviour_is_accused_of_nothing_and_shows(name: str):
    """With every plan that is drawn, and scenarios in turn: each is played with every sixth behaviour."""
    behaviour = BEHAVIOURS[name]
    first = list(BEHAVIOURS).index(name)
    concerned = [scenario for scenario in SCENARIOS.values() if behaviour.concerns(scenario)]
    in_turn = concerned[first % TURNS :: TURNS]
    accused, shows = _accused(behaviour, in_turn, _played(behaviour))
    assert accused == []
    if not shows:
        accused, shows = _accused(behaviour, [one for one in concerned if one not in in_turn], ())
    assert accused == []
    assert shows


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("name", BEHAVIOURS)
@remembering()
def test_a_right_behaviour_is_accused_of_nothing_in_any_scenario(name: str):
    behaviour = BEHAVIOURS[name]
    accused, shows = _accused(behaviour, filter(behaviour.concerns, SCENARIOS.values()), ())
    assert accused == []
    assert shows or behaviour.plans or behaviour.machines


def _accused(
    behaviour: Behaviour, scenarios: Iterable[Scenario], plans: Iterable[tuple[Plan, History]]
) -> tuple[list[object], int]:
    """What a behaviour is accused of, and how often it shows anything else than the calm reference."""
    shows = 0
    accused: list[object] = []
    with Session(behaviour.candidate()) as session:
        for scenario in scenarios:
            if not _owed(scenario, session):
                continue
            result = play(scenario, session, session.book, naming_ms=0)
            if result.verdict not in RIGHT:
                accused.append((scenario.name, result.verdict, result.reason))
            shows += result.history is not None and result.history != _calm(scenario.name)
        for plan, calm in plans:
            history = play_plan(plan, session).history
            if search(history, session.book, BUDGET).answer is Answer.REFUTED:
                accused.append(plan_words(plan))
            shows += history != calm
    return accused, shows


def test_two_behaviours_of_one_name_are_refused():
    one = next(iter(BEHAVIOURS.values()))
    with pytest.raises(ValueError, match=one.name):
        by_name((one, one))


def test_each_behaviour_names_machines_that_there_are_and_what_allows_it():
    for behaviour in BEHAVIOURS.values():
        assert isinstance(behaviour, Behaviour)
        assert set(behaviour.machines) <= MACHINES.keys()
        assert behaviour.does
        assert behaviour.allowed
