"""`plumbline judge`: the rules over the traces of any number of run directories.

Knows which engines there are and how one is chosen; judging and its tables are `plumbline.reference.rules`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from plumbline.ci.command import CommandError
from plumbline.reference.rules.results import judge_by_duckdb
from plumbline.reference.rules.survey import Judged, find_runs, judge
from plumbline.reference.rules.telling import as_json, harmless, lines
from plumbline.reference.runs import UnreadableRunError

_EPILOG = """\
\b
Engines:
  duckdb  in this process; the fastest on one machine
  spark   Spark hands out the run directories, DuckDB judges each in a task
  auto    spark where the environment names a cluster (spark-submit, SPARK_REMOTE), else duckdb

\b
Written to OUT, and used when judging goes on there later:
  verdicts, runs, witnesses, flaws, summary (.parquet), batches/

\b
Examples:
  plumbline judge runs/2026-01-01-geode
  plumbline judge runs --engine spark --out judged
  plumbline judge runs --json | jq '.verdicts[] | select(.verdict == "fail")'

\b
Exit codes:
  0  nothing failed    1  a requirement failed    2  could not judge, or something was set aside
"""


@click.command("judge", epilog=_EPILOG)
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR...")
@click.option("--engine", type=click.Choice(["auto", "duckdb", "spark"]), default="auto", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="Directory for the tables; without it, none.")
@click.option("--json", "as_document", is_flag=True, help="A JSON object instead of lines.")
def command(directories: tuple[Path, ...], engine: str, out: Path | None, as_document: bool) -> None:
    """Judge the traces of all runs at and below each DIR by the rules."""
    chosen, why = _choose(engine)
    if not as_document:
        click.echo(f"engine {chosen}: {why}")
    try:
        runs = find_runs(directories)
        judged = _by_spark(runs, out) if chosen == "spark" else judge(runs, judge_by_duckdb, out)
    except UnreadableRunError as error:
        raise CommandError(harmless(str(error))) from error
    except OSError as error:
        raise CommandError(harmless(f"{error.filename or out}: {error.strerror or error}")) from error
    if as_document:
        click.echo(as_json(judged, chosen, why))
    else:
        for line in lines(judged):
            click.echo(line)
        if out:
            click.echo(f"tables in {out}")
    sys.exit(judged.exit_code)


def _choose(engine: str) -> tuple[str, str]:
    """The engine, and why this one."""
    if engine != "auto":
        return engine, "as asked"
    # Imported here and below: whoever judges by DuckDB needs nothing of Spark.
    from plumbline.spark.session import environment_names_a_cluster  # noqa: PLC0415

    if environment_names_a_cluster():
        return "spark", "the environment names a cluster"
    return "duckdb", "no cluster is named, and on one machine DuckDB is faster"


def _by_spark(runs: list[Path], out: Path | None) -> Judged:
    from plumbline.spark.engine import SparkEngine  # noqa: PLC0415 - as above
    from plumbline.spark.session import MissingSparkError, spark_session  # noqa: PLC0415

    try:
        with spark_session() as session:
            engine = SparkEngine(session)
            return judge(runs, engine.judge, out, engine.summarise)
    except MissingSparkError as error:
        raise CommandError(str(error)) from error
