"""State machine of parallel asynchronous event queues: writers, listeners that fail, a death.

One site, whose members hold a partitioned region and its queue; a listener is told what to answer, or stands
at a gate with its batch. Copies are looked at only when everything has come to rest.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject, Look, Park, PlanStep, Release, ScriptQueue, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.listener_calls import ANSWERS, QUEUE
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import WRITES, Machine, PlanMachine
from plumbline.suites.scenarios.listening import listened_queues, topology
from plumbline.suites.scenarios.parallel import parallel_region

MOST_WRITES = 6
"""So many writes are under way at most between two settle points, of all keys together."""

_KINDS = st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES))
_KEYS = ("x", "y", "z", "w")
_BEFORE_A_DEATH = 2


class ParallelQueuesMachine(PlanMachine):
    """A parallel queue on a partitioned region, with listeners that may fail, and a member that may die."""

    def __init__(self) -> None:
        super().__init__()
        self.queues = listened_queues(parallel=True)
        self.members = topology(3).members
        self.gates: dict[int, str] = {}
        self.paused: tuple[str, ...] = ()
        self.dead = ""

    @initialize(
        here=st.sampled_from((2, 3, 3)),
        redundancy=st.sampled_from((0, 1, 1, 1)),
        batch_size=st.sampled_from((100, 100, 2)),
    )
    def begin(self, here: int, redundancy: int, batch_size: int) -> None:
        """Choose members, copies and the queue before anything is called."""
        self.members = topology(here).members
        self.queues = listened_queues(batch_size, parallel=True)
        self.region = parallel_region(self.queues, redundancy)

    @rule(who=st.integers(0, 2), kind=_KINDS, key=st.sampled_from(_KEYS), waits=st.booleans())
    def call(self, who: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation, waited for or not."""
        operation = self._change(who, kind, key)
        self.steps.append(Do(operation) if waits else Start(operation))
        if not waits or self.parked:
            self.busy.add(operation.thread)

    @rule(who=st.integers(0, 2), count=st.integers(2, 4), key=st.integers(0, 3))
    def one_after_the_other(self, who: int, count: int, key: int) -> None:
        """One thread writes several keys, one after the other, and one of them twice."""
        for index in range(count):
            operation = self._change(who, OperationKind.PUT, _KEYS[(key + index % 2) % len(_KEYS)])
            self.steps.append(Do(operation))
            if self.parked:
                self.busy.add(operation.thread)

    @rule(who=st.integers(0, 2), answers=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=2))
    @precondition(lambda self: Capability.CALLBACK_SCRIPTS in self.offers)
    def fail(self, who: int, answers: list[str]) -> None:
        """The listener of a member is told what to answer to its next calls."""
        self.settle_now()
        alive = self._alive()
        self.steps.append(ScriptQueue(alive[who % len(alive)], self.queues[0].id, tuple(answers)))

    @rule(who=st.integers(0, 2), at=st.integers(0, 2), key=st.sampled_from(_KEYS))
    @precondition(
        lambda self: (
            {Capability.LISTENER_GATES, Capability.CALLBACK_SCRIPTS} <= self.offers and not self.gates
        )
    )
    def stand(self, who: int, at: int, key: str) -> None:
        """A queue's listener stands at a gate with an operation until the next settle point."""
        alive = self._alive()
        operation, holder = self._change(who, OperationKind.PUT, key), alive[at % len(alive)]
        self.busy.add(operation.thread)
        self.gates[operation.op_id] = holder
        self.steps.append(Park(operation, holder, QUEUE))

    @rule(who=st.integers(0, 2), at=st.integers(0, 2), key=st.sampled_from(_KEYS))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    def hold(self, who: int, at: int, key: str) -> None:
        """One operation is held in a region listener until the next settle point."""
        alive = self._alive()
        self.park(self._change(who, OperationKind.PUT, key), alive[at % len(alive)])

    @rule(some=st.booleans())
    @precondition(lambda self: self.steps and not self.paused and not self.parked)
    def pause(self, some: bool) -> None:
        """The queue is held back on all members, or on one."""
        self.paused = self._alive()[: 1 if some else None]
        self.steps += [self._fault(FaultKind.PAUSE, member) for member in self.paused]

    @rule()
    @precondition(lambda self: self.paused)
    def resume(self) -> None:
        """The queue goes on."""
        self.steps += self._resumed()
        self.paused = ()

    @rule(victim=st.integers(0, 2), count=st.integers(0, 2), key=st.sampled_from(_KEYS))
    @precondition(
        lambda self: (
            Capability.MEMBER_FAULTS in self.offers and not self.dead and self._count >= _BEFORE_A_DEATH
        )
    )
    def crash(self, victim: int, count: int, key: str) -> None:
        """A member dies, with operations under way or without, and another is called behind that."""
        for index in range(count):
            operation = self._change(index, OperationKind.PUT, key)
            self.steps.append(Start(operation))
            self.busy.add(operation.thread)
        self.dead = self.members[victim % len(self.members)]
        self.parked = {op_id: where for op_id, where in self.parked.items() if where[0] != self.dead}
        self.gates = {op_id: where for op_id, where in self.gates.items() if where != self.dead}
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=self.dead)))

    @rule(looks=st.booleans())
    @precondition(lambda self: self.steps)
    def settle(self, looks: bool) -> None:
        """Everything comes to rest, also while the queue is paused, and is looked at."""
        self.settle_now()
        if looks and Capability.QUEUE_INSPECTION in self.offers:
            self.steps.append(Look(self.queues[0].id))

    def settle_now(self) -> None:
        """Plan to release, finish and look at everything."""
        self.steps += [Release(op_id, member, QUEUE) for op_id, member in self.gates.items()]
        self.gates.clear()
        super().settle_now()

    def plan(self) -> Plan:
        """The plan so far, with the queue running in the end."""
        steps = (*self.steps, *self._resumed())
        return Plan(topology(len(self.members)), (self.region,), steps, self.queues)

    def _resumed(self) -> list[PlanStep]:
        return [self._fault(FaultKind.RESUME, member) for member in self.paused if member != self.dead]

    def _fault(self, kind: FaultKind, member: str) -> Inject:
        return Inject(Fault(kind=kind, member=member, queue=self.queues[0].id))

    def _alive(self) -> tuple[str, ...]:
        return tuple(member for member in self.members if member != self.dead)

    def _change(self, who: int, kind: OperationKind, key: str) -> Operation:
        """The next operation, on one of the members that lives."""
        if sum(self.writes.values()) >= MOST_WRITES:
            self.settle_now()
        alive = self._alive()
        return self.operation(alive[who % len(alive)], kind, key)


PARALLEL_QUEUE_MACHINES = (
    Machine(
        name="parallel_queues",
        requirements=(
            "SHQ-TYPE-02",
            "PAR-ACTIVE-01",
            "PAR-ORDER-01",
            "PAR-REDUND-01",
            "PAR-REDUND-02",
            "PAR-FAILOVER-01",
            "PAR-COLOC-01",
            "REM-PARALLEL-02",
            "REM-PARALLEL-03",
            "REM-PARALLEL-04",
            "REM-PARALLEL-05",
        ),
        needs=(Capability.PARTITIONED_REGIONS, Capability.ASYNC_QUEUES, Capability.PARALLEL_QUEUES),
        draws=ParallelQueuesMachine,
    ),
)
"""The machine of parallel queues."""
