"""Makes a failing plan small: the fewest steps that still fail on the candidate.

The model goes first, for its questions cost no run of the candidate: which operations does the failure need,
as far as the history that was seen tells? Its suspicions are confirmed on the candidate, and so is each other
step that is left out. Knows plans and how to play them; knows nothing of how they are drawn.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable

import msgspec

from plumbline.adapters.errors import AdapterError
from plumbline.reference.explain.fault_localization import name
from plumbline.reference.explain.projection import project
from plumbline.reference.explain.search_stages import sought
from plumbline.reference.history.actions import (
    Do,
    Finish,
    Join,
    Leave,
    Park,
    PlanStep,
    Release,
    Start,
)
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import Operation, OperationKind, Site, Topology
from plumbline.reference.history.plans import Plan, doubly_busy, operations_of, restricted, with_steps
from plumbline.reference.results.runs import Reduction
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import Judge, Played, play_plan

STEADY_TRIES = 2
"""A failing plan is played so often again, to see whether it fails every time."""

MISSED_AT_MOST = 0.05
MOST_TRIES = 10
"""A plan of an unsteady failure passes when it has passed so often that it would be missed with at most this
probability if it failed as often as the original; never more often than that."""

MOST_ERRORS_IN_A_ROW = 2
"""One less than what a session bears, so that it can still be used."""

FEW = 8
"""So many operations are left out one at a time; of more, whole chunks are tried first."""

SLOW_START_S = 2.0
"""Where the first try with fewer members takes longer, their number is not what is made smaller."""

SUSPECTING = Budget(states=5_000, time_ms=300)
SUSPECTING_S = 3.0
"""How long the model may look for what a failure needs, in one question and in all."""

Progress = Callable[[int, int], None]
"""Told how many runs of the candidate there were, and how many there may be."""


class ReducerLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How far reducing may go: runs of the candidate, and seconds; the smallest plan found by then stays."""

    runs: int = 120
    seconds: float = 60.0


class Reduced(msgspec.Struct, frozen=True, kw_only=True):
    """The smallest failing plan found.

    Attributes:
        played: the plan and what was seen when it failed.
        tries: how often a plan has to be played to see whether it fails; 1 if it fails every time.
        decisions: those that explain every failure on the way to it, if answered otherwise. The smaller an
            example, the more decisions explain it: those that explained it when it was large are to blame.
        reduction: how it came about.
    """

    played: Played
    tries: int
    decisions: tuple[str, ...]
    reduction: Reduction


class _OverError(Exception):
    """The budget is used up."""


def reduce(
    failing: Played,
    session: Session,
    judge: Judge,
    *,
    limits: ReducerLimits | None = None,
    progress: Progress = lambda *_: None,
) -> Reduced:
    """Make a failing plan as small as the limits allow; never raises for what the candidate does."""
    return _Reducer(failing, session, judge, limits or ReducerLimits(), progress).carry_out()


def as_found(failing: Played) -> Reduced:
    """A failing plan that was not made small."""
    reduction = Reduction(operations_before=len(operations_of(failing.plan)), runs=0, minimal=False)
    return Reduced(played=failing, tries=1, decisions=(), reduction=reduction)


