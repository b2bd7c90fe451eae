"""`plumbline bench`: how the time to explain grows with examples, and other rates.

Knows the command line and what is printed; docs/benchmarks.md keeps what was measured when.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import click
import msgspec
from msgspec.structs import replace
from rich.console import Console
from rich.table import Table

from plumbline.ci.selftest.benchmarks.calls import CallRate, HarnessShare, call_rates, harness_share
from plumbline.ci.selftest.benchmarks.clients import KINDS as OF_CLIENTS
from plumbline.ci.selftest.benchmarks.clients import measure as measure_clients
from plumbline.ci.selftest.benchmarks.consistency import KINDS as OF_CONSISTENCY
from plumbline.ci.selftest.benchmarks.consistency import measure as measure_consistency
from plumbline.ci.selftest.benchmarks.faults import KINDS as OF_SITES
from plumbline.ci.selftest.benchmarks.faults import measure as measure_sites
from plumbline.ci.selftest.benchmarks.growth import (
    QUICK_SIZES,
    SIZES,
    GrowthRow,
    MeasuredExample,
    count,
    measure,
    profile_seconds,
    round_trips,
    summarize,
)
from plumbline.ci.selftest.benchmarks.queues import KINDS as OF_QUEUES
from plumbline.ci.selftest.benchmarks.queues import measure as measure_queues
from plumbline.ci.selftest.benchmarks.report_sites import MeasuredSite
from plumbline.ci.selftest.benchmarks.report_sites import measure as measure_site
from plumbline.ci.selftest.benchmarks.timings import Kind, Timed, WantedExamples
from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.error_messages import CommandError
from plumbline.ci.terminal.progress import patiently
from plumbline.ci.terminal.row_by_row import LineTable, TableColumn, document, names, one_by_one
from plumbline.reports.screenshots import CannotTakeError

DRAWS = 3
ROUND_TRIPS = 2_000
CALLS = 20_000
SHARED = ("replicated_regions", "gateway_order", "client_pipeline", "worlds")
"""The machines of which it is said who uses the processor."""
SHARED_EXAMPLES = 30


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """Other speeds: seconds of two profiles on the reference, round trips a second of the process adapter.

    None for what has not been measured, or not yet.
    """

    smoke_seconds: float | None = None
    gate_seconds: float | None = None
    round_trips: float | None = None


class BenchDocument(Document, frozen=True, kw_only=True, tag="plumbline.bench"):
    """How the time to explain grows with examples, and other rates."""

    schema_version: Literal[1] = 1
    explain: tuple[GrowthRow, ...]
    draws: int
    rates: Rates


class BenchKindsDocument(Document, frozen=True, kw_only=True, tag="plumbline.bench-kinds"):
    """How long examples of each kind took to explain."""

    schema_version: Literal[1] = 1
    rows: tuple[Timed, ...]


class BenchCallsDocument(Document, frozen=True, kw_only=True, tag="plumbline.bench-calls"):
    """What the harness costs: calls a second to a candidate that does nothing, and its share of a run."""

    schema_version: Literal[1] = 1
    rates: tuple[CallRate, ...]
    shares: tuple[HarnessShare, ...]


class BenchPagesDocument(Document, frozen=True, kw_only=True, tag="plumbline.bench-pages"):
    """How long the pages of a large site take to open."""

    schema_version: Literal[1] = 1
    site: MeasuredSite


_EPILOG = """\
\b
Examples:
  plumbline bench --quick                   in half a minute
  plumbline bench --sites --json            two sites with gateways and faults
  plumbline bench --sites --kind "two faults" --operations 200 --examples 300
  plumbline bench --pages                   the site in a browser
  plumbline bench --calls                   what calls and the harness cost
