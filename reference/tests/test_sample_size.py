from __future__ import annotations

import json
from math import comb

import pytest
from click.testing import CliRunner

from plumbline.ci.command import group
from plumbline.reference.judged.proportions import at_most, cohens_h, excludes, fisher
from plumbline.reference.judged.sample_size import detection_power, runs_for_change, runs_for_claim
from plumbline.reference.judged.scoring import Counts, score
from plumbline.reference.results.verdicts import Verdict


def binomial(k: int, n: int, rate: float) -> float:
    return comb(n, k) * rate**k * (1 - rate) ** (n - k)


def fisher_by_sum(k: int, n: int, other_k: int, other_n: int) -> float:
    total = k + other_k
    tables = {
        x: comb(n, x) * comb(other_n, total - x) for x in range(max(0, total - other_n), min(n, total) + 1)
    }
    return sum(one for one in tables.values() if one <= tables[k]) / comb(n + other_n, total)


def test_counts_are_as_a_plain_sum_has_them():
    for n, rate in ((1, 0.5), (9, 0.05), (40, 0.3), (40, 0.93)):
        for k in range(n + 1):
            plain = sum(binomial(at, n, rate) for at in range(k + 1))
            assert at_most(k, n, rate) == pytest.approx(plain, rel=1e-9)
    for n, other_n in ((1, 1), (5, 9), (12, 7)):
        for k in range(n + 1):
            for other in range(other_n + 1):
                assert fisher(k, n, other, other_n) == pytest.approx(fisher_by_sum(k, n, other, other_n))


def test_known_values():
    assert fisher(3, 4, 1, 4) == pytest.approx(34 / 70)  # the lady who tasted tea
    assert fisher(0, 10, 5, 10) == pytest.approx(0.0325077, abs=1e-7)
    assert cohens_h(0.5, 0.75) == pytest.approx(0.5236, abs=1e-4)
    assert [runs_for_claim(0.01, 0.95, k).runs for k in (0, 1, 3)] == [299, 473, 773]
    assert runs_for_claim(0.5, 0.5).runs == 1
    assert runs_for_claim(1e-6, 0.95).runs == 2_995_731


@pytest.mark.parametrize("violations", [0, 1, 5])
@pytest.mark.parametrize("rate", [0.3, 0.02])
def test_a_claim_needs_the_least_number_of_runs(rate: float, violations: int):
    runs = runs_for_claim(rate, 0.99, violations).runs
    at = [sum(binomial(k, n, rate) for k in range(violations + 1)) for n in (runs - 1, runs)]
    assert at[0] > 0.01 >= at[1]


def test_the_gate_takes_a_claim_from_just_so_many_runs():
    for rate in (0.3, 0.01, 0.0003):
        runs = runs_for_claim(rate, 0.95).runs
        for n, verdict in ((runs - 1, Verdict.NOT_EXERCISED), (runs, Verdict.PASS)):
            counts = Counts(verdict=Verdict.PASS, judged=n, broken=0, opportunities=n)
            assert score(counts, most=rate).verdict is verdict
    assert not excludes(0.5, 0, 0, 0.95)
    assert not excludes(0.5, 3, 3, 0.95)


@pytest.mark.parametrize(("before", "after"), [(0.0, 0.4), (0.3, 0.8), (0.95, 0.6)])
def test_the_power_is_what_a_sum_over_all_counts_gives(before: float, after: float):
    n, level = 15, 0.05
    plain = sum(
        binomial(k, n, before) * binomial(other, n, after)
        for k in range(n + 1)
        for other in range(n + 1)
        if fisher_by_sum(k, n, other, n) <= level
    )
    assert detection_power(n, before, after, level) == pytest.approx(plain, abs=1e-9)


def test_a_change_needs_so_many_runs_that_its_power_is_reached():
    plan = runs_for_change(0, 0.001, level=0.05, power=0.9)
    # With none before, six violations after are the fewest of two-sided p below 0.05: 2 / 2^6.
    assert plan.exact
    assert 1 - at_most(5, plan.runs, 0.001) >= 0.9 > 1 - at_most(5, plan.runs - 1, 0.001)
    many = runs_for_change(0.001, 0, level=0.05, power=0.9, comparisons=500)
    assert plan.runs < many.runs < 100_000
    assert many.level_each == pytest.approx(0.0001)
    common = runs_for_change(0.25, 0.26, level=0.05, power=0.8)
    assert not common.exact
    assert common.runs == pytest.approx(30_020, rel=0.01)
    swapped = runs_for_change(0.98, 0.9, level=0.05, power=0.8).runs
    assert runs_for_change(0.02, 0.1, level=0.05, power=0.8).runs == swapped


def plan_runs(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(group, ["plan-runs", *arguments])
    return result.exit_code, result.output


def test_the_command_answers_in_one_line_a_claim():
    code, told = plan_runs("--at-most", "0.01")
    assert (code, told) == (0, "299 runs, none with a violation, show a rate of at most 0.01 at 0.95\n")
    code, told = plan_runs("--change", "0", "0.001", "--comparisons", "500", "--json")
    assert code == 0
    assert json.loads(told)["change"]["exact"] is True
    assert json.loads(told)["claim"] is None


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "name a claim"),
        (("--at-most", "1"), "needs no run"),
        (("--at-most", "0"), "not in the range"),
        (("--at-most", "nan"), "not in the range"),
        (("--at-most", "0.1", "--confidence", "1"), "not in the range"),
        (("--change", "0.1", "0.1"), "no change to find"),
        (("--change", "0.1", "nan"), "not in the range"),
        (("--change", "0.1", "1.5"), "not in the range"),
        (("--at-most", "0.1", "--violations", "-1"), "not in the range"),
    ],
)
def test_a_question_without_an_answer_is_a_usage_error(arguments: tuple[str, ...], told: str):
    code, output = plan_runs(*arguments)
    assert code == 2
    assert told in " ".join(output.split())
    assert "Traceback" not in output
