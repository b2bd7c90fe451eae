"""Plays an example again, on the candidate that it was found on or on another, and judges what was seen.

The order of member ids decides much, and another candidate orders its members otherwise. So the parts of a
plan go to the members of the same rank. Knows nothing of how plans are drawn or made smaller.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.reference.explain.decision_log import Asked
from plumbline.reference.explain.oracle import find
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History
from plumbline.reference.history.plan_mistakes import mistakes
from plumbline.reference.history.plan_needs import needs
from plumbline.reference.history.plans import Plan, by_rank, plan_words, renamed
from plumbline.reference.model.unmodelled import unmodelled
from plumbline.reference.results.deviations import Deviation, words
from plumbline.reference.results.runs import Counterexample
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.plan_runner import run_plan
from plumbline.suites.harness.restless import EndlessError
from plumbline.suites.harness.session import Session
from plumbline.suites.run.known_deviations import NOTHING, KnownDeviations
from plumbline.suites.run.playing import play
from plumbline.suites.run.results import Result
from plumbline.suites.run.words import finding_words
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

BUDGET = Budget(states=60_000, time_ms=15_000)

BRIEF = Budget(states=10_000, time_ms=2_000)
"""For whether a failure is known, which is asked of many."""

_VERDICTS = {Answer.EXPLAINED: Verdict.PASS, Answer.REFUTED: Verdict.FAIL}


class CannotReplayError(Exception):
    """An example cannot be played, or not on this candidate; the message says why and what to do."""


class LacksError(AdapterError):
    """An adapter has told, when asked, that it lacks a part of what it says it has."""


class Judge(msgspec.Struct, frozen=True):
    """What is right: the rulebook, and the deviations on record."""

    book: Rulebook
    on_record: KnownDeviations = NOTHING

    def verdict(self, history: History, asked: Asked | None = None) -> tuple[Verdict, tuple[Deviation, ...]]:
        """Pass, fail or unknown; or deviation, with those on record that it takes to explain it.

        The decisions asked meanwhile may be noted in `asked` (see `search`).
        """
        answer = search(history, self.book, BUDGET, asked).answer
        if answer is Answer.REFUTED and (needed := self.on_record.needed(history, self.book, BUDGET)):
            return Verdict.DEVIATION, needed
        return _VERDICTS.get(answer, Verdict.UNKNOWN), ()

    def may_explain(self, history: History, decisions: tuple[str, ...]) -> bool:
        """Whether a history may be right but for these decisions, as far as is soon found."""
        return search(history, self.book.with_free(*decisions), BRIEF).answer is not Answer.REFUTED

    def of(self, played: Played, asked: Asked | None = None) -> tuple[Verdict, tuple[Deviation, ...]]:
        """The verdict on a plan that was played; see `verdict`.

        Raises EndlessError where it came to no end, and its history shows nothing wrong.
        """
        verdict, needed = self.verdict(played.history, asked)
        if played.endless and verdict not in (Verdict.FAIL, Verdict.DEVIATION):
            raise EndlessError(played.endless)
        return verdict, needed


class Played(msgspec.Struct, frozen=True):
    """A plan with the members that played its parts, and what was seen.

    Attributes:
        plan: the plan.
        history: what was seen.
        endless: why the example came to no end; "" where it did.
    """

    plan: Plan
    history: History
    endless: str = ""


def play_plan(plan: Plan, session: Session, order: tuple[str, ...] | None = None) -> Played:
    """Carry out one plan; raises AdapterError, and LacksError for an adapter that lacks what it said it has.

    Args:
        plan: what to do.
        session: the candidate.
        order: the members from the lowest to the highest id, where the plan comes from; None to leave its
            parts to the members named.
    """
    return session.watching(lambda: _played(plan, session, order))


def _played(plan: Plan, session: Session, order: tuple[str, ...] | None) -> Played:
    try:
        plan = renamed(plan, by_rank(plan.topology, order, session.member_order(plan.topology)))
        driver, _ = session.begin(
            plan.topology,
            plan.regions,
            plan.queues,
            plan.clients,
            registers=plan.registers,
            tombstones=plan.tombstones,
            resolver=plan.resolver,
        )
        run_plan(plan, driver)
    except EndlessError as error:
        # A hanging candidate cannot be waited for: the next example opens the adapter afresh.
        session.close()
        return Played(plan, driver.history(), str(error))
    except UnsupportedError as error:
        capabilities = ", ".join(session.introduction.capabilities)
        raise LacksError(f"{error}; yet the candidate says that it has {capabilities}") from error
    return Played(plan, driver.history())


def replay(
    example: Counterexample,
    session: Session,
    judge: Judge,
    times: int,
    progress: Callable[[int], None] = lambda _: None,
) -> list[Result]:
    """Play a counterexample so many times; fewer if the adapter fails too often in a row.

    Where only the scenario says what is wrong, it is played as it is written; everything else as a plan,
    and judged by the search. Raises CannotReplayError; never raises for what the candidate does.
    """
    once = _again(example, session, judge)
    results: list[Result] = []
    while len(results) < times and not session.given_up:
        results.append(once())
        progress(len(results))
    return results


def _again(example: Counterexample, session: Session, judge: Judge) -> Callable[[], Result]:
    # A plan that is right wherever it is played shows what may be: no scenario says more of it.
    if not example.refuted and example.source is Source.SCENARIO:
        scenario = SCENARIOS.get(example.title)
        if scenario is None:
            raise CannotReplayError(
                f"only the scenario {example.title!r:.100} says what is wrong, and this version of "
                "Plumbline has no such scenario: replay it with the version that the file names"
            )
        lacking = session.lacks(scenario.needs)
        _refuse(lacking)
        return lambda: play(scenario, session, judge.book, on_record=judge.on_record)
    plan = example.played
    if plan is None:
        raise CannotReplayError(
            "the file holds no plan, as those of older versions do not: "
            "run the suite again to get one that can be replayed"
        )
    order = example.history.member_order
    wrong = mistakes(plan)
    if order is not None and set(order) != set(plan.members):
        wrong.append("the order of member ids is not one of its members")
    if wrong:
        raise CannotReplayError(
            f"the plan cannot be carried out: {'; '.join(wrong[:3])}; "
            "the file was damaged or changed, take it from the run directory again"
        )
    if beyond := unmodelled(plan):
        raise CannotReplayError(f"the example has {', '.join(beyond)}, which Plumbline does not judge so far")
    _refuse(session.lacks(needs(plan)))
    return lambda: _judged(plan, order, example, session, judge)


def _refuse(lacking: tuple[str, ...]) -> None:
    if lacking:
        raise CannotReplayError(f"the candidate lacks {', '.join(lacking)}, which the example needs")


def _judged(
    plan: Plan, order: tuple[str, ...] | None, example: Counterexample, session: Session, judge: Judge
) -> Result:
    result = Result(title=example.title, verdict=Verdict.UNKNOWN, requirements=example.requirements)
    try:
        played = play_plan(plan, session, order)
        verdict, needed = judge.of(played)
    except AdapterError as error:
        session.failed(error)
        reason = f"{error} {error.last_words[-300:]}".strip()
        return msgspec.structs.replace(result, verdict=Verdict.ADAPTER_ERROR, reason=reason)
    session.worked()
    finding = None
    reason = "the search reached its limit" if verdict is Verdict.UNKNOWN else words(needed)
    if verdict is Verdict.FAIL:
        finding = find(played.history, judge.book, BUDGET)
        reason = "no correct run shows what was observed"
        if finding.sight:
            reason = f"{finding.sight}; {reason}"
    expected, seen = ((), ()) if finding is None else finding_words(finding)
    return msgspec.structs.replace(
        result,
        verdict=verdict,
        reason=reason,
        expected=expected,
        seen=seen,
        plan=plan_words(played.plan),
        played=played.plan,
        history=played.history,
        finding=finding,
    )
