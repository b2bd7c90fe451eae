"""Plays the plans that a machine draws, and has each history explained.

Knows when to stop: at a failure, which is made as small as it gets, or when there were enough examples.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from plumbline.adapters.errors import AdapterError
from plumbline.reference.explain.decision_log import Asked
from plumbline.reference.explain.fault_localization import NAMING_MS
from plumbline.reference.explain.oracle import Finding, find
from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.history.plans import Plan, plan_words
from plumbline.reference.model.unmodelled import unmodelled
from plumbline.reference.results.deviations import Deviation, words
from plumbline.reference.results.own_errors import OwnError
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.log_order import order_strength
from plumbline.suites.harness.restless import EndlessError
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import Machine, drive
from plumbline.suites.run.known_deviations import KnownDeviations
from plumbline.suites.run.profiles import Profile
from plumbline.suites.run.reducer import Reduced, ReducerLimits, as_found, reduce
from plumbline.suites.run.replaying import BRIEF, BUDGET, Judge, LacksError, Played, play_plan
from plumbline.suites.run.results import Result
from plumbline.suites.run.words import finding_words

NAMING_LONGER_MS = 4 * NAMING_MS
BEHIND_S = 10.0
"""So many seconds a machine may spend on asking whether failures are known; then it ends."""

Saw = Callable[[str, Verdict, History], None]
"""Told of every judged example that counts: its name, the verdict, the history."""

LACKING_ENOUGH = 3
"""So many plans in which an adapter lacks something, and none before that it got through, are enough."""
OWN_ERRORS_ENOUGH = 3
"""So many errors of Plumbline's own are enough: the others would be the same."""
SLOW_MEMBERS = ("A", "B", "C")
"""Where starting members takes seconds, all examples share these."""


class _EnoughError(BaseException):
    """Ends the drawing of plans at once; any Exception would be taken for a failing example."""

    def __init__(self, cause: Exception | None = None) -> None:
        super().__init__("no more plans are to be drawn")
        self.cause = cause


class Later(msgspec.Struct, frozen=True):
    """A failure that a machine has found behind another, which does not explain it.

    Attributes:
        failure: the smallest failing example, judged.
        failed: how often it failed.
        tried: how often it was played.
    """

    failure: Result
    failed: int
    tried: int


