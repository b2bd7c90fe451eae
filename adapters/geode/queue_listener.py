"""The listener of an asynchronous event queue on one member: it notes each call, and answers as it was told.

A call is noted here, outside the member's JVM, before the listener answers: so none is lost with its member.
Knows nothing of JVMs: the events it is handed are asked by the names that Geode gives their methods.
"""

# ruff: noqa: N802 - the names are those of org.apache.geode.cache.asyncqueue.AsyncEventListener

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import msgspec

from plumbline.adapters.geode.argument import argument_of, token_of
from plumbline.adapters.geode.listener import GeodeExample
from plumbline.reference.history.listener_calls import SUCCESS, QueueCall, QueuedChange
from plumbline.reference.history.operations import EventKind

_FAILED = "false"


class QueueListener:
    """A listener, called by the JVM on the thread of its queue's dispatcher; one at a time.

    Args:
        member: on which it runs.
        queue: the id of its queue.
    """

    def __init__(self, member: str, queue: str) -> None:
        self._member = member
        self._queue = queue
        self._lock = threading.Lock()
        self._stage = GeodeExample()
        self._regions: dict[str, str] = {}
        self._answers: deque[str] = deque()
        self._standing = False

    def begin_example(self, stage: GeodeExample, internal: Mapping[str, str]) -> None:
        """Calls are noted on this stage from here on, and answered with success.

        Args:
            stage: of the example.
            internal: what each of its regions is called in Geode.
        """
        with self._lock:
            self._stage = stage
            self._regions = {name: region for region, name in internal.items()}
            self._answers.clear()

    def answer(self, answers: Iterable[str]) -> None:
        """Answer so, call by call, and then with success."""
        with self._lock:
            self._answers = deque(answers)

    @property
    def stands(self) -> bool:
        """Whether it stands at a gate now."""
        return self._standing

    def processEvents(self, events: Any) -> bool:
        """A batch is dispatched; comes back when the listener may answer, or throws."""
        changes = [change for event in events if (change := self._change(event)) is not None]
        if not changes:
            return True  # of an example that is over
        with self._lock:
            answer = self._answers.popleft() if self._answers else SUCCESS
            stage = self._stage
        batch = map(stage.with_token, changes)
        call = QueueCall(member=self._member, queue=self._queue, events=tuple(batch), answer=answer)
        stage.tell_call(call)
        self._standing = True
        try:
            stage.park_call(call)
        finally:
            self._standing = False
            stage.note()
        if answer not in (SUCCESS, _FAILED):
            raise RuntimeError("the listener throws, as its script says")
        return answer == SUCCESS

    def close(self) -> None:
        """The queue is closing."""

    def init(self, properties: Any) -> None:
        """Part of every callback of Geode: nothing is configured."""

    def initialize(self, cache: Any, properties: Any) -> None:
        """The same, as later versions call it."""

    def _change(self, event: Any) -> QueuedChange | None:
        """An event of a batch; None if it is of a region of an example that is over."""
        region = event.getRegion()
        name = None if region is None else self._regions.get(region.getName())
        if name is None:
            return None
        operation = event.getOperation()
        destroys = bool(operation.isDestroy())
        kind = EventKind.DESTROY if destroys else EventKind.UPDATE
        if bool(operation.isCreate()):
            kind = EventKind.CREATE
        elif bool(operation.isInvalidate()):
            kind = EventKind.INVALIDATE
        stores = kind in (EventKind.CREATE, EventKind.UPDATE)
        given = event.getCallbackArgument()
        token = event.getDeserializedValue() if stores else token_of(given)
        change = QueuedChange(
            region=name,
            key=event.getKey(),
            kind=kind,
            token=token,
            marked=bool(event.getPossibleDuplicate()),
        )
        argument = argument_of(given)
        return change if argument is None else msgspec.structs.replace(change, argument=argument)

    class Java:
        """What py4j makes of it in the JVM."""

        implements: ClassVar[list[str]] = ["org.apache.geode.cache.asyncqueue.AsyncEventListener"]
