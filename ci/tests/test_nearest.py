"""The right run most like a wrong one: what is told of it is what a person would point at."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.history.actions import Do, Park, Settle
from plumbline.reference.history.history import Observation, OrderStrength
from plumbline.reference.history.moments import Called, ContentsAsked, ContentsRead
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.results.runs import Counterexample, read_counterexample
from plumbline.suites.harness.session import Session
from plumbline.suites.run.closest_run import MOST_EVENTS, nearest
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.run.running import Options, run_suite

GEODE = Path(__file__).parents[1] / "counterexamples" / "WANC-LOCAL-01-geode-1.15.1.json"


TOPOLOGY = Topology((Site(1, ("A", "B", "C")),))

Record = TypeVar("Record", bound=msgspec.Struct)


def put(number: int, member: str) -> Operation:
    return Operation(
        op_id=number,
        thread=f"t{number}",
        member=member,
        region="region",
        kind=OperationKind.PUT,
        key="x",
        token=f"v{number}",
    )


def told(example: Counterexample) -> dict[str, tuple[str, str]]:
    assert example.played is not None
    found = nearest(example.played, example.history, "geode")
    assert found is not None
    assert found.runs > 1
    return {one.place: (one.right, one.seen) for one in found.differences}


@pytest.fixture(scope="module")
def tie(tmp_path_factory: pytest.TempPathFactory) -> Counterexample:
    """What a run keeps of a candidate that lets the lower member win ties."""
    options = Options(selected=("VER-TIE-02",), profile=PROFILES["smoke"], seed=1)
    candidate = find_candidate("faulty:tie-last-wins")
    outcome = run_suite(candidate, options, tmp_path_factory.mktemp("runs"), lambda *_: None)
    return next(one for one in outcome.counterexamples if one.title == "replicated_regions")


def test_a_queue_that_holds_too_much_is_told_with_what_it_should_hold():
    assert told(read_counterexample(GEODE)) == {
        "queue to 2 on A holds": ("v2, v3", "v2, v3, v1"),
        "queue to 2 on B holds": ("v2, v3", "v2, v3, v1"),
    }


def test_a_run_keeps_what_is_right_where_the_search_has_only_dead_ends(tie: Counterexample):
    assert tie.right_runs > 1
    (event,) = (one for one in tie.nearest if one.position is not None and not one.read)
    wrong = tie.history.logs[event.member][event.position or 0].event.token
    assert wrong == event.seen.split(", ")[-1]
    assert wrong not in event.right
    assert event.instead == "nothing more"
    assert tie.expected == tuple(f"{one.place}: {one.right}" for one in tie.nearest)
    assert tie.seen == tuple(f"{one.place}: {one.seen}" for one in tie.nearest)


def test_what_a_right_run_shows_differs_in_nothing(tie: Counterexample):
    assert tie.played is not None
    with Session(find_candidate("reference")) as session:
        right = play_plan(tie.played, session).history
    found = nearest(tie.played, right, "geode")
    assert found is not None
    assert found.differences == ()


def swapped(record: Record) -> Record:
    """The same with the names of the members of the lowest and the highest id exchanged, not their places."""
    text = msgspec.json.encode(record).replace(b'"A"', b'"?"').replace(b'"C"', b'"A"').replace(b'"?"', b'"C"')
    changed = msgspec.json.decode(text, type=type(record))
    return msgspec.structs.replace(changed, topology=TOPOLOGY)


def test_where_ids_are_ordered_otherwise_the_same_is_told_of_the_members_of_the_same_rank():
    with Session(find_candidate("reference")) as session:
        plan = Plan(
            TOPOLOGY,
            (RegionAttributes(name="region"),),
            tuple(Park(put(number, member), member) for number, member in enumerate("AC", 1)),
        )
        right = play_plan(plan, session).history
    assert right.member_order == ("A", "B", "C")
    found = nearest(swapped(plan), swapped(right), "geode")
    assert found is not None
    assert found.differences == ()
    # By the other order of ids the other update would have to win.
    wrong = msgspec.structs.replace(swapped(right), member_order=("A", "B", "C"))
    other = nearest(swapped(plan), wrong, "geode")
    assert other is not None
    assert other.differences != ()


def test_logs_without_an_order_between_threads_are_compared_without_it(tie: Counterexample):

    def backwards(log: tuple[Observation, ...]) -> tuple[Observation, ...]:
        return log[::-1]

    logs = {member: backwards(log) for member, log in tie.history.logs.items()}
    loose = msgspec.structs.replace(tie.history, logs=logs, order_strength=OrderStrength.PER_KEY_AND_THREAD)
    strict = msgspec.structs.replace(tie.history, logs=logs)
    few, many = (told(msgspec.structs.replace(tie, history=one)) for one in (loose, strict))
    assert len(few) < len(many)
    assert tie.played is not None
    twice = {member: (*log, *log[-1:]) for member, log in logs.items()}
    found = nearest(tie.played, msgspec.structs.replace(loose, logs=twice), "geode")
    assert found is not None
    told_otherwise = [one.position for one in found.differences if not one.read]
    assert told_otherwise
    assert set(told_otherwise) == {None}, "which event it is is not known"


def test_what_was_read_early_is_not_held_against_what_a_right_run_holds_in_the_end():
    steps = (Settle(), Do(put(1, "A")))
    plan = Plan(TOPOLOGY, (RegionAttributes(name="region"),), steps)
    with Session(find_candidate("reference")) as session:
        right = play_plan(plan, session).history
    early = next(n for n, moment in enumerate(right.timeline) if isinstance(moment, Called))
    cut = tuple(
        moment
        for n, moment in enumerate(right.timeline)
        if n < early or not isinstance(moment, ContentsAsked | ContentsRead)
    )
    assert any(isinstance(moment, ContentsRead) for moment in cut)
    found = nearest(plan, msgspec.structs.replace(right, timeline=cut), "geode")
    assert found is not None
    assert found.differences == ()


def test_of_a_candidate_that_never_stops_talking_no_right_run_is_looked_for(tie: Counterexample):
    assert tie.played is not None
    member, log = next((member, log) for member, log in tie.history.logs.items() if log)
    talking = {**tie.history.logs, member: log * (MOST_EVENTS + 1)}
    assert nearest(tie.played, msgspec.structs.replace(tie.history, logs=talking), "geode") is None


def test_a_plan_that_the_reference_cannot_play_has_no_right_run():
    example = read_counterexample(GEODE)
    assert example.played is not None

    regions = (RegionAttributes(name="region", policy=RegionPolicy.PARTITION),)
    assert nearest(msgspec.structs.replace(example.played, regions=regions), example.history, "geode") is None
