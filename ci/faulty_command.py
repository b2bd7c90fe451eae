"""`plumbline faulty`: the faulty variants, and whether the suite catches each.

Knows the command line and what is printed.
"""

from __future__ import annotations

import shlex
import sys
from difflib import get_close_matches

import click
import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.run_command import GATE_SEED
from plumbline.reference.rulebook.faulty import FAULTY
from plumbline.suites.faults import Kill, kill
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
@click.option("--json", "as_json", is_flag=True, help="Print JSON: one row a variant and requirement.")
def run_command(names: tuple[str, ...], profile: str, seed: int, process: bool, as_json: bool) -> None:
    """Run the suite against faulty variants (all, or those named).

    Exit code 0 when each requirement of each variant is both killed and named, 1 otherwise.
    """
    for name in names:
        if name not in FAULTY:
            meant = ", ".join(get_close_matches(name, FAULTY, 3))
            hint = f"; did you mean {meant}?" if meant else "; `plumbline faulty list` names them"
            raise click.UsageError(f"no faulty variant is named {name!r}{hint}")
    console = Console(stderr=True)
    kills: list[Kill] = []
    for name in track(
        names or tuple(FAULTY), "variants", console=console, transient=True, disable=not console.is_terminal
    ):
        candidate = _served(name) if process else f"faulty:{name}"
        kills += kill(FAULTY[name], find_candidate(candidate, seed=seed), PROFILES[profile], seed)
    if as_json:
        sys.stdout.write(msgspec.json.encode(kills).decode() + "\n")
    else:
        Console().print(_matrix(kills))
    sys.exit(0 if all(row.killed and row.named for row in kills) else 1)


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
