"""`plumbline bench`: how the time to explain grows with examples, and other rates.

Knows the command line and what is printed; docs/benchmarks.md keeps what was measured when.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click
import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from plumbline.ci.benchmarks import (
    QUICK_SIZES,
    SIZES,
    Row,
    count,
    measure,
    profile_seconds,
    round_trips,
    summarize,
)
from plumbline.ci.client_benchmarks import KINDS as OF_CLIENTS
from plumbline.ci.client_benchmarks import measure as measure_clients
from plumbline.ci.command import CommandError
from plumbline.ci.consistency_benchmarks import KINDS as OF_CONSISTENCY
from plumbline.ci.consistency_benchmarks import measure as measure_consistency
from plumbline.ci.fault_benchmarks import KINDS as OF_SITES
from plumbline.ci.fault_benchmarks import measure as measure_sites
from plumbline.ci.progress import patiently
from plumbline.ci.site_benchmarks import measure as measure_site
from plumbline.ci.timings import Timed
from plumbline.reports.screenshots import CannotTakeError

DRAWS = 3
ROUND_TRIPS = 2_000
PIPED_WIDTH = 160


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Other speeds: seconds of two profiles on the reference, round trips a second of the process adapter."""

    smoke_seconds: float
    gate_seconds: float | None
    round_trips: float


_EPILOG = """\
\b
Examples:
  plumbline bench --quick                   in half a minute
  plumbline bench --sites --json            two sites with gateways and faults
  plumbline bench --pages                   the site in a browser
"""


@click.command("bench", epilog=_EPILOG)
@click.option("--quick", is_flag=True, help="Smaller examples, one of each kind, and no gate.")
@click.option("--sites", is_flag=True, help="Examples of two sites with gateways and faults instead.")
@click.option("--clients", is_flag=True, help="Examples of clients, whose server may be killed, instead.")
@click.option(
    "--consistency",
    is_flag=True,
    help="Examples of partitioned regions, tombstones, clears, transactions and three sites instead.",
)
@click.option("--pages", is_flag=True, help="How long the pages of a large site take to open, instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(quick: bool, sites: bool, clients: bool, consistency: bool, pages: bool, as_json: bool) -> None:
    """Measure how the time to explain an example grows with its operations, and other rates.

    Takes a few minutes; --quick half a minute. Nothing is judged: the exit code is 0,
    or 2 where --pages finds no browser.
    """
    draws = 1 if quick else DRAWS
    if sites:
        _time("sites", "Explaining two sites with gateways", measure_sites(draws), len(OF_SITES), as_json)
        return
    if clients:
        _time("clients", "Explaining clients", measure_clients(draws), len(OF_CLIENTS), as_json)
        return
    if consistency:
        measured = measure_consistency(draws)
        _time("consistency", "Explaining document 004", measured, len(OF_CONSISTENCY), as_json)
        return
    if pages:
        _open_pages(as_json=as_json)
        return
    console = Console(stderr=True)
    sizes = QUICK_SIZES if quick else SIZES
    rows = summarize(
        list(
            track(
                measure(sizes, draws),
                "explaining",
                total=count(sizes, draws),
                console=console,
                transient=True,
                disable=not console.is_terminal,
            )
        )
    )
    rates = Rates(
        smoke_seconds=profile_seconds("smoke"),
        gate_seconds=None if quick else profile_seconds("gate"),
        round_trips=round_trips(ROUND_TRIPS),
    )
    if as_json:
        data = {"explain": rows, "draws": draws, "rates": rates}
        sys.stdout.write(msgspec.json.encode(data).decode() + "\n")
    else:
        _tell(Console(), rows, rates, sizes, draws)


def _open_pages(*, as_json: bool) -> None:
    """Tell how long the pages of a large site take to open in Chromium."""
    try:
        with patiently() as advanced:
            site = measure_site(advanced=advanced("Writing pages"))
    except CannotTakeError as error:
        raise CommandError(str(error)) from error
    if as_json:
        sys.stdout.write(msgspec.json.encode({"site": site}).decode() + "\n")
        return
    title = f"A site of {site.requirements} requirements and {site.candidates} candidates"
    table = Table(title=title, title_justify="left", caption_justify="left")
    for column in ("page", "bytes", "first time", "median", "longest"):
        table.add_column(column, justify="left" if column == "page" else "right")
    for page in site.pages:
        seconds = (f"{one:.2f} s" for one in (page.seconds[0], page.median, max(page.seconds)))
        table.add_row(page.name, f"{page.bytes:,}", *seconds)
    table.caption = f"{site.files} files, {site.bytes:,} bytes, written in {site.seconds:.1f} s"
    Console().print(table)


def _time(name: str, title: str, measured: Iterator[Timed], kinds: int, as_json: bool) -> None:
    """Tell how long examples of some kinds took to explain, right ones and spoilt ones."""
    console = Console(stderr=True)
    rows = list(
        track(
            measured,
            title.lower(),
            total=2 * kinds,
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
    )
    if as_json:
        sys.stdout.write(msgspec.json.encode({name: rows}).decode() + "\n")
        return
    table = Table(title=title, title_justify="left")
    for column in ("examples", "spoilt"):
        table.add_column(column)
    for column in (
        *("operations", "in time", "limit", "unknown", "wrong"),
        *("states/op", "op/s", "seconds", "longest"),
    ):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            row.name,
            "once" if row.spoilt else "not at all",
            f"{row.operations:,}",
            f"{row.in_time} of {row.examples}",
            f"{row.within_s:.2g} s",
            str(row.unknown),
            str(row.wrong),
            _number(row.states, 1),
            _number(row.operations / row.seconds, 0),
            _number(row.seconds, 2),
            _number(row.longest, 2),
        )
    console = Console()
    # A pipe has no width; one line for each row is what people want to keep.
    (console if console.is_terminal else Console(width=PIPED_WIDTH)).print(table)


def _tell(console: Console, rows: list[Row], rates: Rates, sizes: tuple[int, ...], draws: int) -> None:
    table = Table(title=f"Explaining, {draws} examples of each kind and size", title_justify="left")
    for column in ("keys", "order", "spoilt"):
        table.add_column(column)
    for column in ("states/op", "op/s", "unknown", "refuted"):
        table.add_column(column + "\n" + " / ".join(f"{size:,}" for size in sizes), justify="right")
    table.add_column(f"time/op at {sizes[-1]:,}\nto {sizes[-2]:,}", justify="right")
    for row in rows:
        table.add_row(
            row.keys,
            row.order,
            row.spoilt or "not at all",
            " / ".join(_number(row.states.get(size), 1) for size in sizes),
            " / ".join(_number(row.rates.get(size), 0) for size in sizes),
            " / ".join(str(row.unknown.get(size, 0)) for size in sizes),
            " / ".join(str(row.refuted.get(size, 0)) for size in sizes),
            _number(row.ratio, 2),
        )
    console.print(table)
    told = [
        f"profile smoke on the reference: {rates.smoke_seconds:.1f} s",
        f"round trips of the process adapter: {rates.round_trips:,.0f} a second",
    ]
    if rates.gate_seconds is not None:
        told.insert(1, f"profile gate on the reference: {rates.gate_seconds:.1f} s")
    for line in told:
        console.print(line, markup=False, highlight=False)


def _number(number: float | None, digits: int) -> str:
    return "-" if number is None else f"{number:,.{digits}f}"
