"""A run: scenarios, machines and rules played on one candidate, and a run directory left behind.

Knows the order of things and what becomes of each result; every judgement is made elsewhere.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import shlex
import time
from collections.abc import Generator
from contextlib import closing, suppress
from datetime import UTC, datetime
from importlib.metadata import version as installed_version
from pathlib import Path

import msgspec

from plumbline.adapters.candidates import Candidate
from plumbline.adapters.errors import AdapterError
from plumbline.reference.capabilities import Capability
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.deviations import Deviation, in_force
from plumbline.reference.history import History
from plumbline.reference.rules.judging import judge_runs
from plumbline.reference.runs import (
    Check,
    Counterexample,
    RunRecord,
    write_counterexample,
    write_record,
    write_verdicts,
)
from plumbline.reference.trace.files import seal
from plumbline.reference.trace.writer import TraceWriter
from plumbline.reference.verdicts import Source, Verdict, VerdictRow
from plumbline.suites.deviations import OnRecord
from plumbline.suites.keeping import counterexample_of
from plumbline.suites.machines.registry import MACHINES, Machine
from plumbline.suites.nearest import nearest
from plumbline.suites.profiles import Profile
from plumbline.suites.results import Result
from plumbline.suites.scenarios.playing import play
from plumbline.suites.scenarios.registry import SCENARIOS
from plumbline.suites.session import Session
from plumbline.suites.turns import Clock, Progress, Taken, Turn, judged, take
from plumbline.suites.workers import Workers

_JUDGED = (Verdict.PASS, Verdict.DEVIATION, Verdict.FAIL, Verdict.INTERMITTENT)


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What to run.

    Attributes:
        selected: requirement ids; empty for all.
        profile: how much.
        seed: what the plans are drawn from.
        budget_s: after so many seconds machines draw no more plans; None for what the profile says.
        deviations: known differences.
        dialect: the dialect judged against, "" for the one that the candidate declares.
        jobs: so many machines play at the same time, where the candidate is repeatable and time has no end.
        also_said: what else the command line said that decides what a replay shows, word by word.
    """

    selected: tuple[str, ...] = ()
    profile: Profile
    seed: int = 0
    budget_s: float | None = None
    deviations: tuple[Deviation, ...] = ()
    dialect: str = ""
    jobs: int = 1
    also_said: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True):
    """What a run gave: its record, its verdict table, where it lies, and what on record did not show."""

    record: RunRecord
    rows: list[VerdictRow]
    directory: Path
    counterexamples: list[Counterexample]
    not_shown: tuple[Deviation, ...]


def run_suite(candidate: Candidate, options: Options, out: Path, progress: Progress) -> Outcome:
    """Run the suite against one candidate, leaving a directory below `out`.

    Never raises for what the candidate does. Raises OSError or TraceWriteError when the directory cannot
    be written; what was written before stays readable and says that the run is incomplete. So it does when
    the run is interrupted: the verdicts so far are kept, and what interrupted it goes on with a note of them.
    """
    return _Run(candidate, options, out, progress).carry_out()


