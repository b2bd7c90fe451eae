"""Judging on Spark: it hands out run directories, DuckDB judges them inside the tasks, DataFrames sum up.

Spark's own SQL executes no rule: that costs four to five times the work for the same answers. The run
directories have to be reachable under the same path on every worker. Knows no command line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from plumbline.reference.judged.facts import facts_by_duckdb
from plumbline.reference.judged.schema import BY_NAME
from plumbline.reference.judged.statements import statements
from plumbline.reference.judged.store import requirements
from plumbline.reference.rules.loads import loads
from plumbline.reference.rules.results import RESULT_SCHEMA, SUMMARY_SCHEMA, with_verdicts

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

_SQL_TYPES = {pa.string(): "string", pa.int64(): "bigint", pa.float64(): "double"}
_RESULT_COLUMNS = ", ".join(f"`{field.name}` {_SQL_TYPES[field.type]}" for field in RESULT_SCHEMA)

_ASKED_ONCE = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
"""Each statement is asked once: writing Java for it and compiling that takes longer than the answer."""


def judge_in_task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What a task does: judge the load of run directories in each row, one thread of DuckDB a task."""
    for batch in batches:
        for load in batch.column("directories").to_pylist():
            yield from facts_by_duckdb([Path(name) for name in load], threads=1).to_batches()


class SparkEngine:
    """Judges and sums up by a Spark session."""

    def __init__(self, session: SparkSession) -> None:
        self._session = session

    def judge(self, directories: Sequence[Path]) -> pa.Table:
        """The results of run directories (RESULT_SCHEMA), in no order."""
        if not directories:
            return RESULT_SCHEMA.empty_table()
        # A task each, the heaviest first: so no large load begins when all else has ended.
        heaviest = sorted(loads(directories), key=attrgetter("rows", "bytes"), reverse=True)
        rows = [(place, [str(one) for one in load.directories]) for place, load in enumerate(heaviest)]
        tasks = self._session.createDataFrame(rows, "place int, directories array<string>")
        tasks = tasks.repartitionByRange(len(rows), "place")
        results = tasks.mapInArrow(judge_in_task, _RESULT_COLUMNS)
        return results.toArrow().cast(RESULT_SCHEMA)

    def summarise(self, results: pa.Table) -> pa.Table:
        """Sums per requirement, candidate, product version and day (SUMMARY_SCHEMA)."""
        from pyspark.sql import functions as f  # noqa: PLC0415 - not needed, and not there, in the tasks

        def runs(verdict: str) -> Column:
            return f.count_if(f.col("verdict") == verdict)

        group = ["requirement", "candidate", "product_version", "day"]
        sums = (
            self._session.createDataFrame(_whole(results))
            .where("row = 'verdict'")
            .groupBy(*group)
            .agg(
                f.count("*").alias("runs"),
                runs("pass").alias("passed"),
                runs("deviation").alias("deviating"),
                runs("fail").alias("failed"),
                runs("unknown").alias("unknown"),
                runs("unsupported").alias("unsupported"),
                runs("not exercised").alias("not_exercised"),
                f.sum("exercised").alias("opportunities"),
                f.sum("failures").alias("violations"),
            )
        )
        verdict = f.lit("")
        ordered = sums.withColumn("verdict", verdict).orderBy(*group).select(*SUMMARY_SCHEMA.names)
        return with_verdicts(ordered.toArrow().cast(SUMMARY_SCHEMA))

    def tables(self, facts: pa.Table, out: Path) -> dict[str, pa.Table]:
        """The judged tables of the facts of many runs, by the same texts as DuckDB's.

        Args:
            facts: RESULT_SCHEMA.
            out: a folder that each worker reaches; the facts lie there meanwhile, as one file.
        """
        session, file = self._session, out / "facts.part.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        before = {name: session.conf.get(name) for name in _ASKED_ONCE}
        tables: dict[str, pa.Table] = {}
        try:
            for name, value in _ASKED_ONCE.items():
                session.conf.set(name, value)
            pq.write_table(facts, file)
            session.read.parquet(str(file)).createOrReplaceTempView("facts")
            session.createDataFrame(requirements()).createOrReplaceTempView("requirements")
            for name, text in statements().items():
                tables[name] = session.sql(text).toArrow().cast(BY_NAME[name].schema)
                session.createDataFrame(_whole(tables[name])).createOrReplaceTempView(name)
        finally:
            file.unlink(missing_ok=True)
            for name, old in before.items():
                if old is not None:
                    session.conf.set(name, old)
        return tables


def _whole(table: pa.Table) -> pa.Table:
    """The table in one piece: PySpark reads none of one that begins with two empty pieces."""
    return table.combine_chunks()
