"""State machines of two sites with a serial gateway sender each way: order, faults, conflicts."""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Await, Settle
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import OperationKind
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.suites.harness.fault_effect import all_have_bitten
from plumbline.suites.machines.drawing import WRITES, Machine
from plumbline.suites.machines.sites_drawing import (
    BATCH_SIZES,
    HERE,
    THERE,
    LookingSitesMachine,
    SitesMachine,
)
from plumbline.suites.scenarios.sites import APART, queues

MOST_FAULTS = 2
OPERATIONS_BEFORE = 3
"""A plan has at least so many operations before the first fault."""

WROTE_BY_BOTH_MOST = 3
"""So many writes of a key that both sites change are drawn at most between two settle points."""

HELD_UP_MOST = 2
"""The same of a key whose events may be held up, for then their outcome stays unobserved for long."""

_KINDS = st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES))


class GatewayOrderMachine(SitesMachine):
    """Writers on both members of one site, some at the other with keys of its own; queues held back."""

    most_per_key = HELD_UP_MOST
    keys = ("x", "y", "z")
    keys_there = ("p", "q")

    @rule(who=st.integers(0, 1), kind=_KINDS, key=st.sampled_from(keys))
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation, waited for; some destroys are of several keys at once."""
        two = self.keys[:2]
        bulk = self.as_bulk(kind, two) if who and kind is OperationKind.DESTROY else None
        self.do(self.change(who, HERE, kind, key) if bulk is None else self.bulk(HERE[who], bulk, two))

    @rule(who=st.integers(0, 3), key=st.sampled_from(keys))
    def get(self, who: int, key: str) -> None:
        """One reading, anywhere."""
        self.do(self.operation(self.members[who], OperationKind.GET, key))

    @rule(
        whos=st.lists(st.integers(0, 1), min_size=2, max_size=4),
        kind=_KINDS,
        keys=st.lists(st.sampled_from(keys), min_size=4, max_size=4),
    )
    def burst(self, whos: list[int], kind: OperationKind, keys: list[str]) -> None:
        """Several operations, each on a thread of its own, none waited for; at most one is no put."""
        for index, (who, key) in enumerate(zip(whos, keys, strict=False)):
            self.start(self.change(who, HERE, OperationKind.PUT if index else kind, key))

    @rule(who=st.integers(0, 1), count=st.integers(2, 4), key=st.sampled_from(keys))
    def one_after_the_other(self, who: int, count: int, key: str) -> None:
        """One thread writes several keys, one after the other; or all of them at once."""
        bulk = self.as_bulk(OperationKind.PUT, self.keys) if count == len(self.keys) else None
        if bulk is None:
            self.several(who, count, key)
        else:
            self.do(self.bulk(HERE[who], bulk, self.keys))

    @rule(who=st.integers(0, 1), kind=_KINDS, key=st.sampled_from(keys_there), waits=st.booleans())
    def call_there(self, who: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation of the other site's keys."""
        operation = self.change(who, THERE, kind, key)
        (self.do if waits else self.start)(operation)

    @rule(who=st.integers(0, 1), key=st.sampled_from(keys))
    def call_apart(self, who: int, key: str) -> None:
        """One operation of a region that no sender is attached to."""
        operation = self.change(who, HERE, OperationKind.PUT, key)
        self.do(msgspec.structs.replace(operation, region=APART))

    @rule(who=st.integers(0, 1), at=st.integers(0, 3), key=st.sampled_from(keys))
    @precondition(lambda self: Capability.LISTENER_GATES in self.offers and not self.parked)
    def hold(self, who: int, at: int, key: str) -> None:
        """One operation is held in a listener of either site until the next settle point."""
        self.park(self.change(who, HERE, OperationKind.PUT, key), self.members[at])

    @rule()
    @precondition(lambda self: self.steps and not self.broken and not self.parked)
    def pause(self) -> None:
        """The queue is held back."""
        self.break_(*self.pauses(0))

    @rule()
    @precondition(lambda self: self.broken)
    def resume(self) -> None:
        """The queue goes on."""
        self.mend()

    @rule(looks=st.booleans())
    @precondition(lambda self: self.steps)
    def settle(self, looks: bool) -> None:
        """Everything comes to rest, also while the queue is paused, and is looked at."""
        self.settle_now()
        if looks:
            self.look_at_queues()


