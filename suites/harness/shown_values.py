"""Shown values: which value each event and each read shows, where a queue gives events substitutes.

Histories have the values that were put in place of substitutes, so that all else of a history is as it was.
What was really shown is noted beside it. Knows neither a candidate nor where a substitute is due.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.history.listener_calls import QueueCall
from plumbline.reference.history.moments import Moment
from plumbline.reference.history.operations import (
    Content,
    Event,
    EventKind,
    Operation,
    Outcome,
    QueueAttributes,
)
from plumbline.reference.history.substitutes import ShownValue, parted
from plumbline.suites.harness.long_values import LongValues

_VALUED = (EventKind.CREATE, EventKind.UPDATE)
"""What brings a value; the token of all else is a callback argument, which no filter changes."""


class ShownValues(LongValues):
    """The values of one example, long ones and substitutes.

    Args:
        queues: the example's queues.
        timeline: its moments so far, which grow.
    """

    def __init__(self, queues: tuple[QueueAttributes, ...], timeline: list[Moment]) -> None:
        super().__init__()
        self._some = any(queue.substitutes for queue in queues)
        self._timeline = timeline
        self._seen: list[ShownValue] = []

    @property
    def seen(self) -> tuple[ShownValue, ...]:
        """All values that were shown so far, where some queue gives substitutes."""
        return tuple(self._seen)

    def told(self, value: str | None) -> str | None:
        """The token of a value that the candidate has told, or of that for which it is a substitute."""
        if value is None or not self._some:
            return super().told(value)
        return super().told(parted(value)[0])

    def event(self, event: Event) -> Event:
        """An event with the tokens of the values that it was told with."""
        if event.kind in _VALUED:
            self._note(event.token, event.member, event.key)
        return super().event(event)

    def call(self, call: QueueCall) -> QueueCall:
        """A call of a queue's listener with the tokens of the values that it was told with."""
        for change in call.events:
            if change.kind in _VALUED:
                self._note(change.token, call.member, change.key, call.queue)
        return super().call(call)

    def outcome(self, operation: Operation, outcome: Outcome) -> Outcome:
        """An outcome with the token of the value that was read."""
        self._note(outcome.value, operation.member, operation.key, reads=True)
        return replace(outcome, value=self.told(outcome.value))

    def read(self, holder: str, entries: tuple[Content, ...]) -> tuple[Content, ...]:
        """Entries that a member or client holds, with the tokens of their values."""
        for entry in entries:
            self._note(entry.token, holder, entry.key, reads=True)
        return self.contents(entries)

    def _note(
        self, value: str | None, holder: str, key: str, queue: str = "", *, reads: bool = False
    ) -> None:
        if value is None or not self._some:
            return
        plain, by = parted(value)
        token = super().told(plain) or plain
        self._seen.append(
            ShownValue(
                holder=holder,
                queue=queue,
                reads=reads,
                key=key,
                token=token,
                by=by,
                before=len(self._timeline),
            )
        )
