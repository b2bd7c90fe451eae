"""The gate: what speaks against a release, what only advises, and when it cannot tell."""

from __future__ import annotations

import shlex
from datetime import date
from pathlib import Path

import msgspec
import pytest

from plumbline.reference.catalogue.records import Area, Dialect, Level
from plumbline.reference.results.deviations import Deviation, words
from plumbline.reference.results.gate_policy import GatePolicy, Required, Tolerated
from plumbline.reference.results.runs import write_counterexample
from plumbline.reference.results.verdicts import Verdict, VerdictRow
from plumbline.reports.collection import collect
from plumbline.reports.gate_decision import Evidence, GateDecision, Weight, decide
from plumbline.reports.tests.samples import counterexample, requirement, row, write_run

TODAY = date(2026, 11, 21)

TIE = requirement("VER-TIE-01")
SHOULD = requirement("VER-NEXT-01", level=Level.SHOULD)
OTHER = requirement("TOMB-LIFE-01", area=Area.TOMBSTONES)
GEMFIRE = requirement("C2S-OLD-01", area=Area.CLIENT_TO_SERVER, dialects=(Dialect.GEMFIRE6,))
EXT = requirement("EXT-NEW-01", level=Level.EXTENSION, area=Area.EXTENSIONS)
CATALOGUE = {one.id: one for one in (TIE, SHOULD, OTHER, GEMFIRE, EXT)}

PASSES = (row(TIE.id), row(SHOULD.id), row(OTHER.id))
DEVIATION = Deviation(requirement=TIE.id, reason="as ever", owner="cache team", expires=date(2027, 1, 1))


def gate(
    folder: Path,
    *rows: VerdictRow,
    policy: GatePolicy | None = None,
    baseline: tuple[VerdictRow, ...] | None = None,
    given: tuple[Deviation, ...] | None = None,
    **record: object,
) -> GateDecision:
    """Decide on one run with these rows; `given` are the deviations of a file."""
    write_run(folder / "runs" / "run-1", [*rows], None, **record)
    if baseline is not None:
        write_run(
            folder / "before" / "run-0", [msgspec.structs.replace(one, run_id="run-0") for one in baseline]
        )
    return decide(
        Evidence(
            runs=collect([folder / "runs"]),
            policy=policy or GatePolicy(),
            catalogue=CATALOGUE,
            deviations=given,
            baseline=None if baseline is None else collect([folder / "before"]),
            today=TODAY,
        )
    )


def told(decision: GateDecision, weight: Weight) -> list[tuple[str, str]]:
    return [(one.requirement, one.told) for one in decision.reasons if one.weight is weight]


def replaced(*rows: VerdictRow) -> tuple[VerdictRow, ...]:
    """The rows that pass, with some requirements' replaced."""
    ids = {one.requirement for one in rows}
    return (*rows, *(one for one in PASSES if one.requirement not in ids))


def test_a_run_in_which_everything_passed_may_go_without_a_word(tmp_path: Path):
    decision = gate(tmp_path, *PASSES)
    assert (decision.exit_code, decision.reasons) == (0, ())
    assert decision.candidates[0].verdicts == {"pass": 3, "not exercised": 1}


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.INTERMITTENT])
def test_a_failure_of_what_must_pass_is_red_with_requirement_verdict_and_advice(
    tmp_path: Path, verdict: Verdict
):
    decision = gate(tmp_path, *replaced(row(TIE.id, verdict, reason="B keeps v2")))
    assert decision.exit_code == 1
    (reason,) = decision.reasons
    assert (reason.requirement, reason.verdict, reason.told) == (TIE.id, verdict.value, "B keeps v2")
    assert reason.advice


def test_the_advice_on_a_failure_with_a_counterexample_is_the_command_that_replays_it(tmp_path: Path):
    folder = tmp_path / "a b" / "runs" / "run-1"
    write_counterexample(folder, "tie", counterexample())
    decision = gate(tmp_path / "a b", *replaced(row(TIE.id, Verdict.FAIL, counterexample="tie.json")))
    words = shlex.split(decision.reasons[0].advice)
    assert words == ["plumbline", "replay", str(folder / "counterexamples" / "tie.json")]


