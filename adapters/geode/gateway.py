"""The gateway of one member: its senders, its receiver, and what can be seen of them.

Every method talks to the JVM and may hang with it: it is called with a limit, on the member's own thread.
Knows nothing of other members, of links and of what is parked.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.disks import disk_store
from plumbline.adapters.geode.handles import Handles
from plumbline.adapters.geode.jvm import plain, stack_words
from plumbline.adapters.geode.key_filter import KeyFilter
from plumbline.adapters.geode.links import LINK_NAME, RECEIVER_ADDRESS
from plumbline.adapters.geode.ports import free_ports
from plumbline.adapters.geode.queue_buckets import BucketSights
from plumbline.adapters.geode.queue_listener import QueueListener
from plumbline.adapters.geode.reflection import declared
from plumbline.adapters.geode.sights import Flow, Sights
from plumbline.adapters.geode.substitution_filter import SubstitutionFilter
from plumbline.adapters.geode.worker import Worker
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.actions import FAILURES
from plumbline.reference.history.operations import QueueAttributes, QueueRole, QueueSight

# A dispatcher looks for events, and for being paused, every 50 ms or so; one that fails to deliver a batch
# does not stop trying when it is paused.
PAUSE_LIMIT_S = 2.0
STOP_LIMIT_S = 1.0

# The class of Geode's threads that apply batches at the receiving site is in none of their names.
_APPLYING = "GatewayReceiverCommand"


class Gateway:
    """The senders and the receiver of one member; none at first.

    Attributes:
        paused: the senders that were paused and not resumed.
    """

    def __init__(self, java: Any, handles: Handles, cache: Any, keep: Callable[[Any], Any]) -> None:
        self._java = java
        self._handles = handles
        self._sights: dict[tuple[bool, bool], Sights] = {}
        self._several: set[str] = set()
        self._parted: dict[bool, BucketSights] = {}
        self._parallel: set[str] = set()
        self._listened: set[str] = set()
        self._cache = cache
        self._keep = keep
        self._senders: dict[str, Any] = {}
        self._elsewhere: set[str] = set()
        self._fields: dict[str, Any] = {}
        self._receiver: Any = None
        self._stopping: Future[None] | None = None
        self._starting: dict[str, Future[None]] = {}
        self._failed_before = 0  # a receiver that is started again counts anew
        self.paused: set[str] = set()

    def create_sender(self, queue: QueueAttributes, disk: Path) -> None:
        """Create and start a sender, unless it is there; a persistent one keeps its queue on this disk."""
        if queue.id in self._senders:
            return
        factory = self._cache.createGatewaySenderFactory()
        self._part(queue, factory)
        factory.setDispatcherThreads(queue.dispatchers)
        if queue.dispatchers > 1:
            policies = self._java.org.apache.geode.cache.wan.GatewaySender.OrderPolicy
            self._several.add(queue.id)
            factory.setOrderPolicy(policies.valueOf(queue.order_policy.upper()))
        factory.setBatchSize(queue.batch_size)
        factory.setBatchTimeInterval(queue.batch_interval_ms)
        factory.setBatchConflationEnabled(queue.conflate)
        factory.setMaximumQueueMemory(queue.maximum_memory_mb)
        if queue.filters:
            factory.addGatewayEventFilter(KeyFilter(queue))
        if queue.substitutes:
            factory.setGatewayEventSubstitutionFilter(SubstitutionFilter(queue))
        if queue.group_transactions:
            factory.setGroupTransactionEvents(True)
        if queue.persistent:
            factory.setPersistenceEnabled(True)
            self._keep_on_disk(factory, disk)
        sender = self._keep(factory.create(queue.id, queue.remote_site))
        if not queue.remove_on_exception:
            # Geode has a system property for it, which is one for all senders of a member.
            sender.setRemoveFromQueueOnException(False)
        self._senders[queue.id] = sender

    def _keep_on_disk(self, factory: Any, disk: Path) -> None:
        factory.setDiskSynchronous(True)
        factory.setDiskStoreName(disk_store(self._java, self._cache, disk))

    def create_listened(self, queue: QueueAttributes, listener: QueueListener, disk: Path) -> None:
        """Create and start an asynchronous event queue with its listener, unless it is there.

        Inside it is a gateway sender with another dispatcher, and from here on it is seen as one.
        This disk keeps a persistent one.
        """
        if queue.id in self._senders:
            return
        factory = self._cache.createAsyncEventQueueFactory()
        self._part(queue, factory)
        factory.setDispatcherThreads(queue.dispatchers)
        factory.setBatchSize(queue.batch_size)
        factory.setBatchTimeInterval(queue.batch_interval_ms)
        factory.setBatchConflationEnabled(queue.conflate)
        factory.setMaximumQueueMemory(queue.maximum_memory_mb)
        if queue.filters:
            factory.addGatewayEventFilter(KeyFilter(queue))
        if queue.substitutes:
            factory.setGatewayEventSubstitutionListener(SubstitutionFilter(queue))
        if queue.persistent:
            factory.setPersistent(True)
            self._keep_on_disk(factory, disk)
        self._listened.add(queue.id)
        self._senders[queue.id] = self._keep(factory.create(queue.id, listener).getSender())

    def recover(self, queue: QueueAttributes, listener: QueueListener | None, disk: Path) -> None:
        """Create and start a queue in the background: it may wait for what another member's disk holds.

        With a listener it is an asynchronous event queue.
        """
        worker = Worker("geode-sender-start")
        create = partial(self.create_sender, queue, disk)
        if listener is not None:
            create = partial(self.create_listened, queue, listener, disk)
        self._starting[queue.id] = worker.submit(create)
        worker.stop()

    def started(self, limit_s: float) -> bool:
        """Whether all senders that were to be started in the background run, within the time."""
        for queue, starting in tuple(self._starting.items()):
            try:
                starting.result(limit_s)
            except TimeoutError:
                return False
            del self._starting[queue]
        return True

    def name_sender(self, queue: str) -> None:
        """Have regions here name a sender that only others of the site run, as Geode demands."""
        self._elsewhere.add(queue)

    def names_sender(self, queue: str) -> bool:
        """Whether regions here name the sender: it has been created here, or on others of the site."""
        return queue in self._senders or queue in self._elsewhere or queue in self._starting

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
        self._failed_before = self.failures()
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
        """Stop a sender: it never sends updates from now on."""
        self._senders[queue].stop()

    def flow(self) -> dict[str, Flow]:
        """Each sender of the member in numbers."""
        senders = tuple(self._senders.items())
        return {queue: self._sights_of(queue).flow(sender) for queue, sender in senders}

    def applying(self) -> int:
        """How many of the member's threads are applying a batch of another site now."""
        beans = self._java.java.lang.management.ManagementFactory.getThreadMXBean()
        threads = beans.getThreadInfo(beans.getAllThreadIds(), 2**31 - 1)  # with whole stacks
        return sum(
            _APPLYING in stack_words(self._java, thread.getStackTrace())
            for thread in threads
            if thread is not None and thread.getThreadName().startswith("ServerConnection")
        )

    def failures(self) -> int:
        """How many events the receiver has failed to apply; raises AdapterError if there is none."""
        if self._receiver is None:
            raise AdapterError("no gateway receiver was started here")
        system = self._cache.getDistributedSystem()
        kind = system.findType("GatewayReceiverStatistics")
        now = (int(found.get(FAILURES)) for found in system.findStatisticsByType(kind))
        return self._failed_before + (sum(now) if self._receiver.isRunning() else 0)

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
        sights = self._sights_of(queue)
        # A secondary may still hold what the primary sent in the last example: it is told once a second.
        parallel = queue in self._parallel
        overflowed = sum(
            int(one.getRegion().getDiskRegion().getNumOverflowOnDisk())
            for one in (() if parallel else sender.getQueues().toArray())
        )
        tokens = [event.token for event in sights.events(sender) if event.is_of(regions)]
        remembered = [event for event in sights.remembered(sender) if event.is_of(regions)]
        return QueueSight(
            depth=len(tokens),
            role=QueueRole.PRIMARY if sender.isPrimary() else QueueRole.SECONDARY,
            tokens=tuple(tokens),
            unprocessed=len(remembered),
            overflowed=None if parallel else overflowed,
        )

    def _part(self, queue: QueueAttributes, factory: Any) -> None:
        factory.setParallel(queue.parallel)
        if queue.parallel:
            self._parallel.add(queue.id)

    def _sights_of(self, queue: str) -> Sights | BucketSights:
        """The questions to put to a sender, which has been started before the first of them is."""
        if queue in self._parallel:
            listens = queue in self._listened
            if listens not in self._parted:
                self._parted[listens] = BucketSights(self._handles, self._senders[queue], self._keep)
            return self._parted[listens]
        sender, kind = self._senders[queue], (queue in self._several, queue in self._listened)
        if kind not in self._sights:
            self._sights[kind] = Sights(self._handles, sender, self._keep, several=kind[0])
        return self._sights[kind]

    def _processors(self, sender: Any) -> list[Any]:
        """A running sender's dispatchers: one, or as many as it has threads."""
        processor = sender.getEventProcessor()
        if processor is None:
            raise AdapterError(f"the sender {sender.getId()} does not run")
        if sender.isParallel():
            return list(processor.getProcessors().toArray())
        if sender.getDispatcherThreads() == 1:
            return [processor]
        return list(self._field(processor, "processors").toArray())

    def _field(self, thing: Any, name: str) -> Any:
        """Returns a field that a Java object has or inherits, public or not; names here are unique."""
        if name not in self._fields:
            self._fields[name] = self._keep(declared(thing.getClass(), name))
        return self._fields[name].get(thing)

    def _stands_still(self, sender: Any) -> bool:
        return all(self._field(processor, "isDispatcherWaiting") for processor in self._processors(sender))
