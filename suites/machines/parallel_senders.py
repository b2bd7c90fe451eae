"""State machine of parallel gateway senders: writers, pauses, a cut link, a death among the primaries.

Site 1 partitions a region and sends it by its members in parallel; site 2 replicates it. Copies are looked at
only when everything has come to rest.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject, Look, PlanStep, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import WRITES, Machine, PlanMachine
from plumbline.suites.machines.sites_drawing import mending
from plumbline.suites.scenarios.parted_sites import parted_region, senders
from plumbline.suites.scenarios.sites import topology

MOST_WRITES = 5
"""So many writes are under way at most between two settle points, of all keys together."""

_KINDS = st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES))
_KEYS = ("x", "y", "z")
_BEFORE_A_DEATH = 2


class ParallelSendersMachine(PlanMachine):
    """A parallel sender between two sites, whose members and link may fail."""

    def __init__(self) -> None:
        super().__init__()
        self.sites = topology(3)
        self.queues = senders()
        self.broken: list[Fault] = []
        self.dead: set[str] = set()

    @initialize(
        here=st.sampled_from((2, 3, 3)),
        redundancy=st.sampled_from((0, 1, 1, 1)),
        batch_size=st.sampled_from((100, 100, 2)),
    )
    def begin(self, here: int, redundancy: int, batch_size: int) -> None:
        """Choose members, copies and the sender before anything is called."""
        self.sites = topology(here)
        self.members = self.sites.members
        self.queues = senders(batch_size)
        self.region = parted_region(self.sites, self.queues, redundancy)

    @rule(who=st.integers(0, 2), kind=_KINDS, key=st.sampled_from(_KEYS), waits=st.booleans())
    def call(self, who: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation, waited for or not."""
        operation = self._change(who, kind, key)
        self.steps.append(Do(operation) if waits else Start(operation))
        if not waits or self.parked:
            self.busy.add(operation.thread)

    @rule(who=st.integers(0, 2), count=st.integers(2, 4), key=st.integers(0, 2))
    def one_after_the_other(self, who: int, count: int, key: int) -> None:
        """One thread writes two keys in turn."""
        for index in range(count):
            operation = self._change(who, OperationKind.PUT, _KEYS[(key + index % 2) % len(_KEYS)])
            self.steps.append(Do(operation))
            if self.parked:
                self.busy.add(operation.thread)

    @rule(who=st.integers(0, 1), key=st.sampled_from(_KEYS))
    def get_there(self, who: int, key: str) -> None:
        """One reading at the other site."""
        operation = self.operation(self._alive(1)[who % len(self._alive(1))], OperationKind.GET, key)
        self.steps.append(Do(operation))
        if self.parked:
            self.busy.add(operation.thread)

    @rule(who=st.integers(0, 2), at=st.integers(0, 4), key=st.sampled_from(_KEYS))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    def hold(self, who: int, at: int, key: str) -> None:
        """One operation is held in a region listener of either site until the next settle point."""
        alive = (*self._alive(0), *self._alive(1))
        self.park(self._change(who, OperationKind.PUT, key), alive[at % len(alive)])

    @rule(some=st.booleans())
    @precondition(lambda self: self.steps and not self.broken and not self.parked)
    def pause(self, some: bool) -> None:
        """The sender is held back on all members, or on one."""
        members = self._alive(0)[: 1 if some else None]
        name = self.queues[0].id
        self._break(*(Fault(kind=FaultKind.PAUSE, member=member, queue=name) for member in members))

    @rule(kind=st.sampled_from((FaultKind.LINK_DOWN, FaultKind.LINK_DOWN, FaultKind.REPLIES_LOST)))
    @precondition(
        lambda self: (
            self.steps and Capability.LINK_FAULTS in self.offers and not self.broken and not self.parked
        )
    )
    def cut(self, kind: FaultKind) -> None:
        """The link is cut, or loses its answers."""
        self._break(Fault(kind=kind, site=1, remote_site=2))

    @rule()
    @precondition(lambda self: self.broken)
    def mend(self) -> None:
        """What is broken is mended."""
        self.steps += self._mended()
        self.broken.clear()

    @rule(at=st.integers(0, 4), count=st.integers(0, 2), key=st.sampled_from(_KEYS))
    @precondition(
        lambda self: (
            Capability.MEMBER_FAULTS in self.offers and not self.dead and self._count >= _BEFORE_A_DEATH
        )
    )
    def crash(self, at: int, count: int, key: str) -> None:
        """A member dies, with operations under way or without."""
        for index in range(count):
            operation = self._change(index, OperationKind.PUT, key)
            self.steps.append(Start(operation))
            self.busy.add(operation.thread)
        victim = self.members[at % len(self.members)]
        self.dead.add(victim)
        self.parked = {op_id: where for op_id, where in self.parked.items() if where[0] != victim}
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=victim)))

    @rule(looks=st.booleans())
    @precondition(lambda self: self.steps)
    def settle(self, looks: bool) -> None:
        """Everything comes to rest, as far as it may, and is looked at."""
        self.settle_now()
        if looks and Capability.QUEUE_INSPECTION in self.offers:
            self.steps.append(Look(self.queues[0].id))

    def plan(self) -> Plan:
        """The plan so far, with everything mended in the end."""
        steps = (*self.steps, *self._mended())
        return Plan(self.sites, (self.region,), steps, self.queues)

    def _break(self, *faults: Fault) -> None:
        self.steps += [Inject(fault) for fault in faults]
        self.broken += faults

    def _mended(self) -> list[PlanStep]:
        return [Inject(mending(fault)) for fault in self.broken if fault.member not in self.dead]

    def _alive(self, site: int) -> tuple[str, ...]:
        return tuple(member for member in self.sites.sites[site].members if member not in self.dead)

    def _change(self, who: int, kind: OperationKind, key: str) -> Operation:
        """The next operation, on one of the members of site 1 that live."""
        if sum(self.writes.values()) >= MOST_WRITES:
            self.settle_now()
        alive = self._alive(0)
        return self.operation(alive[who % len(alive)], kind, key)


PARALLEL_SENDER_MACHINES = (
    Machine(
        name="parallel_senders",
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
        needs=(
            Capability.PARTITIONED_REGIONS,
            Capability.REPLICATED_REGIONS,
            Capability.GATEWAYS,
            Capability.PARALLEL_SENDERS,
        ),
        draws=ParallelSendersMachine,
        most_rules=8,
    ),
)
"""The machine of parallel gateway senders."""
