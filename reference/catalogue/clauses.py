"""Clauses of requirements: which there are, and whether each has a faulty variant that breaks it.

A test that reaches one clause of a statement says nothing of the others. So each has a variant of its own.
Those that still lack one are named in `owed.py`. Knows records alone; the variants are handed in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from plumbline.reference.catalogue.owed import OWED
from plumbline.reference.catalogue.records import Clause, Level, Requirement

WHOLE = "statement"
"""What the only clause of a statement with one demand is called."""


def clauses_of(entry: Requirement, variants: tuple[str, ...]) -> tuple[Clause, ...]:
    """The clauses of a requirement; its statement is the only one where none are named.

    Args:
        entry: the requirement.
        variants: the faulty variants that break it.
    """
    return entry.clauses or (
        Clause(id=WHOLE, says=entry.statement, variants=variants, reason=None if variants else entry.reason),
    )


def full_name(requirement: str, clause: str) -> str:
    """How a clause is named where its requirement is not."""
    return f"{requirement}:{clause}"


def clause_mistakes(entry: Requirement) -> Iterator[str]:
    """What is wrong with the clauses of a requirement, one sentence each, without knowing any variant."""
    names = [clause.id for clause in entry.clauses]
    if len(names) == 1:
        yield "a statement with one clause names none"
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"the clause {name} is given twice"
    for clause in entry.clauses:
        for need in clause.needs:
            if need in entry.capabilities:
                yield f"the clause {clause.id} needs {need}, as all of {entry.id} does: name it there alone"
        if clause.variants and clause.reason is not None:
            yield f"the clause {clause.id} has variants and a reason why there are none"


def unbroken(
    requirements: Mapping[str, Requirement],
    tested: Mapping[str, Collection[str]],
    faulty: Mapping[str, tuple[str, ...]],
    owed: Collection[str] = OWED,
) -> Iterator[str]:
    """What is wrong between the clauses and the faulty variants, one sentence each.

    Args:
        requirements: the catalogue.
        tested: for each id that a scenario or state machine judges their names.
        faulty: for each faulty variant the ids that it breaks.
        owed: the full names of the clauses that may lack a variant for now.
    """
    lacking = set()
    for entry in requirements.values():
        of_entry = tuple(name for name, broken in faulty.items() if entry.id in broken)
        clauses = clauses_of(entry, of_entry)
        for clause in clauses:
            name = full_name(entry.id, clause.id)
            for variant in clause.variants:
                if variant not in faulty:
                    yield f"{name} names the faulty variant {variant}, which does not exist"
                elif variant not in of_entry:
                    yield f"{name} names the faulty variant {variant}, which does not name {entry.id}"
            for test in set(clause.shown_by).difference(tested.get(entry.id, ())):
                yield f"{name} is shown by {test}, which does not judge {entry.id}"
            broken = clause.variants or clause.reason
            if entry.id in tested and entry.level is not Level.MAY and not broken:
                lacking.add(name)
        for variant in set(of_entry).difference(*(clause.variants for clause in clauses)):
            yield f"{variant} breaks {entry.id}, and none of its clauses names it"
    for name in sorted(lacking.difference(owed)):
        yield f"{name} has no faulty variant, no reason, and is not owed"
    for name in sorted(set(owed) - lacking):
        yield f"{name} is owed, and has a faulty variant or does not exist: take it off the list"
