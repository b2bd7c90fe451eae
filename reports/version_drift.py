"""What drifted between two versions, though both may conform: shares of runs, and times.

Everything is counted by runs, since events of one run depend on each other. Shares are compared by Fisher's
exact test, times by their sketches. Holm's correction keeps the probability of any alarm between equal
versions at the level. Knows the tables' rows, and nothing of how they are shown.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import accumulate
from math import exp

import msgspec

from plumbline.reference.judged.proportions import cohens_h, fisher
from plumbline.reference.results.totals import GREEN
from plumbline.reference.results.verdicts import FAILED
from plumbline.reports.release import ReleasedVersion, Row, Subject, Tables, newest, releases, subject_of

LEVEL = 0.05
"""The probability of any alarm between two equal versions, unless another is given."""

LEAST_RUNS = 4
"""Times of fewer runs than this are not compared."""

THRESHOLDS = (0.01, *(number / 20 for number in range(1, 20)), 0.99)
"""Times are compared at these quantiles of both versions together."""

H, KS = "Cohen's h", "Kolmogorov-Smirnov distance"

_SHARES = (
    ("violated", "broken", "judged"),
    ("violated in some replays only", "intermittent", "judged"),
    ("deviating as on record", "deviating", "judged"),
    ("not exercised", "not_exercised", "runs"),
)
_REPEATED = (("a repeated event", "repeating"), ("a repeated event that is not marked", "unmarked"))


class NoPairError(Exception):
    """The tables have no two versions to compare; the message says which they have."""


class DriftRow(msgspec.Struct, frozen=True, kw_only=True):
    """One quantity at two versions.

    Attributes:
        quantity: what was counted or measured.
        requirement: the requirement that it is of; "" for events and times.
        before: the figure of the earlier version.
        now: the figure of the later one.
        effect: how large the change is.
        effect_size: which measure of effect size that is.
        p: the p-value by itself.
        corrected: the p-value after Holm's correction over all quantities compared.
        drifted: whether that is at most the level.
        both_conform: whether neither version shows a violation: of the requirement, or of any for the others.
    """

    quantity: str
    requirement: str = ""
    before: str
    now: str
    effect: float
    effect_size: str
    p: float
    corrected: float = 1.0
    drifted: bool = False
    both_conform: bool


class VersionDrift(msgspec.Struct, frozen=True, kw_only=True):
    """What drifted between two versions.

    Attributes:
        before: candidate, product, version and dialect of the earlier version.
        now: those of the later one.
        level: the probability of any alarm between equal versions.
        rows: all quantities compared, the smallest p-value first.
        alike: quantities that no run shows, or every run: they cannot differ, and count as no comparison.
        notes: what could not be compared, and what else limits the comparison.
    """

    before: Subject
    now: Subject
    level: float
    rows: tuple[DriftRow, ...]
    alike: int
    notes: tuple[str, ...]

    @property
    def drifted(self) -> tuple[DriftRow, ...]:
        """The quantities that drifted."""
        return tuple(row for row in self.rows if row.drifted)

    @property
    def words(self) -> str:
        """How many drifted, in one line."""
        if not self.rows and not self.alike:
            return "nothing could be compared"
        return f"{len(self.drifted)} of {len(self.rows)} quantities drifted, at a level of {self.level:g}"


def pairs(tables: Tables, before: str | None = None, now: str | None = None) -> list[tuple[Subject, Subject]]:
    """Of each candidate the newest version and the one before it, or those versions that are named.

    Raises NoPairError where no candidate has two such versions.
    """
    found = releases(tables)
    by_subject = {one.subject: one for one in found}
    pairs = []
    for latest in newest(found):
        chain: list[ReleasedVersion] = [latest]
        while chain[-1].last is not None:
            chain.append(by_subject[chain[-1].last])
        later = next((at for at, one in enumerate(chain) if now in (None, one.version)), len(chain))
        earlier = (one for one in chain[later + 1 :] if before in (None, one.version))
        pairs += [(one.subject, chain[later].subject) for one in earlier][:1]
    if not pairs:
        known = ", ".join(f"{one.candidate} {one.version}" for one in found[:10]) or "no run"
        raise NoPairError(
            f"no candidate has two such versions, an earlier and a later one; there is: {known}"
        )
    return pairs


def drift(tables: Tables, before: Subject, now: Subject, level: float = LEVEL) -> VersionDrift:
    """Compare two versions.

    Args:
        tables: as `read_tables` gives them.
        before: one version.
        now: the other.
        level: the probability of any alarm where the two are equal, above 0 and below 1.
    """
    sides = version_sides(tables)
    earlier, later = (sides.get(one, VersionSide(one)) for one in (before, now))
    return compared(earlier, later, level)


def compared(before: VersionSide, now: VersionSide, level: float = LEVEL) -> VersionDrift:
    """The same of versions that were taken from the tables before."""
    sides = (before, now)
    notes: list[str] = []
    if before.profiles != now.profiles:
        played = " and ".join(", ".join(sorted(side.profiles)) or "none" for side in sides)
        notes.append(f"the versions ran other profiles ({played}): shares may differ by that alone")
    told = [*_of_requirements(sides, notes), *_of_events(sides, notes)]
    made = [row for row in told if row is not None]
    alike = len(told) - len(made)
    made += _of_times(sides, notes)
    return VersionDrift(
        before=before.subject,
        now=now.subject,
        level=level,
        rows=_corrected(made, level),
        alike=alike,
        notes=tuple(notes),
    )


class VersionSide:
    """What the tables have of one version: its rows by requirement and by measure."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.profiles: set[str] = set()
        self.requirements: dict[str, Row] = {}
        self.repeated: list[Row] = []
        self.times: dict[str, Row] = {}
        self.bins: dict[str, Counter[int]] = defaultdict(Counter)

    @property
    def conforms(self) -> bool:
        """Whether it violates no requirement."""
        return not any(row["verdict"] in FAILED for row in self.requirements.values())


