"""`plumbline explore`: every run of the model in a small world, and what holds at the end of each.

Knows the command line and what is printed.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Sequence
from itertools import groupby
from typing import Literal

import click
import msgspec
from rich.console import Console

from plumbline.ci.selftest.checks.exploring import explored
from plumbline.ci.selftest.checks.variants_explored import VariantRow as Variant
from plumbline.ci.selftest.checks.variants_explored import cells, refuted, tell
from plumbline.ci.selftest.checks.variants_explored import lines as variant_lines
from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.progress import TOLD_EVERY_S, end, tracked, until_stopped
from plumbline.ci.terminal.row_by_row import LineTable, TableColumn, names
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explore.findings import BrokenPromise, Explored
from plumbline.reference.explore.invariants import Held
from plumbline.reference.explore.programs import programs
from plumbline.reference.explore.scopes import shapes_of
from plumbline.reference.explore.topics import ExploreScope, Topic
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.suites.run.profiles import seconds

_EPILOG = """\
\b
Examples:
  plumbline explore                                        every part, small: a minute
  plumbline explore --scope medium --part gateways         finds the circle of three updates
  plumbline explore --scope medium --within 30m            as far as half an hour goes
  plumbline explore --scope medium --jobs 2                all of medium, in two processes: an hour
  plumbline explore --scope medium --world ticks           medium worlds with a ticking clock
  plumbline explore --variants                             how many variants show in small worlds: ten minutes
  plumbline explore --faulty later-refused --part gateways what a mistake leads to
  plumbline explore --thorough --part replicated           no reduction: the same result, more states

\b
Exit codes:
  0  every run keeps every promise, or the documents allow that it does not
  1  some run breaks one    2  some program was not visited, or has too many states to visit all
"""


BESIDES = 90
"""So many characters a line of the table has beside the world."""


class Visited(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the programs of one shape."""

    part: Topic
    shape: str
    programs: int
    explored: int
    states: int
    cut_short: int
    seconds: float
    findings: tuple[BrokenPromise, ...]


class ExploreDocument(Document, frozen=True, kw_only=True, tag="plumbline.explore"):
    """One row for each world."""

    schema_version: Literal[1] = 1
    rows: tuple[Visited, ...]


class ExploreVariantsDocument(Document, frozen=True, kw_only=True, tag="plumbline.explore-variants"):
    """One row for each faulty variant that these worlds ask about."""

    schema_version: Literal[1] = 1
    rows: tuple[Variant, ...]


@click.command("explore", epilog=_EPILOG)
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in ExploreScope]),
    default=ExploreScope.SMALL.value,
    show_default=True,
    help="How large the worlds are; large ones only to draw from (--within).",
)
@click.option(
    "--part", "parts", type=click.Choice([part.value for part in Topic]), multiple=True, help="Only this."
)
@click.option(
    "--dialect",
    type=click.Choice([dialect.value for dialect in Dialect]),
    default=Dialect.GEMFIRE6.value,
    show_default=True,
    help="The dialect of the documents to follow.",
)
@click.option(
    "--world",
    metavar="TEXT",
    help="Only worlds whose description has this text: '4 put', ticks, 'ABC: 3'.",
)
@click.option("--faulty", metavar="VARIANT", help="Use this faulty variant (`plumbline faulty list`).")
@click.option(
    "--within",
    metavar="TIME",
    help="Draw programs for so long, each shape for an equal part of it: 90s, 20m; all of them if left out.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of processes that visit programs in parallel.",
)
@click.option("--variants", is_flag=True, help="Report which faulty variants these worlds refute.")
@click.option("--thorough", is_flag=True, help="Use no partial-order reduction: try every transition.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    scope: str,
    parts: tuple[str, ...],
    dialect: str,
    world: str | None,
    faulty: str | None,
    within: str | None,
    jobs: int,
    variants: bool,
    thorough: bool,
    as_json: bool,
) -> None:
    """Visit every run of the model in small worlds, and print the shortest run that breaks an invariant."""
    book = rulebook_of(Dialect(dialect))
    if faulty is not None:
        if faulty not in FAULTY:
            raise click.UsageError(f"There is no variant {faulty!r}; `plumbline faulty list` names all.")
        book = FAULTY[faulty].rulebook(book)
    console = Console(stderr=True, emoji=False)
    if variants:
        if faulty is not None or thorough or world is not None or jobs > 1:
            raise click.UsageError(
                "--variants visits all variants in one process, with the reductions valid for each."
            )
        limit = None if within is None else _seconds(within)
        table = variant_lines()
        found_out, stopped = until_stopped(
            refuted(console, map(Topic, parts or Topic), ExploreScope(scope), book, limit),
            lambda one: None if as_json else table.add(*cells(one)),
        )
        if as_json:
            show(ExploreVariantsDocument(rows=tuple(found_out)), compact=True)
        tell(found_out)
        end(stopped, 0)
    shapes = [
        (part, shape)
        for part in map(Topic, parts or Topic)
        for shape in shapes_of(part, ExploreScope(scope))
        if (world or "") in str(shape)
    ]
    # Of worlds whose descriptions begin alike the one that is told whole is meant.
    shapes = [(part, shape) for part, shape in shapes if str(shape) == world] or shapes
    if not shapes:
        described = "" if world is None else f" that is described by {world!r}"
        raise click.UsageError(f"There is no {scope} world{described} of {', '.join(parts or Topic)}.")
    ends = None if within is None else time.monotonic() + _seconds(within)
    # A world is told whole, however narrow the terminal is.
    lines = _lines([str(shape) for _, shape in shapes], [part for part, _ in shapes])
    rows: list[Visited] = []
    stopped = None
    for at, (part, shape) in enumerate(shapes):
        began = time.monotonic()
        share = math.inf if ends is None else max(0.0, ends - began) / (len(shapes) - at)
        every = list(programs(shape))
        if ends is not None:
            random.Random(0).shuffle(every)  # noqa: S311 - no secret
        looked_at = explored(every, book, reduced=not thorough, ends=began + share, jobs=jobs)
        told = tracked(console, f"{part}, {shape}", looked_at, len(every), "programs", TOLD_EVERY_S)
        answers, stopped = until_stopped(told)
        found = [one for one in answers if one is not None]
        rows.append(_row(part, str(shape), len(every), found, time.monotonic() - began))
        if not as_json:
            lines.add(part, str(shape), *_numbers(rows[-1:]))
            _tell_findings(Console(), rows[-1])
        if stopped is not None:
            break
    if as_json:
        show(ExploreDocument(rows=tuple(rows)), compact=True)
    else:
        lines.add("all", "", *_numbers(rows))
    broken = any(not finding.allowed for row in rows for finding in row.findings)
    part_only = any(row.cut_short or row.explored < row.programs for row in rows)
    end(stopped, 1 if broken else 2 if part_only else 0)


