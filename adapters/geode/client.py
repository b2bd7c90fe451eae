"""One client of a Geode cluster: a cache in a JVM of its own, connected to cache servers on members.

Knows nothing of operations and what they do, and of other clients.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from typing import Any

from plumbline.adapters.errors import AdapterError, RefusedError
from plumbline.adapters.geode.clock import look_when_told
from plumbline.adapters.geode.cluster import START_LIMIT_S
from plumbline.adapters.geode.durable import BEYOND_S
from plumbline.adapters.geode.jvm import JavaError, plain, stack_words
from plumbline.adapters.geode.listener import GeodeExample, RegionListener
from plumbline.adapters.geode.member import FLUSH_REGION, Member
from plumbline.reference.history.operations import Client, EventKind, Interest
from plumbline.reference.history.words import interest_words

_NO_EXPRESSION = "java.util.regex.PatternSyntaxException"

_NOT_DURABLE = "java.lang.IllegalStateException"
"""What a client that is not durable throws to one that says that it is ready."""

_NO_SERVER = "org.apache.geode.cache.NoSubscriptionServersAvailableException"
_NO_ANSWER = "org.apache.geode.cache.client.ServerConnectivityException"
_LOOKING = "QueueManagerImpl.recoverPrimary"
_LOOKERS = ("queueTimer", "poolTimer")
_READER = "Cache Client Updater Thread"

PING_MS = 500
"""So often a client that has no server looks for one; as shipped every ten seconds."""

RETRIES = 50
"""So often a call is tried again after all servers have failed to answer; as shipped it is not."""

PATIENT_MS = 60_000
"""For so long a client waits for an answer, which may be held; as shipped ten seconds."""

IMPATIENT_MS = 700
"""For so long a client whose answers are lost waits for each of them."""

ALL_KEYS = "ALL_KEYS"
"""Geode's own word for them, where keys to register for are named."""


class NoServerError(AdapterError):
    """No server of a client has taken its registration."""


class ClientListener(RegionListener):
    """Shows what the listener of one region of a client receives."""

    def __init__(self, stage: GeodeExample, client: str, region: str, *, durable: bool = False) -> None:
        super().__init__(stage, client, region)
        self._durable = durable

    def tell_live(self) -> None:
        """Show that the region of a durable client is live; Geode calls it for other clients too."""
        if self._durable:
            self._stage.tell_live(self._member, self._region)


class Sentinel(ClientListener):
    """The listener of a client's hidden region: notices what was put there behind everything else."""

    def __init__(self, client: str) -> None:
        super().__init__(GeodeExample(), client, FLUSH_REGION)
        self._seen = threading.Condition()
        self._last = 0

    def await_value(self, value: int, deadline: float) -> bool:
        """Whether the value, or a later one, arrives by the deadline (of the monotonic clock)."""
        with self._seen:
            return self._seen.wait_for(lambda: self._last >= value, max(0.0, deadline - time.monotonic()))

    def tell(
        self, kind: EventKind, key: str, token: str | None, *, remote: bool, argument: str | None = None
    ) -> None:
        """A value was put: note it, and wake the threads that wait."""
        del kind, remote, argument
        if key == self._member and token is not None:
            with self._seen:
                self._last = int(token)
                self._seen.notify_all()


