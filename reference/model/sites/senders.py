"""Gateway senders: how events enter the queue of the primary and the copies of the secondaries.

Owns the senders' queues and a secondary's records. The operation and the queue entry reach a secondary in
either order, and both orders lead to the same state (002, Serial Gateway Sender).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.operations import (
    EXPIRES,
    LOCAL_EXPIRES,
    READS,
    Operation,
    OperationKind,
    QueueAttributes,
)
from plumbline.reference.model import claims
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Propagation, Setting
from plumbline.reference.model.sites.copies import behind_key, inserted, with_sender, without_removed
from plumbline.reference.model.sites.dead_state import DeadState
from plumbline.reference.model.sites.dependences import crash_of, losses_in
from plumbline.reference.model.sites.lanes import DispatcherPartition, groups_of, sender_of
from plumbline.reference.model.sites.overflow import Overflow
from plumbline.reference.model.sites.precedence import Observation, Precedence
from plumbline.reference.model.world import Channel, Message, Queued, Sender, SiteState, World
from plumbline.reference.rulebook.effects import BECOMES
from plumbline.reference.rulebook.values import Stamp, each
from plumbline.reference.search.transition import Step, View

REMOVALS = "removals"
"""The thread that tells other members what has left a queue."""

WAITS_FOR_SITE = "another site"

Feeding = tuple[tuple[QueueAttributes, tuple[bool, ...]], ...]
"""Queues, and whether what is done to a region may go into each."""


class Senders:
    """The part of the model that fills queues and keeps their copies alike."""

    def __init__(
        self, setting: Setting, lookahead: Lookahead, precedence: Precedence, dead_state: DeadState
    ) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._dead_state = dead_state
        self._precedence = precedence
        self._overflow = Overflow(setting)
        self._feeds: dict[tuple[str, str], Feeding] = {}

    def started(self, wan: SiteState) -> SiteState:
        """All senders have been started, one member after the other."""
        senders = wan.senders
        for queue in self._setting.queues.values():
            for index, member in enumerate(self._setting.runners(queue)):
                (primary, *_) = each(self._setting.book.starts_as_primary(index == 0))
                senders = senders.set((member, queue.id), Sender(primary=primary))
        return replace(wan, senders=senders)

    def starts(self, world: World) -> Iterator[Step]:
        """The senders run; which of a queue's members is primary is known, or may be any of them."""
        book, queues = self._setting.book, self._setting.queues.values()
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
        """A secondary's listener is told of a queue entry."""
        for (member, name), sender in world.wan.senders.in_order():
            if sender.callbacks and member not in world.wan.dead:
                yield from self._called_back(world, member, name, sender)

    def queued(
        self,
        world: World,
        member: str,
        operation: Operation,
        stamp: Stamp | None,
        *,
        update: bool,
        event: Queued | None = None,
        found: bool = True,
        by_peer: bool = False,
        carried: OperationKind | None = None,
        token: str | None = None,
        senders: bool = True,
        listeners: bool = True,
    ) -> Iterator[World]:
        """The worlds in which the member's senders know of an operation applied there.

        Args:
            world: the operation has been applied.
            member: where.
            operation: which.
            stamp: what it has left behind.
            update: whether its key was there where it was called.
            event: what came from another site, if it did.
            found: whether that has found anything to change.
            by_peer: whether another member of the site has taken it from there, and told this one.
            carried: what it is to do elsewhere, if that is not what it did here.
            token: the value carried then.
            senders: whether gateway senders are to know of it.
            listeners: whether asynchronous queues are.
        """
        feeding = self._feeding(member, operation.region)
        for groups in self._groups(operation, feeding):
            worlds = [world]
            for queue, ways in feeding:
                if not (listeners if queue.remote_site is None else senders):
                    continue
                if isinstance(queue, DispatcherPartition) and not queue.has(groups[queue.order_policy]):
                    continue
                worlds = [
                    after
                    for before in worlds
                    for feeds in ways
                    for after in [before][feeds:]
                    or self._queued(
                        before,
                        member,
                        operation,
                        stamp,
                        queue,
                        update=update,
                        event=event,
                        found=found,
                        by_peer=by_peer,
                        carried=carried,
                        token=token,
                    )
                ]
            yield from worlds

    def _groups(self, operation: Operation, feeding: Feeding) -> Iterator[dict[str, str]]:
        """Which group an operation belongs to, by the order policy of the queues that it may go into."""
        policies = dict.fromkeys(
            queue.order_policy for queue, _ in feeding if isinstance(queue, DispatcherPartition)
        )
        for groups in product(*(groups_of(self._setting.book, policy, operation) for policy in policies)):
            yield dict(zip(policies, groups, strict=True))

    def _feeding(self, member: str, region: str) -> Feeding:
        """The queues of the member's site, and whether what is done to the region may go into each."""
        found = self._feeds.get((member, region))
        if found is None:
            found = self._feeds[member, region] = tuple(
                (queue, self.feeds_of(region, queue)) for queue in self._setting.queues_at(member)
            )
        return found

    def feeds_of(self, region: str, queue: QueueAttributes) -> tuple[bool, ...]:
        """Whether what is done to a region may go into a queue; for a listener as for another site."""
        book = self._setting.book
        attached, first, before = self._setting.feeds(region, queue)
        feeds: tuple[bool, ...] = each(book.feeds_queue(attached, first, before))
        if queue.remote_site is not None:
            return feeds
        beside = self._setting.has_senders(region)
        ways = product(
            (fed for one in feeds for fed in each(book.feeds_listener(one, first))),
            each(book.offers_beside_sender(beside)),
        )
        return tuple(dict.fromkeys(fed and offers for fed, offers in ways))

    def _queued(
        self,
        world: World,
        member: str,
        operation: Operation,
        stamp: Stamp | None,
        queue: QueueAttributes,
        *,
        update: bool,
        event: Queued | None,
        found: bool,
        by_peer: bool,
        carried: OperationKind | None,
        token: str | None,
    ) -> Iterator[World]:
        book = self._setting.book
        sender = world.wan.senders.get((member, queue.id))
        if sender is None:
            yield world
            return
        if event is not None and queue.remote_site is None:
            # No document says whether a listener receives what another site has written.
            yield world
            yield from self._entered(world, member, operation, queue, sender, replace(event, position=0))
            return
        if event is not None and self._setting.onward is not Propagation.STAYS:
            yield from self._sent_on(
                world, member, operation, queue, sender, event, found=found, by_peer=by_peer
            )
            return
        if event is not None:
            for back in each(book.sends_back(True)):  # noqa: FBT003 - a decision answers positions only
                if not back or event.site != queue.remote_site:
                    yield world
                    continue
                yield from self._entered(world, member, operation, queue, sender, replace(event, position=0))
            return
        entering = Queued(
            operation.op_id,
            carried or operation.kind,
            operation.token if carried is None else token,
            queue.site,
            frozenset((operation.op_id,)) if stamp is None or not stamp.times else stamp.times,
            been=self._been(operation, queue.site),
        )
        crosses = self.crossings(operation, queue, primary=sender.primary, update=update, carried=carried)
        if share := self._setting.shares.get(operation.op_id):
            goes = each(book.entry_crosses(share.place == share.of))
            crosses = tuple(dict.fromkeys(one and other for one in crosses for other in goes))
        for crossing in crosses:
            if crossing:
                yield from self._entered(world, member, operation, queue, sender, entering)
            else:
                yield world

    def crossings(
        self,
        operation: Operation,
        queue: QueueAttributes,
        *,
        update: bool,
        primary: bool = True,
        carried: OperationKind | None = None,
    ) -> tuple[bool, ...]:
        """Whether an operation of the kind enters a queue, beside what else decides that.

        Args:
            operation: which.
            queue: the queue that its region feeds.
            update: whether its key was there where it was called.
            primary: whether that is asked on the queue's primary.
            carried: what it is to do elsewhere, if that is not what it did here.
        """
        crosses = each(self._crosses(operation, primary=primary, update=update, carried=carried))
        if queue.remote_site is not None:
            return crosses
        of_kind = (o for one in crosses for o in each(self._setting.book.offers_kind(operation.kind, one)))
        return tuple(dict.fromkeys(of_kind))

    def _been(self, operation: Operation, site: int) -> frozenset[int]:
        """The sites that have an event, or are sent it, once it has entered the queues of a site."""
        if self._setting.onward is Propagation.STAYS:
            return frozenset()
        return self._setting.reached(site, operation.region)

    def _sent_on(
        self,
        world: World,
        member: str,
        operation: Operation,
        queue: QueueAttributes,
        sender: Sender,
        event: Queued,
        *,
        found: bool,
        by_peer: bool,
    ) -> Iterator[World]:
        """The worlds in which an event of another site enters queues to sites that it was not sent to yet."""
        book = self._setting.book
        if queue.remote_site in event.been:
            for back in each(book.sends_back(True)):  # noqa: FBT003 - a decision answers positions only
                if back and event.site == queue.remote_site:
                    # As it came: the site that it goes back to takes it for its own, and lets it end there.
                    returned = replace(event, position=0)
                    yield from self._entered(world, member, operation, queue, sender, returned)
                else:
                    yield world
            return
        site = queue.site if self._setting.onward is Propagation.AS_OF_SENDER else event.site
        been = event.been | self._been(operation, queue.site)
        for goes in each(book.goes_on(found, by_peer)):
            if not goes:
                yield world
                continue
            for lists in each(book.lists_writer()):
                listed = been if lists else been - {self._setting.site_of[operation.member]}
                onward = replace(event, position=0, site=site, been=listed)
                yield from self._entered(world, member, operation, queue, sender, onward)

    def refused(self, world: World, member: str, event: Queued) -> Iterator[World]:
        """The worlds in which the member's senders know of an event of another site that lost there."""
        if self._setting.onward is Propagation.STAYS:
            yield world
            return
        for goes in each(self._setting.book.refused_goes_on()):
            if goes:
                operation = self._setting.carried(event)
                yield from self.queued(world, member, operation, None, update=False, event=event)
            else:
                yield world

    def _crosses(
        self, operation: Operation, *, primary: bool, update: bool, carried: OperationKind | None
    ) -> object:
        """Whether an operation of the kind goes to other sites."""
        book = self._setting.book
        if operation.kind in READS or (carried is not None and operation.kind in BECOMES):
            return True  # the caller of this function has decided so
        if operation.op_id in self._setting.transactions:
            return book.commit_crosses()
        match operation.kind:
            case OperationKind.INVALIDATE | OperationKind.LOCAL_INVALIDATE:
                return book.invalidate_crosses(operation.kind is OperationKind.LOCAL_INVALIDATE)
            case OperationKind.CLEAR | OperationKind.INVALIDATE_REGION | OperationKind.DESTROY_REGION:
                return book.region_operations_cross()
            case OperationKind.EVICT:
                return book.evictions_cross()
            case kind if kind in EXPIRES | LOCAL_EXPIRES:
                return book.expirations_cross(not primary, operation.kind)
            case OperationKind.DESTROY | OperationKind.REMOVE_IF_EQUAL:
                return book.destroy_crosses()
            case OperationKind.LOCAL_DESTROY | OperationKind.LOCAL_CLEAR:
                return book.local_destroy_crosses(operation.kind is OperationKind.LOCAL_CLEAR)
            case _:
                return book.put_crosses() if update else book.create_crosses()

    def _entered(
        self,
        world: World,
        member: str,
        operation: Operation,
        queue: QueueAttributes,
        sender: Sender,
        event: Queued,
    ) -> Iterator[World]:
        """The event enters the primary's queue, or a secondary records that it should."""
        book = self._setting.book
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

    def appended(self, world: World, member: str, name: str, event: Queued) -> Iterator[World]:
        """See `_appended`; for what is queued at once."""
        sender = world.wan.senders[member, name]
        for room, entering in self._overflow.entering(name, sender, event):
            if entering is None:
                yield world
            else:
                yield from self._entering(world, member, name, room, entering)

    def _entering(
        self, world: World, member: str, name: str, sender: Sender, event: Queued
    ) -> Iterator[World]:
        book = self._setting.book
        event = replace(event, position=sender.last + 1)
        others = tuple(
            other
            for other in self._setting.others[member]
            if other not in world.wan.dead and (other, name) in world.wan.senders
        )
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
                    channel = Channel(operation.thread, member, target)
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
        # Nothing says when removals are told of: not even what has settled need have heard of them.
        looked_at = self._lookahead.copies_are_looked_at(view.now, name)
        shows_again = self._setting.queues[name].remote_site is None and self._lookahead.dies(channel.source)
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

    def _called_back(self, world: World, member: str, name: str, sender: Sender) -> Iterator[Step]:
        event, *rest = sender.callbacks
        book = self._setting.book
        told = replace(sender, callbacks=tuple(rest))
        if sender.primary:
            # Only a rulebook that queues late leaves a primary something to do here.
            for after in self.appended(with_sender(world, member, name, told), member, name, event):
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


def _awaiting(world: World, op_id: int, awaited: frozenset[object]) -> World:
    """The world in which the operation's call waits for more; unless its caller waits for nothing."""
    call = world.calls.get(op_id)
    if call is None or not awaited:
        return world
    return world.but(calls=world.calls.set(op_id, replace(call, waiting=call.waiting | awaited)))


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
