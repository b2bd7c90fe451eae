"""State machines of clients: what they call, register for and are sent; and what follows a killed server.

They keep what is under way between two settle points small: less is claimed of clients than of members, so
that the search has to try more orders.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Finish, Inject, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, FaultBegun, FaultDone
from plumbline.reference.history.operations import (
    Client,
    Interest,
    Operation,
    OperationKind,
    RegionAttributes,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.registration_actions import Register
from plumbline.suites.machines.drawing import REGION, WRITES, Machine, PlanMachine

KEYS = ("x", "y")
FROM_CLIENTS = (OperationKind.PUT, OperationKind.PUT, OperationKind.DESTROY, OperationKind.INVALIDATE)
MOST_WRITES = 4
"""So many writes are under way at most between two settle points."""

WHATS = (("all", ""), ("key", "x"), ("list", "x\ny"), ("regex", "x|z"), ("regex", "y.*"))
"""What clients register for: kind and specification."""

K, L = Client(name="K", servers=("B",)), Client(name="L", servers=("C",))


class ClientMachine(PlanMachine):
    """What machines of clients share."""

    def __init__(self) -> None:
        super().__init__()
        self.clients: tuple[Client, ...] = (K,)
        self.registers = True
        self.started: list[int] = []

    @property
    def living(self) -> tuple[str, ...]:
        """The members that live."""
        return self.members

    @property
    def calling_clients(self) -> tuple[str, ...]:
        """The clients that do not only listen: those of one server."""
        return tuple(client.name for client in self.clients if len(client.servers) == 1)

    def plan(self) -> Plan:
        """The plan so far."""
        return msgspec.structs.replace(super().plan(), clients=self.clients, registers=self.registers)

    def crowded(self, key: str) -> bool:
        """Whether enough writes are under way between two settle points."""
        del key
        return sum(self.writes.values()) >= MOST_WRITES

    def make_room(self) -> None:
        """Settle where enough is under way."""
        if self.crowded(""):
            self.settle_now()

    def start(self, operation: Operation) -> None:
        """Call an operation and go on."""
        self.busy.add(operation.thread)
        self.started.append(operation.op_id)
        self.steps.append(Start(operation))

    def settle_now(self) -> None:
        """Settle, and have returned what was called: some things are asked for only then."""
        super().settle_now()
        self.steps.extend(map(Finish, self.started))
        self.started.clear()

    @rule()
    @precondition(lambda self: bool(self.steps))
    def settle(self) -> None:
        """Everything comes to rest and is looked at."""
        self.settle_now()


class CallingMachine(ClientMachine):
    """One of them whose members and clients call anything at any time."""

    @rule(
        who=st.integers(0, 3),
        of_client=st.booleans(),
        kind=st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES)),
        key=st.sampled_from(KEYS),
        waits=st.booleans(),
    )
    def call(self, who: int, of_client: bool, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation, waited for or not."""
        self.make_room()
        callers = self.calling_clients if of_client and self.calling_clients else self.living
        caller = callers[who % len(callers)]
        if caller not in self.members and kind not in FROM_CLIENTS:
            kind = OperationKind.PUT
        operation = self.operation(caller, kind, key)
        if waits and not self.parked:
            self.steps.append(Do(operation))
        else:
            self.start(operation)


class ClientPipelineMachine(CallingMachine):
    """Clients of two servers call, register, read, and are sent what others call."""

    @initialize(
        checks=st.sampled_from((None, None, False)),
        registers=st.booleans(),
        clients=st.sampled_from(((K,), (K, L))),
    )
    def begin(self, checks: bool | None, registers: bool, clients: tuple[Client, ...]) -> None:
        """Choose who is there before anything is called."""
        if Capability.CHECKS_SETTING in self.offers:
            self.region = RegionAttributes(name=REGION, checks=checks)
        self.registers, self.clients = registers, clients

    @rule(
        which=st.integers(0, 1),
        what=st.sampled_from(WHATS),
        policy=st.sampled_from((None, "none", "keys", "keys_values")),
        receive_values=st.sampled_from((True, True, False)),
        withdraws=st.sampled_from((False, False, False, True)),
    )
    def register(
        self,
        which: int,
        what: tuple[str, str],
        policy: str | None,
        receive_values: bool,
        withdraws: bool,
    ) -> None:
        """A client registers for keys, or withdraws that, while nothing else happens."""
        self.settle_now()
        kind, specification = what
        interest = Interest(
            client=self.clients[which % len(self.clients)].name,
            region=REGION,
            kind=kind,
            specification=specification,
            policy=policy,
            receive_values=receive_values,
            register=not withdraws,
        )
        self.steps.append(Register(interest))

    @rule(which=st.integers(0, 1), key=st.sampled_from(KEYS))
    def get(self, which: int, key: str) -> None:
        """A client gets a key once everything has come to rest."""
        self.settle_now()
        client = self.clients[which % len(self.clients)].name
        self.steps.append(Do(self.operation(client, OperationKind.GET, key)))


