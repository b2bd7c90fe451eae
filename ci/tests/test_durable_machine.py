"""The machine of durable clients: right systems pass, and it alone finds mistakes of many kinds."""

from __future__ import annotations

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.reference.limits import CAPABILITIES
from plumbline.ci.selftest.generators.drawn_plans import play_drawn
from plumbline.ci.tests.further_cases import one_in
from plumbline.ci.tests.smoke_plays import played
from plumbline.reference.history.actions import Inject
from plumbline.reference.history.fault_kinds import CLIENT_LIVES, FaultKind
from plumbline.reference.history.operations import LOCAL_EXPIRES
from plumbline.reference.history.plans import Plan, operations_of
from plumbline.reference.rulebook.effects import FROM_CLIENTS
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive


@pytest.mark.parametrize("candidate", ["reference", "reference:chaotic"])
def test_a_right_system_is_not_accused(candidate: str):
    with Session(find_candidate(candidate)) as session:
        outcomes = played("durable_clients", session)
    assert (outcomes.failure, outcomes.unknown) == (None, 0)


def test_the_machines_draw_large_queues_several_regions_and_clients_and_all_that_clients_call():
    plans: list[Plan] = []
    for name in ("durable_clients", "registrations_under_way"):
        drive(
            MACHINES[name],
            plans.append,
            offers=frozenset(CAPABILITIES),
            examples=120,
            steps=24,
            draw_seed=5,
            shrink=False,
        )
    called = [operation for plan in plans for operation in operations_of(plan)]
    clients = {client.name for plan in plans for client in plan.clients}
    faults = {step.fault.kind for plan in plans for step in plan.steps if isinstance(step, Inject)}
    assert {one.kind for one in called if one.member in clients} >= FROM_CLIENTS - LOCAL_EXPIRES
    assert sum(len(list(operations_of(plan))) >= 200 for plan in plans) >= 5
    assert {len(plan.regions) for plan in plans} == {1, 2} == {len(plan.clients) for plan in plans}
    assert faults >= {*CLIENT_LIVES, FaultKind.CRASH, FaultKind.TIME_LEAP}


def test_a_durable_client_crashes_with_what_it_has_begun_to_register():
    drawn = play_drawn("registrations_under_way", "reference:chaotic", cases=60, seed=7)
    assert (drawn.examples, drawn.refuted, drawn.unknown) == (60, (), ())


def test_versions_are_not_counted_anew_while_servers_keep_events_with_the_old_ones():
    """Where they were, one of these plans was refuted: the client seemed to discard what it has applied."""
    drawn = play_drawn("durable_clients", "reference:chaotic", cases=60, seed=1)
    assert (drawn.examples, drawn.refuted, drawn.unknown) == (60, (), ())


@pytest.mark.parametrize(
    "variant",
    one_in(
        4,
        [
            "keep-alive-unheard",
            "close-forgets-nothing",
            "crash-is-a-close",
            "queue-emptied-at-parting",
            "waits-beyond-ready",
            "replays-backwards",
            "replays-silently",
            "marker-comes-first",
            "stored-values-applied",
            "live-is-told-twice",
            "first-start-unmarked",
            "never-normal",
        ],
    ),
)
def test_the_machine_alone_catches_and_names_mistakes_about_durable_clients(variant: str):
    with Session(find_candidate(f"faulty:{variant}")) as session:
        trouble = played("durable_clients", session)
    assert trouble.failure is not None
    assert trouble.failure.finding is not None
    assert set(trouble.failure.finding.requirements) & set(FAULTY[variant].requirements)
