"""Runs that could not be written whole, and run directories that were damaged: never green, always named."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner, Result

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.command import group
from plumbline.ci.commands import run as run_command
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.results import runs
from plumbline.reference.results.runs import read_record
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.trace.files import recover, verified_files
from plumbline.suites.run import leaving, running
from plumbline.suites.run.profiles import PROFILES

SELECTION = ("--profile", "smoke", "--select", "VER-TIE", "--select", "CONS-RR")


def plumbline(*arguments: str | Path) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


def is_refused_and_never_green(directory: Path, errors: str, tmp_path: Path) -> None:
    """What holds of a run that stopped because its directory could not be written."""
    (line,) = errors.splitlines()
    assert line.startswith("plumbline: reference: the run stops, its directory cannot be written: ")
    site = plumbline("report", directory, "--out", tmp_path / "site", "--json")
    assert json.loads(site.stdout)["candidates"] == 1, "run.json stays readable"
    assert "1 of them not green" in plumbline("report", directory, "--out", tmp_path / "site").stdout


def small_disk(folder: Path, kilobytes: int) -> bool:
    """Mount a file system of that size; False where that is not allowed."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "none", str(folder)]
    return shutil.which("mount") is not None and (
        subprocess.run(command, check=False, capture_output=True).returncode == 0
    )


@pytest.fixture(params=[24, 40, 100])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path]:
    """A folder that takes only some kilobytes."""
    folder = tmp_path / "disk"
    if not small_disk(folder, request.param):
        pytest.skip("only root may mount a small file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_stops_the_run_in_one_line_and_keeps_what_was_written(disk: Path, tmp_path: Path):
    result = plumbline("run", *SELECTION, "--out", disk / "runs")
    assert result.exit_code == 2
    assert "No space left on device" in result.stderr
    is_refused_and_never_green(disk / "runs", result.stderr, tmp_path)
    (directory,) = (disk / "runs").iterdir()
    record = read_record(directory)
    assert not record.complete
    # With room again, what the journal took can be read.
    shutil.copytree(directory, tmp_path / "rescued")
    recover(tmp_path / "rescued")
    files, flaws = verified_files(tmp_path / "rescued", record.run_id)
    assert [path.name for path in files] == ["main.parquet"]
    assert "not ended in order" in flaws[0].reason


@pytest.mark.parametrize("kilobytes", [1, 16, 60])
def test_a_file_that_may_not_grow_is_a_full_disk_to_anybody(tmp_path: Path, kilobytes: int):
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1024, kilobytes * 1024))

    # Without bytecode: Python keeps what it could write of a module's, and the next process that imports it
    # fails.
    command = [sys.executable, "-B", "-m", "plumbline.ci", "run", *SELECTION, "--out", str(tmp_path / "runs")]
    done = subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    is_refused_and_never_green(tmp_path / "runs", done.stderr, tmp_path)


def full(*_: Any, **__: Any) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "somewhere")


@pytest.mark.parametrize(
    "what", one_in(2, ["seal_run", "judge_run", "write_counterexample", "seal", "write_verdicts"])
)
def test_wherever_the_disk_is_full_the_run_is_not_green(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
):
    monkeypatch.setattr(leaving if what == "write_counterexample" else running, what, full)
    candidate = "faulty:tie-keeps-own" if what == "write_counterexample" else "reference"
    result = plumbline("run", *SELECTION, "--candidate", candidate, "--out", tmp_path / "runs")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "No space left on device" in line
    site = plumbline("report", tmp_path / "runs", "--out", tmp_path / "site")
    assert "1 candidate, 1 of them not green" in site.stdout


