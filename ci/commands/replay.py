"""`plumbline replay`: a counterexample file played again, on its own candidate or another.

Knows the command line and what is printed; playing and judging happen in `plumbline.suites.run.replaying`.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import click
import msgspec
from rich.console import Console
from rich.progress import Progress

from plumbline.ci.commands.run import process_limits
from plumbline.ci.terminal import completion
from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.error_messages import CommandError
from plumbline.ci.terminal.exchange import exchange_logged, log_exchange_option
from plumbline.ci.terminal.settings import config_option
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.history.plans import by_rank
from plumbline.reference.history.setups import setup_words
from plumbline.reference.results.deviations import DeviationError, in_force, read_deviations
from plumbline.reference.results.runs import (
    Counterexample,
    UnreadableRunError,
    read_counterexample,
    write_atomically,
)
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reports.terminal import render_counterexample
from plumbline.reports.text import one_line
from plumbline.suites.harness.session import Session
from plumbline.suites.run.closest_run import nearest
from plumbline.suites.run.configuration import Settings
from plumbline.suites.run.counterexample import worded
from plumbline.suites.run.known_deviations import KnownDeviations
from plumbline.suites.run.minimize_file import REPLAYS, make_small
from plumbline.suites.run.profiles import seconds
from plumbline.suites.run.reducer import tries_for
from plumbline.suites.run.replaying import CannotReplayError, Judge, replay
from plumbline.suites.run.results import Result

LONGEST = 600
NO_COUNTEREXAMPLE = "a counterexample is a file that a run which fails leaves below its `counterexamples`"


_EPILOG = """\
\b
Examples:
  plumbline replay runs/RUN/counterexamples/machine-replicated_regions.json
  plumbline replay FILE --candidate reference
  plumbline replay FILE --candidate 'process:./my-adapter' --times 20
  plumbline replay runs/RUN/counterexamples/scenario-NAME.json --reduce small.json

\b
Exit codes:
  0  it never failed    1  it failed at least once    2  it could not be played or judged
