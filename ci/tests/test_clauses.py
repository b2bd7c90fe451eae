"""Clauses and the suite: scenarios show them broken, and a run says which it did not reach."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.commands.catalogue import covered
from plumbline.ci.commands.run import command
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.catalogue.records import Clause
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.reference.rulebook.book import Rulebook
from plumbline.suites.harness.session import Session
from plumbline.suites.pytest_plugin.findings import Findings, ItemFinding
from plumbline.suites.pytest_plugin.item_verdicts import Together
from plumbline.suites.run.clause_coverage import Reach, with_missed
from plumbline.suites.run.playing import play
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

SHOWN = [
    (entry.id, clause, name)
    for entry in all_requirements().values()
    for clause in entry.clauses
    for name in clause.shown_by
]


def reach_of(requirement: str, *scenarios: str) -> Reach:
    """What these scenarios reach on the reference."""
    with Session(find_candidate("reference", seed=1)) as session:
        reach = Reach(session.book)
        for name in scenarios:
            result = play(SCENARIOS[name], session, session.book)
            assert result.verdict is Verdict.PASS
            assert result.history is not None
            reach.scenario(name, (requirement,), result.history)
    return reach


def passed(requirement: str, source: Source = Source.SCENARIO) -> VerdictRow:
    return VerdictRow(run_id="", requirement=requirement, source=source, verdict=Verdict.PASS, exercised=1)


def test_clauses_and_variants_fit():
    assert len(covered()) == len(all_requirements())


@pytest.mark.parametrize(("requirement", "clause", "name"), SHOWN, ids=lambda one: getattr(one, "id", one))
def test_a_scenario_that_shows_a_clause_fails_where_it_is_broken(requirement: str, clause: Clause, name: str):
    assert requirement in SCENARIOS[name].requirements
    verdicts = []
    for variant in clause.variants:
        with Session(find_candidate(f"faulty:{variant}", seed=1)) as session:
            verdicts.append(play(SCENARIOS[name], session, session.book, naming_ms=0).verdict)
    assert Verdict.FAIL in verdicts


def test_a_clause_whose_variant_cannot_explain_what_was_seen_is_reached():
    missed = {clause.id for clause in reach_of("WANC-TS-02", TIE).missed("WANC-TS-02")}
    assert "discarded" not in missed
    assert "onward" in missed


def test_a_scenario_whose_outcome_shows_a_clause_reaches_it():
    assert "onward" not in {clause.id for clause in reach_of("WANC-TS-02", CHAIN).missed("WANC-TS-02")}


def test_a_pass_names_the_clauses_that_were_not_reached():
    rows, missed = with_missed([passed("WANC-TS-02")], reach_of("WANC-TS-02", TIE), None)
    assert [row.verdict for row in rows] == [Verdict.PASS]
    assert "onward (it is sent on to no one)" in rows[0].reason
    assert "onward" in missed["WANC-TS-02"]


def test_a_pass_that_reached_no_clause_is_not_exercised():
    rows, _ = with_missed([passed("WANC-TS-02")], Reach(Rulebook()), None)
    assert [(row.verdict, row.exercised) for row in rows] == [(Verdict.NOT_EXERCISED, 0)]


def test_a_clause_that_needs_more_than_is_offered_says_so():
    rows, _ = with_missed([passed("CLEAR-SCOPE-01")], Reach(Rulebook()), (Capability.CLEAR,))
    assert "no-travel (needs gateways)" in rows[0].reason


def test_a_requirement_with_one_clause_says_nothing_of_clauses():
    rows, missed = with_missed([passed("VER-TIE-01")], Reach(Rulebook()), None)
    assert (rows, missed) == ([passed("VER-TIE-01")], {})


def test_a_failure_says_nothing_of_clauses():
    wrong = VerdictRow(run_id="", requirement="WANC-TS-02", source=Source.MACHINE, verdict=Verdict.FAIL)
    rows, missed = with_missed([passed("WANC-TS-02"), wrong], Reach(Rulebook()), None)
    assert (rows, missed) == ([passed("WANC-TS-02"), wrong], {})


def ran(tmp_path: Path, *words: str) -> tuple[dict[str, Any], dict[str, Any], str]:
    """What a smoke run of the reference gives: its JSON, its record, and what it prints."""
    result = CliRunner().invoke(command, ["--profile", "smoke", "--json", "--out", str(tmp_path), *words])
    (record,) = tmp_path.glob("*/run.json")
    (told,) = json.loads(result.stdout)["runs"]
    return told, json.loads(record.read_text(encoding="utf-8")), result.stderr


def test_a_selection_says_what_it_leaves_out_and_which_clauses_were_not_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    shows = "what_is_queued_waits_until_a_sender_runs_again"
    others = {name: one for name, one in SCENARIOS.items() if name != shows}
    monkeypatch.setattr("plumbline.suites.run.running.SCENARIOS", others)
    monkeypatch.setattr("plumbline.suites.run.running.MACHINES", {})
    told, record, printed = ran(tmp_path, "--select", "SER-PRIMARY-04")
    assert "only tests about the selected requirements were run" in str(told["left_out"])
    assert record["left_out"] == told["left_out"]
    assert str(told["left_out"])[:60] in " ".join(printed.split())
    assert record["clauses_not_reached"] == {"SER-PRIMARY-04": ["waits"]}
    (verdict,) = told["verdicts"]
    assert verdict["clauses_not_reached"] == ["waits"]


def test_wide_plays_all_and_leaves_nothing_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    few = [name for name, one in SCENARIOS.items() if one.members == 3 and not one.queues][:12]
    monkeypatch.setattr("plumbline.suites.run.running.SCENARIOS", {name: SCENARIOS[name] for name in few})
    monkeypatch.setattr("plumbline.suites.run.running.MACHINES", {})
    told, record, _ = ran(tmp_path, "--select", "VER-TIE-01", "--wide")
    assert (told["left_out"], record["left_out"]) == ("", "")
    assert record["checks"][0]["examples"] == len(few)
    assert [one["requirement"] for one in told["verdicts"]] == ["VER-TIE-01"]


TIE, CHAIN = "the_later_update_wins_at_both_sites", "what_the_middle_of_a_chain_discards_goes_no_further"


def found_by(scenario: str) -> ItemFinding:
    """What the item of a scenario finds on the reference under pytest."""
    with Session(find_candidate("reference", seed=1)) as session:
        history = play(SCENARIOS[scenario], session, session.book).history
    assert history is not None
    rows = tuple(passed(one) for one in SCENARIOS[scenario].requirements)
    return ItemFinding(candidate="reference", title=scenario, rows=rows, right=((scenario, history),))


@pytest.fixture(scope="module")
def tie() -> ItemFinding:
    return found_by(TIE)


@pytest.mark.parametrize("shared", [False, True], ids=["one process", "another process"])
def test_under_pytest_a_pass_names_the_clauses_that_no_item_reached(
    tmp_path: Path, tie: ItemFinding, shared: bool
):
    """Also where the process that judges is not the one that played."""
    folder = tmp_path if shared else None
    here = Findings(folder)
    with Session(find_candidate("reference")) as session:
        together = Together(Findings(folder) if shared else here, "reference", session)
        here.add(tie)
        (verdict, reason), missed = together.verdict("WANC-TS-02")
        assert (verdict, missed) == (Verdict.PASS, ("onward",))
        assert "onward (it is sent on to no one)" in reason
        here.add(found_by(CHAIN))
        assert together.verdict("WANC-TS-02")[1] == ()


def test_under_pytest_a_requirement_none_of_whose_clauses_was_reached_is_not_exercised(tie: ItemFinding):
    findings = Findings()
    findings.add(msgspec.structs.replace(tie, right=()))
    with Session(find_candidate("reference")) as session:
        (verdict, reason), missed = Together(findings, "reference", session).verdict("WANC-TS-02")
    assert (verdict, missed) == (Verdict.NOT_EXERCISED, ())
    assert "clauses not reached: discarded" in reason


def test_under_pytest_an_error_of_our_own_about_clauses_leaves_the_verdict(
    tie: ItemFinding, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Reach, "missed", lambda *_: 1 / 0)
    findings = Findings()
    findings.add(tie)
    with Session(find_candidate("reference")) as session, pytest.warns(UserWarning, match="own error"):
        decided, missed = Together(findings, "reference", session).verdict("WANC-TS-02")
    assert (decided.verdict, missed) == (Verdict.PASS, ())
