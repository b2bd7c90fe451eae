"""Naming what a wrong history breaks, within the time that there is for it."""

from __future__ import annotations

import pytest

from plumbline.ci.selftest.histories.samples import VIOLATING
from plumbline.reference.explain.fault_localization import broken, name
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.decisions import DECISIONS

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


def test_once_all_that_is_wanted_is_named_no_other_decision_is_freed(freed: list[tuple[str, ...]]):
    named = name(WRONG, Rulebook(), time_ms=60_000)
    asked = len(freed)
    sooner = name(WRONG, Rulebook(), time_ms=60_000, wanted=["DISC-LSN-01"])
    assert "DISC-LSN-01" in {requirement for one in sooner for requirement in DECISIONS[one].requirements}
    assert set(sooner) <= set(named)
    assert len(freed) - asked < asked


def test_what_is_wanted_and_not_broken_changes_nothing_of_what_is_named():
    named = name(WRONG, Rulebook(), time_ms=60_000)
    assert name(WRONG, Rulebook(), time_ms=60_000, wanted=["VER-TIE-01"]) == named
    assert broken(WRONG, Rulebook(), 60_000, ["VER-TIE-01"]) == broken(WRONG, Rulebook(), 60_000)
