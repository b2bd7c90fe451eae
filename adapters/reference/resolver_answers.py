"""What a conflict resolver of the reference writes down: with timestamps that fit the order chosen.

The model knows which of two timestamps is the later, and no clock. Knows nothing of what a resolver decides.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history.operations import Conflict, Event
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.timestamp_order import NONE, Pairs, Times
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.conflict_resolvers import Told


def noted(setting: Setting, world: World, event: Event, told: Told, answer: str) -> Event:
    """The event of a resolver's log.

    Args:
        setting: the example.
        world: as it was when the resolver was asked.
        event: member, region, key and token.
        told: what it was told.
        answer: what it answered.
    """
    pairs = world.wan.ranks.get((event.region, event.key), NONE)
    stamp = world.entry(event.member, event.region, event.key).stamp
    mine = millisecond(setting, pairs, _times_of(setting, world, event))
    theirs = 0 if stamp is None else millisecond(setting, pairs, stamp.times)
    if told.later is not ((mine, told.site) > (theirs, told.stored_site)):
        mine, theirs = (theirs + 1, theirs) if told.later else (mine, mine + 1)
    conflict = Conflict(
        kind=told.kind,
        old=told.old,
        site=told.site,
        stored_site=told.stored_site,
        time_ms=mine,
        stored_time_ms=theirs,
        answer=answer,
    )
    return msgspec.structs.replace(event, conflict=conflict)


def _times_of(setting: Setting, world: World, event: Event) -> Times:
    """The operations whose timestamp an event that has arrived may carry."""
    for wire in world.wan.wires.values():
        for queued in wire.events:
            operation = setting.operations[queued.op_id]
            about = (operation.region, operation.key) == (event.region, event.key)
            if wire.receiver == event.member and about and event.token in (queued.token, None):
                times: Times = queued.times
                return times
    return frozenset()


def millisecond(setting: Setting, pairs: Pairs, times: Times) -> int:
    """A time for the latest of these operations: that of its clock, but later than the update it beat."""
    known: dict[int, int] = {}
    return max((_time_of(setting, pairs, op_id, known) for op_id in times), default=0)


def _time_of(setting: Setting, pairs: Pairs, op_id: int, known: dict[int, int]) -> int:
    # All that follows from a pair is among the pairs: without what is known already each way would be gone.
    if op_id not in known:
        shown = setting.readings[op_id][1] if op_id in setting.readings else op_id
        beaten = (_time_of(setting, pairs, other, known) + 1 for later, other in pairs if later == op_id)
        known[op_id] = max((shown, *beaten))
    return known[op_id]
