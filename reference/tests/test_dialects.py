"""What the documents say against each other, and who owes what for it."""

from __future__ import annotations

import pytest

from plumbline.reference.catalogue.loader import all_requirements, catalogue
from plumbline.reference.catalogue.records import DIALECT_OF_DOCUMENT, Dialect, ReasonKind
from plumbline.reference.rulebook.book import Rulebook, rulebook_of
from plumbline.reference.rulebook.decision import merged
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.rulebook.dialects import CONTRADICTIONS, MODELLED, Contradiction
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.rulebook.values import each
from plumbline.reference.rulebook.variant import by_name, variant


@pytest.mark.parametrize(
    "book", [Rulebook(), rulebook_of(Dialect.GEMFIRE6), FAULTY["late-wins"].rulebook(Rulebook())]
)
def test_freeing_a_decision_changes_that_and_nothing_else(book: Rulebook):
    before = book.answers()
    for name, decision in DECISIONS.items():
        freed = book.with_free(name)
        assert freed.answers() == before | {name: decision.free}
        assert freed.replaced() == book.with_answers(**{name: decision.free}).replaced()
    assert book.answers() == before


@pytest.mark.parametrize("point", CONTRADICTIONS, ids=lambda point: point.about)
def test_what_is_owed_for_one_side_alone_is_owed_where_that_side_counts(point: Contradiction):
    assert point.earlier.document < point.later.document
    for saying in (point.earlier, point.later):
        counts = {dialect for dialect in Dialect if point.saying(dialect) is saying}
        assert saying.dialect in counts
        for requirement in saying.requirements:
            assert set(catalogue()[requirement].dialects) == counts, requirement
            told = catalogue()[requirement]
            assert saying.document in (told.document, *told.paragraph.split()), requirement


def test_whoever_owes_nothing_of_a_requirement_is_spared_by_a_contradiction_or_by_a_product():
    told = {
        requirement
        for point in CONTRADICTIONS
        for saying in (point.earlier, point.later)
        for requirement in saying.requirements
    }
    spared = {
        entry.id
        for entry in catalogue().values()
        if set(entry.dialects) != set(Dialect)
        and not (entry.reason and entry.reason.kind is ReasonKind.PRODUCT_SPECIFIC)
    }
    assert spared == told


def test_a_contradiction_is_about_a_decision_or_says_why_the_model_makes_none():
    for point in CONTRADICTIONS:
        assert bool(point.decision) != bool(point.unmodelled), point.about
        answered = (point.earlier.answer is not None, point.later.answer is not None)
        assert answered == (bool(point.decision),) * 2, point.about
        assert point.saying(point.earlier.dialect) is point.earlier
        assert point.saying(point.later.dialect) is point.later


def test_dialects_differ_in_what_is_contradicted_and_in_nothing_else():
    for dialect in Dialect:
        book = rulebook_of(dialect)
        assert book.replaced() == frozenset()
        for name, decision in DECISIONS.items():
            point = MODELLED.get(name)
            right = decision.answer if point is None else point.saying(dialect).answer
            assert getattr(book, name) is right


def test_each_document_is_the_default_where_it_is_the_older():
    for name, point in MODELLED.items():
        assert getattr(Rulebook(), name) is point.earlier.answer
        assert set(point.earlier.requirements) <= set(DECISIONS[name].requirements)


def test_a_variant_is_wrong_in_its_dialect_and_owed_there():
    for known in FAULTY.values():
        for requirement in known.requirements:
            assert known.dialect in all_requirements()[requirement].dialects, (known.name, requirement)
        assert known.rulebook(rulebook_of(known.dialect)).replaced() == known.replaces.keys()


def test_two_variants_of_one_name_are_an_error():
    one = variant("late-wins", "VER-CMP-02", "late updates are applied", applies_older=lambda: True)
    another = variant("late-wins", "VER-CMP-01", "no update is applied", applies_newer=lambda *_: False)
    assert by_name((one,)) == {"late-wins": one}
    with pytest.raises(ValueError, match="two faulty variants are called late-wins"):
        by_name((one, another))


def test_two_decisions_of_one_name_are_an_error():
    name, decision = next(iter(DECISIONS.items()))
    assert merged({name: decision}, {"another": decision}) == {name: decision, "another": decision}
    with pytest.raises(ValueError, match=f"two decisions are called {name}"):
        merged({name: decision}, {"another": decision}, {name: decision})


def test_a_sender_of_document_000_waits_and_one_of_002_may():
    assert each(rulebook_of(Dialect.GEMFIRE6).sends_while_unanswered()) == (False,)
    assert set(each(rulebook_of(Dialect.GEODE).sends_while_unanswered())) == {False, True}
    assert DIALECT_OF_DOCUMENT[MODELLED["sends_while_unanswered"].later.document] is Dialect.GEODE
