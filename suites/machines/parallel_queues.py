"""State machine of parallel asynchronous event queues: writers, listeners that fail, a death.

One site, whose members hold one partitioned region or two, and their queue. A listener is told what to
answer, or stands at a gate with its batch. Copies are looked at only when everything has come to rest.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Park, Release, ScriptQueue
from plumbline.reference.history.listener_calls import ANSWERS, QUEUE
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.machines.drawing import Machine
from plumbline.suites.machines.queued_buckets import (
    BATCH_SIZES,
    HERE,
    REDUNDANCY,
    REQUIREMENTS,
    QueuedBucketsMachine,
)
from plumbline.suites.scenarios.listening import listened_queues, topology
from plumbline.suites.scenarios.parallel import parallel_region


class ParallelQueuesMachine(QueuedBucketsMachine):
    """A parallel queue on partitioned regions, with listeners that may fail, and a member that may die."""

    keys = ("x", "y", "z", "w", "other/x")
    most_writes = 6

    def __init__(self) -> None:
        super().__init__()
        self.gates: dict[int, str] = {}

    @initialize(here=HERE, redundancy=REDUNDANCY, batch_size=BATCH_SIZES, two=st.booleans())
    def begin(self, here: int, redundancy: int, batch_size: int, two: bool) -> None:
        """Choose members, copies, the queue, and whether two regions feed it, before anything is called."""
        queues = listened_queues(batch_size, parallel=True)
        self.feed(topology(here), queues, parallel_region(queues, redundancy), two=two)

    @rule(who=st.integers(0, 2), answers=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=2))
    @precondition(lambda self: Capability.CALLBACK_SCRIPTS in self.offers)
    def fail(self, who: int, answers: list[str]) -> None:
        """The listener of a member is told what to answer to its next calls."""
        self.settle_now()
        # What the listener of a process that runs again answers is not said.
        alive = [member for member in self.alive() if member not in self.restarted]
        if alive:
            member = alive[who % len(alive)]
            self.scripted.add(member)
            self.steps.append(ScriptQueue(member, self.queues[0].id, tuple(answers)))

    @rule(who=st.integers(0, 2), at=st.integers(0, 2), key=st.integers(0, 9))
    @precondition(
        lambda self: (
            {Capability.LISTENER_GATES, Capability.CALLBACK_SCRIPTS} <= self.offers and not self.gates
        )
    )
    def stand(self, who: int, at: int, key: int) -> None:
        """A queue's listener stands at a gate with an operation until the next settle point."""
        alive = self.alive()
        operation, holder = self.change(who, OperationKind.PUT, key), alive[at % len(alive)]
        self.busy.add(operation.thread)
        self.gates[operation.op_id] = holder
        self.steps.append(Park(operation, holder, QUEUE))

    def settle_now(self) -> None:
        """Plan to release, finish and look at everything."""
        gates = {op_id: member for op_id, member in self.gates.items() if member not in self.dead}
        self.steps += [Release(op_id, member, QUEUE) for op_id, member in gates.items()]
        self.gates.clear()
        super().settle_now()


PARALLEL_QUEUE_MACHINES = (
    Machine(
        name="parallel_queues",
        requirements=REQUIREMENTS,
        needs=(Capability.PARTITIONED_REGIONS, Capability.ASYNC_QUEUES, Capability.PARALLEL_QUEUES),
        draws=ParallelQueuesMachine,
    ),
)
"""The machine of parallel queues."""
