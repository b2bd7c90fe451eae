"""A state machine of two sites whose first gateway sender conflates, while the other one does not.

An extension. The sender is paused again and again, so that updates of few keys wait together. Regions share
it, links break, and members die with what their queues hold.
"""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do, Park, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called
from plumbline.reference.history.operations import STORES_VALUE, OperationKind, Scope
from plumbline.reference.history.plans import Plan
from plumbline.suites.machines.drawing import Machine
from plumbline.suites.machines.gateways import GatewayOrderMachine
from plumbline.suites.machines.sites_drawing import BATCH_SIZES, HERE, THERE, TOPOLOGY
from plumbline.suites.scenarios.sites import APART, SECOND, queues, regions

_CHANGES = st.sampled_from((OperationKind.PUT,) * 4 + (OperationKind.DESTROY, OperationKind.INVALIDATE))


class ConflationMachine(GatewayOrderMachine):
    """Runs of updates of few keys, with destroys between them, while the sender is held back."""

    most_per_key = 4
    keys = ("x", "y", "z")

    def __init__(self) -> None:
        super().__init__()
        self.faults = 0

    @initialize(batch_size=st.sampled_from(BATCH_SIZES))
    def begin(self, batch_size: int) -> None:
        """Choose the senders before anything is called."""
        self.lead_by(queues(batch_size, conflate=True))

    @rule(kinds=st.lists(_CHANGES, min_size=3, max_size=4), who=st.integers(0, 1), key=st.sampled_from(keys))
    @precondition(lambda self: not self.parked)
    def gather(self, kinds: list[OperationKind], who: int, key: str) -> None:
        """Several changes of one key wait together behind a put of it, which has crossed."""
        self.rest()
        self.do(self.change(who, HERE, OperationKind.PUT, key))
        self.settle_now()
        self.break_(*self.pauses(0))
        for turn, kind in enumerate(kinds):
            self.do(self.change(who + turn, HERE, kind, key))

    @rule(who=st.integers(0, 1), key=st.sampled_from(keys))
    def call_in_second(self, who: int, key: str) -> None:
        """One put of a key in the other region of the sender."""
        operation = self.change(who, HERE, OperationKind.PUT, key)
        self.do(msgspec.structs.replace(operation, region=SECOND))

    @rule(count=st.integers(2, 3), who=st.integers(0, 1), key=st.sampled_from(GatewayOrderMachine.keys_there))
    @precondition(lambda self: not self.parked)
    def gather_there(self, count: int, who: int, key: str) -> None:
        """Several updates wait at the other site, whose sender does not conflate."""
        self.rest()
        self.break_(*self.pauses(1))
        for turn in range(count):
            self.do(self.change(who + turn, THERE, OperationKind.PUT, key))

    @rule(behind=st.integers(1, 3), who=st.integers(0, 1), key=st.sampled_from(keys))
    @precondition(
        lambda self: (
            self.writes and not (self.faults or self.broken) and Capability.LINK_FAULTS in self.offers
        )
    )
    def cut(self, behind: int, who: int, key: str) -> None:
        """The link is cut while an update may be under way; others are called behind it."""
        self.start(self.change(who, HERE, OperationKind.PUT, key))
        self.faults += 1
        self.break_(Fault(kind=FaultKind.LINK_DOWN, site=1, remote_site=2))
        for turn in range(behind):
            self.do(self.change(who + turn, HERE, OperationKind.PUT, key))

    @rule(victim=st.sampled_from(HERE))
    @precondition(
        lambda self: (
            self.broken and not (self.faults or self.parked) and Capability.MEMBER_FAULTS in self.offers
        )
    )
    def crash(self, victim: str) -> None:
        """A member dies while events wait; the other goes on with its own copy of them."""
        self.settle_now()
        self.faults += 1
        self.break_(Fault(kind=FaultKind.CRASH, member=victim))

    def look_at_queues(self) -> None:
        """No: a copy shortens when it likes, and all of that would have to be tried."""

    def plan(self) -> Plan:
        """The plan so far, with the second region where it is used."""
        planned = super().plan()
        used = {step.operation.region for step in self.steps if isinstance(step, Do | Start | Park)}
        if SECOND not in used:
            return planned
        fed = [
            one
            for one in regions(self.queues, Scope.ACK, None, (SECOND,))
            if one.name != APART or APART in used
        ]
        return Plan(TOPOLOGY, tuple(fed), planned.steps, planned.queues)


def some_update_waits_behind_another(history: History) -> bool:
    """Whether some key is written twice at one site, so that an update may make way."""
    seen: set[tuple[str, str | None, bool]] = set()
    for what in history.timeline:
        if isinstance(what, Called) and what.operation.kind in STORES_VALUE:
            entry = (what.operation.region, what.operation.key, what.operation.member in HERE)
            if entry in seen:
                return True
            seen.add(entry)
    return False


CONFLATION_MACHINES = (
    Machine(
        name="conflation",
        requirements=("EXT-CONFL-01", "EXT-CONFL-02", "EXT-CONFL-03", "EXT-CONFL-04", "EXT-CONFL-05"),
        needs=(Capability.REPLICATED_REGIONS, Capability.GATEWAYS, Capability.QUEUE_CONFLATION),
        draws=ConflationMachine,
        counts=some_update_waits_behind_another,
    ),
)
"""The machine of senders that conflate."""
