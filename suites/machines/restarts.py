"""A state machine of queues whose members die and start again from their disks."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Finish, Inject
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.machines.drawing import WRITES, Machine
from plumbline.suites.machines.sites_drawing import BATCH_SIZES, HERE, THERE, LookingSitesMachine
from plumbline.suites.scenarios.sites import BATCH_SIZE, queues

MOST_DEATHS = 2
"""So often members die in one plan, one of them or all of their site."""

MOST_HOLDS = 1
"""So often receivers are stopped: each time more events may be on their way when they stop."""

LONG_VALUE_BYTES = 600_000
"""Two such values need more than a megabyte."""

_KINDS = st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES))


class GatewayRestartsMachine(LookingSitesMachine):
    """Writers on both members of a site, which die among operations under way and start again."""

    most_per_key = 3
    keys = ("x", "y", "z")
    keys_there = ("p",)

    def __init__(self) -> None:
        super().__init__()
        self.deaths = self.holds = 0

    @initialize(
        batch_size=st.sampled_from(BATCH_SIZES),
        persistent=st.sampled_from((True, True, False)),
        value_bytes=st.sampled_from((0, 0, LONG_VALUE_BYTES)),
    )
    def begin(self, batch_size: int, persistent: bool, value_bytes: int) -> None:
        """Choose the senders before anything is called, and whether a few values fill their memory."""
        self.value_bytes = value_bytes
        if value_bytes:
            self.lead_by(queues(BATCH_SIZE, persistent=persistent, memory_mb=1))
        else:
            self.lead_by(queues(batch_size, persistent=persistent))

    @rule(who=st.integers(0, 1), kind=_KINDS, key=st.sampled_from(keys))
    def call(self, who: int, kind: OperationKind, key: str) -> None:
        """One operation, waited for."""
        self.do(self.change(who, HERE, kind, key))

    @rule(who=st.integers(0, 1), key=st.sampled_from(keys_there))
    def call_there(self, who: int, key: str) -> None:
        """One operation of the other site's keys."""
        self.do(self.change(who, THERE, OperationKind.PUT, key))

    @rule(who=st.integers(0, 1), count=st.integers(2, 3), key=st.sampled_from(keys))
    def one_after_the_other(self, who: int, count: int, key: str) -> None:
        """One thread writes several keys, one after the other."""
        self.several(who, count, key)

    @rule()
    @precondition(lambda self: self.steps and not self.broken and self.holds < MOST_HOLDS)
    def hold_up(self) -> None:
        """All receivers of the other site are stopped, so that what is queued stays queued."""
        self.holds += 1
        self.break_(*(Fault(kind=FaultKind.RECEIVER_STOP, member=member) for member in THERE))

    @rule(calls=st.lists(st.tuples(st.integers(0, 1), st.sampled_from(keys)), min_size=2, max_size=4))
    @precondition(lambda self: self.value_bytes and (self.broken or self.holds < MOST_HOLDS))
    def fill(self, calls: list[tuple[int, str]]) -> None:
        """Several values are put while all receivers are stopped, so that the queue exceeds its memory."""
        if not self.broken:
            self.hold_up()
        for who, key in calls:
            self.do(self.change(who, HERE, OperationKind.PUT, key))

    @rule()
    @precondition(lambda self: self.broken)
    def repair(self) -> None:
        """The receivers start again."""
        self.mend()

    @rule(
        started=st.lists(st.tuples(st.integers(0, 1), st.sampled_from(keys)), max_size=2),
        both=st.booleans(),
        first=st.integers(0, 1),
        rests=st.booleans(),
        between=st.booleans(),
        last_first=st.booleans(),
        repaired=st.booleans(),
        later=st.booleans(),
        key=st.sampled_from(keys),
    )
    @precondition(lambda self: self.steps and self.deaths < MOST_DEATHS)
    def die(
        self,
        started: list[tuple[int, str]],
        both: bool,
        first: int,
        rests: bool,
        between: bool,
        last_first: bool,
        repaired: bool,
        later: bool,
        key: str,
    ) -> None:
        """One member dies, or both one after the other; then they start again, in either order."""
        self.deaths += 1
        if rests:
            self.settle_now()
        calls = []
        for who, at in started:
            calls.append(self.change(who, HERE, OperationKind.PUT, at))
            self.start(calls[-1])
        one, other = HERE[first], HERE[1 - first]
        self.break_(Fault(kind=FaultKind.CRASH, member=one))
        if between:
            self.do(self.change(0, HERE, OperationKind.PUT, key))
        dead = [one, other] if both else [one]
        if both:
            self.break_(Fault(kind=FaultKind.CRASH, member=other))
        self.steps += [Finish(operation.op_id) for operation in calls]
        if repaired:
            self.mend()
        for member in reversed(dead) if last_first else dead:
            self.steps.append(Inject(Fault(kind=FaultKind.RECOVER, member=member)))
            self.dead.discard(member)
        if later:
            self.do(self.change(first, HERE, OperationKind.PUT, key))
        self.settle_now()
        self.look_at_queues()

    def teardown(self) -> None:
        """A plan in which no member has died has both die with events in the queue."""
        if self.steps and not self.deaths:
            if not self.broken:
                self.hold_up()
            self.several(0, 2, self.keys[0])
            self.die(
                started=[],
                both=True,
                first=self._count % 2,
                rests=False,
                between=False,
                last_first=True,
                repaired=False,
                later=True,
                key=self.keys[0],
            )
        super().teardown()


RESTART_MACHINES = (
    Machine(
        name="gateway_restarts",
        requirements=(
            "GWQ-PERSIST-01",
            "GWQ-PERSIST-02",
            "GWQ-PERSIST-03",
            "GWQ-OVERFLOW-01",
            "GWQ-OVERFLOW-02",
            "GWQ-OVERFLOW-03",
            "REM-SCOPE-01",
            "SER-PRIMARY-04",
        ),
        needs=(
            Capability.REPLICATED_REGIONS,
            Capability.GATEWAYS,
            Capability.MEMBER_FAULTS,
            Capability.DISK,
        ),
        draws=GatewayRestartsMachine,
    ),
)
"""The machine of members that start again."""
