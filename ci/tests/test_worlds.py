"""The machine of worlds: right systems pass what it draws together, and it finds mistakes of many kinds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.tests.further_cases import one_in
from plumbline.ci.tests.smoke_plays import played
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import OperationKind, Scope
from plumbline.reference.history.plan_needs import needs
from plumbline.reference.history.plans import Plan, operations_of
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive

WORLDS = MACHINES["worlds"]


def drawn(offers: frozenset[Capability], examples: int = 800) -> list[Plan]:
    plans: list[Plan] = []
    drive(WORLDS, plans.append, offers=offers, examples=examples, steps=8, draw_seed=1, shrink=False)
    return plans


@contextmanager
def of(candidate: str) -> Iterator[Session]:
    with Session(find_candidate(candidate, seed=5)) as session:
        yield session


@pytest.mark.parametrize("candidate", ["reference", "reference:chaotic"])
def test_a_right_system_is_not_accused(candidate: str):
    with of(candidate) as session:
        assert played("worlds", session).failure is None


def test_features_meet_in_one_plan():
    plans = drawn(frozenset(Capability))
    met = {
        "a client beside a queue with a listener": lambda p: p.clients and len(p.queues) == len("abc"),
        "calls that do not wait and transactions": lambda p: (
            p.regions[0].scope is Scope.NO_ACK and OperationKind.TX_COMMIT in kinds(p)
        ),
        "several dispatchers and clients": lambda p: p.clients and p.queues[0].dispatchers > 1,
        "a full queue and transactions": lambda p: (
            p.queues[0].maximum_memory_mb == 1 and OperationKind.TX_COMMIT in kinds(p)
        ),
    }
    assert [name for name, meets in met.items() if not any(map(meets, plans))] == []


def kinds(plan: Plan) -> set[OperationKind]:
    return {operation.kind for operation in operations_of(plan)}


def test_what_a_candidate_lacks_is_not_drawn():
    offers = frozenset(WORLDS.needs)
    assert {capability for plan in drawn(offers, 30) for capability in needs(plan)} <= offers


@pytest.mark.parametrize(
    ("variant", "requirement"),
    one_in(
        4,
        [
            ("bulk-crosses-last", "WAN-OPS-09"),
            ("failures-cross", "WAN-OPS-10"),
            ("drops-beyond-memory", "GWQ-OVERFLOW-01"),
            ("queue-of-nothing", "WAN-CFG-01"),
        ],
    ),
)
def test_it_alone_finds_mistakes_of_many_kinds(variant: str, requirement: str):
    with of(f"faulty:{variant}") as session:
        trouble = played("worlds", session, "gate")
    assert trouble.failure is not None
    assert trouble.failure.finding is not None
    assert requirement in trouble.failure.finding.requirements
