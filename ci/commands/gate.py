"""`plumbline gate`: may the release go, by what runs say, a policy, deviations on record and a baseline.

Knows the command line and what is printed; the answer is found in `plumbline.reports.gate_decision`.
"""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import click
import msgspec

from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.error_messages import CommandError
from plumbline.ci.terminal.progress import Advanced, patiently
from plumbline.ci.terminal.run_directories import all_runs, older_words, run_directories
from plumbline.ci.terminal.settings import config_option
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.file_record import UnreadableRunError
from plumbline.reference.judged.scoring import CONFIDENCE
from plumbline.reference.judged.store import is_judged, read_tables
from plumbline.reference.results.deviations import Deviation, DeviationError, read_deviations
from plumbline.reference.results.gate_policy import GatePolicy, PolicyError, read_policy
from plumbline.reference.results.runs import write_atomically
from plumbline.reference.trace.files import verified_files
from plumbline.reports import github
from plumbline.reports.badge import badge as make_badge
from plumbline.reports.badge import write_badge
from plumbline.reports.broken import violations
from plumbline.reports.clauses_reached import clauses_not_reached
from plumbline.reports.collection import Collection, collect, newest
from plumbline.reports.gate_decision import Evidence, GateDecision, GateReason, VerdictCount, Weight, decide
from plumbline.reports.judged_gate import JudgedEvidence, decide_judged
from plumbline.reports.on_record import not_shown
from plumbline.reports.sarif import sarif as as_sarif
from plumbline.reports.text import one_line
from plumbline.reports.unjudged import Loudness, unjudged
from plumbline.suites.run.configuration import Settings
from plumbline.suites.run.tested import ids_without_tests

ANSWER = {0: "the release may go", 1: "the release may not go", 2: "the question could not be answered"}

MOST_ALIKE = 20
"""So many reasons that say the same of different requirements are printed; --json has them all."""

LONGEST, LONGEST_LIST = 400, 20_000

_COLOUR = {Weight.BROKEN: "magenta", Weight.RED: "red", Weight.ADVISORY: "yellow"}

_LOUD: dict[Loudness, dict[str, Any]] = {
    Loudness.CALM: {},
    Loudness.AMBER: {"fg": "yellow", "bold": True},
    Loudness.RED: {"fg": "red", "bold": True},
}

_FILE = click.Path(path_type=Path, dir_okay=False)

_EPILOG = """\
\b
Examples:
  plumbline gate
  plumbline gate runs --policy gate.toml --deviations deviations.toml --baseline released
  plumbline gate judged --confidence 0.99 --opportunities 100 --baseline judged-of-the-last-release
  plumbline gate runs --sarif plumbline.sarif --badge plumbline.svg --summary plumbline.md
  plumbline gate runs --json | jq -r '.reasons[] | select(.weight == "red") | .requirement'

\b
A policy with its default values (docs/gate.md explains each key):
  levels = ["MUST"]          minimum_profile = "gate"       passes_at_least = 1
  [tolerated]
  unknown = 0                not_exercised = "any"          unsupported = "any"

\b
Exit codes:
  0  the release may go
  1  it may not; each reason is printed
  2  the question could not be answered: a run directory is broken or missing, the policy is wrong
"""


class GateDocument(Document, frozen=True, kw_only=True, tag="plumbline.gate"):
    """The answer, every reason for it, and how many requirements got which verdict."""

    schema_version: Literal[1] = 1
    answer: str
    exit_code: int
    reasons: tuple[GateReason, ...]
    candidates: tuple[VerdictCount, ...]
    older_runs: tuple[str, ...]


