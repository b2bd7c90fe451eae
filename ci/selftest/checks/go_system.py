"""The system in Go (adapters/examples/go): built, played against, and each of its bugs caught.

`python -m plumbline.ci.selftest.checks.go_system` writes docs/measured/truth-go-bugs.csv and the table of it.
"""

from __future__ import annotations

import csv
import json
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.ci.selftest.checks import measured
from plumbline.reference.results.verdicts import Verdict
from plumbline.suites.harness.session import Session
from plumbline.suites.run.playing import play
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

SOURCE = Path(__file__).resolve().parents[3] / "adapters" / "examples" / "go"

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
    """The first scenario of its requirement that fails on a bug, and says so."""
    with Session(candidate(binary, bug.name)) as session:
        return [
            one for one in failing(session, {bug.requirement}, most=1) if one.endswith(Verdict.FAIL.value)
        ]


@click.command()
def main() -> None:
    """Catch each bug, and write the table of them."""
    today = datetime.now(UTC).date().isoformat()
    with tempfile.TemporaryDirectory() as folder:
        binary = build(Path(folder))
        rows = []
        for bug in bugs(binary):
            found = caught(binary, bug)
            scenario = f"`{found[0].split(':')[0]}`" if found else "no scenario"
            rows.append([f"`{bug.name}`", bug.does, f"`{bug.requirement}`", scenario, today])
            click.echo(json.dumps([bug.name, bug.requirement, scenario]))
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["`--bug`", "what the system does then", "requirement", "found by", "date"])
        writer.writerows(rows)
    measured.main(standalone_mode=False, args=[])


if __name__ == "__main__":
    main()