class DispatchersMachine(GatewayOrderMachine):
    """The same with a sender that has several dispatchers and keeps the order of keys, or of threads."""

    @initialize(
        batch_size=st.sampled_from(BATCH_SIZES),
        dispatchers=st.integers(2, 3),
        order_policy=st.sampled_from(("key", "key", "thread")),
    )
    def begin(self, batch_size: int, dispatchers: int, order_policy: str) -> None:
        """Choose the senders before anything is called."""
        self.lead_by(queues(batch_size, dispatchers=dispatchers, order_policy=order_policy))

    @rule(
        whos=st.lists(st.integers(0, 1), min_size=2, max_size=2),
        kind=_KINDS,
        keys=st.lists(st.sampled_from(GatewayOrderMachine.keys), min_size=2, max_size=2),
    )
    def burst(self, whos: list[int], kind: OperationKind, keys: list[str]) -> None:
        """Two operations at once: each thread more may be one more connection, to either receiver."""
        for index, (who, key) in enumerate(zip(whos, keys, strict=True)):
            self.start(self.change(who, HERE, OperationKind.PUT if index else kind, key))

    def settle_now(self) -> None:
        """Plan that nothing is under way, nor waits: events of several threads are in no order."""
        if self.queues[0].order_policy == "thread":
            self.mend()
        super().settle_now()

    def look_at_queues(self) -> None:
        """No: each dispatcher tells of removals when it likes, and all of that would have to be tried."""


class GatewayFaultsMachine(LookingSitesMachine):
    """One or two faults among operations under way, where each finds something to break."""

    most_per_key = HELD_UP_MOST
    keys = ("x", "y")
    keys_there = ("p",)

    def __init__(self) -> None:
        super().__init__()
        self.faults = 0

    @property
    def may_break(self) -> bool:
        """Whether there may be one more fault now."""
        return self._count >= OPERATIONS_BEFORE and self.faults < MOST_FAULTS and not self.broken

    @rule(who=st.integers(0, 1), kind=_KINDS, key=st.sampled_from(keys))
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation, waited for."""
        self.do(self.change(who, HERE, kind, key))

    @rule(who=st.integers(0, 1), key=st.sampled_from(keys_there))
    def call_there(self, who: int, key: str) -> None:
        """One operation of the other site's keys."""
        self.do(self.change(who, THERE, OperationKind.PUT, key))

    @rule(who=st.integers(0, 1), count=st.integers(2, 4), key=st.sampled_from(keys))
    def one_after_the_other(self, who: int, count: int, key: str) -> None:
        """One thread writes several keys, one after the other."""
        self.several(who, count, key)

    @rule(who=st.integers(0, 1), kind=_KINDS, key=st.sampled_from(keys))
    def burst(self, who: int, kind: OperationKind, key: str) -> None:
        """Two operations of a key, on a thread each, neither waited for."""
        self.start(self.change(who, HERE, OperationKind.PUT, key))
        self.start(self.change(who + 1, HERE, kind, key))

    @rule(
        before=st.integers(0, 2), behind=st.integers(1, 3), who=st.integers(0, 1), key=st.sampled_from(keys)
    )
    @precondition(lambda self: self.may_break and Capability.LINK_FAULTS in self.offers)
    def cut(self, before: int, behind: int, who: int, key: str) -> None:
        """The link is cut, among operations under way; others are called behind it."""
        self._under_way(before, key)
        self.faults += 1
        self.break_(Fault(kind=FaultKind.LINK_DOWN, site=1, remote_site=2))
        self.several(who, behind, key)

    @rule(
        count=st.integers(0, 2),
        who=st.integers(0, 1),
        key=st.sampled_from(keys),
        calm=st.sampled_from((True, True, False)),
    )
    @precondition(lambda self: self.may_break and Capability.LINK_FAULTS in self.offers and not self.parked)
    def lose_replies(self, count: int, who: int, key: str, calm: bool) -> None:
        """Replies are lost, provably: an event is seen at the other site before the link is mended.

        It may not be if an earlier one is unanswered already, so mostly all is at rest before.
        """
        if calm:
            self.settle_now()
        self.faults += 1
        self.break_(Fault(kind=FaultKind.REPLIES_LOST, site=1, remote_site=2))
        first = self.change(who, HERE, OperationKind.PUT, key)
        self.do(first)
        (watched, *_) = (member for member in THERE if member not in self.dead)
        self.steps.append(Await(first.op_id, watched))
        self.several(who, count, key)

    @rule(
        before=st.integers(0, 2), behind=st.integers(1, 3), who=st.integers(0, 1), key=st.sampled_from(keys)
    )
    @precondition(lambda self: self.may_break)
    def stop_receivers(self, before: int, behind: int, who: int, key: str) -> None:
        """All receivers of a site are stopped, among operations under way."""
        self._under_way(before, key)
        self.faults += 1
        self.break_(
            *(
                Fault(kind=FaultKind.RECEIVER_STOP, member=member)
                for member in THERE
                if member not in self.dead
            )
        )
        self.several(who, behind, key)

    @rule(
        victim=st.sampled_from((*HERE, *HERE, *THERE)),
        how=st.integers(0, 3),
        at=st.integers(0, 3),
        count=st.integers(1, 3),
        key=st.sampled_from(keys),
    )
    @precondition(
        lambda self: (
            self._count >= OPERATIONS_BEFORE
            and self.faults < MOST_FAULTS
            and not self.dead
            and Capability.MEMBER_FAULTS in self.offers
        )
    )
    def crash(self, victim: str, how: int, at: int, count: int, key: str) -> None:
        """A member dies while events have yet to cross, by what was broken before, or held for it."""
        if not self.broken and not self.parked:
            holder = self.members[at]
            if how and Capability.LISTENER_GATES in self.offers and holder != victim:
                self.park(self.change(at, HERE, OperationKind.PUT, key), holder)
            else:
                self.settle_now()
                self.break_(*self.pauses(0))
        self._under_way(count, key)
        self.faults += 1
        self.break_(Fault(kind=FaultKind.CRASH, member=victim))

    @rule()
    @precondition(lambda self: self.broken)
    def repair(self) -> None:
        """A fault is mended, with or without operations under way."""
        self.mend()

    def teardown(self) -> None:
        """A plan without a fault gets one."""
        if self.steps and not self.faults:
            self.settle_now()
            if Capability.LINK_FAULTS in self.offers and self._count % 2:
                self.cut(before=1, behind=2, who=0, key=self.keys[0])
            else:
                self.stop_receivers(before=1, behind=2, who=1, key=self.keys[0])
        super().teardown()

    def _under_way(self, count: int, key: str) -> None:
        for index in range(count):
            self.start(self.change(index, HERE, OperationKind.PUT, key))


