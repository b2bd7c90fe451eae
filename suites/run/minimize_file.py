"""A counterexample made small: what a scenario or a machine left, reduced to the steps that it takes to fail.

Knows how to go from file to file; how steps are left out is told in `plumbline.suites.run.reducer`.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from plumbline.reference.distribution import VERSION
from plumbline.reference.explain.fault_localization import NAMING_MS
from plumbline.reference.explain.oracle import find
from plumbline.reference.history.plans import plan_words
from plumbline.reference.history.setups import setup_words
from plumbline.reference.results.runs import COUNTEREXAMPLE_FORMAT, Counterexample
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.run.reducer import MOST_TRIES, ReducerLimits, reduce
from plumbline.suites.run.replaying import BUDGET, CannotReplayError, Judge, Played, replay
from plumbline.suites.run.words import finding_words

LIMITS = ReducerLimits(runs=120, seconds=300.0)
REPLAYS = 5


def make_small(
    example: Counterexample,
    session: Session,
    judge: Judge,
    *,
    limits: ReducerLimits = LIMITS,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> Counterexample:
    """The smallest example found that fails for the candidate, as it was seen there and replayed.

    The ids are those of the example: it was they that it was kept for. Raises CannotReplayError where it does
    not fail, or where only a scenario says that it does; never raises for what the candidate does.
    """
    failing = _failing(example, session, judge)
    reduced = reduce(failing, session, judge, limits=limits, progress=progress)
    smallest = reduced.played
    finding = find(smallest.history, judge.book, BUDGET, NAMING_MS)
    expected, seen = finding_words(finding)
    small = msgspec.structs.replace(
        example,
        candidate=session.candidate.name,
        product=session.introduction.name,
        product_version=session.introduction.version,
        suite_version=VERSION,
        setup=setup_words(smallest.history),
        plan=plan_words(smallest.plan),
        played=smallest.plan,
        history=smallest.history,
        refuted=True,
        reduction=reduced.reduction,
        expected=expected,
        seen=seen,
        dead_ends=finding.dead_ends,
        replay="",
        format=COUNTEREXAMPLE_FORMAT,
    )
    again = replay(small, session, judge, REPLAYS)
    failed = sum(result.verdict is Verdict.FAIL for result in again)
    return msgspec.structs.replace(small, times_failed=failed, times_tried=len(again))


def _failing(example: Counterexample, session: Session, judge: Judge) -> Played:
    """The example as the candidate fails on it now."""
    for _ in range(MOST_TRIES):
        if session.given_up:
            break
        for result in replay(example, session, judge, 1):
            if result.verdict is not Verdict.FAIL or result.played is None or result.history is None:
                continue
            if result.finding is None or result.finding.answer is not Answer.REFUTED:
                raise CannotReplayError(
                    "only the scenario says what is wrong, and the model shows what was seen: "
                    "nothing tells which of its steps could be left out"
                )
            return Played(result.played, result.history)
    raise CannotReplayError(f"it has not failed in {MOST_TRIES} tries, so that nothing can be made smaller")
