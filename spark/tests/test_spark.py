from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plumbline.ci.selftest.histories import (
    client_right,
    client_wrong,
    durable_samples,
    failing_samples,
    listener_samples,
    region_samples,
    replicate_samples,
    version_samples,
)
from plumbline.ci.selftest.histories.gateway_right import RIGHT
from plumbline.ci.selftest.histories.gateway_wrong import WRONG
from plumbline.ci.selftest.histories.history_builder import Sample
from plumbline.ci.selftest.histories.samples import CONFORMING, VIOLATING, conflict, sample_run
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.judged.facts import facts_by_duckdb
from plumbline.reference.judged.schema import SUBJECT
from plumbline.reference.judged.store import read_tables, tables_by_duckdb, write_tables
from plumbline.reference.results.runs import read_verdicts
from plumbline.reference.rules.judging import connect
from plumbline.reference.rules.results import RESULT_SCHEMA, judge_by_duckdb, rows_about, summarise
from plumbline.reference.rules.rule import ANSWER, Rule, load_parts, load_rules
from plumbline.reference.rules.survey import find_runs, judge
from plumbline.reference.trace.schema import COLUMNS, TRACE_SCHEMA
from plumbline.spark.engine import SparkEngine
from plumbline.spark.session import spark_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

ONE_SITE = {"conforming": Sample(CONFORMING), "off": Sample(conflict(checks=False))}
VIOLATED = {name: Sample(history, violates=frozenset({name})) for name, history in VIOLATING.items()}
EXAMPLES = (
    ONE_SITE
    | VIOLATED
    | RIGHT
    | WRONG
    | client_right.RIGHT
    | client_wrong.WRONG
    | durable_samples.RIGHT
    | durable_samples.WRONG
    | failing_samples.RIGHT
    | failing_samples.WRONG
    | listener_samples.RIGHT
    | listener_samples.WRONG
    | region_samples.RIGHT
    | region_samples.WRONG
    | replicate_samples.RIGHT
    | replicate_samples.WRONG
    | version_samples.RIGHT
    | version_samples.WRONG
)
SECONDS = "seconds"

TURNS = 20
"""Of so many rules one is answered by Spark SQL; `--thorough` has all of them answered."""


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    with pytest.MonkeyPatch.context() as environment:
        # Each statement is planned once, which is not worth compiling Java any better, nor collecting its
        # garbage beside it.
        environment.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        with spark_session("plumbline-tests") as session:
            yield session


@pytest.fixture(scope="module")
def trace() -> pa.Table:
    """Every sample, twice: as examples of one run, and again of another run, so that mixing would show."""
    events = [
        row
        for run_id in ("r1", "r2")
        for name, sample in EXAMPLES.items()
        for row in sample.rows(run_id, name)
    ]
    return pa.Table.from_pylist(events, schema=TRACE_SCHEMA)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    sample_run(folder / "good", CONFORMING)
    sample_run(folder / "bad", CONFORMING, *VIOLATING.values(), version="2")
    sample_run(folder / "empty")
    sample_run(folder / "unended", CONFORMING, complete=False)
    broken = sample_run(folder / "broken", CONFORMING) / "trace" / "main.parquet"
    broken.write_bytes(broken.read_bytes()[:-30])
    return find_runs([folder])


def without_times(results: pa.Table) -> list[dict[str, object]]:
    order = [(name, "ascending") for name in ("directory", "row", "requirement", "example", "seq", "path")]
    rest = [name for name in results.schema.names if name != SECONDS]
    table: list[dict[str, object]] = results.sort_by(order).select(rest).to_pylist()
    return table


NAMED = re.compile(r"^(?:WITH )?(\w+) AS \(\n(.*?)\n\),?$", re.MULTILINE | re.DOTALL)
OF_PARTS = {named for part in load_parts().values() for named in NAMED.findall(part.text)}


ONCE = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
"""Settings for statements that are asked once, of little: they mean the same, but Spark neither writes
Java for each and compiles it, nor plans anew while it runs."""


