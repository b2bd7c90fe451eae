"""Failover: the server that sends a client its events dies, and another takes its part.

Owns which servers keep a client's queue. Nobody recruits further secondaries: how a queue is copied to a new
one is not modelled yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.explain.steps import Entry as Shown
from plumbline.reference.explain.steps import Place, Step
from plumbline.reference.history import OrderStrength
from plumbline.reference.model import claims
from plumbline.reference.model.clients.interests import Interests, with_interests
from plumbline.reference.model.clients.subscriptions import resumed
from plumbline.reference.model.restarts import NOBODY
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import STILL_UNKNOWN, Line, Message, World
from plumbline.reference.rulebook.values import Free, each

EITHER = Free((False, True))

ACKNOWLEDGED = "tells secondary what was received"
"""The step that only tells, now and then."""


class Failover:
    """The part of the model that moves clients from servers that have died to others."""

    def __init__(
        self, setting: Setting, strength: OrderStrength, at_clients: OrderStrength, interests: Interests
    ) -> None:
        self._one_order = strength is at_clients is OrderStrength.TOTAL
        self._setting = setting
        self._strength = strength
        self._interests = interests

    def steps(self, world: World) -> Iterator[Step]:
        """A client gets another server; a secondary hears what its client has received."""
        dead = world.wan.dead
        for client, line in world.served.lines.in_order():
            for secondary in line.secondaries:
                if secondary not in dead and world.served.copies.get((secondary, client)):
                    yield from self._removed(world, client, line, secondary)
            if self._looks_for_another(world, line):
                yield from self._failed_over(world, client, line)

    def _looks_for_another(self, world: World, line: Line) -> bool:
        """Whether a client may turn to another server: its own has died, or it has none to be had so far."""
        book = self._setting.book
        if line.primary == NOBODY:
            return any(each(book.keeps_looking()))
        return line.primary in world.wan.dead and any(each(book.fails_over()))

    def quiet(self, world: World) -> bool:
        """Whether every client has a server that lives, as far as there is one to be had."""
        if not world.wan.dead and not any(line.primary == NOBODY for line in world.served.lines.values()):
            return True
        turns = all(each(self._setting.book.fails_over()))
        looks = all(each(self._setting.book.keeps_looking()))
        return not any(
            (looks if line.primary == NOBODY else turns and line.primary in world.wan.dead)
            and self._alive(world, self._setting.clients[client].servers)
            and not self._leftovers(world, client, line)
            for client, line in world.served.lines.items()
        )

    def processed(self, world: World, client: str, message: Message) -> tuple[bool, ...]:
        """Whether the client knows a message as a repetition; several answers only where it is free."""
        if not self._setting.tracked(client):
            return (False,)
        tracks = world.served.tracks
        where = self._track(client, message)
        highest = 0 if message.renamed else tracks.get(where, 0)
        others = max((n for (name, *_), n in tracks.items() if name == client), default=0)
        return each(self._setting.book.is_repeated(self._setting.number_of(message.op_id), highest, others))

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
        # Where time runs, nobody knows how long it was.
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
        return world.but(served=replace(world.served, touched=world.served.touched.set(where, (first, now))))

    def tracking(self, world: World, client: str, message: Message) -> World:
        """The world in which the client knows that it has processed a message."""
        if not self._setting.tracked(client):
            return world
        world = self._touched(world, client, message)
        where = self._track(client, message)
        tracks = world.served.tracks
        highest = max(tracks.get(where, 0), self._setting.number_of(message.op_id))
        return world.but(served=replace(world.served, tracks=tracks.set(where, highest)))

    def _track(self, client: str, message: Message) -> tuple[str, str, str, str]:
        operation = self._setting.operations[message.op_id]
        if self._one_order:
            return (client, operation.thread, "", "")
        # Logs that keep the order of each key only say nothing of a thread's events of several keys.
        return (client, operation.thread, operation.region, operation.key)

    @staticmethod
    def _alive(world: World, servers: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(server for server in servers if server not in world.wan.dead)

    @staticmethod
    def _leftovers(world: World, client: str, line: Line) -> bool:
        """Whether the client may still get something from its dead server."""
        return any((c.source, c.target) == (line.primary, client) for c in world.channels)

    def _removed(self, world: World, client: str, line: Line, secondary: str) -> Iterator[Step]:
        copies = world.served.copies
        queue: tuple[Message, ...] = copies[secondary, client]

        def without(gone: set[int]) -> World:
            kept = tuple(message for message in queue if message.op_id not in gone)
            where = (secondary, client)
            after = copies.set(where, kept) if kept else copies.delete(where)
            return world.but(served=replace(world.served, copies=after))

        received = {m.op_id for m in queue if all(self.processed(world, client, m))}
        if received:
            # What a client may forget, it does not recognise when it comes again.
            forgets = self._setting.clients[client].tracking_timeout_ms is not None
            claim = None if forgets else claims.ACKNOWLEDGED
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

    def _failed_over(self, world: World, client: str, line: Line) -> Iterator[Step]:
        book = self._setting.book
        if self._leftovers(world, client, line) and all(each(book.drains_first())):
            return
        secondaries = self._alive(world, line.secondaries)
        servers = self._alive(world, self._setting.clients[client].servers)
        for server in each(book.promoted(secondaries)) if secondaries else servers:
            known = self._known_at_secondary(world, client) if secondaries else world
            others = tuple(other for other in secondaries if other != server)
            moved = self._moved(known, client, Line(server, others))
            for forgotten in moved:
                for anew in each(book.starts_anew(bool(secondaries))):
                    ways: list[tuple[World, tuple[tuple[Place, Shown], ...]]] = [(forgotten, ())]
                    if anew:
                        ways = list(self._interests.anew(forgotten, client))
                    for before, shows in ways:
                        for after in self._resumed(before, server, client):
                            alone = secondaries and not anew and self._setting.clients_as_documented
                            claim = claims.FAILED_OVER if alone else None
                            yield Step(("takes over", server, client), after, shows, claim)

    @staticmethod
    def _known_at_secondary(world: World, client: str) -> World:
        """The world without what only the dead server knew of the client's interest, as it should not."""
        interests = world.served.interests
        for where, found in world.served.interests.items():
            kept = tuple(one for one in found if one.everywhere)
            if where[0] == client and kept != found:
                interests = interests.set(where, kept) if kept else interests.delete(where)
        return with_interests(world, interests)

    def _moved(self, world: World, client: str, line: Line) -> Iterator[World]:
        """The worlds in which a client has its other server, and has kept what it knew, as it should."""
        served = replace(world.served, lines=world.served.lines.set(client, line))
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

    def _resumed(self, world: World, server: str, client: str) -> Iterator[World]:
        for at_once in each(self._setting.book.resumes_at_once()):
            if at_once:
                yield from resumed(world, self._setting, self._strength, server, client)
            else:
                yield world
