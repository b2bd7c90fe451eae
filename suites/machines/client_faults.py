"""State machines of clients without a server for a while, and of clients whose answers are lost.

Their plans are small: hardly anything is claimed of clients that start anew, and nothing at all from the
first lost answer on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Await, Inject
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, FaultBegun, FaultDone
from plumbline.reference.history.operations import Client, OperationKind, RegionAttributes
from plumbline.suites.machines.clients import KEYS, CallingMachine, ClientMachine
from plumbline.suites.machines.drawing import REGION, WRITES, Machine

SERVERS = ("B", "C")
MOST_RESTARTS = 2
MOST_AFTERWARDS = 8
"""So many operations are called at most from the first lost answer on."""


class ClientRestartsMachine(CallingMachine):
    """Both servers of a client are killed, one after the other or at once, and started again."""

    def __init__(self) -> None:
        super().__init__()
        self.clients = (Client(name="K", servers=SERVERS),)
        self.dead: tuple[str, ...] = ()
        self.restarts = 0

    @property
    def living(self) -> tuple[str, ...]:
        """The members that live."""
        return tuple(member for member in self.members if member not in self.dead)

    @property
    def may_be_secured(self) -> bool:
        """Whether a restarted server may keep the client's queue, whose content no document says."""
        return bool(self.restarts and self.clients[0].redundancy)

    @initialize(checks=st.sampled_from((None, None, False)), redundancy=st.sampled_from((0, 1)))
    def begin(self, checks: bool | None, redundancy: int) -> None:
        """Choose how the client is secured before anything is called."""
        checks = checks if Capability.CHECKS_SETTING in self.offers else None
        self.region = RegionAttributes(name=REGION, checks=checks)
        self.clients = (Client(name="K", servers=SERVERS, redundancy=redundancy, checks=checks),)

    @rule(key=st.sampled_from(KEYS))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    @precondition(lambda self: len(self.dead) < len(SERVERS))
    def stand_still(self, key: str) -> None:
        """The client stands in its listener until everything settles, even if its servers fail."""
        self.settle_now()
        operation = self.operation("A", OperationKind.PUT, key)
        self.started.append(operation.op_id)
        self.park(operation, "K")

    @rule(which=st.integers(0, 1))
    @precondition(lambda self: self.writes and len(self.dead) < len(SERVERS) and not self.may_be_secured)
    def kill(self, which: int) -> None:
        """A server is killed, with or without operations under way; events of the last server may be lost."""
        left = [server for server in SERVERS if server not in self.dead]
        victim = left[which % len(left)]
        self.dead = (*self.dead, victim)
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=victim)))

    @rule(which=st.integers(0, 1))
    @precondition(lambda self: len(self.dead) == len(SERVERS) and self.restarts < MOST_RESTARTS)
    def restart(self, which: int) -> None:
        """A server is started again, all being settled."""
        self.settle_now()
        back = self.dead[which % len(self.dead)]
        self.restarts += 1
        self.dead = tuple(server for server in self.dead if server != back)
        self.steps.append(Inject(Fault(kind=FaultKind.RESTART, member=back)))

    def teardown(self) -> None:
        """Have a server found in any case, and something told behind that."""
        if self.steps:
            while not self.restarts and len(self.dead) < len(SERVERS):
                self.kill(0)
            if len(self.dead) == len(SERVERS):
                self.restart(0)
            self.settle_now()
            self.start(self.operation("A", OperationKind.PUT, KEYS[0]))
        super().teardown()


def has_found_a_server(history: History) -> bool:
    """Whether no server of a client lived, and the client received what was called once one did again."""
    told = {(holder, shown.event.token) for holder, log in history.logs.items() for shown in log}
    return any(
        (client.name, token) in told
        for client in history.clients
        for token in _called_after_all_had_died(history, client)
    )


def _called_after_all_had_died(history: History, client: Client) -> Iterator[str | None]:
    dead: set[str] = set()
    alone = served_again = False
    for what in history.timeline:
        match what:
            case FaultDone(_, fault) if fault.kind is FaultKind.CRASH:
                dead.add(fault.member)
                alone |= dead.issuperset(client.servers)
            case FaultDone(_, fault) if fault.kind is FaultKind.RESTART:
                dead.discard(fault.member)
                served_again |= alone and fault.member in client.servers
            case Called(operation) if served_again:
                yield operation.token


