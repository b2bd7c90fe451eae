"""What build servers are given of a gate: SARIF, annotations and summaries for GitHub, badges."""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from jsonschema import Draft202012Validator

from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.results.gate_policy import GatePolicy
from plumbline.reference.results.totals import Totals
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.reports import github
from plumbline.reports.badge import _COLOURS, badge, write_badge
from plumbline.reports.broken import Violation, violations
from plumbline.reports.collection import Collection, collect
from plumbline.reports.gate_decision import Evidence, GateDecision, decide
from plumbline.reports.sarif import sarif
from plumbline.reports.tests.samples import HOSTILE, counterexample, write_run
from plumbline.reports.unjudged import Loudness, Unjudged, unjudged

ONE, TWO, THREE = "VER-TIE-01", "CONS-RR-03", "VER-ID-01"

MESSAGE = {
    "type": "object",
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
RULE = {
    "type": "object",
    "required": ["id", "shortDescription", "fullDescription", "help", "defaultConfiguration"],
    "properties": {
        "id": {"type": "string"},
        "shortDescription": MESSAGE,
        "fullDescription": MESSAGE,
        "help": MESSAGE,
        "defaultConfiguration": {"type": "object", "properties": {"level": LEVEL}},
        "properties": {"type": "object", "properties": {"tags": {"type": "array", "uniqueItems": True}}},
    },
}
RESULT = {
    "type": "object",
    "required": ["ruleId", "ruleIndex", "level", "message", "partialFingerprints"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "kind": {"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
        "level": LEVEL,
        "message": MESSAGE,
        "locations": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["physicalLocation"],
                "properties": {
                    "physicalLocation": {
                        "type": "object",
                        "required": ["artifactLocation"],
                        "properties": {
                            "artifactLocation": {
                                "type": "object",
                                "properties": {"uri": {"type": "string", "pattern": r"^[\w./:%~-]+$"}},
                            },
                            "region": {
                                "type": "object",
                                "properties": {"startLine": {"type": "integer", "minimum": 1}},
                            },
                        },
                    }
                },
            },
        },
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "suppressions": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["kind"],
                "properties": {
                    "kind": {"enum": ["inSource", "external"]},
                    "status": {"enum": ["accepted", "underReview", "rejected"]},
                    "justification": {"type": "string"},
                },
            },
        },
    },
}
INVOCATION = {
    "type": "object",
    "required": ["executionSuccessful"],
    "properties": {
        "executionSuccessful": {"type": "boolean"},
        "toolExecutionNotifications": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["message"],
                "properties": {"message": MESSAGE, "level": LEVEL},
            },
        },
    },
}
LOG = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name", "rules"],
                                "properties": {"rules": {"type": "array", "items": RULE}},
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {"type": "array", "items": INVOCATION},
                    "results": {"type": "array", "items": RESULT},
                },
            },
        },
    },
}
"""What of the standard's schema concerns the parts that are written."""


def row(requirement: str, verdict: Verdict, **more: Any) -> VerdictRow:
    return VerdictRow(
        run_id="run-1",
        requirement=requirement,
        source=Source.SCENARIO,
        verdict=verdict,
        exercised=3,
        failures=int(verdict is Verdict.FAIL),
        **more,
    )


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collection:
    monkeypatch.chdir(tmp_path)
    rows = [
        row(ONE, Verdict.FAIL, reason=HOSTILE, counterexample="tie.json"),
        row(TWO, Verdict.DEVIATION, reason="known, and on record"),
        row(THREE, Verdict.PASS),
    ]
    example = counterexample(requirements=(ONE,), title="held_put_loses", expected=(HOSTILE,), seen=("v2",))
    return collect([write_run(tmp_path / "runs" / "run-1", rows, {"tie": example})])


def decided(runs: Collection) -> GateDecision:
    policy = GatePolicy(minimum_profile="smoke", whole_suite=False)
    return decide(Evidence(runs=runs, policy=policy, catalogue=catalogue(), today=date(2026, 1, 1)))


def test_a_violation_names_its_test_its_file_and_what_was_expected(runs: Collection):
    fail, deviation = violations(runs)
    assert (fail.requirement, fail.verdict, fail.test) == (ONE, Verdict.FAIL, "held_put_loses")
    assert fail.file is not None
    assert fail.file.is_file()
    assert fail.sentences[-1] == "seen v2"
    assert (deviation.requirement, deviation.file) == (TWO, None)
    assert deviation.sentences == ("known, and on record",)


