"""Trials of three sites, of resolvers, of several dispatchers: search and judge agree, and much is drawn."""

from __future__ import annotations

import random

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.generators import three_sites, two_sites
from plumbline.ci.selftest.generators.random_trials import Trial, draw_trial
from plumbline.ci.selftest.generators.two_sites import POLICIES
from plumbline.ci.selftest.soundness.comparison import JUDGE_BUDGET, compare
from plumbline.reference.history.actions import Do
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.moments import FaultDone
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reference.history.plans import with_steps
from plumbline.reference.history.resolvers import policy_of
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.driver import Driver
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan

OF_THREE_SITES = range(8)
OF_RESOLVERS = range(24)
OF_DISPATCHERS = range(20)

BEYOND_THE_JUDGE = frozenset({0})
"""The judge does not decide it within 60,000 states; it is given few."""

IN_VAIN = Budget(states=1_000)


def answers(trial: Trial) -> list[str]:
    """What the resolvers of a trial have answered."""
    return [
        shown.event.conflict.answer
        for log in trial.history.logs.values()
        for shown in log
        if shown.event.conflict is not None
    ]


def test_search_and_judge_never_disagree_on_three_sites():
    drawn = [draw_trial(seed, sites=3) for seed in OF_THREE_SITES]
    assert {len(trial.history.topology.sites) for trial in drawn} == {3}
    assert {len(trial.history.queues) for trial in drawn} == {3, 4, 6}
    kinds = {what.fault.kind for t in drawn for what in t.history.timeline if isinstance(what, FaultDone)}
    assert {FaultKind.LINK_DOWN, FaultKind.HOLD_TIME} <= kinds
    found = [compare(trial) for trial in drawn]
    assert [one for one in found if one.disagree] == []
    assert sum(one.answer is Answer.EXPLAINED for one in found) >= len(drawn) // 2


@pytest.mark.slow
@pytest.mark.thorough
def test_search_and_judge_never_disagree_where_resolvers_decide():
    drawn = [draw_trial(seed, sites=2, resolvers=True) for seed in OF_RESOLVERS]
    assert {trial.history.resolver for trial in drawn} == set(POLICIES)
    said = {answer for trial in drawn for answer in answers(trial)}
    assert said == {"allow", "disallow", "replace", "throw"}
    found = [compare(trial, IN_VAIN if trial.seed in BEYOND_THE_JUDGE else JUDGE_BUDGET) for trial in drawn]
    assert [one for one in found if one.disagree] == []
    assert sum(one.answer is Answer.REFUTED for one in found) >= 5


def test_search_and_judge_never_disagree_where_a_sender_has_several_dispatchers():
    drawn = [draw_trial(seed, sites=2, dispatchers=True) for seed in OF_DISPATCHERS]
    senders = [trial.history.queues[0] for trial in drawn]
    assert {queue.dispatchers for queue in senders} == {2, 3}
    assert {queue.order_policy for queue in senders} == {"key", "thread"}
    found = [compare(trial) for trial in drawn]
    assert [one for one in found if one.disagree] == []
    assert {one.answer for one in found} == {Answer.EXPLAINED, Answer.REFUTED}


RING = ((1, 2), (2, 3), (3, 1))


@pytest.mark.parametrize(
    ("linked", "members", "passed"),
    [(RING, "ACCA", 2), (RING, "AAA", 0), (three_sites.MESH, "ACCA", 0)],
    ids=["a ring", "one site of a ring", "each linked to each"],
)
def test_clocks_pass_between_calls_of_two_sites_where_events_travel_on(
    monkeypatch: pytest.MonkeyPatch, linked: tuple[tuple[int, int], ...], members: str, passed: int
):
    waits: list[Driver] = []
    monkeypatch.setattr(Driver, "let_clocks_pass", lambda driver: waits.append(driver))  # noqa: PLW0108 - a method
    shape = three_sites.ThreeSitesShape(operations=0, linked=linked, topology=three_sites.ALONE, cuts=0.0)
    drawn = three_sites.draw_plan(random.Random(0), shape)  # noqa: S311 - nothing is drawn
    steps = tuple(
        Do(
            Operation(
                op_id=number,
                thread=f"{member}{number}",
                member=member,
                region=two_sites.REGION,
                kind=OperationKind.PUT,
                key="x",
                token=f"v{number}",
            )
        )
        for number, member in enumerate(members, 1)
    )
    with Session(find_candidate("reference")) as session:
        play_plan(with_steps(drawn, steps), session)
    assert len(waits) == passed


def test_a_policy_is_one_of_those_that_there_are():
    assert [policy_of(words) is not None for words in POLICIES] == [True] * len(POLICIES)
    assert policy_of("prefer 1") is None
    assert policy_of("deny") is None
    preferring = policy_of("prefer 2 within 15 ms")
    assert preferring is not None
    assert (preferring.site, preferring.within_ms, preferring.always) == (2, 15, "")
