"""What `plumbline run --json` prints, and the exit code of a run.

Knows nothing of how a run is carried out.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from plumbline.ci.terminal.documents import Document
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.catalogue.records import is_extension
from plumbline.reference.results.totals import binding, exit_code_of, merged, totals
from plumbline.reference.results.verdicts import Verdict
from plumbline.suites.run.running import RunOutcome
from plumbline.suites.run.tested import ids_without_tests

NOT_SEEN = "on record, but not seen though its requirement was exercised; remove it from the file"


class JudgedRequirement(msgspec.Struct, frozen=True, kw_only=True):
    """A requirement and its verdict.

    Attributes:
        requirement: its id.
        verdict: what stays of all that was said of it.
        exercised: in how many examples it could have failed.
        failures: in how many it did.
        clauses_not_reached: where it passed, the clauses of its statement that nothing could show broken.
    """

    requirement: str
    verdict: Verdict
    exercised: int
    failures: int
    clauses_not_reached: tuple[str, ...]


class NotSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A deviation on record that did not show, and what to do about it."""

    requirement: str
    reason: str
    advice: str


class CandidateResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of testing one candidate.

    Attributes:
        candidate: its name.
        directory: the run directory.
        dialect: the reading of the documents that it was judged by.
        profile: how much was played.
        seed: what plans were drawn from.
        complete: whether the run ended in order.
        ended_early: what the time budget left unplayed; "" if it left nothing.
        left_out: what the selection left unplayed; "" if it left nothing.
        verdicts: one for each requirement that anything was said of.
        extensions: the same of extensions, which no other number counts.
        totals: number of requirements with each verdict.
        not_asked_for: number of requirements that the selection left out.
        without_test: number of requirements that no test exists for.
        exit_code: of this candidate alone.
        deviations_not_seen: those on record that did not show.
    """

    candidate: str
    directory: str
    dialect: str
    profile: str
    seed: int
    complete: bool
    ended_early: str
    left_out: str
    verdicts: tuple[JudgedRequirement, ...]
    extensions: tuple[JudgedRequirement, ...] = ()
    totals: dict[Verdict, int]
    not_asked_for: int
    without_test: int
    exit_code: int
    deviations_not_seen: tuple[NotSeen, ...]


class RunDocument(Document, frozen=True, kw_only=True, tag="plumbline.run"):
    """One answer for each candidate that was tested."""

    schema_version: Literal[1] = 1
    runs: tuple[CandidateResult, ...]


def exit_code_of_run(outcome: RunOutcome) -> int:
    """The exit code of one candidate."""
    whole = not outcome.record.trouble
    verdicts = merged(outcome.rows, whole=whole)
    return exit_code_of(binding(verdicts, outcome.record.selected), whole=whole)


def answer(outcome: RunOutcome) -> CandidateResult:
    """What came of testing one candidate."""
    record = outcome.record
    stays = merged(outcome.rows, whole=not record.trouble)
    counts = totals(stays, catalogue(), record.selected, ids_without_tests())
    verdicts = [
        JudgedRequirement(
            requirement=requirement,
            verdict=verdict,
            exercised=sum(row.exercised for row in outcome.rows if row.requirement == requirement),
            failures=sum(row.failures for row in outcome.rows if row.requirement == requirement),
            clauses_not_reached=record.clauses_not_reached.get(requirement, ()),
        )
        for requirement, verdict in stays.items()
    ]
    return CandidateResult(
        candidate=record.candidate,
        directory=str(outcome.directory),
        dialect=record.dialect,
        profile=record.profile,
        seed=record.seed,
        complete=not record.trouble,
        ended_early=record.ended_early,
        left_out=record.left_out,
        verdicts=tuple(one for one in verdicts if not is_extension(one.requirement)),
        extensions=tuple(one for one in verdicts if is_extension(one.requirement)),
        totals=counts.verdicts,
        not_asked_for=counts.not_asked_for,
        without_test=counts.without_test,
        exit_code=exit_code_of_run(outcome),
        deviations_not_seen=tuple(
            NotSeen(requirement=known.requirement, reason=known.reason, advice=NOT_SEEN)
            for known in outcome.not_shown
        ),
    )
