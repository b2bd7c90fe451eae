"""Event filters: what they keep out of a queue, and what they keep from being sent.

No document knows them; products offer them. A filter names keys. A refused event never enters the queue, and
no secondary records it. A withheld one enters, and leaves with its batch or alone without having been sent.
Owns what a filter says of an event; knows nothing of how an event is sent.
"""

from __future__ import annotations

from itertools import product

from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.lanes import sender_of
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.rulebook.values import each

_PASSES = (False,)


class EventFilters:
    """The part of the model that asks filters."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._some = bool(setting.filtering)
        self._keys: dict[tuple[str, bool], list[frozenset[str]]] = {}

    def refuses(self, queue: QueueAttributes, key: str, *, secondary: bool) -> tuple[bool, ...]:
        """Whether the filter of a queue keeps an event of the key out of it.

        Args:
            queue: which.
            key: of the event.
            secondary: whether the member stands by, and would record the event.
        """
        if not self._some:
            return _PASSES
        filtered = self._filtered(queue, key, sent=False, behind=False)
        return _both(filtered, each(self._setting.book.is_refused(secondary)))

    def withholds(self, queue: QueueAttributes, sender: Sender, index: int) -> tuple[bool, ...]:
        """Whether the filter of a queue keeps an event at a place of it from being sent."""
        if not self._some:
            return _PASSES
        filtered = self._named(queue, sender, index)
        if index and any(self._named(queue, sender, index - 1)):
            key = self._key(sender.queue[index])
            filtered = self._filtered(queue, key, sent=True, behind=True)
        return _both(filtered, each(self._setting.book.is_withheld(sender.heir)))

    def blocks(self, queue: QueueAttributes, sender: Sender, index: int) -> bool:
        """Whether a withheld event has to stay where it is, and all behind it, as it should not."""
        if not self._some or any(each(self._setting.book.lets_withheld_leave())):
            return False
        return any(self.withholds(queue, sender, index))

    def may_block(self, queue: QueueAttributes, sender: Sender) -> bool:
        """Whether the next event to be sent may stay where it is, as it is withheld."""
        if not self._some or all(each(self._setting.book.lets_withheld_leave())):
            return False
        return len(sender.queue) > sender.sent and any(self.withholds(queue, sender, sender.sent))

    def _named(self, queue: QueueAttributes, sender: Sender, index: int) -> tuple[bool, ...]:
        return self._filtered(queue, self._key(sender.queue[index]), sent=True, behind=False)

    def _key(self, event: Queued) -> str:
        return self._setting.operations[event.op_id].key

    def _filtered(self, queue: QueueAttributes, key: str, *, sent: bool, behind: bool) -> tuple[bool, ...]:
        """Whether the filters that a queue goes by speak of a key, before it is queued or sent."""
        found = [
            answer
            for keys in self._keys_of(queue, sent=sent)
            for answer in each(self._setting.book.is_filtered(key in keys, bool(keys), behind))
        ]
        return tuple(dict.fromkeys(found))

    def _keys_of(self, queue: QueueAttributes, *, sent: bool) -> list[frozenset[str]]:
        """The keys that the filters name that a queue goes by; several where a rulebook leaves that open."""
        known = self._keys.get((queue.id, sent))
        if known is not None:
            return known
        own, other = set[str](), set[str]()
        for one in self._setting.filtering:
            if one.site == queue.site:
                keys = one.withheld_keys if sent else one.refused_keys
                (own if sender_of(one) == sender_of(queue) else other).update(keys)
        book = self._setting.book
        ways = product(each(book.goes_by_filter(True)), each(book.goes_by_filter(False)))  # noqa: FBT003
        found = [
            frozenset((own if by_own else set()) | (other if by_other else set()))
            for by_own, by_other in ways
        ]
        self._keys[queue.id, sent] = found
        return found


def _both(some: tuple[bool, ...], others: tuple[bool, ...]) -> tuple[bool, ...]:
    return tuple(dict.fromkeys(one and other for one, other in product(some, others)))
