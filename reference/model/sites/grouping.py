"""Groups of transactions: a sender that is to group them never splits one over two batches.

No document knows it; products offer it. A batch that takes some events of a transaction takes all that its
queue holds of it, also beyond its size. What stands between them is passed over, and sent behind them. What
enters the queue later cannot be in the batch. Owns what is sent at once; knows nothing of how it is sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from msgspec.structs import replace

from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each

_ALONE = (False,)


class TransactionGroups:
    """The part of the model that knows which events of a queue are sent at once."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def may_group(self, queue: QueueAttributes) -> bool:
        """Whether a queue may keep events together, so that it matters what it has sent at once."""
        return any(self._groups(queue))

    def runs(self, queue: QueueAttributes, sender: Sender, index: int) -> list[tuple[int, ...]]:
        """The ways of sending an event, which stands at a place, together with others: the places of all."""
        found: dict[tuple[int, ...], None] = {}
        for groups in self._groups(queue):
            begin = self._begin(queue, sender.queue[index]) if groups else None
            if begin is None:
                found[index,] = None
                continue
            places = self._places(queue, sender, begin)
            larger = len(places) > queue.batch_size
            if larger and not any(each(self._setting.book.sends_larger())):
                continue
            for whole in each(self._setting.book.completes_transaction(sender.heir, larger)):
                found |= dict.fromkeys(self._whole(queue, sender, index) if whole else ((index,),))
            if sender.queue[index].again:
                found[tuple(place for place in places if sender.queue[place].again)] = None
        return list(found)

    def may_grow(self, world: World, queue: QueueAttributes, event: Queued) -> bool:
        """Whether more of the transaction of an event may enter the queue, as its commit is under way."""
        return self.may_group(queue) and self._begin(queue, event) in world.transactions

    def may_stay(self, queue: QueueAttributes, sender: Sender) -> bool:
        """Whether the next event to be sent may stay where it is, as its transaction is too large."""
        if len(sender.queue) <= sender.sent or all(each(self._setting.book.sends_larger())):
            return False
        if not any(self._groups(queue)):
            return False
        begin = self._begin(queue, sender.queue[sender.sent])
        return begin is not None and len(self._places(queue, sender, begin)) > queue.batch_size

    def answered(self, sender: Sender, replies: int) -> tuple[int, ...]:
        """How many events leave where so many more were answered: none of a transaction in part."""
        if not self._setting.grouping:
            return (replies,)
        found = dict[int, None]()
        for part in each(self._setting.book.removes_part()):
            count = replies
            while not part and count and _is_within(sender, sender.heard + count):
                count -= 1
            if count:
                found[count] = None
        return tuple(found)

    def left(
        self, queue: QueueAttributes, sender: Sender, gone: tuple[Queued, ...], rest: tuple[Queued, ...]
    ) -> list[tuple[tuple[Queued, ...], int]]:
        """What an answer leaves in a queue, and up to which position everything is gone by then.

        Args:
            queue: which.
            sender: its primary.
            gone: what was answered.
            rest: what was not.
        """
        last = max((sender.mark, *(event.position for event in gone)))
        if not self.may_group(queue):
            return [(rest, last)]
        found = []
        asked = self._setting.book.removes_passed_over
        for here, in_copies in product(each(asked(False)), each(asked(True))):  # noqa: FBT003
            kept = tuple(event for event in rest if event.position > last) if here else rest
            whole = min((event.position for event in kept), default=sender.last + 1) - 1
            found.append((kept, last if in_copies else max(sender.mark, whole)))
        return found

    def _groups(self, queue: QueueAttributes) -> tuple[bool, ...]:
        """Whether a queue keeps the events of a transaction together."""
        if not self._setting.grouping:
            return _ALONE
        book = self._setting.book
        if queue.group_transactions:
            return each(book.groups_by(True))  # noqa: FBT003 - a decision answers positions only
        if queue.remote_site is not None:
            return each(book.groups_by(False))  # noqa: FBT003 - a decision answers positions only
        return _ALONE

    def _begin(self, queue: QueueAttributes, event: Queued) -> int | None:
        """What began the transaction of an event that a member of the queue's own site has committed."""
        begin = self._setting.transactions.get(event.op_id)
        if begin is None or self._setting.site_of.get(self._setting.operations[begin].member) != queue.site:
            return None
        return begin

    def _places(self, queue: QueueAttributes, sender: Sender, begin: int) -> list[int]:
        """Where the events of a transaction stand that have yet to be sent."""
        return [
            place
            for place in range(sender.sent, len(sender.queue))
            if self._begin(queue, sender.queue[place]) == begin
        ]

    def _whole(self, queue: QueueAttributes, sender: Sender, index: int) -> Iterator[tuple[int, ...]]:
        """The ways of sending an event of a transaction, and of others with it, so that none is split.

        The batch goes on with what stands behind, and takes the rest of all that it has begun with last. It
        may take the rest of one transaction before that of another.
        """
        run: tuple[int, ...] = ()
        for place in range(index, len(sender.queue)):
            if run and sender.queue[place].position > sender.horizon:
                return
            run = (*run, place)
            begins = dict.fromkeys(self._begin(queue, sender.queue[one]) for one in run)
            rests = {
                begin: [one for one in self._places(queue, sender, begin) if one not in run]
                for begin in begins
                if begin is not None
            }
            lacking = [begin for begin, rest in rests.items() if rest]
            for order in permutations(lacking):
                yield from self._extended(queue, sender, run, [rests[begin] for begin in order])
            if not lacking:
                return

    def _extended(
        self, queue: QueueAttributes, sender: Sender, run: tuple[int, ...], rests: list[list[int]]
    ) -> Iterator[tuple[int, ...]]:
        """The run with what the batch takes beyond its size."""
        taken = {*run, *(place for rest in rests for place in rest)}
        others = [place for place in range(sender.sent, len(sender.queue)) if place not in taken]
        begun = [place for place in others if self._begin(queue, sender.queue[place]) is not None]
        plain = [place for place in others if place not in begun]
        takes = self._setting.book.takes_beyond
        of_others = product(
            each(takes(False, True, 1)) if begun else _ALONE,  # noqa: FBT003
            each(takes(False, False, 1)) if plain else _ALONE,  # noqa: FBT003
        )
        for (with_begun, with_plain), *ways in product(of_others, *map(self._taken, rests)):
            further = [place for place in others if (with_begun if place in begun else with_plain)]
            yield (*run, *(place for way in ways for place in way), *further)

    def _taken(self, rest: list[int]) -> list[list[int]]:
        """How much a batch may take of the rest of a transaction: as documented, all."""
        answers = [each(self._setting.book.takes_beyond(True, True, n + 1)) for n in range(len(rest))]  # noqa: FBT003
        return [
            rest[:count]
            for count in range(len(rest) + 1)
            if all(True in found for found in answers[:count])
            and (count == len(rest) or False in answers[count])
        ]


def _is_within(sender: Sender, count: int) -> bool:
    """Whether events were sent at once of which so many are some and not all."""
    return count < len(sender.queue) and sender.queue[count].joined


def apart(sender: Sender, queue: tuple[Queued, ...]) -> tuple[Queued, ...]:
    """The events of a queue whose connection has broken: batches may be cut anew.

    A sender may also send the very batch again that was not answered.
    """
    sent = {event.op_id for event in sender.queue[: sender.sent]}
    return tuple(replace(event, joined=False, again=event.again or event.op_id in sent) for event in queue)
