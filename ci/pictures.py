"""The pictures of the README: overview, a requirement's page, and a counterexample of Apache Geode.

    python -m plumbline.ci.pictures [RUNS]

Runs the candidates shown, unless RUNS holds their runs already, writes the site, and takes pictures of it
into `docs/pictures`. Knows which pages are shown, not what is on them.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from plumbline.ci.lint import ROOT
from plumbline.ci.main_job import PLUMBLINE
from plumbline.reports import screenshots
from plumbline.reports.collection import collect

PICTURES = ROOT / "docs" / "pictures"
CANDIDATES = ("reference", "faulty:tie-keeps-own", "geode:1.15.1")
BROKEN = "WANC-LOCAL-01"
"""What Apache Geode does against the documents every time."""


def main(arguments: list[str]) -> int:
    """Take the pictures; 0 if all were taken."""
    with tempfile.TemporaryDirectory(prefix="plumbline-pictures-") as folder:
        runs, site = Path(arguments[0]) if arguments else Path(folder) / "runs", Path(folder) / "site"
        for candidate in CANDIDATES if not arguments else ():
            # A candidate that is wrong ends with 1, as it should.
            command = (PLUMBLINE, "run", "--candidate", candidate, "--profile", "smoke", "--out", runs)
            subprocess.run(command, check=False)
        subprocess.run((PLUMBLINE, "report", runs, "--out", site), check=True)
        keys = [
            example.key
            for example in collect([runs]).examples()
            if example.record.candidate.startswith("geode") and BROKEN in example.record.requirements
        ]
        if not keys:
            sys.stderr.write(f"pictures: no run there of Apache Geode has broken {BROKEN}\n")
            return 2
        wanted = (
            "overview=index.html@860",
            f"requirement=requirements/{BROKEN}.html@1100",
            f"counterexample=counterexamples/{keys[0]}.html@1560",
        )
        return screenshots.main([str(site), str(PICTURES), *wanted])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
