"""A candidate's process: started in a process group of its own, spoken to by lines, ended without fail.

Knows lines and time limits, not what the lines say.
"""

from __future__ import annotations

import os
import secrets
import select
import shlex
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from plumbline.adapters.process import strays
from plumbline.adapters.process.line_buffer import CHUNK, LineBuffer
from plumbline.adapters.process.messages import ChannelError, SilenceError, readable, shorten

_TAIL = 8 * 1024
_STATUS_S = 0.5


class Child:
    """A running command whose standard input and output carry one message a line.

    Its error stream is read all the time, so that it never blocks on it. Only the end of the text is kept.
    Everything in the process group dies with the command, and on Linux all that it has started elsewhere.

    Not thread-safe. Reading happens in the calling thread: no thread but the one for the error stream.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, folder: Path | None = None
    ) -> None:
        """Start the command; raises ChannelError when that cannot be done.

        Args:
            command: the program and its arguments.
            environment: variables put to those of this process.
            folder: where it is started; where this process is if left out.
        """
        strays.adopt()
        mark = secrets.token_hex(8)
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
                env={**os.environ, **(environment or {}), strays.VARIABLE: mark},
                cwd=folder,
            )
        except (OSError, ValueError) as error:
            strays.release()
            raise ChannelError(f"cannot start `{shorten(shlex.join(command))}`: {error}") from None
        self._stdin: IO[bytes] = _piped(self._process.stdin)
        self._stdout: IO[bytes] = _piped(self._process.stdout)
        os.set_blocking(self._stdin.fileno(), False)
        self._may_write = select.poll()
        self._may_write.register(self._stdin, select.POLLOUT)
        self._may_read = select.poll()
        self._may_read.register(self._stdout, select.POLLIN)
        self._lines = LineBuffer()
        self._errors = _Tail(_piped(self._process.stderr))
        # A caller that forgets to end it, or is interrupted on the way, leaves no process behind either.
        self._orphaned = weakref.finalize(self, _end_all, self._process, mark, 0.0)
        self._mark = mark

    @property
    def pid(self) -> int:
        """Process id of the command, which is also the id of its process group."""
        return self._process.pid

    def exchange(self, line: bytes, limit_ms: int) -> bytes:
        """Send a line and return the next one, without its line feed; raises ChannelError."""
        deadline = time.monotonic() + limit_ms / 1000
        self._send(line, deadline)
        return self._receive(deadline)

    def last_words(self) -> str:
        """The end of what it has printed to its error stream, control characters escaped."""
        return self._errors.text()

    def end(self, patience_ms: int, *, asked: bool = False) -> None:
        """End the whole process group; never raises, may be called twice.

        Args:
            patience_ms: how long it may take to end by itself before each harsher step.
            asked: it has been asked to close, so let it end by itself once its input has ended.
        """
        patience_s = patience_ms / 1000
        with suppress(OSError):
            self._stdin.close()
        if asked:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(patience_s)
        if self._orphaned.alive:
            _end_all(self._process, self._mark, patience_s)
            self._orphaned.detach()
        self._errors.stop(_STATUS_S)
        self._stdout.close()

    def _send(self, line: bytes, deadline: float) -> None:
        rest = memoryview(line)
        while rest:
            try:
                rest = rest[os.write(self._stdin.fileno(), rest) :]
            except BlockingIOError:
                if not self._may_write.poll(_milliseconds_until(deadline)):
                    raise ChannelError("did not read the request within its time limit") from None
            except BrokenPipeError:
                return  # it has died or closed its input; its last words are still to be read

    def _receive(self, deadline: float) -> bytes:
        while (line := self._lines.take()) is None:
            if not self._may_read.poll(_milliseconds_until(deadline)):
                if beginning := self._lines.beginning():
                    raise ChannelError(f"did not answer within its time limit, only {beginning}")
                raise SilenceError("did not answer within its time limit")
            chunk = os.read(self._stdout.fileno(), CHUNK)
            if not chunk:
                raise ChannelError(self._fate())
            self._lines.add(chunk)
        return line

    def _fate(self) -> str:
        """Why its output has ended."""
        beginning = self._lines.beginning()
        cut_off = f" in the middle of a line {beginning}" if beginning else ""
        try:
            status = self._process.wait(_STATUS_S)
        except subprocess.TimeoutExpired:
            return f"closed its standard output{cut_off}"
        if status < 0:
            name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
            return f"was killed by {name}{cut_off}"
        return f"ended with exit status {status}{cut_off}"


class _Tail:
    """Reads a stream to its end in a thread of its own and keeps the last few KiB."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._kept = b""
        self._wake_read, self._wake_write = os.pipe()
        self._thread = threading.Thread(target=self._drain, name="plumbline-last-words", daemon=True)
        self._thread.start()

    def text(self) -> str:
        return readable(self._kept.decode(errors="replace"))

    def stop(self, patience_s: float) -> None:
        """Come to an end: the stream's, or at once when a process outside the group still holds it open."""
        if self._wake_write < 0:
            return
        self._thread.join(patience_s)
        os.close(self._wake_write)  # wakes the thread, if it still waits
        self._wake_write = -1
        self._thread.join()
        os.close(self._wake_read)
        self._stream.close()

    def _drain(self) -> None:
        ready = select.poll()
        ready.register(self._stream, select.POLLIN)
        ready.register(self._wake_read, select.POLLIN)
        while self._wake_read not in dict(ready.poll()):
            chunk = os.read(self._stream.fileno(), CHUNK)
            if not chunk:
                return
            self._kept = (self._kept + chunk)[-_TAIL:]


def _piped(stream: IO[bytes] | None) -> IO[bytes]:
    """A stream that was asked for, and is therefore there."""
    if stream is None:
        raise TypeError("the process was started without pipes")
    return stream


def _milliseconds_until(deadline: float) -> int:
    return max(0, int((deadline - time.monotonic()) * 1000))


def _end_all(process: subprocess.Popen[bytes], mark: str, patience_s: float) -> None:
    """End the process group, then all else that the command has started."""
    try:
        before = strays.found(process.pid, mark)
        _end_group(process, patience_s)
        strays.end(before | strays.found(process.pid, mark))
    finally:
        strays.release()


def _end_group(process: subprocess.Popen[bytes], patience_s: float) -> None:
    """Ask the process group to end, then kill what is left of it, and collect the command's status."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        # The group outlives the command while a grandchild lives, so it is signalled in any case.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience_s if number == signal.SIGTERM else _STATUS_S)
