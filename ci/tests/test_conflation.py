"""Gateway senders that conflate: right ones are never accused, and what is left out wrongly is found."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.actions import Do, Inject, PlanStep, Settle
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import ContentsRead
from plumbline.reference.history.operations import (
    DESTROYS,
    Operation,
    OperationKind,
    QueueAttributes,
    Scope,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.scenarios.sites import queues, regions, topology

TOPOLOGY = topology(2)
HERE, THERE = (site.members for site in TOPOLOGY.sites)


def conflating(senders: Sequence[QueueAttributes]) -> tuple[QueueAttributes, ...]:
    return tuple(msgspec.structs.replace(queue, conflate=True) for queue in senders)


def played(kinds: Sequence[OperationKind], *, conflate: bool = True) -> History:
    """What the deterministic reference shows of operations on one key while its sender is paused."""
    senders = conflating(queues(100)) if conflate else queues(100)
    calls = [
        Do(
            Operation(
                op_id=op_id,
                thread="A1",
                member="A",
                region="region",
                kind=kind,
                key="x",
                token=f"v{op_id}",
            )
        )
        for op_id, kind in enumerate(kinds, 1)
    ]
    pauses, resumes = (
        [Inject(Fault(kind=kind, member=member, queue=senders[0].id)) for member in HERE]
        for kind in (FaultKind.PAUSE, FaultKind.RESUME)
    )
    steps: tuple[PlanStep, ...] = (*pauses, *calls, *resumes, Settle())
    plan = Plan(TOPOLOGY, regions(senders, Scope.ACK, None)[:1], steps, senders)
    with Session(find_candidate("reference")) as session:
        return play_plan(plan, session).history


def shown(history: History, member: str) -> list[str | None]:
    return [entry.event.token for entry in history.logs[member]]


def without(history: History, token: str) -> History:
    """The same where site 2 has never received an event."""
    logs = {
        member: tuple(entry for entry in log if member in HERE or entry.event.token != token)
        for member, log in history.logs.items()
    }
    return msgspec.structs.replace(history, logs=logs)


def answer(history: History) -> Answer:
    with Session(find_candidate("reference")) as session:
        return search(history, session.book, Budget(states=20_000)).answer


PUTS = (OperationKind.PUT,) * 4
RENEWED = (OperationKind.PUT, OperationKind.PUT, OperationKind.DESTROY, OperationKind.PUT, OperationKind.PUT)


def test_only_updates_make_way():
    history = played((*RENEWED, OperationKind.PUT))
    for member in THERE:
        assert shown(history, member) == ["v1", "v3", "v4", "v6"]
    assert answer(history) is Answer.EXPLAINED


def test_the_final_contents_are_equal():
    history = played(PUTS)
    ends = {what.entries for what in history.timeline if isinstance(what, ContentsRead)}
    assert len(ends) == 1
    for member in THERE:
        assert shown(history, member) == ["v1", "v4"]


@pytest.mark.parametrize("token", ["v1", "v4"])
def test_a_create_and_the_last_update_do_not_make_way(token: str):
    assert answer(without(played(PUTS), token)) is Answer.REFUTED


def test_an_update_may_make_way_for_one_behind_a_destroy():
    history = played(RENEWED)
    assert RENEWED[2] in DESTROYS
    assert shown(history, THERE[0]) == ["v1", "v3", "v4", "v5"]
    assert answer(history) is Answer.EXPLAINED


def test_an_update_in_front_of_a_destroy_alone_does_not_make_way():
    assert answer(without(played(RENEWED[:3]), "v2")) is Answer.REFUTED


def test_a_destroy_does_not_make_way():
    assert answer(without(played(RENEWED), "v3")) is Answer.REFUTED


def test_without_conflation_no_update_makes_way():
    history = played(PUTS, conflate=False)
    assert shown(history, THERE[0]) == ["v1", "v2", "v3", "v4"]
    assert answer(without(history, "v2")) is Answer.REFUTED


@pytest.mark.parametrize("machine", ["gateway_order", "several_dispatchers"])
def test_drawn_plans_of_senders_that_conflate_are_explained(machine: str):
    known, seen, found = MACHINES[machine], set[Plan](), list[Answer]()
    left_out = 0
    with Session(find_candidate("reference:chaotic", seed=5)) as session:

        def execute(plan: Plan) -> None:
            nonlocal left_out
            plan = msgspec.structs.replace(plan, queues=conflating(plan.queues))
            if plan not in seen:
                seen.add(plan)
                explanation = search(play_plan(plan, session).history, session.book, Budget(states=20_000))
                found.append(explanation.answer)
                left_out += any(name[0] == "conflates" for name, _ in explanation.path)

        offers = frozenset(session.introduction.capabilities)
        drive(known, execute, offers=offers, examples=25, steps=12, draw_seed=3, shrink=False)
    assert set(found) == {Answer.EXPLAINED}
    assert left_out
