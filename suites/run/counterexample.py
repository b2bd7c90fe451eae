"""From a result that failed to the counterexample that is kept of it.

Knows what goes into the file, not where it is put.
"""

from __future__ import annotations

from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.distribution import VERSION
from plumbline.reference.history.setups import setup_words
from plumbline.reference.results.runs import Counterexample
from plumbline.reference.results.verdicts import Source
from plumbline.reference.search.search import Answer
from plumbline.suites.run.closest_run import Nearest
from plumbline.suites.run.results import Result
from plumbline.suites.run.words import Sentences, finding_words


def counterexample_of(
    result: Result,
    source: Source,
    *,
    candidate: str,
    product: tuple[str, str],
    dialect: str,
    seed: int,
    tries: tuple[int, int] = (1, 1),
    near: Nearest | None = None,
    replay: str = "",
) -> Counterexample:
    """What is kept of a failing result, whose example was played.

    Args:
        result: the result.
        source: scenario or machine.
        candidate: as it was named.
        product: its own name and version.
        dialect: the dialect judged against.
        seed: what plans were drawn from.
        tries: in how many of how many tries it failed.
        near: the right run most like what was seen, if one is known.
        replay: the command that plays it again.
    """
    assert result.history is not None, "nothing was played"
    finding = result.finding
    named = () if finding is None else finding.requirements
    # A decision may have an id for each answer: those of the other dialect would say the opposite.
    owed = (name for name in named if not dialect or dialect in all_requirements()[name].dialects)
    expected, seen = worded(result, near)
    return Counterexample(
        requirements=tuple(dict.fromkeys((*result.requirements, *owed))),
        source=source,
        title=result.title,
        candidate=candidate,
        product=product[0],
        product_version=product[1],
        dialect=dialect,
        suite_version=VERSION,
        seed=seed,
        setup=setup_words(result.history),
        plan=result.plan,
        played=result.played,
        history=result.history,
        refuted=finding is not None and finding.answer is Answer.REFUTED,
        reduction=result.reduction,
        expected=expected,
        seen=seen,
        dead_ends=() if finding is None else finding.dead_ends,
        nearest=() if near is None else near.differences,
        right_runs=0 if near is None else near.runs,
        times_failed=tries[0],
        times_tried=tries[1],
        replay=replay,
    )


def worded(result: Result, near: Nearest | None) -> tuple[Sentences, Sentences]:
    """What was expected of a failing result, and what was seen.

    Where the search ended says little to people; where that is all, what a right run shows is told instead.
    """
    ended = None if result.finding is None else finding_words(result.finding)[0]
    if near is None or not near.differences or result.expected != ended:
        return result.expected, result.seen
    differences = near.differences
    right = tuple(f"{one.place}: {one.right}" for one in differences)
    return right, tuple(f"{one.place}: {one.seen}" for one in differences)
