"""What is asked of an adapter about clients.

Knows the plainest use of them: one registration, each kind of call, and a gate.
"""

from __future__ import annotations

from plumbline.adapters.protocol import ClientStart, InterestParams
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import Content, Interest, Operation, OperationKind, Status
from plumbline.suites.adapter_check.examiner import CLIENT, ONE_SITE, REGION
from plumbline.suites.adapter_check.gates import GateExaminer


class ClientExaminer(GateExaminer):
    """Asks for clients, where the adapter declares them."""

    def clients(self) -> None:
        """A client is told of what it has registered for, and calls operations."""
        if not self._declares(Capability.CLIENTS):
            return
        self._stage(ONE_SITE)
        self._ask("start_client", ClientStart(client=CLIENT))
        self._ask("interest", InterestParams(interest=Interest(client=CLIENT.name, region=REGION.name)))
        put = self._put("B", "k")
        self._settle()
        self._told(("A", "B", CLIENT.name), put, blamed="interest")
        self._holds(CLIENT.name, (Content("k", put.token),), "interest")
        self._client_calls(put)
        if self._declares(Capability.LISTENER_GATES):
            self._client_gates(put)

    def _client_calls(self, put: Operation) -> None:
        """Checks that calls on a client arrive at its servers."""
        self._ends(self._operation(CLIENT.name, OperationKind.GET, "k", None), Status.OK, put.token)
        own = self._put(CLIENT.name, "own")
        self._settle()
        self._told(("A", "B"), own, blamed="begin")
        for holder in ("A", "B", CLIENT.name):
            self._holds(holder, (Content("k", put.token), Content("own", own.token)), "begin")
        # Whether its server hears of an invalidation the documents say otherwise each.
        self._ends(self._operation(CLIENT.name, OperationKind.INVALIDATE, "own"), Status.OK)
        self._settle()
        self._holds(CLIENT.name, (Content("k", put.token), Content("own", None)), "begin")
        self._ends(self._operation(CLIENT.name, OperationKind.DESTROY, "own"), Status.OK)
        self._settle()
        for holder in ("A", CLIENT.name):
            self._holds(holder, (Content("k", put.token),), "begin")

    def _client_gates(self, put: Operation) -> None:
        """Gates at a client, and at a server for what a client calls."""
        far = self._operation("B", OperationKind.PUT, "far")
        self._parks(far, Gate(CLIENT.name, far.op_id))
        near = self._operation(CLIENT.name, OperationKind.PUT, "near")
        self._parks(near, Gate("A", near.op_id))
        expected = [Content("far", far.token), Content("k", put.token), Content("near", near.token)]
        if self._declares(Capability.CALLBACK_SCRIPTS):
            asked = self._operation(CLIENT.name, OperationKind.PUT, "writer")
            self._parks(asked, Gate(CLIENT.name, asked.op_id, "writer"))
            expected.append(Content("writer", asked.token))
        for holder in ("A", "B", CLIENT.name):
            self._holds(holder, tuple(expected), "release")
