"""How well failing plans are made small: the suite's own way beside that of Hypothesis, on equal failures.

Plays every faulty variant as a process of its own, where a run costs something. Knows what to count; knows
nothing of how either goes about it.
"""

from __future__ import annotations

import time

import msgspec

from plumbline.adapters.candidates import Candidate
from plumbline.adapters.errors import AdapterError
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import RegionAttributes
from plumbline.reference.history.plans import Plan, operations_of
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.suites.harness.log_order import order_strength
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import Machine, drive
from plumbline.suites.run.plan_outcomes import SLOW_MEMBERS
from plumbline.suites.run.profiles import Profile
from plumbline.suites.run.reducer import reduce
from plumbline.suites.run.replaying import Judge, Played, play_plan


class Way(msgspec.Struct, frozen=True, kw_only=True):
    """What one way of making a plan small took, and where it ended.

    Attributes:
        runs: how often the candidate played an example.
        operations: that the smallest failing plan calls.
        members: that take part in it.
        seconds: how long it took.
    """

    runs: int
    operations: int
    members: int
    seconds: float


class ReducedFailure(msgspec.Struct, frozen=True, kw_only=True):
    """One failure of one variant.

    Attributes:
        variant: the faulty variant.
        machine: which machine drew the failing plan.
        operations: that this plan calls.
        own: the suite's own way.
        minimal: whether it ended with a plan of which no operation can be left out.
        hypothesis: that of Hypothesis.
    """

    variant: str
    machine: str
    operations: int
    own: Way
    minimal: bool
    hypothesis: Way


class _FailedError(AssertionError):
    def __init__(self, played: Played) -> None:
        super().__init__("no run of the model shows this history")
        self.played = played


def compare(
    variant: str, machine: Machine, candidate: Candidate, profile: Profile, seed: int
) -> ReducedFailure | None:
    """The first failing plan that the machine draws, made small in both ways; None if none fails."""
    with Session(candidate) as session:
        first, _, _ = _drawn(machine, session, profile, seed, shrink=False)
        if first is None:
            return None
        began = time.monotonic()
        reduced = reduce(first, session, Judge(Rulebook()))
        seconds = time.monotonic() - began
        own = _way(reduced.played.plan, reduced.reduction.runs, seconds)
    with Session(candidate) as session:
        last, runs, seconds = _drawn(machine, session, profile, seed, shrink=True)
        hypothesis = _way((last or first).plan, runs, seconds)
    return ReducedFailure(
        variant=variant,
        machine=machine.name,
        operations=len(operations_of(first.plan)),
        own=own,
        minimal=reduced.reduction.minimal,
        hypothesis=hypothesis,
    )


def _drawn(
    machine: Machine, session: Session, profile: Profile, seed: int, *, shrink: bool
) -> tuple[Played | None, int, float]:
    """The failing plan that Hypothesis ends with; runs and seconds after the first failing one."""
    judge = Judge(Rulebook())
    runs = 0
    began = 0.0

    def execute(plan: Plan) -> None:
        nonlocal runs, began
        runs += began > 0
        try:
            played = play_plan(plan, session)
        except AdapterError as error:
            session.failed(error)
            return
        session.worked()
        if judge.verdict(played.history)[0] is Verdict.FAIL:
            began = began or time.monotonic()
            raise _FailedError(played)

    def loose(region: RegionAttributes) -> bool:
        return order_strength(session.introduction, (region,)) is OrderStrength.PER_KEY_AND_THREAD

    try:
        drive(
            machine,
            execute,
            offers=frozenset(session.introduction.capabilities),
            examples=profile.examples,
            steps=profile.rules,
            draw_seed=seed,
            shrink=shrink,
            members=SLOW_MEMBERS,
            loose_logs=loose,
        )
    except _FailedError as failed:
        return failed.played, runs, time.monotonic() - began
    return None, runs, 0.0


def _way(plan: Plan, runs: int, seconds: float) -> Way:
    return Way(
        runs=runs,
        operations=len(operations_of(plan)),
        members=len(plan.members),
        seconds=round(seconds, 2),
    )
