"""Destroyed regions: calls of a region that its caller has no more, and that have done nothing.

No document says how such a call ends, so a system may refuse it in its own way. Knows histories, and no
model.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from plumbline.reference.history.history import History
from plumbline.reference.history.moments import (
    Armed,
    Called,
    ContentsRead,
    Moment,
    NotParked,
    Released,
    Returned,
    Unsettled,
)
from plumbline.reference.history.operations import DESTROYS_REGION, Operation, OperationKind, Status

_NOTHING = Unsettled()
"""It claims nothing, and keeps the number of each later moment."""


def without_failed_calls(history: History) -> History:
    """The history without the calls of destroyed regions that show nothing and failed, or have no known end.

    Each of their moments becomes one that claims nothing, since logs name moments by their numbers.
    """
    failed = set(_failed(history))
    if failed:
        failed -= _shown(history)
    if not failed:
        return history
    timeline = tuple(_NOTHING if _of(moment) in failed else moment for moment in history.timeline)
    return msgspec.structs.replace(history, timeline=timeline)


def _failed(history: History) -> Iterator[int]:
    """The op ids of calls of a destroyed region that failed, or whose end is unknown."""
    destroyed: set[tuple[str, str]] = set()
    calls: dict[int, Operation] = {}
    late: set[int] = set()
    for moment in history.timeline:
        match moment:
            case Called(operation, share=None):
                calls[operation.op_id] = operation
                if (operation.member, operation.region) in destroyed:
                    late.add(operation.op_id)
            case Returned(op_id, outcome) if outcome.status is Status.OK:
                ended = calls.get(op_id)
                if ended is not None and ended.kind in DESTROYS_REGION:
                    destroyed |= {(one, ended.region) for one in _without_it(history, ended)}
            case Returned(op_id, outcome) if outcome.status in (Status.FAILED, Status.INDEFINITE):
                if op_id in late:
                    yield op_id
            case _:
                pass


def _without_it(history: History, destroy: Operation) -> Iterator[str]:
    """The members and clients that a destroy leaves without its region: all of the site, or the caller."""
    yield destroy.member
    if destroy.kind is OperationKind.LOCAL_DESTROY_REGION:
        return
    servers = {client.name: client.servers[0] for client in history.clients}
    site = history.topology.site_of(servers.get(destroy.member, destroy.member))
    yield from site.members
    yield from (name for name, server in servers.items() if server in site.members)


def _shown(history: History) -> set[int]:
    """The op ids of the calls of which a log or a copy shows the token."""
    tokens = {observed.event.token for log in history.logs.values() for observed in log}
    for moment in history.timeline:
        if isinstance(moment, ContentsRead):
            tokens |= {content.token for content in moment.entries}
    called = (moment.operation for moment in history.timeline if isinstance(moment, Called))
    return {one.op_id for one in called if one.token is not None and one.token in tokens}


def _of(moment: Moment) -> int | None:
    """The operation that a moment is about, if it is one of its own."""
    match moment:
        case Called(operation):
            return operation.op_id
        case Returned(op_id):
            return op_id
        case Armed(gate) | NotParked(gate) | Released(gate):
            return gate.op_id
        case _:
            return None
