"""Bucket moves: a living member becomes primary of a key in place of another that lives.

Happens when all is at rest but for queues: who takes over what waits in them, `parallel_queues` and
`parallel_senders` know.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.history.fault_kinds import Fault
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.parallel_queues import ParallelQueues
from plumbline.reference.model.world import Bucket, World
from plumbline.reference.rulebook.values import each


def moved(world: World, fault: Fault, setting: Setting, parallel: ParallelQueues) -> Iterator[World]:
    """The worlds in which a member is primary of a key.

    One that holds a copy changes parts with the primary. To any other the bucket moves from the primary,
    which holds nothing of it then. A key of which no call has come so far has no primary to move.
    """
    where, heir = (fault.region, fault.key), fault.member
    bucket: Bucket | None = world.buckets.get(where)
    if bucket is None or bucket.primary == heir:
        yield world
        return
    if heir in world.wan.dead or bucket.primary in world.wan.dead:
        return
    old, matters = bucket.primary, _former_matters(setting)
    copies = tuple(old if copy == heir else copy for copy in bucket.copies)
    entries = world.entries
    if heir not in bucket.copies and (old, *where) in entries:
        entries = entries.set((heir, *where), entries[old, *where]).delete((old, *where))
    led = Bucket(heir, copies, old if matters else "")
    after = world.but(buckets=world.buckets.set(where, led), entries=entries)
    yield from parallel.moved(after, where, old, heir, whole=heir not in bucket.copies)


def _former_matters(setting: Setting) -> bool:
    """Whether who was primary before dispatches or hears otherwise than any copy, as it should not."""
    book = setting.book
    return any(each(book.deposed_dispatches())) or not all(each(book.deposed_hears()))
