"""What became of an operation that a listener did not receive: discarded, or lost.

A function of the history alone. Knows nothing of what is right: a member that was never told of an update
may rightly have had a newer one.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, ContentsRead, FaultBegun, Returned, Settled
from plumbline.reference.history.operations import LOCAL, READS, Operation, OperationKind, Status
from plumbline.reports.spans import GATE, Span, begun, ended


class DeliveryOutcome(StrEnum):
    """What became of an operation at a member whose listener never received it.

    Discarded: the member ends with the same under the key as the member that called. Lost: with something
    else. Untold: their final contents were not read, or the event may still wait behind a fault.
    """

    DISCARDED = "discarded"
    LOST = "lost"
    UNTOLD = "not told"


class Missing(msgspec.Struct, frozen=True):
    """One operation that the listener of a member never received, though it happened."""

    operation: Operation
    member: str
    fate: DeliveryOutcome


_NOTHING_HAPPENED = (Status.EXISTS, Status.ABSENT, Status.REFUSED, Status.FAILED)


def missing(history: History) -> tuple[Missing, ...]:
    """What was never told to whom, by the last settle point; nothing where calls or faults came behind it."""
    settled = _last(history, Settled)
    if settled < max(_last(history, Called), _last(history, FaultBegun)):
        return ()
    told = {
        (member, shown.event.region, shown.event.token)
        for member, log in history.logs.items()
        for shown in log
        if shown.event.token is not None and shown.event.conflict is None
    }
    ends = {
        (moment.member, moment.region): {entry.key: entry.token for entry in moment.entries}
        for moment in history.timeline[settled:]
        if isinstance(moment, ContentsRead)
    }
    waits = _unmended(history)
    found: list[Missing] = []
    for operation in _happened(history, told):
        reference = ends.get((operation.member, operation.region))
        for member in _concerned(history, operation):
            if (member, operation.region, operation.token) in told:
                continue
            held = ends.get((member, operation.region))
            fate = DeliveryOutcome.UNTOLD
            abroad = history.topology.site_of(member) != history.topology.site_of(operation.member)
            if held is not None and reference is not None and not (waits and abroad):
                alike = _under(held, operation.key) == _under(reference, operation.key)
                fate = DeliveryOutcome.DISCARDED if alike else DeliveryOutcome.LOST
            found.append(Missing(operation, member, fate))
    return tuple(found)


def _happened(history: History, told: set[tuple[str, str, str]]) -> list[Operation]:
    """The operations whose events others should receive: shown by any listener, or puts that ended well."""
    outcomes = {moment.op_id: moment.outcome for moment in history.timeline if isinstance(moment, Returned)}
    known = {(region, token) for _, region, token in told}
    found = []
    for moment in history.timeline:
        if not isinstance(moment, Called):
            continue
        operation = moment.operation
        outcome = outcomes.get(operation.op_id)
        silent = operation.token is None or operation.kind in READS | LOCAL
        if silent or outcome is None or outcome.status in _NOTHING_HAPPENED:
            continue
        sure = operation.kind is OperationKind.PUT and outcome.status is Status.OK
        if sure or (operation.region, operation.token) in known:
            found.append(operation)
    return found


def _concerned(history: History, operation: Operation) -> list[str]:
    """The members that live to the end, have a log, and that an event of the operation is meant for."""
    dead = {
        moment.fault.member
        for moment in history.timeline
        if isinstance(moment, FaultBegun) and moment.fault.kind is FaultKind.CRASH
    }
    crosses = operation.kind is not OperationKind.INVALIDATE and any(
        region.senders for region in history.regions if region.name == operation.region
    )
    return [
        member
        for site in history.topology.sites
        for member in site.members
        if member in history.logs and member not in dead and (crosses or operation.member in site.members)
    ]


def _unmended(history: History) -> bool:
    """Whether anything lasts to the end that events may wait behind on their way to another site."""
    lasting: set[Span] = set()
    for moment in history.timeline:
        span = begun(moment)
        if span is not None and span.kind != GATE:
            lasting.add(span)
        lasting.difference_update(ended(moment))
    return bool(lasting)


def _under(held: dict[str, str | None], key: str) -> tuple[bool, str | None]:
    return key in held, held.get(key)


def _last(history: History, kind: type) -> int:
    at = [index for index, moment in enumerate(history.timeline) if isinstance(moment, kind)]
    return at[-1] if at else -1