def test_the_log_has_a_rule_for_each_requirement_and_a_result_for_each_violation(runs: Collection):
    log = json.loads(msgspec.json.encode(sarif(decided(runs), violations(runs), catalogue())))
    assert list(Draft202012Validator(LOG).iter_errors(log)) == []
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == list(catalogue())
    assert all(catalogue()[rule["id"]].statement in rule["help"]["text"] for rule in rules)
    fail, deviation = run["results"]
    assert rules[fail["ruleIndex"]]["id"] == fail["ruleId"] == ONE
    place = fail["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "runs/run-1/counterexamples/tie.json"
    assert fail["level"] == "error"
    assert "seen v2" in fail["message"]["text"]
    assert "\x1b" not in json.dumps(fail, ensure_ascii=False)
    assert fail["properties"]["replay"].startswith("plumbline replay ")
    assert deviation["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "known, and on record"}
    ]
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert any(f"of {len(catalogue())} were not judged" in note["message"]["text"] for note in notes)


def test_the_structure_above_refuses_what_is_no_log(runs: Collection):
    log = json.loads(msgspec.json.encode(sarif(decided(runs), violations(runs), catalogue())))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not Draft202012Validator(LOG).is_valid(log)


def test_the_same_violation_keeps_its_fingerprint_and_another_has_another(runs: Collection):
    def prints() -> list[str]:
        (run,) = sarif(decided(runs), violations(runs), catalogue())["runs"]
        return [result["partialFingerprints"]["plumbline/v1"] for result in run["results"]]

    assert prints() == prints()
    assert len(set(prints())) == 2


def test_an_annotation_is_one_command_with_requirement_test_and_file(runs: Collection):
    lines = list(github.annotated(decided(runs), violations(runs)))
    assert all(re.match(r"::(error|warning) [^\n\r]*$", line) for line in lines)
    (line,) = (line for line in lines if f"title={ONE} fail" in line)
    assert line.startswith("::error file=runs/run-1/counterexamples/tie.json,title=VER-TIE-01 fail::")
    assert "%0Atest: held put loses%0A" in line
    assert "%0Aseen v2%0Aplumbline replay " in line
    assert lines[-1].startswith("::error title=Plumbline%3A ")
    assert "were not judged::" in lines[-1]


def test_a_candidate_can_neither_end_an_annotation_nor_begin_one():
    assert github._property("a,file=b::error::c\n::warning::d%0A") == (
        "a%2Cfile=b%3A%3Aerror%3A%3Ac\\n%3A%3Awarning%3A%3Ad%250A"
    )


def test_no_more_annotations_than_are_shown(tmp_path: Path):
    rows = [row(identity, Verdict.FAIL) for identity in list(catalogue())[:30]]
    runs = collect([write_run(tmp_path / "run-1", rows)])
    lines = list(github.annotated(decided(runs), violations(runs)))
    assert sum("more reasons; the summary of the step has them" in line for line in lines) == 1
    assert len(lines) == github.MOST_ANNOTATIONS + 2


def test_the_summary_says_the_answer_what_is_open_and_each_reason(runs: Collection):
    text = github.summary(decided(runs), violations(runs), catalogue())
    assert text.startswith("## Plumbline: ❌ The release may not go\n")
    open_ones = len(catalogue()) - 3
    assert f"🔴 **{open_ones} of {len(catalogue())} were not judged**" in text
    assert "**VER&#45;TIE&#45;01**" in text
    assert "seen v2" in text
    assert "<script>" not in text
    assert "<img" not in text
    for line in text.splitlines():
        if line.startswith("| **"):
            assert line.count("|") == 5


def test_what_is_open_is_said_in_red_amber_or_not_at_all():
    assert Unjudged(307, 341).level is Loudness.RED
    assert Unjudged(307, 341).words == "307 of 341 were not judged"
    assert Unjudged(100, 341).level is Loudness.AMBER
    assert Unjudged(30, 341).level is Loudness.CALM
    assert Unjudged(0, 0).level is Loudness.RED
    counts = Totals({Verdict.FAIL: 1, Verdict.PASS: 3, Verdict.UNKNOWN: 2, Verdict.UNSUPPORTED: 1}, 4, 5)
    assert unjudged(counts) == Unjudged(12, 16)


GOOD = Totals({Verdict.PASS: 300, Verdict.DEVIATION: 20}, 0, 21)


@pytest.mark.parametrize(
    ("code", "totals", "message", "colour"),
    [
        (0, [GOOD], "320 of 341 hold, 21 not judged", "green"),
        (0, [Totals({Verdict.PASS: 242}, 0, 99)], "242 of 341 hold, 99 not judged", "amber"),
        (0, [GOOD, Totals({Verdict.PASS: 34}, 307)], "34 of 341 hold, 307 not judged", "red"),
        (1, [Totals({Verdict.FAIL: 2, Verdict.INTERMITTENT: 1, Verdict.PASS: 9})], "3 violated", "red"),
        (1, [GOOD], "not released", "red"),
        (2, [GOOD], "could not be judged", "grey"),
        (0, [], "could not be judged", "grey"),
    ],
)
def test_a_badge_says_the_answer_and_never_hides_what_is_open(
    code: int, totals: list[Totals], message: str, colour: str, tmp_path: Path
):
    made = badge(code, totals)
    assert (made.message, made.colour) == (message, colour)
    write_badge(made, tmp_path / "badges" / "plumbline.svg")
    picture = ET.parse(tmp_path / "badges" / "plumbline.svg").getroot()  # noqa: S314 - the project's own
    assert picture.attrib["aria-label"] == f"plumbline: {message}"
    told = json.loads((tmp_path / "badges" / "plumbline.json").read_text())
    assert (told["schemaVersion"], told["message"]) == (1, message)


def contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
        )
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colour", [*_COLOURS.values(), "#3b4048"])
def test_text_on_a_badge_can_be_read(colour: str):
    assert contrast("#ffffff", colour) >= 4.5


def test_a_violation_without_a_reason_says_something():
    assert Violation(candidate="c", requirement=ONE, verdict=Verdict.FAIL, reason="").sentences == (
        "a violation was found",
    )
