from __future__ import annotations

from pathlib import Path

from plumbline.reference.catalogue.records import DOCUMENTS
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.rulebook.page import contradictions_table, dialect_table

PAGE = Path(__file__).parents[2] / "docs" / "dialects.md"


def test_the_table_of_dialects_is_what_rulebook_and_catalogue_say():
    told = PAGE.read_text(encoding="utf-8")
    command = "python -m plumbline.reference.rulebook.page"
    assert contradictions_table() in told, f"put into docs/dialects.md what `{command}` prints"
    assert dialect_table() in told, f"put into docs/dialects.md what `{command}` prints"


def test_every_decision_has_a_line_with_an_answer_and_a_paragraph():
    lines = dialect_table().splitlines()[2:]
    assert len(lines) == sum(len(decision.requirements) for decision in DECISIONS.values())
    for name in DECISIONS:
        (line,) = (line for line in lines if line.startswith(f"| `{name}` |"))
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == 6
        assert all(cells), line
        assert any(cell.startswith(tuple(f"{document}: " for document in DOCUMENTS)) for cell in cells[3:])