class ClientAttemptsMachine(ClientMachine):
    """What a client's server answers is lost for a while, so that the client tries again."""

    heard_by: ClassVar[tuple[str, ...]] = ("A", "B", "C", "L")

    def __init__(self) -> None:
        super().__init__()
        self.afterwards: int | None = None
        self.lost: Fault | None = None
        self.in_vain = False

    @initialize(checks=st.sampled_from((None, None, False)), servers=st.sampled_from((("B",), SERVERS)))
    def begin(self, checks: bool | None, servers: tuple[str, ...]) -> None:
        """Choose where the client may try again before anything is called; another one only listens."""
        checks = checks if Capability.CHECKS_SETTING in self.offers else None
        self.region = RegionAttributes(name=REGION, checks=checks)
        self.clients = (
            Client(name="K", servers=servers, checks=checks),
            Client(name="L", servers=("C",), checks=checks),
        )

    @property
    def may_call(self) -> bool:
        """Whether there may be one more operation: only few from the first lost answer on."""
        return self.afterwards is None or self.afterwards < MOST_AFTERWARDS

    @rule(
        who=st.integers(0, 2), kind=st.sampled_from((OperationKind.PUT, *WRITES)), key=st.sampled_from(KEYS)
    )
    @precondition(lambda self: self.may_call)
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation of a member; only puts while answers are lost."""
        self.call_one(self.members[who], kind if self.lost is None else OperationKind.PUT, key)

    def call_one(self, caller: str, kind: OperationKind, key: str) -> int:
        """Call an operation and go on; its number."""
        self.make_room()
        if self.afterwards is not None:
            self.afterwards += 1
        operation = self.operation(caller, kind, key)
        self.start(operation)
        return operation.op_id

    @rule()
    @precondition(lambda self: self.steps and self.afterwards is None)
    def lose(self) -> None:
        """The answers of the client's first server are lost from here on."""
        self.settle_now()
        self.afterwards = 0
        self.lost = Fault(kind=FaultKind.ANSWERS_LOST, client="K", member="B")
        self.steps.append(Inject(self.lost))

    @rule(key=st.sampled_from(KEYS), by=st.sampled_from(heard_by))
    @precondition(lambda self: self.lost is not None and self.may_call)
    def call_in_vain(self, key: str, by: str) -> None:
        """The client puts, its answer is lost, and another member or client receives the event."""
        op_id = self.call_one("K", OperationKind.PUT, key)
        self.in_vain |= self.lost is not None
        self.steps.append(Await(op_id, by))

    @rule()
    @precondition(lambda self: self.lost is not None)
    def answer_again(self) -> None:
        """No answers are lost any more."""
        assert self.lost is not None
        self.steps.append(Inject(Fault(kind=FaultKind.ANSWERS_BACK, client="K", member="B")))
        self.lost = None

    def settle_now(self) -> None:
        """Settle; a client that is not answered does not come to rest."""
        if self.lost is not None:
            self.answer_again()
        super().settle_now()

    def teardown(self) -> None:
        """Have some answer lost in any case."""
        if self.steps:
            if not self.in_vain:
                if self.lost is None:
                    self.lose()
                self.call_in_vain(KEYS[0], "L")
            self.settle_now()
        super().teardown()


def an_answer_was_lost(history: History) -> bool:
    """Whether another member or client received a client's put while its answers were lost."""
    puts: dict[str, list[str | None]] = {}
    for moment, what in enumerate(history.timeline):
        match what:
            case FaultDone(_, fault) if fault.kind is FaultKind.ANSWERS_LOST:
                puts[fault.client] = []
            case FaultBegun(_, fault) if fault.kind is FaultKind.ANSWERS_BACK:
                if any(
                    _told_by(history, fault.client, token, moment) for token in puts.pop(fault.client, ())
                ):
                    return True
            case Called(operation) if operation.member in puts:
                puts[operation.member].append(operation.token)
    return False


def _told_by(history: History, client: str, token: str | None, moment: int) -> bool:
    return any(
        shown.event.token == token and shown.before <= moment
        for holder, log in history.logs.items()
        if holder != client
        for shown in log
    )


CLIENT_FAULT_MACHINES = (
    Machine(
        name="client_restarts",
        requirements=(
            *("FO-NONHA-01", "FO-NONHA-02", "FO-NONHA-03", "FO-NONHA-08", "FO-NONHA-09"),
            "FO-AUTO-01",
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.CLIENTS, Capability.MEMBER_FAULTS),
        draws=ClientRestartsMachine,
        counts=has_found_a_server,
    ),
    Machine(
        name="client_attempts",
        requirements=("TRK-HIGH-01",),
        needs=(Capability.REPLICATED_REGIONS, Capability.CLIENTS, Capability.LINK_FAULTS),
        draws=ClientAttemptsMachine,
        counts=an_answer_was_lost,
    ),
)
"""The machines of clients whose servers fail them."""
