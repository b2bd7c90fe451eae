"""One machine's turn in a run: its plans are played, and counted is what they prove.

Knows sessions and machines; knows nothing of runs, nor of who else is playing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from plumbline.reference.deviations import Deviation
from plumbline.reference.history import History
from plumbline.reference.runs import Check
from plumbline.reference.verdicts import Verdict
from plumbline.suites.deviations import OnRecord
from plumbline.suites.examples import Trouble, play_plans
from plumbline.suites.machines.registry import MACHINES
from plumbline.suites.profiles import Profile
from plumbline.suites.proof import Proof
from plumbline.suites.session import Session

MOST_UNDECIDED = 0.05
"""An undecided example is no evidence either way; with more than this share of them, and more than one,
nothing is judged."""

Progress = Callable[[str, int, int], None]
"""Told what is going on, how much of it is done, and how much there is."""

Saw = Callable[[str, Verdict, History], None]
"""Told of every judged example that counts: its name, the verdict, the history."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """What a machine is to do.

    Attributes:
        machine: its name.
        wanted: the requirements to judge by it.
        profile: how much.
        seed: what the plans are drawn from.
        deadline: on the monotonic clock; no plan is begun after it. None for no end.
        last: when making a failing plan small has to end, on the same clock.
    """

    machine: str
    wanted: tuple[str, ...]
    profile: Profile
    seed: int
    deadline: float | None = None
    last: float | None = None


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn gave.

    Attributes:
        trouble: what the plans have shown.
        exercised: for each requirement wanted, how many examples would have shown it violated.
        check: how much was played, and how long it took.
        shown: the deviations on record that something seen is a case of.
    """

    trouble: Trouble
    exercised: dict[str, int]
    check: Check
    shown: frozenset[Deviation]


class Clock:
    """How long something takes, from here on."""

    def __init__(self) -> None:
        self.began = time.monotonic()
        self._own = time.process_time()

    @property
    def seconds(self) -> float:
        """Wall time so far."""
        return time.monotonic() - self.began

    @property
    def own_s(self) -> float:
        """Processor time of this process so far."""
        return time.process_time() - self._own


def take(turn: Turn, session: Session, on_record: OnRecord, *, saw: Saw, progress: Progress) -> Taken:
    """Let a machine play; never raises for what the candidate does."""
    clock = Clock()
    machine = MACHINES[turn.machine]
    proof = Proof(list(turn.wanted), session.book, turn.profile.proofs)

    def seen(name: str, verdict: Verdict, history: History) -> None:
        saw(name, verdict, history)
        if verdict is Verdict.PASS:
            proof.add(history)

    trouble = play_plans(
        machine,
        session,
        session.book,
        profile=turn.profile,
        draw_seed=turn.seed,
        deadline=turn.deadline,
        last=turn.last,
        on_record=on_record,
        saw=seen,
        progress=lambda done: progress(machine.name, done, turn.profile.examples),
        reducing=lambda runs, most: progress(f"{machine.name}, making it small", runs, most),
        listens=proof.listens,
    )
    check = Check(
        name=machine.name,
        examples=trouble.played,
        planned=turn.profile.examples,
        cut=trouble.cut,
        seconds=clock.seconds,
        own_s=clock.own_s,
    )
    exercised = {requirement: proof.count(requirement) for requirement in turn.wanted}
    return Taken(trouble=trouble, exercised=exercised, check=check, shown=frozenset(on_record.shown))


def judged(requirement: str, taken: Taken) -> tuple[Verdict, str]:
    """What a machine says of a requirement that its failure, if any, does not name."""
    played = taken.trouble
    if played.adapter_errors:
        return Verdict.ADAPTER_ERROR, f"{played.adapter_errors} examples: {played.last_error}"
    if played.unknown > max(1, MOST_UNDECIDED * played.played):
        return Verdict.UNKNOWN, f"{played.unknown} of {played.played} examples were not decided in the budget"
    if any(known.requirement == requirement for known in played.deviations):
        return Verdict.DEVIATION, played.deviating_words
    if played.lacking and not played.played:
        return Verdict.UNSUPPORTED, played.last_error
    over = ["the time was over before more were played"] if played.cut else []
    if not taken.exercised[requirement]:
        reason = f"none of {played.played} examples would have shown a violation"
        return Verdict.NOT_EXERCISED, "; ".join([reason, *over])
    by = played.unknown or played.idle or played.cut
    told = [f"by {played.played - played.unknown} examples", *over] if by else []
    if played.unknown:
        told.append(f"{played.unknown} were not decided")
    if played.idle:
        told.append(f"{played.idle} more count for nothing, for no fault has bitten there")
    return Verdict.PASS, "; ".join(told)
