"""The state machine of copies under way: members take copies while others write or die (004).

Up to two members give up their copies and take them again. One that has died may start again, and takes a
copy, too. A copy may be held on its way, and so may updates.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject, Leave, Park, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.join_actions import BeginJoin, EndJoin, ReleaseCopy
from plumbline.reference.history.join_moments import JoinBegun, JoinEnded
from plumbline.reference.history.moments import Called
from plumbline.reference.history.operations import (
    CONDITIONAL,
    OperationKind,
    RegionAttributes,
    Scope,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import KEYS, REGION, WRITES, Machine, PlanMachine

WRITERS = ("A", "B")
"""They keep their copies, and their listeners may hold what they receive."""
JOINERS = (("C",), ("C",), ("C", "D"))
MOST_OPERATIONS = 5
"""So many are begun between two settle points: no step is claimed beside a copy."""


class JoiningMachine(PlanMachine):
    """Members that take copies while others write."""

    def __init__(self) -> None:
        super().__init__()
        self.joiners: tuple[str, ...] = ("C",)
        self.present: set[str] = set()
        self.joining: dict[str, bool] = {}
        self.dead: tuple[str, ...] = ()
        self.held_at: set[str] = set()
        self.reborn: set[str] = set()
        self.begun = 0
        self.met = False

    @property
    def callers(self) -> tuple[str, ...]:
        """The members that live and have a copy."""
        return tuple(one for one in self.members if one in self.present and one not in self.dead)

    @property
    def holders(self) -> tuple[str, ...]:
        """The members at whose listeners something may be held."""
        return tuple(one for one in WRITERS if one not in {*self.dead, *self.reborn})

    @initialize(
        joiners=st.sampled_from(JOINERS),
        checks=st.sampled_from((None, None, None, False)),
        scope=st.sampled_from((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
    )
    def begin(self, joiners: tuple[str, ...], checks: bool | None, scope: Scope) -> None:
        """Choose the topology, and write all keys."""
        if Capability.CHECKS_SETTING not in self.offers:
            checks = None
        self.joiners = joiners
        self.members = (*WRITERS, *joiners)
        self.present = set(self.members)
        self.region = RegionAttributes(name=REGION, checks=checks, scope=scope)
        self.steps += [Do(self.operation("A", OperationKind.PUT, key)) for key in KEYS]

    def _make_room(self) -> None:
        self.begun += 1
        if self.begun > MOST_OPERATIONS:
            self.settle_now()
            self.begun = 1
        self.met |= bool(self.joining)

    @rule(
        who=st.integers(0, 3),
        kind=st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES, OperationKind.GET)),
        key=st.sampled_from(KEYS),
        waits=st.sampled_from((True, True, False)),
    )
    def call(self, who: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation, waited for or not."""
        self._make_room()
        operation = self.operation(self.callers[who % len(self.callers)], kind, key)
        if not waits or self.parked:
            self.busy.add(operation.thread)
        self.steps.append(Do(operation) if waits else Start(operation))

    @rule(
        who=st.integers(0, 3),
        kind=st.sampled_from(sorted(CONDITIONAL)),
        key=st.sampled_from(KEYS),
        right=st.sampled_from((True, True, False)),
    )
    @precondition(lambda self: Capability.CONDITIONAL_OPERATIONS in self.offers)
    def compare(self, who: int, kind: OperationKind, key: str, right: bool) -> None:
        """One operation that expects the value that was put last, or another."""
        self._make_room()
        operation = self.expecting(self.callers[who % len(self.callers)], kind, key, right=right)
        self.steps.append(Do(operation))
        if self.parked:
            self.busy.add(operation.thread)

    @rule(who=st.integers(0, 3), at=st.integers(0, 1), key=st.sampled_from(KEYS))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    @precondition(lambda self: bool(self.holders))
    def hold(self, who: int, at: int, key: str) -> None:
        """One operation is held in a listener until the next settle point; others go on beside it."""
        self._make_room()
        holder = self.holders[at % len(self.holders)]
        operation = self.operation(self.callers[who % len(self.callers)], OperationKind.PUT, key)
        self.busy.add(operation.thread)
        self.held_at.add(holder)
        self.parked[operation.op_id] = (holder, operation.key)
        self.steps.append(Park(operation, holder))

    @rule(which=st.integers(0, 1))
    def leave(self, which: int) -> None:
        """A member gives up its copy, once everything has settled."""
        member = self.joiners[which % len(self.joiners)]
        if member in self.present and member not in self.dead:
            self.finish_all()
            self.present.discard(member)
            self.steps.append(Leave(member, REGION))

    @rule(which=st.integers(0, 1), held=st.sampled_from((True, True, False)))
    def join(self, which: int, held: bool) -> None:
        """A member begins to take a copy; mostly it is held."""
        member = self.joiners[which % len(self.joiners)]
        if member not in {*self.present, *self.joining, *self.dead}:
            self.joining[member] = held
            self.steps.append(BeginJoin(member, REGION, held))

    @rule(which=st.integers(0, 1))
    @precondition(lambda self: bool(self.joining) and not self.parked)
    def end(self, which: int) -> None:
        """A copy is let go, and its end waited for."""
        member = tuple(self.joining)[which % len(self.joining)]
        self._end(member)

    @rule(which=st.integers(0, 1))
    @precondition(lambda self: any(self.joining.values()))
    def let_go(self, which: int) -> None:
        """A copy is let go, and all goes on."""
        held = [member for member, is_held in self.joining.items() if is_held]
        member = held[which % len(held)]
        self.joining[member] = False
        self.steps.append(ReleaseCopy(member, REGION))

    def _end(self, member: str) -> None:
        if self.joining.pop(member):
            self.steps.append(ReleaseCopy(member, REGION))
        self.steps.append(EndJoin(member, REGION))
        self.present.add(member)

    @rule(which=st.integers(0, 3))
    @precondition(lambda self: Capability.MEMBER_FAULTS in self.offers and not self.dead and self.met)
    def kill(self, which: int) -> None:
        """A member dies: one that has a copy, or one that takes one."""
        victims = tuple(one for one in (*self.holders, *self.joining) if one not in self.reborn)
        victim = victims[which % len(victims)]
        self.dead = (victim,)
        self.joining.pop(victim, None)
        self.present.discard(victim)
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=victim)))

    @rule(held=st.sampled_from((True, True, False)))
    @precondition(lambda self: Capability.CONCURRENT_RESTARTS in self.offers and self.dead)
    @precondition(lambda self: not self.reborn and self.held_at.isdisjoint(self.dead))
    def start_again(self, held: bool) -> None:
        """Once all has settled, the member that has died begins to run again, and takes a copy."""
        self.finish_all()
        (member,) = self.dead
        self.dead = ()
        self.reborn.add(member)
        self.joining[member] = held
        self.steps.append(BeginJoin(member, REGION, held, again=True))

    @rule()
    def settle(self) -> None:
        """Everything comes to rest and is looked at."""
        self.settle_now()

    def settle_now(self) -> None:
        """Plan to release everything, to end the copies, and to look."""
        self.begun = 0
        super().settle_now()
        rest = self.steps.pop()
        for member in tuple(self.joining):
            self._end(member)
        self.steps.append(rest)

    def teardown(self) -> None:
        """A plan in which no copy met an operation gets one that does."""
        if self.steps and not self.met and not self.dead:
            if not self.joining:
                self.leave(0)
                self.join(0, held=True)
            self.call(0, OperationKind.PUT, KEYS[0], waits=True)
        super().teardown()

    def plan(self) -> Plan:
        """The plan so far."""
        return Plan(Topology((Site(1, self.members),)), (self.region,), tuple(self.steps))


def meets_an_operation(history: History) -> bool:
    """Whether anything was called while a copy was under way."""
    joining: set[str] = set()
    for what in history.timeline:
        match what:
            case JoinBegun(member):
                joining.add(member)
            case JoinEnded(member):
                joining.discard(member)
            case Called() if joining:
                return True
            case _:
                pass
    return False


JOINING_MACHINES = (
    Machine(
        name="copies_under_way",
        requirements=("VER-STAMP-04", "CONS-RR-04", "VER-CMP-02", "TOMB-RETAIN-02"),
        needs=(Capability.REPLICATED_REGIONS, Capability.CONFIGURATION, Capability.HELD_JOINS),
        draws=JoiningMachine,
        counts=meets_an_operation,
    ),
)
"""The machine of copies under way."""
