"""Restarts: a member that was killed runs again, as a new one of the old name.

Its entries and its knowledge of its clients are gone; it takes copies of the regions from the members that
live, and clients may attach to it. Of a partitioned region it holds nothing of the keys that others hold by
then. Its listener log goes on behind what the one that died had told. All of that happens at once where
nothing else does. Beside all else the copies are pending ones, and the queues are joined first.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.model.clients.client_state import NO_SERVER
from plumbline.reference.model.clients.queue_holders import begun_again
from plumbline.reference.model.hosting import joined
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.recovery import joins_queues, recovered
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each


def started_again(world: World, setting: Setting, fault: Fault) -> Iterator[World]:
    """The worlds in which a member that was killed runs again; beside all else it lacks copies yet."""
    if fault.meanwhile:
        yield from revived(world, setting, fault.member)
    else:
        from_disk = fault.kind is FaultKind.RECOVER
        yield from restarted(world, setting, fault.member, from_disk=from_disk)


def restarted(world: World, setting: Setting, member: str, *, from_disk: bool = False) -> Iterator[World]:
    """The worlds in which a member runs again, with what it took from others and what its disk holds."""
    if member not in world.wan.dead:
        yield world
        return
    alone = _alone(world, setting, member)
    ways = [alone]
    for region in setting.region_names:
        if setting.has_buckets(member, region):
            continue
        ways = [after for before in ways for after in joined(before, member, region, setting)] or ways
    if not setting.queues:
        yield from ways
        return
    for way in ways:
        yield from recovered(informed(way, setting, member), setting, member, from_disk=from_disk)


def revived(world: World, setting: Setting, member: str) -> Iterator[World]:
    """The worlds in which a member runs again beside all else, and has yet to take copies of its regions.

    It takes part in the queues of its senders at once. Its receiver begins once it has the copies: no
    document says more of that than that a member starts with its regions.
    """
    if member not in world.wan.dead:
        yield world
        return
    alone = _alone(world, setting, member)
    away = alone.away
    for region in setting.region_names:
        away = away.set((member, region), value=True)
    alone = alone.but(away=away)
    if not setting.queues:
        yield alone
        return
    wan = replace(alone.wan, stopped=alone.wan.stopped.set(member, value=True))
    yield from joins_queues(informed(alone.but(wan=wan), setting, member), setting, member)


def with_receiver(world: World, setting: Setting, member: str) -> World:
    """The world in which a member that has begun again receives from other sites, with what others know."""
    if member not in world.wan.stopped:
        return world
    knowing = informed(world, setting, member)
    return knowing.but(wan=replace(knowing.wan, stopped=knowing.wan.stopped.delete(member)))


def _alone(world: World, setting: Setting, member: str) -> World:
    """The world in which a member runs again, without anything."""
    wan = replace(world.wan, dead=world.wan.dead.delete(member), stopped=world.wan.stopped.delete(member))
    calls = world.calls
    for op_id, call in world.calls.items():
        if setting.operations[op_id].member == member:
            calls = calls.delete(op_id)  # no call waits for it any more, and the dead member does it no more
        elif call.carrier == member and call.silent:
            calls = calls.set(op_id, replace(call, silent=False))  # nor does it tell its listener
    before = _without_server(world, setting)
    alone = _forgotten(before.but(wan=wan, calls=calls, discards=world.discards.set(member, 0)), member)
    return begun_again(alone, member)


def informed(world: World, setting: Setting, member: str) -> World:
    """The world in which a member knows the same events of other sites as the one that it copied from."""
    living = [other for other in setting.others[member] if other not in world.wan.dead]
    seen = world.wan.seen
    for who, op_id in world.wan.seen:
        if who in living[:1]:
            seen = seen.set((member, op_id), value=True)
    return world.but(wan=replace(world.wan, seen=seen))


def _without_server(world: World, setting: Setting) -> World:
    """The world in which every client all of whose servers are dead has found none, if it has looked."""
    secured = False
    if not all(each(setting.book.fails_over(secured))):
        return world
    lines, dead = world.served.lines, world.wan.dead
    for client, line in world.served.lines.items():
        if all(server in dead for server in setting.clients[client].servers):
            lines = lines.set(client, replace(line, primary=NO_SERVER))
    return world.but(served=replace(world.served, lines=lines))


def _forgotten(world: World, member: str) -> World:
    """The world in which no client takes the member for its server, and it has nothing queued for any."""
    lines, copies = world.served.lines, world.served.copies
    for client, line in world.served.lines.items():
        others = tuple(other for other in line.secondaries if other != member)
        primary = NO_SERVER if line.primary == member else line.primary
        lines = lines.set(client, replace(line, primary=primary, secondaries=others))
        if (member, client) in copies:
            copies = copies.delete((member, client))
    return world.but(served=replace(world.served, lines=lines, copies=copies))
