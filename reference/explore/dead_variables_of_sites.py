"""Known: what another site knows already is left out of queues, as it would only come once more.

A repetition changes nothing (000, L30), from any sender. Knows worlds; knows no promise.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.wires import is_known, with_wire
from plumbline.reference.model.world import World


class Known:
    """What the other site of each queue of a program knows."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def without(self, world: World) -> World:
        """The world without what would only be told again, wherever it waits for that."""
        return self._unbroken(self._unqueued(self._uncopied(world)))

    def _is_known(self, world: World, name: str, op_id: int) -> bool:
        """Whether all members that live where a queue leads have an event."""
        return is_known(world, self._setting.led_to[name], op_id)

    def _unqueued(self, world: World) -> World:
        """Without those in a queue, but for what is unanswered, and without what secondaries note of them."""
        for (member, name), sender in world.wan.senders.items():
            unsent = sender.queue[sender.sent :]
            left = tuple(one for one in unsent if not self._is_known(world, name, one.op_id))
            records = tuple(one for one in sender.records if not self._is_known(world, name, one.op_id))
            notes = frozenset(one for one in sender.notes if not self._is_known(world, name, one))
            if (left, records, notes) != (unsent, sender.records, sender.notes):
                queue = (*sender.queue[: sender.sent], *left)
                world = with_sender(
                    world, member, name, replace(sender, queue=queue, records=records, notes=notes)
                )
        return world

    def _uncopied(self, world: World) -> World:
        """Without those that are sent to a copy of a queue; nothing waits for that."""
        channels, calls = world.channels, world.calls
        for channel, messages in world.channels.items():
            gone = [
                one
                for one in messages
                if one.queue and one.event is not None and self._is_known(world, one.queue, one.op_id)
            ]
            if not gone:
                continue
            left = tuple(one for one in messages if one not in gone)
            channels = channels.set(channel, left) if left else channels.delete(channel)
            for one in gone:
                call = calls.get(one.op_id)
                if call is not None:
                    waiting = call.waiting - {(one.queue, channel.source, channel.target)}
                    calls = calls.set(one.op_id, replace(call, waiting=waiting))
        return world if channels is world.channels else world.but(channels=channels, calls=calls)

    def _unbroken(self, world: World) -> World:
        """Without those that are left on a connection that has broken."""
        for name, wire in world.wan.wires.items():
            left = tuple(one for one in wire.events if not self._is_known(world, name.queue, one.op_id))
            if wire.broken and len(left) < len(wire.events):
                world = with_wire(world, name, replace(wire, events=left))
        return world
