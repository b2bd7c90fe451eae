"""`plumbline faulty`: the faulty variants, and whether the suite catches each.

Knows the command line and what is printed.
"""

from __future__ import annotations

import shlex
import sys
from difflib import get_close_matches
from statistics import median

import click
import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.reductions import Comparison, Way, compare
from plumbline.ci.run_command import GATE_SEED
from plumbline.reference.rulebook.faulty import FAULTY
from plumbline.suites.faults import Kill, kill
from plumbline.suites.machines import MACHINES
from plumbline.suites.profiles import PROFILES


@click.group("faulty")
def command() -> None:
    """List the faulty variants of the reference, or show that the suite catches them."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(as_json: bool) -> None:
    """List every faulty variant: its name, the requirements it breaks, and what it does wrong."""
    if as_json:
        rows = [
            {"variant": v.name, "requirements": v.requirements, "description": v.description}
            for v in FAULTY.values()
        ]
        sys.stdout.write(msgspec.json.encode(rows).decode() + "\n")
        return
    table = Table("variant", "breaks", "what it does wrong")
    for variant in FAULTY.values():
        table.add_row(variant.name, ", ".join(variant.requirements), variant.description)
    Console().print(table)


@command.command("run")
@click.argument("names", nargs=-1)
@click.option("--profile", type=click.Choice(list(PROFILES)), default="smoke", show_default=True)
@click.option("--seed", type=int, default=GATE_SEED, show_default=True)
@click.option("--process", is_flag=True, help="Drive each variant as a process of its own.")
@click.option(
    "--reduction",
    is_flag=True,
    help="Only compare how failing plans are made small with Hypothesis's way; variants are processes.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: one row a variant and requirement.")
def run_command(
    names: tuple[str, ...], profile: str, seed: int, process: bool, reduction: bool, as_json: bool
) -> None:
    """Run the suite against faulty variants (all, or those named).

    Exit code 0 when each requirement of each variant is both killed and named, 1 otherwise; with
    --reduction always 0, for nothing is judged.
    """
    for name in names:
        if name not in FAULTY:
            meant = ", ".join(get_close_matches(name, FAULTY, 3))
            hint = f"; did you mean {meant}?" if meant else "; `plumbline faulty list` names them"
            raise click.UsageError(f"no faulty variant is named {name!r}{hint}")
    console = Console(stderr=True)
    kills: list[Kill] = []
    variants = track(
        names or tuple(FAULTY), "variants", console=console, transient=True, disable=not console.is_terminal
    )
    if reduction:
        found = [
            compared
            for name in variants
            for machine in MACHINES.values()
            if (compared := compare(name, machine, find_candidate(_served(name)), PROFILES[profile], seed))
        ]
        _tell_reductions(found, as_json=as_json)
        return
    for name in variants:
        candidate = _served(name) if process else f"faulty:{name}"
        kills += kill(FAULTY[name], find_candidate(candidate, seed=seed), PROFILES[profile], seed)
    if as_json:
        sys.stdout.write(msgspec.json.encode(kills).decode() + "\n")
    else:
        Console().print(_matrix(kills))
    sys.exit(0 if all(row.killed and row.named for row in kills) else 1)


def _tell_reductions(found: list[Comparison], *, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(msgspec.json.encode(found).decode() + "\n")
        return
    table = Table("variant", caption="own / Hypothesis's", caption_justify="left")
    for column in ("operations", "runs", "left", "seconds", "minimal"):
        table.add_column(column, justify="right")
    for row in found:
        name = row.variant if len(MACHINES) == 1 else f"{row.variant}, {row.machine}"
        cells = (_both([row.own], [row.hypothesis], what) for what in ("runs", "operations", "seconds"))
        table.add_row(name, str(row.operations), *cells, "yes" if row.minimal else "no")
    if found:
        own, other = [row.own for row in found], [row.hypothesis for row in found]
        cells = (_both(own, other, what) for what in ("runs", "operations", "seconds"))
        table.add_section()
        minimal = f"{sum(row.minimal for row in found)} of {len(found)}"
        table.add_row("median", f"{median(row.operations for row in found):g}", *cells, minimal)
    Console().print(table)


def _both(own: list[Way], other: list[Way], what: str) -> str:
    """The medians of both ways."""
    return " / ".join(f"{round(median(getattr(way, what) for way in ways), 1):g}" for ways in (own, other))


def _served(name: str) -> str:
    command_line = [sys.executable, "-m", "plumbline.ci", "serve-reference", "--faulty", name]
    return f"process:{shlex.join(command_line)}"


def _matrix(kills: list[Kill]) -> Table:
    table = Table("variant", "requirement", "killed", "named", "seconds", "examples", "steps")
    for row in kills:
        table.add_row(
            row.variant,
            row.requirement,
            "yes" if row.killed else "[bold red]NO[/]",
            "yes" if row.named else "[bold red]NO[/]",
            f"{row.seconds:.2f}",
            str(row.examples),
            str(row.steps),
        )
    return table
