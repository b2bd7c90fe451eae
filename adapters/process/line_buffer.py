"""Received bytes, given out line by line. Knows neither where they come from nor what the lines say."""

from __future__ import annotations

from plumbline.adapters.process.messages import LINE_LIMIT, ChannelError, shorten

CHUNK = 64 * 1024
"""So many bytes are read at a time."""


class LineBuffer:
    """What was received and is not yet taken."""

    def __init__(self) -> None:
        self._received = bytearray()
        self._searched = 0

    def add(self, chunk: bytes) -> None:
        """Take in what was received next."""
        self._received += chunk

    def take(self) -> bytes | None:
        """The next line, without its line feed; None until it is whole.

        Raises ChannelError for one of more than LINE_LIMIT bytes.
        """
        end = self._received.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._received)
            if self._searched > LINE_LIMIT:
                raise ChannelError(f"sent a line of more than {LINE_LIMIT} bytes, {self.beginning()}")
            return None
        line = bytes(self._received[:end])
        del self._received[: end + 1]
        self._searched = 0
        return line

    def beginning(self) -> str:
        """How a line that is not whole begins, for people; "" where none has begun."""
        if not self._received:
            return ""
        return f"beginning with «{shorten(self._received[:CHUNK].decode(errors='replace'))}»"
