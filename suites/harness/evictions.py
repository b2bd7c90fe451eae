"""Evictions: which entry a region took to make room; its outcome names it, as no request does.

Knows the timeline of one example; knows nothing of what may be evicted.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.history.moments import Called, Moment
from plumbline.reference.history.operations import Operation, OperationKind, Outcome


def with_victim(timeline: list[Moment], operation: Operation, outcome: Outcome) -> Outcome:
    """Have the call of an eviction name the entry that it took; gives the outcome without it.

    From here on the history shows the eviction as a local operation on that key.
    """
    if operation.kind is not OperationKind.EVICT or outcome.value is None:
        return outcome
    for place in range(len(timeline) - 1, -1, -1):
        match timeline[place]:
            case Called(called) as call if called.op_id == operation.op_id:
                timeline[place] = replace(call, operation=replace(called, key=outcome.value))
                break
    return replace(outcome, value=None)