class ConflictsMachine(SitesMachine):
    """All sites change the same keys; how what they change is made to conflict is left to others."""

    most_per_key = WROTE_BY_BOTH_MOST
    keys = ("x", "y")

    def make_room(self) -> None:
        """Plan that all has crossed."""
        self.rest()

    @rule(who=st.integers(0, 3), kind=_KINDS, key=st.sampled_from(keys))
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation, waited for."""
        self.do(self.change(who, self.members, kind, key))

    @rule(whos=st.lists(st.integers(0, 3), min_size=2, max_size=3), key=st.sampled_from(keys))
    def burst(self, whos: list[int], key: str) -> None:
        """Several puts of a key, none waited for."""
        for who in whos:
            self.start(self.change(who, self.members, OperationKind.PUT, key))


class SitesConflictsMachine(ConflictsMachine):
    """Both sites change the same keys, and links are cut and healed both ways, so that they conflict."""

    keys = ConflictsMachine.keys

    @rule(
        here=st.lists(_KINDS, min_size=1, max_size=2),
        there=st.lists(_KINDS, min_size=1, max_size=2),
        who=st.integers(0, 3),
        key=st.sampled_from(keys),
        first=st.booleans(),
        settles=st.booleans(),
    )
    def conflict(
        self,
        here: list[OperationKind],
        there: list[OperationKind],
        who: int,
        key: str,
        first: bool,
        settles: bool,
    ) -> None:
        """Both sites change a key while nothing passes between them; then the links are mended."""
        self.rest()
        self.do(self.change(who, self.members, OperationKind.PUT, key))
        self.rest()
        ways = self._both_ways()
        self.break_(*ways)
        for site, kinds in ((HERE, here), (THERE, there)) if first else ((THERE, there), (HERE, here)):
            for index, kind in enumerate(kinds):
                self.do(self.change(who + index, site, kind, key))
        if settles:
            self.steps.append(Settle())
        self.mend()
        self.rest()

    @rule(back=st.booleans())
    @precondition(lambda self: self.steps and not self.broken)
    def cut(self, back: bool) -> None:
        """The way from one site to the other is cut for a while."""
        ways = self._both_ways()
        half = len(ways) // 2
        self.break_(*(ways[half:] if back else ways[:half]))

    @rule()
    @precondition(lambda self: self.steps)
    def settle(self) -> None:
        """Everything that was called crosses, comes to rest and is looked at."""
        self.rest()

    def _both_ways(self) -> list[Fault]:
        if Capability.LINK_FAULTS not in self.offers:
            return [*self.pauses(0), *self.pauses(1)]
        return [
            Fault(kind=FaultKind.LINK_DOWN, site=1, remote_site=2),
            Fault(kind=FaultKind.LINK_DOWN, site=2, remote_site=1),
        ]


def _with_variants(*requirements: str) -> tuple[str, ...]:
    """The requirements that have a faulty variant. For others no example could be shown to exercise them."""
    broken = {requirement for variant in FAULTY.values() for requirement in variant.requirements}
    return tuple(requirement for requirement in requirements if requirement in broken)


_NEEDS = (Capability.REPLICATED_REGIONS, Capability.GATEWAYS)

GATEWAY_MACHINES = (
    Machine(
        name="gateway_order",
        requirements=_with_variants(
            "WAN-CFG-01",
            "WAN-ASYNC-01",
            "WAN-ORDER-01",
            "WAN-OPS-01",
            "WAN-OPS-02",
            "WAN-OPS-03",
            "WAN-OPS-04",
            "WAN-OPS-05",
            "WAN-OPS-09",
            "WAN-OPS-10",
            "GWQ-PROC-01",
            "GWQ-PROC-02",
            "GWQ-BATCH-06",
            "GWQ-ACK-01",
            "GWQ-ACK-02",
            "GWQ-ACK-04",
            "SHQ-CREATE-01",
            "SHQ-TYPE-01",
            "SHQ-FIFO-01",
            "SHQ-FIFO-02",
            "SER-ENQ-01",
            "SER-PRIMARY-01",
            "SER-PRIMARY-03",
            "SER-SECONDARY-02",
            "SER-SECONDARY-03",
            "SER-SECONDARY-04",
            "REM-SERIAL-02",
            "STAT-QUEUE-01",
            "RCV-APPLY-01",
        ),
        needs=_NEEDS,
        draws=GatewayOrderMachine,
    ),
    Machine(
        name="several_dispatchers",
        requirements=_with_variants("WAN-ORDER-02"),
        needs=_NEEDS,
        draws=DispatchersMachine,
    ),
    Machine(
        name="gateway_faults",
        requirements=_with_variants(
            "WAN-ASYNC-01",
            "WAN-ORDER-01",
            "WAN-ORDER-03",
            "GWQ-PROC-02",
            "GWQ-ACK-01",
            "GWQ-ACK-02",
            "GWQ-ACK-03",
            "GWQ-ACK-05",
            "GWQ-ACK-06",
            "GWQ-RETRY-01",
            "GWQ-RETRY-02",
            "GWQ-RETRY-04",
            "GWQ-RETRY-05",
            "SHQ-FIFO-01",
            "SHQ-FIFO-02",
            "SER-ENQ-02",
            "SER-PRIMARY-03",
            "SER-PRIMARY-04",
            "SER-PRIMARY-05",
            "SER-FAILOVER-01",
            "SER-FAILOVER-02",
            "REM-SERIAL-02",
            "REM-SERIAL-03",
            "REM-SERIAL-04",
            "RCV-DEDUP-01",
        ),
        needs=_NEEDS,
        draws=GatewayFaultsMachine,
        counts=all_have_bitten,
    ),
    Machine(
        name="sites_conflicts",
        requirements=_with_variants(
            "WANC-LOCAL-01",
            "WANC-LOCAL-02",
            "WANC-PEER-01",
            "WANC-META-01",
            "WANC-CHK-01",
            "WANC-NEW-01",
            "WANC-SAME-01",
            "WANC-TS-01",
            "WANC-TS-02",
        ),
        needs=_NEEDS,
        draws=SitesConflictsMachine,
    ),
)
"""The machines of two sites."""
