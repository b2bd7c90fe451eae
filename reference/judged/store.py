"""The judged tables on disk, and how DuckDB makes them.

    OUT/tables/NAME/part-0.parquet            a table
    OUT/tables/NAME/day=2026-01-01/part-0.parquet   a part of one that is parted by day
    OUT/tables/judged.json                    the format, and the digest of each file (JudgedManifest)

All of them are replaced at once, so that a reader finds the tables of one job. Knows no other engine.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.distribution import VERSION
from plumbline.reference.file_record import (
    FileRecord,
    UnreadableRunError,
    bounded,
    recorded,
    refuse_links,
    write_atomically,
)
from plumbline.reference.judged.schema import BY_NAME, JUDGED_FORMAT, TABLES, JudgedTable
from plumbline.reference.judged.statements import statements
from plumbline.reference.rules.judging import connect

FOLDER, MANIFEST = "tables", "judged.json"
LARGEST_MANIFEST, MOST_ROWS = 64 * 1024 * 1024, 5_000_000

Row = dict[str, Any]


class JudgedManifest(msgspec.Struct, frozen=True, kw_only=True):
    """Which tables there are: the format, who wrote them, and each file by its path below `tables`."""

    format: int = JUDGED_FORMAT
    suite_version: str
    files: dict[str, FileRecord]


def requirements() -> pa.Table:
    """The view `requirements`: each id of the catalogue with each dialect that owes it."""
    rows = [(one.id, str(dialect)) for one in all_requirements().values() for dialect in one.dialects]
    ids, dialects = zip(*rows, strict=True)
    return pa.table({"requirement": pa.array(ids, pa.string()), "dialect": pa.array(dialects, pa.string())})


def tables_by_duckdb(facts: pa.Table, threads: int = 2) -> dict[str, pa.Table]:
    """All tables of the facts of many runs (RESULT_SCHEMA)."""
    tables: dict[str, pa.Table] = {}
    with connect(threads) as connection:
        connection.register("facts", facts)
        connection.register("requirements", requirements())
        for name, text in statements().items():
            tables[name] = connection.sql(text).to_arrow_table().cast(BY_NAME[name].schema)
            connection.register(name, tables[name])
    return tables


def is_judged(directory: Path) -> bool:
    """Whether a directory holds judged tables."""
    return (directory / FOLDER / MANIFEST).is_file()


def write_tables(out: Path, tables: Mapping[str, pa.Table]) -> None:
    """Replace the tables below a directory, as one; raises OSError."""
    refuse_links(out / FOLDER, out)
    draft = out / f"{FOLDER}.part"
    shutil.rmtree(draft, ignore_errors=True)
    for table in TABLES:
        for name, part in _parts(table, tables[table.name]):
            sink = pa.BufferOutputStream()
            pq.write_table(part, sink, compression="zstd")
            write_atomically(draft / name, sink.getvalue().to_pybytes())
    files = {str(path.relative_to(draft)): recorded(path) for path in sorted(draft.glob("**/*.parquet"))}
    manifest = JudgedManifest(suite_version=VERSION, files=files)
    write_atomically(draft / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest), indent=1))
    shutil.rmtree(out / FOLDER, ignore_errors=True)
    draft.replace(out / FOLDER)


def _parts(table: JudgedTable, rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    if not table.partition or not rows.num_rows:
        yield f"{table.name}/part-0.parquet", rows
        return
    for value in sorted(set(rows[table.partition].to_pylist())):
        part = rows.filter(pc.equal(rows[table.partition], value)).drop_columns([table.partition])
        yield f"{table.name}/{table.partition}={value}/part-0.parquet", part


def read_tables(out: Path) -> dict[str, list[Row]]:
    """The rows of all tables, in the order of their keys.

    Raises UnreadableRunError where one is missing, changed, of another format, or too large.
    """
    path = out / FOLDER / MANIFEST
    try:
        manifest = msgspec.json.decode(bounded(path, LARGEST_MANIFEST), type=JudgedManifest)
    except FileNotFoundError:
        raise UnreadableRunError(
            f"{out}: no judged tables; `plumbline judge RUNS --out {out}` makes them"
        ) from None
    except (OSError, UnicodeDecodeError, RecursionError, msgspec.MsgspecError) as error:
        raise UnreadableRunError(f"{path}: {error}") from error
    if manifest.format != JUDGED_FORMAT:
        told = f"format {manifest.format}, but this version reads {JUDGED_FORMAT}; judge the runs again"
        raise UnreadableRunError(f"{path}: {told}")
    found: dict[str, list[Row]] = {table.name: [] for table in TABLES}
    for name, sealed in manifest.files.items():
        table = BY_NAME.get(name.partition("/")[0])
        if table is not None:
            found[table.name] += _read(out / FOLDER, name, table, sealed)
    for table in TABLES:
        if not any(name.startswith(f"{table.name}/") for name in manifest.files):
            raise UnreadableRunError(f"{path}: it names no file of the table {table.name}")
        found[table.name].sort(key=itemgetter(*table.key))
    return found


def _read(folder: Path, name: str, table: JudgedTable, sealed: FileRecord) -> list[Row]:
    path = folder / name
    if ".." in Path(name).parts or Path(name).is_absolute():
        raise UnreadableRunError(f"{folder / MANIFEST}: it names {name!r:.80}, which is not below it")
    try:
        if recorded(path) != sealed:
            raise UnreadableRunError(f"{path}: changed after the job ended: its digest is not the manifest's")
        parted = "=" in name
        schema = table.schema
        if parted:
            schema = schema.remove(schema.get_field_index(table.partition))
        if pq.read_metadata(path).num_rows > MOST_ROWS:
            raise UnreadableRunError(f"{path}: more than {MOST_ROWS:,} rows are too many")
        rows: list[Row] = pq.read_table(path, schema=schema, partitioning=None).to_pylist()
    except FileNotFoundError:
        raise UnreadableRunError(f"{path}: in the manifest, but missing") from None
    except (OSError, pa.ArrowException) as error:
        raise UnreadableRunError(f"{path}: {error}") from error
    if parted:
        value = name.split("/")[1].partition("=")[2]
        rows = [{**row, table.partition: value} for row in rows]
    return rows
