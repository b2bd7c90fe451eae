"""With which callback arguments the events of the reference come to its listeners.

An event's argument is that of its operation. So the model carries none, and each is looked up where an event
is shown. Knows a rulebook that has an argument lost, or mixed up with another one, as none should.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from plumbline.adapters.reference.comings import Comings
from plumbline.reference.history.listener_calls import QueueCall, QueuedChange
from plumbline.reference.history.operations import STORES_VALUE, Event, Operation
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.site_state import Sender
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each

_Told = TypeVar("_Told", Event, QueuedChange)


class ShownArguments:
    """The arguments of all events of one example, and what has become of the events so far."""

    def __init__(self, setting: Setting, comings: Comings) -> None:
        self._setting = setting
        self._comings = comings
        self._before: dict[tuple[str, ...], str] = {}

    def of_event(self, before: World, event: Event) -> Event:
        """An event of a region's listener, with the argument that it comes with."""
        operation = self._of(event)
        if operation is None:
            return event
        book, stores = self._setting.book, operation.kind in STORES_VALUE
        home, here = self._setting.home(operation.member), self._setting.home(event.member)
        at = (event.member,)
        argument = self._own(at, operation)
        if event.member in self._setting.clients:
            called_there = self._setting.originators.get(operation.op_id) == event.member
            kept = _first(book.argument_at_client(called_there))
        elif home == here:
            kept = _first(book.argument_at_member(operation.member != event.member))
        else:
            kept = _first(book.argument_crosses(stores)) and self._crosses(before, operation)
            argument = self._of_earlier(at, operation) or argument
        return _with(event, self._shows(at, operation, argument if kept else None, queued=False))

    def of_call(self, before: World, call: QueueCall) -> QueueCall:
        """A call of a queue's listener, whose events come with their arguments."""
        book, at = self._setting.book, (call.member, call.queue)
        sender = before.wan.senders.get(at, _NO_SENDER)
        events: list[QueuedChange] = []
        first = None
        for change in call.events:
            operation = self._of(change)
            if operation is None:
                events.append(change)
                continue
            argument = self._own(at, operation)
            kept = _first(book.argument_offered(operation.kind in STORES_VALUE))
            if self._comings.is_offered_again(at, operation.op_id):
                kept = kept and _first(book.argument_stays(_OFFERED))
            elif self._comings.is_inherited(sender, operation.op_id):
                kept = kept and _first(book.argument_inherited(_OFFERED))
            shown = self._shows(at, operation, argument if kept else None, queued=True)
            if events and first is not None and _first(book.shares_argument()):
                shown = first
            elif not events:
                first = shown
            events.append(_with(change, shown))
        return replace(call, events=tuple(events))

    def _of(self, told: Event | QueuedChange) -> Operation | None:
        """The operation that an event names; those of many keys and of transactions have no argument."""
        if told.token is None:
            return None
        found = (one for one in self._setting.operations.values() if one.token == told.token)
        return next(found, None)

    def _own(self, at: tuple[str, ...], operation: Operation) -> str | None:
        self._comings.comes(at, operation.op_id)
        return operation.argument

    def _shows(
        self, at: tuple[str, ...], operation: Operation, argument: str | None, *, queued: bool
    ) -> str | None:
        """The argument; that of the event before, where none was given, as it should not be."""
        if operation.argument is None and _first(self._setting.book.invents_argument(queued)):
            argument = self._before.get(at)
        if operation.argument is not None:
            self._before[at] = operation.argument
        return argument

    def _crosses(self, before: World, operation: Operation) -> bool:
        """Whether an argument is still there that crosses to another site again, or from a copy."""
        book, kept = self._setting.book, True
        for sender in self._comings.sending(before, operation):
            if self._comings.is_inherited(sender, operation.op_id):
                kept = kept and _first(book.argument_inherited(_SENT))
            elif self._comings.is_sent_again(sender, operation.op_id):
                kept = kept and _first(book.argument_stays(_SENT))
        return kept

    def _of_earlier(self, at: tuple[str, ...], operation: Operation) -> str | None:
        """The argument of an update that was to make way for this one, where that is taken."""
        if operation.argument is None:
            return None
        earlier = [one.argument for one in self._comings.displaced(at, operation) if one.argument is not None]
        if not earlier or not _first(self._setting.book.takes_argument_of_earlier()):
            return None
        return earlier[-1]


_NO_SENDER = Sender()
_OFFERED, _SENT = False, True
"""Whether an event crosses to another site, or its queue has a listener."""


def _first(answer: object) -> bool:
    return bool(each(answer)[0])


def _with(told: _Told, argument: str | None) -> _Told:
    return told if argument is None else replace(told, argument=argument)