@pytest.mark.parametrize(
    "policy",
    [
        GatePolicy(levels=(Level.SHOULD,)),
        GatePolicy(areas=(Area.TOMBSTONES,)),
        GatePolicy(not_required=("VER",)),
        GatePolicy(not_required=(TIE.id,)),
    ],
)
def test_a_failure_that_the_policy_does_not_require_only_advises(tmp_path: Path, policy: GatePolicy):
    decision = gate(tmp_path, *replaced(row(TIE.id, Verdict.FAIL)), policy=policy)
    assert decision.exit_code == 0
    assert [one.weight for one in decision.reasons] == [Weight.ADVISORY]


def test_an_extension_only_advises_until_the_policy_asks_for_it(tmp_path: Path):
    asked = (
        GatePolicy(levels=(Level.MUST, Level.EXTENSION)),
        GatePolicy(required=Required(requirements=(EXT.id,))),
    )
    for number, policy in enumerate((GatePolicy(), *asked)):
        failed = gate(tmp_path / f"{number}", *PASSES, row(EXT.id, Verdict.FAIL), policy=policy)
        assert failed.exit_code == int(number > 0)
        assert [name for name, _ in told(failed, Weight.RED if number else Weight.ADVISORY)] == [EXT.id]
        before = (*PASSES, row(EXT.id))
        regressed = gate(
            tmp_path / f"before {number}",
            *PASSES,
            row(EXT.id, Verdict.UNSUPPORTED),
            policy=policy,
            baseline=before,
        )
        assert regressed.exit_code == int(number > 0)
    decision = gate(tmp_path / "apart", *PASSES, row(EXT.id))
    assert decision.candidates[0].verdicts == {"pass": 3, "not exercised": 1}
    assert decision.candidates[0].extensions == {"pass": 1}
    assert decision.candidates[0].totals.requirements == len(CATALOGUE) - 1
    enough = GatePolicy(passes_at_least=4)
    assert gate(tmp_path / "few", *PASSES, row(EXT.id), policy=enough).exit_code == 1


def test_a_requirement_that_the_policy_names_must_pass_whatever_its_level(tmp_path: Path):
    policy = GatePolicy(required=Required(requirements=(SHOULD.id,)), not_required=("VER",))
    for verdict in (Verdict.FAIL, Verdict.UNSUPPORTED, Verdict.NOT_EXERCISED, Verdict.UNKNOWN):
        decision = gate(tmp_path / verdict, *replaced(row(SHOULD.id, verdict)), policy=policy)
        assert decision.exit_code == 1, verdict
    missing = gate(tmp_path / "missing", row(TIE.id), row(OTHER.id), policy=policy)
    assert [name for name, _ in told(missing, Weight.RED)] == [SHOULD.id]


@pytest.mark.parametrize(
    ("verdict", "key"),
    [
        (Verdict.UNKNOWN, "unknown"),
        (Verdict.ADAPTER_ERROR, "adapter_error"),
        (Verdict.NOT_EXERCISED, "not_exercised"),
        (Verdict.UNSUPPORTED, "unsupported"),
    ],
)
def test_as_many_may_go_unjudged_as_the_policy_tolerates_and_none_more(
    tmp_path: Path, verdict: Verdict, key: str
):
    rows = replaced(row(TIE.id, verdict))
    for limit, code in ((0, 1), (1, 0), ("any", 0)):
        policy = GatePolicy(tolerated=Tolerated(**{key: limit}))  # type: ignore[arg-type]
        decision = gate(tmp_path / str(limit), *rows, policy=policy)
        assert decision.exit_code == code
        assert [name for name, _ in told(decision, Weight.RED)] == [TIE.id] * code


