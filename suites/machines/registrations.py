"""The state machine of registrations under way: their answers are held while all else goes on (001; 003).

A client begins up to two registrations at a time. Meanwhile members and the client call operations.
"""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Park, Release
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import ANSWER, Called
from plumbline.reference.history.operations import Interest, OperationKind, RegionAttributes
from plumbline.reference.history.registration_actions import (
    BeginRegistration,
    EndRegistration,
    ReleaseAnswer,
)
from plumbline.reference.history.registration_moments import RegistrationBegun, RegistrationEnded
from plumbline.suites.machines.clients import KEYS, WHATS, ClientMachine, K
from plumbline.suites.machines.drawing import REGION, WRITES, Machine

MOST_AT_ONCE = 2
OF_CLIENT = (
    OperationKind.PUT,
    OperationKind.DESTROY,
    OperationKind.GET,
    OperationKind.LOCAL_DESTROY,
    OperationKind.LOCAL_INVALIDATE,
)


class RegistrationMachine(ClientMachine):
    """One client that registers while members and the client itself call anything."""

    def __init__(self) -> None:
        super().__init__()
        self.registers = False
        self.pending: list[int] = []
        self.gets: list[int] = []
        self.met = False

    @initialize(checks=st.sampled_from((None, None, False)), earlier=st.booleans())
    def begin(self, checks: bool | None, earlier: bool) -> None:
        """Choose whether copies are checked, and whether the client is registered already."""
        if Capability.CHECKS_SETTING in self.offers:
            self.region = RegionAttributes(name=REGION, checks=checks)
            self.clients = (msgspec.structs.replace(K, checks=checks),)
        self.registers = earlier
        self.steps += [Do(self.operation("A", OperationKind.PUT, key)) for key in KEYS]

    @rule(
        who=st.integers(0, 2),
        kind=st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES)),
        key=st.sampled_from(KEYS),
        waits=st.booleans(),
    )
    def call(self, who: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation of a member, waited for or not."""
        self.make_room()
        self.met |= bool(self.pending)
        operation = self.operation(self.members[who], kind, key)
        if waits:
            self.steps.append(Do(operation))
        else:
            self.start(operation)

    @rule(kind=st.sampled_from(OF_CLIENT), key=st.sampled_from(KEYS), waits=st.booleans())
    def call_at_client(self, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation of the client, waited for or not."""
        self.make_room()
        if kind in (OperationKind.LOCAL_DESTROY, OperationKind.LOCAL_INVALIDATE):
            kind = kind if Capability.LOCAL_OPERATIONS in self.offers else OperationKind.DESTROY
        self.met |= bool(self.pending)
        operation = self.operation("K", kind, key)
        if waits:
            self.steps.append(Do(operation))
        else:
            self.start(operation)

    @rule(
        what=st.sampled_from(WHATS),
        policy=st.sampled_from((None, "keys", "keys_values", "none")),
        held=st.sampled_from((True, True, False)),
    )
    @precondition(lambda self: len(self.pending) < MOST_AT_ONCE)
    def register(self, what: tuple[str, str], policy: str | None, held: bool) -> None:
        """The client begins to register; mostly the answer is held."""
        self.make_room()
        self._count += 1
        kind, specification = what
        interest = Interest(client="K", region=REGION, kind=kind, specification=specification, policy=policy)
        self.steps.append(BeginRegistration(interest=interest, number=self._count, held=held))
        self.pending.append(self._count)

    @rule(which=st.integers(0, MOST_AT_ONCE - 1), waits=st.booleans())
    @precondition(lambda self: bool(self.pending))
    def answer(self, which: int, waits: bool) -> None:
        """An answer is let go; the end of the registration is waited for, or not."""
        number = self.pending.pop(which % len(self.pending))
        self.steps.append(ReleaseAnswer(number, "K"))
        if waits:
            self.steps.append(EndRegistration(number, "K"))

    @rule(key=st.sampled_from(KEYS))
    @precondition(lambda self: {Capability.HELD_GETS, Capability.LISTENER_GATES} <= self.offers)
    @precondition(lambda self: not self.gets)
    def hold_get(self, key: str) -> None:
        """The client gets, and the answer is held on its way."""
        self.make_room()
        operation = self.operation("K", OperationKind.GET, key)
        self.busy.add(operation.thread)
        self.gets.append(operation.op_id)
        self.steps.append(Park(operation, "K", ANSWER))

    @rule()
    @precondition(lambda self: bool(self.gets))
    def let_get_go(self) -> None:
        """The answer of a get is let go."""
        self.steps += [Release(op_id, "K", ANSWER) for op_id in self.gets]
        self.gets.clear()

    def settle_now(self) -> None:
        """Let the answers of gets go, and settle."""
        self.let_get_go()
        super().settle_now()

    def teardown(self) -> None:
        """A plan in which no registration met an operation gets one that does."""
        if self.steps and not self.met:
            if not self.pending:
                self.register(WHATS[0], "keys_values", held=True)
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
