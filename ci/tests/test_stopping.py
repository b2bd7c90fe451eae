"""Commands that are stopped by a signal: they say so, end what they have started, and keep what there is."""

from __future__ import annotations

import os
import select
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from plumbline.ci.command import group
from plumbline.ci.lint import ROOT
from plumbline.ci.terminal.last_run import LastRun, failed_in
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.results.runs import read_record, read_verdicts
from plumbline.reference.results.totals import merged
from plumbline.reference.results.verdicts import MEANING, Verdict
from plumbline.reference.trace.files import verified_files
from plumbline.suites.run.running import _Run
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

LIMIT_S = 180


@pytest.fixture(autouse=True)
def _a_hang_up_is_heard() -> Iterator[None]:
    """Under nohup, SIGHUP is ignored in all processes that the tests start; commands respect that."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


SELECTED = "CONS-RR-02"
SCENARIOS_OF_IT = sum(SELECTED in scenario.requirements for scenario in SCENARIOS.values())

HANGING = """
import json, os, signal, sys

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.process.server import Server

examples, place, *deaf = sys.argv[1:]
if deaf:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
server = Server(find_candidate("reference").open())
left = int(examples)
for line in iter(sys.stdin.buffer.readline, b""):
    left -= json.loads(line)["method"] == "reset"
    if left < 0:
        with open(place, "w") as file:
            file.write(str(os.getpid()))
        while True:
            signal.pause()
    sys.stdout.buffer.write(server.answer(line))
    sys.stdout.buffer.flush()
"""

INTERRUPTED = """
import importlib, signal, subprocess, sys

from plumbline.ci import command

place, module, name, way, *arguments = sys.argv[1:]

def waits(*_, **__):
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        with open(place, "w") as file:
            file.write(str(child.pid))
        child.wait()
    finally:
        if way == "raises":
            raise ValueError("the clean-up has failed")
        if way == "ends":
            child.kill()
            child.wait()

setattr(importlib.import_module(module), name, waits)
sys.argv[1:] = arguments
command.main()
"""


def stop(command: list[str], place: Path, number: signal.Signals) -> tuple[int, str]:
    """Start a command, wait for a process id at a place, send the signal; gives exit code and error stream.

    The process of that id has to be gone by then.
    """
    os.mkfifo(place)
    listening = os.open(place, os.O_RDONLY | os.O_NONBLOCK)
    ready = select.poll()
    ready.register(listening, select.POLLIN)
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            assert ready.poll(LIMIT_S * 1000), "the command never got there"
            waiting = int(os.read(listening, 100))
            process.send_signal(number)
            _, errors = process.communicate(timeout=LIMIT_S)
        finally:
            process.kill()
            os.close(listening)
    with pytest.raises(ProcessLookupError):
        os.kill(waiting, 0)
    return process.returncode, errors


def candidate(folder: Path, *arguments: object) -> str:
    script = folder / "hanging.py"
    script.write_text(HANGING)
    return f"process:{shlex.join([sys.executable, str(script), *map(str, arguments)])}"


def plumbline(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "plumbline.ci", *map(str, arguments)]


@pytest.mark.parametrize(
    ("examples", "deaf", "number"),
    [
        (0, (), signal.SIGHUP),
        (SCENARIOS_OF_IT - 1, (), signal.SIGINT),
        (SCENARIOS_OF_IT + 2, ("deaf",), signal.SIGTERM),
    ],
    ids=["at once", "among scenarios", "among plans, deaf"],
)
def test_a_run_that_is_stopped_keeps_what_was_judged_and_is_green_to_nobody(
    tmp_path: Path, number: signal.Signals, examples: int, deaf: tuple[str, ...]
):
    hanging = candidate(tmp_path, examples, tmp_path / "place", *deaf)
    out = tmp_path / "runs"
    also = ("--profile", "smoke", "--select", SELECTED, "--out", out)
    ended, errors = stop(plumbline("run", "--candidate", hanging, *also), tmp_path / "place", number)
    assert ended == 128 + number, errors
    first, second = errors.splitlines()
    assert first == f"plumbline: stopped by {number.name}"
    (directory,) = out.iterdir()
    assert "stopped after" in second
    assert str(directory) in second
    record = read_record(directory)
    assert record.broken_off
    assert not record.complete
    rows = read_verdicts(directory)
    whole = min(examples, SCENARIOS_OF_IT)
    assert [row.verdict for row in rows] == [Verdict.PASS] * whole
    (trace,), flaws = verified_files(directory, record.run_id)
    assert "not ended in order" in flaws[0].reason
    kinds = pq.read_table(trace, columns=["kind"])["kind"].to_pylist()
    assert kinds.count("example_end") == examples
    for command in (("gate",), ("judge",)):
        result = CliRunner().invoke(group, [*command, str(out)])
        assert result.exit_code == 2, result.output
        assert "broken off" in result.output
    site = CliRunner().invoke(group, ["report", str(out), "--out", str(tmp_path / "site")])
    assert "1 candidate, 1 of them not green" in site.stdout
    assert "broken off" in site.stderr
    verdicts = merged(read_verdicts(directory))
    wrong = {name for name, verdict in verdicts.items() if MEANING[verdict].exit_code}
    assert set(failed_in(LastRun(record, directory))) == wrong | (set(record.selected) - set(verdicts))
    assert b"the run itself" in (directory / "junit.xml").read_bytes()


HANGING_CLASS = """
import os, signal
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter

