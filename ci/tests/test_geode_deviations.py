"""What is on record of Apache Geode: each deviation has a file that shows it, and the reference passes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.ci.command import group
from plumbline.ci.main_job import GEODE_DEVIATIONS
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.plan_mistakes import mistakes
from plumbline.reference.history.plan_needs import needs
from plumbline.reference.history.plans import operations_of
from plumbline.reference.results.deviations import Deviation, read_deviations
from plumbline.reference.results.runs import COUNTEREXAMPLE_FORMAT, Counterexample, read_counterexample
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.search.search import Answer
from plumbline.suites.run.known_deviations import deviating
from plumbline.suites.run.replaying import BUDGET

ON_RECORD = read_deviations(GEODE_DEVIATIONS)
MOST_OPERATIONS = 5


def file_of(deviation: Deviation) -> Path:
    return GEODE_DEVIATIONS.parent / deviation.counterexample


def example_of(deviation: Deviation) -> Counterexample:
    return read_counterexample(file_of(deviation))


@pytest.fixture(params=ON_RECORD, ids=lambda known: f"{known.requirement} {known.versions}")
def deviation(request: pytest.FixtureRequest) -> Deviation:
    found: Deviation = request.param
    return found


def test_each_deviation_has_a_small_file_of_its_own_that_can_be_replayed(deviation: Deviation):
    example = example_of(deviation)
    assert example.format == COUNTEREXAMPLE_FORMAT
    assert example.refuted
    assert example.played is not None
    assert mistakes(example.played) == []
    assert needs(example.played)
    assert len(operations_of(example.played)) <= MOST_OPERATIONS
    assert deviation.requirement in example.requirements
    assert len({file_of(one) for one in ON_RECORD}) == len(ON_RECORD)


def test_it_was_seen_on_a_version_that_the_deviation_is_of(deviation: Deviation):
    example = example_of(deviation)
    assert example.product == "Apache Geode"
    assert deviation.applies_to(example.product_version)
    assert example.candidate == f"geode:{example.product_version}"
    assert 0 < example.times_failed <= example.times_tried


def test_what_was_seen_is_refuted_and_explained_once_the_deviation_is_followed(deviation: Deviation):
    example = example_of(deviation)
    book = rulebook_of(Dialect(example.dialect))
    assert search(example.history, book, BUDGET).answer is Answer.REFUTED
    followed = search(example.history, deviating(book, (deviation,)), BUDGET).answer
    assert followed is (Answer.EXPLAINED if deviation.replaces else Answer.REFUTED)


@pytest.mark.parametrize("candidate", ["reference", "reference:chaotic"])
def test_the_reference_passes_the_plan(deviation: Deviation, candidate: str):
    words = ["replay", str(file_of(deviation)), "--candidate", candidate, "--times", "3"]
    result = CliRunner().invoke(group, words)
    assert result.exit_code == 0, result.output
    assert "failed 0 of 3 times" in " ".join(result.output.split())


def test_no_file_is_left_over():
    kept = {file_of(known) for known in ON_RECORD}
    assert set((GEODE_DEVIATIONS.parent / "counterexamples").iterdir()) == kept
