"""The reference with a decision that was made wrong blindly: it may raise anything, and never come to rest.

Knows how much an example may take; the suite decides what an excess means.
"""

from __future__ import annotations

import random
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.process.client import RemoteAdapter
from plumbline.adapters.process.server import Loopback
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.adapters.reference.simulation import Simulation
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.model.system import Model
from plumbline.reference.rulebook.book import rulebook_of

MOST_STEPS = 1_500
"""So many steps an example takes at most; the longest of the suite takes 602 where all is right."""

MOST_QUESTIONS = 100_000
"""So often one decision is asked in an example at most: a single step must end, too."""

MOST_S = 5.0
"""Processor time of this process that the steps of an example may take.

A right example takes some hundredth of it, but the messages of a step may double with every step.
"""


class _Bounded(Simulation):
    """A simulation that raises AdapterError where it should take more steps than any example needs."""

    def __init__(self, model: Model, draw: random.Random | None) -> None:
        super().__init__(model, draw)
        self._left = MOST_STEPS
        self._left_s = MOST_S

    def take_step(self) -> bool:
        """Let one thing happen; False if nothing can."""
        self._left -= 1
        if self._left < 0:
            raise AdapterError(f"{MOST_STEPS:,} steps, and no end")
        with self._limited():
            return super().take_step()

    @contextmanager
    def _limited(self) -> Iterator[None]:
        """Raise AdapterError in what takes too long; works in the main thread, which signals are for."""

        def over(*_: object) -> NoReturn:
            raise AdapterError(f"{MOST_S:g} s, and no end")

        before = signal.signal(signal.SIGVTALRM, over)
        signal.setitimer(signal.ITIMER_VIRTUAL, max(self._left_s, 0.001))
        try:
            yield
        finally:
            self._left_s, _ = signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, before)


def guarded(
    decision: str, answer: Callable[..., Any], dialect: Dialect, *, chaotic: bool, seed: int
) -> RemoteAdapter:
    """The reference with one decision answered so; its examples end, and all that it raises is AdapterError.

    It runs in this process, and is asked and read as if it did not.
    """
    asked = 0

    def counted(*arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked > MOST_QUESTIONS:
            raise AdapterError(f"{decision} was asked {MOST_QUESTIONS:,} times, and no end")
        return answer(*arguments)

    def simulation(model: Model, draw: random.Random | None) -> Simulation:
        nonlocal asked
        asked = 0
        return _Bounded(model, draw)

    book = rulebook_of(dialect).with_answers(**{decision: counted})
    reference = ReferenceAdapter(book, chaotic=chaotic, seed=seed, dialect=dialect, simulate=simulation)
    return RemoteAdapter(Loopback(reference))
