"""Compaction: small runs go into packs of about one size, and may then be removed where they lay.

A pack is written beside its name, flushed to the disk, and renamed: a kill at any moment leaves it whole or
absent. A run is removed only once its pack is safe. Packs are the ledger, by content: a run that is in one is
not packed again, wherever it lies. Runs that are not whole stay where they are. Knows no rule.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from plumbline.reference.file_record import UnreadableRunError, new_file, recorded, write_atomically
from plumbline.reference.results.runs import RUN_FORMAT, RunRecord, read_record
from plumbline.reference.results.sealing import RECORD, broken_seal, records_below
from plumbline.reference.trace.content import content_of
from plumbline.reference.trace.files import ROWS_PER_GROUP, Flaw, verified_files
from plumbline.reference.trace.packs import (
    PACK,
    RUNS,
    RUNS_A_GROUP,
    RUNS_SCHEMA,
    SUFFIX,
    TRACE,
    PackRecord,
    open_pack,
    packs_below,
)
from plumbline.reference.trace.schema import TRACE_SCHEMA

PACK_BYTES = 128 * 1024 * 1024
"""A pack ends with the run that makes its trace reach this size."""

LARGEST_SMALL_FILES = 256 * 1024 * 1024
"""Bytes of a run's files besides its trace; a run with more is no small run and stays."""

_ROWS_READ = 20_000
"""So many rows are read at once."""

_PART, _GONE = f"{SUFFIX}.part", ".packed"
_NAMED = 16
"""Characters of a digest in the name of a folder."""

Advanced = Callable[[int, int], None]


class BusyError(Exception):
    """Another compaction is at work in the folder of packs."""


class CompactedRuns(msgspec.Struct, frozen=True, kw_only=True):
    """What compaction did.

    Attributes:
        packs: the packs that it wrote.
        runs: runs that went into them.
        rows: rows of their traces.
        bytes: size of the packs.
        known: runs that were in a pack before.
        removed: run directories that were removed.
        left: runs that stay as they are, each with the reason.
    """

    packs: tuple[str, ...]
    runs: int
    rows: int
    bytes: int
    known: int
    removed: int
    left: tuple[Flaw, ...]


