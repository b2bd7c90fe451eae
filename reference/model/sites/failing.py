"""Failing: what becomes of an event that the cache writer of its receiver refuses.

Document 000 has the failed event reported and removed, and all others delivered (L39). Document 002 has the
receiver try it again where the sender is to keep what failed (L107). Knows connections and writers; knows
nothing of how an event is applied.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation, QueueAttributes
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.alerts import with_failed
from plumbline.reference.model.sites.site_state import Connection, Queued, WireName
from plumbline.reference.model.sites.wires import ended, with_wire
from plumbline.reference.model.world import World
from plumbline.reference.model.writers import refuses
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step


class Failing:
    """The part of a receiver that fails to apply events."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def fails(self, world: World, member: str, operation: Operation) -> bool:
        """Whether an event cannot be applied on a member."""
        return refuses(world, member, operation)

    def steps(self, world: World, name: WireName, rest: Connection, event: Queued) -> Iterator[Step]:
        """Reporting the failure; nothing happens where the receiver tries the event again and again.

        Args:
            world: the state of the system.
            name: the connection on which the event came.
            rest: the connection without the event.
            event: what cannot be applied.
        """
        book, member = self._setting.book, rest.receiver
        ahead = self._answered_ahead(name, replace(rest, events=(event, *rest.events)))
        if ahead is not None:
            yield Step(("answers ahead", member, event.op_id), with_wire(world, name, ahead))
        if all(self._retries(name)):
            return
        failed = self.reported(world, member, failed=True)
        ways = product(failed, each(book.goes_on_behind_failed()), each(book.answers_failed()))
        for told, goes_on, answers in ways:
            left = rest if goes_on else replace(rest, events=())
            left = with_failed(self._setting, ended(left) if answers else left, event)
            for _ in () if goes_on else rest.events:
                left = ended(left)
            yield Step(("fails to apply", member, event.op_id), with_wire(told, name, left))

    def reported(self, world: World, member: str, *, failed: bool) -> Iterator[World]:
        """The worlds in which a receiver has reported whether an event failed."""
        if not self._setting.refuses_received:
            yield world
            return
        already = world.wan.failures.get(member, 0)
        for more in each(self._setting.book.failures_reported(failed, already)):
            yield (
                world.but(wan=replace(world.wan, failures=world.wan.failures.set(member, already + more)))
                if more
                else world
            )

    def tried_first(self, world: World, name: WireName, wire: Connection) -> range:
        """The places of the events that may be dealt with next, where the first is tried again."""
        waits = self._is_tried_again(world, name, wire) and not all(
            each(self._setting.book.waits_behind_retried())
        )
        return range(1, len(wire.events)) if waits else range(0)

    def rests(self, world: World, name: WireName, wire: Connection) -> bool:
        """Whether nothing happens on a connection but that its first event is tried again."""
        return (
            self._is_tried_again(world, name, wire)
            and not self.tried_first(world, name, wire)
            and self._answered_ahead(name, wire) is None
        )

    def withholds(self, world: World, queue: QueueAttributes, sender: str, number: int) -> bool:
        """Whether what was applied may wait for its answer.

        It may be of one batch with an event that is tried again, which has no answer meanwhile (002, L107).
        """
        name = WireName(queue.id, sender, number)
        wire = world.wan.wires[name]
        return wire.replies < queue.batch_size and self.rests(world, name, wire)

    def _answered_ahead(self, name: WireName, wire: Connection) -> Connection | None:
        """The connection once its first event is answered before it succeeds, as it should not."""
        if wire.early or wire.broken or not any(each(self._setting.book.answers_before_success())):
            return None
        if not any(self._retries(name)):
            return None
        return replace(wire, replies=wire.replies + 1, early=1)

    def _is_tried_again(self, world: World, name: WireName, wire: Connection) -> bool:
        if not wire.events or wire.busy is not None or not any(self._retries(name)):
            return False
        return self.fails(world, wire.receiver, self._setting.carried(wire.events[0]))

    def _retries(self, name: WireName) -> tuple[bool, ...]:
        keeps = not self._setting.queues[name.queue].remove_on_exception
        book = self._setting.book
        return each(book.retries_kept(keeps)) if keeps else each(book.tries_failed_again())
