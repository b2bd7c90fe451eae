"""What the parts of the reference as a candidate share: its simulation, rulebook, regions and queues."""

from __future__ import annotations

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import UnsupportedError
from plumbline.adapters.reference.simulation import Simulation
from plumbline.reference.history.operations import QueueAttributes, RegionAttributes
from plumbline.reference.rulebook.book import Rulebook


class Simulated(Adapter):
    """An adapter of a simulation.

    The simulation begins with `reset`; before that, operations are refused.
    """

    _simulation: Simulation | None = None
    _book: Rulebook
    _regions: dict[str, RegionAttributes]
    _queues: dict[str, QueueAttributes]
    _named: set[str]

    def _ready(self) -> Simulation:
        if self._simulation is None:
            raise UnsupportedError("reset the candidate before calling operations")
        return self._simulation
