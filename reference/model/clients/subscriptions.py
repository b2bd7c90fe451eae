"""Subscriptions: what changes a server's copy of a region is queued for the clients that it serves.

Knows which queue an event goes into; knows nothing of what clients do with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from msgspec.structs import replace

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import DESTROYS, STORES_VALUE, Interest, Operation, OperationKind
from plumbline.reference.model.clients.client_state import DurableState, Registration
from plumbline.reference.model.clients.displacing import stored, taken_by_copy, told_updates
from plumbline.reference.model.clients.queue_holders import is_marker, with_durable, with_kept
from plumbline.reference.model.clients.registrations import covers, with_interests
from plumbline.reference.model.described_steps import QueuedForClient
from plumbline.reference.model.independence import Independence, NoIndependence
from plumbline.reference.model.lookahead import Ternary
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.values import Free, Stamp, each
from plumbline.reference.search.transition import Unobserved, View

EVERY_WAY: Final = Unobserved(reduced=False)
"""A view under which nothing is left out."""

NOTHING_APART: Final = NoIndependence()
"""What is asked where no reduction is."""


def queued(
    world: World,
    setting: Setting,
    strength: OrderStrength,
    server: str,
    operation: Operation,
    stamp: Stamp | None,
    *,
    sure: bool = True,
    discarded: bool = False,
    update: Ternary = Ternary.NO,
    independence: Independence = NOTHING_APART,
    view: View = EVERY_WAY,
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
        discarded: whether the server has discarded it; one that does not check is sent it all the same.
        update: whether the key was there before, where that matters.
        independence: says what need not be queued.
        view: what the logs show from here on.
    """
    if operation.kind not in STORES_VALUE:
        update = Ternary.NO
    worlds = [world]
    for client in setting.clients:
        line = world.served.lines.get(client)
        if line is None or server not in (line.primary, *line.secondaries):
            continue
        durable = world.served.durable.get(client)
        if durable is not None:
            worlds = [
                after
                for before in worlds
                for after in _kept(
                    *(before, setting, server, client, operation, stamp, update),
                    sure=sure,
                    discarded=discarded,
                )
            ]
            continue
        primary = server == line.primary
        owed = is_owed(setting, client, sure=sure, discarded=discarded)
        event = QueuedForClient(world, view, client, operation, primary, owed)
        if independence.is_unseen_in_queue(event):
            continue
        keeps = (True,) if primary else each(setting.book.secondary_queues())
        worlds = [
            after
            for before in worlds
            for bare in _viable(
                independence, event, _sent(before, setting, server, client, operation, primary=primary)
            )
            for kept in keeps
            for certain in owed
            for after in (
                _with(before, setting, strength, server, client, operation, stamp, update, bare, sure=certain)
                if primary
                else _copied(before, setting, server, client, operation, stamp, update, bare, sure=certain)
                if kept
                else [before]
            )
        ]
    for after in worlds:
        yield from lasting(after, setting, server, operation)


def _viable(
    independence: Independence, event: QueuedForClient, ways: Iterator[tuple[bool, ...]]
) -> list[tuple[bool, ...]]:
    """Of the ways of sending an event with its value or without, those that the client may show."""
    found = list(ways)
    only = independence.form_in_queue(event) if {(True,), (False,)} <= set(found) else None
    return found if only is None else [way for way in found if way != (not only,)]


def is_owed(setting: Setting, client: str, *, sure: bool, discarded: bool) -> tuple[bool, ...]:
    """Whether a client has to be sent what reaches its server; several answers only where that is free."""
    if sure or not discarded or all(setting.client_checks(client)):
        return (sure,)
    return each(setting.book.sends_discarded_unchecked())


