"""From verdict rows to verdicts on requirements, how many there are of each, and the exit code.

Terminal, JSON, pytest, JUnit, site, gate and judge count here and nowhere else, so that they tell the same
numbers. Knows nothing of how a row came about.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import msgspec

from plumbline.reference.catalogue.records import is_extension
from plumbline.reference.results.verdicts import MEANING, Verdict, VerdictRow, exit_code, merge

GREEN = frozenset({Verdict.PASS, Verdict.DEVIATION})
JUDGED = GREEN | {Verdict.FAIL, Verdict.INTERMITTENT}
UNJUDGED = frozenset({Verdict.NOT_EXERCISED, Verdict.UNSUPPORTED})


class Totals(msgspec.Struct, frozen=True):
    """How many requirements of the catalogue got which verdict.

    Attributes:
        verdicts: those that there are any of, from the one that outweighs all others downwards.
        not_asked_for: requirements that a selection left out and nothing was seen of.
        without_test: requirements that no test exists for, and nothing was seen of.
        extensions: how many extensions got which verdict. They are in none of the numbers above.
    """

    verdicts: dict[Verdict, int]
    not_asked_for: int = 0
    without_test: int = 0
    extensions: dict[Verdict, int] = {}

    @property
    def requirements(self) -> int:
        """Returns the number of requirements, with any verdict."""
        return sum(self.verdicts.values()) + self.not_asked_for + self.without_test

    @property
    def judged(self) -> int:
        """How many of them were seen to hold, to differ as is on record, or to be violated."""
        return sum(count for verdict, count in self.verdicts.items() if verdict in JUDGED)

    @property
    def words(self) -> str:
        """The same in one line."""
        told = [f"{count} {verdict}" for verdict, count in self.verdicts.items()]
        told += [f"{self.not_asked_for} not asked for"] if self.not_asked_for else []
        told += [f"{self.without_test} without a test"] if self.without_test else []
        apart = ", ".join(f"{count} {verdict}" for verdict, count in self.extensions.items())
        return ", ".join(told) + (f"; extensions: {apart}" if apart else "")


def counted(row: VerdictRow, *, whole: bool = True) -> Verdict:
    """The verdict of a row as it counts.

    A pass that names no occasion to fail is none. In a run that is not whole, nothing passed.
    """
    if row.verdict is Verdict.PASS and row.exercised <= 0:
        return Verdict.NOT_EXERCISED
    return Verdict.UNKNOWN if row.verdict in GREEN and not whole else row.verdict


def merged(rows: Iterable[VerdictRow], *, whole: bool = True) -> dict[str, Verdict]:
    """The verdict that stays on each requirement that some row names, in the order of the rows."""
    found: dict[str, list[Verdict]] = {}
    for row in rows:
        found.setdefault(row.requirement, []).append(counted(row, whole=whole))
    return {requirement: merge(verdicts) for requirement, verdicts in found.items()}


def totals(
    verdicts: Mapping[str, Verdict],
    known: Collection[str],
    asked: Collection[str] | None = None,
    untested: Collection[str] = (),
) -> Totals:
    """How many requirements got each verdict.

    Args:
        verdicts: what stays on each requirement that anything was said of.
        known: all requirements of the catalogue. Extensions among them are counted apart.
        asked: those that the runs were to judge; all where it is left out or empty.
        untested: those that no test exists for. What was found of them all the same counts.
    """
    apart = [verdict for identity, verdict in verdicts.items() if is_extension(identity)]
    known = [identity for identity in known if not is_extension(identity)]
    verdicts = {identity: verdict for identity, verdict in verdicts.items() if not is_extension(identity)}
    silent = [identity for identity in known if identity not in verdicts]
    unasked = [identity for identity in silent if identity not in asked] if asked else []
    said = {**verdicts, **dict.fromkeys(silent, Verdict.NOT_EXERCISED)}
    left_out = {*unasked, *(one for one in untested if said.get(one, Verdict.PASS) in UNJUDGED)}
    found = [verdict for identity, verdict in said.items() if identity not in left_out]
    ranked = sorted(Verdict, key=lambda verdict: -MEANING[verdict].rank)
    counts, extended = (
        {verdict: count for verdict in ranked if (count := some.count(verdict))} for some in (found, apart)
    )
    return Totals(counts, len(unasked), len(left_out) - len(unasked), extended)


def binding(verdicts: Mapping[str, Verdict], asked: Collection[str] = ()) -> list[Verdict]:
    """The verdicts that an exit code follows: those on extensions only where these were asked for by name."""
    return [
        verdict for identity, verdict in verdicts.items() if identity in asked or not is_extension(identity)
    ]


def exit_code_of(verdicts: Iterable[Verdict], *, whole: bool = True) -> int:
    """The exit code of these verdicts; never 0 where a part of the evidence is missing."""
    code = exit_code(verdicts)
    return 2 if code == 0 and not whole else code


def reasons(rows: Iterable[VerdictRow], verdict: Verdict, *, whole: bool = True) -> tuple[str, ...]:
    """The reasons for the verdict that stays, each once."""
    told = (row.reason for row in rows if counted(row, whole=whole) is verdict and row.reason)
    return tuple(dict.fromkeys(told))
