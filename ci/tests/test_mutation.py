"""The suite against slips in the rulebook: most are found out, and who survives is known and explained."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from plumbline.ci.selftest.checks.mutating import End, MutantResult, strike
from plumbline.ci.selftest.checks.survivors import Explained, Why, _by_name, explained
from plumbline.ci.selftest.commands import faulty_mutate
from plumbline.ci.selftest.commands.faulty_mutate import FaultyMutateDocument, command, sampled, tally
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.mutants import Mutant, mutants

ALL = mutants()
DRAWN = sampled(ALL, 100, 7)

LONG = (
    "collection_threshold: named",
    "drops_delivered: Free((False, True))",
    "keeps_trying: connections <= 1",
)
"""Minutes pass until these are found out: `plumbline faulty mutate` plays them."""

SAMPLE = [one for one in DRAWN if one.name not in LONG]
"""Drawn once and for all: another draw is asked for by `plumbline faulty mutate --sample 100 --seed N`."""

LEAST = 0.9
"""The share of those that differ at all from what is right that the suite has to find out."""


def mutant(decision: str, answer: Callable[..., Any]) -> Mutant:
    return Mutant(
        decision=decision, function=decision, right="", wrong="?", answer=answer, dialect=Dialect.GEODE
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "sample",
    [SAMPLE[::2], pytest.param(SAMPLE[1::2], marks=pytest.mark.thorough)],
    ids=["half", "other half"],
)
def test_nine_in_ten_of_the_mutants_drawn_are_found_out_and_the_others_explained(sample: list[Mutant]):
    # Those that are explained are known to survive, so the test need not play the whole suite on them.
    fates = [
        MutantResult(mutant=one.name, decision=one.decision, end=End.SURVIVED)
        if one.name in explained()
        else strike(one)
        for one in sample
    ]
    assert [
        fate.mutant for fate in fates if fate.end is End.SURVIVED and fate.mutant not in explained()
    ] == []
    found = tally(fates)
    assert found.mutants == len(sample)
    assert found.share >= LEAST
    assert found.broken <= found.mutants / 10, "mutants that only break the reference say little of the suite"


def test_each_survivor_is_a_mutant():
    assert explained().keys() <= {one.name for one in ALL}


@pytest.mark.slow
@pytest.mark.thorough
def test_each_survivor_still_passes_what_judges_its_decision():
    by_name = {one.name: one for one in ALL}
    caught = [strike(by_name[name], own_only=True) for name in explained()]
    assert [(fate.mutant, fate.by) for fate in caught if fate.end is not End.SURVIVED] == []


def test_what_is_right_survives_and_what_is_wrong_is_killed_by_a_test_of_its_own_requirement():
    right = Rulebook().applies_older
    assert strike(mutant("applies_older", right), own_only=True).end is End.SURVIVED
    fate = strike(mutant("applies_older", lambda: True), own_only=True)
    assert (fate.end, fate.own) == (End.KILLED, True)
    assert fate.by


@pytest.mark.parametrize(
    ("decision", "answer", "said"),
    [
        ("promoted", lambda secondaries: secondaries[9], "IndexError"),
        ("tells_removals", lambda *_: False, "no end"),
    ],
)
def test_a_mutant_that_raises_or_never_comes_to_rest_is_broken(
    decision: str, answer: Callable[..., Any], said: str
):
    fate = strike(mutant(decision, answer), own_only=True)
    assert fate.end is End.BROKEN
    assert said in fate.by


def test_the_command_tells_of_each_and_ends_with_1_for_one_that_nobody_explains(
    monkeypatch: pytest.MonkeyPatch,
):
    def fated(one: Mutant) -> MutantResult:
        end = End.SURVIVED if one.name == "queue_place: length + 1" else End.KILLED
        return MutantResult(mutant=one.name, decision=one.decision, end=end)

    monkeypatch.setattr(faulty_mutate, "explained", dict)
    # All there is would be played before it is said that one survives.
    monkeypatch.setattr(faulty_mutate, "strike", fated)
    result = CliRunner().invoke(command, ["queue_place", "--json"])
    fates = msgspec.json.decode(result.stdout.splitlines()[0], type=FaultyMutateDocument).rows
    assert [fate.mutant for fate in fates if fate.end is End.SURVIVED] == ["queue_place: length + 1"]
    assert result.exit_code == 1
    assert "survives: queue_place: length + 1" in result.stderr


def test_the_command_is_content_where_survivors_are_explained_and_may_leave_them_out():
    result = CliRunner().invoke(command, ["queue_place", "--unexplained"])
    assert result.exit_code == 0, result.output
    assert "length + 1" not in result.stdout
    assert "2 mutants: 2 killed" in result.stderr


def test_a_decision_of_no_rulebook_is_refused():
    result = CliRunner().invoke(command, ["batch_off"])
    assert result.exit_code == 2
    assert "batch_of" in result.output


def test_nobody_is_explained_twice():
    twice = (Explained(mutants=("a", "a"), why=Why.ALLOWED, because="b"),)
    with pytest.raises(msgspec.ValidationError, match="twice"):
        dict(_by_name(twice))


def test_a_sample_is_the_same_each_time_and_another_by_another_seed():
    assert sampled(ALL, 100, 7) == DRAWN
    assert sampled(ALL, 100, 8) != DRAWN
    assert len({one.name for one in DRAWN}) == 100
    assert json.dumps([one.name for one in sampled(ALL[:3], 9, 1)]) == json.dumps([m.name for m in ALL[:3]])
