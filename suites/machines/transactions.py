"""The machine of transactions: what a thread calls between a begin and its end, beside plain operations.

Few operations at a time: hardly any step is claimed while a transaction is under way.
"""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Park, Start
from plumbline.reference.history.operations import (
    HostPolicy,
    Operation,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
    Scope,
)
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import REGION, Machine, PlanMachine

KEYS = ("x", "x", "y")
PLAIN = (OperationKind.PUT, OperationKind.PUT, OperationKind.DESTROY)
INSIDE = (
    *(OperationKind.PUT, OperationKind.PUT, OperationKind.PUT),
    *(OperationKind.DESTROY, OperationKind.INVALIDATE, OperationKind.GET),
)
LOCAL = (OperationKind.LOCAL_DESTROY, OperationKind.LOCAL_INVALIDATE)
LESS = (RegionPolicy.NORMAL, RegionPolicy.EMPTY)
"""What a member may keep that is no replicate; preloaded ones, which behave the same, scenarios look at."""

MOST = 4
"""So many operations are drawn at most between two settle points."""


class TransactionMachine(PlanMachine):
    """One transaction at a time, committed or rolled back, while others put and destroy."""

    fixed_members: ClassVar[tuple[str, ...]] = ()

    def __init__(self) -> None:
        super().__init__()
        self.member = ""
        self.thread = ""
        self.threads = 0

    def at(self, who: int) -> str:
        """One of the members."""
        return self.members[who % len(self.members)]

    def make_room(self) -> None:
        """Settle if enough is under way."""
        if sum(self.writes.values()) >= MOST:
            self.settle_now()

    def settle_now(self) -> None:
        """Everything comes to rest and is looked at; an open transaction stays so."""
        super().settle_now()
        self.busy.update([self.thread] if self.member else [])

    @rule(
        members=st.sampled_from((("A", "B"), ("A", "B", "C"), ("A", "B", "C"))),
        checks=st.sampled_from((None, None, True, False)),
        scope=st.sampled_from((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
        less=st.sampled_from((None, None, *LESS)),
    )
    @precondition(lambda self: not self.steps)
    def begin(
        self,
        members: tuple[str, ...],
        checks: bool | None,
        scope: Scope,
        less: RegionPolicy | None,
    ) -> None:
        """Choose topology, and whether a member keeps less than a replicate, before anything is called."""
        self.members = self.fixed_members or members
        if Capability.CHECKS_SETTING not in self.offers:
            checks = None
        policies: tuple[HostPolicy, ...] = ()
        if less is not None and Capability.REGION_POLICIES in self.offers:
            policies = (HostPolicy(self.members[-1], less),)
            # a member that has another one send its changes cannot tell that all have arrived
            scope = Scope.ACK
        self.region = RegionAttributes(name=REGION, checks=checks, scope=scope, policies=policies)

    def of_transaction(self, kind: OperationKind, key: str = "") -> Operation:
        """The next operation of the transaction."""
        self._count += 1
        named = kind in (OperationKind.GET, *ENDS, OperationKind.TX_BEGIN)
        if kind is not OperationKind.GET and key:
            self.writes[key] = self.writes.get(key, 0) + 1
        return Operation(
            op_id=self._count,
            thread=self.thread,
            member=self.member,
            region=REGION,
            kind=kind,
            key=key,
            token=None if named else f"v{self._count}",
        )

    @rule(who=st.integers(0, 2))
    @precondition(lambda self: not self.member and not self.parked)
    def begin_transaction(self, who: int) -> None:
        """A member's thread begins a transaction."""
        self.make_room()
        self.member = self.at(who)
        self.threads += 1
        self.thread = f"{self.member} transacts {self.threads}"
        self.busy.add(self.thread)
        self.steps.append(Do(self.of_transaction(OperationKind.TX_BEGIN)))

    @rule(kind=st.sampled_from(INSIDE), key=st.sampled_from(KEYS))
    @precondition(lambda self: bool(self.member) and not self.parked)
    def transact(self, kind: OperationKind, key: str) -> None:
        """The transaction goes on."""
        self.make_room()
        self.steps.append(Do(self.of_transaction(kind, key)))

    @rule(kind=st.sampled_from(LOCAL), key=st.sampled_from(KEYS))
    @precondition(lambda self: bool(self.member) and not self.parked)
    @precondition(lambda self: Capability.LOCAL_OPERATIONS in self.offers)
    def transact_locally(self, kind: OperationKind, key: str) -> None:
        """The transaction asks for what is refused where there is no replicate."""
        if self.region.checks is not False and self.region.policy_of(self.member) in LESS:
            self.make_room()
            self.steps.append(Do(self.of_transaction(kind, key)))

    @rule(commits=st.sampled_from((True, True, True, False)), waited=st.booleans())
    @precondition(lambda self: bool(self.member))
    def end_transaction(self, commits: bool, waited: bool) -> None:
        """The transaction is committed, or rolled back."""
        ending = self.of_transaction(ENDS[0] if commits else ENDS[1])
        done = waited and not self.parked
        self.steps.append(Do(ending) if done else Start(ending))
        if done:
            self.busy.discard(self.thread)
        self.member = ""

    @rule(who=st.integers(0, 2), kind=st.sampled_from(PLAIN), key=st.sampled_from(KEYS))
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One plain operation, waited for unless something is held."""
        self.make_room()
        operation = self.operation(self.at(who), kind, key)
        self.steps.append(Do(operation))
        if self.parked:
            self.busy.add(operation.thread)

    @rule(who=st.integers(0, 2), kind=st.sampled_from(PLAIN), key=st.sampled_from(KEYS))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    def hold(self, who: int, kind: OperationKind, key: str) -> None:
        """One plain operation is held where it was called, applied and not sent, until everything settles."""
        self.make_room()
        member = self.at(who)
        operation = self.operation(member, kind, key)
        self.busy.add(operation.thread)
        self.parked[operation.op_id] = (member, key)
        self.steps.append(Park(operation, member))

    @rule()
    @precondition(lambda self: bool(self.steps))
    def settle(self) -> None:
        """Everything comes to rest and is looked at."""
        self.settle_now()

    def plan(self) -> Plan:
        """The plan so far, with an end of what was begun."""
        if self.member:
            self.end_transaction(commits=True, waited=False)
        return super().plan()


ENDS = (OperationKind.TX_COMMIT, OperationKind.TX_ROLLBACK)

TRANSACTION_MACHINES = (
    Machine(
        name="transactions",
        requirements=(
            "TX-VER-01",
            "TX-VER-02",
            "TX-DELEG-01",
            "TX-LIMIT-01",
            "TX-LIMIT-02",
            "TX-CONV-01",
            "EXT-TX-01",
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.TRANSACTIONS),
        draws=TransactionMachine,
    ),
)
"""There is one."""
