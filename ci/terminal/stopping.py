"""Signals to stop: SIGINT, SIGTERM and SIGHUP end a command alike, with 128 + n, at any point of its work.

Knows signals and this process's children; the code that started a process or wrote a file ends or keeps it.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from types import FrameType

import click

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

SAME_WISH_S = 5.0
"""A terminal, a shell and a build server may each pass one wish on: so long, more signals change nothing."""


class StoppedError(KeyboardInterrupt):
    """A signal has come. Libraries let it by like Ctrl-C; Hypothesis takes a SystemExit for a failure."""


class Stop:
    """Which signal has come, if any."""

    def __init__(self) -> None:
        self.number = 0
        self._came = 0.0
        self._told = False

    @property
    def exit_code(self) -> int:
        """What a shell is told; SIGINT where Python itself has raised KeyboardInterrupt."""
        return 128 + (self.number or signal.SIGINT)

    def listen(self) -> None:
        """Receive the signals from here on; of SIGHUP unless nohup has had it ignored.

        A shell ignores SIGINT in what a script starts in its background. A signal sent there is meant.
        """
        for number in SIGNALS:
            if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self)

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Raise StoppedError wherever the program is; a later signal cuts short what the first one began."""
        del frame
        if self.number and time.monotonic() - self._came < SAME_WISH_S:
            return
        self.number = self.number or number
        self._came = time.monotonic()
        raise StoppedError

    def tell(self, error: BaseException) -> None:
        """Say once that the command was stopped, with the notes of the code that was stopped."""
        if self._told:
            return
        self._told = True
        name = signal.Signals(self.number or signal.SIGINT).name
        click.echo(f"plumbline: stopped by {name}", err=True)
        cause: BaseException | None = error
        while cause is not None:  # a later error on the way out has replaced the first one
            for note in getattr(cause, "__notes__", ()):
                click.echo(f"plumbline: {note}", err=True)
            cause = cause.__context__


def forget_notes(error: BaseException) -> None:
    """Forget what libraries have noted about an error, and about those that it came from."""
    cause: BaseException | None = error
    while cause is not None:
        cause.__notes__ = []
        cause = cause.__context__


def end_children() -> None:
    """Kill the processes that this one has started and that still run, each with its process group.

    The code that starts a process also ends it. This is for a process that a signal left over, by coming
    between its start and the line that remembers it. Where there is no /proc, it does nothing.
    """
    for entry in Path("/proc").glob("[0-9]*"):
        # The command's name is in parentheses and may hold anything; behind it: state, parent, process group.
        with suppress(OSError, ValueError, IndexError):
            state, parent, group = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()[:3]
            if int(parent) == os.getpid() and state != "Z":
                pid = int(entry.name)
                (os.killpg if int(group) == pid else os.kill)(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


STOP = Stop()
