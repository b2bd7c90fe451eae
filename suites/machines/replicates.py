"""State machines of replicated regions in a site: concurrent writers of few keys; members that keep less."""

from __future__ import annotations

from typing import ClassVar

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Inject, Park, Release, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import (
    CONDITIONAL,
    LOCAL_ACTIONS,
    READS,
    HostPolicy,
    Operation,
    OperationKind,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import (
    KEYS,
    LOOSE_MOST_PER_KEY,
    REGION,
    WRITES,
    Machine,
    PlanMachine,
)

_OF_MANY = 3
"""The caller of operations on many keys."""

_LESS = (RegionPolicy.NORMAL, RegionPolicy.NORMAL, RegionPolicy.PRELOADED, RegionPolicy.EMPTY)


class ReplicatedRegionMachine(PlanMachine):
    """Ordering and conflict convergence: concurrent writers of few keys on two to four members."""

    @rule(
        members=st.sampled_from((("A", "B"), ("A", "B", "C"), ("A", "B", "C"), ("A", "B", "C", "D"))),
        checks=st.sampled_from((None, None, None, True, False)),
        scope=st.sampled_from((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
    )
    @precondition(lambda self: not self.steps)
    def begin(self, members: tuple[str, ...], checks: bool | None, scope: Scope) -> None:
        """Choose the topology before anything is called."""
        if Capability.CHECKS_SETTING not in self.offers:
            checks = None
        self.members = members if not self.fixed_members else self.fixed_members
        self.region = RegionAttributes(name=REGION, checks=checks, scope=scope)

    fixed_members: ClassVar[tuple[str, ...]] = ()
    most_at_once: ClassVar[int] = 3
    compares: ClassVar[bool] = True
    """Whether operations that expect a value are drawn; these are judged on replicates alone."""

    @rule(
        who=st.integers(0, 3),
        kind=st.sampled_from((OperationKind.PUT, *WRITES, OperationKind.GET, OperationKind.CONTAINS_KEY)),
        key=st.sampled_from(KEYS),
    )
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation, waited for: some puts and destroys are of all keys at once."""
        key = self.one_key(key)
        if self.crowded(key) and kind not in READS:
            self.settle_now()
        member = self.members[who % len(self.members)]
        bulk = self.as_bulk(kind, KEYS) if who == _OF_MANY and not self.loose else None
        operation = self.operation(member, kind, key) if bulk is None else self.bulk(member, bulk, KEYS)
        self.steps.append(Do(operation))
        if self.parked:
            # A parked listener may keep it from returning, so its thread may still be busy.
            self.busy.add(operation.thread)

    @rule(
        whos=st.lists(st.integers(0, 3), min_size=2, max_size=4),
        kinds=st.lists(st.sampled_from((OperationKind.PUT, *WRITES)), min_size=4, max_size=4),
        key=st.sampled_from(KEYS),
    )
    def burst(self, whos: list[int], kinds: list[OperationKind], key: str) -> None:
        """Several operations of one key, each on a thread of its own, none waited for."""
        key = self.one_key(key)
        if self.crowded(key):
            self.settle_now()
        for who, kind in zip(whos[:LOOSE_MOST_PER_KEY] if self.loose else whos, kinds, strict=False):
            operation = self.operation(self.members[who % len(self.members)], kind, key)
            self.busy.add(operation.thread)
            self.steps.append(Start(operation))

    @rule(
        whos=st.lists(st.integers(0, 3), min_size=2, max_size=3, unique=True),
        kinds=st.lists(st.sampled_from(WRITES), min_size=3, max_size=3),
        key=st.sampled_from(KEYS),
        order=st.permutations((0, 1, 2)),
    )
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers)
    def collide(self, whos: list[int], kinds: list[OperationKind], key: str, order: list[int]) -> None:
        """Several members change a key at the same time, provably, and are let go in any order."""
        self.settle_now()
        base = self.operation(self.members[whos[0] % len(self.members)], OperationKind.PUT, key)
        self.steps += [Do(base), Settle()]
        chosen = dict.fromkeys(self.members[who % len(self.members)] for who in whos[: self.most_at_once])
        parked: list[Operation] = []
        for member, kind in zip(chosen, kinds, strict=False):
            # Held at the member that calls, after it has applied the operation and before it sends it.
            operation = self.operation(
                member, kind if kind in _CHANGES_A_PRESENT_KEY else OperationKind.PUT, key
            )
            self.busy.add(operation.thread)
            self.steps.append(Park(operation, member))
            parked.append(operation)
        for index in order:
            if index < len(parked):
                self.steps.append(Release(parked[index].op_id, parked[index].member))

    @rule(
        who=st.integers(0, 3),
        kind=st.sampled_from(sorted(CONDITIONAL)),
        key=st.sampled_from(KEYS),
        right=st.sampled_from((True, True, False)),
    )
    @precondition(lambda self: self.compares and Capability.CONDITIONAL_OPERATIONS in self.offers)
    def compare(self, who: int, kind: OperationKind, key: str, right: bool) -> None:
        """One operation that expects the value that was put last, or another, beside what is under way."""
        key = self.one_key(key)
        if not self.steps or self.crowded(key):
            self.settle_now()
        operation = self.expecting(self.members[who % len(self.members)], kind, key, right=right)
        self.steps.append(Do(operation))
        if self.parked:
            self.busy.add(operation.thread)

    def one_key(self, key: str) -> str:
        """The key drawn; always the same one where every order has to be tried."""
        return KEYS[0] if self.loose else key

    @rule(who=st.integers(0, 3), at=st.integers(0, 3), key=st.sampled_from(KEYS))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    def hold(self, who: int, at: int, key: str) -> None:
        """One operation is held in a listener until the next settle point; others go on beside it."""
        key = self.one_key(key)
        if self.crowded(key):
            self.settle_now()
        member, holder = (self.members[index % len(self.members)] for index in (who, at))
        self.park(self.operation(member, OperationKind.PUT, key), holder)

    @rule()
    @precondition(lambda self: bool(self.steps))
    def settle(self) -> None:
        """Everything comes to rest and is looked at."""
        self.settle_now()


class LesserMembersMachine(ReplicatedRegionMachine):
    """Members that keep less than a replicate call beside replicates, one of which may be killed."""

    # Of more the search may take too long: where members keep less, hardly any step is claimed.
    most_at_once: ClassVar[int] = 2
    compares: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        self.dead: tuple[str, ...] = ()

    @rule(
        members=st.sampled_from((("A", "B"), ("A", "B", "C"), ("A", "B", "C"))),
        checks=st.sampled_from((None, None, None, True, False)),
        scope=st.sampled_from((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
    )
    @precondition(lambda self: not self.steps)
    def begin(self, members: tuple[str, ...], checks: bool | None, scope: Scope) -> None:
        """Choose the topology before anything is called."""
        if Capability.CHECKS_SETTING not in self.offers:
            checks = None
        self.members = self.fixed_members[:3] or members
        self.region = RegionAttributes(name=REGION, checks=checks, scope=scope)

    @property
    def loose(self) -> bool:
        """Drawn as where logs carry no order: every order has to be tried, as hardly any step is claimed."""
        return True

    def operation(self, member: str, kind: OperationKind, key: str) -> Operation:
        """The next operation, a put if its caller keeps less.

        No document says how other operations end while it lacks the entry and a replicate changes it.
        """
        lesser = {host.member for host in self.region.policies} or set(self.members)
        acts = kind in READS | LOCAL_ACTIONS
        puts = not acts and (member in lesser or kind is OperationKind.CREATE)
        return super().operation(member, OperationKind.PUT if puts else kind, key)

    @rule(who=st.integers(0, 3), policy=st.sampled_from(_LESS))
    @precondition(lambda self: not self.steps)
    def keep_less(self, who: int, policy: RegionPolicy) -> None:
        """One more member keeps less than a replicate."""
        member = self.members[-1 - who % len(self.members)]
        others = tuple(host for host in self.region.policies if host.member != member)
        policies = (*others, HostPolicy(member, policy))
        self.region = msgspec.structs.replace(self.region, policies=policies)

    @rule(who=st.integers(0, 3), kind=st.sampled_from(sorted(LOCAL_ACTIONS)), key=st.sampled_from(KEYS))
    @precondition(lambda self: self.steps and not self.parked)
    def act(self, who: int, kind: OperationKind, key: str) -> None:
        """The region of a member that keeps less lets an entry expire, or evicts one, while others go on."""
        named = [host.member for host in self.region.policies]
        lesser = [member for member in named or self.members[-1:] if member in self.members]
        needed = Capability.EVICTION if kind is OperationKind.EVICT else Capability.LOCAL_EXPIRATION
        key = self.one_key(key)
        if lesser and needed in self.offers:
            if self.crowded(key):
                self.settle_now()
            operation = self.operation(lesser[who % len(lesser)], kind, key)
            evicts = kind is OperationKind.EVICT
            self.steps.append(Do(msgspec.structs.replace(operation, key="") if evicts else operation))

    @rule(who=st.integers(0, 3))
    @precondition(lambda self: Capability.MEMBER_FAULTS in self.offers and self.steps and not self.dead)
    def kill(self, who: int) -> None:
        """A member is killed, with or without operations under way."""
        victim = self.members[who % len(self.members)]
        if self.crowded(KEYS[0]):
            self.settle_now()
        self.members, self.dead = tuple(m for m in self.members if m != victim), (victim,)
        self.parked = {op_id: where for op_id, where in self.parked.items() if where[0] != victim}
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=victim)))

    def plan(self) -> Plan:
        """The plan so far; where nothing else was drawn, the last member is a normal one."""
        if not self.region.policies:
            self.region = msgspec.structs.replace(
                self.region, policies=(HostPolicy(self.members[-1], RegionPolicy.NORMAL),)
            )
        plan = super().plan()
        everybody = tuple(sorted((*self.members, *self.dead)))
        return msgspec.structs.replace(plan, topology=Topology((Site(1, everybody),)))


_CHANGES_A_PRESENT_KEY = (
    OperationKind.PUT,
    OperationKind.REPLACE,
    OperationKind.INVALIDATE,
    OperationKind.DESTROY,
)

REPLICATE_MACHINES = (
    Machine(
        name="replicated_regions",
        requirements=(
            "CONS-RR-01",
            "CONS-RR-02",
            "CONS-RR-03",
            "CONS-RR-04",
            "CONS-RR-05",
            "VER-STAMP-01",
            "VER-STAMP-02",
            "VER-STAMP-03",
            "VER-CMP-01",
            "VER-CMP-02",
            "VER-TIE-01",
            "VER-TIE-02",
            "VER-TIE-03",
            "VER-ID-01",
            "VER-OPS-01",
            "TOMB-RETAIN-01",
            "TOMB-RETAIN-02",
            "TOMB-RETAIN-04",
            "TOMB-INVIS-01",
            "DISC-LSN-01",
            "DISC-APPLIED-01",
            "STAT-CONFLATED-01",
            "STAT-CONFLATED-02",
            "CFG-CHECKS-01",
            "CFG-CHECKS-07",
            "EXT-COND-01",
            "EXT-COND-02",
            "EXT-COND-03",
            "EXT-COND-04",
            "EXT-COND-05",
            "EXT-COND-06",
            "EXT-BULK-01",
            "EXT-BULK-02",
        ),
        needs=(Capability.REPLICATED_REGIONS,),
        draws=ReplicatedRegionMachine,
    ),
    Machine(
        name="lesser_members",
        requirements=("CONS-NR-01", "CONS-NR-02", "CONS-NR-03"),
        needs=(Capability.REPLICATED_REGIONS, Capability.REGION_POLICIES),
        draws=LesserMembersMachine,
    ),
)
