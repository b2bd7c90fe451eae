"""Spans: between which ticks of the clocks calls were under way, and of which calls the end is unknown.

Knows when a history's operations were called and returned; knows nothing of what they did.
"""

from __future__ import annotations

from bisect import bisect_left

from plumbline.reference.explain.index import Index
from plumbline.reference.explain.member_lifetimes import NEVER
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import ClocksPassed
from plumbline.reference.history.operations import Status


def ticks(index: Index, history: History) -> dict[int, tuple[int, int]]:
    """How often all clocks had moved on when each operation was called, and when it had returned.

    The second is NEVER where it is unknown how the call ended.
    """
    passed = [moment for moment, what in enumerate(history.timeline) if isinstance(what, ClocksPassed)]
    spans = {}
    for op_id, called in index.called.items():
        back, outcome = index.returned.get(op_id, (NEVER, None))
        unknown = outcome is None or outcome.status is Status.INDEFINITE
        last = NEVER if unknown else bisect_left(passed, back)
        spans[op_id] = (bisect_left(passed, called), last)
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
