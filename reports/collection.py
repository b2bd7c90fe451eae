"""What one or more run directories say together: per candidate, requirement by requirement.

A directory, verdict table or counterexample that cannot be read is set aside with its reason. A pass of a run
that did not end in order does not count. Knows nothing of how it will be shown.
"""

from __future__ import annotations

import hashlib
from collections import abc
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from plumbline.reference.results.newest import Newest
from plumbline.reference.results.runs import (
    RUN_FORMAT,
    Counterexample,
    RunRecord,
    UnreadableRunError,
    read_counterexample,
    read_record,
    read_verdicts,
)
from plumbline.reference.results.sealing import EXAMPLES, RECORD, SEAL, TABLE, broken_seal, records_below
from plumbline.reference.results.totals import Totals, binding, counted, exit_code_of, totals
from plumbline.reference.results.verdicts import Verdict, VerdictRow, merge


class SetAside(msgspec.Struct, frozen=True):
    """Something that could not be read, and why."""

    path: str
    reason: str

    @classmethod
    def because(cls, path: Path, error: Exception) -> SetAside:
        """Of an error whose message may begin with the path."""
        return cls(str(path), str(error).removeprefix(f"{path}: "))


class Example(msgspec.Struct, frozen=True):
    """A counterexample that was read.

    Attributes:
        run_id: the run that found it.
        name: its file name below the run's `counterexamples/`, as the verdict table refers to it.
        key: a name for it that is unique in a collection, the same each time, and safe in paths.
        record: the counterexample.
    """

    run_id: str
    name: str
    key: str
    record: Counterexample


class Run(msgspec.Struct, frozen=True):
    """One run directory as far as it could be read.

    Attributes:
        record: what was run.
        rows: its verdict table; empty if that could not be read.
        examples: its counterexamples by file name.
        trouble: why nothing of this run may be called passed, or "" for a run that ended in order.
        directory: where it lies.
    """

    record: RunRecord
    rows: tuple[VerdictRow, ...]
    examples: dict[str, Example]
    trouble: str
    directory: Path = Path()

    def counted(self, row: VerdictRow) -> Verdict:
        """The verdict of a row as it counts: pass and deviation are unknown where the run has trouble."""
        return counted(row, whole=not self.trouble)


class ReportedVerdict(msgspec.Struct, frozen=True):
    """What is known of one requirement at one candidate: the merged verdict, and the rows it comes from."""

    verdict: Verdict
    rows: tuple[tuple[Run, VerdictRow], ...]


class ReportedCandidate(msgspec.Struct, frozen=True):
    """A column: all runs against one version of one candidate under one dialect."""

    name: str
    product: str
    version: str
    dialect: str
    runs: tuple[Run, ...]

    @property
    def troubles(self) -> tuple[str, ...]:
        """Why the candidate as a whole may not be called green; empty if nothing stands against it."""
        return tuple(f"run {run.record.run_id}: {run.trouble}" for run in self.runs if run.trouble)

    @property
    def early_ends(self) -> tuple[str, ...]:
        """What time budgets left unplayed in its runs; empty if they left nothing."""
        return tuple(
            f"run {run.record.run_id}: {run.record.ended_early}"
            for run in self.runs
            if run.record.ended_early
        )

    def findings(self) -> dict[str, ReportedVerdict]:
        """For each requirement that some row names: what stays, and what each source of each run says."""
        told: dict[str, list[tuple[Run, VerdictRow]]] = {}
        for run in self.runs:
            for row in run.rows:
                told.setdefault(row.requirement, []).append((run, row))
        return {
            requirement: ReportedVerdict(merge(run.counted(row) for run, row in rows), tuple(rows))
            for requirement, rows in told.items()
        }

    @property
    def clauses_not_reached(self) -> dict[str, tuple[str, ...]]:
        """Of requirements that passed, the clauses that none of the runs reached in which they passed."""
        found: dict[str, tuple[str, ...]] = {}
        for identity, finding in self.findings().items():
            passed = [run for run, row in finding.rows if run.counted(row) is Verdict.PASS]
            missed = [run.record.clauses_not_reached.get(identity, ()) for run in passed]
            everywhere = [one for one in (*missed, ())[0] if all(one in others for others in missed)]
            if finding.verdict is Verdict.PASS and everywhere:
                found[identity] = tuple(everywhere)
        return found

    @property
    def exit_code(self) -> int:
        """The exit code of all these runs together; never 0 with a run in trouble."""
        verdicts = {identity: finding.verdict for identity, finding in self.findings().items()}
        asked = {identity for run in self.runs for identity in run.record.selected}
        return exit_code_of(binding(verdicts, asked), whole=not self.troubles)

    def totals(self, known: abc.Collection[str], untested: abc.Collection[str] = ()) -> Totals:
        """How many of all requirements got which verdict; those without a test are counted apart."""
        verdicts = {identity: finding.verdict for identity, finding in self.findings().items()}
        selections = [run.record.selected for run in self.runs]
        asked = {identity for selection in selections for identity in selection} if all(selections) else ()
        return totals(verdicts, known, asked, untested)


