"""What this machine has of what Plumbline can use, what each lack leaves out, and how to mend it.

Only looks: nothing is installed, fetched or changed. Knows nothing of how that is shown.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from plumbline.adapters.errors import MissingToolError
from plumbline.reference import distribution

PATIENCE_S = 20
"""So long may a program take to say its version."""

OLDEST_PYTHON = (3, 11)
OLDEST_JAVA = 17

LEAST_MEMORY_MIB = 512
"""A smoke run of the reference took 310 MiB at most (2026-11-21)."""

LEAST_DISK_MIB = 256
"""For run directories and temporary files; a smoke run of the reference leaves some 200 KiB."""

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

_MIB = 1024 * 1024

_EXTRAS = {
    "geode": "Apache Geode as a candidate",
    "spark": "judging very many runs with Spark; DuckDB judges all the same",
    "allure": "results for Allure from pytest",
    "docker": "candidates in containers (docker:IMAGE)",
}
"""What the packages of each extra are for; those for working on Plumbline itself are left aside."""


class ToolCheck(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked for.

    Attributes:
        name: what was looked for.
        good: whether it is there, and enough of it.
        found: what was found, in a few words.
        core: whether nothing can be tested without it.
        leaves_out: what cannot be done without it; "" where it is there.
        remedy: what to do about it; "" where it is there.
    """

    name: str
    good: bool
    found: str
    core: bool = False
    leaves_out: str = ""
    remedy: str = ""


def checks() -> Sequence[Callable[[], ToolCheck]]:
    """Everything that can be looked for, each when it is called; none of them raises or waits for long."""
    return (python, packages, *extras(), java, maven, docker, chromium, memory, disk, cores)


def python() -> ToolCheck:
    """The Python that runs this."""
    found = ".".join(str(part) for part in sys.version_info[:3])
    oldest = ".".join(str(part) for part in OLDEST_PYTHON)
    good = sys.version_info[:2] >= OLDEST_PYTHON
    return _check("Python", found, good, "everything", f"install Python {oldest} or newer", core=True)


def packages() -> ToolCheck:
    """The packages that nothing goes without."""
    names = distribution.packages()
    missing = [name for name in names if not _installed(name)]
    found = f"missing: {', '.join(missing)}" if missing else f"all {len(names)} there"
    return _check("packages", found, not missing, "everything", distribution.how_to_install(), core=True)


def extras() -> Iterator[Callable[[], ToolCheck]]:
    """One check for the packages of each extra."""
    for extra in _EXTRAS:
        yield partial(_extra, extra)


def _extra(extra: str) -> ToolCheck:
    names = distribution.packages(extra)
    missing = [name for name in names if not _installed(name)]
    there = ", ".join(f"{name} {_installed(name)}" for name in names)
    found = f"missing: {', '.join(missing)}" if missing else there
    remedy = distribution.how_to_install(extra)
    return _check(f"extra {extra}", found, bool(names) and not missing, _EXTRAS[extra], remedy)


def java() -> ToolCheck:
    """The Java that candidates and Spark are started with: that of JAVA_HOME, else of the PATH."""
    home = os.environ.get("JAVA_HOME")
    beside = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    program = beside or shutil.which("java")
    said = _said(program, "-version")
    number = re.search(r'version "(\d+)(?:\.(\d+))?', said)
    # Java 8 and older call themselves 1.8.
    major = int(number[2] if number[1] == "1" and number[2] else number[1]) if number else 0
    leaves_out = "Apache Geode as a candidate, and Spark"
    remedy = f"apt-get install openjdk-{OLDEST_JAVA}-jre-headless (Debian, Ubuntu), or set JAVA_HOME to one"
    found = f"{_first_line(said)} at {program}" if program else "missing"
    if program and major < OLDEST_JAVA:
        found += f"; version {OLDEST_JAVA} or newer is needed"
    return _check("Java", found, major >= OLDEST_JAVA, leaves_out, remedy)