@pytest.mark.parametrize("verdict", [Verdict.UNKNOWN, Verdict.ADAPTER_ERROR])
def test_by_default_nothing_may_be_unknown(tmp_path: Path, verdict: Verdict):
    assert gate(tmp_path, *replaced(row(TIE.id, verdict))).exit_code == 1


def test_where_nothing_passed_the_release_may_not_go_whatever_is_tolerated(tmp_path: Path):
    rows = [row(one.id, Verdict.NOT_EXERCISED) for one in (TIE, SHOULD, OTHER)]
    decision = gate(tmp_path, *rows)
    assert decision.exit_code == 1
    assert "0 requirements pass, and the policy requires 1" in told(decision, Weight.RED)[0][1]


@pytest.mark.parametrize("exercised", [0, -5])
def test_a_pass_without_an_occasion_to_fail_is_none(tmp_path: Path, exercised: int):
    policy = GatePolicy(tolerated=Tolerated(not_exercised=0))
    decision = gate(tmp_path, *replaced(row(TIE.id, exercised=exercised)), policy=policy)
    assert [one.verdict for one in decision.reasons] == ["not exercised"]
    assert decision.exit_code == 1


def test_what_no_run_asked_for_has_not_passed(tmp_path: Path):
    decision = gate(tmp_path, row(TIE.id), selected=(TIE.id,))
    assert decision.exit_code == 1
    assert told(decision, Weight.RED)[0] == (OTHER.id, "no run that counts asked for it")
    assert gate(tmp_path / "allowed", row(TIE.id), policy=GatePolicy(whole_suite=False)).exit_code == 0


def test_the_passes_of_a_run_that_plays_too_little_do_not_count_but_its_failures_do(tmp_path: Path):
    smoke = gate(tmp_path, *PASSES, profile="smoke")
    assert "requires the profile gate, and the runs are smoke" in told(smoke, Weight.RED)[0][1]
    write_run(
        tmp_path / "runs" / "run-2",
        [
            msgspec.structs.replace(one, run_id="run-2")
            for one in (row(TIE.id, Verdict.NOT_EXERCISED), row(SHOULD.id))
        ],
    )
    failing = row(OTHER.id, Verdict.FAIL)
    both = gate(
        tmp_path, *replaced(failing), profile="smoke", policy=GatePolicy(tolerated=Tolerated(not_exercised=0))
    )
    red = told(both, Weight.RED)
    assert (OTHER.id, "a violation was found") in red
    assert [name for name, _ in red] == [OTHER.id, TIE.id]


def test_as_many_pass_as_the_policy_wants(tmp_path: Path):
    assert gate(tmp_path, *PASSES, policy=GatePolicy(passes_at_least=3)).exit_code == 0
    assert gate(tmp_path / "more", *PASSES, policy=GatePolicy(passes_at_least=4)).exit_code == 1


def test_a_profile_that_nobody_knows_is_less_than_any(tmp_path: Path):
    assert (
        gate(tmp_path, *PASSES, profile="everything", policy=GatePolicy(minimum_profile="smoke")).exit_code
        == 1
    )


def test_what_is_not_owed_in_the_dialect_counts_only_when_it_failed(tmp_path: Path):
    policy = GatePolicy(tolerated=Tolerated(unsupported=0))
    assert gate(tmp_path, *PASSES, row(GEMFIRE.id, Verdict.UNSUPPORTED), policy=policy).exit_code == 0
    assert gate(tmp_path / "failed", *PASSES, row(GEMFIRE.id, Verdict.FAIL), policy=policy).exit_code == 1


def test_required_candidates_and_dialects_are_missed(tmp_path: Path):
    required = Required(candidates=("geode:*", "refer*"), dialects=(Dialect.GEMFIRE6, Dialect.GEODE))
    decision = gate(tmp_path, *PASSES, policy=GatePolicy(required=required))
    assert decision.exit_code == 1
    assert [one.candidate for one in decision.reasons] == ["geode:*", ""]
    assert "gemfire6" in decision.reasons[1].told


DEVIATES = (row(TIE.id, Verdict.DEVIATION), row(SHOULD.id), row(OTHER.id))


