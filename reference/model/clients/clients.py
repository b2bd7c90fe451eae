"""Clients: what they call, what arrives at them in which order, and what they know of it already.

Puts calls, arrivals, interests and failover together.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reference.model.clients.arrivals import Arrivals, taken
from plumbline.reference.model.clients.client_calls import ClientCalls
from plumbline.reference.model.clients.displacing import CONFLATES, Displacing
from plumbline.reference.model.clients.durable_clients import QUEUE, TOLD_ONLY, Durable
from plumbline.reference.model.clients.failover import REMAINS, Failover
from plumbline.reference.model.clients.pending_registrations import PendingRegistrations
from plumbline.reference.model.clients.registrations import Interests
from plumbline.reference.model.independence import Independence
from plumbline.reference.model.messages import Channel, Message, MessageState
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Collected, World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import EveryWay, Step, View

_UNTAKEN = frozenset(("recognises", "is never sent"))
"""Steps by which nothing comes of a message."""


class Clients:
    """The part of the model that empties clients' queues, and tells whether anything more comes."""

    def __init__(
        self,
        setting: Setting,
        independence: Independence,
        replicates: Replicates,
        interests: Interests,
        failover: Failover,
        calls: ClientCalls,
        durable: Durable,
        pending: PendingRegistrations,
    ) -> None:
        self._setting = setting
        self._independence = independence
        self._interests = interests
        self._failover = failover
        self._calls = calls
        self._durable = durable
        self._pending = pending
        self._arrivals = Arrivals(setting, replicates, interests)
        self._displacing = Displacing(setting)

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Calls that reach their server, answers that leave it, and the first message of each queue."""
        yield from self._called(world)
        for channel, messages in world.channels.in_order():
            head, client = messages[0], channel.target
            if client not in self._setting.clients or head.state is MessageState.PARKED:
                continue
            if not any(self._is_sent(world, channel, messages)) or self._still_listens(world, channel, head):
                continue
            if self._setting.tombstones is not None and self._hears_first(world, channel, head):
                continue
            yield from self._shortened(world, channel, messages)
            yield from self._each_way(world, view, channel, head)
        yield from self._interests.steps(world)
        yield from self._pending.steps(world)
        yield from self._failover.steps(world)
        if self._setting.durable:
            # What passes in one life in silence may be shown in the next: nothing is left out.
            yield from self._durable.steps(world, EveryWay(view), self._each_way)

    def _called(self, world: World) -> Iterator[Step]:
        """The steps of calls; registrations under way know what clients do to their own copies."""
        for step in self._calls.steps(world):
            what = step.name
            if what[0] == "does itself" and len(world.served.pending):
                operation = self._setting.operations[what[2]]
                if operation.key:
                    ended = step.state.calls[operation.op_id].outcome
                    step.state = self._pending.noted(step.state, what[1], operation, ended)
            yield step

    def _shortened(self, world: World, channel: Channel, messages: tuple[Message, ...]) -> Iterator[Step]:
        """The steps by which updates have made way in a client's queue; no call waits for those any more."""
        client = channel.target
        for left in self._displacing.shortened(client, messages):
            remaining = {one.op_id for one in left}
            calls = world.calls
            for gone in messages:
                call = None if gone.op_id in remaining else calls.get(gone.op_id)
                if call is not None and client in call.waiting:
                    calls = calls.set(gone.op_id, replace(call, waiting=call.waiting - {client}))
            channels = world.channels.set(channel, left) if left else world.channels.delete(channel)
            yield Step((CONFLATES, client, messages[0].op_id), world.but(channels=channels, calls=calls))

    def _still_listens(self, world: World, channel: Channel, head: Message) -> bool:
        """Whether a client stands in its listener for a dead server: one thread works off all queues."""
        if channel.thread == REMAINS:
            return any(other.target == channel.target and other != channel for other in world.channels)
        if not world.wan.dead or self._setting.originators.get(head.op_id) == channel.target:
            return False
        return any(
            other.target == channel.target
            and other.source in world.wan.dead
            and other.source != channel.source
            and messages[0].state is MessageState.PARKED
            for other, messages in world.channels.items()
        )

    def _hears_first(self, world: World, channel: Channel, head: Message) -> bool:
        """Whether the client's server has told it of a collection of the key in front of this."""
        operation = self._setting.operations[head.op_id]
        told: tuple[Collected, ...] = world.tombs.told.get((channel.source, channel.target), ())
        return any(one.first and (one.region, one.key) == (operation.region, operation.key) for one in told)

    def _each_way(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """What may come of a message at a client, which may know it already."""
        fetched = self._setting.operations[head.op_id].kind is OperationKind.GET
        for known in self._failover.remembered(world, channel.target, head):
            ways = (
                self._arrivals.ways(known, view, channel, head)
                if fetched
                else self._known_or_new(known, view, channel, head)
            )
            yield from ways if not len(world.served.pending) else self._meanwhile(known, channel, head, ways)

    def _meanwhile(
        self, world: World, channel: Channel, head: Message, ways: Iterator[Step]
    ) -> Iterator[Step]:
        """What may come of a message while registrations are under way, which know of it."""
        client, operation = channel.target, self._setting.operations[head.op_id]
        for lost in self._pending.loses_event(world, client, operation):
            if lost:
                yield Step(("is deaf to", client, head.op_id), taken(world, channel, head))
                continue
            outcome = None if head.op_id not in world.calls else world.calls[head.op_id].outcome
            for step in ways:
                if step.name[0] == TOLD_ONLY:
                    step.state = self._pending.unsure(step.state, client, operation)
                elif step.name[0] not in _UNTAKEN:
                    step.state = self._pending.noted(step.state, client, operation, outcome, bare=head.bare)
                yield step

    def _known_or_new(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """A client recognises a message, or takes it, or was never sent it by this server."""
        client, op_id = channel.target, head.op_id
        arrival = self._arrivals.arrival(world, view, client, head)
        for repeated in self._failover.processed(world, client, head):
            if repeated:
                claim = self._independence.recognition(arrival)
                yield Step(("recognises", client, op_id), taken(world, channel, head), claim=claim)
                continue
            ways = list(self._ways(world, view, channel, head))
            for step in ways:
                step.state = self._failover.tracking(step.state, client, head)
            unsent: list[Step] = []
            if not head.sure and self._setting.tracked(client):
                # The client knows nothing of it, so another server may still send it.
                unsent.append(Step(("is never sent", client, op_id), taken(world, channel, head)))
            yield from self._independence.arrivals(arrival, ways, unsent)

    def _ways(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """What becomes of what a client takes; in front of its marker a durable one only tells of it."""
        if channel.thread == QUEUE:
            return self._durable.stored(world, view, channel, head, self._arrivals.ways)
        return self._arrivals.ways(world, view, channel, head)

    def quiet(self, world: World, held: frozenset[tuple[str, str]]) -> bool:
        """Whether no client has anything to come, except where a parked listener may hold it back."""
        if not self._calls.quiet(world):
            return False
        # A queue is emptied in order, so what waits at its server, in its client's listener, or for its
        # client's own call, may hold all of it back.
        holders = {holder for holder, _ in held} | self._calls.callers(world)
        holders |= {
            channel.target
            for channel, messages in world.channels.items()
            if channel.target in self._setting.clients and messages[0].state is MessageState.PARKED
        }
        holders |= self._pending.holders(world)
        if not (self._failover.quiet(world) and (held or self._pending.quiet(world))):
            return False
        if not self._failover.recruiting.quiet(world):
            return False
        if self._setting.durable and not self._durable.quiet(world, holders):
            return False
        return not any(
            channel.target in self._setting.clients
            and messages[0].state is not MessageState.PARKED
            and all(self._is_sent(world, channel, messages))
            and holders.isdisjoint((channel.source, channel.target))
            for channel, messages in world.channels.items()
        )

    def settled(self, world: World) -> World:
        """The world that has settled."""
        return self._durable.settled(self._failover.settled(world))

    def waits(self, world: World, operation: Operation) -> bool:
        """Whether a call may have to wait for another call of its client on the same key."""
        return self._calls.waits(world, operation)

    def _is_sent(self, world: World, channel: Channel, messages: tuple[Message, ...]) -> tuple[bool, ...]:
        """Whether what waits for a client is sent; several answers only where that is free."""
        answers = all(self._setting.originators.get(m.op_id) == channel.target for m in messages)
        if channel.target in world.served.stuck and not answers:
            return (False,)
        if answers or channel.thread == QUEUE:
            return (True,)
        book, line = self._setting.book, world.served.lines.get(channel.target)
        flows = each(book.flows_unasked(line is not None and line.readied))
        sends = each(book.keeps_sending(len(messages)))
        return tuple(dict.fromkeys(one and other for one in flows for other in sends))
