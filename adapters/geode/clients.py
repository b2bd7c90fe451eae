"""The clients of a Geode cluster: which run, at which servers, and when they have received all events.

A client's JVM outlives examples, unless the client is killed; its regions do not. Knows nothing of
operations and what they do.
"""

from __future__ import annotations

import atexit
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.geode.client import ClientCache
from plumbline.adapters.geode.cluster import START_LIMIT_S, Cluster, end_all
from plumbline.adapters.geode.durable import Lives
from plumbline.adapters.geode.folder import Folder
from plumbline.adapters.geode.jars import Jars
from plumbline.adapters.geode.links import Links, LinkState
from plumbline.adapters.geode.listener import RegionListener
from plumbline.adapters.geode.member import Member
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.operations import Client, Interest

CLIENT_ADDRESSES = "127.0.0.{}"
FIRST_ADDRESS = 11
"""Each client reaches its servers at an address of its own, where proxies listen."""


ACKNOWLEDGED_S = 3.0
"""For so long a client may take to acknowledge; Geode has it do so every tenth of a second."""


class GeodeClients:
    """The clients of one cluster; none at first.

    Attributes:
        caches: by name, those that run, in the example or left from another.
        in_use: names of those that the example has started.
        restarted: the members that the example has started again.
        lives: those of the durable clients.

    Args:
        jars: of the version.
        cluster: the members.
        watch: shown what a client asks a server, by name; what the answer waits for, if for anything.
    """

    def __init__(
        self,
        jars: Jars,
        cluster: Cluster,
        watch: Callable[[str, str, bytes], Callable[[], None] | None],
    ) -> None:
        self._watch = watch
        self.caches: dict[str, ClientCache] = {}
        self.in_use: set[str] = set()
        self.restarted: set[str] = set()
        self.lives = Lives(cluster)
        self._started: dict[str, Client] = {}
        self._booted = 0
        self._jars = jars
        self._cluster = cluster
        self._folder: Folder | None = None
        self._sentinels = 0
        self._stale: set[str] = set()  # those whose servers may be other processes now, or that are impatient
        self._links: Links | None = None
        self._impaired: set[str] = set()

    def start(self, client: Client, servers: Sequence[Member]) -> ClientCache:
        """Have a client run, connected to these members, or begin its next life; raises AdapterError."""
        if not client.subscription:
            raise UnsupportedError("start_client: clients without a subscription are not driven")
        if not 0 <= client.redundancy < len(servers):
            raise UnsupportedError(f"start_client: {len(servers)} servers, redundancy {client.redundancy}")
        durable_id, again = "", False
        if client.durable_id is not None:
            durable_id, again = self.lives.begin(client.name, client.durable_id)
        cache = self.caches.get(client.name) or self._boot(client.name)
        fits = cache.connected is not None and _way(cache.connected) == _way(client) and not durable_id
        if not fits or client.name in self._stale:
            self._stale.discard(client.name)
            ports = [self._port(server) for server in servers]
            address = CLIENT_ADDRESSES.format(FIRST_ADDRESS + [*self.caches].index(client.name))
            for server, port in zip(servers, ports, strict=True):
                self._reachable(client.name, server.name, port, address)
            connect = partial(_connect, client=client, address=address, ports=ports, durable_id=durable_id)
            self._cluster.ask_all([cache], connect, START_LIMIT_S)
            if again:  # Geode seeks the servers that have its queue
                living = [server for server in servers if not server.crashed()]
                self._await_any(cache, living, min(client.redundancy, len(living) - 1))
            else:
                self._await_subscribed(cache, ports[0], frozenset(ports[1 : client.redundancy + 1]))
        cache.connected = self._started[client.name] = client
        self.in_use.add(client.name)
        return cache

    def _port(self, server: Member) -> int:
        """Where a server serves, or served before it was killed."""
        if server.crashed() and server.port is not None:
            return server.port
        return self._cluster.ask(server, Member.serve)

    def _boot(self, name: str) -> ClientCache:
        """Have a JVM boot for a client."""
        if self._folder is None:
            self._folder = Folder()
            atexit.register(self.end)
        self._booted += 1
        self.caches[name] = ClientCache(name, self._jars, self._folder.path / str(self._booted))
        return self.caches[name]

    def connected(self) -> list[ClientCache]:
        """Those that are connected to servers."""
        return [cache for cache in self.caches.values() if cache.connected is not None]

    def act(self, name: str, action: str, *, keepalive: bool, members: Mapping[str, Member]) -> None:
        """Have a durable client be ready, close or be killed; raises UnsupportedError for anything else.

        Another client may say that it is ready, too.
        """
        if action == "ready" and name in self.in_use and not self.lives.is_durable(name):
            self._cluster.ask(self.caches[name], lambda member: _client(member).ready())
            return
        self.lives.require_running(name)
        cache = self.caches[name]
        if action == "ready" and not keepalive:
            self._cluster.ask(cache, lambda member: _client(member).ready())
            self.lives.ready(name)
            return
        if action == "close":
            self._cluster.ask(cache, lambda member: _client(member).disconnect(keepalive=keepalive))
        elif action == "kill" and not keepalive:
            end_all([cache])
            self._boot(name)
        else:
            raise UnsupportedError(f"client_action: no client of Geode can {action!r:.80}")
        self.lives.gone(name, [members[server] for server in self._started[name].servers])

    def sender_of(self, client: str) -> str | None:
        """The server that sends a client its events now; None if none does."""
        port, _ = self._cluster.ask(self.caches[client], lambda member: _client(member).subscribed())
        servers = (self._cluster.members[name] for name in self._started[client].servers)
        return next((server.name for server in servers if server.port == port), None)

    def let_pass(self, milliseconds: int, members: Mapping[str, Member]) -> None:
        """Let so much time pass: clients acknowledge what they have received, absent ones are given up."""
        for name in self.lives.running():
            if self.lives.is_sent_events(name):
                self._await_acknowledged(name)
                if self._started[name].redundancy:
                    self.lives.await_level(name, [members[server] for server in self._started[name].servers])
        self.lives.let_pass(milliseconds, members)

    def _await_acknowledged(self, name: str) -> None:
        """Come back when a client has acknowledged all that it has received, or after a while."""

        def has_acknowledged() -> bool:
            return self._cluster.ask(self.caches[name], lambda member: _client(member).has_acknowledged())

        wait_until(has_acknowledged, ACKNOWLEDGED_S)

    def _reachable(self, client: str, server: str, port: int, address: str) -> None:
        """Let a client reach a server at this address."""
        if self._links is None:
            self._links = Links()
        link = _link(client, server)
        self._links.shut(link)
        self._links.open(link, port, address, partial(self._watch, client, server))

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

    def _await_any(self, cache: ClientCache, servers: Sequence[Member], redundant: int) -> None:
        """Come back when one of these servers sends a client its events, and so many others stand by."""
        ports = {server.port for server in servers}

        def subscribed() -> bool:
            primary, others = self._cluster.ask(cache, lambda member: _client(member).subscribed())
            return primary in ports and len(others) == redundant and others <= ports

        if not wait_until(subscribed, START_LIMIT_S):
            raise AdapterError(
                f"client {cache.name} finds no {redundant + 1} servers", cache.jvm.last_words()
            )

    def require_no_copy(self, server: str) -> None:
        """Raises UnsupportedError where a member that is to be killed may have its queues copied to another.

        Clients that lack a server recruit one that starts again, and nothing here waits until they have. For
        a durable client that is away no server is recruited (001, L73).
        """
        for name in sorted(self.in_use):
            if self.lives.is_away(name):
                continue
            client = self._started[name]
            if self.restarted.intersection(client.servers) and client.redundancy and server in client.servers:
                raise UnsupportedError(
                    "crash: no server is killed on Geode whose queues one that was started again may keep"
                )

    def servers_changed(self) -> None:
        """Have every client connect anew before it is used again, in the JVM that it has."""
        self._stale.update(self.caches)

    def drop_regions(self, members: Collection[Member]) -> None:
        """Forget the example's regions on all clients, before their servers do; durable clients end."""
        for name in self.lives.running():
            self._cluster.ask(self.caches[name], lambda member: _client(member).disconnect(keepalive=False))
            self.lives.gone(name, members)
        self.lives.end_example(members)
        self.in_use.clear()
        self.restarted.clear()
        if self._links is not None:
            for link in self._impaired:
                self._links.set(link, LinkState.UP)
        self._impaired.clear()
        self._cluster.ask_all(self.connected(), Member.drop_regions)

    def drained(self, members: Mapping[str, Member], deadline: float, but: Collection[str] = ()) -> bool:
        """Whether by the deadline every client but these has received all that its servers had for it.

        A value that is put on a server into a region of its own waits in the client's queue behind it.
        """
        self._sentinels += 1
        waiting = []
        for name in sorted(self.in_use.difference(but)):
            if self.lives.is_away(name):
                continue
            cache = self.caches[name]
            servers = [members[server] for server in self._started[name].servers]
            living = [server for server in servers if not server.crashed()]
            secured = 0 if self.restarted or self.lives.is_durable(name) else self._started[name].redundancy
            fewer = len(living) < len(servers) or self.restarted
            if fewer and not self._served(cache, living, min(secured, len(living) - 1), deadline):
                return False
            if living and self.lives.is_sent_events(name):
                self._cluster.ask(living[0], partial(_put_sentinel, name=cache.name, value=self._sentinels))
                waiting.append(cache)
        return all(cache.sentinel.await_value(self._sentinels, deadline) for cache in waiting)

    def _served(self, cache: ClientCache, living: Sequence[Member], secured: int, deadline: float) -> bool:
        """Whether by the deadline a server that lives sends the client its events, and no other any more.

        So many others that live stand by, at least.
        Where none lives, no server sends, and all that was left of dead servers has been read.
        """
        ports = {server.port for server in living}

        def served() -> bool:
            primary, others = self._cluster.ask(cache, lambda member: _client(member).subscribed())
            if primary not in (ports or {None}) or len(others & ports) < secured:
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
        self.lives = Lives(self._cluster)
        end_all(caches)
        if self._links is not None:
            self._links.close()
            self._links = None
        if self._folder is not None:
            self._folder.remove()
            self._folder = None
            atexit.unregister(self.end)


def _way(client: Client) -> tuple[object, ...]:
    """What a client cannot change without making its cache anew."""
    return client.servers, client.redundancy


def _connect(member: Member, client: Client, address: str, ports: Sequence[int], durable_id: str) -> None:
    _client(member).connect(client, address, ports, durable_id)


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
