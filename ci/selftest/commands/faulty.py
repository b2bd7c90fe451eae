"""`plumbline faulty`: the faulty variants, and whether the suite catches each.

Knows the command line and what is printed.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from statistics import median
from typing import Literal

import click
import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.commands.run import GATE_SEED
from plumbline.ci.selftest.benchmarks.reductions import ReducedFailure, Way, compare
from plumbline.ci.selftest.checks.kills import Kill, kill, offering
from plumbline.ci.selftest.checks.rule_kills import UNSEEN, Accused, Piece, accused, seen_from_outside
from plumbline.ci.selftest.commands import faulty_mutate
from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.row_by_row import LineTable, TableColumn, document, names, one_by_one
from plumbline.ci.terminal.stopping import forget_notes
from plumbline.reference.catalogue.capabilities import CORE, Capability
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.catalogue.records import Area
from plumbline.reference.rulebook.decisions import (
    CHECKING,
    CLIENTS,
    DECISIONS,
    DISKS,
    DISPATCHERS,
    DURABLE,
    FAILURES,
    GATEWAYS,
    LISTENERS,
    PARALLEL,
    RESOLVERS,
)
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.run.profiles import PROFILES

LONG_S = 15
"""Within so many seconds nearly every variant is meant to be killed."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A faulty variant of the reference: its name, what it breaks, what it does wrong."""

    variant: str
    requirements: tuple[str, ...]
    description: str


class FaultyListDocument(Document, frozen=True, kw_only=True, tag="plumbline.faulty-list"):
    """Every faulty variant."""

    schema_version: Literal[1] = 1
    rows: tuple[Listed, ...]


class FaultyRunDocument(Document, frozen=True, kw_only=True, tag="plumbline.faulty-run"):
    """One row for each variant and requirement that it breaks."""

    schema_version: Literal[1] = 1
    rows: tuple[Kill, ...]


class FaultyReductionDocument(Document, frozen=True, kw_only=True, tag="plumbline.faulty-reduction"):
    """How each failing plan was made small, in two ways."""

    schema_version: Literal[1] = 1
    rows: tuple[ReducedFailure, ...]


class FaultyRulesDocument(Document, frozen=True, kw_only=True, tag="plumbline.faulty-rules"):
    """Which rules accuse which candidate."""

    schema_version: Literal[1] = 1
    rows: tuple[Accused, ...]


@click.group("faulty")
def command() -> None:
    """List the faulty variants of the reference, or show that the suite catches them."""


