"""The model of replicated regions as a whole: the parts put together.

Knows which parts there are and in which order they are asked; each part knows its own steps.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.explain.steps import Step, View
from plumbline.reference.history import OrderStrength
from plumbline.reference.model import claims
from plumbline.reference.model.attempts import counted
from plumbline.reference.model.buckets import Buckets
from plumbline.reference.model.callers import Callers
from plumbline.reference.model.client_calls import ClientCalls
from plumbline.reference.model.clients import Clients, EveryWay
from plumbline.reference.model.collecting import Collecting
from plumbline.reference.model.committing import Committing
from plumbline.reference.model.deliveries import Deliveries
from plumbline.reference.model.dispatch import Dispatch
from plumbline.reference.model.failover import Failover
from plumbline.reference.model.faults import Faults
from plumbline.reference.model.foresight import Foresight
from plumbline.reference.model.forgetting import Forgetting
from plumbline.reference.model.forwarding import Forwarding
from plumbline.reference.model.interests import Interests
from plumbline.reference.model.passage import Passage
from plumbline.reference.model.precedence import Precedence
from plumbline.reference.model.ranks import without_idle
from plumbline.reference.model.receivers import Receivers
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.resolving import Resolving
from plumbline.reference.model.rest import Rest
from plumbline.reference.model.senders import Senders
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.takeover import Takeover
from plumbline.reference.model.timeline import Answers, Timeline
from plumbline.reference.model.transactions import Transactions
from plumbline.reference.model.wholes import Wholes
from plumbline.reference.model.world import Channel, Message, World, empty_world
from plumbline.reference.operations import Operation
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
        # What clocks have shown is known of what is gone, too; and timestamps are kept elsewhere by clients,
        # by who transacts, and of what is delivered once more.
        self._compares_what_is_left = setting.redeliverable == frozenset() and not (
            setting.readings or setting.clients or setting.transactions
        )
        precedence = Precedence(setting, foresight)
        self.forgetting = Forgetting(setting, foresight)
        self.senders = Senders(setting, foresight, precedence, self.forgetting)
        self.takeover = Takeover(setting, self.senders, precedence)
        wholes = Wholes(setting, strength, client_strength or strength, self.senders)
        self.callers = Callers(setting, strength, foresight, self.senders, wholes)
        self.replicates = Replicates(setting, strength, foresight, self.senders)
        self.deliveries = Deliveries(setting, foresight, self.replicates, self.senders, precedence)
        self.buckets = Buckets(setting, strength, foresight, self.replicates)
        at_clients = Replicates(setting, client_strength or strength, foresight, self.senders)
        self.interests = Interests(setting, client_strength or strength)
        failover = Failover(setting, strength, client_strength or strength, self.interests)
        client_calls = ClientCalls(setting, at_clients, wholes)
        self.clients = Clients(setting, foresight, at_clients, self.interests, failover, client_calls)
        self.receivers = Receivers(
            setting, foresight, self.replicates, self.senders, wholes, Resolving(setting, strength)
        )
        self.dispatch = Dispatch(setting, foresight, Passage(setting, foresight, self.replicates))
        self.faults = Faults(setting, foresight)
        self.forwarding = Forwarding(setting, strength, self.callers, self.replicates)
        self.collecting = Collecting(setting)
        committing = Committing(setting, self.callers, self.replicates, self.deliveries, self.forwarding)
        self.transactions = Transactions(setting, self.callers, self.forwarding, committing)
        rest = Rest(
            setting,
            self.callers,
            self.buckets,
            self.deliveries,
            self.clients,
            self.takeover,
            self.receivers,
            self.dispatch,
            self.forwarding,
            self.collecting,
            self.transactions,
        )
        self.timeline = Timeline(setting, self.deliveries, self.receivers, rest, answers, self.interests)

    def initial(self) -> World:
        """Nothing has happened yet."""
        return self.interests.begun(empty_world())

    def steps(self, state: World, view: View) -> Iterator[Step]:
        """Every step that could be taken now: the harness's, then the callers', then deliveries."""
        if self.setting.queues and len(state.wan.senders) == 0 and not state.wan.dead:
            yield from self.senders.starts(state)
            return
        yield from self.timeline.steps(state, view)
        yield from self._by_themselves(state, view)

    def internal_steps(self, state: World, view: View) -> Iterator[Step]:
        """The steps that happen by themselves, for the simulation."""
        yield from self._by_themselves(state, view)

    def _by_themselves(self, state: World, view: View) -> Iterator[Step]:
        if self.setting.lesser or self.setting.transactions or (self.setting.clients and counted(state)):
            return self._one_by_one(state, EveryWay(view))
        return self._of_parts(state, view)

    def _one_by_one(self, state: World, view: View) -> Iterator[Step]:
        """Where clients try again, members keep less, or somebody transacts, hardly anything is claimed."""
        transacts = bool(self.setting.transactions)
        sends = claims.SEND if self.setting.lesser or transacts else None
        of_transactions = self.transactions.steps(state, view) if transacts else ()
        for step in (
            *self._of_parts(state, view),
            *self.forwarding.steps(state, view),
            *of_transactions,
        ):
            step.claim = sends if step.claim is claims.SEND else None
            step.loses = ()
            yield step

    def _of_parts(self, state: World, view: View) -> Iterator[Step]:
        if state.calls:
            yield from self.callers.steps(state, view)
        if state.channels:
            yield from self.deliveries.steps(state, view)
        if self.setting.partitioned:
            yield from self.buckets.steps(state, view)
        if self.setting.clients:
            yield from self.clients.steps(state, view)
        if self.setting.queues:
            yield from self.senders.steps(state)
            yield from self.takeover.steps(state, view)
            # Sending comes last: the less is on its way when something breaks, the less there is to choose.
            yield from self.dispatch.heard(state, view)
            yield from self.receivers.steps(state, view)
            yield from self.dispatch.sent(state, view)
        if self.setting.tombstones is not None:
            yield from self.collecting.steps(state)
        if state.wan.faults:
            yield from self.faults.steps(state, view)

    def open(self, state: World, view: View) -> frozenset[str]:
        """Faults to come and under way, and what else steps may clash with."""
        found = self._foresight.open(state, view)
        return found | claims.TIME_PASSES if self.dispatch.may_take_in(state) else found

    def canonical(self, state: World, now: int) -> World:
        """The state without what can no longer matter (see `forgetting`), nor how high versions are."""
        forgotten = self.forgetting.forgotten(state, now)
        return self._counted_anew(without_idle(forgotten) if self._compares_what_is_left else forgotten)

    def _counted_anew(self, state: World) -> World:
        """The state with the versions of each key counted from one again, at each site for itself.

        Only differences between versions of one key matter, so the smallest that is still stored or on
        its way may as well be one. Without this, every branch that differs in a silent change would stay
        different for ever, since each later version carries the difference on. Only keys are looked at whose
        versions may differ between branches at all: those that something may have happened to in silence.
        """
        known = self.setting.ambiguous
        if len(state.served.copies) or len(state.tombs.told) or len(state.tombs.ghosts):
            return state  # what secondaries have queued counts as well, and what was collected
        if not self.setting.stamps_grow or not known or state.stamps:
            return state
        least: dict[Numbered, int] = {}
        for holder in self.setting.holders:
            if holder in state.wan.dead:
                continue
            site = self.setting.home(holder)
            # Where some member has never seen the key, or has it no more, its numbers are kept.
            unseen = None if holder in self.setting.clients else FIRST
            for region, key in known:
                _lower(least, (site, region, key), state.entry(holder, region, key).stamp or unseen)
        least = {where: version for where, version in least.items() if version > 1}
        if not least:
            return state  # as nearly always, until everybody has gone on
        for where, stamp in self._under_way(state):
            if where in least:
                _lower(least, where, stamp)
        shift = {where: version - 1 for where, version in least.items() if version > 1}
        return self._shifted(state, shift) if shift else state

    def _under_way(self, state: World) -> Iterator[tuple[Numbered, Stamp | None]]:
        """The stamps of calls and messages, and where they count; of keys whose versions may differ."""
        operations, known = self.setting.operations, self.setting.ambiguous
        for op_id, call in state.calls.items():
            if call.stamp is not None:
                operation = operations[op_id]
                if (operation.region, operation.key) in known:
                    yield self._numbered(operation, operation.member), call.stamp
        for channel, messages in state.channels.items():
            for message in messages:
                if message.stamp is not None:
                    operation = operations[message.op_id]
                    if (operation.region, operation.key) in known:
                        yield self._numbered(operation, channel.source), message.stamp
        for wire in state.wan.wires.values():
            if wire.busy is not None:
                operation = operations[wire.busy.op_id]
                if (operation.region, operation.key) in known:
                    yield self._numbered(operation, wire.receiver), wire.stamp

    def _numbered(self, operation: Operation, member: str) -> Numbered:
        return self.setting.home(member), operation.region, operation.key

    def _shifted(self, state: World, shift: dict[Numbered, int]) -> World:
        """The state with the versions of some keys lowered."""
        entries, calls, channels, wires = state.entries, state.calls, state.channels, state.wan.wires
        for holder in self.setting.holders:
            site = self.setting.home(holder)
            for (where, region, key), by in shift.items():
                entry = state.entry(holder, region, key)
                if site == where and entry.stamp is not None:
                    lower = replace(entry, stamp=_lowered(entry.stamp, by))
                    entries = entries.set((holder, region, key), lower)
        for op_id, call in state.calls.items():
            operation = self.setting.operations[op_id]
            by = shift.get(self._numbered(operation, operation.member), 0)
            if by and call.stamp is not None:
                calls = calls.set(op_id, replace(call, stamp=_lowered(call.stamp, by)))
        for channel, messages in state.channels.items():
            lowered = tuple(self._lowered_message(channel, message, shift) for message in messages)
            if lowered != messages:
                channels = channels.set(channel, lowered)
        for name, wire in state.wan.wires.items():
            if wire.busy is not None and wire.stamp is not None:
                operation = self.setting.operations[wire.busy.op_id]
                by = shift.get(self._numbered(operation, wire.receiver), 0)
                wires = wires.set(name, replace(wire, stamp=_lowered(wire.stamp, by)))
        wan = replace(state.wan, wires=wires)
        return state.but(entries=entries, calls=calls, channels=channels, wan=wan)

    def _lowered_message(self, channel: Channel, message: Message, shift: dict[Numbered, int]) -> Message:
        if message.stamp is None:
            return message
        operation = self.setting.operations[message.op_id]
        by = shift.get(self._numbered(operation, channel.source), 0)
        return replace(message, stamp=_lowered(message.stamp, by)) if by else message


Numbered = tuple[int, str, str]
"""Site, region and key: versions of different sites are never compared."""

FIRST = Stamp(1, "")


def _lower(least: dict[Numbered, int], where: Numbered, stamp: Stamp | None) -> None:
    if stamp is not None and stamp.version < least.get(where, stamp.version + 1):
        least[where] = stamp.version


def _lowered(stamp: Stamp, by: int) -> Stamp:
    return replace(stamp, version=stamp.version - by)
