"""What the documents allow: each finding that can be played is played, and ends as its page tells."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.lint import ROOT
from plumbline.reference.explain.efforts import search
from plumbline.reference.explain.engine import Answer
from plumbline.reference.history import ContentsRead, History
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.runs import Counterexample, read_counterexample
from plumbline.reference.verdicts import Verdict
from plumbline.suites.deviations import NOTHING
from plumbline.suites.replaying import Judge, play_plan, replay
from plumbline.suites.session import Session

FILES = sorted((ROOT / "ci" / "findings").glob("*.json"))

APART: dict[str, dict[str, str | None]] = {
    "circle": {"A": "put-1-B", "B": "put-3-A"},
    "circle-locked": {"A": "put-1-B", "B": "put-3-A"},
    "ring": {"A": "put-2-C", "B": "put-1-B", "C": "put-2-C"},
    "chain-through-1": {"A": "put-2-C", "B": "put-1-B", "C": "put-2-C"},
    "chain-through-3": {"A": "put-2-B", "B": "put-1-A", "C": "put-2-B"},
    "prefers-a-site": {"A": "put-1-A", "B": "put-2-B"},
    "sent-again": {"A": "put-2-C", "B": "put-2-C", "C": "put-3-C"},
    "held-back": {"A": None, "B": "put-2-A", "C": "put-2-A"},
}
"""What members hold in the end: of one site, of two, or of three."""


def held(history: History) -> dict[str, str | None]:
    """What each member held of x when it was looked at last."""
    return {
        moment.member: next((known.token for known in moment.entries or () if known.key == "x"), None)
        for moment in history.timeline
        if isinstance(moment, ContentsRead) and moment.region == "region"
    }


def loaded(file: Path) -> Counterexample:
    return read_counterexample(file)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_finding_is_right_and_leaves_members_apart(file: Path):
    example = loaded(file)
    assert example.played is not None
    with Session(find_candidate("reference")) as session:
        (result,) = replay(example, session, Judge(session.book, NOTHING), 1)
        assert result.verdict is Verdict.PASS
        ended = held(play_plan(example.played, session).history)
    assert {member: ended[member] for member in APART[file.stem]} == APART[file.stem]


@pytest.mark.parametrize("sends_on", [True, False])
def test_what_comes_by_way_of_another_site_is_explained_where_events_travel_on_alone(sends_on: bool):
    history = loaded(ROOT / "ci" / "findings" / "chain-through-3.json").history
    answer = search(msgspec.structs.replace(history, sends_on=sends_on), Rulebook()).answer
    assert answer is (Answer.EXPLAINED if sends_on else Answer.REFUTED)


def test_every_finding_that_is_played_is_told():
    page = (ROOT / "docs" / "findings.md").read_text()
    assert {file.stem for file in FILES} == APART.keys()
    assert [file.name for file in FILES if f"ci/findings/{file.name}" not in page] == []