class Reading:
    """Spark SQL reads rules one named expression after the other, those of parts once for all rules.

    Of a whole statement Spark writes out each expression wherever it is used, and plans for minutes. So the
    whole is only parsed.
    """

    def __init__(self, spark: SparkSession, file: Path) -> None:
        self._spark = spark
        self._known: dict[tuple[str, str], DataFrame] = {}
        spark.read.parquet(str(file)).createOrReplaceTempView("ev")

    def answer(self, rule: Rule) -> list[tuple[object, ...]]:
        text = rule.text
        for name, expression in NAMED.findall(text):
            found = self._known.get((name, expression))
            if found is None:
                found = self._spark.createDataFrame(self._spark.sql(expression).toArrow())
            if (name, expression) in OF_PARTS:
                self._known[name, expression] = found
            found.createOrReplaceTempView(name)
        statement = text[max((found.end() for found in NAMED.finditer(text)), default=0) :]
        found = self._spark.sql(statement)
        assert tuple(found.columns) == ANSWER
        rows = found.collect()
        return sorted(tuple(row[name] for name in ANSWER) for row in rows)


@pytest.fixture(scope="module")
def reading(spark: SparkSession, trace: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Reading:
    file = tmp_path_factory.mktemp("trace") / "ev.parquet"
    pq.write_table(trace, file)
    own = spark.newSession()
    for setting, value in ONCE.items():
        own.conf.set(setting, value)
    return Reading(own, file)


def test_the_named_expressions_of_every_rule_are_found_each_name_once():
    for rule in load_rules().values():
        names = [name for name, _ in NAMED.findall(rule.text)]
        assert len(names) == len(set(names)) == rule.text.count(" AS (\n"), rule.requirement


def test_spark_sql_takes_every_rule_for_a_single_statement(spark: SparkSession):
    parser = spark._jsparkSession.sessionState().sqlParser()
    for rule in load_rules().values():
        parser.parsePlan(rule.text)  # raises where it is none


@pytest.mark.parametrize(
    "requirement",
    one_in(TURNS, sorted(load_rules())),
)
def test_spark_sql_and_duckdb_read_the_rule_alike(reading: Reading, trace: pa.Table, requirement: str):
    rule = load_rules()[requirement]
    by_spark = reading.answer(rule)
    with connect() as connection:
        connection.register("ev", trace)
        by_duckdb = sorted(connection.sql(f"SELECT {', '.join(ANSWER)} FROM ({rule.text})").fetchall())  # noqa: S608 - the rule's own text
    assert by_spark == by_duckdb
    violated = {(row[0], row[1]) for row in by_spark if row[-1]}
    wrong = {name for name, sample in EXAMPLES.items() if requirement in sample.violates}
    assert violated == {(run_id, name) for run_id in ("r1", "r2") for name in wrong}


def test_no_column_of_the_trace_needs_quotes_in_spark(spark: SparkSession):
    spark.createDataFrame(TRACE_SCHEMA.empty_table()).createOrReplaceTempView("empty_trace")
    columns = ", ".join(f"e.{name}, {name} AS {name}" for name in COLUMNS)
    assert spark.sql(f"SELECT {columns} FROM empty_trace e").collect() == []  # noqa: S608 - names of columns


def test_the_tasks_find_what_duckdb_finds(spark: SparkSession, runs: list[Path]):
    by_spark = SparkEngine(spark).judge(runs)
    assert by_spark.schema.equals(RESULT_SCHEMA)
    assert without_times(by_spark) == without_times(facts_by_duckdb(runs))
    assert rows_about(by_spark, "run").num_rows == len(runs)


def test_no_runs_are_no_results(spark: SparkSession):
    assert SparkEngine(spark).judge([]).num_rows == 0


def test_data_frames_and_duckdb_sum_up_alike(spark: SparkSession, runs: list[Path]):
    results = judge_by_duckdb(runs)
    sums = summarise(results)
    assert SparkEngine(spark).summarise(results).equals(sums)
    assert {"pass", "fail", "unknown"} & set(sums["verdict"].to_pylist())


def test_the_job_writes_the_same_tables_as_duckdb_and_goes_on_where_it_stood(
    spark: SparkSession, runs: list[Path], tmp_path: Path
):
    engine = SparkEngine(spark)
    by_spark = judge(
        runs,
        engine.judge,
        tmp_path / "spark",
        engine.summarise,
        tables=lambda facts, out: write_tables(out, engine.tables(facts, out)),
    )
    by_duckdb = judge(
        runs,
        facts_by_duckdb,
        tmp_path / "duckdb",
        tables=lambda facts, out: write_tables(out, tables_by_duckdb(facts)),
    )
    judged = read_tables(tmp_path / "spark")
    assert judged["runs"]
    assert judged == read_tables(tmp_path / "duckdb")
    assert by_spark.exit_code == by_duckdb.exit_code == 1
    for name in ("runs", "witnesses", "flaws"):
        spark_table, duckdb_table = (
            pq.read_table(tmp_path / e / f"{name}.parquet") for e in ("spark", "duckdb")
        )
        assert without_times(spark_table) == without_times(duckdb_table)
    assert [
        (v.run_id, v.requirement, v.verdict, v.exercised, v.failures)
        for v in read_verdicts(tmp_path / "spark")
    ] == [
        (v.run_id, v.requirement, v.verdict, v.exercised, v.failures)
        for v in read_verdicts(tmp_path / "duckdb")
    ]
    assert judge(runs, engine.judge, tmp_path / "spark").judged == 0


@pytest.fixture(scope="module")
def facts(runs: list[Path]) -> pa.Table:
    """Facts of sample runs, with times, repeated arrivals and failures of a search, by several versions."""
    found = facts_by_duckdb(runs).to_pylist()
    verdicts = [row for row in found if row["row"] == "verdict"]
    subject = {name: verdicts[0][name] for name in ("directory", *SUBJECT, "profile")}
    for number in range(6):
        run = {**subject, "run_id": f"s{number}", "day": f"2026-01-0{number + 1}"}
        run |= {"started": f"{run['day']}T00:00:00+00:00", "product_version": str(1 + number // 3)}
        searched = {"requirement": "VER-TIE-01", "source": "scenario", "exercised": 3}
        counted = ("pass", "fail", "pass", "unsupported", "unknown", "adapter error")[number]
        found += [
            {**run, "row": "run", "examples": 1, "events": number},
            {**run, **searched, "row": "search", "counted": counted, "failures": number % 2, "reason": "a"},
            {**run, "row": "latency", "measure": "propagation", "bin": 40 * number, "amount": 7},
            {**run, "row": "duplicates", "amount": 9, "failures": number, "exercised": 0},
        ]
        if counted == "fail":
            failure = {"alike": "f", "decision": "d", "plan": "p", "size": 3, "example": "e.json"}
            found.append({**run, **searched, **failure, "row": "failure", "tried": 5, "failures": 2})
    return pa.Table.from_pylist(found, schema=RESULT_SCHEMA)


def test_spark_and_duckdb_make_the_same_judged_tables_row_by_row(
    spark: SparkSession, facts: pa.Table, tmp_path: Path
):
    by_spark, by_duckdb = SparkEngine(spark).tables(facts, tmp_path), tables_by_duckdb(facts)
    assert list(tmp_path.iterdir()) == []
    assert list(by_spark) == list(by_duckdb)
    for name, table in by_duckdb.items():
        assert table.num_rows, f"{name} shows something"
        assert by_spark[name].to_pylist() == table.to_pylist(), name


JOB = [sys.executable, "-m", "plumbline.spark"]


@pytest.mark.slow
def test_the_command_says_what_it_found_and_nothing_else_and_leaves_no_java_behind(
    runs: list[Path], tmp_path: Path
):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    done = subprocess.run(
        [*JOB, *map(str, runs), "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr == ""
    assert done.stdout.splitlines()[0].startswith(f"{len(runs)} runs: ")
    assert "set aside: " in done.stdout
    assert str(runs[1]) in done.stdout or "broken" in done.stdout
    assert list(scratch.iterdir()) == []


def test_the_command_names_a_bad_directory_without_starting_spark(tmp_path: Path):
    done = subprocess.run(
        [*JOB, str(tmp_path / "nowhere"), "--out", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "nowhere: no such directory" in done.stderr
    assert not (tmp_path / "out").exists()
