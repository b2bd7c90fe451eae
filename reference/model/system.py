"""The model of replicated regions as a whole: the parts put together.

Knows which parts there are and in which order they are asked; each part knows its own steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.explain.steps import Step, View
from plumbline.reference.history import OrderStrength
from plumbline.reference.model.callers import Callers
from plumbline.reference.model.clients import Clients
from plumbline.reference.model.dispatch import Dispatch
from plumbline.reference.model.faults import Faults
from plumbline.reference.model.foresight import Foresight
from plumbline.reference.model.receivers import Receivers
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.rest import Rest
from plumbline.reference.model.senders import Senders
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.timeline import Answers, Timeline
from plumbline.reference.model.world import Message, World, empty_world
from plumbline.reference.rulebook.values import Stamp


class Model:
    """The parts of the model for one example; a `System` for the search, and what the simulation steps."""

    def __init__(
        self,
        setting: Setting,
        strength: OrderStrength,
        foresight: Foresight,
        answers: Answers,
        client_strength: OrderStrength | None = None,
    ) -> None:
        self.setting = setting
        self._foresight = foresight
        self.senders = Senders(setting, foresight)
        self.callers = Callers(setting, strength, foresight, self.senders)
        self.replicates = Replicates(setting, strength, foresight, self.senders)
        at_clients = Replicates(setting, client_strength or strength, foresight, self.senders)
        self.clients = Clients(setting, at_clients)
        self.receivers = Receivers(setting, foresight, self.replicates, self.senders)
        self.dispatch = Dispatch(setting, foresight)
        self.faults = Faults(setting, foresight)
        rest = Rest(
            setting,
            self.callers,
            self.replicates,
            self.clients,
            self.senders,
            self.receivers,
            self.dispatch,
        )
        self.timeline = Timeline(setting, self.replicates, self.receivers, rest, answers)

    def initial(self) -> World:
        """Nothing has happened yet."""
        return empty_world()

    def steps(self, state: World, view: View) -> Iterator[Step]:
        """Every step that could be taken now: the harness's, then the callers', then deliveries."""
        if len(state.wan.senders) == 0 and self.setting.queues and not state.wan.dead:
            yield from self.senders.starts(state)
            return
        yield from self.timeline.steps(state, view)
        yield from self._by_themselves(state, view)

    def internal_steps(self, state: World, view: View) -> Iterator[Step]:
        """The steps that happen by themselves, for the simulation."""
        yield from self._by_themselves(state, view)

    def _by_themselves(self, state: World, view: View) -> Iterator[Step]:
        if state.calls:
            yield from self.callers.steps(state, view)
        if state.channels:
            yield from self.replicates.steps(state, view)
        if self.setting.clients:
            yield from self.clients.steps(state, view)
        if self.setting.queues:
            yield from self.senders.steps(state, view)
            yield from self.receivers.steps(state, view)
            yield from self.dispatch.steps(state, view)
        if state.wan.faults:
            yield from self.faults.steps(state, view)

    def open(self, state: World, view: View) -> frozenset[str]:
        """Faults to come and under way, and what else steps may clash with."""
        return self._foresight.open(state, view)

    def canonical(self, state: World) -> World:
        """The state with the versions of each key counted from one again.

        Only differences between versions of one key matter, so the smallest that is still stored or on
        its way may as well be one. Without this, every branch that differs in a silent change would stay
        different for ever, since each later version carries the difference on. Only keys are looked at whose
        versions may differ between branches at all: those that something may have happened to in silence.
        """
        if not self.setting.stamps_grow:
            return state
        least: dict[tuple[str, str], int] = {}
        for region, key in self.setting.ambiguous:
            for member in self.setting.holders:
                _lower(least, (region, key), state.entry(member, region, key).stamp)
        for op_id, call in state.calls.items():
            operation = self.setting.operations[op_id]
            _lower(least, (operation.region, operation.key), call.stamp)
        for messages in state.channels.values():
            for message in messages:
                if message.stamp is None:
                    continue
                operation = self.setting.operations[message.op_id]
                _lower(least, (operation.region, operation.key), message.stamp)
        # A key that some member has never seen, or whose stamps may come again, keeps its numbers.
        known = self.setting.ambiguous
        shift = {where: version - 1 for where, version in least.items() if version > 1 and where in known}
        return self._shifted(state, shift) if shift and not state.stamps else state

    def _shifted(self, state: World, shift: dict[tuple[str, str], int]) -> World:
        """The state with the versions of some keys lowered."""
        entries, calls, channels = state.entries, state.calls, state.channels
        for (region, key), by in shift.items():
            for member in self.setting.holders:
                entry = state.entry(member, region, key)
                if entry.stamp is not None:
                    lower = entry._replace(stamp=_lowered(entry.stamp, by))
                    entries = entries.set((member, region, key), lower)
        for op_id, call in state.calls.items():
            operation = self.setting.operations[op_id]
            by = shift.get((operation.region, operation.key), 0)
            if by and call.stamp is not None:
                calls = calls.set(op_id, call._replace(stamp=_lowered(call.stamp, by)))
        for channel, messages in state.channels.items():
            lowered = tuple(
                message
                if message.stamp is None
                else message._replace(stamp=_lowered(message.stamp, self._shift_of(message, shift)))
                for message in messages
            )
            if lowered != messages:
                channels = channels.set(channel, lowered)
        return state.but(entries=entries, calls=calls, channels=channels)

    def _shift_of(self, message: Message, shift: dict[tuple[str, str], int]) -> int:
        operation = self.setting.operations[message.op_id]
        return shift.get((operation.region, operation.key), 0)


def _lower(least: dict[tuple[str, str], int], where: tuple[str, str], stamp: Stamp | None) -> None:
    if stamp is not None:
        least[where] = min(least.get(where, stamp.version), stamp.version)


def _lowered(stamp: Stamp, by: int) -> Stamp:
    return stamp._replace(version=stamp.version - by)
