from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from plumbline.reference.rules.client_right import RIGHT, untold
from plumbline.reference.rules.client_wrong import WRONG
from plumbline.reference.rules.rule import View, load_rules
from plumbline.reference.tests.sampled import Found, judged

RULES = {name: rule for name, rule in load_rules().items() if rule.only_with == "client_start"}


@pytest.fixture(scope="module")
def right() -> Found:
    return judged(RIGHT)


@pytest.fixture(scope="module")
def wrong() -> Found:
    return judged(WRONG)


@pytest.mark.parametrize("name", sorted(WRONG))
def test_a_wrong_sample_violates_what_it_says_and_nothing_else(wrong: Found, name: str):
    assert WRONG[name].violates
    assert {rule for rule, (_, bad) in wrong[name].items() if bad} == WRONG[name].violates


@pytest.mark.parametrize("name", sorted(RIGHT))
def test_no_rule_accuses_a_right_sample(right: Found, name: str):
    assert {rule for rule, (_, bad) in right[name].items() if bad} == set()


@pytest.mark.parametrize("rule", sorted(RULES))
def test_every_rule_judges_some_right_sample(right: Found, rule: str):
    assert any(found[rule][0] for found in right.values())


def test_every_rule_has_two_wrong_samples_and_a_right_one_that_looks_wrong():
    violated = Counter(rule for sample in WRONG.values() for rule in sample.violates)
    tempting = set().union(*(sample.looks_like for sample in RIGHT.values()))
    for name, rule in RULES.items():
        assert rule.view is View.BLACK_BOX
        assert violated[name] >= 2, name
        assert name in tempting, name


def test_without_clients_there_is_no_opportunity(monkeypatch: pytest.MonkeyPatch):
    asked = {name: msgspec.structs.replace(rule, only_with="") for name, rule in RULES.items()}
    monkeypatch.setattr("plumbline.reference.rules.judging.load_rules", lambda: asked)
    found = judged(RIGHT | WRONG, without="client_start")
    judging = {name for by_rule in found.values() for name, (chances, _) in by_rule.items() if chances}
    assert judging == set()


@pytest.mark.parametrize(
    ("kind", "specification", "covered"),
    [
        ("all", "", {"a", "ab", "b"}),
        ("key", "a", {"a"}),
        ("list", "a\nb", {"a", "b"}),
        ("regex", "a", {"a"}),
        ("regex", "a.*", {"a", "ab"}),
        ("regex", "a|b", {"a", "b"}),
        ("regex", "(", set()),
    ],
)
def test_the_trace_tells_which_keys_a_registration_covers(kind: str, specification: str, covered: set[str]):
    tale = untold()
    for key in ("a", "ab", "b"):
        tale.put("A", key)
    tale.register("K", specification, kind=kind)
    told = [row["key"] for row in tale.sample().rows("r", "e") if row["kind"] == "ri_key"]
    assert set(told) == covered
    tale.register("K", specification, kind=kind, register=False)
    assert [row["key"] for row in tale.sample().rows("r", "e") if row["kind"] == "ri_key"] == told
