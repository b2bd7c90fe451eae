"""The pictures of README and docs: overview, a requirement's page, and counterexamples of Apache Geode.

    python -m plumbline.ci.pictures [RUNS]

Runs the candidates shown, unless RUNS holds their runs already, writes the sites, and takes pictures of them
into `docs/pictures`. The counterexamples are those that are shipped. Knows which pages are shown, not what is
on them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from plumbline.ci.lint import ROOT
from plumbline.ci.main_job import PLUMBLINE
from plumbline.reference.results.runs import (
    RunRecord,
    read_counterexample,
    write_counterexample,
    write_record,
    write_verdicts,
)
from plumbline.reference.results.sealing import seal_run
from plumbline.reference.results.verdicts import Verdict, VerdictRow
from plumbline.reports import screenshots
from plumbline.reports.collection import collect

PICTURES = ROOT / "docs" / "pictures"
SHIPPED = ROOT / "ci" / "counterexamples"
CANDIDATES = ("reference", "faulty:tie-keeps-own", "geode:1.15.1")
REQUIREMENT = "WANC-LOCAL-01"
"""What Apache Geode does against the documents every time."""

EXAMPLES = {
    "counterexample": f"{REQUIREMENT}-geode-1.15.1",
    "geode-counterexample": f"{REQUIREMENT}-geode-1.9.2",
    "client-counterexample": "S2C-RECV-03-geode-1.15.1",
}
"""By the names of their pictures."""


def as_run(name: str, runs: Path) -> None:
    """Put a shipped counterexample into a run directory of its own, as if a run had found it just now."""
    one = read_counterexample(SHIPPED / f"{name}.json")
    record = RunRecord(
        run_id=name,
        suite_version=one.suite_version,
        candidate=one.candidate,
        product=one.product,
        product_version=one.product_version,
        dialect=one.dialect,
        profile="smoke",
        seed=one.seed,
        started="2026-11-21T00:00:00Z",
        complete=True,
    )
    file = write_counterexample(runs / name, name, one)
    row = VerdictRow(
        run_id=name,
        requirement=one.requirements[0],
        source=one.source,
        verdict=Verdict.FAIL,
        exercised=one.times_tried,
        failures=one.times_failed,
        reason="",
        counterexample=file,
        seconds=0.0,
    )
    write_record(runs / name, record)
    write_verdicts(runs / name, [row])
    seal_run(runs / name)


def main(arguments: list[str]) -> int:
    """Take the pictures; 0 if all were taken."""
    with tempfile.TemporaryDirectory(prefix="plumbline-pictures-") as folder:
        home = Path(folder)
        runs, shipped = Path(arguments[0]) if arguments else home / "runs", home / "shipped"
        for candidate in CANDIDATES if not arguments else ():
            # A candidate that is wrong ends with 1, as it should.
            command = (PLUMBLINE, "run", "--candidate", candidate, "--profile", "smoke", "--out", runs)
            subprocess.run(command, check=False)
        for name in EXAMPLES.values():
            as_run(name, shipped)
        for found, site in ((runs, home / "site"), (shipped, home / "examples")):
            subprocess.run((PLUMBLINE, "report", found, "--out", site), check=True)
        keys = {example.run_id: example.key for example in collect([shipped]).examples()}
        overview = ("overview=index.html@860", f"requirement=requirements/{REQUIREMENT}.html@960")
        pages = [f"{picture}=counterexamples/{keys[name]}.html@1780" for picture, name in EXAMPLES.items()]
        codes = [
            screenshots.main([str(home / "site"), str(PICTURES), *overview]),
            screenshots.main([str(home / "examples"), str(PICTURES), *pages]),
        ]
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
