"""The system in JavaScript: one file speaks the protocol, holds what it claims, and is caught if broken."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.command import group
from plumbline.ci.selftest.checks.javascript_system import SOURCE, candidate
from plumbline.reference.results.verdicts import Verdict
from plumbline.suites.harness.session import Session
from plumbline.suites.run.playing import play
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

pytestmark = pytest.mark.node

NEWER = "change.version > version || (change.version === version && change.rank > rank)"
KEEPS_VERSION = 'there: kind !== "destroy", value, version, rank'
CONNECTION = "`${thread} to ${other}`"


def verdicts(source: Path) -> dict[str, Verdict]:
    """What comes of each scenario that can be played on the system, by name."""
    with Session(find_candidate(candidate(source))) as session:
        played = {one.name: play(one, session, session.book, naming_ms=0) for one in SCENARIOS.values()}
    return {
        name: result.verdict for name, result in played.items() if result.verdict is not Verdict.UNSUPPORTED
    }


def test_all_that_it_offers_works():
    result = CliRunner().invoke(group, ["check-adapter", "--candidate", candidate()])
    assert result.exit_code == 0, result.output
    assert "13 works" in result.output


def test_it_passes_each_scenario_that_can_be_played_on_it():
    found = verdicts(SOURCE)
    assert len(found) > 30
    assert [name for name, verdict in found.items() if verdict is not Verdict.PASS] == []


@pytest.mark.parametrize(
    ("right", "wrong", "requirement"),
    [
        (NEWER, "true", "VER-CMP-01"),
        (NEWER, "change.version >= version", "VER-TIE-01"),
        (
            KEEPS_VERSION,
            KEEPS_VERSION.replace("version,", 'version: kind === "destroy" ? 0 : version,'),
            "TOMB-RETAIN-01",
        ),
        (CONNECTION, "`${thread} to ${other} ${change.tag}`", "VER-CMP-01"),
    ],
)
def test_a_mistake_in_it_is_found_out(tmp_path: Path, right: str, wrong: str, requirement: str):
    text = SOURCE.read_text(encoding="utf-8")
    assert text.count(right) == 1
    broken = tmp_path / "broken.mjs"
    broken.write_text(text.replace(right, wrong), encoding="utf-8")
    found = verdicts(broken)
    failed = {name for name, verdict in found.items() if verdict is Verdict.FAIL}
    assert failed & {one.name for one in SCENARIOS.values() if requirement in one.requirements}


def answers(*lines: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        ["node", str(SOURCE)],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def asked(method: str, **params: object) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})


def test_what_is_no_request_is_refused_by_its_code_and_the_next_one_answered():
    told = answers(
        "{", '{"id":7}', asked("marker"), asked("hello", secret=1), asked("hello", protocol=1), asked("close")
    )
    assert [one["error"]["code"] for one in told[:4]] == [-32700, -32600, -32601, -32602]
    assert told[4]["result"]["name"] == "store in JavaScript"
    assert told[5] == {"jsonrpc": "2.0", "id": 7, "result": {}}


def test_its_process_ends_with_its_input():
    assert len(answers(asked("hello", protocol=1))) == 1
