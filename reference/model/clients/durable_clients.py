"""Durable clients: their lives, the queues that servers keep while they are away, replay and marker (003).

Owns which servers hold the queue of a client that is away. What a life is sent it reads from the queue of its
server, one event after the other. What it has acknowledged matters when it goes, and is decided only then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import DESTROYS, EventKind, Interest, Operation
from plumbline.reference.model.clients.acknowledging import acknowledged, dropped, kept
from plumbline.reference.model.clients.arrivals import as_told, taken
from plumbline.reference.model.clients.client_state import NO_SERVER, DurableState, QueuePlacement
from plumbline.reference.model.clients.displacing import CONFLATES, Displacing
from plumbline.reference.model.clients.failover import Failover
from plumbline.reference.model.clients.partings import (
    all_flow,
    interests_back,
    interests_left,
    interests_of_earlier_life,
    left_of,
    others_ended,
    without_client,
)
from plumbline.reference.model.clients.queue_holders import (
    MARKER,
    holders_of,
    is_marker,
    with_durable,
    with_kept,
    without_holders,
    without_interest,
)
from plumbline.reference.model.clients.registrations import Interests, covers
from plumbline.reference.model.described_steps import PerhapsDropped
from plumbline.reference.model.independence import Independence
from plumbline.reference.model.messages import Channel, Message, MessageState
from plumbline.reference.model.places import listener_entry, listener_place
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.site_state import STILL_UNKNOWN
from plumbline.reference.model.world import GateState, World
from plumbline.reference.rulebook.durable import Parting
from plumbline.reference.rulebook.replays import Kept
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step, View

QUEUE = "queue of a durable client"
"""The way by which a durable client is sent its events."""

HAS_DROPPED = "has dropped"
"""A server had dropped what its client had processed: the name of that step."""

TOLD_ONLY = "is told of what was stored"
"""The step that changes nothing of a copy."""

PARTINGS = {
    FaultKind.CLIENT_CLOSE: Parting.CLOSED,
    FaultKind.CLIENT_DETACH: Parting.KEPT,
    FaultKind.CLIENT_CRASH: Parting.CRASHED,
}

Ways = Callable[[World, View, Channel, Message], Iterator[Step]]


class Durable:
    """The part of the model that sends durable clients what was kept for them."""

    def __init__(
        self,
        setting: Setting,
        strength: OrderStrength,
        replicates: Replicates,
        interests: Interests,
        failover: Failover,
        independence: Independence,
    ) -> None:
        self._independence = independence
        self._setting = setting
        self._strength = strength
        self._replicates = replicates
        self._interests = interests
        self._failover = failover
        self._displacing = Displacing(setting)

    def steps(self, world: World, view: View, ways: Ways) -> Iterator[Step]:
        """A client takes the next of its queue, or gets another server."""
        for client, state in world.served.durable.in_order():
            yield from self._tells_live(world, client, state)
            line = world.served.lines.get(client)
            if line is None:
                continue
            if not state.connected:
                yield from self._sent_to_closed(world, client, state, line)
                continue
            yield from self._taken_over(world, client, line)
            head = self._next(world, client, state, line)
            if head is None:
                continue
            queue: tuple[Message, ...] = world.served.kept[line.primary, client]
            for left in self._displacing.shortened(client, queue[state.read :]):
                shorter = with_kept(world, line.primary, client, (*queue[: state.read], *left))
                yield Step((CONFLATES, client, head.op_id), shorter)
            if not head.open_of:
                yield from self._sent(world, view, client, line.primary, head, ways)
                continue
            without = dropped(world, self._setting, line.primary, client, head)
            operation = self._setting.operations[head.op_id]
            known = all(self._failover.processed(world, client, head))
            event = PerhapsDropped(world, view, client, operation, known, state.live)
            claim = self._independence.dropping(event)
            yield Step((HAS_DROPPED, line.primary, client, head.op_id), without, claim=claim)
            whole = kept(world, line.primary, client, head)
            for step in self._sent(whole, view, client, line.primary, replace(head, open_of=0), ways):
                step.claim = None  # it may have been dropped
                yield step

    def _sent(
        self, world: World, view: View, client: str, server: str, head: Message, ways: Ways
    ) -> Iterator[Step]:
        """A server sends a client the next of its queue."""
        state = world.served.durable[client]
        moved = with_durable(world, client, replace(state, read=state.read + 1))
        if is_marker(head):
            yield from self._marked(moved, client, head)
            return
        channel = Channel(QUEUE, server, client)
        sent = moved.but(channels=moved.channels.set(channel, (head,)))
        yield from ways(sent, view, channel, head)

    def _sent_to_closed(
        self, world: World, client: str, state: DurableState, line: QueuePlacement
    ) -> Iterator[Step]:
        """A client that has gone is sent what is queued for it, as it should not."""
        queue: tuple[Message, ...] = world.served.kept.get((line.primary, client), ())
        if state.read < len(queue) and any(each(self._setting.book.sends_to_closed())):
            head = queue[state.read]
            after = with_durable(world, client, replace(state, read=state.read + 1))
            told = () if is_marker(head) else (self._setting.operations[head.op_id],)
            shows = tuple(self._replicates.shown(client, as_told(head, one)) for one in told)
            yield Step(("is sent though it has closed", client, head.op_id), after, shows)

    def _next(self, world: World, client: str, state: DurableState, line: QueuePlacement) -> Message | None:
        """What its server sends it next; None while it stands in its listener or is sent nothing."""
        flows = state.ready or state.unasked or not all(each(self._setting.book.waits_for_ready()))
        if state.untold or state.stalled or not flows:
            return None
        if any(channel.thread == QUEUE and channel.target == client for channel in world.channels):
            return None
        queue: tuple[Message, ...] = world.served.kept.get((line.primary, client), ())
        return queue[state.read] if state.read < len(queue) else None

    def quiet(self, world: World, holders: frozenset[str] | set[str]) -> bool:
        """Whether every durable client that runs has a server, and was sent all but what is held back."""
        for client, state in world.served.durable.items():
            line = world.served.lines.get(client)
            if state.untold:
                return False
            if not state.connected or line is None:
                continue
            if line.primary in (NO_SERVER, *world.wan.dead):
                secured = bool(self._alive(world, line.secondaries))
                turns = all(each(self._setting.book.fails_over(secured)))
                if turns and self._alive(world, self._setting.clients[client].servers):
                    return False
            elif self._next(world, client, state, line) is not None and holders.isdisjoint(
                (line.primary, client)
            ):
                return False
        return True

    def settled(self, world: World) -> World:
        """The world that has settled: what clients have been sent is acknowledged from now on."""
        if not world.wan.stands:
            return world
        for client, state in world.served.durable.items():
            line = world.served.lines.get(client)
            if not state.connected or line is None:
                continue
            queue: tuple[Message, ...] = world.served.kept.get((line.primary, client), ())
            marked = tuple(
                replace(one, acknowledged=world.wan.passed) if one.acknowledged == STILL_UNKNOWN else one
                for one in queue[: state.read]
            )
            world = with_kept(world, line.primary, client, (*marked, *queue[state.read :]))
        return world

    def stored(self, world: World, view: View, channel: Channel, head: Message, ways: Ways) -> Iterator[Step]:
        """What comes of an event: in front of the marker listeners are told, and the copy stays."""
        book, client = self._setting.book, channel.target
        operation = self._setting.operations[head.op_id]
        state = world.served.durable[client]
        entry = world.entry(client, operation.region, operation.key)
        held = entry.state is EntryState.LIVE
        before_marker = book.applies_first if state.life == 1 else book.applies_stored
        for applied in each(
            book.applies_when_live(operation.kind) if state.live else before_marker(operation.kind, held)
        ):
            if applied:
                yield from ways(world, view, channel, head)
                continue
            for tells in each(book.tells_stored(operation.kind)):
                yield from self._told(world, channel, operation, head, tells=tells)

    def _told(
        self, world: World, channel: Channel, operation: Operation, head: Message, *, tells: bool
    ) -> Iterator[Step]:
        client = channel.target
        name = (TOLD_ONLY, client, head.op_id)
        gate = (client, head.op_id)
        if not tells:
            yield Step(name, taken(world, channel, head))
            return
        if world.gates.get(gate) is GateState.ARMED:
            after = world.but(
                gates=world.gates.set(gate, GateState.PARKED),
                channels=world.channels.set(channel, (replace(head, state=MessageState.PARKED),)),
            )
        else:
            after = taken(world, channel, head)
        told = as_told(head, operation)
        forms = (told,) if told is operation else (told, replace(told, token=None))
        for form in dict.fromkeys(forms):
            yield Step(name, after, (self._replicates.shown(client, form),))

    def _marked(self, world: World, client: str, marker: Message) -> Iterator[Step]:
        """A marker arrives: the listener of each live region is to be told, once in a life."""
        state = world.served.durable[client]
        name = ("passes the marker", client, state.life)
        counts = (True,) if -marker.op_id == state.life else each(self._setting.book.old_marker_counts())
        for one in counts:
            if state.live or not one:
                yield Step(name, world)
                continue
            live = tuple(
                region
                for region in self._setting.region_names
                if not self._setting.without_pool(client, region) and (client, region) not in world.away
            )
            for told in each(self._setting.book.told_live(live)):
                passed = with_durable(world, client, replace(state, live=True, untold=tuple(sorted(told))))
                if told:
                    yield from self._tells_live(passed, client, passed.served.durable[client])
                else:
                    yield Step(name, passed)

    def _tells_live(self, world: World, client: str, state: DurableState) -> Iterator[Step]:
        """One listener after the other is told that its region is live; a client that dies tells no more."""
        for region in dict.fromkeys(state.untold):
            rest = list(state.untold)
            rest.remove(region)
            after = with_durable(world, client, replace(state, untold=tuple(rest)))
            name = ("tells that a region is live", client, region)
            yield Step(name, after, (self._live(client, region),))

    def _live(self, client: str, region: str) -> tuple[Place, Observation]:
        kind = EventKind.LIVE
        place = listener_place(self._strength, client, region, "", None, kind)
        return place, listener_entry(region, "", kind, None)

    @staticmethod
    def _alive(world: World, servers: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(server for server in servers if server not in world.wan.dead)

    def _taken_over(self, world: World, client: str, line: QueuePlacement) -> Iterator[Step]:
        """Another server takes the part of a dead one: one with the queue, or any that the client names."""
        book = self._setting.book
        secondaries = self._alive(world, line.secondaries)
        looks = book.keeps_looking() if line.primary == NO_SERVER else book.fails_over(bool(secondaries))
        if line.primary not in (NO_SERVER, *world.wan.dead) or not any(each(looks)):
            return
        servers = self._alive(world, self._setting.clients[client].servers)
        redundant = self._setting.clients[client].redundancy > 0
        for server in each(book.promoted(secondaries)) if secondaries else servers:
            others = tuple(other for other in secondaries if other != server)
            placed = QueuePlacement(server, others, min(line.moves + 1, 2), filling=line.filling)
            gone = with_kept(world, line.primary, client, ())
            for moved in self._failover.moved(gone, client, placed):
                for anew in each(book.starts_anew(bool(secondaries), redundant)):
                    ways = list(self._interests.anew(moved, client)) if anew else [(moved, ())]
                    for before, shows in ways:
                        for after in self._resumed(before, server, client, secured=bool(secondaries)):
                            yield Step(("takes over", server, client), after, shows)

    def _resumed(self, world: World, server: str, client: str, *, secured: bool) -> Iterator[World]:
        """The worlds in which another server sends what it has, with the marker if that is still due."""
        book = self._setting.book
        state = world.served.durable[client]
        queue: tuple[Message, ...] = world.served.kept.get((server, client), ())
        marker = Message(MARKER * state.life, None)
        due = state.ready and not state.live
        replayed = product(*(each(book.replays_after_failover(one)) for one in (False, True)))
        for (early, last), marks, at_once, ready in product(
            tuple(replayed) if due and secured else ((True, True),),
            each(book.marks_after_failover()) if due and marker not in queue else (False,),
            each(book.resumes_at_once()) if secured and queue else (True,),
            each(book.stays_ready(secured)) if state.ready else (False,),
        ):
            left = left_of(queue, marker, early=early, last=last)
            after = with_kept(world, server, client, (*left, marker) if marks else left)
            yield with_durable(after, client, replace(state, read=0, stalled=not at_once, ready=ready))

    def happened(self, world: World, fault: Fault, *, later: bool) -> Iterator[World]:
        """The worlds in which a client has become ready, has gone or has come back (see `acknowledged`)."""
        client = fault.client
        state: DurableState | None = world.served.durable.get(client)
        if state is None:
            yield from self._unneeded(world, client)
        elif state.connected is (fault.kind is FaultKind.CLIENT_START):
            yield world
        elif fault.kind is FaultKind.CLIENT_READY:
            for all_are in each(self._setting.book.ready_counts_for_others()):
                yield from self._readied(all_flow(world) if all_are else world, client, state)
        elif fault.kind is FaultKind.CLIENT_START:
            yield from self._started(world, client, state, fault.milliseconds)
        else:
            parting = PARTINGS[fault.kind]
            closes = parting is Parting.CLOSED
            for ends in each(self._setting.book.close_ends_others()) if closes else (False,):
                yield from self._parted(
                    others_ended(world, client) if ends else world, client, state, parting, later=later
                )

    def _unneeded(self, world: World, client: str) -> Iterator[World]:
        """The worlds in which a client that is not durable has said that it is ready: nothing changes."""
        book, line = self._setting.book, world.served.lines.get(client)
        if line is not None and not all(all(each(book.flows_unasked(one))) for one in (False, True)):
            lines = world.served.lines.set(client, replace(line, readied=True))
            world = world.but(served=replace(world.served, lines=lines))
        for harmless in each(book.ready_is_harmless()):
            yield world if harmless else without_interest(world, client)

    def _readied(self, world: World, client: str, state: DurableState) -> Iterator[World]:
        book, line = self._setting.book, world.served.lines.get(client)
        if state.ready or line is None:
            yield world
            return
        ready = with_durable(world, client, replace(state, ready=True))
        ways = [ready]
        for holder in holders_of(line):
            if holder in world.wan.dead:
                continue
            ways = [
                after for before in ways for after in self._with_marker(before, client, holder, state, line)
            ]
        for after in ways:
            stored = bool(after.served.kept.get((line.primary, client), ()))
            for flows in each(book.flows_when_ready()) if stored else (True,):
                yield with_durable(after, client, replace(state, ready=True, stalled=not flows))

    def _with_marker(
        self, world: World, client: str, holder: str, state: DurableState, line: QueuePlacement
    ) -> Iterator[World]:
        """The worlds in which a holder has put the marker behind what is stored."""
        book = self._setting.book
        queue: tuple[Message, ...] = world.served.kept.get((holder, client), ())
        stored = [one for one in queue if not is_marker(one)]
        operations = [self._setting.operations[one.op_id] for one in stored]
        kept = tuple(Kept(one.kind, one.thread, one.region, one.key) for one in operations)
        orders = each(book.replayed(tuple(range(len(kept))), kept))
        absents = tuple(product(*(each(book.replays_absent(one)) for one in (False, True))))
        for order, absent, marks in product(orders, absents, each(book.marks(holder != line.primary))):
            sent: tuple[Message, ...] = queue
            if order != tuple(range(len(stored))):
                sent = tuple(stored[at] for at in order)
            if not all(absent):
                sent = tuple(one for one in sent if self._is_sent(world, holder, one, absent))
            first_life = book.marks_first_start(len(sent)) if state.life == 1 else book.marks_forgotten()
            firsts = (True,) if state.known else each(first_life)
            for behind, first in product(each(book.marker_behind(len(sent))), firsts):
                marker = (Message(MARKER * state.life, None),) if marks and first else ()
                yield with_kept(world, holder, client, (*sent[:behind], *marker, *sent[behind:]))

    def _is_sent(self, world: World, holder: str, message: Message, absent: tuple[bool, ...]) -> bool:
        """Whether a stored event is replayed where those of absent keys are only in part."""
        operation = self._setting.operations.get(message.op_id)
        if operation is None or absent[operation.kind in DESTROYS]:
            return True
        entry = world.entry(holder, operation.region, operation.key)
        return entry.state in (EntryState.LIVE, EntryState.INVALID)

    def _parted(
        self, world: World, client: str, state: DurableState, parting: Parting, *, later: bool
    ) -> Iterator[World]:
        """The worlds in which a client has gone; of what it has processed, some was not acknowledged."""
        book, line = self._setting.book, world.served.lines.get(client)
        gone = without_client(world, client)
        since = world.wan.passed if world.wan.stands else STILL_UNKNOWN
        away = replace(state, connected=False, ready=False, live=False, read=0, since=since)
        away = replace(away, untold=(), stalled=False, unasked=False)
        gone = with_durable(gone, client, away)
        if line is None:
            yield gone
            return
        holders = self._alive(world, holders_of(line))
        durable = [
            one.interest
            for (name, _), found in world.served.interests.items()
            for one in found
            if name == client and one.interest.durable
        ]
        kept_ways = product(*(each(book.keeps_queue(parting, one != line.primary)) for one in holders))
        without = each(book.keeps_without_interest(parting is Parting.CRASHED)) if not durable else (True,)
        queue: tuple[Message, ...] = world.served.kept.get((line.primary, client), ())
        seen = [one for one in queue[: state.read] if not is_marker(one)]
        ahead = [one.op_id for one in queue[state.read :] if not is_marker(one)] if state.ready else []
        sending = next(iter(ahead), None)
        for keeps, at_all in product(kept_ways, without):
            stay = tuple(one for one, kept in zip(holders, keeps, strict=True) if kept and at_all)
            left = without_holders(gone, client, tuple(h for h in holders_of(line) if h not in stay))
            if not stay:
                yield left
                continue
            for others in each(book.other_interest()):
                rest = interests_left(left, client, others)
                for after in acknowledged(rest, self._setting, client, seen, stay, later=later):
                    yield from self._emptied(after, client, stay, durable, sending)

    def _emptied(
        self,
        world: World,
        client: str,
        holders: tuple[str, ...],
        durable: list[Interest],
        sending: int | None,
    ) -> Iterator[World]:
        """The worlds without what was queued and does not stay so, as it should.

        Args:
            world: the world in which the client has gone.
            client: the client.
            holders: the servers that keep its queue.
            durable: its durable interest.
            sending: the event that it was being sent; None where there is none.
        """
        sorts = {
            one.op_id: (self._is_durable(one, durable), one.op_id == sending)
            for holder in holders
            for one in world.served.kept.get((holder, client), ())
            if not is_marker(one)
        }
        met = sorted(set(sorts.values()))
        for keeps in product(*(each(self._setting.book.keeps_queued(*sort)) for sort in met)):
            stays, after = dict(zip(met, keeps, strict=True)), world
            for holder in holders if not all(keeps) else ():
                queue: tuple[Message, ...] = world.served.kept.get((holder, client), ())
                left = tuple(one for one in queue if is_marker(one) or stays[sorts[one.op_id]])
                after = with_kept(after, holder, client, left)
            yield after

    def _is_durable(self, message: Message, durable: list[Interest]) -> bool:
        operation = self._setting.operations[message.op_id]
        return any(
            one.region == operation.region and any(covers(self._setting.book, one, operation.key))
            for one in durable
        )

    def _started(self, world: World, client: str, state: DurableState, timeout_ms: int) -> Iterator[World]:
        """The worlds in which a new process runs under the id of a client that is away."""
        book, line = self._setting.book, world.served.lines.get(client)
        away = 0 if state.since == STILL_UNKNOWN else world.wan.passed - state.since
        for stops in each(book.return_stops_clock()):
            born = replace(
                state,
                life=state.life + 1,
                connected=True,
                read=0,
                known=line is not None,
                before=state.before + away,
                since=STILL_UNKNOWN if stops else state.since,
                timeout_ms=timeout_ms or state.timeout_ms,
            )
            begun = interests_of_earlier_life(with_durable(world, client, born), client)
            yield from self._connected_again(begun, client, line)

    def _connected_again(self, world: World, client: str, line: QueuePlacement | None) -> Iterator[World]:
        """The worlds in which a new life has a server: one that holds the queue, if one lives; else any."""
        book, named = self._setting.book, self._setting.clients[client]
        holders = () if line is None else self._alive(world, holders_of(line))
        others = tuple(one for one in self._alive(world, named.servers) if one not in holders)
        if not holders:
            for server in others:
                rest = tuple(one for one in others if one != server)[: named.redundancy]
                lines = world.served.lines.set(client, QueuePlacement(server, rest))
                yield world.but(served=replace(world.served, lines=lines))
            return
        chosen = (
            server
            for first in holders
            for server in each(book.returns_to((first, *(h for h in holders if h != first)), others))
        )
        for server in dict.fromkeys(chosen):
            rest = tuple(one for one in holders if one != server) if server in holders else ()
            after = world if server in holders else without_holders(world, client, holders)
            lines = after.served.lines.set(client, QueuePlacement(server, rest))
            yield interests_back(after.but(served=replace(after.served, lines=lines)), client)
