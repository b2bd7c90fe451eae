"""What lasts in a history: a gate from its arming to its release, a fault from its beginning to its mending.

Knows which moments begin and end what, and which of them last at one time; nothing of how they are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.moments import Armed, FaultBegun, FaultDone, Moment, Parked, Released

LINKS = "links"
"""Where the faults of links between sites belong, which concern no single member."""

GATE = "gate"

_MENDED_BY = {
    FaultKind.LINK_UP: (FaultKind.LINK_DOWN, FaultKind.REPLIES_LOST),
    FaultKind.RECEIVER_START: (FaultKind.RECEIVER_STOP,),
    FaultKind.RESUME: (FaultKind.PAUSE,),
    FaultKind.ANSWERS_BACK: (FaultKind.ANSWERS_LOST,),
}
_LASTS = frozenset(kind for kinds in _MENDED_BY.values() for kind in kinds)


class Span(msgspec.Struct, frozen=True):
    """One gate or fault: where, GATE or the kind of the fault, and which operation, queue or link."""

    place: str
    kind: str
    about: str


def begun(moment: Moment | None) -> Span | None:
    """What begins with a moment, or has begun before it, if anything that lasts."""
    match moment:
        case Armed(gate=gate) | Parked(gate=gate):
            return Span(gate.member, GATE, str(gate.op_id))
        case FaultBegun(fault=fault) | FaultDone(fault=fault) if fault.kind in _LASTS:
            return _span(fault, fault.kind)
        case _:
            return None


def ended(moment: Moment | None) -> tuple[Span, ...]:
    """What ends with a moment, if it lasted until then."""
    match moment:
        case Released(gate=gate):
            return (Span(gate.member, GATE, str(gate.op_id)),)
        case FaultBegun(fault=fault) | FaultDone(fault=fault):
            return tuple(_span(fault, kind) for kind in _MENDED_BY.get(fault.kind, ()))
        case _:
            return ()


def _span(fault: Fault, kind: FaultKind) -> Span:
    link = f"{fault.site} {fault.remote_site}"
    return Span(fault.member or LINKS, kind, (fault.queue or fault.client) if fault.member else link)


def columns(moments: Iterable[Moment | None], most: int) -> dict[Span, int]:
    """Which column of its place each takes, so that those that last at one time stand beside each other."""
    found: dict[Span, int] = {}
    taken: dict[str, dict[int, Span]] = {}
    for moment in moments:
        span = begun(moment)
        if span is not None and span not in taken.get(span.place, {}).values():
            busy = taken.setdefault(span.place, {})
            free = (number for number in range(most) if number not in busy)
            column = found.get(span, most)
            column = column if column < most and column not in busy else next(free, most - 1)
            busy[column] = span
            found[span] = column
        for over in ended(moment):
            busy = taken.get(over.place, {})
            if busy.get(found.setdefault(over, 0) if over.kind == GATE else found.get(over, -1)) == over:
                del busy[found[over]]
    return found
