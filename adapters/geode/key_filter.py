"""The event filter of a queue on one member: it refuses or withholds the events of some keys.

It answers by keys alone, so it may be asked at any time, and any number of times. Knows nothing of JVMs: the
events it is handed are asked by the names that Geode gives their methods.
"""

# ruff: noqa: N802 - the names are those of org.apache.geode.cache.wan.GatewayEventFilter

from __future__ import annotations

from typing import Any, ClassVar

from plumbline.reference.history.operations import QueueAttributes


class KeyFilter:
    """A filter, called by the JVM on threads of its own choice."""

    def __init__(self, queue: QueueAttributes) -> None:
        self._refused = frozenset(queue.refused_keys)
        self._withheld = frozenset(queue.withheld_keys)

    def beforeEnqueue(self, event: Any) -> bool:
        """Whether the event may enter the queue."""
        return event.getKey() not in self._refused

    def beforeTransmit(self, event: Any) -> bool:
        """Whether the event may be sent."""
        return event.getKey() not in self._withheld

    def afterAcknowledgement(self, event: Any) -> None:
        """The event has been received: nothing is noted of that."""

    def close(self) -> None:
        """The sender is closing."""

    class Java:
        """What py4j makes of it in the JVM."""

        implements: ClassVar[list[str]] = ["org.apache.geode.cache.wan.GatewayEventFilter"]
