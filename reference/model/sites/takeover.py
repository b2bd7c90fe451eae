"""Takeover: a secondary becomes primary, with what it was sent of the queue and what it has only recorded.

Owns what happens between the death of a primary and the dispatching of its successor: what the dead has sent
arrives or is lost, and then the copy and the records make one queue (002, Serial Gateway Sender).
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.model import claims
from plumbline.reference.model.messages import Message, MessageState
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.precedence import Precedence
from plumbline.reference.model.sites.records import Records
from plumbline.reference.model.sites.senders import Senders
from plumbline.reference.model.sites.site_state import Sender, WireName
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step, View

MERGING = "merging "
"""Before the thread of a call: its event was only recorded, and a new primary has queued it.

The new primary copies it apart from what the caller's thread sends. So either may be lost without the other.
"""


class Takeover:
    """The part of the model that makes a secondary primary."""

    def __init__(self, setting: Setting, senders: Senders, precedence: Precedence) -> None:
        self._setting = setting
        self._filling = senders.filling
        self._precedence = precedence
        self._records = Records(setting, precedence)
        self._hands_over = "stays_primary" in setting.book.replaced()

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """A secondary becomes primary."""
        if self._hands_over:
            yield from self._handed_over(world)
        if len(world.wan.dead) == 0:
            return
        for (member, name), sender in world.wan.senders.in_order():
            if not sender.primary and member not in world.wan.dead:
                yield from self._taken_over(world, view, member, name)

    def _handed_over(self, world: World) -> Iterator[Step]:
        """A primary with an empty queue makes a secondary primary, once; no right one does."""
        for (member, name), sender in world.wan.senders.in_order():
            if not sender.primary or sender.heir or sender.queue or member in world.wan.dead:
                continue
            if all(each(self._setting.book.stays_primary(sender.last))):
                continue
            left = Sender(last=sender.last, mark=sender.mark, paused=sender.paused)
            wires = (
                world.wan.wires.delete(WireName(name, member, sender.wire))
                if sender.wire
                else world.wan.wires
            )
            for other in self._setting.others[member]:
                second = world.wan.senders.get((other, name))
                if second is None or second.primary or other in world.wan.dead:
                    continue
                new = replace(left, primary=True, heir=True, paused=second.paused, told=sender.told)
                after = with_sender(with_sender(world, member, name, left), other, name, new)
                yield Step(
                    ("hands over", member, name, other), after.but(wan=replace(after.wan, wires=wires))
                )

    def _taken_over(self, world: World, view: View, member: str, name: str) -> Iterator[Step]:
        if not self.vacant(world, name):
            return
        # A message at a gate has arrived; the messages behind it have not, and arrive first or are lost.
        if any(
            len(messages) > 1 or messages[0].state is not MessageState.PARKED
            for messages in self._of_the_dead(world, member, name)
        ):
            return
        yield from self._records.steps(world, view, member, name)
        sender = world.wan.senders[member, name]
        missed = sender.missed
        if not all(each(self._setting.book.takes_over())):
            return
        if not any(each(self._setting.book.stays_eligible(missed, world.wan.passed))):
            return
        others = [
            m
            for m in self._setting.others[member]
            if m not in world.wan.dead and (m, name) in world.wan.senders
        ]
        for after in self._merged(world, member, name):
            for other in others:
                loser = after.wan.senders[other, name]
                after = with_sender(after, other, name, replace(loser, missed=loser.missed + 1))  # noqa: PLW2901
            inherited = after.wan.senders[member, name].queue
            yield Step(
                ("takes over", member, name),
                after,
                claim=None if others or sender.spared else claims.TAKEOVER,
                loses=() if others else self._precedence.misplaced(after, view, member, name, inherited),
                clashes=claims.LOOKED_AT,
            )

    def vacant(self, world: World, name: str) -> bool:
        """Whether the queue had a primary and has none that lives; buckets have others that promote."""
        return not self._setting.queues[name].parallel and not any(
            sender.primary
            for (member, queue), sender in world.wan.senders.items()
            if queue == name and member not in world.wan.dead
        )

    def _of_the_dead(self, world: World, member: str, name: str) -> list[tuple[Message, ...]]:
        """What has yet to arrive at the member, or stands at its gates, from dead members of its site."""
        site = self._setting.sites[self._setting.queues[name].site]
        dead = [one for one in site if one in world.wan.dead]
        return [
            messages
            for channel, messages in world.channels.in_order()
            if channel.target == member and channel.source in dead
        ]

    def must_take_over(self, world: World, member: str, name: str) -> bool:
        """Whether the member becomes primary unless another does: there is none, and it has not given up.

        A gate of its own that a message of the dead stands at may hold it back.
        """
        missed = world.wan.senders[member, name].missed
        book = self._setting.book
        return (
            self.vacant(world, name)
            and not self._of_the_dead(world, member, name)
            and all(each(book.takes_over()))
            and all(each(book.stays_eligible(missed, world.wan.passed)))
        )

    def _merged(self, world: World, member: str, name: str) -> Iterator[World]:
        """The member is primary: it keeps what it inherits, and queues what it has only records of."""
        book = self._setting.book
        sender = world.wan.senders[member, name]
        looks = all(each(book.looks_for_queued()))
        known = {event.op_id for event in (*sender.queue, *sender.callbacks)} if looks else set()
        records = [event for event in sender.records if event.op_id not in known]
        if not all(each(book.records_in_order())):
            records.reverse()
        if not all(each(book.merges_records())):
            records = []
        late = [] if all(each(book.merges_before_new())) else records
        records = [] if late else records
        # Each takeover decides anew: one may keep what the next one loses.
        queues = {sender.queue if keeps else (): None for keeps in each(book.keeps_inherited())}
        kept = {one[skipped:]: None for one in queues for skipped in each(book.skipped_at_takeover(len(one)))}
        for inherited in kept:
            base = replace(
                sender,
                primary=True,
                heir=True,
                last=_highest(world, name),
                queue=inherited,
                records=tuple(late),
                notes=frozenset(),
                spared=frozenset(),
                callbacks=(),
            )
            worlds = [with_sender(world, member, name, base)]
            for event in records:
                worlds = [
                    after
                    for before in worlds
                    for after in self._filling.appended(before, member, name, event, MERGING)
                ]
            for after in worlds:
                if all(each(book.records_behind_queue())):
                    yield after
                    continue
                new = after.wan.senders[member, name]
                count = len(records)
                turned = (*new.queue[len(new.queue) - count :], *new.queue[: len(new.queue) - count])
                yield with_sender(after, member, name, replace(new, queue=turned))


def _highest(world: World, name: str) -> int:
    """The highest position of a queue that any member knows of, or that is on its way to one.

    The new primary queues its events behind all of these positions. Another member may have removed events
    up to there. It would drop a new event with such a position.
    """
    known = [
        max(sender.last, sender.mark) for (_, queue), sender in world.wan.senders.items() if queue == name
    ]
    sent = [
        message.mark if message.event is None else message.event.position
        for messages in world.channels.values()
        for message in messages
        if message.queue == name
    ]
    highest: int = max((*known, *sent))
    return highest
