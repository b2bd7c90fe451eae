"""The main job: every layer once, on this machine, ending in a site to look at and a summary.

Tests the reference, which must pass, two faulty variants, which must be caught, and a real Apache Geode;
judges all their traces by Spark; writes the site, and one of many runs. Each step is a command that can be
repeated. Knows what exit code each step should have, and nothing of how the steps work.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import FrameType

import msgspec
from rich.console import Console
from rich.table import Table

from plumbline.adapters.errors import MissingToolError
from plumbline.adapters.geode.jars import find_jars
from plumbline.reference.results.runs import UnreadableRunError, read_counterexample, read_verdicts
from plumbline.reference.results.verdicts import Verdict
from plumbline.spark.session import MissingSparkError, require_spark

GEODE_VERSION = "1.15.1"
GEODE_DEVIATIONS = Path(__file__).with_name("geode-deviations.toml")
"""What Apache Geode is known to do against the documents."""

FAULTY_VARIANTS = ("tie-last-wins", "announces-twice")
BROKEN_AREAS = ("versions", "consistency", "wan-conflicts")
"""What these variants break most of: all areas take three times as long, and show the same faults."""

GENERATED = 100
"""So many runs are generated, for a report of many runs with a trend."""

PLUMBLINE = Path(sys.executable).with_name("plumbline")


class JobStep(msgspec.Struct, frozen=True, kw_only=True):
    """One command of the main job.

    Attributes:
        title: what it does, for the summary.
        arguments: of the `plumbline` command, or of the module.
        module: a module of Plumbline that is run in its place, or "".
        expected: the exit code it has when everything is as it should be.
        skipped: why it cannot be run on this machine, or "".
        lacking: what of it this machine cannot do, though the rest is run, or "".
        note: what an expected end means, or "".
        log: where its output goes, None for the terminal. A faulty variant has hundreds of lines to show.
        excuse: says why another end is as good, "" if it is not; None where none is.
    """

    title: str
    arguments: tuple[str, ...] = ()
    module: str = ""
    expected: int = 0
    skipped: str = ""
    lacking: str = ""
    note: str = ""
    log: Path | None = None
    excuse: Callable[[], str] | None = None


class StepResult(msgspec.Struct, frozen=True):
    """How a step ended: its exit code, None where it was skipped, how long it took, and what excuses it."""

    step: JobStep
    exit_code: int | None
    seconds: float = 0.0
    excused: str = ""

    @property
    def as_expected(self) -> bool:
        """Whether it was run and ended as it should."""
        return self.exit_code == self.step.expected or bool(self.excused)

    @property
    def words(self) -> str:
        """How it ended, for the summary."""
        if self.exit_code is None:
            return f"skipped: {self.step.skipped}"
        told = f"exit code {self.exit_code}"
        if not self.as_expected:
            return f"{told}, not {self.step.expected}: FAILED"
        note = self.excused or self.step.note
        return "; ".join(part for part in (told, note, self.step.lacking) if part)


def missing_for_spark() -> str:
    """Why Spark cannot run here, or ""."""
    try:
        require_spark()
    except MissingSparkError as error:
        return str(error).splitlines()[0]
    return ""


def missing_for_geode(version: str) -> str:
    """Why this version of Apache Geode cannot run here, or ""; fetches its jars the first time."""
    if shutil.which("java") is None:
        return "no Java 17 or newer"
    try:
        find_jars(version)
    except MissingToolError as error:
        return str(error).splitlines()[0]
    return ""


def fails_now_and_then(runs: Path) -> str:
    """What only fails now and then in the last run of Apache Geode there; "" if anything else is wrong, too.

    A product that is unsteady is news for the reader of the site, and no mistake of the suite. What failed
    once, when the time was over, was not played again: whether it is steady is not known.
    """
    last = max(runs.glob("*-geode-*"), key=lambda run: run.name, default=runs)
    try:
        tries: dict[str, int] = {}
        for file in (last / "counterexamples").glob("*.json"):
            found = read_counterexample(file)
            for requirement in found.requirements:
                tries[requirement] = max(found.times_tried, tries.get(requirement, 0))
        verdicts = Counter(
            Verdict.INTERMITTENT
            if row.verdict is Verdict.FAIL and tries.get(row.requirement) == 1
            else row.verdict
            for row in read_verdicts(last)
        )
    except UnreadableRunError:
        return ""
    unsteady = verdicts.pop(Verdict.INTERMITTENT, 0)
    wrong = {Verdict.FAIL, Verdict.ADAPTER_ERROR, Verdict.UNKNOWN} & verdicts.keys()
    return f"{unsteady} verdicts fail now and then, see the site" if unsteady and not wrong else ""


def plan(home: Path, site: Path) -> list[JobStep]:
    """The steps, in order; `home` takes the run directories and logs, `site` the pages."""
    no_geode = missing_for_geode(GEODE_VERSION)
    no_spark = missing_for_spark()
    right, faulty, judged = home / "right", home / "faulty", home / "judged"
    reference, generated, many = right / "reference", home / "generated", home / "many"
    return [
        JobStep(
            title="reference, profile gate",
            arguments=("run", "--candidate", "reference", "--profile", "gate", "--out", str(reference)),
        ),
        JobStep(title="gate, by the policy for most", arguments=("gate", str(reference)), note="may go"),
        *(
            JobStep(
                title=f"faulty variant {name}",
                arguments=(
                    *("run", "--candidate", f"faulty:{name}", "--profile", "smoke"),
                    *(part for area in BROKEN_AREAS for part in ("--select", area)),
                    *("--out", str(faulty)),
                ),
                expected=1,
                note="caught",
                log=home / f"{name}.txt",
            )
            for name in FAULTY_VARIANTS
        ),
        JobStep(
            title=f"Apache Geode {GEODE_VERSION}, smoke",
            arguments=(
                # Members are processes, and take long. Scenarios that are about every requirement come first.
                *("run", "--candidate", f"geode:{GEODE_VERSION}", "--profile", "smoke", "--budget", "3m"),
                *("--deviations", str(GEODE_DEVIATIONS), "--out", str(right)),
            ),
            skipped=no_geode,
            excuse=partial(fails_now_and_then, right),
        ),
        JobStep(
            title="rules over all traces",
            arguments=(
                *("judge", str(right), str(faulty), "--engine", "duckdb" if no_spark else "spark"),
                *("--out", str(judged)),
            ),
            expected=1,
            lacking=no_spark and f"by DuckDB alone: {no_spark}",
            note="faults seen",
        ),
        JobStep(
            title="rules without faulty variants",
            arguments=("judge", str(right), "--engine", "duckdb"),
            note="nothing seen",
        ),
        JobStep(title="site", arguments=("report", str(right), str(faulty), str(judged), "--out", str(site))),
        JobStep(
            title=f"{GENERATED} runs, generated from those of the reference and a faulty variant",
            arguments=(
                *(str(reference), str(generated), "--wrong", str(faulty)),
                *("--runs", str(GENERATED)),
            ),
            module="plumbline.reference.judged.generator",
        ),
        JobStep(
            title="judged tables of all these runs",
            arguments=(
                *("judge", str(generated), str(faulty), "--all"),
                *("--engine", "duckdb" if no_spark else "spark", "--out", str(many)),
            ),
            expected=1,
            lacking=no_spark and f"by DuckDB alone: {no_spark}",
            note="the fault of one version seen",
            log=home / "many.txt",
        ),
        JobStep(title="site of many runs", arguments=("report", str(many), "--out", str(site / "many"))),
    ]


class JobStop:
    """What SIGTERM does: it goes on to the step under way, and the job ends when that has ended."""

    def __init__(self) -> None:
        self.asked = False
        self.step: subprocess.Popen[bytes] | None = None

    def __call__(self, signal_number: int, frame: FrameType | None) -> None:
        """Pass the signal on; raising an exception here could lose a step that is just being started."""
        del signal_number, frame
        self.asked = True
        if self.step is not None:
            self.step.terminate()


STOP = JobStop()


def carry_out(command: list[str], log: Path | None) -> int:
    """Run a command, its output going to a file or the terminal; its exit code. It never outlives this."""
    with (
        nullcontext() if log is None else log.open("w") as output,
        subprocess.Popen(command, stdout=output, stderr=output) as STOP.step,
    ):
        if STOP.asked:
            STOP.step.terminate()
        try:
            code = STOP.step.wait()
        except KeyboardInterrupt:
            STOP.step.wait()  # the terminal has interrupted it, too, and it is ending what it started
            raise
    if STOP.asked:
        sys.exit(128 + signal.SIGTERM)
    return code


def carry_out_all(
    steps: list[JobStep], execute: Callable[[list[str], Path | None], int] = carry_out
) -> list[StepResult]:
    """Run the steps one after the other, also behind one that failed: the site should show what there is."""
    results = []
    for number, step in enumerate(steps, start=1):
        print(f"\n==> [{number}/{len(steps)}] {step.title}", flush=True)
        if step.skipped:
            print(f"    skipped: {step.skipped}", flush=True)
            results.append(StepResult(step, None))
            continue
        command = [sys.executable, "-m", step.module] if step.module else [str(PLUMBLINE)]
        print(f"    {step.module or 'plumbline'} {shlex.join(step.arguments)}", flush=True)
        begun = time.monotonic()
        code = execute([*command, *step.arguments], step.log)
        seconds = time.monotonic() - begun
        excused = step.excuse() if step.excuse is not None and code != step.expected else ""
        results.append(StepResult(step, code, seconds, excused))
        if step.log is not None:
            print(f"    exit code {code}; what it printed is in {step.log}", flush=True)
    return results


def succeeded(results: list[StepResult], *, all_of_it: bool) -> bool:
    """Whether what ran ended as expected and, if `all_of_it` is wanted, nothing was skipped or lacking."""
    whole = not any(result.step.skipped or result.step.lacking for result in results)
    fine = all(result.as_expected for result in results if result.exit_code is not None)
    return fine and (whole or not all_of_it)


def show(results: list[StepResult], console: Console) -> None:
    """Print the summary: what ran and how it ended, what was skipped and why."""
    table = Table(title="Main job", title_justify="left")
    table.add_column("step")
    table.add_column("seconds", justify="right")
    table.add_column("ended")
    for result in results:
        seconds = "" if result.exit_code is None else f"{result.seconds:.1f}"
        table.add_row(result.step.title, seconds, result.words)
    console.print()
    console.print(table)


def main() -> int:
    """Run the main job below `runs/` and `site/` of the current directory; 0 if all went as expected."""
    signal.signal(signal.SIGTERM, STOP)
    home = Path("runs") / f"main-{datetime.now(UTC):%Y%m%d-%H%M%S}"
    home.mkdir(parents=True)
    site = Path("site")
    try:
        results = carry_out_all(plan(home, site))
    except KeyboardInterrupt:
        print("main job: interrupted", file=sys.stderr)
        return 130
    show(results, Console(markup=False))
    # CI has every tool, so there a part that is skipped is a mistake of ours.
    good = succeeded(results, all_of_it=os.environ.get("CI") == "true")
    print(f"Runs: {home}")
    print(f"Open: {(site / 'index.html').resolve()}")
    print(f"Many runs: {(site / 'many' / 'index.html').resolve()}")
    print("Main job: everything went as expected." if good else "Main job: FAILED, see the table above.")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