class _Reducer:
    def __init__(
        self, failing: Played, session: Session, judge: Judge, limits: ReducerLimits, progress: Progress
    ) -> None:
        self._best = failing
        self._session = session
        self._judge = judge
        self._limits = limits
        self._progress = progress
        self._deadline = time.monotonic() + limits.seconds
        self._decisions: tuple[str, ...] = ()
        self._known: dict[Plan, bool] = {}
        self._ladder = [failing]
        self._tries = 1
        self._insists = False
        self._doubly_busy = doubly_busy(failing.plan)
        self._runs = 0
        self._errors = 0
        self._slow_start = False

    def carry_out(self) -> Reduced:
        before = len(operations_of(self._best.plan))
        minimal = False
        try:
            self._see_how_steady()
            self._make_small()
            if self._tries == 1:
                self._go_back_to_steady()
            minimal = True
        except _OverError:
            pass
        self._progress(self._runs, self._runs)
        reduction = Reduction(operations_before=before, runs=self._runs, minimal=minimal)
        return Reduced(played=self._best, tries=self._tries, decisions=self._decisions, reduction=reduction)

    def _see_how_steady(self) -> None:
        failed = 1 + sum(self._play(self._best.plan) is not None for _ in range(STEADY_TRIES))
        self._tries = tries_for(failed, 1 + STEADY_TRIES)

    def _make_small(self) -> None:
        """Until nothing more can be left out."""
        while True:
            plan = self._best.plan
            self._decisions = self._decisions or name(self._best.history, self._judge.book)
            self._ask_the_model()
            self._leave_out_operations()
            self._simplify()
            if self._best.plan == plan:
                return

    def _go_back_to_steady(self) -> None:
        """What failed every time must not end as what fails now and then: back to where it still did."""
        while self._ladder and not self._steady(self._ladder[-1].plan):
            self._ladder.pop()
            self._insists = True
        if not self._insists:
            return
        if self._ladder:
            self._best = self._ladder[-1]
        else:
            # It was never steady, only looked so.
            self._insists = False
            self._tries = tries_for(1, 1 + STEADY_TRIES)
        self._known.clear()
        self._make_small()

    def _steady(self, plan: Plan) -> bool:
        return all(self._play(plan) for _ in range(STEADY_TRIES))

    def _fails(self, plan: Plan) -> bool:
        """Whether the candidate fails on a plan; if so it is the best so far."""
        if plan == self._best.plan:
            return True
        if plan not in self._known and doubly_busy(plan) and not self._doubly_busy:
            self._known[plan] = False
        if plan not in self._known:
            played = self._play(plan)
            for _ in range(self._tries - 1):
                played = played or self._play(plan)
            if played is not None and self._insists and not self._steady(plan):
                played = None
            if played is not None:
                self._best = played
                self._ladder.append(played)
                still = explaining(played.history, self._judge.book, self._decisions)
                self._decisions = still or self._decisions
            self._known[plan] = played is not None
        return self._known[plan]

    def _play(self, plan: Plan) -> Played | None:
        """A plan and what was seen, if the candidate fails on it."""
        if (
            self._runs >= self._limits.runs
            or time.monotonic() > self._deadline
            or self._errors >= MOST_ERRORS_IN_A_ROW
        ):
            raise _OverError
        self._runs += 1
        self._progress(self._runs, self._limits.runs)
        try:
            played = play_plan(plan, self._session, self._best.history.member_order)
            verdict, _ = self._judge.of(played)
        except AdapterError as error:
            self._errors += 1
            self._session.failed(error)
            return None
        self._errors = 0
        self._session.worked()
        return played if verdict is Verdict.FAIL else None

    def _ask_the_model(self) -> None:
        """As long as what the model suspects turns out to be so."""
        while True:
            plan = self._best.plan
            every = {operation.op_id for operation in operations_of(plan)}
            kept = suspects(self._best, self._judge.book, self._decisions)
            if kept == every or not self._fails(restricted(plan, kept)):
                return

    def _leave_out_operations(self) -> None:
        """In the end one at a time, until none can be left out any more."""
        size = len(operations_of(self._best.plan))
        size = size // 2 if size > FEW else 1
        while size:
            found = False
            ids = [operation.op_id for operation in operations_of(self._best.plan)]
            for start in reversed(range(0, len(ids), size)):
                chunk = ids[start : start + size]
                left = {operation.op_id for operation in operations_of(self._best.plan)}.difference(chunk)
                found |= self._fails(restricted(self._best.plan, left))
            if size > 1:
                size //= 2
            elif not found:
                return

    def _simplify_values(self) -> None:
        """Puts alone, each of its token alone."""
        called = operations_of(self._best.plan)
        changes = [op for op in called if op.token and op.key and op.kind is not OperationKind.PUT]
        if not self._fails(_as_puts(self._best.plan, changes)) and len(changes) > 1:
            for operation in changes:
                self._fails(_as_puts(self._best.plan, [operation]))
        if any(operation.value_bytes for operation in called):
            self._fails(_with_short_values(self._best.plan))

    def _simplify(self) -> None:
        """No steps but operations; calls waited for instead of parked; puts alone; no idle members."""
        extras = [step for step in self._best.plan.steps if step.spare]
        if not self._without(extras) and len(extras) > 1:
            for index in reversed(range(len(self._best.plan.steps))):
                steps = self._best.plan.steps
                if index < len(steps) and steps[index].spare:
                    self._fails(with_steps(self._best.plan, (*steps[:index], *steps[index + 1 :])))
        for left in [step for step in self._best.plan.steps if isinstance(step, Leave)]:
            self._without([left, Join(left.member, left.region)])
        for operation in operations_of(self._best.plan):
            for simpler in (Do(operation), Start(operation)):
                if self._fails(_instead(self._best.plan, simpler)):
                    break
        self._simplify_values()
        for client in self._best.plan.clients:
            self._fails(without_client(self._best.plan, client.name))
        for member in self._best.plan.members:
            smaller = without_member(self._best.plan, member)
            if smaller is not None and not self._slow_start:
                began = time.monotonic()
                self._fails(smaller)
                self._slow_start = time.monotonic() - began > SLOW_START_S

    def _without(self, steps: Collection[PlanStep]) -> bool:
        """Whether it fails without these steps, wherever they stand."""
        plan = self._best.plan
        smaller = with_steps(plan, [step for step in plan.steps if step not in steps])
        return smaller != plan and self._fails(smaller)


def tries_for(failed: int, tried: int) -> int:
    """How often to play a plan to see it fail if it fails as often as `failed` of `tried` times."""
    if failed <= 0:
        return MOST_TRIES
    if failed >= tried:
        return 1
    return min(MOST_TRIES, math.ceil(math.log(MISSED_AT_MOST) / math.log(1 - failed / tried)))


