"""Which requirements a right history proves: those of which it would have shown a violation.

Knows the search and the faulty variants; knows nothing of candidates, nor how a wrong history is judged.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

from plumbline.reference.explain.engine import Answer, Budget, explain
from plumbline.reference.explain.question import ask
from plumbline.reference.history import History
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty import FAULTY
from plumbline.reference.rulebook.variant import FaultyVariant

EXERCISE_BUDGET = Budget(states=1_000)
"""How far a variant is searched; one that is not decided then proves nothing.

Counted in states only, so that what is exercised does not depend on the machine. Of what three times as many
states refute, this refutes all but a few in a hundred (docs/benchmarks.md).
"""


def exercised(history: History, requirements: Iterable[str], book: Rulebook) -> frozenset[str]:
    """Those of the requirements of which this history, right by the book, would have shown a violation.

    A history exercises a requirement if a faulty variant of it cannot explain the history.
    """
    wanted = frozenset(requirements)
    proven: set[str] = set()
    asked = _asked(history, book)
    for variant in FAULTY.values():
        could_prove = wanted.intersection(variant.requirements) - proven
        if could_prove and _differs(variant, book, asked) and _is_refuted(history, variant.rulebook(book)):
            proven |= could_prove
    return frozenset(proven)


def _is_refuted(history: History, book: Rulebook) -> bool:
    question = ask(history, book)
    answer = explain(question.system, question.logs, EXERCISE_BUDGET, book.replaced()).answer
    return answer is Answer.REFUTED


Asked = dict[str, set[tuple[Any, ...]]]
"""For each decision with what it was asked."""


def _asked(history: History, book: Rulebook) -> Asked:
    """What each decision is asked while the history is explained."""
    asked: Asked = {}
    names = [field.name for field in dataclasses.fields(book)]
    listening = {name: _listening(getattr(book, name), asked.setdefault(name, set())) for name in names}
    question = ask(history, dataclasses.replace(book, **listening))
    explain(question.system, question.logs, switched_off=book.replaced())
    return asked


def _listening(decision: Callable[..., Any], asked: set[tuple[Any, ...]]) -> Callable[..., Any]:
    def listened(*what: Any) -> Any:
        asked.add(what)
        return decision(*what)

    return listened


def _differs(variant: FaultyVariant, book: Rulebook, asked: Asked) -> bool:
    """Whether the variant answers anything otherwise that explaining the history asks.

    If not, the run that explains the history is one of the variant's, too, and need not be looked for.
    """
    return any(
        decision(*what) != getattr(book, name)(*what)
        for name, decision in variant.replaces.items()
        for what in asked[name]
    )
