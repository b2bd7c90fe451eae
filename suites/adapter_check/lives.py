"""What is asked of an adapter about durable clients.

Knows the plainest use of them: a put while one is away comes to its listener on its return, and not into its
copy. So does one that waits behind an event in its listener when it is killed.
"""

from __future__ import annotations

from plumbline.adapters.protocol import AwaitParked, ClientAction, ClientStart, GateParams, InterestParams
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import Client, Interest, OperationKind, Status
from plumbline.suites.adapter_check.examiner import ONE_SITE, REGION, Examiner, said_if

DURABLE = Client(name="durable", servers=("A",), durable_id="d")
EVERYTHING = Interest(client=DURABLE.name, region=REGION.name, policy="none", durable=True)


class LifeExaminer(Examiner):
    """Asks for the lives of a durable client, where the adapter declares them."""

    def lives(self) -> None:
        """A client closes with keep-alive or is killed, comes back, and is sent what it has missed."""
        if not self._declares(Capability.DURABLE_CLIENTS):
            return
        self._stage(ONE_SITE)
        name = DURABLE.name
        self._ask("start_client", ClientStart(client=DURABLE))
        self._ask("interest", InterestParams(interest=EVERYTHING))
        self._ask("client_action", ClientAction(client=name, action="ready"))
        missed = []
        for action, keepalive in (("close", True), ("kill", False)):
            self._settle()
            self._ask("client_action", ClientAction(client=name, action=action, keepalive=keepalive))
            missed.append(self._put("B", action))
            self._ask("start_client", ClientStart(client=DURABLE))
            self._ask("interest", InterestParams(interest=EVERYTHING))
            self._ask("client_action", ClientAction(client=name, action="ready"))
            self._settle()
            self._told((name,), missed[-1], blamed="client_action")
            self._holds(name, (), "client_action")

    def lives_meanwhile(self) -> None:
        """A client is killed while an event stands in its listener, and another one waits behind that."""
        gated = self._declares(Capability.LISTENER_GATES)
        if not (gated and self._declares(Capability.CONCURRENT_LIVES)):
            return
        self._stage(ONE_SITE)
        name = DURABLE.name
        self._ask("start_client", ClientStart(client=DURABLE))
        self._ask("interest", InterestParams(interest=EVERYTHING))
        self._ask("client_action", ClientAction(client=name, action="ready"))
        standing = self._operation("B", OperationKind.PUT, "standing")
        gate = Gate(member=name, op_id=standing.op_id)
        self._ask("arm", GateParams(gate=gate))
        self._ends(standing, Status.OK)
        parked = AwaitParked(gate=gate, timeout_ms=self._limit_ms)
        complaint = "says that the operation did not come to the gate in the client's listener"
        self._ask("await_parked", parked, lambda told: said_if(not told.parked, complaint))
        waiting = self._put("B", "waiting")
        self._ask("client_action", ClientAction(client=name, action="kill"))
        self._ask("release", GateParams(gate=gate))
        self._ask("start_client", ClientStart(client=DURABLE))
        self._ask("client_action", ClientAction(client=name, action="ready"))
        self._settle()
        self._told((name,), waiting, blamed="client_action")
