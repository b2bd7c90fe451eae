"""Pair coverage: how often each two features met in the examples of runs, while both held.

Reads traces that were verified; knows features, and no requirement. DuckDB does the counting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pyarrow.dataset as ds

from plumbline.reference.rules.judging import connect
from plumbline.reports.features import FEATURES, Feature, barred, pairs

_COLUMNS = (
    "run_id, example, seq, kind, policy, client, scope, checks, queue_type, dispatchers, batch_size, "
    "parallel, persistent, conflates, site, name, amount, durable_id, status, op, eid"
)
_QUOTED = re.compile(r"'([a-z_]+)'")
_KINDS = ", ".join(
    sorted({repr(kind) for one in FEATURES for kind in _QUOTED.findall(one.begins + one.ends)})
)
"""What conditions of features name, kinds of rows among it."""

_FOR_GOOD = "9223372036854775807"


class PairCount(msgspec.Struct, frozen=True, kw_only=True):
    """Two features, and in how many examples they met.

    Attributes:
        features: both names.
        examples: in so many examples they held at once.
        barred: why they cannot meet; "" where they can.
    """

    features: tuple[str, str]
    examples: int = 0
    barred: str = ""


class PairCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """What runs met.

    Attributes:
        examples: so many were looked at.
        features: each feature, and in how many examples it is.
        pairs: every pair of features.
    """

    examples: int
    features: dict[str, int]
    pairs: tuple[PairCount, ...]

    @property
    def possible(self) -> tuple[PairCount, ...]:
        """The pairs that can meet."""
        return tuple(pair for pair in self.pairs if not pair.barred)

    @property
    def met(self) -> tuple[PairCount, ...]:
        """The pairs that have met."""
        return tuple(pair for pair in self.pairs if pair.examples)

    @property
    def unmet(self) -> tuple[PairCount, ...]:
        """The pairs that can meet and have not."""
        return tuple(pair for pair in self.possible if not pair.examples)


def pair_coverage(files: Sequence[Path]) -> PairCoverage:
    """Count the pairs of features in trace files that are known to be whole.

    Raises OSError for a file that cannot be read.
    """
    with connect() as connection:
        connection.register("read", ds.dataset([str(path) for path in files], format="parquet"))
        # Each feature looks through the rows once: most of them tell of no feature.
        connection.execute(
            f"CREATE TEMP TABLE ev AS SELECT {_COLUMNS} FROM read WHERE kind IN ('example_begin', {_KINDS})"
        )
        held = " UNION ALL ".join(f"({_held(feature)})" for feature in FEATURES)
        connection.execute(f"CREATE TEMP TABLE held AS {held}")
        (examples,) = _row(
            connection.execute("SELECT count(*) FROM ev WHERE kind = 'example_begin'").fetchone()
        )
        alone = dict(connection.execute("SELECT name, count(*) FROM held GROUP BY name").fetchall())
        counted = connection.execute(
            "SELECT a.name, b.name, count(*) FROM held a JOIN held b USING (run_id, example) "
            "WHERE a.name <> b.name AND a.first <= b.last AND b.first <= a.last GROUP BY a.name, b.name"
        ).fetchall()
    together = {frozenset((one, other)): count for one, other, count in counted}
    reasons = barred()
    order = {feature.name: number for number, feature in enumerate(FEATURES)}
    return PairCoverage(
        examples=examples,
        features={feature.name: alone.get(feature.name, 0) for feature in FEATURES},
        pairs=tuple(
            PairCount(
                features=_both(pair, order),
                examples=together.get(pair, 0),
                barred="" if together.get(pair) else reasons.get(pair, ""),
            )
            for pair in pairs()
        ),
    )


def _both(pair: frozenset[str], order: dict[str, int]) -> tuple[str, str]:
    one, other = sorted(pair, key=order.__getitem__)
    return one, other


def _row(found: tuple[int, ...] | None) -> tuple[int, ...]:
    return found or (0,)


def _held(feature: Feature) -> str:
    """The statement that tells from which row to which a feature holds in an example."""
    first = f"min(seq) FILTER (WHERE {feature.begins})"
    last = "max(seq)"
    if feature.ends:
        ended = f"max(seq) FILTER (WHERE {feature.ends})"
        begun = f"max(seq) FILTER (WHERE {feature.begins})"
        last = f"CASE WHEN {ended} > {begun} THEN {ended} ELSE {_FOR_GOOD} END"
    if feature.lasts == "always":
        first, last = "0", _FOR_GOOD
    elif feature.lasts == "on":
        last = _FOR_GOOD
    rows = f"({feature.begins}) OR ({feature.ends})" if feature.ends else feature.begins
    return (
        f"SELECT '{feature.name}' AS name, run_id, example, {first} AS first, {last} AS last FROM ev "
        f"WHERE {rows} GROUP BY run_id, example HAVING bool_or({feature.begins})"
    )