"""


class ReplayDocument(Document, frozen=True, kw_only=True, tag="plumbline.replay"):
    """What came of playing a counterexample again.

    Attributes:
        file: the counterexample.
        candidate: what it was played on.
        title: of the counterexample.
        requirements: those that it breaks.
        failed: number of replays that failed.
        tried: number of replays.
        verdicts: number of replays with each verdict.
        reasons: for the verdicts, each once.
        parts: names in the file and the names of those that played them, where they differ.
        setup: sites, members, regions and settings.
        plan: the steps, in words.
        expected: what a right system shows.
        seen: what was seen instead, where a replay failed.
    """

    schema_version: Literal[1] = 1
    file: str
    candidate: str
    title: str
    requirements: tuple[str, ...]
    failed: int
    tried: int
    verdicts: dict[str, int]
    reasons: tuple[str, ...]
    parts: dict[str, str]
    setup: tuple[str, ...]
    plan: tuple[str, ...]
    expected: tuple[str, ...]
    seen: tuple[str, ...]


@click.command("replay", epilog=_EPILOG)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--candidate",
    metavar="C",
    shell_complete=completion.candidates,
    help="What to play it on; that of the file if left out.",
)
@click.option(
    "--times",
    type=click.IntRange(1, 10_000),
    help="Number of replays. Default: 1; more for an example that fails only sometimes.",
)
@click.option(
    "--deviations",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Known differences, a TOML file. A replay that one of them explains has not failed.",
)
@click.option(
    "--reduce",
    "smaller",
    metavar="SMALL",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Remove the steps that the failure does not need, and write the rest to the file SMALL.",
)
@click.option("--timeout", metavar="DURATION", help="Most that a process may take for one answer.")
@log_exchange_option
@config_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    file: Path,
    candidate: str | None,
    times: int | None,
    deviations: Path | None,
    smaller: Path | None,
    timeout: str | None,
    log_exchange: Path | None,
    settings: Settings,
    as_json: bool,
) -> None:
    """Play the counterexample of FILE again and report how often it failed.

    On another candidate, members of the same rank in the order of member ids take its parts. Without
    --candidate the command named in FILE is started. Read a file from another person before you play it.
    """
    try:
        limits = None if timeout is None else process_limits(seconds(timeout))
        recorded = deviations or settings.deviations
        known = () if recorded is None else read_deviations(recorded)
    except (ValueError, DeviationError) as error:
        raise click.UsageError(str(error)) from error
    try:
        example = read_counterexample(file)
    except UnreadableRunError as error:
        raise CommandError(one_line(f"{error}; {NO_COUNTEREXAMPLE}", LONGEST)) from error
    tries = times or tries_for(example.times_failed, example.times_tried)
    found = settings.find(candidate or example.candidate, seed=example.seed, limits=limits)
    console = Console(stderr=True, emoji=False)
    console.print(
        one_line(f"playing on {found.name}", LONGEST), markup=False, highlight=False, soft_wrap=True
    )
    with (
        exchange_logged(log_exchange) as begun,
        Session(begun(found)) as session,
        Progress(console=console, transient=True, disable=not console.is_terminal) as bar,
    ):
        task = bar.add_task("replays", total=tries)
        today = datetime.now(UTC).date()
        judge = Judge(session.book, KnownDeviations(in_force(known, session.introduction.version, today)))
        try:
            if smaller is not None:
                example = make_small(
                    example,
                    session,
                    judge,
                    progress=lambda runs, most: bar.update(task, completed=runs, total=most),
                )
                write_atomically(smaller, msgspec.json.format(msgspec.json.encode(example), indent=1))
                file, tries = smaller, times or REPLAYS
                bar.reset(task, total=tries)
            results = replay(example, session, judge, tries, lambda done: bar.update(task, completed=done))
        except CannotReplayError as error:
            raise CommandError(one_line(f"{file}: {error}", LONGEST)) from error
        version, dialect = session.introduction.version, session.dialect
    failed = [result for result in results if result.verdict is Verdict.FAIL]
    unjudged = [result for result in results if result.verdict in (Verdict.UNKNOWN, Verdict.ADAPTER_ERROR)]
    failure = failed[0] if failed else None
    shown = _shown(example, failure, found.name, version, dialect, (len(failed), len(results)))
    if as_json:
        show(_document(file, shown, example, results), compact=True)
    else:
        _tell(Console(emoji=False), shown, example, results)
    sys.exit(1 if failed else 2 if unjudged or not results else 0)


def _shown(
    example: Counterexample,
    failure: Result | None,
    candidate: str,
    version: str,
    dialect: str,
    times: tuple[int, int],
) -> Counterexample:
    """The counterexample as it was seen this time; as it is in the file where it did not fail."""
    shown = msgspec.structs.replace(
        example,
        candidate=candidate,
        product_version=version,
        times_failed=times[0],
        times_tried=times[1],
        replay="",
    )
    if failure is None or failure.history is None:
        return shown
    near = None if failure.played is None else nearest(failure.played, failure.history, dialect)
    expected, seen = worded(failure, near)
    return msgspec.structs.replace(
        shown,
        setup=setup_words(failure.history),
        plan=failure.plan,
        played=failure.played,
        history=failure.history,
        expected=expected,
        seen=seen,
        nearest=() if near is None else near.differences,
        right_runs=0 if near is None else near.runs,
        dead_ends=() if failure.finding is None else failure.finding.dead_ends,
    )


def _parts(example: Counterexample, results: list[Result]) -> dict[str, str]:
    """Whose part in the file was played by whom, where that was not themselves."""
    orders = [result.history.member_order for result in results if result.history is not None]
    if not orders:
        return {}
    names = by_rank(example.history.topology, example.history.member_order, orders[0])
    return {old: new for old, new in names.items() if old != new}


def _verdicts(results: list[Result]) -> dict[str, int]:
    verdicts = [result.verdict for result in results]
    return {verdict.value: verdicts.count(verdict) for verdict in dict.fromkeys(verdicts)}


def _document(
    file: Path, shown: Counterexample, example: Counterexample, results: list[Result]
) -> ReplayDocument:
    return ReplayDocument(
        file=str(file),
        candidate=shown.candidate,
        title=shown.title,
        requirements=shown.requirements,
        failed=shown.times_failed,
        tried=shown.times_tried,
        verdicts=_verdicts(results),
        reasons=tuple(dict.fromkeys(result.reason for result in results if result.reason)),
        parts=_parts(example, results),
        setup=setup_words(shown.history),
        plan=shown.plan,
        expected=shown.expected,
        seen=shown.seen if shown.times_failed else (),
    )


def _tell(console: Console, shown: Counterexample, example: Counterexample, results: list[Result]) -> None:
    def line(text: str) -> None:
        console.print(one_line(text, LONGEST), markup=False, highlight=False, soft_wrap=True)

    if shown.times_failed:
        titles = {requirement.id: requirement.title for requirement in all_requirements().values()}
        console.print(render_counterexample(shown, titles))
        if example.source is Source.SCENARIO:
            # The search tells where explaining ended; the scenario says it in a person's words.
            recorded = zip(example.expected, example.seen, strict=False)
            for expected, seen in recorded:
                line(f"recorded on {example.candidate}: expected {expected}; seen {seen}")
    else:
        line(f"{example.title.replace('_', ' ')}, as recorded on {example.candidate}:")
        for setting in setup_words(shown.history):
            line(f"set-up: {setting}")
        for step in shown.plan:
            line(f"  {step}")
        for expected in shown.expected:
            line(f"expected: {expected}")
        for seen in shown.seen:
            line(f"seen then: {seen}")
    for old, new in _parts(example, results).items():
        line(f"{new} played the part of {old}, which has the same rank in the order of member ids")
    for verdict, count in _verdicts(results).items():
        if verdict != Verdict.FAIL:
            reasons = {
                result.reason: None for result in results if result.verdict == verdict and result.reason
            }
            line(f"{count} times {verdict}" + (f": {'; '.join(reasons)}" if reasons else ""))
    line(f"failed {shown.times_failed} of {shown.times_tried} times on {shown.candidate}")
