from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow as pa

from plumbline.reference.trace.schema import COLUMNS, KINDS, TRACE_SCHEMA, markdown

PAGE = Path(__file__).parents[2] / "docs" / "trace.md"


def test_the_page_is_the_registry():
    assert PAGE.read_text(encoding="utf-8") == markdown()


def test_every_kind_and_column_says_what_it_means_in_one_line():
    meanings = [*KINDS.values(), *(column.meaning for column in COLUMNS.values())]
    assert all(meaning and "\n" not in meaning and "|" not in meaning for meaning in meanings)
    assert len(set(meanings)) == len(meanings)


def test_columns_have_types_that_both_engines_read_alike():
    allowed = {pa.string(), pa.int64(), pa.float64(), pa.bool_()}
    assert {column.type for column in COLUMNS.values()} <= allowed


def test_no_column_needs_quotes_in_duckdb():
    con = duckdb.connect()
    con.register("ev", TRACE_SCHEMA.empty_table())
    columns = ", ".join(f"e.{name}, {name} AS {name}" for name in COLUMNS)
    con.execute(f"SELECT {columns} FROM ev e")  # noqa: S608 - names of columns
