"""Plays the plans that a machine draws, and has each history explained.

Knows when to stop: at a failure that is as small as it gets, or when there were enough examples.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.reference.explain.engine import Answer, Budget
from plumbline.reference.explain.oracle import NAMING_MS, find, search
from plumbline.reference.history import History, OrderStrength
from plumbline.reference.rulebook.book import DECISIONS, Rulebook
from plumbline.reference.verdicts import Verdict
from plumbline.suites.deviations import Deviation, OnRecord, words
from plumbline.suites.driving import order_strength
from plumbline.suites.machines import Machine, drive
from plumbline.suites.plans import Plan, run_plan
from plumbline.suites.profiles import Profile
from plumbline.suites.results import Result
from plumbline.suites.session import Session
from plumbline.suites.words import finding_words, plan_words

BUDGET = Budget(states=60_000, time_ms=5_000)
NAMING_LONGER_MS = 4 * NAMING_MS
SLOW_MEMBERS = ("A", "B", "C")
"""Where starting members takes seconds, all examples share these."""


class _FailedError(AssertionError):
    """A plan whose history no run of the model shows."""

    def __init__(self, plan: Plan, history: History) -> None:
        super().__init__("no run of the model shows this history")
        self.plan = plan
        self.history = history


class _EnoughError(BaseException):
    """Ends the drawing of plans at once; any Exception would be taken for a failing example."""

    def __init__(self, cause: Exception | None = None) -> None:
        super().__init__("no more plans are to be drawn")
        self.cause = cause


class Trouble(msgspec.Struct):
    """What the plans of a machine have shown.

    Attributes:
        played: plans carried out and judged.
        failure: the smallest failing example, judged; None if there is none.
        plan: its plan.
        failed: how often that example failed.
        tried: how often it was played.
        unknown: examples that the search did not decide.
        deviating: examples explained only with deviations on record.
        deviations: those that it took.
        adapter_errors: examples that the adapter did not get through.
        last_error: what it said last.
    """

    played: int = 0
    failure: Result | None = None
    plan: Plan | None = None
    failed: int = 0
    tried: int = 0
    unknown: int = 0
    deviating: int = 0
    deviations: tuple[Deviation, ...] = ()
    adapter_errors: int = 0
    last_error: str = ""

    @property
    def deviating_words(self) -> str:
        """Why what was seen is a deviation."""
        return f"{self.deviating} examples are explained only with what is {words(self.deviations)}"


def play_plans(
    machine: Machine,
    session: Session,
    book: Rulebook,
    *,
    profile: Profile,
    draw_seed: int,
    deadline: float | None,
    on_record: OnRecord,
    saw: Callable[[str, Verdict, History], None],
    progress: Callable[[int], None],
) -> Trouble:
    """Draw plans and play them, until one fails or there were enough.

    Args:
        machine: draws the plans.
        session: the candidate.
        book: what is right.
        profile: how many plans, how long, how many replays.
        draw_seed: what they are drawn from.
        deadline: on the monotonic clock; no plan is begun after it.
        on_record: the deviations on record.
        saw: told of every judged example: its name, the verdict, the history.
        progress: told how many were played.
    """
    trouble = Trouble()

    def judged(plan: Plan) -> tuple[Verdict, History]:
        history = play_plan(plan, session)
        answer = search(history, book, BUDGET).answer
        if answer is Answer.REFUTED and (needed := on_record.needed(history, BUDGET)):
            trouble.deviations = tuple(dict.fromkeys((*trouble.deviations, *needed)))
            return Verdict.DEVIATION, history
        verdicts = {Answer.EXPLAINED: Verdict.PASS, Answer.REFUTED: Verdict.FAIL}
        return verdicts.get(answer, Verdict.UNKNOWN), history

    def execute(plan: Plan) -> None:
        over = deadline is not None and time.monotonic() > deadline
        if over or session.given_up:
            if failing:
                return  # shrinking ends with what it has
            raise _EnoughError
        try:
            verdict, history = judged(plan)
        except AdapterError as error:
            session.failed(error)
            trouble.adapter_errors += 1
            trouble.last_error = f"{error} {error.last_words[-200:]}".strip()
            return
        session.worked()
        trouble.played += 1
        trouble.unknown += verdict is Verdict.UNKNOWN
        trouble.deviating += verdict is Verdict.DEVIATION
        try:
            saw(f"{machine.name}-{trouble.played}", verdict, history)
        except Exception as error:
            raise _EnoughError(error) from error
        progress(min(trouble.played, profile.examples))
        if verdict is Verdict.FAIL:
            failing.append(plan)
            raise _FailedError(plan, history)

    failing: list[Plan] = []
    try:
        drive(
            machine,
            execute,
            offers=frozenset(session.introduction.capabilities),
            examples=profile.examples,
            steps=profile.rules,
            draw_seed=draw_seed,
            shrink=session.candidate.in_process,
            loose_logs=lambda region: (
                order_strength(session.introduction, (region,)) is OrderStrength.PER_KEY_AND_THREAD
            ),
            members=() if session.candidate.in_process else SLOW_MEMBERS,
        )
    except _EnoughError as enough:
        if enough.cause is not None:
            raise enough.cause from None
    except _FailedError as failed:
        plan = failed.plan
        trouble.failure = _failure(machine, plan, failed.history, book)
        trouble.plan = plan
        trouble.failed = trouble.tried = 1
        for _ in range(profile.replays):
            try:
                trouble.failed += judged(plan)[0] is Verdict.FAIL
            except AdapterError as error:
                session.failed(error)
            trouble.tried += 1
    return trouble


def play_plan(plan: Plan, session: Session) -> History:
    """Carry out one plan; raises AdapterError, also for an adapter that lacks what it said it has."""
    try:
        driver, _ = session.begin(plan.topology, plan.regions, plan.queues, plan.clients)
        run_plan(plan, driver)
    except UnsupportedError as error:
        capabilities = ", ".join(session.introduction.capabilities)
        raise AdapterError(f"{error}; yet the candidate says that it has {capabilities}") from error
    return driver.history()


def _failure(machine: Machine, plan: Plan, history: History, book: Rulebook) -> Result:
    finding = find(history, book, BUDGET, NAMING_LONGER_MS)
    expected, seen = finding_words(finding)
    # Several decisions may explain what was seen; the narrowest is blamed, the others are told.
    first = DECISIONS[finding.decisions[0]].requirements if finding.decisions else ()
    blamed = tuple(dict.fromkeys((*(r for r in finding.requirements if not finding.decisions), *first)))
    others = finding.decisions[1:]
    reason = "no run of the model shows what was seen"
    if finding.decisions:
        reason += f"; explained if {finding.decisions[0]} is answered otherwise"
    if others:
        reason += f" (or {', '.join(others)})"
    return Result(
        title=machine.name,
        verdict=Verdict.FAIL,
        requirements=blamed or UNNAMED,
        reason=reason,
        expected=expected,
        seen=seen,
        plan=plan_words(plan),
        history=history,
        finding=finding,
    )


UNNAMED = ("CONS-RR-04",)
"""Blamed where nothing narrower can be named: the members do not end as any run of the model ends."""
