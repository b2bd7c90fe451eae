"""A state machine of two sites whose queues have event filters: senders both ways, and a queue that listens.

An extension. Each filter names keys that are also written beside others in one batch. Senders are paused,
links break, listeners fail, and members die with what their queues hold.
"""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import initialize

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.history import History
from plumbline.suites.machines.drawing import Machine
from plumbline.suites.machines.gathering import GatheringMachine, writes_named_key
from plumbline.suites.machines.sites_drawing import BATCH_SIZES
from plumbline.suites.scenarios.listening import listened_queues
from plumbline.suites.scenarios.sites import filtering, queues

_FILTERS = st.sampled_from(
    ((("x",), ()), ((), ("x",)), ((), ("y", "z")), (("x",), ("y",)), (("x", "y"), ("z",)))
)
"""The keys that a filter refuses, and those that it withholds; some events of each plan pass."""

_FILTERS_THERE = st.sampled_from((((), ()), (("p",), ()), ((), ("q",))))


class EventFiltersMachine(GatheringMachine):
    """Runs of events of several keys, of which a filter names some, through queues that are held back."""

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


def some_filter_leaves_out_an_event(history: History) -> bool:
    """Whether something is written that the filter of a queue of its site names."""
    named = {
        (queue.site, key) for queue in history.queues for key in (*queue.refused_keys, *queue.withheld_keys)
    }
    return writes_named_key(history, named)


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