def _seconds(within: str) -> float:
    try:
        return seconds(within)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _row(part: Topic, shape: str, programs: int, found: list[Explored], seconds: float) -> Visited:
    return Visited(
        part=part,
        shape=shape,
        programs=programs,
        explored=len(found),
        states=sum(one.states for one in found),
        cut_short=sum(not one.whole for one in found),
        seconds=round(seconds, 1),
        findings=tuple(finding for one in found for finding in one.findings),
    )


def _lines(shapes: Sequence[str], parts: Sequence[str]) -> LineTable:
    """The table of worlds, a line for each as it has been visited."""
    numbers = {"programs": 18, "states": 11, "cut": 4, "s": 8, "broken": 6, "allowed": 7}
    return LineTable(
        [
            names("part", parts),
            names("world", shapes),
            *(TableColumn(name, width, right=True) for name, width in numbers.items()),
        ],
        width=BESIDES + max(map(len, shapes)),
    )


def _tell_findings(console: Console, row: Visited) -> None:
    """The shortest run that breaks each invariant, and that breaks it as is allowed."""
    by_promise = sorted(row.findings, key=lambda one: (one.requirement, bool(one.allowed), len(one.run)))
    for _, some in groupby(by_promise, key=lambda one: (one.requirement, bool(one.allowed))):
        _tell_of(console, next(some))


def _numbers(rows: list[Visited]) -> tuple[str, ...]:
    """What the table says of some worlds, all together."""
    found = [finding for row in rows for finding in row.findings]
    allowed = sum(bool(finding.allowed) for finding in found)
    numbers = (
        f"{sum(row.explored for row in rows):,} of {sum(row.programs for row in rows):,}",
        f"{sum(row.states for row in rows):,}",
        sum(row.cut_short for row in rows),
        round(sum(row.seconds for row in rows), 1),
        len(found) - allowed,
        allowed,
    )
    return tuple(map(str, numbers))


def _tell_of(console: Console, finding: BrokenPromise) -> None:
    lines = [
        "",
        f"{finding.requirement}, {finding.says}: not so after {finding.program}",
        *(f"  {number:>3}  {what}" for number, what in enumerate(finding.run, 1)),
        "  then " + ", ".join(f"{member} holds {_words(held)}" for member, held in finding.held.items()),
    ]
    if finding.allowed:
        lines.append(f"  allowed: {finding.allowed}")
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _words(held: Held) -> str:
    return {None: "nothing", "": "an invalid entry"}.get(held, held or "")
