"""The clients of a Geode candidate, as the suite asks for them: their lives, and what they register for.

Part of the adapter; `clients.py` runs the clients, `registering.py` what they have begun to register. Knows
nothing of operations.
"""

from __future__ import annotations

from functools import partial

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.geode.client import ClientCache, ClientListener
from plumbline.adapters.geode.clients import GeodeClients, create_copy, register
from plumbline.adapters.geode.clocks import Clocks
from plumbline.adapters.geode.cluster import Cluster
from plumbline.adapters.geode.limits import require_interest
from plumbline.adapters.geode.listener import GeodeExample
from plumbline.adapters.geode.member import Member
from plumbline.adapters.geode.regions import Regions
from plumbline.adapters.geode.registering import BegunRegistrations
from plumbline.adapters.geode.roster import Roster
from plumbline.reference.history.operations import Client, Interest, Status


class ClientSide(Adapter):
    """An adapter of Geode, as far as clients are started, go, and register."""

    _baseline: dict[str, dict[str, int]]
    _clients: GeodeClients
    _clocks: Clocks
    _cluster: Cluster
    _regions: Regions
    _registrations: BegunRegistrations
    _roster: Roster
    _stage: GeodeExample

    def start_client(self, client: Client) -> None:
        """Start a client's JVM, or take the one that runs, and create its regions.

        A durable client that is away begins its next life.
        """
        if not self._regions.all_acknowledged():
            raise UnsupportedError("clients are driven on Geode only where regions are acknowledged")
        self._roster.require_alive()
        away = self._clients.lives.is_away(client.name)
        find = self._roster.member if away else self._roster.survivor
        cache = self._clients.start(client, [find(server) for server in client.servers])
        durable = client.durable_id is not None
        for name, internal in self._regions.internal.items():
            listener = ClientListener(self._stage, client.name, name, durable=durable)
            create = partial(
                create_copy, name=name, internal=internal, checks=client.checks, listener=listener
            )
            self._cluster.ask(cache, create)
            if away:
                self._stage.learn(client.name, name, ())
        self._clocks.take_in(cache)
        self._baseline[client.name] = self._cluster.ask(cache, Member.counts)

    def client_action(self, client: str, action: str, keepalive: bool) -> None:
        """Have a durable client say that it is ready, close, or die."""
        self._roster.require_alive()
        if action == "ready" and client in self._registrations.holders():
            raise UnsupportedError("client_action: a client of Geode has one answer under way at a time")
        if action == "kill":
            self._stage.release_all(client)  # what stood in its listeners is gone with its process
        self._clients.act(client, action, keepalive=keepalive, members=self._cluster.members)

    def interest(self, interest: Interest) -> None:
        """Register a client for keys of a region, or withdraw that; nothing else is under way."""
        client = self._client_of(interest)
        try:
            self._cluster.ask(client, partial(register, interest=interest))
        finally:
            # No listener receives the dropped and loaded entries; an expression may be refused behind the
            # drop.
            held = self._cluster.ask(client, partial(Member.contents, name=interest.region))
            self._stage.learn(interest.client, interest.region, held or ())

    def begin_interest(self, number: int, interest: Interest, held: bool) -> None:
        """Call a registration and come back at once; its answer is held before it is applied."""
        self._registrations.begin(number, interest, self._client_of(interest), held=held)

    def await_answer(self, number: int, timeout_ms: int) -> bool:
        """Whether the answer is held within the time."""
        return self._registrations.await_answer(number, timeout_ms / 1000)

    def release_answer(self, number: int) -> None:
        """Let the answer be applied."""
        self._registrations.release(number)

    def finish_interest(self, number: int, timeout_ms: int) -> Status | None:
        """How a registration has ended; None if it has not within the time."""
        return self._registrations.finish(number, timeout_ms / 1000)

    def _client_of(self, interest: Interest) -> ClientCache:
        """The client that registers; raises AdapterError if there is none."""
        require_interest(interest)
        if interest.client not in self._clients.in_use:
            raise AdapterError(f"interest: no client is named {interest.client}")
        self._regions.require(interest.region)
        self._roster.require_alive()
        return self._clients.caches[interest.client]
