"""Versions of candidates as the judged tables have them, and what a version changed since the last one.

Knows the tables' rows, and nothing of how they are shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import pairwise
from typing import Any

import msgspec

from plumbline.reference.judged.schema import SUBJECT
from plumbline.reference.judged.scoring import Counts, Score, score
from plumbline.reference.results.totals import GREEN, JUDGED, UNJUDGED
from plumbline.reference.results.verdicts import FAILED, Verdict, merge

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
Subject = tuple[str, ...]


class ReleaseChange(StrEnum):
    """What became of a requirement since the last version."""

    WORSE = "worse"
    MORE_OFTEN = "violated more often"
    LOST = "not judged any more"
    BETTER = "better"
    NEW = "newly tested"


class Scored(msgspec.Struct, frozen=True):
    """A requirement at a version: the row of the table, its score, and the verdict as it counts."""

    row: Row
    score: Score

    @property
    def verdict(self) -> Verdict:
        """The verdict that counts."""
        return self.score.verdict


class ChangedRequirement(msgspec.Struct, frozen=True):
    """A requirement that changed: how, and what was found before and now, in words."""

    requirement: str
    change: ReleaseChange
    before: str
    now: str


class ReleasedVersion(msgspec.Struct, frozen=True, kw_only=True):
    """A version of a candidate, under one dialect.

    Attributes:
        subject: candidate, product, version and dialect.
        found: what was found, by requirement.
        runs: how many runs were read.
        whole: how many of them ended in order and fit their seal.
        first_started: start of its first run.
        last_started: start of its last run.
        profiles: the profiles played.
        last: the version before it; None where there is none.
        changes: what changed since then.
    """

    subject: Subject
    found: dict[str, Scored]
    runs: int
    whole: int
    first_started: str
    last_started: str
    profiles: tuple[str, ...]
    last: Subject | None = None
    changes: tuple[ChangedRequirement, ...] = ()

    @property
    def candidate(self) -> str:
        """The candidate as it was named."""
        return self.subject[0]

    @property
    def version(self) -> str:
        """The product's own version."""
        return self.subject[2]

    @property
    def page(self) -> str:
        """Its page, the same in each report."""
        digest = hashlib.sha256("\0".join(self.subject).encode(errors="surrogatepass")).hexdigest()[:16]
        return f"versions/{digest}.html"

    def verdict(self, requirement: str) -> Verdict:
        """What counts of a requirement."""
        one = self.found.get(requirement)
        return one.verdict if one else Verdict.NOT_EXERCISED


def subject_of(row: Row) -> Subject:
    """The version that a row is of."""
    return tuple(row[name] for name in SUBJECT)


def scored(row: Row, confidence: float, least_opportunities: int, most: float = 1.0) -> Scored:
    """A row of `verdicts` or `versions`, scored by the one function that scores."""
    counts = Counts(
        verdict=Verdict(row["verdict"]),
        judged=row["judged"],
        broken=row["broken"],
        opportunities=row["opportunities"],
    )
    return Scored(row, score(counts, confidence, least_opportunities, most))


def releases(
    tables: Tables, confidence: float = 0.95, least_opportunities: int = 1, most: float = 1.0
) -> list[ReleasedVersion]:
    """All versions, those of a candidate in the order of their first runs, each beside the one before it."""
    found: dict[Subject, dict[str, Scored]] = {}
    for row in tables["versions"]:
        one = scored(row, confidence, least_opportunities, most)
        found.setdefault(subject_of(row), {})[row["requirement"]] = one
    played: dict[Subject, list[Row]] = {}
    for row in tables["runs"]:
        played.setdefault(subject_of(row), []).append(row)
    made = [
        ReleasedVersion(
            subject=subject,
            found=found.get(subject, {}),
            runs=sum(row["runs"] for row in rows),
            whole=sum(row["whole"] for row in rows),
            first_started=min(row["first_started"] or "" for row in rows),
            last_started=max(row["last_started"] or "" for row in rows),
            profiles=tuple(sorted({row["profile"] for row in rows})),
        )
        for subject, rows in played.items()
    ]
    families: dict[tuple[str, ...], list[ReleasedVersion]] = {}
    for release in sorted(made, key=lambda one: (one.first_started, one.subject)):
        families.setdefault(_family(release), []).append(release)
    ordered = []
    for family in sorted(families):
        members = families[family]
        ordered.append(members[0])
        ordered += [_compared(before, now) for before, now in pairwise(members)]
    return ordered


def pooled(rows: Iterable[Row]) -> Row:
    """Several rows about a requirement as one: counts summed, and the verdict and reason that stay."""
    given = list(rows)
    verdict = merge(Verdict(row["verdict"]) for row in given)
    sums = {name: sum(row[name] for row in given) for name in ("runs", "judged", "broken", "opportunities")}
    reasons = (row["reason"] for row in given if row["verdict"] == verdict and row["reason"])
    return {**given[0], **sums, "verdict": str(verdict), "reason": next(reasons, "")}


def newest(all_of_them: list[ReleasedVersion]) -> list[ReleasedVersion]:
    """Of each family the version whose first run is the last one."""
    return list({_family(release): release for release in all_of_them}.values())


def _family(release: ReleasedVersion) -> tuple[str, ...]:
    """What versions of one product share: candidates that name their version differ behind the colon."""
    candidate, product, version, dialect = release.subject
    name = candidate.removesuffix(f":{version}")
    return (name, product, dialect)


def _compared(before: ReleasedVersion, now: ReleasedVersion) -> ReleasedVersion:
    changes = []
    for requirement in sorted(before.found.keys() | now.found.keys()):
        change = _change(before, now, requirement)
        if change is not None:
            told = (_told(one.found.get(requirement)) for one in (before, now))
            changes.append(ChangedRequirement(requirement, change, *told))
    return msgspec.structs.replace(now, last=before.subject, changes=tuple(changes))


def _change(before: ReleasedVersion, now: ReleasedVersion, requirement: str) -> ReleaseChange | None:
    was, is_now = before.verdict(requirement), now.verdict(requirement)
    if is_now in FAILED and was in FAILED:
        old, new = before.found[requirement].score, now.found[requirement].score
        if old.high is not None and new.low is not None and new.low > old.high:
            return ReleaseChange.MORE_OFTEN
        return ReleaseChange.BETTER if (new.high or 1.0) < (old.low or 0.0) else None
    if is_now in FAILED:
        return ReleaseChange.WORSE
    if was in FAILED and is_now in GREEN:
        return ReleaseChange.BETTER
    if was in GREEN and is_now not in JUDGED:
        return ReleaseChange.LOST
    return ReleaseChange.NEW if was in UNJUDGED and is_now in JUDGED else None


def _told(one: Scored | None) -> str:
    return f"{one.verdict}: {one.score.words}" if one else "no row"
