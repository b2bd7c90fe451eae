"""Histories that were explained before, so that each is explained once.

Many candidates are wrong in one place and show elsewhere what the reference shows. A command that judges
many of them asks for this with `remembering`. Knows histories and rulebooks only by what tells them apart.
It keeps nothing of what is refuted: there more is asked than the answer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

from plumbline.reference.history.history import History
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.search.search import Answer, Explanation

MOST = 100_000
"""So many histories are remembered, a hundred bytes each; then all are forgotten."""

_Name = tuple[bytes, frozenset[tuple[str, object]]]


class Remembered:
    """Which histories some run of the model shows, by which rulebook."""

    def __init__(self) -> None:
        self._states: dict[_Name, int] = {}

    def get(self, history: History, book: Rulebook) -> Explanation | None:
        """The answer of an earlier search that explained the same history; None if none did."""
        states = self._states.get(_name(history, book))
        return None if states is None else Explanation(Answer.EXPLAINED, states)

    def note(self, history: History, book: Rulebook, found: Explanation) -> None:
        """Remember what a search has found, if it explained the history."""
        if found.answer is Answer.EXPLAINED:
            if len(self._states) >= MOST:
                self._states.clear()
            self._states[_name(history, book)] = found.visited


def _name(history: History, book: Rulebook) -> _Name:
    """What tells a history and a rulebook from others: all of the one, and what the other answers."""
    answers = frozenset(
        (name, answer) for name, answer in book.answers().items() if answer is not DECISIONS[name].answer
    )
    return hashlib.blake2b(msgspec.msgpack.encode(history)).digest(), answers


_REMEMBERED: ContextVar[Remembered | None] = ContextVar("remembered", default=None)
_SHARED = Remembered()


def remembered() -> Remembered | None:
    """Where this thread remembers histories; None if it does not."""
    return _REMEMBERED.get()


@contextmanager
def remembering() -> Iterator[None]:
    """Have this thread's searches remember what they explain, and look up what was explained before."""
    token = _REMEMBERED.set(_SHARED)
    try:
        yield
    finally:
        _REMEMBERED.reset(token)
