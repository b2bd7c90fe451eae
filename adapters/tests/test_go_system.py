"""The system in Go: an independent system holds what it claims, and each of its bugs is caught."""

from __future__ import annotations

import re
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.waiting import wait_until
from plumbline.ci.selftest.checks import go_system, measured
from plumbline.ci.selftest.checks.go_system import SOURCE, Bug, candidate, caught, failing
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.run.known_deviations import NOTHING
from plumbline.suites.run.plan_outcomes import play_plans
from plumbline.suites.run.profiles import PROFILES

pytestmark = pytest.mark.go

ABOUT = (SOURCE / "bugs.go").read_text(encoding="utf-8")
BUGS = [Bug(*found) for found in re.findall(r'^\t\{"([\w-]+)", "(.*?)", "([\w-]+)"\},$', ABOUT, re.MULTILINE)]

DRAWN = (
    "replicated_regions",
    "tombstones",
    "clears",
    "client_pipeline",
    "client_failover",
    "durable_clients",
    "client_attempts",
    "registrations_under_way",
    "partitioned_regions",
    "lost_primaries",
    "parallel_queues",
    "parallel_senders",
)

OVER_TCP = {
    "EX-A3C3-04",
    "TOMB-RETAIN-05",
    "CLEAR-LOCK-02",
    "WANC-TIE-01",
    "FO-RED-01",
    "DUR-MARKER-03",
    "CONS-PR-02",
}


@pytest.fixture(scope="session")
def binary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return go_system.build(tmp_path_factory.mktemp("go"))


@pytest.fixture
def port(binary: Path) -> Iterator[int]:
    """Where the system listens, as a service."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        number = int(free.getsockname()[1])
    with subprocess.Popen([binary, "--listen", f"127.0.0.1:{number}"], stderr=subprocess.DEVNULL) as service:
        try:
            assert wait_until(lambda: _listens(number), limit_s=10), "the system does not listen"
            yield number
        finally:
            service.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def test_scenarios_that_it_claims_pass(binary: Path):
    """Every third one: a run plays them all."""
    with Session(candidate(binary)) as session:
        assert failing(session, every=3) == []


def test_drawn_plans_pass(binary: Path):
    with Session(candidate(binary)) as session:
        for machine in (MACHINES[name] for name in DRAWN):
            played = play_plans(
                machine,
                session,
                session.book,
                profile=PROFILES["smoke"],
                draw_seed=5,
                deadline=time.monotonic() + 1,
                on_record=NOTHING,
                saw=lambda *_: None,
                progress=lambda _: None,
            )
            assert played.failure is None, machine.name


def test_the_same_holds_of_the_service(port: int):
    with Session(find_candidate(f"tcp:127.0.0.1:{port}")) as session:
        assert failing(session, OVER_TCP) == []


@pytest.mark.parametrize("bug", BUGS, ids=[bug.name for bug in BUGS])
def test_each_bug_is_caught(binary: Path, bug: Bug):
    assert caught(binary, bug)


def test_the_table_of_bugs_is_complete(binary: Path):
    assert go_system.bugs(binary) == BUGS
    assert len(BUGS) >= 8
    rows = measured.rows_of(go_system.TABLE)[1]
    assert [row[:3] for row in rows] == [[f"`{bug.name}`", bug.does, f"`{bug.requirement}`"] for bug in BUGS]


def test_the_code_is_formatted_and_vetted():
    assert subprocess.check_output(["gofmt", "-l", "."], cwd=SOURCE, text=True) == ""
    vetted = subprocess.run(["go", "vet", "."], cwd=SOURCE, capture_output=True, text=True, check=False)
    assert vetted.returncode == 0, vetted.stderr
