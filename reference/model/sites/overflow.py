"""Overflow: an event that enters a queue beyond its memory, and how many events are on disk (000, L9 s1).

A right queue goes on as if memory were unlimited: which events it moves to disk makes no difference to what
it delivers. So the model keeps nothing of it. What is on disk follows from the sizes of what is queued.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.rulebook.values import each

_MEGABYTE = 1 << 20

SURELY = 2
"""So many times its memory, and no overhead of an event or none explains why nothing is on disk."""


class Overflow:
    """The part of the model that tells which events a queue holds beyond its memory."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def entering(self, name: str, sender: Sender, event: Queued) -> Iterator[tuple[Sender, Queued | None]]:
        """The sender and the event, as it enters the queue; None where it does not.

        Args:
            name: of the queue.
            sender: its primary.
            event: what is about to enter.
        """
        if not self.is_beyond(name, sender, event):
            yield sender, event
            return
        book = self._setting.book
        for keeps in each(book.keeps_beyond_memory()):
            if not keeps:
                yield sender, None
                continue
            for own in each(book.keeps_value_on_disk()):
                stored = event if own or not sender.queue else replace(event, token=sender.queue[-1].token)
                for drops in each(book.oldest_makes_room()):
                    roomy = replace(sender, queue=sender.queue[1:]) if drops and not sender.sent else sender
                    yield roomy, stored

    def places(self, name: str, sender: Sender, event: Queued, place: int) -> tuple[int, ...]:
        """Where an event that would enter at a place may stand."""
        if not self.is_beyond(name, sender, event):
            return (place,)
        in_memory = len(sender.queue) - self.on_disk(name, sender.queue)
        return each(self._setting.book.place_on_disk(place, in_memory))

    def waits(self, name: str, sender: Sender, event: Queued) -> tuple[bool, ...]:
        """Whether a call waits for room in the memory of a queue."""
        return (
            each(self._setting.book.waits_for_memory()) if self.is_beyond(name, sender, event) else (False,)
        )

    def is_beyond(self, name: str, sender: Sender, event: Queued) -> bool:
        """Whether an event, with those before it, needs more than the memory of a queue."""
        if not self._bytes((event,)):
            return False  # mostly
        return any(self._bytes((*sender.queue, event)) > most for most in self._memory(name))

    def on_disk(self, name: str, queue: tuple[Queued, ...]) -> int:
        """How many events of a queue are on disk: all behind those that fill its memory."""
        if not all(each(self._setting.book.moves_to_disk())):
            return 0
        most = min(self._memory(name))
        return sum(self._bytes(queue[:end]) > most for end in range(1, len(queue) + 1))

    def may_show(self, name: str, senders: list[Sender], count: int) -> bool:
        """Whether a member may show so many events of its copy of a queue on disk.

        Events that have been on disk may still be counted, and those that a disk has brought back. What else
        an event takes in memory is not said.

        Args:
            name: of the queue, or of one of its dispatchers' parts.
            senders: the member's copy, whole.
            count: what it shows.
        """
        held = sum(self._bytes(one.queue) for one in senders)
        ever = sum(operation.value_bytes for operation in self._setting.operations.values())
        recovers = name in self._setting.on_disk
        moves = each(self._setting.book.moves_to_disk())
        primary = any(one.primary for one in senders)
        return any(
            recovers or not count
            if not moving or ever * SURELY <= most
            else count > 0 or held <= most * SURELY or not primary
            for moving in moves
            for most in self._memory(name)
        )

    def _memory(self, name: str) -> tuple[int, ...]:
        """The memory of a queue, in bytes."""
        given = self._setting.queues[name].maximum_memory_mb
        return tuple(megabytes * _MEGABYTE for megabytes in each(self._setting.book.memory_of(given)))

    def _bytes(self, events: Iterable[Queued]) -> int:
        return sum(self._setting.operations[event.op_id].value_bytes for event in events)
