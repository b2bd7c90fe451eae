"""Letting an entry of a Geode region, or all of it, expire: a time is set, and what comes of it waited for.

Knows nothing of members and callers.
"""

# ruff: noqa: N802 - the names are those of org.apache.geode.cache.CustomExpiry

from __future__ import annotations

import re
from typing import Any, ClassVar

from plumbline.adapters.geode.jvm import JavaError, any_at
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.operations import (
    IDLES,
    LOCAL_EXPIRES,
    Operation,
    OperationKind,
    Outcome,
    Status,
)

TIME_TO_LIVE_MS = 1
OF_REGION_MS = 2_000
"""A region's time begins anew when it is over, until it is taken back: a short one ends several times."""

LONG_S = 1_000_000_000
"""Longer than any example takes, in the seconds or milliseconds that times to live are counted in."""

LIMIT_S = 20.0

_ACTIONS = {
    OperationKind.EXPIRE_DESTROY: "DESTROY",
    OperationKind.EXPIRE_INVALIDATE: "INVALIDATE",
    OperationKind.EXPIRE_INVALIDATE_REGION: "INVALIDATE",
    OperationKind.IDLE_DESTROY: "DESTROY",
    OperationKind.IDLE_INVALIDATE: "INVALIDATE",
    OperationKind.EXPIRE_LOCAL_DESTROY: "LOCAL_DESTROY",
    OperationKind.EXPIRE_LOCAL_INVALIDATE: "LOCAL_INVALIDATE",
}


_TIMER = re.compile(r"ExpiryTask\.")
"""On the stack of the thread whose timer has let an entry expire, until all others have applied it."""


def expire(region: Any, java: Any, operation: Operation) -> Outcome:
    """Give the key, or the whole region, a time, and come back when all members have dealt with its end.

    The timer's operation has no caller. The entry leaves the region before other members receive it. Once all
    calls had returned, nothing would show that this is still under way.

    Args:
        region: of the member whose timer it is to be; its statistics are enabled.
        java: the view of the member's JVM.
        operation: the key, and what its region is to do.
    """
    local = operation.kind in LOCAL_EXPIRES
    if local and not region.containsKey(operation.key):
        return Outcome(Status.ABSENT)
    mutator = region.getAttributesMutator()
    action = getattr(java.org.apache.geode.cache.ExpirationAction, _ACTIONS[operation.kind])
    attributes = java.org.apache.geode.cache.ExpirationAttributes
    whole = operation.kind is OperationKind.EXPIRE_INVALIDATE_REGION
    ends = attributes(OF_REGION_MS if whole else TIME_TO_LIVE_MS, action)
    if local and (refused := _refusal(mutator, attributes, ends)) is not None:
        return refused
    if whole:
        sets, of_all, of_none = mutator.setRegionTimeToLive, ends, attributes.DEFAULT
    else:
        idles = operation.kind in IDLES
        sets = mutator.setCustomEntryIdleTimeout if idles else mutator.setCustomEntryTimeToLive
        of_all, of_none = _TimeToLive(operation.key, ends), None
    sets(of_all)
    try:
        if not wait_until(lambda: _has_expired(region, operation), LIMIT_S):
            return Outcome(Status.FAILED, detail=f"nothing has expired within {LIMIT_S:.0f} s")
        if not wait_until(lambda: not any_at(java, _TIMER), LIMIT_S):
            return Outcome(Status.INDEFINITE, detail=f"others have not applied it within {LIMIT_S:.0f} s")
        return Outcome(Status.OK)
    finally:
        sets(of_none)


def _refusal(mutator: Any, attributes: Any, ends: Any) -> Outcome | None:
    """In whose words Geode refuses a local action for all entries of a region; None if it takes it.

    It refuses it of replicates. What a CustomExpiry names is not looked at, and has no effect there.
    """
    never = attributes(LONG_S, ends.getAction())
    try:
        mutator.setEntryTimeToLive(never)
    except JavaError as error:
        thrown = error.java_exception
        if thrown.getClass().getName() != "java.lang.IllegalArgumentException":
            raise
        return Outcome(Status.REFUSED, detail=thrown.toString())
    mutator.setEntryTimeToLive(attributes.DEFAULT)
    return None


def _has_expired(region: Any, operation: Operation) -> bool:
    if operation.kind is OperationKind.EXPIRE_INVALIDATE_REGION:
        return not any(region.containsValueForKey(key) for key in region.keySet().toArray())
    if _ACTIONS[operation.kind].endswith("DESTROY"):
        return not region.containsKey(operation.key)
    return not region.containsValueForKey(operation.key)


class _TimeToLive:
    """What Geode asks for each entry: for how long it lives, and what becomes of it then."""

    def __init__(self, key: str, attributes: Any) -> None:
        self._key = key
        self._attributes = attributes

    def getExpiry(self, entry: Any) -> Any:
        """For the one key what was set; for all others none."""
        return self._attributes if entry.getKey() == self._key else None

    def close(self) -> None:
        """Nothing is held."""

    class Java:
        """What py4j makes of it in the JVM."""

        implements: ClassVar[list[str]] = ["org.apache.geode.cache.CustomExpiry"]
