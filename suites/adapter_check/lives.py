"""What is asked of an adapter about durable clients.

Knows the plainest use of them: a put while one is away comes to its listener on its return, and not into its
copy.
"""

from __future__ import annotations

from plumbline.adapters.protocol import ClientAction, ClientStart, InterestParams
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Client, Interest
from plumbline.suites.adapter_check.examiner import ONE_SITE, REGION, Examiner

DURABLE = Client(name="durable", servers=("A",), durable_id="d")


class LifeExaminer(Examiner):
    """Asks for the lives of a durable client, where the adapter declares them."""

    def lives(self) -> None:
        """A client closes with keep-alive or is killed, comes back, and is sent what it has missed."""
        if not self._declares(Capability.DURABLE_CLIENTS):
            return
        self._stage(ONE_SITE)
        name = DURABLE.name
        interest = Interest(client=name, region=REGION.name, policy="none", durable=True)
        self._ask("start_client", ClientStart(client=DURABLE))
        self._ask("interest", InterestParams(interest=interest))
        self._ask("client_action", ClientAction(client=name, action="ready"))
        missed = []
        for action, keepalive in (("close", True), ("kill", False)):
            self._settle()
            self._ask("client_action", ClientAction(client=name, action=action, keepalive=keepalive))
            missed.append(self._put("B", action))
            self._ask("start_client", ClientStart(client=DURABLE))
            self._ask("interest", InterestParams(interest=interest))
            self._ask("client_action", ClientAction(client=name, action="ready"))
            self._settle()
            self._told((name,), missed[-1], blamed="client_action")
            self._holds(name, (), "client_action")
