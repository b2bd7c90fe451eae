"""The HTML site: one folder of static pages out of a collection of runs and the catalogue.

Every page is one file with its style in it, asks for nothing from anywhere, and opens from a disk. Candidates
wrote the texts that are shown: jinja2 escapes all of it, `visible` bounds it and spells out what cannot be
seen, and a content security policy forbids what might still slip through. Knows nothing of how a verdict was
reached.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from plumbline.reference.catalogue.coverage import Coverage
from plumbline.reference.catalogue.records import AREA_MEANING, DOCUMENTS, Requirement, is_extension
from plumbline.reference.history.setups import setup_words
from plumbline.reference.results.verdicts import Verdict, VerdictRow
from plumbline.reports.badge import badge, write_badge
from plumbline.reports.collection import Collection, Example, Run
from plumbline.reports.columns import (
    CandidateColumn,
    RecordedDeviation,
    column_of,
    day_and_time,
    duration,
    example_of,
    example_page,
)
from plumbline.reports.diagram import draw
from plumbline.reports.pair_page import PairPage
from plumbline.reports.signs import SIGNS
from plumbline.reports.terminal import MOST_NAMED
from plumbline.reports.text import visible
from plumbline.reports.timeline import arrange, due_words

MOST_OPEN = 50
"""So many failures and unjudged requirements of a candidate are listed on the overview."""

MOST_DEAD_ENDS = 40
"""So many places where explaining ended are shown; the file has them all."""

MOST_SENTENCES = 6
"""So much of what was expected and seen stands at the top of a counterexample's page."""

UNKNOWN_AREA = "not in the catalogue"
SAFE_ID = re.compile(r"[A-Z0-9]+(-[A-Z0-9]+){1,3}")

Advanced = Callable[[int, int], None]
"""Told after each page how many pages of how many are written."""


class Built(msgspec.Struct, frozen=True):
    """What was written: the path of the first page, and how many requirements have a page."""

    index: Path
    requirements: int


class MatrixLine(msgspec.Struct, frozen=True):
    """One requirement in the matrix: at each candidate its verdict, and the page that shows it or ""."""

    id: str
    title: str
    verdicts: tuple[tuple[Verdict, str], ...]


class AreaLines(msgspec.Struct, frozen=True):
    """One area of the matrix."""

    name: str
    meaning: str
    lines: tuple[MatrixLine, ...]


class SourceRow(msgspec.Struct, frozen=True):
    """One verdict row on a requirement's page: the page of its counterexample is "" if there is none."""

    run: Run
    row: VerdictRow
    counted: Verdict
    example: str


class RequirementCell(msgspec.Struct, frozen=True):
    """One candidate on a requirement's page."""

    column: CandidateColumn
    verdict: Verdict
    rows: tuple[SourceRow, ...]


def build(
    collection: Collection,
    catalogue: Mapping[str, Requirement],
    out: Path,
    *,
    coverage: Iterable[Coverage] = (),
    pairs: PairPage | None = None,
    written: datetime | None = None,
    advanced: Advanced = lambda _done, _all: None,
) -> Built:
    """Write the site into a folder, made if it is missing; other files in it are left alone.

    Args:
        collection: what was read of the runs.
        catalogue: all requirements; each gets a page, as does every id that only a verdict names.
        out: the folder.
        coverage: what decides, tests and breaks each requirement, as far as it is known.
        pairs: which features met; there is no page of them if it is left out.
        written: when; now if it is left out.
        advanced: told of each page.

    Raises:
        OSError: the folder cannot be written to; the first page is written last, so that a site that
            has one is whole.
    """
    site = _Site(collection, catalogue, coverage, pairs, written or datetime.now(UTC))
    return site.write(out, advanced)


