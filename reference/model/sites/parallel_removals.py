"""Removals from parallel queues: copies of a bucket learn what has left its primary.

Knows which events a message names, not why they have left. Source: 002, Removing, Parallel.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model import claims
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.dependences import crash_of
from plumbline.reference.model.sites.parallel_copies import (
    of_bucket,
    where_of,
    with_copy,
)
from plumbline.reference.model.sites.parallel_senders import hears
from plumbline.reference.model.sites.site_state import ParallelCopy, Queued
from plumbline.reference.model.world import Bucket, World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step, View


class ParallelRemovals:
    """The part of the model that tells copies of a bucket what to remove."""

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._setting = setting
        self._lookahead = lookahead

    def announced(
        self, world: World, member: str, queue: QueueAttributes, batch: tuple[Queued, ...], state: str
    ) -> Iterator[World]:
        """The worlds in which other members are to remove what a batch holds, in that state of it.

        A message that comes too early, as none should, has arrived before anything else happens.
        """
        book = self._setting.book
        for is_named in each(book.named_in_removal(state)):
            if not is_named:
                yield world
                continue
            for count in each(book.named_of_batch(len(batch))):
                worlds = [world]
                for (other, name), copy in world.wan.parallel.items():
                    if name == queue.id and other != member and other not in world.wan.dead:
                        worlds = [
                            after
                            for before in worlds
                            for gone in self._heard(world, other, batch[:count])
                            for after in self._cut(before, other, name, copy, gone, at_once=state != "done")
                        ]
                yield from worlds

    def _heard(self, world: World, member: str, gone: tuple[Queued, ...]) -> Iterator[tuple[Queued, ...]]:
        """Which of some removals a member hears of."""
        ways = [hears(self._setting, world, where_of(self._setting, event), member) for event in gone]
        for heard in product(*ways):
            yield tuple(event for event, is_heard in zip(gone, heard, strict=True) if is_heard)

    def _cut(
        self,
        world: World,
        member: str,
        name: str,
        copy: ParallelCopy,
        gone: tuple[Queued, ...],
        *,
        at_once: bool,
    ) -> Iterator[World]:
        """The worlds in which a member is to remove what a message names, as far as its copy holds it."""
        ids, keys = {event.op_id for event in gone}, {where_of(self._setting, event) for event in gone}
        named = tuple(event.op_id for event in copy.events if event.op_id in ids)
        rest = [event for event in copy.events if event.op_id not in ids]
        own = tuple(event.op_id for event in rest if where_of(self._setting, event) in keys)
        others = tuple(event.op_id for event in rest if where_of(self._setting, event) not in keys)
        for cut in each(self._setting.book.cut_from_copies(named, own, others)):
            if at_once:
                left = tuple(event for event in copy.events if event.op_id not in cut)
                yield with_copy(world, member, name, replace(copy, events=left))
            else:
                leaving = tuple(one for one in cut if one not in copy.leaving)
                yield with_copy(world, member, name, replace(copy, leaving=(*copy.leaving, *leaving)))

    def forgetting(
        self, world: World, view: View, member: str, queue: QueueAttributes, copy: ParallelCopy
    ) -> Iterator[Step]:
        """A copy receives that an event has left the queue, in the order of its key.

        Only a look at the copy shows when that was, and a primary's death. So it is received no sooner.
        """
        waits = view.reduced and self._lookahead.waits_for_all(view)
        seen = self._lookahead.copy_is_looked_at_now(world, member, queue.id)
        for op_id in copy.leaving:
            event = next(one for one in copy.events if one.op_id == op_id)
            bucket: Bucket = world.buckets[where_of(self._setting, event)]
            if of_bucket(self._setting, copy.events, where_of(self._setting, event))[0] != event:
                continue
            lives = bucket.primary not in world.wan.dead
            # Who has become primary dispatches what it has not heard of by then.
            leads = bucket.primary == member
            if view.reduced and not (seen or waits or leads) and lives:
                continue
            left = replace(
                copy,
                events=tuple(one for one in copy.events if one != event),
                leaving=tuple(one for one in copy.leaving if one != op_id),
            )
            yield Step(
                ("learns of a removal", member, queue.id, op_id),
                with_copy(world, member, queue.id, left),
                claim=claims.REMOVAL if waits and lives and not (seen or leads) else None,
                clashes=claims.LOOKED_AT | {crash_of(bucket.primary)},
            )
