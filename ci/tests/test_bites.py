"""Which faults have bitten, as far as histories show."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.history.actions import Await, Do, Finish, Inject, Park, PlanStep, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import (
    Client,
    Operation,
    OperationKind,
    RegionAttributes,
    Scope,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.suites.harness.fault_effect import all_have_bitten
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.client_faults import an_answer_was_lost, has_found_a_server
from plumbline.suites.machines.drawing import REGION
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.scenarios.sites import queues, regions, topology

CUT = Inject(Fault(kind=FaultKind.LINK_DOWN, site=1, remote_site=2))
LOST = Inject(Fault(kind=FaultKind.REPLIES_LOST, site=1, remote_site=2))
UP = Inject(Fault(kind=FaultKind.LINK_UP, site=1, remote_site=2))
BACK_CUT = Inject(Fault(kind=FaultKind.LINK_DOWN, site=2, remote_site=1))
BACK_UP = Inject(Fault(kind=FaultKind.LINK_UP, site=2, remote_site=1))
STOP_C, STOP_D, START_C, START_D = (
    Inject(Fault(kind=kind, member=member))
    for kind in (FaultKind.RECEIVER_STOP, FaultKind.RECEIVER_START)
    for member in ("C", "D")
)
CRASH = Inject(Fault(kind=FaultKind.CRASH, member="A"))


def put(op_id: int, member: str = "A") -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"{member}{op_id}",
        member=member,
        region=REGION,
        kind=OperationKind.PUT,
        key="x",
        token=f"v{op_id}",
    )


def bites(*steps: PlanStep) -> bool:
    fed = regions(queues(100), Scope.ACK, None)[:1]
    with Session(find_candidate("reference")) as session:
        return all_have_bitten(play_plan(Plan(topology(2), fed, steps, queues(100)), session).history)


@pytest.mark.parametrize(
    "steps",
    [
        (CUT, Do(put(1)), UP),
        (LOST, Do(put(1)), Await(1, "C"), UP),
        (STOP_C, STOP_D, Do(put(1)), START_C, START_D),
        (CUT, Do(put(1)), CRASH, UP),
        (Park(put(1), "A"), CRASH),
        (CUT, Do(put(1)), UP, Settle(), LOST, Do(put(2)), Await(2, "D"), UP),
    ],
)
def test_a_fault_bites_that_holds_an_event_up_or_loses_what_was_on_its_way(steps: tuple[PlanStep, ...]):
    assert bites(*steps)


@pytest.mark.parametrize(
    "steps",
    [
        (Do(put(1)),),
        (Do(put(1)), CUT, UP),
        (CUT, UP, Do(put(1))),
        (CUT, Do(put(1, "C")), UP),
        (CUT, Do(put(1))),
        (LOST, UP, Do(put(1))),
        (Do(put(1)), Settle(), LOST, UP),
        (STOP_C, Do(put(1)), START_C),
        (Do(put(1)), STOP_C, STOP_D, START_C, START_D),
        (Do(put(1)), CRASH, Do(put(2, "B"))),
        # The second of two does not bite.
        (CUT, Do(put(1)), UP, Settle(), BACK_CUT, BACK_UP),
    ],
)
def test_a_fault_that_nothing_shows_has_not_bitten(steps: tuple[PlanStep, ...]):
    assert not bites(*steps)


KILL_B, KILL_C, B_AGAIN, C_AGAIN = (
    Inject(Fault(kind=kind, member=member))
    for kind in (FaultKind.CRASH, FaultKind.RESTART)
    for member in ("B", "C")
)
UNANSWERED, ANSWERED = (
    Inject(Fault(kind=kind, client="K", member="B"))
    for kind in (FaultKind.ANSWERS_LOST, FaultKind.ANSWERS_BACK)
)


def of_client(*steps: PlanStep, servers: tuple[str, ...] = ("B", "C")) -> History:
    clients = (Client(name="K", servers=servers), Client(name="L", servers=("C",)))
    plan = Plan(
        Topology((Site(1, ("A", "B", "C")),)), (RegionAttributes(name=REGION),), steps, clients=clients[:1]
    )
    if UNANSWERED in steps:
        plan = msgspec.structs.replace(plan, clients=clients)
    with Session(find_candidate("reference")) as session:
        return play_plan(plan, session).history


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        ((Do(put(1)), KILL_B, KILL_C, B_AGAIN, Do(put(2))), True),
        ((KILL_B, KILL_C, Do(put(1)), C_AGAIN, Do(put(2))), True),
        # Another lived all the time, no caller wrote then, and a call under way prevents quiescence.
        ((Do(put(1)), KILL_B, B_AGAIN, Do(put(2))), False),
        ((KILL_B, KILL_C, Do(put(1)), C_AGAIN), False),
        ((Start(put(1)), KILL_B, KILL_C, B_AGAIN, Do(put(2))), False),
        ((Start(put(1)), KILL_B, KILL_C, Finish(1), B_AGAIN, Do(put(2))), True),
    ],
)
def test_a_client_has_found_a_server_if_it_had_none_and_hears_of_what_comes_then(
    steps: tuple[PlanStep, ...], found: bool
):
    assert has_found_a_server(of_client(*steps)) is found


@pytest.mark.parametrize("servers", [("B",), ("B", "C")])
@pytest.mark.parametrize(
    ("steps", "lost"),
    [
        ((UNANSWERED, Start(put(1, "K")), Await(1, "A"), ANSWERED), True),
        ((UNANSWERED, Start(put(1, "K")), Await(1, "L"), ANSWERED), True),
        # No listener shows it by then; only another caller's is shown; only an earlier call of the client is.
        ((UNANSWERED, Start(put(1, "K")), ANSWERED), False),
        ((UNANSWERED, Do(put(1, "A")), Await(1, "L"), ANSWERED), False),
        ((UNANSWERED, Start(put(1, "K")), ANSWERED, Await(1, "A"), UNANSWERED, Start(put(2, "K"))), False),
    ],
)
def test_an_answer_was_lost_if_another_hears_of_the_call_meanwhile(
    steps: tuple[PlanStep, ...], servers: tuple[str, ...], lost: bool
):
    assert an_answer_was_lost(of_client(*steps, servers=servers)) is lost
