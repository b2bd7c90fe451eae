"""Feeding: into which queues of a member an operation goes, and as what (000, L11 to L24; 002, L47).

Decides by region, kind and origin. Knows nothing of what a queue does with an event.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.operations import (
    EXPIRES,
    LOCAL_EXPIRES,
    READS,
    STORES_VALUE,
    Operation,
    OperationKind,
    QueueAttributes,
)
from plumbline.reference.model.setting import Propagation, Setting
from plumbline.reference.model.sites.filling import Filling
from plumbline.reference.model.sites.filters import EventFilters
from plumbline.reference.model.sites.lanes import DispatcherPartition, groups_of
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.model.sites.substitution import Substitution
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.effects import BECOMES
from plumbline.reference.rulebook.values import Stamp, each

Feeds = tuple[tuple[QueueAttributes, tuple[bool, ...]], ...]
"""Queues, and whether what is done to a region may go into each."""


class Feeding:
    """The part of the model that hands operations to queues."""

    def __init__(self, setting: Setting, filling: Filling) -> None:
        self._setting = setting
        self._filling = filling
        self._filters = EventFilters(setting)
        self._substitution = Substitution(setting)
        self._feeds: dict[tuple[str, str], Feeds] = {}

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
        if self._filling.late_entries.hinders(world, member, operation):
            return
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
                    for refused in self.refusals(before, member, operation, queue)
                    for after in [before][feeds and not refused :]
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

    def refusals(
        self, world: World, member: str, operation: Operation, queue: QueueAttributes
    ) -> tuple[bool, ...]:
        """Whether a filter of a queue keeps an operation out of a member's copy of it."""
        sender = world.wan.senders.get((member, queue.id))
        secondary = sender is not None and not sender.primary
        refused = self._filters.refuses(queue, operation.key, secondary=secondary)
        lost = self._substitution.loses(queue, operation)
        return tuple(dict.fromkeys(one or other for one in refused for other in lost))

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

    def _groups(self, operation: Operation, feeding: Feeds) -> Iterator[dict[str, str]]:
        """Which group an operation belongs to, by the order policy of the queues that it may go into."""
        policies = dict.fromkeys(
            queue.order_policy for queue, _ in feeding if isinstance(queue, DispatcherPartition)
        )
        for groups in product(*(groups_of(self._setting.book, policy, operation) for policy in policies)):
            yield dict(zip(policies, groups, strict=True))

    def _feeding(self, member: str, region: str) -> Feeds:
        """The queues of the member's site, and whether what is done to the region may go into each."""
        found = self._feeds.get((member, region))
        if found is None:
            found = self._feeds[member, region] = tuple(
                (queue, self.feeds_of(region, queue)) for queue in self._setting.queues_at(member)
            )
        return found

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
            yield from self._filling.entered(
                world, member, operation, queue, sender, replace(event, position=0)
            )
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
                yield from self._filling.entered(
                    world,
                    member,
                    operation,
                    queue,
                    sender,
                    replace(
                        event,
                        position=0,
                        update=queue.id in self._setting.conflating and event.kind in STORES_VALUE,
                    ),
                )
            return
        entering = Queued(
            operation.op_id,
            carried or operation.kind,
            operation.token if carried is None else token,
            queue.site,
            frozenset((operation.op_id,)) if stamp is None or not stamp.times else stamp.times,
            been=self._been(operation, queue.site),
            update=queue.id in self._setting.conflating
            and update
            and (carried or operation.kind) in STORES_VALUE,
        )
        crosses = self.crossings(operation, queue, primary=sender.primary, update=update, carried=carried)
        if share := self._setting.shares.get(operation.op_id):
            goes = each(book.entry_crosses(share.place == share.of))
            crosses = tuple(dict.fromkeys(one and other for one in crosses for other in goes))
        for crossing in crosses:
            if crossing:
                yield from self._filling.entered(world, member, operation, queue, sender, entering)
            else:
                yield world

    def _is_update(self, queue: str, kind: OperationKind) -> bool:
        """Whether an event may count as an update in a queue: nothing else looks at that than conflation."""
        return queue in self._setting.conflating and kind in STORES_VALUE

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
                    yield from self._filling.entered(world, member, operation, queue, sender, returned)
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
                yield from self._filling.entered(world, member, operation, queue, sender, onward)

    def _crosses(
        self, operation: Operation, *, primary: bool, update: bool, carried: OperationKind | None
    ) -> object:
        """Whether an operation of the kind goes to other sites."""
        book = self._setting.book
        if operation.kind in READS or (carried is not None and operation.kind in BECOMES):
            return True  # the caller of this function has decided so
        invalidates = operation.kind in (OperationKind.INVALIDATE, OperationKind.LOCAL_INVALIDATE)
        if operation.op_id in self._setting.transactions and not invalidates:
            return book.commit_crosses()
        match operation.kind:
            case OperationKind.INVALIDATE | OperationKind.LOCAL_INVALIDATE:
                local = operation.kind is OperationKind.LOCAL_INVALIDATE
                return book.invalidate_crosses(local, self._setting.committed_together(operation))
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
