"""Naming what a wrong history breaks, within the time that there is for it."""

from __future__ import annotations

import pytest

from plumbline.reference.explain.oracle import name
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.rules.samples import VIOLATING

WRONG = VIOLATING["DISC-LSN-01"]


@pytest.fixture
def freed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The decisions of each rulebook that was made with some of them free, one after the other."""
    noted: list[tuple[str, ...]] = []
    made = Rulebook.with_free

    def noting(book: Rulebook, *names: str) -> Rulebook:
        noted.append(names)
        return made(book, *names)

    monkeypatch.setattr(Rulebook, "with_free", noting)
    return noted


def test_a_decision_is_named_whose_freeing_explains_the_history(freed: list[tuple[str, ...]]):
    named = name(WRONG, Rulebook(), time_ms=60_000)
    assert "DISC-LSN-01" in {requirement for one in named for requirement in DECISIONS[one].requirements}
    assert {(one,) for one in named} <= set(freed)


def test_without_any_time_nothing_is_named_and_no_rulebook_is_made_in_vain(freed: list[tuple[str, ...]]):
    assert name(WRONG, Rulebook(), time_ms=0) == ()
    assert freed == []
