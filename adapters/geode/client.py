"""Clients of a Geode cluster: caches in JVMs of their own, each connected to cache servers on members.

A client's JVM outlives examples; its regions do not. Knows nothing of operations and what they do.
"""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from plumbline.adapters.errors import AdapterError, RefusedError, UnsupportedError
from plumbline.adapters.geode.clock import look_when_told
from plumbline.adapters.geode.cluster import START_LIMIT_S, Cluster, end_all
from plumbline.adapters.geode.folder import Folder
from plumbline.adapters.geode.jars import Jars
from plumbline.adapters.geode.jvm import JavaError, stack_words
from plumbline.adapters.geode.links import Links, LinkState
from plumbline.adapters.geode.listener import GeodeExample, RegionListener
from plumbline.adapters.geode.member import FLUSH_REGION, Member
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.operations import Client, EventKind, Interest
from plumbline.reference.history.words import interest_words

_NO_EXPRESSION = "java.util.regex.PatternSyntaxException"

_NO_SERVER = "org.apache.geode.cache.NoSubscriptionServersAvailableException"
_LOOKING = "QueueManagerImpl.recoverPrimary"
_LOOKERS = ("queueTimer", "poolTimer")
_READER = "Cache Client Updater Thread"

PING_MS = 500
"""So often a client that has no server looks for one; as shipped every ten seconds."""

RETRIES = 50
"""So often a call is tried again after all servers have failed to answer; as shipped it is not."""

IMPATIENT_MS = 700
"""For so long a client whose answers are lost waits for each of them; as shipped ten seconds."""

CLIENT_ADDRESSES = "127.0.0.{}"
FIRST_ADDRESS = 11
"""Each client reaches its servers at an address of its own, where proxies listen."""

ALL_KEYS = "ALL_KEYS"
"""Geode's own word for them, where keys to register for are named."""


class ClientListener(RegionListener):
    """What is told of one region of a client."""

    def tell_live(self) -> None:
        """Nothing that an example of clients without a durable id asks about."""


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

    def tell(self, kind: EventKind, key: str, token: str | None, *, remote: bool) -> None:
        """A value was put: note it, and wake the threads that wait."""
        del kind, remote
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

    def connect(self, client: Client, address: str, ports: Sequence[int]) -> None:
        """Be connected to the cache servers at this address and these ports, to the first of them first."""
        if self.connected is None:
            self.jvm.connect(START_LIMIT_S)
        else:
            self._cache.close()
        java = self.jvm.gateway.jvm
        settings = java.java.util.Properties()
        for key, value in _PROPERTIES.items():
            settings.setProperty(key, value)
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
            raise AdapterError(f"{interest_words(interest)}: {error.java_exception.toString()}") from error

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


