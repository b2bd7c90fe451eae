"""Recruiting: a client that runs and lacks a secondary has another server keep its queue (001, L70 to L73).

Owns how a queue comes to a recruited server; knows nothing of takeovers. Durable clients are not followed.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.model.clients.client_state import NO_SERVER, QueuePlacement
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

    def _secured(self) -> Iterator[str]:
        setting = self._setting
        return (n for n, one in setting.clients.items() if one.redundancy and n not in setting.durable)

    def steps(self, world: World) -> Iterator[Step]:
        """A server is recruited, or is sent what waits for the client."""
        for client in self._secured():
            line = world.served.lines.get(client)
            if line is None or line.primary in (NO_SERVER, *world.wan.dead):
                continue
            for server in self._wanted(world, client, line):
                recruited = self._recruited(world, client, line, server)
                for knows in each(self._setting.book.recruit_knows_interest()):
                    after = recruited if knows else _unknown(recruited, client)
                    yield Step(("is recruited", server, client), after)
            for server in self._filling(world, line):
                for gets in each(self._setting.book.recruit_gets_queue()):
                    name = ("is sent the queue", line.primary, server, client)
                    yield Step(name, self._filled(world, client, line, server, gets=gets))

    def quiet(self, world: World) -> bool:
        """Whether no client lacks a secondary that it can have, and each one has the whole queue.

        A client attaches to servers as soon as it can (001, L70), which no document has its listener hold up.
        """
        for client in self._secured():
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

    def _filled(self, world: World, client: str, line: QueuePlacement, server: str, *, gets: bool) -> World:
        """The world in which a recruited server has what waits for the client, in front of all later."""
        whole = replace(line, filling=tuple(one for one in line.filling if one != server))
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
        return world.but(served=served)


def _unknown(world: World, client: str) -> World:
    """The world in which the recruited server knows of none of the client's registrations, as it should."""
    interests = world.served.interests
    for where, found in world.served.interests.items():
        if where[0] == client:
            interests = interests.set(where, tuple(replace(one, everywhere=False) for one in found))
    return with_interests(world, interests)
