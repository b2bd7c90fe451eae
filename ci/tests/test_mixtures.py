"""The machine of mixtures: features meet in pairs, right systems pass, and wrong ones do not."""

from __future__ import annotations

from itertools import combinations

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.generators.drawn_plans import BUDGET
from plumbline.ci.tests.smoke_plays import played
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.actions import Do, Inject
from plumbline.reference.history.operations import READS
from plumbline.reference.history.plan_needs import needs
from plumbline.reference.history.plans import Plan
from plumbline.reference.search.search import Answer
from plumbline.reports.features import FEATURES as COUNTED
from plumbline.reports.features import barred
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.machines.covering import covering
from plumbline.suites.machines.mixtures import CHAPTERS, FEATURES, MixturesMachine, may_meet, rows
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.replaying import play_plan

MIXTURES = MACHINES["mixtures"]
ALL = frozenset(Capability)
MET_BY_PARALLEL_QUEUES = {
    "small batches",
    "asynchronous queue",
    "listener of a queue that fails",
    "queue paused",
}
"""What meets partitioned regions only together with a parallel queue."""


def drawn(offers: frozenset[Capability], examples: int = 60) -> list[Plan]:
    plans: list[Plan] = []
    drive(MIXTURES, plans.append, offers=offers, examples=examples, steps=8, draw_seed=1, shrink=False)
    return plans


def test_each_feature_that_is_counted_is_drawn():
    assert {feature.name for feature in COUNTED} - set(FEATURES) == {"queue that conflates"}


def test_each_pair_that_may_meet_is_in_some_row():
    together = {frozenset(pair) for row in rows() for pair in combinations(row, 2)}
    missing = [
        pair for pair in combinations(FEATURES, 2) if may_meet(*pair) and frozenset(pair) not in together
    ]
    assert missing == []


def test_a_gate_run_draws_each_row():
    assert len(rows()) <= CHAPTERS <= PROFILES["gate"].examples // 3


def test_a_pair_is_barred_on_the_page_where_the_model_does_not_follow_it():
    said = barred()
    unlike = {pair for pair in combinations(FEATURES, 2) if may_meet(*pair) is (frozenset(pair) in said)}
    assert unlike == {("partitioned region", name) for name in FEATURES if name in MET_BY_PARALLEL_QUEUES}


def test_the_features_of_a_plan_happen_while_the_others_hold():
    machine = type("Drawn", (MixturesMachine,), {"offers": ALL})()
    machine.set_up(("link cut", "read", "destroy"), 0)
    machine.meet()
    reads = [step.operation.kind in READS for step in machine.steps if isinstance(step, Do)]
    assert reads == [False, True, False, True]
    cut = next(at for at, step in enumerate(machine.steps) if isinstance(step, Inject))
    assert cut == reads.index(True) + 1


def test_a_step_that_the_model_does_not_follow_is_left_out():
    machine = type("Drawn", (MixturesMachine,), {"offers": ALL})()
    machine.set_up(("client",), 0)
    before = machine.plan()
    assert not machine.take("transaction", 0, "x", 1)
    assert machine.plan() == before


def test_a_covering_array_holds_each_pair_that_may_be_together():
    names = ("a", "b", "c", "d", "e")
    found = covering(names, lambda one, other: (one, other) != ("a", "b"), 3)
    together = {frozenset(pair) for row in found for pair in combinations(row, 2)}
    assert together == {frozenset(pair) for pair in combinations(names, 2)} - {frozenset(("a", "b"))}
    assert max(map(len, found)) == len("abc")


def test_what_a_candidate_lacks_is_not_drawn():
    offers = frozenset(MIXTURES.needs)
    assert drawn(offers, 50)
    assert {need for plan in drawn(offers, 50) for need in needs(plan)} <= offers


@pytest.mark.parametrize("candidate", ["reference", "reference:chaotic"])
def test_a_right_system_is_not_accused(candidate: str):
    with Session(find_candidate(candidate, seed=5)) as session:
        assert played("mixtures", session).failure is None


@pytest.mark.parametrize(
    "variant",
    [
        *("failures-cross", "listener-of-no-region", "resolver-asked-of-last-writer", "skips-a-member"),
        *("keys-are-announced", "drops-at-servers-too"),
    ],
)
def test_mistakes_of_many_kinds_are_found(variant: str):
    with Session(find_candidate(f"faulty:{variant}", seed=5)) as session:
        histories = (play_plan(plan, session).history for plan in drawn(ALL, 144))
        answers = (search(history, session.book, BUDGET).answer for history in histories)
        assert Answer.REFUTED in answers
