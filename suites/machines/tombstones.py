"""The machines of tombstones and of clears: destroys and puts while time passes, or a region is emptied.

Few operations at a time: while anything is old enough to be collected, or a clear is under way, every order
has to be tried.
"""

from __future__ import annotations

from typing import ClassVar

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import OperationKind, RegionAttributes, Scope, TombstoneSettings
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import REGION, Machine, PlanMachine

KEYS = ("x", "y")
KINDS = (
    OperationKind.PUT,
    OperationKind.PUT,
    OperationKind.DESTROY,
    OperationKind.DESTROY,
    OperationKind.CREATE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.GET,
)

TIMEOUT_MS = 30_000
LEAPS_MS = (10_000, 20_000, 45_000)
"""Less than the time-out; less, and more together with another; and so much that it has been noticed."""

MOST = 3
"""So many operations are drawn at most between two settle points."""


class _FewAtATime(PlanMachine):
    """What both machines share: calls, some held in a listener, and never many at a time."""

    fixed_members: ClassVar[tuple[str, ...]] = ()

    def make_room(self) -> None:
        """Settle if enough is under way."""
        if sum(self.writes.values()) >= MOST:
            self.settle_now()

    def at(self, who: int) -> str:
        """One of the members."""
        return self.members[who % len(self.members)]

    @rule(who=st.integers(0, 2), kind=st.sampled_from(KINDS), key=st.sampled_from(KEYS))
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation, waited for."""
        self.make_room()
        operation = self.operation(self.at(who), kind, key)
        self.steps.append(Do(operation))
        if self.parked:
            self.busy.add(operation.thread)

    @rule(who=st.integers(0, 2), kind=st.sampled_from(KINDS[:4]), key=st.sampled_from(KEYS))
    def begin_call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation, not waited for."""
        self.make_room()
        operation = self.operation(self.at(who), kind, key)
        self.busy.add(operation.thread)
        self.steps.append(Start(operation))

    @rule(who=st.integers(0, 2), kind=st.sampled_from(KINDS[:4]), key=st.sampled_from(KEYS))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    def hold(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation is held where it was called, applied and not sent, until everything settles."""
        self.make_room()
        member = self.at(who)
        self.park(self.operation(member, kind, key), member)

    @rule()
    @precondition(lambda self: bool(self.steps))
    def settle(self) -> None:
        """Everything comes to rest and is looked at."""
        self.settle_now()


class TombstoneMachine(_FewAtATime):
    """Tombstones that expire and are collected while others destroy and create."""

    tombstones = TombstoneSettings(timeout_ms=TIMEOUT_MS, threshold=1)

    @rule(
        members=st.sampled_from((("A", "B"), ("A", "B", "C"))),
        scope=st.sampled_from((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
        threshold=st.sampled_from((1, 1, 2, 3)),
        own=st.sampled_from(((), (("A", 1),), (("B", 1),))),
    )
    @precondition(lambda self: not self.steps)
    def begin(
        self, members: tuple[str, ...], scope: Scope, threshold: int, own: tuple[tuple[str, int], ...]
    ) -> None:
        """Choose topology and thresholds before anything is called."""
        self.members = self.fixed_members or members
        self.region = RegionAttributes(name=REGION, scope=scope)
        self.tombstones = TombstoneSettings(timeout_ms=TIMEOUT_MS, threshold=threshold, thresholds=own)

    @rule(milliseconds=st.sampled_from(LEAPS_MS), settled=st.booleans())
    @precondition(lambda self: bool(self.steps))
    def time_passes(self, milliseconds: int, settled: bool) -> None:
        """Time is let pass; then everything settles, or others call meanwhile."""
        self.settle_now()
        self.steps.append(Inject(Fault(kind=FaultKind.TIME_LEAP, milliseconds=milliseconds)))
        if settled:
            self.settle_now()

    def plan(self) -> Plan:
        """The plan so far, in which time is held from the beginning."""
        plan = super().plan()
        held = Inject(Fault(kind=FaultKind.HOLD_TIME))
        return msgspec.structs.replace(plan, steps=(held, *plan.steps), tombstones=self.tombstones)


class ClearMachine(_FewAtATime):
    """A region is cleared while others write to it."""

    @rule(
        members=st.sampled_from((("A", "B"), ("A", "B", "C"))),
        scope=st.sampled_from((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
    )
    @precondition(lambda self: not self.steps)
    def begin(self, members: tuple[str, ...], scope: Scope) -> None:
        """Choose the topology before anything is called."""
        self.members = self.fixed_members or members
        self.region = RegionAttributes(name=REGION, scope=scope)

    def make_way(self) -> None:
        """Settle if a clear was called since: of two, listeners need not tell which they mean."""
        if "" in self.writes:
            self.settle_now()
        self.make_room()

    @rule(who=st.integers(0, 2), waited=st.booleans())
    @precondition(lambda self: bool(self.steps))
    def clear(self, who: int, waited: bool) -> None:
        """The region is cleared, and waited for or not."""
        self.make_way()
        operation = self.operation(self.at(who), OperationKind.CLEAR, "")
        if waited and not self.parked:
            self.steps.append(Do(operation))
            return
        self.busy.add(operation.thread)
        self.steps.append(Start(operation))

    @rule(who=st.integers(0, 2), at=st.integers(0, 2))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    def hold_clear(self, who: int, at: int) -> None:
        """A clear is held in the listener of a member until everything settles."""
        self.make_way()
        self.park(self.operation(self.at(who), OperationKind.CLEAR, ""), self.at(at))


TOMBSTONE_MACHINES = (
    Machine(
        name="tombstones",
        requirements=(
            "TOMB-RETAIN-01",
            "TOMB-RETAIN-02",
            "TOMB-RETAIN-04",
            "TOMB-TTL-03",
            "TOMB-GC-04",
            "TOMB-GC-06",
            "TOMB-GC-07",
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.TOMBSTONES, Capability.HELD_CLOCKS),
        draws=TombstoneMachine,
    ),
    Machine(
        name="clears",
        requirements=("CLEAR-LOCK-01", "CLEAR-LOCK-02", "CLEAR-CONV-01", "CLEAR-TOMB-01"),
        needs=(Capability.REPLICATED_REGIONS, Capability.CLEAR),
        draws=ClearMachine,
    ),
)
"""Both of them."""
