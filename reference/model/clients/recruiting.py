"""Recruiting: a client that runs and lacks a secondary has another server keep its queue (001, L70 to L73).

Owns how a queue comes to a recruited server; knows nothing of takeovers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.model.clients.client_state import (
    NO_SERVER,
    DurableState,
    QueuePlacement,
    Registration,
)
from plumbline.reference.model.clients.queue_holders import is_marker, with_kept
from plumbline.reference.model.clients.registrations import with_interests
from plumbline.reference.model.messages import Message, MessageState
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step


class Recruiting:
    """The part of the model that makes up for lost secondaries.

    A recruited server queues from then on, and is sent later what waits for the client already.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def _secured(self, world: World) -> Iterator[str]:
        for name, client in self._setting.clients.items():
            life: DurableState | None = world.served.durable.get(name)
            if client.redundancy and (life is None or life.connected):
                yield name

    def steps(self, world: World) -> Iterator[Step]:
        """A server is recruited, or is sent what waits for the client."""
        for client in self._secured(world):
            line = world.served.lines.get(client)
            if line is None or line.primary in (NO_SERVER, *world.wan.dead):
                continue
            for server in self._wanted(world, client, line):
                recruited = self._recruited(world, client, line, server)
                knowing = [each(self._setting.book.recruit_knows_interest(one)) for one in (False, True)]
                for knows in product(*knowing):
                    after = recruited if all(knows) else _unknown(recruited, client, knows)
                    yield Step(("is recruited", server, client), after)
            for server in self._filling(world, line):
                name = ("is sent the queue", line.primary, server, client)
                for gets in each(self._setting.book.recruit_gets_queue()):
                    for after in self._filled(world, client, line, server, gets=gets):
                        yield Step(name, after)

    def quiet(self, world: World) -> bool:
        """Whether no client lacks a secondary that it can have, and each one has the whole queue.

        A client attaches to servers as soon as it can (001, L70), which no document has its listener hold up.
        """
        for client in self._secured(world):
            line = world.served.lines.get(client)
            if line is None or line.primary in (NO_SERVER, *world.wan.dead):
                continue
            if self._filling(world, line):
                return False
            recruits = all(each(self._setting.book.recruits(line.moves > 0)))
            if recruits and self._wanted(world, client, line):
                return False
        return True

    def _wanted(self, world: World, client: str, line: QueuePlacement) -> tuple[str, ...]:
        """The servers that the client may recruit now."""
        named, dead = self._setting.clients[client], world.wan.dead
        living = sum(one not in dead for one in line.secondaries)
        if living >= named.redundancy or not any(each(self._setting.book.recruits(line.moves > 0))):
            return ()
        return tuple(one for one in named.servers if one not in (line.primary, *line.secondaries, *dead))

    @staticmethod
    def _filling(world: World, line: QueuePlacement) -> tuple[str, ...]:
        return tuple(one for one in line.filling if one in line.secondaries and one not in world.wan.dead)

    @staticmethod
    def _recruited(world: World, client: str, line: QueuePlacement, server: str) -> World:
        """The world in which a server queues for the client, as the youngest of its secondaries."""
        dead = world.wan.dead
        left = tuple(one for one in line.secondaries if one not in dead)
        more = replace(line, secondaries=(*left, server), filling=(*line.filling, server))
        copies = world.served.copies
        if (server, client) in copies:
            copies = copies.delete((server, client))
        served = replace(world.served, lines=world.served.lines.set(client, more), copies=copies)
        return world.but(served=served)

    def _filled(
        self, world: World, client: str, line: QueuePlacement, server: str, *, gets: bool
    ) -> Iterator[World]:
        """The worlds in which a recruited server has what waits for the client, in front of all later."""
        whole = replace(line, filling=tuple(one for one in line.filling if one != server))
        if client in world.served.durable:
            placed = world.but(served=replace(world.served, lines=world.served.lines.set(client, whole)))
            for marks in each(self._setting.book.recruit_gets_marker()) if gets else (True,):
                yield _copied(placed, client, line.primary, server, gets=gets, marks=marks)
            return
        copies = world.served.copies
        waiting: tuple[Message, ...] = tuple(
            replace(message, state=MessageState.ON_THE_WAY)
            for channel, messages in world.channels.in_order()
            if (channel.source, channel.target) == (line.primary, client)
            for message in messages
            if self._setting.originators.get(message.op_id) != client
        )
        if gets and waiting:
            copies = copies.set((server, client), (*waiting, *copies.get((server, client), ())))
        served = replace(world.served, lines=world.served.lines.set(client, whole), copies=copies)
        yield world.but(served=served)


def _copied(world: World, client: str, source: str, server: str, *, gets: bool, marks: bool) -> World:
    """The world in which a server has what another one is still to send a durable client, then all later.

    The marker stands where it stands there, unless it is left out, as it should not be.
    """
    queue: tuple[Message, ...] = world.served.kept.get((source, client), ())
    read = world.served.durable[client].read
    waiting = tuple(one for one in queue[read:] if gets and (marks or not is_marker(one)))
    known = {one.op_id for one in waiting}
    later = tuple(one for one in world.served.kept.get((server, client), ()) if one.op_id not in known)
    return with_kept(world, server, client, (*waiting, *later))


def _unknown(world: World, client: str, knows: tuple[bool, ...]) -> World:
    """The world in which the recruited server does not know all of the client's registrations, as it should.

    Args:
        world: the world before.
        client: whose registrations they are.
        knows: whether it knows those that are not durable, and those that are.
    """
    interests = world.served.interests
    for where, found in world.served.interests.items():
        if where[0] == client:
            interests = interests.set(where, _where_known(found, knows))
    return with_interests(world, interests)


def _where_known(found: tuple[Registration, ...], knows: tuple[bool, ...]) -> tuple[Registration, ...]:
    return tuple(one if knows[one.interest.durable] else replace(one, everywhere=False) for one in found)