class _Site:
    """The pages and what they share."""

    def __init__(
        self,
        collection: Collection,
        catalogue: Mapping[str, Requirement],
        coverage: Iterable[Coverage],
        pairs: PairPage | None,
        written: datetime,
    ) -> None:
        self.collection = collection
        self.coverage = {covered.id: covered for covered in coverage}
        known = self.coverage.values()
        self.untested = frozenset(one.id for one in known if not one.tested_by and not one.trace_rule)
        self.catalogue = catalogue
        self.pairs = pairs
        runs = [run for candidate in collection.candidates for run in candidate.runs]
        unknown = {row.requirement for run in runs for row in run.rows} - set(catalogue)
        self.ids = [*catalogue, *sorted(unknown)]
        self.pages = {identity: f"requirements/{file_name(identity)}.html" for identity in self.ids}
        self.columns = [column_of(one, self.ids, self.untested, self._title) for one in collection.candidates]
        self.environment = page_environment(
            f"Written {written:%Y-%m-%d %H:%M} UTC from {_runs(collection)} by Plumbline."
        )
        self.environment.globals.update(
            columns=self.columns,
            pages=self.pages,
            pairs=pairs,
            titles={identity: self._title(identity) for identity in self.ids},
        )

    def write(self, out: Path, advanced: Advanced) -> Built:
        pages: list[tuple[str, Callable[[], str]]] = [
            (self.pages[identity], partial(self._requirement, identity)) for identity in self.ids
        ]
        pages += [
            (example_page(example), partial(self._counterexample, example))
            for example in self.collection.examples()
        ]
        pages += [(column.page, partial(self._candidate, column)) for column in self.columns]
        if self.pairs is not None:
            pages.append(("pairs.html", self._pairs))
        pages += [("matrix.html", self._matrix), ("index.html", self._index)]
        for folder in ("requirements", "counterexamples", "candidates"):
            (out / folder).mkdir(parents=True, exist_ok=True)
        for done, (name, render) in enumerate(pages, 1):
            (out / name).write_text(render(), encoding="utf-8")
            advanced(done, len(pages))
        totals = [one.totals(self.ids, self.untested) for one in self.collection.candidates]
        codes = [column.exit_code for column in self.columns]
        write_badge(badge(1 if 1 in codes else max(codes, default=2), totals), out / "badge.svg")
        return Built(out / "index.html", sum(not is_extension(one) for one in self.ids))

    def _title(self, identity: str) -> str:
        return self.catalogue[identity].title if identity in self.catalogue else ""

    def _index(self) -> str:
        troubles = [
            f"{column.candidate.name}: {trouble}"
            for column in self.columns
            for trouble in column.candidate.troubles
        ]
        early_ends = [
            f"{column.candidate.name}: {early}"
            for column in self.columns
            for early in column.candidate.early_ends
        ]
        counted = sum(not is_extension(one) for one in self.ids)
        return self.environment.get_template("index.html.j2").render(
            root="",
            requirements=counted - sum(not is_extension(one) for one in self.untested),
            untested=sum(not is_extension(one) for one in self.untested),
            set_aside=self.collection.set_aside,
            troubles=troubles,
            early_ends=early_ends,
            older=len(self.collection.older),
            most_open=MOST_OPEN,
        )

    def _matrix(self) -> str:
        areas: dict[str, list[MatrixLine]] = {area.value: [] for area in AREA_MEANING}
        meanings = {area.value: meaning for area, meaning in AREA_MEANING.items()}
        for identity in self.ids:
            known = self.catalogue.get(identity)
            line = MatrixLine(
                identity,
                self._title(identity),
                tuple((column.verdict(identity), column.example(identity)) for column in self.columns),
            )
            areas.setdefault(known.area.value if known else UNKNOWN_AREA, []).append(line)
        return self.environment.get_template("matrix.html.j2").render(
            root="",
            areas=[
                AreaLines(name.replace("-", " "), meanings.get(name, ""), tuple(lines))
                for name, lines in areas.items()
                if lines
            ],
        )

    def _pairs(self) -> str:
        return self.environment.get_template("pairs.html.j2").render(root="", page=self.pairs)

    def _on_record(self, identity: str) -> list[tuple[CandidateColumn, RecordedDeviation]]:
        """The deviations from a requirement that were in force in some run, each once for each candidate."""
        return [
            (column, one)
            for column in self.columns
            for one in column.on_record
            if one.deviation.requirement == identity
        ]

    def _candidate(self, column: CandidateColumn) -> str:
        return self.environment.get_template("candidate.html.j2").render(root="../", column=column)

    def _requirement(self, identity: str) -> str:
        cells = []
        for column in self.columns:
            finding = column.findings.get(identity)
            rows = tuple(
                SourceRow(run, row, run.counted(row), example_of(run, row))
                for run, row in (finding.rows if finding else ())
            )
            cells.append(RequirementCell(column, column.verdict(identity), rows))
        return self.environment.get_template("requirement.html.j2").render(
            root="../",
            id=identity,
            known=self.catalogue.get(identity),
            covered=self.coverage.get(identity),
            cells=cells,
            on_record=self._on_record(identity),
        )

    def _counterexample(self, example: Example) -> str:
        history, dead_ends = example.record.history, example.record.dead_ends[:MOST_DEAD_ENDS]
        nearest = example.record.nearest[:MOST_SENTENCES]
        entries = arrange(history, dead_ends, nearest)
        shorter = {f"{end.place}: {end.due}": f"{end.place}: {due_words(entries, end)}" for end in dead_ends}
        return self.environment.get_template("counterexample.html.j2").render(
            root="../",
            record=example.record,
            run_id=example.run_id,
            column=next(
                (
                    column
                    for column in self.columns
                    if example.run_id in {run.record.run_id for run in column.candidate.runs}
                ),
                None,
            ),
            name=example.name,
            setup=setup_words(history),
            entries=entries,
            wrong=next((entry for entry in entries if entry.due), None),
            most_sentences=MOST_SENTENCES,
            most_named=MOST_NAMED,
            seen=[shorter.get(line, line) for line in example.record.seen],
            dead_ends=[(end, due_words(entries, end)) for end in dead_ends],
            diagram=draw(history, dead_ends, nearest),
        )


