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
import pyarrow.compute as pc
import pyarrow.parquet as pq

from plumbline.reference.file_record import UnreadableRunError, must_be_file, write_atomically
from plumbline.reference.results.newest import Newest
from plumbline.reference.results.runs import write_verdict_table
from plumbline.reference.results.sealing import records_below, seal_run
from plumbline.reference.results.totals import exit_code_of
from plumbline.reference.results.verdicts import VerdictRow
from plumbline.reference.rules.judging import Judgement
from plumbline.reference.rules.results import (
    RESULT_SCHEMA,
    flaws_of,
    result_table,
    rows_about,
    summarise,
    verdict_table,
    verdicts_counted,
    verdicts_of,
)
from plumbline.reference.rules.rule import load_rules
from plumbline.reference.trace.content import content_of
from plumbline.reference.trace.files import Flaw
from plumbline.reference.trace.packs import is_pack, open_pack, pack_of, packs_below, record_of

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
        return exit_code_of(verdicts_counted(self.results), whole=not self.flaws)


def find_runs(paths: Iterable[Path], *, packs: bool = False) -> list[Path]:
    """The run directories among paths and below them, each once, sorted.

    Args:
        paths: folders.
        packs: whether runs in packs are found, too, as the paths that they have there. A pack that cannot be
            read stands there itself.

    Raises:
        UnreadableRunError: there is none at or below a path, which is named.
    """
    found: set[Path] = set()
    for path in paths:
        if not path.is_dir():
            raise UnreadableRunError(f"{path}: no such directory; {_WHERE}")
        runs = [path] if (path / "run.json").is_file() else [p.parent for p in records_below(path)]
        in_packs = list(_packed_runs(path)) if packs else []
        if not runs and not in_packs:
            raise UnreadableRunError(
                f"{path}: no run directory, here or below: there is no run.json; {_WHERE}"
            )
        found |= {run.resolve() for run in runs}
        found.update(in_packs)
    return sorted(found)


def _packed_runs(path: Path) -> Iterator[Path]:
    for pack in [path] if is_pack(path) else packs_below(path):
        folder = pack.resolve()
        try:
            yield from (folder / run_id for run_id in open_pack(folder).runs)
        except UnreadableRunError:
            yield folder


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
    done = set(known["directory"].unique().to_pylist())
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
        write_verdict_table(out, verdict_table(results))
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
            run_id = directory.name if pack_of(directory) else record_of(directory).run_id
        except UnreadableRunError as error:
            unsound.append(Judgement(directory=str(directory), flaws=(Flaw(str(directory), str(error)),)))
            continue
        if run_id in older:
            continue
        if run_id not in first:
            first[run_id] = directory
        elif not _is_being_packed(directory, first[run_id]):
            flaw = Flaw(str(directory), f"the same run {run_id} as in {first[run_id]}")
            unsound.append(Judgement(directory=str(directory), flaws=(flaw,)))
    return list(first.values()), result_table(unsound)


def _is_being_packed(one: Path, other: Path) -> bool:
    """Whether a run is in a pack already, and its directory still there: one run with the same content."""
    return (pack_of(one) or pack_of(other)) is not None and content_of(one) == content_of(other)


def _fingerprint(directory: Path) -> str:
    """Changes when the content of the run does, or the rules do; wherever the directory lies."""
    return hashlib.sha256(_of_rules() + content_of(directory).encode()).hexdigest()


@cache
def _of_rules() -> bytes:
    """A digest of what judges: all rules, and the layout of results."""
    digest = hashlib.sha256(str(RESULT_SCHEMA).encode())
    for rule in load_rules().values():
        digest.update(msgspec.json.encode(rule))
    return digest.digest()


def _known(out: Path, marks: dict[str, str]) -> pa.Table:
    """Results of earlier judging that still hold, of these directories; broken batches are judged again.

    Columns are compared as a whole: one row of Python for each of their rows would take most of the time.
    """
    names, directories = pa.array(marks.values(), pa.string()), pa.array(marks, pa.string())
    tables = [_LEDGER_SCHEMA.empty_table()]
    taken = pa.array([], pa.int32())
    for _, batch in _batches(out):
        places = pc.index_in(batch["fingerprint"].combine_chunks(), value_set=names)
        wanted = pc.and_(pc.is_valid(places), pc.invert(pc.is_in(places, value_set=taken)))
        places = places.filter(wanted)
        taken = pa.concat_arrays([taken, places.unique()])
        tables.append(_moved(batch.filter(wanted), directories.take(places)))
    return pa.concat_tables(tables).drop_columns(["fingerprint"])


def _moved(batch: pa.Table, now: pa.Array) -> pa.Table:
    """The results with the places where their runs lie now."""
    columns = {"directory": now}
    if batch["path"].null_count < batch.num_rows:
        rows = zip(*(one.to_pylist() for one in (batch["path"], batch["directory"], now)), strict=True)
        moved = [path and path.replace(before, place, 1) for path, before, place in rows]
        columns["path"] = pa.array(moved, pa.string())
    for name, values in columns.items():
        place = batch.schema.get_field_index(name)
        batch = batch.set_column(place, batch.schema.field(name), values)
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
    directories = pa.array(marks, pa.string())
    places = pc.index_in(batch["directory"].combine_chunks(), value_set=directories)
    marked = batch.append_column("fingerprint", pa.array(marks.values(), pa.string()).take(places))
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