@pytest.fixture
def larger_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder that takes some megabytes."""
    folder = tmp_path / "larger"
    if not small_disk(folder, 4_000):
        pytest.skip("only root may mount a small file system")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_fills_up_meanwhile_has_room_for_the_verdicts_so_far(
    larger_disk: Path, monkeypatch: pytest.MonkeyPatch
):
    def fill_up(*_: Any) -> Any:
        with (larger_disk / "others").open("wb") as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
                file.flush()
        full()

    monkeypatch.setattr(running, "judge_run", fill_up)
    arguments = ("run", "--profile", "smoke", "--select", "VER-TIE-01", "--candidate", "faulty:tie-keeps-own")
    result = plumbline(*arguments, "--out", larger_disk / "runs")
    assert result.exit_code == 2
    assert "No space left on device" in result.stderr
    (directory,) = (larger_disk / "runs").iterdir()
    assert read_record(directory).broken_off
    verdicts = {row.verdict for row in runs.read_verdicts(directory) if row.requirement == "VER-TIE-01"}
    assert verdicts == {Verdict.FAIL}
    assert b"the run itself" in (directory / "junit.xml").read_bytes()
    assert not (directory / running.ROOM).exists()


def test_a_run_writes_through_no_link_that_is_put_in_its_way(tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("of others")

    def put_in_the_way(*_: object) -> None:
        (directory,) = (tmp_path / "runs").iterdir()
        if not (directory / "counterexamples").is_symlink():
            (directory / "counterexamples").symlink_to(elsewhere)
            for name in ("junit.xml", "verdicts.parquet", "seal.json.part", "own-errors"):
                (directory / name).symlink_to(elsewhere / "file")

    candidate = find_candidate("faulty:tie-keeps-own")
    options = running.Options(selected=("VER-TIE-01",), profile=PROFILES["smoke"])
    with pytest.raises(OSError, match="this is a link"):
        running.run_suite(
            candidate, options, tmp_path / "runs", put_in_the_way, also_write=run_command._leave_junit
        )
    (directory,) = (tmp_path / "runs").iterdir()
    assert [path.name for path in elsewhere.iterdir()] == ["file"]
    assert (elsewhere / "file").read_text() == "of others"
    assert read_record(directory).broken_off
    assert runs.read_verdicts(directory) == []
    assert not (directory / "junit.xml").is_symlink()


def test_a_place_that_takes_no_directory_is_told_in_one_line(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    result = plumbline("run", *SELECTION, "--out", tmp_path / "file" / "runs")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert "Not a directory" in line


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run directory of the reference that is as it should be."""
    out = tmp_path_factory.mktemp("whole")
    assert plumbline("run", *SELECTION, "--out", out).exit_code == 0
    (directory,) = out.iterdir()
    return directory


def truncated(run: Path, _: Path) -> None:
    path = run / "trace" / "main.parquet"
    path.write_bytes(path.read_bytes()[:-100])


def foreign(run: Path, whole: Path) -> None:
    """The trace of another run, with a manifest that fits it."""
    record = read_record(whole)
    other = runs.RunRecord(
        **{name: getattr(record, name) for name in record.__struct_fields__} | {"run_id": "x"}
    )
    runs.write_record(run, other)


def one_file_too_many(run: Path, _: Path) -> None:
    shutil.copy(run / "trace" / "main.parquet", run / "trace" / "second.parquet")


def no_manifest(run: Path, _: Path) -> None:
    (run / "trace" / "manifest.json").unlink()


def no_parquet(run: Path, _: Path) -> None:
    (run / "trace" / "main.parquet").write_bytes(b"PAR1" + b"\0" * 1000 + b"PAR1")


def gone(run: Path, _: Path) -> None:
    (run / "trace" / "main.parquet").unlink()


@pytest.mark.parametrize(
    "damage", one_in(2, [truncated, foreign, one_file_too_many, no_manifest, gone, no_parquet])
)
def test_a_damaged_trace_is_named_and_no_rule_passes_through_it(whole: Path, tmp_path: Path, damage: Any):
    run = tmp_path / whole.name
    shutil.copytree(whole, run)
    damage(run, whole)
    result = plumbline("judge", run, "--out", tmp_path / "judged")
    assert result.exit_code == 2
    assert "set aside" in result.output
    assert str(run / "trace") in result.output
    told = plumbline("judge", run, "--json")
    verdicts = {one["verdict"] for one in json.loads(told.stdout)["verdicts"]}
    assert "pass" not in verdicts
    assert "Traceback" not in result.output
