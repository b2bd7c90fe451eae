"""Verdicts: the one enum, the one way to merge them, and what each means to pytest, JUnit and a shell.

Knows nothing of how a verdict was reached.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

import msgspec


class Verdict(StrEnum):
    """What is known of one requirement after a run."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    DEVIATION = "deviation"
    FAIL = "fail"
    INTERMITTENT = "intermittent"
    UNKNOWN = "unknown"
    ADAPTER_ERROR = "adapter error"
    UNSUPPORTED = "unsupported"
    NOT_EXERCISED = "not exercised"


class Meaning(NamedTuple):
    """How a verdict is told elsewhere.

    Attributes:
        rank: which of two verdicts on one requirement stays (the larger).
        pytest: outcome of the requirement's item.
        junit: element of the JUnit case, and the Allure status.
        exit_code: 0 pass, 1 fail, 2 could not judge.
    """

    rank: int
    pytest: str
    junit: str
    exit_code: int


MEANING: dict[Verdict, Meaning] = {
    Verdict.NOT_EXERCISED: Meaning(0, "skipped", "skipped", 0),
    # A hint on what to declare helps more than the fact that nothing happened.
    Verdict.UNSUPPORTED: Meaning(1, "skipped", "skipped", 0),
    Verdict.PASS: Meaning(2, "passed", "passed", 0),
    Verdict.DEVIATION: Meaning(3, "xfailed", "skipped", 0),
    Verdict.UNKNOWN: Meaning(4, "error", "broken", 2),
    Verdict.ADAPTER_ERROR: Meaning(5, "error", "broken", 2),
    Verdict.INTERMITTENT: Meaning(6, "failed", "failed", 1),
    Verdict.FAIL: Meaning(7, "failed", "failed", 1),
}


FAILED = frozenset(verdict for verdict, meaning in MEANING.items() if meaning.exit_code == 1)
"""The verdicts that say that a violation was found."""

UNTESTED = frozenset({Verdict.UNSUPPORTED, Verdict.NOT_EXERCISED})
"""The verdicts of what could not be judged, through no fault of the run."""


class Source(StrEnum):
    """Which kind of check a verdict row comes from."""

    SCENARIO = "scenario"
    MACHINE = "machine"
    RULE = "rule"
    LOAD = "load"


class VerdictRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the verdict table: what one source says of one requirement in one run.

    Attributes:
        run_id: the run.
        requirement: the id.
        source: scenario, machine, rule or load.
        verdict: the finding.
        exercised: how many logs or opportunities could have shown a violation.
        failures: how many did.
        reason: one sentence: why unsupported, what failed, which deviation.
        counterexample: file name below the run's `counterexamples/`, or "".
        seconds: time spent on it.
    """

    run_id: str
    requirement: str
    source: Source
    verdict: Verdict
    exercised: int = 0
    failures: int = 0
    reason: str = ""
    counterexample: str = ""
    seconds: float = 0.0


def merge(verdicts: Iterable[Verdict]) -> Verdict:
    """The verdict that stays when several sources judged one requirement; not exercised for none."""
    return max(verdicts, key=lambda verdict: MEANING[verdict].rank, default=Verdict.NOT_EXERCISED)


def exit_code(verdicts: Iterable[Verdict]) -> int:
    """The exit code of a whole run: 1 if anything failed, else 2 if anything went unjudged, else 0.

    A run in which nothing at all passed (or deviated) could not judge either.
    """
    seen = set(verdicts)
    codes = {MEANING[verdict].exit_code for verdict in seen}
    if 1 in codes:
        return 1
    if 2 in codes or not seen & {Verdict.PASS, Verdict.DEVIATION}:
        return 2
    return 0
