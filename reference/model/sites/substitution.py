"""Substitution filters: events that a queue would lose by its filter, as it should not, an extension.

What value an event brings shows by itself, so the model carries none. Owns what a filter may keep out of a
queue; knows nothing of how an event is sent.
"""

from __future__ import annotations

from plumbline.reference.history.operations import DESTROYS, Operation, QueueAttributes
from plumbline.reference.model.setting import Setting
from plumbline.reference.rulebook.values import each

_STAYS = (False,)


class Substitution:
    """The part of the model that asks whether an event enters a queue with such a filter."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._some = bool(setting.substituting)

    def loses(self, queue: QueueAttributes, operation: Operation) -> tuple[bool, ...]:
        """Whether the filter of a queue keeps an operation out of it."""
        if not (self._some and queue.substitutes):
            return _STAYS
        book = self._setting.book
        if operation.key in queue.failing_keys:
            return tuple(not enters for enters in each(book.queues_where_filter_fails()))
        if operation.key in queue.substituted_keys and operation.kind in DESTROYS:
            return tuple(not enters for enters in each(book.queues_substituted_destroys()))
        return _STAYS