def compact(
    paths: Iterable[Path],
    out: Path,
    *,
    pack_bytes: int = PACK_BYTES,
    remove: bool = False,
    advanced: Advanced = lambda *_: None,
) -> CompactedRuns:
    """Pack every whole run at and below some folders; may be called again after it was killed.

    Args:
        paths: folders with runs.
        out: the folder of packs.
        pack_bytes: a pack ends with the run that makes its trace reach this size.
        remove: whether run directories are removed once they are safely packed.
        advanced: is called with the runs looked at so far, and all of them.

    Raises:
        BusyError: another compaction is at work in `out`.
        OSError: a pack cannot be written. Those written before stay, and no run is lost.
        UnreadableRunError: a path is no folder.
    """
    out.mkdir(parents=True, exist_ok=True)
    with _alone(out):
        for leftover in out.glob(f"*{_PART}"):
            shutil.rmtree(leftover)
        left: list[Flaw] = []
        packing = _Packing(out, pack_bytes, remove=remove, known=_packed(out, left))
        named = list(_runs(paths, packing.known, left))
        for number, (run_id, directory) in enumerate(named):
            advanced(number, len(named))
            content = content_of(directory)
            if content in packing.known:
                packing.is_known(directory, content)
                continue
            try:
                record = read_record(directory)
                reason = _why_it_stays(directory, record)
            except UnreadableRunError as error:
                reason = str(error)
            if reason:
                left.append(Flaw(str(directory), reason))
            else:
                packing.add(directory, run_id, content)
        packing.end()
        advanced(len(named), len(named))
        return packing.done(left)


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    folder = os.open(out, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BusyError(
                f"{out}: another compaction is at work there; wait for it, or name another folder"
            ) from None
        yield
    finally:
        os.close(folder)


def _packed(out: Path, left: list[Flaw]) -> set[str]:
    """The content of every run in the packs of a folder; packs that cannot be read count for nothing."""
    known: set[str] = set()
    for pack in packs_below(out):
        try:
            known |= {run.content for run in open_pack(pack.resolve()).runs.values()}
        except UnreadableRunError as error:
            left.append(Flaw(str(pack), str(error)))
    return known


def _runs(paths: Iterable[Path], known: set[str], left: list[Flaw]) -> Iterator[tuple[str, Path]]:
    """The runs below some folders by their ids, sorted; what a kill left of removed ones goes first."""
    found: dict[str, Path] = {}
    for path in paths:
        if not path.is_dir():
            raise UnreadableRunError(f"{path}: no such directory; name a folder with runs")
        for leftover in path.glob(f"**/*{_GONE}"):
            if any(one.startswith(leftover.stem.rpartition(".")[2]) for one in known if "." in leftover.stem):
                _erase(leftover)
        for record in records_below(path):
            directory = record.parent.resolve()
            try:
                run_id = read_record(directory).run_id
            except UnreadableRunError as error:
                left.append(Flaw(str(directory), str(error)))
                continue
            if found.setdefault(run_id, directory) != directory:
                left.append(Flaw(str(directory), f"the same run {run_id} as in {found[run_id]}"))
    return iter(sorted(found.items()))


def _why_it_stays(directory: Path, record: RunRecord) -> str:
    """Why a run is not packed, since judging has to name it where it lies; "" for a whole one."""
    if record.trouble:
        return record.trouble
    if record.format != RUN_FORMAT:
        return f"layout {record.format}; this version packs {RUN_FORMAT}"
    flaws = [(one.path, one.reason) for one in verified_files(directory, record.run_id)[1]]
    flaws += [(str(one.path), one.reason) for one in broken_seal(directory)]
    if flaws:
        return ": ".join(flaws[0])
    if any(path.is_symlink() for path in directory.rglob("*")):
        return "a link is in it; only files can be packed"
    if sum(path.stat().st_size for path in _small(directory)) > LARGEST_SMALL_FILES:
        return f"more than {LARGEST_SMALL_FILES:,} bytes besides its trace are too many"
    return ""


def _small(directory: Path) -> list[Path]:
    """The files of a run besides its trace files."""
    trace = {directory / "trace"}
    return [
        path
        for path in sorted(directory.rglob("*"))
        if path.is_file() and not (path.parent in trace and path.suffix == ".parquet")
    ]


def _erase(directory: Path) -> None:
    """Remove a run directory; without its record first, so that no reader takes a half for a run."""
    (directory / RECORD).unlink(missing_ok=True)
    shutil.rmtree(directory)


class _Packing:
    """Packs under way: the one that is being written, and what was done."""

    def __init__(self, out: Path, pack_bytes: int, *, remove: bool, known: set[str]) -> None:
        self.known = known
        self._out, self._pack_bytes, self._remove = out, pack_bytes, remove
        self._draft: _Draft | None = None
        self._packs: list[str] = []
        self._runs = self._rows = self._bytes = self._known = self._removed = 0

    def add(self, directory: Path, run_id: str, content: str) -> None:
        """Put a whole run into the pack under way; a pack that is large enough ends."""
        if self._draft is None:
            self._draft = _Draft(self._out)
        self._draft.add(directory, run_id, content)
        if self._draft.size >= self._pack_bytes:
            self.end()

    def is_known(self, directory: Path, content: str) -> None:
        """A run that is in a pack: count it, and remove its directory if that is asked for."""
        self._known += 1
        self._remove_run(directory, content)

    def end(self) -> None:
        """End the pack under way, if there is one; from here on a kill loses nothing of it."""
        draft, self._draft = self._draft, None
        if draft is None:
            return
        pack = draft.end()
        self._packs.append(str(pack))
        self._runs += len(draft.runs)
        self._rows += draft.rows
        self._bytes += sum(path.stat().st_size for path in pack.iterdir())
        self.known |= {content for _, content in draft.runs}
        for directory, content in draft.runs:
            self._remove_run(directory, content)

    def done(self, left: list[Flaw]) -> CompactedRuns:
        """What was done."""
        return CompactedRuns(
            packs=tuple(self._packs),
            runs=self._runs,
            rows=self._rows,
            bytes=self._bytes,
            known=self._known,
            removed=self._removed,
            left=tuple(left),
        )

    def _remove_run(self, directory: Path, content: str) -> None:
        # A run that has changed since is another one, and stays.
        if not self._remove or content_of(directory) != content:
            return
        gone = directory.with_name(f"{directory.name}.{content[:_NAMED]}{_GONE}")
        directory.rename(gone)
        _erase(gone)
        self._removed += 1


class _Draft:
    """A pack that is being written, beside the name that it gets at its end."""

    def __init__(self, out: Path) -> None:
        self._out, self._folder = out, out / f"new{_PART}"
        self._folder.mkdir()
        self.runs: list[tuple[Path, str]] = []
        self.rows = self._groups = self._waiting_rows = 0
        self._waiting: list[pa.RecordBatch] = []
        self._files = [os.fdopen(new_file(self._folder / name), "wb") for name in (TRACE, RUNS)]
        self._trace = pq.ParquetWriter(
            self._files[0], TRACE_SCHEMA, compression="zstd", write_page_checksum=True
        )
        self._small = pq.ParquetWriter(self._files[1], RUNS_SCHEMA, compression="zstd")
        self._listed: list[dict[str, object]] = []

    @property
    def size(self) -> int:
        """Bytes of the trace, and of the other files, so far."""
        return max(file.tell() for file in self._files)

    def add(self, directory: Path, run_id: str, content: str) -> None:
        """Write the rows of a run, a bounded number of them at a time, and its other files."""
        files, _ = verified_files(directory, run_id)
        first, rows = self._groups, 0
        for batch in _batches(files):
            rows += batch.num_rows
            self._waiting.append(batch)
            self._waiting_rows += batch.num_rows
            if self._waiting_rows >= ROWS_PER_GROUP:
                self._end_group()
        last = max(first, self._groups if self._waiting_rows else self._groups - 1)
        small = _small(directory)
        self._listed.append(
            {
                "run_id": run_id,
                "content": content,
                "rows": rows,
                "first_group": first,
                "last_group": last,
                "names": [path.relative_to(directory).as_posix() for path in small],
                "files": [path.read_bytes() for path in small],
            }
        )
        self.rows += rows
        self.runs.append((directory, content))
        if len(self._listed) >= RUNS_A_GROUP:
            self._end_list()

    def end(self) -> Path:
        """Flush all to the disk, and give the pack its name; returns its path."""
        if self._waiting_rows:
            self._end_group()
        self._end_list()
        for writer, file in zip((self._trace, self._small), self._files, strict=True):
            writer.close()
            file.flush()
            os.fsync(file.fileno())
            file.close()
        record = PackRecord(
            runs=len(self.runs),
            rows=self.rows,
            files={name: recorded(self._folder / name) for name in (TRACE, RUNS)},
        )
        write_atomically(self._folder / PACK, msgspec.json.format(msgspec.json.encode(record)))
        _flush_folder(self._folder)
        name = hashlib.sha256("".join(content for _, content in self.runs).encode()).hexdigest()[:_NAMED]
        pack = self._out / f"{name}{SUFFIX}"
        if pack.exists():  # one that cannot be read any more, of the same runs
            shutil.rmtree(pack)
        self._folder.rename(pack)
        _flush_folder(self._out)
        return pack

    def _end_group(self) -> None:
        table = pa.Table.from_batches(self._waiting, TRACE_SCHEMA)
        self._trace.write_table(table, row_group_size=max(1, table.num_rows))
        self._groups += 1
        self._waiting, self._waiting_rows = [], 0

    def _end_list(self) -> None:
        if self._listed:
            self._small.write_table(pa.Table.from_pylist(self._listed, schema=RUNS_SCHEMA))
            self._listed = []


def _batches(files: Iterable[Path]) -> Iterator[pa.RecordBatch]:
    """The rows of trace files, in their order; columns that a file of an older version lacks are null."""
    for path in files:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_ROWS_READ):
                columns = [
                    batch.column(one.name)
                    if one.name in batch.schema.names
                    else pa.nulls(batch.num_rows, one.type)
                    for one in TRACE_SCHEMA
                ]
                yield pa.record_batch(columns, schema=TRACE_SCHEMA)


def _flush_folder(folder: Path) -> None:
    """Have the disk keep the names in a folder, too."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
