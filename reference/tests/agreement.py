"""Asking search and judge of a history, who must agree."""

from __future__ import annotations

from plumbline.reference.explain.question import ask
from plumbline.reference.history.history import History
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer, explain


def told(asked: History, book: Rulebook | None = None, *, tries_again: bool = False) -> Answer:
    """What both say; by the default rulebook, if none is given."""
    book = book or Rulebook()
    question = ask(asked, book, tries_again=tries_again)
    found = explain(question.system, question.logs, switched_off=book.replaced()).answer
    assert judge(question.system, question.logs).answer is found
    return found
