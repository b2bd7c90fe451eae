"""Connections of senders to receivers: the changes of their state.

Knows neither which module changes them, nor what is sent, nor why.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from plumbline.reference.model.sites.site_state import Connection, WireName
from plumbline.reference.model.world import World


def acknowledged(world: World, name: WireName, member: str) -> World:
    """The world in which a peer has received what the receiver distributes."""
    wire = world.wan.wires.get(name)
    if wire is None or member not in wire.awaiting:
        return world
    return with_wire(world, name, freed(replace(wire, awaiting=wire.awaiting - {member})))


def alone(world: World, name: WireName, op_id: int) -> bool:
    """Whether the event that came over a connection is nowhere else on its way to the site.

    A broken connection has its events sent again.
    """
    wire = world.wan.wires.get(name)
    if wire is None or wire.broken:
        return False
    for other, held in world.wan.wires.items():
        events = held.events if held.busy is None else (*held.events, held.busy)
        if other != name and any(event.op_id == op_id for event in events):
            return False
    return not any(
        message.op_id == op_id and message.wire is not None and message.wire != name
        for messages in world.channels.values()
        for message in messages
    )


def in_front(world: World, name: WireName, op_id: int) -> bool:
    """Whether the event comes over this connection no later than by any other path.

    No member has been sent it by another path, and all earlier events of this connection have been received.
    """
    if name not in world.wan.wires:
        return False
    if any(
        other != name and held.busy is not None and held.busy.op_id == op_id
        for other, held in world.wan.wires.items()
    ):
        return False
    return not any(
        message.wire is not None and (message.wire == name) is not (message.op_id == op_id)
        for messages in world.channels.values()
        for message in messages
        if message.wire == name or message.op_id == op_id
    )


def is_known(world: World, led_to: Iterable[str], op_id: int) -> bool:
    """Whether all members where a queue leads that live have the event of an operation."""
    dead, seen = world.wan.dead, world.wan.seen
    return all((member, op_id) in seen or member in dead for member in led_to)


def with_wire(world: World, name: WireName, wire: Connection) -> World:
    """The world in which the connection is this one; a broken one on which nothing is left is gone."""
    wires = world.wan.wires
    if wire.broken and wire.busy is None and not wire.events:
        wires = wires.delete(name)
    else:
        wires = wires.set(name, wire)
    return world.but(wan=replace(world.wan, wires=wires))


def freed(wire: Connection) -> Connection:
    """The connection, its event dealt with if no peer is awaited any more."""
    if wire.busy is None or wire.awaiting or wire.parked:
        return wire
    return ended(replace(wire, busy=None, stamp=None))


def ended(wire: Connection) -> Connection:
    """The connection with one more event dealt with."""
    if wire.early:
        return replace(wire, early=wire.early - 1)
    return wire if wire.broken else replace(wire, done=wire.done + 1)
