"""`plumbline run`: the suite against one or more candidates.

Knows the command line and what is printed; playing and judging happen in `plumbline.suites`.
"""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from plumbline.adapters.process.client import Limits
from plumbline.ci.command import CommandError
from plumbline.ci.terminal.last_run import failed_in, last_run
from plumbline.ci.terminal.selection import selected
from plumbline.ci.terminal.settings import config_option
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.deviations import DeviationError, read_deviations
from plumbline.reference.runs import write_atomically
from plumbline.reference.trace.files import TraceWriteError
from plumbline.reference.verdicts import Verdict, VerdictRow, exit_code, merge
from plumbline.reports.checks import render_checks
from plumbline.reports.junit import junit_xml
from plumbline.reports.terminal import render_counterexample, render_summary
from plumbline.reports.text import one_line
from plumbline.suites.configuration import FILE, Settings
from plumbline.suites.profiles import PROFILES, seconds
from plumbline.suites.running import Options, Outcome, run_suite
from plumbline.suites.workers import WorkerError

MOST_SHOWN = 3
LONGEST_ERROR = 1_000
NOT_SEEN = "on record, but not seen though its requirement was exercised; remove it from the file"
GATE_SEED = 20_250_101
"""Gate and smoke runs draw the same plans every time, so that a red gate is about the candidate."""


_EPILOG = """\
\b
Examples:
  plumbline run
  plumbline run --last-failed
  plumbline run --candidate 'process:./my-adapter' --profile smoke
  plumbline run --candidate geode:1.15.1 --select VER --select CONS-RR-04

\b
Exit codes:
  0  everything judged was right    1  something failed    2  something could not be judged
"""


@click.command("run", epilog=_EPILOG)
@click.option("--candidate", "candidates", multiple=True, metavar="C", help="What to test; may be repeated.")
@click.option("--select", multiple=True, metavar="ID|AREA", help="Only these requirements; may be repeated.")
@click.option("--profile", type=click.Choice(list(PROFILES)), help="How much is played.  [default: gate]")
@click.option("--seed", type=int, help="What plans are drawn from; full runs draw a fresh one if left out.")
@click.option("--budget", metavar="DURATION", help="Draw no more plans after 90s, 5m, 1h.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    help="So many machines play side by side, on the reference and its faulty variants, unless there is a "
    "budget.  [default: one for each core; for smoke, 1]",
)
@click.option(
    "--dialect",
    type=click.Choice([dialect.value for dialect in Dialect]),
    help="Judge by this dialect, not the declared one.",
)
@click.option(
    "--deviations",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Known differences, a TOML file; they are reported as deviations, never as passes.",
)
@click.option("--timeout", metavar="DURATION", help="Most that a process may take for one answer.")
@click.option(
    "--last-failed",
    is_flag=True,
    help="Only what failed or went unjudged in the last run below OUT, with its candidate, profile and seed.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where run directories go.  [default: runs]",
)
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print verdicts as JSON on standard output.")
def command(
    candidates: tuple[str, ...],
    select: tuple[str, ...],
    profile: str | None,
    seed: int | None,
    budget: str | None,
    jobs: int | None,
    dialect: str | None,
    deviations: Path | None,
    timeout: str | None,
    last_failed: bool,
    out: Path | None,
    settings: Settings,
    as_json: bool,
) -> None:
    """Test candidates against the catalogue and leave a run directory for each below OUT.

    What is left out here is read from plumbline.toml (`plumbline init` writes one), if there is one; else the
    candidate is the reference itself.
    """
    said = settings.said
    out = out or settings.out
    try:
        budget_s = said.run.budget_s if budget is None else seconds(budget)
        limits = None if timeout is None else process_limits(seconds(timeout))
        recorded = deviations or settings.deviations
        known = () if recorded is None else read_deviations(recorded)
    except (ValueError, DeviationError) as error:
        raise click.UsageError(str(error)) from error
    ids = selected(select or said.run.select)
    names = candidates or (settings.candidate_name or "reference",)
    profile = profile or said.run.profile
    seed = said.run.seed if seed is None else seed
    if last_failed:
        last = last_run(out, candidates or tuple(filter(None, [settings.candidate_name])))
        ids = failed_in(last, ids)
        if not ids:
            click.echo(one_line(f"nothing failed in the last run, {last.directory}", LONGEST_ERROR), err=True)
            sys.exit(0)
        names, profile = candidates or (last.record.candidate,), profile or last.record.profile
        seed = last.record.seed if seed is None else seed
    profile = profile or "gate"
    fixed = seed if seed is not None else GATE_SEED
    if seed is None and profile == "full":
        fixed = secrets.randbelow(2**31)
    # A file that is read anyway need not be named again.
    config = settings.file if settings.file != Path(FILE) else None
    also_said = {"--deviations": deviations, "--timeout": timeout, "--config": config}
    own_dialect = said.candidate.dialect if names == (settings.candidate_name,) else None
    options = Options(
        selected=ids,
        profile=PROFILES[profile],
        seed=fixed,
        budget_s=budget_s,
        # What a smoke run plays takes little longer than starting others.
        jobs=jobs or (1 if profile == "smoke" else _cores()),
        deviations=known,
        dialect=dialect or own_dialect or "",
        also_said=tuple(str(word) for flag in also_said.items() if flag[1] is not None for word in flag),
    )
    found = [settings.find(name, seed=fixed, limits=limits) for name in names]
    console = Console(stderr=True)
    outcomes = []
    for candidate in found:
        try:
            with _shown(console) as bar:
                outcomes.append(run_suite(candidate, options, out, _Reporter(bar, candidate.name)))
            _leave_junit(outcomes[-1])
        except (OSError, TraceWriteError) as error:
            raise CommandError(
                one_line(
                    f"{candidate.name}: the run stops, its directory cannot be written: {error}",
                    LONGEST_ERROR,
                )
            ) from error
        except WorkerError as error:
            reason = str(error).strip().splitlines()[-1]
            message = f"{candidate.name}: the run stops: {reason}; --jobs 1 plays without workers"
            raise CommandError(one_line(message, LONGEST_ERROR)) from error
        _tell(console, outcomes[-1])
    if as_json:
        told = [_as_json(outcome) for outcome in outcomes]
        sys.stdout.write(msgspec.json.encode(told[0] if len(told) == 1 else told).decode() + "\n")
    codes = [exit_code(_merged(outcome.rows).values()) for outcome in outcomes]
    sys.exit(1 if 1 in codes else max(codes))


