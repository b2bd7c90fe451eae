"""Asking search and judge of a history, who must agree."""

from __future__ import annotations

from plumbline.reference.explain.engine import Answer, explain
from plumbline.reference.explain.judge import judge
from plumbline.reference.explain.question import ask
from plumbline.reference.history import History
from plumbline.reference.rulebook.book import Rulebook


def told(asked: History, book: Rulebook | None = None) -> Answer:
    """What both say; by the default rulebook, if none is given."""
    book = book or Rulebook()
    question = ask(asked, book)
    found = explain(question.system, question.logs, switched_off=book.replaced()).answer
    assert judge(question.system, question.logs).answer is found
    return found
