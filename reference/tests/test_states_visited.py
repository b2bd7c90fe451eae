"""How many states a search says that it has visited: those of all its efforts, not of the last alone."""

from __future__ import annotations

import pytest

from plumbline.ci.selftest.generators.random_trials import draw_trial
from plumbline.reference.explain.search_stages import search
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search import search as search_module
from plumbline.reference.search.search import Budget

EFFORTS = 40
"""An effort that is given up counts the state at which it stops, which it does not look at."""


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The positions whose successors were asked for, one after the other."""
    found: list[object] = []
    successors = search_module._successors

    def noted(system: object, cursor: object, here: object, *more: object) -> object:
        found.append(here)
        return successors(system, cursor, here, *more)  # type: ignore[arg-type] # as they came

    monkeypatch.setattr(search_module, "_successors", noted)
    return found


@pytest.mark.parametrize("states", [300, 20_000])
def test_all_efforts_count(looked_at: list[object], states: int):
    several = 0
    for seed in range(12):
        looked_at.clear()
        found = search(draw_trial(seed, 2).history, Rulebook(), Budget(states=states))
        assert len(looked_at) <= found.visited <= len(looked_at) + EFFORTS
        several += found.before > 0
    assert several, "no history took more than one effort"
