"""A container's attached streams as a channel: lines in, lines out, and its error stream kept apart.

The engine sends both outputs over one connection, in frames. Knows frames and lines, not what the lines say.
"""

from __future__ import annotations

import os
import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from plumbline.adapters.process.line_buffer import CHUNK, LineBuffer
from plumbline.adapters.process.messages import LINE_LIMIT, ChannelError, SilenceError, readable

TAIL = 8 * 1024
"""Bytes of the error stream that are kept."""

MOST_UNREAD = 2 * LINE_LIMIT
"""Bytes of output that may wait to be read; a container that sends more is given up."""

_HEADER = struct.Struct(">BxxxI")
_STDERR = 2
_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Attached:
    """The three streams of a container.

    Output is read all the time, in a thread of its own, so that the container never blocks on it. What can
    be kept of it is bounded.
    """

    def __init__(self, stream: socket.socket, fate: Callable[[], str], *, answers: bool = True) -> None:
        """Read from here on.

        Args:
            stream: the connection that the engine has attached; closed by `stop`.
            fate: why the streams have ended, asked once they have.
            answers: whether answers come on the output; else all that is printed there is for people.
        """
        stream.settimeout(0)
        self._stream = stream
        self._fate = fate
        self._answers = answers
        self._lines = LineBuffer()
        self._frames = bytearray()
        self._unread = 0
        self._errors = b""
        self._ended = False
        self._changed = threading.Condition()
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._read, name="plumbline-container", daemon=True)
        self._thread.start()

    def exchange(self, line: bytes, limit_ms: int) -> bytes:
        """Send a line and return the next one, without its line feed; raises ChannelError."""
        deadline = time.monotonic() + limit_ms / 1000
        self._send(line, deadline)
        with self._changed:
            while (answer := self._taken()) is None:
                if self._ended:
                    break
                if not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    if beginning := self._lines.beginning():
                        raise ChannelError(f"did not answer within its time limit, only {beginning}")
                    raise SilenceError("did not answer within its time limit")
        if answer is None:
            beginning = self._lines.beginning()
            raise ChannelError(self._fate() + (f" in the middle of a line {beginning}" if beginning else ""))
        return answer

    def last_words(self) -> str:
        """The end of what the container has printed to its error stream, control characters escaped."""
        return readable(self._errors.decode(errors="replace"))

    def end_input(self) -> None:
        """Let the container's standard input end; never raises."""
        with suppress(OSError):
            self._stream.shutdown(socket.SHUT_WR)

    @property
    def ended(self) -> bool:
        """Whether the streams have ended."""
        return self._ended

    def wait(self, patience_s: float) -> None:
        """Wait until the streams have ended, for so long at most."""
        self._thread.join(patience_s)

    def stop(self) -> None:
        """Close the connection; may be called twice."""
        if self._wake_write < 0:
            return
        wake, self._wake_write = self._wake_write, -1
        os.close(wake)  # wakes the thread, if it still waits
        self._thread.join()
        os.close(self._wake_read)
        self._stream.close()

    def _taken(self) -> bytes | None:
        if self._unread > MOST_UNREAD:
            raise ChannelError(
                f"sent more than {MOST_UNREAD} bytes that nothing asked for, {self._lines.beginning()}"
            )
        line = self._lines.take()
        if line is not None:
            self._unread -= len(line) + 1
        return line

    def _send(self, line: bytes, deadline: float) -> None:
        rest = memoryview(line)
        may_write = select.poll()
        may_write.register(self._stream, select.POLLOUT)
        while rest:
            try:
                rest = rest[self._stream.send(rest) :]
            except _NOT_NOW:
                if not may_write.poll(max(0, int((deadline - time.monotonic()) * 1000))):
                    raise ChannelError("did not read the request within its time limit") from None
            except OSError:
                return  # it has ended; its last words are still to be read

    def _read(self) -> None:
        ready = select.poll()
        ready.register(self._stream, select.POLLIN)
        ready.register(self._wake_read, select.POLLIN)
        try:
            while self._wake_write >= 0:
                try:
                    chunk = self._stream.recv(CHUNK)
                except _NOT_NOW:
                    ready.poll()
                    continue
                if not chunk:
                    break
                self._add(chunk)
        except OSError:
            pass  # the engine has gone: the end of the streams, too
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _add(self, chunk: bytes) -> None:
        self._frames += chunk
        while len(self._frames) >= _HEADER.size:
            kind, size = _HEADER.unpack_from(self._frames)
            end = _HEADER.size + size
            if len(self._frames) < end:
                return
            content = bytes(self._frames[_HEADER.size : end])
            del self._frames[:end]
            with self._changed:
                if kind == _STDERR or not self._answers:
                    self._errors = (self._errors + content)[-TAIL:]
                else:
                    if self._unread <= MOST_UNREAD:
                        self._lines.add(content)
                    self._unread += len(content)
                    self._changed.notify_all()
