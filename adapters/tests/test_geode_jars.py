"""Getting Geode's jars: once, whole, by one process at a time; and what is said when they cannot be had."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.adapters.errors import MissingToolError, UnknownCandidateError
from plumbline.adapters.geode.jars import KNOWN_VERSIONS, Jars, cache_directory, find_jars

# Stands in for Maven: notes each call, and puts two jars where it was told to.
MAVEN = """#!/bin/sh
echo called >> "$MAVEN_CALLS"
for argument; do
  case "$argument" in
    -DoutputDirectory=*) directory="${argument#*=}" ;;
    -Dgeode.version=*) version="${argument#*=}" ;;
  esac
done
touch "$directory/other-1.0.jar"
sleep 0.3
test -z "$MAVEN_FAILS" || { echo "no route to anywhere"; exit 1; }
touch "$directory/geode-core-$version.jar"
"""


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for Maven on the PATH, and an empty cache; the file that counts its calls."""
    tools = tmp_path / "bin"
    tools.mkdir()
    script = tools / "mvn"
    script.write_text(MAVEN)
    script.chmod(0o755)
    calls = tmp_path / "calls"
    calls.touch()
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setenv("MAVEN_CALLS", str(calls))
    monkeypatch.setenv("MAVEN_FAILS", "")
    monkeypatch.setenv("PLUMBLINE_CACHE", str(tmp_path / "cache"))
    return calls


def names(jars: Jars) -> list[str]:
    return [path.name for path in jars.paths]


def test_a_version_is_fetched_once_and_then_found_in_the_cache(maven: Path):
    first = find_jars("1.15.1")
    assert first.version == "1.15.1"
    assert names(first) == ["geode-core-1.15.1.jar", "other-1.0.jar"]
    assert find_jars("1.15.1") == first
    assert maven.read_text().splitlines() == ["called"]


def test_two_processes_fetch_a_version_only_once(maven: Path):
    command = [
        sys.executable,
        "-c",
        "from plumbline.adapters.geode.jars import find_jars; print(find_jars('1.9.2').version)",
    ]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate(timeout=30)[0] for process in both] == ["1.9.2\n"] * 2
    assert maven.read_text().splitlines() == ["called"]


def test_a_failed_download_leaves_nothing_and_tells_maven_s_last_words(
    maven: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MAVEN_FAILS", "yes")
    with pytest.raises(MissingToolError, match="no route to anywhere"):
        find_jars("1.15.1")
    assert [path.name for path in (cache_directory() / "geode").iterdir()] == ["1.15.1.lock"]
    monkeypatch.setenv("MAVEN_FAILS", "")
    assert find_jars("1.15.1").version == "1.15.1"
    assert len(maven.read_text().splitlines()) == 2


def test_the_remains_of_a_killed_download_are_not_used_and_swept(maven: Path):
    remains = cache_directory() / "geode" / "1.15.1.part-killed"
    remains.mkdir(parents=True)
    (remains / "geode-core-1.15.1.jar").touch()
    assert "other-1.0.jar" in names(find_jars("1.15.1"))
    assert not remains.exists()
    assert maven.read_text().splitlines() == ["called"]


def test_without_maven_the_remedy_is_named(maven: Path, monkeypatch: pytest.MonkeyPatch):
    (maven.parent / "bin" / "mvn").unlink()
    monkeypatch.setenv("PATH", str(maven.parent / "bin"))
    with pytest.raises(MissingToolError, match="apt-get install maven"):
        find_jars("1.15.1")


def test_an_unknown_version_names_the_near_ones():
    with pytest.raises(UnknownCandidateError, match=r"near it: .*1\.15\.1"):
        find_jars("1.15.2")
    with pytest.raises(UnknownCandidateError, match=r"known: 1\.15\.1, .*1\.2\.1"):
        find_jars("latest")


def test_the_versions_that_the_project_judges_are_known():
    assert {"1.15.1", "1.9.2", "1.2.1"} <= set(KNOWN_VERSIONS)
    assert len(set(KNOWN_VERSIONS)) == 17


@pytest.mark.parametrize("folder", [".", "lib"])
def test_a_directory_of_jars_tells_its_version_by_the_core_jar(tmp_path: Path, folder: str):
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "geode-core-1.14.4.jar").touch()
    (tmp_path / folder / "antlr.jar").touch()
    jars = find_jars(str(tmp_path))
    assert jars.version == "1.14.4"
    assert names(jars) == ["antlr.jar", "geode-core-1.14.4.jar"]


def test_a_directory_without_geode_says_what_is_wanted(tmp_path: Path):
    (tmp_path / "other.jar").touch()
    with pytest.raises(UnknownCandidateError, match=r"geode-core-VERSION\.jar"):
        find_jars(str(tmp_path))
    with pytest.raises(UnknownCandidateError, match=r"geode-core-VERSION\.jar"):
        find_jars(str(tmp_path / "nowhere"))
