"""Failover: the server that sends a client its events dies, and another takes its part.

Owns which servers keep a client's queue, but for those that are recruited later (`recruiting`).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.model.clients.client_state import NO_SERVER, ClientState, QueuePlacement
from plumbline.reference.model.clients.displacing import without as left_without
from plumbline.reference.model.clients.recruiting import Recruiting
from plumbline.reference.model.clients.registrations import Interests, with_interests
from plumbline.reference.model.clients.subscriptions import resumed
from plumbline.reference.model.independence import Independence
from plumbline.reference.model.messages import Channel, Message, MessageState
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.site_state import STILL_UNKNOWN
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import Free, each
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step

EITHER = Free((False, True))

MOST_COUNTED = 2
"""So often it is counted that a client changes its server: the first time, or a later one."""

REMAINS = "remains of a dead server"
"""The way by which what a dead server has sent comes behind all else, as it should not."""

ACKNOWLEDGED = "tells secondary what was received"
"""The step that only tells, now and then."""

OVERDUE = "drops what was acknowledged long ago"
"""The step that a secondary has to take before anything is settled."""


class Failover:
    """The part of the model that moves clients from servers that have died to others."""

    def __init__(
        self,
        setting: Setting,
        strength: OrderStrength,
        at_clients: OrderStrength,
        interests: Interests,
        independence: Independence,
    ) -> None:
        self._independence = independence
        self._one_order = strength is at_clients is OrderStrength.TOTAL
        self._setting = setting
        self._strength = strength
        self._interests = interests
        self.recruiting = Recruiting(setting)

    def steps(self, world: World) -> Iterator[Step]:
        """A client gets another server; a secondary hears what its client has received."""
        dead = world.wan.dead
        for client, line in world.served.lines.in_order():
            for secondary in line.secondaries:
                if secondary not in dead and world.served.copies.get((secondary, client)):
                    yield from self._removed(world, client, line, secondary)
            if client not in self._setting.durable and self._looks_for_another(world, line):
                yield from self._failed_over(world, client, line)
        yield from self.recruiting.steps(world)

    def _looks_for_another(self, world: World, line: QueuePlacement) -> bool:
        """Whether a client may turn to another server: its own has died, or it has none to be had so far."""
        book = self._setting.book
        if line.primary == NO_SERVER:
            return any(each(book.keeps_looking()))
        secured = bool(self._alive(world, line.secondaries))
        return line.primary in world.wan.dead and any(each(book.fails_over(secured)))

    def settled(self, world: World) -> World:
        """The world that has settled: copies at secondaries carry since when their client has had them.

        Only of clients that forget threads, while time is held: others take nothing twice.
        """
        copies, received = world.served.copies, world.served.received
        if not world.wan.stands or not received:
            return world
        for (server, client), queue in world.served.copies.items():
            if any(channel.target == client for channel in world.channels):
                continue
            marked = tuple(
                replace(message, acknowledged=world.wan.passed)
                if message.acknowledged == STILL_UNKNOWN and (client, message.op_id) in received
                else message
                for message in queue
            )
            copies = copies.set((server, client), marked)
        return world.but(served=replace(world.served, copies=copies))

    def _drops(self, world: World, message: Message) -> tuple[bool, ...]:
        """Whether a secondary drops what its client has processed; several answers while that is free."""
        since = message.acknowledged
        passed = 0 if since == STILL_UNKNOWN else world.wan.passed - since
        return each(self._setting.book.drops_acknowledged(passed))

    def _overdue(self, world: World, client: str, secondary: str) -> set[int]:
        """The op ids that a secondary must have dropped by now."""
        return {
            message.op_id
            for message in world.served.copies.get((secondary, client), ())
            if message.acknowledged != STILL_UNKNOWN and all(self._drops(world, message))
        }

    def quiet(self, world: World) -> bool:
        """Whether every client has a server that lives, if there is one; secondaries hold nothing overdue."""
        dead = world.wan.dead
        if any(
            self._overdue(world, client, secondary)
            for secondary, client in world.served.copies
            for line in [world.served.lines[client]]
            if secondary in line.secondaries and not {line.primary, secondary} & set(dead)
        ):
            return False
        if not world.wan.dead and not any(line.primary == NO_SERVER for line in world.served.lines.values()):
            return True
        book = self._setting.book
        looks = all(each(book.keeps_looking()))
        turns = {secured: all(each(book.fails_over(secured))) for secured in (False, True)}
        return not any(
            (
                looks
                if line.primary == NO_SERVER
                else line.primary in world.wan.dead and turns[bool(self._alive(world, line.secondaries))]
            )
            and self._alive(world, self._setting.clients[client].servers)
            and not self._leftovers(world, client, line)
            for client, line in world.served.lines.items()
            if client not in self._setting.durable
        )

    def processed(self, world: World, client: str, message: Message) -> tuple[bool, ...]:
        """Whether the client knows a message as a repetition; several answers only where it is free."""
        if not self._setting.tracked(client):
            return (False,)
        tracks = world.served.tracks
        setting, op_id = self._setting, message.op_id
        highest = 0 if message.renamed else tracks.get(self._track(client, op_id), 0)
        others = max((n for (name, *_), n in tracks.items() if name == client), default=0)
        book, number = setting.book, setting.number_of(op_id)
        ways: dict[bool, None] = {}
        for together in each(book.counts_all_keys()):
            own, top = (number, highest) if together else setting.numbers_by_key(op_id, highest)
            ways.update(dict.fromkeys(each(book.is_repeated(own, top, others))))
        if op_id not in setting.shares:
            return tuple(ways)
        entries = setting.entries_of(setting.shares[op_id].op_id)
        one_known = any(
            setting.number_of(one) <= tracks.get(self._track(client, one), 0)
            for one in entries
            if one != op_id
        )
        alone = each(book.entries_have_identities())
        return tuple(dict.fromkeys(known or (one_known and not single) for known in ways for single in alone))

    def remembered(self, world: World, client: str, message: Message) -> Iterator[World]:
        """The worlds in which the client still knows what it has processed of the thread, or not."""
        timeout_ms = self._setting.clients[client].tracking_timeout_ms
        thread = self._setting.operations[message.op_id].thread
        seen = world.served.touched.get((client, thread))
        if timeout_ms is None or seen is None:
            yield world
            return
        first, last = seen
        now = world.wan.passed
        # Where time runs, the elapsed time is unknown.
        known = world.wan.stands and STILL_UNKNOWN not in seen
        forgets = self._setting.book.forgets(now - first, now - last, timeout_ms) if known else EITHER
        for forgotten in each(forgets):
            yield self._without(world, client, thread) if forgotten else world

    @staticmethod
    def _without(world: World, client: str, thread: str) -> World:
        tracks = world.served.tracks
        for where in world.served.tracks:
            if where[:2] == (client, thread):
                tracks = tracks.delete(where)
        touched = world.served.touched.delete((client, thread))
        return world.but(served=replace(world.served, tracks=tracks, touched=touched))

    def _touched(self, world: World, client: str, message: Message) -> World:
        if self._setting.clients[client].tracking_timeout_ms is None:
            return world
        where = (client, self._setting.operations[message.op_id].thread)
        now = world.wan.passed if world.wan.stands else STILL_UNKNOWN
        first, _ = world.served.touched.get(where, (now, now))
        touched = world.served.touched.set(where, (first, now))
        received = world.served.received.set((client, message.op_id), value=True)
        return world.but(served=replace(world.served, touched=touched, received=received))

    def tracking(self, world: World, client: str, message: Message) -> World:
        """The world in which the client knows that it has processed a message."""
        if not self._setting.tracked(client):
            return world
        world = self._touched(world, client, message)
        where = self._track(client, message.op_id)
        tracks = world.served.tracks
        highest = max(tracks.get(where, 0), self._setting.number_of(message.op_id))
        return world.but(served=replace(world.served, tracks=tracks.set(where, highest)))

    def _track(self, client: str, op_id: int) -> tuple[str, str, str, str]:
        operation = self._setting.operations[op_id]
        if self._one_order:
            return (client, operation.thread, "", "")
        # Logs that keep the order of each key only say nothing of a thread's events of several keys.
        return (client, operation.thread, operation.region, operation.key)

    @staticmethod
    def _alive(world: World, servers: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(server for server in servers if server not in world.wan.dead)

    @staticmethod
    def _leftovers(world: World, client: str, line: QueuePlacement) -> bool:
        """Whether the client may still get something from its dead server."""
        return any((c.source, c.target) == (line.primary, client) for c in world.channels)

    def _removed(self, world: World, client: str, line: QueuePlacement, secondary: str) -> Iterator[Step]:
        copies = world.served.copies
        queue: tuple[Message, ...] = copies[secondary, client]

        def without(gone: set[int]) -> World:
            kept = left_without(self._setting, client, queue, gone)
            where = (secondary, client)
            after = copies.set(where, kept) if kept else copies.delete(where)
            return world.but(served=replace(world.served, copies=after))

        if line.primary not in world.wan.dead and (overdue := self._overdue(world, client, secondary)):
            yield Step((OVERDUE, secondary, client), without(overdue))
        received = {
            message.op_id
            for message in queue
            if all(self.processed(world, client, message)) and any(self._drops(world, message))
        }
        if received:
            claim = self._independence.acknowledgement(client)
            yield Step((ACKNOWLEDGED, line.primary, secondary, client), without(received), claim=claim)
        if not any(each(self._setting.book.removes_copies_when_sent())):
            return
        sent = {
            message.op_id
            for channel, messages in world.channels.items()
            if (channel.source, channel.target) == (line.primary, client)
            for message in messages
        }
        if not sent.isdisjoint(message.op_id for message in queue):
            yield Step(("tells secondary what was sent", line.primary, secondary, client), without(sent))

    def _failed_over(self, world: World, client: str, line: QueuePlacement) -> Iterator[Step]:
        secondaries = self._alive(world, line.secondaries)
        if not self._leftovers(world, client, line):
            yield from self._taken_over(world, client, line, secondaries)
            return
        overtaken = each(self._setting.book.leftovers_overtaken())
        if any(overtaken):
            beside = self._beside(world, client, line, known=False)
            yield from self._taken_over(beside, client, line, secondaries)
        if all(overtaken):
            return
        drains = each(self._setting.book.drains_first())
        if not all(drains):
            for late in (self._beside(world, client, line, known=True), world):
                yield from self._taken_over(late, client, line, secondaries)
        if any(drains) and not secondaries:
            for after in self._listening(world, client, line):
                yield from self._taken_over(after, client, line, secondaries)

    def _beside(self, world: World, client: str, line: QueuePlacement, *, known: bool) -> World:
        """The world in which what a dead server has sent comes behind all else, its numbers known or not."""
        channels = world.channels
        servers = self._alive(world, self._setting.clients[client].servers)
        for channel, messages in world.channels.items() if servers else ():
            if (channel.source, channel.target) == (line.primary, client):
                stands = messages[0].state is MessageState.PARKED
                left = tuple(replace(message, renamed=not known) for message in messages[stands:])
                channels = channels.set(channel, messages[:1]) if stands else channels.delete(channel)
                if left:
                    channels = channels.set(Channel(REMAINS, servers[0], client), left)
        return world.but(channels=channels)

    @staticmethod
    def _listening(world: World, client: str, line: QueuePlacement) -> Iterator[World]:
        """The world in which a client stands in its listener for its dead server, and gets no more of it.

        It attaches to another as soon as it can (001, L70), which no document has its listener hold up.
        """
        channels, stands = world.channels, False
        for channel, messages in world.channels.items():
            if (channel.source, channel.target) != (line.primary, client):
                continue
            if messages[0].state is MessageState.PARKED:
                channels, stands = channels.set(channel, messages[:1]), True
            else:
                channels = channels.delete(channel)
        if stands:
            yield world.but(channels=channels)

    def _taken_over(
        self, world: World, client: str, line: QueuePlacement, secondaries: tuple[str, ...]
    ) -> Iterator[Step]:
        """Another server takes the part of a dead one: a secondary, or any that the client names."""
        book = self._setting.book
        servers = self._alive(world, self._setting.clients[client].servers)
        for server in each(book.promoted(secondaries)) if secondaries else servers:
            known = self._known_at_secondary(world, client) if secondaries else world
            others = tuple(other for other in secondaries if other != server)
            moved = self.moved(
                known,
                client,
                QueuePlacement(server, others, min(line.moves + 1, MOST_COUNTED), filling=line.filling),
            )
            for forgotten in moved:
                redundant = self._setting.clients[client].redundancy > 0
                for anew in each(book.starts_anew(bool(secondaries), redundant)):
                    ways: list[tuple[World, tuple[tuple[Place, Observation], ...]]] = [(forgotten, ())]
                    if anew:
                        ways = list(self._interests.anew(forgotten, client))
                    for before, shows in ways:
                        for after in self._resumed(before, server, client):
                            yield Step(("takes over", server, client), after, shows)

    @staticmethod
    def _known_at_secondary(world: World, client: str) -> World:
        """The world without what only the dead server knew of the client's interest, as it should not."""
        interests = world.served.interests
        for where, found in world.served.interests.items():
            kept = tuple(one for one in found if one.everywhere)
            if where[0] == client and kept != found:
                interests = interests.set(where, kept) if kept else interests.delete(where)
        return with_interests(world, interests)

    def moved(self, world: World, client: str, line: QueuePlacement) -> Iterator[World]:
        """The worlds in which a client has its other server, and has kept what it knew, as it should."""
        served = self._unacknowledged(world.served, client)
        served = replace(served, lines=served.lines.set(client, line))
        for keeps in each(self._setting.book.keeps_tracks()):
            tracks = served.tracks
            for where in served.tracks if not keeps else ():
                if where[0] == client:
                    tracks = tracks.delete(where)
            for others in each(self._setting.book.others_keep_copies()):
                copies = served.copies
                for server in line.secondaries if not others else ():
                    if (server, client) in copies:
                        copies = copies.delete((server, client))
                yield world.but(served=replace(served, tracks=tracks, copies=copies))

    @staticmethod
    def _unacknowledged(served: ClientState, client: str) -> ClientState:
        """Without what was acknowledged to a server that has died: it may have passed on none of it."""
        copies, received = served.copies, served.received
        for where in served.received:
            if where[0] == client:
                received = received.delete(where)
        for where, queue in served.copies.items() if received is not served.received else ():
            if where[1] == client:
                fresh = tuple(replace(message, acknowledged=STILL_UNKNOWN) for message in queue)
                copies = copies.set(where, fresh)
        return replace(served, copies=copies, received=received)

    def _resumed(self, world: World, server: str, client: str) -> Iterator[World]:
        for at_once in each(self._setting.book.resumes_at_once()):
            if at_once:
                yield from resumed(world, self._setting, self._strength, server, client)
            else:
                yield world
