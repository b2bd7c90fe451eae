"""Rules that need more than one site of replicates: every one against samples right and wrong."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from plumbline.ci.selftest.histories import (
    bucket_samples,
    checking_samples,
    client_right,
    client_wrong,
    durable_samples,
    failing_samples,
    gateway_right,
    gateway_wrong,
    listener_samples,
    region_samples,
    replicate_samples,
    transaction_samples,
    version_samples,
)
from plumbline.ci.selftest.histories.client_right import untold
from plumbline.ci.selftest.histories.samples import VIOLATING
from plumbline.reference.rules.rule import RuleError, RuleView, load_parts, load_rules, parse_rule
from plumbline.reference.tests.sampled import Found, judged

RIGHT = {
    f"{family}, {name}": sample
    for family, samples in (
        ("gateways", gateway_right.RIGHT),
        ("clients", client_right.RIGHT),
        ("durable clients", durable_samples.RIGHT),
        ("listeners", listener_samples.RIGHT),
        ("failing events", failing_samples.RIGHT),
        ("buckets", bucket_samples.RIGHT),
        ("checking", checking_samples.RIGHT),
        ("transactions", transaction_samples.RIGHT),
        ("replicates", replicate_samples.RIGHT),
        ("versions", version_samples.RIGHT),
        ("regions", region_samples.RIGHT),
    )
    for name, sample in samples.items()
}
WRONG = {
    f"{family}, {name}": sample
    for family, samples in (
        ("gateways", gateway_wrong.WRONG),
        ("clients", client_wrong.WRONG),
        ("durable clients", durable_samples.WRONG),
        ("listeners", listener_samples.WRONG),
        ("failing events", failing_samples.WRONG),
        ("buckets", bucket_samples.WRONG),
        ("checking", checking_samples.WRONG),
        ("transactions", transaction_samples.WRONG),
        ("replicates", replicate_samples.WRONG),
        ("versions", version_samples.WRONG),
        ("regions", region_samples.WRONG),
    )
    for name, sample in samples.items()
}
RULES = {name: rule for name, rule in load_rules().items() if name not in VIOLATING}


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
        assert violated[name] >= (2 if rule.view is RuleView.BLACK_BOX else 1), name
        assert name in tempting or rule.view is RuleView.INTERNAL, name


def test_without_the_kind_that_a_rule_names_nothing_is_an_opportunity(monkeypatch: pytest.MonkeyPatch):
    for kind in {rule.only_with for rule in RULES.values()} - {""}:
        # Asked of everything, and only those that name the kind: what the others find is nothing to this.
        asked = {
            name: msgspec.structs.replace(rule, only_with="")
            for name, rule in RULES.items()
            if rule.only_with == kind
        }
        monkeypatch.setattr("plumbline.reference.rules.judging.load_rules", lambda asked=asked: asked)
        found = judged(RIGHT | WRONG, without=kind)
        assert {rule for by_rule in found.values() for rule in by_rule} == asked.keys()
        assert {
            rule for by_rule in found.values() for rule, (chances, _) in by_rule.items() if chances
        } == set()


def test_every_part_is_used_and_a_part_that_is_not_there_is_named():
    used = {need for part in load_parts().values() for need in part.needs}
    used |= {part for rule in load_rules().values() for part in rule.parts}
    assert used == set(load_parts())
    header = (
        "-- requirement: X-01\n-- view: internal\n-- empty-start: no\n-- parts: nothing\n-- columns: seq\n"
    )
    with pytest.raises(RuleError, match=r"X-01\.sql: there is no part nothing"):
        parse_rule("X-01.sql", f"{header}-- opportunity: one\n-- violation: two\nSELECT 1")


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
