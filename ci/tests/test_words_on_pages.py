"""What pages show of scenarios as they are really played: words, and nothing that only Python understands."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.lint import ROOT
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reports.collection import collect
from plumbline.reports.site import build
from plumbline.reports.tests.samples import counterexample, row, write_run
from plumbline.suites.harness.session import Session
from plumbline.suites.run.playing import play
from plumbline.suites.scenarios.all_scenarios import SCENARIOS
from plumbline.suites.scenarios.course import named
from plumbline.suites.scenarios.mismatch import in_words

NO_WORDS = re.compile(r"\bNone\b|\bTrue\b|\bFalse\b|0 → 0|hold_time|clock_set|let_run|[A-Z]\w+\(\w+=")


@pytest.mark.parametrize(
    "name",
    [
        "a_resolver_sees_every_possible_conflict",
        "a_thread_that_shows_something_often_enough_is_not_forgotten",
        "every_kind_of_operation_takes_part_in_the_comparison",
        "what_is_put_over_what_came_through_a_chain_wins_at_its_other_end",
    ],
)
def test_a_page_tells_everything_in_words(tmp_path: Path, name: str):
    with Session(find_candidate("reference")) as session:
        result = play(SCENARIOS[name], session, session.book, naming_ms=0)
    assert result.history is not None
    example = counterexample(result.history, plan=result.plan, dead_ends=(), nearest=())
    write_run(tmp_path / "runs" / "run-1", [row()], {"one": example})
    build(collect([tmp_path / "runs"]), catalogue(), tmp_path / "site")
    (page,) = (tmp_path / "site" / "counterexamples").iterdir()
    text = page.read_text()
    shown = re.sub(r"<[^>]*>", " ", text[text.index("<main") :])
    assert NO_WORDS.findall(shown) == []


def test_a_step_names_an_operation_that_has_no_token_by_what_it_does():
    """`release None` did not say what was released."""
    commit = Operation(
        op_id=1, thread="A-1", member="A", region="region", kind=OperationKind.TX_COMMIT, key=""
    )
    assert named(commit) == "tx_commit"
    assert named(msgspec.structs.replace(commit, kind=OperationKind.EXPIRE_DESTROY, key="x")) == (
        "expire_destroy x"
    )
    put = msgspec.structs.replace(commit, kind=OperationKind.PUT, token="put-1-A")  # noqa: S106
    assert named(put) == "put-1-A"


def test_values_in_sentences_have_no_brackets_and_no_quotes():
    assert in_words(["a", None, ""]) == "a, nothing, nothing"
    assert in_words({"x": "put-1-A", "y": None}) == "x = put-1-A, y = nothing"
    assert in_words((True, 3, frozenset())) == "yes, 3, nothing"
    assert in_words([]) == in_words({}) == "nothing"


def test_no_scenario_puts_a_bare_value_into_a_mismatch():
    folder = ROOT / "suites" / "scenarios"
    bare = re.compile(r'MismatchError\((?:[^()]|\([^()]*\))*f"\{\w+\}"')
    assert [path.name for path in folder.glob("*.py") if bare.search(path.read_text())] == []
