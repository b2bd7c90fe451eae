"""The state machine of durable clients: lives that end and begin again, among writes and failures (003).

A client goes, comes back and becomes ready at any time, also while others write: members, and clients of one
server. What stands in its listener dies with it. Of a candidate that does not offer this, a client goes and
comes back at rest. One plan in ten keeps up to two hundred events.
"""

from __future__ import annotations

import dataclasses

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject
from plumbline.reference.history.fault_kinds import CLIENT_GOES, Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import FaultDone
from plumbline.reference.history.operations import (
    LOCAL,
    Client,
    Interest,
    Operation,
    OperationKind,
    RegionAttributes,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.registration_actions import Register
from plumbline.suites.machines.clients import KEYS, WHATS, ClientMachine
from plumbline.suites.machines.drawing import REGION, WRITES, Machine

SERVERS = ("B", "C")
OF_ANOTHER = "A"
"""The server of the second client, which never dies."""

OTHER = "other"
MOST_LIVES = 4
TIMEOUT_MS = 60_000
SOON_MS = 600_000
"""So much time may pass of which a client that remembers by real time must not hear."""

MOST_KEPT = 200
"""So many events are kept for a client in a large plan."""

_KINDS = st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES))
_OF_CLIENT = st.sampled_from(
    (
        *(OperationKind.PUT, *WRITES, OperationKind.GET, OperationKind.CONTAINS_KEY),
        *(OperationKind.LOCAL_DESTROY, OperationKind.LOCAL_INVALIDATE),
    )
)
_GOES = st.sampled_from(sorted(CLIENT_GOES, key=str))
_WHERE = st.integers(0, 1)
_CALLS = st.lists(st.tuples(st.integers(0, 2), _KINDS, st.sampled_from(KEYS), _WHERE), min_size=1, max_size=4)


@dataclasses.dataclass
class DrawnLife:
    """How often a client has lived, whether it runs, and whether it is ready for events."""

    lives: int = 1
    runs: bool = True
    is_ready: bool = False


