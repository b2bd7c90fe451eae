"""The smallest adapter for the toy store: the nine methods that every adapter has.

`python adapter.py` speaks the protocol on standard input and output; `python:adapter:StoreAdapter` names it
as a candidate that Plumbline serves itself.
"""

from __future__ import annotations

from store import Change, Store

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.process.server import serve_stdio
from plumbline.adapters.protocol import Deployed, Introduction, Observed, SettleResult
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.bulk import BULK, singly
from plumbline.reference.history.operations import (
    Content,
    Event,
    EventKind,
    Operation,
    Outcome,
    RegionAttributes,
    Scope,
    Status,
    Topology,
)


class StoreAdapter(Adapter):
    """Drives one store, which is made anew for each example."""

    capabilities: tuple[Capability, ...] = (Capability.REPLICATED_REGIONS,)

    def __init__(self) -> None:
        self.members: tuple[str, ...] = ()
        self.store = self.open_store(wait_for_answers=True)
        self.region = ""
        self.events: list[Event] = []
        self.outcomes: dict[int, Outcome] = {}

    def open_store(self, *, wait_for_answers: bool) -> Store:
        """The system under test, fresh."""
        return Store(self.members, self.told, wait_for_answers=wait_for_answers)

    def hello(self) -> Introduction:
        """Say what is tested. Log order: a listener is called under the entry's lock, so per key."""
        return Introduction(name="toy store", version="1", capabilities=self.capabilities)

    def deploy(self, topology: Topology) -> Deployed:
        """Keep the names; the toy's members are made by `reset`."""
        if len(topology.sites) > 1:
            raise UnsupportedError("the toy store has no gateways")
        self.members = tuple(sorted(topology.members))
        return Deployed(member_order=self.members)

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        """Leave the old store to itself and open another: nothing of the last example can show in it."""
        if len(regions) > 1:
            raise UnsupportedError("the toy store has one region")
        self.store.crew.end()
        self.region = regions[0].name
        self.events = []
        self.outcomes = {}
        self.store = self.open_store(wait_for_answers=regions[0].scope is Scope.ACK)

    def begin(self, operation: Operation) -> None:
        """Have the operation's thread call it, and come back at once."""
        store, outcomes = self.store, self.outcomes

        def call() -> None:
            for one in singly(operation):  # of many keys, if it is an operation on many
                ending, value = store.call(
                    operation.thread, operation.member, one.kind, one.key, one.token or ""
                )
            if operation.kind in BULK:
                ending = Status.OK  # the caller does not receive whether each key was there
            with store.crew.change():
                outcomes[operation.op_id] = Outcome(Status(ending), value)

        store.crew.give(operation.thread, call)

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        """Wait until the call has returned."""
        self.store.crew.until(lambda: op_id in self.outcomes, timeout_ms / 1000)
        return self.outcomes.get(op_id)

    def told(self, member: str, change: Change) -> None:
        """The listener of every member: its log is all that is ever observed of the store's order."""
        event = Event(
            member=member, region=self.region, key=change.key, kind=EventKind(change.kind), token=change.tag
        )
        with self.store.crew.change():
            self.events.append(event)

    def observe(self, since: int) -> Observed:
        """What listeners were told."""
        with self.store.crew.change():
            return Observed(events=tuple(self.events[since:]), position=len(self.events))

    def settle(self, timeout_ms: int) -> SettleResult:
        """Wait until no thread of the store can go on by itself."""
        return SettleResult(settled=self.store.crew.until(self.store.crew.rests, timeout_ms / 1000))

    def contents(self, member: str, region: str) -> tuple[Content, ...]:
        """The member's own copy."""
        if region != self.region:
            raise AdapterError(f"no region {region}")
        return tuple(Content(key, token) for key, token in self.store.copy(member).items())

    def close(self) -> None:
        """Send the store's threads home."""
        self.store.crew.end()


if __name__ == "__main__":
    serve_stdio(StoreAdapter)
