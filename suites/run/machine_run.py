"""One machine's turn in a run: its plans are played, and counted is what they prove.

Knows sessions and machines; knows nothing of runs, nor of who else is playing.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from plumbline.reference.history.history import History
from plumbline.reference.results.deviations import Deviation
from plumbline.reference.results.own_errors import OwnError
from plumbline.reference.results.runs import Check
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.trace.files import TraceWriteError
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.run.known_deviations import KnownDeviations
from plumbline.suites.run.plan_outcomes import PlanOutcomes, play_plans
from plumbline.suites.run.profiles import Profile
from plumbline.suites.run.proof import Proof

MOST_BEHIND = 2
"""So many failures more a machine looks for behind the first, so that one does not hide all else."""

Progress = Callable[[str, int, int], None]
"""Told what is going on, how much of it is done, and how much there is."""

Saw = Callable[[str, Verdict, History], None]
"""Told of every judged example that counts: its name, the verdict, the history."""


class MachineRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a machine is to do.

    Attributes:
        machine: its name.
        wanted: the requirements to judge by it.
        profile: how much.
        seed: what the plans are drawn from.
        deadline: on the monotonic clock; no plan is begun after it. None for no end.
        last: when making a failing plan small has to end, on the same clock.
        elsewhere: requirements that scenarios of the run have proven: one example more is enough of each.
    """

    machine: str
    wanted: tuple[str, ...]
    profile: Profile
    seed: int
    deadline: float | None = None
    last: float | None = None
    elsewhere: tuple[str, ...] = ()


class MachineResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn gave.

    Attributes:
        trouble: what the plans have shown.
        exercised: for each requirement wanted, how many examples would have shown it violated.
        check: how much was played, and how long it took.
        shown: the deviations on record that something seen is a case of.
        unproven: for requirements whose proof met an error of Plumbline's own, which.
    """

    trouble: PlanOutcomes
    exercised: dict[str, int]
    check: Check
    shown: frozenset[Deviation]
    unproven: dict[str, OwnError] = {}

    @property
    def own_errors(self) -> tuple[OwnError, ...]:
        """Plumbline's own errors of this turn, each once."""
        return tuple(dict.fromkeys((*self.trouble.own_errors, *self.unproven.values())))


class Stopwatch:
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


def take(
    turn: MachineRun, session: Session, on_record: KnownDeviations, *, saw: Saw, progress: Progress
) -> MachineResult:
    """Let a machine play; never raises for what the candidate does, nor for a mistake of Plumbline's own.

    Raises OSError and TraceWriteError where what was seen cannot be written.
    """
    clock = Stopwatch()
    machine = MACHINES[turn.machine]
    proof = Proof(list(turn.wanted), session.book, turn.profile.proofs, turn.elsewhere)

    def seen(name: str, verdict: Verdict, history: History) -> None:
        saw(name, verdict, history)
        if verdict is Verdict.PASS:
            proof.add(history)

    try:
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
            behind=MOST_BEHIND,
            forgiving=True,
        )
    except (OSError, TraceWriteError):
        raise
    except Exception as error:  # noqa: BLE001 - what adapters raise is told by `play_plans`: this is ours
        session.close()
        trouble = PlanOutcomes(own_errors=(OwnError.of(f"the machine {machine.name}", error),))
    check = Check(
        name=machine.name,
        examples=trouble.played,
        planned=turn.profile.examples,
        cut=trouble.cut,
        seconds=clock.seconds,
        own_s=clock.own_s,
    )
    exercised = {requirement: proof.count(requirement) for requirement in turn.wanted}
    return MachineResult(
        trouble=trouble,
        exercised=exercised,
        check=check,
        shown=frozenset(on_record.shown),
        unproven=proof.errors,
    )
