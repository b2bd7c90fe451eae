"""What one run adds to the judged tables: rows of rules and of its own verdict table, failures, times.

A file that cannot be read, or does not fit its seal, becomes a flaw; then nothing of the run passes. Texts of
the run are bounded here. Knows nothing of other runs.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from plumbline.reference.judged.measures import measured
from plumbline.reference.judged.subject import run_columns
from plumbline.reference.results.runs import (
    RUN_FORMAT,
    Counterexample,
    RunRecord,
    UnreadableRunError,
    read_counterexample,
    read_verdicts,
)
from plumbline.reference.results.sealing import EXAMPLES, TABLE, broken_seal
from plumbline.reference.results.totals import counted
from plumbline.reference.results.verdicts import FAILED, Source, VerdictRow
from plumbline.reference.rules.judging import Judgement, judge_runs
from plumbline.reference.rules.loads import loads
from plumbline.reference.rules.results import RESULT_SCHEMA, result_rows
from plumbline.reference.trace.files import Flaw
from plumbline.reference.trace.packs import pack_of, unpack_small_files

LONGEST_NAME, LONGEST_TEXT = 200, 2_000
"""Characters kept of a name and of other texts."""

MOST_EXAMPLES = 100
"""So many counterexamples of a run are read; more fail all the same, by their verdict rows."""

Row = dict[str, Any]


def facts_by_duckdb(directories: Sequence[Path], threads: int = 2) -> pa.Table:
    """All that run directories add (RESULT_SCHEMA), a bounded load of them at a time."""
    tables = [RESULT_SCHEMA.empty_table()]
    for load in loads(directories):
        judgements = judge_runs(load.directories, threads)
        rows = [row for judgement in judgements for row in _facts(judgement)]
        rows += measured([one for one in judgements if one.record is not None and not one.flaws], threads)
        tables.append(pa.Table.from_pylist([_bounded(row) for row in rows], schema=RESULT_SCHEMA))
    return pa.concat_tables(tables)


def _facts(judgement: Judgement) -> Iterator[Row]:
    rows = result_rows(judgement)
    record = judgement.record
    if record is None:
        yield from rows
        return
    directory = Path(judgement.directory)
    flaws: list[Flaw] = []
    with _small_files(directory) as place:
        own, trouble = _own_verdicts(place, record, flaws)
        failures = list(_failures(place, own, flaws))
    flaws = [Flaw(flaw.path.replace(str(place), str(directory), 1), flaw.reason) for flaw in flaws]
    trouble = trouble or "; ".join(f"{flaw.path}: {flaw.reason}" for flaw in judgement.flaws[:1])
    shared = run_columns(judgement.directory, record)
    for own_row in rows:
        row = own_row | shared
        if row["row"] == "run":
            row["reason"] = trouble
        if row["row"] == "verdict":
            names = VerdictRow.__struct_fields__
            verdict = msgspec.convert({name: row[name] for name in names}, VerdictRow)
            row["counted"] = str(counted(verdict, whole=not trouble))
        if row["row"] == "witness":
            row = row | {
                "alike": _rule_failure(row),
                "plan": _without_numbers(f"{row['subject']}: {row['witness']}"),
            }
        yield row
    for verdict in own:
        found = {"row": "search", **shared, **msgspec.to_builtins(verdict)}
        yield found | {"counted": str(counted(verdict, whole=not trouble))}
    for row in failures:
        yield {"row": "failure", **shared, **row}
    for flaw in flaws:
        yield {"row": "flaw", **shared, "path": flaw.path, "reason": flaw.reason}


@contextmanager
def _small_files(directory: Path) -> Iterator[Path]:
    """Where the files of a run besides its trace lie: those of a packed run in a folder for the moment."""
    if pack_of(directory) is None:
        yield directory
        return
    with tempfile.TemporaryDirectory(prefix="plumbline-packed-") as folder:
        unpack_small_files(directory, Path(folder))
        yield Path(folder)


def _own_verdicts(directory: Path, record: RunRecord, flaws: list[Flaw]) -> tuple[list[VerdictRow], str]:
    """The rows of scenarios and machines, and why nothing of the run passes, or ""."""
    trouble = record.trouble
    if record.format != RUN_FORMAT:
        trouble = f"layout {record.format}, but this version reads {RUN_FORMAT}"
        flaws.append(Flaw(str(directory), trouble))
        return [], trouble
    if not trouble:
        broken = broken_seal(directory)
        flaws += [Flaw(str(one.path), one.reason) for one in broken]
        trouble = f"{broken[0].path.name}: {broken[0].reason}" if broken else ""
        if any(one.path.name == TABLE for one in broken):
            return [], trouble
    if not (directory / TABLE).exists() and not (directory / TABLE).is_symlink():
        return [], trouble  # recorded without a search: its seal would name the table
    try:
        rows = read_verdicts(directory)
    except UnreadableRunError as error:
        if record.complete:
            flaws.append(Flaw(str(directory / TABLE), str(error).removeprefix(f"{directory / TABLE}: ")))
        return [], trouble or "its verdict table cannot be read"
    if any(row.run_id != record.run_id for row in rows):
        told = "it belongs to another run"
        flaws.append(Flaw(str(directory / TABLE), told))
        return [], told
    return [row for row in rows if row.source is not Source.RULE], trouble


def _failures(directory: Path, verdicts: Sequence[VerdictRow], flaws: list[Flaw]) -> Iterator[Row]:
    """A row for each verdict row that failed, with its counterexample where that can be read."""
    read: dict[str, Counterexample | None] = {}
    for verdict in verdicts:
        if verdict.verdict not in FAILED:
            continue
        name = verdict.counterexample
        if name and name not in read and len(read) < MOST_EXAMPLES:
            read[name] = _example(directory, name, flaws)
        yield _failure(verdict, read.get(name))


def _example(directory: Path, name: str, flaws: list[Flaw]) -> Counterexample | None:
    path = directory / EXAMPLES / name
    if Path(name).name != name:
        flaws.append(Flaw(str(directory / EXAMPLES), f"{name!r:.80} is not a name of a file there"))
        return None
    try:
        return read_counterexample(path)
    except (UnreadableRunError, OSError) as error:
        flaws.append(Flaw(str(path), str(error).removeprefix(f"{path}: ")))
        return None


def _failure(verdict: VerdictRow, example: Counterexample | None) -> Row:
    decision, plan = "", _without_numbers(verdict.reason)
    row: Row = {"requirement": verdict.requirement, "source": str(verdict.source)}
    row |= {"example": verdict.counterexample, "size": len(verdict.reason), "seen": verdict.reason}
    if example is not None:
        decision = next((end.decision for end in example.dead_ends if end.decision), "")
        plan = "\n".join(example.plan)
        row |= {
            "size": len(example.plan),
            "expected": "\n".join(example.expected),
            "seen": "\n".join(example.seen),
            "tried": int(example.times_tried),
            "failures": int(example.times_failed),
        }
    row |= {"decision": decision, "plan": plan}
    return row | {"alike": _digest(verdict.requirement, decision, plan)}


def _rule_failure(row: Row) -> str:
    return _digest(row["requirement"], "rule", _without_numbers(f"{row['subject']}: {row['witness']}"))


def _without_numbers(text: str) -> str:
    """The text with each number as one sign, so that the same failure reads the same in another run."""
    return re.sub(r"\d+", "#", text[:LONGEST_TEXT])


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:16]


_NAMES = ("run_id", "candidate", "product", "product_version", "dialect", "profile", "requirement")


def _bounded(row: Row) -> Row:
    """The row with its texts cut to what a table keeps; the run's id alone stays whole."""
    for name, value in row.items():
        if isinstance(value, str) and name not in ("run_id", "directory", "path"):
            row[name] = value[: LONGEST_NAME if name in _NAMES else LONGEST_TEXT]
    return row
