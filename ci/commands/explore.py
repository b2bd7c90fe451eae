"""`plumbline explore`: every run of the model in a small world, and what holds at the end of each.

Knows the command line and what is printed.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Iterable
from itertools import groupby

import click
import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from plumbline.ci.selfchecks.exploring import explored
from plumbline.ci.selfchecks.variants_explored import refuted, tell
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explore.findings import Explored, Finding
from plumbline.reference.explore.programs import programs
from plumbline.reference.explore.promises import Held
from plumbline.reference.explore.scopes import Part, Scope, shapes_of
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.rulebook.faulty import FAULTY
from plumbline.suites.profiles import seconds

_EPILOG = """\
\b
Examples:
  plumbline explore                                        every part, small: a minute
  plumbline explore --scope medium --part gateways         finds the circle of three updates
  plumbline explore --scope medium --within 30m            as far as half an hour goes
  plumbline explore --scope medium --jobs 2                all of medium, in two processes: an hour
  plumbline explore --scope medium --world ticks           of medium those whose clock ticks
  plumbline explore --variants                             how many variants show in small worlds: ten minutes
  plumbline explore --faulty later-refused --part gateways what a mistake leads to
  plumbline explore --thorough --part replicated           believing no claim: the same ends, more states

\b
Exit codes:
  0  every run keeps every promise, or the documents allow that it does not
  1  some run breaks one    2  some program has too many states to look at all, or was not looked at
"""


TOLD_EVERY_S = 60.0
"""So often it is told how far a world has been looked at, where there is no terminal to draw a bar on."""

BESIDES = 90
"""So many characters a line of the table has beside the world."""


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    """What came of the programs of one shape."""

    part: Part
    shape: str
    programs: int
    explored: int
    states: int
    cut_short: int
    seconds: float
    findings: tuple[Finding, ...]


@click.command("explore", epilog=_EPILOG)
@click.option(
    "--scope",
    type=click.Choice([scope.value for scope in Scope]),
    default=Scope.SMALL.value,
    show_default=True,
    help="How large the worlds are; large ones only to draw from (--within).",
)
@click.option(
    "--part", "parts", type=click.Choice([part.value for part in Part]), multiple=True, help="Only this."
)
@click.option(
    "--dialect",
    type=click.Choice([dialect.value for dialect in Dialect]),
    default=Dialect.GEMFIRE6.value,
    show_default=True,
    help="Whose reading of the documents.",
)
@click.option(
    "--world", metavar="TEXT", help="Only worlds whose description holds this: '4 put', ticks, 'ABC: 3'."
)
@click.option("--faulty", metavar="VARIANT", help="With this mistake of `plumbline faulty list`.")
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
    help="So many processes look at programs side by side.",
)
@click.option("--variants", is_flag=True, help="Which faulty variants these worlds refute by themselves.")
@click.option("--thorough", is_flag=True, help="Believe no claim that a step may be taken alone.")
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
    """Look at every run of the model in small worlds, and tell the shortest that breaks a promise."""
    book = rulebook_of(Dialect(dialect))
    if faulty is not None:
        if faulty not in FAULTY:
            raise click.UsageError(f"There is no variant {faulty!r}; `plumbline faulty list` names all.")
        book = FAULTY[faulty].rulebook(book)
    console = Console(stderr=True)
    if variants:
        if faulty is not None or thorough or world is not None or jobs > 1:
            raise click.UsageError(
                "--variants looks at all variants in one process, and believes the claims left to each."
            )
        limit = None if within is None else _seconds(within)
        found_out = refuted(console, map(Part, parts or Part), Scope(scope), book, limit)
        tell(Console(), found_out, as_json=as_json)
        return
    shapes = [
        (part, shape)
        for part in map(Part, parts or Part)
        for shape in shapes_of(part, Scope(scope))
        if (world or "") in str(shape)
    ]
    # Of worlds whose descriptions begin alike the one that is told whole is meant.
    shapes = [(part, shape) for part, shape in shapes if str(shape) == world] or shapes
    if not shapes:
        described = "" if world is None else f" that is described by {world!r}"
        raise click.UsageError(f"There is no {scope} world{described} of {', '.join(parts or Part)}.")
    ends = None if within is None else time.monotonic() + _seconds(within)
    rows = []
    for at, (part, shape) in enumerate(shapes):
        began = time.monotonic()
        share = math.inf if ends is None else max(0.0, ends - began) / (len(shapes) - at)
        every = list(programs(shape))
        if ends is not None:
            random.Random(0).shuffle(every)  # noqa: S311 - no secret
        looked_at = explored(every, book, reduced=not thorough, ends=began + share, jobs=jobs)
        found = [
            one for one in _tracked(console, f"{part}, {shape}", looked_at, len(every)) if one is not None
        ]
        rows.append(_row(part, str(shape), len(every), found, time.monotonic() - began))
    if as_json:
        sys.stdout.write(msgspec.json.encode(rows).decode() + "\n")
    else:
        # A world is told whole, however narrow the terminal is.
        widest = BESIDES + max(len(row.shape) for row in rows)
        _tell(Console(width=max(widest, Console().width)), rows)
    broken = any(not finding.allowed for row in rows for finding in row.findings)
    part_only = any(row.cut_short or row.explored < row.programs for row in rows)
    sys.exit(1 if broken else 2 if part_only else 0)


def _tracked(
    console: Console, what: str, of: Iterable[Explored | None], total: int
) -> Iterable[Explored | None]:
    if console.is_terminal:
        yield from track(of, what, total=total, console=console, transient=True)
        return
    told = time.monotonic()
    for done, one in enumerate(of, 1):
        yield one
        if time.monotonic() - told >= TOLD_EVERY_S:
            console.print(f"{what}: {done:,} of {total:,} programs", markup=False, soft_wrap=True)
            told = time.monotonic()


def _seconds(within: str) -> float:
    try:
        return seconds(within)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _row(part: Part, shape: str, programs: int, found: list[Explored], seconds: float) -> _Row:
    return _Row(
        part=part,
        shape=shape,
        programs=programs,
        explored=len(found),
        states=sum(one.states for one in found),
        cut_short=sum(not one.whole for one in found),
        seconds=round(seconds, 1),
        findings=tuple(finding for one in found for finding in one.findings),
    )


def _tell(console: Console, rows: list[_Row]) -> None:
    table = Table("part", "world", "programs", "states", "cut", "s", "broken", "allowed")
    for column in table.columns:
        column.no_wrap = True
    for row in rows:
        table.add_row(row.part, row.shape, *_numbers([row]))
    table.add_section()
    table.add_row("all", "", *_numbers(rows))
    console.print(table)
    for row in rows:
        by_promise = sorted(row.findings, key=lambda one: (one.requirement, bool(one.allowed), len(one.run)))
        for _, some in groupby(by_promise, key=lambda one: (one.requirement, bool(one.allowed))):
            _tell_of(console, next(some))


def _numbers(rows: list[_Row]) -> tuple[str, ...]:
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


def _tell_of(console: Console, finding: Finding) -> None:
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
