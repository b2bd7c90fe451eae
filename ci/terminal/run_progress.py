"""How far a run has come: bars on a terminal, a line now and then elsewhere, and each failure as it happens.

Knows what is counted and printed, not what is played.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.text import Text

from plumbline.reference.results.runs import Counterexample
from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.signs import SIGNS
from plumbline.reports.terminal import MOST_NAMED
from plumbline.reports.text import one_line

LINE_EVERY_S = 30.0
"""Where there is no terminal a line is printed this often."""

LONGEST = 400


class OngoingPart(msgspec.Struct):
    """One thing that is going on: how much of it is done, since when."""

    name: str
    began: float
    done: int = 0
    total: int = 0

    def left_s(self, now: float) -> float | None:
        """About how many seconds are left, from what was done so far; None where nothing was."""
        if not self.done or not self.total:
            return None
        return (now - self.began) / self.done * max(0, self.total - self.done)


class RunProgress:
    """Progress of one candidate's run, on the error stream.

    Args:
        console: where it is shown.
        candidate: whose run it is.
        every_s: how often a line is printed where the console is no terminal, if not as usual.
        clock: gives seconds.
    """

    def __init__(
        self,
        console: Console,
        candidate: str,
        *,
        every_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console
        self._candidate = one_line(candidate, LONGEST)
        self._every_s = LINE_EVERY_S if every_s is None else every_s
        self._clock = clock
        self._began = clock()
        self._parts: dict[str, OngoingPart] = {}
        self._tasks: dict[str, TaskID] = {}
        self.failures = 0
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._teller = threading.Thread(target=self._tell, daemon=True)
        self.bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            _Left(self),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def __call__(self, what: str, done: int, total: int) -> None:
        """Note that so much of something is done."""
        with self._lock:
            part = self._parts.setdefault(what, OngoingPart(what, self._clock()))
            part.done, part.total = done, total
        if what not in self._tasks:
            self._tasks[what] = self.bar.add_task(f"{self._candidate}: {what}", total=total, part=what)
        self.bar.update(self._tasks[what], completed=done, total=total)

    def failed(self, counterexample: Counterexample) -> None:
        """Say at once what failed, what was seen, and how to play it again."""
        self.failures += 1
        sign = SIGNS[Verdict.FAIL]
        named = ", ".join(counterexample.requirements[:MOST_NAMED]) or "no requirement could be named"
        if len(counterexample.requirements) > MOST_NAMED:
            named += f" and {len(counterexample.requirements) - MOST_NAMED} more"
        title = counterexample.title.replace("_", " ")
        lines = [
            Text(f"{sign.symbol} {sign.word}  ", style=sign.style)
            + Text(one_line(f"{self._candidate}: {title}: {named}", LONGEST), style="default")
        ]
        lines += [Text(one_line(f"    expected: {words}", LONGEST)) for words in counterexample.expected[:1]]
        lines += [Text(one_line(f"    seen: {words}", LONGEST)) for words in counterexample.seen[:1]]
        if counterexample.replay:
            lines.append(Text(f"    {one_line(counterexample.replay)}"))
        for line in lines:
            self._console.print(line, soft_wrap=True, highlight=False)

    def left(self, what: str) -> str:
        """About how long something will still take, and what has failed so far, in words."""
        with self._lock:
            part = self._parts.get(what)
        left = None if part is None else part.left_s(self._clock())
        told = "" if left is None else f"about {_duration(left)} left"
        return ", ".join(filter(None, [told, self._failures()]))

    def _failures(self) -> str:
        return f"{self.failures or 'no'} failure{'s' * (self.failures != 1)} so far"

    def _line(self) -> str:
        """Everything that is under way, in one line."""
        now = self._clock()
        with self._lock:
            going = [part for part in self._parts.values() if part.done < part.total]
            parts = [f"{part.name} {part.done} of {part.total}" for part in going]
            lefts = [left for part in going if (left := part.left_s(now)) is not None]
        told = [f"{_duration(now - self._began)} so far", *parts, self._failures()]
        if lefts:
            told.append(f"about {_duration(max(lefts))} left of these")
        return one_line(f"{self._candidate}: {', '.join(told)}", LONGEST)

    def _tell(self) -> None:
        while not self._over.wait(self._every_s):
            self._console.print(Text(self._line()), soft_wrap=True)

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self.bar.start()
        else:
            self._teller.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._console.is_terminal:
            self.bar.stop()
        else:
            self._teller.join()


class _Left(ProgressColumn):
    """How long a part will still take, and what has failed so far."""

    def __init__(self, progress: RunProgress) -> None:
        super().__init__()
        self._progress = progress

    def render(self, task: Task) -> Text:
        return Text(self._progress.left(task.fields["part"]), style="progress.remaining")


def _duration(seconds: float) -> str:
    """Seconds as `0:05`, `12:30` or `1:02:03`."""
    whole = round(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
