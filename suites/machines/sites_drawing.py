"""What is drawn of two sites with a serial gateway sender each way: who is there, and what is broken.

Sites and senders are those of the scenarios, so that what is slow to start is started once. Queues are
looked at only when everything has come to rest: a look in between makes each order of what is under way a
case of its own. Which operations and faults there are, the machines say (`gateway_machines`).
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject, Look, Park, PlanStep, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Operation, OperationKind, QueueAttributes, Scope
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import PlanMachine
from plumbline.suites.scenarios.sites import APART, queues, regions, topology

TOPOLOGY = topology(2)
HERE, THERE = (site.members for site in TOPOLOGY.sites)
BATCH_SIZES = (100, 100, 2)

MENDING = {
    FaultKind.LINK_DOWN: FaultKind.LINK_UP,
    FaultKind.REPLIES_LOST: FaultKind.LINK_UP,
    FaultKind.RECEIVER_STOP: FaultKind.RECEIVER_START,
    FaultKind.PAUSE: FaultKind.RESUME,
}


class SitesMachine(PlanMachine):
    """What machines of two sites share: which faults are to be mended, and who has died."""

    most_per_key: ClassVar[int]
    keys: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        super().__init__()
        self.members = TOPOLOGY.members
        self.lead_by(queues(BATCH_SIZES[0]))
        self.broken: list[Fault] = []
        self.dead: set[str] = set()

    @initialize(batch_size=st.sampled_from(BATCH_SIZES))
    def begin(self, batch_size: int) -> None:
        """Choose the senders before anything is called."""
        self.lead_by(queues(batch_size))

    def lead_by(self, senders: tuple[QueueAttributes, ...]) -> None:
        """These lead from site to site, one each way."""
        self.queues = senders
        self.region = regions(senders, Scope.ACK, None)[0]

    def crowded(self, key: str) -> bool:
        """Whether enough writes of the key are under way between two settle points."""
        return super().crowded(key) or self.writes.get(key, 0) >= self.most_per_key

    def change(self, who: int, of: tuple[str, ...], kind: OperationKind, key: str) -> Operation:
        """The next operation, on one of the members that lives."""
        if self.crowded(key):
            self.make_room()
        alive = [member for member in of if member not in self.dead]
        return self.operation(alive[who % len(alive)], kind, key)

    def make_room(self) -> None:
        """Plan that no more writes are under way; events of one site keep their order in the queue."""
        self.settle_now()

    def do(self, operation: Operation) -> None:
        """Plan to call an operation and to wait for it, while nothing may hold it back."""
        self.steps.append(Do(operation))
        if self.parked:
            self.busy.add(operation.thread)

    def start(self, operation: Operation) -> None:
        """Plan to call an operation and to go on."""
        self.steps.append(Start(operation))
        self.busy.add(operation.thread)

    def break_(self, *faults: Fault) -> None:
        """Plan faults at once."""
        for fault in faults:
            self.steps.append(Inject(fault))
            if fault.kind is FaultKind.CRASH:
                self.dead.add(fault.member)
            else:
                self.broken.append(fault)

    def mend(self) -> None:
        """Plan to mend what is broken."""
        for fault in self.broken:
            if fault.member not in self.dead:
                self.steps.append(Inject(mending(fault)))
        self.broken.clear()

    def rest(self) -> None:
        """Plan that all that was called reaches all that live, and to look at it."""
        self.mend()
        self.settle_now()

    def pauses(self, queue: int) -> list[Fault]:
        """A pause of a queue on all members of its site that live."""
        queued = self.queues[queue]
        members = TOPOLOGY.sites[queue].members
        return [
            Fault(kind=FaultKind.PAUSE, member=member, queue=queued.id)
            for member in members
            if member not in self.dead
        ]

    def look_at_queues(self) -> None:
        """Plan to look at the queues, if the candidate shows them; only behind a settle point."""
        if Capability.QUEUE_INSPECTION in self.offers:
            self.steps += [Look(queue.id) for queue in self.queues]

    def closing(self) -> list[PlanStep]:
        """What is planned behind everything else: nothing stays broken."""
        mended = [Inject(mending(fault)) for fault in self.broken if fault.member not in self.dead]
        return [*mended] if self.parked else [*mended, Settle()]

    def plan(self) -> Plan:
        """The plan so far, with everything mended in the end."""
        used = {step.operation.region for step in self.steps if isinstance(step, Do | Start | Park)}
        shared, apart = regions(self.queues, Scope.ACK, None)
        fed = (shared, apart) if APART in used else (shared,)
        return Plan(TOPOLOGY, fed, (*self.steps, *self.closing()), self.queues)

    def several(self, who: int, count: int, key: str) -> None:
        """Plan that one member's thread writes several keys, one after the other."""
        for index in range(count):
            at = (self.keys.index(key) + index) % len(self.keys)
            self.do(self.change(who, HERE, OperationKind.PUT, self.keys[at]))


class LookingSitesMachine(SitesMachine):
    """A machine of two sites that looks at the queues at some settle points."""

    @rule(looks=st.booleans())
    @precondition(lambda self: self.steps)
    def settle(self, looks: bool) -> None:
        """All that can come to rest does, and is looked at; perhaps the queues, too."""
        self.settle_now()
        if looks:
            self.look_at_queues()


def mending(fault: Fault) -> Fault:
    """What mends the fault, where it was."""
    return msgspec.structs.replace(fault, kind=MENDING[fault.kind])
