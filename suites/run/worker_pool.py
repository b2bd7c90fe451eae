"""Workers: processes in which machines take their turns side by side, each with a session of its own.

Only for candidates in this process whose examples do not depend on those played before. A worker sends its
results to the process that started it. That process alone writes them down, so a worker may be killed at any
moment.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from types import TracebackType
from typing import Any, Self

from plumbline.adapters.candidates import Candidate
from plumbline.reference.results.deviations import Deviation
from plumbline.reference.results.own_errors import OwnError
from plumbline.reference.results.runs import Check
from plumbline.suites.harness.session import Session
from plumbline.suites.run.known_deviations import KnownDeviations
from plumbline.suites.run.machine_run import MachineResult, MachineRun, Progress, Saw, take
from plumbline.suites.run.plan_outcomes import PlanOutcomes

MOST_REPLACED = 3
"""So many processes in a row may end before they are given anything."""

SAW, PROGRESS, TAKEN, FAILED = "saw", "progress", "taken", "failed"


class WorkerError(Exception):
    """A worker has ended in the middle of a turn; says why, as far as it is known."""


class Workers:
    """A number of workers; at the end all of them are gone, busy or not.

    They are forked. Draws from a seed depend on the loaded modules, for Hypothesis draws constants from them.
    A process that starts anew would have loaded others.

    Args:
        count: how many.
        candidate: whom they play on.
        dialect: the one judged by.
        deviations: those in force.
    """

    def __init__(
        self, count: int, candidate: Candidate, dialect: str, deviations: tuple[Deviation, ...] = ()
    ) -> None:
        self._processes: dict[Connection, BaseProcess] = {}
        self._given = candidate, dialect, deviations
        try:
            for _ in range(count):
                self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> Connection:
        ours, theirs = multiprocessing.Pipe()
        not_theirs = [ours, *self._processes]
        process = multiprocessing.get_context("fork").Process(
            target=_work, args=(theirs, not_theirs, *self._given), daemon=True
        )
        self._processes[ours] = process
        with theirs, warnings.catch_warnings():
            # Other threads draw progress, or read files; a worker needs nothing that they may have locked.
            warnings.simplefilter("ignore", DeprecationWarning)
            process.start()
        return ours

    def take(
        self, turns: Sequence[MachineRun], *, saw: Saw, progress: Progress
    ) -> Iterator[tuple[MachineRun, MachineResult]]:
        """Have all turns taken, begun in this order; gives each as it is over.

        A turn whose worker has ended gives an error of Plumbline's own, and another worker takes the next.
        Raises WorkerError where none can be had.
        """
        waiting = list(reversed(turns))
        busy: dict[Connection, MachineRun] = {}
        for free in list(self._processes):
            if waiting:
                self._give(free, waiting, busy)
        while busy:
            for worker in wait(list(busy)):
                assert isinstance(worker, Connection)
                try:
                    kind, what = self._heard(worker, busy[worker])
                except WorkerError as error:
                    turn = busy.pop(worker)
                    if waiting:
                        self._give(self._replaced(worker), waiting, busy)
                    yield turn, _lost(turn, error)
                    continue
                if kind == SAW:
                    saw(*what)
                elif kind == PROGRESS:
                    progress(*what)
                else:
                    turn = busy.pop(worker)
                    if waiting:
                        self._give(worker, waiting, busy)
                    yield turn, what

    def _give(
        self, worker: Connection, waiting: list[MachineRun], busy: dict[Connection, MachineRun]
    ) -> None:
        turn = waiting.pop()
        for _ in range(MOST_REPLACED):
            try:
                worker.send(turn)
            except OSError:
                worker = self._replaced(worker)
            else:
                busy[worker] = turn
                return
        raise WorkerError(f"{turn.machine}: no process that is to play it stays alive")

    def _replaced(self, worker: Connection) -> Connection:
        """Another worker in place of one that has ended, or is of no more use."""
        process = self._processes.pop(worker)
        process.kill()
        process.join()
        worker.close()
        return self._start()

    def _heard(self, worker: Connection, turn: MachineRun) -> tuple[str, Any]:
        try:
            kind, what = worker.recv()
        except (EOFError, OSError) as error:
            raise self._gone(worker, turn) from error
        if kind == FAILED:
            raise WorkerError(f"{turn.machine}: {what}")
        return kind, what

    def _gone(self, worker: Connection, turn: MachineRun) -> WorkerError:
        process = self._processes[worker]
        process.kill()
        process.join()
        return WorkerError(f"{turn.machine}: the process that played it has ended with {process.exitcode}")

    def close(self) -> None:
        """End them all."""
        for worker, process in self._processes.items():
            if process.pid is not None:
                process.kill()
                process.join()
            worker.close()
        self._processes.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _lost(turn: MachineRun, error: WorkerError) -> MachineResult:
    """What a turn gave whose worker has ended: nothing is known of its requirements."""
    told = str(error).strip().splitlines()
    own = OwnError(f"the machine {turn.machine}", f"{told[-1]}; --jobs 1 plays without workers", str(error))
    return MachineResult(
        trouble=PlanOutcomes(own_errors=(own,)),
        exercised=dict.fromkeys(turn.wanted, 0),
        check=Check(name=turn.machine, examples=0, planned=turn.profile.examples, seconds=0.0, own_s=0.0),
        shown=frozenset(),
    )


def _work(
    boss: Connection,
    not_ours: list[Connection],
    candidate: Candidate,
    dialect: str,
    deviations: tuple[Deviation, ...],
) -> None:
    """Take one turn after the other, until the parent process hands out no more."""
    os.setsid()  # a terminal's Ctrl-C is for the parent process
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    for connection in not_ours:
        connection.close()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent process has ended
        try:
            with Session(candidate, dialect) as session:
                while True:
                    turn: MachineRun = boss.recv()
                    on_record = KnownDeviations(deviations)
                    saw = lambda *seen: boss.send((SAW, seen))  # noqa: E731
                    progress = lambda *done: boss.send((PROGRESS, done))  # noqa: E731
                    boss.send((TAKEN, take(turn, session, on_record, saw=saw, progress=progress)))
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise
        except Exception:  # noqa: BLE001 - the parent process waits for the turn and reports it
            boss.send((FAILED, traceback.format_exc()))