class DurableMachine(ClientMachine):
    """Durable clients, which go and come back, while members and clients write and a server may die."""

    def __init__(self) -> None:
        super().__init__()
        self.registers = False
        self.dead: set[str] = set()
        self.life: dict[str, DrawnLife] = {"K": DrawnLife()}
        self.time_is_held = self.is_large = self.is_concurrent = False
        self.calling: set[str] = set()
        self.passed_ms = 0
        self.regions: tuple[str, ...] = (REGION,)

    @property
    def living(self) -> tuple[str, ...]:
        """The members that live."""
        return tuple(member for member in self.members if member not in self.dead)

    @property
    def callers(self) -> tuple[str, ...]:
        """The clients that call now: those of one server, unless they are away."""
        away = {name for name, life in self.life.items() if not life.runs}
        return tuple(name for name in self.calling_clients if name not in away)

    def plan(self) -> Plan:
        """The plan so far."""
        regions = tuple(RegionAttributes(name=name) for name in self.regions)
        return msgspec.structs.replace(super().plan(), regions=regions)

    @initialize(
        secured=st.integers(0, 1),
        second=st.booleans(),
        held=st.booleans(),
        policy=st.sampled_from(("none", "keys_values")),
        durable=st.sampled_from((True, True, False)),
        is_ready=st.sampled_from((True, True, False)),
        another=st.sampled_from(("", "", "plain", "durable")),
        regions=st.sampled_from(((REGION,), (REGION,), (REGION, OTHER))),
        size=st.integers(0, 9),
        meanwhile=st.booleans(),
    )
    def begin(
        self,
        secured: int,
        second: bool,
        held: bool,
        policy: str,
        durable: bool,
        is_ready: bool,
        another: str,
        regions: tuple[str, ...],
        size: int,
        meanwhile: bool,
    ) -> None:
        """Choose who is there, how clients are secured, and whether time is held, before any call.

        Clients go and come back at rest, or while others are under way where the candidate offers it.
        """
        self.is_concurrent = meanwhile and Capability.CONCURRENT_LIVES in self.offers
        servers = SERVERS if secured or second else SERVERS[:1]
        timeout_s = TIMEOUT_MS // 1000
        self.regions, self.is_large = regions, size == 0
        k = Client(name="K", servers=servers, redundancy=secured, durable_id="k", durable_timeout_s=timeout_s)
        own = {"durable_id": "l", "durable_timeout_s": timeout_s} if another == "durable" else {}
        other = msgspec.structs.replace(Client(name="L", servers=(OF_ANOTHER,)), **own)
        self.clients = (k, other) if another else (k,)
        if own:
            self.life["L"] = DrawnLife()
        if held and Capability.HELD_CLOCKS in self.offers:
            self.time_is_held = True
            self.steps.append(Inject(Fault(kind=FaultKind.HOLD_TIME)))
        self.steps.append(Do(self.operation("A", OperationKind.PUT, KEYS[0])))
        self._register("K", WHATS[0], policy, durable=durable)
        if another:
            self._register("L", WHATS[0], policy, durable=bool(own))
        if is_ready:
            for name in self.life:
                self._become_ready(name)

    def _register(self, client: str, what: tuple[str, str], policy: str | None, *, durable: bool) -> None:
        kind, specification = what
        for region in self.regions:
            interest = Interest(
                client=client,
                region=region,
                kind=kind,
                specification=specification,
                policy=policy,
                durable=durable,
            )
            self.steps.append(Register(interest))

    def _live(self, client: str, kind: FaultKind, *, meanwhile: bool = False) -> None:
        self.steps.append(Inject(Fault(kind=kind, client=client, meanwhile=meanwhile)))

    def _meanwhile(self, client: str, kind: FaultKind) -> bool:
        """Whether a client may go or come while others are under way; if not, everything comes to rest."""
        stands = any(member == client for member, _ in self.parked.values())
        may_die = kind is FaultKind.CLIENT_CRASH or not stands
        if self.is_concurrent and client not in self.calling and may_die:
            self.parked = {op: gate for op, gate in self.parked.items() if gate[0] != client}
            return True
        self.settle_now()
        return False

    def _named(self, which: int) -> str:
        return tuple(self.life)[which % len(self.life)]

    def _call(self, caller: str, kind: OperationKind, key: str, where: int, *, waits: bool) -> None:
        self.make_room()
        region = self.regions[where % len(self.regions)]
        operation: Operation = msgspec.structs.replace(self.operation(caller, kind, key), region=region)
        if waits and not self.parked:
            self.steps.append(Do(operation))
            return
        self.calling.add(caller)
        self.start(operation)

    def settle_now(self) -> None:
        """Settle, and have returned what was called."""
        super().settle_now()
        self.calling.clear()

    @rule(which=st.integers(0, 1))
    @precondition(lambda self: self.is_concurrent)
    def stand(self, which: int) -> None:
        """An event stands in the listener of a client that is ready."""
        self._stand(self._named(which))

    @rule(
        who=st.integers(0, 2),
        kind=_KINDS,
        key=st.sampled_from(KEYS),
        where=_WHERE,
        waits=st.sampled_from((True, True, False)),
    )
    def call(self, who: int, kind: OperationKind, key: str, where: int, waits: bool) -> None:
        """One operation of a member, waited for or not."""
        self._call(self.living[who % len(self.living)], kind, key, where, waits=waits)

    @rule(
        who=st.integers(0, 1),
        kind=_OF_CLIENT,
        key=st.sampled_from(KEYS),
        where=_WHERE,
        waits=st.sampled_from((True, False)),
    )
    @precondition(lambda self: bool(self.callers))
    def call_at_client(self, who: int, kind: OperationKind, key: str, where: int, waits: bool) -> None:
        """One operation of a client, waited for or not."""
        if kind in LOCAL and Capability.LOCAL_OPERATIONS not in self.offers:
            kind = OperationKind.DESTROY
        self._call(self.callers[who % len(self.callers)], kind, key, where, waits=waits)

    @rule(
        which=st.integers(0, 1),
        what=st.sampled_from(WHATS),
        policy=st.sampled_from(("none", "keys_values")),
        durable=st.booleans(),
    )
    def register(self, which: int, what: tuple[str, str], policy: str, durable: bool) -> None:
        """A client registers for keys, durably or not, while nothing else happens."""
        name = self._named(which)
        if self.life[name].runs:
            self.settle_now()
            self._register(name, what, policy, durable=durable and what == WHATS[0])

    @rule(which=st.integers(0, 1))
    def ready(self, which: int) -> None:
        """A client is ready for events, with or without operations under way."""
        self._become_ready(self._named(which))

    def _become_ready(self, name: str) -> None:
        life = self.life[name]
        if life.runs and not life.is_ready:
            life.is_ready = True
            self._live(name, FaultKind.CLIENT_READY)

    @rule(which=st.integers(0, 1), how=_GOES)
    def go(self, which: int, how: FaultKind) -> None:
        """A client closes, with keep-alive or without, or crashes."""
        name = self._named(which)
        if self.life[name].runs and self.life[name].lives < MOST_LIVES:
            self._go(name, how)

    def _go(self, name: str, how: FaultKind) -> None:
        meanwhile = self._meanwhile(name, how)
        self.life[name].runs = self.life[name].is_ready = False
        self._live(name, how, meanwhile=meanwhile)

    @rule(which=st.integers(0, 1), registers=st.sampled_from((True, True, False)))
    def come_back(self, which: int, registers: bool) -> None:
        """Another process runs under the same id, and mostly registers as before."""
        name = self._named(which)
        if not self.life[name].runs:
            self._come_back(name, registers=registers)

    def _come_back(self, name: str, *, registers: bool) -> None:
        meanwhile = self._meanwhile(name, FaultKind.CLIENT_START)
        self.life[name].runs = True
        self.life[name].lives += 1
        self._live(name, FaultKind.CLIENT_START, meanwhile=meanwhile)
        if registers and not meanwhile:
            self._register(name, WHATS[0], "none", durable=True)

    @rule(
        which=st.integers(0, 1),
        how=_GOES,
        calls=_CALLS,
        milliseconds=st.sampled_from((0, 0, TIMEOUT_MS // 2, TIMEOUT_MS * 2)),
        registers=st.sampled_from((True, True, False)),
        behind=st.integers(0, 2),
        dies=st.sampled_from((0, 0, 0, 1, 2)),
        many=st.integers(MOST_KEPT // 2, MOST_KEPT),
        stands=st.booleans(),
    )
    def miss(
        self,
        which: int,
        how: FaultKind,
        calls: list[tuple[int, OperationKind, str, int]],
        milliseconds: int,
        registers: bool,
        behind: int,
        dies: int,
        many: int,
        stands: bool,
    ) -> None:
        """A client is away while others write, and returns; a server may die, or time pass, meanwhile.

        Where clients go at any time, an event may stand in its listener then, and others behind it.
        """
        name = self._named(which)
        if not self.life[name].runs or self.life[name].lives >= MOST_LIVES:
            return
        if stands and self.is_concurrent and self._stand(name):
            how = FaultKind.CLIENT_CRASH
        if self.is_concurrent:
            for who, kind, key, where in calls[:behind]:
                self.call(who, kind, key, where, waits=False)
        self._go(name, how)
        for who, kind, key, where in calls[behind:]:
            self.call(who, kind, key, where, waits=True)
        if self.is_large:
            self.is_large = False
            self._write_many(many)
        if milliseconds and self.time_is_held:
            self.leap(milliseconds)
        may_die = len(self.clients[0].servers) > 1 and Capability.MEMBER_FAULTS in self.offers
        if dies and not self.dead and may_die:
            self.kill(dies - 1)
        self._come_back(name, registers=registers)
        for who, kind, key, where in calls[:behind]:
            self.call(who, kind, key, where, waits=True)
        self._become_ready(name)
        self.call(0, OperationKind.PUT, KEYS[0], where=0, waits=False)

    def _stand(self, name: str) -> bool:
        """Whether an event comes to stand in the listener of a client: one that is ready, and that can."""
        if not self.life[name].is_ready or Capability.LISTENER_GATES not in self.offers:
            return False
        self.make_room()
        if any(holder == name for holder, _ in self.parked.values()):
            return True
        self.park(self.operation(self.living[0], OperationKind.PUT, KEYS[0]), name)
        return True

    def _write_many(self, many: int) -> None:
        """So many operations of members in turn, each returned before the next is called."""
        self.settle_now()
        for at in range(many):
            kind = OperationKind.PUT if at % 5 else OperationKind.DESTROY
            caller = self.living[at % len(self.living)]
            operation = self.operation(caller, kind, KEYS[at // 2 % len(KEYS)])
            self.steps.append(Do(operation))
        self.settle_now()

    @rule(which=st.integers(0, 1))
    @precondition(lambda self: not self.dead and len(self.clients[0].servers) > 1)
    @precondition(lambda self: Capability.MEMBER_FAULTS in self.offers)
    def kill(self, which: int) -> None:
        """One of two servers dies, all being settled."""
        self.settle_now()
        self.dead.add(SERVERS[which])
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=SERVERS[which])))

    @rule(milliseconds=st.sampled_from((10_000, TIMEOUT_MS // 2, TIMEOUT_MS * 2)))
    @precondition(lambda self: self.time_is_held)
    def leap(self, milliseconds: int) -> None:
        """Time passes where it is held, perhaps more than servers wait for an absent client.

        A candidate that holds clocks alone may remember by real time what its clients were sent.
        """
        if Capability.VIRTUAL_TIME not in self.offers and self.passed_ms + milliseconds > SOON_MS:
            return
        self.passed_ms += milliseconds
        self.settle_now()
        self.steps.append(Inject(Fault(kind=FaultKind.TIME_LEAP, milliseconds=milliseconds)))

    def teardown(self) -> None:
        """Have each client back and ready in the end, so that what was kept for it shows."""
        for name, life in self.life.items() if self.steps else ():
            if life.runs and (life.lives == 1 or self.is_large):
                self._go(name, FaultKind.CLIENT_DETACH)
                self.call(who=0, kind=OperationKind.PUT, key=KEYS[0], where=0, waits=True)
            if not life.runs and self.is_large:
                self.is_large = False
                self._write_many(MOST_KEPT)
            if not life.runs:
                self._come_back(name, registers=True)
            self._become_ready(name)
            self.settle_now()
        super().teardown()


def has_come_back(history: History) -> bool:
    """Whether a client began another life."""
    return any(
        isinstance(what, FaultDone) and what.fault.kind is FaultKind.CLIENT_START for what in history.timeline
    )


DURABLE_MACHINES = (
    Machine(
        name="durable_clients",
        requirements=(
            "DUR-READY-01",
            "DUR-DISC-02",
            "DUR-DISC-03",
            "DUR-DISC-04",
            "DUR-DISC-06",
            "DUR-CRASH-01",
            "DUR-REPLAY-01",
            "DUR-REPLAY-03",
            "DUR-REPLAY-04",
            "DUR-REPLAY-05",
            "DUR-REPLAY-06",
            "DUR-REPLAY-07",
            "DUR-MARKER-01",
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.CLIENTS, Capability.DURABLE_CLIENTS),
        draws=DurableMachine,
        counts=has_come_back,
    ),
)
"""The machine of durable clients."""