@pytest.mark.parametrize("given", [None, (DEVIATION,)], ids=["kept by the run", "from a file"])
def test_a_deviation_in_force_is_accepted_and_is_no_pass(tmp_path: Path, given: tuple[Deviation, ...] | None):
    decision = gate(tmp_path, *DEVIATES, given=given, deviations=(DEVIATION,))
    assert (decision.exit_code, decision.reasons) == (0, ())
    assert decision.candidates[0].verdicts == {"deviation": 1, "pass": 2, "not exercised": 1}


def test_a_deviation_that_is_not_on_record_now_is_red(tmp_path: Path):
    decision = gate(tmp_path, *DEVIATES, given=(), deviations=(DEVIATION,))
    assert decision.exit_code == 1
    assert told(decision, Weight.RED)[0][0] == TIE.id
    assert gate(tmp_path / "never", *DEVIATES).exit_code == 1


def test_every_deviation_that_the_run_followed_has_to_be_on_record(tmp_path: Path):
    second = msgspec.structs.replace(DEVIATION, replaces="tie-keeps-own")
    kept = (DEVIATION, second)
    assert gate(tmp_path, *DEVIATES, given=(second,), deviations=kept).exit_code == 1
    assert gate(tmp_path / "both", *DEVIATES, given=kept, deviations=kept).exit_code == 0


def test_what_deviates_for_a_deviation_of_another_requirement_is_accepted_with_that(tmp_path: Path):
    elsewhere = (row(TIE.id, Verdict.DEVIATION), row(OTHER.id, Verdict.DEVIATION, reason=words((DEVIATION,))))
    assert gate(tmp_path, *elsewhere, row(SHOULD.id), deviations=(DEVIATION,)).exit_code == 0
    decision = gate(tmp_path / "gone", *elsewhere, row(SHOULD.id), given=(), deviations=(DEVIATION,))
    assert {name for name, _ in told(decision, Weight.RED)} == {TIE.id, OTHER.id}


def test_a_deviation_that_showed_in_what_is_about_another_requirement_is_not_needless(tmp_path: Path):
    rows = (row(TIE.id), row(SHOULD.id), row(OTHER.id, Verdict.DEVIATION, reason=words((DEVIATION,))))
    assert gate(tmp_path, *rows, deviations=(DEVIATION,)).exit_code == 0
    nowhere = gate(tmp_path / "no", *PASSES, deviations=(DEVIATION,), deviations_not_seen=(DEVIATION,))
    assert [one.requirement for one in nowhere.reasons] == [TIE.id]


def test_of_a_run_that_kept_no_deviations_the_file_is_believed(tmp_path: Path):
    assert gate(tmp_path, *DEVIATES, given=(DEVIATION,)).reasons == ()


def test_a_deviation_of_another_variant_excuses_none(tmp_path: Path):
    other = msgspec.structs.replace(DEVIATION, replaces="tie-keeps-own")
    assert gate(tmp_path, *DEVIATES, given=(other,), deviations=(DEVIATION,)).exit_code == 1


@pytest.mark.parametrize(
    ("verdict", "advice"), [(Verdict.DEVIATION, "mend the product"), (Verdict.PASS, "remove the record")]
)
def test_an_expired_deviation_is_red_with_advice_whatever_was_found(
    tmp_path: Path, verdict: Verdict, advice: str
):
    expired = msgspec.structs.replace(DEVIATION, expires=date(2026, 11, 20))
    decision = gate(tmp_path, *replaced(row(TIE.id, verdict)), deviations=(expired,))
    assert decision.exit_code == 1
    reasons = [one for one in decision.reasons if "expired on 2026-11-20" in one.told]
    assert [(one.weight, one.requirement) for one in reasons] == [(Weight.RED, TIE.id)]
    assert reasons[0].advice == f"{advice}, or have cache team decide anew and set a later `expires`"


def test_a_deviation_counts_on_its_last_day(tmp_path: Path):
    last = msgspec.structs.replace(DEVIATION, expires=TODAY)
    assert gate(tmp_path, *DEVIATES, deviations=(last,)).exit_code == 0


