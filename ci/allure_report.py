"""The suite's results as an Allure report: pytest with allure-pytest, then the Allure command line.

`python3 ci allure` in a clone; arguments go to pytest. The command line is a package of npm's, installed
below `.allure` once; it needs Java. Knows nothing of what the results say.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from plumbline.ci.lint import ROOT
from plumbline.reference.distribution import how_to_install

FOLDER = ROOT / ".allure"
PACKAGE = "allure-commandline@2.46.1"
LIMIT_S = 600


class MissingAllureError(Exception):
    """No report can be made on this machine; the message says what to do."""


def lacking() -> str:
    """What of this machine's is missing for a report, and the remedy; "" if nothing is."""
    if find_spec("allure_pytest") is None:
        return f"allure-pytest is not installed: {how_to_install('allure')}"
    if shutil.which("java") is None:
        return "no Java: apt-get install openjdk-17-jre-headless (Debian, Ubuntu)"
    if _installed() is None and shutil.which("npm") is None:
        return "no npm, which brings the Allure command line: apt-get install npm (Debian, Ubuntu)"
    return ""


def _installed(folder: Path = FOLDER) -> Path | None:
    program = folder / "tool" / PACKAGE / "node_modules" / "allure-commandline" / "dist" / "bin" / "allure"
    return program if program.is_file() else None


def command_line(folder: Path = FOLDER) -> Path:
    """The Allure command line, installed below a folder if it is not there; raises MissingAllureError."""
    if reason := lacking():
        raise MissingAllureError(reason)
    if _installed(folder) is None:
        home = folder / "tool" / PACKAGE
        home.mkdir(parents=True, exist_ok=True)
        # A lock would name addresses; there is one package, of the version named, without dependencies.
        quiet = ("--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")
        _run("npm", "install", "--silent", "--prefix", str(home), *quiet, PACKAGE)
    program = _installed(folder)
    if program is None:
        raise MissingAllureError(f"npm has installed {PACKAGE}, and it holds no command allure")
    return program


def generate(results: Path, report: Path, folder: Path = FOLDER) -> None:
    """Make a report of a folder of results, replacing an older one; raises MissingAllureError."""
    # One page that holds everything: browsers refuse to open from a disk a page that reads files beside it.
    _run(
        "sh",
        str(command_line(folder)),
        "generate",
        str(results),
        "--clean",
        "--single-file",
        "-o",
        str(report),
    )


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MissingAllureError(f"{command[0]}: {error}") from error
    if done.returncode:
        words = (done.stderr or done.stdout).strip()[-500:]
        raise MissingAllureError(f"{' '.join(command[:2])} ended with {done.returncode}: {words}")


def main(arguments: list[str]) -> int:
    """Play the suite and make the report; pytest's exit code, or 2 where there is no report."""
    results, report = FOLDER / "results", FOLDER / "report"
    try:
        command_line()
        options = ("--alluredir", str(results), "--clean-alluredir", *arguments)
        done = subprocess.run([sys.executable, "-m", "pytest", "suites", *options], cwd=ROOT, check=False)
        generate(results, report)
    except MissingAllureError as error:
        sys.stderr.write(f"allure: {error}\n")
        return 2
    sys.stdout.write(f"open {os.path.relpath(report / 'index.html')}\n")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