class Collection(msgspec.Struct, frozen=True):
    """Everything that could be read, in the order in which it was named.

    Attributes:
        candidates: the columns.
        set_aside: what could not be read.
        older: ids of the runs that `newest` has left out.
    """

    candidates: tuple[ReportedCandidate, ...]
    set_aside: tuple[SetAside, ...]
    older: tuple[str, ...] = ()

    def examples(self) -> tuple[Example, ...]:
        """All counterexamples."""
        return tuple(
            example
            for candidate in self.candidates
            for run in candidate.runs
            for example in run.examples.values()
        )


def collect(
    directories: Iterable[Path], advanced: Callable[[int, int], None] = lambda _done, _all: None
) -> Collection:
    """Read the runs at and below directories, and what `plumbline judge` found out about them.

    A directory that is no run but holds a verdict table is the output of `plumbline judge`: its rows are put
    to those of the runs they name. Never raises for what it finds: each directory that cannot be read is
    named in `set_aside`. Before each run `advanced` is told how many of how many are read.
    """
    set_aside: list[SetAside] = []
    places, judged = _sorted_out(directories, set_aside)
    runs: dict[str, Run] = {}
    for done, directory in enumerate(places):
        advanced(done, len(places))
        try:
            record = _record(directory)
        except UnreadableRunError as error:
            set_aside.append(SetAside.because(directory, error))
            continue
        if record.run_id in runs:
            set_aside.append(SetAside(str(directory), f"the run {record.run_id} was already read"))
            continue
        runs[record.run_id] = _run(directory, record, set_aside)
    for directory in judged:
        _put_to_their_runs(directory, runs, set_aside)
    columns: dict[tuple[str, str, str, str], list[Run]] = {}
    for run in runs.values():
        record = run.record
        column = (record.candidate, record.product, record.product_version, record.dialect)
        columns.setdefault(column, []).append(run)
    candidates = tuple(ReportedCandidate(*column, tuple(members)) for column, members in columns.items())
    return Collection(candidates, tuple(set_aside))


def newest(collection: Collection) -> Collection:
    """What counts of a collection where only the newest run of each candidate and requirement does.

    Which that is, `reference.results.newest` says. A counterexample goes with the last row that names it.
    """
    # A run in trouble replaces none, even if its record is complete.
    which = Newest(
        msgspec.structs.replace(run.record, complete=not run.trouble)
        for candidate in collection.candidates
        for run in candidate.runs
    )
    older = which.left_out
    candidates = []
    for candidate in collection.candidates:
        runs = tuple(_counting(run, which) for run in candidate.runs if run.record.run_id not in older)
        if runs:
            candidates.append(msgspec.structs.replace(candidate, runs=runs))
    return msgspec.structs.replace(collection, candidates=tuple(candidates), older=older)


def _counting(run: Run, which: Newest) -> Run:
    rows = tuple(row for row in run.rows if which.counts(run.record.run_id, row.requirement))
    kept = {row.counterexample for row in rows}
    gone = {row.counterexample for row in run.rows} - kept
    examples = {name: example for name, example in run.examples.items() if name not in gone}
    return msgspec.structs.replace(run, rows=rows, examples=examples)


