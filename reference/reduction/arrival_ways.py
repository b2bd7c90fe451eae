"""Ways of taking an event at a client, as the reductions of client queues look at them."""

from __future__ import annotations

import msgspec

from plumbline.reference.model.described_steps import Arrival
from plumbline.reference.search.transition import Step


class ArrivalWay(msgspec.Struct, frozen=True):
    """One way in which a client takes an event.

    Attributes:
        arrival: the event that arrives.
        step: the way.
        ways: all ways of taking it.
    """

    arrival: Arrival
    step: Step
    ways: list[Step]
