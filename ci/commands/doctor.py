"""`plumbline doctor`: what is there of what Plumbline can use, and the remedy for what is not.

Knows the command line and what is printed; looking happens in `plumbline.ci.doctor`.
"""

from __future__ import annotations

import click
import msgspec

from plumbline.ci.doctor import Check, checks
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
  0  all that the core needs is there    1  something that nothing goes without is missing
"""


@click.command("doctor", epilog=_EPILOG)
@click.option("--json", "as_json", is_flag=True, help="Print everything that was found as JSON.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """Look for everything that Plumbline can use: what is there, what a lack leaves out, how to mend it.

    Nothing is installed or fetched. Python, its packages, memory and disk are needed; the rest only for what
    stands beside it.
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
        told = {"healthy": healthy, "checks": found}
        click.echo(msgspec.json.format(msgspec.json.encode(told), indent=2).decode())
    else:
        for check in found:
            _tell(check)
        lacking = sum(not check.good for check in found)
        click.echo(
            ("all that the core needs is there" if healthy else "the core cannot do without what is missing")
            + (f"; {lacking} of {len(found)} are lacking" if lacking else "")
        )
    context.exit(0 if healthy else 1)


def _tell(check: Check) -> None:
    sign, colour = ("✓", "green") if check.good else ("✗", "red") if check.core else ("○", "yellow")
    click.echo(f"{click.style(sign, fg=colour)} {check.name:<17} {one_line(check.found, LONGEST)}")
    if not check.good:
        click.echo(f"    leaves out: {check.leaves_out}")
        click.echo(f"    remedy:     {check.remedy}")
