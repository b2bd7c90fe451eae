"""Reach: which clauses of a requirement the examples of a session could have shown to be broken.

A clause is reached where one of its faulty variants cannot explain some history that was right, or where a
scenario passed whose written outcome tells right from wrong. Knows histories, clauses and faulty variants;
knows nothing of how examples are played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

import msgspec

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.catalogue.records import Clause
from plumbline.reference.explain.decision_log import Asked, asked_of
from plumbline.reference.explain.exercise import ASKED_BUDGET, differs, refutes
from plumbline.reference.history.history import History
from plumbline.reference.results.totals import merged
from plumbline.reference.results.verdicts import Verdict, VerdictRow
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.suites.machines.all_machines import MACHINES

MOST_OF_A_MACHINE = 12
"""So many right histories of a machine are kept: a clause that none of them shows hardly any other would."""

MOST_IN_VAIN = 10
"""So many histories are asked for one variant; it then counts as not reached."""


class Reach:
    """Collects right histories, and says which clauses none of them reaches.

    Args:
        book: the rulebook that the histories are right by.
    """

    def __init__(self, book: Rulebook) -> None:
        self._book = book
        self._scenarios: dict[str, list[str]] = {}
        self._machines: dict[str, list[str]] = {}
        self._histories: dict[str, History] = {}
        self._asked: dict[str, Asked] = {}
        self._kept = Counter[str]()

    def scenario(self, name: str, requirements: Iterable[str], history: History) -> None:
        """Note that a scenario passed, with what it showed."""
        self._keep(name, requirements, history, self._scenarios)

    def machine(self, name: str, history: History) -> None:
        """Note a right history of a machine, called after it with a number behind a dash."""
        machine = name.rpartition("-")[0]
        if self._kept[machine] < MOST_OF_A_MACHINE:
            self._kept[machine] += 1
            self._keep(name, MACHINES[machine].requirements, history, self._machines)

    def _keep(
        self, name: str, requirements: Iterable[str], history: History, where: dict[str, list[str]]
    ) -> None:
        self._histories[name] = history
        for requirement in requirements:
            where.setdefault(requirement, []).append(name)

    def missed(self, requirement: str) -> tuple[Clause, ...]:
        """The clauses of a requirement that nothing kept here reaches; none where its statement has one."""
        return tuple(
            clause
            for clause in all_requirements()[requirement].clauses
            if clause.reason is None and not self._reaches(requirement, clause)
        )

    def _reaches(self, requirement: str, clause: Clause) -> bool:
        played = self._scenarios.get(requirement, [])
        if not set(clause.shown_by).isdisjoint(played):
            return True
        among = (*played, *self._machines.get(requirement, []))
        return any(self._refuted(variant, among) for variant in clause.variants)

    def _refuted(self, name: str, among: Iterable[str]) -> bool:
        """Whether one of these histories cannot be explained by the variant."""
        variant = FAULTY[name]
        in_vain = 0
        for played in among:
            if not differs(variant, self._book, self._asked_in(played)):
                continue
            if refutes(variant, self._book, self._histories[played]):
                return True
            in_vain += 1
            if in_vain == MOST_IN_VAIN:
                break
        return False

    def _asked_in(self, played: str) -> Asked:
        if played not in self._asked:
            self._asked[played] = asked_of(self._histories[played], self._book, ASKED_BUDGET)
        return self._asked[played]


def words(missed: Iterable[Clause], offered: Collection[Capability] | None) -> str:
    """Which clauses were not reached, each with what it demands, and what it needs that is not offered."""
    told = []
    for clause in missed:
        lacks = [need for need in clause.needs if offered is not None and need not in offered]
        why = "no faulty variant breaks it yet" if not clause.variants else clause.says
        told.append(f"{clause.id} ({'needs ' + ', '.join(lacks) if lacks else why})")
    if not told:
        return ""
    one = len(told) == 1
    return f"clause{'' if one else 's'} not reached: {'; '.join(told)}"


def with_missed(
    rows: list[VerdictRow], reach: Reach, offered: Collection[Capability] | None
) -> tuple[list[VerdictRow], dict[str, tuple[str, ...]]]:
    """The rows, where a pass says which clauses were not reached; and those by requirement.

    Where no clause was reached a pass says nothing, so that its requirement is not exercised.
    """
    found: dict[str, tuple[str, ...]] = {}
    said: dict[str, tuple[str, bool]] = {}
    for requirement, verdict in merged(rows).items():
        if verdict is not Verdict.PASS or requirement not in all_requirements():
            continue
        missed = reach.missed(requirement)
        if missed:
            found[requirement] = tuple(clause.id for clause in missed)
            none = len(missed) == len(all_requirements()[requirement].clauses)
            said[requirement] = words(missed, offered), none
    return [_told(row, said) for row in rows], found


def _told(row: VerdictRow, said: dict[str, tuple[str, bool]]) -> VerdictRow:
    """The row with what is to be said of its requirement; said once, so it is said by its first pass."""
    if row.requirement not in said or row.verdict is not Verdict.PASS:
        return row
    reason, none = said[row.requirement]
    if none:
        return msgspec.structs.replace(row, verdict=Verdict.NOT_EXERCISED, reason=reason, exercised=0)
    said[row.requirement] = "", False
    if not reason:
        return row
    return msgspec.structs.replace(row, reason=f"{row.reason}; {reason}" if row.reason else reason)