class Hanging(ReferenceAdapter):
    def settle(self, timeout_ms):
        with open(os.environ["PLACE"], "w") as file:
            file.write(str(os.getpid()))
        while True:
            signal.pause()
"""


@pytest.mark.parametrize("form", ["python", "python-here"])
def test_ctrl_c_leaves_nothing_running_of_a_python_candidate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
):
    (tmp_path / "hanging_class.py").write_text(HANGING_CLASS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PLACE", str(tmp_path / "place"))
    also = ("--profile", "smoke", "--select", SELECTED, "--out", tmp_path / "runs")
    command = plumbline("run", "--candidate", f"{form}:hanging_class:Hanging", *also)
    ended, errors = stop(command, tmp_path / "place", signal.SIGINT)
    assert ended == 130, errors
    assert errors.splitlines()[0] == "plumbline: stopped by SIGINT"
    assert "Traceback" not in errors


SLOW_RULES = """
import sys
import time
from plumbline.ci.command import main
from plumbline.reference.rules import judging

def endless(connection, *_):
    connection.execute("SELECT count(*) FROM range(1_000_000_000_000)").fetchall()

judging._ask = endless
main()
"""


@pytest.mark.parametrize("number", one_in(2, [signal.SIGINT, signal.SIGTERM]))
def test_a_signal_while_rules_judge_keeps_all_that_was_judged_before(tmp_path: Path, number: signal.Signals):
    arguments = ("run", "--profile", "smoke", "--select", "VER-TIE-01", "--out", str(tmp_path / "runs"))
    with subprocess.Popen([sys.executable, "-c", SLOW_RULES, *arguments], stderr=subprocess.PIPE) as process:
        until = time.monotonic() + LIMIT_S
        # The trace is sealed just before the rules read it.
        while not list(tmp_path.glob("runs/*/trace/manifest.json")) and time.monotonic() < until:
            assert process.poll() is None
        process.send_signal(number)
        process.communicate(timeout=LIMIT_S)
    assert process.returncode == 128 + number
    (directory,) = (tmp_path / "runs").iterdir()
    assert (read_record(directory).complete, read_record(directory).broken_off) == (False, True)
    assert {row.verdict for row in read_verdicts(directory)} == {Verdict.PASS}
    assert b"the run itself" in (directory / "junit.xml").read_bytes()


def test_a_run_that_is_stopped_while_rules_judge_it_no_longer_counts_as_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(_Run, "_rules", interrupted)
    arguments = ["run", "--profile", "smoke", "--select", "VER-TIE", "--out", str(tmp_path)]
    assert CliRunner().invoke(group, arguments).exit_code == 130
    (directory,) = tmp_path.iterdir()
    assert read_record(directory).broken_off
    assert not read_record(directory).complete
    assert read_verdicts(directory)
    assert b"the run itself" in (directory / "junit.xml").read_bytes()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run directory that is as it should be."""
    out = tmp_path_factory.mktemp("run")
    arguments = ["run", "--profile", "smoke", "--select", "VER-TIE-01", "--out", str(out)]
    assert CliRunner().invoke(group, arguments).exit_code == 0
    (directory,) = out.iterdir()
    return directory


COUNTEREXAMPLE = min((ROOT / "ci" / "counterexamples").glob("*.json"))


def test_a_replay_that_is_stopped_ends_its_candidate(tmp_path: Path):
    hanging = candidate(tmp_path, 1, tmp_path / "place", "deaf")
    command = plumbline("replay", COUNTEREXAMPLE, "--candidate", hanging, "--times", 3)
    ended, errors = stop(command, tmp_path / "place", signal.SIGTERM)
    assert (ended, errors.splitlines()[1:]) == (143, ["plumbline: stopped by SIGTERM"]), errors


WHERE = {
    "run": ("plumbline.suites.run.running", "seal"),
    "replay": ("plumbline.ci.commands.replay", "replay"),
    "trials": ("plumbline.ci.selftest.commands.trials", "compare"),
    "judge": ("plumbline.reference.rules.survey", "result_table"),
    "gate": ("plumbline.reports.collection", "read_record"),
    "report": ("plumbline.reports.collection", "read_verdicts"),
}


@pytest.mark.parametrize(
    ("name", "way"),
    one_in(2, [*((name, "raises") for name in WHERE), ("trials", "ends"), ("trials", "forgets")]),
)
def test_whatever_goes_wrong_on_the_way_out_a_stopped_command_says_that_it_was_stopped_and_leaves_no_process(
    tmp_path: Path, run: Path, name: str, way: str
):
    # It is stopped in the middle of its work, where it has started a process: that is ended by the code that
    # started it; that goes wrong; or no code has noted it yet.
    number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[(list(WHERE).index(name) + len(way)) % 3]
    arguments = {
        "run": ["--profile", "smoke", "--select", "VER-TIE-01", "--out", str(tmp_path / "runs")],
        "replay": [str(COUNTEREXAMPLE), "--candidate", "reference"],
        "trials": ["--cases", "2"],
        "report": [str(run), "--out", str(tmp_path / "site")],
    }.get(name, [str(run)])
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    place = tmp_path / "place"
    command = [sys.executable, str(script), str(place), *WHERE[name], way, name, *arguments]
    ended, errors = stop(command, place, number)
    assert ended == 128 + number, errors
    assert f"plumbline: stopped by {number.name}" in errors.splitlines()
    assert "Traceback" not in errors
    assert "mistake" not in errors
