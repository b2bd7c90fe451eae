"""Following deviations: the search decides as the product is known to do, and goes on behind it.

A deviation on record names the faulty variant whose decision the product makes. What needed it is reported
as a deviation, never as a pass. Knows nothing of how deviations are put on record, nor of how examples are
played.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from plumbline.reference.deviations import Deviation, words
from plumbline.reference.explain.efforts import search
from plumbline.reference.explain.engine import Answer, Budget
from plumbline.reference.history import History
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty import FAULTY
from plumbline.reference.verdicts import Verdict, VerdictRow, merge


class OnRecord:
    """The deviations in force for one candidate.

    Attributes:
        deviations: all of them.
        shown: those of them that something seen so far is a case of.
    """

    def __init__(self, deviations: tuple[Deviation, ...] = ()) -> None:
        self.deviations = deviations
        self.shown: set[Deviation] = set()
        self._followed = tuple(known for known in deviations if known.replaces)

    def of(self, requirement: str) -> tuple[Deviation, ...]:
        """Those on record for a requirement."""
        return tuple(known for known in self.deviations if known.requirement == requirement)

    def needed(self, history: History, book: Rulebook, budget: Budget) -> tuple[Deviation, ...]:
        """Those that it takes to explain a history that the book refutes; none if all together do not.

        Where one of several suffices, each that does; what else is on record was not needed.
        """
        alone = tuple(known for known in self._followed if self._explain(history, book, (known,), budget))
        needed = alone or self._needed_together(history, book, budget)
        self.shown.update(needed)
        return needed

    def _needed_together(self, history: History, book: Rulebook, budget: Budget) -> tuple[Deviation, ...]:
        """The same, where no single one suffices."""
        if len(self._followed) <= 1 or not self._explain(history, book, self._followed, budget):
            return ()
        together = tuple(
            known
            for known in self._followed
            if not self._explain(history, book, tuple(one for one in self._followed if one != known), budget)
        )
        return together or self._followed

    @staticmethod
    def _explain(history: History, book: Rulebook, deviations: tuple[Deviation, ...], budget: Budget) -> bool:
        return search(history, deviating(book, deviations), budget).answer is Answer.EXPLAINED

    def excused(
        self, requirement: str, verdict: Verdict, reason: str, *, followed: bool
    ) -> tuple[Verdict, str]:
        """The verdict on a requirement and its reason; a failure that is on record is a deviation.

        Args:
            requirement: the id that failed, if it did.
            verdict: as it would be with nothing on record.
            reason: the same.
            followed: whether a record excuses it that the search follows, too: where no search was asked.
        """
        known = [one for one in self.of(requirement) if followed or not one.replaces]
        if not known or verdict not in (Verdict.FAIL, Verdict.INTERMITTENT, Verdict.DEVIATION):
            return verdict, reason
        self.shown.update(known)
        return Verdict.DEVIATION, words(known)

    def not_shown(self, rows: Iterable[VerdictRow]) -> tuple[Deviation, ...]:
        """Those that nothing is a case of, though by the verdict table their requirement was put to the test.

        Where a requirement failed, was not decided or not exercised, nothing is told of what is on record.
        """
        by_requirement: dict[str, list[VerdictRow]] = {known.requirement: [] for known in self.deviations}
        for row in rows:
            if row.requirement in by_requirement:
                by_requirement[row.requirement].append(row)
        held = {
            requirement
            for requirement, found in by_requirement.items()
            if merge(row.verdict for row in found) in (Verdict.PASS, Verdict.DEVIATION)
            and any(row.verdict is Verdict.PASS and row.exercised for row in found)
        }
        return tuple(
            known for known in self.deviations if known.requirement in held and known not in self.shown
        )


NOTHING = OnRecord()
"""No deviation is on record."""


def deviating(book: Rulebook, deviations: tuple[Deviation, ...]) -> Rulebook:
    """The rulebook in which the decisions of the deviations are made as the product makes them."""
    for deviation in deviations:
        if deviation.replaces:
            book = dataclasses.replace(book, **FAULTY[deviation.replaces].replaces)
    return book
