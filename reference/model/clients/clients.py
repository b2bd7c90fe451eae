"""Clients: what they call, what arrives at them in which order, and what they know of it already.

Puts calls, arrivals, interests and failover together, and says which steps of a client may be taken at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reference.model import claims
from plumbline.reference.model.clients.arrivals import Arrivals, as_told, taken
from plumbline.reference.model.clients.client_calls import ClientCalls
from plumbline.reference.model.clients.failover import REMAINS, Failover
from plumbline.reference.model.clients.registrations import PRESENT, Interests
from plumbline.reference.model.lookahead import Lookahead, Ternary
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Channel, Collected, Entry, Message, MessageState, World
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Claim, Place, Step, View
from plumbline.reference.search.transition import Entry as Observation


class Clients:
    """The part of the model that empties clients' queues, and tells whether anything more comes."""

    def __init__(
        self,
        setting: Setting,
        lookahead: Lookahead,
        replicates: Replicates,
        interests: Interests,
        failover: Failover,
        calls: ClientCalls,
    ) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._replicates = replicates
        self._interests = interests
        self._failover = failover
        self._calls = calls
        self._arrivals = Arrivals(setting, replicates, interests)

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Calls that reach their server, answers that leave it, and the first message of each queue."""
        yield from self._calls.steps(world)
        for channel, messages in world.channels.in_order():
            head, client = messages[0], channel.target
            if client not in self._setting.clients or head.state is MessageState.PARKED:
                continue
            if not any(self._is_sent(channel, messages)) or self._still_listens(world, channel, head):
                continue
            if self._setting.tombstones is not None and self._hears_first(world, channel, head):
                continue
            if self._setting.plain:
                yield from self._arrivals.ways(world, view, channel, head)
                continue
            yield from self._each_way(world, view, channel, head)
        yield from self._interests.steps(world)
        yield from self._failover.steps(world)

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
        """What may come of a message at a client that reads, has several servers or an interest list."""
        for known in self._failover.remembered(world, channel.target, head):
            yield from self._known_or_new(known, view, channel, head)

    def _known_or_new(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """A client recognises a message, or takes it."""
        client = channel.target
        operation = self._setting.operations[head.op_id]
        answers = operation.kind is OperationKind.GET
        # An event that a client may forget does not stay a repetition.
        forgets = self._setting.clients[client].tracking_timeout_ms is not None
        meddles = forgets or self._lookahead.clients.meddles(world, view.now, client, operation)
        believes = not answers and not meddles
        for repeated in (False,) if answers else self._failover.processed(world, client, head):
            if repeated:
                again = taken(world, channel, head)
                claim = claims.RECOGNISED if believes else None
                yield Step(("recognises", client, head.op_id), again, claim=claim)
                continue
            ways = list(self._arrivals.ways(world, view if believes else EveryWay(view), channel, head))
            if believes and self._is_still_told(view, client, head):
                # An event that passes without an observation is known from then on, and would never show any
                # more.
                ways = [step for step in ways if step.shows]
            for step in ways:
                step.claim = self._claimed(world, view, channel, head, step, ways) if believes else None
                step.loses = ()
                if not answers:
                    step.state = self._failover.tracking(step.state, client, head)
                yield step
            if (
                not head.sure
                and self._setting.tracked(client)
                and not (
                    view.reduced
                    and self._setting.clients_as_documented
                    and not self._lookahead.clients.takes_over(world, view.now, client)
                )
            ):
                # Not sent by this server: the client knows nothing of it, so another may still send it.
                unknown = taken(world, channel, head)
                claim = self._never_sent(world, view, channel, head, ways) if believes else None
                yield Step(("is never sent", client, head.op_id), unknown, claim=claim)

    def _is_still_told(self, view: View, client: str, head: Message) -> bool:
        """Whether the client's log tells later of just this message."""
        operation = self._setting.operations[head.op_id]
        place, shown = self._replicates.shown(client, as_told(head, self._setting.operations[head.op_id]))
        return (
            self._setting.clients_as_documented
            and self._replicates.decided_by_log(view, place, shown)
            and view.still(place, shown)
            and not self._lookahead.clients.fetches(client, operation)
        )

    def _claimed(
        self, world: World, view: View, channel: Channel, head: Message, step: Step, ways: list[Step]
    ) -> Claim | None:
        """The claim of a way in which a client takes a message, where it leaves the key alone itself.

        An event that the client's log still shows may come from another server instead. So only the step that
        shows it is claimed. An event that the log shows no more has to pass without an observation. If only
        one way does that, it is claimed while no reader can see a difference. A key that is absent stays
        absent for every reader. Each event older than the one that passed is passed over, too.
        """
        client = channel.target
        if step.shows:
            return claims.SHOW_AT_CLIENT if step.claim is not None else None
        if self._may_be_told(view, client, head) or self._overtakes(world, client, head, step):
            return None
        alike = self._looks_alike(world, client, head, ways)
        if not head.sure:
            alone = alike and self._owes(world, view, client, head) is Ternary.NO
            return claims.DISCARD_AT_CLIENT if alone and step.name[0] == "ignores" else None
        if step.claim is None and not (len(ways) == 1 and alike):
            return None
        return claims.DISCARD_AT_CLIENT

    def _overtakes(self, world: World, client: str, head: Message, step: Step) -> bool:
        """Whether a way changes a key in silence while an answer and an event of it are on different ways.

        Where the one makes a key's entry newer, or its tombstone, the other would not be taken any more.
        """
        operation = self._setting.operations[head.op_id]
        where = (operation.region, operation.key)
        if step.state.entry(client, *where) == world.entry(client, *where):
            return False
        return any(
            self._setting.originators.get(op_id) == client
            and (self._setting.operations[op_id].region, self._setting.operations[op_id].key) == where
            for op_id in world.calls
        )

    def _never_sent(
        self, world: World, view: View, channel: Channel, head: Message, ways: list[Step]
    ) -> Claim | None:
        """The claim that a server has never sent a message: only so is what came before it still told of."""
        client = channel.target
        if self._may_be_told(view, client, head) or not self._looks_alike(world, client, head, ways):
            return None
        return claims.DISCARD_AT_CLIENT if self._owes(world, view, client, head) is Ternary.YES else None

    def _may_be_told(self, view: View, client: str, head: Message) -> bool:
        """Whether the client's log may still tell of a message."""
        place, shown = self._replicates.shown(client, as_told(head, self._setting.operations[head.op_id]))
        return not self._replicates.decided_by_log(view, place, shown) or view.still(place, shown)

    def _owes(self, world: World, view: View, client: str, head: Message) -> Ternary:
        """Whether a client would take what it still tells of for a repetition, if it knew the number."""
        if not self._setting.tracked(client):
            return Ternary.NO
        operation = self._setting.operations[head.op_id]
        return self._lookahead.clients.owes_earlier(world, view, client, operation)

    def _looks_alike(self, world: World, client: str, head: Message, ways: list[Step]) -> bool:
        """Whether all ways of taking a message look alike to each reader of the key at the client."""
        operation = self._setting.operations[head.op_id]
        seen = {
            reading_of(one.entry(client, operation.region, operation.key))
            for one in (world, *(way.state for way in ways))
        }
        return len(seen) == 1 and not any(way.shows for way in ways)

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
        if not self._failover.quiet(world):
            return False
        return not any(
            channel.target in self._setting.clients
            and messages[0].state is not MessageState.PARKED
            and all(self._is_sent(channel, messages))
            and holders.isdisjoint((channel.source, channel.target))
            for channel, messages in world.channels.items()
        )

    def settled(self, world: World) -> World:
        """The world that has settled."""
        return self._failover.settled(world)

    def waits(self, world: World, operation: Operation) -> bool:
        """Whether a call may have to wait for another call of its client on the same key."""
        return self._calls.waits(world, operation)

    def _is_sent(self, channel: Channel, messages: tuple[Message, ...]) -> tuple[bool, ...]:
        """Whether what waits for a client is sent; several answers only where that is free."""
        answers = all(self._setting.originators.get(m.op_id) == channel.target for m in messages)
        return (True,) if answers else each(self._setting.book.keeps_sending(len(messages)))


