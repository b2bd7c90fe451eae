"""The simulation: the reference model run step by step, with the events of its listeners.

If deterministic, each possible step is taken at once, in one order. If random, steps of every kind are taken
in any order, drawn from a seed, and hardly before a request waits for them. Knows nothing of the requests.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

from plumbline.adapters.reference.arguments import ShownArguments
from plumbline.adapters.reference.comings import Comings
from plumbline.adapters.reference.resolver_answers import noted
from plumbline.adapters.reference.shown import queue_call
from plumbline.adapters.reference.substituting import ShownSubstitutes
from plumbline.reference.history.fault_kinds import CLIENT_LIVES, STARTS_AGAIN, Fault, FaultKind
from plumbline.reference.history.listener_calls import QueueCall
from plumbline.reference.history.operations import Event, EventKind
from plumbline.reference.model.clients.acknowledging import next_open
from plumbline.reference.model.clients.failover import ACKNOWLEDGED
from plumbline.reference.model.forwarding import REPLIES_EARLY
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.dispatch import TRIES_AGAIN
from plumbline.reference.model.sites.records import FORGETS
from plumbline.reference.model.system import Model
from plumbline.reference.model.transactions import FAILS
from plumbline.reference.model.world import World, empty_world
from plumbline.reference.rulebook.conflict_resolvers import Told
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Entry, Place, Unobserved

RELUCTANT = frozenset((ACKNOWLEDGED, REPLIES_EARLY, FORGETS, TRIES_AGAIN))
"""Steps that the calm reference never takes, since they need not be taken."""

MOST_STEPS_AT_ONCE = 6
"""How many steps the random simulation takes at most while no request waits."""

MOST_WAYS = 5_000
"""Of more worlds that may follow a fault not all are looked at."""

LOSES_SOME = 0.5
"""How often chaos cuts the log of a member that dies."""


class Simulation:
    """One run of the model under way.

    Attributes:
        model: what may happen.
        world: where the run stands.
        events: what listeners were told so far, and what those of asynchronous queues were called with.
        seen: how many of these the harness has read.
        substitutes: which values it shows.
        starting: the members that were killed and start again, and have yet to take their copies.
    """

    def __init__(self, model: Model, draw: random.Random | None) -> None:
        self.model = model
        self.world: World = empty_world()
        self.world = self.world.but(wan=model.senders.started(self.world.wan))
        self.events: list[Event | QueueCall] = []
        self.seen = 0
        self.starting: set[str] = set()
        self._told: dict[tuple[str, str, str], EventKind] = {}
        self._view = Unobserved(reduced=True)
        self._random = draw
        self._comings = Comings(model.setting)
        self._arguments = ShownArguments(model.setting, self._comings)
        self.substitutes = ShownSubstitutes(model.setting, self._comings)

    @property
    def setting(self) -> Setting:
        """What does not change during the run."""
        return self.model.setting

    def go_on(self) -> None:
        """Calm, everything happens that can; chaotic, some of it."""
        if self._random is None:
            self.come_to_rest()
        else:
            for _ in range(self._random.randrange(MOST_STEPS_AT_ONCE)):
                self.take_step()

    def come_to_rest(self) -> None:
        """Let everything happen that can."""
        while self.take_step():
            pass

    def settle(self) -> None:
        """Let everything happen that can, and know that it was looked at."""
        self.come_to_rest()
        self.world = self.model.rest.settled(self.world)
        self.seen = len(self.events)

    def take_step(self) -> bool:
        """Let one thing happen; False if nothing can.

        If deterministic, no secondary receives what its client has received, so each event that can be sent
        again is. A replicate answers last. No commit fails.
        """
        # In an order of their own: that of the maps inside changes from one process to the next.
        possible = sorted(
            (
                step
                for step in self.model.internal_steps(self.world, self._view)
                if step.name[0] != FAILS and (self._random is not None or step.name[0] not in RELUCTANT)
            ),
            key=lambda step: repr(step.name),
        )
        if not possible:
            return False
        step = possible[0] if self._random is None else self._random.choice(possible)
        self.take((step.state, step.shows))
        return True

    def take_one_of(self, ways: list[tuple[World, tuple[tuple[Place, Entry], ...]]]) -> None:
        """Let one of several things happen: calm, the first."""
        self.take(ways[0] if self._random is None else self._random.choice(ways))

    def take(self, way: tuple[World, tuple[tuple[Place, Entry], ...]]) -> None:
        """Let something happen, and note what listeners were told, and resolvers."""
        before = self.world
        self.world, shows = way
        for place, entry in shows:
            match place, entry:
                case ("listener", str(member)), (str(region), str(key), EventKind() as kind, token):
                    known = None if token is None else str(token)
                    told = self._told_as(before, member, region, key, kind)
                    event = Event(member=member, region=region, key=key, kind=told, token=known)
                    event = self._arguments.of_event(before, event)
                    self.events.append(self.substitutes.of_event(before, event))
                case ("listener", str(member)), (
                    str(region),
                    str(key),
                    EventKind() as kind,
                    Told() as told,
                    answer,
                ):
                    event = Event(member=member, region=region, key=key, kind=kind, token=told.new)
                    self.events.append(noted(self.setting, before, event, told, str(answer)))

                case ("queue", str(member), str(queue)), (tuple(changes), str(answer)):
                    call = queue_call(member, queue, changes, answer)
                    call = self._arguments.of_call(before, call)
                    self.events.append(self.substitutes.of_call(before, call))

    def _told_as(self, before: World, member: str, region: str, key: str, kind: EventKind) -> EventKind:
        """The kind of an event: of a value, a create if nothing was there by what was told before."""
        where = (member, region, key)
        last = self._told.get(where)
        self._told[where] = kind
        if kind is EventKind.CLEAR:
            self._told = {one: EventKind.DESTROY for one in self._told if one[:2] == where[:2]} | {
                one: told for one, told in self._told.items() if one[:2] != where[:2]
            }
        if kind is not EventKind.UPDATE:
            return kind
        if member in self.setting.clients:
            held = before.entry(*where).state in (EntryState.LIVE, EntryState.INVALID)
            return EventKind(each(self.setting.book.value_told_as(held, last is not None))[0])
        there = before.entry(*where).state in (EntryState.LIVE, EntryState.INVALID) and last is None
        if there or last in (EventKind.UPDATE, EventKind.INVALIDATE):
            return kind
        told: EventKind = each(self.setting.book.creation_told_as(last is EventKind.DESTROY))[0]
        return told

    def happen(self, fault: Fault) -> None:
        """Let a fault happen: calm at once, chaotic after some of what could come first."""
        if self._random is not None:
            self.go_on()
        self._comings.breaks(self.world, fault)
        ways = self.model.faults.happened(self.world, fault)
        leaps = fault.kind is FaultKind.TIME_LEAP and self.setting.durable
        restarts = fault.kind in STARTS_AGAIN and self.setting.queues
        chooses = self._random is not None and (restarts or leaps or fault.kind in CLIENT_LIVES)
        self.world = self._any_of(fault, ways) if chooses and self._random else next(ways)
        self.go_on()

    def _any_of(self, fault: Fault, ways: Iterator[World]) -> World:
        """One of the worlds behind a fault; of very many, what each server has dropped is drawn alone."""
        assert self._random is not None  # noqa: S101 - asked for by a chaotic simulation only
        some = list(islice(ways, MOST_WAYS))
        if len(some) < MOST_WAYS:
            return self._random.choice(some)
        world = self._random.choice(list(self.model.faults.happened(self.world, fault, later=True)))
        while decided := next_open(world, self.setting):
            world = self._random.choice(decided)
        return world

    def lose_some_of(self, member: str) -> None:
        """If random, the last events of a listener that the harness has not read are lost with its member."""
        if self._random is None:
            return
        last = [
            at
            for at, event in enumerate(self.events)
            if event.member == member and at >= self.seen and isinstance(event, Event)
        ]
        lost = last[self._random.randint(0, len(last)) :] if self._random.random() < LOSES_SOME else []
        self.events = [event for at, event in enumerate(self.events) if at not in lost]
