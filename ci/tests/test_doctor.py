"""`plumbline doctor`: what is found, what a lack leaves out, and that no program can hold it up."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import metadata
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner

from plumbline.ci import prerequisites
from plumbline.ci.command import group
from plumbline.ci.prerequisites import ToolCheck


def program(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it but what a test puts there."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/engine.sock")
    return tmp_path


def test_everything_is_told_with_its_remedy_in_json_and_for_people(path: Path):
    del path
    result = CliRunner().invoke(group, ["doctor", "--json"])
    told = json.loads(result.stdout)
    assert (result.exit_code, told["healthy"]) == (0, True)
    names = [one["name"] for one in told["checks"]]
    assert names[:2] == ["Python", "packages"]
    assert {"Java", "Maven", "Docker", "Chromium", "memory", "disk", "cores", "extra spark"} <= set(names)
    for one in told["checks"]:
        assert one["good"] or (one["leaves_out"] and one["remedy"]), one
    text = CliRunner().invoke(group, ["doctor"]).stdout
    assert "○ Maven             missing\n    leaves out: fetching Apache Geode" in text
    assert "remedy:     apt-get install maven" in text


@pytest.mark.parametrize(
    ("look", "lacking"),
    [
        (prerequisites.java, "Java"),
        (prerequisites.maven, "Maven"),
        (prerequisites.chromium, "Chromium"),
    ],
)
def test_a_program_that_is_not_there_is_missing_and_the_core_goes_without(
    path: Path, look: Callable[[], ToolCheck], lacking: str
):
    del path
    check = look()
    assert (check.name, check.good, check.core, check.found) == (lacking, False, False, "missing")


@pytest.mark.parametrize(
    ("said", "good"),
    [
        ('openjdk version "17.0.15" 2025-04-15', True),
        ('java version "21" 2023-09-19 LTS', True),
        ('java version "1.8.0_392"', False),
        ('openjdk version "11.0.2"', False),
        ("Segmentation fault", False),
    ],
)
def test_java_is_there_when_it_is_new_enough(path: Path, said: str, good: bool):
    program(path, "java", f"echo '{said}' >&2")
    assert prerequisites.java().good is good


def test_the_java_of_java_home_comes_first(path: Path, monkeypatch: pytest.MonkeyPatch):
    program(path, "java", "echo 'openjdk version \"11\"' >&2")
    (path / "home" / "bin").mkdir(parents=True)
    program(path / "home" / "bin", "java", "echo 'openjdk version \"17\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(path / "home"))
    assert prerequisites.java().good


def test_maven_is_recognised_between_colours(path: Path):
    program(path, "mvn", r"printf '\033[1mApache Maven 3.8.7\033[m\n'")
    assert (prerequisites.maven().good, prerequisites.maven().found) == (True, "3.8.7")


def test_without_an_engine_the_place_that_was_asked_is_told(path: Path):
    check = prerequisites.docker()
    assert not check.good
    assert f"no Docker engine answers at unix://{path}/engine.sock" in check.found


def test_without_its_package_the_extra_is_the_remedy(path: Path, monkeypatch: pytest.MonkeyPatch):
    del path
    monkeypatch.setitem(sys.modules, "plumbline.adapters.container.engine", None)
    check = prerequisites.docker()
    assert (check.good, check.found) == (False, "missing: the package docker")
    assert check.remedy.startswith("pip install")


class _Engine(BaseHTTPRequestHandler):
    """An engine that gives its version, and nothing else."""

    def do_GET(self) -> None:
        said = json.dumps({"Version": "27.3.1", "ApiVersion": "1.47", "NCPU": 2}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_: object) -> None:
        """Nothing: the test says what went wrong."""


def test_an_engine_that_answers_is_told_with_its_version(monkeypatch: pytest.MonkeyPatch):
    with HTTPServer(("127.0.0.1", 0), _Engine) as server:
        serving = Thread(target=server.serve_forever)
        serving.start()
        monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{server.server_port}")
        check = prerequisites.docker()
        server.shutdown()
        serving.join()
    assert (check.good, check.found) == (True, "27.3.1")


def test_a_program_that_hangs_or_is_none_holds_nothing_up(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(prerequisites, "PATIENCE_S", 0.2)
    program(path, "mvn", "exec /bin/sleep 60")
    assert "did not answer within" in prerequisites.maven().found
    (path / "mvn").write_bytes(b"\x7fELF junk")
    assert "does not run" in prerequisites.maven().found


@pytest.mark.parametrize(
    ("name", "value", "lacking"),
    [
        ("LEAST_MEMORY_MIB", 10**9, "memory"),
        ("LEAST_DISK_MIB", 10**12, "disk"),
        ("OLDEST_PYTHON", (9, 0), "Python"),
    ],
)
def test_without_what_the_core_needs_the_exit_code_is_1(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: object, lacking: str
):
    del path
    monkeypatch.setattr(prerequisites, name, value)
    result = CliRunner().invoke(group, ["doctor"])
    assert result.exit_code == 1
    assert f"✗ {lacking} " in result.stdout
    assert "a required tool is missing" in result.stdout


def test_a_package_that_is_missing_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch):
    needs = ["click>=8.1", "no-such-package>=1", 'no-such-extra<3,>=2; extra == "spark"']
    monkeypatch.setattr(metadata, "requires", lambda _: needs)
    assert prerequisites.packages().found == "missing: no-such-package"
    assert prerequisites.packages().remedy == "pip install 'click>=8.1' 'no-such-package>=1'"
    spark = next(look() for look in prerequisites.extras() if look().name == "extra spark")
    assert (spark.good, spark.found) == (False, "missing: no-such-extra")
    assert spark.remedy == "pip install 'no-such-extra<3,>=2'"


def test_the_memory_of_a_container_counts_where_it_is_less(monkeypatch: pytest.MonkeyPatch):
    files = {"/sys/fs/cgroup/memory.max": 600 * 1024**2, "/sys/fs/cgroup/memory.current": 500 * 1024**2}
    monkeypatch.setattr(prerequisites, "_number", files.get)
    check = prerequisites.memory()
    assert (check.good, check.found) == (False, "100 MiB free")


def test_it_looks_at_the_python_that_runs_it():
    assert prerequisites.python().found == ".".join(map(str, sys.version_info[:3]))
    assert float(prerequisites.cores().found) <= (os.cpu_count() or 1)
