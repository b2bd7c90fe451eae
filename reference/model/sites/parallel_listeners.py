"""Listeners of parallel queues: each member offers events of its primary buckets.

Knows batches and answers; what other members learn of them `parallel_removals` knows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.listener_calls import QUEUE, SUCCESS
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import STORES_VALUE, EventKind, QueueAttributes
from plumbline.reference.model import claims
from plumbline.reference.model.places import call_entry, call_place, listener_entry, without_mark
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.marks import Marks
from plumbline.reference.model.sites.parallel_copies import (
    Where,
    dispatchers_of,
    merged,
    of_bucket,
    where_of,
    with_copy,
)
from plumbline.reference.model.sites.parallel_removals import ParallelRemovals
from plumbline.reference.model.sites.site_state import ParallelCopy, Queued
from plumbline.reference.model.world import GateState, World
from plumbline.reference.rulebook.effects import ARRIVES
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Entry, Step, View


class ParallelListeners:
    """The part of the model that calls listeners of parallel queues."""

    def __init__(self, setting: Setting, removals: ParallelRemovals) -> None:
        self._setting = setting
        self._removals = removals
        self._marks = Marks(setting)

    def calling(
        self, world: World, view: View, member: str, queue: QueueAttributes, copy: ParallelCopy
    ) -> Iterator[Step]:
        """The listener receives a batch of events of the member's primary buckets; the log fixes which."""
        book, place = self._setting.book, call_place(member, queue.id)
        keys = {
            where: of_bucket(self._setting, copy.events, where)
            for where in dict.fromkeys(map(partial(where_of, self._setting), copy.events))
            if any(member in some for some in dispatchers_of(self._setting, world, where))
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
            told = self._marks.noted(with_copy(world, member, queue.id, called), member, queue, batch)
            shown = list(self._marks.marked(world, member, queue, batch, entry, due))
            for after, marked in product(
                self._removals.announced(told, member, queue, batch, "offered"), shown
            ):
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
            in_order = merged(turned)
            by_key = [event for where in sorted(turned, reverse=True) for event in turned[where]]
            for order in (in_order, by_key):
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

    def answering(
        self, world: World, member: str, queue: QueueAttributes, copy: ParallelCopy
    ) -> Iterator[Step]:
        """The listener stands at a gate, or answers: the batch has left the queue, or will come again."""
        gate = self.gate(world, member, copy)
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
                after = with_copy(world, member, queue.id, replace(kept, events=left))
                yield from self._removals.announced(after, member, queue, gone, "done")
                continue
            for again in each(book.offers_again(copy.failures + 1)):
                left = copy.events if again else tuple(one for one in copy.events if one not in batch)
                failed = replace(kept, events=left, failures=copy.failures + 1)
                after = with_copy(world, member, queue.id, replace(failed, batch=batch if again else ()))
                yield from self._removals.announced(after, member, queue, batch, "failed")

    def gate(self, world: World, member: str, copy: ParallelCopy) -> tuple[str | int, ...] | None:
        """The first gate at which the call under way stands, or is to stand; None if there is none."""
        for event in copy.batch:
            gate = Gate(member, event.op_id, QUEUE).place
            if world.gates.get(gate, GateState.OPEN) is not GateState.OPEN:
                return gate
        return None


def _places(setting: Setting, count: int) -> tuple[int, ...]:
    """At which places of so many events of a key the next one may stand."""
    return tuple(
        dict.fromkeys(min(place, count - 1) for place in each(setting.book.next_of_bucket(count)) if count)
    )
