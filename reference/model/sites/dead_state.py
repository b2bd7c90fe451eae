"""DeadState: what queues hold, and counters, is left out of the world where it can no longer matter.

Two runs that differ in nothing else would stay apart for ever, and all that follows would be walked for each
of them. Owns when that is so; changes nothing that an observation could still show.
"""

from __future__ import annotations

from itertools import takewhile

from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import counted_anew, with_sender, without_removed
from plumbline.reference.model.sites.delivery_paths import DeliveryPaths
from plumbline.reference.model.sites.dependences import binds
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.model.sites.wires import is_known
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each


class DeadState:
    """The part of the model that knows what of its queues can no longer matter."""

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._ways = DeliveryPaths(setting, lookahead)
        self._simple = {
            name
            for name, queue in setting.queues.items()
            if setting.led_to[name]
            and name not in setting.conflating
            and queue.dispatchers == 1
            and not queue.parallel
        }

    def forgotten(self, world: World, now: int) -> World:
        """The world without what left queues, is known where they lead, or counts for nothing."""
        world = self._without_counts(world, now)
        if not self._setting.queues:
            return world
        known = self._without_known(self._without_removed(world, now), now)
        return self._evened(self._recounted(known))

    def _without_counts(self, world: World, now: int) -> World:
        """The world without the counters of members who are never asked for them again."""
        counters, collections = world.discards, world.tombs.collections
        for member in world.discards:
            if not self._lookahead.is_counted(world, now, member):
                counters = counters.delete(member)
        for member in world.tombs.collections:
            if not self._lookahead.collections_are_counted(world, now, member):
                collections = collections.delete(member)
        if collections is not world.tombs.collections:
            world = world.but(tombs=replace(world.tombs, collections=collections))
        return world if counters is world.discards else world.but(discards=counters)

    def may_forget(self, world: World, now: int, member: str, name: str, event: Queued) -> bool:
        """Whether nothing depends on a member being told that the event was queued, or sending it once more.

        All members where the queue leads have it. So a receiver would recognise it, and answer. A repetition
        has no other effect, from any sender at any time, unless it holds something up.
        """
        if not self._has_passed(world, now, name, event.op_id):
            return False
        reach, sender = self._reach(world, now, name), world.wan.senders[member, name]
        if reach is None:
            return self._front_goes(world, now, name) and all(
                self._has_passed(world, now, name, one.op_id)
                for one in sender.queue
                if one.position < event.position
            )
        ahead = self._ahead(world, member, name, sender)
        return len(ahead) >= reach and (
            event.position <= sender.mark or sum(position < event.position for position in ahead) >= reach
        )

    def may_count_again(self, world: World, now: int, name: str, copy: Sender) -> bool:
        """Whether it may show in a counter that something of a copy of the queue is sent once more."""
        return any(self._ways.may_count_again(world, now, name, event.op_id) for event in copy.queue)

    def _has_passed(self, world: World, now: int, name: str, op_id: int) -> bool:
        return (
            is_known(world, self._setting.led_to[name], op_id)
            and not self._lookahead.comes_again(op_id)
            and not self._ways.may_count_again(world, now, name, op_id)
        )

    def _reach(self, world: World, now: int, name: str) -> int | None:
        """How many events of a queue may be sent before all else leaves it in its own time.

        None if that is not known, 0 if nothing holds the queue up, now or later. Where its answers are lost,
        and nothing else is to come that holds it up, no more than a batch is sent until its link is mended.
        """
        wan, queue = world.wan, self._setting.queues[name]
        if (
            not self._goes_unseen(world, now, name)
            or any(binds(fault, queue, self._setting.led_to[name]) for fault in wan.faults.values())
            or self._is_to_be_bound(world, now, name)
        ):
            return None
        if wan.links.get((queue.site, queue.remote_site or 0)) is not FaultKind.REPLIES_LOST:
            return 0
        if queue.group_transactions:
            return None  # a batch may hold more than its size
        waits = not any(each(self._setting.book.sends_while_unanswered()))
        return queue.batch_size if waits else None

    def _front_goes(self, world: World, now: int, name: str) -> bool:
        """Whether an event that all members have, and all before it, may already have left the queue.

        Before answers are lost it may, too, if no settle point comes meanwhile: then no observation shows
        what they hold up. An event behind one that has yet to pass may be in the same batch.
        """
        wan, queue = world.wan, self._setting.queues[name]
        return (
            self._goes_unseen(world, now, name)
            and wan.links.get((queue.site, queue.remote_site or 0)) is not FaultKind.REPLIES_LOST
            and not self._lookahead.binds_tellingly(world, now, name)
        )

    def _goes_unseen(self, world: World, now: int, name: str) -> bool:
        """Whether a queue empties by itself for now, as documented, and the harness does not read it."""
        wan = world.wan
        return (
            name in self._simple
            and self._setting.as_documented
            and self._setting.resolver is None  # it may be asked about a repetition
            and not wan.stands
            and not any(sender.paused for (_, paused), sender in wan.senders.items() if paused == name)
            and not self._is_looked_at(world, now, name)
        )

    def _is_to_be_bound(self, world: World, now: int, name: str) -> bool:
        """Whether it may matter later what of a queue is sent at all.

        Once everything has come to rest nothing is left of a queue that only one member keeps; others may
        not have been told yet what has left it, and would send that again if they had to take over.
        """
        if self._keepers(world, name) > 1:
            return self._lookahead.binds_to_come(now, name)
        return self._lookahead.binds_before_rest(now, name)

    def _keepers(self, world: World, name: str) -> int:
        """How many members that live keep a queue, or a copy of it."""
        return sum(queue == name and member not in world.wan.dead for member, queue in world.wan.senders)

    def _ahead(self, world: World, member: str, name: str, sender: Sender) -> list[int]:
        """The positions of what stays in a member's queue, or copy of it, until a queue's link is mended.

        That is what has not been answered so far, as far as the member has been told of it.
        """
        positions = [event.position for event in sender.queue]
        if sender.primary:
            return positions[sender.heard :]
        led = [other for (_, queue), other in world.wan.senders.items() if queue == name and other.primary]
        kept = [event.position for primary in led for event in primary.queue[primary.heard :]]
        told = [
            message.mark
            for channel, messages in world.channels.items()
            if channel.target == member
            for message in messages
            if message.queue == name
        ]
        last = max(told, default=0)
        return [position for position in positions if (position in kept if led else position > last)]

    def _is_looked_at(self, world: World, now: int, name: str) -> bool:
        """Whether the harness reads a copy of the queue, now or later."""
        return self._lookahead.copies_are_looked_at(now, name) or any(
            queue == name and self._lookahead.copy_is_looked_at_now(world, member, name)
            for member, queue in world.wan.senders
        )

    def _without_removed(self, world: World, now: int) -> World:
        """The world in which copies of queues hold nothing more that has left them.

        Two observations show such an event: a reading of a copy, and a repetition after it has left. In both
        cases it was still queued when the primary died. Otherwise the order of queuing would keep worlds
        apart for ever.
        """
        if not self._setting.tells_late or self._lookahead.tells_again():
            return world
        for (member, name), sender in world.wan.senders.items():
            if (
                not sender.primary
                or member in world.wan.dead
                or sender.told >= sender.mark
                or (not self._setting.led_to[name] and self._lookahead.dies(member))
                or self._is_looked_at(world, now, name)
                or any(
                    self.may_count_again(world, now, name, copy)
                    for other in self._setting.others[member]
                    if (copy := world.wan.senders.get((other, name))) is not None
                )
            ):
                continue
            world = with_sender(world, member, name, replace(sender, told=sender.mark))
            for other in self._setting.others[member]:
                copy = world.wan.senders.get((other, name))
                if copy is not None and other not in world.wan.dead:
                    world = with_sender(world, other, name, without_removed(copy, sender.mark))
        return world

    def _without_known(self, world: World, now: int) -> World:
        """The world without queued events that every remote member already has."""
        reaches = {name: self._reach(world, now, name) for name in self._setting.queues}
        for (member, name), sender in world.wan.senders.items():
            reach = reaches[name]
            if reach is None:
                world = self._without_front(world, now, member, name)
                continue
            first = sender.sent
            if reach:
                ahead = self._ahead(world, member, name, sender)
                if len(ahead) < reach:
                    continue
                at = next(i for i, one in enumerate(sender.queue) if one.position == ahead[reach - 1])
                first = max(first, at + 1)
            events = (*sender.queue[first:], *sender.records, *sender.callbacks, *sender.entering)
            ids = sender.notes.union(event.op_id for event in events)
            gone = {op_id for op_id in ids if self._has_passed(world, now, name, op_id)}
            if gone:
                world = with_sender(world, member, name, _without(sender, gone, first))
        return world

    def _without_front(self, world: World, now: int, member: str, name: str) -> World:
        """The world in which a member's queue begins behind the last event that all members have."""
        sender = world.wan.senders[member, name]
        if not sender.queue or not self._front_goes(world, now, name):
            return world
        front = takewhile(lambda event: self._has_passed(world, now, name, event.op_id), sender.queue)
        gone = [event.op_id for event in front][sender.sent :]
        return with_sender(world, member, name, _without(sender, set(gone), sender.sent)) if gone else world

    def _recounted(self, world: World) -> World:
        """The world in which a queue that only one member is left to keep is counted from one again.

        The others' positions were of use to those who had to find the same events in their copies.
        """
        if len(world.wan.dead) == 0:
            return world
        for (member, name), sender in world.wan.senders.items():
            if (
                member not in world.wan.dead
                and self._keepers(world, name) == 1
                and name in self._simple
                and self._setting.as_documented
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
                senders = senders.set(where, replace(sender, mark=mark, told=told))
        return world if senders is world.wan.senders else world.but(wan=replace(world.wan, senders=senders))


def _without(sender: Sender, gone: set[int], first: int) -> Sender:
    """The sender that is not to send these operations any more, of what is from a place of its queue on."""
    unsent = tuple(event for event in sender.queue[first:] if event.op_id not in gone)
    return replace(
        sender,
        queue=sender.queue[:first] + unsent,
        records=tuple(event for event in sender.records if event.op_id not in gone),
        callbacks=tuple(event for event in sender.callbacks if event.op_id not in gone),
        entering=tuple(event for event in sender.entering if event.op_id not in gone),
        notes=sender.notes - gone,
        spared=sender.spared - gone,
    )
