"""Events lost in queues: put and queued at a member that lives, all mended and at rest, and never delivered.

Knows the logs, the calls and the faults of a history; knows nothing of what a queue did with an event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import NamedTuple

from plumbline.reference.explain.active_faults import still_down
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import (
    Called,
    FaultBegun,
    Moment,
    QueueRead,
    Redelivered,
    Returned,
    Scripted,
    Settled,
)
from plumbline.reference.history.operations import (
    OF_TRANSACTIONS,
    READS,
    Operation,
    OperationKind,
    Outcome,
    Scope,
    Status,
)


class Loss(NamedTuple):
    """A member never received a put of another site, and a member there that received it lives."""

    operation: Operation
    member: str
    holder: str


def lost(
    history: History, sites: dict[str, int], must_be_told: Callable[[Operation], Iterable[str]]
) -> Iterator[Loss]:
    """The puts that are plainly lost.

    The region acknowledges, and nothing else changed the key meanwhile, nor the other site. No member there
    died, and no queue was seen to hold the put in the end.

    Args:
        history: what was seen, with at least one fault.
        sites: the site of each member.
        must_be_told: who has to receive a put, dead or not.
    """
    faults = [what.fault for what in history.timeline if isinstance(what, FaultBegun)]
    if not faults or not _whole(history, faults):
        return
    dead = {fault.member for fault in faults if fault.kind is FaultKind.CRASH}
    told = {member: {shown.event.token for shown in log} for member, log in history.logs.items()}
    held = _queued(history.timeline)
    for operation in _undisturbed(history, sites):
        if operation.token in held:
            continue
        site = sites[operation.member]
        near = (member for member in told if sites[member] == site and member not in dead)
        holder = next((member for member in near if operation.token in told[member]), None)
        for member in must_be_told(operation) if holder is not None else ():
            far = sites[member] != site and not any(sites[one] == sites[member] for one in dead)
            if far and holder is not None and operation.token not in told[member]:
                yield Loss(operation, member, holder)


def _whole(history: History, faults: Iterable[Fault]) -> bool:
    """Whether all came to rest in the end, with nothing down but the dead, and no queue may drop events."""
    down: set[Fault] = set()
    for fault in faults:
        if fault.kind not in _PLAIN:
            return False
        down = still_down(down, fault)
    dead = {fault.member for fault in faults if fault.kind is FaultKind.CRASH}
    if any(fault.member not in dead for fault in down):
        return False
    if any(queue.parallel or queue.conflate or queue.filters for queue in history.queues):
        return False
    return _rests(history.timeline)


def _rests(timeline: Iterable[Moment]) -> bool:
    """Whether all settled behind the last call and fault, and no message was delivered twice on purpose."""
    rests = False
    for what in timeline:
        match what:
            case Redelivered():
                return False
            case Scripted(refuses=refuses) if refuses:
                return False
            case Called() | FaultBegun():
                rests = False
            case Settled(held):
                rests = rests or not held
            case _:
                pass
    return rests


def _queued(timeline: Iterable[Moment]) -> set[str | None]:
    """What queues were seen to hold behind the last call and fault."""
    held: set[str | None] = set()
    for what in timeline:
        match what:
            case Called() | FaultBegun():
                held = set()
            case QueueRead():
                held |= {*(what.sight.tokens or ())}
            case _:
                pass
    return held


def _undisturbed(history: History, sites: dict[str, int]) -> Iterator[Operation]:
    """The puts that returned normally, of keys that nothing else changed meanwhile, nor another site."""
    scopes = {region.name: region.scope for region in history.regions}
    spans: dict[int, _Span] = {}
    for moment, what in enumerate(history.timeline):
        if isinstance(what, Called):
            spans[what.operation.op_id] = _Span(what.operation, moment)
        elif isinstance(what, Returned):
            spans[what.op_id] = spans[what.op_id]._replace(end=moment, outcome=what.outcome)
    changes = [one for one in spans.values() if one.operation.kind not in READS]
    for span in changes:
        put, done = span.operation, span.outcome is not None and span.outcome.status is Status.OK
        plain = done and put.kind is OperationKind.PUT and scopes[put.region] is Scope.ACK
        if plain and not any(_meets(span, one, sites) for one in changes):
            yield put


class _Span(NamedTuple):
    """A call, from when it was called to when it returned."""

    operation: Operation
    start: int
    end: float = inf
    outcome: Outcome | None = None


def _meets(one: _Span, other: _Span, sites: dict[str, int]) -> bool:
    """Whether an operation may have taken the place of a put, or of its event at another site."""
    put, change = one.operation, other.operation
    if put is change:
        return False
    if change.kind in OF_TRANSACTIONS or (change.region == put.region and not change.key):
        return True
    apart = sites[change.member] == sites[put.member] and (other.end < one.start or one.end < other.start)
    return (change.region, change.key) == (put.region, put.key) and not apart


_PLAIN = frozenset(
    {
        FaultKind.CRASH,
        FaultKind.LINK_DOWN,
        FaultKind.LINK_UP,
        FaultKind.REPLIES_LOST,
        FaultKind.RECEIVER_STOP,
        FaultKind.RECEIVER_START,
        FaultKind.PAUSE,
        FaultKind.RESUME,
    }
)
"""Faults that leave clocks and clients alone."""
