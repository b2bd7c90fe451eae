"""From a result that failed to the counterexample that is kept of it.

Knows what goes into the file, not where it is put.
"""

from __future__ import annotations

from importlib.metadata import version as installed_version

from plumbline.reference.explain.engine import Answer
from plumbline.reference.runs import Counterexample
from plumbline.reference.verdicts import Source
from plumbline.suites.results import Result


def counterexample_of(
    result: Result,
    source: Source,
    *,
    candidate: str,
    product: tuple[str, str],
    dialect: str,
    seed: int,
    tries: tuple[int, int] = (1, 1),
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
        replay: the command that plays it again.
    """
    assert result.history is not None, "nothing was played"
    finding = result.finding
    named = () if finding is None else finding.requirements
    return Counterexample(
        requirements=tuple(dict.fromkeys((*result.requirements, *named))),
        source=source,
        title=result.title,
        candidate=candidate,
        product=product[0],
        product_version=product[1],
        dialect=dialect,
        suite_version=installed_version("plumbline"),
        seed=seed,
        plan=result.plan,
        played=result.played,
        history=result.history,
        refuted=finding is not None and finding.answer is Answer.REFUTED,
        reduction=result.reduction,
        expected=result.expected,
        seen=result.seen,
        dead_ends=() if finding is None else finding.dead_ends,
        times_failed=tries[0],
        times_tried=tries[1],
        replay=replay,
    )
