"""`plumbline drift`: what changed between two versions, though both may conform.

Knows the command line and what is printed; the comparison is `plumbline.reports.version_drift`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click
from rich.console import Console
from rich.table import Table

from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.error_messages import CommandError
from plumbline.reference.judged.store import read_tables
from plumbline.reports.text import one_line, short
from plumbline.reports.version_drift import LEVEL, DriftRow, NoPairError, VersionDrift, drift, pairs

MOST_SHOWN = 40
"""So many rows are printed for each pair of versions; --json has them all."""

_EPILOG = """\
\b
Examples:
  plumbline judge runs --all --out judged && plumbline drift judged
  plumbline drift judged --before 1.14.4 --now 1.15.1 --level 0.01
  plumbline drift judged --json | jq '.pairs[].rows[] | select(.drifted and .both_conform)'

\b
Compared, each by runs:
  shares of runs  violated, deviating, not exercised, with repeated events: Fisher's exact test
  times           propagation, queue residence, failover gap: distance of their sketches
  `plumbline plan-runs --change` says how many runs find a change.

\b
Exit codes:
  0  nothing drifted    1  something drifted    2  nothing could be compared
"""


class DriftDocument(Document, frozen=True, kw_only=True, tag="plumbline.drift"):
    """What drifted between versions of each candidate."""

    schema_version: Literal[1] = 1
    pairs: tuple[VersionDrift, ...]
    set_aside: int
    exit_code: int


@click.command("drift", epilog=_EPILOG)
@click.argument("judged", type=click.Path(path_type=Path))
@click.option("--before", help="The earlier version; the one before the later one if left out.")
@click.option("--now", help="The later version; the newest if left out.")
@click.option(
    "--level",
    type=click.FloatRange(1e-9, 0.5),
    default=LEVEL,
    show_default=True,
    help="The probability of any alarm between two equal versions.",
)
@click.option("--json", "as_document", is_flag=True, help="A JSON object instead of tables.")
def command(judged: Path, before: str | None, now: str | None, level: float, as_document: bool) -> None:
    """Compare two versions of each candidate in JUDGED, the folder that `plumbline judge` wrote.

    Two versions may both conform and still differ: in deviations, repeated events or times. Holm's correction
    holds over all quantities of a pair of versions.
    """
    tables = read_tables(judged)
    try:
        found = [drift(tables, *pair, level) for pair in pairs(tables, before, now)]
    except NoPairError as error:
        raise CommandError(f"{judged}: {one_line(str(error))}") from error
    flaws = tables["set_aside"][0]["flaws"] if tables["set_aside"] else 0
    code = 1 if any(one.drifted for one in found) else 0
    code = code if any(one.rows or one.alike for one in found) else 2
    if as_document:
        show(DriftDocument(pairs=tuple(found), set_aside=flaws, exit_code=code))
    else:
        for one in found:
            _print(one)
        if flaws:
            click.echo(f"{flaws} files or runs were set aside, and are in none of these figures", err=True)
    sys.exit(code)


def _print(found: VersionDrift) -> None:
    (candidate, _, version, dialect), (other, _, later, _) = found.before, found.now
    same = "" if candidate == other else f"{one_line(other, 80)} "
    click.echo(
        f"{one_line(candidate, 80)} {one_line(version, 80)} and {same}{one_line(later, 80)}, "
        f"{one_line(dialect, 40)}: {found.words}"
    )
    if found.drifted:
        table = Table(box=None, pad_edge=False)
        for name in ("drifted", "before", "now", "effect", "p, corrected", ""):
            table.add_column(name, overflow="fold")
        for row in found.drifted[:MOST_SHOWN]:
            table.add_row(*_cells(row))
        Console(markup=False, highlight=False).print(table)
    if len(found.drifted) > MOST_SHOWN:
        click.echo(f"and {len(found.drifted) - MOST_SHOWN} more: --json has them all")
    for words in found.notes:
        click.echo(f"note: {one_line(words, 400)}")


def _cells(row: DriftRow) -> tuple[str, ...]:
    name = f"{short(row.requirement, 40)} {row.quantity}".strip()
    effect = (
        f"{row.effect_size} {row.effect:+.3g}" if row.effect < 0 else f"{row.effect_size} {row.effect:.3g}"
    )
    return (
        name,
        row.before,
        row.now,
        effect,
        f"{row.corrected:.2g}",
        "both conform" if row.both_conform else "",
    )
