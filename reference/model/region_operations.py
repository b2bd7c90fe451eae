"""What takes effect on all members of a site at once, and nowhere else: on regions, or because time is over.

Operations on whole regions (000, L22), and what a region does itself to an entry that expires (000, L21).
They are called only while nothing else is under way: it is not asked here how they meet other operations.
Listeners may be told of them or not: no document says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import (
    DESTROYS_REGION,
    EXPIRES,
    INVALIDATES_REGION,
    LOCAL,
    READS,
    WHOLE_REGION,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    Status,
)
from plumbline.reference.model.clients.registrations import covers
from plumbline.reference.model.clients.subscriptions import lasting
from plumbline.reference.model.places import listener_entry, listener_place, outcome_entry, outcome_place
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.senders import Senders
from plumbline.reference.model.world import Call, CallStage, World
from plumbline.reference.model.writers import is_gated, stands, stood
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step, View

WHOLE = {
    OperationKind.CLEAR: EventKind.CLEAR,
    OperationKind.LOCAL_CLEAR: EventKind.CLEAR,
    OperationKind.INVALIDATE_REGION: EventKind.REGION_INVALIDATE,
    OperationKind.LOCAL_INVALIDATE_REGION: EventKind.REGION_INVALIDATE,
    OperationKind.DESTROY_REGION: EventKind.REGION_DESTROY,
    OperationKind.LOCAL_DESTROY_REGION: EventKind.REGION_DESTROY,
    OperationKind.EXPIRE_DESTROY: EventKind.DESTROY,
    OperationKind.EXPIRE_INVALIDATE: EventKind.INVALIDATE,
    OperationKind.EXPIRE_INVALIDATE_REGION: EventKind.REGION_INVALIDATE,
    OperationKind.IDLE_DESTROY: EventKind.DESTROY,
    OperationKind.IDLE_INVALIDATE: EventKind.INVALIDATE,
}
"""What the model knows of it, and what listeners are told."""

_CLEARS = (OperationKind.CLEAR, OperationKind.LOCAL_CLEAR)
_REMOVES = (*_CLEARS, OperationKind.EXPIRE_DESTROY, OperationKind.IDLE_DESTROY, *DESTROYS_REGION)


class RegionOperations:
    """The part of the model that carries out operations on whole regions, and lets entries expire."""

    def __init__(
        self, setting: Setting, strength: OrderStrength, at_clients: OrderStrength, senders: Senders
    ) -> None:
        self._client_strength = at_clients
        self._setting = setting
        self._strength = strength
        self._feeding = senders.feeding

    def taken(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        """The operation takes effect at the site where it is called, once nothing else is under way there.

        A call begun while a clear was held in a writer is not under way before it takes effect, nor once
        every member has it.
        """
        carriers = self._carriers(world, operation)
        if any(stands(world, member, operation) for member in carriers):
            return
        held = any(is_gated(world, member, operation) for member in carriers)
        others = (one for op_id, one in world.calls.items() if op_id != operation.op_id)
        if any(
            one.stage is not CallStage.DONE and not one.indefinite and not (held and _rests(one))
            for one in others
        ):
            return
        if any(not message.queue for messages in world.channels.values() for message in messages):
            return
        locked = call.stage is CallStage.LOCKED
        parked = [(member, stood(world, member, operation)) for member in carriers if not locked]
        for member, after in parked:
            if after is not None:
                holder = replace(call, stage=CallStage.LOCKED, by=member)
                stage = holder if self._is_lesser(operation.member, operation.region) else call
                calls = after.calls.set(operation.op_id, stage)
                yield Step(("stands in the writer", member, operation.op_id), after.but(calls=calls))
        if parked and None not in [after for _, after in parked] and self._asks_replicate(operation):
            return
        outcome = Outcome(Status.OK)
        done = replace(call, stage=CallStage.DONE, outcome=outcome)
        if operation.kind is OperationKind.LOCAL_CLEAR and operation.op_id not in self._setting.originators:
            # Whether a replicate may do without what the others hold is not said.
            refused = Outcome(Status.REFUSED)
            ended = world.calls.set(operation.op_id, replace(call, stage=CallStage.DONE, outcome=refused))
            told = ((outcome_place(operation.op_id), outcome_entry(refused)),)
            yield Step(("refuses", operation.member, operation.op_id), world.but(calls=ended), told)
        ways = [
            (after, (*shown, *told) * times)
            for members in self._cleared_at(world, operation)
            for at_site, shown in (self.applied(world, view, operation, operation.member, members),)
            for cleared in self._as_client_asked(world, at_site, operation)
            for known, told in self._at_clients(world, cleared, view, operation)
            for after in lasting(known, self._setting, operation.member, operation)
            for times in self._times_told(world, operation)
        ]
        for applied, shows in ways:
            yield from self._applied(
                applied.but(calls=applied.calls.set(operation.op_id, done)), operation, shows
            )

    def _is_lesser(self, member: str, region: str) -> bool:
        """Whether a member keeps less than a replicate."""
        return (member, region) in self._setting.lesser

    def _asks_replicate(self, clear: Operation) -> bool:
        """Whether a clear is surely carried out by a replicate."""
        lesser = self._is_lesser(clear.member, clear.region)
        return not lesser or all(each(self._setting.book.clear_goes_to_replicate()))

    def _carriers(self, world: World, operation: Operation) -> tuple[str, ...]:
        """The replicates of which one carries out a clear, where some members keep less than a replicate.

        One that is called on a replicate is carried out there.
        """
        if operation.kind is not OperationKind.CLEAR or not self._setting.lesser:
            return ()
        if not self._is_lesser(operation.member, operation.region):
            return (operation.member,)
        members = self._members(world, operation.member)
        return tuple(member for member in members if not self._is_lesser(member, operation.region))

    def stands(self, world: World, operation: Operation) -> bool:
        """Whether an operation is a clear that is held in the writer of the replicate that carries it out."""
        return any(stands(world, member, operation) for member in self._carriers(world, operation))

    def shuts_out(self, world: World, operation: Operation) -> tuple[bool, ...]:
        """Whether an update waits for a clear that a replicate holds in its writer, and so has locked for it.

        Surely where a replicate that checks has the lock for another member (004, L105).
        """
        if operation.kind in READS or not world.gates:
            return (False,)
        for op_id, call in world.calls.items():
            clear = self._setting.operations[op_id]
            if op_id == operation.op_id or clear.region != operation.region:
                continue
            locked = call.stage is CallStage.LOCKED and call.by not in world.wan.dead
            if locked or self.stands(world, clear):
                sure = (
                    locked
                    and not self._is_lesser(operation.member, clear.region)
                    and operation.kind not in LOCAL
                    and all(self._setting.checks(clear.region))
                )
                shuts: tuple[bool, ...] = each(self._setting.book.forwarded_clear_shuts_out())
                return shuts if sure else (True, False)
        return (False,)

    def _times_told(self, world: World, operation: Operation) -> tuple[int, ...]:
        """How often it is told: once, unless clients send it back to their servers, as they should not."""
        caller = self._setting.originators.get(operation.op_id)
        if all(client == caller for client, region in world.served.interests if region == operation.region):
            return (1,)
        book = self._setting.book
        returns = {
            OperationKind.CLEAR: book.returns_clears,
            OperationKind.DESTROY_REGION: book.returns_region_destroys,
        }.get(operation.kind)
        return (1,) if returns is None else tuple(1 + back for back in each(returns()))

    def _cleared_at(self, world: World, operation: Operation) -> Iterator[tuple[str, ...]]:
        """The members at which the operation takes effect: all of the site, unless it is a local one."""
        member = operation.member
        if operation.kind is OperationKind.LOCAL_CLEAR:
            yield (member,)
            return
        lesser = (member, operation.region) in self._setting.lesser and operation.kind is OperationKind.CLEAR
        for everywhere in each(self._setting.book.clear_goes_to_replicate()) if lesser else (True,):
            yield self._members(world, member) if everywhere else (member,)

    def _applied(
        self, world: World, operation: Operation, shows: tuple[tuple[Place, Observation], ...]
    ) -> Iterator[Step]:
        """The operation has taken effect at the site; its senders may be told."""
        outcome = Outcome(Status.OK)
        worlds = [world]
        for member in self._members(world, operation.member):
            worlds = [
                after
                for before in worlds
                for after in self._feeding.queued(before, member, operation, None, update=False)
            ]
        if self._setting.queues and not all(each(self._setting.book.queued_outlives_region())):
            worlds = [self._without_queued(one, operation) for one in worlds]
        for after in worlds:
            yield Step(
                ("applies to the region", operation.member, operation.op_id),
                after,
                (*shows, (outcome_place(operation.op_id), outcome_entry(outcome))),
            )

    def _without_queued(self, world: World, operation: Operation) -> World:
        """The world in which what was queued of a region, and not sent, has gone with it."""
        members, operations = self._members(world, operation.member), self._setting.operations
        for (member, name), sender in world.wan.senders.items():
            if member in members:
                sent, unsent = sender.queue[: sender.sent], sender.queue[sender.sent :]
                kept = (event for event in unsent if operations[event.op_id].region != operation.region)
                world = with_sender(world, member, name, replace(sender, queue=(*sent, *kept)))
        return world

    def _as_client_asked(self, before: World, after: World, operation: Operation) -> Iterator[World]:
        """The worlds in which a client's clear has removed what it should of its server's region: all."""
        client = self._setting.originators.get(operation.op_id)
        if client is None or operation.kind is not OperationKind.CLEAR:
            yield after
            return
        held, there = (
            tuple(sorted(k for at, region, k in before.entries if (at, region) == (who, operation.region)))
            for who in (client, operation.member)
        )
        for keys in each(self._setting.book.cleared_at_server(there, held)):
            entries = after.entries
            for where, entry in before.entries.items():
                if where[0] in self._members(before, operation.member) and where[1] == operation.region:
                    entries = entries.delete(where) if where[2] in keys else entries.set(where, entry)
            yield after.but(entries=entries)

    def _at_clients(
        self, before: World, world: World, view: View, operation: Operation
    ) -> Iterator[tuple[World, tuple[tuple[Place, Observation], ...]]]:
        """The worlds in which clients of the site know of the operation, and what they show of it."""
        book = self._setting.book
        ways: list[tuple[World, tuple[tuple[Place, Observation], ...]]] = [(world, ())]
        for client in self._setting.clients if operation.kind not in EXPIRES else ():
            called = self._setting.originators.get(operation.op_id) == client
            interested = (client, operation.region) in before.served.interests
            if self._setting.home(client) != self._setting.site_of[operation.member]:
                continue
            clears = operation.kind in _CLEARS
            after = []
            for so_far, shows in ways:
                for sent in (True,) if called else self._sends(operation, interested=interested):
                    if not sent:
                        after.append((so_far, shows))
                        continue
                    for uncovered in (True,) if called or not clears else each(book.clears_uncovered()):
                        told = self.at_client(client, operation)
                        gone = self.gone(so_far, client, operation, uncovered=uncovered)
                        after.append((gone, (*shows, told) if view.fits(*told) else shows))
            ways = after
        yield from ways

    def _sends(self, operation: Operation, *, interested: bool) -> tuple[bool, ...]:
        """Whether a client other than the caller receives it; several answers where no document says so."""
        book = self._setting.book
        if operation.kind in DESTROYS_REGION:
            return each(book.sends_region_destroys()) if interested else (False, True)
        if not interested:
            return (False,)
        if operation.kind is OperationKind.LOCAL_CLEAR:
            return each(book.sends_local(operation.kind))
        return each(
            book.sends_clears() if operation.kind is OperationKind.CLEAR else book.sends_region_invalidates()
        )

    def gone(self, world: World, client: str, operation: Operation, *, uncovered: bool = True) -> World:
        """The world in which a client's copy was cleared, invalidated or destroyed."""
        if operation.kind in INVALIDATES_REGION:
            return self._invalidated(world, client, operation)
        if operation.kind in DESTROYS_REGION:
            return self._destroyed(world, client, operation)
        found = world.served.interests.get((client, operation.region), ())
        entries = world.entries
        for where in world.entries:
            covered = any(any(covers(self._setting.book, one.interest, where[2])) for one in found)
            if where[:2] == (client, operation.region) and (uncovered or covered):
                entries = entries.delete(where)
        return world.but(entries=entries)

    @staticmethod
    def _invalidated(world: World, client: str, operation: Operation) -> World:
        """The world in which all that a client holds is invalid."""
        entries = world.entries
        for where, entry in world.entries.items():
            if where[:2] == (client, operation.region) and entry.state is EntryState.LIVE:
                entries = entries.set(where, replace(entry, state=EntryState.INVALID, token=None))
        return world.but(entries=entries)

    @staticmethod
    def _destroyed(world: World, client: str, operation: Operation) -> World:
        """The world in which a client has its region no more."""
        entries = world.entries
        for where in world.entries:
            if where[:2] == (client, operation.region):
                entries = entries.delete(where)
        away = world.away.set((client, operation.region), value=True)
        return world.but(entries=entries, away=away)

    def at_client(self, client: str, operation: Operation) -> tuple[Place, Observation]:
        """Where a client may tell of the operation, and what."""
        return self._shown(client, operation, self._client_strength)

    def applied(
        self,
        world: World,
        view: View,
        operation: Operation,
        at: str,
        members: tuple[str, ...] | None = None,
    ) -> tuple[World, tuple[tuple[Place, Observation], ...]]:
        """The world in which the operation has taken effect at a member's site, and what it shows there.

        Where members are named: at those alone.
        """
        entries = world.entries
        members = self._members(world, at) if members is None else members
        for where, entry in world.entries.items():
            if where[0] not in members or where[1] != operation.region:
                continue
            if operation.kind in EXPIRES - WHOLE_REGION and where[2] != operation.key:
                continue
            if operation.kind in _REMOVES:
                entries = entries.delete(where)
            elif entry.state is EntryState.LIVE:
                entries = entries.set(where, replace(entry, state=EntryState.INVALID, token=None))
        away = world.away
        for member in members if operation.kind in DESTROYS_REGION else ():
            away = away.set((member, operation.region), value=True)
        shown = (self._shown(member, operation) for member in members)
        return world.but(entries=entries, away=away), tuple(one for one in shown if view.fits(*one))

    def _members(self, world: World, at: str) -> tuple[str, ...]:
        """The members of the site that live."""
        return tuple(m for m in (at, *self._setting.others[at]) if m not in world.wan.dead)

    def _shown(
        self, member: str, operation: Operation, strength: OrderStrength | None = None
    ) -> tuple[Place, Observation]:
        kind, region, key = WHOLE[operation.kind], operation.region, operation.key
        named = self._setting.identified and operation.token is not None
        thread, token = (operation.thread, operation.token) if named else (None, None)
        place = listener_place(strength or self._strength, member, region, key, thread, kind)
        return place, listener_entry(region, key, kind, token)


def _rests(call: Call) -> bool:
    """Whether a call has not taken effect yet, or has arrived everywhere."""
    return call.stage is CallStage.CALLED or (call.stage is CallStage.SENT and not call.waiting)
