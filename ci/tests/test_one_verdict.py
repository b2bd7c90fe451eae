"""Run, pytest, gate, site, JUnit, judge and `--last-failed` say the same of the same."""

from __future__ import annotations

import re
from datetime import date
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest
from click.testing import CliRunner

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.commands.catalogue import covered
from plumbline.ci.commands.gate import command as gate_command
from plumbline.ci.terminal.last_run import LastRun, failed_in
from plumbline.ci.terminal.run_document import answer, exit_code_of_run
from plumbline.ci.tests.further_cases import one_in
from plumbline.ci.tests.machine_items import machine_item
from plumbline.reference.catalogue.loader import all_requirements, catalogue
from plumbline.reference.results.deviations import Deviation
from plumbline.reference.results.gate_policy import GatePolicy
from plumbline.reference.results.verdicts import MEANING, Source, Verdict, VerdictRow
from plumbline.reference.rules.judging import Judgement
from plumbline.reference.rules.results import result_table
from plumbline.reference.rules.survey import SurveyResult
from plumbline.reports.collection import collect
from plumbline.reports.gate_decision import Evidence, decide
from plumbline.reports.github import summary
from plumbline.reports.junit import junit_xml
from plumbline.reports.sarif import sarif
from plumbline.reports.signs import JUNIT_ELEMENT
from plumbline.reports.site import build
from plumbline.reports.tests.samples import write_run
from plumbline.suites.harness.session import Session
from plumbline.suites.pytest_plugin.findings import Findings, ItemFinding
from plumbline.suites.pytest_plugin.item_verdicts import ExitStatus, Together
from plumbline.suites.pytest_plugin.plugin import (
    FINDINGS,
    ON_RECORD,
    SESSIONS,
    UnjudgedError,
)
from plumbline.suites.run import machine_run as turns
from plumbline.suites.run.clause_coverage import Reach
from plumbline.suites.run.known_deviations import KnownDeviations
from plumbline.suites.run.plan_outcomes import PlanOutcomes
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.proof import Proof
from plumbline.suites.run.running import Options, RunOutcome, run_suite
from plumbline.suites.run.tested import ids_without_tests

IDS = list(catalogue())
ONE, TWO, THREE = "VER-TIE-01", "CONS-RR-03", "WAN-CFG-01"
MACHINE = "replicated_regions"
ELEMENT = {verdict: JUNIT_ELEMENT.get(meaning.junit) for verdict, meaning in MEANING.items()}


def by_id(one: VerdictRow) -> str:
    return one.requirement


def row(
    requirement: str, verdict: Verdict, source: Source = Source.MACHINE, exercised: int = 1
) -> VerdictRow:
    return VerdictRow(
        run_id="run-1",
        requirement=requirement,
        source=source,
        verdict=verdict,
        exercised=exercised,
        reason=f"because {verdict}",
    )


ALL = [row(identity, verdict) for identity, verdict in zip(IDS, Verdict, strict=False)]
CASES: dict[str, list[VerdictRow]] = {
    "every verdict once": ALL,
    "all green": [row(ONE, Verdict.PASS), row(TWO, Verdict.DEVIATION)],
    "nothing judged": [row(ONE, Verdict.UNSUPPORTED), row(TWO, Verdict.NOT_EXERCISED)],
    "nothing at all": [],
    "unknown outweighs a pass": [row(ONE, Verdict.PASS), row(ONE, Verdict.UNKNOWN, Source.RULE)],
    "a failure outweighs an adapter error": [
        row(ONE, Verdict.ADAPTER_ERROR),
        row(ONE, Verdict.FAIL, Source.RULE),
        row(TWO, Verdict.PASS),
    ],
    "a pass without an occasion": [row(ONE, Verdict.PASS, exercised=0), row(TWO, Verdict.PASS)],
    "only such passes": [row(ONE, Verdict.PASS, exercised=0)],
    "by a rule alone": [row(ONE, Verdict.PASS, Source.RULE), row(TWO, Verdict.INTERMITTENT, Source.RULE)],
}
SELECTIONS = {"all": (), "three": (ONE, TWO, THREE)}


