"""Progress for people who wait: a bar on a terminal, once something has taken longer than two seconds.

Knows nothing of what takes so long.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import NoReturn, TypeVar

from rich.console import Console
from rich.progress import Progress, track

Thing = TypeVar("Thing")

TOLD_EVERY_S = 60.0
"""So often it is told how far something has come, where there is no terminal to draw a bar on."""

PATIENCE_S = 2.0
"""Progress is shown only to those who have waited this long."""

Advanced = Callable[[int, int], None]
"""Told how much of how much is done."""


@contextmanager
def patiently() -> Iterator[Callable[[str], Advanced]]:
    """Gives what begins a named part of the work; a bar appears on a terminal when it takes long."""
    console = Console(stderr=True)
    progress = Progress(console=console, transient=True)
    begun = time.monotonic()

    def part(name: str) -> Advanced:
        task = progress.add_task(name, total=None)

        def advanced(done: int, of: int) -> None:
            progress.update(task, completed=done, total=of)
            if console.is_terminal and time.monotonic() - begun > PATIENCE_S:
                progress.start()

        return advanced

    try:
        yield part
    finally:
        if console.is_terminal:
            progress.stop()


def tracked(
    console: Console, what: str, things: Iterable[Thing], total: int, noun: str, every_s: float = TOLD_EVERY_S
) -> Iterator[Thing]:
    """Hand things over as they come; a bar shows how many, or a line now and then without a terminal."""
    if console.is_terminal:
        yield from track(things, what, total=total, console=console, transient=True)
        return
    told = time.monotonic()
    for done, thing in enumerate(things, 1):
        yield thing
        if time.monotonic() - told >= every_s:
            console.print(f"{what}: {done:,} of {total:,} {noun}", markup=False, soft_wrap=True)
            told = time.monotonic()


def until_stopped(
    things: Iterable[Thing], each: Callable[[Thing], None] = lambda _: None
) -> tuple[list[Thing], KeyboardInterrupt | None]:
    """All things, or those that there were until a user stopped the command, and how it was stopped.

    So the caller can report what was found. It then raises again what stopped the command.
    """
    found: list[Thing] = []
    try:
        for thing in things:
            found.append(thing)
            each(thing)
    except KeyboardInterrupt as stopped:
        return found, stopped
    return found, None


def end(stopped: KeyboardInterrupt | None, code: int) -> NoReturn:
    """Raise again what has stopped the command; exit with the code where nothing has."""
    if stopped is not None:
        raise stopped
    sys.exit(code)
