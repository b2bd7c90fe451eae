"""Random runs of a durable client whose servers die, one after the other, and which goes and comes back.

Members call, one after the other or at once; the client of three servers listens. Knows nothing of how
histories are spoilt.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.history.actions import Do, Finish, Inject, PlanStep, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import (
    NAMELESS,
    Client,
    Interest,
    Operation,
    OperationKind,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.registration_actions import Register
from plumbline.reference.rulebook.book import Rulebook
from plumbline.suites.harness.driver import Driver
from plumbline.suites.harness.plan_runner import run_plan

REGION = "r"
MEMBERS = ("A", "B", "C", "D")
DYING = ("B", "C")
KEYS = ("w", "x", "y", "z")
AWAY = 20
"""So many operations at most are called while the client is away, and a tenth of all."""

CLIENT = Client(name="K", servers=("B", "C", "D"), redundancy=2, durable_id="k")


def draw_durable_plan(draw: random.Random, operations: int, kinds: Sequence[OperationKind]) -> Plan:
    """A plan of so many operations, with two failovers and a reconnect at any time."""
    away = min(AWAY, operations // 10)
    turns = sorted(draw.sample(range(away, operations - 2 * away), 3))
    events = dict(zip(turns, draw.sample(("dies", "dies", "goes"), 3), strict=True))
    steps: list[PlanStep] = [
        Register(Interest(client="K", region=REGION, durable=True)),
        _life(FaultKind.CLIENT_READY),
    ]
    under_way: dict[str, int] = {}
    dying, back = list(DYING), -1
    for op_id in range(1, operations + 1):
        if op_id == back:
            steps += [*_rest(under_way), _life(FaultKind.CLIENT_START), _life(FaultKind.CLIENT_READY)]
        if events.get(op_id) == "goes":
            steps += [
                *_rest(under_way),
                _life(draw.choice((FaultKind.CLIENT_DETACH, FaultKind.CLIENT_CRASH))),
            ]
            back = op_id + away
        if events.get(op_id) == "dies":
            steps.append(Inject(Fault(kind=FaultKind.CRASH, member=dying.pop(0))))
        member = draw.choice("AD")
        thread = f"{member}{draw.randrange(2)}"
        if thread in under_way:
            steps.append(Finish(under_way.pop(thread)))
        kind = draw.choice(kinds)
        operation = Operation(
            op_id=op_id,
            thread=thread,
            member=member,
            region=REGION,
            kind=kind,
            key=draw.choice(KEYS),
            token=None if kind in NAMELESS else f"t{op_id}",
        )
        if draw.random() < 0.4:
            steps.append(Start(operation))
            under_way[thread] = op_id
        else:
            steps.append(Do(operation))
        if draw.random() < 0.02:
            steps.append(Settle())
    return Plan(
        Topology((Site(1, MEMBERS),)),
        (RegionAttributes(name=REGION),),
        tuple(steps),
        clients=(CLIENT,),
        registers=False,
    )


def run_durable(plan: Plan, seed: int) -> History:
    """The history of such a plan on the chaotic reference."""
    adapter = ReferenceAdapter(Rulebook(), chaotic=True, seed=seed)
    order = adapter.deploy(plan.topology).member_order
    driver = Driver(
        adapter, adapter.hello(), plan.topology, order, plan.regions, clients=plan.clients, registers=False
    )
    run_plan(plan, driver)
    return driver.history()


def _life(kind: FaultKind) -> PlanStep:
    return Inject(Fault(kind=kind, client="K"))


def _rest(under_way: dict[str, int]) -> list[PlanStep]:
    """All that was called has returned, and everything rests."""
    steps: list[PlanStep] = [*map(Finish, under_way.values()), Settle()]
    under_way.clear()
    return steps
