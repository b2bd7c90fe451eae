"""State machine of asynchronous event queues: several writers, listeners that fail, members that die.

One site, whose members run one queue or two on one region; a listener is told what to answer, or stands at a
gate with its batch. Queues are looked at only when everything has come to rest.
"""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import (
    Do,
    Inject,
    Look,
    Park,
    PlanStep,
    Release,
    ScriptQueue,
    Start,
)
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.listener_calls import ANSWERS, QUEUE
from plumbline.reference.history.operations import Operation, OperationKind, QueueAttributes, Scope
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import WRITES, Machine, PlanMachine
from plumbline.suites.scenarios.listening import listened_queues, regions, topology
from plumbline.suites.scenarios.sites import APART

MOST_PER_KEY = 3
"""So many writes of a key are drawn at most between two settle points: no log tells their order before."""

MOST_DEATHS = 1
OPERATIONS_BEFORE = 2

_KINDS = st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES))
_KEYS = ("x", "y", "z")


class AsyncQueuesMachine(PlanMachine):
    """One or two asynchronous queues on a region, with listeners that may fail, and a member that may die."""

    def __init__(self) -> None:
        super().__init__()
        self.queues: tuple[QueueAttributes, ...] = listened_queues()
        self.members = topology(2).members
        self.gates: dict[int, str] = {}
        self.paused: list[Fault] = []
        self.dead: set[str] = set()

    @initialize(
        here=st.sampled_from((2, 2, 3)),
        batch_size=st.sampled_from((100, 100, 2)),
        both=st.sampled_from((False, False, True)),
        some=st.booleans(),
    )
    def begin(self, here: int, batch_size: int, both: bool, some: bool) -> None:
        """Choose members and queues before anything is called."""
        self.members = topology(here).members
        runners = self.members[:2] if here > len(("A", "B")) and some else ()
        self.queues = listened_queues(batch_size, runners, both=both)
        self.region = regions(self.queues, Scope.ACK, None, ())[0]

    @rule(who=st.integers(0, 2), kind=_KINDS, key=st.sampled_from(_KEYS))
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation, waited for."""
        self._do(self._change(who, kind, key))

    @rule(who=st.integers(0, 2), count=st.integers(2, 4), key=st.integers(0, 2))
    def one_after_the_other(self, who: int, count: int, key: int) -> None:
        """One thread writes several keys, one after the other."""
        for index in range(count):
            self._do(self._change(who, OperationKind.PUT, _KEYS[(key + index) % len(_KEYS)]))

    @rule(
        whos=st.lists(st.integers(0, 2), min_size=2, max_size=3),
        kind=_KINDS,
        keys=st.lists(st.sampled_from(_KEYS), min_size=3, max_size=3),
    )
    def burst(self, whos: list[int], kind: OperationKind, keys: list[str]) -> None:
        """Several operations, each on a thread of its own, none waited for; at most one is no put."""
        for index, (who, key) in enumerate(zip(whos, keys, strict=False)):
            self._start(self._change(who, OperationKind.PUT if index else kind, key))

    @rule(who=st.integers(0, 2), key=st.sampled_from(_KEYS))
    def call_apart(self, who: int, key: str) -> None:
        """One operation of a region that no queue is attached to."""
        operation = self._change(who, OperationKind.PUT, key)
        self._do(msgspec.structs.replace(operation, region=APART))

    @rule(answers=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=3), second=st.booleans())
    @precondition(lambda self: Capability.CALLBACK_SCRIPTS in self.offers)
    def fail(self, answers: list[str], second: bool) -> None:
        """The listeners of a queue are told what to answer to their next calls."""
        self.settle_now()
        queue = self.queues[-1 if second else 0]
        for member in self._runners(queue):
            self.steps.append(ScriptQueue(member, queue.id, tuple(answers)))

    @rule(who=st.integers(0, 2), at=st.sampled_from((0, 0, 0, 1)), key=st.sampled_from(_KEYS))
    @precondition(
        lambda self: (
            {Capability.LISTENER_GATES, Capability.CALLBACK_SCRIPTS} <= self.offers and not self.gates
        )
    )
    def stand(self, who: int, at: int, key: str) -> None:
        """A queue's listener stands at a gate with an operation until the next settle point."""
        runners = self._runners(self.queues[0])
        holder = runners[at % len(runners)]
        operation = self._change(who, OperationKind.PUT, key)
        self.busy.add(operation.thread)
        self.gates[operation.op_id] = holder
        self.steps.append(Park(operation, holder, QUEUE))

    @rule(who=st.integers(0, 2), at=st.integers(0, 2), key=st.sampled_from(_KEYS))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    def hold(self, who: int, at: int, key: str) -> None:
        """One operation is held in a region listener until the next settle point."""
        alive = self._alive()
        self.park(self._change(who, OperationKind.PUT, key), alive[at % len(alive)])

    @rule()
    @precondition(lambda self: self.steps and not self.paused and not self.parked)
    def pause(self) -> None:
        """The first queue is held back."""
        queue = self.queues[0]
        self.paused = [
            Fault(kind=FaultKind.PAUSE, member=member, queue=queue.id) for member in self._runners(queue)
        ]
        self.steps += [Inject(fault) for fault in self.paused]

    @rule()
    @precondition(lambda self: self.paused)
    def resume(self) -> None:
        """The queue goes on."""
        self.steps += self._resumed()
        self.paused.clear()

    @rule(victim=st.sampled_from((0, 0, 1, 2)), count=st.integers(0, 2), key=st.sampled_from(_KEYS))
    @precondition(
        lambda self: (
            Capability.MEMBER_FAULTS in self.offers
            and self._count >= OPERATIONS_BEFORE
            and len(self.dead) < MOST_DEATHS
        )
    )
    def crash(self, victim: int, count: int, key: str) -> None:
        """A member dies, with operations under way or without, and others are called behind that."""
        for index in range(count):
            self._start(self._change(index, OperationKind.PUT, key))
        member = self.members[victim % len(self.members)]
        self.dead.add(member)
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=member)))
        self._do(self._change(victim, OperationKind.PUT, key))

    @rule(looks=st.booleans())
    @precondition(lambda self: self.steps)
    def settle(self, looks: bool) -> None:
        """Everything comes to rest, also while a queue is paused, and is looked at."""
        self.settle_now()
        if looks and Capability.QUEUE_INSPECTION in self.offers:
            self.steps += [Look(queue.id) for queue in self.queues]

    def settle_now(self) -> None:
        """Plan to release, finish and look at everything."""
        self.steps += [Release(op_id, member, QUEUE) for op_id, member in self.gates.items()]
        self.gates.clear()
        super().settle_now()

    def plan(self) -> Plan:
        """The plan so far, with every queue running in the end."""
        used = {step.operation.region for step in self.steps if isinstance(step, Do | Start | Park)}
        fed, apart = regions(self.queues, Scope.ACK, None, ())
        steps = (*self.steps, *self._resumed())
        here = len(self.members)
        return Plan(topology(here), (fed, apart) if APART in used else (fed,), steps, self.queues)

    def _resumed(self) -> list[PlanStep]:
        return [
            Inject(msgspec.structs.replace(fault, kind=FaultKind.RESUME))
            for fault in self.paused
            if fault.member not in self.dead
        ]

    def _alive(self) -> tuple[str, ...]:
        return tuple(member for member in self.members if member not in self.dead)

    def _runners(self, queue: QueueAttributes) -> tuple[str, ...]:
        return tuple(filter(queue.runs_on, self._alive()))

    def _change(self, who: int, kind: OperationKind, key: str) -> Operation:
        """The next operation, on one of the members that lives."""
        if self.crowded(key) or self.writes.get(key, 0) >= MOST_PER_KEY:
            self.settle_now()
        alive = self._alive()
        return self.operation(alive[who % len(alive)], kind, key)

    def _do(self, operation: Operation) -> None:
        self.steps.append(Do(operation))
        if self.parked:
            self.busy.add(operation.thread)

    def _start(self, operation: Operation) -> None:
        self.steps.append(Start(operation))
        self.busy.add(operation.thread)


ASYNC_QUEUE_MACHINES = (
    Machine(
        name="asynchronous_queues",
        requirements=(
            "AEQ-OPS-01",
            "AEQ-DISPATCH-01",
            "AEQ-RETRY-01",
            "AEQ-RETRY-02",
            "AEQ-RETRY-03",
            "AEQ-RETRY-04",
            "ARCH-SHARED-01",
            "ARCH-THREAD-01",
            "WAN-CFG-01",
            "GWQ-ACK-01",
            "GWQ-BATCH-01",
            "EXT-MARK-01",
            "EXT-MARK-02",
            "EXT-MARK-03",
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.ASYNC_QUEUES),
        draws=AsyncQueuesMachine,
    ),
)
"""The machine of asynchronous event queues."""
