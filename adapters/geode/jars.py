"""The jars of one version of Apache Geode: fetched once by Maven, or found in a directory.

Knows nothing of running them.
"""

from __future__ import annotations

import difflib
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from plumbline.adapters.errors import MissingToolError, UnknownCandidateError

# Versions whose three artifacts were seen to be complete and to run on Java 17.
KNOWN_VERSIONS = (
    "1.15.1",
    "1.15.0",
    "1.14.4",
    "1.14.0",
    "1.13.8",
    "1.13.0",
    "1.12.0",
    "1.11.0",
    "1.10.0",
    "1.9.2",
    "1.8.0",
    "1.7.0",
    "1.6.0",
    "1.5.0",
    "1.4.0",
    "1.3.0",
    "1.2.1",
)

FETCH_LIMIT_S = 900

_CORE_JAR = re.compile(r"geode-core-(\d+(?:\.\d+)*[\w.-]*)\.jar")
_POM = Path(__file__).with_name("pom.xml")


class Jars(msgspec.Struct, frozen=True):
    """What a member's class path needs. `version` is the one that the core jar's name tells."""

    version: str
    paths: tuple[Path, ...]


def find_jars(name: str) -> Jars:
    """The jars that are meant by what stands behind `geode:`, a version or a directory.

    A version is fetched by Maven into the cache directory the first time; this takes some 20 seconds.

    Raises:
        UnknownCandidateError: neither a known version nor a directory with Geode's jars.
        MissingToolError: Maven is missing, or could not fetch them.
    """
    if name in KNOWN_VERSIONS:
        return _read_directory(_fetched(name))
    if os.sep in name or Path(name).is_dir():
        return _read_directory(Path(name).expanduser())
    near = difflib.get_close_matches(name, KNOWN_VERSIONS, n=3, cutoff=0.5)
    hint = f"near it: {', '.join(near)}" if near else f"known: {', '.join(KNOWN_VERSIONS)}"
    raise UnknownCandidateError(
        f"geode:{name}: no such version of Apache Geode is known ({hint}), and it is no directory of jars"
    )


def cache_directory() -> Path:
    """Where fetched jars are kept: $PLUMBLINE_CACHE, or `plumbline` in the user's cache directory."""
    if chosen := os.environ.get("PLUMBLINE_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "plumbline"


def _read_directory(directory: Path) -> Jars:
    """Jars of a folder, or of `lib` in it, as an unpacked distribution of Geode has it."""
    for folder in (directory, directory / "lib"):
        paths = tuple(sorted(folder.glob("*.jar")))
        for path in paths:
            if found := _CORE_JAR.fullmatch(path.name):
                return Jars(found[1], paths)
    raise UnknownCandidateError(
        f"geode:{directory}: neither it nor its folder lib holds geode-core-VERSION.jar; name the directory"
        f" of an unpacked Apache Geode, or a version: {', '.join(KNOWN_VERSIONS)}"
    )


def _fetched(version: str) -> Path:
    """The cache's directory of a version; it exists whole or not at all."""
    home = cache_directory() / "geode"
    directory = home / version
    if directory.is_dir():
        return directory
    home.mkdir(parents=True, exist_ok=True)
    with locked(home / f"{version}.lock"):
        if directory.is_dir():  # another process fetched it while this one waited
            return directory
        for remains in home.glob(f"{version}.part-*"):  # of a process that was killed: none has the lock now
            shutil.rmtree(remains, ignore_errors=True)
        draft = Path(tempfile.mkdtemp(prefix=f"{version}.part-", dir=home))
        try:
            _fetch(version, draft)
            draft.chmod(0o755)
            draft.rename(directory)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return directory


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock between processes; the system lets go of it when its holder dies."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _fetch(version: str, directory: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingToolError(
            f"geode:{version} needs Apache Maven to fetch Geode's jars, and no mvn is on the PATH: install it"
            " (Debian, Ubuntu: apt-get install maven), or name a directory of jars: geode:DIRECTORY"
        )
    _tell(f"fetching Apache Geode {version} by Maven, once, some 55 MB")
    command = [
        maven,
        "-q",
        "-B",
        "-f",
        str(_POM),
        f"-Dgeode.version={version}",
        f"-DoutputDirectory={directory}",
        "dependency:copy-dependencies",
    ]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=FETCH_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise MissingToolError(
            f"geode:{version}: Maven did not end within {FETCH_LIMIT_S} s; is its repository within reach?"
        ) from None
    if done.returncode != 0 or not (directory / f"geode-core-{version}.jar").is_file():
        words = "\n".join(done.stdout.decode(errors="replace").strip().splitlines()[-8:])
        raise MissingToolError(
            f"geode:{version}: Maven could not fetch the jars (exit code {done.returncode}). Its repository"
            f" must be within reach the first time; its last words:\n{words}"
        )
    _tell(f"Apache Geode {version} will be kept in {directory.parent / version}")


def _tell(words: str) -> None:
    """Progress, for people."""
    sys.stderr.write(f"plumbline: {words}\n")
    sys.stderr.flush()