def _cores() -> int:
    """How many machines play side by side if nobody says."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _leave_junit(outcome: Outcome) -> None:
    """Write the verdicts of a run for build servers, beside the rest of it; raises OSError."""
    titles = {name: requirement.title for name, requirement in catalogue().items()}
    document = junit_xml(outcome.record, outcome.rows, titles)
    write_atomically(outcome.directory / "junit.xml", document)


def process_limits(timeout_s: float) -> Limits:
    """What a process may take where one answer may take so long; deploying starts every member."""
    usual = Limits()
    call_ms = max(1, int(timeout_s * 1000))
    return Limits(
        call_ms=call_ms,
        deploy_ms=call_ms * usual.deploy_ms // usual.call_ms,
        grace_ms=min(call_ms, usual.grace_ms),
    )


class _Reporter:
    """Moves progress bars along, one for each thing that is going on."""

    def __init__(self, bar: Progress, candidate: str) -> None:
        self._bar = bar
        self._candidate = candidate
        self._tasks: dict[str, Any] = {}

    def __call__(self, what: str, done: int, total: int) -> None:
        if what not in self._tasks:
            self._tasks[what] = self._bar.add_task(f"{self._candidate}: {what}", total=total)
        self._bar.update(self._tasks[what], completed=done, total=total)


def _shown(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _tell(console: Console, outcome: Outcome) -> None:
    titles = {requirement.id: requirement.title for requirement in catalogue().values()}
    record = outcome.record
    introduced = f"{record.product} {record.product_version}, dialect {record.dialect}, "
    console.print()
    console.print(
        one_line(
            f"{record.candidate}: {introduced if record.product else ''}"
            f"profile {record.profile}, seed {record.seed}, {record.seconds:.1f} s"
        ),
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    console.print(render_checks(record.checks))
    for counterexample in outcome.counterexamples[:MOST_SHOWN]:
        console.print(render_counterexample(counterexample, titles))
        console.print()
    left = len(outcome.counterexamples) - MOST_SHOWN
    if left > 0:
        console.print(f"… and {left} more counterexamples in the run directory", highlight=False)
    advice = [f"{known.requirement}: {known.reason}: {NOT_SEEN}" for known in outcome.not_shown]
    console.print(render_summary(outcome.rows, titles, advice=advice))
    console.print(f"run directory: {outcome.directory}", markup=False, highlight=False, soft_wrap=True)


def _merged(rows: list[VerdictRow]) -> dict[str, Verdict]:
    by_requirement: dict[str, list[Verdict]] = {}
    for row in rows:
        by_requirement.setdefault(row.requirement, []).append(row.verdict)
    return {requirement: merge(found) for requirement, found in by_requirement.items()}


def _as_json(outcome: Outcome) -> dict[str, Any]:
    record = outcome.record
    verdicts = [
        {
            "requirement": requirement,
            "verdict": verdict,
            "exercised": sum(row.exercised for row in outcome.rows if row.requirement == requirement),
            "failures": sum(row.failures for row in outcome.rows if row.requirement == requirement),
        }
        for requirement, verdict in _merged(outcome.rows).items()
    ]
    return {
        "candidate": record.candidate,
        "dialect": record.dialect,
        "profile": record.profile,
        "seed": record.seed,
        "verdicts": verdicts,
        "deviations_not_seen": [
            {"requirement": known.requirement, "reason": known.reason, "advice": NOT_SEEN}
            for known in outcome.not_shown
        ],
    }
