"""`plumbline coverage`: which pairs of features the examples of runs met.

Knows the command line and what is printed; pairs are counted in `plumbline.reports.pair_coverage`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click
from rich.console import Console
from rich.table import Table

from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.error_messages import CommandError
from plumbline.ci.terminal.run_directories import run_directories
from plumbline.ci.terminal.settings import config_option
from plumbline.reference.results.runs import UnreadableRunError, read_record
from plumbline.reference.rules.survey import find_runs
from plumbline.reference.rules.telling import harmless
from plumbline.reference.trace.files import Flaw, verified_files
from plumbline.reports.pair_coverage import PairCount, PairCoverage, pair_coverage
from plumbline.suites.run.configuration import Settings

_EPILOG = """\
\b
Examples:
  plumbline coverage                           the runs below the configured folder
  plumbline coverage runs/2026-01-01-geode --unmet
  plumbline coverage --json | jq '.pairs[] | select(.examples == 0 and .barred == "")'

\b
Exit codes:
  0  the pairs were counted    2  a run directory is missing or cannot be read
"""


class CoverageDocument(Document, frozen=True, kw_only=True, tag="plumbline.coverage"):
    """Which pairs of features the examples of all runs met."""

    schema_version: Literal[1] = 1
    runs: int
    examples: int
    met: int
    possible: int
    features: dict[str, int]
    pairs: tuple[PairCount, ...]
    set_aside: tuple[Flaw, ...]


@click.command("coverage", epilog=_EPILOG)
@run_directories
@click.option("--unmet", is_flag=True, help="Print every pair that was not met.")
@config_option
@click.option("--json", "as_document", is_flag=True, help="A JSON object instead of a table.")
def command(directories: tuple[Path, ...], settings: Settings, unmet: bool, as_document: bool) -> None:
    """Count which features of plans the runs at and below each DIR met together.

    Two features meet in an example where both hold at the same time: a crash while a queue is paused, say.
    Bugs live where features meet. A pair that cannot meet carries the reason.
    """
    try:
        runs = find_runs(directories or (settings.out,))
        files, flaws = _trace_files(runs)
        if not files:
            raise CommandError("no run has a trace that can be read")
        counted = pair_coverage(files)
    except UnreadableRunError as error:
        raise CommandError(harmless(str(error))) from error
    except OSError as error:
        raise CommandError(harmless(f"{error.filename}: {error.strerror or error}")) from error
    if as_document:
        show(
            CoverageDocument(
                runs=len(runs),
                examples=counted.examples,
                met=len(counted.met),
                possible=len(counted.possible),
                features=counted.features,
                pairs=counted.pairs,
                set_aside=tuple(flaws),
            )
        )
        return
    _print(counted, every=unmet)
    for flaw in flaws:
        click.echo(f"set aside: {harmless(flaw.path)}: {harmless(flaw.reason)}", err=True)


def _trace_files(runs: list[Path]) -> tuple[list[Path], list[Flaw]]:
    files: list[Path] = []
    flaws: list[Flaw] = []
    for run in runs:
        good, wrong = verified_files(run, read_record(run).run_id)
        files += good
        flaws += wrong
    return files, flaws


def _print(counted: PairCoverage, *, every: bool) -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("feature")
    table.add_column("examples", justify="right")
    table.add_column("met", justify="right")
    table.add_column("not met yet", overflow="fold")
    for name, examples in counted.features.items():
        possible = [pair for pair in counted.possible if name in pair.features]
        missing = [_other(pair, name) for pair in possible if not pair.examples]
        shown = missing if every else missing[:3]
        more = f" and {len(missing) - len(shown)} more" if len(missing) > len(shown) else ""
        met = f"{len(possible) - len(missing)} of {len(possible)}"
        table.add_row(name, f"{examples:,}", met, ", ".join(shown) + more)
    Console().print(table)
    found, of = len(counted.met), len(counted.possible)
    share = f" ({found / of:.0%})" if of else ""
    click.echo(
        f"{found} of {of} possible pairs met{share} in {counted.examples:,} examples; "
        f"{len(counted.pairs) - of} pairs cannot meet"
    )


def _other(pair: PairCount, name: str) -> str:
    return next(one for one in pair.features if one != name)
