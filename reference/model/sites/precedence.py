"""Precedence: what another site still shows tells in which order a queue can have held its events.

Events of a queue that one receiver alone feeds into its site arrive there in the queue's order, and only from
it. So take two events that have not reached the site yet. If a member there shows one first, they were queued
in that order. Knows queues and foresight; knows nothing of how they fill.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plumbline.reference.history.operations import Operation
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.messages import Channel
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.grouping import TransactionGroups
from plumbline.reference.model.sites.site_state import Queued
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.effects import BECOMES
from plumbline.reference.search.transition import Entry, Place, View

Observation = tuple[Place, Entry]


class Precedence:
    """The part of the model that knows which orders of a queue the logs have ruled out."""

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._groups = TransactionGroups(setting)
        remote = [queue.remote_site for queue in setting.queues.values()]
        self._only = {queue.id for queue in setting.serial if remote.count(queue.remote_site) == 1}

    def earlier(
        self, world: World, view: View, member: str, name: str, events: Iterable[Queued], than: Queued
    ) -> tuple[Observation, ...]:
        """What the other site is yet to show of `events` before `than`, and so rules out that this is first.

        Args:
            world: where `than` would come to stand in front of the events.
            view: of the logs.
            member: whose copy of the queue it is.
            name: the queue.
            events: what would stand behind.
            than: what would stand in front.
        """
        if not self._tells(world, view, member, name) or not self._comes(world, name, than):
            return ()
        first = self._setting.carried(than)
        found: list[Observation] = []
        for place, at, _ in self._moments(view, name, first):
            for event in events:
                if event.op_id == than.op_id or not self._comes_from(world, name, event):
                    continue
                for other, moment, shown in self._moments(view, name, self._setting.carried(event)):
                    if other == place and moment < at:
                        found.append((other, shown))
        return tuple(found)

    def stored_in_vain(self, world: World, view: View, channel: Channel) -> tuple[Observation, ...]:
        """What rules out that the first message of a dead primary arrives: what stands behind it then.

        That is what the survivor has only recorded, and what the dead sends it no more.
        """
        head = world.channels[channel][0]
        sender = world.wan.senders[channel.target, head.queue]
        if head.event is None or sender.primary:
            return ()
        known = {event.op_id for event in sender.queue}
        known |= {
            message.op_id
            for other, messages in world.channels.items()
            if other.target == channel.target
            for message in messages
            if message.queue == head.queue
        }
        behind = [event for event in sender.records if event.op_id not in known]
        return self.earlier(world, view, channel.target, head.queue, behind, head.event)

    def lost_in_vain(self, world: World, view: View, channel: Channel) -> tuple[Observation, ...]:
        """What rules out that all of a dead primary's channel is lost: it would stand behind the copy."""
        found: list[Observation] = []
        for message in world.channels[channel]:
            if not message.queue or message.event is None:
                continue
            sender = world.wan.senders[channel.target, message.queue]
            recorded = [
                event
                for event in sender.records
                if event.op_id == message.op_id and self._comes_from(world, message.queue, event)
            ]
            if sender.primary or not recorded:
                continue
            for event in sender.queue:
                found += self.earlier(world, view, channel.target, message.queue, recorded, event)
        return tuple(found)

    def is_needed(self, world: World, view: View, member: str, name: str, event: Queued) -> bool:
        """Whether the other site has yet to show an event that only this queue can bring there."""
        return (
            self._tells(world, view, member, name)
            and self._comes_from(world, name, event)
            and any(True for _ in self._moments(view, name, self._setting.carried(event)))
        )

    def misplaced(
        self, world: World, view: View, member: str, name: str, queue: Iterable[Queued]
    ) -> tuple[Observation, ...]:
        """Something that the other site is yet to show before what stands in front of it, if there is any."""
        if not self._tells(world, view, member, name):
            return ()
        last: dict[Place, int] = {}
        for event in queue:
            if not self._comes(world, name, event):
                continue
            alone = self._comes_from(world, name, event)
            for place, moment, shown in self._moments(view, name, self._setting.carried(event)):
                if alone and moment < last.get(place, -1):
                    return ((place, shown),)
                last[place] = max(moment, last.get(place, -1))
        return ()

    def _tells(self, world: World, view: View, member: str, name: str) -> bool:
        """Whether the queue alone leads to its site, its dispatcher stays, and nothing is held back."""
        return (
            view.reduced
            and self._setting.in_sequence
            and name in self._only
            and len(world.gates) == 0
            and not self._lookahead.dies(member)
            and not self._passes_over(world, member, name)
        )

    def _passes_over(self, world: World, member: str, name: str) -> bool:
        """Whether a batch of a queue may pass over events, as it takes a transaction whole."""
        if not self._groups.may_group(self._setting.queues[name]):
            return False
        sender = world.wan.senders.get((member, name))
        return sender is not None and any(
            event.op_id in self._setting.transactions for event in (*sender.queue, *sender.records)
        )

    def _comes(self, world: World, name: str, event: Queued) -> bool:
        """Whether no member of the other site knows the event, and each receives it once at most."""
        operation = self._setting.carried(event)
        return (
            operation.kind in BECOMES
            and operation.region not in self._setting.partitioned
            and self._setting.awaits_acknowledgement(operation.region)
            and not self._setting.is_shared(operation.region, operation.key)
            and not self._lookahead.comes_again(event.op_id)
            and not any((member, event.op_id) in world.wan.seen for member in self._setting.led_to[name])
            and not _told_by_the_dead(world, event.op_id)
        )

    def _comes_from(self, world: World, name: str, event: Queued) -> bool:
        """Whether it comes, and from the queue alone: on no connection that was made before is it, too."""
        return self._comes(world, name, event) and not any(
            wire.busy == event or event in wire.events
            for wire_name, wire in world.wan.wires.items()
            if wire_name.queue == name
        )

    def _moments(self, view: View, name: str, operation: Operation) -> Iterator[tuple[Place, int, Entry]]:
        """Where and at which position each member of the other site is yet to show an operation."""
        for member in self._setting.led_to[name]:
            place, shown = self._lookahead.place_of(member, operation)
            # Listeners need not tell by which operation a key is gone.
            if not isinstance(shown, tuple) or shown[-1] is None:
                continue
            moment = view.when(place, shown)
            if moment is not None:
                yield place, moment, shown


def _told_by_the_dead(world: World, op_id: int) -> bool:
    """Whether the crashed member's events are still under way and unknown to all peers."""
    return len(world.wan.dead) > 0 and any(
        message.op_id == op_id
        for channel, messages in world.channels.items()
        if channel.source in world.wan.dead
        for message in messages
        if not message.queue
    )
