"""The job: from run directories to verdict tables, on Spark. Also what spark-submit is given.

python -m plumbline.spark DIR… --out OUT
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from plumbline.reference.judged.store import write_tables
from plumbline.reference.results.runs import UnreadableRunError
from plumbline.reference.rules.survey import find_runs, judge
from plumbline.reference.rules.telling import lines
from plumbline.spark.engine import SparkEngine
from plumbline.spark.session import MissingSparkError, spark_session


@click.command(epilog="Exit codes: 0 nothing failed, 1 a requirement failed, 2 could not judge.")
@click.argument("directories", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="DIR...")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where the tables go.")
def main(directories: tuple[Path, ...], out: Path) -> None:
    """Judge all runs at and below each DIR by the rules; runs with results in OUT are not judged again."""
    try:
        runs = find_runs(directories, packs=True)
        with spark_session() as session:
            engine = SparkEngine(session)
            judged = judge(
                runs,
                engine.judge,
                out,
                engine.summarise,
                tables=lambda facts, where: write_tables(where, engine.tables(facts, where)),
            )
    except (MissingSparkError, UnreadableRunError, OSError) as error:
        click.echo(f"plumbline: {error}", err=True)
        sys.exit(2)
    for line in lines(judged):
        click.echo(line)
    click.echo(f"tables in {out}")
    sys.exit(judged.exit_code)


if __name__ == "__main__":
    main(prog_name="python -m plumbline.spark")
