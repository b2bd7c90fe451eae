"""A candidate as the pages of the site show it: its bar, its runs, what went wrong, what is on record.

Knows nothing of templates.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection
from datetime import UTC, datetime

import msgspec

from plumbline.reference.catalogue.capabilities import LOST_WITHOUT
from plumbline.reference.results.deviations import Deviation
from plumbline.reference.results.verdicts import MEANING, Verdict, VerdictRow
from plumbline.reports.collection import Example, ReportedCandidate, ReportedVerdict, Run
from plumbline.reports.signs import EXIT_MEANING, SIGNS, Sign
from plumbline.reports.text import one_line
from plumbline.reports.unjudged import Unjudged, unjudged

BAR = 720.0
"""Width in pixels of the bar of verdicts of a candidate."""


class Cell(msgspec.Struct, frozen=True):
    """One requirement at one candidate: the page of its counterexample is "" if there is none."""

    id: str
    title: str
    verdict: Verdict
    reason: str
    example: str


class BarPiece(msgspec.Struct, frozen=True):
    """One piece of a candidate's bar: `x` and `width` in pixels."""

    sign: Sign
    count: int
    x: float
    width: float


class RecordedDeviation(msgspec.Struct, frozen=True):
    """A deviation: the runs in which it was in force, whether it showed, and the page of what shows it."""

    deviation: Deviation
    runs: list[tuple[Run, bool]]
    example: str


class CandidateColumn(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate with everything that the pages say of it as a whole.

    Attributes:
        candidate: what was read of it.
        page: its own page.
        findings: the verdict on each requirement that something was said of.
        counts: number of requirements with each verdict.
        parts: the pieces of its bar.
        spoken: the bar in words.
        unjudged: how much was not judged.
        extensions: number of extensions with each verdict, which nothing else counts.
        missed: of requirements that passed, the clauses that no run reached.
        exit_code: what a shell is told.
        outcome: the same in words.
        wrong: requirements that were violated or could not be judged, worst first.
        on_record: deviations that were in force in its runs.
        offered: capabilities that it declares.
        missing: the others, and what is lost without each.
        when: when its newest run began.
        profiles: how much its runs played.
        took: how long its runs took together.
    """

    candidate: ReportedCandidate
    page: str
    findings: dict[str, ReportedVerdict]
    counts: dict[Verdict, int]
    parts: tuple[BarPiece, ...]
    spoken: str
    unjudged: Unjudged
    extensions: dict[Verdict, int]
    missed: dict[str, tuple[str, ...]]
    exit_code: int
    outcome: str
    wrong: tuple[Cell, ...]
    on_record: tuple[RecordedDeviation, ...]
    offered: tuple[str, ...]
    missing: tuple[tuple[str, str], ...]
    when: str
    profiles: str
    took: str

    def verdict(self, requirement: str) -> Verdict:
        """The merged verdict; not exercised for what no source looked at."""
        finding = self.findings.get(requirement)
        return finding.verdict if finding else Verdict.NOT_EXERCISED

    def example(self, requirement: str) -> str:
        """The page of a counterexample that shows the verdict, or ""."""
        finding = self.findings.get(requirement)
        return shown_by(finding) if finding else ""


def column_of(
    candidate: ReportedCandidate, ids: Collection[str], untested: Collection[str], title: Callable[[str], str]
) -> CandidateColumn:
    """Everything that the pages say of a candidate."""
    findings = candidate.findings()
    found = candidate.totals(ids, untested)
    counts = {verdict: found.verdicts.get(verdict, 0) for verdict in SIGNS}
    wrong = [
        Cell(identity, title(identity), finding.verdict, reason_of(finding), shown_by(finding))
        for identity, finding in findings.items()
        if MEANING[finding.verdict].exit_code
    ]
    wrong.sort(key=lambda cell: (-MEANING[cell.verdict].rank, cell.id))
    records = [run.record for run in candidate.runs]
    offered = {name for record in records for name in record.capabilities}
    outcome = EXIT_MEANING[candidate.exit_code]
    if candidate.troubles:
        outcome += "; a run is incomplete"
    return CandidateColumn(
        candidate=candidate,
        page=f"candidates/{_page_name(candidate)}.html",
        findings=findings,
        counts=counts,
        parts=_parts(counts),
        spoken=found.words,
        unjudged=unjudged(found),
        extensions=found.extensions,
        missed=candidate.clauses_not_reached,
        exit_code=candidate.exit_code,
        outcome=outcome,
        wrong=tuple(wrong),
        on_record=_on_record(candidate),
        offered=tuple(sorted(offered)),
        missing=tuple((name.value, lost) for name, lost in LOST_WITHOUT.items() if name not in offered),
        when=max(map(day_and_time, (record.started for record in records)), default=""),
        profiles=", ".join(dict.fromkeys(record.profile for record in records)),
        took=duration(sum(record.seconds for record in records)),
    )


def reason_of(finding: ReportedVerdict) -> str:
    """The reason that belongs to the verdict that stayed, or what makes an incomplete run's pass unknown."""
    for run, row in finding.rows:
        if run.counted(row) is finding.verdict and row.reason:
            return one_line(row.reason, 500)
    if any(run.trouble for run, _ in finding.rows):
        return "the run is incomplete, so a pass in it counts as unknown"
    return ""


def shown_by(finding: ReportedVerdict) -> str:
    """The page of the first counterexample that belongs to the verdict that stayed, or ""."""
    pages = (example_of(run, row) for run, row in finding.rows if run.counted(row) is finding.verdict)
    return next(filter(None, pages), "")


def example_of(run: Run, row: VerdictRow) -> str:
    """The page of the counterexample that a row names, or ""."""
    example = run.examples.get(row.counterexample)
    return example_page(example) if example else ""


def example_page(example: Example) -> str:
    """Where the page of a counterexample lies."""
    return f"counterexamples/{example.key}.html"


def day_and_time(started: str) -> str:
    """When a run began, to the minute and in UTC; as it is written, where it cannot be read."""
    try:
        moment = datetime.fromisoformat(started)
    except ValueError:
        return started
    if moment.tzinfo is None:
        return started
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def duration(seconds: float) -> str:
    """How long something took, as people say it: `0.4 s`, `12 s`, `3 min 5 s`, `1 h 2 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _parts(counts: dict[Verdict, int]) -> tuple[BarPiece, ...]:
    counted = max(sum(counts.values()), 1)
    parts: list[BarPiece] = []
    x = 0.0
    for verdict, count in counts.items():
        width = BAR * count / counted
        if count:
            parts.append(BarPiece(SIGNS[verdict], count, round(x, 2), round(width, 2)))
        x += width
    return tuple(parts)


def _on_record(candidate: ReportedCandidate) -> tuple[RecordedDeviation, ...]:
    """The deviations that were in force in some run, each once."""
    known: dict[Deviation, RecordedDeviation] = {}
    findings = candidate.findings()
    for run in candidate.runs:
        for deviation in run.record.deviations:
            seen = deviation not in run.record.deviations_not_seen
            finding = findings.get(deviation.requirement)
            example = shown_by(finding) if finding and finding.verdict is Verdict.DEVIATION else ""
            known.setdefault(deviation, RecordedDeviation(deviation, [], example)).runs.append((run, seen))
    return tuple(known.values())


def _page_name(candidate: ReportedCandidate) -> str:
    """The same for the same candidate in every report, and safe in paths for each name."""
    parts = (candidate.name, candidate.product, candidate.version, candidate.dialect)
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:16]
