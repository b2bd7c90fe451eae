"""Queue holders: which servers keep the queue of a durable client, and when they give it up (001, L73; 003).

Knows what becomes of a queue when its server or its client's time is over; knows nothing of what is sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from msgspec.structs import replace

from plumbline.reference.model.clients.client_state import NO_SERVER, DurableState, QueuePlacement
from plumbline.reference.model.clients.registrations import with_interests
from plumbline.reference.model.messages import Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.alerts import time_outs_logged
from plumbline.reference.model.sites.site_state import STILL_UNKNOWN
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import Free, each

MARKER: Final = -1
"""The number of the marker of a client's first life; that of a later life is a multiple of it."""

LONG_MS: Final = 300_000
"""No example takes so long where time runs."""


def is_marker(message: Message) -> bool:
    """Whether a message of a queue is a marker."""
    return message.op_id < 0


def holders_of(line: QueuePlacement) -> tuple[str, ...]:
    """The servers that hold a client's queue, its first one in front."""
    return tuple(one for one in (line.primary, *line.secondaries) if one != NO_SERVER)


def with_durable(world: World, client: str, state: DurableState) -> World:
    """The world with another state of a durable client."""
    return world.but(served=replace(world.served, durable=world.served.durable.set(client, state)))


def with_kept(world: World, server: str, client: str, queue: tuple[Message, ...]) -> World:
    """The world in which a server holds this queue for a client."""
    kept, where = world.served.kept, (server, client)
    if not queue and where not in kept:
        return world
    kept = kept.set(where, queue) if queue else kept.delete(where)
    return world.but(served=replace(world.served, kept=kept))


def without_holders(world: World, client: str, servers: tuple[str, ...], *, forgets: bool = True) -> World:
    """The world in which servers hold a client's queue no more; with the last one its interest goes."""
    line: QueuePlacement | None = world.served.lines.get(client)
    if line is None:
        return world
    for server in servers:
        world = with_kept(world, server, client, ())
    primary = NO_SERVER if line.primary in servers else line.primary
    left = replace(
        line, primary=primary, secondaries=tuple(one for one in line.secondaries if one not in servers)
    )
    lines = world.served.lines
    if holders_of(left):
        return world.but(served=replace(world.served, lines=lines.set(client, left)))
    world = world.but(served=replace(world.served, lines=lines.delete(client)))
    return without_interest(world, client) if forgets else world


def without_interest(world: World, client: str) -> World:
    """The world in which a client has no interest any more."""
    interests = world.served.interests
    for where in world.served.interests:
        if where[0] == client:
            interests = interests.delete(where)
    return with_interests(world, interests)


def outlived(world: World, setting: Setting, member: str) -> Iterator[World]:
    """The worlds in which a member has died, and its queues of durable clients with it."""
    ways = [world]
    for client, state in world.served.durable.items():
        line: QueuePlacement | None = world.served.lines.get(client)
        if line is None or member not in holders_of(line):
            continue
        if state.connected:
            if line.primary != member:
                ways = [with_kept(way, member, client, ()) for way in ways]
            continue
        leads = line.primary in (member, NO_SERVER)
        survives = each(setting.book.survivors_keep()) if leads else (True,)
        ways = [
            after
            for way in ways
            for survive in survives
            for after in _buried(way, setting, client, member, (member,) if survive else holders_of(line))
        ]
    yield from ways


def _buried(
    world: World, setting: Setting, client: str, member: str, lost: tuple[str, ...]
) -> Iterator[World]:
    kept = world.served.kept.get((member, client), ())
    for revives in each(setting.book.restart_revives()):
        after = without_holders(world, client, lost)
        yield with_kept(after, member, client, kept) if revives else after


def begun_again(world: World, member: str) -> World:
    """The world in which a member that runs again holds no queue of a durable client that should not last."""
    for client, state in world.served.durable.items():
        if (member, client) not in world.served.kept:
            continue
        if state.connected:
            world = with_kept(world, member, client, ())
            continue
        line = world.served.lines.get(client, QueuePlacement(NO_SERVER))
        revived = replace(line, secondaries=(member, *line.secondaries))
        lines = world.served.lines.set(client, revived)
        world = world.but(served=replace(world.served, lines=lines))
    return world


def untimed(world: World) -> World:
    """The world in which it is unknown how long ago durable clients have gone."""
    for client, state in world.served.durable.items():
        world = with_durable(world, client, replace(state, since=STILL_UNKNOWN))
    return world


def timed_out(world: World, setting: Setting) -> Iterator[World]:
    """The worlds in which each server has given up the queues of clients that have stayed away too long."""
    ways = [world]
    for client, state in world.served.durable.items():
        ways = [after for before in ways for after in _given_up(before, setting, client, state)]
    yield from ways


def _given_up(world: World, setting: Setting, client: str, state: DurableState) -> Iterator[World]:
    book, line = setting.book, world.served.lines.get(client)
    if line is None or (state.connected and state.since == STILL_UNKNOWN):
        yield world
        return
    first_ms = setting.clients[client].durable_timeout_s * 1000
    holders = holders_of(line)
    known_ms = 0 if state.since == STILL_UNKNOWN else world.wan.passed - state.since
    for timeout_ms, away_ms, forgets in product(
        each(book.timeout_in_force(first_ms, state.timeout_ms)),
        each(book.counted_away(known_ms, state.before)),
        each(book.forgets_timed_out()),
    ):
        if state.since == STILL_UNKNOWN:
            # How long it has been away is unknown where time has run.
            ways = [each(Free((False, True))) if timeout_ms < LONG_MS else (False,)] * len(holders)
        else:
            ways = [each(book.gives_up(away_ms, timeout_ms, one != holders[0])) for one in holders]
        for given in product(*ways):
            gone = tuple(one for one, up in zip(holders, given, strict=True) if up)
            ended = _ended(world, client, gone, forgets=forgets, lives=state.connected)
            yield from time_outs_logged(ended, setting, client, gone, holders[0]) if gone else (ended,)


def _ended(world: World, client: str, gone: tuple[str, ...], *, forgets: bool, lives: bool) -> World:
    """The world in which these servers have given up a queue, even that of a client that runs."""
    if not lives:
        return without_holders(world, client, gone, forgets=forgets)
    for server in gone:
        world = with_kept(world, server, client, ())
    return without_interest(world, client) if gone else world
