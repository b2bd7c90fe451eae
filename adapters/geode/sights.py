"""What can be seen of a gateway sender, each by one question to its JVM.

Knows nothing of other members, of links and of what becomes of an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.argument import token_of
from plumbline.adapters.geode.handles import NULL, RECORD, Handles, records
from plumbline.adapters.geode.handles import fields as parts
from plumbline.adapters.geode.jvm import JavaError
from plumbline.adapters.geode.reflection import declared

# Beside operations Geode queues the later timestamps of changes that a member has discarded.
_NO_OPERATION = "UPDATE_VERSION"

_CACHE = "org.apache.geode.cache."
_INTERNAL = "org.apache.geode.internal.cache."
_WAN = f"{_INTERNAL}wan."
_CHANGED = ("ConcurrentModificationException", "ArrayIndexOutOfBoundsException")
_YES = "true"


class Flow(NamedTuple):
    """A queue on one member in numbers: those that tell whether anything is still under way.

    Attributes:
        running: whether the member runs it.
        primary: whether the member dispatches.
        size: events in the member's copy.
        unprocessed: what the primary has not queued yet, as far as a secondary knows.
    """

    running: bool
    primary: bool
    size: int
    unprocessed: int


class GeodeQueueEntry(NamedTuple):
    """An event in a queue, or in mind.

    Attributes:
        path: of its region.
        operation: what it is of, in Geode's words.
        token: its value if it has one, else its callback argument; None of what is in mind.
    """

    path: str | None
    operation: str | None
    token: str | None

    def is_of(self, regions: frozenset[str]) -> bool:
        """Whether it is one of an operation in regions that have these paths."""
        return self.path in regions and self.operation != _NO_OPERATION


class Sights:
    """The questions, put together in one JVM for the senders that have as many dispatchers as this one.

    Args:
        handles: of the JVM.
        sender: any of them, which has been started.
        keep: has a Java object outlive examples.
        several: whether it has more than one dispatcher.
    """

    def __init__(self, handles: Handles, sender: Any, keep: Callable[[Any], Any], *, several: bool) -> None:
        self._handles = handles
        kind, processor = sender.getClass(), sender.getEventProcessor()
        if processor is None:
            raise AdapterError(f"the sender {sender.getId()} does not run")
        processors = handles.one
        if several:
            field = declared(processor.getClass(), "processors")
            processors, processor = handles.field(field), field.get(processor).get(0)
        dispatches = processor.getClass()
        processors = handles.chain(
            handles.method(kind, "getEventProcessor"), handles.or_null(processors, handles.none)
        )
        in_mind = handles.field(declared(dispatches, "unprocessedEvents"))
        mapped = handles.named("java.util.Map")
        collection = handles.named("java.util.Collection")
        in_mind = handles.chain(in_mind, handles.or_null(handles.method(mapped, "values"), handles.none))
        wrapper = handles.named(f"{_WAN}AbstractGatewaySender$EventWrapper")
        event = handles.named(f"{_WAN}GatewaySenderEventImpl")
        of_event = handles.method(event, "getRegionPath"), handles.method(event, "getOperation")
        entry, region = handles.named(f"{_CACHE}Region$Entry"), handles.named(f"{_CACHE}Region")
        queue = handles.named(f"{_INTERNAL}RegionQueue")
        contents = handles.chain(
            handles.method(queue, "getRegion"),
            handles.bind(handles.method(region, "entrySet", handles.boolean), 1, False),  # noqa: FBT003
        )
        token = handles.or_else(
            handles.method(event, "getDeserializedValue"), handles.method(event, "getCallbackArgument")
        )
        known = handles.or_null(handles.row(*of_event, token), handles.constant(NULL))
        # How much is in the queue comes last: events taken over meanwhile must not be missed.
        flow = handles.row(
            handles.method(kind, "isRunning"),
            handles.each(handles.constant("one"), processors),
            handles.method(kind, "isPrimary"),
            handles.each(handles.field(declared(dispatches, "failoverCompleted")), processors),
            handles.each(handles.chain(in_mind, handles.method(collection, "size")), processors),
            handles.method(kind, "getEventQueueSize"),
        )
        events = handles.each(
            handles.unless(
                handles.row(
                    handles.chain(handles.method(entry, "getRegion"), handles.method(region, "getName")),
                    handles.method(entry, "getKey"),
                    handles.chain(handles.method(entry, "getValue"), known),
                ),
                f"{_CACHE}EntryDestroyedException",  # it was dispatched since the queue was looked at
                "",
            ),
            handles.method(kind, "getQueues"),
            contents,
        )
        remembered = handles.each(
            handles.or_null(
                handles.chain(handles.field(declared(wrapper, "event")), handles.row(*of_event)),
                handles.constant(""),
            ),
            processors,
            in_mind,
        )

        self._flow, self._events, self._remembered = keep(flow), keep(events), keep(remembered)

    def flow(self, sender: Any) -> Flow:
        """A sender in numbers."""
        running, processors, primary, taken_over, in_mind, size = (
            text or "" for text in parts(self._handles.ask(self._flow, sender))
        )
        if running != _YES:
            return Flow(running=False, primary=primary == _YES, size=int(size), unprocessed=0)
        if not processors:
            raise AdapterError(f"the sender {sender.getId()} does not run")
        return Flow(
            running=True,
            primary=primary == _YES and {*taken_over.split(RECORD)} == {_YES},
            size=int(size),
            unprocessed=sum(map(int, in_mind.split(RECORD))),
        )

    def events(self, sender: Any) -> list[GeodeQueueEntry]:
        """The events of all of a sender's queues, those of one queue oldest first."""
        queues: dict[str | None, list[tuple[int, GeodeQueueEntry]]] = {}
        for queue, number, path, *event in records(self._handles.ask(self._events, sender)):
            of_queue = queues.setdefault(queue, [])
            if event:  # else it is gone
                operation, token = event
                of_queue.append((int(number or ""), GeodeQueueEntry(path, operation, token_of(token))))
        return [event for of_queue in queues.values() for _, event in sorted(of_queue)]

    def remembered(self, sender: Any) -> list[GeodeQueueEntry]:
        """The events that a sender has in mind."""
        while True:
            try:
                found = records(self._handles.ask(self._remembered, sender))
                return [GeodeQueueEntry(path, operation, None) for path, operation in found]
            except JavaError as error:
                if not error.java_exception.getClass().getName().endswith(_CHANGED):
                    raise  # else it has changed meanwhile