def page_environment(facts: str) -> Environment:
    """What renders every page: templates with their style, scripts and policy, and the foot of a page."""
    style, script, copying = (_resource(name) for name in ("site.css", "matrix.js", "copy.js"))
    environment = Environment(
        loader=PackageLoader("plumbline.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clip"] = visible
    environment.filters["when"] = day_and_time
    environment.filters["took"] = duration
    environment.filters["px"] = "{:g}".format
    environment.filters["words"] = lambda text: str(text).replace("_", " ")
    environment.globals.update(
        documents=DOCUMENTS,
        facts=facts,
        policy=_policy(style, script, copying),
        # These are files of this package and hold no text of a candidate.
        script=Markup(script),  # noqa: S704
        copying=Markup(copying),  # noqa: S704
        signs=SIGNS,
        style=Markup(style),  # noqa: S704
    )
    return environment


def _finalize(value: object) -> object:
    """What jinja2 does with every value before it escapes it: strangers' text becomes fit to be shown."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _resource(name: str) -> str:
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


def _policy(style: str, *scripts: str) -> str:
    """The content security policy: this style, these scripts, the empty icon, and nothing else at all."""
    allowed = " ".join(f"'{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src {allowed}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def file_name(identity: str) -> str:
    """A file name for a requirement: its id, or a hash for what only looks like one."""
    if SAFE_ID.fullmatch(identity) and len(identity) < 60:
        return identity
    return "unknown-" + hashlib.sha256(identity.encode(errors="surrogatepass")).hexdigest()[:16]


def _runs(collection: Collection) -> str:
    count = sum(len(candidate.runs) for candidate in collection.candidates)
    return "one run" if count == 1 else f"{count} runs"