@pytest.mark.parametrize("complete", [True, False], ids=["whole", "stopped"])
@pytest.mark.parametrize("selected", SELECTIONS.values(), ids=list(SELECTIONS))
@pytest.mark.parametrize("rows", one_in(2, CASES.values()), ids=list(CASES))
def test_all_commands_say_the_same_of_a_verdict_table(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rows: list[VerdictRow],
    selected: tuple[str, ...],
    complete: bool,
):
    # A verdict table says what is left of a pass where clauses were not reached.
    monkeypatch.setattr(Reach, "missed", lambda *_: ())
    directory = write_run(tmp_path / "run-1", rows, selected=selected, complete=complete)
    collection = collect([directory])
    (candidate,) = collection.candidates
    record = candidate.runs[0].record
    outcome = RunOutcome(record, rows, directory, [], ())
    told = msgspec.to_builtins(answer(outcome))
    verdicts = {one["requirement"]: Verdict(one["verdict"]) for one in told["verdicts"]}
    code = exit_code_of_run(outcome)
    assert told["exit_code"] == code

    # The site.
    assert {name: found.verdict for name, found in candidate.findings().items()} == verdicts
    assert candidate.exit_code == code
    index = build(collection, all_requirements(), tmp_path / "site", coverage=covered()).index.read_text()
    assert candidate.totals(catalogue(), ids_without_tests()).words in index

    # The gate.
    decision = decide(
        Evidence(
            runs=collection,
            policy=GatePolicy(),
            catalogue=all_requirements(),
            today=date(2026, 1, 1),
            untested=ids_without_tests(),
        )
    )
    (count,) = decision.candidates
    assert count.verdicts == told["totals"]
    assert count.not_asked_for == told["not_asked_for"]
    assert count.without_test == told["without_test"]
    assert code == 0 or decision.exit_code != 0

    # JUnit.
    suite = ET.fromstring(junit_xml(record, rows))  # noqa: S314 - the project's own
    elements = {
        case.attrib["name"]: next((child.tag for child in case if child.tag != "system-out"), None)
        for case in suite.iter("testcase")
    }
    itself = elements.pop("the run itself", None)
    assert elements == {name: ELEMENT[verdict] for name, verdict in verdicts.items()}
    red = {"failure", "error"} & {*elements.values(), itself}
    assert ("failure" in red) == (code == 1)
    assert bool(red) == (code != 0)

    # What is played again.
    if complete:
        again = failed_in(LastRun(record, directory))
        assert set(again) == {name for name, verdict in verdicts.items() if MEANING[verdict].exit_code}
        assert in_pytest(rows) == (verdicts, code)

    # `plumbline judge`, which has the rows of rules alone.
    of_rules = [one for one in rows if one.source is Source.RULE]
    if complete and rows and of_rules == rows:
        found = Judgement(directory=str(directory), record=record, verdicts=tuple(rows))
        judged = SurveyResult(results=result_table([found]), judged=1, known=0)
        assert sorted(judged.verdicts, key=by_id) == sorted(rows, key=by_id)
        assert judged.exit_code == code


LEFT = "WANC-TS-02"


