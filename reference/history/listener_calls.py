"""Calls of the listeners of asynchronous event queues: what each was given, and what it answered.

A listener answers as the harness has told it to; the answer decides whether its batch leaves the queue.
Knows how calls are written down; judges none.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.history.operations import EventKind
from plumbline.reference.history.ranges import Argument

QUEUE = "queue"
"""The callback in which a batch is held that an asynchronous event queue gives its listener."""

SUCCESS = "true"
"""By this answer the listener has processed its batch."""

ANSWERS = (SUCCESS, "false", "throw", "part")
"""What a listener may answer: that it succeeded, that it failed, nothing as it throws, or nothing as it
throws behind the first event of its batch, which it has processed."""


class QueuedChange(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a batch.

    Attributes:
        region: the region.
        key: the key.
        kind: `create`, `update` or `destroy`; another kind where a candidate queues other operations.
        token: the value of a create or update, the callback argument else; None where none is passed.
        marked: whether it carries the mark of a possible duplicate; None where that is not shown.
        argument: the callback argument that it carries, beside its token; left out, or null, for none.
    """

    region: str
    key: str
    kind: EventKind
    token: str | None
    marked: bool | None = None
    argument: Argument | msgspec.UnsetType | None = msgspec.UNSET


class QueueCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call of the listener of an asynchronous event queue (002, Local Event Distribution).

    Attributes:
        member: the member whose listener it is.
        queue: the id of the queue.
        events: the batch, in the order in which the listener received it.
        answer: what the listener answers: `true`, `false`, `throw` or `part`.
    """

    member: str
    queue: str
    events: tuple[QueuedChange, ...]
    answer: str


class SeenCall(msgspec.Struct, frozen=True):
    """A call, and the window of the timeline in which it began.

    Attributes:
        call: the call.
        after: it began only once this many moments of the timeline had passed.
        before: it began while at most this many had passed.
    """

    call: QueueCall
    after: int
    before: int


def answer_words(member: str, queue: str, answers: tuple[str, ...]) -> str:
    """What a listener is told to answer, in words: "the listener of q on A answers false, then true"."""
    first = ", ".join(answers)
    return f"the listener of {queue} on {member} answers {f'{first}, then ' if first else ''}{SUCCESS}"


def call_words(call: QueueCall) -> str:
    """A call in words: "q received [x = v1, destroy y (v2)]: false"."""
    events = ", ".join(map(change_words, call.events))
    return f"the listener of {call.queue} received [{events}]: {call.answer}"


def change_words(change: QueuedChange) -> str:
    """One event of a batch in words: "x = v1", "destroy y (v2)"."""
    argument = f" with {change.argument}" if change.argument else ""
    stores = change.kind in (EventKind.CREATE, EventKind.UPDATE)
    if stores:
        return f"{change.key} = {change.token}{argument}"
    token = f" ({change.token})" if change.token is not None else ""
    return f"{change.kind} {change.key}{token}{argument}"
