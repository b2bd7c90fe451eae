"""The model of replicated regions as a whole: the parts put together.

Knows which parts there are and in which order they are asked; each part knows its own steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.explain.steps import Step, View
from plumbline.reference.history import OrderStrength
from plumbline.reference.model.callers import Callers
from plumbline.reference.model.foresight import Foresight
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.timeline import Answers, Timeline
from plumbline.reference.model.world import World, empty_world


class Model:
    """The parts of the model for one example; a `System` for the search, and what the simulation steps."""

    def __init__(
        self, setting: Setting, strength: OrderStrength, foresight: Foresight, answers: Answers
    ) -> None:
        self.setting = setting
        self.callers = Callers(setting, strength, foresight)
        self.replicates = Replicates(setting, strength, foresight)
        self.timeline = Timeline(setting, self.callers, self.replicates, answers)

    def initial(self) -> World:
        """Nothing has happened yet."""
        return empty_world()

    def steps(self, state: World, view: View) -> Iterator[Step]:
        """Every step that could be taken now: the harness's, then the callers', then deliveries."""
        yield from self.timeline.steps(state, view)
        if state.calls:
            yield from self.callers.steps(state, view)
        if state.channels:
            yield from self.replicates.steps(state, view)

    def internal_steps(self, state: World, view: View) -> Iterator[Step]:
        """The steps that happen by themselves, for the simulation."""
        yield from self.callers.steps(state, view)
        yield from self.replicates.steps(state, view)

    def canonical(self, state: World) -> World:
        """The state with versions counted from one again where nothing can tell the difference."""
        return state