def maven() -> ToolCheck:
    """Maven, which fetches the jars of Apache Geode."""
    said = _said(shutil.which("mvn"), "--version")
    leaves_out = "fetching Apache Geode (geode:VERSION); geode:DIR and what was fetched before go without"
    number = re.search(r"Apache Maven ([\w.-]+)", said)  # between colours, as some set it up
    found = number[1] if number else _first_line(said)
    return _check("Maven", found, number is not None, leaves_out, "apt-get install maven (Debian, Ubuntu)")


def docker() -> ToolCheck:
    """A Docker engine that answers the package which speaks to it, as a run would ask it."""
    good, remedy = False, "install and start a Docker engine"
    try:
        from plumbline.adapters.container.engine import Engine  # noqa: PLC0415 - the extra [docker]

        engine = Engine(call_s=PATIENCE_S)
    except ImportError:
        found, remedy = "missing: the package docker", distribution.how_to_install("docker")
    except MissingToolError as error:
        found = str(error)
    else:
        engine.client.close()
        good, found = True, engine.version
    return _check("Docker", found, good, _EXTRAS["docker"], remedy)


def chromium() -> ToolCheck:
    """A browser that can be driven."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    leaves_out = "testing the site in a real browser, when working on Plumbline itself"
    return _check(
        "Chromium",
        found or "missing",
        found is not None,
        leaves_out,
        "apt-get install chromium (Debian, Ubuntu)",
    )


def memory() -> ToolCheck:
    """Memory that is free, of the machine and of the container around this."""
    free = [_meminfo()]
    limit, used = _number("/sys/fs/cgroup/memory.max"), _number("/sys/fs/cgroup/memory.current")
    if limit is not None and used is not None:
        free.append((limit - used) // _MIB)
    known = [one for one in free if one is not None]
    found = f"{min(known):,} MiB free" if known else "not known on this system"
    good = not known or min(known) >= LEAST_MEMORY_MIB
    remedy = f"have {LEAST_MEMORY_MIB} MiB free, and 512 more for each member of Apache Geode"
    return _check("memory", found, good, "everything: runs may be killed", remedy, core=True)


def disk() -> ToolCheck:
    """Room where run directories and temporary files go."""
    places = {Path.cwd(), Path(tempfile.gettempdir())}
    free = {place: shutil.disk_usage(place).free // _MIB for place in places}
    tight = min(free, key=lambda place: free[place])
    found = f"{free[tight]:,} MiB free in {tight}"
    remedy = f"have {LEAST_DISK_MIB} MiB free there, or set TMPDIR and run elsewhere"
    return _check("disk", found, free[tight] >= LEAST_DISK_MIB, "everything: runs stop", remedy, core=True)


def cores() -> ToolCheck:
    """Processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    count = float(len(affinity(0)) if affinity else os.cpu_count() or 1)
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()[:2]
        count = min(count, int(quota) / int(period))
    except (OSError, ValueError):
        pass  # no container around this, or none with a limit
    leaves_out = "nothing; a member of Apache Geode may be slower than its time-outs allow"
    return _check("cores", f"{count:g}", count >= 2, leaves_out, "give it two, or longer time-outs")


def _check(
    name: str, found: str, good: bool, leaves_out: str, remedy: str, *, core: bool = False
) -> ToolCheck:
    if good:
        return ToolCheck(name=name, good=True, found=found, core=core)
    return ToolCheck(name=name, good=False, found=found, core=core, leaves_out=leaves_out, remedy=remedy)


def _installed(package: str) -> str:
    """The version of a package, or ""."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _said(program: str | None, *arguments: str) -> str:
    """What a program says when it is asked; "missing", or why it could not be asked."""
    if program is None:
        return "missing"
    try:
        done = subprocess.run(
            [program, *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            timeout=PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{program} did not answer within {PATIENCE_S} s"
    except OSError as error:
        return f"{program} does not run: {error.strerror}"
    return (
        (done.stdout.strip() or done.stderr.strip())
        if done.returncode == 0
        else (f"{program} failed (exit code {done.returncode}): {_first_line(done.stderr or done.stdout)}")
    )


def _first_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0] if lines else "says nothing"


def _meminfo() -> int | None:
    """MiB that the kernel thinks available, where it says so."""
    try:
        found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) // 1024 if found else None


def _number(path: str) -> int | None:
    try:
        return int(Path(path).read_text())
    except (OSError, ValueError):
        return None  # "max": no limit
