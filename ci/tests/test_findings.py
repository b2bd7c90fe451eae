"""What items have found, of one process or several: kept, shared, and waited for only while it helps."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.suites.pytest_plugin import findings
from plumbline.suites.pytest_plugin.findings import Findings, ItemFinding
from plumbline.suites.pytest_plugin.spreading import scope_of

ROW = VerdictRow(run_id="", requirement="VER-TIE-01", source=Source.SCENARIO, verdict=Verdict.PASS)


def finding(title: str, candidate: str = "c") -> ItemFinding:
    return ItemFinding(candidate=candidate, title=title, rows=(ROW,))


def test_what_one_process_finds_the_others_read(tmp_path: Path):
    one, other = Findings(tmp_path), Findings(tmp_path)
    one.begin("c", "first")
    one.add(finding("first"))
    one.end("c", "first")
    other.add(finding("second"))
    other.add(finding("first", candidate="another"))
    assert other.of("c") == [finding("first"), finding("second")]
    assert one.of("c") == other.of("c")
    assert one.missing("c", ["first", "second"]) == ()


def test_in_one_process_nothing_is_waited_for():
    alone = Findings()
    alone.add(finding("first"))
    assert alone.missing("c", ["first", "second"]) == ()
    assert alone.of("c") == [finding("first")]


def test_an_item_under_way_elsewhere_is_waited_for(tmp_path: Path):
    here, there = Findings(tmp_path, patience_s=0.1), Findings(tmp_path)
    there.begin("c", "late")
    threading.Timer(0.3, lambda: there.add(finding("late"))).start()
    # The process that plays it lives, so patience does not count.
    assert here.missing("c", ["late"], alive=lambda process: process == os.getpid()) == ()
    assert here.of("c") == [finding("late")]


@pytest.mark.parametrize("begun", [True, False])
def test_what_nobody_plays_any_more_is_named(tmp_path: Path, begun: bool):
    here = Findings(tmp_path, patience_s=0.1)
    if begun:
        gone = subprocess.Popen([sys.executable, "-c", "pass"])
        path = here._path("c", "lost", "begun")
        path.write_text(str(gone.pid))
        # It has ended, and its status was not collected: it is there still, as a zombie.
        os.waitid(os.P_PID, gone.pid, os.WEXITED | os.WNOWAIT)
        assert here.missing("c", ["lost"]) == ("lost",)
        gone.wait()
    here.add(finding("done"))
    assert here.missing("c", ["done", "lost"]) == ("lost",)


def test_an_item_that_found_nothing_and_is_over_is_not_waited_for(tmp_path: Path):
    here = Findings(tmp_path, patience_s=0.1)
    here.begin("c", "broken")
    here.end("c", "broken")
    assert here.missing("c", ["broken"], alive=lambda process: process == os.getpid()) == ("broken",)


def test_a_process_that_waits_counts_for_nobody():
    assert not findings._alive(os.getpid())
    assert findings._alive(os.getppid())
    assert not findings._alive(0)


def test_items_that_play_are_alone_and_those_that_judge_stay_together():
    candidates = ["a", "process:x [y]-z"]
    assert scope_of("suites/test_scenarios.py::test_scenario[a-one]", candidates) != scope_of(
        "suites/test_scenarios.py::test_scenario[a-two]", candidates
    )
    judging = {
        scope_of(f"suites/test_requirements.py::test_requirement[process:x [y]-z-{identity}]", candidates)
        for identity in ("VER-TIE-01", "CONS-RR-04")
    }
    assert judging == {"requirements of process:x [y]-z"}
    assert scope_of("ci/tests/test_plugin.py::test_something[a-b]", candidates) == ""
