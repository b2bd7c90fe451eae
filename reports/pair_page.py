"""What the page of pairs shows: which features met in the runs of a collection, and which have not.

Knows runs and counts; the page itself is a template.
"""

from __future__ import annotations

import msgspec

from plumbline.reference.trace.files import verified_files
from plumbline.reports.collection import Collection
from plumbline.reports.pair_coverage import PairCount, PairCoverage, pair_coverage

MOST_RUNS = 20
"""Traces of so many runs are counted, the newest ones: each takes about a second."""


class PairCell(msgspec.Struct, frozen=True):
    """One pair in the table.

    Attributes:
        kind: `met`, `unmet` or `barred`.
        shown: how often they met, or a sign.
        words: the same in a sentence.
    """

    kind: str
    shown: str
    words: str


class PairLine(msgspec.Struct, frozen=True):
    """One feature: in how many examples it is, its pairs with features before it, and what it has not met."""

    number: int
    name: str
    examples: int
    cells: tuple[PairCell, ...]
    missing: tuple[str, ...]


class PairPage(msgspec.Struct, frozen=True):
    """What the page shows.

    Attributes:
        counted: the counts.
        lines: a line for each feature.
        runs: traces of so many runs were counted.
        left_out: so many runs were not, as they are older than those.
        set_aside: so many files could not be read.
        reasons: why pairs cannot meet, each with the number of those pairs.
    """

    counted: PairCoverage
    lines: tuple[PairLine, ...]
    runs: int
    left_out: int
    set_aside: int
    reasons: tuple[tuple[str, int], ...]


def pair_page(collection: Collection) -> PairPage | None:
    """Count the pairs of a collection's runs; None where no run has a trace that can be read."""
    runs = [run for candidate in collection.candidates for run in candidate.runs]
    runs.sort(key=lambda run: run.record.started, reverse=True)
    files, flaws = [], 0
    for run in runs[:MOST_RUNS]:
        good, wrong = verified_files(run.directory, run.record.run_id)
        files += good
        flaws += len(wrong)
    if not files:
        return None
    counted = pair_coverage(files)
    reasons: dict[str, int] = {}
    for pair in counted.pairs:
        if pair.barred:
            reasons[pair.barred] = reasons.get(pair.barred, 0) + 1
    return PairPage(
        counted=counted,
        lines=_lines(counted),
        runs=min(len(runs), MOST_RUNS),
        left_out=max(0, len(runs) - MOST_RUNS),
        set_aside=flaws,
        reasons=tuple(reasons.items()),
    )


def _lines(counted: PairCoverage) -> tuple[PairLine, ...]:
    of = {frozenset(pair.features): pair for pair in counted.pairs}
    names = tuple(counted.features)
    return tuple(
        PairLine(
            number=number,
            name=name,
            examples=counted.features[name],
            cells=tuple(_cell(of[frozenset((name, other))]) for other in names[: number - 1]),
            missing=tuple(
                other for other in names if other != name and of[frozenset((name, other))] in counted.unmet
            ),
        )
        for number, name in enumerate(names, 1)
    )


def _cell(pair: PairCount) -> PairCell:
    both = " and ".join(pair.features)
    if pair.examples:
        return PairCell("met", f"{pair.examples:,}", f"{both}: met in {pair.examples:,} examples")
    if pair.barred:
        return PairCell("barred", "·", f"{both}: cannot meet, as {pair.barred}")
    return PairCell("unmet", "0", f"{both}: not met yet")
