"""The search gives the same answers in every process: Python hashes strings anew in each."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PLAYED = """
import sys
from plumbline.adapters.candidates import find_candidate
from plumbline.reference.search import search as engine
from plumbline.suites.run.playing import play
from plumbline.suites.scenarios.all_scenarios import SCENARIOS
from plumbline.suites.harness.session import Session

go_on = engine.Search.go_on
def counted(*arguments):
    found = go_on(*arguments)
    print(found.answer, found.states, found.branches)
    return found
engine.Search.go_on = counted

with Session(find_candidate("reference")) as session:
    print(sys.argv[1], play(SCENARIOS[sys.argv[1]], session, session.book).verdict)
"""


def played(hash_seed: int, scenario: str) -> str:
    """What the search said of a scenario, and how many states it visited, in a process of its own."""
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    command = [sys.executable, "-c", PLAYED, scenario]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout


@pytest.mark.parametrize(
    "scenario",
    [
        "what_a_member_lacks_is_put_at_a_replicate_first",
        "clients_end_with_what_servers_hold_after_concurrent_writes",
    ],
)
def test_a_search_goes_the_same_way_in_every_process(scenario: str):
    first, second = (played(seed, scenario) for seed in (1, 2))
    assert first == second
    assert f"{scenario} pass\n" in first
