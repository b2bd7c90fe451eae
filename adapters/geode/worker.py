"""A thread that does what it is given, one thing after the other, and never keeps the program alive.

`concurrent.futures` joins its threads when the interpreter ends; one that waits for a hung JVM would hang
the program then, so these are plain daemon threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")


class Worker:
    """One daemon thread and its queue. `stop` ends it after what it was given before."""

    def __init__(self, name: str) -> None:
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def submit(self, job: Callable[[], T]) -> Future[T]:
        """Have the thread call a function; its result or exception is in the future."""
        future: Future[T] = Future()
        self._jobs.put((job, future))
        return future

    def stop(self) -> None:
        """Take no more; the thread ends when it has done what it was given."""
        self._jobs.put(None)

    def join(self, limit_s: float) -> bool:
        """Whether the thread has ended within the time."""
        self._thread.join(limit_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (item := self._jobs.get()) is not None:
            job, future = item
            try:
                future.set_result(job())
            except BaseException as error:  # noqa: BLE001 - the caller that waits for the result gets it
                future.set_exception(error)
            del item, job, future