def reading_of(entry: Entry) -> tuple[bool, str | None]:
    """What a reader sees of an entry: whether the key is there, and its value."""
    return entry.state in PRESENT, entry.token if entry.state is EntryState.LIVE else None


class EveryWay:
    """A view under which nothing is left out: what spares steps elsewhere need not hold at such clients."""

    reduced = False

    def __init__(self, view: View) -> None:
        self._view = view
        self.now = view.now

    def due(self, place: Place) -> Observation | None:
        """See View."""
        return self._view.due(place)

    def fits(self, place: Place, entry: Observation) -> bool:
        """See View."""
        return self._view.fits(place, entry)

    def still(self, place: Place, entry: Observation) -> bool:
        """See View."""
        return self._view.still(place, entry)

    def when(self, place: Place, entry: Observation) -> int | None:
        """See View."""
        return self._view.when(place, entry)

    def observed(self, place: Place) -> bool:
        """See View."""
        return self._view.observed(place)

    def complete(self, owner: Hashable) -> bool:
        """See View."""
        return self._view.complete(owner)


class Untold(EveryWay):
    """A view under which a listener may be told of anything: of this it is told later."""

    def fits(self, place: Place, entry: Observation) -> bool:  # noqa: ARG002 - a view's signature
        """See View."""
        return True
