"""Messages by which a primary tells the holders of its queue what it has removed.

Knows when they may be sent, and that only a reading or a takeover shows when that was. Removes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model import claims
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import copied, with_sender
from plumbline.reference.model.sites.needed_removals import NeededRemovals
from plumbline.reference.model.sites.senders import REMOVALS
from plumbline.reference.model.sites.site_state import Sender
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step, View


class RemovalMessages:
    """The part of the model that tells of removals."""

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._needed = NeededRemovals(setting, lookahead)

    def steps(
        self, world: World, view: View, member: str, queue: QueueAttributes, sender: Sender
    ) -> Iterator[Step]:
        """A primary tells the others that hold its queue up to which position it has removed events."""
        if not any(each(self._setting.book.tells_removals(sender.told > 0))):
            return
        needed = self._needed_by_others(world, view, member, queue)
        if needed is not None:
            dies = any(
                fault.kind is FaultKind.CRASH and fault.member == member
                for fault in world.wan.faults.values()
            )
            positions = sorted({min(one, sender.mark) for one in needed if dies and one > sender.told})[:1]
            matters = looked_at = False
        else:
            looked_at = self._lookahead.copies_are_looked_at(view.now, queue.id)
            positions = self._told_of(world, view, member, queue, sender, looked_at=looked_at)
            matters = looked_at or len(positions) > 1 or self._matters(member, queue)
        for last in positions:
            told = with_sender(world, member, queue.id, replace(sender, told=last))
            yield Step(
                ("tells of removal", member, queue.id, last),
                self.told(told, member, queue, last),
                claim=None if matters else claims.REMOVAL,
                clashes=claims.LOOKED_AT | claims.REPEATED_SHOWS,
            )

    def _matters(self, member: str, queue: QueueAttributes) -> bool:
        """Whether it may show what others know of removals: what a listener receives once more, it shows."""
        return queue.remote_site is None and self._lookahead.dies(member)

    def _needed_by_others(
        self, world: World, view: View, member: str, queue: QueueAttributes
    ) -> list[int] | None:
        """Up to which position each other holder's copy is to lose events; None if that is unknown of one.

        Also None where all had time to hear of all removals.
        """
        if self._lookahead.waits_for_all(view):
            return None
        found = []
        for other in self._setting.others[member]:
            if other in world.wan.dead or not queue.runs_on(other):
                continue
            up_to = self._needed.up_to(world, view, member, other, queue.id)
            if up_to is None:
                return None
            found.append(up_to)
        return found

    def _told_of(
        self,
        world: World,
        view: View,
        member: str,
        queue: QueueAttributes,
        sender: Sender,
        *,
        looked_at: bool,
    ) -> list[int]:
        """Up to which positions removals may be told of now.

        Only a reading of a copy shows when that was. So the model reports a removal only during such a
        reading, or before the primary dies. It may report any position that may have been reported before.
        Without a reading, an event that a successor repeats only holds the successor up, unless the event is
        shown again.
        """
        wan, others = world.wan, self._setting.others[member]
        copies = {
            event.position: event.op_id
            for other in others
            for event in copied(world, member, other, queue.id)
        }
        kept = sorted(position for position in copies if sender.told < position <= sender.mark)
        if not view.reduced:
            return sorted({*kept, sender.mark})
        late = self._setting.tells_late
        if self._lookahead.waits_for_all(view) or (looked_at and not late):
            return [sender.mark]
        now = any(self._lookahead.copy_is_looked_at_now(world, other, queue.id) for other in others)
        dies = any(fault.kind is FaultKind.CRASH and fault.member == member for fault in wan.faults.values())
        if not now and not dies:
            return []
        if not late:
            return [sender.mark]
        if queue.remote_site is None:
            wanted = (
                self._needed.perhaps_up_to(world, view, member, other, queue.id)
                for other in others
                if other not in wan.dead and queue.runs_on(other)
            )
            ends = {min(one, sender.mark) for some in wanted for one in some}
            return sorted(one for one in ends if one > sender.told)
        if looked_at or now or not kept:
            return kept
        return [
            position
            for position, following in zip(kept, [*kept[1:], None], strict=True)
            if following is None or self._lookahead.comes_again(copies[following])
        ]

    def told(self, world: World, member: str, queue: QueueAttributes, mark: int) -> World:
        """The world in which the other holders of the queue are being told so."""
        channels = world.channels
        for other in self._setting.others[member] if not queue.parallel else ():
            if other not in world.wan.dead and queue.runs_on(other):
                channel = Channel(REMOVALS, member, other)
                message = Message(0, None, queue=queue.id, mark=mark)
                channels = channels.set(channel, (*channels.get(channel, ()), message))
        return world.but(channels=channels)
