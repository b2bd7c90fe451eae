"""Clearing: a region is emptied on all members, under a lock that shuts out updates (004, L105).

In which order the members empty their copies and tell their listeners is open, the clearing one among them.

Only where all members are replicates that check, without clients and gateway senders; elsewhere a clear is
called while nothing else is under way, and takes effect in one step (`region_operations`). Owns the lock: a
*locked* member holds it, or has emptied its own copy and not all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import (
    LOCAL,
    READS,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    Status,
)
from plumbline.reference.model.messages import Channel, Message, MessageState
from plumbline.reference.model.places import listener_entry, listener_place, outcome_entry, outcome_place
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Call, CallStage, GateState, World
from plumbline.reference.model.writers import refuses_clear, stands, stood
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step

FREE, EITHER, SHUT = (False,), (True, False), (True,)


class Clearing:
    """The part of the model that clears regions."""

    def __init__(self, setting: Setting, strength: OrderStrength) -> None:
        self._setting = setting
        self._strength = strength

    def owns(self, operation: Operation) -> bool:
        """Whether an operation is a clear that takes the lock."""
        return operation.kind is OperationKind.CLEAR and operation.region in self._setting.clears

    def begins(self, operation: Operation, call: Call) -> bool:
        """Whether an operation is such a clear and has not emptied anything yet."""
        return call.stage in (CallStage.CALLED, CallStage.LOCKED) and self.owns(operation)

    def shuts_out(self, world: World, operation: Operation) -> tuple[bool, ...]:
        """Whether an update has to wait for a clear; either, while only listeners are still told of it."""
        if operation.kind in READS or operation.region not in self._setting.clears:
            return FREE
        found: set[bool] = set()
        for op_id, call in world.calls.items():
            clear = self._setting.operations[op_id]
            if self.owns(clear) and clear.region == operation.region and op_id != operation.op_id:
                found.update(self._holds(world, clear, call, operation))
        if not found:
            return FREE
        if operation.kind in LOCAL:
            found |= set(FREE)
        return EITHER if len(found) == len(EITHER) else tuple(found)

    def _holds(self, world: World, clear: Operation, call: Call, operation: Operation) -> Iterator[bool]:
        book = self._setting.book
        if clear.member in world.wan.dead:
            under_way = self._states(world, clear.op_id)
            for frees in each(book.frees_lock_of_dead()):
                yield MessageState.ON_THE_WAY in under_way or not frees
        elif call.stage is CallStage.DONE:
            yield call.outcome is None  # it is over, and has the lock all the same
        elif call.stage in (CallStage.LOCKED, CallStage.APPLIED) or call.waiting:
            if call.stage is CallStage.SENT and MessageState.ON_THE_WAY not in self._states(
                world, clear.op_id
            ):
                yield from EITHER
            else:
                commits = operation.op_id in self._setting.transactions
                yield from each(book.shuts_out(operation.member == clear.member, commits))

    def _states(self, world: World, op_id: int) -> set[MessageState]:
        """How the operation's messages stand that have not been acknowledged."""
        return {
            message.state
            for messages in world.channels.values()
            for message in messages
            if message.op_id == op_id
        }

    def waits(self, world: World, clear: Operation) -> tuple[bool, ...]:
        """Whether a clear has to wait: for updates under way, or for another clear."""
        undone, told = False, False
        for op_id, call in world.calls.items():
            other = self._setting.operations[op_id]
            if op_id == clear.op_id or other.region != clear.region or other.member in world.wan.dead:
                continue
            if self.owns(other):
                if call.stage in (CallStage.LOCKED, CallStage.APPLIED) or (
                    call.stage is CallStage.SENT and call.waiting
                ):
                    return SHUT
            elif call.stage is CallStage.APPLIED:
                undone = True
        for messages in world.channels.values():
            for message in messages:
                if self._setting.operations[message.op_id].region == clear.region:
                    told |= message.state is MessageState.PARKED
                    undone |= message.state is not MessageState.PARKED
        if undone:
            return tuple(each(self._setting.book.clear_waits_for_updates()))
        return EITHER if told else FREE

    def steps(self, world: World, operation: Operation, call: Call) -> Iterator[Step]:
        """A clear takes the lock, empties its own copy, and has the others empty theirs, before or after."""
        member, op_id = operation.member, operation.op_id
        if call.stage is CallStage.CALLED:
            if not any(self._is_held(world, operation)):
                locked = world.calls.set(op_id, replace(call, stage=CallStage.LOCKED))
                yield Step(("locks the region", member, op_id), world.but(calls=locked))
        elif call.stage is CallStage.LOCKED:
            if all(self.waits(world, operation)):
                return
            held = stood(world, member, operation)
            if held is not None:
                yield Step(("stands in the writer", member, op_id), held)
            elif not stands(world, member, operation):
                if refuses_clear(world, operation.region):
                    yield self._vetoed(world, operation, call)
                yield from self._emptied(world, operation, call)
                yield from self._sent_ahead(world, operation, call)
        elif call.stage is CallStage.APPLIED and world.gates.get((member, op_id)) is not GateState.PARKED:
            yield from self._sent(world, operation, call)

    def _vetoed(self, world: World, operation: Operation, call: Call) -> Step:
        """Some writer refuses the clear, which fails. Whether a clear asks writers is not said."""
        outcome = Outcome(Status.FAILED)
        ended = world.calls.set(operation.op_id, replace(call, stage=CallStage.DONE, outcome=outcome))
        shows = ((outcome_place(operation.op_id), outcome_entry(outcome)),)
        return Step(("aborts", operation.member, operation.op_id), world.but(calls=ended), shows)

    def _is_held(self, world: World, clear: Operation) -> Iterator[bool]:
        """Whether another clear has the lock."""
        for op_id, call in world.calls.items():
            other = self._setting.operations[op_id]
            if op_id != clear.op_id and self.owns(other) and other.region == clear.region:
                if other.member in world.wan.dead:
                    yield bool(self._states(world, op_id))
                else:
                    yield call.stage in (CallStage.LOCKED, CallStage.APPLIED) or bool(call.waiting)

    def must_go_on(self, world: World, operation: Operation) -> bool:
        """Whether a clear that is called or locked has to get further by itself."""
        if stands(world, operation.member, operation):
            return False
        return not any(self.waits(world, operation))

    def _emptied(self, world: World, operation: Operation, call: Call) -> Iterator[Step]:
        done = replace(call, stage=CallStage.APPLIED, outcome=Outcome(Status.OK))
        called = world.but(calls=world.calls.set(operation.op_id, done))
        for after, shows in self._at(called, operation.member, operation):
            yield Step(("empties the region", operation.member, operation.op_id), after, shows)

    def _at(
        self, world: World, member: str, operation: Operation
    ) -> Iterator[tuple[World, tuple[tuple[Place, Observation], ...]]]:
        """The worlds in which a member has emptied its copy, and what its listener tells."""
        book, gate = self._setting.book, (member, operation.op_id)
        ghosts = world.tombs.ghosts
        for where in world.tombs.ghosts:
            if where[:2] == (member, operation.region):
                ghosts = ghosts.delete(where)
        leaving = each(book.clear_leaves_tombstones(member == operation.member))
        for keeps, leaves in product(each(book.clear_keeps_tombstones()), leaving):
            entries = world.entries
            for where, entry in world.entries.items():
                if where[:2] != (member, operation.region):
                    continue
                if entry.state is EntryState.TOMBSTONE:
                    entries = entries if keeps else entries.delete(where)
                elif leaves:
                    entries = entries.set(where, replace(entry, state=EntryState.TOMBSTONE, token=None))
                else:
                    entries = entries.delete(where)
            empty = world.but(entries=entries, tombs=replace(world.tombs, ghosts=ghosts))
            for times in each(book.clear_told()):
                after = empty
                if times and world.gates.get(gate) is GateState.ARMED:
                    after = after.but(gates=world.gates.set(gate, GateState.PARKED))
                yield after, (self.shown(member, operation),) * times

    def _sent(self, world: World, operation: Operation, call: Call) -> Iterator[Step]:
        others = tuple(
            other
            for other in self._setting.others[operation.member]
            if other not in world.wan.dead and (other, operation.region) not in world.away
        )
        for targets in each(self._setting.book.cleared_with(others)):
            channels = world.channels
            for target in targets:
                channel = Channel(operation.thread, operation.member, target)
                channels = channels.set(channel, (*channels.get(channel, ()), Message(operation.op_id, None)))
            sent = replace(call, stage=CallStage.SENT, waiting=frozenset(targets))
            after = world.but(calls=world.calls.set(operation.op_id, sent), channels=channels)
            yield Step(("sends", operation.member, operation.op_id, targets), after)

    def _sent_ahead(self, world: World, operation: Operation, call: Call) -> Iterator[Step]:
        """The others are told to empty their copies, and the clearing member empties its own as they do.

        Which comes first is not said, nor whether its own listener holds the others up.
        """
        ready = replace(call, outcome=Outcome(Status.OK))
        own = Channel(operation.thread, operation.member, operation.member)
        for step in self._sent(world, operation, ready):
            after: World = step.state
            sent = after.calls[operation.op_id]
            waiting = replace(sent, waiting=sent.waiting | {operation.member})
            message = (*after.channels.get(own, ()), Message(operation.op_id, None))
            yield Step(
                ("sends ahead", *step.name[1:]),
                after.but(
                    calls=after.calls.set(operation.op_id, waiting), channels=after.channels.set(own, message)
                ),
            )

    def received(
        self, world: World, channel: Channel, operation: Operation, taken: World, head: Message
    ) -> Iterator[Step]:
        """A member empties its copy as it was told; in the world `taken` it has acknowledged that."""
        gate = (channel.target, operation.op_id)
        for after, shows in self._at(world, channel.target, operation):
            if after.gates.get(gate) is GateState.PARKED:
                parked = (replace(head, state=MessageState.PARKED), *world.channels[channel][1:])
                told = after.but(channels=world.channels.set(channel, parked))
            else:
                told = after.but(channels=taken.channels, calls=taken.calls)
            yield Step(("empties the region", channel.target, operation.op_id), told, shows)

    def shown(self, member: str, operation: Operation) -> tuple[Place, Observation]:
        """Where the listener of a member tells of a clear, and what."""
        named = self._setting.identified and operation.token is not None
        thread, token = (operation.thread, operation.token) if named else (None, None)
        place = listener_place(self._strength, member, operation.region, "", thread, EventKind.CLEAR)
        return place, listener_entry(operation.region, "", EventKind.CLEAR, token)


def left_by(world: World, setting: Setting, operation: Operation, outcome: Outcome) -> tuple[World, ...]:
    """The worlds in which a call has returned: a clear gives its lock back, as documented."""
    calls = world.calls.delete(operation.op_id)
    if operation.kind is not OperationKind.CLEAR or operation.region not in setting.clears:
        return (world.but(calls=calls),)
    kept = calls.set(operation.op_id, Call(CallStage.DONE))
    failed = outcome.status is not Status.OK
    return tuple(world.but(calls=calls if frees else kept) for frees in each(setting.book.frees_lock(failed)))
