"""Plays the plans that a machine draws, and has each history explained.

Knows when to stop: at a failure, which is made as small as it gets, or when there were enough examples.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from plumbline.adapters.errors import AdapterError
from plumbline.reference.deviations import Deviation, words
from plumbline.reference.explain.asked import Asked
from plumbline.reference.explain.naming import NAMING_MS
from plumbline.reference.explain.oracle import find
from plumbline.reference.history import History, OrderStrength
from plumbline.reference.plans import Plan, plan_words
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.verdicts import Verdict
from plumbline.suites.deviations import OnRecord
from plumbline.suites.log_order import order_strength
from plumbline.suites.machines.registry import Machine, drive
from plumbline.suites.profiles import Profile
from plumbline.suites.reducing import Limits, Reduced, reduce
from plumbline.suites.replaying import BUDGET, Judge, LacksError, Played, play_plan
from plumbline.suites.results import Result
from plumbline.suites.session import Session
from plumbline.suites.words import finding_words

NAMING_LONGER_MS = 4 * NAMING_MS
LACKING_ENOUGH = 3
"""So many plans in which an adapter lacks something, and none before that it got through, are enough."""
SLOW_MEMBERS = ("A", "B", "C")
"""Where starting members takes seconds, all examples share these."""


class _FailedError(AssertionError):
    """A plan whose history no run of the model shows."""

    def __init__(self, played: Played) -> None:
        super().__init__("no run of the model shows this history")
        self.played = played


class _EnoughError(BaseException):
    """Ends the drawing of plans at once; any Exception would be taken for a failing example."""

    def __init__(self, cause: Exception | None = None) -> None:
        super().__init__("no more plans are to be drawn")
        self.cause = cause


class Trouble(msgspec.Struct):
    """What the plans of a machine have shown.

    Attributes:
        played: plans carried out and judged, of those that count.
        cut: whether the time was over before all were drawn.
        idle: plans carried out that count for nothing: nothing was wrong, and no fault has bitten.
        failure: the smallest failing example, judged; None if there is none.
        plan: its plan.
        failed: how often that example failed.
        tried: how often it was played.
        unknown: examples that the search did not decide.
        deviating: examples explained only with deviations on record.
        deviations: those that it took.
        lacking: examples that the adapter left, as it does not offer all that they ask for.
        adapter_errors: examples that it did not get through otherwise.
        last_error: what it said last.
    """

    played: int = 0
    cut: bool = False
    idle: int = 0
    failure: Result | None = None
    plan: Plan | None = None
    failed: int = 0
    tried: int = 0
    unknown: int = 0
    deviating: int = 0
    deviations: tuple[Deviation, ...] = ()
    lacking: int = 0
    adapter_errors: int = 0
    last_error: str = ""

    def judged(self, verdict: Verdict, needed: tuple[Deviation, ...]) -> None:
        """Note the verdict on one more plan, and the deviations that it took."""
        self.deviations = tuple(dict.fromkeys((*self.deviations, *needed)))
        self.played += 1
        self.unknown += verdict is Verdict.UNKNOWN
        self.deviating += verdict is Verdict.DEVIATION

    def fails(self, error: AdapterError) -> None:
        """Note that the adapter did not get through a plan."""
        self.adapter_errors += 1
        self.last_error = f"{error} {error.last_words[-200:]}".strip()

    def lacks(self, error: LacksError) -> None:
        """Note that the adapter lacks something; that is enough of plans if it has got through none."""
        self.lacking += 1
        self.last_error = str(error)
        if self.lacking >= LACKING_ENOUGH and not self.played:
            raise _EnoughError

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
    last: float | None = None,
    on_record: OnRecord,
    saw: Callable[[str, Verdict, History], None],
    progress: Callable[[int], None],
    reducing: Callable[[int, int], None] = lambda *_: None,
    listens: Callable[[], Asked | None] = lambda: None,
) -> Trouble:
    """Draw plans and play them, until one fails or there were enough.

    Args:
        machine: draws the plans.
        session: the candidate.
        book: what is right.
        profile: how many plans, how long, how many replays.
        draw_seed: what they are drawn from.
        deadline: on the monotonic clock; no plan is begun after it.
        last: when making a failing plan small has to end, on the same clock; `deadline` if left out.
        on_record: the deviations on record.
        saw: told of every judged example that counts: its name, the verdict, the history.
        progress: told how many were played that count.
        reducing: told how many runs making a failing plan small has taken, and how many it may take.
        listens: gives where to note what the next example asks of the decisions, if anybody wants to know.
    """
    trouble = Trouble()
    judge = Judge(book, on_record)

    def execute(plan: Plan) -> None:
        over = deadline is not None and time.monotonic() > deadline
        if over or session.given_up:
            trouble.cut = over
            raise _EnoughError
        try:
            played = play_plan(plan, session)
        except LacksError as error:
            trouble.lacks(error)
            return
        except AdapterError as error:
            session.failed(error)
            trouble.fails(error)
            return
        session.worked()
        verdict, needed = judge.verdict(played.history, listens())
        if verdict is not Verdict.FAIL and not machine.counts(played.history):
            trouble.idle += 1
            return
        trouble.judged(verdict, needed)
        try:
            saw(f"{machine.name}-{trouble.played}", verdict, played.history)
        except Exception as error:
            raise _EnoughError(error) from error
        progress(min(trouble.played, profile.examples))
        if verdict is Verdict.FAIL:
            raise _FailedError(played)

    try:
        drive(
            machine,
            execute,
            offers=frozenset(session.introduction.capabilities),
            examples=profile.examples,
            steps=profile.rules,
            draw_seed=draw_seed,
            shrink=False,
            loose_logs=lambda region: (
                order_strength(session.introduction, (region,)) is OrderStrength.PER_KEY_AND_THREAD
            ),
            members=() if session.candidate.in_process else SLOW_MEMBERS,
        )
    except _EnoughError as enough:
        if enough.cause is not None:
            raise enough.cause from None
    except _FailedError as failed:
        limits = _limits(deadline if last is None else last)
        reduced = reduce(failed.played, session, judge, limits=limits, progress=reducing)
        smallest = reduced.played
        saw(f"{machine.name}-reduced", Verdict.FAIL, smallest.history)
        trouble.failure = _failure(machine, reduced, book)
        trouble.plan = smallest.plan
        trouble.failed = trouble.tried = 1
        # One that fails now and then is given as many tries as it takes to see that again.
        for _ in range(max(profile.replays, reduced.tries if reduced.tries > 1 else 0)):
            try:
                again = play_plan(smallest.plan, session, smallest.history.member_order)
                trouble.failed += judge.verdict(again.history)[0] is Verdict.FAIL
            except AdapterError as error:
                session.failed(error)
            trouble.tried += 1
    return trouble


def _limits(last: float | None) -> Limits:
    """What making a plan small may take if it has to end by then."""
    usual = Limits()
    return usual if last is None else Limits(seconds=min(usual.seconds, max(0.0, last - time.monotonic())))


def _failure(machine: Machine, reduced: Reduced, book: Rulebook) -> Result:
    smallest = reduced.played
    finding = find(smallest.history, book, BUDGET, NAMING_LONGER_MS)
    expected, seen = finding_words(finding)
    # Several decisions may explain what was seen; the narrowest is blamed, the others are told.
    decisions = sorted(finding.decisions, key=lambda decision: decision not in reduced.decisions)
    first = DECISIONS[decisions[0]].requirements if decisions else ()
    blamed = tuple(dict.fromkeys((*(r for r in finding.requirements if not decisions), *first)))
    others = decisions[1:]
    reason = "no run of the model shows what was seen"
    if decisions:
        reason += f"; explained if {decisions[0]} is answered otherwise"
    if others:
        reason += f" (or {', '.join(others)})"
    return Result(
        title=machine.name,
        verdict=Verdict.FAIL,
        requirements=blamed or UNNAMED,
        reason=reason,
        expected=expected,
        seen=seen,
        plan=plan_words(smallest.plan),
        played=smallest.plan,
        reduction=reduced.reduction,
        history=smallest.history,
        finding=finding,
    )


UNNAMED = ("CONS-RR-04",)
"""Blamed where nothing narrower can be named: the members do not end as any run of the model ends."""
