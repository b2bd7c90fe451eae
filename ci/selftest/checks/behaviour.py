"""A right behaviour: a candidate that the documents allow, and that is unlike the calm reference and Geode.

A suite that knows only two right systems takes their habits for requirements. Knows how such a candidate is
opened; knows none of them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate, CandidateKind
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.adapters.reference.simulation import RELUCTANT, Simulation
from plumbline.reference.history.plans import Plan
from plumbline.reference.model.system import Model
from plumbline.reference.model.transactions import FAILS
from plumbline.reference.model.world import World
from plumbline.reference.search.transition import Entry, Place, Step, Unobserved
from plumbline.suites.scenarios.scenario import Scenario

Way = tuple[World, tuple[tuple[Place, Entry], ...]]
"""A world, and what listeners are told on the way there."""

Rank = Callable[[World, Step], int | None]
"""How soon a simulation takes a step: the smaller the sooner; None for never, where that is allowed."""


def anything(_: Scenario) -> bool:
    """All scenarios."""
    return True


def of_members(scenario: Scenario) -> bool:
    """Scenarios of members alone."""
    return not scenario.clients and not scenario.queues


def without_resolvers(scenario: Scenario) -> bool:
    """Scenarios in which no conflict resolver is asked."""
    return not scenario.resolver


def of_sites(scenario: Scenario) -> bool:
    """Scenarios with gateway senders."""
    return bool(scenario.queues)


def of_queues_in_parts(scenario: Scenario) -> bool:
    """Scenarios with parallel queues."""
    return any(queue.parallel for queue in scenario.queues)


def of_clients(scenario: Scenario) -> bool:
    """Scenarios with clients."""
    return bool(scenario.clients)


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """A right candidate of an unusual kind.

    Attributes:
        name: what it is called.
        does: what it does that the calm reference does not.
        allowed: the paragraph that allows it, or where the documents are silent.
        machines: whose plans it is played with, besides scenarios.
        open: makes a fresh adapter.
        plans: in which it shows, where hardly any drawn plan does.
        concerns: which scenarios it is played with; all, if nothing else is said.
    """

    name: str
    does: str
    allowed: str
    machines: tuple[str, ...]
    open: Callable[[], Adapter]
    plans: tuple[Plan, ...] = ()
    concerns: Callable[[Scenario], bool] = anything

    def candidate(self) -> Candidate:
        """It as a candidate."""
        return Candidate(
            name=f"right:{self.name}", kind=CandidateKind.PYTHON, in_process=True, open=self.open
        )


def by_name(behaviours: Iterable[Behaviour]) -> dict[str, Behaviour]:
    """The behaviours by name; raises ValueError where two have one name."""
    named: dict[str, Behaviour] = {}
    for one in behaviours:
        if one.name in named:
            raise ValueError(f"two behaviours are called {one.name}")
        named[one.name] = one
    return named


class Leaning(Simulation):
    """A simulation that always takes the step of the lowest rank, and of those the first by name."""

    def __init__(
        self,
        model: Model,
        draw: random.Random | None,
        rank: Rank,
        *,
        lazy: bool,
        backwards: bool,
    ) -> None:
        super().__init__(model, draw)
        self._rank, self._lazy, self._backwards = rank, lazy, backwards

    def go_on(self) -> None:
        """Take each possible step; if lazy, none before a request waits for it."""
        if not self._lazy:
            self.come_to_rest()

    def take_one_of(self, ways: list[Way]) -> None:
        """Let one of several things happen: the last, backwards."""
        self.take(ways[-1 if self._backwards else 0])

    def take_step(self) -> bool:
        """Let the step of the lowest rank happen; False if nothing can."""
        ranked = [
            (rank, step)
            for step in self.model.internal_steps(self.world, Unobserved(reduced=True))
            for rank in (self._rank(self.world, step),)
            if rank is not None
        ]
        if not ranked:
            return False
        first = min(rank for rank, _ in ranked)
        found = sorted((step for rank, step in ranked if rank == first), key=lambda step: repr(step.name))
        step = found[-1 if self._backwards else 0]
        self.take((self.left_by(step), step.shows))
        return True

    def left_by(self, step: Step) -> World:
        """The world that a step leaves; a behaviour that the model has no step for changes it here."""
        state: World = step.state
        return state


def usual(_: World, step: Step) -> int | None:
    """The rank that the calm reference gives: all alike, and never what need not be."""
    return None if step.name[0] in RELUCTANT or step.name[0] == FAILS else 0


def leaning(
    rank: Rank = usual,
    *,
    lazy: bool = False,
    backwards: bool = False,
    adapter: type[ReferenceAdapter] = ReferenceAdapter,
    simulation: type[Leaning] = Leaning,
) -> Callable[[], Adapter]:
    """What opens a reference that takes its steps by rank.

    Args:
        rank: how soon it takes which step.
        lazy: whether no step is taken before a request waits for it.
        backwards: whether it takes the last by name of the steps of one rank, and not the first.
        adapter: the class of the adapter.
        simulation: the class of the simulation.
    """

    def simulate(model: Model, draw: random.Random | None) -> Simulation:
        return simulation(model, draw, rank, lazy=lazy, backwards=backwards)

    return lambda: adapter(simulate=simulate)


def first(*names: str) -> Rank:
    """Steps of these names come first."""
    return lambda world, step: -1 if step.name[0] in names else usual(world, step)


def last(*names: str) -> Rank:
    """Steps of these names come last."""
    return lambda world, step: 1 if step.name[0] in names else usual(world, step)
