"""Packs: many small runs in two files, since few large files are read sooner than many small ones.

    NAME.pack/trace.parquet   the rows of all its runs, sorted by run and, in an example, by sequence
    NAME.pack/runs.parquet    a row for each run: its id, a digest of its content, and its other files
    NAME.pack/pack.json       the size and digest of both (PackRecord)

A run in a pack has the path NAME.pack/RUN_ID, though no such folder exists. A pack appears in one step, by
renaming its folder, and is never changed. Knows nothing of what rows mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from plumbline.reference.file_record import FileRecord, UnreadableRunError, bounded, recorded
from plumbline.reference.results.runs import RunRecord, read_record
from plumbline.reference.results.sealing import RECORD
from plumbline.reference.trace.files import Flaw, verified_files
from plumbline.reference.trace.schema import TRACE_FORMAT, TRACE_SCHEMA

if TYPE_CHECKING:
    import pyarrow.dataset as ds

PACK_FORMAT = 1
SUFFIX, PACK, TRACE, RUNS = ".pack", "pack.json", "trace.parquet", "runs.parquet"
LARGEST_PACK_RECORD = 1024 * 1024

RUNS_SCHEMA = pa.schema(
    [
        pa.field("run_id", pa.string(), nullable=False),
        pa.field("content", pa.string(), nullable=False),
        pa.field("rows", pa.int64(), nullable=False),
        pa.field("first_group", pa.int64(), nullable=False),
        pa.field("last_group", pa.int64(), nullable=False),
        pa.field("names", pa.list_(pa.string()), nullable=False),
        pa.field("files", pa.list_(pa.binary()), nullable=False),
    ]
)
"""A run of a pack: its content as a digest, its rows and row groups in the trace, its other files by name."""

RUNS_A_GROUP = 64
"""So many runs a row group of `runs.parquet` holds: what is read at once of them stays small."""


class PackRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What a pack holds: runs, rows of the trace, and its two files."""

    format: int = PACK_FORMAT
    trace_format: int = TRACE_FORMAT
    runs: int
    rows: int
    files: dict[str, FileRecord]


class PackedRun(msgspec.Struct, frozen=True):
    """Where a run stands in its pack.

    Attributes:
        content: the digest of its content.
        place: its row in `runs.parquet`.
        rows: its rows in the trace.
        first_group: the first row group of the trace that has rows of it.
        last_group: the last one.
    """

    content: str
    place: int
    rows: int
    first_group: int
    last_group: int

    @property
    def groups(self) -> range:
        """The row groups of the trace that have rows of it."""
        return range(self.first_group, self.last_group + 1) if self.rows else range(0)


class Pack(msgspec.Struct, frozen=True):
    """A pack that was opened: its folder, its record, and its runs by id."""

    folder: Path
    record: PackRecord
    runs: dict[str, PackedRun]


def pack_of(directory: Path) -> Path | None:
    """The pack that a run lies in; None for a run directory of its own."""
    return directory.parent if directory.parent.suffix == SUFFIX else None


def is_pack(folder: Path) -> bool:
    """Whether a folder is a pack."""
    return folder.suffix == SUFFIX and (folder / PACK).is_file()


def packs_below(folder: Path) -> list[Path]:
    """Every pack in a folder and below it, sorted."""
    return sorted(path.parent for path in folder.glob(f"**/*{SUFFIX}/{PACK}"))


_NAMED = ("run_id", "content", "rows", "first_group", "last_group")


@lru_cache(maxsize=256)
def open_pack(folder: Path) -> Pack:
    """Read which runs a pack has; raises UnreadableRunError."""
    try:
        record = msgspec.json.decode(bounded(folder / PACK, LARGEST_PACK_RECORD), type=PackRecord)
        _must_fit(folder, record)
        named = pq.read_table(folder / RUNS, columns=list(_NAMED)).to_pydict()
    except (OSError, UnicodeDecodeError, RecursionError, msgspec.MsgspecError, pa.ArrowException) as error:
        raise UnreadableRunError(
            f"{folder}: no pack that can be read: {error}; pack the runs again"
        ) from error
    rows = enumerate(zip(*(named[name] for name in _NAMED), strict=True))
    return Pack(folder, record, {one[0]: PackedRun(one[1], place, *one[2:]) for place, one in rows})


