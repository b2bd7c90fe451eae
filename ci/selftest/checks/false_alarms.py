"""False alarms: what rules say of the plans that machines draw, played on right systems.

`python -m plumbline.ci.selftest.checks.false_alarms` plays and judges them. A rule that accuses is wrong, or
the reference is. Knows nothing of the search: traces alone are judged.
"""

from __future__ import annotations

import sys
from functools import partial

import click
import msgspec
import pyarrow as pa
from rich.console import Console

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.errors import AdapterError
from plumbline.reference.history.plans import Plan
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.rules.judging import as_owed, findings
from plumbline.reference.trace.rows import rows
from plumbline.reference.trace.schema import TRACE_SCHEMA
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.replaying import play_plan

RIGHT = ("reference", "reference:chaotic")
"""The systems that no rule may accuse: one takes its steps in a fixed order, the other in any order."""

STEPS = 16
"""Most rules of a machine that make one plan."""


class FalseAlarm(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that accuses a right system.

    Attributes:
        requirement: the rule's.
        machine: the machine that drew the plan.
        example: the plan's number.
        violations: how many the rule counts in all plans of this machine.
        witness: the first, in the rule's words.
    """

    requirement: str
    machine: str
    example: str
    violations: int
    witness: str


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """What rules said of one machine's plans.

    Attributes:
        plans: how many were played.
        judged: the rules with an opportunity.
        alarms: the accusations.
    """

    plans: int
    judged: frozenset[str]
    alarms: tuple[FalseAlarm, ...]


def sweep(candidate: str, machine: str, plans: int, seed: int) -> Swept:
    """Have a machine draw plans, play them, and ask every rule.

    Args:
        candidate: a right system by its name.
        machine: the machine by its name.
        plans: how many it draws; several may be the same.
        seed: what plans are drawn from, and what the system takes its steps by.
    """
    events = [TRACE_SCHEMA.empty_table()]
    played: set[Plan] = set()
    with Session(find_candidate(candidate, seed=seed)) as session:

        def play(plan: Plan) -> None:
            if plan in played:
                return
            played.add(plan)
            try:
                history = play_plan(plan, session).history
            except AdapterError as error:
                session.failed(error)
                session.worked()
                return
            # A rule must not see a verdict of the search, so all are recorded as passed.
            told = rows(machine, str(len(played)), Source.MACHINE, Verdict.PASS, history)
            events.append(pa.Table.from_pylist(told, schema=TRACE_SCHEMA))

        offers = frozenset(session.introduction.capabilities)
        dialect = session.dialect
        drive(
            MACHINES[machine],
            play,
            offers=offers,
            examples=plans,
            steps=STEPS,
            draw_seed=seed,
            shrink=False,
        )
    found = [as_owed(one, dialect) for one in findings(pa.concat_tables(events), [machine])]
    return Swept(
        plans=len(played),
        judged=frozenset(one.requirement for one in found if one.opportunities),
        alarms=tuple(
            FalseAlarm(
                requirement=one.requirement,
                machine=machine,
                example=one.witnesses[0].example,
                violations=one.violations,
                witness=f"{one.witnesses[0].subject}: {one.witnesses[0].witness}",
            )
            for one in found
            if one.violations
        ),
    )


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--seed", type=int, default=1, show_default=True, help="The first seed.")
@click.option("--seeds", type=click.IntRange(min=1), default=1, show_default=True, help="So many, in turn.")
@click.option("--plans", type=click.IntRange(min=1), default=150, show_default=True, help="Drawn by each.")
@click.option("--machine", "machines", multiple=True, type=click.Choice(list(MACHINES)), help="Only this.")
@click.option("--candidate", "candidates", multiple=True, type=click.Choice(RIGHT), help="Only this.")
def main(seed: int, seeds: int, plans: int, machines: tuple[str, ...], candidates: tuple[str, ...]) -> None:
    """Play drawn plans on right systems, and print each rule that accuses one; then the exit code is 1."""
    say = partial(Console().print, markup=False, highlight=False, soft_wrap=True)
    judged: set[str] = set()
    played = alarms = 0
    for number in range(seed, seed + seeds):
        for candidate in candidates or RIGHT:
            for machine in machines or MACHINES:
                swept = sweep(candidate, machine, plans, number)
                judged |= swept.judged
                played += swept.plans
                alarms += len(swept.alarms)
                say(f"seed {number}, {candidate}, {machine}: {swept.plans} plans, {len(swept.judged)} rules")
                for one in swept.alarms:
                    times = f"{one.violations} times, first in plan {one.example}"
                    say(f"  {one.requirement} accuses it {times}: {one.witness}")
    say(f"{played} plans, {len(judged)} rules had an opportunity, {alarms} false alarms")
    sys.exit(1 if alarms else 0)


if __name__ == "__main__":
    main()