@command.command("list", short_help="List them: name, violated requirements, the mistake.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(as_json: bool) -> None:
    """List every faulty variant: its name, the requirements it breaks, and what it does wrong."""
    if as_json:
        rows = (
            Listed(variant=one.name, requirements=one.requirements, description=one.description)
            for one in FAULTY.values()
        )
        show(FaultyListDocument(rows=tuple(rows)), compact=True)
        return
    table = Table("variant", "breaks", "what it does wrong")
    for variant in FAULTY.values():
        table.add_row(variant.name, ", ".join(variant.requirements), variant.description)
    Console().print(table)


@command.command("run", short_help="Check that the suite catches each and names what it violates.")
@click.argument("names", nargs=-1)
@click.option(
    "--area",
    "areas",
    multiple=True,
    type=click.Choice([area.value for area in Area]),
    help="Only variants that break a requirement of the area; may be repeated.",
)
@click.option("--profile", type=click.Choice(list(PROFILES)), default="smoke", show_default=True)
@click.option("--seed", type=int, default=GATE_SEED, show_default=True)
@click.option("--process", is_flag=True, help="Drive each variant as a process of its own.")
@click.option(
    "--reduction",
    is_flag=True,
    help="Only compare how failing plans are made small with Hypothesis's way; variants are processes.",
)
@click.option("--core", is_flag=True, help="As candidates that offer replicated regions and nothing else.")
@click.option(
    "--capabilities-of",
    "like",
    metavar="CANDIDATE",
    help="As candidates that offer no more than this one says it does.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: one row a variant and requirement.")
def run_command(
    names: tuple[str, ...],
    areas: tuple[str, ...],
    profile: str,
    seed: int,
    process: bool,
    reduction: bool,
    core: bool,
    like: str | None,
    as_json: bool,
) -> None:
    """Run the suite against faulty variants (all, those named, or those of an area).

    Exit code 0 when each requirement of each variant is both killed and named, 1 otherwise. With
    --reduction, --core or --capabilities-of the exit code is always 0, because these options only compare.
    Each variant's rows are printed when it has been played. An interrupted command
    has printed the rows so far. Its JSON is one document even then.
    """
    offered = _offered(core=core, like=like)
    chosen = _chosen(names, areas)
    if reduction:
        pairs = ((name, machine) for name in chosen for machine in MACHINES.values())
        compared = (
            compare(name, machine, find_candidate(_served(name)), PROFILES[profile], seed)
            for name, machine in pairs
        )
        _tell_reductions(filter(None, compared), as_json=as_json)
        return
    played = (_killed(name, profile, seed, process=process, offered=offered) for name in chosen)
    kills: list[Kill] = []
    try:
        _tell_kills(one_by_one(played, "variants", len(chosen)), chosen, kills, as_json=as_json)
    except KeyboardInterrupt as error:
        forget_notes(error)  # Hypothesis has noted what it was playing, as if that had failed
        told = _summary(kills) if kills else "nothing"
        error.add_note(f"stopped before all {len(chosen)} had been played; until then {told}")
        raise
    console = Console(stderr=True)
    console.print(_summary(kills), highlight=False)
    if offered is not None:
        console.print(_share(kills, offered), highlight=False)
        return
    sys.exit(0 if all(row.killed and row.named for row in kills) else 1)


def _killed(
    name: str, profile: str, seed: int, *, process: bool, offered: tuple[Capability, ...] | None
) -> list[Kill]:
    """Run the suite against a variant."""
    candidate = find_candidate(_served(name) if process else f"faulty:{name}", seed=seed)
    if offered is not None:
        candidate = offering(candidate, offered)
    return kill(FAULTY[name], candidate, PROFILES[profile], seed)


@command.command("rules", short_help="Report which rules accuse which variant, from traces alone.")
@click.argument("names", nargs=-1)
@click.option(
    "--area",
    "areas",
    multiple=True,
    type=click.Choice([area.value for area in Area]),
    help="Only variants that break a requirement of the area; may be repeated.",
)
@click.option("--plans", type=click.IntRange(min=0), default=30, show_default=True, help="Drawn, each.")
@click.option("--seed", type=int, default=GATE_SEED, show_default=True)
@click.option("--process", is_flag=True, help="Drive each candidate as a process of its own.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: one row a candidate.")
def rules_command(
    names: tuple[str, ...], areas: tuple[str, ...], plans: int, seed: int, process: bool, as_json: bool
) -> None:
    """Record traces of members, sites and clients, and report which rules accuse which faulty variant.

    The right reference comes first, calm and chaotic. Only rules that need no view of a candidate's inside
    are asked. Exit code 0 when none accuses a right one, and some rule accuses each variant that breaks a
    requirement which one of these rules judges, but for the few that are known not to show. Otherwise 1.
    """
    console = Console(stderr=True)
    wanted = {name: pieces for name in _chosen(names, areas) if (pieces := _pieces(name))}
    right = [
        (name, _served_right(name == "reference:chaotic") if process else name, tuple(Piece))
        for name in ("reference", "reference:chaotic")
    ]
    candidates = right + [
        (name, _served(name) if process else f"faulty:{name}", pieces) for name, pieces in wanted.items()
    ]
    found = [
        accused(find_candidate(candidate, seed=seed), name, pieces, plans, seed)
        for name, candidate, pieces in track(
            candidates, "candidates", console=console, transient=True, disable=not console.is_terminal
        )
    ]
    if as_json:
        show(FaultyRulesDocument(rows=tuple(found)), compact=True)
    else:
        _tell_rules(Console(), found)
    of_variants = found[len(right) :]
    ruled = [one for one in of_variants if _ruled(one.candidate)]
    rightly = [one for one in ruled if set(_ruled(one.candidate)) & set(one.violated)]
    missed = {one.candidate for one in ruled if not one.violated}
    troubles = {
        "accused though right": [one.candidate for one in found[: len(right)] if one.violated],
        "not accused": sorted(missed - UNSEEN.keys()),
        "accused, though said to be unseen": sorted(
            {one.candidate for one in ruled} & UNSEEN.keys() - missed
        ),
    }
    caught = sum(bool(one.violated) for one in of_variants)
    console.print(
        f"{len(of_variants)} variants, {caught} accused by rules alone; "
        f"{len(ruled)} break what a rule sees from outside, {len(rightly)} of them are accused of just that",
        highlight=False,
    )
    for told, whom in troubles.items():
        if whom:
            console.print(f"{told}: {', '.join(whom)}", highlight=False)
    sys.exit(1 if any(troubles.values()) else 0)


command.add_command(faulty_mutate.command)


_OF_QUEUES = frozenset().union(GATEWAYS, DISPATCHERS, RESOLVERS, LISTENERS, PARALLEL, FAILURES, DISKS)
_DECIDED = (
    (Piece.SITES, _OF_QUEUES),
    (Piece.CLIENTS, CLIENTS.keys() | CHECKING.keys() | DURABLE.keys()),
    (
        Piece.MEMBERS,
        DECISIONS.keys() - _OF_QUEUES - CLIENTS.keys() - DURABLE.keys(),
    ),
)
"""Where each decision is asked."""


def _pieces(name: str) -> tuple[Piece, ...]:
    """What is played on a variant: what its decisions are asked in."""
    replaced = set(FAULTY[name].replaces)
    return tuple(piece for piece, decisions in _DECIDED if replaced & decisions)


def _ruled(name: str) -> list[str]:
    """Those of the requirements that a variant breaks which a rule judges from outside."""
    return [requirement for requirement in FAULTY[name].requirements if requirement in seen_from_outside()]


def _tell_rules(console: Console, found: list[Accused]) -> None:
    table = Table("candidate", "breaks", "rules that accuse it", "examples", "seconds")
    for one in found:
        breaks = FAULTY[one.candidate].requirements if one.candidate in FAULTY else ()
        ruled = [f"{name}*" if name in seen_from_outside() else name for name in breaks]
        table.add_row(
            one.candidate,
            ", ".join(ruled),
            ", ".join(one.violated),
            str(one.examples),
            f"{one.seconds:.1f}",
        )
    table.caption = "* judged by a rule that sees it from outside"
    table.caption_justify = "left"
    console.print(table)


def _chosen(names: tuple[str, ...], areas: tuple[str, ...]) -> tuple[str, ...]:
    """The variants of these names, or all, as far as they break something of one of the areas, if any."""
    for name in names:
        if name not in FAULTY:
            meant = ", ".join(get_close_matches(name, FAULTY, 3))
            hint = f"; did you mean {meant}?" if meant else "; `plumbline faulty list` names them"
            raise click.UsageError(f"no faulty variant is named {name!r}{hint}")
    chosen = tuple(name for name in names or FAULTY if not areas or _areas(name) & set(areas))
    if not chosen:
        raise click.UsageError(f"none of the variants breaks anything of {', '.join(areas)}")
    return chosen


def _areas(name: str) -> set[str]:
    """The areas of what a variant breaks."""
    return {all_requirements()[requirement].area for requirement in FAULTY[name].requirements}


def _summary(kills: list[Kill]) -> str:
    """How many variants were caught, and how long that took: until each requirement's check had failed."""
    by_variant: dict[str, list[Kill]] = {}
    for row in kills:
        by_variant.setdefault(row.variant, []).append(row)
    seconds = {name: max(row.seconds for row in rows) for name, rows in by_variant.items()}
    slowest = max(seconds, key=lambda name: seconds[name])
    whole = list(by_variant.values())
    return (
        f"{len(whole)} variants, {sum(all(row.killed for row in rows) for rows in whole)} killed, "
        f"{sum(all(row.named for row in rows) for rows in whole)} named; "
        f"until killed {median(seconds.values()):.1f} s at the median, "
        f"{sum(took <= LONG_S for took in seconds.values()) / len(seconds):.0%} within {LONG_S} s, "
        f"{seconds[slowest]:.1f} s at worst ({slowest})"
    )


def _offered(*, core: bool, like: str | None) -> tuple[Capability, ...] | None:
    """The capabilities that variants are to be taken to offer; None for all that the reference does.

    Raises AdapterError if the candidate that they are to be like cannot introduce itself.
    """
    if core and like is not None:
        raise click.UsageError("either --core or --capabilities-of, not both")
    if like is None:
        return CORE if core else None
    with Session(find_candidate(like)) as session:
        return session.introduction.capabilities


def _share(kills: list[Kill], offered: tuple[Capability, ...]) -> str:
    """How many variants, and how many of what they break, are found out with these capabilities alone."""
    variants = {row.variant for row in kills}
    caught = {row.variant for row in kills if row.killed}
    killed = sum(row.killed for row in kills)
    judged = [row for row in kills if {*all_requirements()[row.requirement].capabilities} <= {*offered}]
    exposed = sum(row.killed for row in judged)
    return (
        f"with {len(offered)} of the capabilities {len(caught)} of {len(variants)} variants are found out"
        f" ({len(caught) / len(variants):.0%}), by {killed} of the {len(kills)} requirements that they break"
        f" ({killed / len(kills):.0%}); by {exposed} of the {len(judged)} that need no other capability"
    )


def _tell_reductions(found: Iterator[ReducedFailure], *, as_json: bool) -> None:
    """Print each comparison as soon as it is made."""
    if as_json:
        with document(FaultyReductionDocument) as told:
            for row in found:
                told.add(row)
        return
    table = LineTable(
        (
            names("variant", (f"{name}, {machine}" for name in FAULTY for machine in MACHINES)),
            TableColumn("operations", right=True),
            *(TableColumn(f"{what}, own / Hypothesis's", right=True) for what in ("runs", "left", "seconds")),
            TableColumn("minimal", len("10 of 10"), right=True),
        )
    )
    rows: list[ReducedFailure] = []
    for row in found:
        rows.append(row)
        cells = (_both([row.own], [row.hypothesis], what) for what in ("runs", "operations", "seconds"))
        minimal = "yes" if row.minimal else "no"
        table.add(f"{row.variant}, {row.machine}", str(row.operations), *cells, minimal)
    if rows:
        own, other = [row.own for row in rows], [row.hypothesis for row in rows]
        cells = (_both(own, other, what) for what in ("runs", "operations", "seconds"))
        minimal = f"{sum(row.minimal for row in rows)} of {len(rows)}"
        table.add("median", f"{median(row.operations for row in rows):g}", *cells, minimal)


def _both(own: list[Way], other: list[Way], what: str) -> str:
    """The medians of both ways."""
    return " / ".join(f"{round(median(getattr(way, what) for way in ways), 1):g}" for ways in (own, other))


def _served(name: str) -> str:
    command_line = [sys.executable, "-m", "plumbline.ci", "serve-reference", "--faulty", name]
    return f"process:{shlex.join(command_line)}"


def _served_right(chaotic: bool) -> str:
    command_line = [sys.executable, "-m", "plumbline.ci", "serve-reference", *["--chaotic"][: int(chaotic)]]
    return f"process:{shlex.join(command_line)}"


def _tell_kills(
    played: Iterator[list[Kill]], chosen: tuple[str, ...], kills: list[Kill], *, as_json: bool
) -> None:
    """Print the rows of each variant as soon as it has been played, and add them to those there are."""
    if as_json:
        with document(FaultyRunDocument) as told:
            for rows in played:
                kills += rows
                for row in rows:
                    told.add(row)
        return
    broken = (requirement for name in chosen for requirement in FAULTY[name].requirements)
    counted = (TableColumn(name) for name in ("killed", "named", "seconds", "examples", "steps"))
    table = LineTable((names("variant", chosen), names("requirement", broken), *counted))
    for rows in played:
        kills += rows
        for row in rows:
            table.add(
                row.variant,
                row.requirement,
                "yes" if row.killed else "[bold red]NO[/]",
                "yes" if row.named else "[bold red]NO[/]",
                f"{row.seconds:.2f}",
                str(row.examples),
                str(row.steps),
            )
