"""Calling one operation on a Geode region, and telling its outcome in the words of every candidate.

Knows nothing of members: it is handed the region to call on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plumbline.adapters.geode.argument import packed
from plumbline.adapters.geode.jvm import JavaError
from plumbline.adapters.geode.listener import Holding
from plumbline.reference.history.bulk import BULK
from plumbline.reference.history.operations import (
    CONDITIONAL,
    Operation,
    OperationKind,
    Outcome,
    Status,
)

Call = Callable[[Any, Operation], Any]


def _told(answer: object) -> str:
    """Yes or no, as outcomes have it."""
    return str(answer).lower()


# The token travels as the value and, where the method has a callback argument, as that too.
CALLS: dict[OperationKind, Call] = {
    OperationKind.PUT: lambda region, op: region.put(op.key, op.token, packed(op)),
    OperationKind.CREATE: lambda region, op: region.create(op.key, op.token, packed(op)),
    OperationKind.PUT_IF_ABSENT: lambda region, op: region.putIfAbsent(op.key, op.token),
    OperationKind.REPLACE: lambda region, op: region.replace(op.key, op.token),
    OperationKind.REPLACE_IF_EQUAL: lambda region, op: _told(region.replace(op.key, op.expected, op.token)),
    OperationKind.REMOVE_IF_EQUAL: lambda region, op: _told(region.remove(op.key, op.expected)),
    OperationKind.INVALIDATE: lambda region, op: region.invalidate(op.key, packed(op)),
    OperationKind.DESTROY: lambda region, op: region.destroy(op.key, packed(op)),
    OperationKind.LOCAL_INVALIDATE: lambda region, op: region.localInvalidate(op.key, op.token),
    OperationKind.LOCAL_DESTROY: lambda region, op: region.localDestroy(op.key, op.token),
    OperationKind.CLEAR: lambda region, op: region.clear(),  # noqa: ARG005
    OperationKind.LOCAL_CLEAR: lambda region, op: region.localClear(),  # noqa: ARG005
    OperationKind.DESTROY_REGION: lambda region, op: region.destroyRegion(op.token),
    OperationKind.LOCAL_DESTROY_REGION: lambda region, op: region.localDestroyRegion(op.token),
    OperationKind.INVALIDATE_REGION: lambda region, op: region.invalidateRegion(),  # noqa: ARG005
    OperationKind.LOCAL_INVALIDATE_REGION: lambda region, op: region.localInvalidateRegion(),  # noqa: ARG005
    # One callback argument goes to all keys; the suite tells entries apart by their keys.
    OperationKind.PUT_ALL: lambda region, op: region.putAll({e.key: e.token for e in op.entries}, op.token),
    OperationKind.REMOVE_ALL: lambda region, op: region.removeAll([e.key for e in op.entries], op.token),
    OperationKind.GET: lambda region, op: region.get(op.key),
    OperationKind.CONTAINS_KEY: lambda region, op: _told(region.containsKey(op.key)),
}

# Their return value is part of the outcome; that of put, create and the rest is not.
_ANSWERS = frozenset(
    {
        OperationKind.GET,
        OperationKind.CONTAINS_KEY,
        OperationKind.PUT_IF_ABSENT,
        OperationKind.REPLACE,
        *CONDITIONAL,
    }
)

_REFUSED = "org.apache.geode.cache.CacheWriterException"

# The error of a client whose server raised one; the server's error is its cause.
_AT_SERVER = "org.apache.geode.cache.client.ServerOperationException"

# Geode throws these before it has changed or sent anything.
_BEFORE_ANY_CHANGE = {
    "org.apache.geode.cache.EntryExistsException": Status.EXISTS,
    "org.apache.geode.cache.EntryNotFoundException": Status.ABSENT,
    "java.lang.IllegalStateException": Status.REFUSED,
    "java.lang.IllegalArgumentException": Status.REFUSED,
    "java.lang.UnsupportedOperationException": Status.REFUSED,
    "org.apache.geode.cache.UnsupportedOperationInTransactionException": Status.REFUSED,
    _REFUSED: Status.FAILED,
    "org.apache.geode.cache.LowMemoryException": Status.FAILED,
}


def carry_out(region: Any, operation: Operation) -> Outcome:
    """Call the operation and wait for its end; an exception of the candidate is an outcome as well.

    Raises GoneError when the JVM died: the operation may have happened.
    """
    try:
        answer = CALLS[operation.kind](region, operation)
    except JavaError as error:
        thrown = error.java_exception
        name, words = thrown.getClass().getName(), thrown.toString()
        cause = thrown.getCause()
        if name == _AT_SERVER and cause is not None and cause.getClass().getName() == _REFUSED:
            name = _REFUSED
        status = _BEFORE_ANY_CHANGE.get(name, Status.INDEFINITE)
        # Of many keys some may have been done.
        partly = operation.kind in BULK and status is Status.FAILED
        return Outcome(Status.INDEFINITE if partly else status, detail=words)
    return Outcome(Status.OK, value=answer if operation.kind in _ANSWERS else None)


def tells(operation: Operation, outcome: Outcome) -> Callable[[Holding], bool] | None:
    """Which holdings of its key the outcome of a call could come from; None if it tells nothing of that.

    A call that changes the entry tells nothing that its own event does not tell.
    """
    match outcome.status, operation.kind, outcome.value:
        case (Status.EXISTS, _, _) | (Status.OK, OperationKind.CONTAINS_KEY, "true"):
            return lambda holding: holding.present
        case (Status.ABSENT, _, _) | (Status.OK, OperationKind.CONTAINS_KEY, _):
            return lambda holding: not holding.present
        case (Status.OK, OperationKind.REPLACE_IF_EQUAL | OperationKind.REMOVE_IF_EQUAL, "false"):
            return lambda holding: holding.token != operation.expected
        case (Status.OK, OperationKind.PUT_IF_ABSENT, None):
            return None
        case (Status.OK, OperationKind.GET | OperationKind.PUT_IF_ABSENT, value):
            return lambda holding: holding.token == value
        case _:
            return None
