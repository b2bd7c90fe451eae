"""State machines of partitioned regions: several members write keys of several primaries; one is lost.

Knows nothing of which member is primary for which key: the candidate says so when a key is first used.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, FaultBegun, Located, Returned
from plumbline.reference.history.operations import (
    CONDITIONAL,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
)
from plumbline.suites.machines.drawing import KEYS, REGION, WRITES, Machine, PlanMachine

MOST_WRITES = 5
"""So many writes are under way at most between two settle points, of all keys together."""

MOST_KILLS = 2
"""So many members die at most, one after the other, where those that have died run again."""

READS = (OperationKind.GET, OperationKind.CONTAINS_KEY)


class PartitionedRegionMachine(PlanMachine):
    """Members call operations on a partitioned region with none, one or two redundant copies."""

    @initialize(redundancy=st.sampled_from((0, 1, 1, 2, 2)))
    def begin(self, redundancy: int) -> None:
        """Choose how many copies there are before anything is called."""
        self.region = RegionAttributes(name=REGION, policy=RegionPolicy.PARTITION, redundancy=redundancy)

    @property
    def living(self) -> tuple[str, ...]:
        """The members that live."""
        return self.members

    def make_room(self) -> None:
        """Settle where enough is under way."""
        if sum(self.writes.values()) >= MOST_WRITES:
            self.settle_now()

    @rule(
        who=st.integers(0, 2),
        kind=st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES, *READS)),
        key=st.sampled_from(KEYS),
        waits=st.booleans(),
    )
    def call(self, who: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation, waited for or not."""
        self.make_room()
        operation = self.operation(self.living[who % len(self.living)], kind, key)
        self.steps.append(Do(operation) if waits else Start(operation))
        if not waits or self.parked:
            self.busy.add(operation.thread)

    @rule(
        who=st.integers(0, 2),
        kind=st.sampled_from(sorted(CONDITIONAL)),
        key=st.sampled_from(KEYS),
        right=st.sampled_from((True, True, False)),
    )
    @precondition(lambda self: Capability.CONDITIONAL_OPERATIONS in self.offers)
    def compare(self, who: int, kind: OperationKind, key: str, right: bool) -> None:
        """One operation that expects the value that was put last, or another, beside what is under way."""
        self.make_room()
        operation = self.expecting(self.living[who % len(self.living)], kind, key, right=right)
        self.steps.append(Do(operation))
        if self.parked:
            self.busy.add(operation.thread)

    @rule(who=st.integers(0, 2), at=st.integers(0, 2), key=st.sampled_from(KEYS))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    def hold(self, who: int, at: int, key: str) -> None:
        """One operation is held in a listener until the next settle point, if it gets there."""
        self.make_room()
        member, holder = (self.living[index % len(self.living)] for index in (who, at))
        self.park(self.operation(member, OperationKind.PUT, key), holder)

    @rule(to=st.integers(0, 2), key=st.sampled_from(KEYS))
    @precondition(lambda self: Capability.BUCKET_MOVES in self.offers and self.steps and not self.parked)
    def move(self, to: int, key: str) -> None:
        """A member becomes primary of a key, whether it holds a copy or not, all being at rest."""
        member = self.living[to % len(self.living)]
        self.steps.append(Inject(Fault(kind=FaultKind.MOVE_PRIMARY, member=member, region=REGION, key=key)))

    @rule()
    @precondition(lambda self: bool(self.steps))
    def settle(self) -> None:
        """Everything comes to rest and is looked at."""
        self.settle_now()


class LostPrimaryMachine(PartitionedRegionMachine):
    """A member is killed while updates are under way; it may run again."""

    def __init__(self) -> None:
        super().__init__()
        self.dead = ""
        self.kills = 0

    @property
    def living(self) -> tuple[str, ...]:
        """The members that live."""
        return tuple(member for member in self.members if member != self.dead)

    @initialize(redundancy=st.sampled_from((0, 1, 1, 2, 2)))
    def begin(self, redundancy: int) -> None:
        """Choose how many copies there are before anything is called."""
        self.region = RegionAttributes(name=REGION, policy=RegionPolicy.PARTITION, redundancy=redundancy)

    @rule(victim=st.sampled_from("ABC"))
    @precondition(lambda self: not self.dead and sum(self.writes.values()) > 1 and self.kills < MOST_KILLS)
    def kill(self, victim: str) -> None:
        """A member is killed while writes are under way, together with an event held in its listener."""
        self.dead = victim
        self.kills += 1
        self.parked = {op_id: where for op_id, where in self.parked.items() if where[0] != victim}
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=victim)))

    @rule()
    @precondition(lambda self: self.dead)
    def restart(self) -> None:
        """The member runs again, all being settled, and holds nothing of the keys that were there before."""
        self.finish_all()
        self.steps.append(Inject(Fault(kind=FaultKind.RESTART, member=self.dead)))
        self.dead = ""

    def teardown(self) -> None:
        """Have a member killed in any case."""
        if self.steps and not self.kills:
            self.settle_now()
            for who, key in enumerate(KEYS):
                operation = self.operation(self.members[who % len(self.members)], OperationKind.PUT, key)
                self.busy.add(operation.thread)
                self.steps.append(Start(operation))
            self.kill("A")
        super().teardown()


def loss_has_bitten(history: History) -> bool:
    """Whether the primary of some key was killed while an update of it was under way."""
    primaries: dict[tuple[str, str], str] = {}
    under_way: dict[int, tuple[str, str]] = {}
    for what in history.timeline:
        match what:
            case Located(region, key, primary):
                primaries[region, key] = primary
            case Called(operation) if operation.kind not in READS:
                under_way[operation.op_id] = (operation.region, operation.key)
            case Returned(op_id):
                under_way.pop(op_id, None)
            case FaultBegun(_, fault):
                return any(primaries[where] == fault.member for where in under_way.values())
    return False


_ORDER = ("CONS-PR-01", "CONS-PR-02", "CONS-PR-03", "CONS-PR-04")

BUCKET_MACHINES = (
    Machine(
        name="partitioned_regions",
        requirements=_ORDER,
        needs=(Capability.PARTITIONED_REGIONS,),
        draws=PartitionedRegionMachine,
    ),
    Machine(
        name="lost_primaries",
        requirements=("CONS-PR-03", "CONS-PR-04", "CONS-PR-05"),
        needs=(Capability.PARTITIONED_REGIONS, Capability.MEMBER_FAULTS),
        draws=LostPrimaryMachine,
        counts=loss_has_bitten,
    ),
)
"""The machines of partitioned regions."""
