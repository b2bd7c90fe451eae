"""The recorded sessions in docs/sessions: they are what is exchanged today, and a process answers alike."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from plumbline.adapters.protocol import METHODS
from plumbline.ci.selftest.checks.recorded_sessions import FOLDER, RECORDED, record

NOT_RECORDED = {"configure", "pending_events", "stamp"}
"""No scenario sends these."""


def lines(scenario: str, sign: str) -> list[str]:
    text = (FOLDER / f"{scenario}.txt").read_text(encoding="utf-8")
    return [line[2:] for line in text.splitlines() if line[0] == sign]


@pytest.mark.parametrize("scenario", RECORDED)
def test_a_session_is_what_is_exchanged_today(scenario: str):
    told = (FOLDER / f"{scenario}.txt").read_text(encoding="utf-8")
    assert told == record(scenario), "python -m plumbline.ci.selftest.checks.recorded_sessions rewrites it"


def test_no_other_session_lies_there():
    assert {file.stem for file in FOLDER.iterdir()} == set(RECORDED)


def test_together_they_send_every_method_but_three():
    sent = {json.loads(line)["method"] for scenario in RECORDED for line in lines(scenario, ">")}
    assert METHODS.keys() - sent == NOT_RECORDED


@pytest.mark.parametrize("scenario", RECORDED)
def test_each_request_is_answered_by_the_line_behind_it(scenario: str):
    signs = [line[0] for line in (FOLDER / f"{scenario}.txt").read_text().splitlines()]
    assert signs == [">", "<"] * (len(signs) // 2)
    ids = [[json.loads(line)["id"] for line in lines(scenario, sign)] for sign in "><"]
    assert ids[0] == ids[1]


def test_a_process_that_is_fed_the_requests_gives_the_answers():
    """As an author would do it: `sed -n 's/^> //p' FILE | ADAPTER`."""
    for scenario in RECORDED[::4]:
        served = subprocess.run(
            [sys.executable, "-m", "plumbline.ci", "serve-reference"],
            input="".join(f"{line}\n" for line in lines(scenario, ">")),
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        answers: list[Any] = [json.loads(line) for line in served.stdout.splitlines()]
        assert answers == [json.loads(line) for line in lines(scenario, "<")]
