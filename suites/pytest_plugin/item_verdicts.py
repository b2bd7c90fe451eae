"""What the items of a pytest session come to together: the verdict on each requirement, and the exit status.

Knows findings and reports of pytest's items; knows nothing of how an item is played.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection

import msgspec
import pytest

from plumbline.reference.results.deciding import Decided, Tally
from plumbline.reference.results.own_errors import OwnError
from plumbline.reference.results.totals import binding, exit_code_of, merged, reasons
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.pytest_plugin.findings import Findings
from plumbline.suites.run.clause_coverage import Reach, with_missed
from plumbline.suites.run.rows import row as row_of
from plumbline.suites.run.rows import unjudged
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

PLACE = {name: number for number, name in enumerate((*SCENARIOS, *MACHINES))}


class Together:
    """What the findings about one candidate say together.

    Args:
        findings: what the items of this process, and of others, have found.
        candidate: as it was named.
        session: its session.
    """

    def __init__(self, findings: Findings, candidate: str, session: Session) -> None:
        self._findings = findings
        self._candidate = candidate
        self._session = session
        self._reach: Reach | None = None
        self._reached_by: set[str] = set()

    def verdict(self, requirement: str, missing: Collection[str] = ()) -> tuple[Decided, tuple[str, ...]]:
        """What is known of a requirement, as a run would say it; and the clauses of a pass not reached.

        Args:
            requirement: its id.
            missing: what was to be played and was not, since a process has died: that leaves it open.
        """
        rows: list[VerdictRow] = []
        for finding in self._findings.of(self._candidate):
            for found in finding.rows:
                if found.requirement == requirement:
                    words = [
                        finding.title,
                        found.reason,
                        found.counterexample and f"see {found.counterexample}",
                    ]
                    rows.append(msgspec.structs.replace(found, reason=": ".join(filter(None, words))))
        lost = [title for title in missing if requirement in _requirements_of(title)]
        if lost:
            because = f"not played to the end, as the process that should have has died: {', '.join(lost)}"
            tally = Tally(undecided=1, undecided_because=because)
            rows.append(row_of("", requirement, Source.SCENARIO, tally))
        offered = self._session.introduction.capabilities
        if not rows:
            rows = [unjudged("", requirement, self._session.dialect, offered)]
        rows, missed = self._with_missed(rows)
        verdict = merged(rows)[requirement]
        clauses = missed.get(requirement, ()) if verdict is Verdict.PASS else ()
        return Decided(verdict, "; ".join(reasons(rows, verdict))), clauses

    def _with_missed(self, rows: list[VerdictRow]) -> tuple[list[VerdictRow], dict[str, tuple[str, ...]]]:
        """The rows, where a pass says which clauses were not reached; an error of our own leaves them."""
        try:
            return with_missed(rows, self._reach_so_far(), self._session.introduction.capabilities)
        except Exception as error:  # noqa: BLE001 - the verdict stays, as in a run
            own = OwnError.of("asking which clauses were reached", error)
            warnings.warn(own.words, stacklevel=2)
            return rows, {}

    def _reach_so_far(self) -> Reach:
        """What all right histories found so far reach, in the order in which a run plays them."""
        reach = self._reach = self._reach or Reach(self._session.book)
        new = [one for one in self._findings.of(self._candidate) if one.title not in self._reached_by]
        for finding in sorted(new, key=lambda one: PLACE[one.title]):
            self._reached_by.add(finding.title)
            for name, history in finding.right:
                if finding.title in SCENARIOS:
                    reach.scenario(name, SCENARIOS[finding.title].requirements, history)
                else:
                    reach.machine(name, history)
        return reach


def _reason(title: str, row: VerdictRow) -> str:
    return ": ".join(filter(None, (title, row.reason, row.counterexample and f"see {row.counterexample}")))


def _requirements_of(title: str) -> tuple[str, ...]:
    return SCENARIOS[title].requirements if title in SCENARIOS else MACHINES[title].requirements


class ExitStatus:
    """Gives pytest the exit status that a run would have, from the reports of all processes.

    Where no item failed an assertion and something could not be judged, that is 2; so it is where nothing at
    all could be judged of a candidate.
    """

    def __init__(self) -> None:
        self.verdicts: dict[str, dict[str, Verdict]] = {}
        """For each candidate what the requirement items came to, by the requirement."""
        self.missed: dict[str, dict[str, tuple[str, ...]]] = {}
        """For each candidate the clauses that were not reached, of requirements that passed."""
        self.left_out: dict[str, int] = {}
        """For each candidate how many scenarios the selection left out."""
        self._failed = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what a requirement item came to, and whether an item failed rather than went unjudged."""
        told = {name: str(value) for name, value in report.user_properties}
        if "verdict" in told:
            candidate, requirement = told["candidate"], told["requirement"]
            self.verdicts.setdefault(candidate, {})[requirement] = Verdict(told["verdict"])
            self.left_out[candidate] = int(told.get("scenarios left out", 0))
            if missed := told.get("clauses not reached", ""):
                self.missed.setdefault(candidate, {})[requirement] = tuple(missed.split(", "))
        self._failed |= report.failed and "plumbline unjudged" not in told

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Set the exit status."""
        ended = session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        codes = [exit_code_of(binding(found)) for found in self.verdicts.values()]
        unjudged = session.exitstatus == pytest.ExitCode.TESTS_FAILED and not self._failed
        if ended and not self._failed and (unjudged or 2 in codes):
            session.exitstatus = 2


def properties(
    candidate: str, requirement: str, verdict: Verdict, missed: Collection[str], left_out: int
) -> list[tuple[str, object]]:
    """What a requirement item reports of itself; `ExitStatus` may read it in another process."""
    told: list[tuple[str, object]] = [
        ("candidate", candidate),
        ("requirement", requirement),
        ("verdict", verdict.value),
    ]
    told += [("clauses not reached", ", ".join(missed))] if missed else []
    return [*told, *([("scenarios left out", str(left_out))] if left_out else [])]
