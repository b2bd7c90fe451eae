"""Copies of a parallel queue: what of it lies on which member, bucket by bucket.

Knows which events are of one bucket, and nothing of when they are dispatched.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.parallel_senders import dispatchers
from plumbline.reference.model.sites.site_state import ParallelCopy, Queued
from plumbline.reference.model.world import Bucket, World

Where = tuple[str, str]
"""A region and a key, which is a bucket here."""


def paused(world: World, member: str, queue: str, *, pauses: bool) -> World:
    """The world in which a member begins no further batch of a queue, or does so again."""
    return with_copy(world, member, queue, replace(copy_of(world, member, queue), paused=pauses))


def without(world: World, member: str) -> World:
    """The world in which what a member held of parallel queues is gone with it."""
    parallel = world.wan.parallel
    for holder, name in world.wan.parallel:
        if holder == member:
            parallel = parallel.delete((holder, name))
    return world.but(wan=replace(world.wan, parallel=parallel))


def held_events(world: World, member: str, queue: str) -> tuple[Queued, ...]:
    """The events of a queue that lie on a member."""
    return copy_of(world, member, queue).events


def copy_of(world: World, member: str, queue: str) -> ParallelCopy:
    """What lies on a member."""
    copy: ParallelCopy = world.wan.parallel.get((member, queue), _EMPTY)
    return copy


_EMPTY = ParallelCopy()


def with_copy(world: World, member: str, queue: str, copy: ParallelCopy) -> World:
    """The world in which this lies on a member; of what it no longer holds no removal is awaited."""
    if copy.leaving:
        ids = {event.op_id for event in copy.events}
        copy = replace(copy, leaving=tuple(one for one in copy.leaving if one in ids))
    parallel = world.wan.parallel
    known = parallel.delete((member, queue)) if (member, queue) in parallel else parallel
    if copy != _EMPTY:
        known = parallel.set((member, queue), copy)
    return world.but(wan=replace(world.wan, parallel=known))


def with_key(
    events: tuple[Queued, ...], before: tuple[Queued, ...], after: tuple[Queued, ...]
) -> tuple[Queued, ...]:
    """The events with those of one key, which stand together, in the place of others of it."""
    start = events.index(before[0])
    return (*events[:start], *after, *events[start + len(before) :])


def where_of(setting: Setting, event: Queued) -> Where:
    """The bucket of an event."""
    operation = setting.operations[event.op_id]
    return operation.region, operation.key


def of_bucket(setting: Setting, events: tuple[Queued, ...], where: Where) -> tuple[Queued, ...]:
    """Those of the events that are of one bucket."""
    return tuple(event for event in events if where_of(setting, event) == where)


def must_offer(setting: Setting, world: World, member: str, where: Where) -> bool:
    """Whether a member surely dispatches the events of a bucket."""
    return all(member in some for some in dispatchers_of(setting, world, where))


def dispatchers_of(setting: Setting, world: World, where: Where) -> tuple[tuple[str, ...], ...]:
    """Which members dispatch the events of a bucket; none until another has taken a dead primary's part."""
    bucket: Bucket = world.buckets[where]
    return dispatchers(setting, world, bucket)


def merged(keys: dict[Where, tuple[Queued, ...]]) -> list[Queued]:
    """All events, those of a key in its order, else in the order in which they were called."""
    left = {where: list(of_key) for where, of_key in keys.items()}
    found = []
    while any(left.values()):
        where = min((w for w in left if left[w]), key=lambda w: left[w][0].op_id)
        found.append(left[where].pop(0))
    return found
