"""Random small examples within one site: plans of a shape, and their histories on the reference.

Knows nothing of trials, nor of how histories are spoilt.
"""

from __future__ import annotations

import random
from contextlib import suppress

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.history.actions import Do, Finish, Inject, Park, PlanStep, Release, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import (
    CONDITIONAL,
    LOCAL_ACTIONS,
    NAMELESS,
    READS,
    WHOLE_REGION,
    Client,
    HostPolicy,
    Interest,
    Operation,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Site,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.registration_actions import Register
from plumbline.reference.model.gauges import COLLECTIONS, COUNT
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.effects import FROM_CLIENTS
from plumbline.suites.harness.driver import Driver
from plumbline.suites.harness.plan_runner import run_plan

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


class OneSiteShape(msgspec.Struct, frozen=True, kw_only=True):
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
        dying: members that are killed, one after the other; clients of several servers only listen.
        tombstones: how long tombstones are kept; then time is held from the beginning.
        leaps: share of plan steps at which time is let pass.
        dying_at: before which operation each of them is killed; early and by chance if not named.
        policies: the members that keep less than a replicate.
        restarts: share of plan steps at which a member that was killed is started again.
        unanswered: share of plan steps at which answers to a client begin to be lost, or are lost no more.
        redundancy: redundant copies of each key, where the region is partitioned: then only members call.
        moves: share of plan steps at which some key gets another primary.
        lives: share of plan steps at which the life of the first client, a durable one, takes a turn.
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
    dying: tuple[str, ...] = ()
    dying_at: tuple[int, ...] = ()
    policies: tuple[HostPolicy, ...] = ()
    restarts: float = 0.0
    unanswered: float = 0.0
    tombstones: TombstoneSettings | None = None
    leaps: float = 0.0
    redundancy: int | None = None
    moves: float = 0.0
    lives: float = 0.0


LEAPS_MS = (10_000, 20_000, 25_000, 35_000)
"""How much time is let pass at once; tombstones are kept for twenty seconds."""

LEAVES = (FaultKind.CLIENT_DETACH, FaultKind.CLIENT_CRASH, FaultKind.CLIENT_CRASH)
"""How a durable client goes whose queue stays."""

MEANWHILE = 0.5
"""How likely a durable client goes or comes while others write."""

DYING = 0.3
"""How likely the next member is killed before a step."""


def calls(client: Client) -> bool:
    """Whether a client calls, and does not only listen."""
    return len(client.servers) == 1 and client.durable_id is None


def draw_plan(draw: random.Random, shape: OneSiteShape) -> Plan:
    """A plan of this shape; each member has two threads."""
    drawing = _Drawing(draw, shape)
    if shape.tombstones is not None or shape.leaps:
        drawing.hold_time()
    if shape.lives:
        drawing.begin_life()
    for op_id in range(1, shape.operations + 1):
        drawing.take_a_break(op_id)
        drawing.call(op_id)
    if shape.lives:
        drawing.end_life()
    return drawing.plan()


class _Drawing:
    """A plan as it is drawn: who may call, what is under way, and what stands in whose listener."""

    def __init__(self, draw: random.Random, shape: OneSiteShape) -> None:
        self._draw = draw
        self._shape = shape
        self._members = tuple("ABCD"[: shape.members])
        self._clients = tuple(client.name for client in shape.clients)
        self._callers = [
            *self._members,
            *(c.name for c in shape.clients if calls(c) and shape.redundancy is None),
        ]
        self._listening = [
            *self._members,
            *(client.name for client in shape.clients if not calls(client)),
        ]
        self._dying = list(shape.dying)
        self._dead: list[str] = []
        self._lost: Fault | None = None
        self._steps: list[PlanStep] = []
        self._under_way: dict[str, int] = {}
        self._parked: list[tuple[int, str]] = []
        self._runs, self._is_ready = True, False

    def plan(self) -> Plan:
        shape = self._shape
        return Plan(
            Topology((Site(1, self._members),)),
            (_region(shape),),
            tuple(self._steps),
            clients=shape.clients,
            registers=shape.registers,
            tombstones=shape.tombstones,
        )

    def hold_time(self) -> None:
        """From here on time passes only where it is let."""
        self._steps.append(Inject(Fault(kind=FaultKind.HOLD_TIME)))

    def take_a_break(self, op_id: int) -> None:
        """Before the next call: a member may die, go on or return, a client register, or the harness read."""
        draw, shape = self._draw, self._shape
        if op_id in shape.dying_at or (self._dying and not shape.dying_at and draw.random() < DYING):
            self._crash_one()
        if shape.restarts and self._dead and draw.random() < shape.restarts:
            self._restart_one()
        if shape.unanswered and draw.random() < shape.unanswered:
            self._lose_answers()
        if shape.moves and draw.random() < shape.moves:
            self._stand_still()
            heir, key = draw.choice(self._callers), draw.choice(shape.keys)
            move = Fault(kind=FaultKind.MOVE_PRIMARY, member=heir, region=REGION, key=key)
            self._steps.append(Inject(move))
        if self._parked and draw.random() < 0.3:
            self._release_one()
        if not self._parked and self._under_way and draw.random() < 0.15:
            self._steps.append(Finish(self._under_way.pop(draw.choice(sorted(self._under_way)))))
        if draw.random() < shape.settled:
            self._steps.append(Settle())
        if shape.lives and draw.random() < shape.lives:
            self._turn_life()
        if shape.leaps and draw.random() < shape.leaps:
            leap = Fault(kind=FaultKind.TIME_LEAP, milliseconds=draw.choice(LEAPS_MS))
            self._steps.append(Inject(leap))
        if self._clients and draw.random() < shape.interests:
            self._stand_still()
            self._steps.append(Register(_draw_interest(draw, draw.choice(self._clients), shape.keys)))

    def begin_life(self) -> None:
        """The first client registers, mostly for good, and is ready, or not yet."""
        self._register_for_good()
        if self._draw.random() < 0.8:
            self._turn_life()

    def end_life(self) -> None:
        """It is back and ready in the end, so that what was kept for it shows."""
        while not (self._runs and self._is_ready):
            self._turn_life()

    def _turn_life(self) -> None:
        """It becomes ready while others write; goes or returns, at rest or while others write."""
        draw = self._draw
        if self._runs and not self._is_ready:
            self._is_ready = True
            self._live(FaultKind.CLIENT_READY)
            return
        meanwhile = draw.random() < MEANWHILE
        if meanwhile:
            self._clear_servers()
        else:
            self._stand_still()
            self._steps.append(Settle())
        self._runs, self._is_ready = not self._runs, False
        if not self._runs:
            self._leave(meanwhile=meanwhile)
            return
        self._live(FaultKind.CLIENT_START, meanwhile=meanwhile)
        if draw.random() < 0.5 and not meanwhile:
            self._register_for_good()

    def _clear_servers(self) -> None:
        """Nothing stands at a member any more: it might hold up the client."""
        for op_id, holder in [one for one in self._parked if one[1] in self._members]:
            self._steps.append(Release(op_id, holder))
            self._parked.remove((op_id, holder))

    def _leave(self, *, meanwhile: bool) -> None:
        """It goes: by a crash, where an event stands in its listener."""
        stands = [one for one in self._parked if one[1] == self._clients[0]]
        kind = FaultKind.CLIENT_CRASH if stands else self._draw.choice((*LEAVES, FaultKind.CLIENT_CLOSE))
        self._parked = [one for one in self._parked if one not in stands]
        self._live(kind, meanwhile=meanwhile)

    def _live(self, kind: FaultKind, *, meanwhile: bool = False) -> None:
        self._steps.append(Inject(Fault(kind=kind, client=self._clients[0], meanwhile=meanwhile)))

    def _register_for_good(self) -> None:
        policy, lasts = self._draw.choice(("none", "none", "keys_values")), self._draw.random() < 0.9
        interest = Interest(client=self._clients[0], region=REGION, policy=policy, durable=lasts)
        self._steps.append(Register(interest))

    def call(self, op_id: int) -> None:
        """Call an operation, and wait for it, go on, or have it parked."""
        draw, shape = self._draw, self._shape
        member = draw.choice(self._callers)
        thread = f"{member}{draw.randrange(2)}"
        if thread in self._under_way:
            while self._parked:
                self._release_one()
            self._steps.append(Finish(self._under_way.pop(thread)))
        kind = draw.choice(shape.others if draw.random() < shape.mixed else _WRITES)
        if member in self._clients and kind not in FROM_CLIENTS:
            kind = draw.choice(sorted(FROM_CLIENTS))
        if member in self._clients and self._lost is not None:
            kind = OperationKind.PUT
        operation = Operation(
            op_id=op_id,
            thread=thread,
            member=member,
            region=REGION,
            kind=kind,
            key=self._key(kind, op_id),
            token=None if kind in NAMELESS else f"t{op_id}",
            expected=f"t{draw.randrange(1, op_id + 1)}" if kind in CONDITIONAL else None,
        )
        chance = draw.random()
        if kind not in READS | LOCAL_ACTIONS and chance < shape.parked:
            here = draw.random() < 0.7 and member in self._members
            gate_member = member if here else draw.choice(self._listening)
            self._steps.append(Park(operation, gate_member))
            self._parked.append((op_id, gate_member))
            self._under_way[thread] = op_id
        elif self._parked or chance < shape.parked + shape.started:
            self._steps.append(Start(operation))
            self._under_way[thread] = op_id
        else:
            self._steps.append(Do(operation))

    def _key(self, kind: OperationKind, op_id: int) -> str:
        if kind in WHOLE_REGION or kind is OperationKind.EVICT:
            return ""
        keys = self._shape.keys
        return self._draw.choice(keys) if keys else _fresh_key(self._draw, kind, op_id)

    def _release_one(self) -> None:
        op_id, member = self._parked.pop(self._draw.randrange(len(self._parked)))
        self._steps.append(Release(op_id, member))

    def _stand_still(self) -> None:
        while self._parked:
            self._release_one()
        self._steps.extend(Finish(self._under_way.pop(thread)) for thread in sorted(self._under_way))

    def _restart_one(self) -> None:
        self._stand_still()
        member = self._dead.pop()
        self._steps.append(Inject(Fault(kind=FaultKind.RESTART, member=member)))
        self._callers.append(member)
        self._listening.append(member)

    def _lose_answers(self) -> None:
        """What a client's first server answers is lost, or lost no more; meanwhile every client may call."""
        if self._lost is not None:
            back = msgspec.structs.replace(self._lost, kind=FaultKind.ANSWERS_BACK)
            self._steps.append(Inject(back))
            self._lost = None
            self._callers = [name for name in self._callers if name not in self._turning]
            return
        self._stand_still()
        client = self._draw.choice(self._shape.clients)
        self._lost = Fault(kind=FaultKind.ANSWERS_LOST, client=client.name, member=client.server)
        self._steps.append(Inject(self._lost))
        self._callers += self._turning

    @property
    def _turning(self) -> list[str]:
        """The clients that call only while answers are lost, as they may turn to another server then."""
        return [client.name for client in self._shape.clients if len(client.servers) > 1]

    def _crash_one(self) -> None:
        victim = self._dying.pop(0)
        self._dead.append(victim)
        self._steps.append(Inject(Fault(kind=FaultKind.CRASH, member=victim)))
        self._parked = [(op_id, member) for op_id, member in self._parked if member != victim]
        self._callers.remove(victim)
        self._listening.remove(victim)


def _region(shape: OneSiteShape) -> RegionAttributes:
    policy = RegionPolicy.REPLICATE if shape.redundancy is None else RegionPolicy.PARTITION
    return RegionAttributes(
        name=REGION,
        policy=policy,
        checks=shape.checks,
        scope=shape.scope,
        redundancy=shape.redundancy or 0,
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

    def __init__(self, adapter: Adapter, plan: Plan, shape: OneSiteShape, draw: random.Random) -> None:
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
            tombstones=plan.tombstones,
        )
        self._shape = shape
        self._draw = draw
        self._returned: list[Operation] = []

    def call(self, operation: Operation) -> None:
        """Send a call, and perhaps something else behind it."""
        super().call(operation)
        member = self._draw.choice([m for m in self.topology.members if m not in self.crashed])
        if self._draw.random() < self._shape.looks:
            if self._draw.random() < 0.5:
                self.contents(self._draw.choice((member, *self.clients)), REGION)
            else:
                names = ("conflatedEvents", COUNT, COLLECTIONS)
                self.statistic(member, self._draw.choice(names) if self._shape.tombstones else names[0])
        if self._draw.random() < self._shape.redelivered:
            busy = {each.op_id for each in self.under_way}
            sent = [each for each in self._returned if each.op_id not in busy and each.member != member]
            if sent:
                self.redeliver(self._draw.choice(sent).op_id, member)
        # A put is sent with each state of its entry.
        if operation.kind is OperationKind.PUT and operation.member not in self.clients:
            self._returned.append(operation)


def run_on_reference(
    plan: Plan, shape: OneSiteShape, *, book: Rulebook | None = None, seed: int | None = None
) -> History:
    """The history of a plan of this shape on the reference, chaotic if a seed is given."""
    adapter = ReferenceAdapter(book or Rulebook(), chaotic=seed is not None, seed=seed or 0)
    draw = random.Random(seed or 0)  # noqa: S311 - reproducible trials, not secrets
    try:
        driver = _RestlessDriver(adapter, plan, shape, draw)
    except AdapterError:
        if book is None:
            raise
        # A faulty variant that lets no client register shows nothing at all.
        return run_on_reference(plan, shape, seed=seed)
    # A faulty variant may block for good; the observations until then are a history, too.
    with suppress(AdapterError):
        run_plan(plan, driver)
    return driver.history()