def test_a_deviation_that_no_longer_shows_is_red(tmp_path: Path):
    decision = gate(tmp_path, *PASSES, given=(DEVIATION,))
    assert decision.exit_code == 1
    assert told(decision, Weight.RED) == [
        (TIE.id, "the deviation on record no longer shows: as ever (cache team, until 2027-01-01)")
    ]
    assert "remove it" in decision.reasons[0].advice


def test_one_of_two_deviations_from_a_requirement_that_did_not_show_is_red(tmp_path: Path):
    second = msgspec.structs.replace(DEVIATION, replaces="tie-keeps-own")
    both = (DEVIATION, second)
    decision = gate(tmp_path, *DEVIATES, given=both, deviations=both, deviations_not_seen=(second,))
    assert [(one.requirement, one.weight) for one in decision.reasons] == [(TIE.id, Weight.RED)]
    assert gate(tmp_path / "both", *DEVIATES, deviations=(DEVIATION, second)).exit_code == 0


@pytest.mark.parametrize("verdict", [Verdict.NOT_EXERCISED, Verdict.UNSUPPORTED])
def test_of_what_was_not_put_to_the_test_no_deviation_is_called_needless(tmp_path: Path, verdict: Verdict):
    assert gate(tmp_path, *replaced(row(TIE.id, verdict)), given=(DEVIATION,)).exit_code == 0


def test_a_deviation_of_another_version_is_not_looked_at(tmp_path: Path):
    other = msgspec.structs.replace(DEVIATION, versions=("9.*",), expires=date(2020, 1, 1))
    assert gate(tmp_path, *PASSES, given=(other,)).exit_code == 0


def test_a_failure_that_the_run_could_have_excused_says_so(tmp_path: Path):
    decision = gate(tmp_path, *replaced(row(TIE.id, Verdict.FAIL)), given=(DEVIATION,))
    assert decision.exit_code == 1
    assert "run with --deviations" in decision.reasons[0].advice


@pytest.mark.parametrize("verdict", [one for one in Verdict if one is not Verdict.PASS])
def test_what_passed_in_the_baseline_and_not_here_is_red_whatever_is_tolerated(
    tmp_path: Path, verdict: Verdict
):
    lenient = GatePolicy(tolerated=Tolerated(unknown="any", adapter_error="any"))
    rows = replaced(row(SHOULD.id, verdict))
    decision = gate(tmp_path, *rows, baseline=PASSES, policy=lenient)
    assert decision.exit_code == 1
    assert [(one.requirement, one.verdict) for one in decision.reasons] == [(SHOULD.id, verdict.value)]
    assert "it passed in the baseline (run-0)" in decision.reasons[0].told
    accepting = msgspec.structs.replace(lenient, regressions_accepted=(SHOULD.id,))
    accepted = gate(tmp_path / "accepted", *rows, baseline=PASSES, policy=accepting)
    assert accepted.exit_code == 0
    assert [one.weight for one in accepted.reasons] == [Weight.ADVISORY]


def test_a_regression_of_what_is_not_required_only_advises(tmp_path: Path):
    rows = replaced(row(TIE.id, Verdict.FAIL))
    decision = gate(tmp_path, *rows, baseline=PASSES, policy=GatePolicy(not_required=("VER",)))
    assert decision.exit_code == 0
    assert [one.weight for one in decision.reasons] == [Weight.ADVISORY]


def test_a_regression_is_told_once_though_it_is_more_than_tolerated_too(tmp_path: Path):
    decision = gate(tmp_path, *replaced(row(TIE.id, Verdict.UNKNOWN)), baseline=PASSES)
    assert [one.requirement for one in decision.reasons] == [TIE.id]


def test_what_the_baseline_had_not_passed_either_is_no_regression(tmp_path: Path):
    rows = replaced(row(SHOULD.id, Verdict.NOT_EXERCISED))
    assert gate(tmp_path, *rows, baseline=rows).reasons == ()


