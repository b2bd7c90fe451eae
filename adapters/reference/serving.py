"""Clients on the reference: their lives, and what they register for at rest.

Knows the simulation; how it goes on is the simulation's own.
"""

from __future__ import annotations

from plumbline.adapters.errors import AdapterError, RefusedError, UnsupportedError
from plumbline.adapters.reference.limits import require_client, require_interest, require_life
from plumbline.adapters.reference.registering import Registering
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Client, Interest


class Serving(Registering):
    """An adapter of a simulation, as far as clients go."""

    def start_client(self, client: Client) -> None:
        """Connect a client to its server."""
        simulation = self._ready()
        setting = simulation.setting
        state = simulation.world.served.durable.get(client.name)
        if state is not None:
            self._start_again(client, connected=state.connected)
            return
        require_client(client, setting)
        if client.name in setting.members or not set(client.servers) <= set(setting.members):
            raise AdapterError(f"start_client: {client.name} is a member, or {client.servers} are not")
        setting.connect(client)
        simulation.world = simulation.model.interests.connected(simulation.world, client)

    def _start_again(self, client: Client, *, connected: bool) -> None:
        """Run another process under the id of a durable client that is away."""
        simulation = self._ready()
        if connected:
            raise AdapterError(f"start_client: {client.name} runs already")
        if all(server in simulation.world.wan.dead for server in client.servers):
            raise UnsupportedError(f"start_client: no server of {client.name} lives")
        timeout_ms = client.durable_timeout_s * 1000
        simulation.happen(Fault(kind=FaultKind.CLIENT_START, client=client.name, milliseconds=timeout_ms))

    def client_action(self, client: str, action: str, keepalive: bool) -> None:
        """A durable client becomes ready, or goes."""
        simulation = self._ready()
        kinds = {
            ("ready", False): FaultKind.CLIENT_READY,
            ("close", False): FaultKind.CLIENT_CLOSE,
            ("close", True): FaultKind.CLIENT_DETACH,
            ("kill", False): FaultKind.CLIENT_CRASH,
        }
        kind = kinds.get((action, keepalive))
        if kind is None:
            raise UnsupportedError(f"client_action: the reference cannot {action} a client")
        require_life(client, simulation.setting, kind)
        if client not in simulation.setting.durable:
            simulation.happen(Fault(kind=kind, client=client))
            return
        if not simulation.world.served.durable[client].connected:
            raise AdapterError(f"client_action: {client} is away")
        simulation.happen(Fault(kind=kind, client=client))

    def interest(self, interest: Interest) -> None:
        """Have a client register for keys of a region, or withdraw that, once everything has happened."""
        simulation = self._ready()
        client = simulation.setting.clients.get(interest.client)
        if client is None or interest.region not in self._regions:
            raise AdapterError(f"interest: no client {interest.client} or no region {interest.region}")
        require_interest(interest)
        self.settle(0)
        interests = simulation.model.interests
        accepted = list(interests.registered(simulation.world, interest))
        simulation.take_one_of(accepted or list(interests.refused(simulation.world, interest)))
        if not accepted:
            why = f"{interest.specification!r} is no expression" if client.subscription else "no subscription"
            raise RefusedError(f"interest: {why}")
