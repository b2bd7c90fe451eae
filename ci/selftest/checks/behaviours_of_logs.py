"""Right but unusual ways of telling what happened: loose logs, nameless events, counters of another weight.

The steps are those of the deterministic reference; only what is shown of it, and how, is another candidate's.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from plumbline.adapters.protocol import Deployed, Introduction, Observed, SettleResult
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.selftest.checks.behaviour import Behaviour, without_resolvers
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.listener_calls import QueueCall, QueuedChange
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import Event, EventKind, Operation, RegionAttributes, Topology

WEIGHT = 3
MACHINES = ("replicated_regions", "clears", "client_pipeline", "client_restarts")


class _Loose(ReferenceAdapter):
    """Events that the harness has not read yet come in another order, as far as the declared one allows."""

    strength = OrderStrength.PER_KEY

    def __init__(self) -> None:
        super().__init__()
        self._threads: dict[str, str] = {}
        self._told: list[Event | QueueCall] = []
        self._taken = 0

    def hello(self) -> Introduction:
        """Declare how much order logs carry."""
        return msgspec.structs.replace(super().hello(), order_strength=self.strength)

    def deploy(self, topology: Topology) -> Deployed:
        """Start over."""
        self._told, self._taken = [], 0
        return super().deploy(topology)

    def begin(self, operation: Operation) -> None:
        """Remember whose operation it is."""
        if operation.token is not None:
            self._threads[operation.token] = operation.thread
        super().begin(operation)

    def observe(self, since: int) -> Observed:
        """What is new comes with the highest key first, or with the highest thread."""
        if since == 0:
            self._told, self._taken = [], 0
        found = super().observe(self._taken)
        self._taken = found.position
        self._told += [*self._sorted(found.events), *found.calls]
        told = self._told[since:]
        return Observed(
            events=tuple(event for event in told if isinstance(event, Event)),
            position=len(self._told),
            calls=tuple(call for call in told if isinstance(call, QueueCall)),
        )

    def _sorted(self, events: tuple[Event, ...]) -> Iterable[Event]:
        return sorted(events, key=self._rank, reverse=True)

    def _rank(self, event: Event) -> tuple[str, ...]:
        return (event.key,)


class _LooseThreads(_Loose):
    strength = OrderStrength.PER_KEY_AND_THREAD

    def _sorted(self, events: tuple[Event, ...]) -> Iterable[Event]:
        """What is of no thread that is known keeps all in its place."""
        known = all(event.token in self._threads for event in events)
        return super()._sorted(events) if known else events

    def _rank(self, event: Event) -> tuple[str, ...]:
        return (event.key, self._threads.get(event.token or "", ""))


def _resolves_value(event: Event) -> bool:
    """Whether a resolver was asked about a value, which names its operation."""
    return event.conflict is not None and event.conflict.kind is not EventKind.DESTROY


class _Nameless(ReferenceAdapter):
    def hello(self) -> Introduction:
        """Listeners are given no callback argument."""
        return msgspec.structs.replace(super().hello(), callback_arguments=False)

    def observe(self, since: int) -> Observed:
        """Only values tell which operation an event is of."""
        found = super().observe(since)
        told = (
            event
            if event.kind in (EventKind.CREATE, EventKind.UPDATE) or _resolves_value(event)
            else msgspec.structs.replace(event, token=None)
            for event in found.events
        )
        calls = (
            msgspec.structs.replace(call, events=tuple(map(_without_argument, call.events)))
            for call in found.calls
        )
        return Observed(events=tuple(told), position=found.position, calls=tuple(calls))


def _without_argument(change: QueuedChange) -> QueuedChange:
    stores = change.kind in (EventKind.CREATE, EventKind.UPDATE)
    return change if stores else msgspec.structs.replace(change, token=None)


class _Anonymous(ReferenceAdapter):
    def deploy(self, topology: Topology) -> Deployed:
        """Returns a deployment that does not show which member has the higher id."""
        super().deploy(topology)
        return Deployed(member_order=None)


class _Heavy(ReferenceAdapter):
    def hello(self) -> Introduction:
        """One discarded update counts so often."""
        return msgspec.structs.replace(
            super().hello(), conflated_weight_least=WEIGHT, conflated_weight_most=WEIGHT
        )

    def statistic(self, member: str, name: str) -> int:
        """Count each discarded update so often."""
        return super().statistic(member, name) * (WEIGHT if name == "conflatedEvents" else 1)


class _Careful(ReferenceAdapter):
    """Says of nothing that it has settled while a gate is shut at which something might stand."""

    def __init__(self) -> None:
        super().__init__()
        self._shut: set[Gate] = set()
        self._keys: dict[int, str] = {}

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        """Begin an example: no gate is shut."""
        self._shut, self._keys = set(), {}
        super().reset(regions)

    def arm(self, gate: Gate) -> None:
        """Remember the gate."""
        self._shut.add(gate)
        super().arm(gate)

    def release(self, gate: Gate) -> None:
        """Forget the gate."""
        self._shut.discard(gate)
        super().release(gate)

    def begin(self, operation: Operation) -> None:
        """Remember the key."""
        self._keys[operation.op_id] = operation.key
        super().begin(operation)

    def hello(self) -> Introduction:
        """As the reference; what comes to rest does so at once, so that no test waits long."""
        return msgspec.structs.replace(super().hello(), settle_limit_ms=200)

    def settle(self, timeout_ms: int) -> SettleResult:
        """Let everything happen that can, and be sure of nothing while a gate is shut."""
        settled = super().settle(timeout_ms)
        held = tuple((gate.member, self._keys.get(gate.op_id, "")) for gate in self._shut)
        return SettleResult(settled=False, held=held) if held else settled


BEHAVIOURS = (
    Behaviour(
        name="logs-keep-the-order-of-keys-only",
        does="events of different keys of one member come in another order than they happened in",
        allowed="docs/protocol.md: a log carries the order that is declared, here per_key",
        machines=MACHINES,
        open=_Loose,
    ),
    Behaviour(
        name="logs-keep-the-order-of-threads-only",
        does="events of one key that come from different threads come in another order",
        allowed="docs/protocol.md: a log carries the order that is declared, here per_key_and_thread",
        machines=MACHINES,
        concerns=without_resolvers,
        open=_LooseThreads,
    ),
    Behaviour(
        name="gives-no-callback-arguments",
        does="listeners are not told which destroy or invalidate an event is of",
        allowed="docs/protocol.md: callback_arguments may be false",
        machines=MACHINES,
        concerns=without_resolvers,
        open=_Nameless,
    ),
    Behaviour(
        name="keeps-quiet-which-id-is-higher",
        does="the order of member ids is not told",
        allowed="docs/protocol.md: member_order may be left out; 004 L85 compares ids that need not be known",
        machines=MACHINES,
        open=_Anonymous,
    ),
    Behaviour(
        name="counts-each-discarded-update-several-times",
        does="conflatedEvents moves by three for each discarded update",
        allowed="docs/protocol.md: conflated_weight_least and conflated_weight_most",
        machines=MACHINES,
        open=_Heavy,
    ),
    Behaviour(
        name="is-sure-of-nothing-while-a-gate-is-shut",
        does="settle does not promise anything while something may stand in a listener",
        allowed="docs/protocol.md: settled may be false with what is held",
        machines=MACHINES,
        open=_Careful,
    ),
)
"""All of them."""
