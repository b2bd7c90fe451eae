"""Outages: what is down after a fault or its mending, as a history shows them one after the other.

Knows faults; knows nothing of what they do to a world.
"""

from __future__ import annotations

from plumbline.reference.history.fault_kinds import CLIENT_LIVES, STARTS_AGAIN, Fault, FaultKind
from plumbline.reference.model.faults import mends

_NOT_DOWN = (FaultKind.CRASH, FaultKind.TIME_LEAP, FaultKind.CLOCK_SET, FaultKind.MOVE_PRIMARY, *CLIENT_LIVES)

_MENDED_BY = {
    FaultKind.LINK_DOWN: FaultKind.LINK_UP,
    FaultKind.REPLIES_LOST: FaultKind.LINK_UP,
    FaultKind.RECEIVER_STOP: FaultKind.RECEIVER_START,
    FaultKind.PAUSE: FaultKind.RESUME,
    FaultKind.HOLD_TIME: FaultKind.LET_RUN,
    FaultKind.ANSWERS_LOST: FaultKind.ANSWERS_BACK,
}


def still_down(down: set[Fault], fault: Fault) -> set[Fault]:
    """What is down once a fault, or what mends one, was asked for."""
    if not mends(fault):
        return {*down, fault} if fault.kind not in _NOT_DOWN else down
    return {old for old in down if _MENDED_BY.get(old.kind) != fault.kind or _spot(old) != _spot(fault)}


def still_dead(dead: frozenset[str], fault: Fault) -> frozenset[str]:
    """The members that are dead once a fault was asked for, or that a member start again."""
    if fault.kind is FaultKind.CRASH:
        return dead | {fault.member}
    return dead - {fault.member} if fault.kind in STARTS_AGAIN else dead


def _spot(fault: Fault) -> tuple[str, str, int, int, str]:
    """Where a fault is."""
    return fault.member, fault.queue, fault.site, fault.remote_site, fault.client
