"""Listeners: the dispatcher of an asynchronous event queue, which calls a listener and goes by its answer.

The queue itself, its copies, and how others learn of a removal are those of gateway senders. A call is under
way from the step that shows it to its answer; the batch is what stands at the head of the queue meanwhile.
Knows what listeners were told to answer; knows nothing of connections.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.listener_calls import QUEUE, SUCCESS
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import STORES_VALUE, EventKind, QueueAttributes
from plumbline.reference.model import claims
from plumbline.reference.model.places import call_entry, call_place, listener_entry
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.filters import EventFilters
from plumbline.reference.model.sites.marks import Marks
from plumbline.reference.model.sites.site_state import Queued, Sender
from plumbline.reference.model.world import GateState, World
from plumbline.reference.rulebook.effects import ARRIVES
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.transition import Entry, Place, Step, View


class Listeners:
    """The part of the model that calls listeners of asynchronous event queues."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._filters = EventFilters(setting)
        self._marks = Marks(setting)

    def steps(
        self, world: World, view: View, member: str, queue: QueueAttributes, sender: Sender
    ) -> Iterator[Step]:
        """The listener is called, stands at a gate, or answers."""
        if sender.ended or sender.heard:
            return
        if sender.answer:
            yield from self._answering(world, member, queue, sender)
        elif (
            sender.queue
            and (not sender.paused or sender.failed)
            and not all(waits_for_others(self._setting, world, member, queue))
        ):
            yield from self._calling(world, view, member, queue, sender)

    def idle(self, world: World, member: str, queue: QueueAttributes, sender: Sender) -> bool:
        """Whether the dispatcher has nothing to do unless something else happens first.

        A queue that is paused may offer once more what has failed, as no document says that it does not.
        """
        if sender.ended:
            return True
        if sender.answer:
            gate = self._gate(world, member, sender)
            return gate is not None and world.gates[gate] is GateState.PARKED
        if not sender.queue or sender.paused:
            return True
        return any(waits_for_others(self._setting, world, member, queue))

    def shown_of_nothing(
        self, member: str, queue: QueueAttributes, sender: Sender
    ) -> tuple[tuple[tuple[Place, Entry], ...], ...]:
        """What a removal shows that leaves a queue empty: nothing; else a call without any event."""
        if queue.remote_site is not None or sender.queue:
            return ((),)
        nothing = ((call_place(member, queue.id), call_entry((), SUCCESS)),)
        return tuple(nothing if offers else () for offers in each(self._setting.book.offers_nothing()))

    def _calling(
        self, world: World, view: View, member: str, queue: QueueAttributes, sender: Sender
    ) -> Iterator[Step]:
        """The listener receives a batch; the log fixes which events those are."""
        scripts = world.wan.scripts
        script: tuple[str, ...] = scripts.get((member, queue.id), ())
        answer = script[0] if script else SUCCESS
        if script:
            scripts = scripts.set((member, queue.id), script[1:])
        for queued, count, most in self._batches(queue, sender):
            called = replace(sender, queue=queued, sent=count, answer=answer)
            if self._filters.blocks(queue, called, 0):
                return
            yield from self._calls(world, view, member, queue, called, most, scripts)

    def _calls(
        self,
        world: World,
        view: View,
        member: str,
        queue: QueueAttributes,
        called: Sender,
        most: int,
        scripts: HashedMap[tuple[str, str], tuple[str, ...]],
    ) -> Iterator[Step]:
        """The listener is called with a batch, without what the queue's filter withholds of it."""
        place, count, answer = call_place(member, queue.id), called.sent, called.answer
        for batch in self._let_through(queue, called):
            if not batch:
                left = replace(called, sent=count, heard=count, answer="")
                yield Step(
                    ("withholds batch", member, queue.id, f"{most - count} fewer"),
                    with_sender(world, member, queue.id, left),
                )
                continue
            removes, orders = (
                each(self._setting.book.removes_when_offered()),
                each(self._setting.book.offered_in_order(called.failed > 0)),
            )
            due = view.due(place) if view.observed(place) else None
            for early, in_order, tokens in product(
                removes, orders, product(*(self._values(world, member, event) for event in batch))
            ):
                after = _without_batch(called, called.queue[:count]) if early else called
                told = with_sender(world, member, queue.id, after)
                told = told.but(wan=replace(told.wan, scripts=scripts))
                told = self._marks.noted(told, member, queue, batch)
                entries = [self._shown(event, token) for event, token in zip(batch, tokens, strict=True)]
                for shown in self._marks.marked(world, member, queue, batch, entries, due):
                    entry = call_entry(shown if in_order else shown[::-1], answer)
                    yield Step(
                        ("calls listener", member, queue.id, f"{most - count} fewer", batch[0].op_id),
                        told,
                        ((place, entry),),
                        claims.CALL if view.observed(place) and not self._setting.filtering else None,
                    )

    def _let_through(self, queue: QueueAttributes, called: Sender) -> Iterator[tuple[Queued, ...]]:
        """What a queue's filter leaves of the batch at its head."""
        batch = called.queue[: called.sent]
        ways = (self._filters.withholds(queue, called, place) for place in range(called.sent))
        for withheld in product(*ways):
            yield tuple(event for event, out in zip(batch, withheld, strict=True) if not out)

    def _batches(
        self, queue: QueueAttributes, sender: Sender
    ) -> Iterator[tuple[tuple[Queued, ...], int, int]]:
        """The queue with the batch at its head, how many events that holds, and at most could hold.

        What has failed comes again whole, with more behind it or not. Time runs, and nothing tells for how
        much a batch has waited.
        """
        book, waiting = self._setting.book, sender.queue
        for start in each(book.offered_from(sender.failed, len(waiting))):
            rest = waiting[start:]
            for full in each(book.batch_of(len(rest), queue.batch_size)):
                for least, most in each(book.sizes_offered(sender.failed, full)):
                    for count in range(most, max(min(least, most), 1) - 1, -1):
                        yield (*rest[:count], *waiting[:start], *rest[count:]), count, most

    def _values(self, world: World, member: str, event: Queued) -> tuple[str | None, ...]:
        """The tokens that an event may be offered with."""
        if event.kind not in STORES_VALUE:
            return (event.token if self._setting.identified else None,)
        operation = self._setting.operations[event.op_id]
        entry = world.entry(member, operation.region, operation.key)
        current = entry.token if entry.state is EntryState.LIVE else None
        return each(self._setting.book.value_offered(event.token, current))

    def _shown(self, event: Queued, token: str | None) -> Entry:
        operation = self._setting.operations[event.op_id]
        _, kind = ARRIVES.get(event.kind, (None, EventKind.CLEAR))
        return listener_entry(operation.region, operation.key, kind, token)

    def _answering(self, world: World, member: str, queue: QueueAttributes, sender: Sender) -> Iterator[Step]:
        """The listener stands at a gate, or answers; and the batch is about to leave, or will come again."""
        gate = self._gate(world, member, sender)
        if gate is not None:
            if world.gates[gate] is GateState.ARMED:
                stands = world.but(gates=world.gates.set(gate, GateState.PARKED))
                yield Step(("listener stands at gate", member, gate[1]), stands, (), claims.CALL)
            return
        ways = list(self._answered(sender))
        for after in ways:
            yield Step(
                ("listener answers", member, queue.id, sender.answer),
                with_sender(world, member, queue.id, after),
                (),
                claims.CALL if len(ways) == 1 else None,
            )

    def _answered(self, sender: Sender) -> Iterator[Sender]:
        """The dispatcher that has its listener's answer."""
        book, offered, answer = self._setting.book, sender.sent, sender.answer
        for removed, goes_on in product(
            each(book.removed_by_answer(answer, offered, sender.failed)), each(book.goes_on_after(answer))
        ):
            done = replace(sender, answer="", sent=0, failed=0, failures=0, ended=not goes_on, batch=())
            if sender.batch:
                yield done
                continue
            if answer == SUCCESS or removed:
                yield replace(done, heard=min(removed, offered))
                continue
            failures = sender.failures + 1
            for again in each(book.offers_again(failures)):
                if again:
                    yield replace(done, failed=offered, failures=failures)
                else:
                    yield replace(_without_batch(done, sender.queue[:offered]), batch=())

    def _gate(self, world: World, member: str, sender: Sender) -> tuple[str | int, ...] | None:
        """The first gate at which the call under way stands, or is to stand; None if there is none."""
        for event in sender.batch or sender.queue[: sender.sent]:
            gate = Gate(member, event.op_id, QUEUE).place
            if world.gates.get(gate, GateState.OPEN) is not GateState.OPEN:
                return gate
        return None


def waits_for_others(setting: Setting, world: World, member: str, queue: QueueAttributes) -> tuple[bool, ...]:
    """Whether the dispatcher of a queue waits for another queue's listener on its member."""
    waits = each(setting.book.waits_for_other_listeners(queue.remote_site is None))
    stuck = any(waits) and any(
        at == member and name != queue.id and one.answer for (at, name), one in world.wan.senders.items()
    )
    return waits if stuck else (False,)


def scripted(world: World, member: str, queue: str, answers: tuple[str, ...]) -> World:
    """The world in which the listener of a queue on a member is to answer so from its next call on."""
    scripts = world.wan.scripts.set((member, queue), answers)
    return world.but(wan=replace(world.wan, scripts=scripts))


def _without_batch(sender: Sender, batch: tuple[Queued, ...]) -> Sender:
    """The dispatcher whose queue has lost a batch that was not answered, as none should."""
    gone = {event.op_id for event in batch}
    kept = tuple(event for event in sender.queue if event.op_id not in gone)
    mark = max((sender.mark, *(event.position for event in batch)))
    return replace(sender, queue=kept, sent=0, mark=mark, batch=batch)
