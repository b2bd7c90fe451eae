"""A state machine of two sites whose queues have event filters: senders both ways, and a queue that listens.

An extension. Each filter names keys that are also written beside others in one batch. Senders are paused,
links break, listeners fail, and members die with what their queues hold.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import ScriptQueue
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.listener_calls import ANSWERS
from plumbline.reference.history.moments import Called
from plumbline.reference.history.operations import OperationKind
from plumbline.suites.machines.drawing import Machine
from plumbline.suites.machines.gateways import GatewayOrderMachine
from plumbline.suites.machines.sites_drawing import BATCH_SIZES, HERE, THERE
from plumbline.suites.scenarios.listening import listened_queues
from plumbline.suites.scenarios.sites import filtering, queues

_FILTERS = st.sampled_from(
    ((("x",), ()), ((), ("x",)), ((), ("y", "z")), (("x",), ("y",)), (("x", "y"), ("z",)))
)
"""The keys that a filter refuses, and those that it withholds; some events of each plan pass."""

_FILTERS_THERE = st.sampled_from((((), ()), (("p",), ()), ((), ("q",))))
_CHANGES = st.sampled_from((OperationKind.PUT,) * 3 + (OperationKind.DESTROY,))


class EventFiltersMachine(GatewayOrderMachine):
    """Runs of events of several keys, of which a filter names some, through queues that are held back."""

    def __init__(self) -> None:
        super().__init__()
        self.faults = 0

    @initialize(
        batch_size=st.sampled_from(BATCH_SIZES),
        here=_FILTERS,
        there=_FILTERS_THERE,
        listens=st.none() | _FILTERS | st.just(((), ())),
    )
    def begin(
        self,
        batch_size: int,
        here: tuple[tuple[str, ...], tuple[str, ...]],
        there: tuple[tuple[str, ...], tuple[str, ...]],
        listens: tuple[tuple[str, ...], tuple[str, ...]] | None,
    ) -> None:
        """Choose the queues and their filters before anything is called."""
        first, back = queues(batch_size)
        fed = [filtering(first, *here), filtering(back, *there)]
        if listens is not None and Capability.ASYNC_QUEUES in self.offers:
            fed += [filtering(queue, *listens) for queue in listened_queues(batch_size)]
        self.lead_by(tuple(fed))

    @rule(
        keys=st.lists(st.sampled_from(GatewayOrderMachine.keys), min_size=3, max_size=5),
        kinds=st.lists(_CHANGES, min_size=5, max_size=5),
        who=st.integers(0, 1),
    )
    @precondition(lambda self: not self.parked)
    def gather(self, keys: list[str], kinds: list[OperationKind], who: int) -> None:
        """Events of several keys wait together behind a sender that is paused."""
        self.rest()
        self.break_(*self.pauses(0))
        for turn, (key, kind) in enumerate(zip(keys, kinds, strict=False)):
            self.do(self.change(who + turn, HERE, kind, key))

    @rule(behind=st.integers(1, 3), who=st.integers(0, 1), key=st.integers(0, 2))
    @precondition(
        lambda self: (
            self.writes and not (self.faults or self.broken) and Capability.LINK_FAULTS in self.offers
        )
    )
    def cut(self, behind: int, who: int, key: int) -> None:
        """The link is cut while an event may be under way; others are called behind it."""
        self.start(self.change(who, HERE, OperationKind.PUT, self.keys[key]))
        self.faults += 1
        self.break_(Fault(kind=FaultKind.LINK_DOWN, site=1, remote_site=2))
        for turn in range(behind):
            self.do(
                self.change(who + turn, HERE, OperationKind.PUT, self.keys[(key + turn) % len(self.keys)])
            )

    @rule(victim=st.sampled_from((*HERE, *HERE, *THERE)))
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

    @rule(answers=st.lists(st.sampled_from(ANSWERS), min_size=1, max_size=2))
    @precondition(
        lambda self: (
            len(self.queues) > len(("here", "there"))
            and Capability.CALLBACK_SCRIPTS in self.offers
            and not self.parked
        )
    )
    def fail(self, answers: list[str]) -> None:
        """The listeners of the queue that listens are told what to answer to their next calls."""
        self.settle_now()
        for member in HERE:
            if member not in self.dead:
                self.steps.append(ScriptQueue(member, self.queues[-1].id, tuple(answers)))


def some_filter_leaves_out_an_event(history: History) -> bool:
    """Whether something is written that the filter of a queue of its site names."""
    named = {
        (queue.site, key) for queue in history.queues for key in (*queue.refused_keys, *queue.withheld_keys)
    }
    site_of = history.topology.site_of
    return any(
        (site_of(what.operation.member).number, what.operation.key) in named
        for what in history.timeline
        if isinstance(what, Called)
    )


EVENT_FILTER_MACHINES = (
    Machine(
        name="event_filters",
        requirements=(
            *("EXT-FILTER-01", "EXT-FILTER-02", "EXT-FILTER-03", "EXT-FILTER-04", "EXT-FILTER-05"),
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.GATEWAYS, Capability.EVENT_FILTERS),
        draws=EventFiltersMachine,
        counts=some_filter_leaves_out_an_event,
    ),
)
"""The machine of queues with event filters."""
