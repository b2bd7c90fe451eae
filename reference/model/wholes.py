"""What takes effect on all members of a site at once, and nowhere else: on regions, or because time is over.

Operations on whole regions (000, L22), and what a region does itself to an entry that expires (000, L21).
They are called only while nothing else is under way: it is not asked here how they meet other operations.
Listeners may be told of them or not: no document says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.explain.steps import Entry as Shown
from plumbline.reference.explain.steps import Place, Step, View
from plumbline.reference.history import OrderStrength
from plumbline.reference.model.places import listener_entry, listener_place, outcome_entry, outcome_place
from plumbline.reference.model.senders import Senders
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Call, Stage, World
from plumbline.reference.operations import (
    EXPIRES,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    Status,
)
from plumbline.reference.rulebook.values import EntryState

WHOLE = {
    OperationKind.CLEAR: EventKind.CLEAR,
    OperationKind.INVALIDATE_REGION: EventKind.REGION_INVALIDATE,
    OperationKind.EXPIRE_DESTROY: EventKind.DESTROY,
    OperationKind.EXPIRE_INVALIDATE: EventKind.INVALIDATE,
}
"""What the model knows of it, and what listeners are told."""

_REMOVES = (OperationKind.CLEAR, OperationKind.EXPIRE_DESTROY)


class Wholes:
    """The part of the model that carries out operations on whole regions, and lets entries expire."""

    def __init__(self, setting: Setting, strength: OrderStrength, senders: Senders) -> None:
        self._setting = setting
        self._strength = strength
        self._senders = senders

    def taken(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        """The operation takes effect at the site where it is called, once nothing else is under way there."""
        others = (one for op_id, one in world.calls.items() if op_id != operation.op_id)
        if any(one.stage is not Stage.DONE and not one.indefinite for one in others):
            return
        if any(not message.queue for messages in world.channels.values() for message in messages):
            return
        outcome = Outcome(Status.OK)
        done = call._replace(stage=Stage.DONE, outcome=outcome)
        applied, shows = self.applied(world, view, operation, operation.member)
        worlds = [applied.but(calls=applied.calls.set(operation.op_id, done))]
        for member in self._members(world, operation.member):
            worlds = [
                after
                for before in worlds
                for after in self._senders.queued(before, member, operation, None, update=False)
            ]
        for after in worlds:
            yield Step(
                ("applies to the region", operation.member, operation.op_id),
                after,
                (*shows, (outcome_place(operation.op_id), outcome_entry(outcome))),
            )

    def applied(
        self, world: World, view: View, operation: Operation, at: str
    ) -> tuple[World, tuple[tuple[Place, Shown], ...]]:
        """The world in which the operation has taken effect at a member's site, and what it shows there."""
        entries = world.entries
        members = self._members(world, at)
        for where, entry in world.entries.items():
            if where[0] not in members or where[1] != operation.region:
                continue
            if operation.kind in EXPIRES and where[2] != operation.key:
                continue
            if operation.kind in _REMOVES:
                entries = entries.delete(where)
            elif entry.state is EntryState.LIVE:
                entries = entries.set(where, entry._replace(state=EntryState.INVALID, token=None))
        shown = (self._shown(member, operation) for member in members)
        return world.but(entries=entries), tuple(one for one in shown if view.fits(*one))

    def _members(self, world: World, at: str) -> tuple[str, ...]:
        """The members of the site that live."""
        return tuple(m for m in (at, *self._setting.others[at]) if m not in world.wan.dead)

    def _shown(self, member: str, operation: Operation) -> tuple[Place, Shown]:
        kind, region, key = WHOLE[operation.kind], operation.region, operation.key
        named = self._setting.identified and operation.token is not None
        thread, token = (operation.thread, operation.token) if named else (None, None)
        place = listener_place(self._strength, member, region, key, thread, kind)
        return place, listener_entry(region, key, kind, token)