def _sorted_out(directories: Iterable[Path], set_aside: list[SetAside]) -> tuple[list[Path], list[Path]]:
    """The run directories, and the directories of judged verdicts, each once."""
    runs: dict[Path, Path] = {}
    judged: dict[Path, Path] = {}
    for directory in directories:
        if not directory.is_dir():
            set_aside.append(SetAside(str(directory), "no such directory"))
        elif (directory / RECORD).is_file() or not (directory / TABLE).is_file():
            below = [path.parent for path in records_below(directory)]
            if not below:
                set_aside.append(SetAside(str(directory), f"no {RECORD} in it nor below it"))
            runs |= {path.resolve(): path for path in below if path.resolve() not in runs}
        else:
            judged.setdefault(directory.resolve(), directory)
    return list(runs.values()), list(judged.values())


def _put_to_their_runs(directory: Path, runs: dict[str, Run], set_aside: list[SetAside]) -> None:
    """Add rows about known runs, each once: a run that was judged when it ran has some of them already."""
    broken = broken_seal(directory, (TABLE,))
    if broken:
        set_aside.append(SetAside(str(broken[0].path), broken[0].reason))
        return
    try:
        rows = _rows(directory, count=len(runs))
    except UnreadableRunError as error:
        set_aside.append(SetAside.because(directory / TABLE, error))
        return
    by_run: dict[str, list[VerdictRow]] = {}
    for row in rows:
        by_run.setdefault(row.run_id, []).append(row)
    unknown = by_run.keys() - runs.keys()
    if unknown:
        told = f"{len(unknown)} of its {len(by_run)} runs are not among those given, {min(unknown)} for one"
        set_aside.append(SetAside(str(directory / TABLE), told))
    for run_id in by_run.keys() & runs.keys():
        run = runs[run_id]
        known = {msgspec.structs.replace(row, seconds=0.0) for row in run.rows}
        new = [row for row in by_run[run_id] if msgspec.structs.replace(row, seconds=0.0) not in known]
        runs[run_id] = msgspec.structs.replace(run, rows=(*run.rows, *new))


def _record(directory: Path) -> RunRecord:
    record = read_record(directory)
    if record.format != RUN_FORMAT:
        raise UnreadableRunError(f"{directory}: layout {record.format}, but this version reads {RUN_FORMAT}")
    return record


def _run(directory: Path, record: RunRecord, set_aside: list[SetAside]) -> Run:
    trouble = record.trouble
    broken: dict[Path, str] = {}
    if not trouble:
        broken = {one.path: one.reason for one in broken_seal(directory)}
        trouble = "".join(f"{path.name}: {reason}" for path, reason in list(broken.items())[:1])
        set_aside += [SetAside(str(path), reason) for path, reason in broken.items() if path.name != SEAL]
    rows: tuple[VerdictRow, ...] = ()
    if directory / TABLE not in broken:
        try:
            rows = _rows(directory, record.run_id)
        except UnreadableRunError as error:
            set_aside.append(SetAside.because(directory / TABLE, error))
            trouble = "its verdict table cannot be read"
    examples: dict[str, Example] = {}
    for path in sorted((directory / EXAMPLES).glob("*.json")):
        if path in broken or path.parent in broken:
            continue
        try:
            counterexample = read_counterexample(path)
        except UnreadableRunError as error:
            set_aside.append(SetAside.because(path, error))
            continue
        key = hashlib.sha256(f"{record.run_id}\0{path.name}".encode(errors="surrogatepass")).hexdigest()[:16]
        examples[path.name] = Example(record.run_id, path.name, key, counterexample)
    return Run(record, rows, examples, trouble, directory)


def _rows(directory: Path, run_id: str | None = None, *, count: int = 1) -> tuple[VerdictRow, ...]:
    """A verdict table; one of a run directory may hold rows about that run only."""
    rows = tuple(read_verdicts(directory, count))
    foreign = [row.run_id for row in rows if run_id is not None and row.run_id != run_id]
    if foreign:
        raise UnreadableRunError(f"it belongs to another run, {foreign[0]}")
    return rows
