"""Which requirements a right history proves: those of which it would have shown a violation.

Knows the search and the faulty variants; knows nothing of candidates, nor how a wrong history is judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator

from plumbline.reference.explain.decision_log import Asked, asked_of, matters
from plumbline.reference.explain.question import ask
from plumbline.reference.history.history import History
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.rulebook.variant import FaultyVariant
from plumbline.reference.search.search import Answer, Budget, explain

Errs = Callable[[str, frozenset[str], Exception], None]
"""Told which variant could not be asked, what it could have proven, and the error."""

EXERCISE_BUDGET = Budget(states=1_000)
"""How far a variant is searched; one that is not decided then proves nothing.

Counted in states only, so that what is exercised does not depend on the machine.
"""


ASKED_BUDGET = Budget(states=2_000)
"""How far a history is explained to learn which decisions it asks, where it was not soon explained.

Most decisions are asked at once, and a search that notes them relies on no claim.
"""

MOST_IN_VAIN = 10
"""So often a variant may explain what it is asked of, or stay undecided; then it is not asked again.

As a rule it would refute nothing else either, and most of the time would go there.
"""

SELDOM_IN_VAIN = 3
"""The same of a variant whose requirements the run has proven elsewhere: one proof more adds little."""


def exercised(
    history: History,
    requirements: Iterable[str],
    book: Rulebook,
    in_vain: Counter[str] | None = None,
    asked: Asked | None = None,
    errs: Errs | None = None,
    elsewhere: Collection[str] = (),
) -> frozenset[str]:
    """Those of the requirements of which this history, right by the book, would have shown a violation.

    A history exercises a requirement if a faulty variant of it cannot explain the history.

    Args:
        history: what was seen.
        requirements: those to look at.
        book: the rulebook by which the history is right.
        in_vain: how often each variant was not refuted by earlier histories; counted on here.
        asked: what the decisions were asked when the history was explained; else it is explained again.
        errs: told of an error in asking a variant, which then proves nothing; raised where it is left out.
        elsewhere: those that other examples of the run prove; their variants are given up sooner.
    """
    wanted = frozenset(requirements)
    proven: set[str] = set()
    asked = asked or asked_of(history, book, ASKED_BUDGET)
    asked_in_vain = Counter[str]() if in_vain is None else in_vain
    for name in to_ask(wanted, asked_in_vain, elsewhere):
        variant = FAULTY[name]
        could_prove = wanted.intersection(variant.requirements) - proven
        if not could_prove or not differs(variant, book, asked):
            continue
        try:
            proves = refutes(variant, book, history)
        except Exception as error:
            if errs is None:
                raise
            errs(name, could_prove, error)
            continue
        if proves:
            proven |= could_prove
        else:
            asked_in_vain[name] += 1
    return frozenset(proven)


def to_ask(
    requirements: Iterable[str], in_vain: Counter[str], elsewhere: Collection[str] = ()
) -> Iterator[str]:
    """The variants that may prove one of the requirements and were not asked too often without proof."""
    wanted = frozenset(requirements)
    unproven = wanted.difference(elsewhere)
    for name, variant in FAULTY.items():
        if wanted.isdisjoint(variant.requirements):
            continue
        most = SELDOM_IN_VAIN if unproven.isdisjoint(variant.requirements) else MOST_IN_VAIN
        if in_vain[name] < most:
            yield name


def refutes(variant: FaultyVariant, book: Rulebook, history: History) -> bool:
    """Whether the variant cannot explain the history, as far as a small budget tells."""
    wrong = variant.rulebook(book)
    question = ask(history, wrong)
    found = explain(question.system, question.logs, EXERCISE_BUDGET, wrong.replaced())
    return found.answer is Answer.REFUTED


def differs(variant: FaultyVariant, book: Rulebook, asked: Asked) -> bool:
    """Whether the variant answers anything otherwise that explaining the history asks.

    If not, the run that explains the history is one of the variant's, too, and need not be looked for.
    """
    return any(matters(asked, book, name, answer) for name, answer in variant.replaces.items())