def version_sides(tables: Tables) -> dict[Subject, VersionSide]:
    """What the tables have of each version, read once."""
    found: dict[Subject, VersionSide] = {}

    def side(row: Row) -> VersionSide:
        return found.setdefault(subject := subject_of(row), VersionSide(subject))

    for row in tables["runs"]:
        side(row).profiles.add(row["profile"])
    for row in tables["versions"]:
        side(row).requirements[row["requirement"]] = row
    for row in tables["duplicates"]:
        side(row).repeated.append(row)
    for row in tables["latencies"]:
        side(row).times[row["measure"]] = row
    for row in tables["sketches"]:
        side(row).bins[row["measure"]][row["bin"]] += row["amount"]
    return found


_Sides = tuple[VersionSide, VersionSide]


def _of_requirements(sides: _Sides, notes: list[str]) -> Iterator[DriftRow | None]:
    first, second = (side.requirements for side in sides)
    alone = len(first.keys() ^ second.keys())
    for requirement in sorted(first.keys() & second.keys()):
        rows = (first[requirement], second[requirement])
        conform = all(row["verdict"] in GREEN for row in rows)
        for quantity, k, n in _SHARES:
            counts = (rows[0][k], rows[0][n], rows[1][k], rows[1][n])
            if rows[0][n] and rows[1][n]:
                yield _share(quantity, *counts, requirement=requirement, both_conform=conform)
        alone += not (rows[0]["judged"] and rows[1]["judged"])
    if alone:
        notes.append(f"not compared: {alone} requirements, which were not judged in both versions")


