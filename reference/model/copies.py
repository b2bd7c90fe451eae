"""Copies of queues: what a member keeps of a queue, exchanged for another state of it, cut, or counted anew.

Knows how a copy is told what has left the queue; knows nothing of who tells it.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.model.world import Queued, Sender, World


def with_sender(world: World, member: str, name: str, sender: Sender) -> World:
    """The world in which the member's sender is this one."""
    wan = world.wan
    return world.but(wan=replace(wan, senders=wan.senders.set((member, name), sender)))


def without_removed(sender: Sender, last: int, *, clears: bool = True) -> Sender:
    """A copy that has been told that everything up to a position has left the queue.

    Args:
        sender: the copy.
        last: the position.
        clears: whether records go, too.
    """
    gone = {event.op_id for event in sender.queue if event.position <= last}
    # The listener is told of one thing after the other: first that the event was queued.
    gone -= {event.op_id for event in sender.callbacks}
    records = sender.records
    if clears:
        records = tuple(event for event in records if event.op_id not in gone)
    kept = tuple(event for event in sender.queue if event.position > last)
    # A secondary that dispatches, as none should, may have sent what now goes.
    sent, heard = min(sender.sent, len(kept)), min(sender.heard, len(kept))
    return replace(sender, queue=kept, mark=max(sender.mark, last), records=records, sent=sent, heard=heard)


def counted_anew(sender: Sender) -> Sender:
    """The sender whose positions begin with one, and which has nobody to tell what has left its queue."""
    positions = [event.position for event in (*sender.queue, *sender.callbacks)]
    by = min(positions, default=sender.last + 1) - 1
    if by <= 0 and sender.mark == 0 == sender.told:
        return sender
    return replace(
        sender,
        queue=_moved(sender.queue, by),
        callbacks=_moved(sender.callbacks, by),
        last=sender.last - by,
        mark=0,
        told=0,
        horizon=max(sender.horizon - by, 0),
    )


def _moved(events: tuple[Queued, ...], by: int) -> tuple[Queued, ...]:
    return tuple(replace(event, position=event.position - by) for event in events)
