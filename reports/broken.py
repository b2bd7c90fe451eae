"""What a release has to answer for, requirement by requirement: each violation with what shows it.

For build servers, which want one entry for each, with a file, a test and a few sentences. Knows no server.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from plumbline.reference.results.runs import Counterexample
from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.collection import Collection, ReportedCandidate, ReportedVerdict
from plumbline.reports.text import one_line

SHOWN = frozenset({Verdict.FAIL, Verdict.INTERMITTENT, Verdict.DEVIATION})

LONGEST = 1_000


class Violation(msgspec.Struct, frozen=True, kw_only=True):
    """A requirement that a candidate was seen to break, or to deviate from as is on record.

    Attributes:
        candidate: its name.
        requirement: the id.
        verdict: fail, intermittent or deviation.
        reason: what the runs say of it.
        test: the scenario or machine that showed it; "" if none is named.
        file: the counterexample; None if there is none.
        example: what is in that file.
    """

    candidate: str
    requirement: str
    verdict: Verdict
    reason: str
    test: str = ""
    file: Path | None = None
    example: Counterexample | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """What was expected and what was seen, else the reason, each in one line."""
        if self.example is None:
            return (one_line(self.reason or "a violation was found", LONGEST),)
        told = [f"expected {one_line(text, LONGEST)}" for text in self.example.expected]
        return (*told, *(f"seen {one_line(text, LONGEST)}" for text in self.example.seen))


def violations(runs: Collection) -> Iterator[Violation]:
    """Every violation and deviation, in the order of candidates and tables."""
    for candidate in runs.candidates:
        for identity, finding in candidate.findings().items():
            if finding.verdict in SHOWN:
                yield _violation(candidate, identity, finding)


def _violation(candidate: ReportedCandidate, identity: str, finding: ReportedVerdict) -> Violation:
    told = [(run, row) for run, row in finding.rows if run.counted(row) is finding.verdict]
    reason = "; ".join(dict.fromkeys(row.reason for _, row in told if row.reason))
    found = Violation(candidate=candidate.name, requirement=identity, verdict=finding.verdict, reason=reason)
    for run, row in told:
        example = run.examples.get(row.counterexample)
        if example is not None:
            return msgspec.structs.replace(
                found,
                test=example.record.title,
                file=run.directory / "counterexamples" / example.name,
                example=example.record,
            )
    return found
