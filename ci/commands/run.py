"""`plumbline run`: the suite against one or more candidates.

Knows the command line and what is printed; playing and judging happen in `plumbline.suites`.
"""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.text import Text

from plumbline.adapters.candidates import Candidate
from plumbline.adapters.process.client import ReplyLimits
from plumbline.ci.terminal import completion
from plumbline.ci.terminal.documents import show
from plumbline.ci.terminal.error_messages import CommandError
from plumbline.ci.terminal.exchange import exchange_logged, log_exchange_option
from plumbline.ci.terminal.last_run import failed_in, last_run
from plumbline.ci.terminal.run_document import NOT_SEEN, RunDocument, answer, exit_code_of_run
from plumbline.ci.terminal.run_progress import RunProgress
from plumbline.ci.terminal.selection import selected
from plumbline.ci.terminal.settings import config_option
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.loader import all_requirements, catalogue
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.results.deviations import DeviationError, read_deviations
from plumbline.reference.results.runs import write_atomically
from plumbline.reference.trace.files import TraceWriteError
from plumbline.reports.checks import render_checks
from plumbline.reports.clauses_reached import clauses_not_reached
from plumbline.reports.junit import junit_xml
from plumbline.reports.terminal import render_counterexample, render_summary
from plumbline.reports.text import one_line
from plumbline.suites.run.configuration import FILE, Settings
from plumbline.suites.run.profiles import PROFILES, seconds
from plumbline.suites.run.running import Options, RunOutcome, run_suite
from plumbline.suites.run.tested import ids_without_tests, lost_without
from plumbline.suites.run.worker_pool import WorkerError

MOST_SHOWN = 3
LONGEST_ERROR = 1_000
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
@click.option(
    "--candidate",
    "candidates",
    multiple=True,
    metavar="C",
    shell_complete=completion.candidates,
    help="What to test; may be repeated.",
)
@click.option(
    "--select",
    multiple=True,
    metavar="ID|AREA",
    shell_complete=completion.requirements,
    help="Only these requirements; may be repeated.",
)
@click.option("--wide", is_flag=True, help="Run every test, not only those about what is selected.")
@click.option("--profile", type=click.Choice(list(PROFILES)), help="How much is played.  [default: gate]")
@click.option("--seed", type=int, help="What plans are drawn from; full runs draw a fresh one if left out.")
@click.option(
    "--budget",
    metavar="DURATION",
    help="Begin no example after 90s, 5m, 1h30m; a number alone is seconds.",
)
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
@click.option("-x", "--exitfirst", "first", is_flag=True, help="Stop at the first failure.")
@click.option("--max-fail", type=click.IntRange(1), metavar="N", help="Stop after so many failures.")
@log_exchange_option
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
    wide: bool,
    profile: str | None,
    seed: int | None,
    budget: str | None,
    jobs: int | None,
    dialect: str | None,
    deviations: Path | None,
    timeout: str | None,
    first: bool,
    max_fail: int | None,
    log_exchange: Path | None,
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
    if budget is not None and budget_s == 0:
        raise click.UsageError("a budget of no time plays nothing; leave --budget out for no limit")
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
        wide=wide,
        profile=PROFILES[profile],
        seed=fixed,
        budget_s=budget_s,
        # A smoke run takes little longer than the start of further processes. Workers would write into one
        # log at the same time.
        jobs=1 if log_exchange else jobs or (1 if profile == "smoke" else _cores()),
        deviations=known,
        dialect=dialect or own_dialect or "",
        also_said=tuple(str(word) for flag in also_said.items() if flag[1] is not None for word in flag),
    )
    found = [settings.find(name, seed=fixed, limits=limits) for name in names]
    with exchange_logged(log_exchange) as begun:
        outcomes = _run_all(found, options, out, 1 if first else max_fail or 0, begun)
    if as_json:
        show(RunDocument(runs=tuple(map(answer, outcomes))), compact=True)
    codes = [exit_code_of_run(outcome) for outcome in outcomes]
    sys.exit(1 if 1 in codes else max(codes))


