"""The mark of a possible duplicate: which events of a batch carry it when a listener is called.

No document knows it; products offer it. What a listener of the queue has received before carries the mark.
What is new does not, as long as nothing has gone wrong. A primary that has taken over knows of no event that
it inherits whether the old one has offered it. So it may mark each. Owns what listeners have received.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model.places import with_mark, without_mark
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.site_state import Queued
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Entry

_EITHER = (False, True)


class Marks:
    """The part of the model that marks events."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def marked(
        self,
        world: World,
        member: str,
        queue: QueueAttributes,
        batch: Sequence[Queued],
        entries: Sequence[Entry],
        due: Entry | None,
    ) -> Iterator[tuple[Entry, ...]]:
        """What a call shows of a batch, with its marks; without any where the example has none.

        Args:
            world: before the call.
            member: whose listener is called.
            queue: of which queue.
            batch: the events.
            entries: what a log shows of each, without its mark.
            due: what the log of the listener shows next, if that is known: it decides what is left open.
        """
        if not self._setting.marks:
            yield tuple(entries)
            return
        allowed = self._allowed(world, member, queue, batch)
        seen = _marks_of(due, len(batch))
        if seen is not None and all(one in some for one, some in zip(seen, allowed, strict=True)):
            ways = [seen]
        else:
            ways = list(dict.fromkeys((tuple(a[0] for a in allowed), tuple(a[-1] for a in allowed))))
        for way in ways:
            yield tuple(with_mark(entry, mark) for entry, mark in zip(entries, way, strict=True))

    def noted(self, world: World, member: str, queue: QueueAttributes, batch: Sequence[Queued]) -> World:
        """The world in which a listener has received a batch."""
        if not self._setting.marks:
            return world
        offered = world.wan.offered
        for event in batch:
            offered = offered.set((queue.id, event.op_id), member)
        return world.but(wan=replace(world.wan, offered=offered))

    def _allowed(
        self, world: World, member: str, queue: QueueAttributes, batch: Sequence[Queued]
    ) -> list[tuple[bool, ...]]:
        """Of each event of a batch, whether it may carry the mark, and whether it may lack it."""
        book, offered = self._setting.book, world.wan.offered
        before = [offered.get((queue.id, event.op_id)) for event in batch]
        disturbed = self._setting.repeats_calls or bool(world.wan.dead)
        behind = bool(before) and before[0] is not None
        allowed: list[tuple[bool, ...]] = []
        for place, by in enumerate(before):
            if by == member:
                allowed.append(each(book.marks_repeated(place == 0)))
            elif by is not None:
                allowed.append(each(book.marks_after_takeover()))
            else:
                new = each(book.marks_first_time(behind))
                allowed.append(_EITHER if disturbed else new)
        return allowed


def _marks_of(due: Entry | None, count: int) -> tuple[bool, ...] | None:
    """The marks that a log shows next, where it shows a call with so many events."""
    if due is None:
        return None
    events: tuple[Entry, ...] = due[0]  # type: ignore[index]
    return tuple(bool(without_mark(entry)[1]) for entry in events) if len(events) == count else None
