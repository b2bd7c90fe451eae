"""Acknowledging: what a durable client has processed, its servers drop after a while (003, L15 s6).

A client that goes has been heard of up to some event, at each server on its own. Owns how that is decided: at
once, or event by event when a server comes to what is left. Knows nothing of lives.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.model.clients.displacing import without
from plumbline.reference.model.clients.queue_holders import with_kept
from plumbline.reference.model.messages import Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.site_state import STILL_UNKNOWN
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each


def acknowledged(
    world: World,
    setting: Setting,
    client: str,
    seen: list[Message],
    holders: tuple[str, ...],
    *,
    later: bool,
) -> Iterator[World]:
    """The worlds in which each holder has heard of all that was processed, or of the first part of it.

    Args:
        world: the world in which the client goes.
        setting: the example.
        client: the client.
        seen: what it has processed in this life, in the order of its queue.
        holders: the servers that keep its queue.
        later: whether it stays open how much each holder drops, until it sends what is left.
    """
    passed = world.wan.passed
    known = [0 if one.acknowledged == STILL_UNKNOWN else passed - one.acknowledged for one in seen]
    book, last = setting.book, len(known) - 1
    drops = [each(book.drops_delivered(ms, at == last)) for at, ms in enumerate(known)]
    least = next((at for at, one in enumerate(drops) if False in one), len(drops))
    most = next((at for at, one in enumerate(drops) if True not in one), len(drops))
    if later:
        yield from _left_open(world, setting, client, seen[:least], seen[least:most], holders)
        return
    for counts in product(range(most, least - 1, -1), repeat=len(holders)):
        after = world
        for holder, count in zip(holders, counts, strict=True):
            after = _without(after, setting, holder, client, {one.op_id for one in seen[:count]})
        yield after


def dropped(world: World, setting: Setting, server: str, client: str, message: Message) -> World:
    """The world in which a server has dropped an event of which that was open."""
    return _without(world, setting, server, client, {message.op_id})


def kept(world: World, server: str, client: str, message: Message) -> World:
    """The world in which a server has kept it, and with it all that was processed behind it in that life."""
    return with_kept(world, server, client, _closed(_queue(world, server, client), message.open_of))


def next_open(world: World, setting: Setting) -> list[World]:
    """The worlds in which it is decided what one server has dropped; none where nothing is open."""
    for holder, client in world.served.kept:
        life = max(one.open_of for one in _queue(world, holder, client))
        if life:
            return list(_cut(world, setting, holder, client, life))
    return []


def _queue(world: World, server: str, client: str) -> tuple[Message, ...]:
    queue: tuple[Message, ...] = world.served.kept.get((server, client), ())
    return queue


def _without(world: World, setting: Setting, server: str, client: str, gone: set[int]) -> World:
    return with_kept(world, server, client, without(setting, client, _queue(world, server, client), gone))


def _closed(queue: tuple[Message, ...], life: int) -> tuple[Message, ...]:
    """A queue of which nothing is open any more that was processed in this life."""
    return tuple(replace(one, open_of=0) if one.open_of == life else one for one in queue)


def _left_open(
    world: World,
    setting: Setting,
    client: str,
    gone: list[Message],
    perhaps: list[Message],
    holders: tuple[str, ...],
) -> Iterator[World]:
    """The worlds in which some events have left each queue, and others may have left it.

    Of what was open before and was processed once more, it is decided now whether it was dropped before.
    """
    life = world.served.durable[client].life
    sure, unsure = {one.op_id for one in gone}, {one.op_id for one in perhaps}
    ways = [world]
    for holder in holders:
        ways = [
            after for before in ways for after in _decided(before, setting, holder, client, sure | unsure)
        ]
    for way in ways:
        after = way
        for holder in holders:
            queue = _queue(_without(after, setting, holder, client, sure), holder, client)
            opened = tuple(replace(one, open_of=life) if one.op_id in unsure else one for one in queue)
            after = with_kept(after, holder, client, opened)
        yield after


def _decided(world: World, setting: Setting, holder: str, client: str, again: set[int]) -> Iterator[World]:
    """The worlds in which nothing is open at a holder of a life of which some was processed again."""
    ways = [world]
    for life in sorted({one.open_of for one in _queue(world, holder, client) if one.op_id in again} - {0}):
        ways = [after for before in ways for after in _cut(before, setting, holder, client, life)]
    yield from ways


def _cut(world: World, setting: Setting, holder: str, client: str, life: int) -> Iterator[World]:
    queue = _queue(world, holder, client)
    perhaps = [one.op_id for one in queue if one.open_of == life]
    for count in range(len(perhaps), -1, -1):
        gone = set(perhaps[:count])
        left = without(setting, client, queue, gone)
        yield with_kept(world, holder, client, _closed(left, life))
