"""The files of a trace: what is written on them, and how a run says that all of them are there.

    trace/NAME.parquet     whole examples, then one trailer row counting all rows (zstd)
    trace/NAME.arrows      the journal of a writer at work, or of one that was killed
    trace/manifest.json    the files of an ended run with their digests (Manifest)

A Parquet file is unreadable until its last byte is written, so it cannot be the file that survives a kill.
The writer therefore appends Arrow record batches to the journal, and turns it into Parquet when it closes.
Knows nothing of what the rows mean.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from plumbline.reference.file_record import (
    UnreadableRunError,
    bounded,
    must_be_file,
    new_file,
    recorded,
    refuse_links,
    write_atomically,
)
from plumbline.reference.trace.schema import COLUMNS, TRACE_FORMAT, TRACE_SCHEMA, TraceKind

ROWS_PER_GROUP = 100_000
"""A row group ends with the first example that reaches this many rows."""

LARGEST_MANIFEST = 16 * 1024 * 1024
"""Bytes; a run has one trace file for each process."""

_FORMAT, _RUN, _NAME = b"plumbline.trace.format", b"plumbline.trace.run_id", b"plumbline.trace.name"


class TraceWriteError(Exception):
    """The trace cannot be written, for example because the disk is full; says what stays readable."""


class TraceFileRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One trace file of a manifest: its rows (trailer included), its size and its SHA-256 digest."""

    rows: int
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """All trace files of a run that has ended, by file name."""

    files: dict[str, TraceFileRecord]
    format: int = TRACE_FORMAT


class Flaw(msgspec.Struct, frozen=True):
    """A defect of a run's trace that every judgement has to report.

    Attributes:
        path: the file or directory.
        reason: what is wrong with it, and the remedy where there is one.
    """

    path: str
    reason: str


def file_schema(run_id: str, name: str) -> pa.Schema:
    """The schema of the trace, labelled with the run and the file's own name (without suffix)."""
    labels = {_FORMAT: str(TRACE_FORMAT).encode(), _RUN: run_id.encode(), _NAME: name.encode()}
    return TRACE_SCHEMA.with_metadata(labels)


def whole_batches(journal: Path) -> Iterator[pa.RecordBatch]:
    """The batches of a journal up to the first torn one; each holds whole examples."""
    with journal.open("rb") as file:
        try:
            reader = pa.ipc.open_stream(file)
            yield from reader
        except (pa.ArrowInvalid, OSError):
            return


def journal_schema(journal: Path) -> pa.Schema:
    """The labelled schema at the head of a journal; raises UnreadableRunError."""
    try:
        with journal.open("rb") as file:
            return pa.ipc.open_stream(file).schema
    except (pa.ArrowInvalid, OSError) as error:
        raise UnreadableRunError(f"{journal}: no journal of a trace: {error}") from error


def journal_to_parquet(journal: Path) -> Path:
    """Turn a journal into the Parquet file of its name, in one step, and remove it.

    Raises TraceWriteError when that cannot be written: then the journal is still there, untouched.
    """
    target = journal.with_suffix(".parquet")
    draft = journal.with_suffix(".parquet.part")
    schema = journal_schema(journal)
    trailer: dict[str, object] = {"run_id": (schema.metadata or {}).get(_RUN, b"").decode()}
    trailer |= {"example": "", "source": "", "seq": 0, "kind": TraceKind.TRAILER}
    try:
        refuse_links(journal.parent, journal.parent.parent)
        draft.unlink(missing_ok=True)
        with (
            os.fdopen(new_file(draft), "wb") as sink,
            pq.ParquetWriter(sink, schema, compression="zstd", write_page_checksum=True) as parquet,
        ):
            rows = 0
            waiting: list[pa.RecordBatch] = []
            for batch in whole_batches(journal):
                waiting.append(batch)
                rows += batch.num_rows
                if sum(b.num_rows for b in waiting) >= ROWS_PER_GROUP:
                    parquet.write_table(pa.Table.from_batches(waiting, schema))
                    waiting.clear()
            if waiting:
                parquet.write_table(pa.Table.from_batches(waiting, schema))
            parquet.write_table(pa.Table.from_pylist([trailer | {"amount": rows + 1}], schema))
        draft.replace(target)
    except OSError as error:
        raise TraceWriteError(f"{target} cannot be written ({error}); {journal} keeps the events") from error
    finally:
        draft.unlink(missing_ok=True)
    journal.unlink()
    return target


def recover(run_directory: Path) -> list[Path]:
    """Make readable what killed writers left: every journal of the run becomes a Parquet file.

    A journal without a readable head, or whose writer is still at work, is left where it is. The run stays
    incomplete: it has no manifest.
    """
    recovered = []
    refuse_links(run_directory / "trace", run_directory)
    for journal in sorted((run_directory / "trace").glob("*.arrows")):
        if not journal.is_file():
            continue
        with journal.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                journal_schema(journal)
            except (BlockingIOError, UnreadableRunError):
                continue
            recovered.append(journal_to_parquet(journal))
    return recovered


