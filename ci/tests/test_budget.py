"""A run whose time is over: what was not played is told, and never passes."""

from __future__ import annotations

import re
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest
from click.testing import CliRunner

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.command import group
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.results.runs import Check, read_record
from plumbline.reference.results.verdicts import Source, Verdict, merge
from plumbline.reports.checks import render_checks
from plumbline.reports.collection import collect
from plumbline.reports.junit import junit_xml
from plumbline.reports.site import build
from plumbline.reports.terminal import as_text
from plumbline.suites.run.budget import TimeBudget, added, early_end, in_order
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.running import Options, RunOutcome, run_suite
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

OVER_AT_ONCE = 1e-9
NAMES = ("scenarios", "replicated_regions", "gateway_order")


def run(
    out: Path, *, profile_s: float | None, said_s: float | None = None, in_process: bool = False
) -> RunOutcome:
    profile = msgspec.structs.replace(PROFILES["smoke"], examples=5, rules=6, budget_s=profile_s)
    options = Options(selected=("CONS-RR-03", "WAN-OPS-01"), profile=profile, seed=1, budget_s=said_s)
    candidate = msgspec.structs.replace(find_candidate("reference"), in_process=in_process)
    return run_suite(candidate, options, out, lambda *_: None)


def of_machine(outcome: RunOutcome, requirement: str) -> tuple[Verdict, str]:
    (row,) = (row for row in outcome.rows if row.source is Source.MACHINE and row.requirement == requirement)
    return row.verdict, row.reason


def test_without_an_end_every_machine_plays_what_it_draws(tmp_path: Path):
    outcome = run(tmp_path, profile_s=None)
    checks = {check.name: check for check in outcome.record.checks}
    assert set(NAMES) <= set(checks)
    assert not any(check.cut for check in checks.values())
    for name in NAMES[1:]:
        assert 1 <= checks[name].examples <= checks[name].planned == 5
    assert "the time" not in of_machine(outcome, "CONS-RR-03")[1]


def test_when_the_time_of_a_profile_is_over_nothing_more_is_played_and_nothing_passes(tmp_path: Path):
    outcome = run(tmp_path, profile_s=OVER_AT_ONCE)
    checks = {check.name: check for check in outcome.record.checks}
    for name in NAMES:
        assert (checks[name].cut, checks[name].examples) == (True, 0)
    for requirement in ("CONS-RR-03", "WAN-OPS-01"):
        assert of_machine(outcome, requirement) == (
            Verdict.NOT_EXERCISED,
            "none of 0 examples reached a situation that checks it; the time limit ended the test early",
        )
        rows = [row for row in outcome.rows if row.requirement == requirement]
        assert merge(row.verdict for row in rows) is Verdict.NOT_EXERCISED
        (told,) = (row.reason for row in rows if row.source is Source.SCENARIO)
        assert re.fullmatch(r"the time limit came before [1-9]\d* of its scenarios were played", told)


def test_a_run_that_its_budget_ended_says_so_before_all_else(tmp_path: Path):
    outcome = run(tmp_path / "runs", profile_s=OVER_AT_ONCE)
    record = read_record(outcome.directory)
    (scenarios,) = (check for check in record.checks if check.name == "scenarios")
    assert f"budget of 1e-09 s ended this run early: 0 of {scenarios.planned} scenarios" in record.ended_early
    words = (outcome.directory / "run.json").read_text()
    assert words.index("ended_early") < words.index("candidate")
    cases = ET.fromstring(junit_xml(record, outcome.rows)).findall("testsuite/testcase")  # noqa: S314 - our own
    assert cases[0].attrib["name"] == "the run itself: time budget"
    assert cases[0].find("skipped") is not None
    build(collect([outcome.directory]), catalogue(), tmp_path / "site")
    page = (tmp_path / "site" / "index.html").read_text()
    assert page.index("A time budget ended a run early") < page.index(record.ended_early[:40])
    assert page.index(record.ended_early[:40]) < page.index("At a glance")
    arguments = ["run", "--select", "CONS-RR-03", "--profile", "smoke", "--budget", "1ms"]
    result = CliRunner().invoke(group, [*arguments, "--out", str(tmp_path / "more")])
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert "ended this run early" in lines[1]


def test_the_budget_holds_for_scenarios_and_machines_together(tmp_path: Path):
    budget_s = 2.0
    profile = msgspec.structs.replace(PROFILES["smoke"], examples=400, rules=8)
    options = Options(profile=profile, seed=1, budget_s=budget_s)
    outcome = run_suite(find_candidate("reference"), options, tmp_path, lambda *_: None)
    checks = {check.name: check for check in outcome.record.checks}
    played = sum(check.seconds for check in checks.values())
    assert played < budget_s + 20, "one example more is the most, and machines may be busy"
    assert checks["scenarios"].cut
    assert checks["scenarios"].examples


def test_machines_share_what_is_left_of_the_budget(monkeypatch: pytest.MonkeyPatch):
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    budget = TimeBudget(60.0)
    assert (budget.share(4), budget.last, budget.over) == (115.0, 160.0, False)
    now = 105.0  # the first has left ten seconds of its fifteen
    assert budget.share(3) == 105.0 + 55.0 / 3
    now = 142.0
    assert budget.machines_are_due
    assert (budget.share(1), budget.over) == (160.0, False)
    now = 160.0
    assert (budget.share(2), budget.over) == (160.0, True)
    assert (TimeBudget(None).share(1), TimeBudget(None).over) == (None, False)


def test_where_time_is_limited_scenarios_begin_with_some_that_are_about_every_requirement():
    usual = in_order(SCENARIOS.values(), limited=False)
    limited = in_order(SCENARIOS.values(), limited=True)
    assert sorted(one.name for one in usual) == sorted(one.name for one in limited)
    about = {requirement for one in usual for requirement in one.requirements}
    needed = next(
        count
        for count in range(len(limited))
        if about == {r for s in limited[:count] for r in s.requirements}
    )
    assert needed < 0.65 * len(limited)


def test_time_that_machines_leave_goes_to_the_scenarios_that_wait():
    before = Check(name="scenarios", examples=3, planned=9, cut=True, seconds=2.0, own_s=1.0)
    after = Check(name="scenarios", examples=6, planned=9, seconds=4.0, own_s=2.0)
    machine = Check(name="m", examples=1, planned=1, seconds=1.0, own_s=1.0)
    (both, kept) = added((before, machine), after)
    assert both == Check(name="scenarios", examples=9, planned=9, seconds=6.0, own_s=3.0)
    assert kept == machine
    assert early_end(10.0, (both, kept)) == ""


def test_what_was_said_counts_for_more_than_the_profile(tmp_path: Path):
    outcome = run(tmp_path, profile_s=OVER_AT_ONCE, said_s=3_600.0)
    assert not any(check.cut for check in outcome.record.checks)


def test_a_candidate_in_this_process_loses_nothing_to_a_profile(tmp_path: Path):
    assert not any(c.cut for c in run(tmp_path, profile_s=OVER_AT_ONCE, in_process=True).record.checks)


def test_each_part_is_told_with_its_examples_and_its_time():
    checks = (
        Check(name="scenarios", examples=151, seconds=80.0, own_s=8.0),
        Check(name="gateway_faults", examples=31, planned=150, cut=True, seconds=60.0, own_s=3.0),
    )
    lines = as_text(render_checks(checks)).splitlines()
    assert lines[1].split() == ["scenarios", "151", "80.0", "8.0"]
    assert "31" in lines[2]
    assert "the time limit came before all 150 were played" in lines[2]
