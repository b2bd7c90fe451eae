"""A history that was explained is not explained again where many candidates are judged; any other is."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain import search_stages
from plumbline.reference.explain.remembered import remembering
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.run.playing import play
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

NAME = "what_is_sent_again_keeps_its_order"


BOOK = rulebook_of(Dialect.GEODE)


def shown() -> History:
    with Session(find_candidate("reference", seed=1)) as session:
        history = play(SCENARIOS[NAME], session, session.book, naming_ms=0).history
    assert history is not None
    return history


@pytest.fixture
def sought(monkeypatch: pytest.MonkeyPatch) -> list[History]:
    """The histories that were searched for a run, one after the other."""
    found: list[History] = []
    seek = search_stages.sought

    def counted(history: History, *rest: object, **named: object) -> object:
        found.append(history)
        return seek(history, *rest, **named)  # type: ignore[arg-type] # as they came

    monkeypatch.setattr(search_stages, "sought", counted)
    return found


def test_a_history_that_was_explained_is_explained_once(sought: list[History]):
    with remembering():
        first, second = (search(shown(), BOOK) for _ in range(2))
    assert first.answer is second.answer is Answer.EXPLAINED
    assert first.states == second.states
    assert len(sought) <= 1  # none, where another test has explained it


def test_each_is_searched_again_where_no_command_asks_to_remember(sought: list[History]):
    for _ in range(2):
        search(shown(), BOOK)
    assert len(sought) == 4  # those of the plays, too


def test_what_is_wrong_stays_wrong(sought: list[History]):
    right = shown()
    wrong = msgspec.structs.replace(right, logs=dict.fromkeys(right.logs, ()))
    sought.clear()
    with remembering():
        answers = [search(wrong, BOOK).answer for _ in range(2)]
    assert answers == [Answer.REFUTED, Answer.REFUTED]
    assert len(sought) == 2


def test_another_rulebook_is_asked_for_itself(sought: list[History]):
    history = shown()
    with remembering():
        search(history, BOOK)
        sought.clear()
        search(history, BOOK.with_free("applies_older"))
        search(history, rulebook_of(Dialect.GEMFIRE6))
    assert len(sought) == 2
