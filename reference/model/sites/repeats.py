"""Repeats: what came from another site once more is told of again by peers of its receiver (000, L34).

Knows what is stored; knows nothing of queues and connections.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.history.operations import Operation
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.sites.site_state import Queued
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.effects import ARRIVES
from plumbline.reference.rulebook.values import EntryState, Stamp
from plumbline.reference.search.transition import Step, View


def told_again(
    replicates: Replicates, world: World, view: View, channel: Channel, operation: Operation, head: Message
) -> Iterator[Step]:
    """A listener may be told again of what its receiver has applied again, while nothing newer is stored."""
    member = channel.target
    entry = world.entry(member, operation.region, operation.key)
    place, shown = replicates.shown(member, operation)
    if head.event is None or not view.fits(place, shown) or not is_left_of(entry, head.event, operation):
        return
    if _version(head.stamp) != _version(entry.stamp):
        return  # it is compared as any other
    for after in replicates.queued(world, view, member, operation, head, sure=False):
        taken = replicates.taken(after, channel, head, discarded=False)
        yield Step(("tells again", member, head.op_id), taken, ((place, shown),))


def is_left_of(entry: Entry, event: Queued, operation: Operation) -> bool:
    """Whether what is stored is what an event has left, as far as that shows: its value, or nothing."""
    if entry.stamp is not None and entry.stamp.site != event.site:
        return False
    if ARRIVES[operation.kind][0] is EntryState.LIVE:
        return entry.state is EntryState.LIVE and entry.token == operation.token
    return entry.state in (EntryState.TOMBSTONE, EntryState.ABSENT)


def _version(stamp: Stamp | None) -> tuple[int, str] | None:
    return None if stamp is None else (stamp.version, stamp.member)
