"""Evictions of the reference: which entry goes, and that the outcome names it.

Knows the state as it is; no document says which entry a region takes.
"""

from __future__ import annotations

import random

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation, OperationKind, Outcome, Status
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import EntryState


def with_victim(operation: Operation, world: World, draw: random.Random | None) -> Operation:
    """An eviction of an entry that its member holds: if deterministic, the first by key; others as they are.

    Where the member holds none, it stays without a key.
    """
    if operation.kind is not OperationKind.EVICT:
        return operation
    held = sorted(
        key
        for (member, region, key), entry in world.entries.items()
        if (member, region) == (operation.member, operation.region)
        and entry.state in (EntryState.LIVE, EntryState.INVALID)
    )
    if not held:
        return operation
    return replace(operation, key=held[0] if draw is None else draw.choice(held))


def naming_victim(operation: Operation, outcome: Outcome) -> Outcome:
    """The outcome, which names what was evicted."""
    evicted = operation.kind is OperationKind.EVICT and outcome.status is Status.OK
    return replace(outcome, value=operation.key) if evicted else outcome
