"""Judging any number of run directories: which there are, which are new, and where the results go.

    OUT/batches/*.parquet   results as they were found, one file a batch of runs; they make it restartable
    OUT/verdicts.parquet    the verdict table of all runs, as in a run directory
    OUT/runs.parquet        every run judged, also those in which nothing was found
    OUT/witnesses.parquet   the first violations of each rule in each run
    OUT/flaws.parquet       what was set aside or is missing, by name
    OUT/summary.parquet     per requirement, candidate, product version and day
    OUT/tables/             what reports are made of, see plumbline.reference.judged, where they are asked for

A run that was judged before by the same rules, and has the same content, is not judged again, wherever it
lies. Small batches become larger ones. Knows no engine:
it is handed one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from plumbline.reference.file_record import UnreadableRunError, must_be_file, write_atomically
from plumbline.reference.results.newest import Newest
from plumbline.reference.results.runs import read_record, write_verdicts
from plumbline.reference.results.sealing import MANIFEST, RECORD, SEAL, records_below, seal_run
from plumbline.reference.results.totals import counted, exit_code_of
from plumbline.reference.results.verdicts import VerdictRow
from plumbline.reference.rules.judging import Judgement
from plumbline.reference.rules.results import (
    RESULT_SCHEMA,
    flaws_of,
    result_table,
    rows_about,
    summarise,
    verdicts_of,
)
from plumbline.reference.rules.rule import load_rules
from plumbline.reference.trace.files import Flaw

RUNS_A_BATCH = 4096
"""A stop costs at most the work on so many runs."""

MOST_BATCHES, LARGEST_BATCH = 8, 128 * 1024 * 1024
"""With more batches than so many, small ones become one of at most about so many bytes."""

_LEDGER_SCHEMA = RESULT_SCHEMA.append(pa.field("fingerprint", pa.string()))

_WHERE = "`plumbline run` leaves run directories below the folder `runs`"

Engine = Callable[[Sequence[Path]], pa.Table]
"""Judges run directories, gives their results (RESULT_SCHEMA)."""


class SurveyResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of judging many runs.

    Attributes:
        results: the table of results.
        judged: how many runs were judged now.
        known: how many had been judged before.
    """

    results: pa.Table
    judged: int
    known: int

    @property
    def verdicts(self) -> list[VerdictRow]:
        """The verdict table of all runs."""
        return verdicts_of(self.results)

    @property
    def flaws(self) -> list[Flaw]:
        """What was set aside or is missing, by name."""
        return flaws_of(self.results)

    @property
    def exit_code(self) -> int:
        """As for a run; runs that were set aside could not be judged."""
        return exit_code_of(map(counted, self.verdicts), whole=not self.flaws)


def find_runs(paths: Iterable[Path]) -> list[Path]:
    """The run directories among paths and below them, each once, sorted.

    Raises UnreadableRunError, naming the path, when there is none at or below it.
    """
    found: set[Path] = set()
    for path in paths:
        if not path.is_dir():
            raise UnreadableRunError(f"{path}: no such directory; {_WHERE}")
        runs = [path] if (path / "run.json").is_file() else [p.parent for p in records_below(path)]
        if not runs:
            raise UnreadableRunError(
                f"{path}: no run directory, here or below: there is no run.json; {_WHERE}"
            )
        found |= {run.resolve() for run in runs}
    return sorted(found)


def judge(
    directories: Sequence[Path],
    engine: Engine,
    out: Path | None = None,
    summary: Callable[[pa.Table], pa.Table] = summarise,
    which: Newest | None = None,
    tables: Callable[[pa.Table, Path], None] | None = None,
) -> SurveyResult:
    """Judge run directories and write the tables below `out`, if given.

    Args:
        directories: as found by `find_runs`.
        engine: judges a batch of them.
        out: where results are kept; those already there are used.
        summary: sums the results up (SUMMARY_SCHEMA).
        which: of which runs what counts; None for all of all.
        tables: writes the tables of reports below `out`, of all runs, older ones among them.

    Raises:
        OSError: the results cannot be written; batches written before stay.
    """
    older = frozenset(which.left_out if which else ())
    sound, unsound = _distinct(directories, frozenset() if tables else older)
    marks = {str(directory): _fingerprint(directory) for directory in sound}
    known = _known(out, marks) if out else RESULT_SCHEMA.empty_table()
    done = set(known["directory"].to_pylist())
    new = [directory for directory in sound if str(directory) not in done]
    parts = [known, unsound]
    for start in range(0, len(new), RUNS_A_BATCH):
        batch = engine(new[start : start + RUNS_A_BATCH])
        if out:
            _write_batch(out, batch, marks)
        parts.append(batch)
    if out:
        _compact(out)
    everything = pa.concat_tables(parts)
    results = _counting(everything, which).sort_by(
        [(n, "ascending") for n in ("directory", "row", "requirement", "seq")]
    )
    judged = SurveyResult(results=results, judged=len(new), known=len(done))
    if out:
        write_verdicts(out, judged.verdicts)
        for name, what in (("runs", "run"), ("witnesses", "witness"), ("flaws", "flaw")):
            _write(out / f"{name}.parquet", rows_about(results, what))
        _write(out / "summary.parquet", summary(results))
        if tables:
            tables(everything, out)
        seal_run(out)
    return judged