def suspects(played: Played, book: Rulebook, decisions: tuple[str, ...]) -> set[int]:
    """The operations that a failure seems to need, found without playing anything.

    An operation is left out if the history without it is no more explained than before, and for the same
    reason: answering one of the named decisions otherwise explains it.

    Args:
        played: the plan and what was seen.
        book: what is right.
        decisions: those whose freeing explains the history; empty if none is known to.
    """
    kept = [operation.op_id for operation in operations_of(played.plan)]
    deadline = time.thread_time() + SUSPECTING_S
    keys = {operation.op_id: (operation.region, operation.key) for operation in operations_of(played.plan)}
    chunks: Iterable[list[int]]
    for key in dict.fromkeys(keys.values()):
        chunk = [op_id for op_id in kept if keys[op_id] == key]
        kept = _left_out(played.history, book, decisions, kept, [chunk], deadline)
    size = len(kept) // 2
    while size:
        chunks = [kept[start : start + size] for start in reversed(range(0, len(kept), size))]
        kept = _left_out(played.history, book, decisions, kept, chunks, deadline)
        size //= 2
    return set(kept)


def _left_out(
    history: History,
    book: Rulebook,
    decisions: tuple[str, ...],
    kept: list[int],
    chunks: Iterable[list[int]],
    deadline: float,
) -> list[int]:
    """What is left of the operations once those chunks are left out that the failure does not need."""
    for chunk in chunks:
        fewer = [op_id for op_id in kept if op_id not in chunk]
        if fewer and time.thread_time() < deadline and _still_wrong(history, book, decisions, fewer):
            kept = fewer
    return kept


def _still_wrong(history: History, book: Rulebook, decisions: tuple[str, ...], kept: list[int]) -> bool:
    about = project(history, kept)
    # The cause of a missing end may be among the steps left out, so a lost answer alone proves nothing.
    if about is None or sought(about, book, SUSPECTING)[0].answer is not Answer.REFUTED:
        return False
    # A history that only lacks the operations left out is refuted too, but not for the reason of the failure.
    return not decisions or bool(explaining(about, book, decisions))


def explaining(history: History, book: Rulebook, decisions: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the decisions that explain a history, each alone, if they are answered otherwise."""
    return tuple(
        decision
        for decision in decisions
        if sought(history, book.with_free(decision), SUSPECTING)[0].answer is Answer.EXPLAINED
    )


def _instead(plan: Plan, simpler: Do | Start) -> Plan:
    """The plan with an operation called so, unless it is called more simply already."""
    operation = simpler.operation
    steps: list[PlanStep] = []
    for step in plan.steps:
        match step:
            case Park(parked) if parked == operation:
                steps.append(simpler)
            case Start(started) if started == operation and isinstance(simpler, Do):
                steps.append(simpler)
            case Release(op_id) if op_id == operation.op_id:
                pass
            case Finish(op_id) if op_id == operation.op_id and isinstance(simpler, Do):
                pass
            case _:
                steps.append(step)
    return with_steps(plan, steps)


def _as_puts(plan: Plan, operations: Collection[Operation]) -> Plan:
    """The plan with puts instead of these operations: of what was put it shows best where it went."""

    def put(step: PlanStep) -> PlanStep:
        if isinstance(step, Do | Start | Park) and step.operation in operations:
            changed = msgspec.structs.replace(step.operation, kind=OperationKind.PUT, expected=None)
            return msgspec.structs.replace(step, operation=changed)
        return step

    return with_steps(plan, [put(step) for step in plan.steps])


def _with_short_values(plan: Plan) -> Plan:
    """The plan in which each value is its token alone."""

    def short(step: PlanStep) -> PlanStep:
        if isinstance(step, Do | Start | Park) and step.operation.value_bytes:
            return msgspec.structs.replace(
                step, operation=msgspec.structs.replace(step.operation, value_bytes=0)
            )
        return step

    return with_steps(plan, [short(step) for step in plan.steps])


def without_client(plan: Plan, client: str) -> Plan:
    """The plan without a client, unless it plays a part in it."""
    if client in _playing(plan):
        return plan
    return msgspec.structs.replace(plan, clients=tuple(one for one in plan.clients if one.name != client))


def without_member(plan: Plan, member: str) -> Plan | None:
    """The plan without a member that plays no part in it; None if it plays one or is alone on its site."""
    site = plan.topology.site_of(member)
    if member in _playing(plan) or len(site.members) == 1:
        return None
    fewer = Site(site.number, tuple(name for name in site.members if name != member))
    sites = tuple(fewer if one == site else one for one in plan.topology.sites)
    regions = tuple(
        msgspec.structs.replace(
            region, policies=tuple(host for host in region.policies if host.member != member)
        )
        for region in plan.regions
    )
    return msgspec.structs.replace(plan, topology=Topology(sites), regions=regions)


PLAYERS = ("member", "caller", "client")
"""The kinds of names of those who play a part."""


def _playing(plan: Plan) -> set[str]:
    """The members and clients that a plan names besides its topology."""
    playing = {name for step in plan.steps for kind, name in step.names() if kind in PLAYERS}
    return playing | {server for client in plan.clients for server in client.servers}
