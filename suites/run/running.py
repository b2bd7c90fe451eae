"""A run: scenarios, machines and rules played on one candidate, and a run directory left behind.

Knows the order of things and what becomes of each result; every judgement is made elsewhere.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from plumbline.adapters.candidates import Candidate
from plumbline.adapters.errors import AdapterError
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.distribution import VERSION
from plumbline.reference.file_record import reserve
from plumbline.reference.history.history import History
from plumbline.reference.results.deciding import Tally, decide
from plumbline.reference.results.deviations import Deviation, in_force
from plumbline.reference.results.own_errors import OwnError
from plumbline.reference.results.runs import (
    Check,
    Counterexample,
    RunRecord,
    write_record,
    write_verdicts,
)
from plumbline.reference.results.sealing import seal_run
from plumbline.reference.results.verdicts import FAILED, Source, Verdict, VerdictRow
from plumbline.reference.rules.judging import judge_run
from plumbline.reference.rules.rule import load_rules
from plumbline.reference.trace.files import seal
from plumbline.reference.trace.writer import TraceWriter
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, Machine
from plumbline.suites.run.budget import SCENARIOS as SCENARIOS_PART
from plumbline.suites.run.budget import TimeBudget, added, early_end, in_order
from plumbline.suites.run.clause_coverage import Reach, with_missed
from plumbline.suites.run.known_deviations import KnownDeviations
from plumbline.suites.run.leaving import Leaving
from plumbline.suites.run.machine_run import MachineResult, MachineRun, Progress, Stopwatch, take
from plumbline.suites.run.playing import play_often
from plumbline.suites.run.profiles import Profile
from plumbline.suites.run.rows import (
    CountedResult,
    failures,
    lacking,
    left_out,
    tally_of,
    unjudged,
    unplayed,
    unreached,
)
from plumbline.suites.run.rows import of_machine as rows_of_machine
from plumbline.suites.run.rows import of_scenario as rows_of_scenario
from plumbline.suites.run.rows import row as row_of
from plumbline.suites.run.worker_pool import Workers
from plumbline.suites.scenarios.all_scenarios import SCENARIOS
from plumbline.suites.scenarios.scenario import Scenario

ROOM, ROOM_BYTES = ".room", 512 * 1024
"""Kept free while a run plays, for the verdicts so far should the disk be full."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What to run.

    Attributes:
        selected: requirement ids; empty for all.
        wide: whether to play everything, as a fault found elsewhere may break what is selected.
        profile: how much.
        seed: what the plans are drawn from.
        budget_s: no example is begun after so many seconds; None for what the profile says.
        deviations: known differences.
        dialect: the dialect judged against, "" for the one that the candidate declares.
        jobs: so many machines play at the same time, where the candidate is repeatable and time has no end.
        most_failures: after so many failures nothing more is played; 0 for no end.
        also_said: what else the command line said that decides what a replay shows, word by word.
    """

    selected: tuple[str, ...] = ()
    wide: bool = False
    profile: Profile
    seed: int = 0
    budget_s: float | None = None
    deviations: tuple[Deviation, ...] = ()
    dialect: str = ""
    jobs: int = 1
    most_failures: int = 0
    also_said: tuple[str, ...] = ()


class RunOutcome(msgspec.Struct, frozen=True):
    """What a run gave: its record, its verdict table, where it lies, and what on record did not show."""

    record: RunRecord
    rows: list[VerdictRow]
    directory: Path
    counterexamples: list[Counterexample]
    not_shown: tuple[Deviation, ...]


class _EnoughFailedError(Exception):
    """As much has failed as was asked for: nothing more is to be played."""


def run_suite(
    candidate: Candidate,
    options: Options,
    out: Path,
    progress: Progress,
    failed: Callable[[Counterexample], None] = lambda _: None,
    also_write: Callable[[RunOutcome], None] = lambda _: None,
) -> RunOutcome:
    """Run the suite against one candidate, leaving a directory below `out`; `failed` is told each failure.

    The files of `also_write` are in the directory also where the run ends early. Never raises for what the
    candidate does. Raises OSError or TraceWriteError when the directory cannot be written; files written
    before stay readable and show that the run is incomplete. So it does when the run is interrupted: the
    verdicts so far are kept, and what interrupted it goes on with a note of them.
    """
    return _Run(candidate, options, out, progress, failed, also_write).carry_out()


class _Run:
    def __init__(
        self,
        candidate: Candidate,
        options: Options,
        out: Path,
        progress: Progress,
        failed: Callable[[Counterexample], None],
        also_write: Callable[[RunOutcome], None],
    ) -> None:
        self._candidate = candidate
        self._options = options
        self._progress = progress
        self._failed = failed
        self._also_write = also_write
        self._failures = 0
        self._started = time.monotonic()
        self._selected = options.selected or tuple(all_requirements())
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", candidate.name)[:40].strip("-")
        begun = datetime.now(UTC)
        run_id = f"{begun:%Y%m%d-%H%M%S}-{slug}-{secrets.token_hex(3)}"
        self._directory = out / run_id
        self._record = RunRecord(
            run_id=run_id,
            suite_version=VERSION,
            candidate=candidate.name,
            product="",
            product_version="",
            dialect=options.dialect,
            profile=options.profile.name,
            seed=options.seed,
            started=begun.isoformat(timespec="milliseconds"),
            selected=options.selected,
        )
        self._rows: list[VerdictRow] = []
        self._left = Leaving(self._directory, options.also_said)
        self._capabilities: frozenset[Capability] | None = None
        self._owed: frozenset[str] = frozenset()
        self._on_record = KnownDeviations()
        self._reach: Reach | None = None
        self._budget = TimeBudget(None)
        self._waiting: list[Scenario] = []
        self._scenarios_of_all = 0

    def carry_out(self) -> RunOutcome:
        write_record(self._directory, self._record)
        reserve(self._directory / ROOM, ROOM_BYTES)
        try:
            not_shown = self._play_and_judge()
        except _EnoughFailedError as enough:
            self._keep_what_there_is(enough)
            not_shown = ()
        except BaseException as error:
            self._keep_what_there_is(error)
            raise
        return RunOutcome(self._record, self._rows, self._directory, self._left.counterexamples, not_shown)

    def _play_and_judge(self) -> tuple[Deviation, ...]:
        """All of it; gives the deviations that did not show."""
        with Session(self._candidate, self._options.dialect) as session:
            if self._introduced(session):
                with TraceWriter(self._directory, self._record.run_id) as trace:
                    self._play(session, trace)
        seal(self._directory)
        # What stands in run.json is written last: should this be cut short, the run is unfinished there.
        whole = msgspec.structs.replace(self._record, complete=True, seconds=time.monotonic() - self._started)
        if self._capabilities is not None:
            self._rules(whole)
        self._fill_up()
        missed = self._look_for_clauses()
        unplayed = {requirement for one in self._waiting for requirement in one.requirements}
        not_shown = self._on_record.not_shown(self._rows, unplayed)
        self._write_all(
            msgspec.structs.replace(whole, deviations_not_seen=not_shown, clauses_not_reached=missed)
        )
        return not_shown

    def _play(self, session: Session, trace: TraceWriter) -> None:
        of_profile = None if self._candidate.in_process else self._options.profile.budget_s
        self._budget = TimeBudget(self._options.budget_s or of_profile)
        owed = [one for one in SCENARIOS.values() if any(map(session.owes, one.requirements))]
        wide = self._options.wide
        wanted = [one for one in owed if wide or not self._owed.isdisjoint(one.requirements)]
        self._waiting = in_order(wanted, limited=self._budget.seconds is not None)
        self._scenarios_of_all = len(self._waiting)
        if len(wanted) < len(owed):
            self._record = msgspec.structs.replace(self._record, left_out=left_out(len(owed) - len(wanted)))
        self._scenarios(session, trace, until=lambda: self._budget.machines_are_due)
        self._machines(session, trace)
        if self._waiting:
            # Machines may have left some of their time.
            self._scenarios(session, trace, until=lambda: self._budget.over)
        self._not_reached()
        self._record = msgspec.structs.replace(
            self._record, ended_early=early_end(self._budget.seconds, self._record.checks)
        )

    def _write_all(self, record: RunRecord) -> None:
        """Write verdicts, what else is wanted, the record and at last the seal."""
        (self._directory / ROOM).unlink(missing_ok=True)
        write_verdicts(self._directory, self._rows)
        self._also_write(RunOutcome(record, self._rows, self._directory, self._left.counterexamples, ()))
        write_record(self._directory, record)
        seal_run(self._directory)
        self._record = record

    def _keep_what_there_is(self, interruption: BaseException) -> None:
        """Write the verdicts so far, in a run that says that it was broken off; never raises OSError."""
        seconds = time.monotonic() - self._started
        self._record = msgspec.structs.replace(self._record, complete=False, broken_off=True, seconds=seconds)
        judged = len({row.requirement for row in self._rows})
        (self._directory / ROOM).unlink(missing_ok=True)
        with suppress(OSError):
            write_record(self._directory, self._record)
        with suppress(OSError):
            self._write_all(self._record)
            interruption.add_note(
                f"{self._candidate.name}: stopped after {seconds:.1f} s; what was judged so far, "
                f"{judged} requirements, is kept in {self._directory} and never counts as green"
            )

    def _introduced(self, session: Session) -> bool:
        """Whether the candidate could introduce itself; otherwise nothing can be judged."""
        try:
            introduction = session.introduction
            dialect = session.dialect
        except AdapterError as error:
            words = f"{error} {error.last_words[-300:]}".strip()
            tally = Tally(adapter_errors=1, adapter_error=words)
            run_id = self._record.run_id
            self._rows += [
                row_of(run_id, requirement, Source.SCENARIO, tally) for requirement in self._selected
            ]
            return False
        self._capabilities = frozenset(introduction.capabilities)
        self._owed = frozenset(requirement for requirement in self._selected if session.owes(requirement))
        self._record = msgspec.structs.replace(
            self._record,
            product=introduction.name,
            product_version=introduction.version,
            digest=hashlib.sha256(msgspec.json.encode(introduction)).hexdigest()[:16],
            surroundings=self._candidate.surroundings(),
            dialect=dialect,
            capabilities=tuple(introduction.capabilities),
            deviations=in_force(self._options.deviations, introduction.version, datetime.now(UTC).date()),
        )
        write_record(self._directory, self._record)
        self._on_record = KnownDeviations(self._record.deviations)
        self._reach = Reach(session.book)
        return True

    def _scenarios(self, session: Session, trace: TraceWriter, until: Callable[[], bool]) -> None:
        """Play those that wait, until it is time for something else."""
        book = session.book
        clock = Stopwatch()
        total = self._scenarios_of_all
        before = len(self._waiting)
        while self._waiting and not until():
            self._progress(SCENARIOS_PART, total - len(self._waiting), total)
            replays = self._options.profile.replays
            result, failed, tried = play_often(
                self._waiting.pop(0), session, book, replays, self._on_record, until=lambda: self._budget.over
            )
            self._scenario(CountedResult(result, failed, tried), trace)
        self._progress(SCENARIOS_PART, total - len(self._waiting), total)
        self._check(
            Check(
                name=SCENARIOS_PART,
                examples=before - len(self._waiting),
                planned=total,
                cut=bool(self._waiting),
                seconds=clock.seconds,
                own_s=clock.own_s,
            )
        )

    def _not_reached(self) -> None:
        """Say of the requirements of scenarios that still wait that the time was over before."""
        waiting = Counter(requirement for one in self._waiting for requirement in one.requirements)
        self._rows += [
            unreached(self._record.run_id, requirement, count)
            for requirement, count in waiting.items()
            if requirement in self._owed
        ]

    def _machines(self, session: Session, trace: TraceWriter) -> None:
        # Those of one site first, since its members run: starting others is slow.
        machines = sorted(MACHINES.values(), key=lambda it: Capability.GATEWAYS in it.needs)
        turns = {machine.name: turn for machine in machines if (turn := self._turn(session, machine))}
        rows: dict[str, list[VerdictRow]] = {}
        first = len(self._rows)
        for machine in machines:
            if machine.name not in turns:
                self._unsupported(session, machine)
                rows[machine.name] = self._rows[first + sum(map(len, rows.values())) :]
        with closing(self._taken(session, trace, list(turns.values()))) as all_taken:
            for turn, taken in all_taken:
                before = len(self._rows)
                self._told(turn, taken)
                rows[turn.machine] = self._rows[before:]
        # Machines that play side by side end in any order.
        place = {machine.name: number for number, machine in enumerate(machines)}
        self._rows[first:] = [row for machine in machines for row in rows[machine.name]]
        self._left.counterexamples.sort(key=lambda kept: place.get(kept.title, -1))
        checks = sorted(self._record.checks, key=lambda check: place.get(check.name, -1))
        self._record = msgspec.structs.replace(self._record, checks=tuple(checks))

    def _turn(self, session: Session, machine: Machine) -> MachineRun | None:
        """What a machine is to do; None if it has nothing to do here."""
        wanted = tuple(requirement for requirement in machine.requirements if requirement in self._owed)
        if not (wanted or self._options.wide) or session.lacks(machine.needs):
            return None
        passed = {row.requirement for row in self._rows if row.verdict is Verdict.PASS and row.exercised}
        options = self._options
        return MachineRun(
            machine=machine.name,
            wanted=wanted,
            profile=options.profile,
            seed=options.seed,
            elsewhere=tuple(sorted(passed.intersection(wanted))),
        )

    def _taken(
        self, session: Session, trace: TraceWriter, turns: list[MachineRun]
    ) -> Generator[tuple[MachineRun, MachineResult], None, None]:
        """Have the machines take their turns; gives each as it is over."""

        def saw(name: str, verdict: Verdict, history: History) -> None:
            trace.write(name, Source.MACHINE, verdict, history)
            if verdict is Verdict.PASS and self._reach is not None:
                self._reach.machine(name, history)

        jobs = min(self._options.jobs, len(turns))
        if jobs > 1 and self._candidate.repeatable and self._budget.seconds is None:
            record = self._record
            with Workers(jobs, self._candidate, record.dialect, record.deviations) as workers:
                # Those of several sites take longest: begun last, one would be left alone at the end.
                for turn, taken in workers.take(turns[::-1], saw=saw, progress=self._progress):
                    self._on_record.shown.update(taken.shown)
                    yield turn, taken
            return
        for played, turn in enumerate(turns):
            deadline = self._budget.share(len(turns) - played)
            turn = msgspec.structs.replace(turn, deadline=deadline, last=self._budget.last)  # noqa: PLW2901
            yield turn, take(turn, session, self._on_record, saw=saw, progress=self._progress)

    def _unsupported(self, session: Session, machine: Machine) -> None:
        """Say of a machine that plays nothing what it lacks."""
        self._rows += [
            unplayed(self._record.run_id, requirement, Source.MACHINE, session.lacks(machine.needs))
            for requirement in machine.requirements
            if requirement in self._owed
        ]

    def _told(self, turn: MachineRun, taken: MachineResult) -> None:
        """Write down what came of a machine's turn."""
        self._check(taken.check)
        for error in taken.own_errors:
            self._left.own_error(error)
        # A failure of a machine is reported even if its requirement was not selected, because it was seen.
        files = tuple(self._kept(taken))
        rows = list(
            rows_of_machine(
                self._record.run_id,
                turn.wanted,
                taken,
                offered=self._capabilities,
                counterexamples=files,
            )
        )
        self._rows += rows
        for file, kept in zip(files, self._left.counterexamples[-len(files) :], strict=bool(files)):
            self._look_for_failures([row for row in rows if row.counterexample == file], kept)

    def _check(self, check: Check) -> None:
        self._record = msgspec.structs.replace(self._record, checks=added(self._record.checks, check))

    def _kept(self, taken: MachineResult) -> Iterator[str]:
        """Keep the counterexamples of a machine's failures; gives the file name of each."""
        for number, (failure, failed, tried, _) in enumerate(failures(taken), 1):
            yield self._left.failure(failure, Source.MACHINE, (failed, tried), self._record, number)

    def _scenario(self, judged: CountedResult, trace: TraceWriter) -> None:
        """Write down what one scenario means for the requirements that it is about and that are owed."""
        result = judged.result
        if result.own_error is not None:
            self._left.own_error(result.own_error)
        verdict = decide(tally_of(judged)).verdict
        if result.history is not None:
            trace.write(result.title, Source.SCENARIO, verdict, result.history)
            if verdict is Verdict.PASS and self._reach is not None:
                self._reach.scenario(result.title, result.requirements, result.history)
        if verdict in FAILED and result.history is not None:
            tries = judged.failed, judged.tried
            file = self._left.failure(result, Source.SCENARIO, tries, self._record)
            kept = self._left.counterexamples[-1]
            if kept.expects_nearest:
                first = kept.nearest[0]
                reason = f"as written down, but no right run shows it: {first.place}: {first.seen}"
                result = msgspec.structs.replace(result, reason=f"{reason}; the nearest has {first.right}")
            judged = judged._replace(result=result, counterexample=file)
        rows = list(rows_of_scenario(self._record.run_id, judged, self._on_record))
        self._rows += [row for row in rows if row.requirement in self._owed]
        if self._left.counterexamples:
            self._look_for_failures(rows, self._left.counterexamples[-1])

    def _look_for_failures(self, rows: list[VerdictRow], kept: Counterexample) -> None:
        """Tell of a failure that was kept just now; raises where there were as many as were asked for."""
        if not any(row.verdict in FAILED and row.counterexample for row in rows):
            return
        self._failures += 1
        self._failed(kept)
        if self._failures == self._options.most_failures:
            raise _EnoughFailedError

    def _rules(self, record: RunRecord) -> None:
        """Judge the trace by the rules, from the run directory alone.

        A violation of a requirement with a deviation on record is that deviation, and has shown it.
        """
        refused = {row.requirement for row in self._rows if row.verdict is Verdict.UNSUPPORTED}
        for row in self._by_rules(record):
            # A rule cannot tell a feature that is missing or refused from one that no example used.
            unasked = row.verdict is Verdict.NOT_EXERCISED and (
                row.requirement in refused or lacking(row.requirement, self._capabilities)
            )
            if unasked or row.requirement not in self._owed:
                continue
            if row.verdict is Verdict.DEVIATION:
                self._on_record.show(row.requirement, followed=True)
            self._rows.append(row)

    def _by_rules(self, record: RunRecord) -> Sequence[VerdictRow]:
        """What the rules say; where they meet an error of Plumbline's own, that each of them is unknown."""
        try:
            return judge_run(self._directory, record, self._owed).verdicts
        except OSError:
            raise
        except Exception as error:  # noqa: BLE001 - the other verdicts stay
            own = OwnError.of("judging the trace by the rules", error)
            self._left.own_error(own)
            tally = Tally(own_error=own.words)
            return [row_of(record.run_id, requirement, Source.RULE, tally) for requirement in load_rules()]

    def _look_for_clauses(self) -> dict[str, tuple[str, ...]]:
        """Say of what passed which clauses nothing here could have shown to be broken; gives them."""
        if self._reach is None:
            return {}
        try:
            self._rows, missed = with_missed(self._rows, self._reach, self._capabilities)
        except Exception as error:  # noqa: BLE001 - the verdicts stay
            self._left.own_error(OwnError.of("asking which clauses were reached", error))
            return {}
        return missed

    def _fill_up(self) -> None:
        """Say of every requirement that nothing has judged why that is so."""
        judged = {row.requirement for row in self._rows}
        record = self._record
        self._rows += [
            unjudged(record.run_id, requirement, record.dialect, self._capabilities)
            for requirement in self._selected
            if requirement not in judged
        ]
