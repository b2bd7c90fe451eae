"""Exploring: programs looked at one after the other, or by several processes side by side.

Processes are forked, as a rulebook is made of functions. Knows nothing of what is printed.
"""

from __future__ import annotations

import gc
import multiprocessing
import signal
import time
import warnings
from collections.abc import Iterator, Sequence

from plumbline.reference.explore.findings import Explored, explore
from plumbline.reference.explore.programs import Program
from plumbline.reference.rulebook.book import Rulebook


class _Looking:
    """How programs are looked at; left out when the time is over."""

    def __init__(self, book: Rulebook, *, reduced: bool, ends: float) -> None:
        self._book = book
        self._reduced = reduced
        self._ends = ends

    def at(self, program: Program) -> Explored | None:
        if time.monotonic() >= self._ends:
            return None
        # Worlds refer to nothing that refers to them: looking for such rings takes a sixth of the time.
        collects = gc.isenabled()
        gc.disable()
        try:
            return explore(program, self._book, reduced=self._reduced, ends=self._ends)
        finally:
            if collects:
                gc.enable()


_looking: list[_Looking] = []
"""In a forked process: how it looks."""


def _begin(looking: _Looking) -> None:
    # The process that started it receives the signal that stops the command, and ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _looking.append(looking)


def _look(program: Program) -> Explored | None:
    return _looking[-1].at(program)


def explored(
    programs: Sequence[Program], book: Rulebook, *, reduced: bool, ends: float, jobs: int
) -> Iterator[Explored | None]:
    """What comes of each program, in their order; None for one for which there was no time.

    Args:
        programs: at which to look.
        book: the decisions.
        reduced: whether claims are believed.
        ends: by `time.monotonic`, when to break off.
        jobs: so many processes look.
    """
    looking = _Looking(book, reduced=reduced, ends=ends)
    if jobs == 1 or len(programs) < 2:
        yield from map(looking.at, programs)
        return
    with warnings.catch_warnings():
        # Another thread may draw progress; the forked processes need none of its locks.
        warnings.simplefilter("ignore", DeprecationWarning)
        pool = multiprocessing.get_context("fork").Pool(min(jobs, len(programs)), _begin, (looking,))
    with pool:
        yield from pool.imap(_look, programs)