class _Run:
    def __init__(self, candidate: Candidate, options: Options, out: Path, progress: Progress) -> None:
        self._candidate = candidate
        self._options = options
        self._progress = progress
        self._started = time.monotonic()
        self._selected = options.selected or tuple(catalogue())
        slug = re.sub(r"[^A-Za-z0-9.]+", "-", candidate.name)[:40].strip("-")
        begun = datetime.now(UTC)
        run_id = f"{begun:%Y%m%d-%H%M%S}-{slug}-{secrets.token_hex(3)}"
        self._directory = out / run_id
        self._record = RunRecord(
            run_id=run_id,
            suite_version=installed_version("plumbline"),
            candidate=candidate.name,
            product="",
            product_version="",
            dialect=options.dialect,
            profile=options.profile.name,
            seed=options.seed,
            started=begun.isoformat(timespec="seconds"),
            selected=options.selected,
        )
        self._rows: list[VerdictRow] = []
        self._counterexamples: list[Counterexample] = []
        self._capabilities: frozenset[Capability] | None = None
        self._owed: frozenset[str] = frozenset()
        self._on_record = OnRecord()

    def carry_out(self) -> Outcome:
        write_record(self._directory, self._record)
        try:
            not_shown = self._play_and_judge()
        except BaseException as error:
            if not isinstance(error, Exception):
                self._keep_what_there_is(error)
            raise
        return Outcome(self._record, self._rows, self._directory, self._counterexamples, not_shown)

    def _play_and_judge(self) -> tuple[Deviation, ...]:
        """All of it; gives the deviations that did not show."""
        with Session(self._candidate, self._options.dialect) as session:
            if self._introduced(session):
                with TraceWriter(self._directory, self._record.run_id) as trace:
                    self._scenarios(session, trace)
                    self._machines(session, trace)
        seal(self._directory)
        self._record = msgspec.structs.replace(
            self._record, complete=True, seconds=time.monotonic() - self._started
        )
        # The rules judge whole runs only. Should this be cut short, the verdict table is missing, and a
        # run without one is never green.
        write_record(self._directory, self._record)
        if self._capabilities is not None:
            self._rules()
        self._fill_up()
        not_shown = self._on_record.not_shown(self._rows)
        self._record = msgspec.structs.replace(self._record, deviations_not_seen=not_shown)
        write_record(self._directory, self._record)
        write_verdicts(self._directory, self._rows)
        return not_shown

    def _keep_what_there_is(self, interruption: BaseException) -> None:
        """Write the verdicts so far, in a run that says that it was broken off; never raises OSError."""
        seconds = time.monotonic() - self._started
        self._record = msgspec.structs.replace(self._record, complete=False, broken_off=True, seconds=seconds)
        judged = len({row.requirement for row in self._rows})
        with suppress(OSError):
            write_record(self._directory, self._record)
            write_verdicts(self._directory, self._rows)
            interruption.add_note(
                f"{self._candidate.name}: broken off after {seconds:.1f} s; what was judged so far, "
                f"{judged} requirements, is kept in {self._directory} and never counts as green"
            )

    def _introduced(self, session: Session) -> bool:
        """Whether the candidate could introduce itself; otherwise nothing can be judged."""
        try:
            introduction = session.introduction
            dialect = session.dialect
        except AdapterError as error:
            words = f"{error} {error.last_words[-300:]}".strip()
            for requirement in self._selected:
                self._row(requirement, Source.SCENARIO, Verdict.ADAPTER_ERROR, reason=words)
            return False
        self._capabilities = frozenset(introduction.capabilities)
        self._owed = frozenset(requirement for requirement in self._selected if session.owes(requirement))
        self._record = msgspec.structs.replace(
            self._record,
            product=introduction.name,
            product_version=introduction.version,
            digest=hashlib.sha256(msgspec.json.encode(introduction)).hexdigest()[:16],
            dialect=dialect,
            capabilities=tuple(introduction.capabilities),
            deviations=in_force(self._options.deviations, introduction.version, datetime.now(UTC).date()),
        )
        write_record(self._directory, self._record)
        self._on_record = OnRecord(self._record.deviations)
        return True

    def _scenarios(self, session: Session, trace: TraceWriter) -> None:
        wanted = [
            scenario for scenario in SCENARIOS.values() if not self._owed.isdisjoint(scenario.requirements)
        ]
        # Those of one topology together, and last the one that machines begin with: starting members is slow.
        wanted.sort(key=lambda scenario: (not scenario.queues, bool(scenario.clients), scenario.members))
        book = session.book
        clock = Clock()
        for count, scenario in enumerate(wanted):
            self._progress("scenarios", count, len(wanted))
            result = play(scenario, session, book, on_record=self._on_record)
            failed, tried = 1, 1
            if result.verdict is Verdict.FAIL:
                for _ in range(self._options.profile.replays):
                    again = play(scenario, session, book, naming_ms=0, on_record=self._on_record).verdict
                    failed, tried = failed + (again is Verdict.FAIL), tried + 1
            self._judged(result, Source.SCENARIO, trace, failed, tried)
        self._progress("scenarios", len(wanted), len(wanted))
        self._check(
            Check(
                name="scenarios",
                examples=len(wanted),
                planned=0,
                cut=False,
                seconds=clock.seconds,
                own_s=clock.own_s,
            )
        )

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
                self._told(turn, taken, trace)
                rows[turn.machine] = self._rows[before:]
        # Machines that play side by side end in any order.
        place = {machine.name: number for number, machine in enumerate(machines)}
        self._rows[first:] = [row for machine in machines for row in rows[machine.name]]
        self._counterexamples.sort(key=lambda kept: place.get(kept.title, -1))
        checks = sorted(self._record.checks, key=lambda check: place.get(check.name, -1))
        self._record = msgspec.structs.replace(self._record, checks=tuple(checks))

    def _turn(self, session: Session, machine: Machine) -> Turn | None:
        """What a machine is to do; None if it has nothing to do here."""
        wanted = tuple(requirement for requirement in machine.requirements if requirement in self._owed)
        if not wanted or session.lacks(machine.needs):
            return None
        options = self._options
        return Turn(machine=machine.name, wanted=wanted, profile=options.profile, seed=options.seed)

    def _taken(
        self, session: Session, trace: TraceWriter, turns: list[Turn]
    ) -> Generator[tuple[Turn, Taken], None, None]:
        """Have the machines take their turns; gives each as it is over."""
        of_profile = None if self._candidate.in_process else self._options.profile.budget_s
        budget_s = self._options.budget_s or of_profile

        def saw(name: str, verdict: Verdict, history: History) -> None:
            trace.write(name, Source.MACHINE, verdict, history)

        jobs = min(self._options.jobs, len(turns))
        if jobs > 1 and self._candidate.repeatable and budget_s is None:
            record = self._record
            with Workers(jobs, self._candidate, record.dialect, record.deviations) as workers:
                # Those of several sites take longest: begun last, one would be left alone at the end.
                for turn, taken in workers.take(turns[::-1], saw=saw, progress=self._progress):
                    self._on_record.shown.update(taken.shown)
                    yield turn, taken
            return
        for played, turn in enumerate(turns):
            if budget_s is not None:
                now, last = time.monotonic(), self._started + budget_s
                # What one does not use of its share of the time is left to those behind it.
                deadline = now + max(0.0, last - now) / (len(turns) - played)
                turn = msgspec.structs.replace(turn, deadline=deadline, last=last)  # noqa: PLW2901
            yield turn, take(turn, session, self._on_record, saw=saw, progress=self._progress)

    def _unsupported(self, session: Session, machine: Machine) -> None:
        """Say of a machine that plays nothing what it lacks."""
        reason = f"needs {', '.join(session.lacks(machine.needs))}"
        for requirement in machine.requirements:
            if requirement in self._owed:
                self._row(requirement, Source.MACHINE, Verdict.UNSUPPORTED, reason=reason)

    def _told(self, turn: Turn, taken: Taken, trace: TraceWriter) -> None:
        """Write down what came of a machine's turn."""
        self._check(taken.check)
        trouble = taken.trouble
        named: tuple[str, ...] = ()
        if trouble.failure is not None:
            named = self._judged(trouble.failure, Source.MACHINE, trace, trouble.failed, trouble.tried)
        for requirement in turn.wanted:
            if requirement not in named:
                self._row(
                    requirement,
                    Source.MACHINE,
                    *judged(requirement, taken),
                    exercised=taken.exercised[requirement],
                    seconds=taken.check.seconds / len(turn.wanted),
                )

    def _check(self, check: Check) -> None:
        self._record = msgspec.structs.replace(self._record, checks=(*self._record.checks, check))

    def _judged(
        self, result: Result, source: Source, trace: TraceWriter, failed: int, tried: int
    ) -> tuple[str, ...]:
        """Write down what one result means for the requirements it is about; gives those."""
        verdict = result.verdict
        if verdict is Verdict.FAIL and failed < tried:
            verdict = Verdict.INTERMITTENT
        reason = result.reason
        file = ""
        if result.history is not None and source is Source.SCENARIO:
            trace.write(result.title, source, verdict, result.history)
        if verdict in (Verdict.FAIL, Verdict.INTERMITTENT) and result.history is not None:
            file = self._keep(result, source, failed, tried)
            kept = self._counterexamples[-1]
            if source is Source.SCENARIO and kept.expects_nearest:
                first = kept.nearest[0]
                reason = f"as written down, but no right run shows it: {first.place}: {first.seen}"
                reason += f"; the nearest has {first.right}"
        if failed != tried:
            reason = f"failed {failed} of {tried} times: {reason}"
        for requirement in result.requirements:
            told, why = verdict, reason
            if source is Source.SCENARIO:
                told, why = self._on_record.excused(requirement, verdict, reason, followed=False)
            # What a machine fails on is told even where nobody asked for it: it was seen.
            if requirement in self._owed or source is Source.MACHINE:
                self._row(
                    requirement,
                    source,
                    told,
                    reason=why,
                    exercised=int(verdict in _JUDGED),
                    failures=failed if verdict in (Verdict.FAIL, Verdict.INTERMITTENT) else 0,
                    counterexample=file,
                    seconds=result.seconds,
                )
        return result.requirements

    def _keep(self, result: Result, source: Source, failed: int, tried: int) -> str:
        """Write a counterexample; gives its file name."""
        name = f"{source}-{result.title}"
        assert result.history is not None
        near = None if result.played is None else nearest(result.played, result.history, self._record.dialect)
        counterexample = counterexample_of(
            result,
            source,
            candidate=self._candidate.name,
            product=(self._record.product, self._record.product_version),
            dialect=self._record.dialect,
            seed=self._options.seed,
            tries=(failed, tried),
            near=near,
            replay=self._replay_line(name),
        )
        self._counterexamples.append(counterexample)
        return write_counterexample(self._directory, name, counterexample)

    def _replay_line(self, name: str) -> str:
        """The command that plays the example again."""
        file = self._directory / "counterexamples" / f"{name}.json"
        return shlex.join(["plumbline", "replay", str(file), *self._options.also_said])

    def _rules(self) -> None:
        """Judge the trace by the rules, as anybody could who has only the run directory.

        What they find against a requirement that has anything on record is a deviation, and has shown it.
        """
        refused = {row.requirement for row in self._rows if row.verdict is Verdict.UNSUPPORTED}
        for judgement in judge_runs([self._directory]):
            for row in judgement.verdicts:
                # A rule cannot tell what was never offered, or refused, from what nobody asked of it.
                unasked = row.verdict is Verdict.NOT_EXERCISED and (
                    row.requirement in refused or self._lacking(row.requirement)
                )
                if unasked or row.requirement not in self._owed:
                    continue
                verdict, reason = self._on_record.excused(
                    row.requirement, row.verdict, row.reason, followed=True
                )
                self._rows.append(msgspec.structs.replace(row, verdict=verdict, reason=reason))

    def _fill_up(self) -> None:
        """Say of every requirement that nothing has judged why that is so."""
        judged = {row.requirement for row in self._rows}
        for requirement in self._selected:
            if requirement in judged:
                continue
            known = catalogue()[requirement]
            lacking = self._lacking(requirement)
            if self._record.dialect and self._record.dialect not in known.dialects:
                reason = f"not owed in the dialect {self._record.dialect}"
                self._row(requirement, Source.SCENARIO, Verdict.UNSUPPORTED, reason=reason)
            elif lacking:
                reason = f"needs {', '.join(lacking)}"
                self._row(requirement, Source.SCENARIO, Verdict.UNSUPPORTED, reason=reason)
            else:
                self._row(requirement, Source.SCENARIO, Verdict.NOT_EXERCISED, reason="no test of it yet")

    def _lacking(self, requirement: str) -> list[Capability]:
        """What the requirement needs and the candidate, which has introduced itself, has not."""
        offered = self._capabilities
        needed = catalogue()[requirement].capabilities
        return [] if offered is None else [one for one in needed if one not in offered]

    def _row(
        self,
        requirement: str,
        source: Source,
        verdict: Verdict,
        reason: str = "",
        *,
        exercised: int = 0,
        failures: int = 0,
        counterexample: str = "",
        seconds: float = 0.0,
    ) -> None:
        self._rows.append(
            VerdictRow(
                run_id=self._record.run_id,
                requirement=requirement,
                source=source,
                verdict=verdict,
                exercised=exercised,
                failures=failures,
                reason=reason,
                counterexample=counterexample,
                seconds=seconds,
            )
        )
