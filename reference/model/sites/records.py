"""Records: what a secondary has recorded of operations that its primary has yet to receive.

The primary queues or discards each operation that it has received. The secondary receives notice of each
queued one. Of a discard it may receive notice and drop its record, or keep the record until a time-out: no
document says. (002, the two flows: a record is of an operation that the primary has not received.) Owns what
may be dropped, and when that matters: where the harness reads a copy, and where the primary is dead and its
successor queues its records.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.precedence import Precedence
from plumbline.reference.model.world import CallStage, World
from plumbline.reference.search.transition import Step, View

FORGETS = "forgets a record"
"""By this name a secondary hears of late that its dead primary had discarded something."""


class Records:
    """The part of the model in which a secondary forgets what its dead primary has discarded."""

    def __init__(self, setting: Setting, precedence: Precedence) -> None:
        self._setting = setting
        self._precedence = precedence

    def steps(self, world: World, view: View, member: str, name: str) -> Iterator[Step]:
        """What the dead primary has said of a discard arrives; or it does not, before the member takes over.

        An event that the other site still has to show, and that only this queue can bring, was not dropped.
        """
        sender = world.wan.senders[member, name]
        for record in sender.records:
            if record.op_id not in sender.spared:
                continue
            if self._precedence.is_needed(world, view, member, name, record):
                continue
            after = replace(
                sender,
                records=tuple(one for one in sender.records if one.op_id != record.op_id),
                spared=sender.spared - {record.op_id},
            )
            yield Step((FORGETS, member, record.op_id), with_sender(world, member, name, after))


def records_shown(world: World, setting: Setting, member: str, name: str) -> range:
    """How many records a secondary may show: surely of what its primary has yet to receive."""
    sender = world.wan.senders[member, name]
    primary = next(
        (m for (m, queue), one in world.wan.senders.items() if queue == name and one.primary), None
    )
    if primary is None:
        return range(len(sender.records), len(sender.records) + 1)
    received = [one for one in sender.records if _has_received(world, setting, primary, one.op_id)]
    return range(len(sender.records) - len(received), len(sender.records) + 1)


def outlived(world: World, setting: Setting, primary: str) -> World:
    """The world in which secondaries may yet hear what a primary has discarded that is about to die."""
    for (member, name), sender in world.wan.senders.items():
        dying = world.wan.senders.get((primary, name))
        if sender.primary or member == primary or member in world.wan.dead or setting.queues[name].parallel:
            continue
        if dying is None or not dying.primary:
            continue
        held = (*dying.queue, *dying.entering, *sender.queue, *sender.callbacks)
        queued = {event.op_id for event in held}
        recorded = {event.op_id for event in (*sender.records, *sender.entering)}
        for channel, messages in world.channels.items():
            if channel.target == member:
                queued |= {one.op_id for one in messages if one.queue == name}
                recorded |= {one.op_id for one in messages if not one.queue}
        spared = {
            op_id
            for op_id in recorded - queued
            if setting.operations[op_id].member != primary and _has_received(world, setting, primary, op_id)
        }
        if spared:
            world = with_sender(world, member, name, replace(sender, spared=sender.spared | spared))
    return world


def _has_received(world: World, setting: Setting, primary: str, op_id: int) -> bool:
    """Whether a member has taken an operation that its caller or receiver sent."""
    caller = setting.operations[op_id].member
    if setting.home(caller) != setting.home(primary):
        return (primary, op_id) in world.wan.seen
    call = world.calls.get(op_id)
    return not (call is not None and call.stage < CallStage.SENT) and not any(
        message.op_id == op_id
        for channel, messages in world.channels.items()
        if channel.target == primary
        for message in messages
    )
