"""The system in Go (adapters/examples/go): built, played against, and each of its bugs caught.

`python -m plumbline.ci.selftest.checks.go_system` writes docs/measured/truth-go-bugs.csv and the table of it.
"""

from __future__ import annotations

import csv
import itertools
import json
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.ci.selftest.checks import measured
from plumbline.reference.history.history import History
from plumbline.reference.results.verdicts import Verdict
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.run.known_deviations import NOTHING
from plumbline.suites.run.plan_outcomes import play_plans
from plumbline.suites.run.playing import play
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

SOURCE = Path(__file__).resolve().parents[3] / "adapters" / "examples" / "go"

DRAWN_S = 30.0
"""So long a machine may draw plans from one seed until one fails on a bug."""

DRAW_SEEDS = (1, 2, 5)
"""What plans are drawn from, one seed after the other."""

TABLE = measured.DOCS / "measured" / "truth-go-bugs.csv"


class Bug(msgspec.Struct, frozen=True):
    """One mistake that the system makes with `--bug`, as `--bugs` lists it.

    Attributes:
        name: its name.
        does: what the system does then.
        requirement: the one that shows it.
    """

    name: str
    does: str
    requirement: str


def missing() -> str:
    """Why the system cannot be built on this machine, or ""."""
    return "" if shutil.which("go") else "Go is not installed (Debian: golang-go)"


def build(folder: Path) -> Path:
    """The static binary, built into a folder; raises CalledProcessError with what the compiler says."""
    binary = folder / "grid"
    environment = os.environ | {"CGO_ENABLED": "0"}
    subprocess.run(
        ["go", "build", "-trimpath", "-o", str(binary), "."],
        cwd=SOURCE,
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    return binary


def candidate(binary: Path, bug: str = "") -> Candidate:
    """The system as a candidate, with a bug or without."""
    return find_candidate(f"process:{shlex.join([str(binary), *(('--bug', bug) if bug else ())])}")


def bugs(binary: Path) -> list[Bug]:
    """All bugs, by name."""
    return msgspec.json.decode(subprocess.check_output([str(binary), "--bugs"]), type=list[Bug])


def failing(
    session: Session, requirements: Collection[str] = (), most: int | None = None, every: int = 1
) -> list[str]:
    """Scenarios about these requirements that do not pass, at most so many; of all where none is named.

    Those are left out that its dialect does not owe. Only every second one is played, or third, where `every`
    says so.
    """
    found: list[str] = []
    for scenario in list(SCENARIOS.values())[::every]:
        if len(found) == most:
            break
        if not any(map(session.owes, scenario.requirements)):
            continue
        if not requirements or not set(scenario.requirements).isdisjoint(requirements):
            result = play(scenario, session, session.book, naming_ms=0)
            if result.verdict in {Verdict.FAIL, Verdict.ADAPTER_ERROR, Verdict.UNKNOWN}:
                found.append(f"{scenario.name}: {result.verdict.value}")
    return found


def caught(binary: Path, bug: Bug) -> list[str]:
    """The first scenario of its requirement that fails on a bug, or else the first machine, and says so."""
    with Session(candidate(binary, bug.name)) as session:
        found = failing(session, {bug.requirement}, most=1)
        return [one for one in found if one.endswith(Verdict.FAIL.value)] or drawn(session, bug)


class _ShownError(Exception):
    """Ends the drawing of plans: one has failed."""


def drawn(session: Session, bug: Bug) -> list[str]:
    """The first machine of its requirement of which a drawn plan fails on a bug, and says so."""

    def saw(_name: str, verdict: Verdict, _history: History) -> None:
        if verdict is Verdict.FAIL:
            raise _ShownError

    machines = [machine for machine in MACHINES.values() if bug.requirement in machine.requirements]
    for machine, seed in itertools.product(machines, DRAW_SEEDS):
        try:
            play_plans(
                machine,
                session,
                session.book,
                profile=PROFILES["gate"],
                draw_seed=seed,
                deadline=time.monotonic() + DRAWN_S,
                on_record=NOTHING,
                saw=saw,
                progress=lambda _: None,
            )
        except _ShownError:
            return [f"{machine.name}: {Verdict.FAIL.value}"]
    return []


@click.command()
def main() -> None:
    """Catch each bug, and write the table of them."""
    today = datetime.now(UTC).date().isoformat()
    with tempfile.TemporaryDirectory() as folder:
        binary = build(Path(folder))
        rows = []
        for bug in bugs(binary):
            found = caught(binary, bug)
            shown = f"`{found[0].split(':')[0]}`" if found else "nothing"
            rows.append([f"`{bug.name}`", bug.does, f"`{bug.requirement}`", shown, today])
            click.echo(json.dumps([bug.name, bug.requirement, shown]))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["`--bug`", "what the system does then", "requirement", "found by", "date"])
        writer.writerows(rows)
    measured.main(standalone_mode=False, args=[])


if __name__ == "__main__":
    main()
