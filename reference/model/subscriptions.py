"""Subscriptions: what changes a server's copy of a region is queued for the clients that it serves.

Knows which queue an event goes into; knows nothing of what clients do with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from plumbline.reference.history import OrderStrength
from plumbline.reference.model.interests import covers
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Channel, Message, Registration, World
from plumbline.reference.operations import Interest, Operation, OperationKind
from plumbline.reference.rulebook.values import Stamp, each


def queued(
    world: World,
    setting: Setting,
    strength: OrderStrength,
    server: str,
    operation: Operation,
    stamp: Stamp | None,
    *,
    sure: bool = True,
) -> Iterator[World]:
    """The worlds in which an operation waits in the queues of the server's clients that registered for it.

    Queued in the same moment in which it changes the server's copy. The caller is not sent its own operation
    (001, L5).

    Args:
        world: the world in which the operation has reached the server.
        setting: tells the clients.
        strength: how much order logs carry; where keys have none between them, each has a queue of its own.
        server: the member.
        operation: the operation.
        stamp: the stamp that it came with or was given.
        sure: False for what the server has discarded or found nothing to do for: whether clients are sent
            that is not said.
    """
    worlds = [world]
    for client in setting.served_by(server):
        worlds = [
            after
            for before in worlds
            for bare in _sent(before, setting, server, client, operation)
            for after in [_with(before, strength, server, client, operation, stamp, bare, sure=sure)]
        ]
    destroys = operation.kind is OperationKind.DESTROY
    for lasts in each(setting.book.outlasts_destroy()) if destroys else (True,):
        yield from worlds if lasts else [_ended(after, setting, server, operation) for after in worlds]


def _sent(
    world: World, setting: Setting, server: str, client: str, operation: Operation
) -> Iterator[tuple[bool, ...]]:
    """What a client is sent of an operation: for each message whether it comes without the value."""
    book = setting.book
    caller = setting.originators.get(operation.op_id)
    asked = []
    if client == caller:
        asked.append(each(book.sends_to_caller()))
    elif caller is not None:
        asked.append(each(book.sends_of_clients()))
    if operation.member != server:
        asked.append(each(book.sends_of_peers()))
    if operation.kind is OperationKind.DESTROY:
        asked.append(each(book.sends_destroys()))
    if operation.kind is OperationKind.INVALIDATE:
        asked.append(each(book.sends_invalidates()))
    ways: dict[tuple[bool, ...], None] = {}
    for told in dict.fromkeys(all(answers) for answers in product(*asked)):
        if not told:
            ways[()] = None
            continue
        for interests in _matching(world, setting, client, operation):
            ways.update(dict.fromkeys(_messages(setting, interests)))
    yield from ways


def _matching(
    world: World, setting: Setting, client: str, operation: Operation
) -> Iterator[tuple[Interest, ...]]:
    """The client's registrations that cover the operation's key."""
    found: tuple[Registration, ...] = world.interests.get((client, operation.region), ())
    interests = [one.interest for one in found if one.in_force]
    for way in product(*(covers(setting.book, one, operation.key) for one in interests)):
        yield tuple(one for one, covered in zip(interests, way, strict=True) if covered)


def _messages(setting: Setting, interests: tuple[Interest, ...]) -> Iterator[tuple[bool, ...]]:
    """The ways of sending an event that these registrations cover; where they want both, either is right."""
    book = setting.book
    if not interests:
        for sends in each(book.sends_uninterested()):
            yield (False,) if sends else ()
        return
    brings: dict[bool, None] = {}
    for interest in interests:
        wants = book.value_for_values() if interest.receive_values else book.value_for_invalidations()
        brings.update(dict.fromkeys(each(wants)))
    for times in each(book.times_sent(len(interests))):
        for value in brings:
            yield (not value,) * times


def _with(
    world: World,
    strength: OrderStrength,
    server: str,
    client: str,
    operation: Operation,
    stamp: Stamp | None,
    bare: tuple[bool, ...],
    *,
    sure: bool,
) -> World:
    """The world in which messages wait in the client's queue."""
    if not bare:
        return world
    region, key = operation.region, operation.key
    name = "queue" if strength is OrderStrength.TOTAL else f"queue of {region}[{key}]"
    channel = Channel(name, server, client)
    messages = tuple(Message(operation.op_id, stamp, sure=sure, bare=one) for one in bare)
    return world.but(channels=world.channels.set(channel, (*world.channels.get(channel, ()), *messages)))


def _ended(world: World, setting: Setting, server: str, operation: Operation) -> World:
    """The world in which interest in a key has ended with its entry, as it should not."""
    interests = world.interests
    for client in setting.served_by(server):
        where = (client, operation.region)
        found: tuple[Registration, ...] = interests.get(where, ())
        kept = tuple(
            one
            for one in found
            if one.interest.kind not in ("key", "list")
            or operation.key not in one.interest.specification.split("\n")
        )
        if kept != found:
            interests = interests.set(where, kept) if kept else interests.delete(where)
    return world.but(interests=interests)
