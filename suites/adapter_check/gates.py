"""What is asked of an adapter about gates at listeners.

Knows the plainest use of them.
"""

from __future__ import annotations

from plumbline.adapters.protocol import AwaitParked, Begin, GateParams, Observe
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import Content, Operation, OperationKind, Status
from plumbline.suites.adapter_check.examiner import ONE_SITE, SHORT_MS, Examiner, said_if


class GateExaminer(Examiner):
    """Asks for gates, where the adapter declares them."""

    def gates(self) -> None:
        """A listener parks at a gate until it is released."""
        if not self._declares(Capability.LISTENER_GATES):
            return
        self._stage(ONE_SITE)
        put = self._operation("A", OperationKind.PUT, "k")
        self._parks(put, Gate("B", put.op_id))
        self._holds("B", (Content("k", put.token),))
        uncalled = AwaitParked(gate=Gate("B", put.op_id + 1), timeout_ms=SHORT_MS)
        self._ask("arm", GateParams(gate=uncalled.gate))
        complaint = "says that an operation stands at a gate, and it was never called"
        self._ask("await_parked", uncalled, lambda told: said_if(told.parked, complaint))

    def _parks(self, put: Operation, gate: Gate) -> None:
        """A put comes to a gate and stands there until it is released; a listener received it by then."""
        self._ask("arm", GateParams(gate=gate))
        self._ask("begin", Begin(operation=put))
        parked = AwaitParked(gate=gate, timeout_ms=self._limit_ms)
        where = f"the {gate.callback} of {gate.member}"
        complaint = f"says that the operation did not come to the gate that was armed for it in {where}"
        self._ask("await_parked", parked, lambda told: said_if(not told.parked, complaint))
        if gate.callback == "listener":
            self._told((gate.member,), put, blamed="await_parked")
        else:
            self._untold(gate.member, put)
        self._ask("release", GateParams(gate=gate))
        self._finish(put, Status.OK)
        self._settle()

    def _untold(self, holder: str, put: Operation) -> None:
        """A put that stands in a cache writer has changed nothing, so no listener there received it."""
        complaint = f"the put stands in the writer of {holder}, and its listener received it"
        self._ask(
            "observe",
            Observe(since=0),
            lambda told: said_if(
                any(one.member == holder and one.token == put.token for one in told.events), complaint
            ),
            "await_parked",
        )
