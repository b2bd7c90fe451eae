"""Filling: how an event enters the queue of the primary, and how a secondary records that it should.

The primary sends a copy of the entry to the other members (002, Serial Gateway Sender). Knows nothing of how
copies arrive.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.history.operations import (
    Operation,
    QueueAttributes,
)
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import behind_key, with_sender
from plumbline.reference.model.sites.late_entries import LateEntries
from plumbline.reference.model.sites.overflow import Overflow
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each

WAITS_FOR_SITE = "another site"


class Filling:
    """The part of the model that fills queues."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._overflow = Overflow(setting)
        self.late_entries = LateEntries(setting)

    def entered(
        self,
        world: World,
        member: str,
        operation: Operation,
        queue: QueueAttributes,
        sender: Sender,
        event: Queued,
    ) -> Iterator[World]:
        """The event enters the primary's queue, or a secondary records that it should; at once or late."""
        for is_late in self.late_entries.ways(member, queue.id, sender, event):
            if is_late:
                waits = replace(sender, entering=(*sender.entering, event))
                yield with_sender(world, member, queue.id, waits)
            else:
                yield from self._entered(world, member, operation, queue, sender, event)

    def entered_late(self, world: World, member: str, name: str, event: Queued) -> Iterator[World]:
        """The same of an event that was late."""
        queue, operation = self._setting.queues[name], self._setting.operations[event.op_id]
        sender = world.wan.senders[member, name]
        yield from self._entered(world, member, operation, queue, sender, event)

    def _entered(
        self,
        world: World,
        member: str,
        operation: Operation,
        queue: QueueAttributes,
        sender: Sender,
        event: Queued,
    ) -> Iterator[World]:
        book = self._setting.book
        if self._setting.entry_order:
            sender = replace(sender, entered=self.late_entries.entered(queue.id, sender, event))
            world = with_sender(world, member, queue.id, sender)
        tracks = each(book.tracks_after_takeover()) if sender.heir else (not sender.primary,)
        if any(tracks):
            yield from self._recorded(world, member, queue.id, sender, event)
        if all(tracks):
            return
        called_here = operation.member == member
        if not called_here and not all(each(book.queues_of_other_origin())):
            yield world
            return
        if not self._reachable(world, queue) and not all(each(book.collects_while_unconnected())):
            yield world
            return
        by_client = event.op_id in self._setting.originators
        for times in each(book.times_queued(called_here, by_client, not queue.runs_on(operation.member))):
            late = sender.records if sender.heir else ()  # which it should have queued before
            worlds = [with_sender(world, member, queue.id, replace(sender, records=()))] if late else [world]
            for one in (*(event,) * times, *late):
                worlds = [a for before in worlds for a in self._appended(before, member, queue.id, one)]
            yield from worlds

    def appended(
        self, world: World, member: str, name: str, event: Queued, merging: str = ""
    ) -> Iterator[World]:
        """See `_appended`; for what is queued at once.

        With `merging`, the copies travel apart from what their caller's thread sends.
        """
        sender = world.wan.senders[member, name]
        for room, entering in self._overflow.entering(name, sender, event):
            if entering is None:
                yield world
            else:
                yield from self._entering(world, member, name, room, entering, merging)

    def _reachable(self, world: World, queue: QueueAttributes) -> bool:
        if queue.remote_site is None:
            return True
        if (queue.site, queue.remote_site) in world.wan.links:
            return False
        return any(
            m not in world.wan.dead and m not in world.wan.stopped for m in self._setting.led_to[queue.id]
        )

    def _recorded(
        self, world: World, member: str, name: str, sender: Sender, event: Queued
    ) -> Iterator[World]:
        if event.op_id in sender.notes:
            yield with_sender(world, member, name, replace(sender, notes=sender.notes - {event.op_id}))
            return
        called_at = self._setting.home(self._setting.operations[event.op_id].member)
        of_other_site = called_at != self._setting.site_of[member]
        for remembers in each(self._setting.book.secondary_remembers(event.kind, of_other_site)):
            records = (*sender.records, event) if remembers else sender.records
            yield with_sender(world, member, name, replace(sender, records=records))

    def _appended(self, world: World, member: str, name: str, event: Queued) -> Iterator[World]:
        """The event enters the primary's queue, and its copies are on their way to the other members."""
        book = self._setting.book
        sender = world.wan.senders[member, name]
        for at_once in each(book.queues_before_return()):
            if not at_once:
                late = replace(sender, callbacks=(*sender.callbacks, event))
                yield with_sender(world, member, name, late)
                continue
            yield from self.appended(world, member, name, event)

    def _entering(
        self, world: World, member: str, name: str, sender: Sender, event: Queued, merging: str
    ) -> Iterator[World]:
        book = self._setting.book
        event = replace(event, position=sender.last + 1)
        others = tuple(
            other
            for other in self._setting.others[member]
            if other not in world.wan.dead and (other, name) in world.wan.senders
        )
        if world.images and not all(each(book.queues_while_joining())):
            joining = {where[0] for where in world.images}
            others = tuple(other for other in others if other not in joining)
        operation = self._setting.operations[event.op_id]
        behind = behind_key(sender, self._setting.operations, operation)
        for index in (
            max(there, sender.sent)
            for place in each(book.queue_place(len(sender.queue), behind))
            for there in self._overflow.places(name, sender, event, place)
        ):
            queue = (*sender.queue[:index], event, *sender.queue[index:])
            if sender.renewed and not all(each(book.enters_behind_recovered())):
                queue = (*sender.queue[: sender.sent], event, *sender.queue[sender.sent + 1 :])
            grown = replace(sender, queue=queue, last=event.position, renewed=False)
            filled = with_sender(world, member, name, grown)
            for targets in each(book.copies_of_queue(others)):
                channels = filled.channels
                for target in targets:
                    channel = Channel(merging + operation.thread, member, target)
                    message = Message(event.op_id, None, event=event, queue=name)
                    channels = channels.set(channel, (*channels.get(channel, ()), message))
                for waits in each(book.waits_for_copies()):
                    for site in self._waits(name, sender, event):
                        awaited = {(name, member, target) for target in targets} if waits else set()
                        if site:
                            awaited.add((name, WAITS_FOR_SITE, str(event.op_id)))
                        yield _awaiting(filled.but(channels=channels), event.op_id, frozenset(awaited))

    def _waits(self, name: str, sender: Sender, event: Queued) -> tuple[bool, ...]:
        """Whether a call waits until the other site has its event, or the listener has answered."""
        book = self._setting.book
        if self._setting.queues[name].remote_site is None:
            dispatched = each(book.waits_for_listener())
        else:
            dispatched = each(book.waits_for_remote_site(sender.paused))
        room = self._overflow.waits(name, sender, event)
        return tuple(dict.fromkeys(one or other for one in dispatched for other in room))


def _awaiting(world: World, op_id: int, awaited: frozenset[object]) -> World:
    """The world in which the operation's call waits for more; unless its caller waits for nothing."""
    call = world.calls.get(op_id)
    if call is None or not awaited:
        return world
    return world.but(calls=world.calls.set(op_id, replace(call, waiting=call.waiting | awaited)))
