"""A candidate of a few lines for the tests of the protocol: puts reach every member at once.

Run as a program it serves itself on standard input and output.
"""

from __future__ import annotations

import sys

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.process.server import serve_stdio
from plumbline.adapters.protocol import Deployed, Introduction, Observed, SettleResult
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import (
    Content,
    Event,
    EventKind,
    Operation,
    Outcome,
    RegionAttributes,
    Status,
    Topology,
)


class SmallAdapter(Adapter):
    def __init__(self) -> None:
        self.members: tuple[str, ...] = ()
        self.held: dict[str, str | None] = {}
        self.events: list[Event] = []
        self.outcomes: dict[int, Outcome] = {}
        self.times_closed = 0

    def hello(self) -> Introduction:
        return Introduction(name="small", version="1", capabilities=(Capability.REPLICATED_REGIONS,))

    def deploy(self, topology: Topology) -> Deployed:
        print("deploying", *topology.members)  # noqa: T201 - a stray print, as libraries do it
        self.members = topology.members
        return Deployed(member_order=self.members)

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        del regions
        self.held.clear()
        self.events.clear()
        self.outcomes.clear()

    def begin(self, operation: Operation) -> None:
        if operation.key == "explode":
            raise ZeroDivisionError("no such\nluck \ud800")
        if operation.key == "fail":
            raise AdapterError("the wire is cut", last_words="it went dark")
        self.held[operation.key] = operation.token
        self.outcomes[operation.op_id] = Outcome(Status.OK)
        self.events += [
            Event(
                member=member,
                region=operation.region,
                key=operation.key,
                kind=EventKind.UPDATE,
                token=operation.token,
            )
            for member in self.members
        ]

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        del timeout_ms
        return self.outcomes.get(op_id)

    def observe(self, since: int) -> Observed:
        return Observed(events=tuple(self.events[since:]), position=len(self.events))

    def settle(self, timeout_ms: int) -> SettleResult:
        del timeout_ms
        return SettleResult(settled=True, held=(("a", "k"),))

    def contents(self, member: str, region: str) -> tuple[Content, ...]:
        del member, region
        return tuple(Content(key, token) for key, token in self.held.items())

    def close(self) -> None:
        self.times_closed += 1
        print("closed", file=sys.stderr)  # noqa: T201 - its last words


if __name__ == "__main__":
    serve_stdio(SmallAdapter)
