"""Members that take copies while others call: what may happen beside a copy (004, L16, L63; 002, L43)."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from plumbline.reference.explain import question
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History
from plumbline.reference.model.system import Model
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer, Budget, explain

DRAWN = ("a_call_ends_as_a_member_takes_a_copy", "a_member_starts_again_beside_calls")
"""Right histories of drawn plans, in which a claim about what comes first does not hold beside a copy."""

BUDGET = Budget(states=60_000)


def drawn(name: str) -> History:
    return msgspec.json.decode(Path(__file__).with_name(f"{name}.json").read_bytes(), type=History)


@pytest.mark.parametrize("name", DRAWN)
def test_what_comes_beside_a_copy_is_explained(name: str):
    assert search(drawn(name), Rulebook()).answer is Answer.EXPLAINED


@pytest.mark.parametrize("name", DRAWN)
def test_the_exhaustive_search_explains_it_too(name: str):
    asked = question.ask(drawn(name), Rulebook())
    assert judge(asked.system, asked.logs, BUDGET).answer is Answer.EXPLAINED


@pytest.mark.parametrize("name", DRAWN)
def test_claims_beside_a_copy_would_refute_it(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Model, "_meets_copies", lambda *_: False)
    asked = question.ask(drawn(name), Rulebook())
    assert explain(asked.system, asked.logs, BUDGET).answer is Answer.REFUTED


@pytest.mark.parametrize(("name", "rests"), [(DRAWN[0], (26, 31)), (DRAWN[1], (14, 33))])
def test_a_copy_is_to_be_met_from_a_settle_point_until_its_end(name: str, rests: tuple[int, int]):
    assert list(question._beside_copies(drawn(name))) == [rests]