class GeodeClients:
    """The clients of one cluster; none at first.

    Attributes:
        caches: by name, those that run, in the example or left from another.
        in_use: names of those that the example has started.
        restarted: the members that the example has started again.
    """

    def __init__(self, jars: Jars, cluster: Cluster) -> None:
        self.caches: dict[str, ClientCache] = {}
        self.in_use: set[str] = set()
        self.restarted: set[str] = set()
        self._jars = jars
        self._cluster = cluster
        self._folder: Folder | None = None
        self._sentinels = 0
        self._stale: set[str] = set()  # those whose servers may be other processes now, or that are impatient
        self._links: Links | None = None
        self._impaired: set[str] = set()

    def start(self, client: Client, servers: Sequence[Member]) -> ClientCache:
        """Have a client run, connected to these members; raises AdapterError."""
        if client.durable_id is not None or not client.subscription:
            raise UnsupportedError("start_client: neither durable clients nor unsubscribed ones are driven")
        if not 0 <= client.redundancy < len(servers):
            raise UnsupportedError(f"start_client: {len(servers)} servers, redundancy {client.redundancy}")
        cache = self.caches.get(client.name)
        if cache is None:
            if self._folder is None:
                self._folder = Folder()
                atexit.register(self.end)
            cache = ClientCache(client.name, self._jars, self._folder.path / str(len(self.caches)))
            self.caches[client.name] = cache
        fits = cache.connected is not None and _way(cache.connected) == _way(client)
        if not fits or client.name in self._stale:
            self._stale.discard(client.name)
            ports = [self._cluster.ask(server, Member.serve) for server in servers]
            address = CLIENT_ADDRESSES.format(FIRST_ADDRESS + [*self.caches].index(client.name))
            for server, port in zip(servers, ports, strict=True):
                self._reachable(client.name, server.name, port, address)
            connect = partial(_connect, client=client, address=address, ports=ports)
            self._cluster.ask_all([cache], connect, START_LIMIT_S)
            self._await_subscribed(cache, ports[0], frozenset(ports[1 : client.redundancy + 1]))
        cache.connected = client
        self.in_use.add(client.name)
        return cache

    def _reachable(self, client: str, server: str, port: int, address: str) -> None:
        """Let a client reach a server at this address."""
        if self._links is None:
            self._links = Links()
        link = _link(client, server)
        self._links.shut(link)
        self._links.open(link, port, address, of_client=True)

    def link(self, client: str, server: str, state: str) -> None:
        """Lose what a server answers to what a client puts, or lose it no more; raises UnsupportedError."""
        if state not in (LinkState.UP, LinkState.DROP_ACKS):
            raise UnsupportedError(f"link: what {server} and {client} say to each other cannot be {state!r}")
        cache = self.caches[client]
        if self._links is None or cache.connected is None or server not in cache.connected.servers:
            raise AdapterError(f"link: {server} is no server of {client}")
        if state == LinkState.DROP_ACKS:
            self._stale.add(client)
            self._impaired.add(_link(client, server))
            self._cluster.ask(cache, lambda member: _client(member).be_impatient())
        self._links.set(_link(client, server), LinkState(state))

    def _await_subscribed(self, cache: ClientCache, primary: int, redundant: frozenset[int]) -> None:
        """Come back when these servers, and no others, keep what the client is to be sent."""
        found: tuple[int | None, frozenset[int]] = (None, frozenset())

        def subscribed() -> bool:
            nonlocal found
            found = self._cluster.ask(cache, lambda member: _client(member).subscribed())
            return found == (primary, redundant)

        if not wait_until(subscribed, START_LIMIT_S):
            raise AdapterError(
                f"client {cache.name} is served by {found}, not by {primary}, {sorted(redundant)}",
                cache.jvm.last_words(),
            )

    def require_no_copy(self, server: str) -> None:
        """Raises UnsupportedError where a member that is to be killed may have its queues copied to another.

        Clients that lack a server recruit one that starts again. The model does not judge that so far.
        """
        for name in sorted(self.in_use):
            client = self.caches[name].connected
            assert client is not None  # noqa: S101 - it is in use
            if self.restarted.intersection(client.servers) and client.redundancy and server in client.servers:
                raise UnsupportedError(
                    "crash: no server is killed on Geode whose queues one that was started again may keep"
                )

    def servers_changed(self) -> None:
        """Have every client connect anew before it is used again, in the JVM that it has."""
        self._stale.update(self.caches)

    def drop_regions(self) -> None:
        """Forget the example's regions on all clients, before their servers do."""
        self.in_use.clear()
        self.restarted.clear()
        if self._links is not None:
            for link in self._impaired:
                self._links.set(link, LinkState.UP)
        self._impaired.clear()
        self._cluster.ask_all(self.caches.values(), Member.drop_regions)

    def drained(self, members: Mapping[str, Member], deadline: float) -> bool:
        """Whether by the deadline every client has received all that its servers had for it.

        A value that is put on a server into a region of its own waits in the client's queue behind it.
        """
        self._sentinels += 1
        waiting = []
        for cache in (self.caches[name] for name in sorted(self.in_use)):
            assert cache.connected is not None  # noqa: S101 - it is in use
            servers = [members[name] for name in cache.connected.servers]
            living = [server for server in servers if not server.crashed()]
            if (len(living) < len(servers) or self.restarted) and not self._served(cache, living, deadline):
                return False
            if living:
                self._cluster.ask(living[0], partial(_put_sentinel, name=cache.name, value=self._sentinels))
                waiting.append(cache)
        return all(cache.sentinel.await_value(self._sentinels, deadline) for cache in waiting)

    def _served(self, cache: ClientCache, living: Sequence[Member], deadline: float) -> bool:
        """Whether by the deadline a server that lives sends the client its events, and no other any more.

        Where none lives, no server sends, and all that was left of dead servers has been read.
        """
        ports = {server.port for server in living}

        def served() -> bool:
            primary, _ = self._cluster.ask(cache, lambda member: _client(member).subscribed())
            if primary not in (ports or {None}):
                return False
            looking, read = self._cluster.ask(cache, lambda member: _client(member).reception())
            return ports.issuperset(read) and not (looking and living)

        return wait_until(served, deadline - time.monotonic())

    def require_alive(self) -> None:
        """Raises AdapterError if a client has died."""
        for cache in self.caches.values():
            if not cache.jvm.alive:
                raise AdapterError(
                    f"client {cache.name}: the JVM died with code {cache.jvm.exit_code}",
                    cache.jvm.last_words(),
                )

    def end(self) -> None:
        """No process and no thread of a client any more; never raises, and may be called twice."""
        caches, self.caches = tuple(self.caches.values()), {}
        self.in_use.clear()
        end_all(caches)
        if self._links is not None:
            self._links.close()
            self._links = None
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
            atexit.unregister(self.end)


def _field(owner: Any, name: str) -> Any:
    """What a private field of a Java object holds."""
    field = owner.getClass().getDeclaredField(name)
    field.setAccessible(True)
    return field.get(owner)


def _way(client: Client) -> tuple[object, ...]:
    """What a client cannot change without making its cache anew."""
    return client.servers, client.redundancy


def _connect(member: Member, client: Client, address: str, ports: Sequence[int]) -> None:
    _client(member).connect(client, address, ports)


def _link(client: str, server: str) -> str:
    """What the link of a client to a server is called."""
    return f"{client} to {server}"


def _client(member: Member) -> ClientCache:
    assert isinstance(member, ClientCache)  # noqa: S101 - asked of clients only
    return member


def create_copy(
    member: Member, name: str, internal: str, *, checks: bool | None, listener: RegionListener
) -> None:
    """Have a client hold a copy of a region."""
    _client(member).create_copy(name, internal, checks=checks, listener=listener)


def register(member: Member, interest: Interest) -> None:
    """Have a client register for keys of a region, or withdraw that."""
    _client(member).register(interest)


def _put_sentinel(member: Member, name: str, value: int) -> None:
    member.flush_region().put(name, value)


_PROPERTIES = {
    "mcast-port": "0",
    "statistic-sampling-enabled": "false",
    "log-level": "warning",
}
