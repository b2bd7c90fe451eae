"""State machines of callback arguments: calls with and without one, seen by all kinds of listeners.

An extension. Of two sites the queues gather, fail and change hands, so that an argument has to outlast what
its event does. Clients call and are sent what others call.
"""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st
from hypothesis.stateful import initialize

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called
from plumbline.reference.history.operations import ARGUED, Operation, OperationKind
from plumbline.suites.machines.clients import CallingMachine, K, L
from plumbline.suites.machines.drawing import Machine
from plumbline.suites.machines.gathering import GatheringMachine
from plumbline.suites.machines.sites_drawing import BATCH_SIZES
from plumbline.suites.scenarios.listening import listened_queues
from plumbline.suites.scenarios.sites import queues

_EACH, _THIRD = 1, 3
"""Each call has an argument, or each but every third."""


def given(operation: Operation, without: int) -> Operation:
    """The operation with an argument of its own, unless its turn is to have none."""
    bare = without != _EACH and not operation.op_id % without
    if bare or operation.kind not in ARGUED:
        return operation
    return msgspec.structs.replace(operation, argument=f"a{operation.op_id}")


class ArgumentsMachine(GatheringMachine):
    """Two sites, whose events pass through senders, one of which may conflate, and a queue that listens."""

    def __init__(self) -> None:
        super().__init__()
        self.without = _EACH

    def operation(self, member: str, kind: OperationKind, key: str) -> Operation:
        """The next operation, perhaps with an argument."""
        return given(super().operation(member, kind, key), self.without)

    @initialize(
        batch_size=st.sampled_from(BATCH_SIZES),
        conflate=st.sampled_from((False, False, True)),
        listens=st.booleans(),
        without=st.sampled_from((_EACH, 2, _THIRD)),
    )
    def begin(self, batch_size: int, conflate: bool, listens: bool, without: int) -> None:
        """Choose the queues before anything is called."""
        self.without = without
        fed = queues(batch_size, conflate=conflate and Capability.QUEUE_CONFLATION in self.offers)
        if listens and Capability.ASYNC_QUEUES in self.offers:
            fed += listened_queues(batch_size)
        self.lead_by(fed)


class ClientArgumentsMachine(CallingMachine):
    """Members and clients of two servers call anything, and each client is sent all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.clients = (K, L)
        self.without = _EACH

    def operation(self, member: str, kind: OperationKind, key: str) -> Operation:
        """The next operation, perhaps with an argument."""
        return given(super().operation(member, kind, key), self.without)

    @initialize(without=st.sampled_from((_EACH, 2, _THIRD)))
    def begin(self, without: int) -> None:
        """Choose which calls have an argument."""
        self.without = without


def some_call_has_an_argument(history: History) -> bool:
    """Whether any call was given an argument."""
    return any(isinstance(what, Called) and what.operation.argument for what in history.timeline)


CALLBACK_ARGUMENT_MACHINES = (
    Machine(
        name="callback_arguments",
        requirements=(
            "EXT-CALLBACK-01",
            "EXT-CALLBACK-02",
            "EXT-CALLBACK-03",
            "EXT-CALLBACK-05",
            "EXT-CALLBACK-06",
            "EXT-CALLBACK-07",
            "EXT-CALLBACK-08",
        ),
        needs=(Capability.REPLICATED_REGIONS, Capability.GATEWAYS, Capability.EVENT_ARGUMENTS),
        draws=ArgumentsMachine,
        counts=some_call_has_an_argument,
    ),
    Machine(
        name="arguments_at_clients",
        requirements=("EXT-CALLBACK-01", "EXT-CALLBACK-04", "EXT-CALLBACK-05"),
        needs=(Capability.REPLICATED_REGIONS, Capability.CLIENTS, Capability.EVENT_ARGUMENTS),
        draws=ClientArgumentsMachine,
        counts=some_call_has_an_argument,
    ),
)
"""The machines of callback arguments."""
