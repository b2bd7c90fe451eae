"""What one or more run directories say together: per candidate, requirement by requirement.

A directory, verdict table or counterexample that cannot be read is set aside with its reason. What a run
that did not end in order calls passed is not believed. Knows nothing of how it will be shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from plumbline.reference.runs import (
    RUN_FORMAT,
    Counterexample,
    RunRecord,
    UnreadableRunError,
    read_counterexample,
    read_record,
    read_verdicts,
)
from plumbline.reference.verdicts import Verdict, VerdictRow, exit_code, merge

LARGEST_COUNTEREXAMPLE = 64 * 1024 * 1024
"""Bytes; a larger file is no reduced example, and reading it would take the memory of the machine."""

GREEN = frozenset({Verdict.PASS, Verdict.DEVIATION})


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
    """

    record: RunRecord
    rows: tuple[VerdictRow, ...]
    examples: dict[str, Example]
    trouble: str

    def counted(self, row: VerdictRow) -> Verdict:
        """The verdict of a row as it counts: pass and deviation are unknown where the run has trouble."""
        return Verdict.UNKNOWN if self.trouble and row.verdict in GREEN else row.verdict


class Finding(msgspec.Struct, frozen=True):
    """What is known of one requirement at one candidate: the merged verdict, and the rows it comes from."""

    verdict: Verdict
    rows: tuple[tuple[Run, VerdictRow], ...]


class Candidate(msgspec.Struct, frozen=True):
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

    def findings(self) -> dict[str, Finding]:
        """For each requirement that some row names: what stays, and what each source of each run says."""
        told: dict[str, list[tuple[Run, VerdictRow]]] = {}
        for run in self.runs:
            for row in run.rows:
                told.setdefault(row.requirement, []).append((run, row))
        return {
            requirement: Finding(merge(run.counted(row) for run, row in rows), tuple(rows))
            for requirement, rows in told.items()
        }

    @property
    def exit_code(self) -> int:
        """What a shell would be told of all these runs together; never 0 with a run in trouble."""
        code = exit_code(finding.verdict for finding in self.findings().values())
        return 2 if code == 0 and self.troubles else code


class Collection(msgspec.Struct, frozen=True):
    """Everything that could be read, in the order in which it was named."""

    candidates: tuple[Candidate, ...]
    set_aside: tuple[SetAside, ...]

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
    """Read run directories, or folders whose sub-folders are run directories.

    Never raises for what it finds there: whatever cannot be read is named in `set_aside`. Before each
    directory `advanced` is told how many of how many are read.
    """
    set_aside: list[SetAside] = []
    columns: dict[tuple[str, str, str, str], list[Run]] = {}
    seen: dict[str, Path] = {}
    found = list(_run_directories(directories, set_aside))
    for done, directory in enumerate(found):
        advanced(done, len(found))
        try:
            record = _record(directory)
        except UnreadableRunError as error:
            set_aside.append(SetAside.because(directory, error))
            continue
        earlier = seen.setdefault(record.run_id, directory)
        if earlier is not directory:
            set_aside.append(SetAside(str(directory), f"its run was already read from {earlier}"))
            continue
        column = (record.candidate, record.product, record.product_version, record.dialect)
        columns.setdefault(column, []).append(_run(directory, record, set_aside))
    candidates = tuple(Candidate(*column, tuple(runs)) for column, runs in columns.items())
    return Collection(candidates, tuple(set_aside))


def _run_directories(directories: Iterable[Path], set_aside: list[SetAside]) -> Iterable[Path]:
    for directory in directories:
        if (directory / "run.json").exists():
            yield directory
            continue
        try:
            below = sorted(path for path in directory.iterdir() if (path / "run.json").exists())
        except OSError as error:
            set_aside.append(SetAside(str(directory), f"cannot be listed: {error.strerror}"))
            continue
        if not below:
            set_aside.append(SetAside(str(directory), "no run.json in it nor in its folders"))
        yield from below


def _record(directory: Path) -> RunRecord:
    try:
        record = read_record(directory)
    except (ValueError, RecursionError) as error:  # bytes that are no UTF-8, nesting without end
        raise UnreadableRunError(f"{directory / 'run.json'}: {error}") from error
    if record.format != RUN_FORMAT:
        raise UnreadableRunError(f"{directory}: layout {record.format}, but this version reads {RUN_FORMAT}")
    return record


def _run(directory: Path, record: RunRecord, set_aside: list[SetAside]) -> Run:
    trouble = "" if record.complete else "it did not end in order"
    rows: tuple[VerdictRow, ...] = ()
    try:
        rows = _rows(directory, record)
    except UnreadableRunError as error:
        set_aside.append(SetAside.because(directory / "verdicts.parquet", error))
        trouble = "its verdict table cannot be read"
    examples: dict[str, Example] = {}
    for path in sorted((directory / "counterexamples").glob("*.json")):
        try:
            counterexample = _counterexample(path)
        except UnreadableRunError as error:
            set_aside.append(SetAside.because(path, error))
            continue
        key = hashlib.sha256(f"{record.run_id}\0{path.name}".encode(errors="surrogatepass")).hexdigest()[:16]
        examples[path.name] = Example(record.run_id, path.name, key, counterexample)
    return Run(record, rows, examples, trouble)


def _rows(directory: Path, record: RunRecord) -> tuple[VerdictRow, ...]:
    try:
        rows = tuple(read_verdicts(directory))
    except ValueError as error:  # texts that are no UTF-8
        raise UnreadableRunError(str(error)) from error
    foreign = {row.run_id for row in rows} - {record.run_id}
    if foreign:
        raise UnreadableRunError(f"it belongs to another run, {min(foreign)}")
    return rows


def _counterexample(path: Path) -> Counterexample:
    try:
        size = path.stat().st_size
        if size > LARGEST_COUNTEREXAMPLE:
            raise UnreadableRunError(f"{path}: {size:,} bytes are too many for a reduced example")
        counterexample = read_counterexample(path)
    except (OSError, ValueError, RecursionError) as error:
        raise UnreadableRunError(f"{path}: {error}") from error
    if counterexample.format != RUN_FORMAT:
        found = counterexample.format
        raise UnreadableRunError(f"{path}: layout {found}, but this version reads {RUN_FORMAT}")
    return counterexample
