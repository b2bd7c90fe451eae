"""Local changes: when the change of a member's own entry is the only successor, and when it waits.

The steps are in `plumbline.reference.model.callers`. Knows what the logs show and what is still to come.
"""

from __future__ import annotations

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import Operation
from plumbline.reference.model import claims
from plumbline.reference.model.collecting import in_doubt
from plumbline.reference.model.described_steps import LocalChange
from plumbline.reference.model.independence import POSTPONED, Priority
from plumbline.reference.model.lookahead import Lookahead, Ternary
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import World, to_go_on
from plumbline.reference.reduction.condition import Conditions, condition
from plumbline.reference.search.transition import Claim


class ChangeFixedByLog(Conditions):
    """The log fixes which change of the key comes next on this member, and no other step depends on it."""

    def __init__(self, setting: Setting, lookahead: Lookahead, strength: OrderStrength) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._strength = strength
        self._asked: tuple[LocalChange | None, Ternary] = (None, Ternary.MAYBE)

    def reader(self, change: LocalChange) -> Ternary:
        """Whether a call reads the entry before the change; the last answer is kept, as it is asked twice."""
        if self._asked[0] is not change:
            operation = change.operation
            comes = self._lookahead.reader_to_come(
                change.world, change.view.now, operation.member, operation, change.entry
            )
            self._asked = (change, comes)
        return self._asked[1]

    @condition("a change is made though nobody saw the log")
    def _the_log_is_recorded(self, change: LocalChange) -> bool:
        """A member that was never observed has no log that could fix an order."""
        return change.view.observed(change.place)

    @condition("a change is made though its event has no token")
    def _the_event_names_the_operation(self, change: LocalChange) -> bool:
        """Any of several operations may be meant by an event without a token."""
        return change.has_token

    @condition("a change is made though its event is not in the log of its key")
    def _the_event_is_in_the_log_of_its_key(self, change: LocalChange) -> bool:
        """An event that is shown at a place of its own says nothing of the order of the others."""
        return not change.told_apart

    @condition("a change is made though the log is in order per thread")
    def _the_log_orders_threads(self, _: LocalChange) -> bool:
        """In a log that orders each thread alone, changes of two threads may come in either order."""
        return self._strength is not OrderStrength.PER_KEY_AND_THREAD

    @condition("a change is made though somebody may still read")
    def _no_call_reads_first(self, change: LocalChange) -> bool:
        """A call that has yet to read the entry may have read what was there before."""
        return self.reader(change) is Ternary.NO

    @condition("a change is made though a silent one may come")
    def _no_silent_change_comes_first(self, change: LocalChange) -> bool:
        """A change that no listener receives may come before this one, and the log does not show it."""
        return not self._lookahead.silent_change_to_come(
            change.world, change.view.now, change.operation.member, change.operation, change.entry
        )

    @condition("clients hear nothing in front of what is called")
    def _no_client_receives_unannounced_events_first(self, change: LocalChange) -> bool:
        """A server may send its clients an event that its own listener does not receive, before this one."""
        member = change.operation.member
        return not self._setting.serves(member) or not self._lookahead.clients.whisper_to_come(
            change.world, change.view.now, member, change.operation
        )

    @condition("nobody fetches what a server is about to call")
    def _no_client_fetches_first(self, change: LocalChange) -> bool:
        """A client that starts anew fetches what its server holds at that time."""
        member = change.operation.member
        return not self._setting.serves(member) or not self._lookahead.clients.starts_anew(
            change.world, change.view, member
        )

    @condition("a change is made though a client may come or go")
    def _no_life_of_a_client_begins_or_ends_first(self, change: LocalChange) -> bool:
        """What a durable client is sent in which life depends on which changes came before it."""
        member = change.operation.member
        return not self._setting.serves(member) or not self._lookahead.clients.changes_life(
            change.world, change.view.now, member, change.operation
        )

    @condition("a change is made whatever servers queue for durable clients")
    def _durable_clients_are_as_documented(self, _: LocalChange) -> bool:
        """Servers that queue in another order make it matter when an event enters a queue."""
        return self._setting.durable_as_documented or not self._setting.durable

    @condition("a change is made though it may matter when")
    def _tombstones_and_clears_do_not_depend_on_it(self, change: LocalChange) -> bool:
        """What a collection or a clear finds depends on which changes came before it."""
        member = change.operation.member
        return not in_doubt(
            self._setting, self._lookahead, change.world, change.view.now, member, change.operation
        )


class LocalChanges:
    """The reduction of changes that operations make on their own member, of readings and of sending."""

    def __init__(self, setting: Setting, lookahead: Lookahead, strength: OrderStrength) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._fixed = ChangeFixedByLog(setting, lookahead, strength)

    def local_change(self, change: LocalChange) -> Priority:
        """See `Independence`. A change waits for a call that certainly reads the entry before it."""
        reader = self._fixed.reader(change)
        if reader is Ternary.YES and change.view.reduced and self._setting.stamps_grow:
            return POSTPONED
        if not self._fixed.hold(change):
            return None
        return claims.SHOW_AND_SEND if self._setting.serves(change.operation.member) else self._setting.show

    def dependences(self, change: LocalChange) -> frozenset[str]:
        """See `Independence`."""
        found, operation = self._setting.changes_queues, change.operation
        if change.world.calls[operation.op_id].indefinite:
            found |= claims.LOOKED_AT_IN_ORDER  # nothing that settles waits for it
        if self._setting.is_shared(operation.region, operation.key):
            found |= claims.REPEATED_SHOWS  # what is sent again yields to what is under way
        return found

    def reading(self, operation: Operation) -> Claim | None:
        """See `Independence`."""
        return claims.READ if self._lookahead.only_reads(operation) else None

    def sending(self, world: World, operation: Operation) -> Claim | None:
        """See `Independence`. Messages of one thread to one member keep their order."""
        overtaken = self._setting.overtaken
        waits = overtaken and any(
            op_id in overtaken and self._setting.operations[op_id].thread == operation.thread
            for op_id, _ in to_go_on(world.calls)
        )
        return None if waits else claims.SEND
