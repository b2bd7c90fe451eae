"""From what was played to a verdict: the one function that decides, for every source and every command.

A tally counts what one source saw of one requirement. `decide` says what that means, and why. Run, pytest and
rules all ask it, so that they say the same of the same. Knows nothing of how a tally is counted.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from plumbline.reference.results.verdicts import Verdict

MOST_UNDECIDED = 0.05
"""An undecided example is no evidence either way; with more than this share of them, and more than one,
nothing is judged."""


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """What one source saw of one requirement.

    Attributes:
        played: examples that were carried out and asked about, undecided ones among them.
        exercised: how many of them could have shown a violation.
        violations: how often a violation was seen.
        tried: how often that was tried; 0 where each of them was seen once and for all.
        violation: what the first of them was.
        excused: the words on record that excuse the violations; "" where none do.
        undecided: examples for which the search reached its limit.
        undecided_because: what it says of that, for a source of one example.
        deviating: why examples count as deviations on record; "" where none do.
        adapter_errors: examples that the adapter did not get through.
        adapter_error: what went wrong in the last of them.
        own_error: where Plumbline itself made an error, and which; "" where it made none.
        lacking: what the candidate does not offer; "" where it lacks nothing that was asked.
        idle: examples that do not count, because their faults had no effect.
        cut: whether the time limit ended the test early.
        flaws: what is wrong with the evidence, each in words.
        none_exercised: why nothing could have shown a violation, where more is known than the count.
    """

    played: int = 0
    exercised: int = 0
    violations: int = 0
    tried: int = 0
    violation: str = ""
    excused: str = ""
    undecided: int = 0
    undecided_because: str = ""
    deviating: str = ""
    adapter_errors: int = 0
    adapter_error: str = ""
    own_error: str = ""
    lacking: str = ""
    idle: int = 0
    cut: bool = False
    flaws: tuple[str, ...] = ()
    none_exercised: str = ""


class Decided(NamedTuple):
    """A verdict, and the reason for it in one sentence; "" where a pass needs none."""

    verdict: Verdict
    reason: str


def decide(tally: Tally) -> Decided:
    """What a tally says of its requirement; a violation counts first, then what could not be judged."""
    return _violated(tally) or _unjudged(tally) or _held(tally)


def _violated(tally: Tally) -> Decided | None:
    if not tally.violations:
        return None
    if tally.excused:
        return Decided(Verdict.DEVIATION, tally.excused)
    if tally.violations < tally.tried:
        words = f"failed {tally.violations} of {tally.tried} times: {tally.violation}"
        return Decided(Verdict.INTERMITTENT, words)
    return Decided(Verdict.FAIL, tally.violation)


def _unjudged(tally: Tally) -> Decided | None:
    """What keeps the source from saying anything, however much else went well."""
    if tally.own_error:
        return Decided(Verdict.UNKNOWN, tally.own_error)
    if tally.adapter_errors:
        many = tally.played + tally.adapter_errors > 1
        counted = f"{tally.adapter_errors} examples: " if many else ""
        return Decided(Verdict.ADAPTER_ERROR, f"{counted}{tally.adapter_error}")
    if tally.flaws:
        more = f" (and {len(tally.flaws) - 1} more)" if tally.flaws[1:] else ""
        return Decided(Verdict.UNKNOWN, f"{tally.flaws[0]}{more}")
    few = min(max(1, MOST_UNDECIDED * tally.played), tally.played - 1)
    if tally.undecided and tally.undecided > few:
        counted = f"{tally.undecided} of {tally.played} examples were not decided in the budget"
        return Decided(Verdict.UNKNOWN, tally.undecided_because or counted)
    return None


def _held(tally: Tally) -> Decided:
    """What the source says where no violation was seen and enough of it could be judged."""
    if tally.deviating:
        return Decided(Verdict.DEVIATION, tally.deviating)
    if tally.lacking and tally.exercised <= 0:
        return Decided(Verdict.UNSUPPORTED, tally.lacking)
    over = ["the time limit ended the test early"] if tally.cut else []
    if tally.exercised <= 0:
        counted = f"none of {tally.played} examples reached a situation that checks it"
        return Decided(Verdict.NOT_EXERCISED, "; ".join([tally.none_exercised or counted, *over]))
    by = tally.undecided or tally.idle or tally.cut
    told = [f"by {tally.played - tally.undecided} examples", *over] if by else []
    if tally.undecided:
        told.append(f"{tally.undecided} were not decided")
    if tally.idle:
        told.append(f"{tally.idle} more do not count, because their faults had no effect")
    return Decided(Verdict.PASS, "; ".join(told))
