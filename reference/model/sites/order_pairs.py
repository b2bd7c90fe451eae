"""Ranks: which of two operations has the later timestamp, as far as that was chosen; forgotten once idle.

Owns when it is: an operation whose timestamp no entry keeps, and nothing under way carries, is compared with
nothing any more. What was chosen of others by way of it was written down with it, so that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain

from msgspec.structs import replace

from plumbline.reference.model.sites.site_state import Queued
from plumbline.reference.model.sites.timestamp_order import Pairs, compared_in
from plumbline.reference.model.world import CallStage, World
from plumbline.reference.rulebook.values import Stamp


def without_idle(world: World) -> World:
    """The world that does not know any more how timestamps compare of which nothing is left."""
    ranks = world.wan.ranks
    if len(ranks) == 0:
        return world
    left = set(_left(world))
    kept = ranks
    for where, pairs in ranks.items():
        if _compared(pairs) <= left:
            continue
        compared = frozenset(pair for pair in pairs if left.issuperset(compared_in(pair)))
        if len(compared) < len(pairs):
            kept = kept.set(where, compared) if compared else kept.delete(where)
    return world if kept is ranks else world.but(wan=replace(world.wan, ranks=kept))


@lru_cache(maxsize=4096)
def _compared(pairs: Pairs) -> frozenset[int]:
    """The operations whose timestamps are compared: most of the time it is asked of the same ones again."""
    return frozenset(chain.from_iterable(map(compared_in, pairs)))


def _left(world: World) -> Iterator[int]:
    """The operations whose timestamps something keeps or carries."""
    for entry in world.entries.values():
        yield from _of(entry.stamp)
    for op_id, call in world.calls.items():
        if call.stage < CallStage.SENT:
            yield op_id
            yield from _of(call.stamp)
    for messages in world.channels.values():
        for message in messages:
            yield message.op_id
            yield from _of(message.stamp)
            if message.event is not None:
                yield from message.event.times
    for sender in world.wan.senders.values():
        yield from _of_events((*sender.queue, *sender.records, *sender.callbacks, *sender.entering))
    for wire in world.wan.wires.values():
        yield from _of_events(wire.events)
        yield from _of(wire.stamp)
        if wire.busy is not None:
            yield from wire.busy.times


def _of(stamp: Stamp | None) -> Iterable[int]:
    return () if stamp is None else stamp.times


def _of_events(events: Iterable[Queued]) -> Iterator[int]:
    for event in events:
        yield from event.times
