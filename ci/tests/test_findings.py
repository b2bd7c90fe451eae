"""What the documents allow: each finding that can be played is played, and ends as its page tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.lint import ROOT
from plumbline.reference.history import ContentsRead, History
from plumbline.reference.runs import Counterexample, read_counterexample
from plumbline.reference.verdicts import Verdict
from plumbline.suites.deviations import NOTHING
from plumbline.suites.replaying import Judge, play_plan, replay
from plumbline.suites.session import Session

FILES = sorted((ROOT / "ci" / "findings").glob("*.json"))

APART: dict[str, dict[str, str | None]] = {
    "circle": {"A": "put-1-B", "B": "put-3-A"},
    "circle-locked": {"A": "put-1-B", "B": "put-3-A"},
    "held-back": {"A": None, "B": "put-2-A", "C": "put-2-A"},
}
"""What members of one site hold in the end."""


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
def test_a_finding_is_right_and_leaves_members_of_a_site_apart(file: Path):
    example = loaded(file)
    assert example.played is not None
    with Session(find_candidate("reference")) as session:
        (result,) = replay(example, session, Judge(session.book, NOTHING), 1)
        assert result.verdict is Verdict.PASS
        ended = held(play_plan(example.played, session).history)
    assert {member: ended[member] for member in APART[file.stem]} == APART[file.stem]


def test_every_finding_that_is_played_is_told():
    page = (ROOT / "docs" / "findings.md").read_text()
    assert {file.stem for file in FILES} == APART.keys()
    assert [file.name for file in FILES if f"ci/findings/{file.name}" not in page] == []
