"""The suite under pytest: in a clone, and from the installed package; all of it in `test_packaging`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from plumbline.ci.lint import ROOT
from plumbline.reference.results.runs import read_counterexample
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

CLONE = ("suites",)
INSTALLED = ("--pyargs", "plumbline.suites")


LIMIT_S = 900
"""Long beyond what the whole suite takes, also on a machine that is busy with much else."""


def suite(folder: Path, *arguments: str) -> tuple[int, dict[str, str], str]:
    """pytest's exit code, the outcome of each item by its name without the file, and all that was printed."""
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    found = re.findall(
        r"^(PASSED|FAILED|ERROR|XFAIL|SKIPPED|XPASS)(?: \[\d+\])? \S*?(test_\w+\.py)(?:::|:\d+)?(\S*)",
        done.stdout,
        re.MULTILINE,
    )
    outcomes = {name: outcome for outcome, _, name in found if name}
    return done.returncode, outcomes, done.stdout + done.stderr


def about(requirement: str) -> set[str]:
    """The items that speak of a requirement."""
    scenarios = {name for name, one in SCENARIOS.items() if requirement in one.requirements}
    machines = {name for name, one in MACHINES.items() if requirement in one.requirements}
    return scenarios | machines | {requirement}


def items(outcomes: dict[str, str], candidate: str) -> dict[str, str]:
    """What stands behind the candidate's name in each item's brackets, and its outcome."""
    return {
        match[1]: outcome
        for name, outcome in outcomes.items()
        if (match := re.fullmatch(rf"\w+\[{re.escape(candidate)}-(.+)\]", name))
    }


@pytest.mark.parametrize("where", [CLONE, INSTALLED], ids=["clone", "installed"])
def test_selecting_an_id_runs_all_that_speaks_of_it_and_nothing_else(tmp_path: Path, where: tuple[str, ...]):
    folder = ROOT if where is CLONE else tmp_path
    code, outcomes, text = suite(folder, *where, "--candidate", "reference", "-k", "VER-TIE-01")
    assert code == 0, text
    assert items(outcomes, "reference") == dict.fromkeys(about("VER-TIE-01"), "PASSED")


def test_a_faulty_candidate_fails_the_items_of_its_requirement_with_what_was_expected():
    candidate = "faulty:tie-keeps-own"
    code, outcomes, text = suite(ROOT, *CLONE, "--candidate", candidate, "-k", "VER-TIE-01 or CONS-RR-04")
    assert code == 1
    found = items(outcomes, candidate)
    for name in about("VER-TIE-01"):
        assert found[name] == "FAILED"
    assert found["all_members_end_alike"] == "PASSED"
    assert "expected A to hold put-3-C under x; seen put-2-A" in text
    assert re.search(r"put \w v\d+, parked", text), "the machine's smallest plan is told"
    assert "Traceback" not in text


def test_a_failure_under_pytest_has_all_that_a_run_prints_and_a_file_that_replays(tmp_path: Path):
    candidate = "faulty:tie-keeps-own"
    code, _, text = suite(tmp_path, *INSTALLED, "--candidate", candidate, "-k", "VER-TIE-01")
    assert code == 1
    # In CI pytest repeats whole messages in the summary at its end.
    told, _, _ = text.partition("short test summary info")
    for heading in ("Set-up", "Steps", "What happened", "Expected", "Seen", "Replay it"):
        assert told.count(f"\n{heading}") == 2, "of the scenario and of the machine"
    assert "\nClosest correct run" in text
    assert "site 1: members A, B, C" in text
    assert "plumbline reference 0.1.0, dialect geode, profile smoke, seed 20250101" in text
    assert re.search(r"^scenarios +1 +\d", text, re.MULTILINE)
    assert re.search(r"^replicated_regions +\d+ +\d", text, re.MULTILINE)
    assert "\n1 fail, 340 not asked for\n" in text
    files = sorted((tmp_path / "runs").glob("*-pytest-*/counterexamples/*.json"))
    assert [path.name.partition("-")[0] for path in files] == ["machine", "scenario"]
    for path in files:
        assert f"counterexample: {path.relative_to(tmp_path)}" in text
        again = [sys.executable, "-m", "plumbline.ci", "replay", str(path), "--times", "1"]
        assert subprocess.run(again, capture_output=True, check=False, timeout=LIMIT_S).returncode == 1
        assert read_counterexample(path).replay == f"plumbline replay {path.relative_to(tmp_path)}"


def test_one_candidate_is_spread_over_processes_and_judged_in_one(tmp_path: Path):
    selection = (*INSTALLED, "--candidate", "reference", "-k", "VER-TIE or VER-OPS or CONS-RR")
    code, _, text = suite(tmp_path, *selection, "-n", "2", "-v")
    assert code == 0, text
    played = re.findall(r"^\[(gw\d)\] \[ *\d+%\] \w+ \S*test_(\w+)\.py::", text, re.MULTILINE)
    of_plays = {worker for worker, module in played if module in ("scenarios", "machines")}
    judging = {worker for worker, module in played if module == "requirements"}
    assert of_plays == {"gw0", "gw1"}
    assert len(judging) == 1
    whole = suite(tmp_path, *selection)[2]
    assert counted(text) == counted(whole)


ONE_SCENARIO = "the_later_update_wins_at_both_sites or (test_requirement and WANC-TS-02)"


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["one process", "two processes"])
def test_the_summary_names_clauses_that_were_not_reached_and_what_was_left_out(
    tmp_path: Path, processes: tuple[str, ...]
):
    code, outcomes, text = suite(
        tmp_path, *INSTALLED, "--candidate", "reference", "-k", ONE_SCENARIO, *processes
    )
    assert code == 0, text
    assert set(outcomes.values()) == {"PASSED"}
    assert "clauses of passed requirements that this run did not reach: WANC-TS-02:onward" in text
    assert re.search(r"\nonly tests about .* were run; \d+ other scenarios were not\. .*--wide", text)


