"""Parallel queues: each member that holds primary buckets of a region dispatches for these (002).

Each bucket of the queue lies with one of its region, and here each key is a bucket. Owns which member holds
which event, when an event enters the primary's copy, and what others learn of its removal. How an update
comes to primaries and copies, and who takes over, `buckets` knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.listener_calls import QUEUE, SUCCESS
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import STORES_VALUE, EventKind, Operation, QueueAttributes
from plumbline.reference.model import claims
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.places import call_entry, call_place, listener_entry, without_mark
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.dependences import crash_of
from plumbline.reference.model.sites.marks import Marks
from plumbline.reference.model.sites.parallel_senders import ParallelSenders, dispatchers, hears
from plumbline.reference.model.sites.senders import Senders
from plumbline.reference.model.sites.site_state import ParallelCopy, Queued
from plumbline.reference.model.world import Bucket, Call, CallStage, GateState, World
from plumbline.reference.rulebook.effects import ARRIVES
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Entry, Step, View

ENTERS = "enters"
"""Stands, in what a call waits for, for its event's entry into the primary's copy of a queue."""

AGAIN = "again"
"""Stands there where a call is tried again on a new primary that knows it: its event may enter once more."""

Where = tuple[str, str]
Awaited = tuple[str, str, str]


class ParallelQueues:
    """The part of the model that fills and empties parallel queues."""

    def __init__(
        self, setting: Setting, lookahead: Lookahead, senders: Senders, lanes: ParallelSenders
    ) -> None:
        self._setting = setting
        self._marks = Marks(setting)
        self._lanes = lanes
        self._lookahead = lookahead
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
                yield from self._forgetting(world, view, member, queue, copy)
            if copy.answer:
                yield from self._answering(world, member, queue, copy)
            elif not (copy.ended or all(self._waits(world, member, name))) and (
                not copy.paused or copy.batch
            ):
                yield from self._calling(world, view, member, queue, copy)

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
                gate = self._gate(world, member, copy)
                if gate is None or world.gates[gate] is not GateState.PARKED:
                    return False
                continue
            if copy.paused or any(self._waits(world, member, name)):
                continue
            if any(
                (member, key) not in held and self._must_offer(world, member, (region, key))
                for region, key in {self._where(event) for event in copy.events}
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
            for event in self._of(copy.events, where)
        )

    def promoted(self, world: World, where: Where, heir: str) -> Iterator[World]:
        """The worlds in which a member has become primary of a key, with what it holds of its queue."""
        book = self._setting.book
        worlds = list(self._lanes.promoted(world, where, heir))
        for (member, name), copy in world.wan.parallel.items():
            of_key = self._of(copy.events, where)
            ids = {event.op_id for event in of_key}
            if member in world.wan.dead or not of_key:
                continue
            # What the dead primary had still to announce is lost with it.
            known = replace(copy, leaving=tuple(one for one in copy.leaving if one not in ids))
            if member != heir:
                worlds = [_with(before, member, name, known) for before in worlds]
                continue
            worlds = [
                _with(before, member, name, replace(known, events=_with_key(copy.events, of_key, kept)))
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
                source = _copy(before, old if whole else heir, queue.id)
                of_key = self._of(source.events, where)
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
        left, own = _copy(world, old, name), _copy(world, heir, name)
        if whole:
            rest = tuple(one for one in left.events if one not in of_key)
            world = _with(world, old, name, replace(left, events=rest))
        others = tuple(one for one in own.events if one not in of_key)
        events = tuple(sorted((*others, *kept), key=self._where))
        ids = {event.op_id for event in kept}
        leaving = (*own.leaving, *(one for one in left.leaving if whole and one in ids))
        return _with(world, heir, name, replace(own, events=events, leaving=leaving))

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
        copy = _copy(world, member, queue.id)
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
            of_key = self._of(copy.events, where)
            events = (
                _with_key(copy.events, of_key, (*of_key, event))
                if of_key
                else tuple(sorted((*copy.events, event), key=self._where))
            )
            yield _with(world, member, queue.id, replace(copy, events=events))

    def _dispatchers(self, world: World, where: Where) -> tuple[tuple[str, ...], ...]:
        """Which members dispatch the events of a key; none until another has taken a dead primary's part."""
        bucket: Bucket = world.buckets[where]
        return dispatchers(self._setting, world, bucket)

    def _must_offer(self, world: World, member: str, where: Where) -> bool:
        return all(member in some for some in self._dispatchers(world, where))

    def _calling(
        self, world: World, view: View, member: str, queue: QueueAttributes, copy: ParallelCopy
    ) -> Iterator[Step]:
        """The listener receives a batch of events of the member's primary buckets; the log fixes which."""
        book, place = self._setting.book, call_place(member, queue.id)
        keys = {
            where: self._of(copy.events, where)
            for where in dict.fromkeys(map(self._where, copy.events))
            if any(member in some for some in self._dispatchers(world, where))
        }
        if not keys:
            return
        due = view.due(place) if view.observed(place) else None
        if due is None and view.observed(place):
            return
        scripts = world.wan.scripts
        script: tuple[str, ...] = scripts.get((member, queue.id), ())
        answer = script[0] if script else SUCCESS
        if script:
            scripts = scripts.set((member, queue.id), script[1:])
        waiting = sum(map(len, keys.values()))
        most = max(each(book.batch_of(waiting, queue.batch_size)))
        # What has moved away, or left its bucket, comes again from another member, or does not.
        own = {event.op_id for of_key in keys.values() for event in of_key}
        failed = {event.op_id for event in copy.batch if not copy.ended} & own
        batches = (
            self._shown_batches(world, member, keys, due, most)
            if due is not None
            else self._any_batches(world, member, keys, copy, most)
        )
        for number, (batch, entry) in enumerate(batches):
            if not failed <= {event.op_id for event in batch}:
                continue
            called = replace(copy, batch=batch, answer=answer)
            told = self._marks.noted(_with(world, member, queue.id, called), member, queue, batch)
            shown = list(self._marks.marked(world, member, queue, batch, entry, due))
            for after, marked in product(self._announced(told, member, queue, batch, "offered"), shown):
                yield Step(
                    ("calls listener", member, queue.id, f"{number:02}", batch[0].op_id),
                    after.but(wan=replace(after.wan, scripts=scripts)),
                    ((place, call_entry(marked, answer)),),
                    claims.CALL_IN_PARALLEL if view.observed(place) else None,
                )

    def _shown_batches(
        self,
        world: World,
        member: str,
        keys: dict[Where, tuple[Queued, ...]],
        due: Entry,
        most: int,
    ) -> Iterator[tuple[tuple[Queued, ...], tuple[Entry, ...]]]:
        """The batches that the log may show next: each event is the next of its key."""
        entries: tuple[Entry, ...] = tuple(without_mark(one)[0] for one in due[0])  # type: ignore[index]
        if not 1 <= len(entries) <= most:
            return

        def drawn(left: dict[Where, tuple[Queued, ...]], number: int) -> Iterator[tuple[Queued, ...]]:
            if number == len(entries):
                yield ()
                return
            for where, of_key in left.items():
                for place in _places(self._setting, len(of_key)):
                    event = of_key[place]
                    if entries[number] not in self._entries(world, member, event):
                        continue
                    rest = {**left, where: of_key[:place] + of_key[place + 1 :]}
                    for others in drawn(rest, number + 1):
                        yield event, *others

        for batch in drawn(keys, 0):
            yield batch, entries

    def _any_batches(
        self,
        world: World,
        member: str,
        keys: dict[Where, tuple[Queued, ...]],
        copy: ParallelCopy,
        most: int,
    ) -> Iterator[tuple[tuple[Queued, ...], tuple[Entry, ...]]]:
        """Some of the batches that a system may offer: in the order of the calls, key by key, and fewer."""
        own = {event for of_key in keys.values() for event in of_key}
        again = tuple(event for event in copy.batch if event in own)
        for place in _places(self._setting, max(map(len, keys.values()))):
            turned = {
                where: (*of_key[place : place + 1], *of_key[:place], *of_key[place + 1 :])
                for where, of_key in keys.items()
            }
            merged = _merged(turned)
            by_key = [event for where in sorted(turned, reverse=True) for event in turned[where]]
            for order in (merged, by_key):
                behind = [event for event in order if event not in again]
                for count in range(most, max(len(again), 1) - 1, -1):
                    batch = (*again, *behind)[:count]
                    for entry in product(*(self._entries(world, member, event) for event in batch)):
                        yield batch, entry

    def _entries(self, world: World, member: str, event: Queued) -> tuple[Entry, ...]:
        """What a listener's log may show of an event."""
        operation = self._setting.operations[event.op_id]
        tokens = (event.token if self._setting.identified else None,)
        if event.kind in STORES_VALUE:
            entry = world.entry(member, operation.region, operation.key)
            current = entry.token if entry.state is EntryState.LIVE else None
            tokens = each(self._setting.book.value_offered(event.token, current))
        _, kind = ARRIVES.get(event.kind, (None, EventKind.CLEAR))
        return tuple(listener_entry(operation.region, operation.key, kind, token) for token in tokens)

    def _answering(
        self, world: World, member: str, queue: QueueAttributes, copy: ParallelCopy
    ) -> Iterator[Step]:
        """The listener stands at a gate, or answers: the batch has left the queue, or will come again."""
        gate = self._gate(world, member, copy)
        if gate is not None:
            if world.gates[gate] is GateState.ARMED:
                stands = world.but(gates=world.gates.set(gate, GateState.PARKED))
                yield Step(("listener stands at gate", member, gate[1]), stands, (), claims.CALL_IN_PARALLEL)
            return
        ways = list(self._answered(world, member, queue, copy))
        for after in ways:
            yield Step(
                ("listener answers", member, queue.id, copy.answer),
                after,
                (),
                claims.CALL_IN_PARALLEL if len(ways) == 1 else None,
                clashes=claims.LOOKED_AT,
            )

    def _answered(
        self, world: World, member: str, queue: QueueAttributes, copy: ParallelCopy
    ) -> Iterator[World]:
        book, batch = self._setting.book, copy.batch
        done = replace(copy, answer="", batch=(), failures=0)
        for removed, goes_on in product(
            each(book.removed_by_answer(copy.answer, len(batch), 0)), each(book.goes_on_after(copy.answer))
        ):
            kept = replace(done, ended=not goes_on)
            if removed or copy.answer == SUCCESS:
                gone = batch[:removed]
                left = tuple(event for event in copy.events if event not in gone)
                after = _with(world, member, queue.id, replace(kept, events=left))
                yield from self._announced(after, member, queue, gone, "done")
                continue
            for again in each(book.offers_again(copy.failures + 1)):
                left = copy.events if again else tuple(one for one in copy.events if one not in batch)
                failed = replace(kept, events=left, failures=copy.failures + 1)
                after = _with(world, member, queue.id, replace(failed, batch=batch if again else ()))
                yield from self._announced(after, member, queue, batch, "failed")

    def _announced(
        self, world: World, member: str, queue: QueueAttributes, batch: tuple[Queued, ...], state: str
    ) -> Iterator[World]:
        """The worlds in which other members are to remove what a batch holds, in that state of it.

        A message that comes too early, as none should, has arrived before anything else happens.
        """
        book = self._setting.book
        for is_named in each(book.named_in_removal(state)):
            if not is_named:
                yield world
                continue
            for count in each(book.named_of_batch(len(batch))):
                worlds = [world]
                for (other, name), copy in world.wan.parallel.items():
                    if name == queue.id and other != member and other not in world.wan.dead:
                        worlds = [
                            after
                            for before in worlds
                            for gone in self._heard(world, other, batch[:count])
                            for after in self._cut(before, other, name, copy, gone, at_once=state != "done")
                        ]
                yield from worlds

    def _heard(self, world: World, member: str, gone: tuple[Queued, ...]) -> Iterator[tuple[Queued, ...]]:
        """Which of some removals a member hears of."""
        ways = [hears(self._setting, world, self._where(event), member) for event in gone]
        for heard in product(*ways):
            yield tuple(event for event, is_heard in zip(gone, heard, strict=True) if is_heard)

    def _cut(
        self,
        world: World,
        member: str,
        name: str,
        copy: ParallelCopy,
        gone: tuple[Queued, ...],
        *,
        at_once: bool,
    ) -> Iterator[World]:
        """The worlds in which a member is to remove what a message names, as far as its copy holds it."""
        ids, keys = {event.op_id for event in gone}, {self._where(event) for event in gone}
        named = tuple(event.op_id for event in copy.events if event.op_id in ids)
        rest = [event for event in copy.events if event.op_id not in ids]
        own = tuple(event.op_id for event in rest if self._where(event) in keys)
        others = tuple(event.op_id for event in rest if self._where(event) not in keys)
        for cut in each(self._setting.book.cut_from_copies(named, own, others)):
            if at_once:
                left = tuple(event for event in copy.events if event.op_id not in cut)
                yield _with(world, member, name, replace(copy, events=left))
            else:
                leaving = tuple(one for one in cut if one not in copy.leaving)
                yield _with(world, member, name, replace(copy, leaving=(*copy.leaving, *leaving)))

    def _forgetting(
        self, world: World, view: View, member: str, queue: QueueAttributes, copy: ParallelCopy
    ) -> Iterator[Step]:
        """A copy receives that an event has left the queue, in the order of its key.

        Only a look at the copy shows when that was, and a primary's death. So it is received no sooner.
        """
        waits = view.reduced and self._lookahead.waits_for_all(view)
        seen = self._lookahead.copy_is_looked_at_now(world, member, queue.id)
        for op_id in copy.leaving:
            event = next(one for one in copy.events if one.op_id == op_id)
            bucket: Bucket = world.buckets[self._where(event)]
            if self._of(copy.events, self._where(event))[0] != event:
                continue
            lives = bucket.primary not in world.wan.dead
            # Who has become primary dispatches what it has not heard of by then.
            leads = bucket.primary == member
            if view.reduced and not (seen or waits or leads) and lives:
                continue
            left = replace(
                copy,
                events=tuple(one for one in copy.events if one != event),
                leaving=tuple(one for one in copy.leaving if one != op_id),
            )
            yield Step(
                ("learns of a removal", member, queue.id, op_id),
                _with(world, member, queue.id, left),
                claim=claims.REMOVAL if waits and lives and not (seen or leads) else None,
                clashes=claims.LOOKED_AT | {crash_of(bucket.primary)},
            )

    def _gate(self, world: World, member: str, copy: ParallelCopy) -> tuple[str | int, ...] | None:
        """The first gate at which the call under way stands, or is to stand; None if there is none."""
        for event in copy.batch:
            gate = Gate(member, event.op_id, QUEUE).place
            if world.gates.get(gate, GateState.OPEN) is not GateState.OPEN:
                return gate
        return None

    def _where(self, event: Queued) -> Where:
        operation = self._setting.operations[event.op_id]
        return operation.region, operation.key

    def _of(self, events: tuple[Queued, ...], where: Where) -> tuple[Queued, ...]:
        """Those of the events that are of one key."""
        return tuple(event for event in events if self._where(event) == where)


