"""Records calls of decisions during a search, and finds which alternative answers change it.

Knows the search and rulebooks; knows nothing of what the answers are used for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plumbline.reference.explain.question import ask
from plumbline.reference.history.history import History
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Budget, explain

Asked = dict[str, set[tuple[Any, ...]]]
"""For each decision with what it was asked."""


def asked_of(history: History, book: Rulebook, budget: Budget | None = None) -> Asked:
    """What each decision of a rulebook is asked while a history is explained."""
    asked: Asked = {}
    question = ask(history, listening(book, asked))
    explain(question.system, question.logs, budget, book.replaced())
    return asked


def listening(book: Rulebook, asked: Asked) -> Rulebook:
    """The rulebook that answers alike and notes what it is asked.

    Each of its decisions counts as replaced (`Rulebook.replaced`), though it answers as the documents do, and
    that is wanted: the model then also takes the steps that it leaves out where certain decisions are as
    documented. A decision that was skipped so would not be noted as asked; another answer would seem not to
    matter.
    """
    return Rulebook(
        **{name: _listening(answer, asked.setdefault(name, set())) for name, answer in book.answers().items()}
    )


def matters(asked: Asked, book: Rulebook, name: str, answer: Callable[..., Any]) -> bool:
    """Whether this answer to a decision says anything else than the rulebook's to what was asked."""
    usual = getattr(book, name)
    return any(answer(*what) != usual(*what) for what in asked[name])


def _listening(decision: Callable[..., Any], asked: set[tuple[Any, ...]]) -> Callable[..., Any]:
    def listened(*what: Any) -> Any:
        asked.add(what)
        return decision(*what)

    return listened