def seal(run_directory: Path) -> Manifest:
    """Say, once all writers have closed, which files make up the trace of the run."""
    files = {}
    for path in sorted((run_directory / "trace").glob("*.parquet")):
        rows = pq.read_metadata(path).num_rows
        found = recorded(path)
        files[path.name] = TraceFileRecord(rows=rows, bytes=found.bytes, sha256=found.sha256)
    manifest = Manifest(files=files)
    data = msgspec.json.format(msgspec.json.encode(manifest))
    write_atomically(_manifest_path(run_directory), data, within=run_directory)
    return manifest


def manifest_of(run_directory: Path) -> Manifest | None:
    """Which trace files an ended run has; None where that cannot be read."""
    return _read_manifest(run_directory, [])


def verified_files(run_directory: Path, run_id: str) -> tuple[list[Path], list[Flaw]]:
    """The trace files of a run that can be trusted, and what is set aside, each named with its reason."""
    folder = run_directory / "trace"
    flaws: list[Flaw] = []
    manifest = _read_manifest(run_directory, flaws)
    for journal in sorted(folder.glob("*.arrows")):
        remedy = f"python -m plumbline.reference.trace recover {run_directory}"
        flaws.append(
            Flaw(str(journal), f"its writer was killed or is at work; to read what it wrote: {remedy}")
        )
    good = []
    for path in sorted(folder.glob("*.parquet")):
        listed = manifest.files.get(path.name) if manifest else None
        reason = _damage(path, run_id, listed)
        if not reason and manifest is not None and listed is None:
            reason = "not in the manifest: it came from elsewhere"
        if reason:
            flaws.append(Flaw(str(path), reason))
        else:
            good.append(path)
    missing = set(manifest.files if manifest else ()) - {path.name for path in folder.glob("*.parquet")}
    flaws += [Flaw(str(folder / name), "in the manifest, but missing") for name in sorted(missing)]
    return good, flaws


def _manifest_path(run_directory: Path) -> Path:
    return run_directory / "trace" / "manifest.json"


def _read_manifest(run_directory: Path, flaws: list[Flaw]) -> Manifest | None:
    path = _manifest_path(run_directory)
    try:
        return msgspec.json.decode(bounded(path, LARGEST_MANIFEST), type=Manifest)
    except FileNotFoundError:
        flaws.append(Flaw(str(path), "missing: the run has not ended in order, so files may be missing too"))
    except UnreadableRunError as error:
        flaws.append(Flaw(str(path), str(error).removeprefix(f"{path}: ")))
    except (OSError, UnicodeDecodeError, RecursionError, msgspec.MsgspecError) as error:
        flaws.append(Flaw(str(path), f"unreadable: {error}"))
    return None


def _damage(path: Path, run_id: str, listed: TraceFileRecord | None) -> str:
    """Why a file cannot be trusted, or ""."""
    try:
        must_be_file(path)
        with pq.ParquetFile(path) as file:
            reason = _foreign(file.schema_arrow, path.stem, run_id) or _torn(file) or _mixed(file, run_id)
        if not reason and listed is not None and recorded(path).sha256 != listed.sha256:
            reason = "changed after the run ended: its digest is not the manifest's"
    except UnreadableRunError as error:
        return str(error).removeprefix(f"{path}: ")
    except (OSError, pa.ArrowException) as error:
        return f"truncated, or no Parquet file: {error}"
    return reason


def _foreign(schema: pa.Schema, stem: str, run_id: str) -> str:
    labels = schema.metadata or {}
    if labels.get(_FORMAT) is None:
        return "foreign: it does not say that it is a trace"
    if labels[_FORMAT] != str(TRACE_FORMAT).encode():
        return f"trace format {labels[_FORMAT].decode(errors='replace')}; this version reads {TRACE_FORMAT}"
    if labels.get(_RUN) != run_id.encode():
        return f"foreign: it belongs to the run {labels.get(_RUN, b'?').decode(errors='replace')}"
    if labels.get(_NAME) != stem.encode():
        return f"a copy of {labels.get(_NAME, b'?').decode(errors='replace')}.parquet"
    for field in schema:
        if field.name in COLUMNS and COLUMNS[field.name].type != field.type:
            return f"foreign: its column {field.name} is {field.type}, not {COLUMNS[field.name].type}"
    absent = [c.name for c in COLUMNS.values() if c.required and c.name not in schema.names]
    return f"foreign: without the columns {', '.join(absent)}" if absent else ""


def _torn(file: pq.ParquetFile) -> str:
    """Whether the last row is the trailer and counts the rows; the trailer is a row group of its own."""
    groups = file.metadata.num_row_groups
    rows = file.metadata.num_rows
    last = file.read_row_group(groups - 1, columns=["kind", "amount"]).to_pylist() if groups else []
    if not last or last[-1]["kind"] != TraceKind.TRAILER:
        return "truncated: it has no trailer"
    if last[-1]["amount"] != rows:
        return f"truncated: its trailer counts {last[-1]['amount']} rows, it has {rows}"
    return ""


def _mixed(file: pq.ParquetFile, run_id: str) -> str:
    """Whether a row is of another run than the file's label says, by the statistics of each row group."""
    place = file.schema_arrow.get_field_index("run_id")
    for group in range(file.metadata.num_row_groups):
        statistics = file.metadata.row_group(group).column(place).statistics
        if statistics is None or {statistics.min, statistics.max} != {run_id}:
            return f"foreign: not all of its rows belong to the run {run_id}"
    return ""
