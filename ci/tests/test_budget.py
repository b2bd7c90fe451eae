"""A run whose time is over: what was not played is told, and never passes."""

from __future__ import annotations

from pathlib import Path

import msgspec

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.runs import Check
from plumbline.reference.verdicts import Source, Verdict
from plumbline.reports.checks import render_checks
from plumbline.reports.terminal import as_text
from plumbline.suites.profiles import PROFILES
from plumbline.suites.running import Options, Outcome, run_suite

OVER_AT_ONCE = 1e-9
NAMES = ("scenarios", "replicated_regions", "gateway_order")


def run(
    out: Path, *, profile_s: float | None, said_s: float | None = None, in_process: bool = False
) -> Outcome:
    profile = msgspec.structs.replace(PROFILES["smoke"], examples=5, rules=6, budget_s=profile_s)
    options = Options(selected=("CONS-RR-03", "WAN-CFG-01"), profile=profile, seed=1, budget_s=said_s)
    candidate = msgspec.structs.replace(find_candidate("reference"), in_process=in_process)
    return run_suite(candidate, options, out, lambda *_: None)


def of_machine(outcome: Outcome, requirement: str) -> tuple[Verdict, str]:
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


def test_when_the_time_of_a_profile_is_over_machines_pass_nothing(tmp_path: Path):
    outcome = run(tmp_path, profile_s=OVER_AT_ONCE)
    checks = {check.name: check for check in outcome.record.checks}
    assert not checks["scenarios"].cut
    assert checks["scenarios"].examples
    for name in NAMES[1:]:
        assert (checks[name].cut, checks[name].examples) == (True, 0)
    for requirement in ("CONS-RR-03", "WAN-CFG-01"):
        assert of_machine(outcome, requirement) == (
            Verdict.NOT_EXERCISED,
            "none of 0 examples would have shown a violation; the time was over before more were played",
        )


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
    assert lines[1].split() == ["scenarios", "151", "80.0", "10", "%"]
    assert "31" in lines[2]
    assert "the time was over before all 150 were drawn" in lines[2]
