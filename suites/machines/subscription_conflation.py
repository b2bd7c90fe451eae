"""The state machine of clients whose subscription conflates: updates of few keys gather in their queues.

An extension. A client stands in its listener, or is away, so that several updates wait together. A server may
die with what it has queued. Little is drawn at once: any update that waits may have been sent, or have made
way, and the search has to try both.
"""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called
from plumbline.reference.history.operations import (
    STORES_VALUE,
    Client,
    Interest,
    Operation,
    OperationKind,
    RegionAttributes,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.registration_actions import Register
from plumbline.suites.machines.clients import ClientMachine
from plumbline.suites.machines.drawing import REGION, Machine

KEYS = ("x", "y")
OTHER = "other"
MOST_GATHERED = 3
"""So many times something gathers in a client's queue."""

K = Client(name="K", servers=("B",), conflate=True)
BESIDE = Client(name="L", servers=("B",))
"""A client of the same server, whose queue does not conflate."""

SECURED = Client(name="K", servers=("B", "C"), redundancy=1, conflate=True)

_KINDS = st.sampled_from(
    (*(OperationKind.PUT,) * 4, OperationKind.DESTROY, OperationKind.INVALIDATE, OperationKind.CREATE)
)
_WRITTEN = st.lists(
    st.tuples(st.integers(0, 1), _KINDS, st.sampled_from(KEYS), st.sampled_from((0, 0, 1))),
    min_size=2,
    max_size=4,
)


class SubscriptionConflationMachine(ClientMachine):
    """One client that conflates: alone, beside another one, with a secondary, or durable."""

    def __init__(self) -> None:
        super().__init__()
        self.clients = (K,)
        self.dead = False
        self.gathered = 0
        self.is_durable = False

    @property
    def living(self) -> tuple[str, ...]:
        """The members that live."""
        return tuple(member for member in self.members if not (self.dead and member == "B"))

    def plan(self) -> Plan:
        """The plan so far, with the second region where it is used."""
        planned = super().plan()
        used = {step.operation.region for step in self.steps if isinstance(step, Do | Start)}
        regions = (RegionAttributes(name=REGION), RegionAttributes(name=OTHER))
        return msgspec.structs.replace(planned, regions=regions[: 1 + (OTHER in used)])

    @initialize(shape=st.sampled_from(("alone", "beside", "secured", "durable", "durable and secured")))
    def begin(self, shape: str) -> None:
        """Choose who is there before anything is called."""
        self.is_durable = "durable" in shape and Capability.DURABLE_CLIENTS in self.offers
        self.clients = (SECURED if "secured" in shape else K, *((BESIDE,) if shape == "beside" else ()))
        if self.is_durable:
            self.clients = (msgspec.structs.replace(self.clients[0], durable_id="k"),)
            self.registers = False
        for key in KEYS:
            self.steps.append(Do(self.operation("A", OperationKind.PUT, key)))
        if self.is_durable:
            self._registers(None)
            self._live(FaultKind.CLIENT_READY)
        self.settle_now()

    def _live(self, kind: FaultKind) -> None:
        self.steps.append(Inject(Fault(kind=kind, client="K")))

    def _registers(self, policy: str | None) -> None:
        self.steps.append(Register(Interest(client="K", region=REGION, policy=policy, durable=True)))

    def _write(self, written: list[tuple[int, OperationKind, str, int]]) -> None:
        for who, kind, key, where in written:
            caller = self.living[who % len(self.living)]
            operation: Operation = self.operation(caller, kind, key)
            second = where and not self.is_durable
            operation = msgspec.structs.replace(operation, region=OTHER if second else REGION)
            if self.parked:
                self.start(operation)
            else:
                self.steps.append(Do(operation))

    @rule(written=_WRITTEN, which=st.integers(0, 1), kills=st.sampled_from((False, False, True)))
    @precondition(lambda self: self.gathered < MOST_GATHERED)
    def gather(self, written: list[tuple[int, OperationKind, str, int]], which: int, kills: bool) -> None:
        """Several changes wait for a client that stands in its listener, or is away."""
        self.gathered += 1
        self.settle_now()
        if self.is_durable:
            self._live((FaultKind.CLIENT_DETACH, FaultKind.CLIENT_CRASH)[which])
        elif Capability.LISTENER_GATES in self.offers:
            client = self.clients[which % len(self.clients)].name
            operation = self.operation("A", OperationKind.PUT, "z")
            self.started.append(operation.op_id)
            self.park(operation, client)
        self._write(written)
        if kills and not self.dead and len(self.clients[0].servers) > 1 and self._may_kill():
            self.dead = True
            self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member="B")))
        if self.is_durable:
            self._live(FaultKind.CLIENT_START)
            self._registers("none")
            self._live(FaultKind.CLIENT_READY)
        self.settle_now()

    def _may_kill(self) -> bool:
        return Capability.MEMBER_FAULTS in self.offers

    @rule(who=st.integers(0, 1), kind=_KINDS, key=st.sampled_from(KEYS))
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation of a member, waited for; the client takes it at any time."""
        self.make_room()
        self._write([(who, kind, key, 0)])

    def teardown(self) -> None:
        """Have something gather in any case."""
        if self.steps and not self.gathered:
            put = OperationKind.PUT
            self.gather([(0, put, KEYS[0], 0), (1, put, KEYS[0], 0)], 0, kills=False)
        super().teardown()


def some_update_waits_for_a_client(history: History) -> bool:
    """Whether some entry is written twice, so that an update may make way for a later one."""
    seen: set[tuple[str, str | None]] = set()
    for what in history.timeline:
        if isinstance(what, Called) and what.operation.kind in STORES_VALUE:
            entry = (what.operation.region, what.operation.key)
            if entry in seen:
                return True
            seen.add(entry)
    return False


SUBSCRIPTION_CONFLATION_MACHINES = (
    Machine(
        name="subscription_conflation",
        requirements=tuple(f"EXT-SUBCONF-0{number}" for number in range(1, 8)),
        needs=(Capability.REPLICATED_REGIONS, Capability.CLIENTS, Capability.SUBSCRIPTION_CONFLATION),
        draws=SubscriptionConflationMachine,
        counts=some_update_waits_for_a_client,
        most_rules=6,
    ),
)
"""The machine of clients that conflate."""
