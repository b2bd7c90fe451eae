"""What Allure is told of the suite, and the report that its command line makes of it."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from plumbline.ci import allure_report
from plumbline.ci.allure_report import MissingAllureError, generate
from plumbline.reference.results.runs import read_counterexample
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

pytestmark = pytest.mark.allure

FAULTY = "faulty:tie-keeps-own"
WRONG = "at_equal_versions_the_higher_id_replaces_the_lower"


def results(folder: Path, candidate: str, *arguments: str) -> dict[str, dict[str, Any]]:
    """The results of items about a candidate, by title; the files lie in the folder."""
    options = ("-p", "no:cacheprovider", "--candidate", candidate, "--alluredir", str(folder), *arguments)
    command = [sys.executable, "-m", "pytest", "--pyargs", "plumbline.suites", *options]
    folder.mkdir()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    found = [json.loads(file.read_text()) for file in folder.glob("*-result.json")]
    assert found, done.stdout + done.stderr
    return {result["name"]: result for result in found}


def labels(result: dict[str, Any], name: str) -> set[str]:
    return {label["value"] for label in result["labels"] if label["name"] == name}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("allure") / "results"
    pattern = "tms:site/requirements/{}.html"
    selection = "VER-TIE-01 or TOMB-RETAIN-01 or VER-ROLL-01"
    return folder, results(folder, FAULTY, "-k", selection, "--allure-link-pattern", pattern)


def test_a_requirement_is_labelled_by_id_area_and_severity(faulty: tuple[Path, dict[str, dict[str, Any]]]):
    tie = faulty[1]["VER-TIE-01 equal versions, higher member id replaces"]
    told = {name: labels(tie, name) for name in ("epic", "feature", "severity", "requirement")}
    assert told == {
        "epic": {FAULTY},
        "feature": {"versions"},
        "severity": {"critical"},
        "requirement": {"VER-TIE-01"},
    }
    assert tie["links"] == [{"type": "tms", "url": "site/requirements/VER-TIE-01.html", "name": "VER-TIE-01"}]
    assert "Document 004" in tie["description"]
    assert "the receiver MUST apply" in tie["description"]


def test_verdicts_are_told_by_status(faulty: tuple[Path, dict[str, dict[str, Any]]], tmp_path: Path):
    by_title = faulty[1]
    assert by_title["VER-TIE-01 equal versions, higher member id replaces"]["status"] == "failed"
    assert by_title["TOMB-RETAIN-01 a destroy leaves a tombstone"]["status"] == "passed"
    (rolled,) = (result for title, result in by_title.items() if title.startswith("VER-ROLL-01"))
    assert rolled["status"] == "skipped"
    script = tmp_path / "script.py"
    script.write_text("raise SystemExit(3)")
    dead = results(tmp_path / "dead", f"process:{sys.executable} {script}", "-k", "VER-TIE-01")
    assert {result["status"] for result in dead.values()} == {"broken"}


def test_counterexamples_are_attached_to_what_they_are_about_and_can_be_played(
    faulty: tuple[Path, dict[str, dict[str, Any]]],
):
    folder, by_title = faulty
    for title in ("VER-TIE-01 equal versions, higher member id replaces", WRONG.replace("_", " ")):
        attached = [one for one in by_title[title]["attachments"] if one["type"] == "application/json"]
        found = {read_counterexample(folder / one["source"]).title for one in attached}
        assert WRONG in found
    (text,) = (one for one in by_title[WRONG.replace("_", " ")]["attachments"] if one["type"] == "text/plain")
    assert "A to hold put-3-C under x" in (folder / text["source"]).read_text()
    for title in (
        "TOMB-RETAIN-01 a destroy leaves a tombstone",
        "what is older than a destroy does not revive the key",
    ):
        assert not by_title[title].get("attachments")


def test_a_scenario_names_all_requirements_it_is_about(faulty: tuple[Path, dict[str, dict[str, Any]]]):
    scenario = faulty[1][WRONG.replace("_", " ")]
    assert labels(scenario, "requirement") == set(SCENARIOS[WRONG].requirements)
    assert labels(scenario, "story") == {"scenarios and machines"}


@pytest.mark.slow
def test_the_report_holds_the_results(faulty: tuple[Path, dict[str, dict[str, Any]]], tmp_path: Path):
    generate(faulty[0], tmp_path / "report")
    page = (tmp_path / "report" / "index.html").read_text()
    (summary,) = re.findall(r"d\('widgets/summary.json','([^']+)'\)", page)
    counted = json.loads(base64.b64decode(summary))["statistic"]
    statuses = [result["status"] for result in faulty[1].values()]
    assert counted["total"] == len(statuses)
    assert (counted["failed"], counted["passed"]) == (statuses.count("failed"), statuses.count("passed"))


def test_what_is_missing_is_told_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert allure_report.main([]) == 2
    assert "no Java: apt-get install" in capsys.readouterr().err
    with pytest.raises(MissingAllureError, match="no Java"):
        generate(tmp_path, tmp_path / "report")
