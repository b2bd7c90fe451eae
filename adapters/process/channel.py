"""The way from the harness to an adapter: one line out, one line back.

Knows nothing of what the lines say, nor of what is at the other end.
"""

from __future__ import annotations

from typing import Protocol


class ProcessChannel(Protocol):
    """The way to the other side."""

    def exchange(self, line: bytes, limit_ms: int) -> bytes:
        """Send a line and return the answer's; raises ChannelError."""

    def last_words(self) -> str:
        """The end of what the other side has said to people."""

    def end(self, patience_ms: int, *, asked: bool = False) -> None:
        """End the other side for good; never raises, may be called twice."""
