"""What arrives at a client: answers to its calls, and what its server sends of others' changes.

Either arrives like an update from another member. Knows no queue, and nothing of repetitions.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from plumbline.reference.history.moments import ANSWER, Gate
from plumbline.reference.history.operations import NAMED_BY_VALUE, Operation, OperationKind, Status
from plumbline.reference.model.clients.registrations import PRESENT, Interests
from plumbline.reference.model.described_steps import Arrival
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Call, GateState, World
from plumbline.reference.model.writers import stands, stood
from plumbline.reference.rulebook.effects import ARRIVES
from plumbline.reference.rulebook.subscriptions import Absent
from plumbline.reference.rulebook.values import EntryState, Stamp, each
from plumbline.reference.search.transition import Step, View


class Arrivals:
    """The part of the model that tells what may come of a message at a client."""

    def __init__(self, setting: Setting, replicates: Replicates, interests: Interests) -> None:
        self._setting = setting
        self._replicates = replicates
        self._interests = interests

    def ways(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """The ways in which a client may take a message; one that does not check takes it as it comes."""
        operation = self._setting.operations[head.op_id]
        if operation.kind is OperationKind.GET:
            yield from self._fetched(world, channel, operation, head)
            return
        call = world.calls.get(head.op_id)
        if call is not None and channel == answer_of(channel.target, operation):
            held = stood(world, channel.target, operation)
            if held is not None:
                # The server was told before the client's writer was asked, as it should not be.
                yield Step(("stands in the writer", channel.target, operation.op_id), held)
            if held is not None or stands(world, channel.target, operation):
                return
            if _is_vetoed(call) or call.early:
                yield from self._without_change(world, view, channel, operation, head, call)
                return
        if not head.sure and not self._setting.tracked(channel.target):
            # It may never have been sent. A tracked client learns nothing then (see `Clients`).
            yield from self._missed(world, channel, operation, head)
        if (told := as_told(head, operation)) is not operation:
            nameless = operation.kind in NAMED_BY_VALUE
            entry = world.entry(channel.target, operation.region, operation.key)
            for one in (told, msgspec.structs.replace(told, token=None)) if nameless else (told,):
                if entry.state is not EntryState.LIVE:
                    found = self._nothing_to_invalidate(world, channel, one, head, entry)
                else:
                    found = self._taken_as(world, view, channel, one, head)
                yield from found
            return
        if ARRIVES[operation.kind][0] is EntryState.INVALID and not self._holds(
            world, channel.target, operation
        ):
            yield from self._invalidating_nothing(world, view, channel, operation, head)
            return
        yield from self._taken_as(world, view, channel, operation, head)

    @staticmethod
    def _holds(world: World, client: str, operation: Operation) -> bool:
        return world.entry(client, operation.region, operation.key).state in PRESENT

    def _invalidating_nothing(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Iterator[Step]:
        """An invalidation comes for a key that the client lacks: it makes an invalid entry of it, or none.

        The documents give an invalidation of an entry the same effect at the client, and name no other.
        Source: 001, L35.
        """
        yield from self._missed(world, channel, operation, head)
        for step in self._taken_as(world, view, channel, operation, head):
            if not step.shows:
                step.claim = None  # a silent change may not be made either
            yield step

    def arrival(self, world: World, view: View, client: str, head: Message) -> Arrival:
        """What a reduction is told of an event that arrives."""
        operation = self._setting.operations[head.op_id]
        told = as_told(head, operation)
        if told is not operation and operation.kind in NAMED_BY_VALUE:
            told = msgspec.structs.replace(told, token=None)  # the log may show it so
        place, shown = self._replicates.shown(client, told)
        return Arrival(
            world=world,
            view=view,
            client=client,
            operation=operation,
            head=head,
            place=place,
            shown=shown,
            decided=self._replicates.decided_by_log(view, place, shown),
        )

    def _taken_as(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Iterator[Step]:
        """The ways in which a client may take a message of this operation."""
        for checks in self._setting.client_checks(channel.target):
            versioned = head.stamp is not None
            for takes in each(self._setting.book.client_takes(checks, versioned)):
                if not takes:
                    yield from self._missed(world, channel, operation, head)
                    continue
                for compares in self._compares(channel, head) if checks else (False,):
                    way = self._replicates.checked if compares else self._replicates.unchecked
                    for one in self._recorded(channel, head):
                        yield from way(world, view, channel, operation, one)

    def _recorded(self, channel: Channel, head: Message) -> tuple[Message, ...]:
        """The message with the stamp that a client records: of what it has called, as its server gave it."""
        if head.stamp is None or self._setting.originators.get(head.op_id) != channel.target:
            return (head,)
        return tuple(
            replace(head, stamp=stamp) for stamp in each(self._setting.book.stamp_of_answer(head.stamp))
        )

    def _compares(self, channel: Channel, head: Message) -> tuple[bool, ...]:
        """Whether a client that checks compares what comes; several answers only where that is free."""
        book = self._setting.book
        if self._setting.originators.get(head.op_id) == channel.target:
            return each(book.compares_answers())
        return each(book.client_compares() if head.sure else book.compares_discarded())

    def _without_change(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message, call: Call
    ) -> Iterator[Step]:
        """An answer arrives that changes nothing: to what was vetoed, or what the client has done before."""
        client = channel.target
        vetoed = _is_vetoed(call)
        for keeps in each(self._setting.book.keeps_vetoed()) if vetoed and not call.early else (False,):
            if keeps:
                yield from self._replicates.unchecked(world, view, channel, operation, head)
            else:
                name = "is told of a veto" if vetoed else "has done so already"
                yield Step((name, client, operation.op_id), taken(world, channel, head))

    def _missed(self, world: World, channel: Channel, operation: Operation, head: Message) -> Iterator[Step]:
        """Nothing comes of a message, though something else may."""
        after = self._replicates.taken(world, channel, head, discarded=False)
        yield Step(("ignores", channel.target, operation.op_id), after)

    def _nothing_to_invalidate(
        self, world: World, channel: Channel, operation: Operation, head: Message, entry: Entry
    ) -> Iterator[Step]:
        """What tells that a value is no longer valid comes where there is none.

        An entry without a value stays one, and is as new as what has come; the listener is told of it once
        more or not, no document says. A key that is not there stays so.
        """
        where = (channel.target, operation.region, operation.key)
        absent = entry.state is not EntryState.INVALID
        becomes: set[Absent | None] = {None}
        if absent:
            book = self._setting.book
            ways = self._setting.client_checks(channel.target)
            becomes = {way for checks in ways for way in each(book.invalidates_absent(checks))}
            becomes = _of_destroyed(becomes, entry.stamp, head.stamp)
        for way in sorted(becomes, key=str):
            if way is Absent.STAYS:
                yield from self._missed(world, channel, operation, head)
                continue
            stamp = entry.stamp
            if head.stamp is not None and (stamp is None or stamp.version < head.stamp.version):
                stamp = head.stamp
            entries = world.entries.set(where, Entry(EntryState.INVALID, None, stamp))
            after = world if way is Absent.TOLD else world.but(entries=entries)
            told = (self._replicates.shown(channel.target, operation),)
            untold = {None: ((), told), Absent.SILENTLY_INVALID: ((),)}
            for shows in untold.get(way, (told,)):
                yield Step(
                    ("is told that it has no value", channel.target, operation.op_id),
                    taken(after, channel, head),
                    shows,
                )

    def _fetched(self, world: World, channel: Channel, operation: Operation, head: Message) -> Iterator[Step]:
        """What a client has asked its server for arrives, and is kept if nothing newer has come meanwhile.

        Whether listeners are told of it is not said.
        """
        client, region, key = channel.target, operation.region, operation.key
        gate = Gate(client, operation.op_id, ANSWER).place
        if gate in world.gates and world.gates[gate] is not GateState.OPEN:
            if world.gates[gate] is GateState.ARMED:
                held = world.but(gates=world.gates.set(gate, GateState.PARKED))
                yield Step(("holds the answer", client, operation.op_id), held)
            return
        outcome = world.calls[operation.op_id].outcome
        assert outcome is not None  # noqa: S101 - its server has answered
        entry = world.entry(client, region, key)
        name = ("is answered", client, operation.op_id)
        for checks in self._setting.client_checks(client):
            newer = (
                checks
                and entry.stamp is not None
                and head.stamp is not None
                and (
                    entry.stamp.version > head.stamp.version
                    or (entry.stamp == head.stamp and entry.state is EntryState.LIVE)
                )
            )
            gone = entry.state is EntryState.TOMBSTONE
            for kept in self._kept(world.calls[operation.op_id], entry, newer=newer, gone=gone):
                if not kept:
                    yield Step(name, taken(world, channel, head))
                    continue
                stamp = head.stamp if checks else None
                live = outcome.value is not None
                state = EntryState.LIVE if live else EntryState.INVALID
                found = Entry(state, outcome.value, stamp)
                entries = world.entries.set((client, region, key), found)
                after = taken(world.but(entries=entries), channel, head)
                told = self._interests.shown(client, region, key, outcome.value)
                for shows in ((), (told,)):
                    yield Step(name, after, shows)

    def _kept(self, call: Call, entry: Entry, *, newer: bool, gone: bool) -> tuple[bool, ...]:
        """Whether a client keeps what its get has brought; of an entry without a value that is not said."""
        if newer:
            return each(self._setting.book.fetched_replaces_newer(gone))
        if call.outcome is not None and call.outcome.value is not None:
            return each(self._setting.book.keeps_fetched())
        return (False, True) if call.update and entry.state is not EntryState.LIVE else (False,)


def _is_vetoed(call: Call) -> bool:
    return call.outcome is not None and call.outcome.status is Status.FAILED


def _of_destroyed(ways: set[Absent | None], gone: Stamp | None, sent: Stamp | None) -> set[Absent | None]:
    """What may become of a key that a client lacks, where it was destroyed after what is sent of it now."""
    if gone is None or sent is None or gone.version < sent.version:
        return ways
    # As new as each other: the ids of members decide, of which a client has none.
    return {Absent.STAYS} if gone.version > sent.version else {Absent.STAYS, *ways}


def answer_of(client: str, operation: Operation) -> Channel:
    """The way by which the answer to an operation comes back."""
    return Channel(f"answer to {operation.op_id}", operation.member, client)


def taken(world: World, channel: Channel, head: Message) -> World:
    """The world in which a client has taken the first message of a channel."""
    rest = world.channels[channel][1:]
    channels = world.channels.set(channel, rest) if rest else world.channels.delete(channel)
    calls, call = world.calls, world.calls.get(head.op_id)
    if call is not None and channel.target in call.waiting:
        calls = calls.set(head.op_id, replace(call, waiting=call.waiting - {channel.target}))
    return world.but(channels=channels, calls=calls)


def as_told(head: Message, operation: Operation) -> Operation:
    """The operation that a message tells a client of: where it brings no value, an invalidation."""
    if head.bare and ARRIVES[operation.kind][0] is EntryState.LIVE:
        return msgspec.structs.replace(operation, kind=OperationKind.INVALIDATE)
    return operation
