"""Progress for people who wait: a bar on a terminal, once something has taken longer than two seconds.

Knows nothing of what takes so long.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress

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
