"""The stage: what a scenario calls to do things to a candidate and to say what must be seen.

Knows roles (the member of the lowest, middle and highest id) and literal expectations; asks neither model
nor rulebook.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history import Fault, FaultKind, Gate, fault_words, interest_words, script_words
from plumbline.reference.operations import (
    NAMELESS,
    EventKind,
    Interest,
    Operation,
    OperationKind,
    Outcome,
    Status,
)
from plumbline.reference.plans import (
    Await,
    Count,
    Do,
    Finish,
    Inject,
    Join,
    Leave,
    Park,
    PlanStep,
    Read,
    Redeliver,
    Register,
    Release,
    Script,
    Settle,
    Start,
)
from plumbline.suites.driving import Driver

REGION = "region"


class MismatchError(AssertionError):
    """What was seen is not what is written down.

    Attributes:
        expected: in words.
        seen: in words.
    """

    def __init__(self, expected: str, seen: str) -> None:
        super().__init__(f"expected {expected}; seen {seen}")
        self.expected = expected
        self.seen = seen


class Stage:
    """One scenario under way.

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
        self._operations: dict[int, Operation] = {}
        self._count = 0
        self.done: list[str] = []
        self.steps: list[PlanStep] = []

    @property
    def driver(self) -> Driver:
        """Who carries out what the scenario calls, and writes it down."""
        return self._driver

    @property
    def members(self) -> tuple[str, ...]:
        """All members that live, lowest id first."""
        return tuple(member for member in self._order if member not in self._driver.crashed)

    def crash(self, member: str) -> None:
        """Kill a member; who stands in its listeners dies with it."""
        for op_id, gates in self._gates.items():
            self._gates[op_id] = [gate for gate in gates if gate.member != member]
        fault = Fault(kind=FaultKind.CRASH, member=member)
        self.done.append(fault_words(fault))
        self.steps.append(Inject(fault))
        self._driver.inject(fault)

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
        self, member: str, kind: OperationKind, key: str, thread: str | None, region: str = REGION
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
    ) -> Operation:
        """Call an operation and wait for it; it must end with the status named, if one is."""
        operation = self.start(member, kind, key, thread=thread, region=region)
        outcome = self.finish(operation)
        if expect is not None and outcome.status is not expect:
            raise MismatchError(
                f"{_told(operation)} to end {expect}", f"{outcome.status} {outcome.detail}".strip()
            )
        return operation

    def put(self, member: str, key: str, *, thread: str | None = None) -> Operation:
        """Put a fresh value and wait until the call has returned."""
        return self.do(member, OperationKind.PUT, key, thread=thread)

    def on_region(self, member: str, kind: OperationKind) -> Operation:
        """Do something to the whole region while nothing else is under way, and wait for the call."""
        self.settle()
        return self.do(member, kind, "")

    def expires(self, member: str, kind: OperationKind, key: str) -> Operation:
        """The time of an entry ends while nothing else is under way, and the region does what it was told."""
        self.settle()
        return self.do(member, kind, key)

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
    ) -> Operation:
        """Call an operation and go on."""
        operation = self._operation(member, kind, key, thread, region)
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

    def is_under_way(self, operation: Operation) -> None:
        """A call does not return, though it is given all the time for it."""
        self.steps.append(Finish(operation.op_id))
        if self._driver.finish(operation.op_id) is not None:
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

    def stands(self, at: str, operation: Operation, callback: str = "listener") -> None:
        """An operation comes to stand in the listener, or the writer, of `at`, where it is held."""
        if not self._driver.await_parked(Gate(at, operation.op_id, callback)):
            raise MismatchError(
                f"{_told(operation)} to reach the {callback} of {at} whatever other members are doing",
                "it did not in time",
            )

    def release(self, operation: Operation) -> None:
        """Let an operation go on."""
        self.done.append(f"release {operation.token}")
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

    def register(
        self,
        client: str,
        kind: str = "all",
        specification: str = "",
        *,
        policy: str | None = None,
        receive_values: bool = True,
    ) -> Interest:
        """Have a client register for keys, once everything has settled, and wait until that is in force."""
        interest = Interest(
            client=client,
            region=REGION,
            kind=kind,
            specification=specification,
            policy=policy,
            receive_values=receive_values,
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
        self.steps.append(Script(holder, REGION, keys))
        self._driver.script(holder, REGION, keys)

    def withdraw(self, interest: Interest) -> None:
        """Have a client withdraw a registration."""
        self._registered(msgspec.structs.replace(interest, register=False))

    def _registered(self, interest: Interest, *, refused: bool = False) -> None:
        self.settle()
        self.done.append(interest_words(interest))
        self.steps.append(Register(interest))
        if self._driver.register(interest) is refused:
            seen = "accepted" if refused else "refused"
            raise MismatchError(f"{interest_words(interest)}, {'in vain' if refused else 'and may'}", seen)

    def redeliver(self, operation: Operation, member: str) -> None:
        """Deliver the message of an operation to a member once more."""
        self.done.append(f"redeliver {operation.token} to {member}")
        self.steps.append(Redeliver(operation.op_id, member))
        self._driver.redeliver(operation.op_id, member)

    def settle(self) -> None:
        """Release everything, wait for every call, and until nothing more happens."""
        for op_id in list(self._gates):
            self.release(self._operations[op_id])
        for operation in self._driver.under_way:
            self.finish(operation)
        self.steps.append(Settle())
        self._driver.settle()

    def mend(self) -> None:
        """Undo what would keep a scenario that was broken off from ending in order."""
        self.answers_again()

    def look(self) -> None:
        """Read what everybody holds, for the search that judges the same example."""
        for holder in (*self.members, *self._driver.clients):
            self._driver.contents(holder, REGION)

    def shown_at(self, member: str, operation: Operation) -> None:
        """The listener of a member must be told of an operation, in time."""
        self.steps.append(Await(operation.op_id, member))
        if not self._driver.await_shown(member, operation):
            expected = f"the listener of {member} to be told of {operation.token}"
            raise MismatchError(expected, self._told_at(member))

    def may_be_shown_at(self, member: str, operation: Operation) -> None:
        """The listener of a member is given all the time to be told of an operation, whether or not it is."""
        self.steps.append(Await(operation.op_id, member))
        self._driver.await_shown(member, operation)

    def not_shown_at(self, member: str, operation: Operation) -> None:
        """The listener of a member is not told of an operation, though it is given all the time for it."""
        self.steps.append(Await(operation.op_id, member))
        if self._driver.await_shown(member, operation):
            raise MismatchError(
                f"{operation.token} to be held back from the listener of {member}", "it was not"
            )

    def told_some_of(self, member: str, key: str, *operations: Operation) -> None:
        """The listener of a member has been told of some of these on a key, in this order, none twice."""
        self._driver.poll()
        seen = [event.token for event in self._driver.log(member) if event.key == key]
        wanted = [operation.token for operation in operations]
        if seen != [token for token in wanted if token in seen]:
            raise MismatchError(
                f"the listener of {member} to be told of some of {wanted} in order", f"{seen}"
            )

    def log_is(self, member: str, key: str, *operations: Operation) -> None:
        """The listener of a member has been told of exactly these operations on a key, in this order."""
        self._driver.poll()
        events = [event for event in self._driver.log(member) if event.key == key]
        right = len(events) == len(operations) and all(map(self._driver.tells, events, operations))
        if not right:
            wanted = [operation.token for operation in operations]
            seen = [event.token for event in events]
            raise MismatchError(f"the listener of {member} to be told of {wanted}", f"{seen}")

    def _times_told(self, member: str, operation: Operation) -> int:
        self._driver.poll()
        return sum(self._driver.tells(event, operation) for event in self._driver.log(member))

    def told_once(self, member: str, operation: Operation) -> None:
        """The listener of a member has been told of an operation exactly once."""
        times = self._times_told(member, operation)
        if times != 1:
            expected = f"the listener of {member} to be told of {operation.token} once"
            raise MismatchError(expected, f"{times} times")

    def not_told(self, member: str, operation: Operation) -> None:
        """The listener of a member has not been told of an operation."""
        if self._times_told(member, operation):
            raise MismatchError(f"the listener of {member} not to be told of {operation.token}", "it was")

    def told_nothing(self, member: str) -> None:
        """The listener of a member has been told of nothing at all."""
        self._driver.poll()
        events = self._driver.log(member)
        if events:
            raise MismatchError(f"the listener of {member} to be told of nothing", self._told_at(member))

    def told_as(self, member: str, operation: Operation, kind: EventKind) -> None:
        """The listener of a member has been told of an operation once, as an event of this kind."""
        self.told_once(member, operation)
        kinds = [event.kind for event in self._driver.log(member) if self._driver.tells(event, operation)]
        if kinds != [kind]:
            raise MismatchError(
                f"the listener of {member} to be told of {operation.token} as {kind}", f"{kinds}"
            )

    def told_as_value(self, member: str, operation: Operation) -> None:
        """The listener of a member has been told of an operation once, as a create or an update."""
        self.told_once(member, operation)
        kinds = [event.kind for event in self._driver.log(member) if self._driver.tells(event, operation)]
        if kinds[0] not in (EventKind.CREATE, EventKind.UPDATE):
            expected = f"the listener of {member} to be told of {operation.token} with its value"
            raise MismatchError(expected, f"{kinds}")

    def region_is_gone(self, *holders: str) -> None:
        """These members and clients have the region no more."""
        for holder in holders:
            self.steps.append(Read(holder, REGION))
            if self._driver.has_region(holder, REGION):
                raise MismatchError(f"the region to be destroyed at {holder}", "it is there")

    def region_is_there(self, *holders: str) -> None:
        """These members and clients still have the region."""
        for holder in holders:
            self.steps.append(Read(holder, REGION))
            if not self._driver.has_region(holder, REGION):
                raise MismatchError(f"{holder} to have the region", "it was destroyed")

    def not_told_of_region_twice(self, client: str) -> None:
        """The listener of a client was not told twice that its region was destroyed."""
        self._driver.poll()
        told = [e for e in self._driver.log(client) if e.kind is EventKind.REGION_DESTROY]
        if len(told) > 1:
            raise MismatchError(
                f"{client} to be told once that the region is destroyed", f"{len(told)} times"
            )

    def holds_invalid(self, member: str, key: str) -> None:
        """A member holds an entry without a value."""
        self._holds(member, key, [_state(present=True, token=None)])

    def holds(self, member: str, key: str, *operations: Operation | None) -> None:
        """A member holds the value of one of these operations; None stands for no entry.

        An operation that invalidates stands for an entry without a value, one that destroys for none.
        """
        self._holds(member, key, [_wanted(operation) for operation in operations])

    def _holds(self, member: str, key: str, wanted: list[str]) -> None:
        self.steps.append(Read(member, REGION))
        contents = self._driver.contents(member, REGION)
        seen = _state(key in contents, contents.get(key))
        if seen not in wanted:
            raise MismatchError(f"{member} to hold {' or '.join(wanted)} under {key}", seen)

    def all_hold(self, key: str, operation: Operation | None) -> None:
        """Every member holds the outcome of an operation."""
        for member in self.members:
            self.holds(member, key, operation)

    def all_but(self, left_out: str, key: str, operation: Operation | None) -> None:
        """Every member but one holds the outcome of an operation."""
        for member in self.members:
            if member != left_out:
                self.holds(member, key, operation)

    def all_hold_invalid(self, key: str) -> None:
        """Every member holds an entry without a value."""
        for member in self.members:
            self.holds_invalid(member, key)

    def everybody_holds(self, key: str, operation: Operation | None) -> None:
        """Every member and every client holds the outcome of an operation."""
        for holder in (*self.members, *self._driver.clients):
            self.holds(holder, key, operation)

    def returns(self, operation: Operation) -> bool:
        """Give a call all the time that it may take; whether it has returned by then."""
        self.steps.append(Finish(operation.op_id))
        return self._driver.finish(operation.op_id) is not None

    def everybody_agrees(self, key: str) -> None:
        """Every member and every client holds the same under a key, or nobody anything."""
        self.agree_on(key, *self.members, *self._driver.clients)

    def agree_on(self, key: str, *holders: str) -> None:
        """These members and clients hold the same under a key, or none of them anything."""
        seen = {}
        for holder in holders:
            self.steps.append(Read(holder, REGION))
            contents = self._driver.contents(holder, REGION)
            seen[holder] = _state(key in contents, contents.get(key))
        if len(set(seen.values())) != 1:
            raise MismatchError(f"{', '.join(holders)} to hold the same under {key}", f"{seen}")

    def discards(self, **counts: int) -> None:
        """How many updates the low, mid and high member have counted as discarded."""
        for role, count in counts.items():
            member = {"low": self.low, "mid": self.mid, "high": self.high}[role]
            self.steps.append(Count(member, "conflatedEvents"))
            delta = self._driver.statistic(member, "conflatedEvents")
            introduction = self._driver.introduction
            least, most = introduction.conflated_weight_least, introduction.conflated_weight_most
            if not count * least <= delta <= count * most:
                raise MismatchError(f"{member} to have counted {count} discarded updates", f"{delta}")

    def says(self, member: str, statistic: str, least: int, most: int | None = None) -> None:
        """A statistic of a member says so much, or something between two numbers."""
        self.steps.append(Count(member, statistic))
        value = self._driver.statistic(member, statistic)
        if not least <= value <= (least if most is None else most):
            wanted = f"{least}" if most is None else f"between {least} and {most}"
            raise MismatchError(f"{statistic} of {member} to be {wanted}", f"{value}")

    def all_say(self, statistic: str, least: int, most: int | None = None) -> None:
        """A statistic of every member says so much, or something between two numbers."""
        for member in self.members:
            self.says(member, statistic, least, most)

    def checks_are_on(self, member: str) -> None:
        """A region that does not name the attribute says that it checks."""
        attributes = self._driver.attributes(member, REGION)
        if attributes.checks is not True:
            raise MismatchError(f"checking to be on at {member}", f"{attributes.checks}")

    def reads_only(self, value: str | None, allowed: tuple[Operation, ...]) -> None:
        """A value that was read is that of one of these operations."""
        wanted = [operation.token for operation in allowed]
        if value not in wanted:
            raise MismatchError(f"to read one of {wanted}", f"{value}")

    def _told_at(self, member: str) -> str:
        return f"told of {[event.token for event in self._driver.log(member)]}"


def _told(operation: Operation) -> str:
    token = f" {operation.token}" if operation.token else ""
    return f"{operation.member}: {operation.kind} {operation.key}{token}"


def _state(present: bool, token: str | None) -> str:
    if not present:
        return "nothing"
    return "an entry without a value" if token is None else token


_INVALIDATING = (
    OperationKind.INVALIDATE,
    OperationKind.INVALIDATE_REGION,
    OperationKind.EXPIRE_INVALIDATE,
)
_REMOVING = (OperationKind.DESTROY, OperationKind.CLEAR, OperationKind.EXPIRE_DESTROY)


def _wanted(operation: Operation | None) -> str:
    if operation is None or operation.kind in _REMOVING:
        return "nothing"
    return _state(present=True, token=None if operation.kind in _INVALIDATING else operation.token)
