"""The gateway of one member: its senders, its receiver, and what can be seen of them.

Every method talks to the JVM and may hang with it: it is called with a limit, on the member's own thread.
Knows nothing of other members, of links and of what is parked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.jvm import JavaError, plain, stack_words
from plumbline.adapters.geode.links import LINK_NAME, RECEIVER_ADDRESS
from plumbline.adapters.geode.ports import free_ports
from plumbline.adapters.geode.reflection import declared
from plumbline.adapters.geode.worker import Worker
from plumbline.adapters.waiting import wait_until
from plumbline.reference.operations import QueueAttributes, QueueRole, QueueSight

# A dispatcher looks for events, and for being paused, every 50 ms or so; one that tries in vain to get rid
# of a batch does not stop trying when it is paused.
PAUSE_LIMIT_S = 2.0
STOP_LIMIT_S = 1.0

# Beside operations Geode queues the later timestamps of changes that a member has discarded.
_NO_OPERATION = "UPDATE_VERSION"

# The class of Geode's threads that apply batches at the receiving site is in none of their names.
_APPLYING = "GatewayReceiverCommand"


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


class Gateway:
    """The senders and the receiver of one member; none at first.

    Attributes:
        paused: the senders that were paused and not resumed.
    """

    def __init__(self, java: Any, cache: Any, keep: Callable[[Any], Any]) -> None:
        self._java = java
        self._cache = cache
        self._keep = keep
        self._senders: dict[str, Any] = {}
        self._fields: dict[str, Any] = {}
        self._receiver: Any = None
        self._stopping: Future[None] | None = None
        self.paused: set[str] = set()

    def create_sender(self, queue: QueueAttributes) -> None:
        """Create and start a sender, unless it is there."""
        if queue.id in self._senders:
            return
        factory = self._cache.createGatewaySenderFactory()
        factory.setParallel(queue.parallel)
        factory.setDispatcherThreads(queue.dispatchers)
        if queue.dispatchers > 1:
            policies = self._java.org.apache.geode.cache.wan.GatewaySender.OrderPolicy
            factory.setOrderPolicy(policies.valueOf(queue.order_policy.upper()))
        factory.setBatchSize(queue.batch_size)
        factory.setBatchTimeInterval(queue.batch_interval_ms)
        factory.setBatchConflationEnabled(queue.conflate)
        factory.setMaximumQueueMemory(queue.maximum_memory_mb)
        self._senders[queue.id] = self._keep(factory.create(queue.id, queue.remote_site))

    def has_sender(self, queue: str) -> bool:
        """Whether the sender has been created here."""
        return queue in self._senders

    def start_receiver(self) -> int:
        """Create or start the receiver; tells its port.

        Its proxies must not listen meanwhile, or Geode takes the port for used.
        """
        if self._stopping is not None:
            self._stopping.result()
            self._stopping = None
        if self._receiver is None:
            port = free_ports(1)[0]
            factory = self._cache.createGatewayReceiverFactory()
            factory.setStartPort(port)
            factory.setEndPort(port)
            factory.setBindAddress(RECEIVER_ADDRESS)
            factory.setHostnameForSenders(LINK_NAME)
            factory.setManualStart(True)
            self._receiver = self._keep(factory.create())
        if not self._receiver.isRunning():
            self._receiver.start()
        return int(self._receiver.getPort())

    def stop_receiver(self) -> None:
        """Stop it; its connections have been broken before.

        It accepts no connection any more when this comes back. Geode then waits for its threads to end; while
        one stands in a listener it is left waiting, in the background.
        """
        worker = Worker("geode-receiver-stop")
        self._stopping = worker.submit(self._receiver.stop)
        worker.stop()
        with contextlib.suppress(TimeoutError):
            self._stopping.result(STOP_LIMIT_S)

    def pause(self, queue: str) -> None:
        """Pause a sender; back when it builds no further batch."""
        sender = self._senders[queue]
        sender.pause()
        self.paused.add(queue)
        # One that does not come to a standstill holds a batch that it cannot get rid of, and builds no other.
        wait_until(lambda: not sender.isPrimary() or self._stands_still(sender), PAUSE_LIMIT_S, 0.002)

    def resume(self, queue: str) -> None:
        """Let a paused sender go on."""
        self._senders[queue].resume()
        self.paused.discard(queue)

    def resume_all(self) -> None:
        """Let all paused senders go on."""
        for queue in tuple(self.paused):
            self.resume(queue)

    def start(self, queue: str) -> None:
        """Start a sender that was stopped."""
        self._senders[queue].start()

    def stop(self, queue: str) -> None:
        """Stop a sender: what is put from now on is never sent by it."""
        self._senders[queue].stop()

    def flow(self) -> dict[str, Flow]:
        """Each sender of the member in numbers."""
        return {queue: self._flow(sender) for queue, sender in self._senders.items()}

    def applying(self) -> int:
        """How many of the member's threads are applying a batch of another site now."""
        beans = self._java.java.lang.management.ManagementFactory.getThreadMXBean()
        threads = beans.getThreadInfo(beans.getAllThreadIds(), 2**31 - 1)  # with whole stacks
        return sum(
            _APPLYING in stack_words(self._java, thread.getStackTrace())
            for thread in threads
            if thread is not None and thread.getThreadName().startswith("ServerConnection")
        )

    def unanswered(self, queue: str) -> int:
        """How many events of a queue have been sent and not been acknowledged yet."""
        return sum(
            int(both[0].size())
            for processor in self._processors(self._senders[queue])
            for both in plain(self._field(processor, "batchIdToEventsMap")).values().toArray()
        )

    def sight(self, queue: str, regions: frozenset[str]) -> QueueSight:
        """What the member's copy of a queue holds of regions that have these paths."""
        if queue not in self._senders:
            return QueueSight(depth=0, role=QueueRole.NONE)
        sender = self._senders[queue]
        if not sender.isRunning():
            return QueueSight(depth=0, role=QueueRole.NONE)
        # A secondary may still hold what the primary sent in the last example: it is told once a second.
        events = [event for event in self._events(sender) if _is_of(event, regions)]
        tokens = [_token(event) for event in events]
        remembered = [event for event in self._remembered(sender) if _is_of(event, regions)]
        return QueueSight(
            depth=len(tokens),
            role=QueueRole.PRIMARY if sender.isPrimary() else QueueRole.SECONDARY,
            tokens=tuple(tokens),
            unprocessed=len(remembered),
        )

    def _flow(self, sender: Any) -> Flow:
        """A sender in numbers, read in such an order that what is taken over meanwhile is not missed."""
        running = sender.isRunning()
        processors = self._processors(sender) if running else []
        primary = sender.isPrimary() and all(
            self._field(processor, "failoverCompleted") for processor in processors
        )
        unprocessed = sum(int(self._unprocessed(processor).size()) for processor in processors)
        return Flow(running, primary, sender.getEventQueueSize(), unprocessed)

    def _unprocessed(self, processor: Any) -> Any:
        """What a dispatcher has in mind until it takes over, as a map.

        The statistic of that name is no count of it: a sender that is started anew leaves it where it stood,
        and one that takes over with anything in mind sets it to nothing.
        """
        found = self._field(processor, "unprocessedEvents")
        return plain(self._java.java.util.Collections.emptyMap() if found is None else found)

    def _remembered(self, sender: Any) -> list[Any]:
        """The events that a sender has in mind."""
        return [
            self._field(wrapper, "event")
            for processor in self._processors(sender)
            for wrapper in _values(self._unprocessed(processor))
        ]

    def _processors(self, sender: Any) -> list[Any]:
        """A running sender's dispatchers: one, or as many as it has threads."""
        processor = sender.getEventProcessor()
        if processor is None:
            raise AdapterError(f"the sender {sender.getId()} does not run")
        if sender.getDispatcherThreads() == 1:
            return [processor]
        return list(self._field(processor, "processors").toArray())

    def _field(self, thing: Any, name: str) -> Any:
        """A field that a Java object has or inherits, whatever its access; names here are unique."""
        if name not in self._fields:
            self._fields[name] = self._keep(declared(thing.getClass(), name))
        return self._fields[name].get(thing)

    def _events(self, sender: Any) -> list[Any]:
        """The events of all of a sender's queues, those of one queue oldest first."""
        events = []
        for queue in sender.getQueues().toArray():
            region = plain(queue.getRegion())
            numbered = []
            for entry in region.entrySet(False).toArray():  # noqa: FBT003 - not recursive
                try:
                    numbered.append((int(entry.getKey()), entry.getValue()))
                except JavaError as error:
                    if "EntryDestroyedException" not in error.java_exception.getClass().getName():
                        raise  # else it was dispatched since the set was made
            events += [event for _, event in sorted(numbered, key=lambda one: one[0]) if event is not None]
        return events

    def _stands_still(self, sender: Any) -> bool:
        return all(self._field(processor, "isDispatcherWaiting") for processor in self._processors(sender))


def _values(mapping: Any) -> list[Any]:
    """The values of a Java map that others may be changing."""
    while True:
        try:
            return [value for value in mapping.values().toArray() if value is not None]
        except JavaError as error:
            if "ArrayIndexOutOfBoundsException" not in error.java_exception.getClass().getName():
                raise  # else it has grown meanwhile


def _is_of(event: Any, regions: frozenset[str]) -> bool:
    """Whether a queued event is one of an operation in regions that have these paths."""
    return event.getRegionPath() in regions and event.getOperation().toString() != _NO_OPERATION


def _token(event: Any) -> str | None:
    """The token of a queued event: its value if it has one, else its callback argument."""
    value: str | None = event.getDeserializedValue()
    if value is None:
        value = event.getCallbackArgument()
    return value
