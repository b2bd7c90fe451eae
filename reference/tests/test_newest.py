"""Which of several runs count: the newest of each candidate and requirement, if it is evidence as good."""

from __future__ import annotations

from plumbline.reference.results.newest import Newest
from plumbline.reference.results.runs import RunRecord

MORNING, NOON = "2026-01-01T08:00:00+00:00", "2026-01-01T12:00:00+00:00"


def run(run_id: str, started: str = MORNING, **fields: object) -> RunRecord:
    given: dict[str, object] = {
        "suite_version": "0",
        "candidate": "process:a",
        "product": "A",
        "product_version": "1",
        "dialect": "geode",
        "profile": "gate",
        "seed": 1,
        "complete": True,
    }
    return RunRecord(run_id=run_id, started=started, **{**given, **fields})  # type: ignore[arg-type]


def counting(*records: RunRecord) -> list[str]:
    """The runs that count for X-1."""
    newest = Newest(records)
    return [record.run_id for record in records if newest.counts(record.run_id, "X-1")]


def test_the_newest_whole_run_replaces_older_ones_of_whatever_version():
    assert counting(run("old"), run("new", NOON, product_version="2")) == ["new"]
    assert Newest([run("old"), run("new", NOON)]).left_out == ("old",)


def test_a_run_of_a_selection_replaces_what_it_asked_for_and_no_more():
    newest = Newest([run("old"), run("new", NOON, selected=("X-1",))])
    assert not newest.counts("old", "X-1")
    assert newest.counts("old", "X-2")
    assert newest.left_out == ()
    narrow = Newest([run("old", selected=("X-1",)), run("new", NOON, selected=("X-1", "X-2"))])
    assert narrow.left_out == ("old",)


def test_what_plays_less_replaces_nothing_and_what_plays_more_does():
    assert counting(run("old"), run("new", NOON, profile="smoke")) == ["old", "new"]
    assert counting(run("old", profile="smoke"), run("new", NOON)) == ["new"]
    assert counting(run("old"), run("new", NOON, profile="of nobody")) == ["old", "new"]


def test_a_run_that_did_not_end_in_order_replaces_nothing_and_is_replaced():
    assert counting(run("old"), run("new", NOON, complete=False)) == ["old", "new"]
    assert counting(run("old", complete=False), run("new", NOON)) == ["new"]


def test_other_candidates_and_other_dialects_stand_beside():
    assert counting(run("one"), run("other", NOON, candidate="process:b")) == ["one", "other"]
    assert counting(run("one"), run("other", NOON, dialect="gemfire6")) == ["one", "other"]


def test_a_run_in_which_the_candidate_could_not_introduce_itself_is_replaced_too():
    assert counting(run("mute", dialect=""), run("new", NOON)) == ["new"]
    assert counting(run("old"), run("mute", NOON, dialect="")) == ["old", "mute"]


def test_runs_of_the_same_second_and_of_no_known_time_all_count():
    assert counting(run("one"), run("other")) == ["one", "other"]
    assert counting(run("one", "yesterday"), run("other", NOON)) == ["one", "other"]
    assert counting(run("one", "2026-01-01T08:00:00"), run("other", NOON)) == ["one", "other"]


def test_what_is_not_known_counts():
    assert Newest([]).counts("judged elsewhere", "X-1")
