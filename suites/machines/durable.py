"""The state machine of durable clients: lives that end and begin again, among writes and failures (003).

A client goes and comes back only at rest. It becomes ready at any time, so that it is sent what was kept
while others write.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject
from plumbline.reference.history.fault_kinds import CLIENT_GOES, Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import FaultDone
from plumbline.reference.history.operations import Client, Interest, OperationKind
from plumbline.reference.history.registration_actions import Register
from plumbline.suites.machines.clients import KEYS, WHATS, ClientMachine
from plumbline.suites.machines.drawing import REGION, WRITES, Machine

SERVERS = ("B", "C")
MOST_LIVES = 4
TIMEOUT_MS = 60_000

_KINDS = st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES))
_GOES = st.sampled_from(sorted(CLIENT_GOES, key=str))


class DurableMachine(ClientMachine):
    """One durable client, which goes and comes back, while members write and a server may die."""

    def __init__(self) -> None:
        super().__init__()
        self.registers = False
        self.dead: set[str] = set()
        self.lives, self.runs, self.is_ready = 1, True, False
        self.time_is_held = False

    @property
    def living(self) -> tuple[str, ...]:
        """The members that live."""
        return tuple(member for member in self.members if member not in self.dead)

    @initialize(
        secured=st.integers(0, 1),
        second=st.booleans(),
        held=st.booleans(),
        policy=st.sampled_from(("none", "keys_values")),
        durable=st.sampled_from((True, True, False)),
        is_ready=st.sampled_from((True, True, False)),
    )
    def begin(
        self, secured: int, second: bool, held: bool, policy: str, durable: bool, is_ready: bool
    ) -> None:
        """Choose how the client is secured, and whether time is held, before anything is called."""
        servers = SERVERS if secured or second else SERVERS[:1]
        timeout_s = TIMEOUT_MS // 1000
        self.clients = (
            Client(
                name="K", servers=servers, redundancy=secured, durable_id="k", durable_timeout_s=timeout_s
            ),
        )
        if held and Capability.VIRTUAL_TIME in self.offers:
            self.time_is_held = True
            self.steps.append(Inject(Fault(kind=FaultKind.HOLD_TIME)))
        self.steps.append(Do(self.operation("A", OperationKind.PUT, KEYS[0])))
        self._register(("all", ""), policy, durable=durable)
        if is_ready:
            self.ready()

    def _register(self, what: tuple[str, str], policy: str | None, *, durable: bool) -> None:
        kind, specification = what
        interest = Interest(
            client="K", region=REGION, kind=kind, specification=specification, policy=policy, durable=durable
        )
        self.steps.append(Register(interest))

    def _life(self, kind: FaultKind) -> None:
        self.steps.append(Inject(Fault(kind=kind, client="K")))

    @rule(
        who=st.integers(0, 2),
        kind=_KINDS,
        key=st.sampled_from(KEYS),
        waits=st.sampled_from((True, True, False)),
    )
    def call(self, who: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation of a member, waited for or not."""
        self.make_room()
        operation = self.operation(self.living[who % len(self.living)], kind, key)
        if waits:
            self.steps.append(Do(operation))
        else:
            self.start(operation)

    @rule(
        what=st.sampled_from(WHATS),
        policy=st.sampled_from(("none", "keys_values")),
        durable=st.sampled_from((True, False)),
    )
    @precondition(lambda self: self.runs)
    def register(self, what: tuple[str, str], policy: str, durable: bool) -> None:
        """The client registers for keys, durably or not, while nothing else happens."""
        self.settle_now()
        self._register(what, policy, durable=durable and what == WHATS[0])

    @rule()
    @precondition(lambda self: self.runs and not self.is_ready)
    def ready(self) -> None:
        """The client is ready for events, with or without operations under way."""
        self.is_ready = True
        self._life(FaultKind.CLIENT_READY)

    @rule(how=_GOES)
    @precondition(lambda self: self.runs and self.lives < MOST_LIVES)
    def go(self, how: FaultKind) -> None:
        """The client closes, with keep-alive or without, or crashes."""
        self.settle_now()
        self.runs = self.is_ready = False
        self._life(how)

    @rule(registers=st.sampled_from((True, True, False)))
    @precondition(lambda self: not self.runs)
    def come_back(self, registers: bool) -> None:
        """Another process runs under the same id, and mostly registers as before."""
        self.settle_now()
        self.runs = True
        self.lives += 1
        self._life(FaultKind.CLIENT_START)
        if registers:
            self._register(("all", ""), "none", durable=True)

    @rule(
        how=_GOES,
        calls=st.lists(st.tuples(st.integers(0, 2), _KINDS, st.sampled_from(KEYS)), min_size=1, max_size=4),
        milliseconds=st.sampled_from((0, 0, TIMEOUT_MS // 2, TIMEOUT_MS * 2)),
        registers=st.sampled_from((True, True, False)),
        behind=st.integers(0, 2),
        dies=st.sampled_from((0, 0, 0, 1, 2)),
    )
    @precondition(lambda self: self.runs and self.lives < MOST_LIVES)
    def miss(
        self,
        how: FaultKind,
        calls: list[tuple[int, OperationKind, str]],
        milliseconds: int,
        registers: bool,
        behind: int,
        dies: int,
    ) -> None:
        """The client is away while others write, and returns; a server may die, or time pass, meanwhile."""
        self.go(how)
        for who, kind, key in calls[behind:]:
            self.call(who, kind, key, waits=True)
        if milliseconds and self.time_is_held:
            self.leap(milliseconds)
        may_die = len(self.clients[0].servers) > 1 and Capability.MEMBER_FAULTS in self.offers
        if dies and not self.dead and may_die:
            self.kill(dies - 1)
        self.come_back(registers)
        for who, kind, key in calls[:behind]:
            self.call(who, kind, key, waits=True)
        self.ready()
        self.call(0, OperationKind.PUT, KEYS[0], waits=False)

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
        """Time passes where it is held, perhaps more than servers wait for an absent client."""
        self.settle_now()
        self.steps.append(Inject(Fault(kind=FaultKind.TIME_LEAP, milliseconds=milliseconds)))

    def teardown(self) -> None:
        """Have the client back and ready in the end, so that what was kept for it shows."""
        if self.steps:
            if self.lives == 1 and self.runs:
                self.go(FaultKind.CLIENT_DETACH)
                self.call(who=0, kind=OperationKind.PUT, key=KEYS[0], waits=True)
            if not self.runs:
                self.come_back(registers=True)
            if not self.is_ready:
                self.ready()
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
