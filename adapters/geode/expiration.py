"""Letting one entry of a Geode region expire: its time to live is set, and what becomes of it is waited for.

Knows nothing of members and callers.
"""

# ruff: noqa: N802 - the names are those of org.apache.geode.cache.CustomExpiry

from __future__ import annotations

from typing import Any, ClassVar

from plumbline.adapters.waiting import wait_until
from plumbline.reference.operations import Operation, OperationKind, Outcome, Status

TIME_TO_LIVE_MS = 1
LIMIT_S = 20.0

_ACTIONS = {OperationKind.EXPIRE_DESTROY: "DESTROY", OperationKind.EXPIRE_INVALIDATE: "INVALIDATE"}


def expire(region: Any, java: Any, operation: Operation) -> Outcome:
    """Give the key, and no other, a time to live, and come back when its region has dealt with it.

    Args:
        region: of the member whose timer it is to be; its statistics are enabled.
        java: the package org.apache.geode.cache in the member's machine.
        operation: the key, and what its region is to do.
    """
    mutator = region.getAttributesMutator()
    action = getattr(java.ExpirationAction, _ACTIONS[operation.kind])
    only = _TimeToLive(operation.key, java.ExpirationAttributes(TIME_TO_LIVE_MS, action))
    mutator.setCustomEntryTimeToLive(only)
    try:
        if wait_until(lambda: _is_over(region, operation), LIMIT_S):
            return Outcome(Status.OK)
        return Outcome(Status.FAILED, detail=f"the key has not expired within {LIMIT_S:.0f} s")
    finally:
        mutator.setCustomEntryTimeToLive(None)


def _is_over(region: Any, operation: Operation) -> bool:
    if operation.kind is OperationKind.EXPIRE_DESTROY:
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
