"""Following deviations: the search decides as the product is known to do, and goes on behind it.

A deviation on record names the faulty variant whose decision the product makes. A requirement that needed it
is reported as a deviation, never as a pass. Knows nothing of how deviations are put on record, nor of how
examples are played.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import structs

from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History
from plumbline.reference.results.deviations import Deviation, words
from plumbline.reference.results.totals import GREEN, merged
from plumbline.reference.results.verdicts import Verdict, VerdictRow
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.search.search import Answer, Budget

MOST_ASKED = 8
"""So many variants of a requirement are asked whether they explain a failure."""


class KnownDeviations:
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

        Where one of several suffices, each that does; other deviations on record were not needed.
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

    def excuse(self, requirement: str, *, followed: bool) -> str:
        """The words on record that excuse a violation of a requirement; "" where none do.

        Args:
            requirement: the id that failed.
            followed: whether a record excuses it that the search follows, too: where no search was asked.
        """
        known = self._excusing(requirement, followed=followed)
        return words(known) if known else ""

    def advice(self, requirements: Iterable[str], history: History, book: Rulebook, budget: Budget) -> str:
        """What to put on record so that a machine goes on behind a failure, in words; "" where nothing is.

        A record without `replaces` excuses scenarios alone. Variants of its requirement are asked whether
        one of them explains the history: such a one can be named there.
        """
        about = set(requirements)
        told = []
        for known in self.deviations:
            if known.replaces or known.requirement not in about:
                continue
            named = [one for one in FAULTY.values() if known.requirement in one.requirements]
            named.sort(key=lambda one: one.requirements[0] != known.requirement)
            fits = next(
                (
                    one.name
                    for one in named[:MOST_ASKED]
                    if self._explain(
                        history, book, (*self._followed, structs.replace(known, replaces=one.name)), budget
                    )
                ),
                "",
            )
            told.append(
                f"{known.requirement} is on record without `replaces`, which excuses scenarios alone. "
                + (
                    f'With replaces = "{fits}" the search follows this example'
                    if fits
                    else "No faulty variant of it explains this example"
                )
            )
        return "; ".join(told)

    def show(self, requirement: str, *, followed: bool) -> None:
        """Note that what excuses a violation of the requirement was seen."""
        self.shown.update(self._excusing(requirement, followed=followed))

    def _excusing(self, requirement: str, *, followed: bool) -> tuple[Deviation, ...]:
        return tuple(one for one in self.of(requirement) if followed or not one.replaces)

    def not_shown(self, rows: Iterable[VerdictRow], unplayed: Collection[str] = ()) -> tuple[Deviation, ...]:
        """Those that nothing is a case of, though by the verdict table their requirement was put to the test.

        Where a requirement failed, was not decided or not exercised, what is on record stays unsaid.

        Args:
            rows: the verdict table.
            unplayed: requirements some of whose scenarios the time budget left out: one of these may show it.
        """
        about = [row for row in rows if self.of(row.requirement)]
        tested = {row.requirement for row in about if row.verdict is Verdict.PASS and row.exercised}
        held = {requirement for requirement, verdict in merged(about).items() if verdict in GREEN} & tested
        return tuple(
            known
            for known in self.deviations
            if known.requirement in held.difference(unplayed) and known not in self.shown
        )


NOTHING = KnownDeviations()
"""No deviation is on record."""


def deviating(book: Rulebook, deviations: tuple[Deviation, ...]) -> Rulebook:
    """The rulebook in which the decisions of the deviations are made as the product makes them."""
    for deviation in deviations:
        if deviation.replaces:
            book = book.with_answers(**FAULTY[deviation.replaces].replaces)
    return book