def paused(world: World, member: str, queue: str, *, pauses: bool) -> World:
    """The world in which a member begins no further batch of a queue, or does so again."""
    return _with(world, member, queue, replace(_copy(world, member, queue), paused=pauses))


def without(world: World, member: str) -> World:
    """The world in which what a member held of parallel queues is gone with it."""
    parallel = world.wan.parallel
    for holder, name in world.wan.parallel:
        if holder == member:
            parallel = parallel.delete((holder, name))
    return world.but(wan=replace(world.wan, parallel=parallel))


def held_events(world: World, member: str, queue: str) -> tuple[Queued, ...]:
    """The events of a queue that lie on a member."""
    return _copy(world, member, queue).events


def _tries_again(world: World) -> bool:
    """Whether the event of a call that is tried again may enter a queue once more, now or later."""
    return any(
        isinstance(one, tuple) and one[1] == AGAIN for call in world.calls.values() for one in call.waiting
    )


def _copy(world: World, member: str, queue: str) -> ParallelCopy:
    copy: ParallelCopy = world.wan.parallel.get((member, queue), _EMPTY)
    return copy


_EMPTY = ParallelCopy()


def _with(world: World, member: str, queue: str, copy: ParallelCopy) -> World:
    if copy.leaving:
        ids = {event.op_id for event in copy.events}
        copy = replace(copy, leaving=tuple(one for one in copy.leaving if one in ids))
    parallel = world.wan.parallel
    known = parallel.delete((member, queue)) if (member, queue) in parallel else parallel
    if copy != _EMPTY:
        known = parallel.set((member, queue), copy)
    return world.but(wan=replace(world.wan, parallel=known))


def _with_key(
    events: tuple[Queued, ...], before: tuple[Queued, ...], after: tuple[Queued, ...]
) -> tuple[Queued, ...]:
    """The events with those of one key, which stand together, in the place of others of it."""
    start = events.index(before[0])
    return (*events[:start], *after, *events[start + len(before) :])


def _places(setting: Setting, count: int) -> tuple[int, ...]:
    """At which places of so many events of a key the next one may stand."""
    return tuple(
        dict.fromkeys(min(place, count - 1) for place in each(setting.book.next_of_bucket(count)) if count)
    )


def _merged(keys: dict[Where, tuple[Queued, ...]]) -> list[Queued]:
    """All events, those of a key in its order, else in the order in which they were called."""
    left = {where: list(of_key) for where, of_key in keys.items()}
    found = []
    while any(left.values()):
        where = min((w for w in left if left[w]), key=lambda w: left[w][0].op_id)
        found.append(left[where].pop(0))
    return found