def _sent(
    world: World, setting: Setting, server: str, client: str, operation: Operation, *, primary: bool
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
    if setting.site_of[operation.member] != setting.site_of[server]:
        asked.append(each(book.sends_of_sites()))
    if operation.kind in DESTROYS:
        asked.append(each(book.sends_destroys()))
    ways: dict[tuple[bool, ...], None] = {}
    for told in dict.fromkeys(all(answers) for answers in product(*asked)):
        if not told:
            ways[()] = None
            continue
        for interests in _matching(world, setting, client, operation, primary=primary):
            for sends in _sends(setting, operation, interests):
                found = _messages(setting, interests, stores=operation.kind in STORES_VALUE)
                ways.update(dict.fromkeys(found if sends else ((),)))
    yield from ways


def _sends(setting: Setting, operation: Operation, interests: tuple[Interest, ...]) -> tuple[bool, ...]:
    """Whether a client is sent an invalidate that these registrations cover; all else it is."""
    if operation.kind is not OperationKind.INVALIDATE:
        return (True,)
    return each(setting.book.sends_invalidates(any(one.receive_values for one in interests)))


def _matching(
    world: World, setting: Setting, client: str, operation: Operation, *, primary: bool
) -> Iterator[tuple[Interest, ...]]:
    """The client's registrations that cover the operation's key."""
    found: tuple[Registration, ...] = world.served.interests.get((client, operation.region), ())
    interests = [one.interest for one in found if one.in_force and (primary or one.everywhere)]
    for way in product(*(covers(setting.book, one, operation.key) for one in interests)):
        yield tuple(one for one, covered in zip(interests, way, strict=True) if covered)


def _messages(
    setting: Setting, interests: tuple[Interest, ...], *, stores: bool
) -> Iterator[tuple[bool, ...]]:
    """The ways of sending an event that these registrations cover; where they want both, either is right.

    An operation that stores no value has none to leave out.
    """
    book = setting.book
    if not interests:
        for sends in each(book.sends_uninterested()):
            yield (False,) if sends else ()
        return
    brings: dict[bool, None] = {} if stores else {True: None}
    for interest in interests if stores else ():
        wants = book.value_for_values() if interest.receive_values else book.value_for_invalidations()
        brings.update(dict.fromkeys(each(wants)))
    for times in each(book.times_sent(len(interests))):
        for value in brings:
            yield (not value,) * times


def _with(
    world: World,
    setting: Setting,
    strength: OrderStrength,
    server: str,
    client: str,
    operation: Operation,
    stamp: Stamp | None,
    update: Ternary,
    bare: tuple[bool, ...],
    *,
    sure: bool,
) -> list[World]:
    """The worlds in which messages wait in the client's queue; whose call it is may have to wait for it."""
    if not bare:
        return [world]
    if world.served.copies.get((server, client)):
        # Inherited events have priority; it should be on its way already.
        (world, *_) = resumed(world, setting, strength, server, client)
    messages = tuple(Message(operation.op_id, stamp, sure=sure, bare=one) for one in bare)
    messages = told_updates(setting, client, messages, update)
    worlds = []
    for after in sent(world, setting, strength, server, client, messages):
        for waits in each(setting.book.waits_for_subscribers()):
            call = after.calls.get(operation.op_id)
            if waits and call is not None and server == operation.member:
                waiting = replace(call, waiting=call.waiting | {client})
                worlds.append(after.but(calls=after.calls.set(operation.op_id, waiting)))
            else:
                worlds.append(after)
    return worlds


def _queues(book: Rulebook, state: DurableState, *, primary: bool) -> Free | bool:
    """Whether a server queues an event for a durable client, which may be away."""
    keeps: Free | bool = True
    if not state.connected:
        keeps = book.goes_on_queueing(not primary)
    elif not primary:
        keeps = book.secondary_queues()
    elif not state.ready:
        keeps = book.queues_until_ready(state.life == 1)
    return keeps


def _kept(
    world: World,
    setting: Setting,
    server: str,
    client: str,
    operation: Operation,
    stamp: Stamp | None,
    update: Ternary,
    *,
    sure: bool,
    discarded: bool,
) -> Iterator[World]:
    """The worlds in which a server has queued an event for a durable client, which may be away."""
    book, line, state = setting.book, world.served.lines[client], world.served.durable[client]
    primary = server == line.primary
    for kept in each(_queues(book, state, primary=primary)):
        for bare in _sent(world, setting, server, client, operation, primary=primary):
            if not bare or not kept:
                yield world
                continue
            for certain in is_owed(setting, client, sure=sure, discarded=discarded):
                waiting: tuple[Message, ...] = world.served.kept.get((server, client), ())
                read = state.read if primary else 0
                told = tuple(Message(operation.op_id, stamp, sure=certain, bare=one) for one in bare)
                told = told_updates(setting, client, told, update)
                surely = Ternary.NO if state.connected else update
                for queue, news in stored(setting, client, waiting, told, surely):
                    for some in (news,) if primary else taken_by_copy(setting, client, queue, news):
                        for at in _places(setting, read, queue[read:], operation):
                            after = with_kept(world, server, client, (*queue[:at], *some, *queue[at:]))
                            yield with_durable(after, client, replace(state, stalled=False))


def _places(setting: Setting, read: int, unread: tuple[Message, ...], operation: Operation) -> Iterator[int]:
    """Where a new event enters the queue of a durable client: last, as it should."""
    book = setting.book
    end = read + len(unread)
    marker = next((at for at, one in enumerate(unread) if is_marker(one)), len(unread))
    for in_front in each(book.marker_stays_behind_new()) if unread else (False,):
        if in_front:
            yield read + marker
            continue
        for own, other in product(each(book.overtakes_stored(True)), each(book.overtakes_stored(False))):  # noqa: FBT003
            ahead = 0
            for one in reversed(unread):
                same = not is_marker(one) and _is_of(setting.operations[one.op_id], operation)
                if not (own if same else other):
                    break
                ahead += 1
            yield end - ahead


def _is_of(one: Operation, other: Operation) -> bool:
    return (one.region, one.key) == (other.region, other.key)


def _copied(
    world: World,
    setting: Setting,
    server: str,
    client: str,
    operation: Operation,
    stamp: Stamp | None,
    update: Ternary,
    bare: tuple[bool, ...],
    *,
    sure: bool,
) -> list[World]:
    """The worlds in which a secondary has queued messages for the client."""
    if not bare:
        return [world]
    worlds = []
    copies = world.served.copies
    for keeps in each(setting.book.copies_keep_identity()):
        messages = tuple(
            Message(operation.op_id, stamp, sure=sure, bare=one, renamed=not keeps) for one in bare
        )
        waiting: tuple[Message, ...] = copies.get((server, client), ())
        for news in taken_by_copy(setting, client, waiting, told_updates(setting, client, messages, update)):
            if not news:
                worlds.append(world)
                continue
            served = replace(world.served, copies=copies.set((server, client), (*waiting, *news)))
            worlds.append(world.but(served=served))
    return worlds


def sent(
    world: World,
    setting: Setting,
    strength: OrderStrength,
    server: str,
    client: str,
    messages: tuple[Message, ...],
) -> Iterator[World]:
    """The worlds in which messages are on their way from a server to a client, behind all else."""
    worlds = [world]
    for message in messages:
        operation = setting.operations[message.op_id]
        region, key = operation.region, operation.key
        total = strength is OrderStrength.TOTAL
        by_key = f"{region}[{key}]"
        names = each(setting.book.queue_for(region, by_key, operation.thread)) if total else (by_key,)
        worlds = [
            before.but(channels=before.channels.set(channel, (*before.channels.get(channel, ()), message)))
            for before in worlds
            for name in names
            for channel in [Channel(f"queue of {name}" if name else "queue", server, client)]
        ]
    yield from worlds


def resumed(
    world: World, setting: Setting, strength: OrderStrength, server: str, client: str
) -> Iterator[World]:
    """The worlds in which a server sends what it has inherited as a secondary."""
    copies = world.served.copies
    inherited: tuple[Message, ...] = copies.get((server, client), ())
    without = world.but(served=replace(world.served, copies=copies.delete((server, client))))
    yield from sent(without, setting, strength, server, client, inherited)


def lasting(world: World, setting: Setting, server: str, operation: Operation) -> Iterator[World]:
    """The worlds in which interest in keys has outlasted what became of their entries, as it should."""
    removes = operation.kind in DESTROYS | {OperationKind.CLEAR}
    for lasts in each(setting.book.interest_outlasts(operation.kind)) if removes else (True,):
        yield world if lasts else _ended(world, server, operation)


def _ended(world: World, server: str, operation: Operation) -> World:
    """The world in which interest in keys that a server has removed has ended, as it should not."""
    interests = world.served.interests
    for client, line in world.served.lines.items():
        if server != line.primary:
            continue
        where = (client, operation.region)
        found: tuple[Registration, ...] = interests.get(where, ())
        kept = tuple(
            one
            for one in found
            if one.interest.kind not in ("key", "list")
            or operation.key not in ("", *one.interest.specification.split("\n"))
        )
        if kept != found:
            interests = interests.set(where, kept) if kept else interests.delete(where)
    return with_interests(world, interests)
