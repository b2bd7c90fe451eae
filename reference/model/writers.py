"""Cache writers: asked before a change, by the client that calls it and the member that carries it out.

A writer refuses changes of the keys that it was told to refuse, and an operation may be held in it. Knows
nothing of what becomes of an operation that it refuses.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import DESTROYS, STORES_VALUE, Operation
from plumbline.reference.model.world import GateState, World

WRITER = "writer"
"""The callback in which an operation is held before the change, and not behind it."""

ASKS = STORES_VALUE | DESTROYS
"""What a writer is asked before."""


def stood(world: World, holder: str, operation: Operation) -> World | None:
    """The world in which an operation has come to stand in a writer; None where it is not to be held."""
    gate = _gate(holder, operation)
    if world.gates.get(gate) is not GateState.ARMED:
        return None
    return world.but(gates=world.gates.set(gate, GateState.PARKED))


def is_gated(world: World, holder: str, operation: Operation) -> bool:
    """Whether an operation is to be held in the writer of a member or client, or has been held there."""
    return _gate(holder, operation) in world.gates


def stands(world: World, holder: str, operation: Operation) -> bool:
    """Whether an operation is held in the writer of a member or client."""
    return world.gates.get(_gate(holder, operation)) is GateState.PARKED


def refuses(world: World, holder: str, operation: Operation) -> bool:
    """Whether the writer of a member or client refuses what an operation changes."""
    keys: frozenset[str] = world.served.refusals.get((holder, operation.region), frozenset())
    return operation.kind in ASKS and operation.key in keys


def refuses_clear(world: World, region: str) -> bool:
    """Whether any member's writer refuses clears of the region: it was told to refuse the empty key."""
    return any("" in keys for (_, name), keys in world.served.refusals.items() if name == region)


def scripted(world: World, holder: str, region: str, keys: tuple[str, ...]) -> World:
    """The world in which the writer of a member or client refuses changes of these keys, and of no others."""
    refusals = world.served.refusals.set((holder, region), frozenset(keys))
    return world.but(served=replace(world.served, refusals=refusals))


def _gate(holder: str, operation: Operation) -> tuple[str | int, ...]:
    return Gate(holder, operation.op_id, WRITER).place
