"""The one function that decides, and the one that counts."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.reference.results.deciding import Tally, decide
from plumbline.reference.results.totals import Totals, binding, counted, exit_code_of, merged, reasons, totals
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow

ROW = VerdictRow(run_id="1", requirement="A-B-01", source=Source.MACHINE, verdict=Verdict.PASS, exercised=1)
HELD = Tally(played=50, exercised=3)

CASES = {
    "held": (HELD, Verdict.PASS, ""),
    "one of fifty undecided": (
        msgspec.structs.replace(HELD, undecided=1),
        Verdict.PASS,
        "by 49 examples; 1 were not decided",
    ),
    "four of fifty undecided": (
        msgspec.structs.replace(HELD, undecided=4),
        Verdict.UNKNOWN,
        "4 of 50 examples were not decided in the budget",
    ),
    "the only one undecided": (
        Tally(played=1, undecided=1, undecided_because="no correct run in 9 states"),
        Verdict.UNKNOWN,
        "no correct run in 9 states",
    ),
    "two of two undecided": (
        Tally(played=2, undecided=2),
        Verdict.UNKNOWN,
        "2 of 2 examples were not decided in the budget",
    ),
    "violated": (Tally(played=1, exercised=1, violations=3, tried=3, violation="x"), Verdict.FAIL, "x"),
    "violated now and then": (
        Tally(played=1, exercised=1, violations=1, tried=3, violation="x"),
        Verdict.INTERMITTENT,
        "failed 1 of 3 times: x",
    ),
    "violated as is on record": (
        Tally(played=1, violations=1, tried=3, violation="x", excused="on record"),
        Verdict.DEVIATION,
        "on record",
    ),
    "violated, whatever else went wrong": (
        Tally(violations=1, violation="x", own_error="ours", adapter_errors=4, undecided=4, flaws=("f",)),
        Verdict.FAIL,
        "x",
    ),
    "our own error": (
        msgspec.structs.replace(HELD, own_error="Plumbline's own error", adapter_errors=1),
        Verdict.UNKNOWN,
        "Plumbline's own error",
    ),
    "adapter errors": (
        msgspec.structs.replace(HELD, adapter_errors=2, adapter_error="gone", undecided=40),
        Verdict.ADAPTER_ERROR,
        "2 examples: gone",
    ),
    "flaws": (
        Tally(exercised=9, flaws=("a: torn", "b: torn")),
        Verdict.UNKNOWN,
        "a: torn (and 1 more)",
    ),
    "deviates": (msgspec.structs.replace(HELD, deviating="known"), Verdict.DEVIATION, "known"),
    "lacks it": (Tally(lacking="needs gateways"), Verdict.UNSUPPORTED, "needs gateways"),
    "lacks it, and nothing happened": (
        Tally(played=9, lacking="needs gateways"),
        Verdict.UNSUPPORTED,
        "needs gateways",
    ),
    "nothing happened": (
        Tally(played=9, cut=True),
        Verdict.NOT_EXERCISED,
        "none of 9 examples reached a situation that checks it; the time limit ended the test early",
    ),
    "idle": (
        msgspec.structs.replace(HELD, idle=2),
        Verdict.PASS,
        "by 50 examples; 2 more do not count, because their faults had no effect",
    ),
}


@pytest.mark.parametrize(("tally", "verdict", "reason"), CASES.values(), ids=list(CASES))
def test_a_tally_has_one_verdict_and_one_reason(tally: Tally, verdict: Verdict, reason: str):
    assert decide(tally) == (verdict, reason)


def test_no_pass_without_an_occasion_to_fail_and_none_in_a_run_that_is_not_whole():
    assert counted(ROW) is Verdict.PASS
    assert counted(msgspec.structs.replace(ROW, exercised=0)) is Verdict.NOT_EXERCISED
    assert counted(ROW, whole=False) is Verdict.UNKNOWN
    failed = msgspec.structs.replace(ROW, verdict=Verdict.FAIL)
    assert counted(failed, whole=False) is Verdict.FAIL


def test_each_requirement_is_counted_once_with_the_verdict_that_stays():
    rows = [
        ROW,
        msgspec.structs.replace(ROW, verdict=Verdict.FAIL, reason="bad", source=Source.SCENARIO),
        msgspec.structs.replace(ROW, requirement="A-B-02"),
    ]
    stays = merged(rows)
    assert stays == {"A-B-01": Verdict.FAIL, "A-B-02": Verdict.PASS}
    assert reasons(rows[:2], Verdict.FAIL) == ("bad",)
    known = ["A-B-01", "A-B-02", "A-B-03", "A-B-04"]
    assert totals(stays, known) == Totals({Verdict.FAIL: 1, Verdict.PASS: 1, Verdict.NOT_EXERCISED: 2})
    selected = totals(stays, known, ["A-B-02", "A-B-03"])
    assert selected == Totals({Verdict.FAIL: 1, Verdict.PASS: 1, Verdict.NOT_EXERCISED: 1}, 1)
    assert selected.words == "1 fail, 1 pass, 1 not exercised, 1 not asked for"
    untested = totals(stays, known, untested=["A-B-01", "A-B-03", "A-B-04"])
    assert untested == Totals({Verdict.FAIL: 1, Verdict.PASS: 1}, 0, 2), "what was found counts"
    assert untested.words == "1 fail, 1 pass, 2 without a test"
    assert totals(stays, known, ["A-B-02"], ["A-B-03"]).not_asked_for == 2


def test_extensions_are_counted_apart_and_bind_where_they_are_asked_for():
    stays = {"A-B-01": Verdict.PASS, "EXT-B-01": Verdict.FAIL}
    found = totals(stays, ["A-B-01", "EXT-B-01", "EXT-B-02"])
    assert found == Totals({Verdict.PASS: 1}, extensions={Verdict.FAIL: 1})
    assert (found.requirements, found.judged) == (1, 1)
    assert found.words == "1 pass; extensions: 1 fail"
    assert exit_code_of(binding(stays)) == 0
    assert exit_code_of(binding(stays, ["EXT-B-01"])) == 1


def test_the_exit_code_is_never_0_where_evidence_is_missing_or_nothing_was_judged():
    assert exit_code_of([Verdict.PASS]) == 0
    assert exit_code_of([Verdict.PASS], whole=False) == 2
    assert exit_code_of([Verdict.FAIL], whole=False) == 1
    assert exit_code_of([Verdict.UNSUPPORTED]) == 2
