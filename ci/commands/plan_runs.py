"""`plumbline plan-runs`: how many runs a claim needs.

Knows the command line and what is printed; the numbers come from `plumbline.reference.judged.sample_size`.
"""

from __future__ import annotations

from math import isnan
from typing import Any, Literal

import click

from plumbline.ci.terminal.documents import Document, show
from plumbline.reference.judged.sample_size import ChangePlan, ClaimPlan, runs_for_change, runs_for_claim
from plumbline.reference.judged.scoring import CONFIDENCE

_EPILOG = """\
\b
Examples:
  plumbline plan-runs --at-most 0.01           299 runs: at 95 % about 3 / 0.01
  plumbline plan-runs --at-most 0.01 --violations 2 --confidence 0.99
  plumbline plan-runs --change 0 0.001         a change in 1 of 1,000 runs
  plumbline plan-runs --change 0.01 0.02 --comparisons 300 --power 0.8 --json

\b
Terms:
  rate         the share of runs that show a violation, or a deviation, or a repeated event
  confidence   a wrong claim passes with a probability of at most 1 - confidence
  power        the probability of finding a change that is there
  level        the probability of any alarm between two equal versions
  comparisons  quantities compared at once: each gets its share of the level

\b
What counts as a run:
  Runs must be independent. Runs that draw the same plans repeat each other: draw new seeds.

\b
Exit codes:
  0  the number was computed    2  the question has no answer
"""


class PlanRunsDocument(Document, frozen=True, kw_only=True, tag="plumbline.plan-runs"):
    """How many runs a claim or the finding of a change needs; null for what was not asked."""

    schema_version: Literal[1] = 1
    claim: ClaimPlan | None
    change: ChangePlan | None


class _ShareType(click.FloatRange):
    """A share from 0 to 1, which NaN is not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The share; raises click.BadParameter."""
        found = float(super().convert(value, param, ctx))
        return self.fail(f"{found} is not in the range from 0 to 1.", param, ctx) if isnan(found) else found


def _between(low: float, high: float, *, opened: bool) -> click.FloatRange:
    return _ShareType(low, high, min_open=opened, max_open=opened)


@click.command("plan-runs", epilog=_EPILOG)
@click.option(
    "--at-most",
    type=_between(1e-9, 1, opened=False),
    help="Claim that the rate is at most this, from 0 to 1.",
)
@click.option(
    "--violations",
    type=click.IntRange(0, 10_000),
    default=0,
    show_default=True,
    help="Of a claim: so many runs may show one.",
)
@click.option(
    "--confidence",
    type=_between(0, 1, opened=True),
    default=CONFIDENCE,
    show_default=True,
    help="Of a claim: its confidence.",
)
@click.option(
    "--change",
    type=(_between(0, 1, opened=False), _between(0, 1, opened=False)),
    metavar="BEFORE AFTER",
    help="Find a change between two versions, from one rate to another.",
)
@click.option(
    "--power",
    type=_between(0.001, 0.999999, opened=False),
    default=0.9,
    show_default=True,
    help="Of a change: the probability of finding it.",
)
@click.option(
    "--level",
    type=_between(1e-9, 0.999, opened=False),
    default=0.05,
    show_default=True,
    help="Of a change: the probability of any alarm where nothing changed.",
)
@click.option(
    "--comparisons",
    type=click.IntRange(1, 1_000_000),
    default=1,
    show_default=True,
    help="Of a change: quantities compared at once.",
)
@click.option("--json", "as_document", is_flag=True, help="A JSON object instead of lines.")
def command(
    at_most: float | None,
    violations: int,
    confidence: float,
    change: tuple[float, float] | None,
    power: float,
    level: float,
    comparisons: int,
    as_document: bool,
) -> None:
    """Compute how many runs a claim needs.

    A rate can never be shown to be 0. Enough runs without a violation show that it lies below a bound. With
    `--at-most` this is the bound of `plumbline gate --below`; with `--change` it is
    the test of `plumbline drift`.
    """
    if at_most is None and change is None:
        raise click.UsageError("name a claim: --at-most RATE, or --change BEFORE AFTER")
    if at_most == 1:
        raise click.UsageError("a rate is always at most 1: that needs no run")
    if change is not None and abs(change[0] - change[1]) < 1e-9:
        raise click.UsageError("these two rates are equal: there is no change to find")
    claim = None if at_most is None else runs_for_claim(at_most, confidence, violations)
    found = None
    if change is not None:
        found = runs_for_change(*change, level=level, power=power, comparisons=comparisons)
    if as_document:
        show(PlanRunsDocument(claim=claim, change=found))
        return
    if claim is not None:
        click.echo(_claimed(claim))
    if found is not None:
        click.echo(_changed(found))


def _claimed(plan: ClaimPlan) -> str:
    seen = f"{plan.violations:,} of them with a violation" if plan.violations else "none with a violation"
    return f"{plan.runs:,} runs, {seen}, show a rate of at most {plan.at_most:g} at {plan.confidence:g}"


def _changed(plan: ChangePlan) -> str:
    way = "exactly" if plan.exact else "by the normal approximation"
    return (
        f"{plan.runs:,} runs of each version find a change from {plan.before:g} to {plan.after:g} "
        f"with probability {plan.power:g} ({way})\n"
        f"alarms between equal versions: at most {plan.level:g} over {plan.comparisons:,} "
        f"comparison{'' if plan.comparisons == 1 else 's'}, {plan.level_each:.3g} each"
    )
