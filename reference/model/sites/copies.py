"""Copies of queues: what a member keeps of a queue, exchanged for another state of it, cut, or counted anew.

Knows how a copy is told what has left the queue; knows nothing of who tells it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.model.world import World


def with_sender(world: World, member: str, name: str, sender: Sender) -> World:
    """The world in which the member's sender is this one."""
    wan = world.wan
    return world.but(wan=replace(wan, senders=wan.senders.set((member, name), sender)))


def without_removed(
    sender: Sender, last: int, *, clears: bool = True, whole: bool = True, keeps: bool = False
) -> Sender:
    """A copy that has been told that everything up to a position has left the queue.

    Args:
        sender: the copy.
        last: the position.
        clears: whether records go, too.
        whole: whether all up to the position goes, and not what is there alone.
        keeps: whether a disk may hold it all the same.
    """
    named = {
        event.op_id for event in sender.queue if event.position == last or (whole and event.position < last)
    }
    # The listener is told of one thing after the other: first that the event was queued.
    gone = named - {event.op_id for event in sender.callbacks}
    records = sender.records
    if clears:
        records = tuple(event for event in records if event.op_id not in gone)
    kept = tuple(event for event in sender.queue if event.op_id not in named)
    # A secondary that dispatches, as none should, may have sent what now goes.
    sent, heard = min(sender.sent, len(kept)), min(sender.heard, len(kept))
    removed = sender.removed
    if keeps:
        removed += tuple(event for event in sender.queue if event.op_id in named)
    return replace(
        sender,
        queue=kept,
        mark=max(sender.mark, last),
        records=records,
        sent=sent,
        heard=heard,
        removed=removed,
    )


def inserted(queue: tuple[Queued, ...], event: Queued) -> tuple[Queued, ...]:
    """The copy with the event at its place; mostly the end, but threads overtake each other."""
    index = len(queue)
    while index and queue[index - 1].position > event.position:
        index -= 1
    return (*queue[:index], event, *queue[index:])


def behind_key(sender: Sender, operations: Mapping[int, Operation], operation: Operation) -> int:
    """The place behind the last event of the same key in a queue; the first where there is none."""
    where = (operation.region, operation.key)
    others = (operations[event.op_id] for event in sender.queue)
    return max((n for n, one in enumerate(others, 1) if (one.region, one.key) == where), default=0)


def counted_anew(sender: Sender) -> Sender:
    """The sender whose positions count from one, without secondaries to tell what has left its queue."""
    positions = sorted({event.position for event in (*sender.queue, *sender.callbacks)})
    anew = {position: number for number, position in enumerate(positions, 1)}
    if sender.last == len(positions) and sender.mark == 0 == sender.told:
        return sender  # nothing between them is missing either
    return replace(
        sender,
        queue=_moved(sender.queue, anew),
        callbacks=_moved(sender.callbacks, anew),
        last=len(positions),
        mark=0,
        told=0,
        horizon=sum(position <= sender.horizon for position in positions),
    )


def _moved(events: tuple[Queued, ...], anew: Mapping[int, int]) -> tuple[Queued, ...]:
    return tuple(replace(event, position=anew[event.position]) for event in events)


def copied(world: World, primary: str, holder: str, queue: str) -> Iterator[Queued]:
    """The events of a queue that another holder has, or that are on their way to it from the primary."""
    copy = world.wan.senders.get((holder, queue))
    if copy is not None:
        yield from copy.queue
    for channel, messages in world.channels.items():
        if channel.source == primary and channel.target == holder:
            for message in messages:
                if message.queue == queue and message.event is not None:
                    yield message.event
