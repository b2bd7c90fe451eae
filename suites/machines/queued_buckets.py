"""What machines of parallel queues and senders share: partitioned regions, writers, pauses, a death.

One region or two feed the queue, with keys that are equal. Knows who lives and what is broken; which queue it
is, and what else may happen to it, the machines say (`parallel_queues`, `parallel_senders`).
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject, Look, PlanStep, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import (
    Client,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import REGION, WRITES, PlanMachine
from plumbline.suites.machines.sites_drawing import mending

REQUIREMENTS = (
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
)
"""The ids whose violation both can show."""

KINDS = st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES))
HERE = st.sampled_from((2, 3, 3))
REDUNDANCY = st.sampled_from((0, 1, 1, 1))
BATCH_SIZES = st.sampled_from((100, 100, 2))

_OTHER = "other"
_BEFORE_A_DEATH = 2
MOST_DEATHS = 2
"""So many members die at most, one after the other: the first runs again before the second dies."""


class QueuedBucketsMachine(PlanMachine):
    """Partitioned regions that feed one parallel queue, or sender, whose members may die.

    Attributes:
        keys: what is written; keys of a second region name it, and are of the first where there is no other.
        most_writes: so many are under way at most between two settle points, of all keys together.
    """

    keys: ClassVar[tuple[str, ...]]
    most_writes: int

    def __init__(self) -> None:
        super().__init__()
        self.topology: Topology
        self.queues: tuple[QueueAttributes, ...] = ()
        self.clients: tuple[Client, ...] = ()
        self.names: tuple[str, ...] = (REGION,)
        self.broken: list[Fault] = []
        self.dead: set[str] = set()
        self.deaths = 0
        self.restarted: set[str] = set()
        self.scripted: set[str] = set()

    @property
    def may_restart(self) -> bool:
        """Whether members that have died may run again: not beside clients, nor while time is held."""
        return not self.clients

    def feed(
        self, topology: Topology, queues: tuple[QueueAttributes, ...], region: RegionAttributes, *, two: bool
    ) -> None:
        """These members have one or two such regions, which feed these queues."""
        self.topology, self.queues, self.region = topology, queues, region
        self.members = topology.members
        self.names = (REGION, _OTHER) if two else (REGION,)

    @rule(who=st.integers(0, 2), kind=KINDS, key=st.integers(0, 9), waits=st.booleans())
    def call(self, who: int, kind: OperationKind, key: int, waits: bool) -> None:
        """One operation, waited for or not."""
        self.do(self.change(who, kind, key), waits=waits)

    @rule(who=st.integers(0, 2), count=st.integers(2, 4), key=st.integers(0, 9))
    def one_after_the_other(self, who: int, count: int, key: int) -> None:
        """One thread writes two keys in turn."""
        for index in range(count):
            self.do(self.change(who, OperationKind.PUT, key + index % 2))

    @rule(who=st.integers(0, 2), at=st.integers(0, 4), key=st.integers(0, 9))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    def hold(self, who: int, at: int, key: int) -> None:
        """One operation is held in a region listener of any site until the next settle point."""
        alive = [member for member in self.members if member not in self.dead]
        self.park(self.change(who, OperationKind.PUT, key), alive[at % len(alive)])

    @rule(some=st.booleans())
    @precondition(lambda self: self.steps and not self.broken and not self.parked)
    def pause(self, some: bool) -> None:
        """The queue is held back on all its members, or on one."""
        members, name = self.alive()[: 1 if some else None], self.queues[0].id
        self.break_(*(Fault(kind=FaultKind.PAUSE, member=member, queue=name) for member in members))

    @rule()
    @precondition(lambda self: self.broken)
    def mend(self) -> None:
        """What is broken is mended."""
        self.steps += self._mended()
        self.broken.clear()

    @rule(at=st.integers(0, 4), count=st.integers(0, 2), key=st.integers(0, 9))
    @precondition(
        lambda self: (
            Capability.MEMBER_FAULTS in self.offers
            and not self.dead
            and self._count >= _BEFORE_A_DEATH
            and self.deaths < MOST_DEATHS
        )
    )
    def crash(self, at: int, count: int, key: int) -> None:
        """A member dies, with operations under way or without."""
        for index in range(count):
            self.do(self.change(index, OperationKind.PUT, key), waits=False)
        victim = self.members[at % len(self.members)]
        self.dead.add(victim)
        self.deaths += 1
        self.parked = {op_id: where for op_id, where in self.parked.items() if where[0] != victim}
        self.broken = [fault for fault in self.broken if fault.member != victim]
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=victim)))

    @rule()
    @precondition(lambda self: self.may_restart and self.dead - self.scripted)
    def restart(self) -> None:
        """The member that has died runs again, all being settled, and holds none of the buckets there are."""
        self.finish_all()
        back = min(self.dead - self.scripted)
        self.dead.remove(back)
        self.restarted.add(back)
        self.steps.append(Inject(Fault(kind=FaultKind.RESTART, member=back)))

    @rule(to=st.integers(0, 2), key=st.integers(0, 9), count=st.integers(0, 2))
    @precondition(
        lambda self: (
            Capability.BUCKET_MOVES in self.offers and self.steps and not self.parked and not self.clients
        )
    )
    def move(self, to: int, key: int, count: int) -> None:
        """A member becomes primary of a key, while events may wait in queues; then others write it."""
        alive = self.alive()
        name, _, of = self.keys[key % len(self.keys)].rpartition("/")
        region = name if name in self.names else REGION
        move = Fault(kind=FaultKind.MOVE_PRIMARY, member=alive[to % len(alive)], region=region, key=of)
        self.steps.append(Inject(move))
        for index in range(count):
            self.do(self.change(to + 1 + index, OperationKind.PUT, key), waits=False)

    @rule(looks=st.booleans())
    @precondition(lambda self: self.steps)
    def settle(self, looks: bool) -> None:
        """All that can come to rest does, and is looked at."""
        self.settle_now()
        if looks and Capability.QUEUE_INSPECTION in self.offers:
            self.steps.append(Look(self.queues[0].id))

    def plan(self) -> Plan:
        """The plan so far, with everything mended in the end."""
        regions = tuple(msgspec.structs.replace(self.region, name=name) for name in self.names)
        steps = (*self.steps, *self._mended())
        return Plan(self.topology, regions, steps, self.queues, clients=self.clients)

    def do(self, operation: Operation, *, waits: bool = True) -> None:
        """Plan to call an operation, and to wait for it where nothing may hold it back."""
        self.steps.append(Do(operation) if waits else Start(operation))
        if not waits or self.parked:
            self.busy.add(operation.thread)

    def break_(self, *faults: Fault) -> None:
        """Plan faults at once."""
        self.steps += [Inject(fault) for fault in faults]
        self.broken += faults

    def alive(self, site: int = 0) -> tuple[str, ...]:
        """The members of a site that live."""
        return tuple(member for member in self.topology.sites[site].members if member not in self.dead)

    def change(self, who: int, kind: OperationKind, key: int, site: int = 0) -> Operation:
        """The next operation, on one of the members of a site that live."""
        if sum(self.writes.values()) >= self.most_writes:
            self.settle_now()
        alive = self.alive(site)
        return self.operation(alive[who % len(alive)], kind, self.keys[key % len(self.keys)])

    def operation(self, member: str, kind: OperationKind, key: str) -> Operation:
        """The next operation, on a key of either region."""
        name, _, of = key.rpartition("/")
        found = super().operation(member, kind, of)
        return msgspec.structs.replace(found, region=name if name in self.names else REGION)

    def _mended(self) -> list[PlanStep]:
        return [Inject(mending(fault)) for fault in self.broken if fault.member not in self.dead]
