"""What is asked of an adapter about the listeners of asynchronous event queues.

Knows the plainest use of them: a put comes to a listener, again where that has failed, and stands at a gate.
"""

from __future__ import annotations

from plumbline.adapters.protocol import (
    AwaitParked,
    Begin,
    GateParams,
    Observe,
    Observed,
    ScriptRequest,
)
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.listener_calls import QUEUE, SUCCESS, QueueCall
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import Operation, OperationKind, QueueAttributes, Status
from plumbline.suites.adapter_check.examiner import ONE_SITE, Examiner, said_if

LISTENED = QueueAttributes(id="listened", site=1, members=("A",))
"""It runs on one member, so that it is known whose listener is called."""


class ListenerExaminer(Examiner):
    """Asks for calls of queue listeners, where the adapter declares them."""

    def listeners(self) -> None:
        """A listener receives what is put on any member; it fails as it is told to, and stands at a gate."""
        if not self._declares(Capability.ASYNC_QUEUES):
            return
        self._stage(ONE_SITE, LISTENED)
        # Of two puts side by side a listener may receive both in one call.
        first = self._put("A", "k")
        self._settle()
        second = self._put("B", "l")
        self._settle()
        self._received("create_queue", (first, SUCCESS), (second, SUCCESS))
        if not self._declares(Capability.CALLBACK_SCRIPTS):
            return
        script = ScriptRequest(member="A", region=LISTENED.id, callback=QUEUE, answers=("false", "throw"))
        self._ask("script", script)
        third = self._put("B", "k")
        self._settle()
        done = ((first, SUCCESS), (second, SUCCESS), (third, "false"), (third, "throw"), (third, SUCCESS))
        self._received("script", *done)
        if self._declares(Capability.LISTENER_GATES):
            self._stands(*done)

    def _stands(self, *done: tuple[Operation, str]) -> None:
        """A put returns while the listener stands at a gate with it; the call shows all the while."""
        put = self._operation("B", OperationKind.PUT, "m")
        gate = Gate("A", put.op_id, QUEUE)
        self._ask("arm", GateParams(gate=gate))
        self._ask("begin", Begin(operation=put))
        self._finish(put, Status.OK)
        complaint = "says that the operation did not come to the gate in the listener of its queue"
        parked = AwaitParked(gate=gate, timeout_ms=self._limit_ms)
        self._ask("await_parked", parked, lambda told: said_if(not told.parked, complaint))
        self._received("await_parked", *done, (put, SUCCESS))
        self._ask("release", GateParams(gate=gate))
        self._settle()
        self._received("release", *done, (put, SUCCESS))

    def _received(self, blamed: str, *due: tuple[Operation, str]) -> None:
        """The listener was called with these puts, one call each, and has answered so."""

        def complaint(told: Observed) -> str:
            calls = [_shown(call) for call in told.calls]
            expected = [([put.token], answer) for put, answer in due]
            return said_if(calls != expected, f"shows the calls {calls}, where {expected} are due")

        self._ask("observe", Observe(since=0), complaint, blamed)


def _shown(call: QueueCall) -> tuple[list[str | None], str]:
    return [change.token for change in call.events], call.answer