@click.command("gate", epilog=_EPILOG)
@run_directories
@all_runs
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
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=CONFIDENCE,
    show_default=True,
    help="Of judged tables: the confidence of intervals and bounds.",
)
@click.option(
    "--opportunities",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Of judged tables: what had fewer opportunities to fail does not pass.",
)
@click.option(
    "--below",
    type=click.FloatRange(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="Of judged tables: a pass has to exclude this rate of violations at that confidence.",
)
@config_option
@click.option("--summary", type=_FILE, help="Write the answer and all reasons as Markdown.")
@click.option("--sarif", "sarif_file", type=_FILE, help="Write violations as SARIF 2.1.0, by requirement.")
@click.option("--badge", "badge_file", type=_FILE, help="Write a badge (SVG), and its JSON beside it.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer and all reasons as JSON.")
@click.pass_context
def command(
    context: click.Context,
    directories: tuple[Path, ...],
    every: bool,
    policy: Path | None,
    deviations: Path | None,
    baseline: Path | None,
    confidence: float,
    opportunities: int,
    below: float,
    settings: Settings,
    summary: Path | None,
    sarif_file: Path | None,
    badge_file: Path | None,
    as_json: bool,
) -> None:
    """Say whether a release may go, and print each reason: requirement, verdict, what to do.

    DIR is a run directory, a folder with such at any depth, or what `plumbline judge` has written about them.
    Without any, the folder of runs is read (`out` in plumbline.toml, else runs). Of each candidate and
    requirement the newest run counts that asked for it and plays at least as much.

    Of judged tables, where DIR is alone and holds them, the newest version counts with all its runs.

    What failed and must pass, deviations that have expired or no longer show, and what passed in the baseline
    and does not any more, speak against it. What was not judged is never taken for passed.

    On GitHub (GITHUB_ACTIONS=true) reasons become annotations, and the summary of the step is written, too.
    """
    try:
        wanted = settings.said.gate if policy is None else read_policy(policy)
        file = deviations or settings.deviations
        known = None if file is None else read_deviations(file)
    except (PolicyError, DeviationError) as error:
        raise click.UsageError(one_line(str(error))) from error
    places = directories or (settings.out,)
    if len(places) == 1 and is_judged(places[0]):
        decision = _of_tables(places[0], wanted, known, baseline, confidence, opportunities, below)
        _finish(context, decision, Collection((), ()), summary, sarif_file, badge_file, as_json=as_json)
        return
    with patiently() as advanced:
        counting = (lambda found: found) if every else newest
        runs = counting(collect(places, advanced("Reading runs")))
        before = None if baseline is None else counting(collect([baseline], advanced("Reading the baseline")))
        flaws = _flaws(runs, advanced("Checking traces"))
    decision = decide(
        Evidence(
            runs=runs,
            policy=wanted,
            catalogue=all_requirements(),
            deviations=known,
            baseline=before,
            today=datetime.now(UTC).date(),
            flaws=flaws,
            not_shown=() if file is None or known is None else not_shown(known, file.parent),
            untested=ids_without_tests(),
        )
    )
    _finish(context, decision, runs, summary, sarif_file, badge_file, as_json=as_json)


def _of_tables(
    judged: Path,
    policy: GatePolicy,
    deviations: tuple[Deviation, ...] | None,
    baseline: Path | None,
    confidence: float,
    opportunities: int,
    below: float,
) -> GateDecision:
    """The decision on judged tables alone."""
    try:
        evidence = JudgedEvidence(
            tables=read_tables(judged),
            policy=policy,
            catalogue=all_requirements(),
            today=datetime.now(UTC).date(),
            deviations=deviations,
            baseline=None if baseline is None else read_tables(baseline),
            untested=ids_without_tests(),
            confidence=confidence,
            least_opportunities=opportunities,
            most=below,
        )
    except UnreadableRunError as error:
        raise CommandError(one_line(str(error))) from error
    return decide_judged(evidence)


def _finish(
    context: click.Context,
    decision: GateDecision,
    runs: Collection,
    summary: Path | None,
    sarif_file: Path | None,
    badge_file: Path | None,
    *,
    as_json: bool,
) -> None:
    _leave_files(decision, runs, summary, sarif_file, badge_file)
    if as_json:
        decided = msgspec.structs.asdict(decision)
        show(GateDocument(answer=ANSWER[decision.exit_code], older_runs=runs.older, **decided))
    else:
        _tell(decision)
        if runs.older:
            click.echo(older_words(len(runs.older)))
    context.exit(decision.exit_code)


def _leave_files(
    decision: GateDecision, runs: Collection, summary: Path | None, sarif: Path | None, badge: Path | None
) -> None:
    """Write what was asked for, and what GitHub reads where this runs there; raises OSError."""
    found = list(violations(runs))
    told = github.summary(decision, found, all_requirements())
    for file, content in (
        (summary, told.encode()),
        (sarif, msgspec.json.format(msgspec.json.encode(as_sarif(decision, found, all_requirements())))),
    ):
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, content)
    if badge is not None:
        write_badge(make_badge(decision.exit_code, [one.totals for one in decision.candidates]), badge)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        step = os.environ.get("GITHUB_STEP_SUMMARY")
        if step:
            with Path(step).open("a", encoding="utf-8") as shown:
                shown.write(told + "\n")
        for line in github.annotated(decision, found):
            # The runner reads both streams, and what is printed as JSON stays one document.
            click.echo(line, err=True)


def _flaws(runs: Collection, advanced: Advanced) -> tuple[tuple[str, str], ...]:
    """The flaws of the traces: a run that lost some of the evidence may have lost more."""
    found = []
    all_runs = [run for candidate in runs.candidates for run in candidate.runs]
    for done, run in enumerate(all_runs):
        advanced(done, len(all_runs))
        if not run.trouble:
            _, flaws = verified_files(run.directory, run.record.run_id)
            found += [(flaw.path, flaw.reason) for flaw in flaws]
    return tuple(found)


def _tell(decision: GateDecision) -> None:
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
        name = f"{counted.candidate} ({counted.product} {counted.version}, {counted.dialect})"
        plural = "" if counted.runs == 1 else "s"
        click.echo(one_line(f"{name}, {counted.runs} run{plural}: {counted.words}", LONGEST))
        left = unjudged(counted.totals)
        if left.count:
            click.secho(
                one_line(f"{counted.candidate}: {left.words}" if several else left.words), **_LOUD[left.level]
            )
        for told in clauses_not_reached(counted.clauses_not_reached, counted.runs):
            click.echo(one_line(f"{counted.candidate}: {told}" if several else told, LONGEST_LIST))
    weights = Counter(reason.weight for reason in decision.reasons)
    told = ", ".join(f"{weights[weight]} {weight}" for weight in Weight if weights[weight])
    click.secho(
        f"exit code {decision.exit_code}: {ANSWER[decision.exit_code]}" + (f" ({told})" if told else ""),
        fg="red" if decision.exit_code else "green",
        bold=True,
    )


def _line(reason: GateReason, several: bool) -> str:
    """Returns a reason in one line, also where a candidate's text has several."""
    words = [
        reason.requirement,
        reason.verdict,
        reason.candidate if several or not reason.requirement else "",
    ]
    about = "  ".join(one_line(word, LONGEST) for word in words if word)
    advice = f" → {one_line(reason.advice)}" if reason.advice else ""
    sign = click.style(f"{reason.weight:<8}", fg=_COLOUR[reason.weight], bold=True)
    return f"{sign}  {about}{': ' if about else ''}{one_line(reason.told, LONGEST)}{advice}"
