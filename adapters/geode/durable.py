"""Durable clients of Geode: the ids under which servers know them, and what servers know of each (003).

Geode keeps a proxy of each client on each of its servers. It is paused while a durable client is away, and
gone once its time is over. Its timer counts real time, so clients ask for a time-out that no run reaches. The
timer's task runs when `advance` has let as much time pass as the client was meant to have. Knows nothing of a
client's own cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from math import ceil
from typing import Any, NamedTuple

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.cluster import Cluster
from plumbline.adapters.geode.jvm import JavaError
from plumbline.adapters.geode.member import Member
from plumbline.adapters.geode.reflection import declared
from plumbline.adapters.waiting import wait_until

NOTED_S = 10.0
"""For so long it is waited until servers have noticed that a client has gone."""

LEVEL_S = 5.0
"""For so long servers that stand by may take to drop what was acknowledged."""

SCHEDULED_S = 1.0
"""For so long a server that has noticed it may take to start the timer."""

BEYOND_S = 1_000_000
"""So much longer than the client's own is the time-out that its servers are told."""

_TASK, _NEXT = "_durableExpirationTask", "nextExecutionTime"


class Life(NamedTuple):
    """One life of a durable client.

    Attributes:
        durable_id: the id that its servers know.
        is_running: whether its process runs.
        is_ready: whether it has said that it is ready for events.
    """

    durable_id: str
    is_running: bool = True
    is_ready: bool = False


class Lives:
    """The lives of the durable clients of one example, by client."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._of: dict[str, Life] = {}
        self._due_ms: dict[tuple[str, str], int] = {}  # of an absent client, at a server
        self._passed_ms = 0
        self._example = 0

    def begin(self, client: str, durable_id: str) -> tuple[str, bool]:
        """Begin a life; returns the id for servers, and whether the client has had a life before.

        The id belongs to this example, so that no queue of an earlier one is found. Raises AdapterError where
        the client runs.
        """
        before = self._of.get(client)
        if before is not None and before.is_running:
            raise AdapterError(f"start_client: {client} runs already")
        self._due_ms = {place: due_ms for place, due_ms in self._due_ms.items() if place[0] != client}
        self._of[client] = Life(f"{durable_id}-{self._example}")
        return self._of[client].durable_id, before is not None

    def is_durable(self, client: str) -> bool:
        """Whether the client has begun a life in this example."""
        return client in self._of

    def is_away(self, client: str) -> bool:
        """Whether it is a durable client of which no process runs."""
        return client in self._of and not self._of[client].is_running

    def is_sent_events(self, client: str) -> bool:
        """Whether its servers send it what they queue: it runs, and is ready where it is durable."""
        return client not in self._of or (self._of[client].is_running and self._of[client].is_ready)

    def running(self) -> list[str]:
        """The durable clients whose process runs."""
        return [client for client, life in self._of.items() if life.is_running]

    def require_running(self, client: str) -> None:
        """Raises AdapterError for a client that is not durable, or away."""
        if client not in self._of or self.is_away(client):
            raise AdapterError(f"client_action: no durable client {client} runs")

    def ready(self, client: str) -> None:
        """The client has said that it is ready."""
        self._of[client] = self._of[client]._replace(is_ready=True)

    def gone(self, client: str, servers: Iterable[Member]) -> None:
        """The client's process is gone: come back when each living server knows; raises AdapterError."""
        life = self._of[client] = self._of[client]._replace(is_running=False, is_ready=False)
        living = [server for server in servers if not server.crashed()]

        def is_noted() -> bool:
            known = self._cluster.ask_all(living, lambda member: has_connected(member, life.durable_id))
            return not any(known.values())

        if not wait_until(is_noted, NOTED_S):
            raise AdapterError(f"client {client}: a server still takes it for connected after {NOTED_S:g} s")
        left = self._cluster.ask_all(living, lambda member: left_ms(member, life.durable_id))
        for server, time_ms in left.items():
            if time_ms is not None:
                self._due_ms[client, server] = self._passed_ms + time_ms

    def let_pass(self, milliseconds: int, members: Mapping[str, Member]) -> None:
        """Let so much time pass: servers give up the clients whose time is over there."""
        self._passed_ms += milliseconds
        for (client, server), due_ms in sorted(self._due_ms.items(), key=lambda item: item[1]):
            if due_ms <= self._passed_ms:
                del self._due_ms[client, server]
                if not members[server].crashed():
                    durable_id = self._of[client].durable_id
                    self._cluster.ask(members[server], partial(let_expire, durable_id=durable_id))

    def await_level(self, client: str, members: Iterable[Member]) -> None:
        """Come back when all servers keep as many events of a client as each other, or after a while.

        Those that stand by are told every second of real time what the client has acknowledged.
        """
        durable_id = self._of[client].durable_id
        living = [member for member in members if not member.crashed()]

        def is_level() -> bool:
            kept = self._cluster.ask_all(living, lambda member: queued(member, durable_id)).values()
            return len(set(kept) - {None}) <= 1

        wait_until(is_level, LEVEL_S)

    def end_example(self, members: Iterable[Member]) -> None:
        """Have the members that live drop what they keep for absent clients; no client runs any more."""
        ids = [life.durable_id for life in self._of.values()]
        living = [member for member in members if not member.crashed()]
        if ids:
            self._cluster.ask_all(living, lambda member: drop_queues(member, ids))
        self._of.clear()
        self._due_ms.clear()
        self._passed_ms = 0
        self._example += 1


