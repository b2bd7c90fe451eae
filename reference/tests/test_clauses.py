"""Clauses of requirements: what may be said of them, and that those without a faulty variant get fewer."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.clauses import WHOLE, clause_mistakes, clauses_of, unbroken
from plumbline.reference.catalogue.loader import CatalogueError, catalogue, read
from plumbline.reference.catalogue.owed import OWED
from plumbline.reference.catalogue.records import Clause, Level, Reason, ReasonKind, Requirement

MOST_OWED = 0
"""Lower it whenever the list gets shorter; it never gets longer."""

ENTRY = catalogue()["VER-TIE-01"]
SIZE = Clause(id="size", says="size leaves it out", variants=("counts-all",))
GET = Clause(id="get", says="get finds nothing", variants=("finds-all",))
FAULTY = {"counts-all": (ENTRY.id,), "finds-all": (ENTRY.id,)}
TESTED = {ENTRY.id: ("a scenario",)}


def with_clauses(*clauses: Clause, level: Level = Level.MUST) -> Requirement:
    return msgspec.structs.replace(ENTRY, clauses=clauses, level=level)


def wrong(
    entry: Requirement, faulty: Mapping[str, tuple[str, ...]] = FAULTY, owed: tuple[str, ...] = ()
) -> list[str]:
    return list(unbroken({entry.id: entry}, TESTED, faulty, owed))


def test_the_clauses_that_are_owed_only_get_fewer():
    assert len(OWED) == MOST_OWED


def test_a_statement_without_clauses_is_the_only_one_and_every_variant_breaks_it():
    assert clauses_of(ENTRY, ("tie-keeps-own",)) == (
        Clause(id=WHOLE, says=ENTRY.statement, variants=("tie-keeps-own",)),
    )


def test_clauses_that_each_have_a_variant_are_right():
    assert wrong(with_clauses(GET, SIZE)) == []


def test_a_variant_that_does_not_exist_is_told():
    assert (
        "names the faulty variant finds-all, which does not exist"
        in wrong(with_clauses(GET, SIZE), {"counts-all": (ENTRY.id,)})[0]
    )


def test_a_variant_that_breaks_something_else_is_told():
    found = wrong(with_clauses(GET, SIZE), {**FAULTY, "finds-all": ("VER-TIE-02",)})
    assert found == ["VER-TIE-01:get names the faulty variant finds-all, which does not name VER-TIE-01"]


def test_a_variant_that_no_clause_names_is_told():
    found = wrong(with_clauses(GET, SIZE), {**FAULTY, "third": (ENTRY.id,)})
    assert found == ["third breaks VER-TIE-01, and none of its clauses names it"]


def test_a_scenario_that_does_not_judge_the_requirement_is_told():
    shown = msgspec.structs.replace(GET, shown_by=("another scenario",))
    assert wrong(with_clauses(shown, SIZE)) == [
        "VER-TIE-01:get is shown by another scenario, which does not judge VER-TIE-01"
    ]


@pytest.mark.parametrize("level", [Level.MUST, Level.SHOULD])
def test_a_clause_without_a_variant_has_to_be_owed(level: Level):
    entry = with_clauses(GET, SIZE, Clause(id="keys", says="its keys leave it out"), level=level)
    assert wrong(entry) == ["VER-TIE-01:keys has no faulty variant, no reason, and is not owed"]
    assert wrong(entry, owed=("VER-TIE-01:keys",)) == []


def test_a_clause_that_may_be_needs_no_variant_nor_does_one_with_a_reason():
    bare = Clause(id="keys", says="its keys leave it out")
    reason = Reason(kind=ReasonKind.INTERNAL_VIEW, text="It shows only inside a member.")
    assert wrong(with_clauses(GET, SIZE, bare, level=Level.MAY)) == []
    assert wrong(with_clauses(GET, SIZE, msgspec.structs.replace(bare, reason=reason))) == []


@pytest.mark.parametrize("owed", ["VER-TIE-01:get", "VER-TIE-01:nothing", "NO-SUCH-01:get"])
def test_what_is_owed_and_has_a_variant_or_does_not_exist_is_told(owed: str):
    assert wrong(with_clauses(GET, SIZE), owed=(owed,)) == [
        f"{owed} is owed, and has a faulty variant or does not exist: take it off the list"
    ]


def test_what_a_clause_says_against_its_own_requirement_is_told():
    reason = Reason(kind=ReasonKind.INTERNAL_VIEW, text="It shows only inside a member.")
    need = ENTRY.capabilities[0]
    told = clause_mistakes(
        with_clauses(
            msgspec.structs.replace(GET, needs=(need,)), GET, msgspec.structs.replace(SIZE, reason=reason)
        )
    )
    assert list(told) == [
        "the clause get is given twice",
        f"the clause get needs {need}, as all of VER-TIE-01 does: name it there alone",
        "the clause size has variants and a reason why there are none",
    ]
    assert list(clause_mistakes(with_clauses(GET))) == ["a statement with one clause names none"]


def test_the_loader_refuses_clauses_that_are_wrong():
    text = msgspec.yaml.encode([with_clauses(GET)]).decode()
    with pytest.raises(CatalogueError, match="VER-TIE-01: a statement with one clause names none"):
        read(text, "some.yaml")


def test_no_need_of_a_clause_is_unknown():
    needed = {need for entry in catalogue().values() for clause in entry.clauses for need in clause.needs}
    assert needed <= set(Capability)
    assert needed
