"""Timings: what explaining some examples of one kind has taken.

Knows what to ask the search and what to count; knows nothing of how examples are drawn.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

import msgspec

from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget


class Timed(msgspec.Struct, frozen=True, kw_only=True):
    """What explaining the examples of a kind has taken.

    Attributes:
        name: of the kind.
        operations: of each example.
        within_s: an example is meant to be decided within so many seconds of processor time.
        spoilt: whether they were spoilt.
        examples: how many.
        in_time: how many were decided within the kind's limit.
        unknown: how many were not decided at all.
        wrong: conforming examples that were refuted: none, if search and model are right.
        states: visited for each operation, the median.
        seconds: the median.
        longest: seconds.
    """

    name: str
    operations: int
    within_s: float
    spoilt: bool
    examples: int
    in_time: int
    unknown: int
    wrong: int
    states: float
    seconds: float
    longest: float


def timed(
    name: str,
    operations: int,
    within_s: float,
    histories: Iterable[History],
    *,
    spoilt: bool,
    states: int,
    time_ms: int | None = None,
) -> Timed:
    """Explain some examples of a kind, each within so many states and, if it is not None, milliseconds."""
    answers: list[Answer] = []
    visited: list[int] = []
    seconds: list[float] = []
    for history in histories:
        began = time.process_time()
        found = search(history, Rulebook(), Budget(states=states, time_ms=time_ms))
        seconds.append(time.process_time() - began)
        answers.append(found.answer)
        visited.append(found.visited)
    decided = [took for took, answer in zip(seconds, answers, strict=True) if answer is not Answer.UNKNOWN]
    return Timed(
        name=name,
        operations=operations,
        within_s=within_s,
        spoilt=spoilt,
        examples=len(answers),
        in_time=sum(took <= within_s for took in decided),
        unknown=answers.count(Answer.UNKNOWN),
        wrong=0 if spoilt else answers.count(Answer.REFUTED),
        states=statistics.median(visited) / operations,
        seconds=statistics.median(seconds),
        longest=max(seconds),
    )


class Kind(Protocol):
    """What is asked of a kind of example to time it; see `Timed`."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def operations(self) -> int:
        """How many."""

    @property
    def within_s(self) -> float:
        """An example is meant to be decided within so many seconds."""

    @property
    def weight(self) -> int:
        """So many times as many examples as of the largest kinds."""


AnyKind = TypeVar("AnyKind", bound=Kind)


class WantedExamples(msgspec.Struct, frozen=True, kw_only=True):
    """Which examples are to be explained.

    Attributes:
        draws: so many of each of the largest kinds, and more of the smaller.
        examples: so many of each kind instead, if it is not None.
        seed: of the first one; the others count from there.
        names: the kinds that are meant; all, if there are none.
        operations: how many examples of these kinds have; any number if None.
    """

    draws: int = 1
    examples: int | None = None
    seed: int = 0
    names: tuple[str, ...] = ()
    operations: int | None = None

    def of(self, kinds: Iterable[AnyKind]) -> list[AnyKind]:
        """Those of the kinds that are meant."""
        return [
            kind
            for kind in kinds
            if (not self.names or kind.name in self.names) and self.operations in (None, kind.operations)
        ]


Kind_contra = TypeVar("Kind_contra", bound=Kind, contravariant=True)


class Draw(Protocol[Kind_contra]):
    """Draws the example of a kind and a seed."""

    def __call__(self, kind: Kind_contra, seed: int, *, spoilt: bool) -> History:
        """See Draw."""


def timed_kinds(
    kinds: Iterable[AnyKind],
    draw: Draw[AnyKind],
    wanted: WantedExamples,
    states: int,
    time_ms: int | None = None,
) -> Iterator[Timed]:
    """Explain examples of those of the kinds that are wanted, right and spoilt."""
    for kind in wanted.of(kinds):
        for spoilt in (False, True):
            seeds = range(wanted.seed, wanted.seed + (wanted.examples or wanted.draws * kind.weight))
            histories = (draw(kind, seed, spoilt=spoilt) for seed in seeds)
            yield timed(
                kind.name,
                kind.operations,
                kind.within_s,
                histories,
                spoilt=spoilt,
                states=states,
                time_ms=time_ms,
            )
