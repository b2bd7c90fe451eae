"""A Python adapter in this very process: what `python-here:MODULE:FACTORY` stands for, for a debugger.

An error that the foreign code raises, exits included, is its answer; a user's stop of the run is not. Nothing
here can catch `os._exit`, nor end a call that does not return.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.process import python_server
from plumbline.adapters.process.client import RemoteAdapter
from plumbline.adapters.process.server import Loopback

Made = TypeVar("Made")

STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals by which a user stops a run."""


class _Wish:
    """Passes a signal on, and keeps what its handler raises: the foreign code may swallow that."""

    def __init__(self) -> None:
        self.error: BaseException | None = None
        handlers = ((number, signal.getsignal(number)) for number in STOPS)
        self._before = {number: handler for number, handler in handlers if callable(handler)}

    def __call__(self, number: int, frame: FrameType | None) -> None:
        try:
            self._before[signal.Signals(number)](number, frame)
        except BaseException as error:
            self.error = error
            raise

    def listen(self) -> None:
        for number in self._before:
            signal.signal(number, self)

    def forget(self) -> None:
        """Put back what was there; a debugger may have put in a handler of its own meanwhile."""
        for number, handler in self._before.items():
            if signal.getsignal(number) is self:
                signal.signal(number, handler)


@contextmanager
def heeding_stops() -> Iterator[None]:
    """Have a signal that comes meanwhile stop the run, even if the foreign code catches it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    wish = _Wish()
    wish.listen()
    try:
        yield
    finally:
        wish.forget()
        if wish.error is not None:
            raise wish.error


def _foreign(call: Callable[[], Made], what: str) -> Made:
    """What foreign code gives; raises AdapterError where it raises anything."""
    with heeding_stops():
        try:
            return call()
        except AdapterError:
            raise
        except BaseException as error:
            raise AdapterError(f"{what}: {type(error).__name__}: {error}") from error


class Here(Loopback):
    """A channel to foreign code in this process."""

    def __init__(self, adapter: Adapter) -> None:
        super().__init__(adapter, alone=True)

    def exchange(self, line: bytes, limit_ms: int) -> bytes:
        """Answer at once, unless a user stops the run meanwhile."""
        with heeding_stops():
            return super().exchange(line, limit_ms)

    def end(self, patience_ms: int, *, asked: bool = False) -> None:
        """Close the adapter, unless a request has."""
        with heeding_stops():
            super().end(patience_ms, asked=asked)


def require(module: str, factory: str) -> None:
    """Import a module, from the current folder too, and look for a factory; raises NoFactoryError."""
    folder = os.getcwd()  # noqa: PTH109 - as it stands in the path
    if folder not in sys.path:
        sys.path.append(folder)
    with heeding_stops():
        python_server.find(module, factory)


def opened(module: str, factory: str) -> RemoteAdapter:
    """An adapter of a factory; raises AdapterError where it makes none."""
    made = _foreign(lambda: python_server.make(module, factory), "the adapter could not be made")
    return RemoteAdapter(Here(made))
