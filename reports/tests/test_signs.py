"""The words for verdicts, and the document that lists them."""

from __future__ import annotations

from pathlib import Path

from plumbline.reference.results.verdicts import MEANING, Verdict
from plumbline.reports.signs import EXIT_MEANING, SIGNS, meaning_table

DOCUMENT = Path(__file__).parents[2] / "docs" / "verdicts.md"


def test_every_verdict_has_a_sign_and_they_stand_in_the_order_of_their_ranks() -> None:
    assert set(SIGNS) == set(Verdict)
    ranks = [MEANING[verdict].rank for verdict in SIGNS]
    assert ranks == sorted(ranks, reverse=True)
    assert all(sign.word == verdict.value for verdict, sign in SIGNS.items())


def test_every_exit_code_of_the_table_has_words() -> None:
    assert set(EXIT_MEANING) == {meaning.exit_code for meaning in MEANING.values()}


def test_the_table_in_the_document_is_the_one_in_the_code() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    _, _, behind = text.partition("meaning_table -->\n")
    table, _, _ = behind.partition("<!-- end -->")
    assert table == meaning_table(), f"write this table into {DOCUMENT.name}:\n{meaning_table()}"
