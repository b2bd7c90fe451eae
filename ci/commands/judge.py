"""`plumbline judge`: the rules over the traces of any number of run directories.

Knows which engines there are and how one is chosen; judging and its tables are `plumbline.reference.rules`.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import Literal

import click
import pyarrow as pa

from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.error_messages import CommandError
from plumbline.ci.terminal.run_directories import all_runs, older_words, run_directories
from plumbline.ci.terminal.settings import config_option
from plumbline.reference.judged.facts import facts_by_duckdb
from plumbline.reference.judged.store import tables_by_duckdb, write_tables
from plumbline.reference.results.newest import Newest
from plumbline.reference.results.runs import UnreadableRunError
from plumbline.reference.results.verdicts import VerdictRow
from plumbline.reference.rules.results import rows_about
from plumbline.reference.rules.survey import SurveyResult, find_runs, judge
from plumbline.reference.rules.telling import harmless, lines
from plumbline.reference.trace.files import Flaw
from plumbline.reference.trace.packs import record_of
from plumbline.suites.run.configuration import Settings

_EPILOG = """\
\b
Engines:
  duckdb  in this process; the fastest on one machine
  spark   Spark hands out the run directories, DuckDB judges each in a task
  auto    spark where the environment names a cluster (spark-submit, SPARK_REMOTE), else duckdb

\b
Written to OUT, and used when judging goes on there later:
  verdicts, runs, witnesses, flaws, summary (.parquet), batches/
  tables/  what plumbline report OUT makes its pages of: all runs, older ones among them

\b
Examples:
  plumbline judge runs/2026-01-01-geode
  plumbline judge runs --engine spark --out judged
  plumbline judge runs --json | jq '.verdicts[] | select(.verdict == "fail")'

\b
Exit codes:
  0  nothing failed    1  a requirement failed    2  could not judge, or something was set aside
"""


class JudgeDocument(Document, frozen=True, kw_only=True, tag="plumbline.judge"):
    """What the rules say of all runs, and what was set aside."""

    schema_version: Literal[1] = 1
    engine: str
    why: str
    runs: int
    examples: int
    events: int
    verdicts: tuple[VerdictRow, ...]
    set_aside: tuple[Flaw, ...]
    exit_code: int


@click.command("judge", epilog=_EPILOG)
@run_directories
@all_runs
@click.option("--engine", type=click.Choice(["auto", "duckdb", "spark"]), default="auto", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Directory for the tables; without it, none.")
@config_option
@click.option("--json", "as_document", is_flag=True, help="A JSON object instead of lines.")
def command(
    directories: tuple[Path, ...],
    every: bool,
    engine: str,
    out: Path | None,
    settings: Settings,
    as_document: bool,
) -> None:
    """Judge the traces of the runs at and below each DIR by the rules.

    Without any DIR these are the runs below the folder of runs (`out` in plumbline.toml, else runs). Of each
    candidate and requirement the newest run counts that asked for it and plays at least as much.
    """
    chosen, why = _choose(engine)
    if not as_document:
        click.echo(f"engine {chosen}: {why}")
    try:
        runs = find_runs(directories or (settings.out,), packs=True)
        which = None if every else _newest(runs)
        if chosen == "spark":
            judged = _by_spark(runs, out, which)
        else:
            judged = judge(runs, facts_by_duckdb, out, which=which, tables=_write_by_duckdb)
    except UnreadableRunError as error:
        raise CommandError(harmless(str(error))) from error
    except OSError as error:
        raise CommandError(harmless(f"{error.filename or out}: {error.strerror or error}")) from error
    if as_document:
        show(_document(judged, chosen, why))
    else:
        for line in lines(judged):
            click.echo(line)
        if which is not None and which.left_out:
            click.echo(older_words(len(which.left_out)))
        if out:
            click.echo(f"tables in {out}")
    sys.exit(judged.exit_code)


def _document(judged: SurveyResult, engine: str, why: str) -> JudgeDocument:
    runs = rows_about(judged.results, "run").to_pylist()
    return JudgeDocument(
        engine=engine,
        why=why,
        runs=len(runs),
        examples=sum(run["examples"] for run in runs),
        events=sum(run["events"] for run in runs),
        verdicts=tuple(judged.verdicts),
        set_aside=tuple(judged.flaws),
        exit_code=judged.exit_code,
    )


def _choose(engine: str) -> tuple[str, str]:
    """The engine, and why this one."""
    if engine != "auto":
        return engine, "as asked"
    # Imported here and below: judging by DuckDB needs nothing of Spark.
    from plumbline.spark.session import environment_names_a_cluster  # noqa: PLC0415

    if environment_names_a_cluster():
        return "spark", "the environment names a cluster"
    return "duckdb", "no cluster is named, and on one machine DuckDB is faster"


def _newest(runs: list[Path]) -> Newest:
    """Which of the runs count. A run that cannot be read is reported where it is judged."""
    records = []
    for run in runs:
        with suppress(UnreadableRunError):
            records.append(record_of(run))
    return Newest(records)


def _write_by_duckdb(facts: pa.Table, out: Path) -> None:
    write_tables(out, tables_by_duckdb(facts))


def _by_spark(runs: list[Path], out: Path | None, which: Newest | None) -> SurveyResult:
    from plumbline.spark.engine import SparkEngine  # noqa: PLC0415 - as above
    from plumbline.spark.session import MissingSparkError, spark_session  # noqa: PLC0415

    try:
        with spark_session() as session:
            engine = SparkEngine(session)
            return judge(
                runs,
                engine.judge,
                out,
                engine.summarise,
                which,
                tables=lambda facts, where: write_tables(where, engine.tables(facts, where)),
            )
    except MissingSparkError as error:
        raise CommandError(str(error)) from error
