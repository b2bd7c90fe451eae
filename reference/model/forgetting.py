"""Forgetting: what queues hold, and counters, is left out of the world where it can no longer matter.

Two runs that differ in nothing else would stay apart for ever, and all that follows would be walked for each
of them. Owns when that is so; changes nothing that anybody could still see.
"""

from __future__ import annotations

from plumbline.reference.history import FaultKind
from plumbline.reference.model.copies import counted_anew, with_sender, without_removed
from plumbline.reference.model.foresight import Foresight
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.ways import Ways
from plumbline.reference.model.world import Sender, World

BINDS = frozenset(
    {
        FaultKind.REPLIES_LOST,
        FaultKind.PAUSE,
        FaultKind.RESUME,
        FaultKind.RECEIVER_STOP,
        FaultKind.RECEIVER_START,
        FaultKind.HOLD_TIME,
        FaultKind.TIME_LEAP,
        FaultKind.LET_RUN,
    }
)
"""Faults under which it matters whether something is sent at all.

It holds up what is behind it for good, fills a batch that leaves at a known time, or has chosen a receiver
before others could be.
"""


class Forgetting:
    """The part of the model that knows what of its queues can no longer matter."""

    def __init__(self, setting: Setting, foresight: Foresight) -> None:
        self._setting = setting
        self._foresight = foresight
        self._ways = Ways(setting, foresight)
        self._simple = {
            name
            for name, queue in setting.queues.items()
            if not queue.conflate and queue.dispatchers == 1 and not queue.parallel
        }

    def forgotten(self, world: World, now: int) -> World:
        """The world without what has left queues, is known where they lead, or is counted for nobody."""
        world = self._without_counts(world, now)
        if not self._setting.queues:
            return world
        known = self._without_known(self._without_removed(world, now), now)
        return self._evened(self._recounted(known, now))

    def _without_counts(self, world: World, now: int) -> World:
        """The world without the counters of members who are never asked for them again."""
        counters = world.discards
        for member in world.discards:
            if not self._foresight.is_counted(world, now, member):
                counters = counters.delete(member)
        return world if counters is world.discards else world.but(discards=counters)

    def may_forget(self, world: World, now: int, name: str, op_id: int) -> bool:
        """Whether nothing depends on an operation being sent once more over the queue, or at all.

        Everybody where the queue leads has it. So a receiver would recognise it, and answer: nothing else
        comes of it, whoever sends it and whenever, unless it holds something up.
        """
        return self._unbound(world, now, name) and self._has_passed(world, now, name, op_id)

    def may_count_again(self, world: World, now: int, name: str, copy: Sender) -> bool:
        """Whether it may show in a counter that something of a copy of the queue is sent once more."""
        return any(self._ways.may_count_again(world, now, name, event.op_id) for event in copy.queue)

    def _has_passed(self, world: World, now: int, name: str, op_id: int) -> bool:
        return (
            self._known(world, name, op_id)
            and not self._foresight.comes_again(op_id)
            and not self._ways.may_count_again(world, now, name, op_id)
        )

    def _known(self, world: World, name: str, op_id: int) -> bool:
        remote = self._setting.queues[name].remote_site
        dead, seen = world.wan.dead, world.wan.seen
        return remote is not None and all(
            member in dead or (member, op_id) in seen for member in self._setting.sites.get(remote, ())
        )

    def _unbound(self, world: World, now: int, name: str) -> bool:
        """Whether a queue is emptied in its own time, which nobody can tell, now and later."""
        wan = world.wan
        return (
            name in self._simple
            and self._setting.as_documented
            and self._setting.resolver is None  # it may be asked about a repetition
            and not wan.stands
            and FaultKind.REPLIES_LOST not in wan.links.values()
            and not any(fault.kind in BINDS for fault in wan.faults.values())
            and not any(sender.paused for sender in wan.senders.values())
            and not self._is_looked_at(world, now, name)
            and not self._foresight.binds_to_come(now)
        )

    def _is_looked_at(self, world: World, now: int, name: str) -> bool:
        """Whether somebody looks at a copy of the queue, later or just now."""
        return self._foresight.copies_are_looked_at(now, name) or any(
            queue == name and self._foresight.copy_is_looked_at_now(world, member, name)
            for member, queue in world.wan.senders
        )

    def _without_removed(self, world: World, now: int) -> World:
        """The world in which copies of queues hold nothing more that has left them.

        Whoever looks at a copy can tell, and whoever is told again of what has left: it was still there when
        the primary died. Else the order in which it had been queued would part worlds for ever.
        """
        if not self._setting.tells_late or self._foresight.tells_again():
            return world
        for (member, name), sender in world.wan.senders.items():
            if (
                not sender.primary
                or member in world.wan.dead
                or sender.told >= sender.mark
                or self._is_looked_at(world, now, name)
                or any(
                    self.may_count_again(world, now, name, copy)
                    for other in self._setting.others[member]
                    if (copy := world.wan.senders.get((other, name))) is not None
                )
            ):
                continue
            world = with_sender(world, member, name, sender._replace(told=sender.mark))
            for other in self._setting.others[member]:
                copy = world.wan.senders.get((other, name))
                if copy is not None and other not in world.wan.dead:
                    world = with_sender(world, other, name, without_removed(copy, sender.mark))
        return world

    def _without_known(self, world: World, now: int) -> World:
        """The world in which nobody is about to send what everybody has where it leads."""
        unbound = {name for name in self._setting.queues if self._unbound(world, now, name)}
        for (member, name), sender in world.wan.senders.items():
            if name not in unbound:
                continue
            events = (*sender.queue[sender.sent :], *sender.records, *sender.callbacks)
            ids = sender.notes.union(event.op_id for event in events)
            gone = {op_id for op_id in ids if self._has_passed(world, now, name, op_id)}
            if gone:
                world = with_sender(world, member, name, _without(sender, gone))
        return world

    def _recounted(self, world: World, now: int) -> World:
        """The world in which a queue that only one member is left to keep is counted from one again.

        The others' positions were of use to those who had to find the same events in their copies.
        """
        if len(world.wan.dead) == 0:
            return world
        for (member, name), sender in world.wan.senders.items():
            alone = not any(
                (other, name) in world.wan.senders and other not in world.wan.dead
                for other in self._setting.others[member]
            )
            if (
                alone
                and self._unbound(world, now, name)
                and not any(message.queue == name for sent in world.channels.values() for message in sent)
            ):
                anew = counted_anew(sender)
                if anew is not sender:
                    world = with_sender(world, member, name, anew)
        return world

    def _evened(self, world: World) -> World:
        """The world in which queues that hold the same say the same of what has left them.

        Up to which position below all that is queued, or on its way, events were removed is all one.
        """
        lowest: dict[str, int] = {}
        for (_, name), sender in world.wan.senders.items():
            first = min(
                (event.position for event in (*sender.queue, *sender.callbacks)), default=sender.last + 1
            )
            lowest[name] = min(first, lowest.get(name, first))
        for messages in world.channels.values():
            for message in messages:
                if message.queue and message.event is not None:
                    lowest[message.queue] = min(message.event.position, lowest[message.queue])
        senders = world.wan.senders
        for where, sender in world.wan.senders.items():
            mark = lowest[where[1]] - 1
            if sender.mark < mark:
                told = mark if sender.told >= sender.mark else sender.told
                senders = senders.set(where, sender._replace(mark=mark, told=told))
        return world if senders is world.wan.senders else world.but(wan=world.wan._replace(senders=senders))


def _without(sender: Sender, gone: set[int]) -> Sender:
    """The sender that is not to send these operations any more."""
    unsent = tuple(event for event in sender.queue[sender.sent :] if event.op_id not in gone)
    return sender._replace(
        queue=sender.queue[: sender.sent] + unsent,
        records=tuple(event for event in sender.records if event.op_id not in gone),
        callbacks=tuple(event for event in sender.callbacks if event.op_id not in gone),
        notes=sender.notes - gone,
        spared=sender.spared - gone,
    )
