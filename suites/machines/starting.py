"""A state machine of members with gateway senders that start again while calls are under way (002, 004).

A member of a site dies, and starts again once all has settled. Others write while its copies are on their
way. What it has by then shows when the other member dies, and when the queues are looked at.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Inject
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.join_actions import BeginJoin, EndJoin, ReleaseCopy
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.suites.machines.drawing import REGION, WRITES, Machine
from plumbline.suites.machines.joining import meets_an_operation
from plumbline.suites.machines.sites_drawing import HERE, THERE, LookingSitesMachine

MOST_DEATHS = 2
"""So often members of the first site die in one plan."""

MOST_MEANWHILE = 2
"""So many operations are called from a member's start to the next settle point: nothing is claimed there."""

_KINDS = st.sampled_from((OperationKind.PUT, OperationKind.PUT, *WRITES))


class StartingMachine(LookingSitesMachine):
    """Writers on both members of a site, one of which dies and starts again among their operations."""

    most_per_key = 3
    keys = ("x", "y")
    keys_there = ("x",)

    def __init__(self) -> None:
        super().__init__()
        self.deaths = 0
        self.starting: dict[str, bool] = {}
        self.meanwhile = 0
        self.met = False

    def change(self, who: int, of: tuple[str, ...], kind: OperationKind, key: str) -> Operation:
        """The next operation; the member that starts has its copies first if many have been called."""
        if self.meanwhile >= MOST_MEANWHILE:
            self.settle_now()
        self.meanwhile += bool(self.meanwhile or self.starting)
        return super().change(who, of, kind, key)

    @rule(
        who=st.integers(0, 1),
        kind=_KINDS,
        key=st.sampled_from(keys),
        waits=st.sampled_from((True, True, False)),
    )
    def call(self, who: int, kind: OperationKind, key: str, waits: bool) -> None:
        """One operation, waited for or not."""
        operation = self.change(who, HERE, kind, key)
        self.met |= bool(self.starting)
        if waits:
            self.do(operation)
        else:
            self.start(operation)

    @rule(who=st.integers(0, 1), key=st.sampled_from(keys_there))
    def call_there(self, who: int, key: str) -> None:
        """One operation at the other site; none comes beside it while a member starts again."""
        if self.meanwhile:
            self.settle_now()
        self.do(self.change(who, THERE, OperationKind.PUT, key))
        self.meanwhile = MOST_MEANWHILE if self.starting else 0

    @rule()
    @precondition(lambda self: self.steps and not self.broken and not self.starting)
    def hold_up(self) -> None:
        """At rest all receivers of the other site are stopped, so that what is queued stays queued."""
        self.settle_now()
        self.break_(*(Fault(kind=FaultKind.RECEIVER_STOP, member=member) for member in THERE))

    @rule()
    @precondition(lambda self: self.broken and self.meanwhile < MOST_MEANWHILE)
    def repair(self) -> None:
        """The receivers start again."""
        self.mend()

    @rule(who=st.integers(0, 1), held=st.booleans(), waits=st.booleans())
    @precondition(lambda self: self.steps and not self.starting and self.deaths < MOST_DEATHS)
    def die(self, who: int, held: bool, waits: bool) -> None:
        """At rest a member dies, and begins to start again; an operation is called meanwhile.

        What is under way as a member dies is drawn by other machines.
        """
        self.deaths += 1
        one = HERE[who]
        self.settle_now()
        self.steps.append(Inject(Fault(kind=FaultKind.CRASH, member=one)))
        self.dead.add(one)
        self.finish_all()
        self.starting[one] = held
        self.steps.append(BeginJoin(one, REGION, held, again=True))
        self.call(1 - who, OperationKind.PUT, self.keys[who], waits)

    @rule()
    @precondition(lambda self: self.starting)
    def end(self) -> None:
        """Its copy is let go, and its start waited for."""
        self._end()

    def _end(self) -> None:
        for member, held in self.starting.items():
            if held:
                self.steps.append(ReleaseCopy(member, REGION))
            self.steps.append(EndJoin(member, REGION))
            self.dead.discard(member)
        self.starting.clear()

    def settle_now(self) -> None:
        """Plan that what starts again has its copies, and that everything comes to rest."""
        self._end()
        self.meanwhile = 0
        super().settle_now()

    def teardown(self) -> None:
        """A plan in which no member has started again has one do so with events in the queue."""
        if self.steps and not self.met:
            if not self.broken and not self.starting:
                self.hold_up()
            self.settle_now()
            self.die(self._count % 2, held=True, waits=True)
            self.settle_now()
            self.look_at_queues()
        self._end()
        super().teardown()


STARTING_MACHINES = (
    Machine(
        name="members_starting_again",
        requirements=(
            "SER-PRIMARY-03",
            "SER-PRIMARY-04",
            "SER-FAILOVER-01",
            "GWQ-ACK-03",
        ),
        needs=(
            Capability.REPLICATED_REGIONS,
            Capability.GATEWAYS,
            Capability.MEMBER_FAULTS,
            Capability.HELD_JOINS,
            Capability.CONCURRENT_RESTARTS,
        ),
        draws=StartingMachine,
        counts=meets_an_operation,
    ),
)
"""The machine of members that start again beside all else."""
