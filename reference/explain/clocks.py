"""Clocks: what members' clocks are known to have shown while the harness held them.

Knows when time was held, leapt and was let run; knows nothing of what timestamps decide.
"""

from __future__ import annotations

from plumbline.reference.explain.index import Index
from plumbline.reference.explain.member_lifetimes import NEVER
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Status

_OF_TIME = (FaultKind.HOLD_TIME, FaultKind.TIME_LEAP, FaultKind.LET_RUN, FaultKind.CLOCK_SET)


def readings(index: Index) -> dict[int, tuple[int, int]]:
    """What the clocks showed for operations that were called and done while the harness held them.

    Returns:
        per operation how often time had been held by then, and the milliseconds since.
    """
    changes = [(moment, fault) for moment, fault in index.faults if fault.kind in _OF_TIME]
    if not changes:
        return {}
    shown: dict[int, tuple[int, int]] = {}
    for op_id, moment in index.called.items():
        back, outcome = index.returned.get(op_id, (NEVER, None))
        before = [fault for changed, fault in changes if changed < moment]
        done = len(before) == sum(changed < back for changed, _ in changes)
        sure = outcome is not None and outcome.status is not Status.INDEFINITE
        turns = [fault.kind for fault in before if fault.kind in (FaultKind.HOLD_TIME, FaultKind.LET_RUN)]
        if turns and turns[-1] is FaultKind.HOLD_TIME and done and sure:
            held = sum(fault.kind is FaultKind.HOLD_TIME for fault in before)
            passed = sum(f.milliseconds for f in before if f.kind is FaultKind.TIME_LEAP)
            shown[op_id] = (held, passed + _ahead(before, index.sites[index.operations[op_id].member]))
    return shown


def _ahead(faults: list[Fault], site: int) -> int:
    """By how many milliseconds the clocks of a site are ahead of the others, held as they are."""
    for fault in reversed(faults):
        if fault.kind is FaultKind.CLOCK_SET and fault.site == site:
            return fault.milliseconds
        if fault.kind is FaultKind.HOLD_TIME:
            break
    return 0
