"""The log of an exchange: every line of the protocol in both directions, with the time, in a file.

The file is flushed after every line, so that what a candidate was asked last is there when it hangs. The
newest lines are kept: beyond its limit it becomes FILE.1, and a new one is begun. Knows nothing of what lines
mean.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path

from plumbline.adapters.process.channel import ProcessChannel
from plumbline.adapters.process.messages import ChannelError

MOST_BYTES = 64 * 1024 * 1024
"""So long the file grows; with the one before it twice as much is kept."""

LONGEST_LINE = 64 * 1024
"""Bytes of a line that are kept."""

SENT, ANSWERED, NOTED = ">", "<", "#"


class ExchangeLog:
    """A file that lines are added to. An error of the disk ends it and is kept in `trouble`.

    Args:
        path: the file; replaced if it is there. Raises OSError where it cannot be written.
        most_bytes: how long it grows.
    """

    def __init__(self, path: Path, most_bytes: int = MOST_BYTES) -> None:
        self._path = path
        self._most = most_bytes
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("wb")
        self._written = 0
        self.trouble = ""

    def add(self, sign: str, line: bytes) -> None:
        """Add a line: `TIME > LINE`; control characters are spelled out, and very long lines cut."""
        with self._lock:
            if self.trouble or self._file.closed:
                return
            text = line.strip()
            left_out = len(text) - LONGEST_LINE
            kept = text[:LONGEST_LINE].decode(errors="backslashreplace")
            shown = "".join(map(_readable, kept))
            if left_out > 0:
                shown += f" ... and {left_out:,} bytes more"
            time = datetime.now(UTC).isoformat(timespec="microseconds")
            entry = f"{time} {sign} {shown}\n".encode()
            try:
                if self._written and self._written + len(entry) > self._most:
                    self._begin_anew()
                self._file.write(entry)
                self._file.flush()
            except OSError as error:
                self.trouble = f"{self._path}: {error.strerror or error}"
            self._written += len(entry)

    def _begin_anew(self) -> None:
        self._file.close()
        self._path.replace(self._path.with_name(f"{self._path.name}.1"))
        self._file = self._path.open("wb")
        self._written = 0

    def close(self) -> None:
        """End the file."""
        with self._lock:
            self._file.close()


def _readable(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()


class LoggedChannel:
    """A channel whose lines are logged."""

    def __init__(self, channel: ProcessChannel, log: ExchangeLog) -> None:
        self._channel = channel
        self._log = log

    def exchange(self, line: bytes, limit_ms: int) -> bytes:
        """Send a line and return the answer's; raises ChannelError, which is logged, too."""
        self._log.add(SENT, line)
        try:
            answer = self._channel.exchange(line, limit_ms)
        except ChannelError as error:
            self._log.add(NOTED, f"the adapter {error}".encode())
            raise
        self._log.add(ANSWERED, answer)
        return answer

    def last_words(self) -> str:
        """The end of what the other side has said to people."""
        return self._channel.last_words()

    def end(self, patience_ms: int, *, asked: bool = False) -> None:
        """End the other side for good."""
        self._channel.end(patience_ms, asked=asked)
        self._log.add(NOTED, b"the adapter is ended")