def _counting(results: pa.Table, which: Newest | None) -> pa.Table:
    """The results without what newer runs have replaced."""
    if which is None:
        return results
    older = frozenset(which.left_out)
    pairs = zip(results["run_id"].to_pylist(), results["requirement"].to_pylist(), strict=True)
    kept = [run not in older and (not name or which.counts(run, name)) for run, name in pairs]
    return results.filter(pa.array(kept, pa.bool_()))


def _distinct(directories: Sequence[Path], older: frozenset[str]) -> tuple[list[Path], pa.Table]:
    """The directories that hold one run each, and the results for the others: unreadable, or a copy.

    Of older ones, which do not count, there is neither.
    """
    first: dict[str, Path] = {}
    unsound = []
    for directory in directories:
        try:
            run_id = read_record(directory).run_id
        except UnreadableRunError as error:
            unsound.append(Judgement(directory=str(directory), flaws=(Flaw(str(directory), str(error)),)))
            continue
        if run_id in older:
            continue
        if run_id in first:
            flaw = Flaw(str(directory), f"the same run {run_id} as in {first[run_id]}")
            unsound.append(Judgement(directory=str(directory), flaws=(flaw,)))
        else:
            first[run_id] = directory
    return list(first.values()), result_table(unsound)


def _fingerprint(directory: Path) -> str:
    """Changes when the content of the run does, or the rules do; wherever the directory lies.

    The seal and the manifest hold the digests of all files. Without them the times of files stand for these.
    """
    digest = hashlib.sha256(_of_rules())
    sealed = all((directory / name).is_file() for name in (SEAL, MANIFEST))
    for name in (RECORD, SEAL, MANIFEST) if sealed else (RECORD,):
        try:
            data = (directory / name).read_bytes()
        except OSError as error:
            data = str(error).encode()  # judging says what is wrong
        digest.update(f"{name} {len(data)}\n".encode() + data)
    trace = directory / "trace"
    for path in (*directory.glob("*.parquet"), *(sorted(trace.iterdir()) if trace.is_dir() else ())):
        state = path.lstat()  # a link to nothing has no other
        changed = "" if sealed else f" {state.st_mtime_ns}"
        digest.update(f"{path.name} {state.st_size}{changed}\n".encode())
    return digest.hexdigest()


@cache
def _of_rules() -> bytes:
    """A digest of what judges: all rules, and the layout of results."""
    digest = hashlib.sha256(str(RESULT_SCHEMA).encode())
    for rule in load_rules().values():
        digest.update(msgspec.json.encode(rule))
    return digest.digest()


def _known(out: Path, marks: dict[str, str]) -> pa.Table:
    """Results of earlier judging that still hold, of these directories; broken batches are judged again."""
    places = {mark: directory for directory, mark in marks.items()}
    tables = [_LEDGER_SCHEMA.empty_table()]
    taken: set[str] = set()
    for _, batch in _batches(out):
        found = batch["fingerprint"].to_pylist()
        kept = batch.filter(pa.array([one in places and one not in taken for one in found], pa.bool_()))
        taken |= set(kept["fingerprint"].to_pylist())
        tables.append(_moved(kept, places))
    return pa.concat_tables(tables).drop_columns(["fingerprint"])


def _moved(batch: pa.Table, places: dict[str, str]) -> pa.Table:
    """The results with the places where their runs lie now."""
    pairs = zip(batch["directory"].to_pylist(), batch["fingerprint"].to_pylist(), strict=True)
    moved = [(before, places[mark]) for before, mark in pairs]
    if all(before == now for before, now in moved):
        return batch
    paths = zip(batch["path"].to_pylist(), moved, strict=True)
    columns = {
        "directory": [now for _, now in moved],
        "path": [path and path.replace(before, now, 1) for path, (before, now) in paths],
    }
    for name, values in columns.items():
        place = batch.schema.get_field_index(name)
        batch = batch.set_column(place, batch.schema.field(name), pa.array(values, pa.string()))
    return batch


def _batches(out: Path) -> Iterator[tuple[Path, pa.Table]]:
    """Each batch of results that can be read, in order."""
    for path in sorted((out / "batches").glob("*.parquet")):
        try:
            must_be_file(path)
            yield path, pq.read_table(path, schema=_LEDGER_SCHEMA)
        except (OSError, UnreadableRunError, pa.ArrowException):
            continue


def _compact(out: Path) -> None:
    """Put many small batches into one. It is written before they go, and twice known counts once."""
    small = [path for path in (out / "batches").glob("*.parquet") if path.lstat().st_size < LARGEST_BATCH]
    if len(small) <= MOST_BATCHES:
        return
    size, found = 0, []
    for path, batch in _batches(out):
        if path in small and size < LARGEST_BATCH:
            found.append((path, batch))
            size += path.lstat().st_size
    _write(_next_batch(out), pa.concat_tables([batch for _, batch in found]))
    for path, _ in found:
        path.unlink()


def _write_batch(out: Path, batch: pa.Table, marks: dict[str, str]) -> None:
    column = pa.array([marks[directory] for directory in batch["directory"].to_pylist()], pa.string())
    marked = batch.append_column("fingerprint", column)
    _write(_next_batch(out), marked)


def _next_batch(out: Path) -> Path:
    numbers = [
        int(path.stem.removeprefix("batch-")) for path in (out / "batches").glob("batch-??????.parquet")
    ]
    return out / "batches" / f"batch-{max(numbers, default=-1) + 1:06}.parquet"


def _write(path: Path, table: pa.Table) -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    write_atomically(path, sink.getvalue().to_pybytes())