def test_what_is_new_since_the_baseline_only_advises_until_the_policy_names_it(tmp_path: Path):
    before = (row(SHOULD.id), row(OTHER.id))
    rows = replaced(row(TIE.id, Verdict.FAIL, reason="B keeps v2"))
    decision = gate(tmp_path, *rows, baseline=before)
    assert decision.exit_code == 0
    assert told(decision, Weight.ADVISORY) == [(TIE.id, "new in this version of the suite; B keeps v2")]
    named = GatePolicy(required=Required(requirements=(TIE.id,)))
    assert gate(tmp_path / "named", *rows, baseline=before, policy=named).exit_code == 1


@pytest.mark.parametrize(("limit", "code"), [(1, 0), (0, 1)])
def test_what_is_new_does_not_count_against_what_is_tolerated(tmp_path: Path, limit: int, code: int):
    unknown = (row(TIE.id, Verdict.UNKNOWN), row(OTHER.id, Verdict.UNKNOWN), row(SHOULD.id))
    policy = GatePolicy(tolerated=Tolerated(unknown=limit))
    decision = gate(tmp_path, *unknown, baseline=unknown[1:], policy=policy)
    assert decision.exit_code == code
    assert [name for name, _ in told(decision, Weight.RED)] == [OTHER.id] * code
    assert [name for name, _ in told(decision, Weight.ADVISORY)] == [TIE.id] * code


def test_a_baseline_that_ran_a_selection_cannot_tell_what_is_new(tmp_path: Path):
    rows = replaced(row(TIE.id, Verdict.FAIL))
    write_run(tmp_path / "before" / "run-s", [row(OTHER.id, run_id="run-s")], selected=(OTHER.id,))
    assert gate(tmp_path, *rows, baseline=(row(SHOULD.id),)).exit_code == 1


def test_a_baseline_of_another_candidate_answers_nothing(tmp_path: Path):
    decision = gate(tmp_path, *PASSES, baseline=PASSES, candidate="geode:1.15.1", product="Apache Geode")
    assert decision.exit_code == 2
    assert "nothing" not in decision.reasons[0].told
    assert "no run of this candidate and dialect" in decision.reasons[0].told


def test_a_baseline_judged_by_another_dialect_answers_nothing(tmp_path: Path):
    assert gate(tmp_path, *PASSES, baseline=PASSES, dialect="gemfire8").exit_code == 2


def test_the_same_product_under_another_name_is_compared(tmp_path: Path):
    decision = gate(tmp_path, *replaced(row(TIE.id, Verdict.UNSUPPORTED)), baseline=PASSES, candidate="tcp:1")
    assert "it passed in the baseline" in decision.reasons[0].told


# What cannot be answered.


def test_a_run_that_did_not_end_in_order_leaves_the_question_open_and_its_failures_are_told(tmp_path: Path):
    decision = gate(tmp_path, *replaced(row(TIE.id, Verdict.FAIL)), complete=False)
    assert decision.exit_code == 2
    assert "did not end in order" in told(decision, Weight.BROKEN)[0][1]
    assert TIE.id in {name for name, _ in told(decision, Weight.RED)}


def test_what_this_version_does_not_know_it_cannot_decide(tmp_path: Path):
    decision = gate(tmp_path, *PASSES, row("NEW-ONE-01", Verdict.FAIL))
    assert decision.exit_code == 2
    assert told(decision, Weight.BROKEN)[0][0] == "NEW-ONE-01"


def test_without_any_run_there_is_no_answer(tmp_path: Path):
    (tmp_path / "runs").mkdir()
    evidence = Evidence(runs=collect([]), policy=GatePolicy(), catalogue=CATALOGUE, today=TODAY)
    assert decide(evidence).exit_code == 2


def test_a_broken_baseline_leaves_the_question_open(tmp_path: Path):
    write_run(tmp_path / "before" / "run-x", [*PASSES], complete=False)
    assert gate(tmp_path, *PASSES, baseline=PASSES).exit_code == 2
