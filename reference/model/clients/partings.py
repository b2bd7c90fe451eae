"""Partings of durable clients: what goes with a client, what stays at its servers, and what returns (003).

Knows the world before and after; knows nothing of when a client goes or comes.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.model.clients.client_state import Registration
from plumbline.reference.model.clients.queue_holders import (
    holders_of,
    is_marker,
    with_durable,
    without_holders,
)
from plumbline.reference.model.clients.registrations import with_interests
from plumbline.reference.model.messages import Message
from plumbline.reference.model.world import GateState, World
from plumbline.reference.rulebook.durable import OtherInterest


def left_of(queue: tuple[Message, ...], marker: Message, *, early: bool, last: bool) -> tuple[Message, ...]:
    """What is left of a queue without events of which not all are sent, as they should be.

    Args:
        queue: all that a server holds.
        marker: the marker behind what was stored.
        early: whether all but the last of what was stored are sent, and what follows.
        last: whether that one is.
    """
    end = queue.index(marker) if marker in queue else len(queue)
    return tuple(
        one
        for at, one in enumerate(queue)
        if is_marker(one) or (at > end and early) or (at < end and (last if at == end - 1 else early))
    )


def all_flow(world: World) -> World:
    """The world in which all clients that run are taken for ready, as they should not be."""
    for client, state in world.served.durable.items():
        if state.connected:
            world = with_durable(world, client, replace(state, unasked=True))
    return world


def others_ended(world: World, client: str) -> World:
    """The world in which no other client that is away has a queue or interest, as it should not be."""
    for other, state in world.served.durable.items():
        line = world.served.lines.get(other)
        if other != client and not state.connected and line is not None:
            world = without_holders(world, other, holders_of(line))
    return world


def without_client(world: World, client: str) -> World:
    """The world without what a client's process held and knew; nothing stands in its listeners any more."""
    entries, channels, gates = world.entries, world.channels, world.gates
    for where in world.entries:
        if where[0] == client:
            entries = entries.delete(where)
    for gate in world.gates:
        if gate[0] == client:
            gates = gates.set(gate, GateState.OPEN)
    for channel in world.channels:
        if channel.target == client:
            channels = channels.delete(channel)
    served = world.served
    tracks, touched = served.tracks, served.touched
    for track in served.tracks:
        if track[0] == client:
            tracks = tracks.delete(track)
    for thread in served.touched:
        if thread[0] == client:
            touched = touched.delete(thread)
    pending = served.pending
    for number, one in served.pending.items():
        if one.interest.client == client:
            pending = pending.delete(number)
    stuck = served.stuck.delete(client) if client in served.stuck else served.stuck
    served = replace(served, tracks=tracks, touched=touched, pending=pending, stuck=stuck)
    return world.but(entries=entries, channels=channels, gates=gates, served=served)


def interests_left(world: World, client: str, others: OtherInterest) -> World:
    """The world in which a client's interest that is not durable has gone, as it should."""
    interests, withdrawn = world.served.interests, world.served.withdrawn
    for where, found in world.served.interests.items() if others is not OtherInterest.STAYS else ():
        if where[0] != client:
            continue
        kept = tuple(one for one in found if one.interest.durable)
        interests = interests.set(where, kept) if kept else interests.delete(where)
        if others is OtherInterest.RESTS:
            gone = tuple(one.interest for one in found if not one.interest.durable)
            withdrawn = withdrawn.set(where, gone)
    world = with_interests(world, interests)
    return world.but(served=replace(world.served, withdrawn=withdrawn))


def interests_of_earlier_life(world: World, client: str) -> World:
    """The world in which a new process of the client knows of none of its registrations."""
    interests = world.served.interests
    for where, found in world.served.interests.items():
        if where[0] == client:
            interests = interests.set(where, tuple(replace(one, earlier=True) for one in found))
    return with_interests(world, interests)


def interests_back(world: World, client: str) -> World:
    """The world in which what only rested is in force again, as it should not."""
    interests, withdrawn = world.served.interests, world.served.withdrawn
    for where, gone in world.served.withdrawn.items():
        if where[0] == client:
            found = interests.get(where, ())
            interests = interests.set(where, (*found, *map(Registration, gone)))
            withdrawn = withdrawn.delete(where)
    world = with_interests(world, interests)
    return world.but(served=replace(world.served, withdrawn=withdrawn))
