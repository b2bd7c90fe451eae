"""Spans: from when to when calls were under way, and which of them nobody knows the end of.

Knows when a history's operations were called and returned; knows nothing of what they did.
"""

from __future__ import annotations

from plumbline.reference.explain.index import Index
from plumbline.reference.explain.lives import NEVER
from plumbline.reference.operations import Status


def under_way(index: Index) -> dict[int, tuple[int, int]]:
    """When each operation was called and had returned; NEVER if it is not known how it ended."""
    spans = {}
    for op_id, called in index.called.items():
        back, outcome = index.returned.get(op_id, (NEVER, None))
        unknown = outcome is None or outcome.status is Status.INDEFINITE
        spans[op_id] = (called, NEVER if unknown else back)
    return spans


def overtaken(index: Index) -> frozenset[int]:
    """The calls of which it is not known how they ended, and whose thread goes on calling."""
    last: dict[str, int] = {}
    for op_id, moment in index.called.items():
        thread = index.operations[op_id].thread
        last[thread] = max(moment, last.get(thread, 0))
    return frozenset(
        op_id
        for op_id, (moment, outcome) in index.returned.items()
        if outcome.status is Status.INDEFINITE and last[index.operations[op_id].thread] > moment
    )
