"""What an adapter has been asked since it was opened: the scene in which an answer has to make sense.

Knows what was asked and done, not whether an answer is right.
"""

from __future__ import annotations

import msgspec

from plumbline.adapters.protocol import (
    AwaitInterest,
    Begin,
    BeginInterest,
    ClientStart,
    Crash,
    CreateQueue,
    Deploy,
    Finished,
    FinishRequest,
    InterestEnded,
    Introduction,
    Link,
    MemberParams,
    Observed,
    Reset,
)
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import (
    OF_TRANSACTIONS,
    Client,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Topology,
)


class Scene(msgspec.Struct):
    """What has been asked so far.

    Attributes:
        introduction: how the adapter introduced itself; None before.
        topology: what it runs.
        queues: those of the topology, by id.
        regions: those of the example, by name.
        clients: those of the example, by name.
        called: the operations of the example, by id.
        under_way: the ids of those that have not returned.
        registering: the clients of registrations that were begun and have not ended, by number.
        transacting: threads that have begun a transaction and not ended it.
        gates: how many were armed in the example.
        crashed: members that were killed and not started again.
        faults: whether a member was killed, or a link was not up, in the example.
        position: how far the listener events were read.
        done: the forms of requests that the adapter has carried out.
    """

    introduction: Introduction | None = None
    topology: Topology = Topology(())
    queues: dict[str, QueueAttributes] = msgspec.field(default_factory=dict)
    regions: dict[str, RegionAttributes] = msgspec.field(default_factory=dict)
    clients: dict[str, Client] = msgspec.field(default_factory=dict)
    called: dict[int, Operation] = msgspec.field(default_factory=dict)
    under_way: set[int] = msgspec.field(default_factory=set)
    registering: dict[int, str] = msgspec.field(default_factory=dict)
    transacting: set[str] = msgspec.field(default_factory=set)
    gates: int = 0
    crashed: set[str] = msgspec.field(default_factory=set)
    faults: bool = False
    position: int = 0
    done: set[object] = msgspec.field(default_factory=set)

    @property
    def holders(self) -> frozenset[str]:
        """The members and clients, each of which has a listener log."""
        return frozenset((*self.topology.members, *self.clients))

    @property
    def living(self) -> frozenset[str]:
        """The members that were not killed."""
        return frozenset(self.topology.members) - self.crashed

    @property
    def partitioned(self) -> bool:
        """Whether a region of the example is partitioned."""
        return any(region.policy is RegionPolicy.PARTITION for region in self.regions.values())

    def declares(self, capability: Capability | None) -> bool:
        """Whether the adapter has declared a capability; every adapter has the features that need none."""
        declared = () if self.introduction is None else self.introduction.capabilities
        return capability is None or capability in declared

    def transacts(self, operation: Operation) -> bool:
        """Whether an operation is of a transaction."""
        return operation.thread in self.transacting or operation.kind in OF_TRANSACTIONS

    def note(self, method: str, params: msgspec.Struct, result: msgspec.Struct) -> None:
        """Take in a request that was carried out, with its result."""
        self.gates += method == "arm"
        match params, result:
            case _, Introduction():
                self.introduction = result
            case Deploy(topology=topology), _:
                self.queues = self.queues if topology == self.topology else {}
                self.topology = topology
            case CreateQueue(queue=queue), _:
                self.queues[queue.id] = queue
            case Reset(regions=regions), _:
                self._begin(regions)
            case ClientStart(client=client), _:
                self.clients[client.name] = client
            case Begin(operation=operation), _:
                self._call(operation)
            case FinishRequest(op_id=op_id), Finished(outcome=outcome) if outcome is not None:
                self.under_way.discard(op_id)
            case BeginInterest(number=number, interest=interest), _:
                self.registering[number] = interest.client
            case AwaitInterest(number=number), InterestEnded(status=status) if status is not None:
                self.registering.pop(number, None)
            case _, Observed(position=position):
                self.position = position
            case Crash(member=member), _:
                self.crashed.add(member)
                self.faults = True
            case _:
                self._disturb(params)

    def _begin(self, regions: tuple[RegionAttributes, ...]) -> None:
        self.regions = {region.name: region for region in regions}
        self.clients, self.called, self.under_way, self.transacting = {}, {}, set(), set()
        self.registering = {}
        self.crashed, self.faults, self.gates, self.position = set(), False, 0, 0

    def _call(self, operation: Operation) -> None:
        self.called[operation.op_id] = operation
        self.under_way.add(operation.op_id)
        if operation.kind is OperationKind.TX_BEGIN:
            self.transacting.add(operation.thread)
        elif operation.kind in OF_TRANSACTIONS:
            self.transacting.discard(operation.thread)

    def _disturb(self, params: msgspec.Struct) -> None:
        match params:
            case Link(state=state) if state != "up":
                self.faults = True
            case MemberParams(member=member):  # a restart; the server's log is not read so far
                self.crashed.discard(member)
