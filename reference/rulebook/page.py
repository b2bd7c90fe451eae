"""The table of docs/dialects.md: each decision, what it answers, and the paragraph in each dialect.

Made from the rulebook and the catalogue; `python -m plumbline.reference.rulebook.page` prints it.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from typing import Any

from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.catalogue.records import DIALECT_OF_DOCUMENT, Dialect
from plumbline.reference.rulebook.book import DECISIONS, Rulebook


def dialect_table() -> str:
    """The table in Markdown, one line for each requirement of each decision."""
    answers = {field.name: _answer(field.default) for field in dataclasses.fields(Rulebook)}  # type: ignore[arg-type]
    lines = [
        f"| decision | what the reference answers | requirement | {' | '.join(Dialect)} |",
        "|---|---|---|" + "---|" * len(Dialect),
    ]
    for name, decision in DECISIONS.items():
        for identity in decision.requirements:
            first = identity == decision.requirements[0]
            cells = (f"`{name}`" if first else "", answers[name] if first else "", f"`{identity}`")
            owed = (_owed(identity, dialect) for dialect in Dialect)
            lines.append(f"| {' | '.join((*cells, *owed))} |")
    return "\n".join(lines)


def _answer(decision: Callable[..., Any]) -> str:
    """What a decision's function says of itself, without the paragraphs of the documents."""
    text = (decision.__doc__ or "").strip().splitlines()[0]
    return text.rpartition(" (")[0] or text


def _owed(identity: str, dialect: Dialect) -> str:
    requirement = catalogue()[identity]
    if dialect not in requirement.dialects:
        return "not owed"
    if DIALECT_OF_DOCUMENT[requirement.document] is dialect:
        return f"{requirement.document}: {requirement.paragraph}"
    return "owed, nothing said against it"


if __name__ == "__main__":
    sys.stdout.write(dialect_table() + "\n")
