"""State machines of two sites where cache writers refuse some of what comes from the other site.

Writers refuse other keys again and again. The link is cut, the sender is paused, and a member of either site
dies while failed events are under way. In one machine the sender removes failed events, in the other it keeps
them.
"""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import FAILURES, Count, PlanStep, Script, Settle
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.log_lines import ALERTS, REFUSALS, naming
from plumbline.reference.history.moments import Called, Scripted
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.machines.drawing import REGION, Machine
from plumbline.suites.machines.gateways import GatewayOrderMachine
from plumbline.suites.machines.sites_drawing import BATCH_SIZES, HERE, THERE
from plumbline.suites.scenarios.sites import queues

REFUSED = (("x",), ("x", "z"), ("y",), ("x", "y", "z"), ())
"""Keys that writers refuse; the last time none."""


class FailingEventsMachine(GatewayOrderMachine):
    """Writers at site 2 refuse keys that site 1 writes; which these are changes."""

    most_per_key = 3
    keeps: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        self.refused: tuple[str, ...] = ()
        self.faults = 0

    @initialize(batch_size=st.sampled_from(BATCH_SIZES))
    def begin(self, batch_size: int) -> None:
        """Choose the senders before anything is called."""
        self.lead_by(queues(batch_size, keeps_failed=self.keeps))

    @initialize(refused=st.sampled_from(REFUSED[:-1]))
    def begin_refusing(self, refused: tuple[str, ...]) -> None:
        """Some events fail from the beginning."""
        self._refuse(refused)

    @rule(refused=st.sampled_from(REFUSED))
    @precondition(lambda self: self.writes and not self.dead)
    def refuse(self, refused: tuple[str, ...]) -> None:
        """Other events fail from here on, or none; what is kept can succeed then."""
        self.settle_now()
        self._refuse(refused)

    @rule(behind=st.integers(1, 3), key=st.sampled_from(("x", "y", "z")))
    @precondition(
        lambda self: (
            self.writes
            and not self.faults
            and not self.broken
            and not self.parked
            and Capability.LINK_FAULTS in self.offers
        )
    )
    def cut(self, behind: int, key: str) -> None:
        """The link is cut while an event may be under way; others are called behind it."""
        self.start(self.change(behind, HERE, OperationKind.PUT, key))
        self.faults += 1
        self.break_(Fault(kind=FaultKind.LINK_DOWN, site=1, remote_site=2))
        self.several(0, behind, key)

    @rule(victim=st.sampled_from((*HERE, *THERE)), key=st.sampled_from(("x", "y", "z")))
    @precondition(lambda self: self.writes and not self.faults and Capability.MEMBER_FAULTS in self.offers)
    def crash(self, victim: str, key: str) -> None:
        """A member dies while events are under way, of which some fail."""
        for who in range(2):
            self.start(self.change(who, HERE, OperationKind.PUT, key))
        self.faults += 1
        self.break_(Fault(kind=FaultKind.CRASH, member=victim))

    @rule(at=st.integers(0, 1))
    @precondition(lambda self: Capability.FAILURE_COUNTS in self.offers and THERE[0] not in self.dead)
    def count(self, at: int) -> None:
        """The failures that a receiver has reported, while everything rests."""
        if THERE[at] not in self.dead:
            self.settle_now()
            self.steps.append(Count(THERE[at], FAILURES))

    @rule(at=st.integers(0, 1), kind=st.sampled_from((ALERTS, naming("x"), naming("z"), REFUSALS)))
    @precondition(lambda self: self.writes and Capability.LOG_LINES in self.offers)
    def read_log(self, at: int, kind: str) -> None:
        """What a member of site 1 has logged of events that failed, while everything rests."""
        if HERE[at] not in self.dead:
            self.settle_now()
            self.steps.append(Count(HERE[at], kind))

    def closing(self) -> list[PlanStep]:
        """In the end nothing is refused any more, so that what was kept arrives."""
        accepting = [Script(member, REGION, ()) for member in THERE if member not in self.dead]
        return [*super().closing(), Settle(), *accepting, Settle()]

    def _refuse(self, keys: tuple[str, ...]) -> None:
        self.refused = keys
        self.steps += [Script(member, REGION, keys) for member in THERE]


class KeptEventsMachine(FailingEventsMachine):
    """The same with a sender that keeps failed events: they arrive once they are accepted."""

    keeps = True


def some_event_meets_a_refusal(history: History) -> bool:
    """Whether site 1 wrote a key while writers of site 2 refused it."""
    refused: dict[str, tuple[str, ...]] = {}
    for what in history.timeline:
        if isinstance(what, Scripted):
            refused[what.member] = what.refuses
        called = what.operation if isinstance(what, Called) and what.operation.member in HERE else None
        if called is not None and any(called.key in keys for keys in refused.values()):
            return True
    return False


NEEDS = (Capability.REPLICATED_REGIONS, Capability.GATEWAYS, Capability.CALLBACK_SCRIPTS)

FAILING_EVENT_MACHINES = (
    Machine(
        name="failing-events",
        requirements=(
            "GWQ-FAILACK-01",
            "GWQ-FAILACK-02",
            "GWQ-FAILACK-03",
            "GWQ-FAILACK-04",
            "GWQ-FAILACK-05",
            "GWQ-FAILACK-06",
        ),
        needs=NEEDS,
        draws=FailingEventsMachine,
        counts=some_event_meets_a_refusal,
    ),
    Machine(
        name="kept-events",
        requirements=("RCV-RETRY-01", "GWQ-FAILACK-05"),
        # A plan comes to rest some ten times. Where a receiver pauses between its attempts in real time, each
        # takes seconds.
        needs=(*NEEDS, Capability.VIRTUAL_TIME),
        draws=KeptEventsMachine,
        counts=some_event_meets_a_refusal,
    ),
)
"""Machines of events that fail."""