class ClientCache(Member):
    """One client: a cache in a JVM of its own, connected to members, with copies of regions."""

    connected: Client | None = None
    """As what it is connected to its servers; None while it is not."""

    _source: Any = None
    _next: Any = None

    def hold_commits(self, stage: GeodeExample) -> None:
        """Does nothing: a client may have no such writer, as its server carries out the commit."""

    def connect(self, client: Client, address: str, ports: Sequence[int], durable_id: str) -> None:
        """Be connected to the cache servers at this address and these ports, to the first of them first.

        Servers know it under the durable id, where one is given.
        """
        if self.connected is None:
            self.jvm.connect(START_LIMIT_S)
        else:
            self._cache.close()
        java = self.jvm.gateway.jvm
        settings = java.java.util.Properties()
        for key, value in _PROPERTIES.items():
            settings.setProperty(key, value)
        if durable_id:
            settings.setProperty("durable-client-id", durable_id)
            settings.setProperty("durable-client-timeout", str(client.durable_timeout_s + BEYOND_S))
        if client.conflate:
            settings.setProperty("conflate-events", "true")
        factory = java.org.apache.geode.cache.client.ClientCacheFactory(settings)
        for port in ports:
            factory.addPoolServer(address, port)
        factory.setPoolSubscriptionEnabled(True)
        factory.setPoolSubscriptionRedundancy(client.redundancy)
        factory.setPoolMinConnections(0)
        factory.setPoolLoadConditioningInterval(-1)
        factory.setPoolIdleTimeout(-1)  # a connection once made is used again
        factory.setPoolPingInterval(PING_MS)
        factory.setPoolRetryAttempts(RETRIES)
        factory.setPoolReadTimeout(PATIENT_MS)
        look_when_told(java)
        self._put_together()
        self._cache = factory.create()
        self._measure()
        self._regions = {}
        self.sentinel = Sentinel(self.name)
        self._flush = self._create(FLUSH_REGION, False, self.sentinel)  # noqa: FBT003
        self._flush.registerInterest(ALL_KEYS, self._policies().NONE)
        self._source = self._cache.getDefaultPool().getConnectionSource()
        self._next = self._source.getClass().getDeclaredField("nextServerIndex")
        self._next.setAccessible(True)
        self._keep_for_good()
        self.connected = client

    def ready(self) -> None:
        """Say that it is ready for events; comes back at once.

        Of a client that is not durable nothing changes.
        """
        try:
            self._cache.readyForEvents()
        except JavaError as error:
            refuses = error.java_exception.getClass().getName() == _NOT_DURABLE
            if self.connected is None or self.connected.durable_id is not None or not refuses:
                raise

    def disconnect(self, *, keepalive: bool) -> None:
        """Close the cache in order; servers keep what comes for it, if it is durable and asks them to."""
        self._cache.close(keepalive)
        self.connected = None
        self._regions = {}

    def subscribed(self) -> tuple[int | None, frozenset[int]]:
        """The port of the server that sends it events, None if there is none now, and those that stand by."""
        pool = self._cache.getDefaultPool()
        try:
            primary = pool.getPrimary()
        except JavaError as error:
            if error.java_exception.getClass().getName() != _NO_SERVER:
                raise
            return None, frozenset()
        redundant = frozenset(int(server.getPort()) for server in pool.getRedundants().toArray())
        return None if primary is None else int(primary.getPort()), redundant

    def has_acknowledged(self) -> bool:
        """Whether the server that sends it events knows all that it has received; it is told by a timer."""
        state = _field(self._cache.getDefaultPool(), "queueManager").getState()
        received = plain(state.getThreadIdToSequenceIdMap()).values().toArray()
        return all(bool(one.getAckSend()) for one in received)

    @property
    def several(self) -> bool:
        """Whether it has more than one server to call."""
        return self.connected is not None and len(self.connected.servers) > 1

    def reception(self) -> tuple[bool, tuple[int, ...]]:
        """Whether it is looking for a server to send it events; the ports whence events are being read."""
        java = self.jvm.gateway.jvm
        beans = java.java.lang.management.ManagementFactory.getThreadMXBean()
        looking, ports = False, []
        for thread in beans.getThreadInfo(beans.getAllThreadIds(), 2**31 - 1):  # with whole stacks
            if thread is None:
                continue
            name = str(thread.getThreadName())
            if name.startswith(_READER):
                ports.append(int(name.rpartition(" ")[2]))
            elif name.startswith(_LOOKERS):
                looking |= _LOOKING in stack_words(java, thread.getStackTrace())
        return looking, tuple(ports)

    def be_impatient(self) -> None:
        """Wait for answers only for a short time from here on; no call is under way."""
        pool = self._cache.getDefaultPool()
        factory = _field(pool, "connectionFactory")
        with contextlib.suppress(JavaError):  # 1.2 has no such thing
            factory = _field(factory, "connectionConnector")
        patience = factory.getClass().getDeclaredField("readTimeout")
        patience.setAccessible(True)
        patience.setInt(factory, IMPATIENT_MS)
        idle = [pool.acquireConnection() for _ in range(max(1, int(pool.getConnectionCount())))]
        for connection in idle:
            connection.getSocket().setSoTimeout(IMPATIENT_MS)
            pool.returnConnection(connection)

    def call_first(self) -> None:
        """Have the next call that needs a connection ask the first server for it, and the others in turn.

        Geode goes on from the server that the last such call has asked.
        """
        self._next.setInt(self._source, 0)

    def _create(self, internal: str, checks: bool | None, listener: RegionListener) -> Any:
        java = self.jvm.gateway.jvm.org.apache.geode.cache
        factory = self._cache.createClientRegionFactory(java.client.ClientRegionShortcut.CACHING_PROXY)
        if checks is not None:
            factory.setConcurrencyChecksEnabled(checks)
        return self._created(factory, internal, listener)

    def create_copy(self, name: str, internal: str, checks: bool | None, listener: RegionListener) -> None:
        """Hold a copy of a region that the server has under this internal name; nothing is registered yet."""
        self._regions[name] = self._create(internal, checks, listener)

    def register(self, interest: Interest) -> None:
        """Register for keys of a region, or withdraw that; back when its servers have done so."""
        region, keys = self._regions[interest.region], self._keys(interest)
        by_regex = interest.kind == "regex"
        try:
            if not interest.register:
                (region.unregisterInterestRegex if by_regex else region.unregisterInterest)(keys)
                return
            policy = () if interest.policy is None else (getattr(self._policies(), interest.policy.upper()),)
            register = region.registerInterestRegex if by_regex else region.registerInterest
            register(keys, *policy, interest.durable, interest.receive_values)
        except JavaError as error:
            if error.java_exception.getClass().getName() == _NO_EXPRESSION:
                raise RefusedError(error.java_exception.getMessage().splitlines()[0]) from error
            words = f"{interest_words(interest)}: {error.java_exception.toString()}"
            lost = error.java_exception.getClass().getName() in {_NO_SERVER, _NO_ANSWER}
            raise (NoServerError if lost else AdapterError)(words) from error

    def _keys(self, interest: Interest) -> Any:
        """What is registered for, as Geode takes it."""
        if interest.kind == "all":
            return ALL_KEYS
        if interest.kind != "list":
            return interest.specification
        keys = self.jvm.gateway.jvm.java.util.ArrayList()
        for key in interest.specification.splitlines():
            keys.add(key)
        return keys

    def _policies(self) -> Any:
        return self.jvm.gateway.jvm.org.apache.geode.cache.InterestResultPolicy


def _field(owner: Any, name: str) -> Any:
    """What a private field of a Java object holds."""
    field = owner.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(owner)


_PROPERTIES = {
    "mcast-port": "0",
    "statistic-sampling-enabled": "false",
    "log-level": "warning",
}
