"""The HTML site: one folder of static pages out of a collection of runs and the catalogue.

Every page is one file with its style in it, asks for nothing from anywhere, and opens from a disk. What
is shown was written by candidates: jinja2 escapes all of it, `visible` bounds it and spells out what
cannot be seen, and a content security policy forbids whatever might still slip through. Knows nothing of
how a verdict was reached.
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

from plumbline.reference.capabilities import LOST_WITHOUT
from plumbline.reference.catalogue.coverage import Coverage
from plumbline.reference.catalogue.records import AREA_MEANING, DOCUMENTS, Requirement
from plumbline.reference.deviations import Deviation
from plumbline.reference.verdicts import MEANING, Verdict, VerdictRow
from plumbline.reports.collection import Candidate, Collection, Example, Finding, Run
from plumbline.reports.diagram import draw
from plumbline.reports.signs import EXIT_MEANING, SIGNS, Sign
from plumbline.reports.terminal import MOST_NAMED
from plumbline.reports.text import one_line, visible
from plumbline.reports.timeline import arrange, due_words

BAR = 720.0
"""Width in pixels of the bar of verdicts of a candidate."""

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


class Cell(msgspec.Struct, frozen=True):
    """One requirement at one candidate, as the overview lists it."""

    id: str
    title: str
    verdict: Verdict
    reason: str


class Part(msgspec.Struct, frozen=True):
    """One piece of a candidate's bar: `x` and `width` in pixels."""

    sign: Sign
    count: int
    x: float
    width: float


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate with everything that the pages say of it as a whole."""

    candidate: Candidate
    anchor: str
    findings: dict[str, Finding]
    counts: dict[Verdict, int]
    parts: tuple[Part, ...]
    spoken: str
    exit_code: int
    outcome: str
    open: tuple[Cell, ...]
    more_open: int
    offered: tuple[str, ...]
    missing: tuple[tuple[str, str], ...]

    def verdict(self, requirement: str) -> Verdict:
        """The merged verdict; not exercised for what no source looked at."""
        finding = self.findings.get(requirement)
        return finding.verdict if finding else Verdict.NOT_EXERCISED


class Line(msgspec.Struct, frozen=True):
    """One requirement in the matrix."""

    id: str
    title: str
    verdicts: tuple[Verdict, ...]


class AreaLines(msgspec.Struct, frozen=True):
    """One area of the matrix."""

    name: str
    meaning: str
    lines: tuple[Line, ...]


class SourceRow(msgspec.Struct, frozen=True):
    """One verdict row on a requirement's page: the page of its counterexample is "" if there is none."""

    run: Run
    row: VerdictRow
    counted: Verdict
    example: str


class RequirementCell(msgspec.Struct, frozen=True):
    """One candidate on a requirement's page."""

    column: Column
    verdict: Verdict
    rows: tuple[SourceRow, ...]


class OnRecord(msgspec.Struct, frozen=True):
    """A deviation on a requirement's page: the runs in which it was in force, and whether it showed."""

    deviation: Deviation
    runs: list[tuple[Run, bool]]


def build(
    collection: Collection,
    catalogue: Mapping[str, Requirement],
    out: Path,
    *,
    coverage: Iterable[Coverage] = (),
    written: datetime | None = None,
    advanced: Advanced = lambda _done, _all: None,
) -> Built:
    """Write the site into a folder, made if it is missing; other files in it are left alone.

    Args:
        collection: what was read of the runs.
        catalogue: all requirements; each gets a page, as does every id that only a verdict names.
        out: the folder.
        coverage: what decides, tests and breaks each requirement, as far as it is known.
        written: when; now if it is left out.
        advanced: told of each page.

    Raises:
        OSError: the folder cannot be written to; the first page is written last, so that a site that
            has one is whole.
    """
    site = _Site(collection, catalogue, coverage, written or datetime.now(UTC))
    return site.write(out, advanced)


