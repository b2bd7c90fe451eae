"""Parallel queues: each member that holds primary buckets of a region dispatches for these (002).

Each bucket of the queue lies with one of its region, and here each key is a bucket. Owns which member holds
which event, when an event enters the primary's copy, and what others learn of its removal. How an update
comes to primaries and copies, and who takes over, `buckets` knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation, QueueAttributes
from plumbline.reference.model import claims
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.dependences import crash_of
from plumbline.reference.model.sites.parallel_copies import (
    Where,
    copy_of,
    must_offer,
    of_bucket,
    where_of,
    with_copy,
    with_key,
)
from plumbline.reference.model.sites.parallel_listeners import ParallelListeners
from plumbline.reference.model.sites.parallel_removals import ParallelRemovals
from plumbline.reference.model.sites.parallel_senders import ParallelSenders
from plumbline.reference.model.sites.senders import Senders
from plumbline.reference.model.sites.site_state import Queued
from plumbline.reference.model.world import Bucket, Call, CallStage, GateState, World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step, View

ENTERS = "enters"
"""Stands, in what a call waits for, for its event's entry into the primary's copy of a queue."""

AGAIN = "again"
"""Stands there where a call is tried again on a new primary that knows it: its event may enter once more."""

Awaited = tuple[str, str, str]


class ParallelQueues:
    """The part of the model that fills and empties parallel queues."""

    def __init__(
        self, setting: Setting, lookahead: Lookahead, senders: Senders, lanes: ParallelSenders
    ) -> None:
        self._setting = setting
        self._lanes = lanes
        self._removals = ParallelRemovals(setting, lookahead)
        self._listeners = ParallelListeners(setting, self._removals)
        self._feeding = senders.feeding

    def copied(self, world: World, member: str, operation: Operation, *, update: bool) -> Iterator[World]:
        """The worlds in which a member beside the primary has received an operation, and may hold its event.

        Args:
            world: it has received it.
            member: which member.
            operation: which operation.
            update: whether its key was there where it was carried out.
        """
        bucket = world.buckets[operation.region, operation.key]
        dead = world.wan.dead
        others = tuple(
            m for m in self._setting.others[bucket.primary] if m not in bucket.copies and m not in dead
        )
        holders = each(self._setting.book.queue_copies(bucket.copies, others))
        worlds = list(self._lanes.copied(world, member, operation, holders, update=update))
        for queue in self._queues_of(operation.region, member):
            worlds = [
                after
                for before in worlds
                for held in holders
                for after in (
                    self._entered(before, member, operation, queue, update=update)
                    if member in held
                    else (before,)
                )
            ]
        yield from worlds

    def awaited(self, operation: Operation, at: str) -> frozenset[Awaited]:
        """What a call waits for that is carried out on a member: its event has entered the queues there."""
        lanes = self._lanes.feeds((operation.region, operation.key), at)
        return frozenset((queue.id, ENTERS, at) for queue in (*self._queues_of(operation.region, at), *lanes))

    def awaited_again(self, operation: Operation, at: str) -> frozenset[Awaited]:
        """What a call waits for that is tried again on a new primary that knows it.

        Its caller may have asked while the copy was still being carried out there. Then the event enters
        the queue once more. A listener has to bear repetitions behind a failure (002, Removing, Parallel).
        """
        return frozenset((queue.id, AGAIN, at) for queue in self._queues_of(operation.region, at))

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Events enter, are offered, are removed; copies receive that."""
        for op_id, call in world.calls.items():
            for awaited in sorted(self._entering(world, op_id, call)):
                yield from self._entry_of(world, op_id, call, awaited)
        if self._setting.parted:
            yield from self._lanes.steps(world, view)
        for (member, name), copy in world.wan.parallel.in_order():
            if member in world.wan.dead or name in self._setting.parted:
                continue
            queue = self._setting.parallel[name]
            if copy.leaving:
                yield from self._removals.forgetting(world, view, member, queue, copy)
            if copy.answer:
                yield from self._listeners.answering(world, member, queue, copy)
            elif not (copy.ended or all(self._waits(world, member, name))) and (
                not copy.paused or copy.batch
            ):
                yield from self._listeners.calling(world, view, member, queue, copy)

    def rests(self, world: World, held: frozenset[tuple[str, str]], *, patient: bool) -> bool:
        """Whether nothing more happens by itself, except where something is held back at members and keys."""
        if any(self._entering(world, op_id, call) for op_id, call in world.calls.items()):
            return False
        if self._setting.parted and not self._lanes.rests(world, patient=patient):
            return False
        for (member, name), copy in world.wan.parallel.items():
            if member in world.wan.dead or copy.ended:
                continue
            if patient and copy.leaving:
                return False
            if copy.answer:
                gate = self._listeners.gate(world, member, copy)
                if gate is None or world.gates[gate] is not GateState.PARKED:
                    return False
                continue
            if copy.paused or any(self._waits(world, member, name)):
                continue
            if any(
                (member, key) not in held and must_offer(self._setting, world, member, (region, key))
                for region, key in {where_of(self._setting, event) for event in copy.events}
            ):
                return False
        return True

    def _waits(self, world: World, member: str, name: str) -> tuple[bool, ...]:
        """Whether a member's dispatcher waits for those of others, which have called their listeners."""
        calls = any(
            copy.answer
            for (other, queue), copy in world.wan.parallel.items()
            if queue == name and other not in world.wan.dead and other != member
        )
        return each(self._setting.book.waits_for_other_members(calls))

    def is_announced(self, world: World, where: Where) -> bool:
        """Whether some member still holds an event of a key whose removal was announced to it."""
        return self._lanes.is_announced(world, where) or any(
            event.op_id in copy.leaving
            for copy in world.wan.parallel.values()
            if copy.leaving
            for event in of_bucket(self._setting, copy.events, where)
        )

    def promoted(self, world: World, where: Where, heir: str) -> Iterator[World]:
        """The worlds in which a member has become primary of a key, with what it holds of its queue."""
        book = self._setting.book
        worlds = list(self._lanes.promoted(world, where, heir))
        for (member, name), copy in world.wan.parallel.items():
            of_key = of_bucket(self._setting, copy.events, where)
            ids = {event.op_id for event in of_key}
            if member in world.wan.dead or not of_key:
                continue
            # What the dead primary had still to announce is lost with it.
            known = replace(copy, leaving=tuple(one for one in copy.leaving if one not in ids))
            if member != heir:
                worlds = [with_copy(before, member, name, known) for before in worlds]
                continue
            worlds = [
                with_copy(before, member, name, replace(known, events=with_key(copy.events, of_key, kept)))
                for before in worlds
                for skipped in each(book.skipped_at_promotion(len(of_key)))
                for in_order in each(book.promoted_in_order())
                for kept in [of_key[skipped:] if in_order else of_key[skipped:][::-1]]
            ]
        yield from worlds

    def moved(self, world: World, where: Where, old: str, heir: str, *, whole: bool) -> Iterator[World]:
        """The worlds in which a living member has become primary of a key in place of another.

        Args:
            world: it is primary.
            where: region and key.
            old: who was primary.
            heir: who is.
            whole: whether it held no copy before; then the old primary holds none any more.
        """
        book = self._setting.book
        worlds = list(self._lanes.moved(world, where, old, heir, whole=whole))
        for queue in self._queues_of(where[0], heir):
            found = []
            for before in worlds:
                source = copy_of(before, old if whole else heir, queue.id)
                of_key = of_bucket(self._setting, source.events, where)
                for lost, goes in product(each(book.lost_in_move(len(of_key))), each(book.queue_moves_too())):
                    kept = of_key[lost:] if goes or not whole else ()
                    found.append(
                        self._taken(before, queue.id, of_key, kept, (old, heir), whole=whole and goes)
                    )
            worlds = found
        yield from worlds

    def _taken(
        self,
        world: World,
        name: str,
        of_key: tuple[Queued, ...],
        kept: tuple[Queued, ...],
        members: tuple[str, str],
        *,
        whole: bool,
    ) -> World:
        """The world in which the second member holds these events of a key, and no others of it.

        The first one holds none where the whole bucket has moved.
        """
        old, heir = members
        left, own = copy_of(world, old, name), copy_of(world, heir, name)
        if whole:
            rest = tuple(one for one in left.events if one not in of_key)
            world = with_copy(world, old, name, replace(left, events=rest))
        others = tuple(one for one in own.events if one not in of_key)
        events = tuple(sorted((*others, *kept), key=partial(where_of, self._setting)))
        ids = {event.op_id for event in kept}
        leaving = (*own.leaving, *(one for one in left.leaving if whole and one in ids))
        return with_copy(world, heir, name, replace(own, events=events, leaving=leaving))

    def _queues_of(self, region: str, member: str) -> list[QueueAttributes]:
        """The queues that a member runs and a region feeds."""
        site = self._setting.site_of.get(member)
        return [
            queue
            for queue in self._setting.parallel.values()
            if queue.site == site and queue.runs_on(member) and any(self._feeding.feeds_of(region, queue))
        ]

    def _entering(self, world: World, op_id: int, call: Call) -> list[Awaited]:
        """The queues that a call's event may enter now at the primary."""
        if call.stage is not CallStage.SENT or call.carrier in world.wan.dead:
            return []
        tokens = [one for one in call.waiting if isinstance(one, tuple) and one[1] in (ENTERS, AGAIN)]
        if not tokens:
            return []
        operation = self._setting.operations[op_id]
        bucket: Bucket = world.buckets[operation.region, operation.key]
        open_ = call.waiting - frozenset(tokens) - self._setting.caller(op_id)
        ways = each(self._setting.book.enters_primary(len(open_), len(bucket.copies)))
        return tokens if any(ways) else []

    def _entry_of(self, world: World, op_id: int, call: Call, awaited: Awaited) -> Iterator[Step]:
        name, how, at = awaited
        if how == AGAIN:
            yield from self._once_more(world, op_id, call, awaited)
            return
        operation = self._setting.operations[op_id]
        called = world.but(calls=world.calls.set(op_id, replace(call, waiting=call.waiting - {awaited})))
        if name in self._setting.parallel:
            queue = self._setting.parallel[name]
            ways = list(self._entered(called, at, operation, queue, update=call.update))
        else:
            lane = self._setting.queues[name]
            ways = list(self._lanes.entered(called, at, operation, lane, update=call.update))
        for after in ways:
            yield Step(
                ("enters the queue", at, name, op_id),
                after,
                claim=claims.ENTERS_QUEUE if len(ways) == 1 and not _tries_again(world) else None,
                # The call of a primary that dies first is tried again: carried out anew, or known to a copy.
                clashes=claims.LOOKED_AT | {crash_of(at)},
            )

    def _once_more(self, world: World, op_id: int, call: Call, awaited: Awaited) -> Iterator[Step]:
        """A new primary recognises a call that is tried again, or its event enters the queue once more."""
        name, _, at = awaited
        operation, queue = self._setting.operations[op_id], self._setting.parallel[name]
        known = world.but(calls=world.calls.set(op_id, replace(call, waiting=call.waiting - {awaited})))
        yield Step(("recognises", at, name, op_id), known)
        for number, after in enumerate(self._entered(known, at, operation, queue, update=True, again=True)):
            if after is not known:
                yield Step(("enters the queue once more", at, name, op_id, number), after, prefer=1)

    def _entered(
        self,
        world: World,
        member: str,
        operation: Operation,
        queue: QueueAttributes,
        *,
        update: bool,
        again: bool = False,
    ) -> Iterator[World]:
        """The worlds in which an event has entered a member's copy, where an operation of the kind does."""
        copy = copy_of(world, member, queue.id)
        ways = product(
            self._feeding.crossings(operation, queue, update=update),
            self._feeding.refusals(world, member, operation, queue),
        )
        for crosses, refused in ways:
            if (
                not crosses
                or refused
                or (not again and any(event.op_id == operation.op_id for event in copy.events))
            ):
                yield world
                continue
            event = Queued(
                operation.op_id,
                operation.kind,
                operation.token,
                queue.site,
                frozenset(),
                position=sum(event.op_id == operation.op_id for event in copy.events) if again else 0,
            )
            where = (operation.region, operation.key)
            of_key = of_bucket(self._setting, copy.events, where)
            events = (
                with_key(copy.events, of_key, (*of_key, event))
                if of_key
                else tuple(sorted((*copy.events, event), key=partial(where_of, self._setting)))
            )
            yield with_copy(world, member, queue.id, replace(copy, events=events))


def _tries_again(world: World) -> bool:
    """Whether the event of a call that is tried again may enter a queue once more, now or later."""
    return any(
        isinstance(one, tuple) and one[1] == AGAIN for call in world.calls.values() for one in call.waiting
    )
