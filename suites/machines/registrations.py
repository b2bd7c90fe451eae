"""The state machine of registrations under way: their answers are held while all else goes on (001; 003).

Clients begin up to two registrations at a time. Meanwhile members and clients call operations, a server may
die, held time passes, and a durable client crashes and comes back, also while others call.
"""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject, Park, Release
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import ANSWER, Called
from plumbline.reference.history.operations import LOCAL, Client, Interest, OperationKind, RegionAttributes
from plumbline.reference.history.registration_actions import (
    BeginRegistration,
    EndRegistration,
    ReleaseAnswer,
)
from plumbline.reference.history.registration_moments import RegistrationBegun, RegistrationEnded
from plumbline.suites.machines.clients import KEYS, WHATS, ClientMachine, K, L
from plumbline.suites.machines.drawing import REGION, WRITES, Machine

MOST_AT_ONCE = 2
SERVERS = ("B", "C")
CLIENTS: tuple[tuple[Client, ...], ...] = (
    (K,),
    (K, L),
    (Client(name="K", servers=SERVERS),),
    (Client(name="K", servers=SERVERS, redundancy=1), L),
    (Client(name="K", servers=(*SERVERS, "D"), redundancy=1),),
    (Client(name="K", servers=("B",), durable_id="k"), L),
    (Client(name="K", servers=SERVERS, redundancy=1, durable_id="k"),),
)
"""Who registers: clients of one server call, too; those of several may lose one."""
OF_CLIENT = (
    OperationKind.PUT,
    OperationKind.DESTROY,
    OperationKind.GET,
    OperationKind.INVALIDATE,
    OperationKind.CREATE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.REPLACE,
    OperationKind.CONTAINS_KEY,
    OperationKind.LOCAL_DESTROY,
    OperationKind.LOCAL_INVALIDATE,
)