"""


@click.command("bench", epilog=_EPILOG)
@click.option("--quick", is_flag=True, help="Smaller examples, one of each kind, and no gate.")
@click.option("--sites", is_flag=True, help="Examples of two sites with gateways and faults instead.")
@click.option("--clients", is_flag=True, help="Examples of clients, some with a killed server, instead.")
@click.option("--queues", is_flag=True, help="Examples of queues that fail or fill up instead.")
@click.option(
    "--consistency",
    is_flag=True,
    help="Examples of partitioned regions, tombstones, clears, transactions and three sites instead.",
)
@click.option("--calls", is_flag=True, help="What calls and the harness cost, instead.")
@click.option("--pages", is_flag=True, help="How long the pages of a large site take to open, instead.")
@click.option(
    "--kind",
    "names",
    multiple=True,
    metavar="NAME",
    help="Of these only examples of this kind, as rows name it.",
)
@click.option("--operations", type=int, help="Of these only examples of so many operations.")
@click.option("--examples", type=click.IntRange(1), help="So many examples of each kind, right and spoilt.")
@click.option("--seed", default=0, help="Of the first of these examples; the others count from there.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, also when interrupted.")
def command(
    quick: bool,
    sites: bool,
    clients: bool,
    queues: bool,
    consistency: bool,
    calls: bool,
    pages: bool,
    names: tuple[str, ...],
    operations: int | None,
    examples: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Measure how the time to explain an example grows with its operations, and other rates.

    Takes a few minutes; --quick half a minute. With --sites, --clients, --queues or --consistency a row is
    printed as soon as it is known; an interrupted command prints the rows measured so far. Nothing is judged:
    the exit code is 0, or 2 where --pages finds no browser, or nothing is of the kind.
    """
    draws = 1 if quick else DRAWS
    wanted = WantedExamples(draws=draws, examples=examples, seed=seed, names=names, operations=operations)
    if sites:
        meant = _meant(wanted, OF_SITES)
        _time("Explaining two sites with gateways", measure_sites(wanted), meant, as_json)
        return
    if clients:
        meant = _meant(wanted, OF_CLIENTS)
        _time("Explaining clients", measure_clients(wanted), meant, as_json)
        return
    if queues:
        meant = _meant(wanted, OF_QUEUES)
        _time("Explaining queues", measure_queues(wanted), meant, as_json)
        return
    if consistency:
        meant = _meant(wanted, OF_CONSISTENCY)
        of_004 = measure_consistency(wanted)
        told = _time("Explaining document 004", of_004, meant, as_json)
        if not as_json:
            sys.stdout.write(together(told) + "\n")
        return
    if names or operations or examples or seed:
        raise CommandError(
            "--kind, --operations, --examples and --seed go with --sites, --clients, --queues "
            "or --consistency"
        )
    if calls:
        _call(CALLS // 10 if quick else CALLS, SHARED_EXAMPLES // 10 if quick else SHARED_EXAMPLES, as_json)
        return
    if pages:
        _open_pages(as_json=as_json)
        return
    sizes = QUICK_SIZES if quick else SIZES
    measured: list[MeasuredExample] = []
    rates = Rates()
    try:
        for each in one_by_one(measure(sizes, draws), "explaining", count(sizes, draws)):
            measured.append(each)  # noqa: PERF402 - keeps what there is when it is broken off
        rates = replace(rates, smoke_seconds=profile_seconds("smoke"))
        rates = replace(rates, gate_seconds=None if quick else profile_seconds("gate"))
        rates = replace(rates, round_trips=round_trips(ROUND_TRIPS))
    finally:
        # A row is of all sizes, so that none is known before the end; broken off, it is of what there is.
        rows = summarize(measured)
        if as_json:
            show(BenchDocument(explain=tuple(rows), draws=draws, rates=rates), compact=True)
        else:
            _tell(Console(), rows, rates, sizes, draws)


def _meant(wanted: WantedExamples, kinds: Sequence[Kind]) -> Sequence[Kind]:
    """The kinds that are wanted; raises CommandError if none is, and says which there are."""
    meant = wanted.of(kinds)
    if not meant:
        there = ", ".join(f"{kind.name} of {kind.operations}" for kind in kinds)
        raise CommandError(f"no examples are of that kind and size; there are: {there}")
    return meant


def _call(calls: int, examples: int, as_json: bool) -> None:
    """Tell what calls and the harness cost."""
    with patiently() as advanced:
        told = advanced("Calling")
        whole = 2 + len(SHARED)
        rates = []
        for rate in call_rates(calls):
            rates.append(rate)
            told(len(rates), whole)
        shares = []
        for machine in SHARED:
            shares.append(harness_share(machine, examples))
            told(len(rates) + len(shares), whole)
    if as_json:
        show(BenchCallsDocument(rates=tuple(rates), shares=tuple(shares)), compact=True)
        return
    table = Table(title="Calls that do nothing", title_justify="left")
    for column in ("way", "calls", "calls a second", "harness, processor µs a call"):
        table.add_column(column, justify="left" if column == "way" else "right")
    for rate in rates:
        table.add_row(rate.way, f"{rate.calls:,}", f"{rate.rate:,.0f}", f"{rate.own_us:.0f}")
    Console().print(table)
    table = Table(title="Processor seconds of drawn examples", title_justify="left")
    for column in ("machine", "examples", "harness", "oracle", "candidate", "share of the harness"):
        table.add_column(column, justify="left" if column == "machine" else "right")
    for one in shares:
        seconds = (f"{each:.2f}" for each in (one.harness_s, one.oracle_s, one.candidate_s))
        table.add_row(one.machine, str(one.examples), *seconds, f"{100 * one.share:.0f} %")
    Console().print(table)


def _open_pages(*, as_json: bool) -> None:
    """Tell how long the pages of a large site take to open in Chromium."""
    try:
        with patiently() as advanced:
            site = measure_site(advanced=advanced("Writing pages"))
    except CannotTakeError as error:
        raise CommandError(str(error)) from error
    if as_json:
        show(BenchPagesDocument(site=site), compact=True)
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


def together(rows: Iterable[Timed]) -> str:
    """At which rate all systems' conforming examples are explained, together, for each of their sizes."""
    told = [row for row in rows if not row.spoilt]
    rates = []
    for size in sorted({row.operations for row in told}):
        seconds = [row.seconds for row in told if row.operations == size]
        rates.append(f"{size * len(seconds) / sum(seconds):,.0f} at {size:,}")
    return f"conforming examples of all systems together, operations a second: {', '.join(rates)}"


def _time(title: str, measured: Iterator[Timed], kinds: Sequence[Kind], as_json: bool) -> list[Timed]:
    """Tell how long examples of some kinds took to explain, right ones and spoilt ones, each kind at once."""
    rows = one_by_one(measured, title.lower(), 2 * len(kinds))
    timed: list[Timed] = []
    if as_json:
        with document(BenchKindsDocument) as told:
            for row in rows:
                timed.append(row)
                told.add(row)
        return timed
    head = (names("examples", (kind.name for kind in kinds)), TableColumn("spoilt", len("not at all")))
    numbers = (
        *(("operations", 0), ("in time", 8), ("limit", 7), ("unknown", 0), ("wrong", 0)),
        *(("states/op", 0), ("op/s", 7), ("seconds", 0), ("longest", 0)),
    )
    table = LineTable((*head, *(TableColumn(name, width, right=True) for name, width in numbers)), title)
    for row in rows:
        timed.append(row)
        table.add(
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
    return timed


def _tell(console: Console, rows: list[GrowthRow], rates: Rates, sizes: tuple[int, ...], draws: int) -> None:
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
    told = {
        f"profile smoke on the reference: {_number(rates.smoke_seconds, 1)} s": rates.smoke_seconds,
        f"profile gate on the reference: {_number(rates.gate_seconds, 1)} s": rates.gate_seconds,
        f"round trips of the process adapter: {_number(rates.round_trips, 0)} a second": rates.round_trips,
    }
    for line in (line for line, rate in told.items() if rate is not None):
        console.print(line, markup=False, highlight=False)


def _number(number: float | None, digits: int) -> str:
    return "-" if number is None else f"{number:,.{digits}f}"
