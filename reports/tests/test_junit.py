"""JUnit: valid for every text, and each verdict is told as the table says."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from plumbline.reference.results.verdicts import MEANING, UNTESTED, Source, Verdict
from plumbline.reports.junit import junit_xml
from plumbline.reports.tests.samples import HOSTILE, record, row

EVERYTHING = "".join(map(chr, range(0x11000))) + chr(0x1FFFF) + chr(0x10FFFF)


@pytest.mark.parametrize("text", [HOSTILE, EVERYTHING, HOSTILE * 8_000, ""], ids=range(4))
def test_the_document_is_valid_whatever_the_texts_hold(text: str) -> None:
    fields = dict.fromkeys(("candidate", "product", "product_version", "dialect", "profile", "started"), text)
    rows = [row(text, Verdict.FAIL, reason=text, counterexample=text), row(text, Verdict.PASS)]
    document = junit_xml(record(text, **fields), rows, {text: text})
    suite = ET.fromstring(document)[0]  # noqa: S314 - our own writer's document
    (case,) = suite.findall("testcase")
    assert [child.tag for child in case] == ["failure"]
    assert len(document) < 200_000


@pytest.mark.parametrize("verdict", Verdict)
def test_each_verdict_becomes_the_element_of_the_table(verdict: Verdict) -> None:
    suite = ET.fromstring(junit_xml(record(), [row(verdict=verdict, reason="why")]))[0]  # noqa: S314
    expected = {"failed": ["failure"], "broken": ["error"], "skipped": ["skipped"], "passed": []}
    case, *itself = suite.findall("testcase")
    assert bool(itself) == (verdict in UNTESTED), "a run that judged nothing is an error"
    assert [child.tag for child in case if child.tag != "system-out"] == expected[MEANING[verdict].junit]
    for child in case:
        if child.tag == "system-out":
            assert child.text == "why"
            continue
        assert child.get("type") == verdict.value
        assert "why" in (child.get("message") or "")


def test_sources_are_merged_into_one_case_that_names_them_all() -> None:
    rows = [
        row(),
        row(source=Source.MACHINE, verdict=Verdict.FAIL, reason="B keeps v2", counterexample="tie.json"),
    ]
    suite = ET.fromstring(junit_xml(record(), rows, {"VER-TIE-01": "the higher wins"}))[0]  # noqa: S314
    (case,) = suite.findall("testcase")
    assert case.get("name") == "VER-TIE-01 the higher wins"
    assert case.get("time") == "0.500"
    text = case[0].text or ""
    assert "scenario: pass" in text
    assert "machine: fail" in text
    assert "counterexamples/tie.json" in text


def test_an_extension_that_failed_is_skipped_with_its_verdict() -> None:
    suite = ET.fromstring(junit_xml(record(), [row(), row("EXT-NEW-01", Verdict.FAIL)]))[0]  # noqa: S314
    assert (suite.get("failures"), suite.get("skipped")) == ("0", "1")
    (told,) = suite.findall("testcase/skipped")
    assert told.get("type") == "fail"


def test_the_counts_of_a_suite_are_those_of_its_cases() -> None:
    rows = [row(f"A-B-{number:02}", verdict) for number, verdict in enumerate(Verdict)]
    suite = ET.fromstring(junit_xml(record(), rows))[0]  # noqa: S314
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "8", "failures": "2", "errors": "2", "skipped": "3"}


def test_an_incomplete_run_holds_an_error() -> None:
    suite = ET.fromstring(junit_xml(record(complete=False), [row()]))[0]  # noqa: S314
    assert suite.get("errors") == "2", "what passed in it is unknown"
    assert suite.findall("testcase")[-1].get("name") == "the run itself"


def test_a_dot_in_a_candidates_name_does_not_split_its_class_name() -> None:
    suite = ET.fromstring(junit_xml(record(candidate="geode:1.15.1"), [row()]))[0]  # noqa: S314
    assert suite.findall("testcase")[0].get("classname") == "plumbline.geode:1_15_1"