def _run_all(
    found: list[Candidate], options: Options, out: Path, most: int, begun: Callable[[Candidate], Candidate]
) -> list[RunOutcome]:
    """Run each candidate, until so many failures are seen, if that is limited; raises CommandError."""
    console = Console(stderr=True, emoji=False)
    outcomes: list[RunOutcome] = []
    failures = 0
    for position, candidate in enumerate(found):
        if most and failures >= most:
            left = one_line(", ".join(one.name for one in found[position:]), LONGEST_ERROR)
            console.print(Text(f"not tested, since as much has failed as was asked for: {left}"))
            break
        limited = msgspec.structs.replace(options, most_failures=max(0, most - failures))
        try:
            with RunProgress(console, candidate.name) as progress:
                outcomes.append(
                    run_suite(begun(candidate), limited, out, progress, progress.failed, _leave_junit)
                )
            failures += progress.failures
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
    return outcomes


def _cores() -> int:
    """How many machines play side by side if no option says so."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _leave_junit(outcome: RunOutcome) -> None:
    """Write the verdicts of a run for build servers, beside the rest of it; raises OSError."""
    titles = {name: requirement.title for name, requirement in all_requirements().items()}
    document = junit_xml(outcome.record, outcome.rows, titles)
    write_atomically(outcome.directory / "junit.xml", document, within=outcome.directory)


LONGEST_ANSWER_S = 86_400


def process_limits(timeout_s: float) -> ReplyLimits:
    """What a process may take where one answer may take so long; deploying starts every member.

    Raises ValueError where no clock can wait that long.
    """
    usual = ReplyLimits()
    if timeout_s > LONGEST_ANSWER_S:
        raise ValueError(f"--timeout: {timeout_s:.0f} s is more than a day, which no answer is given")
    call_ms = max(1, int(timeout_s * 1000))
    return ReplyLimits(
        call_ms=call_ms,
        deploy_ms=call_ms * usual.deploy_ms // usual.call_ms,
        grace_ms=min(call_ms, usual.grace_ms),
    )


def _tell(console: Console, outcome: RunOutcome) -> None:
    titles = {requirement.id: requirement.title for requirement in all_requirements().values()}
    record = outcome.record
    introduced = f"{record.product} {record.product_version}, dialect {record.dialect}, "
    console.print()
    # Text, since a console takes `:a:` in a string for the name of an emoji.
    head = (
        f"{record.candidate}: {introduced if record.product else ''}"
        f"profile {record.profile}, seed {record.seed}, {record.seconds:.1f} s"
    )
    console.print(Text(one_line(head)), soft_wrap=True)
    if record.surroundings:
        console.print(Text(one_line(record.surroundings, LONGEST_ERROR)), soft_wrap=True)
    if record.ended_early:
        told = f"! {record.ended_early}; a longer --budget plays the rest"
        console.print(Text(one_line(told, LONGEST_ERROR), style="yellow"), soft_wrap=True)
    if record.left_out:
        console.print(Text(record.left_out, style="yellow"), soft_wrap=True)
    console.print(render_checks(record.checks))
    for counterexample in outcome.counterexamples[:MOST_SHOWN]:
        console.print(render_counterexample(counterexample, titles))
        console.print()
    left = len(outcome.counterexamples) - MOST_SHOWN
    if left > 0:
        console.print(f"… and {left} more counterexamples in the run directory", highlight=False)
    advice = [f"{known.requirement}: {known.reason}: {NOT_SEEN}" for known in outcome.not_shown]
    lost = _lost(outcome)
    if lost:
        words = f"not declared, and requirements left unsupported by that: {lost}"
        console.print(Text(words), soft_wrap=True)
    for told in clauses_not_reached(record.clauses_not_reached):
        console.print(Text(told), soft_wrap=True)
    if record.broken_off:
        console.print("stopped, since as much has failed as was asked for; the rest was not played")
    summary = render_summary(
        outcome.rows,
        titles,
        complete=not record.trouble,
        known=catalogue(),
        asked=record.selected,
        untested=ids_without_tests(),
        advice=advice,
    )
    console.print(summary)
    console.print(f"results saved in {outcome.directory}", markup=False, highlight=False, soft_wrap=True)


def _lost(outcome: RunOutcome) -> str:
    """The capabilities that the candidate lacks, and how many requirements each costs, in words."""
    record = outcome.record
    if not record.capabilities:
        return ""
    lost = lost_without(tuple(map(Capability, record.capabilities)), record.dialect, record.selected)
    most = sorted(lost.items(), key=lambda one: -len(one[1]))
    return ", ".join(f"{capability} {len(ids)}" for capability, ids in most if ids)
