"""The threads of the toy store, which all wait in one place, so that it is known when none of them can go on.

Your own system need not be built like this. It has to be able to say when it is in quiescence, for example by
counting messages on their way. Here each waiting thread registers its condition.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Task = Callable[[], object]

GOING_HOME_S = 5.0


class EndedError(Exception):
    """The crew was sent home while a thread waited."""


class Crew:
    """Threads that carry out tasks, each thread its own ones in order."""

    def __init__(self) -> None:
        self._moved = threading.Condition()
        self._tasks: dict[object, deque[Task]] = {}
        self._waiting: list[Callable[[], bool]] = []
        self._threads = 0
        self._ended = False

    @contextmanager
    def change(self) -> Iterator[None]:
        """Change what others may be waiting for."""
        with self._moved:
            yield
            self._moved.notify_all()

    def wait(self, ready: Callable[[], bool], take: Task | None = None) -> None:
        """Have a thread of the crew wait for a condition, and take the task before another thread can."""
        with self._moved:
            self._waiting.append(ready)
            self._moved.notify_all()
            self._moved.wait_for(lambda: self._ended or ready())
            self._waiting.remove(ready)
            if self._ended:
                raise EndedError
            if take is not None:
                take()

    def give(self, name: object, task: Task) -> None:
        """Give a thread, begun when it is first named, something to do after what it already has."""
        with self.change():
            if name not in self._tasks:
                self._tasks[name] = deque()
                self._threads += 1
                threading.Thread(target=self._work, args=(self._tasks[name],), daemon=True).start()
            self._tasks[name].append(task)

    def _work(self, tasks: deque[Task]) -> None:
        try:
            while True:
                self.wait(lambda: bool(tasks))
                tasks[0]()
                tasks.popleft()
        except EndedError:
            # A thread that ends with another error stays counted. Then quiescence never comes, as it should
            # be.
            with self.change():
                self._threads -= 1

    def until(self, ready: Callable[[], bool], limit_s: float) -> bool:
        """Whether something comes to be so in time; for those who do not belong to the crew."""
        with self._moved:
            return self._moved.wait_for(ready, limit_s)

    def rests(self) -> bool:
        """Whether every thread waits, and for something that is not so; to be asked within `until`."""
        return len(self._waiting) == self._threads and not any(ready() for ready in self._waiting)

    def end(self) -> None:
        """End all threads as soon as they wait, and join them."""
        with self.change():
            self._ended = True
        self.until(lambda: self._threads == 0, GOING_HOME_S)
