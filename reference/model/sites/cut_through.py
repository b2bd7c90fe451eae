"""Passage: what may pass to another site at once, and what has to pass there once more.

An event may be able to be sent, shown by all members of its destination, and answered. Then it commutes with
any later fault. The connection and all listeners are the same afterwards. Events queued behind it may still
take their time. Knows connections and foresight; sends nothing itself.
"""

from __future__ import annotations

from plumbline.reference.history.operations import Operation
from plumbline.reference.model.lookahead import Lookahead, Ternary
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Propagation, Setting
from plumbline.reference.model.sites.site_state import Connection, Queued, Sender, WireName
from plumbline.reference.model.sites.wires import alone
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.effects import ARRIVES, BECOMES
from plumbline.reference.search.transition import View


class CutThrough:
    """The part of the model that knows which events may pass at once."""

    def __init__(self, setting: Setting, lookahead: Lookahead, replicates: Replicates) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._replicates = replicates
        remote = [queue.remote_site for queue in setting.queues.values()]
        # A bucket that is promoted leads there from another member.
        self._only = {queue.id for queue in setting.serial if remote.count(queue.remote_site) == 1}
        links = [(queue.site, queue.remote_site) for queue in setting.queues.values()]
        self._only_of_site = {
            queue.id for queue in setting.serial if links.count((queue.site, queue.remote_site)) == 1
        }
        """Those over which alone events of their site come where they lead, as long as none travels on."""

    def is_free(
        self, world: World, view: View, name: WireName, sender: Sender, wire: Connection, event: Queued
    ) -> bool:
        """Whether the event may be sent, shown, answered and removed now, and nothing could tell.

        It is the first unanswered event, alone on its connection. Every member of the destination shows it
        next, from this queue alone. No reader or change of the key may come first.

        Args:
            world: before the event is sent.
            view: of the logs.
            name: the connection.
            sender: whose turn it is.
            wire: what is on the connection.
            event: which.
        """
        setting, operation = self._setting, self._setting.carried(event)
        if (
            not view.reduced
            or name.queue not in self._only
            or setting.clients
            or setting.lesser
            or operation.kind not in BECOMES
            or operation.region in setting.partitioned
            or sender.sent
            or sender.heard
            or wire != Connection(wire.receiver)
            or not alone(world, name, event.op_id)
            or self._lookahead.comes_again(event.op_id)
            or not self._replicates.ways.comes_any_way(world, view, name.queue, event.op_id)
        ):
            return False
        return all(
            self._is_next(world, view, member, event)
            for member in self._setting.led_to[name.queue]
            if member not in world.wan.dead
        )

    def _is_next(self, world: World, view: View, member: str, event: Queued) -> bool:
        """Whether the member's log tells of the event next, and nothing else may come to the key first."""
        operation = self._setting.carried(event)
        place, shown = self._replicates.shown(member, operation)
        entry = world.entry(member, operation.region, operation.key)
        return (
            (member, event.op_id) not in world.wan.seen
            and self._replicates.decided_by_log(view, place, shown)
            and view.fits(place, shown)
            and self._lookahead.reader_to_come(world, view.now, member, operation, entry) is Ternary.NO
            and not self._lookahead.silent_change_to_come(world, view.now, member, operation, entry)
        )

    def comes_again(self, world: World, view: View, queue: str, event: Queued) -> bool:
        """Whether a member where the queue leads is yet to tell of an event, or to count it once more."""
        if self._replicates.ways.may_count_again(world, view.now, queue, event.op_id):
            return True
        if self._is_yet_to_come(world, view, queue, self._setting.carried(event)):
            return True
        if not self._lookahead.comes_again(event.op_id):
            return False
        if self._lookahead.is_received_again(event.op_id):
            return True
        if self._setting.carried(event).kind not in BECOMES:
            return True  # of a whole region more is told than one entry
        return any(
            view.still(*shown) or not view.observed(shown[0])
            for shown in (
                self._replicates.shown(member, self._setting.carried(event))
                for member in self._setting.led_to[queue]
            )
        )

    def shows_again(self, world: World, view: View, queue: str, event: Queued) -> bool:
        """Whether something tells next, where the queue leads, that an event was sent once more.

        Until then it may as well not have been: the observation is the one that was awaited.
        """
        if not self.comes_again(world, view, queue, event):
            return False
        operation = self._setting.carried(event)
        if not view.reduced or self._setting.resolver is not None or operation.kind not in BECOMES:
            return True
        if self._lookahead.is_received_again(event.op_id):
            return True
        return self._replicates.ways.may_count_again(world, view.now, queue, event.op_id) or any(
            view.fits(*self._replicates.shown(member, operation)) for member in self._setting.led_to[queue]
        )

    def _is_yet_to_come(self, world: World, view: View, queue: str, operation: Operation) -> bool:
        """Whether a member of the destination still has to show an event, and none that has it forwards it.

        A member that refuses an event of another site sends its peers nothing of it. Sent again to one of
        these peers, the event may be applied. Then its answer had not arrived.
        """
        op_id, seen, remote = operation.op_id, world.wan.seen, self._setting.led_to[queue]
        if operation.kind not in ARRIVES or not self._setting.is_timed(operation.region, operation.key):
            return False
        return any((member, op_id) in seen for member in remote) and any(
            member not in world.wan.dead
            and (member, op_id) not in seen
            and view.still(*self._replicates.shown(member, operation))
            and not any(
                channel.target == member and any(message.op_id == op_id for message in messages)
                for channel, messages in world.channels.items()
            )
            for member in remote
        )

    def must_come_again(self, world: World, view: View, name: WireName, event: Queued) -> bool:
        """Whether only its queue can still bring an event to a member that has it, and tells of it yet.

        So it has not left the queue: its answer was never heard.
        """
        setting, operation = self._setting, self._setting.carried(event)
        if (
            not view.reduced
            or name.queue not in self._only_of_site
            or setting.onward is not Propagation.STAYS
            or not setting.in_sequence
            or self._lookahead.dies(name.source)
            or operation.kind not in BECOMES
            or not self._lookahead.comes_again(event.op_id)
            or setting.keeps_stamp_of(event.op_id)
            or not alone(world, name, event.op_id)
        ):
            return False
        held = world.wan.wires[name]
        on_its_way = any(one.op_id == event.op_id for one in (*held.events, held.busy) if one is not None)
        return not on_its_way and any(
            (member, event.op_id) in world.wan.seen
            and self._replicates.decided_by_log(view, *shown)
            and view.still(*shown)
            for member in self._setting.led_to[name.queue]
            for shown in (self._replicates.shown(member, operation),)
        )