def has_connected(member: Member, durable_id: str) -> bool:
    """Whether the member's cache server takes the durable client for connected."""
    proxy = _proxy(member, durable_id)
    return proxy is not None and not proxy.isPaused()


def queued(member: Member, durable_id: str) -> int | None:
    """How many events the member's cache server keeps for a durable client; None if it serves none such."""
    proxy = _proxy(member, durable_id)
    return None if proxy is None else int(proxy.getQueueSize())


def left_ms(member: Member, durable_id: str) -> int | None:
    """How long the member's cache server still waits for a durable client that is away; None if it does not.

    It counts in whole seconds, and has just begun.
    """
    proxy = _proxy(member, durable_id)
    if proxy is None:
        return None
    java = member.jvm.gateway.jvm
    wait_until(lambda: _timer(proxy) is not None, SCHEDULED_S)
    if (task := _timer(proxy)) is None:
        return None
    ends_ms = int(declared(java.java.lang.Class.forName("java.util.TimerTask"), _NEXT).get(task))
    left_s = ceil((ends_ms - int(java.java.lang.System.currentTimeMillis())) / 1000)
    return (left_s - BEYOND_S) * 1000


def let_expire(member: Member, durable_id: str) -> None:
    """Have the member's cache server find that the time of a durable client is over, if it counts it."""
    proxy = _proxy(member, durable_id)
    task = None if proxy is None else _timer(proxy)
    if task is not None:
        task.run()
        task.cancel()


def _timer(proxy: Any) -> Any:
    """What a proxy has scheduled for the end of its client's time; None if nothing."""
    return declared(proxy.getClass(), _TASK).get(proxy).get()


def drop_queues(member: Member, ids: Iterable[str]) -> None:
    """Have the member's cache server drop what it keeps for these durable clients, which are away."""
    for durable_id in ids:
        if _proxy(member, durable_id) is not None:
            try:
                _notifier(member).closeDurableClientProxy(durable_id)
            except JavaError as error:
                raise AdapterError(f"{durable_id}: {error.java_exception.toString()}") from error


def _notifier(member: Member) -> Any:
    sockets = member.jvm.gateway.jvm.org.apache.geode.internal.cache.tier.sockets
    return sockets.CacheClientNotifier.getInstance()


def _proxy(member: Member, durable_id: str) -> Any:
    """The proxy of a durable client, also one that is yet to be set up; None if there is none."""
    notifier = None if member.port is None else _notifier(member)
    return None if notifier is None else notifier.getClientProxy(durable_id, True)  # noqa: FBT003
