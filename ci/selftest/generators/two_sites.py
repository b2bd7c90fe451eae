"""Random small examples of two sites with gateway senders both ways, and faults: plans, and their histories.

Knows nothing of trials, nor of how histories are spoilt.
"""

from __future__ import annotations

import random
from contextlib import suppress

import msgspec

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.history.actions import Do, Inject, Look, Park, PlanStep, Release, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import (
    READS,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Scope,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook.book import Rulebook
from plumbline.suites.harness.driver import Driver
from plumbline.suites.harness.plan_runner import run_plan

REGION = "r"
SITES = (Site(1, ("A", "B")), Site(2, ("C", "D")))
TOPOLOGY = Topology(SITES)
HOME = SITES[0].members
ONE_RECEIVES = Topology((SITES[0], Site(2, ("C",))))
ONE_SENDS = Topology((Site(1, ("A",)), SITES[1]))

_MIXED = (
    OperationKind.CREATE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.REPLACE,
    OperationKind.INVALIDATE,
    OperationKind.DESTROY,
    OperationKind.DESTROY,
    OperationKind.GET,
)


class TwoSitesShape(msgspec.Struct, frozen=True, kw_only=True):
    """What kind of plan to draw.

    Attributes:
        operations: how many operations.
        keys: the keys; empty for a fresh key per operation.
        writers: on which members operations are called.
        scope: the region's scope.
        mixed: share of operations other than put.
        started: share of operations that are called and finished later.
        parked: share of operations parked at a gate.
        settled: share of plan steps that settle in between.
        looks: share of plan steps behind which a queue is looked at.
        faults: the faults, in their order; what mends them goes with them.
        batch_size: of both senders.
        dispatchers: so many has the sender of site 1.
        order_policy: what these keep in order.
        topology: the sites; faults of members that are not there are left out.
        resolver: the policy of the conflict resolver on every member; "" for none.
    """

    operations: int
    keys: tuple[str, ...] = ("x",)
    writers: tuple[str, ...] = ("A", "B")
    scope: Scope = Scope.ACK
    mixed: float = 0.2
    started: float = 0.5
    parked: float = 0.0
    settled: float = 0.05
    looks: float = 0.0
    faults: tuple[Fault, ...] = ()
    batch_size: int = 2
    dispatchers: int = 1
    order_policy: str = "key"
    topology: Topology = TOPOLOGY
    resolver: str = ""


POLICIES = (
    *("allow", "disallow", "replace", "throw"),
    *("prefer 1 within 0 ms", "prefer 2 within 15 ms"),
)
"""Policies of conflict resolvers; time that is held leaps by five to twenty milliseconds."""

MENDING = {
    FaultKind.LINK_DOWN: FaultKind.LINK_UP,
    FaultKind.REPLIES_LOST: FaultKind.LINK_UP,
    FaultKind.RECEIVER_STOP: FaultKind.RECEIVER_START,
    FaultKind.PAUSE: FaultKind.RESUME,
}


_WHILE_HELD = (FaultKind.TIME_LEAP, FaultKind.CLOCK_SET)


def any_fault(draw: random.Random, kinds: tuple[FaultKind, ...] = (FaultKind.CRASH, *MENDING)) -> Fault:
    """A fault of one of the kinds, at a place that has it."""
    kind = draw.choice(kinds)
    site = draw.choice((1, 1, 2))
    other = 3 - site
    match kind:
        case FaultKind.CRASH:
            return Fault(kind=kind, member=draw.choice(("A", "A", "B", "C", "D")))
        case FaultKind.LINK_DOWN | FaultKind.REPLIES_LOST:
            return Fault(kind=kind, site=site, remote_site=other)
        case FaultKind.RECEIVER_STOP:
            return Fault(kind=kind, member=draw.choice(("C", "D")))
        case _:
            return Fault(kind=FaultKind.PAUSE, member="A", queue="to 2")


def held_time(draw: random.Random) -> tuple[Fault, ...]:
    """Time is held still, and leaps once or twice, at site 2 perhaps by another clock.

    The default interval of batches is ten milliseconds.
    """
    leaps = tuple(
        Fault(kind=FaultKind.TIME_LEAP, milliseconds=draw.choice((5, 10, 20)))
        for _ in range(draw.choice((1, 1, 2)))
    )
    ahead_ms = draw.choice((0, 0, 12, -12))
    skew = (Fault(kind=FaultKind.CLOCK_SET, site=2, milliseconds=ahead_ms),) if ahead_ms else ()
    return (Fault(kind=FaultKind.HOLD_TIME), *skew, *leaps)


def mended(fault: Fault) -> Fault | None:
    """What mends a fault; None for a crash, and for time that was let pass."""
    kind = FaultKind.LET_RUN if fault.kind is FaultKind.HOLD_TIME else MENDING.get(fault.kind)
    return None if kind is None else msgspec.structs.replace(fault, kind=kind)


def draw_plan(draw: random.Random, shape: TwoSitesShape) -> Plan:
    """A plan of the shape: faults at any place among the operations, mended at any place behind."""
    steps: list[PlanStep] = []
    dead = set(TOPOLOGY.members) - set(shape.topology.members)
    held = False
    under_way: dict[str, int] = {}
    parked: list[tuple[int, str]] = []
    slots: dict[int, list[Fault]] = {}
    for fault in shape.faults:
        at = draw.randrange(shape.operations + 1)
        slots.setdefault(at, []).append(fault)
        mending = mended(fault)
        if mending is not None:
            slots.setdefault(draw.randrange(at, shape.operations + 1), []).append(mending)
    for op_id in range(1, shape.operations + 2):
        for fault in slots.get(op_id - 1, ()):
            if fault.kind is FaultKind.CRASH and (fault.member in dead or _last_of_site(fault.member, dead)):
                continue
            if fault.member in dead or (fault.kind in _WHILE_HELD and not held):
                continue
            held = fault.kind is FaultKind.HOLD_TIME or (held and fault.kind is not FaultKind.LET_RUN)
            dead |= {fault.member} if fault.kind is FaultKind.CRASH else set()
            steps.append(Inject(fault))
        if op_id > shape.operations:
            break
        chance = draw.random()
        if parked and chance < 0.3:
            steps.append(Release(*parked.pop(draw.randrange(len(parked)))))
        elif chance < shape.settled and not parked:
            steps.append(Settle())
            under_way.clear()
        if draw.random() < shape.looks:
            steps.append(Look(draw.choice(("to 2", "to 1"))))
        alive_at_home = [member for member in HOME if member not in dead]
        writers = [member for member in shape.writers if member not in dead] or alive_at_home
        steps.append(_call(draw, shape, op_id, draw.choice(writers), under_way, parked, dead))
    region = RegionAttributes(name=REGION, scope=shape.scope, senders=("to 2", "to 1"))
    queues = (
        QueueAttributes(
            id="to 2",
            site=1,
            remote_site=2,
            batch_size=shape.batch_size,
            dispatchers=shape.dispatchers,
            order_policy=shape.order_policy,
        ),
        QueueAttributes(id="to 1", site=2, remote_site=1, batch_size=shape.batch_size),
    )
    return Plan(shape.topology, (region,), tuple(steps), queues, resolver=shape.resolver)


def _last_of_site(member: str, dead: set[str]) -> bool:
    return set(TOPOLOGY.site_of(member).members) <= dead | {member}


def _call(
    draw: random.Random,
    shape: TwoSitesShape,
    op_id: int,
    member: str,
    under_way: dict[str, int],
    parked: list[tuple[int, str]],
    dead: set[str],
) -> PlanStep:
    kind = draw.choice(_MIXED) if draw.random() < shape.mixed else OperationKind.PUT
    key = draw.choice(shape.keys) if shape.keys else f"k{op_id}"
    if shape.scope is Scope.NO_ACK and kind is not OperationKind.PUT:
        kind = OperationKind.PUT
    thread = next(name for n in range(99) if (name := f"{member}{n}") not in under_way)
    operation = Operation(
        op_id=op_id,
        thread=thread,
        member=member,
        region=REGION,
        kind=kind,
        key=key,
        token=None if kind in READS else f"v{op_id}",
    )
    chance = draw.random()
    if kind not in READS and chance < shape.parked:
        holder = draw.choice([m for m in TOPOLOGY.members if m not in dead])
        parked.append((op_id, holder))
        under_way[thread] = op_id
        return Park(operation, holder)
    if parked or chance < shape.parked + shape.started:
        under_way[thread] = op_id
        return Start(operation)
    return Do(operation)


def run_on_reference(plan: Plan, *, book: Rulebook | None = None, seed: int | None = None) -> History:
    """The history of a plan on the reference, chaotic if a seed is given."""
    adapter = ReferenceAdapter(book or Rulebook(), chaotic=seed is not None, seed=seed or 0)
    order = adapter.deploy(plan.topology).member_order
    driver = Driver(
        adapter, adapter.hello(), plan.topology, order, plan.regions, plan.queues, resolver=plan.resolver
    )
    # A faulty variant may block for good; the observations until then are a history, too.
    with suppress(AdapterError):
        run_plan(plan, driver)
    return driver.history()
