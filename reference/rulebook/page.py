"""The tables of docs/dialects.md: what the documents say against each other, and each decision by dialect.

Made from the rulebook and the catalogue; `python -m plumbline.reference.rulebook.page` prints it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.catalogue.records import DIALECT_OF_DOCUMENT, Dialect
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.rulebook.dialects import CONTRADICTIONS, MODELLED, Contradiction, Saying


def contradictions_table() -> str:
    """Every point where two documents contradict each other, in Markdown."""
    lines = [
        "| about | the older says | the newer says | in the rulebook |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {point.about} | {_said(point.earlier)} | {_said(point.later)} | {_modelled(point)} |"
        for point in CONTRADICTIONS
    ]
    return "\n".join(lines)


def _said(saying: Saying) -> str:
    ids = f" ({', '.join(f'`{one}`' for one in saying.requirements)})" if saying.requirements else ""
    return f"{saying.document}, {saying.paragraph}: {saying.words}{ids}"


def _modelled(point: Contradiction) -> str:
    return f"`{point.decision}`" if point.decision else f"nothing: {point.unmodelled}"


def dialect_table() -> str:
    """The table in Markdown, one line for each requirement of each decision."""
    lines = [
        f"| decision | what the reference answers | requirement | {' | '.join(Dialect)} |",
        "|---|---|---|" + "---|" * len(Dialect),
    ]
    for name, decision in DECISIONS.items():
        for identity in decision.requirements:
            first = identity == decision.requirements[0]
            cells = (f"`{name}`" if first else "", _answer(decision.answer) if first else "", f"`{identity}`")
            owed = (_owed(name, identity, dialect) for dialect in Dialect)
            lines.append(f"| {' | '.join((*cells, *owed))} |")
    return "\n".join(lines)


def _answer(decision: Callable[..., Any]) -> str:
    """What a decision's function says of itself, without the paragraphs of the documents."""
    text = (decision.__doc__ or "").strip().splitlines()[0]
    return text.rpartition(" (")[0] if text.endswith(").") else text.removesuffix(".")


def _owed(name: str, identity: str, dialect: Dialect) -> str:
    requirement = all_requirements()[identity]
    if dialect not in requirement.dialects:
        point = MODELLED.get(name) or _contradicted(identity)
        saying = point.saying(dialect)
        otherwise = saying.words
        if point.decision:
            otherwise = _answer(getattr(rulebook_of(dialect), point.decision)).rpartition(": ")[2]
        return f"not owed: {otherwise} ({saying.document}: {saying.paragraph})"
    if DIALECT_OF_DOCUMENT[requirement.document] is dialect:
        return f"{requirement.document}: {requirement.paragraph}"
    return "owed, nothing said against it"


def _contradicted(identity: str) -> Contradiction:
    """The contradiction in which one side says what a requirement demands."""
    return next(
        point
        for point in CONTRADICTIONS
        if identity in (*point.earlier.requirements, *point.later.requirements)
    )


if __name__ == "__main__":
    sys.stdout.write(f"{contradictions_table()}\n\n{dialect_table()}\n")
