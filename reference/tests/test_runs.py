from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plumbline.reference.results.runs import (
    VERDICT_SCHEMA,
    UnreadableRunError,
    read_counterexample,
    read_record,
    read_verdicts,
    write_verdicts,
)
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow

DEEP = b"[" * 100_000
NO_UTF_8 = b'{"run_id": "\xff\xfe"}'


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\x00junk", DEEP, NO_UTF_8, b'{"run_id": ' + DEEP])
@pytest.mark.parametrize("read", [read_record, lambda folder: read_counterexample(folder / "run.json")])
def test_a_damaged_document_is_told_as_unreadable_with_its_path(
    tmp_path: Path, read: Callable[[Path], Any], data: bytes
):
    (tmp_path / "run.json").write_bytes(data)
    with pytest.raises(UnreadableRunError, match=r"run\.json"):
        read(tmp_path)


@pytest.mark.parametrize("read", [read_record, read_verdicts, lambda d: read_counterexample(d / "run.json")])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path, read: Callable[[Path], Any]):
    for name in ("run.json", "verdicts.parquet"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(UnreadableRunError, match="this is no file"):
        read(tmp_path)


def test_a_small_file_that_unpacks_to_any_number_of_rows_is_refused(tmp_path: Path):
    rows = {field.name: pa.array(["r"], field.type) for field in VERDICT_SCHEMA if field.type == pa.string()}
    rows |= {field.name: pa.array([0], field.type) for field in VERDICT_SCHEMA if field.type != pa.string()}
    one = pa.table([rows[name] for name in VERDICT_SCHEMA.names], schema=VERDICT_SCHEMA)
    with pq.ParquetWriter(tmp_path / "verdicts.parquet", VERDICT_SCHEMA, compression="zstd") as writer:
        many = one.take(pa.array([0] * 1_000_001))
        for _ in range(5):
            writer.write_table(many)
    assert (tmp_path / "verdicts.parquet").stat().st_size < 1_000_000
    with pytest.raises(UnreadableRunError, match="5,000,005 rows are too many"):
        read_verdicts(tmp_path)


def test_a_verdict_table_whose_texts_are_no_utf_8_is_unreadable(tmp_path: Path):
    row = VerdictRow(run_id="r", requirement="VER-TIE-01", source=Source.RULE, verdict=Verdict.PASS)
    write_verdicts(tmp_path, [row])
    assert read_verdicts(tmp_path) == [row]
    path = tmp_path / "verdicts.parquet"
    table = pq.read_table(path)
    bad = pa.array([b"\xff\xfe"], pa.binary()).view(pa.string())
    place = VERDICT_SCHEMA.get_field_index("reason")
    pq.write_table(table.set_column(place, VERDICT_SCHEMA.field("reason"), bad), path)
    with pytest.raises(UnreadableRunError, match=r"verdicts\.parquet"):
        read_verdicts(tmp_path)
