"""Which requirements a right history proves: those of which it would have shown a violation.

Knows the search and the faulty variants; knows nothing of candidates, nor how a wrong history is judged.
"""

from __future__ import annotations

from collections.abc import Iterable

from plumbline.reference.explain.asked import Asked, asked_of, matters
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
    asked = asked_of(history, book)
    for variant in FAULTY.values():
        could_prove = wanted.intersection(variant.requirements) - proven
        if could_prove and _differs(variant, book, asked) and _is_refuted(history, variant.rulebook(book)):
            proven |= could_prove
    return frozenset(proven)


def _is_refuted(history: History, book: Rulebook) -> bool:
    question = ask(history, book)
    answer = explain(question.system, question.logs, EXERCISE_BUDGET, book.replaced()).answer
    return answer is Answer.REFUTED


def _differs(variant: FaultyVariant, book: Rulebook, asked: Asked) -> bool:
    """Whether the variant answers anything otherwise that explaining the history asks.

    If not, the run that explains the history is one of the variant's, too, and need not be looked for.
    """
    return any(matters(asked, book, name, answer) for name, answer in variant.replaces.items())
