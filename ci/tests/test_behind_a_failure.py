"""A machine goes on behind a failure that it has found, so that one fault does not hide another."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import msgspec
import pytest

from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.results.deviations import Deviation
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.running import Options, RunOutcome, run_suite

pytestmark = pytest.mark.slow

TITLE = "replicated_regions"


def wrong_in(*names: str) -> Candidate:
    """The reference with several decisions made wrong."""
    book = Rulebook()
    for name in names:
        book = book.with_answers(**FAULTY[name].replaces)
    return msgspec.structs.replace(
        find_candidate("reference"), name="python:wrong", open=lambda: ReferenceAdapter(book)
    )


def run(out: Path, candidate: Candidate, *deviations: Deviation) -> RunOutcome:
    options = Options(selected=("CONS-RR-02",), profile=PROFILES["smoke"], seed=1, deviations=deviations)
    return run_suite(candidate, options, out, lambda *_: None)


def test_a_second_fault_is_found_behind_the_first_and_has_a_counterexample_of_its_own(tmp_path: Path):
    outcome = run(tmp_path, wrong_in("loser-is-told", "announces-twice"))
    failed = {
        row.requirement: row.counterexample
        for row in outcome.rows
        if row.verdict is Verdict.FAIL and row.source is Source.MACHINE
    }
    assert failed["CONS-RR-02"] == f"machine-{TITLE}.json"
    assert failed["DISC-LSN-01"] == f"machine-{TITLE}-2.json"
    named = [kept.requirements[0] for kept in outcome.counterexamples if kept.title == TITLE]
    assert named in (["CONS-RR-02", "DISC-APPLIED-01"], ["CONS-RR-02", "DISC-LSN-01"])
    assert outcome.counterexamples[-1].replay.endswith(f"machine-{TITLE}-2.json")
    (check,) = (check for check in outcome.record.checks if check.name == TITLE)
    assert check.examples > 5, "the machine went on"


def test_a_fault_that_is_alone_is_told_once_and_nothing_passes_behind_it(tmp_path: Path):
    outcome = run(tmp_path, wrong_in("loser-is-told"))
    kept = [one for one in outcome.counterexamples if one.source is Source.MACHINE]
    assert [one.requirements[0] for one in kept] == ["CONS-RR-02"]
    rows = [row for row in outcome.rows if row.source is Source.MACHINE]
    assert {row.verdict for row in rows} <= {Verdict.FAIL, Verdict.NOT_EXERCISED}


KNOWN = Deviation(
    requirement="CONS-RR-02", reason="losers are announced", owner="us", expires=date(2999, 12, 31)
)


def of_machines(outcome: RunOutcome) -> list[tuple[Verdict, str]]:
    return [(row.verdict, row.reason) for row in outcome.rows if row.requirement == KNOWN.requirement]


def test_a_record_that_the_search_cannot_follow_says_how_it_could(tmp_path: Path):
    """It excuses no example of a machine, so a failure there names what to add to the record."""
    outcome = run(tmp_path / "first", wrong_in("loser-is-told"), KNOWN)
    (reason,) = (words for verdict, words in of_machines(outcome) if verdict is Verdict.FAIL)
    assert "CONS-RR-02 is on record without `replaces`" in reason
    named = reason.rpartition('replaces = "')[2].partition('"')[0]
    assert named in FAULTY
    followed = msgspec.structs.replace(KNOWN, replaces=named)
    again = run(tmp_path / "second", wrong_in("loser-is-told"), followed)
    assert {verdict for verdict, _ in of_machines(again)} == {Verdict.DEVIATION}
    foreign = run(tmp_path / "third", wrong_in("announces-twice"), KNOWN)
    assert all("without `replaces`" not in row.reason for row in foreign.rows if row.verdict is Verdict.FAIL)
