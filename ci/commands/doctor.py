"""`plumbline doctor`: what is there of what Plumbline can use, and the remedy for what is not.

Knows the command line and what is printed; looking happens in `plumbline.ci.prerequisites`.
"""

from __future__ import annotations

from typing import Literal

import click

from plumbline.ci.prerequisites import ToolCheck, checks
from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.progress import patiently
from plumbline.reports.text import one_line

LONGEST = 300

_EPILOG = """\
\b
Examples:
  plumbline doctor
  plumbline doctor --json | jq -r '.checks[] | select(.good | not) | .remedy'

\b
Exit codes:
  0  every required tool is there    1  something that nothing goes without is missing
"""


class DoctorDocument(Document, frozen=True, kw_only=True, tag="plumbline.doctor"):
    """Everything that was looked for; healthy if no required tool is missing."""

    schema_version: Literal[1] = 1
    healthy: bool
    checks: tuple[ToolCheck, ...]


@click.command("doctor", epilog=_EPILOG)
@click.option("--json", "as_json", is_flag=True, help="Print everything that was found as JSON.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Look for every tool that Plumbline can use.

    Each line says what was found. For a missing tool it says which feature needs it and how to install it.
    Nothing is installed or fetched. Python, its packages, memory and disk are required.
    Other tools are optional.
    """
    looking = checks()
    with patiently() as advanced:
        looked = advanced("Looking around")
        found = []
        for done, look in enumerate(looking):
            looked(done, len(looking))
            found.append(look())
    healthy = all(check.good for check in found if check.core)
    if as_json:
        show(DoctorDocument(healthy=healthy, checks=tuple(found)))
    else:
        for check in found:
            _tell(check)
        lacking = sum(not check.good for check in found)
        click.echo(
            ("every required tool is there" if healthy else "a required tool is missing")
            + (f"; {lacking} of {len(found)} are lacking" if lacking else "")
        )
    context.exit(0 if healthy else 1)


def _tell(check: ToolCheck) -> None:
    sign, colour = ("✓", "green") if check.good else ("✗", "red") if check.core else ("○", "yellow")
    click.echo(f"{click.style(sign, fg=colour)} {check.name:<17} {one_line(check.found, LONGEST)}")
    if not check.good:
        click.echo(f"    leaves out: {check.leaves_out}")
        click.echo(f"    remedy:     {check.remedy}")