class PlanOutcomes(msgspec.Struct):
    """What the plans of a machine have shown.

    Attributes:
        played: plans carried out and judged, of those that count.
        cut: whether the time limit came before all were drawn.
        idle: plans carried out that count for nothing: nothing was wrong, and no fault has bitten.
        failure: the smallest failing example, judged; None if there is none.
        plan: its plan.
        failed: how often that example failed.
        tried: how often it was played.
        later: failures that were found behind it, with other decisions.
        known: examples that fail as a failure found before does, and show nothing else.
        unknown: examples that the search did not decide.
        deviating: examples explained only with deviations on record.
        deviations: those that it took.
        lacking: examples that the adapter left, as it does not offer all that they ask for.
        adapter_errors: examples that it did not get through otherwise.
        last_error: what it said last.
        own_errors: Plumbline's own, each of which cost an example its verdict.
    """

    played: int = 0
    cut: bool = False
    idle: int = 0
    failure: Result | None = None
    plan: Plan | None = None
    failed: int = 0
    tried: int = 0
    later: tuple[Later, ...] = ()
    known: int = 0
    unknown: int = 0
    deviating: int = 0
    deviations: tuple[Deviation, ...] = ()
    lacking: int = 0
    adapter_errors: int = 0
    last_error: str = ""
    own_errors: tuple[OwnError, ...] = ()

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

    def errs(self, part: str, error: Exception) -> None:
        """Note an error of Plumbline's own; several are enough of plans."""
        self.own_errors = (*self.own_errors, OwnError.of(part, error))
        if len(self.own_errors) >= OWN_ERRORS_ENOUGH:
            raise _EnoughError

    def found(self, smallest: Played, failure: Result, failed: int, tried: int) -> None:
        """Note a failure: the first, or one that was found behind it."""
        if self.failure is None:
            self.failure, self.plan, self.failed, self.tried = failure, smallest.plan, failed, tried
        else:
            self.later = (*self.later, Later(failure, failed, tried))

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
    on_record: KnownDeviations,
    saw: Saw,
    progress: Callable[[int], None],
    reducing: Callable[[int, int], None] = lambda *_: None,
    listens: Callable[[], Asked | None] = lambda: None,
    behind: int = 0,
    forgiving: bool = False,
) -> PlanOutcomes:
    """Draw plans and play them, until one fails or there were enough.

    A machine may go on behind a failure: then plans that the decisions found wrong explain show nothing new.

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
        listens: gives where to note what the next example asks of the decisions, if the caller needs it.
        behind: so many failures more are looked for behind the first.
        forgiving: whether an error of Plumbline's own in judging an example is noted, and the rest goes on.
    """
    drawn = _Drawn(
        machine,
        session,
        Judge(book, on_record),
        profile,
        (deadline, deadline if last is None else last),
        behind,
        (saw, progress, reducing, listens),
        forgiving=forgiving,
    )
    try:
        drive(
            machine,
            drawn.execute,
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
    return drawn.trouble


class _Drawn:
    """The plans that a machine draws, one after the other, and what they have shown so far."""

    def __init__(
        self,
        machine: Machine,
        session: Session,
        judge: Judge,
        profile: Profile,
        until: tuple[float | None, float | None],
        behind: int,
        told: tuple[Saw, Callable[[int], None], Callable[[int, int], None], Callable[[], Asked | None]],
        *,
        forgiving: bool,
    ) -> None:
        self.trouble = PlanOutcomes()
        self._machine = machine
        self._session = session
        self._judge = judge
        self._profile = profile
        self._deadline, self._last = until
        self._behind = behind
        self._saw, self._progress, self._reducing, self._listens = told
        self._known: dict[str, None] = {}
        self._asked_s = 0.0
        self._forgiving = forgiving

    def execute(self, plan: Plan) -> None:
        """Play a plan and judge it; raises _EnoughError where no more are to be drawn."""
        trouble, session = self.trouble, self._session
        over = self._deadline is not None and time.monotonic() > self._deadline
        if over or session.given_up:
            trouble.cut = over
            raise _EnoughError
        if beyond := unmodelled(plan):
            trouble.lacks(LacksError(f"has {', '.join(beyond)}, which is not judged so far"))
            return
        try:
            played = play_plan(plan, session)
        except LacksError as error:
            trouble.lacks(error)
            return
        except AdapterError as error:
            session.failed(error)
            trouble.fails(error)
            return
        try:
            verdict, needed = self._judge.of(played, self._listens())
        except EndlessError as error:
            session.failed(error)
            trouble.fails(error)
            return
        except Exception as error:
            if not self._forgiving:
                raise
            trouble.errs(f"judging an example of the machine {self._machine.name}", error)
            return
        session.worked()
        if verdict is not Verdict.FAIL and not self._machine.counts(played.history):
            trouble.idle += 1
            return
        trouble.judged(verdict, needed)
        fails = verdict is Verdict.FAIL
        known = fails and self._is_known(played.history)
        try:
            # Behind a failure only more failures are looked for: a wrong observation may make the rest look
            # right.
            if fails or trouble.failure is None:
                self._saw(f"{self._machine.name}-{trouble.played}", verdict, played.history)
            self._progress(min(trouble.played, self._profile.examples))
            if known:
                trouble.known += 1
            elif fails:
                self._fails(played)
        except Exception as error:
            raise _EnoughError(error) from error

    def _is_known(self, history: History) -> bool:
        """Whether what was found before may explain a failure; raises where asking has taken too long."""
        if not self._known:
            return False
        began = time.thread_time()
        try:
            known = self._judge.may_explain(history, tuple(self._known))
        except Exception as error:
            if not self._forgiving:
                raise
            self.trouble.errs("asking whether a failure is known", error)
            known = True
        self._asked_s += time.thread_time() - began
        if known and self._asked_s > BEHIND_S:
            self.trouble.known += 1
            raise _EnoughError
        return known

    def _fails(self, found: Played) -> None:
        """Make a failing plan small, and see what explains it; raises where nothing more is to be drawn."""
        trouble, session, judge = self.trouble, self._session, self._judge
        if self._known:
            # Else what is known, which it may show as well, would be all that is left of it.
            judge = Judge(judge.book.with_free(*self._known), judge.on_record)
        notes = trouble if self._forgiving else None
        reduced = _small(found, session, judge, self._last, self._reducing, notes)
        smallest = reduced.played
        number = "" if trouble.failure is None else f"-{len(trouble.later) + 2}"
        self._saw(f"{self._machine.name}-reduced{number}", Verdict.FAIL, smallest.history)
        failure = _failure(self._machine, reduced, judge, notes)
        # One that fails now and then is given as many tries as it takes to see that again.
        times = max(self._profile.replays, reduced.tries if reduced.tries > 1 else 0)
        trouble.found(smallest, failure, *_replayed(smallest, session, judge, times, self._last))
        # Behind what no decision explains nothing can be told from it.
        if failure.blamed is None or len(trouble.later) >= self._behind:
            raise _EnoughError
        self._known[failure.blamed] = None


def _small(
    failing: Played,
    session: Session,
    judge: Judge,
    last: float | None,
    reducing: Callable[[int, int], None],
    notes: PlanOutcomes | None,
) -> Reduced:
    """The failing plan made small, or as it was found where Plumbline makes an error of its own over it."""
    try:
        return reduce(failing, session, judge, limits=_limits(last), progress=reducing)
    except Exception as error:
        if notes is None:
            raise
        notes.own_errors = (*notes.own_errors, OwnError.of("making an example small", error))
        session.close()
        return as_found(failing)


def _replayed(
    failing: Played, session: Session, judge: Judge, times: int, last: float | None
) -> tuple[int, int]:
    """How often an example failed, and how often it was played, when it is played so many times more."""
    failed = tried = 1
    for _ in range(times):
        if last is not None and time.monotonic() > last:
            break
        try:
            again = play_plan(failing.plan, session, failing.history.member_order)
            failed += judge.of(again)[0] is Verdict.FAIL
        except AdapterError as error:
            session.failed(error)
        tried += 1
    return failed, tried


def _limits(last: float | None) -> ReducerLimits:
    """What making a plan small may take if it has to end by then."""
    usual = ReducerLimits()
    return (
        usual
        if last is None
        else ReducerLimits(seconds=min(usual.seconds, max(0.0, last - time.monotonic())))
    )


def _failure(machine: Machine, reduced: Reduced, judge: Judge, notes: PlanOutcomes | None) -> Result:
    smallest = reduced.played
    try:
        finding = find(smallest.history, judge.book, BUDGET, NAMING_LONGER_MS)
    except Exception as error:
        if notes is None:
            raise
        # It fails all the same; only what it breaks is not known.
        notes.own_errors = (*notes.own_errors, OwnError.of("naming what an example breaks", error))
        finding = Finding(answer=Answer.REFUTED, states=0)
    expected, seen = finding_words(finding)
    # Several decisions may explain what was seen; of those that explained it all the way the one is blamed
    # that fits what was seen, else the narrowest. The others are told.
    seen_first = finding.requirements[:1] if finding.sight else ()
    decisions = sorted(
        finding.decisions,
        key=lambda one: (one not in reduced.decisions, not {*seen_first} & {*DECISIONS[one].requirements}),
    )
    first = DECISIONS[decisions[0]].requirements if decisions else finding.requirements
    fits = tuple(requirement for requirement in seen_first if requirement in first)
    blamed = tuple(dict.fromkeys((*fits, *first)))
    others = decisions[1:]
    reason = "no correct run shows what was observed"
    if decisions:
        reason += f"; it is explained when decision {decisions[0]} answers differently"
    if others:
        reason += f" (or {', '.join(others)})"
    if finding.sight:
        reason = f"{finding.sight}; {reason}"
    elif not blamed and seen:
        reason += f", and no decision explains it: {seen[0]}"
    requirements = blamed or _most_general(machine)
    advice = _advice(requirements, smallest.history, judge, notes)
    return Result(
        title=machine.name,
        verdict=Verdict.FAIL,
        requirements=requirements,
        reason=f"{reason}; {advice}" if advice else reason,
        expected=expected,
        seen=seen,
        plan=plan_words(smallest.plan),
        played=smallest.plan,
        reduction=reduced.reduction,
        history=smallest.history,
        finding=finding,
        blamed=decisions[0] if decisions else None,
    )


def _advice(requirements: tuple[str, ...], history: History, judge: Judge, notes: PlanOutcomes | None) -> str:
    """What to put on record so that the machine goes on, where something is that it cannot follow."""
    try:
        return judge.on_record.advice(requirements, history, judge.book, BRIEF)
    except Exception as error:
        if notes is None:
            raise
        notes.own_errors = (*notes.own_errors, OwnError.of("asking what to put on record", error))
        return ""


def _most_general(machine: Machine) -> tuple[str, ...]:
    """Blamed where nothing can be named: the members do not end as any run of the model ends."""
    return UNNAMED if UNNAMED[0] in machine.requirements else machine.requirements[:1]


UNNAMED = ("CONS-RR-04",)
"""Where a machine is about replicas."""
