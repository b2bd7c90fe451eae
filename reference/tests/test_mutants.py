"""Mutants: every decision is changed in each place where it says something, and in one at a time."""

from __future__ import annotations

from collections import Counter

import pytest

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.rulebook import mutants as module
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.rulebook.mutants import Mutant, mutants

ALL = mutants()


def wrong(function: str) -> set[str]:
    return {mutant.wrong for mutant in ALL if mutant.function == function}


def test_every_decision_has_mutants_and_no_two_are_called_alike():
    assert {mutant.decision for mutant in ALL} == DECISIONS.keys()
    assert [name for name, count in Counter(mutant.name for mutant in ALL).items() if count > 1] == []


@pytest.mark.parametrize(
    ("function", "changes"),
    [
        ("has_expired", {"age_ms > timeout_ms", "age_ms < timeout_ms", "age_ms == timeout_ms"}),
        ("applies_older", {"True"}),
        ("starts_anew", {"secondary"}),
        ("batch_of", {"max(waiting, size)", "waiting", "size"}),
        ("stamp", {"Stamp(1 if stored is None else stored.version - 1, member)"}),
        ("recipients", {"others[:-1]", "others[::-1]", "()"}),
        ("interests_kept", {"(new, *(one for one in earlier if one != new))", "(new,)"}),
        ("stays_eligible", {"missed > 1", "waited_ms <= 1"}),
        ("tombstone_read_as", {"EntryState.LIVE"}),
        ("keys_load", {"LOADS_NOTHING"}),
        ("told_to_resolver", {"told._replace(new=told.old, old=told.new)"}),
        ("settings_of", {"(*others, queue)[0]"}),
        ("dropped_for_expression", {"covered[:-1]"}),
        ("value_stored", {"stored", "None"}),
        ("expression_covers", {"re.search(expression, key) is not None"}),
    ],
)
def test_operators_constants_arguments_and_orders_are_changed(function: str, changes: set[str]):
    assert changes <= wrong(function)


def test_of_several_ways_that_are_right_none_is_taken_away():
    assert wrong("sends_at_will") == set()
    assert all("Free((False, True))" in way for way in wrong("forgets") if "Free" in way)


def test_what_another_dialect_decides_otherwise_is_changed_there():
    (own,) = [mutant for mutant in ALL if mutant.function == "forwards_invalidates"]
    assert own.dialect is Dialect.GEMFIRE6
    assert rulebook_of(own.dialect).forwards_invalidates() is False
    assert own.answer() is True


def test_a_mutant_answers_as_it_is_written():
    (one,) = [mutant for mutant in ALL if mutant.name == "has_expired: age_ms > timeout_ms"]
    assert (one.answer(10, 10), one.answer(11, 10)) == (False, True)
    assert one.right == "age_ms >= timeout_ms"


def doubles(known: int) -> int:
    """What is known."""
    return known


def grows(known: int) -> int:
    """More than what is known."""
    known += 1
    return known


def test_a_decision_that_does_more_than_answer_is_not_left_unchanged_in_silence():
    assert list(module._mutants_of("doubles", doubles, Dialect.GEODE))
    with pytest.raises(ValueError, match="grows"):
        list(module._mutants_of("grows", grows, Dialect.GEODE))


def test_a_mutant_is_a_record_of_one_change():
    for mutant in ALL:
        assert isinstance(mutant, Mutant)
        assert mutant.wrong != mutant.right
