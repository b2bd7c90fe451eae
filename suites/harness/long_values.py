"""Long values: how a value is made as long as an operation asks for, and known again when it is told.

On its way to the candidate dots follow the token. What the candidate tells is the token again if the whole
value is; else it is told as it came, cut where it is too long for people. Knows no candidate.
"""

from __future__ import annotations

from zlib import crc32

from msgspec.structs import replace

from plumbline.reference.history.listener_calls import QueueCall
from plumbline.reference.history.operations import Content, Event, Operation, QueueSight
from plumbline.reference.history.views import RegionViews

_LONGEST_CHARACTERS, _SHOWN_CHARACTERS = 1_000, 40
"""A value longer than the first that no operation has put is shown by so many of its characters."""


class LongValues:
    """The long values that were put in one example."""

    def __init__(self) -> None:
        self._tokens: dict[str, str] = {}
        self._sent: dict[str, str] = {}

    def sent(self, operation: Operation) -> Operation:
        """The operation as the candidate receives it, with its value in full length."""
        token, expected = operation.token, operation.expected
        if operation.value_bytes and token is not None:
            value = token.ljust(operation.value_bytes, ".")
            self._sent[token], self._tokens[value] = value, token
            operation = replace(operation, token=value)
        if expected in self._sent:
            operation = replace(operation, expected=self._sent[expected])
        return operation

    def told(self, value: str | None) -> str | None:
        """The token of a value that the candidate has told."""
        if value is None or not (self._tokens or len(value) > _LONGEST_CHARACTERS):
            return value
        token = self._tokens.get(value, value)
        if token in self._sent and token is value:
            return f"{token} alone"  # a value that has lost what follows its token
        if len(token) > _LONGEST_CHARACTERS:
            return f"{token[:_SHOWN_CHARACTERS]}… ({len(token):,} characters, {crc32(token.encode()):08x})"
        return token

    def event(self, event: Event) -> Event:
        """An event with the tokens of the values that it was told with."""
        token, conflict = self.told(event.token), event.conflict
        if conflict is not None and (old := self.told(conflict.old)) is not conflict.old:
            event = replace(event, conflict=replace(conflict, old=old))
        return event if token is event.token else replace(event, token=token)

    def call(self, call: QueueCall) -> QueueCall:
        """A call of a queue's listener with the tokens of the values that it was told with."""
        changes = tuple(replace(one, token=self.told(one.token)) for one in call.events)
        return call if changes == call.events else replace(call, events=changes)

    def sight(self, sight: QueueSight) -> QueueSight:
        """What is seen of a queue, with the tokens of its values."""
        return sight if sight.tokens is None else replace(sight, tokens=tuple(map(self.told, sight.tokens)))

    def contents(self, entries: tuple[Content, ...]) -> tuple[Content, ...]:
        """Entries with the tokens of their values."""
        return tuple(replace(one, token=self.told(one.token)) for one in entries)

    def views(self, views: RegionViews) -> RegionViews:
        """Views of a region with the tokens of its values."""
        return replace(
            views, values=tuple(map(self.told, views.values)), entries=self.contents(views.entries)
        )
