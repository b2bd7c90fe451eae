"""Proof: how many right histories of a machine would have shown a violation of each requirement.

A variant that a history does not refute is searched to the end of its budget, which takes far longer than to
explain the history. So little more is looked for once something is proven, and the search for proofs ends.
Knows histories and rulebooks; knows nothing of candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from plumbline.reference.explain.decision_log import Asked
from plumbline.reference.explain.exercise import exercised, to_ask
from plumbline.reference.history.history import History
from plumbline.reference.results.own_errors import OwnError
from plumbline.reference.rulebook.book import Rulebook

MOST_HISTORIES = 40
"""The number of histories of a machine that are searched. Further ones hardly prove more requirements."""

FIRST_HISTORIES = 12
"""Among so many, several are sought that prove a requirement; of the others one is enough."""


class Proof:
    """Counts for each requirement the right histories that would have shown it violated.

    Where a variant cannot be asked, since Plumbline makes an error of its own, nothing is said of what it
    could have proven: `errors` names those requirements.

    Args:
        requirements: those that the machine is about.
        book: the rulebook that the histories are right by.
        enough: so many histories of each are sought among the first, and no more are counted.
        elsewhere: requirements that scenarios of the run have proven; of each one history is sought.
    """

    def __init__(
        self, requirements: list[str], book: Rulebook, enough: int, elsewhere: Collection[str] = ()
    ) -> None:
        self._book = book
        self._elsewhere = frozenset(elsewhere)
        self._counts = dict.fromkeys(requirements, 0)
        self._enough = enough
        self._looked_at = 0
        self._in_vain: Counter[str] = Counter()
        self._asked: Asked = {}
        self.errors: dict[str, OwnError] = {}

    def listens(self) -> Asked | None:
        """Where to note what explaining the next history asks; None if that proves nothing any more."""
        self._asked = {}
        return self._asked if self._open() else None

    def add(self, history: History) -> None:
        """Look at one more history, while that may still prove something."""
        open_still = self._open()
        if not open_still:
            return
        self._looked_at += 1
        proven = exercised(
            history, open_still, self._book, self._in_vain, self._asked, self._errs, self._elsewhere
        )
        for requirement in proven:
            self._counts[requirement] += 1

    def _errs(self, variant: str, requirements: frozenset[str], error: Exception) -> None:
        own = OwnError.of(f"asking the faulty variant {variant} about a history", error)
        for requirement in requirements:
            self.errors.setdefault(requirement, own)

    def _open(self) -> list[str]:
        """The requirements that one more history may prove; for these the search is worth its time."""
        if self._looked_at >= MOST_HISTORIES:
            return []
        sought = self._enough if self._looked_at < FIRST_HISTORIES else 1
        few = [
            requirement
            for requirement, count in self._counts.items()
            if count < (1 if requirement in self._elsewhere else sought)
        ]
        return few if any(to_ask(few, self._in_vain, self._elsewhere)) else []

    def count(self, requirement: str) -> int:
        """How many histories exercised the requirement; counting stops when there are enough."""
        return self._counts[requirement]
