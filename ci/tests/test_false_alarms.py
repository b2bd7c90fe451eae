from __future__ import annotations

import msgspec
import pytest
from click.testing import CliRunner

from plumbline.ci.selftest.checks.false_alarms import RIGHT, main, sweep
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.rules.rule import load_rules
from plumbline.suites.machines.all_machines import MACHINES

PLANS = 12


@pytest.mark.parametrize("machine", one_in(8, sorted(MACHINES)))
@pytest.mark.parametrize("candidate", RIGHT)
def test_no_rule_accuses_a_right_system_in_what_a_machine_draws(candidate: str, machine: str):
    swept = sweep(candidate, machine, PLANS, seed=1)
    assert swept.plans
    assert swept.alarms == ()


def test_a_rule_that_takes_too_much_for_wrong_fails_the_command(monkeypatch: pytest.MonkeyPatch):
    rule = load_rules()["CONS-RR-04"]
    strict = msgspec.structs.replace(rule, own=rule.own.replace("min(what) <> max(what)", "true"))
    monkeypatch.setattr("plumbline.reference.rules.judging.load_rules", lambda: {rule.requirement: strict})
    asked = ["--machine", "replicated_regions", "--candidate", "reference", "--plans", str(PLANS)]
    result = CliRunner().invoke(main, asked)
    assert result.exit_code == 1
    assert "CONS-RR-04 accuses it" in result.output
    assert "1 rules had an opportunity, 1 false alarms" in result.output
