"""The lines of the protocol in a file: both directions, in order, bounded, there when a candidate hangs."""

from __future__ import annotations

import json
import re
import shlex
import sys
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plumbline.adapters.candidates import find_candidate, logged
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.process.client import ReplyLimits
from plumbline.adapters.process.exchange_log import LONGEST_LINE, ExchangeLog
from plumbline.ci.command import group
from plumbline.ci.lint import ROOT

SMALL = f"process:{shlex.join([sys.executable, str(ROOT / 'adapters' / 'tests' / 'small_adapter.py')])}"
ENTRY = re.compile(r"(\S+) ([<>#]) (.*)")


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


def entries(file: Path) -> list[tuple[str, str]]:
    """Sign and line of each entry; the times are there and go forwards."""
    found = [ENTRY.fullmatch(line) for line in file.read_text().splitlines()]
    times = [datetime.fromisoformat(one[1]) for one in found if one]
    assert len(times) == len(found)
    assert times == sorted(times)
    return [(one[2], one[3]) for one in found if one]


def requests_and_answers(file: Path) -> list[str]:
    """The methods asked; each request is followed by the answer with its id."""
    lines = [one for one in entries(file) if one[0] != "#"]
    methods = []
    for (sent, request), (answered, answer) in zip(lines[::2], lines[1::2], strict=True):
        assert (sent, answered) == (">", "<")
        assert json.loads(request)["id"] == json.loads(answer)["id"]
        methods.append(json.loads(request)["method"])
    return methods


@pytest.mark.parametrize("candidate", [SMALL, "reference"], ids=["process", "in this process"])
def test_a_run_keeps_what_was_said_in_both_directions(tmp_path: Path, candidate: str):
    file = tmp_path / "logs" / "exchange.log"
    arguments = ("--profile", "smoke", "--select", "VER-OPS-01", "--out", tmp_path / "runs")
    result = call("run", "--candidate", candidate, *arguments, "--log-exchange", file)
    assert result.exit_code == (0 if candidate == "reference" else 2), result.output
    methods = requests_and_answers(file)
    assert methods[0] == "hello"
    assert methods[-1] == "close"
    assert {"deploy", "reset", "begin", "finish", "observe", "settle"} <= set(methods)
    assert entries(file)[0] == ("#", candidate)


def test_check_adapter_and_replay_keep_them_too(tmp_path: Path):
    file = tmp_path / "exchange.log"
    assert call("check-adapter", "--candidate", "reference", "--log-exchange", file).exit_code == 0
    assert "start_client" in requests_and_answers(file)
    out = ("--out", tmp_path / "runs", "--profile", "smoke", "--select", "VER-TIE-01", "-x")
    call("run", "--candidate", "faulty:tie-keeps-own", *out)
    (example,) = (tmp_path / "runs").glob("*/counterexamples/*.json")
    assert call("replay", example, "--times", "1", "--log-exchange", file).exit_code == 1
    assert "await_parked" in requests_and_answers(file)


def test_the_last_request_is_in_the_file_while_its_answer_is_waited_for(tmp_path: Path):
    file = tmp_path / "exchange.log"
    log = ExchangeLog(file)
    hanging = f"process:{shlex.join([sys.executable, '-c', 'import time; time.sleep(600)'])}"
    adapter = logged(find_candidate(hanging, limits=ReplyLimits(call_ms=300, grace_ms=100)), log).open()
    with pytest.raises(AdapterError):
        adapter.hello()
    # Read while the log is open: nothing is kept back in a buffer.
    (request, *others) = entries(file)
    assert '"method":"hello"' in request[1]
    assert any("did not answer" in line for sign, line in others if sign == "#")
    adapter.close()
    log.close()


def test_a_file_stays_bounded_and_keeps_the_newest_lines(tmp_path: Path):
    file = tmp_path / "exchange.log"
    log = ExchangeLog(file, most_bytes=1_000)
    for number in range(200):
        log.add(">", f"line {number}".encode())
    log.close()
    assert file.stat().st_size <= 1_000
    assert (tmp_path / "exchange.log.1").stat().st_size <= 1_000
    assert entries(file)[-1] == (">", "line 199")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["exchange.log", "exchange.log.1"]


def test_long_and_hostile_lines_are_one_line_of_bounded_length(tmp_path: Path):
    file = tmp_path / "exchange.log"
    log = ExchangeLog(file)
    log.add("<", b"x" * (LONGEST_LINE + 5))
    log.add("<", b"\x1b[31mred\x00\xff\r")
    log.add("<", "käse".encode())
    log.close()
    long, hostile, plain = entries(file)
    assert long[1].endswith(" ... and 5 bytes more")
    assert hostile[1] == "\\x1b[31mred\\x00\\xff"
    assert plain[1] == "käse"


def test_a_file_that_cannot_be_written_is_told_in_one_line(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    result = call("check-adapter", "--candidate", "reference", "--log-exchange", tmp_path / "file" / "log")
    assert result.exit_code == 2
    assert "the exchange cannot be logged" in result.stderr
    assert len(result.stderr.splitlines()) == 1
