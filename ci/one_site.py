"""Random small examples within one site: plans of a shape, and their histories on the reference.

Knows nothing of trials, nor of how histories are spoilt.
"""

from __future__ import annotations

import random
from contextlib import suppress

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.reference.adapter import ReferenceAdapter
from plumbline.reference.history import History
from plumbline.reference.operations import (
    READS,
    Client,
    Interest,
    Operation,
    OperationKind,
    RegionAttributes,
    Scope,
    Site,
    Topology,
)
from plumbline.reference.plans import Do, Finish, Park, Plan, PlanStep, Register, Release, Settle, Start
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.operations import FROM_CLIENTS
from plumbline.suites.driving import Driver
from plumbline.suites.plans import run_plan

REGION = "r"

_WRITES = (OperationKind.PUT,) * 6 + (OperationKind.GET,)
MIXED = (
    OperationKind.CREATE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.REPLACE,
    OperationKind.INVALIDATE,
    OperationKind.DESTROY,
    OperationKind.DESTROY,
    OperationKind.LOCAL_INVALIDATE,
    OperationKind.LOCAL_DESTROY,
    OperationKind.CONTAINS_KEY,
    OperationKind.GET,
)


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What kind of plan to draw.

    Attributes:
        operations: how many operations.
        keys: the keys; empty for a fresh key per put, while other operations take one of the latest keys.
        members: how many members.
        checks: the region's attribute.
        scope: the region's scope.
        mixed: share of operations of other kinds than mostly put and sometimes get.
        others: those kinds.
        parked: share of operations parked at a gate.
        started: share of operations that are called and finished later.
        settled: share of plan steps that settle in between.
        looks: share of calls behind which something is read while others are under way.
        redelivered: share of calls behind which an earlier message is delivered once more.
        clients: who is connected to the members, and calls as they do.
        registers: whether they register for everything at the beginning.
        interests: share of plan steps at which a client registers for something, or withdraws that.
    """

    operations: int
    keys: tuple[str, ...] = ("x",)
    members: int = 3
    checks: bool | None = None
    scope: Scope = Scope.ACK
    mixed: float = 0.4
    others: tuple[OperationKind, ...] = MIXED
    parked: float = 0.2
    started: float = 0.5
    settled: float = 0.03
    looks: float = 0.0
    redelivered: float = 0.0
    clients: tuple[Client, ...] = ()
    registers: bool = True
    interests: float = 0.0


def draw_plan(draw: random.Random, shape: Shape) -> Plan:
    """A plan of this shape; each member has two threads."""
    members = tuple("ABCD"[: shape.members])
    clients = tuple(client.name for client in shape.clients)
    steps: list[PlanStep] = []
    under_way: dict[str, int] = {}
    parked: list[tuple[int, str]] = []

    def release_one() -> None:
        op_id, member = parked.pop(draw.randrange(len(parked)))
        steps.append(Release(op_id, member))

    def stand_still() -> None:
        while parked:
            release_one()
        steps.extend(Finish(under_way.pop(thread)) for thread in sorted(under_way))

    op_id = 0
    while op_id < shape.operations:
        if parked and draw.random() < 0.3:
            release_one()
        if not parked and under_way and draw.random() < 0.15:
            steps.append(Finish(under_way.pop(draw.choice(sorted(under_way)))))
        if draw.random() < shape.settled:
            steps.append(Settle())
        if clients and draw.random() < shape.interests:
            stand_still()
            steps.append(Register(_draw_interest(draw, draw.choice(clients), shape.keys)))
        member = draw.choice((*members, *clients))
        thread = f"{member}{draw.randrange(2)}"
        if thread in under_way:
            while parked:
                release_one()
            steps.append(Finish(under_way.pop(thread)))
        op_id += 1
        kind = draw.choice(shape.others if draw.random() < shape.mixed else _WRITES)
        if member in clients and kind not in FROM_CLIENTS:
            kind = draw.choice(sorted(FROM_CLIENTS))
        operation = Operation(
            op_id=op_id,
            thread=thread,
            member=member,
            region=REGION,
            kind=kind,
            key=draw.choice(shape.keys) if shape.keys else _fresh_key(draw, kind, op_id),
            token=None if kind in READS else f"t{op_id}",
        )
        chance = draw.random()
        if kind not in READS and chance < shape.parked:
            gate_member = member if draw.random() < 0.7 and member in members else draw.choice(members)
            steps.append(Park(operation, gate_member))
            parked.append((op_id, gate_member))
            under_way[thread] = op_id
        elif parked or chance < shape.parked + shape.started:
            steps.append(Start(operation))
            under_way[thread] = op_id
        else:
            steps.append(Do(operation))
    region = RegionAttributes(name=REGION, checks=shape.checks, scope=shape.scope)
    return Plan(
        Topology((Site(1, members),)),
        (region,),
        tuple(steps),
        clients=shape.clients,
        registers=shape.registers,
    )


def _draw_interest(draw: random.Random, client: str, keys: tuple[str, ...]) -> Interest:
    """A registration for some of the keys, or sometimes its withdrawal."""
    kind = draw.choice(("all", "key", "list", "regex"))
    key = draw.choice(keys)
    specification = {"all": "", "key": key, "list": "\n".join(keys), "regex": draw.choice((key, ".*", "y|z"))}
    return Interest(
        client=client,
        region=REGION,
        kind=kind,
        specification=specification[kind],
        policy=draw.choice((None, "none", "keys", "keys_values")),
        receive_values=draw.random() < 0.6,
        register=draw.random() < 0.8,
    )


def _fresh_key(draw: random.Random, kind: OperationKind, op_id: int) -> str:
    """A key of its own for a put; for what needs something to work on, the key of a recent operation."""
    return f"k{op_id if kind is OperationKind.PUT else draw.randrange(max(1, op_id - 8), op_id + 1)}"


class _RestlessDriver(Driver):
    """A driver that does more than its plan says, while operations are under way: looks, and redelivers."""

    def __init__(self, adapter: Adapter, plan: Plan, shape: Shape, draw: random.Random) -> None:
        topology = plan.topology
        order = adapter.deploy(topology).member_order
        super().__init__(
            adapter,
            adapter.hello(),
            topology,
            order,
            plan.regions,
            clients=plan.clients,
            registers=plan.registers,
        )
        self._shape = shape
        self._draw = draw
        self._returned: list[Operation] = []

    def call(self, operation: Operation) -> None:
        """Send a call, and perhaps something else behind it."""
        super().call(operation)
        member = self._draw.choice(self.topology.members)
        if self._draw.random() < self._shape.looks:
            if self._draw.random() < 0.5:
                self.contents(self._draw.choice((member, *self.clients)), REGION)
            else:
                self.statistic(member, "conflatedEvents")
        if self._draw.random() < self._shape.redelivered:
            busy = {each.op_id for each in self.under_way}
            sent = [each for each in self._returned if each.op_id not in busy and each.member != member]
            if sent:
                self.redeliver(self._draw.choice(sent).op_id, member)
        # Whatever a put found, it was sent.
        if operation.kind is OperationKind.PUT and operation.member not in self.clients:
            self._returned.append(operation)


def run_on_reference(
    plan: Plan, shape: Shape, *, book: Rulebook | None = None, seed: int | None = None
) -> History:
    """The history of a plan of this shape on the reference, chaotic if a seed is given."""
    adapter = ReferenceAdapter(book, chaotic=seed is not None, seed=seed or 0)
    draw = random.Random(seed or 0)  # noqa: S311 - reproducible trials, not secrets
    driver = _RestlessDriver(adapter, plan, shape, draw)
    # A faulty variant may block for good; what was seen until then is a history, too.
    with suppress(AdapterError):
        run_plan(plan, driver)
    return driver.history()
