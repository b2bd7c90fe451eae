"""The course of a scenario: what it does to a candidate, step by step, as a plan says it.

Knows roles (the member of the lowest, middle and highest id), and what must be so for a scenario to go on;
of what must be seen otherwise it knows nothing.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history.actions import (
    Do,
    Finish,
    Host,
    Inject,
    Join,
    Leave,
    Park,
    PlanStep,
    Redeliver,
    Release,
    Script,
    Settle,
    Start,
)
from plumbline.reference.history.bulk import BULK, singly
from plumbline.reference.history.fault_kinds import Fault, FaultKind, fault_words
from plumbline.reference.history.join_actions import BeginJoin, EndJoin, ReleaseCopy
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    ARGUED,
    NAMELESS,
    BulkEntry,
    Interest,
    Operation,
    OperationKind,
    Outcome,
    Status,
)
from plumbline.reference.history.registration_actions import (
    BeginRegistration,
    EndRegistration,
    Register,
    ReleaseAnswer,
)
from plumbline.reference.history.words import host_words, interest_words, script_words
from plumbline.suites.harness.driver import Driver
from plumbline.suites.scenarios.mismatch import MismatchError, in_words

REGION = "region"


class Course:
    """One scenario under way: what it has done so far.

    Attributes:
        low: the member of the lowest id.
        mid: the member in the middle.
        high: the member of the highest id.
        steps: what was done so far, as a plan says it.
    """

    def __init__(self, driver: Driver, order: tuple[str, ...]) -> None:
        self._driver = driver
        self._order = order
        self.low, self.mid, self.high = order[0], order[len(order) // 2], order[-1]
        self._gates: dict[int, list[Gate]] = {}
        self._lost: list[tuple[str, str]] = []
        self._refusing: set[str] = set()
        self._operations: dict[int, Operation] = {}
        self._count = 0
        self._gives = False
        self.done: list[str] = []
        self.steps: list[PlanStep] = []

    @property
    def driver(self) -> Driver:
        """The driver that carries out the scenario's calls and records them."""
        return self._driver

    @property
    def members(self) -> tuple[str, ...]:
        """All members that live, lowest id first."""
        return tuple(member for member in self._order if member not in self._driver.crashed)

    def crash(self, member: str) -> None:
        """Kill a member; calls parked in its listeners end with it."""
        for op_id, gates in self._gates.items():
            self._gates[op_id] = [gate for gate in gates if gate.member != member]
        self._break(Fault(kind=FaultKind.CRASH, member=member))

    def restart(self, member: str) -> None:
        """Start a member again that was killed, once everything has settled."""
        self.settle()
        self._break(Fault(kind=FaultKind.RESTART, member=member))

    def lose_answers(self, client: str, member: str) -> None:
        """From here on, once everything has settled, what a server answers to a client is lost."""
        self.settle()
        self._lost.append((client, member))
        self._break(Fault(kind=FaultKind.ANSWERS_LOST, client=client, member=member))

    def answers_again(self) -> None:
        """Answers of servers reach clients again."""
        while self._lost:
            client, member = self._lost.pop()
            self._break(Fault(kind=FaultKind.ANSWERS_BACK, client=client, member=member))

    def ready(self, client: str) -> None:
        """A durable client declares that it is ready for events."""
        self._break(Fault(kind=FaultKind.CLIENT_READY, client=client))

    def part(self, client: str, *, keep: bool, meanwhile: bool = False) -> None:
        """A durable client closes, with keep-alive or without, once everything has settled or meanwhile."""
        self._live(FaultKind.CLIENT_DETACH if keep else FaultKind.CLIENT_CLOSE, client, meanwhile=meanwhile)

    def kill(self, client: str, *, meanwhile: bool = False) -> None:
        """The process of a durable client is killed, once everything has settled or meanwhile."""
        gone = [gate for gates in self._gates.values() for gate in gates if gate.member == client]
        for op_id, gates in self._gates.items():
            self._gates[op_id] = [gate for gate in gates if gate.member != client]
        self._live(FaultKind.CLIENT_CRASH, client, meanwhile=meanwhile)
        for gate in gone:
            self._driver.release(gate)  # the event may come to the next life

    def come_back(self, client: str, timeout_ms: int = 0, *, meanwhile: bool = False) -> None:
        """Another process runs under the id of a durable client, with another time-out if one is named."""
        self._live(FaultKind.CLIENT_START, client, timeout_ms, meanwhile=meanwhile)

    def _live(self, kind: FaultKind, client: str, milliseconds: int = 0, *, meanwhile: bool) -> None:
        if not meanwhile:
            self.settle_around()
        self._break(Fault(kind=kind, client=client, milliseconds=milliseconds, meanwhile=meanwhile))

    def hold_time(self) -> None:
        """From here on time stands still, until the example is over."""
        self._break(Fault(kind=FaultKind.HOLD_TIME))

    def let_pass(self, milliseconds: int) -> None:
        """Let time pass where it is held."""
        self._break(Fault(kind=FaultKind.TIME_LEAP, milliseconds=milliseconds))

    def _break(self, fault: Fault) -> None:
        self.done.append(fault_words(fault))
        self.steps.append(Inject(fault))
        self._driver.inject(fault)

    def _operation(
        self,
        member: str,
        kind: OperationKind,
        key: str,
        thread: str | None,
        region: str = REGION,
        expected: str | None = None,
        value_bytes: int = 0,
    ) -> Operation:
        self._count += 1
        operation = Operation(
            op_id=self._count,
            thread=thread or f"{member}-{self._count}",
            member=member,
            region=region,
            kind=kind,
            key=key,
            token=None if kind in NAMELESS else f"{kind}-{self._count}-{member}",
            expected=expected,
            value_bytes=value_bytes,
            argument=f"given to {self._count}" if self._gives and kind in ARGUED else None,
        )
        self._operations[operation.op_id] = operation
        return operation

    def do(
        self,
        member: str,
        kind: OperationKind,
        key: str,
        *,
        thread: str | None = None,
        expect: Status | None = Status.OK,
        region: str = REGION,
        value_bytes: int = 0,
    ) -> Operation:
        """Call an operation and wait for it; it must end with the status named, if one is."""
        operation = self.start(member, kind, key, thread=thread, region=region, value_bytes=value_bytes)
        outcome = self.finish(operation)
        if expect is not None and outcome.status is not expect:
            raise MismatchError(
                f"{_told(operation)} to end {expect}", f"{outcome.status} {outcome.detail}".strip()
            )
        return operation

    def put(self, member: str, key: str, *, thread: str | None = None, value_bytes: int = 0) -> Operation:
        """Put a fresh value, of so many bytes if they are named, and wait until the call has returned."""
        return self.do(member, OperationKind.PUT, key, thread=thread, value_bytes=value_bytes)

    def give_arguments(self, *, gives: bool = True) -> None:
        """From here on each call carries a callback argument of its own, or none."""
        self._gives = gives

    def compare(
        self, member: str, kind: OperationKind, key: str, expected: Operation, *, changes: bool
    ) -> Operation:
        """Replace or remove what an operation has stored, and wait; it must say whether it has done so."""
        return self.brings(self.start(member, kind, key, expected=expected.token), str(changes).lower())

    def brings(self, operation: Operation, value: str | None) -> Operation:
        """Wait for a call; it must end well and bring this value back."""
        outcome = self.finish(operation)
        if (outcome.status, outcome.value) != (Status.OK, value):
            seen = f"{outcome.status} {outcome.detail or in_words(outcome.value)}"
            raise MismatchError(f"{_told(operation)} to bring {in_words(value)}", seen)
        return operation

    def on_region(self, member: str, kind: OperationKind) -> Operation:
        """Do something to the whole region while nothing else is under way, and wait for the call."""
        self.settle()
        return self.do(member, kind, "")

    def expires(self, member: str, kind: OperationKind, key: str) -> Operation:
        """The time of an entry ends while nothing else is under way, and the region does what it was told."""
        self.settle()
        return self.do(member, kind, key)

    def evicts(self, member: str) -> Operation:
        """A member's region makes room while nothing else is under way: the eviction of what it has taken."""
        self.settle()
        operation = self.start(member, OperationKind.EVICT, "")
        return msgspec.structs.replace(operation, key=self.finish(operation).value or "")

    def start_bulk(self, member: str, kind: OperationKind, *keys: str) -> tuple[Operation, ...]:
        """Call an operation on many keys and go on: the operation, and what it does to each."""
        blank = self._operation(member, kind, "", None)
        entries = [self._operation(member, BULK[kind], key, None) for key in keys]
        operation = msgspec.structs.replace(
            blank,
            entries=tuple(
                BulkEntry(op_id=entry.op_id, key=entry.key, token=entry.token or "") for entry in entries
            ),
        )
        self._operations[operation.op_id] = operation
        self.done.append(f"{member}: {kind} {', '.join(keys)}")
        self.steps.append(Start(operation))
        self._driver.call(operation)
        return (operation, *singly(operation))

    def bulk(self, member: str, kind: OperationKind, *keys: str) -> tuple[Operation, ...]:
        """Call an operation on many keys, which must end well: what it does to each."""
        operation, *entries = self.start_bulk(member, kind, *keys)
        outcome = self.finish(operation)
        if outcome.status is not Status.OK:
            raise MismatchError(f"{_told(operation)} to end ok", f"{outcome.status} {outcome.detail}".strip())
        return tuple(entries)

    def get(self, member: str, key: str) -> str | None:
        """Read a key."""
        operation = self.start(member, OperationKind.GET, key)
        return self.finish(operation).value

    def start(
        self,
        member: str,
        kind: OperationKind,
        key: str,
        *,
        thread: str | None = None,
        region: str = REGION,
        expected: str | None = None,
        value_bytes: int = 0,
    ) -> Operation:
        """Call an operation and go on."""
        operation = self._operation(member, kind, key, thread, region, expected, value_bytes)
        self.done.append(f"{_told(operation)}")
        self.steps.append(Start(operation))
        self._driver.call(operation)
        return operation

    def finish(self, operation: Operation) -> Outcome:
        """The outcome of a call, which must come."""
        if not self._gates and self.steps[-1] == Start(operation):
            self.steps[-1] = Do(operation)
        else:
            self.steps.append(Finish(operation.op_id))
        outcome = self._driver.finish(operation.op_id)
        if outcome is None:
            raise MismatchError(f"{_told(operation)} to return", "it is still under way")
        return outcome

    def comes_to(self, operation: Operation) -> Outcome | None:
        """Give a call all the time that it may take; its outcome, if it has returned by then."""
        self.steps.append(Finish(operation.op_id))
        return self._driver.finish(operation.op_id)

    def returns(self, operation: Operation) -> bool:
        """Give a call all the time that it may take; whether it has returned by then."""
        return self.comes_to(operation) is not None

    def is_under_way(self, operation: Operation) -> None:
        """A call does not return, though it is given all the time for it."""
        if self.returns(operation):
            raise MismatchError(f"{_told(operation)} to wait", "it has returned")

    def park(
        self,
        at: str,
        member: str,
        key: str,
        kind: OperationKind = OperationKind.PUT,
        *,
        thread: str | None = None,
        callback: str = "listener",
    ) -> Operation:
        """Call an operation and hold it in the listener, or the writer, of `at`, which it must reach."""
        operation = self.hold(at, member, key, kind, thread=thread, callback=callback)
        self.stands(at, operation, callback)
        return operation

    def hold(
        self,
        at: str,
        member: str,
        key: str,
        kind: OperationKind = OperationKind.PUT,
        *,
        thread: str | None = None,
        callback: str = "listener",
    ) -> Operation:
        """Call an operation that is held in the listener of `at` once it gets there, and go on."""
        operation = self._operation(member, kind, key, thread)
        gate = Gate(at, operation.op_id, callback)
        self.done.append(f"{_told(operation)}, parked at {at}")
        self.steps.append(Park(operation, at, callback))
        self._driver.arm(gate)
        self._gates.setdefault(operation.op_id, []).append(gate)
        self._driver.call(operation)
        return operation

    def comes_to_stand(self, at: str, operation: Operation, callback: str = "listener") -> bool:
        """Whether an operation comes to stand in the listener, or the writer, of `at`."""
        return self._driver.await_parked(Gate(at, operation.op_id, callback))

    def stands(self, at: str, operation: Operation, callback: str = "listener") -> None:
        """An operation comes to stand in the listener, or the writer, of `at`, where it is held."""
        if not self.comes_to_stand(at, operation, callback):
            raise MismatchError(
                f"{_told(operation)} to reach the {callback} of {at} independently of other members",
                "it did not in time",
            )

    def release(self, operation: Operation) -> None:
        """Let an operation go on."""
        self.done.append(f"release {named(operation)}")
        for gate in self._gates.pop(operation.op_id, []):
            self.steps.append(Release(gate.op_id, gate.member, gate.callback))
            self._driver.release(gate)

    def leave(self, member: str) -> None:
        """Have a member give up its copy of the region."""
        self.done.append(f"{member} gives up its copy")
        self.steps.append(Leave(member, REGION))
        self._driver.leave(member, REGION)

    def join(self, member: str) -> None:
        """Have a member take a copy of the region again."""
        self.done.append(f"{member} takes a copy again")
        self.steps.append(Join(member, REGION))
        self._driver.join(member, REGION)

    def begin_join(self, member: str, *, held: bool = True) -> None:
        """Have a member begin to take a copy beside all else; a held one has to come on its way."""
        self.done.append(f"{member} begins to take a copy{', held on its way' if held else ''}")
        self.steps.append(BeginJoin(member, REGION, held))
        if self._driver.joins.begin((member, REGION), held=held) is not held:
            raise MismatchError(f"a copy on its way to {member}", "it is not")

    def begin_restart(self, member: str, *, held: bool = True) -> None:
        """A member that was killed starts again beside all else; its copy may be held on its way.

        All has settled since it was killed.
        """
        self.done.append(f"{member} starts again{', its copy held on its way' if held else ''}")
        self.steps.append(BeginJoin(member, REGION, held, again=True))
        if self._driver.begin_restart(member, REGION, held=held) is not held:
            raise MismatchError(f"a copy on its way to {member}, which starts again", "it is not")

    def end_join(self, member: str) -> None:
        """Let go a copy if it is held, and wait until the member has it."""
        joins, where = self._driver.joins, (member, REGION)
        self.done.append(f"{member} has its copy")
        if where in joins.held:
            self.steps.append(ReleaseCopy(member, REGION))
            joins.release(where)
        self.steps.append(EndJoin(member, REGION))
        if not joins.finish(where):
            raise MismatchError(f"{member} to have its copy", "it has none")

    def host(self, member: str, *, checks: bool, persistent: bool = False) -> bool | None:
        """Have a member take a copy again with these settings; whether it checks then, None if refused."""
        self.done.append(host_words(member, REGION, checks=checks, persistent=persistent))
        self.steps.append(Host(member, REGION, checks, persistent))
        return self._driver.host(member, REGION, checks=checks, persistent=persistent)

    def register(
        self,
        client: str,
        kind: str = "all",
        specification: str = "",
        *,
        policy: str | None = None,
        receive_values: bool = True,
        durable: bool = False,
        region: str = REGION,
    ) -> Interest:
        """Have a client register for keys, once everything has settled, and wait until that is in force."""
        interest = Interest(
            client=client,
            region=region,
            kind=kind,
            specification=specification,
            policy=policy,
            receive_values=receive_values,
            durable=durable,
        )
        self._registered(interest)
        return interest

    def is_refused(self, client: str, kind: str, specification: str) -> None:
        """A client cannot register for this: the call must be refused, once everything has settled."""
        interest = Interest(client=client, region=REGION, kind=kind, specification=specification)
        self._registered(interest, refused=True)

    def refuse(self, holder: str, *keys: str) -> None:
        """Have the cache writer of a member or client refuse changes of these keys, and of no others."""
        self.settle()
        self.done.append(script_words(holder, REGION, keys))
        (self._refusing.add if keys else self._refusing.discard)(holder)
        self.steps.append(Script(holder, REGION, keys))
        self._driver.script(holder, REGION, keys)

    def withdraw(self, interest: Interest) -> None:
        """Have a client withdraw a registration."""
        self._registered(msgspec.structs.replace(interest, register=False))

    def settle_around(self) -> None:
        """Wait for every call, and until nothing more happens; what is held stays so."""
        for operation in self._driver.under_way:
            self.finish(operation)
        self.steps.append(Settle())
        self._driver.settle()

    def _registered(self, interest: Interest, *, refused: bool = False) -> None:
        if interest.durable:
            self.settle_around()
        else:
            self.settle()
        self.done.append(interest_words(interest))
        self.steps.append(Register(interest))
        if self._driver.register(interest) is refused:
            seen = "accepted" if refused else "refused"
            raise MismatchError(
                f"{interest_words(interest)}, {'to be refused' if refused else 'to be accepted'}", seen
            )

    def begin_registration(
        self,
        client: str,
        kind: str = "all",
        specification: str = "",
        *,
        policy: str = "keys_values",
        held: bool = True,
    ) -> BeginRegistration:
        """Have a client register beside all else; an answer that is to be held has to come on its way."""
        self._count += 1
        interest = Interest(
            client=client, region=REGION, kind=kind, specification=specification, policy=policy
        )
        step = BeginRegistration(interest=interest, number=self._count, held=held)
        self.done.append(f"begin: {interest_words(interest)}{', its answer held' if held else ''}")
        self.steps.append(step)
        if self._driver.begin_registration(step.number, interest, held=held) is not held:
            raise MismatchError(f"the answer to be on its way: {interest_words(interest)}", "it is not")
        return step

    def end_registration(self, begun: BeginRegistration, *, may_fail: bool = False) -> bool:
        """Let go the answer to a registration, and wait for its end: accepted, or failed where it may be."""
        client, registrations = begun.interest.client, self._driver.registrations
        self.done.append(f"end: {interest_words(begun.interest)}")
        if begun.held:
            self.steps.append(ReleaseAnswer(begun.number, client))
            registrations.release(begun.number)
        self.steps.append(EndRegistration(begun.number, client))
        status = registrations.finish(begun.number)
        if status is not Status.OK and not (may_fail and status is Status.FAILED):
            raise MismatchError(f"{interest_words(begun.interest)}, to be accepted", f"{status or 'no end'}")
        return status is Status.OK

    def redeliver(self, operation: Operation, member: str) -> None:
        """Deliver the message of an operation to a member once more."""
        self.done.append(f"redeliver {named(operation)} to {member}")
        self.steps.append(Redeliver(operation.op_id, member))
        self._driver.redeliver(operation.op_id, member)

    def settle(self) -> None:
        """Release everything, wait for every call, and until nothing more happens."""
        for op_id in list(self._gates):
            self.release(self._operations[op_id])
        self.settle_around()

    def mend(self) -> None:
        """Undo what would keep a scenario that was broken off from ending in order."""
        self.answers_again()
        for holder in self._refusing.difference(self._driver.crashed):
            self._driver.script(holder, REGION, ())

    def look(self) -> None:
        """Read what all members and clients hold that run, for the search that judges the same example."""
        for holder in (*self.members, *self._driver.clients):
            if holder not in self._driver.crashed:
                self._driver.contents(holder, REGION)


def named(operation: Operation) -> str:
    """An operation by its token; one without a token by what it does."""
    return operation.token or " ".join(filter(None, (operation.kind.value, operation.key)))


def _told(operation: Operation) -> str:
    token = f" {operation.token}" if operation.token else ""
    region = f" of {operation.region}" if operation.region != REGION else ""
    keys = ", ".join(operation.keys)
    key = f" {keys}" if keys else ""
    expected = "" if operation.expected is None else f" where it holds {operation.expected}"
    size = f" ({operation.value_bytes:,} bytes)" if operation.value_bytes else ""
    return f"{operation.member}: {operation.kind}{key}{region}{token}{size}{expected}"