def test_wide_plays_every_example_and_judges_what_is_selected(tmp_path: Path):
    selection = (*INSTALLED, "--candidate", "reference", "-k", "VER-TIE-01", "--collect-only", "-q")
    _, _, text = suite(tmp_path, *selection, "--wide")
    names = re.findall(r"test_(\w+)\.py::\w+\[reference-(.+)\]", text)
    played = {name for module, name in names if module != "requirements"}
    assert played == {*SCENARIOS, *MACHINES}
    assert names[-1] == ("requirements", "VER-TIE-01"), "judged last"
    assert len(names) == len(played) + 1
    assert "requirements" not in {module for module, _ in names[:-1]}


def counted(text: str) -> list[str]:
    """The lines of statistics: what was played, and the verdicts; seconds left out."""
    lines = text.partition("= plumbline: reference =")[2].splitlines()
    played = [" ".join(line.split()[:2]) for line in lines if re.match(r"\w+ +\d+ +\d+\.\d", line)]
    return played + [line for line in lines if " pass, " in line and "=" not in line]


@pytest.mark.slow
def test_several_processes_come_to_the_same_outcomes(tmp_path: Path):
    candidates = ("--candidate", "reference", "--candidate", "faulty:no-transaction-at-all")
    selection = (*INSTALLED, *candidates, "-k", "TX-VER-02 or TX-LIMIT-02")
    code, together, _ = suite(tmp_path, *selection)
    assert code == 1
    for flags in (("-n", "2"), ("-n", "2", "--dist", "loadgroup")):
        code, apart, text = suite(tmp_path, *selection, *flags)
        assert code == 1
        assert apart == together, text


@pytest.mark.parametrize(
    ("candidate", "named"),
    [
        ("refrence", "did you mean reference"),
        ("faulty:tie-keep-own", "tie-keeps-own"),
        ("geode:1.15.9", "1.15.1"),
    ],
)
def test_an_unknown_candidate_is_a_usage_error_naming_near_matches(
    tmp_path: Path, candidate: str, named: str
):
    code, _, text = suite(tmp_path, *INSTALLED, "--candidate", candidate)
    assert code == pytest.ExitCode.USAGE_ERROR
    assert named in text
    assert "Traceback" not in text


def test_a_candidate_that_cannot_introduce_itself_is_an_error_in_every_item(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text("import sys; print('no licence found', file=sys.stderr); sys.exit(3)")
    candidate = f"process:{sys.executable} {script}"
    code, _, text = suite(tmp_path, *INSTALLED, "--candidate", candidate, "-k", "VER-TIE-01")
    assert code == 2, "nothing failed; nothing could be judged"
    assert re.search(rf"\n=+ .*\b{len(about('VER-TIE-01'))} errors? in", text)
    assert "adapter error: hello: the adapter ended with exit status 3 no licence found" in text
    assert "passed" not in text.splitlines()[-1]


def with_deviations(folder: Path, candidate: str, replaces: str) -> tuple[int, dict[str, str], str]:
    """The items about TX-VER-02, where a deviation from it is on record."""
    file = folder / "known.toml"
    file.write_text(
        f"""
        [[deviation]]
        requirement = "TX-VER-02"
        replaces = "{replaces}"
        reason = "nothing is kept aside"
        owner = "cache team"
        expires = 2999-12-31
        """
    )
    selection = ("--candidate", candidate, "-k", "TX-VER-02", "--deviations", str(file))
    code, outcomes, text = suite(folder, *INSTALLED, *selection)
    return code, items(outcomes, candidate), text


DELEGATED = "a_rollback_called_on_a_member_that_keeps_less_leaves_nothing"
"""What is carried out elsewhere that variant keeps aside."""


def test_a_deviation_on_record_is_an_expected_failure_of_every_item_that_shows_it(tmp_path: Path):
    code, outcomes, text = with_deviations(tmp_path, "faulty:no-transaction-at-all", "no-transaction-at-all")
    assert code == 0, text
    assert outcomes == {**dict.fromkeys(about("TX-VER-02"), "XFAIL"), DELEGATED: "PASSED"}
    assert "on record for TX-VER-02: nothing is kept aside (cache team, until 2999-12-31)" in text


def test_a_deviation_on_record_that_does_not_show_fails_the_item_of_its_requirement_alone(tmp_path: Path):
    code, outcomes, text = with_deviations(tmp_path, "reference", "no-transaction-at-all")
    assert code == 1
    assert outcomes.pop("TX-VER-02") == "FAILED"
    assert set(outcomes.values()) == {"PASSED"}
    assert re.search(r"XPASS\(strict\)\].*cache team.*has not shown: remove it from the file", text)


def test_what_is_not_on_record_fails_beside_what_is(tmp_path: Path):
    code, outcomes, text = with_deviations(tmp_path, "faulty:no-transaction-at-all", "nobody-counts")
    assert code == 1, text
    assert outcomes == {**dict.fromkeys(about("TX-VER-02"), "FAILED"), DELEGATED: "PASSED"}


def test_a_broken_file_of_deviations_is_a_usage_error(tmp_path: Path):
    code, _, text = with_deviations(tmp_path, "reference", "tie-sells")
    assert code == pytest.ExitCode.USAGE_ERROR
    assert "known.toml" in text
    assert "no faulty variant is named 'tie-sells'" in text
    assert "Traceback" not in text