class RegistrationMachine(ClientMachine):
    """Clients that register while members and clients call anything, and while servers die."""

    def __init__(self) -> None:
        super().__init__()
        self.registers = False
        self.pending: list[tuple[int, str]] = []
        self.gets: list[tuple[int, str]] = []
        self.dead: tuple[str, ...] = ()
        self.met = self.time_is_held = self.is_away = self.is_ready = self.in_turn = False

    @property
    def living(self) -> tuple[str, ...]:
        """The members that live."""
        return tuple(member for member in self.members if member not in self.dead)

    @property
    def mortal(self) -> tuple[str, ...]:
        """The servers that may die: each client of theirs has another one."""
        alone = {client.server for client in self.clients if len(client.servers) == 1}
        left = [one for client in self.clients for one in client.servers if one in self.living]
        return tuple(one for one in left if one not in alone) if len(left) > 1 else ()

    @property
    def is_durable(self) -> bool:
        """Whether the first client may go and come back."""
        return self.clients[0].durable_id is not None

    @property
    def running(self) -> tuple[Client, ...]:
        """The clients that run."""
        return self.clients[1:] if self.is_away else self.clients

    @property
    def calling_clients(self) -> tuple[str, ...]:
        """The clients that call: those of one server that run."""
        return tuple(client.name for client in self.running if len(client.servers) == 1)

    @initialize(
        clients=st.sampled_from(CLIENTS),
        checks=st.sampled_from((None, None, False)),
        earlier=st.booleans(),
        held=st.booleans(),
        in_turn=st.booleans(),
    )
    def begin(
        self, clients: tuple[Client, ...], checks: bool | None, earlier: bool, held: bool, in_turn: bool
    ) -> None:
        """Choose who registers, how copies are checked, whether time is held.

        Some candidates send what a client registers for in turn, and refuse the next while one is held.
        """
        self.in_turn = in_turn
        self.members = tuple("ABCD") if any("D" in client.servers for client in clients) else self.members
        checks = checks if Capability.CHECKS_SETTING in self.offers else None
        self.region = RegionAttributes(name=REGION, checks=checks)
        durable = Capability.DURABLE_CLIENTS in self.offers
        self.clients = tuple(
            msgspec.structs.replace(client, checks=checks, durable_id=client.durable_id if durable else None)
            for client in clients
        )
        self.registers = earlier
        if held and Capability.VIRTUAL_TIME in self.offers:
            self.time_is_held = True
            self.steps.append(Inject(Fault(kind=FaultKind.HOLD_TIME)))
        self.steps += [Do(self.operation("A", OperationKind.PUT, key)) for key in KEYS]

    @rule(
        who=st.integers(0, 3),
        kind=st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES)),
        key=st.sampled_from(KEYS),
        waits=st.booleans(),
    )
    def call(self, who: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation of a member, waited for or not."""
        self._put_in(self.living[who % len(self.living)], kind, key, waits=waits)

    @rule(
        which=st.integers(0, 1),
        kind=st.sampled_from(OF_CLIENT),
        key=st.sampled_from(KEYS),
        waits=st.booleans(),
    )
    @precondition(lambda self: bool(self.calling_clients))
    def call_at_client(self, which: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation of a client, waited for or not."""
        if kind in LOCAL and Capability.LOCAL_OPERATIONS not in self.offers:
            kind = OperationKind.DESTROY
        self._put_in(self.calling_clients[which % len(self.calling_clients)], kind, key, waits=waits)

    def _put_in(self, caller: str, kind: OperationKind, key: str, *, waits: bool) -> None:
        self.make_room()
        self.met |= bool(self.pending)
        operation = self.operation(caller, kind, key)
        if waits:
            self.steps.append(Do(operation))
        else:
            self.start(operation)

    @rule(
        which=st.integers(0, 1),
        what=st.sampled_from(WHATS),
        policy=st.sampled_from((None, "keys", "keys_values", "none")),
        durable=st.sampled_from((True, True, False)),
        held=st.sampled_from((True, True, False)),
    )
    @precondition(lambda self: len(self.pending) < MOST_AT_ONCE and bool(self.running))
    def register(
        self, which: int, what: tuple[str, str], policy: str | None, durable: bool, held: bool
    ) -> None:
        """A client begins to register; mostly the answer is held."""
        busy = {client for _, client in self.pending} if self.in_turn else set()
        free = [client.name for client in self.running if client.name not in busy]
        if not free:
            return
        self.make_room()
        self._count += 1
        kind, specification = what
        client = free[which % len(free)]
        lasts = durable and self.is_durable and (client, what) == ("K", WHATS[0])
        interest = Interest(
            client=client,
            region=REGION,
            kind=kind,
            specification=specification,
            policy="keys_values" if lasts else policy,
            durable=lasts,
        )
        self.steps.append(BeginRegistration(interest=interest, number=self._count, held=held))
        self.pending.append((self._count, client))

    @rule(which=st.integers(0, MOST_AT_ONCE - 1), waits=st.booleans())
    @precondition(lambda self: bool(self.pending))
    def answer(self, which: int, waits: bool) -> None:
        """An answer is let go; the end of the registration is waited for, or not."""
        number, client = self.pending.pop(which % len(self.pending))
        self.steps.append(ReleaseAnswer(number, client))
        if waits:
            self.steps.append(EndRegistration(number, client))

    @rule(key=st.sampled_from(KEYS), which=st.integers(0, 1))
    @precondition(lambda self: {Capability.HELD_GETS, Capability.LISTENER_GATES} <= self.offers)
    @precondition(lambda self: not self.gets and bool(self.calling_clients))
    def hold_get(self, key: str, which: int) -> None:
        """A client gets, and the answer is held on its way."""
        self.make_room()
        client = self.calling_clients[which % len(self.calling_clients)]
        operation = self.operation(client, OperationKind.GET, key)
        self.busy.add(operation.thread)
        self.gets.append((operation.op_id, client))
        self.steps.append(Park(operation, client, ANSWER))

    @rule()
    @precondition(lambda self: bool(self.gets))
    def let_get_go(self) -> None:
        """The answer of a get is let go."""
        self.steps += [Release(op_id, client, ANSWER) for op_id, client in self.gets]
        self.gets.clear()

    @rule(which=st.integers(0, 2))
    @precondition(lambda self: bool(self.mortal) and Capability.MEMBER_FAULTS in self.offers)
    def kill(self, which: int) -> None:
        """A server dies of a client that has another one, with or without calls under way."""
        victim = self.mortal[which % len(self.mortal)]
        self.dead = (*self.dead, victim)
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=victim)))

    @rule()
    @precondition(lambda self: self.is_durable and not self.is_away)
    def ready(self) -> None:
        """The durable client is ready for events."""
        if not self.is_ready:
            self.is_ready = True
            self.steps.append(Inject(Fault(kind=FaultKind.CLIENT_READY, client="K")))

    @rule(meanwhile=st.booleans())
    @precondition(lambda self: self.is_durable)
    def crash_or_return(self, meanwhile: bool) -> None:
        """The durable client crashes, with what it has begun to register; or another process comes for it.

        So it does at rest, or while others call. One with a secondary crashes only once it has registered:
        no document says which server comes first.
        """
        takes = not self.is_away and not self.clients[0].redundancy
        for number, client in [one for one in self.pending if not takes or one[1] != "K"]:
            self.pending.remove((number, client))
            self.steps += [ReleaseAnswer(number, client), EndRegistration(number, client)]
        calls = any(thread.startswith("K") for thread in self.busy)
        meanwhile = meanwhile and not calls and Capability.CONCURRENT_LIVES in self.offers
        if not meanwhile:
            self.settle_now()
        self.pending.clear()
        kind = FaultKind.CLIENT_START if self.is_away else FaultKind.CLIENT_CRASH
        self.is_away, self.is_ready = not self.is_away, False
        self.steps.append(Inject(Fault(kind=kind, client="K", meanwhile=meanwhile)))

    @rule(milliseconds=st.sampled_from((1_000, 10_000, 600_000)))
    @precondition(lambda self: self.time_is_held)
    def leap(self, milliseconds: int) -> None:
        """Time passes where it is held, with or without calls under way."""
        self.steps.append(Inject(Fault(kind=FaultKind.TIME_LEAP, milliseconds=milliseconds)))

    def settle_now(self) -> None:
        """Let the answers of gets go, and settle."""
        self.let_get_go()
        super().settle_now()

    def teardown(self) -> None:
        """A plan in which no registration met an operation gets one that does."""
        if self.steps and not self.met:
            if self.is_away:
                self.crash_or_return(meanwhile=False)
            if not self.pending:
                self.register(0, WHATS[0], "keys_values", durable=True, held=True)
            self.call(0, OperationKind.PUT, KEYS[0], waits=True)
        super().teardown()


def meets_an_operation(history: History) -> bool:
    """Whether anything was called while a registration was under way."""
    pending: set[int] = set()
    for what in history.timeline:
        match what:
            case RegistrationBegun(number):
                pending.add(number)
            case RegistrationEnded(number):
                pending.discard(number)
            case Called() if pending:
                return True
            case _:
                pass
    return False


REGISTRATION_MACHINES = (
    Machine(
        name="registrations_under_way",
        requirements=(
            "INT-MON-01",
            "RIR-PREC-01",
            "RIR-RULE-01",
            "RIR-RULE-02",
            "RIR-RULE-03",
            "RIR-RULE-04",
            "RIR-RACE-01",
            "CONS-CL-01",
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.CLIENTS, Capability.HELD_REGISTRATIONS),
        draws=RegistrationMachine,
        counts=meets_an_operation,
    ),
)
"""The machine of registrations under way."""
