"""What the cache writer of a member or client is asked before a change, and what it refuses.

Knows nothing of JVMs: the events it is handed are asked by the names that Geode gives their methods.
"""

# ruff: noqa: N802 - the names are those of org.apache.geode.cache.CacheWriter

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from plumbline.adapters.geode.argument import token_of
from plumbline.adapters.geode.listener import GeodeExample


class RegionWriter:
    """A cache writer of one region on one member or client, called by the JVM on Geode's own threads.

    Attributes:
        refuses: the keys of which it refuses changes.
    """

    def __init__(self, stage: GeodeExample, member: str, refusal: Callable[[], Exception]) -> None:
        """Take what is raised to refuse, made anew each time."""
        self.refuses: frozenset[str] = frozenset()
        self._stage = stage
        self._member = member
        self._refusal = refusal

    def beforeCreate(self, event: Any) -> None:
        """An entry is to be created."""
        self._asked(event)

    def beforeUpdate(self, event: Any) -> None:
        """An entry's value is to be replaced."""
        self._asked(event)

    def beforeDestroy(self, event: Any) -> None:
        """An entry is to be removed."""
        self._asked(event)

    def beforeRegionDestroy(self, event: Any) -> None:
        """Part of the end of an example, not of the example."""

    def beforeRegionClear(self, event: Any) -> None:  # noqa: ARG002 - as Geode calls it
        """The region is to be cleared."""
        self._stage.ask_whole(self._member)
        if "" in self.refuses:
            raise self._refusal()

    def close(self) -> None:
        """The region is closing."""

    def _asked(self, event: Any) -> None:
        value = event.getNewValue()
        token = token_of(event.getCallbackArgument()) if value is None else value
        key = event.getKey()
        self._stage.ask(self._member, key, token)
        if key in self.refuses:
            raise self._refusal()

    class Java:
        """What py4j makes of it in the JVM."""

        implements: ClassVar[list[str]] = ["org.apache.geode.cache.CacheWriter"]
