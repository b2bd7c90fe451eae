"""`plumbline faulty mutate`: whether the suite finds out every slip in the rulebook.

Knows the command line and what is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from hashlib import sha256
from itertools import groupby
from typing import Literal

import click
import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from plumbline.ci.selftest.checks.mutating import End, MutantResult, strike
from plumbline.ci.selftest.checks.survivors import Why, explained
from plumbline.ci.terminal.documents import Document, show
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.rulebook.mutants import Mutant, mutants


class MutantTally(msgspec.Struct, frozen=True, kw_only=True):
    """How many of some mutants came to which end.

    Attributes:
        mutants: all of them.
        killed: a requirement failed.
        broken: none did; the candidate raised, or did not come to rest, and nothing can be judged.
        equivalent: those that survived and that no observation tells from the right one.
        explained: those that survived for another reason that is known.
        survived: those that survived without a known reason.
    """

    mutants: int
    killed: int
    broken: int
    equivalent: int
    explained: int
    survived: int

    @property
    def share(self) -> float:
        """The share found out, of those that differ at all from what is right; 1 if none does."""
        differing = self.mutants - self.equivalent
        return (self.killed + self.broken) / differing if differing else 1.0


class FaultyMutateDocument(Document, frozen=True, kw_only=True, tag="plumbline.faulty-mutate"):
    """What became of each mutant."""

    schema_version: Literal[1] = 1
    rows: tuple[MutantResult, ...]


@click.command("mutate", short_help="Show that it finds out slips in the rulebook, too.")
@click.argument("decisions", nargs=-1)
@click.option("--sample", type=click.IntRange(min=1), help="So many of them, drawn by the seed.")
@click.option("--seed", type=int, default=1, show_default=True, help="What the sample is drawn from.")
@click.option("--unexplained", is_flag=True, help="Leave out those that are known to survive.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: one row a mutant.")
def command(
    decisions: tuple[str, ...], sample: int | None, seed: int, unexplained: bool, as_json: bool
) -> None:
    """Change each decision of the rulebook (all, or those named) in each place, and run the suite against it.

    Comparisons, and/or, not, plus and minus, min and max, constants, which argument is returned, orders of
    what is returned: one change at a time, in this process, up to the first failure. Exit code 0 when all
    survivors are explained (`ci/survivors.toml`), 1 otherwise.
    """
    chosen = _chosen(decisions, sample, seed, unexplained=unexplained)
    console = Console(stderr=True)
    fates = [
        strike(mutant)
        for mutant in track(
            chosen, "mutants", console=console, transient=True, disable=not console.is_terminal
        )
    ]
    if as_json:
        show(FaultyMutateDocument(rows=tuple(fates)), compact=True)
    else:
        Console().print(_table(fates))
    for line in _summary(fates):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    sys.exit(1 if tally(fates).survived else 0)


def tally(fates: Iterable[MutantResult]) -> MutantTally:
    """How many came to which end."""
    fates = list(fates)
    survivors = [fate.mutant for fate in fates if fate.end is End.SURVIVED]
    known = [explained()[name].why for name in survivors if name in explained()]
    return MutantTally(
        mutants=len(fates),
        killed=sum(fate.end is End.KILLED for fate in fates),
        broken=sum(fate.end is End.BROKEN for fate in fates),
        equivalent=known.count(Why.EQUIVALENT),
        explained=len(known) - known.count(Why.EQUIVALENT),
        survived=len(survivors) - len(known),
    )


def sampled(many: Sequence[Mutant], count: int, seed: int) -> list[Mutant]:
    """So many of them, or all if there are fewer, drawn from a seed, in their order.

    A mutant's name and the seed decide its place in the draw. So a new decision changes little of a sample.
    """
    drawn = sorted(many, key=lambda one: sha256(f"{seed}:{one.name}".encode()).digest())[:count]
    kept = {one.name for one in drawn}
    return [one for one in many if one.name in kept]


def _chosen(
    decisions: tuple[str, ...], sample: int | None, seed: int, *, unexplained: bool
) -> Sequence[Mutant]:
    for name in decisions:
        if name not in DECISIONS:
            meant = ", ".join(get_close_matches(name, DECISIONS, 3))
            raise click.UsageError(
                f"no decision is named {name!r}" + (f"; did you mean {meant}?" if meant else "")
            )
    found = [
        mutant
        for mutant in mutants()
        if (not decisions or mutant.decision in decisions)
        and not (unexplained and mutant.name in explained())
    ]
    return found if sample is None else sampled(found, sample, seed)


def _table(fates: list[MutantResult]) -> Table:
    table = Table("decision", *(name for name in MutantTally.__struct_fields__))
    for column in table.columns[1:]:
        column.justify = "right"
    for decision, some in groupby(fates, key=lambda fate: fate.decision):
        numbers = msgspec.structs.astuple(tally(some))
        table.add_row(decision, *(str(number or "") for number in numbers))
    return table


def _summary(fates: list[MutantResult]) -> list[str]:
    whole = tally(fates)
    own = sum(fate.own for fate in fates)
    told = (
        f"{whole.mutants} mutants: {whole.killed} killed, {own} by a test of what their decision carries",
        f"{whole.broken} broken",
        f"{whole.equivalent} survive and are equivalent, {whole.explained} survive and are explained",
        f"{whole.survived} survive",
        f"{whole.share:.1%} found out of those that differ",
        f"{sum(fate.seconds for fate in fates):.0f} s",
    )
    unknown = (f.mutant for f in fates if f.end is End.SURVIVED and f.mutant not in explained())
    return ["; ".join(told), *(f"survives: {name}" for name in unknown)]
