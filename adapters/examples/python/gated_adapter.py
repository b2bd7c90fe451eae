"""The second adapter for the toy store: an operation can be parked in a listener, and a counter be read.

That makes two operations provably concurrent, or a message provably late, and shows what was discarded; so
most requirements on conflicts can be judged.
"""

from __future__ import annotations

from adapter import StoreAdapter
from store import Change

from plumbline.adapters.errors import UnsupportedError
from plumbline.adapters.process.server import serve_stdio
from plumbline.adapters.protocol import SettleResult
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import Operation, RegionAttributes


class GatedAdapter(StoreAdapter):
    """The same store with `arm`, `await_parked` and `release`, and with `statistic`."""

    capabilities = (
        *StoreAdapter.capabilities,
        Capability.BULK_OPERATIONS,
        Capability.LISTENER_GATES,
        Capability.STATISTICS,
    )

    def __init__(self) -> None:
        super().__init__()
        self.closed: set[Gate] = set()
        self.parked: dict[Gate, str] = {}
        self.op_ids: dict[str, int] = {}

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        """Forget all gates as well."""
        super().reset(regions)
        self.closed, self.parked, self.op_ids = set(), {}, {}

    def begin(self, operation: Operation) -> None:
        """Remember the tokens, by which the listener will recognise the operation and its entries."""
        self.op_ids[operation.token or ""] = operation.op_id
        self.op_ids |= {entry.token: entry.op_id for entry in operation.entries}
        super().begin(operation)

    def arm(self, gate: Gate) -> None:
        """Close a gate."""
        self.closed.add(gate)

    def told(self, member: str, change: Change) -> None:
        """The listener again: it writes its log first, and then stands still if a gate is closed."""
        super().told(member, change)
        crew, gate = self.store.crew, Gate(member, self.op_ids[change.tag])
        if gate in self.closed:
            with crew.change():
                self.parked[gate] = change.key
            crew.wait(lambda: gate not in self.closed, lambda: self.parked.pop(gate))

    def await_parked(self, gate: Gate, timeout_ms: int) -> bool:
        """Wait until the listener stands still."""
        return self.store.crew.until(lambda: gate in self.parked, timeout_ms / 1000)

    def release(self, gate: Gate) -> None:
        """Open a gate."""
        with self.store.crew.change():
            self.closed.discard(gate)

    def settle(self, timeout_ms: int) -> SettleResult:
        """A listener that stands still holds the entry's lock: other operations there wait as well."""
        settled = super().settle(timeout_ms).settled
        return SettleResult(
            settled=settled, held=tuple((gate.member, key) for gate, key in self.parked.items())
        )

    def statistic(self, member: str, name: str) -> int:
        """How many changes a member has discarded."""
        if name != "conflatedEvents":
            raise UnsupportedError(f"the toy store does not count {name}")
        return self.store.discarded[member]


if __name__ == "__main__":
    serve_stdio(GatedAdapter)