def _must_fit(folder: Path, record: PackRecord) -> None:
    if (record.format, record.trace_format) != (PACK_FORMAT, TRACE_FORMAT):
        words = f"layout {record.format} with traces of format {record.trace_format}"
        raise UnreadableRunError(f"{folder}: {words}; this version reads {PACK_FORMAT} with {TRACE_FORMAT}")
    if recorded(folder / RUNS) != record.files.get(RUNS):
        raise UnreadableRunError(f"{folder / RUNS}: changed after it was written; pack the runs again")


@lru_cache(maxsize=256)
def trace_flaw(folder: Path) -> str:
    """Why the rows of a pack cannot be trusted, or "". Reads the file once, however many runs ask."""
    try:
        if recorded(folder / TRACE) != open_pack(folder).record.files.get(TRACE):
            return "changed after the pack was written: its digest is not the pack's"
        schema = pq.read_schema(folder / TRACE)
    except UnreadableRunError as error:
        return str(error)
    except (OSError, pa.ArrowException) as error:
        return f"missing or unreadable: {error}"
    return "" if schema.equals(TRACE_SCHEMA) else "foreign: its columns are not those of the trace"


def small_files(directory: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a packed run besides its trace, by their names below the run directory.

    Raises UnreadableRunError.
    """
    pack = open_pack(directory.parent)
    run = pack.runs.get(directory.name)
    if run is None:
        raise UnreadableRunError(f"{directory}: the pack has no such run")
    try:
        with pq.ParquetFile(pack.folder / RUNS) as file:
            group = file.read_row_group(run.place // RUNS_A_GROUP, columns=["names", "files"])
        (row,) = group.slice(run.place % RUNS_A_GROUP, 1).to_pylist()
    except (OSError, pa.ArrowException) as error:
        raise UnreadableRunError(f"{pack.folder / RUNS}: {error}") from error
    yield from zip(row["names"], row["files"], strict=True)


def unpack_small_files(directory: Path, into: Path) -> None:
    """Write the files of a packed run besides its trace; raises UnreadableRunError and OSError."""
    for name, data in small_files(directory):
        path = into / name
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise UnreadableRunError(f"{directory}: it names {name!r:.80}, which is not below the run")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def record_of(directory: Path) -> RunRecord:
    """The record of a run, packed or not; raises UnreadableRunError."""
    if pack_of(directory) is None:
        if directory.suffix == SUFFIX:
            open_pack(directory)
        return read_record(directory)
    data = dict(small_files(directory)).get(RECORD, b"")
    try:
        return msgspec.json.decode(data, type=RunRecord)
    except (UnicodeDecodeError, RecursionError, msgspec.MsgspecError) as error:
        raise UnreadableRunError(f"{directory}: {error}") from error


def verified_trace(directory: Path, run_id: str) -> tuple[list[Path], list[Flaw]]:
    """Where the rows of a run lie, for `trace_of`, and what is set aside, each named with its reason."""
    pack = pack_of(directory)
    if pack is None:
        return verified_files(directory, run_id)
    reason = trace_flaw(pack)
    return ([], [Flaw(str(pack / TRACE), reason)]) if reason else ([directory], [])


def trace_of(places: Iterable[Path]) -> ds.Dataset:
    """The rows of trace files and of packed runs. Of a pack only row groups with these runs are read."""
    import pyarrow.dataset as ds  # noqa: PLC0415 - it brings pandas along where that is installed
    from pyarrow.fs import LocalFileSystem  # noqa: PLC0415 - as above

    local, form = LocalFileSystem(), ds.ParquetFileFormat()
    fragments, wanted = [], dict[Path, set[str]]()
    for place in places:
        pack = pack_of(place)
        if pack is None:
            fragments.append(form.make_fragment(str(place), filesystem=local))
        else:
            wanted.setdefault(pack, set()).add(place.name)
    others: set[str] = set()
    for pack, names in wanted.items():
        runs = open_pack(pack).runs
        groups = {group for name in names for group in runs[name].groups}
        fragments.append(form.make_fragment(str(pack / TRACE), filesystem=local, row_groups=sorted(groups)))
        others |= {
            name for name, run in runs.items() if name not in names and groups.intersection(run.groups)
        }
    trace = ds.FileSystemDataset(fragments, TRACE_SCHEMA, form, local)
    return trace.filter(~ds.field("run_id").isin(sorted(others))) if others else trace
