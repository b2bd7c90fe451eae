"""Gateway senders: how events enter the queue of the primary and the copies of the secondaries.

Owns the senders' queues and a secondary's records. The operation and the queue entry reach a secondary in
either order, and both orders lead to the same state (002, Serial Gateway Sender).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.model import claims
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import inserted, with_sender, without_removed
from plumbline.reference.model.sites.dead_state import DeadState
from plumbline.reference.model.sites.dependences import crash_of, losses_in
from plumbline.reference.model.sites.feeding import Feeding
from plumbline.reference.model.sites.filling import Filling
from plumbline.reference.model.sites.lanes import sender_of
from plumbline.reference.model.sites.needed_removals import NeededRemovals
from plumbline.reference.model.sites.precedence import Observation, Precedence
from plumbline.reference.model.sites.site_state import Sender, SiteState
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step, View

REMOVALS = "removals"
"""The thread that tells other members what has left a queue."""


class Senders:
    """The part of the model that starts senders and keeps the copies of their queues alike."""

    def __init__(
        self, setting: Setting, lookahead: Lookahead, precedence: Precedence, dead_state: DeadState
    ) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._dead_state = dead_state
        self._needed = NeededRemovals(setting, lookahead)
        self._precedence = precedence
        self.filling = Filling(setting)
        self.feeding = Feeding(setting, self.filling)

    def started(self, wan: SiteState) -> SiteState:
        """All senders have been started, one member after the other."""
        senders = wan.senders
        for queue in self._setting.serial:
            for index, member in enumerate(self._setting.runners(queue)):
                (primary, *_) = each(self._setting.book.starts_as_primary(index == 0))
                senders = senders.set((member, queue.id), Sender(primary=primary))
        return replace(wan, senders=senders)

    def starts(self, world: World) -> Iterator[Step]:
        """The senders run; which of a queue's members is primary is known, or may be any of them."""
        book, queues = self._setting.book, self._setting.serial
        sites = {sender_of(queue): self._setting.runners(queue) for queue in queues}
        choices = []
        for sender, members in sites.items():
            known = self._setting.primaries.get(sender)
            choices.append([(sender, m) for m in ([known] if known else members)])
        for chosen in product(*choices):
            later = [
                (sender, member)
                for sender, primary in chosen
                for member in sites[sender]
                if member != primary
            ]
            for roles in product(each(book.starts_as_primary(False)), repeat=len(later)):  # noqa: FBT003 - as above
                leads = {**dict.fromkeys(chosen, True), **dict(zip(later, roles, strict=True))}
                senders = world.wan.senders
                for queue in queues:
                    for member in self._setting.runners(queue):
                        role = leads[sender_of(queue), member]
                        senders = senders.set((member, queue.id), Sender(primary=role))
                yield Step(
                    ("senders start", *chosen, *roles), world.but(wan=replace(world.wan, senders=senders))
                )

    def steps(self, world: World) -> Iterator[Step]:
        """A secondary's listener receives a queue entry, or a late event enters its queue."""
        for (member, name), sender in world.wan.senders.in_order():
            if sender.callbacks and member not in world.wan.dead:
                yield from self._called_back(world, member, name, sender)
            if sender.entering and member not in world.wan.dead:
                late = self.filling.late_entries
                yield from late.steps(world, member, name, sender, self.filling.entered_late)

    def uncopied(self, world: World, channel: Channel, head: Message) -> Iterator[Step]:
        """A primary has told its peers of an update, and died before it copied its queue entry (see docs)."""
        if not head.queue or head.event is None:
            return
        others = [other for other in self._setting.others[channel.source] if other not in world.wan.dead]
        copies = filter(None, (world.wan.senders.get((other, head.queue)) for other in others))
        if any(head.op_id in (event.op_id for event in (*one.queue, *one.callbacks)) for one in copies):
            return
        channels = world.channels
        for sent, messages in world.channels.items():
            if sent.source == channel.source:
                rest = tuple(m for m in messages if not (m.queue == head.queue and m.op_id == head.op_id))
                if rest != messages:
                    channels = channels.set(sent, rest) if rest else channels.delete(sent)
        name = ("is not copied", channel.source, head.op_id)
        yield Step(name, world.but(channels=channels), fault=True)

    def delivered(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """A copy of a queued event, or what tells that some were removed, reaches a secondary."""
        member, name = channel.target, head.queue
        sender = world.wan.senders[member, name]
        if head.event is None:
            yield from self._removed(world, view, channel, head, sender)
            return
        event = head.event
        if event.position > sender.mark:
            sender = replace(
                sender, queue=inserted(sender.queue, event), last=max(sender.last, event.position)
            )
        if not sender.primary:
            sender = replace(sender, callbacks=(*sender.callbacks, event))
        after = _acknowledged(with_sender(world, member, name, sender), channel, head)
        losses = losses_in(self._setting.site_of[member])
        hindered: frozenset[str] = frozenset((crash_of(channel.source), losses))
        loses: tuple[Observation, ...] = ()
        if view.reduced and self._dead_state.may_forget(world, view.now, member, name, event):
            hindered = frozenset()  # nothing depends on it, and what is behind it may come or not
        elif channel.source in world.wan.dead:
            loses = self._precedence.stored_in_vain(world, view, channel)
            kept = self._precedence.lost_in_vain(world, view, channel)
            if loses and not kept:
                return  # it is lost
            if kept:
                hindered = frozenset()
        elif self._lookahead.arrives_in_time(world, view, channel):
            hindered = frozenset((losses,))  # its caller was answered, so that it had arrived
        yield Step(
            ("stores queue entry", member, event.op_id),
            after,
            claim=claims.QUEUE_COPY,
            loses=loses,
            undone_by=hindered - {losses},
            wanted=lambda: self._lookahead.wants_message(world, view, channel),
            clashes=claims.LOOKED_AT | hindered,
        )

    def _removed(
        self, world: World, view: View, channel: Channel, head: Message, sender: Sender
    ) -> Iterator[Step]:
        member, name = channel.target, head.queue
        needed = self._needed.up_to(world, view, channel.source, member, name)
        if needed is not None and needed < head.mark:
            return  # its listener receives no more what has left its copy
        # Nothing says when removals are told of: not even what has settled need have heard of them.
        looked_at = self._lookahead.copies_are_looked_at(view.now, name)
        shows_again = (
            self._setting.queues[name].remote_site is None
            and self._lookahead.dies(channel.source)
            and needed is None
        )
        counts = self._dead_state.may_count_again(world, view.now, name, sender)
        book = self._setting.book
        for last, whole in product(each(book.range_removed(head.mark)), each(book.removes_whole_range())):
            clears = all(each(book.removal_clears_record()))
            after = without_removed(
                sender, last, clears=clears, whole=whole, keeps=name in self._setting.on_disk
            )
            # A primary that reports late reports only what an observation needs.
            seen = (
                self._setting.tells_late
                and channel.source not in world.wan.dead
                and self._lookahead.copy_is_looked_at_now(world, member, name)
            )
            yield Step(
                ("removes from its copy", member, name, last),
                _acknowledged(with_sender(world, member, name, after), channel, head),
                claim=None if (looked_at and not seen) or counts or shows_again else claims.REMOVAL,
                clashes=claims.REPEATED_SHOWS if seen else claims.LOOKED_AT | claims.REPEATED_SHOWS,
            )

    def never_removes(self, world: World, view: View, channel: Channel) -> bool:
        """Whether a copy still needs what the first message of a dead primary would remove from it."""
        head = world.channels[channel][0]
        if head.event is not None:
            return False
        needed = self._needed.up_to(world, view, channel.source, channel.target, head.queue)
        return needed is not None and needed < head.mark

    def _called_back(self, world: World, member: str, name: str, sender: Sender) -> Iterator[Step]:
        event, *rest = sender.callbacks
        book = self._setting.book
        told = replace(sender, callbacks=tuple(rest))
        if sender.primary:
            # Only a rulebook that queues late leaves a primary something to do here.
            for after in self.filling.appended(with_sender(world, member, name, told), member, name, event):
                yield Step(("queues late", member, event.op_id), after)
            return
        if any(record.op_id == event.op_id for record in told.records):
            # Where the removal has come meanwhile, that is what the listener is told of next.
            removed = event.position <= sender.mark and all(each(book.removal_clears_record()))
            if removed or all(each(book.queued_clears_record())):
                kept = tuple(record for record in told.records if record.op_id != event.op_id)
                told = replace(told, records=kept)
        elif all(each(book.remembers_queued_first())):
            told = replace(told, notes=told.notes | {event.op_id})
        yield Step(
            ("is told of queue entry", member, event.op_id),
            with_sender(world, member, name, told),
            claim=claims.CALLBACK,
            clashes=claims.LOOKED_AT,
        )


def _acknowledged(world: World, channel: Channel, head: Message) -> World:
    """The world in which the channel's first message has arrived."""
    rest = world.channels[channel][1:]
    channels = world.channels.set(channel, rest) if rest else world.channels.delete(channel)
    calls = world.calls
    call = calls.get(head.op_id)
    awaited = (head.queue, channel.source, channel.target)
    if call is not None and awaited in call.waiting:
        calls = calls.set(head.op_id, replace(call, waiting=call.waiting - {awaited}))
    return world.but(channels=channels, calls=calls)