class ClientFailoverMachine(CallingMachine):
    """The primary of a client with a secondary is killed while the client stands still, or at any time."""

    killed: ClassVar[str] = "B"

    def __init__(self) -> None:
        super().__init__()
        self.clients = (Client(name="K", servers=("B", "C"), redundancy=1),)
        self.dead = False

    @property
    def living(self) -> tuple[str, ...]:
        """The members that live."""
        return tuple(member for member in self.members if not (self.dead and member == self.killed))

    @initialize(checks=st.sampled_from((None, False, False)))
    def begin(self, checks: bool | None) -> None:
        """Choose whether copies are checked before anything is called."""
        if Capability.CHECKS_SETTING in self.offers:
            self.region = RegionAttributes(name=REGION, checks=checks)
            self.clients = (msgspec.structs.replace(self.clients[0], checks=checks),)

    @rule(key=st.sampled_from(KEYS))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked and not self.dead)
    def stand_still(self, key: str) -> None:
        """The client stands in its listener, and all else that it is sent waits behind that."""
        self.settle_now()
        operation = self.operation("A", OperationKind.PUT, key)
        self.started.append(operation.op_id)
        self.park(operation, "K")

    @rule()
    @precondition(lambda self: not self.dead and self.is_behind())
    def kill(self) -> None:
        """The client's server is killed while events are under way."""
        self.dead = True
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=self.killed)))

    def is_behind(self) -> bool:
        """Whether something waits behind what the client stands still for, as far as it can be held."""
        held = Capability.LISTENER_GATES not in self.offers or bool(self.parked)
        return held and sum(self.writes.values()) > 1

    def teardown(self) -> None:
        """Have the server killed in any case."""
        if self.steps and not self.dead:
            self.settle_now()
            if Capability.LISTENER_GATES in self.offers:
                self.stand_still(KEYS[0])
            for key in KEYS:
                self.start(self.operation("A", OperationKind.PUT, key))
            self.kill()
        super().teardown()


def failover_has_bitten(history: History) -> bool:
    """Whether some event was under way when the server was killed: its client received it afterwards."""
    begun = next((at for at, what in enumerate(history.timeline) if isinstance(what, FaultBegun)), None)
    done = next((at for at, what in enumerate(history.timeline) if isinstance(what, FaultDone)), None)
    if begun is None or done is None:
        return False
    called = {what.operation.token for what in history.timeline[:begun] if isinstance(what, Called)}
    clients = {client.name for client in history.clients}
    return any(
        shown.event.token in called and shown.before > done
        for holder, log in history.logs.items()
        if holder in clients
        for shown in log
    )


CLIENT_MACHINES = (
    Machine(
        name="client_pipeline",
        requirements=(
            "C2S-OPS-01",
            "C2S-OPS-02",
            "C2S-OPS-03",
            "C2S-PROP-01",
            "C2S-PROP-02",
            "C2S-PROP-05",
            "S2C-INT-01",
            "S2C-RECV-01",
            "S2C-RECV-02",
            "S2C-RECV-03",
            "S2C-RECV-04",
            "S2C-RECV-05",
            "S2C-OPS-01",
            "S2C-OPS-02",
            "S2C-OPS-07",
            "TRK-ONCE-01",
            "TRK-ORDER-01",
            "INT-CLEAR-01",
            "INT-CLEAR-02",
            "INT-CLEAR-03",
            "INT-REG-01",
            "INT-REG-02",
            "INT-BULK-01",
            "INT-POLICY-01",
            "INT-POLICY-02",
            "INT-POLICY-04",
            "INT-NOEVT-01",
            "INT-UNION-01",
            "INT-UNION-02",
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.CLIENTS),
        draws=ClientPipelineMachine,
    ),
    Machine(
        name="client_failover",
        requirements=(
            "FO-HA-01",
            "FO-HA-02",
            "FO-HA-03",
            "FO-HA-04",
            "FO-HA-05",
            "FO-AUTO-01",
            "FO-NONHA-01",
            "TRK-ID-01",
            "TRK-DUP-01",
            "TRK-DUP-02",
            "TRK-ORDER-01",
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.CLIENTS, Capability.MEMBER_FAULTS),
        draws=ClientFailoverMachine,
        counts=failover_has_bitten,
    ),
)
"""The machines of clients."""
