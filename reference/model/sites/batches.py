"""Batches: how many events one takes, and when it may leave, and must, where the harness holds time still.

Where time runs, nothing tells when a batch leaves: any moment is right. Where it stands, it is known how much
has passed at most since the last batch left, and at least since the oldest event could have.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites import retries
from plumbline.reference.model.sites.site_state import STILL_UNKNOWN, Sender
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each


class Batches:
    """When and how large, under one rulebook."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def begun(self, world: World, queue: QueueAttributes, sender: Sender) -> Iterator[Sender]:
        """The sender with the next batch begun, in every size that it may have; none while it has to wait."""
        waiting = len(sender.queue) - sender.sent
        for settings in self._settings(queue):
            if not self._may_leave(world, settings, sender):
                continue
            full = waiting >= settings.batch_size
            for count in each(self._setting.book.batch_of(waiting, settings.batch_size)):
                batch = sender.queue[sender.sent : sender.sent + count]
                horizon = max(event.position for event in batch)
                begun = replace(sender, horizon=horizon)
                if world.wan.stands:
                    since = 0 if full else _since_it_left(sender, settings)
                    begun = replace(begun, since_batch=since, waited=0)
                yield begun

    def goes_on(self, world: World, sender: Sender) -> bool:
        """Whether the next event belongs to a batch of which some events were sent or answered already."""
        unsent = sender.queue[sender.sent :]
        return world.wan.stands and bool(unsent) and unsent[0].position <= sender.horizon

    def takes_in(self, queue: QueueAttributes, sender: Sender) -> bool:
        """Whether the batch to begin next need not wait for time, and is larger the later it begins."""
        book = self._setting.book
        waiting = sum(event.position > sender.horizon for event in sender.queue)
        return waiting > 0 and any(
            (waiting < settings.batch_size or any(each(book.full_batch_waits())))
            and self._is_over(settings, sender)
            for settings in self._settings(queue)
        )

    def must_leave(self, world: World, queue: QueueAttributes, sender: Sender) -> bool:
        """Whether a batch has to begin, of a sender that is connected and waits for no answer."""
        if not world.wan.stands or self.goes_on(world, sender):
            return True
        return all(self._must_leave(settings, sender) for settings in self._settings(queue))

    def _settings(self, queue: QueueAttributes) -> Iterator[QueueAttributes]:
        queues = self._setting.queues
        others = tuple(name for name in queues if name != queue.id)
        book = self._setting.book
        for sized, timed in product(
            each(book.settings_of(queue.id, others)), each(book.interval_of(queue.id, others))
        ):
            if sized == timed:
                yield queues[sized]
            else:
                yield replace(queues[sized], batch_interval_ms=queues[timed].batch_interval_ms)

    def _may_leave(self, world: World, settings: QueueAttributes, sender: Sender) -> bool:
        """Whether a batch may begin now.

        A lane of a parallel sender is one bucket, and events of others fill the batch of its member with it.
        So its batch may begin at any time.
        """
        if not world.wan.stands or settings.parallel:
            return True
        book, waiting = self._setting.book, len(sender.queue) - sender.sent
        if waiting >= settings.batch_size and not all(each(book.full_batch_waits())):
            return True
        if waiting < settings.batch_size and not any(each(book.leaves_at_interval(waiting))):
            return False
        return self._is_over(settings, sender)

    def _is_over(self, settings: QueueAttributes, sender: Sender) -> bool:
        """Whether the interval can be over since a batch left."""
        interval = settings.batch_interval_ms
        since = interval if sender.since_batch == STILL_UNKNOWN else sender.since_batch
        return any(each(self._setting.book.leaves_partial(since, interval)))

    def _must_leave(self, settings: QueueAttributes, sender: Sender) -> bool:
        book, waiting = self._setting.book, len(sender.queue) - sender.sent
        if waiting >= settings.batch_size and not any(each(book.full_batch_waits())):
            return True
        leaves = waiting >= settings.batch_size or all(each(book.leaves_at_interval(waiting)))
        return leaves and sender.waited >= settings.batch_interval_ms


def _since_it_left(sender: Sender, settings: QueueAttributes) -> int:
    """How long ago a batch left, at most, that leaves when its interval is over.

    Time passes in leaps, and it left within the last one.
    """
    if sender.since_batch == STILL_UNKNOWN:
        return STILL_UNKNOWN
    return max(sender.since_batch - settings.batch_interval_ms, 0)


def stopped(world: World, *, known: bool) -> World:
    """The world in which time stands still.

    Args:
        world: in which it runs, or stands already.
        known: whether each sender counts from now on; else it may have counted for any time.
    """
    since = 0 if known else STILL_UNKNOWN
    senders = world.wan.senders
    for where, sender in world.wan.senders.items():
        senders = senders.set(where, retries.unknown(replace(sender, since_batch=since, waited=0)))
    return world.but(wan=replace(world.wan, stands=True, senders=senders))


def passed(world: World, setting: Setting, milliseconds: int) -> World:
    """The world in which time has leapt: of each sender it counts how long it could have sent."""
    senders = world.wan.senders
    for where, sender in world.wan.senders.items():
        able = sender.queue and sender.wire and not sender.paused and not sender.sent and not sender.heard
        since = sender.since_batch
        counted = replace(
            sender,
            since_batch=STILL_UNKNOWN if since == STILL_UNKNOWN else since + milliseconds,
            waited=sender.waited + milliseconds if able else 0,
        )
        senders = senders.set(where, retries.later(setting, world, where[1], counted, milliseconds))
    return world.but(wan=replace(world.wan, senders=senders, passed=world.wan.passed + milliseconds))


def runs_again(world: World) -> World:
    """The world in which time runs by itself."""
    senders = world.wan.senders
    for where, sender in world.wan.senders.items():
        senders = senders.set(where, replace(sender, since_batch=STILL_UNKNOWN, waited=0, vain=None))
    return world.but(wan=replace(world.wan, stands=False, senders=senders))
