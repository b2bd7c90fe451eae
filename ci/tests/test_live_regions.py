"""That a listener does not hear of a live region is seen in every kind of log, though nothing was called."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.run.playing import play
from plumbline.suites.scenarios.all_scenarios import SCENARIOS
from plumbline.suites.scenarios.durable_lives import K
from plumbline.suites.scenarios.stage import Stage


def becomes_ready(stage: Stage) -> None:
    stage.register(K, durable=True)
    stage.ready(K)
    stage.settle()


def ready_and_nothing_else(candidate: str, verdict: Verdict) -> History:
    scenario = msgspec.structs.replace(SCENARIOS["a_first_start_has_a_marker"], play=becomes_ready)
    with Session(find_candidate(candidate)) as session:
        result = play(scenario, session, session.book, naming_ms=0)
    assert result.verdict is verdict
    assert result.history is not None
    return result.history


@pytest.mark.parametrize("strength", OrderStrength)
def test_a_missing_event_of_a_live_region_is_noticed_without_any_operation(strength: OrderStrength) -> None:
    right = ready_and_nothing_else("reference", Verdict.PASS)
    silent = ready_and_nothing_else("faulty:first-start-unmarked", Verdict.FAIL)
    for history, answer in ((right, Answer.EXPLAINED), (silent, Answer.REFUTED)):
        logged = msgspec.structs.replace(history, order_strength=strength, client_order_strength=strength)
        assert search(logged, Rulebook()).answer is answer
