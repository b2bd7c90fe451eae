"""`plumbline gate`: may the release go, by what runs say, a policy, deviations on record and a baseline.

Knows the command line and what is printed; the answer is found in `plumbline.reports.gate`.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from plumbline.ci.terminal.progress import Advanced, patiently
from plumbline.ci.terminal.settings import config_option
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.deviations import DeviationError, read_deviations
from plumbline.reference.policy import PolicyError, read_policy
from plumbline.reference.trace.files import verified_files
from plumbline.reports.collection import Collection, collect
from plumbline.reports.gate import Decision, Evidence, Reason, Weight, decide
from plumbline.reports.on_record import not_shown
from plumbline.reports.text import one_line
from plumbline.suites.configuration import Settings

ANSWER = {0: "the release may go", 1: "the release may not go", 2: "the question could not be answered"}

MOST_ALIKE = 20
"""So many reasons that say the same of different requirements are printed; --json has them all."""

LONGEST = 400

_COLOUR = {Weight.BROKEN: "magenta", Weight.RED: "red", Weight.ADVISORY: "yellow"}

_EPILOG = """\
\b
Examples:
  plumbline gate runs
  plumbline gate runs --policy gate.toml --deviations deviations.toml --baseline released
  plumbline gate runs --json | jq -r '.reasons[] | select(.weight == "red") | .requirement'

\b
A policy, with what holds where nothing is said (docs/gate.md tells of each key):
  levels = ["MUST"]          minimum_profile = "gate"       passes_at_least = 1
  [tolerated]
  unknown = 0                not_exercised = "any"          unsupported = "any"

\b
Exit codes:
  0  the release may go
  1  it may not; each reason is printed
  2  the question could not be answered: a run directory is broken or missing, the policy is wrong
"""


@click.command("gate", epilog=_EPILOG)
@click.argument("directories", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--policy",
    type=click.Path(path_type=Path),
    help="What must hold, a TOML file; [gate] of plumbline.toml, or a policy for most, if left out.",
)
@click.option(
    "--deviations",
    type=click.Path(path_type=Path),
    help="Known differences, a TOML file; those that the runs were made with if left out.",
)
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    help="Runs of the last release: what passed there must pass here, what is new here only advises.",
)
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print the answer and all reasons as JSON.")
@click.pass_context
def command(
    context: click.Context,
    directories: tuple[Path, ...],
    policy: Path | None,
    deviations: Path | None,
    baseline: Path | None,
    settings: Settings,
    as_json: bool,
) -> None:
    """Say whether a release may go, and print each reason: requirement, verdict, what to do.

    DIR is a run directory, a folder with such at any depth, or what `plumbline judge` has written about them.
    What failed and must pass, deviations that have expired or no longer show, and what passed in the baseline
    and does not any more, speak against it. What was not judged is never taken for passed.
    """
    try:
        wanted = settings.said.gate if policy is None else read_policy(policy)
        file = deviations or settings.deviations
        known = None if file is None else read_deviations(file)
    except (PolicyError, DeviationError) as error:
        raise click.UsageError(one_line(str(error))) from error
    with patiently() as advanced:
        runs = collect(directories, advanced("Reading runs"))
        before = None if baseline is None else collect([baseline], advanced("Reading the baseline"))
        flaws = _flaws(runs, advanced("Checking traces"))
    decision = decide(
        Evidence(
            runs=runs,
            policy=wanted,
            catalogue=catalogue(),
            deviations=known,
            baseline=before,
            today=datetime.now(UTC).date(),
            flaws=flaws,
            not_shown=() if file is None or known is None else not_shown(known, file.parent),
        )
    )
    if as_json:
        answer = {"answer": ANSWER[decision.exit_code], **msgspec.to_builtins(decision)}
        click.echo(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode())
    else:
        _tell(decision)
    context.exit(decision.exit_code)


def _flaws(runs: Collection, advanced: Advanced) -> tuple[tuple[str, str], ...]:
    """What is wrong with the traces: whoever lost some of the evidence may have lost more."""
    found = []
    all_runs = [run for candidate in runs.candidates for run in candidate.runs]
    for done, run in enumerate(all_runs):
        advanced(done, len(all_runs))
        if not run.trouble:
            _, flaws = verified_files(run.directory, run.record.run_id)
            found += [(flaw.path, flaw.reason) for flaw in flaws]
    return tuple(found)


def _tell(decision: Decision) -> None:
    several = len(decision.candidates) > 1
    alike: Counter[tuple[str, ...]] = Counter()
    for reason in decision.reasons:
        kind = (reason.weight, reason.candidate, reason.verdict, reason.advice)
        alike[kind] += 1
        if alike[kind] <= MOST_ALIKE:
            click.echo(_line(reason, several))
    for (weight, candidate, verdict, _), count in alike.items():
        if count > MOST_ALIKE:
            words = f"… and {count - MOST_ALIKE} more {weight}: {candidate} {verdict}; --json has them all"
            click.echo(one_line(words, LONGEST))
    for counted in decision.candidates:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counted.verdicts.items())
        name = f"{counted.candidate} ({counted.product} {counted.version}, {counted.dialect})"
        plural = "" if counted.runs == 1 else "s"
        click.echo(one_line(f"{name}, {counted.runs} run{plural}: {verdicts}", LONGEST))
    weights = Counter(reason.weight for reason in decision.reasons)
    told = ", ".join(f"{weights[weight]} {weight}" for weight in Weight if weights[weight])
    click.secho(
        f"exit code {decision.exit_code}: {ANSWER[decision.exit_code]}" + (f" ({told})" if told else ""),
        fg="red" if decision.exit_code else "green",
        bold=True,
    )


def _line(reason: Reason, several: bool) -> str:
    """A reason in one line, whatever a candidate has put into it."""
    words = [
        reason.requirement,
        reason.verdict,
        reason.candidate if several or not reason.requirement else "",
    ]
    about = "  ".join(one_line(word, LONGEST) for word in words if word)
    advice = f" → {one_line(reason.advice)}" if reason.advice else ""
    sign = click.style(f"{reason.weight:<8}", fg=_COLOUR[reason.weight], bold=True)
    return f"{sign}  {about}{': ' if about else ''}{one_line(reason.told, LONGEST)}{advice}"