class _Site:
    """The pages and what they share."""

    def __init__(
        self,
        collection: Collection,
        catalogue: Mapping[str, Requirement],
        coverage: Iterable[Coverage],
        written: datetime,
    ) -> None:
        self.collection = collection
        self.coverage = {covered.id: covered for covered in coverage}
        self.catalogue = catalogue
        runs = [run for candidate in collection.candidates for run in candidate.runs]
        unknown = {row.requirement for run in runs for row in run.rows} - set(catalogue)
        self.ids = [*catalogue, *sorted(unknown)]
        self.pages = {identity: f"requirements/{_file_name(identity)}.html" for identity in self.ids}
        self.columns = [self._column(number, one) for number, one in enumerate(collection.candidates, 1)]
        style = _resource("site.css")
        script = _resource("matrix.js")
        self.environment = Environment(
            loader=PackageLoader("plumbline.reports"),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_finalize,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.filters["clip"] = visible
        self.environment.filters["px"] = "{:g}".format
        self.environment.filters["words"] = lambda text: str(text).replace("_", " ")
        self.environment.globals.update(
            columns=self.columns,
            documents=DOCUMENTS,
            facts=f"Written {written:%Y-%m-%d %H:%M} UTC from {_runs(collection)} by Plumbline.",
            pages=self.pages,
            policy=_policy(style, script),
            # Both are files of this package and hold no text of a candidate.
            script=Markup(script),  # noqa: S704
            signs=SIGNS,
            style=Markup(style),  # noqa: S704
            titles={identity: self._title(identity) for identity in self.ids},
        )

    def write(self, out: Path, advanced: Advanced) -> Built:
        pages: list[tuple[str, Callable[[], str]]] = [
            (self.pages[identity], partial(self._requirement, identity)) for identity in self.ids
        ]
        pages += [
            (_example_page(example), partial(self._counterexample, example))
            for example in self.collection.examples()
        ]
        pages += [("matrix.html", self._matrix), ("index.html", self._index)]
        for folder in ("requirements", "counterexamples"):
            (out / folder).mkdir(parents=True, exist_ok=True)
        for done, (name, render) in enumerate(pages, 1):
            (out / name).write_text(render(), encoding="utf-8")
            advanced(done, len(pages))
        return Built(out / "index.html", len(self.ids))

    def _title(self, identity: str) -> str:
        return self.catalogue[identity].title if identity in self.catalogue else ""

    def _column(self, number: int, candidate: Candidate) -> Column:
        findings = candidate.findings()
        counts = dict.fromkeys(SIGNS, 0)
        for identity in self.ids:
            finding = findings.get(identity)
            counts[finding.verdict if finding else Verdict.NOT_EXERCISED] += 1
        parts: list[Part] = []
        x = 0.0
        for verdict, count in counts.items():
            width = BAR * count / max(len(self.ids), 1)
            if count:
                parts.append(Part(SIGNS[verdict], count, round(x, 2), round(width, 2)))
            x += width
        wrong = [
            Cell(identity, self._title(identity), finding.verdict, _reason(finding))
            for identity, finding in findings.items()
            if MEANING[finding.verdict].exit_code
        ]
        wrong.sort(key=lambda cell: (-MEANING[cell.verdict].rank, cell.id))
        offered = {name for run in candidate.runs for name in run.record.capabilities}
        outcome = EXIT_MEANING[candidate.exit_code]
        if candidate.troubles:
            outcome += "; a run is incomplete"
        return Column(
            candidate=candidate,
            anchor=f"candidate-{number}",
            findings=findings,
            counts=counts,
            parts=tuple(parts),
            spoken=", ".join(f"{part.count} {part.sign.word}" for part in parts),
            exit_code=candidate.exit_code,
            outcome=outcome,
            open=tuple(wrong[:MOST_OPEN]),
            more_open=max(len(wrong) - MOST_OPEN, 0),
            offered=tuple(sorted(offered)),
            missing=tuple((name.value, lost) for name, lost in LOST_WITHOUT.items() if name not in offered),
        )

    def _index(self) -> str:
        troubles = [
            f"{column.candidate.name}: {trouble}"
            for column in self.columns
            for trouble in column.candidate.troubles
        ]
        return self.environment.get_template("index.html.j2").render(
            root="", requirements=len(self.ids), set_aside=self.collection.set_aside, troubles=troubles
        )

    def _matrix(self) -> str:
        areas: dict[str, list[Line]] = {area.value: [] for area in AREA_MEANING}
        meanings = {area.value: meaning for area, meaning in AREA_MEANING.items()}
        for identity in self.ids:
            known = self.catalogue.get(identity)
            line = Line(
                identity,
                self._title(identity),
                tuple(column.verdict(identity) for column in self.columns),
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

    def _on_record(self, identity: str) -> tuple[OnRecord, ...]:
        """The deviations from a requirement that were in force in some run, each once."""
        known: dict[Deviation, OnRecord] = {}
        for column in self.columns:
            for run in column.candidate.runs:
                for deviation in run.record.deviations:
                    if deviation.requirement == identity:
                        seen = deviation not in run.record.deviations_not_seen
                        known.setdefault(deviation, OnRecord(deviation, [])).runs.append((run, seen))
        return tuple(known.values())

    def _requirement(self, identity: str) -> str:
        cells = []
        for column in self.columns:
            finding = column.findings.get(identity)
            rows = tuple(
                SourceRow(run, row, run.counted(row), self._example_of(run, row))
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

    def _example_of(self, run: Run, row: VerdictRow) -> str:
        example = run.examples.get(row.counterexample)
        return _example_page(example) if example else ""

    def _counterexample(self, example: Example) -> str:
        history, dead_ends = example.record.history, example.record.dead_ends[:MOST_DEAD_ENDS]
        nearest = example.record.nearest[:MOST_SENTENCES]
        entries = arrange(history, dead_ends, nearest)
        shorter = {f"{end.place}: {end.due}": f"{end.place}: {due_words(entries, end)}" for end in dead_ends}
        return self.environment.get_template("counterexample.html.j2").render(
            root="../",
            record=example.record,
            run_id=example.run_id,
            name=example.name,
            entries=entries,
            wrong=next((entry for entry in entries if entry.due), None),
            most_sentences=MOST_SENTENCES,
            most_named=MOST_NAMED,
            seen=[shorter.get(line, line) for line in example.record.seen],
            dead_ends=[(end, due_words(entries, end)) for end in dead_ends],
            diagram=draw(history, dead_ends, nearest),
        )


def _finalize(value: object) -> object:
    """What jinja2 does with every value before it escapes it: strangers' text becomes fit to be shown."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _resource(name: str) -> str:
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    """The content security policy: this style, this script, the empty icon, and nothing else at all."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _file_name(identity: str) -> str:
    """A file name for a requirement: its id, or a hash for what only looks like one."""
    if SAFE_ID.fullmatch(identity) and len(identity) < 60:
        return identity
    return "unknown-" + hashlib.sha256(identity.encode(errors="surrogatepass")).hexdigest()[:16]


def _example_page(example: Example) -> str:
    return f"counterexamples/{example.key}.html"


def _reason(finding: Finding) -> str:
    """The reason that belongs to the verdict that stayed, or what makes an incomplete run's pass unknown."""
    for run, row in finding.rows:
        if run.counted(row) is finding.verdict and row.reason:
            return one_line(row.reason, 500)
    if any(run.trouble for run, _ in finding.rows):
        return "the run is incomplete, so a pass in it counts as unknown"
    return ""


def _runs(collection: Collection) -> str:
    count = sum(len(candidate.runs) for candidate in collection.candidates)
    return "one run" if count == 1 else f"{count} runs"
