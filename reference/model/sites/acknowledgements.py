"""Acknowledgements: a sender hears what was answered, and removes it from its queue.

Knows how many events were answered, not how their receiver dealt with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model import claims
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites import dependences
from plumbline.reference.model.sites.alerts import logged, without_heard
from plumbline.reference.model.sites.connections import link_of
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.cut_through import CutThrough
from plumbline.reference.model.sites.filling import WAITS_FOR_SITE
from plumbline.reference.model.sites.grouping import TransactionGroups
from plumbline.reference.model.sites.listeners import Listeners
from plumbline.reference.model.sites.parallel_senders import ParallelSenders
from plumbline.reference.model.sites.removal_messages import RemovalMessages
from plumbline.reference.model.sites.site_state import Connection, Queued, Sender, WireName
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step, View


class Acknowledgements:
    """The part of the model in which answers empty queues."""

    def __init__(
        self,
        setting: Setting,
        lookahead: Lookahead,
        passage: CutThrough,
        parallel: ParallelSenders,
        groups: TransactionGroups,
        listeners: Listeners,
        removals: RemovalMessages,
    ) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._passage = passage
        self._parallel = parallel
        self._groups = groups
        self._listeners = listeners
        self._removals = removals

    def hearing(
        self, world: World, view: View, member: str, queue: QueueAttributes, sender: Sender, wire: Connection
    ) -> Iterator[Step]:
        """Answers that have arrived are heard, as many as there are or fewer."""
        if world.wan.links.get(link_of(queue)) is FaultKind.REPLIES_LOST:
            return
        # Where a batch ends is not seen, and one with an event that is tried again is not answered meanwhile.
        kept = self._setting.refuses_received and not queue.remove_on_exception
        for replies in range(1, wire.replies + 1) if kept else self._groups.answered(sender, wire.replies):
            ways = list(self._heard(world, view, member, queue, sender, wire, replies))
            choice = kept or len(ways) > 1 or self._come_again(world, view, queue, sender)
            for after in ways:
                yield Step(
                    ("hears the answer", member, queue.id, replies),
                    after,
                    claim=None if choice else claims.ANSWER,
                    clashes=claims.LOOKED_AT
                    | claims.TIME_PASSES
                    | {dependences.look_behind_fault(queue.id), dependences.replies_lost(*link_of(queue))},
                )

    def _heard(
        self,
        world: World,
        view: View,
        member: str,
        queue: QueueAttributes,
        sender: Sender,
        wire: Connection,
        replies: int,
    ) -> Iterator[World]:
        """The worlds in which a sender has heard of so many events more that they were answered."""
        name = WireName(queue.id, member, sender.wire)
        answered = sender.queue[: sender.heard + replies]
        if any(self._passage.must_come_again(world, view, name, event) for event in answered):
            return
        told = without_heard(replace(wire, replies=wire.replies - replies), answered)
        heard = with_sender(
            world,
            member,
            queue.id,
            replace(sender, heard=min(sender.heard + replies, len(sender.queue))),
        )
        heard = heard.but(wan=replace(heard.wan, wires=world.wan.wires.set(name, told)))
        yield from logged(heard, self._setting, member, wire, answered) if wire.failed else (heard,)

    def _come_again(self, world: World, view: View, queue: QueueAttributes, sender: Sender) -> bool:
        """Whether an unanswered event is yet to be told of once more, and may have to be sent for that."""
        return any(
            self._passage.comes_again(world, view, queue.id, event) for event in sender.queue[: sender.sent]
        ) and self._lookahead.may_break(world, view.now, queue.id)

    def removing(
        self, world: World, view: View, member: str, queue: QueueAttributes, sender: Sender
    ) -> Iterator[Step]:
        """What was answered leaves the queue, here first or on the other members."""
        first = each(self._setting.book.removes_locally_first())
        if not all(first):
            kept = with_sender(world, member, queue.id, replace(sender, heard=0))
            last = sender.queue[sender.heard - 1].position
            yield Step(
                ("has others remove", member, queue.id), self._removals.told(kept, member, queue, last)
            )
        for count, start in self._ways_to_remove(queue, sender) if any(first) else ():
            behind = start + count
            gone, left = sender.queue[start:behind], sender.queue[:start] + sender.queue[behind:]
            for rest, mark in self._groups.left(queue, sender, gone, left):
                yield from self._removed(world, view, member, queue, sender, gone, rest, mark)

    def _removed(
        self,
        world: World,
        view: View,
        member: str,
        queue: QueueAttributes,
        sender: Sender,
        gone: tuple[Queued, ...],
        rest: tuple[Queued, ...],
        mark: int,
    ) -> Iterator[Step]:
        """What was answered has left the queue, and up to this position everything has."""
        count = len(gone)
        after = replace(
            sender,
            queue=rest,
            sent=min(max(sender.sent - count, 0), len(rest)),
            heard=0,
            # Of a bucket other members learn what is gone, event by event.
            mark=sender.mark if queue.parallel else mark,
        )
        if after.leaving:
            ids = {event.op_id for event in rest}
            after = replace(after, leaving=tuple(one for one in after.leaving if one in ids))
        if queue.id in self._setting.on_disk:
            after = replace(after, removed=(*after.removed, *gone))
        removed = with_sender(world, member, queue.id, after)
        calls = removed.calls
        for event in gone:
            call = calls.get(event.op_id)
            awaited = (queue.id, WAITS_FOR_SITE, str(event.op_id))
            if call is not None and awaited in call.waiting:
                calls = calls.set(event.op_id, replace(call, waiting=call.waiting - {awaited}))
        shown = self._listeners.shown_of_nothing(member, queue, after)
        ways = list(product(self.announced(removed.but(calls=calls), member, queue, gone, "done"), shown))
        choice = len(ways) > 1 or self._come_again(world, view, queue, sender)
        for known, shows in ways:
            yield Step(
                ("removes", member, queue.id, count),
                known,
                shows,
                claim=None if choice else claims.ANSWER,
                clashes=claims.LOOKED_AT | claims.TIME_PASSES | {dependences.look_behind_fault(queue.id)},
            )

    def announced(
        self, world: World, member: str, queue: QueueAttributes, gone: tuple[Queued, ...], state: str
    ) -> Iterable[World]:
        """The worlds in which other holders of a bucket are to remove what a parallel sender has sent."""
        return self._parallel.announced(world, member, queue, gone, state) if queue.parallel else (world,)

    def _ways_to_remove(self, queue: QueueAttributes, sender: Sender) -> Iterator[tuple[int, int]]:
        """How many events an answer may remove, and from which place: as many as it is to, the oldest."""
        book = self._setting.book
        removed = book.removed_by_reply if queue.remove_on_exception else book.removed_where_kept
        for count in each(removed(sender.heard)):
            for start in each(book.removed_from(len(sender.queue), count)):
                yield count, start
