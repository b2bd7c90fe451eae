"""The progress lines of a run: failures at once, how far it has come, and when enough has failed."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from plumbline.adapters.candidates import Candidate, CandidateKind, find_candidate
from plumbline.adapters.protocol import Introduction
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.command import group
from plumbline.ci.terminal import run_progress
from plumbline.ci.terminal.run_progress import RunProgress
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.results.runs import Counterexample, read_record, read_verdicts
from plumbline.reference.results.verdicts import Verdict
from plumbline.suites.run.configuration import Settings
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.running import Options, run_suite

TIES = ("VER-TIE-01", "VER-TIE-03")
LIMIT_S = 20.0


def run(out: Path, *arguments: str) -> Result:
    selection = ("--profile", "smoke", "--select", "VER-TIE", "--out", str(out))
    return CliRunner().invoke(group, ["run", *selection, *arguments])


def runs_below(out: Path) -> list[Path]:
    return sorted(path.parent for path in out.glob("*/run.json"))


def test_a_failure_is_told_when_its_file_is_there_and_the_run_goes_on(tmp_path: Path):
    told: list[Counterexample] = []

    def failed(counterexample: Counterexample) -> None:
        (directory,) = runs_below(tmp_path)
        assert list((directory / "counterexamples").glob("*.json"))
        assert not (directory / "verdicts.parquet").exists(), "the run has not ended"
        told.append(counterexample)

    options = Options(selected=TIES, profile=PROFILES["smoke"])
    candidate = find_candidate("faulty:tie-keeps-own")
    outcome = run_suite(candidate, options, tmp_path, lambda *_: None, failed)
    assert told == sorted(outcome.counterexamples, key=told.index)
    assert len(told) > 1


def test_what_fails_is_told_in_few_lines_with_its_replay_before_the_end(tmp_path: Path):
    result = run(tmp_path, "--candidate", "faulty:tie-keeps-own")
    assert result.exit_code == 1
    first, *rest = result.stderr.splitlines()
    assert first.startswith("✗ fail  faulty:tie-keeps-own: ")
    assert "VER-TIE-01" in first
    assert any(line.startswith("    plumbline replay ") for line in rest[:3])


def test_x_stops_at_the_first_failure_and_says_so(tmp_path: Path):
    result = run(tmp_path, "--candidate", "faulty:tie-keeps-own", "--candidate", "reference", "-x", "--json")
    assert result.exit_code == 1, result.output
    assert "the rest was not played" in result.stderr
    assert "not tested, since as much has failed as was asked for: reference" in result.stderr
    (directory,) = runs_below(tmp_path)
    record = read_record(directory)
    assert not record.complete
    assert record.broken_off
    assert len(list((directory / "counterexamples").iterdir())) == 1
    assert (directory / "junit.xml").exists()
    failed = {row.requirement for row in read_verdicts(directory) if row.verdict is Verdict.FAIL}
    assert "VER-TIE-01" in failed
    assert [one["candidate"] for one in json.loads(result.stdout)["runs"]] == ["faulty:tie-keeps-own"]
    assert CliRunner().invoke(group, ["gate", str(tmp_path)]).exit_code == 2, "never green"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_max_fail_counts_failures_and_a_run_that_has_fewer_ends_in_order(tmp_path: Path, jobs: str):
    few = run(tmp_path / "few", "--candidate", "faulty:tie-keeps-own", "--max-fail", "2", "--jobs", jobs)
    assert few.exit_code == 1, few.output
    (directory,) = runs_below(tmp_path / "few")
    assert len(list((directory / "counterexamples").iterdir())) == 2
    assert not read_record(directory).complete
    many = run(tmp_path / "many", "--candidate", "faulty:tie-keeps-own", "--max-fail", "50", "--jobs", jobs)
    assert many.exit_code == 1
    (directory,) = runs_below(tmp_path / "many")
    assert read_record(directory).complete


class Less(ReferenceAdapter):
    """The reference without clients and gates."""

    def __init__(self) -> None:
        super().__init__(chaotic=False, seed=0)

    def hello(self) -> Introduction:
        told = super().hello()
        left_out = (Capability.CLIENTS, Capability.LISTENER_GATES)
        kept = tuple(one for one in told.capabilities if one not in left_out)
        return msgspec.structs.replace(told, capabilities=kept)


def test_unsupported_names_what_to_declare_before_anything_says_that_nothing_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    less = Candidate(name="less", kind=CandidateKind.PYTHON, in_process=True, open=Less)
    monkeypatch.setattr(Settings, "find", lambda *_, **__: less)
    result = run(tmp_path, "--candidate", "less", "--json")
    assert "not declared, and requirements left unsupported by that: listener_gates " in result.stderr
    assert "durable_clients" not in result.stderr, "no test needs it"
    verdicts = {
        one["requirement"]: one["verdict"] for one in json.loads(result.stdout)["runs"][0]["verdicts"]
    }
    (directory,) = runs_below(tmp_path)
    for row in read_verdicts(directory):
        if row.verdict is Verdict.UNSUPPORTED and verdicts[row.requirement] != Verdict.PASS:
            assert verdicts[row.requirement] == Verdict.UNSUPPORTED
            assert "needs listener_gates" in row.reason
    assert Verdict.UNSUPPORTED in verdicts.values()
    assert Verdict.NOT_EXERCISED not in verdicts.values()


def lines_of(sink: io.StringIO, count: int) -> list[str]:
    """The lines printed, once there are so many; waits for them no longer than LIMIT_S."""
    end = time.monotonic() + LIMIT_S
    while len(sink.getvalue().splitlines()) < count and time.monotonic() < end:
        time.sleep(0.01)
    return sink.getvalue().splitlines()


def test_without_a_terminal_a_line_comes_now_and_then_though_nothing_moves():
    sink = io.StringIO()
    clock = iter(range(0, 100_000, 10))
    with RunProgress(
        Console(file=sink, width=80), "process:a", every_s=0.01, clock=lambda: next(clock)
    ) as progress:
        progress("scenarios", 0, 40)
        progress("scenarios", 10, 40)
        lines = lines_of(sink, 3)
    assert len(lines) >= 3
    assert all(line.startswith("process:a: ") for line in lines)
    assert "scenarios 10 of 40" in lines[-1]
    assert "no failures so far" in lines[-1]
    assert "left of these" in lines[-1]
    assert run_progress.LINE_EVERY_S <= 30


def test_a_run_without_a_terminal_prints_such_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(run_progress, "LINE_EVERY_S", 0.001)
    result = run(tmp_path, "--candidate", "reference")
    assert any(line.startswith("reference: ") and " so far" in line for line in result.stderr.splitlines())


def test_the_bar_tells_how_long_it_will_take_and_how_much_has_failed():
    now = 0.0
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    progress = RunProgress(console, "process:a", clock=lambda: now)
    progress("scenarios", 0, 30)
    assert progress.left("scenarios") == "no failures so far"
    now = 60.0
    progress("scenarios", 10, 30)
    assert progress.left("scenarios") == "about 2:00 left, no failures so far"
    progress.failures = 1
    assert progress.left("scenarios") == "about 2:00 left, 1 failure so far"
    with console.capture() as captured:
        console.print(progress.bar)
    assert "about 2:00 left, 1 failure so far" in captured.get()
