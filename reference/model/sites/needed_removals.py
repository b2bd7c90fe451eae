"""Needed removals: which events a copy of a queue has to lose before its holder takes over.

Reads it off the calls that listeners of queues receive; sends and removes nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Container

from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import copied
from plumbline.reference.model.sites.site_state import Queued
from plumbline.reference.model.world import LOOK, World
from plumbline.reference.search.transition import View

EVERYTHING = sys.maxsize


class NeededRemovals:
    """Which removals a copy needs to learn, read off the calls that its holder's listener still receives.

    A queue hands its events to the listener from the front. So a copy loses what stands before the first
    event that the listener receives, and keeps that one. An event that it receives no more would only be in
    the way.
    """

    def __init__(self, setting: Setting, lookahead: Lookahead) -> None:
        self._setting = setting
        self._lookahead = lookahead

    def are_known(self, world: World, view: View, queue: QueueAttributes) -> bool:
        """Whether calls may say so: all of them are in the logs, and no reading shows a copy."""
        return (
            view.reduced
            and queue.remote_site is None
            and not queue.parallel
            and self._setting.tells_late
            and self._setting.as_documented
            and not self._lookahead.copies_are_looked_at(view.now, queue.id)
            and LOOK not in world.asked.values()
        )

    def up_to(self, world: World, view: View, primary: str, holder: str, name: str) -> int | None:
        """The last position that a holder's copy is to lose; all where it keeps nothing, None if unknown.

        It is unknown where all that the listener receives of it may enter the copy once more: by operations
        that have yet to arrive, or from another member that becomes primary and has only records of them.
        Where only some may, those would stand behind the others, in another order than the listener's.
        """
        if not self.are_known(world, view, self._setting.queues[name]):
            return None
        order = self._lookahead.order_received(holder, name)
        if order is None:
            return None
        called = self._called(world, primary, holder, name, order)
        if not called:
            return EVERYTHING
        turns = [order[event.op_id] for event in called]
        kept = sorted(set(turns))
        if turns[-len(kept) :] != kept:
            return None
        called = called[-len(kept) :]
        if all(self._may_enter_again(world, primary, holder, name, event.op_id) for event in called):
            return None
        return called[0].position - 1

    def perhaps_up_to(self, world: World, view: View, primary: str, holder: str, name: str) -> set[int]:
        """Where that is unknown: positions that leave all that the listener receives, some of it, or nothing.

        It leaves all or nothing where the copy holds each once, in the listener's order.
        """
        order = self._lookahead.order_received(holder, name)
        if order is None or not self.are_known(world, view, self._setting.queues[name]):
            return {event.position for event in copied(world, primary, holder, name)}
        called = self._called(world, primary, holder, name, order)
        turns = [order[event.op_id] for event in called]
        in_order = turns == sorted(set(turns))
        return {EVERYTHING, *(event.position - 1 for event in (called[:1] if in_order else called))}

    def _called(
        self, world: World, primary: str, holder: str, name: str, order: Container[int]
    ) -> list[Queued]:
        """What of a copy, or on its way to it, its holder's listener receives; in the queue's order."""
        events = (event for event in copied(world, primary, holder, name) if event.op_id in order)
        return sorted(events, key=lambda event: event.position)

    def _may_enter_again(self, world: World, primary: str, holder: str, name: str, op_id: int) -> bool:
        if self._lookahead.may_be_under_way(world, holder, op_id):
            return True
        return any(
            self._lookahead.may_be_under_way(world, other, op_id)
            or (
                op_id in {event.op_id for event in world.wan.senders[other, name].records}
                and op_id not in {event.op_id for event in copied(world, primary, other, name)}
            )
            for other in self._setting.others[holder]
            if other != primary and other not in world.wan.dead and (other, name) in world.wan.senders
        )
