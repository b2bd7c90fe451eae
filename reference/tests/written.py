"""Histories written by hand, moment by moment, as the driver would write them down."""

from __future__ import annotations

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import (
    Armed,
    Called,
    ContentsAsked,
    ContentsRead,
    FaultBegun,
    FaultDone,
    Gate,
    Moment,
    Parked,
    Released,
    Returned,
    Settled,
)
from plumbline.reference.history.operations import (
    Client,
    Content,
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)

TOLD_AS = {
    OperationKind.PUT: EventKind.UPDATE,
    OperationKind.DESTROY: EventKind.DESTROY,
    OperationKind.INVALIDATE: EventKind.INVALIDATE,
    OperationKind.CLEAR: EventKind.CLEAR,
}


class Written:
    """An example of the members A, B and C, and of clients, with the logs of those that are told of."""

    def __init__(
        self, *clients: Client, observed: str = "", checks: bool | None = None, registers: bool = True
    ) -> None:
        """Begin; `observed` names those whose logs are known even if they tell of nothing."""
        self._moments: list[Moment] = []
        self._clients, self._checks, self._registers = clients, checks, registers
        self._logs: dict[str, list[Observation]] = {holder: [] for holder in observed}
        self._after = 0
        self._asked = 0

    def call(self, number: int, who: str, kind: OperationKind, key: str = "x", thread: str = "") -> Operation:
        """A member or client calls operation `number`; returns the operation."""
        operation = Operation(
            op_id=number,
            thread=thread or f"{who}{number}",
            member=who,
            region="r",
            kind=kind,
            key="" if kind is OperationKind.CLEAR else key,
            token=None if kind is OperationKind.GET else f"t{number}",
        )
        self._moments.append(Called(operation))
        return operation

    def put(self, number: int, who: str, key: str = "x", thread: str = "") -> Operation:
        """A member or client calls a put; returns the operation."""
        return self.call(number, who, OperationKind.PUT, key, thread)

    def returns(self, operation: Operation, status: Status = Status.OK, value: str | None = None) -> None:
        """A call has returned."""
        self._moments.append(Returned(operation.op_id, Outcome(status, value)))

    def arms(self, number: int, *holders: str) -> None:
        """Gates are armed for operation `number`."""
        self._moments += [Armed(Gate(holder, number)) for holder in holders]

    def parked(self, operation: Operation, holder: str) -> None:
        """A holder is told of an operation, and stands in its listener."""
        self.told(operation, holder)
        self._moments.append(Parked(Gate(holder, operation.op_id)))

    def releases(self, operation: Operation, holder: str) -> None:
        """A gate is opened."""
        self._moments.append(Released(Gate(holder, operation.op_id)))

    def told(self, operation: Operation, *holders: str, kind: EventKind | None = None) -> None:
        """Holders were told of an operation by now."""
        event = kind or TOLD_AS[operation.kind]
        for holder in holders:
            found = Event(member=holder, region="r", key=operation.key, kind=event, token=operation.token)
            self._logs.setdefault(holder, []).append(Observation(found, self._after, len(self._moments)))

    def crash(self, member: str) -> None:
        """A member is killed."""
        number = len(self._moments)
        fault = Fault(kind=FaultKind.CRASH, member=member)
        self._moments += [FaultBegun(number, fault), FaultDone(number, fault)]

    def settled(self, *held: tuple[str, str]) -> None:
        """Everything has settled, but for what is held."""
        self._moments.append(Settled(held))
        self._after = len(self._moments)

    def holds(self, holder: str, **entries: str | None) -> None:
        """The harness reads a holder: key to token, None for an invalid entry."""
        self._asked += 1
        found = tuple(Content(key, token) for key, token in entries.items())
        self._moments += [
            ContentsAsked(self._asked, holder, "r"),
            ContentsRead(self._asked, holder, "r", found),
        ]

    def history(self) -> History:
        """All that was written."""
        return History(
            topology=Topology((Site(1, ("A", "B", "C")),)),
            regions=(RegionAttributes(name="r", checks=self._checks),),
            timeline=tuple(self._moments),
            logs={holder: tuple(log) for holder, log in self._logs.items()},
            member_order=("A", "B", "C"),
            clients=self._clients,
            registers=self._registers,
        )
