"""The substitution filter of a queue on one member: it gives values of some keys others, and fails at some.

It answers by key and value alone, so each member that runs the queue gives the same. Knows nothing of JVMs:
the events it is handed are asked by the names that Geode gives their methods.
"""

# ruff: noqa: N802 - the names are those of org.apache.geode.cache.wan.GatewayEventSubstitutionFilter

from __future__ import annotations

from typing import Any, ClassVar

from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.history.substitutes import substitute


class FilterFailure(Exception):  # noqa: N818 - it is no error
    """The filter was told to fail at an event of this key."""


class SubstitutionFilter:
    """A filter, called by the JVM on threads of its own choice."""

    def __init__(self, queue: QueueAttributes) -> None:
        self._queue = queue.id
        self._substituted = frozenset(queue.substituted_keys)
        self._failing = frozenset(queue.failing_keys)

    def getSubstituteValue(self, event: Any) -> str | None:
        """The value to be queued: Geode queues what is given, so an event's own value is given back, too."""
        key = event.getKey()
        if key in self._failing:
            raise FilterFailure(key)
        value: str | None = event.getNewValue()
        if value is None or key not in self._substituted:
            return value
        return substitute(value, self._queue)

    def close(self) -> None:
        """The sender is closing."""

    class Java:
        """What py4j makes of it in the JVM."""

        implements: ClassVar[list[str]] = ["org.apache.geode.cache.wan.GatewayEventSubstitutionFilter"]