def _of_events(sides: _Sides, notes: list[str]) -> Iterator[DriftRow | None]:
    conform = all(side.conforms for side in sides)
    runs = [sum(row["runs"] for row in side.repeated) for side in sides]
    if not all(runs):
        notes.append("not compared: repeated events, since runs of one version received none")
        return
    for words, name in _REPEATED:
        if any(row[name] is None for side in sides for row in side.repeated):
            notes.append(
                f"not compared: runs with {words}; the tables are older than that column, judge again"
            )
            continue
        first, second = (sum(row[name] for row in side.repeated) for side in sides)
        yield _share(f"runs with {words}", first, runs[0], second, runs[1], both_conform=conform)


def _share(
    quantity: str, k: int, n: int, other_k: int, other_n: int, *, both_conform: bool, requirement: str = ""
) -> DriftRow | None:
    """A share at both versions; None where all runs show it, or none does."""
    if k + other_k in (0, n + other_n):
        return None
    return DriftRow(
        quantity=quantity,
        requirement=requirement,
        before=f"{k:,} of {n:,} runs",
        now=f"{other_k:,} of {other_n:,} runs",
        effect=round(cohens_h(k / n, other_k / other_n), 4),
        effect_size=H,
        p=fisher(k, n, other_k, other_n),
        both_conform=both_conform,
    )


def _of_times(sides: _Sides, notes: list[str]) -> Iterator[DriftRow]:
    first, second = (side.times for side in sides)
    if not first and not second:
        notes.append("not compared: times, since the traces hold none of one clock")
    for measure in sorted(first.keys() | second.keys()):
        words = measure.replace("_", " ")
        rows = [row for times in (first, second) if (row := times.get(measure)) is not None]
        runs = [row["effective_runs"] for row in rows]
        if None in runs:
            notes.append(f"not compared: {words}; the tables are older than the column of runs, judge again")
        elif len(rows) < 2 or min(runs) < LEAST_RUNS:
            notes.append(f"not compared: {words}, with times of fewer than {LEAST_RUNS} runs on one side")
        else:
            distance = sketch_distance(*(side.bins[measure] for side in sides))
            yield DriftRow(
                quantity=words,
                before=_quantiles(rows[0]),
                now=_quantiles(rows[1]),
                effect=round(distance, 4),
                effect_size=KS,
                p=distance_bound(distance, *runs),
                both_conform=all(side.conforms for side in sides),
            )


def sketch_distance(first: Mapping[int, int], second: Mapping[int, int]) -> float:
    """How far the shares of times up to a quantile of both together differ at most: 0 to 1."""
    bins = sorted(first.keys() | second.keys())
    one, other = (list(accumulate(side.get(at, 0) for at in bins)) for side in (first, second))
    found, at = 0.0, 0
    for share in THRESHOLDS:
        while one[at] + other[at] < share * (one[-1] + other[-1]):
            at += 1
        found = max(found, abs(one[at] / one[-1] - other[at] / other[-1]))
    return found


def distance_bound(distance: float, runs: float, other_runs: float) -> float:
    """A bound on the p-value of such a distance between two equal versions.

    Hoeffding's inequality at each threshold, for both directions. Each run counts as one observation, so
    times of one run may depend on each other in any way.
    """
    both = runs * other_runs / (runs + other_runs)
    return min(1.0, 2 * len(THRESHOLDS) * exp(-2 * distance**2 * both))


def _quantiles(row: Row) -> str:
    told = ", ".join(f"{name} {row[name] / 1000:.3g} ms" for name in ("p50", "p95", "p99"))
    return f"{told} of {row['amount']:,} times"


def _corrected(rows: list[DriftRow], level: float) -> tuple[DriftRow, ...]:
    """The rows by their p-values, each with the one that Holm's correction gives it."""
    made, largest = [], 0.0
    ordered = sorted(rows, key=lambda row: (row.p, -abs(row.effect), row.requirement, row.quantity))
    for place, row in enumerate(ordered):
        largest = max(largest, min(1.0, row.p * (len(ordered) - place)))
        made.append(msgspec.structs.replace(row, corrected=largest, drifted=largest <= level))
    return tuple(made)
