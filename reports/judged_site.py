"""The site about any number of runs, out of judged tables alone: its pages do not grow with the runs.

A page each for the overview, the requirements, each requirement, and each version of a candidate. Texts of
candidates are escaped and bounded as on the site of run directories. Knows nothing of run directories.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from plumbline.reference.catalogue.coverage import Coverage
from plumbline.reference.catalogue.records import AREA_MEANING, Requirement, is_extension
from plumbline.reference.judged.scoring import CONFIDENCE
from plumbline.reference.results.totals import GREEN, Totals, binding, exit_code_of, totals
from plumbline.reference.results.verdicts import FAILED
from plumbline.reports.badge import badge, write_badge
from plumbline.reports.release import ReleasedVersion, Row, Subject, Tables, newest, releases, subject_of
from plumbline.reports.signs import EXIT_MEANING
from plumbline.reports.site import (
    UNKNOWN_AREA,
    Advanced,
    AreaLines,
    Built,
    MatrixLine,
    file_name,
    page_environment,
)
from plumbline.reports.trend_chart import ChartBar, TrendChart, trend_chart
from plumbline.reports.unjudged import Unjudged, unjudged
from plumbline.reports.version_drift import VersionDrift, compared, version_sides

MOST_VERSIONS = 60
"""So many versions have a page, the newest."""

MOST_COLUMNS = 12
"""So many versions stand beside each other in the table of requirements."""

MOST_GROUPS, MOST_TOLD = 40, 200
"""So many failures stand on one page, and so many changes or things set aside."""


class ColumnHead(msgspec.Struct, frozen=True):
    """The head of a column: name and version, and what stands against it as a whole."""

    name: str
    version: str
    troubles: tuple[str, ...] = ()


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A version as pages show it; `candidate` and `page` are what the table of requirements asks."""

    release: ReleasedVersion
    candidate: ColumnHead
    page: str
    totals: Totals
    unjudged: Unjudged
    exit_code: int
    outcome: str


class Failure(msgspec.Struct, frozen=True):
    """A failure of one or many runs, and its smallest witness; None where none is kept."""

    group: Row
    witness: Row | None


def build_judged(
    tables: Tables,
    catalogue: Mapping[str, Requirement],
    out: Path,
    *,
    coverage: Iterable[Coverage] = (),
    written: datetime | None = None,
    advanced: Advanced = lambda _done, _all: None,
) -> Built:
    """Write the site of judged tables into a folder; other files in it are left alone.

    Args:
        tables: as `read_tables` gives them.
        catalogue: all requirements; each gets a page, as does every id that only a verdict names.
        out: the folder.
        coverage: what decides, tests and breaks each requirement, as far as it is known.
        written: when; now if it is left out.
        advanced: told of each page.

    Raises:
        OSError: the folder cannot be written to; the first page is written last.
    """
    return _JudgedSite(tables, catalogue, coverage, written or datetime.now(UTC)).write(out, advanced)


