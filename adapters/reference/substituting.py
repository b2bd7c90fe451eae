"""Which values the reference shows, where a queue's filter gives events substitutes.

A value that was put, and the filters that its event has passed, say what is shown. So the model carries none,
and each value is looked up where it is shown. Knows a rulebook that has substitutes lost, as none should be.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.adapters.reference.comings import Comings, Place
from plumbline.reference.history.listener_calls import QueueCall
from plumbline.reference.history.operations import (
    STORES_VALUE,
    Event,
    EventKind,
    Operation,
    OperationKind,
    QueueAttributes,
)
from plumbline.reference.history.substitutes import substitute
from plumbline.reference.history.views import RegionViews
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.lanes import sender_of
from plumbline.reference.model.sites.site_state import Sender
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each

_VALUED = (EventKind.CREATE, EventKind.UPDATE)
_STORES = STORES_VALUE | {OperationKind.PUT_ALL}
_OFFERED, _SENT = False, True
"""Whether an event crosses to another site, or its queue has a listener."""

_OF_SITE, _OF_OTHER = True, False
_RECEIVED, _READ = False, True
_NO_SENDER = Sender()


class ShownSubstitutes:
    """The values of all events and reads of one example."""

    def __init__(self, setting: Setting, comings: Comings) -> None:
        self._setting = setting
        self._comings = comings
        # A sender of an earlier example is attached to no region of this one.
        self._filters = {
            sender_of(queue): queue
            for queue in setting.substituting
            if any(setting.feeds(region, queue)[0] for region in setting.region_names)
        }
        self._came: dict[tuple[int, int], tuple[str, ...]] = {}

    def of_event(self, before: World, event: Event) -> Event:
        """An event of a region's listener, with the value that it comes with."""
        operation = self._of(event.token) if event.kind in _VALUED else None
        if operation is None:
            return event
        here, home = self._setting.home(event.member), self._setting.home(operation.member)
        if here == home:
            by = self._at_home(operation, _RECEIVED)
        else:
            by = self._across(before, operation, here, (event.member,))
            self._came[here, operation.op_id] = by
        self._comings.comes((event.member,), operation.op_id)
        return replace(event, token=_shown(event.token, by))

    def of_call(self, before: World, call: QueueCall) -> QueueCall:
        """A call of a queue's listener, whose events come with their values."""
        events = []
        for change in call.events:
            operation = self._of(change.token) if change.kind in _VALUED else None
            if operation is None:
                events.append(change)
                continue
            here, home = self._setting.home(call.member), self._setting.home(operation.member)
            across = () if here == home else self._came.get((here, operation.op_id), ())
            by = (*across, *self._offered(before, operation, call.member, call.queue))
            events.append(replace(change, token=_shown(change.token, by)))
        return replace(call, events=tuple(events))

    def read(self, holder: str, token: str | None) -> str | None:
        """A value that a member or client holds, as a call reads it."""
        operation = self._of(token)
        if token is None or operation is None:
            return token
        here, home = self._setting.home(holder), self._setting.home(operation.member)
        if here == home:
            return _shown(token, self._at_home(operation, _READ))
        held = _first(self._setting.book.substitute_is_held())
        if (here, operation.op_id) in self._came:
            by = self._came[here, operation.op_id]
        else:
            by = self._given(operation, self._sender(home, here), home)
        return _shown(token, by if held else ())

    def views(self, member: str, shown: RegionViews) -> RegionViews:
        """What a member shows by its size and sets, or by queries, with the values that it holds."""
        if not self._filters:
            return shown
        entries = tuple(replace(one, token=self.read(member, one.token)) for one in shown.entries)
        return replace(shown, values=tuple(self.read(member, one) for one in shown.values), entries=entries)

    def _of(self, token: str | None) -> Operation | None:
        """The operation that has put a value; None where no filter is in use."""
        if not self._filters or token is None:
            return None
        found = (
            one for one in self._setting.operations.values() if one.token == token and one.kind in _STORES
        )
        return next(found, None)

    def _at_home(self, operation: Operation, reads: bool) -> tuple[str, ...]:
        if not _first(self._setting.book.substitute_at_home(reads)):
            return ()
        home = self._setting.home(operation.member)
        of_site = (queue for queue in self._filters.values() if queue.site == home)
        return next(filter(None, (self._given(operation, queue, home) for queue in of_site)), ())

    def _sender(self, home: int, here: int) -> QueueAttributes | None:
        """The sender with a filter from one site to another."""
        ways = (one for one in self._filters.values() if (one.site, one.remote_site) == (home, here))
        return next(ways, None)

    def _given(
        self, operation: Operation, queue: QueueAttributes | None, site: int, but: str = ""
    ) -> tuple[str, ...]:
        """What the filter of a queue gives an event, or that of another queue, as none should."""
        book = self._setting.book
        if queue is not None:
            if operation.key in queue.failing_keys:
                gives = _first(book.substituted_where_filter_fails())
            else:
                gives = _first(book.is_substituted(operation.key in queue.substituted_keys))
                gives = gives and (
                    not self._failed_before(queue, operation) or _first(book.filter_outlasts_failure())
                )
            if gives:
                return (sender_of(queue),)
        own = but if queue is None else sender_of(queue)
        for other in self._filters.values():
            named = operation.key in other.substituted_keys and sender_of(other) != own
            if named and _first(book.goes_by_substitution(_OF_SITE if other.site == site else _OF_OTHER)):
                return (sender_of(other),)
        return ()

    def _failed_before(self, queue: QueueAttributes, operation: Operation) -> bool:
        return any(
            one.key in queue.failing_keys
            and one.op_id < operation.op_id
            and self._setting.home(one.member) == queue.site
            for one in self._setting.operations.values()
        )

    def _across(self, before: World, operation: Operation, here: int, at: Place) -> tuple[str, ...]:
        """Which filters an event has passed that comes from another site."""
        book, home = self._setting.book, self._setting.home(operation.member)
        kept = _first(book.substitute_crosses())
        for sender in self._comings.sending(before, operation):
            if self._comings.is_inherited(sender, operation.op_id):
                kept = kept and _first(book.substitute_inherited(_SENT))
            elif self._comings.is_sent_again(sender, operation.op_id):
                kept = kept and _first(book.substitute_stays(_SENT))
        if self._comings.displaced(at, operation):
            kept = kept and _first(book.later_has_substitute())
        return self._given(operation, self._sender(home, here), home) if kept else ()

    def _offered(self, before: World, operation: Operation, member: str, queue: str) -> tuple[str, ...]:
        """Which filters an event has passed in a queue that has a listener."""
        book, at = self._setting.book, (member, queue, "value")
        kept = _first(book.substitute_offered(queue in self._setting.parallel))
        sender = before.wan.senders.get((member, queue), _NO_SENDER)
        if self._comings.is_offered_again(at, operation.op_id):
            kept = kept and _first(book.substitute_stays(_OFFERED))
        elif self._comings.is_inherited(sender, operation.op_id):
            kept = kept and _first(book.substitute_inherited(_OFFERED))
        site = self._setting.home(member)
        return self._given(operation, self._filters.get(queue), site, queue) if kept else ()


def _shown(token: str | None, by: tuple[str, ...]) -> str | None:
    """A value behind the filters that it has passed."""
    for queue in by:
        token = None if token is None else substitute(token, queue)
    return token


def _first(answer: object) -> bool:
    return bool(each(answer)[0])