@pytest.mark.parametrize("reached_elsewhere", [False, True])
def test_every_place_where_a_pass_is_read_names_the_clauses_that_were_not_reached(
    tmp_path: Path, reached_elsewhere: bool
):
    words = "clause not reached: onward (it is sent on to no one)"
    rows = [msgspec.structs.replace(row(LEFT, Verdict.PASS), reason=words)]
    directories = [write_run(tmp_path / "run-1", rows, clauses_not_reached={LEFT: ("onward",)})]
    if reached_elsewhere:
        other = [msgspec.structs.replace(row(LEFT, Verdict.PASS), run_id="run-2")]
        directories.append(write_run(tmp_path / "run-2", other))
    collection = collect(directories)
    (candidate,) = collection.candidates
    missed = {} if reached_elsewhere else {LEFT: ("onward",)}
    assert candidate.clauses_not_reached == missed

    evidence = Evidence(
        runs=collection, policy=GatePolicy(), catalogue=all_requirements(), today=date(2026, 1, 1)
    )
    decision = decide(evidence)
    assert decision.candidates[0].clauses_not_reached == missed
    notes = sarif(decision, [], all_requirements())["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    gate = CliRunner().invoke(gate_command, [*map(str, directories), "--all"])
    site = build(collection, all_requirements(), tmp_path / "site", coverage=covered()).index
    (page,) = (site.parent / "candidates").glob("*.html")
    places = [
        " ".join(note["message"]["text"] for note in notes),
        unescape(unescape(summary(decision, [], all_requirements()))),
        gate.stdout,
    ]
    assert [f"{LEFT}:onward" in place for place in places] == [bool(missed)] * 3
    assert ["have clauses that no run reached" in file.read_text() for file in (site, page)] == [
        bool(missed)
    ] * 2

    # What is about one run says it of that run.
    record = candidate.runs[0].record
    (told,) = answer(RunOutcome(record, rows, directories[0], [], ())).verdicts
    assert told.clauses_not_reached == ("onward",)
    case = ET.fromstring(junit_xml(record, rows)).find("testsuite/testcase")  # noqa: S314 - the project's own
    assert case is not None
    assert case.findtext("system-out") == words


def in_pytest(rows: list[VerdictRow]) -> tuple[dict[str, Verdict], int]:
    """What the requirement items say, and the exit status that pytest is given."""
    config = stub_config()
    config.stash[FINDINGS].add(ItemFinding(candidate="reference", title=MACHINE, rows=tuple(rows)))
    status = ExitStatus()
    verdicts = {}
    with Session(find_candidate("reference")) as session:
        asked = dict.fromkeys(one.requirement for one in rows) or (ONE,)
        for requirement in asked:
            (verdict, reason), _ = Together(config.stash[FINDINGS], "reference", session).verdict(requirement)
            assert rows == [] or f"because {verdict}" in reason or verdict is Verdict.NOT_EXERCISED
            verdicts[requirement] = verdict
            unjudged = [("plumbline unjudged", "")] if MEANING[verdict].pytest == "error" else []
            told = [("candidate", "reference"), ("requirement", requirement), ("verdict", verdict.value)]
            properties = [*told, *unjudged]
            failed = MEANING[verdict].pytest in ("failed", "error")
            report: Any = SimpleNamespace(nodeid=requirement, failed=failed, user_properties=properties)
            status.pytest_runtest_logreport(report)
    bad = any(MEANING[verdict].exit_code for verdict in verdicts.values())
    ended: Any = SimpleNamespace(exitstatus=pytest.ExitCode.TESTS_FAILED if bad else pytest.ExitCode.OK)
    status.pytest_sessionfinish(ended)
    return verdicts if rows else {}, int(ended.exitstatus)


def stub_config(**options: object) -> Any:
    stash = pytest.Stash()
    stash[FINDINGS] = Findings()
    stash[SESSIONS] = {}
    stash[ON_RECORD] = {}
    return SimpleNamespace(stash=stash, getoption=options.get)


KNOWN = Deviation(requirement=ONE, reason="known", owner="us", expires=date(2999, 1, 1))
TROUBLES: dict[str, tuple[PlanOutcomes, int, Verdict]] = {
    "one of fifty undecided": (PlanOutcomes(played=50, unknown=1), 3, Verdict.PASS),
    "four of fifty undecided": (PlanOutcomes(played=50, unknown=4), 3, Verdict.UNKNOWN),
    "all undecided": (PlanOutcomes(played=1, unknown=1), 0, Verdict.UNKNOWN),
    "an adapter error": (
        PlanOutcomes(played=50, unknown=4, adapter_errors=1, last_error="gone"),
        3,
        Verdict.ADAPTER_ERROR,
    ),
    "nothing happened": (PlanOutcomes(played=50), 0, Verdict.NOT_EXERCISED),
    "nothing was counted": (PlanOutcomes(played=0, idle=50), 0, Verdict.NOT_EXERCISED),
    "the adapter left every plan": (PlanOutcomes(lacking=3, last_error="no"), 0, Verdict.UNSUPPORTED),
    "a deviation": (PlanOutcomes(played=50, deviating=2, deviations=(KNOWN,)), 3, Verdict.DEVIATION),
    "the time was over": (PlanOutcomes(played=5, cut=True), 1, Verdict.PASS),
}


@pytest.mark.parametrize(("trouble", "exercised", "expected"), TROUBLES.values(), ids=list(TROUBLES))
def test_run_and_pytest_say_the_same_of_what_a_machine_has_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: PlanOutcomes, exercised: int, expected: Verdict
):
    monkeypatch.setattr(turns, "play_plans", lambda *_, **__: msgspec.structs.replace(trouble))
    monkeypatch.setattr(Proof, "count", lambda *_: exercised)
    candidate = find_candidate("reference")
    options = Options(selected=(ONE,), profile=PROFILES["smoke"], seed=1)
    outcome = run_suite(candidate, options, tmp_path, lambda *_: None)
    in_run = [one for one in outcome.rows if one.source is Source.MACHINE]
    assert {(one.requirement, one.verdict) for one in in_run} == {(ONE, expected)}

    config = stub_config(**{"--profile": "smoke", "--suite-seed": 1})
    config.stash[ON_RECORD]["reference"] = KnownDeviations()
    with Session(candidate) as session:
        config.stash[SESSIONS]["reference"] = session
        try:
            machine_item()(MACHINE, "reference", session, config)
            ended = "passed"
        except UnjudgedError:
            ended = "error"
        except pytest.skip.Exception:
            ended = "skipped"
        except pytest.xfail.Exception:
            ended = "xfailed"
        (finding,) = config.stash[FINDINGS].of("reference")
        (of_pytest,) = (one for one in finding.rows if one.requirement == ONE)
        assert of_pytest.verdict is expected
        (mine,) = (one for one in in_run if one.reason == of_pytest.reason)
        reason = Together(config.stash[FINDINGS], "reference", session).verdict(ONE)[0].reason
    assert re.fullmatch(rf"{MACHINE}(: {re.escape(mine.reason)})?", reason)
    whole = (
        {"passed", MEANING[expected].pytest} if expected is Verdict.DEVIATION else {MEANING[expected].pytest}
    )
    assert ended in whole


@pytest.mark.thorough
def test_a_whole_run_has_the_same_totals_everywhere(tmp_path: Path):
    options = Options(profile=msgspec.structs.replace(PROFILES["smoke"], examples=1, rules=3), seed=1)
    candidate = find_candidate("reference:gemfire6")
    outcome = run_suite(candidate, options, tmp_path, lambda *_: None)
    told = msgspec.to_builtins(answer(outcome))
    assert sum(told["totals"].values()) + told["without_test"] == len(catalogue())
    assert told["without_test"] == len(ids_without_tests())
    (found,) = collect([outcome.directory]).candidates
    assert dict(found.totals(catalogue(), ids_without_tests()).verdicts) == told["totals"]
    evidence = Evidence(
        runs=collect([outcome.directory]),
        policy=GatePolicy(),
        catalogue=all_requirements(),
        today=date(2026, 1, 1),
        untested=ids_without_tests(),
    )
    (count,) = decide(evidence).candidates
    assert count.verdicts == told["totals"]
    unowed = [one for one in outcome.rows if "not owed in the dialect" in one.reason]
    assert unowed, "a dialect that owes all could not show what is counted"