class _JudgedSite:
    """The pages and what they share."""

    def __init__(
        self,
        tables: Tables,
        catalogue: Mapping[str, Requirement],
        coverage: Iterable[Coverage],
        written: datetime,
    ) -> None:
        self.tables, self.catalogue = tables, catalogue
        self._grouped: dict[str, dict[str, list[Row]]] = {}
        self.coverage = {covered.id: covered for covered in coverage}
        self.untested = frozenset(
            one.id for one in self.coverage.values() if not one.tested_by and not one.trace_rule
        )
        unknown = {row["requirement"] for row in tables["versions"]} - set(catalogue)
        self.ids = [*catalogue, *sorted(unknown)]
        self.pages = {identity: f"requirements/{file_name(identity)}.html" for identity in self.ids}
        found = releases(tables)
        by_age = sorted(found, key=lambda one: (one.first_started, one.subject))
        kept = {one.subject for one in by_age[-MOST_VERSIONS:]}
        self.left_out = len(found) - len(kept)
        self.shown = [self._shown(one) for one in found if one.subject in kept]
        self.by_subject = {one.release.subject: one for one in self.shown}
        latest = {one.subject for one in newest(found)}
        self.latest = [one for one in self.shown if one.release.subject in latest]
        self.failures = _failures(tables)
        self._sides = version_sides(tables)
        runs = sum(one.runs for one in found)
        self.environment = page_environment(
            f"Written {written:%Y-%m-%d %H:%M} UTC from judged tables of {runs:,} runs by Plumbline."
        )
        titles = {one: catalogue[one].title if one in catalogue else "" for one in self.ids}
        self.environment.globals.update(pages=self.pages, pairs=None, titles=titles, runs=runs)
        self.environment.globals.update(confidence=CONFIDENCE, left_out=self.left_out)

    def write(self, out: Path, advanced: Advanced) -> Built:
        for folder in ("requirements", "versions"):
            (out / folder).mkdir(parents=True, exist_ok=True)
        count = len(self.ids) + len(self.shown) + 2
        done = 0
        for identity in self.ids:
            self._write(out / self.pages[identity], "judged_requirement", root="../", **self._of(identity))
            advanced(done := done + 1, count)
        for one in self.shown:
            self._write(out / one.page, "judged_version", root="../", **self._about(one))
            advanced(done := done + 1, count)
        columns = self.latest[:MOST_COLUMNS]
        self._write(out / "matrix.html", "matrix", root="", columns=columns, areas=self._areas(columns))
        codes = [one.exit_code for one in self.latest]
        code = 1 if 1 in codes else max(codes, default=2)
        write_badge(badge(code, [one.totals for one in self.latest]), out / "badge.svg")
        self._write(out / "index.html", "judged_index", root="", **self._overview())
        advanced(count, count)
        return Built(out / "index.html", sum(not is_extension(one) for one in self.ids))

    def _write(self, path: Path, template: str, **values: object) -> None:
        text = self.environment.get_template(f"{template}.html.j2").render(**values)
        path.write_text(text, encoding="utf-8")

    def _shown(self, release: ReleasedVersion) -> Shown:
        verdicts = {identity: one.verdict for identity, one in release.found.items()}
        counted = totals(verdicts, self.ids, untested=self.untested)
        broken = release.runs - release.whole
        code = exit_code_of(binding(verdicts), whole=not broken)
        troubles = (f"{broken} of {release.runs} runs are not whole",) if broken else ()
        return Shown(
            release=release,
            candidate=ColumnHead(release.candidate, release.version, troubles),
            page=release.page,
            totals=counted,
            unjudged=unjudged(counted),
            exit_code=code,
            outcome=EXIT_MEANING[code],
        )

    def _overview(self) -> dict[str, object]:
        aside = self.tables["set_aside"]
        return {
            "latest": self.latest,
            "versions": self.shown,
            "charts": [(one, self._trend(one.release)) for one in self.latest],
            "set_aside": aside[:MOST_TOLD],
            "flaws": aside[0]["flaws"] if aside else 0,
            "changes": [(one, one.release.changes[:MOST_TOLD]) for one in self.latest if one.release.last],
            "drifts": [(one, found) for one in self.latest if (found := self._drift(one.release))],
            "latencies": self.tables["latencies"],
            "duplicates": self._duplicates(),
        }

    def _drift(self, release: ReleasedVersion) -> VersionDrift | None:
        """What drifted since the version before it, if there is one."""
        before = self._sides.get(release.last) if release.last else None
        now = self._sides.get(release.subject)
        return compared(before, now) if before and now else None

    def _trend(self, release: ReleasedVersion) -> TrendChart | None:
        """Verdicts by day, of all versions of the candidate that lead to this one."""
        family: set[Subject] = set()
        at: Subject | None = release.subject
        while at is not None and at not in family:
            family.add(at)
            at = self.by_subject[at].release.last if at in self.by_subject else None
        rows = [row for row in self.tables["trend"] if subject_of(row) in family]
        rows.sort(key=lambda row: (row["day"], row["product_version"]))
        names = {"pass": "held", "deviation": "deviated", "fail": "violated", "unknown": "unjudged"}
        return trend_chart(
            [
                ChartBar(
                    row["day"],
                    row["product_version"][:20],
                    tuple((name, row[column]) for name, column in names.items()),
                )
                for row in rows
            ]
        )

    def _areas(self, columns: list[Shown]) -> list[AreaLines]:
        areas: dict[str, list[MatrixLine]] = {area.value: [] for area in AREA_MEANING}
        meanings = {area.value: meaning for area, meaning in AREA_MEANING.items()}
        for identity in self.ids:
            known = self.catalogue.get(identity)
            cells = tuple((one.release.verdict(identity), self._place(one, identity)) for one in columns)
            line = MatrixLine(identity, known.title if known else "", cells)
            areas.setdefault(known.area.value if known else UNKNOWN_AREA, []).append(line)
        return [
            AreaLines(name.replace("-", " "), meanings.get(name, ""), tuple(lines))
            for name, lines in areas.items()
            if lines
        ]

    def _place(self, one: Shown, identity: str) -> str:
        failed = one.release.verdict(identity) in FAILED
        return f"{self.pages[identity]}#failures" if failed else ""

    def _of(self, identity: str) -> dict[str, object]:
        """What the page of a requirement shows."""
        bars: dict[tuple[str, str], list[int]] = {}
        for row in self._by_requirement("verdicts").get(identity, ()):
            counts = bars.setdefault((row["day"], row["product_version"][:20]), [0, 0, 0])
            for place, value in enumerate(
                (row["judged"] - row["broken"], row["broken"], row["runs"] - row["judged"])
            ):
                counts[place] += value
        names = ("pass", "fail", "unknown")
        chart = trend_chart(
            [ChartBar(*key, tuple(zip(names, counts, strict=True))) for key, counts in sorted(bars.items())]
        )
        return {
            "id": identity,
            "known": self.catalogue.get(identity),
            "covered": self.coverage.get(identity),
            "cells": [(one, one.release.found.get(identity)) for one in self.shown],
            "chart": chart,
            "changed": self._by_requirement("changes").get(identity, ()),
            "failures": self.failures.get(identity, ())[:MOST_GROUPS],
        }

    def _about(self, one: Shown) -> dict[str, object]:
        """What the page of a version shows."""
        release = one.release
        groups = [
            failure
            for identity, found in release.found.items()
            if found.verdict in FAILED
            for failure in self.failures.get(identity, ())
            if failure.group["candidate"] == release.candidate
            and failure.group["dialect"] == release.subject[3]
            and (failure.group["first_started"] or "") <= release.last_started
            and (failure.group["last_started"] or "") >= release.first_started
        ]
        rows = sorted(
            release.found.items(),
            key=lambda pair: (pair[1].verdict not in FAILED, pair[1].verdict in GREEN, pair[0]),
        )
        return {
            "one": one,
            "rows": rows,
            "failures": groups[:MOST_GROUPS],
            "more": max(0, len(groups) - MOST_GROUPS),
            "chart": self._trend(release),
            "drifted": self._drift(release),
            "latencies": [row for row in self.tables["latencies"] if subject_of(row) == release.subject],
            "duplicates": [row for row in self._duplicates() if subject_of(row) == release.subject],
            "untested": [row for row in self.tables["untested"] if subject_of(row) == release.subject],
            "last": self.by_subject.get(release.last) if release.last else None,
        }

    def _by_requirement(self, name: str) -> dict[str, list[Row]]:
        found = self._grouped.get(name)
        if found is None:
            found = self._grouped[name] = {}
            for row in self.tables[name]:
                found.setdefault(row["requirement"], []).append(row)
        return found

    def _duplicates(self) -> list[Row]:
        """Repeated events of each version, over all days."""
        found: dict[Subject, Row] = {}
        for row in self.tables["duplicates"]:
            sums = found.setdefault(subject_of(row), {**row, **dict.fromkeys(_REPEATED, 0)})
            for name in _REPEATED:
                sums[name] += row[name]
        return list(found.values())


_REPEATED = ("runs", "arrivals", "repeated", "marked")


def _failures(tables: Tables) -> dict[str, tuple[Failure, ...]]:
    """The failures of each requirement, those of most runs first, each with its smallest witness."""
    witnesses = {
        (row["requirement"], row["candidate"], row["dialect"], row["failure"]): row
        for row in tables["witnesses"]
        if row["place"] == 1
    }
    found: dict[str, list[Failure]] = {}
    for row in sorted(tables["failures"], key=lambda row: (-row["runs"], row["failure"])):
        key = (row["requirement"], row["candidate"], row["dialect"], row["failure"])
        found.setdefault(row["requirement"], []).append(Failure(row, witnesses.get(key)))
    return {identity: tuple(failures) for identity, failures in found.items()}
