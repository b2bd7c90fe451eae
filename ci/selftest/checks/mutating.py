"""Runs the suite against mutants of the rulebook, until something fails.

Knows in which order to look; the rulebook makes the mutants.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from plumbline.adapters.candidates import Candidate, CandidateKind
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.reference.bounded import guarded
from plumbline.reference.explain.remembered import remembering
from plumbline.reference.history.history import History
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.rulebook.mutants import Mutant
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.run.known_deviations import NOTHING
from plumbline.suites.run.plan_outcomes import play_plans
from plumbline.suites.run.playing import play
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.scenarios.all_scenarios import SCENARIOS
from plumbline.suites.scenarios.scenario import Scenario

SEED = 1
"""What chaos is drawn from, and plans are."""

MOST_TROUBLES = 3
"""A mutant that has raised so often, or not come to rest, is broken, and nothing more is asked of it."""


class End(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    BROKEN = "broken"
    SURVIVED = "survived"


class MutantResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one mutant.

    Attributes:
        mutant: its name.
        decision: the decision that it makes otherwise.
        end: killed if a requirement failed; broken if none did, and the candidate raised or did not end;
            survived otherwise.
        by: the scenario or machine that found it out first, "" if none did.
        own: whether that one judges a requirement which the decision carries.
        examples: scenarios and plans played until then.
        seconds: how long that took.
    """

    mutant: str
    decision: str
    end: End
    by: str = ""
    own: bool = False
    examples: int = 0
    seconds: float = 0.0


class _CaughtError(Exception):
    """A plan has failed."""


@remembering()
def strike(mutant: Mutant, *, own_only: bool = False) -> MutantResult:
    """Run the suite against a mutant up to the first failure.

    Scenarios of its decision's requirements come first, then all others unless only its own are asked for:
    scenarios on the calm reference and on the chaotic one, then machines.
    """
    began = time.monotonic()
    attempt = _Attempt(mutant)
    by, own = "", True
    for own in (True,) if own_only else (True, False):
        if by := attempt.caught(own=own):
            break
    end = End.KILLED if by else End.BROKEN if attempt.troubles else End.SURVIVED
    return MutantResult(
        mutant=mutant.name,
        decision=mutant.decision,
        end=end,
        by=by or "".join(attempt.troubles[:1]),
        own=own and end is End.KILLED,
        examples=attempt.examples,
        seconds=round(time.monotonic() - began, 3),
    )


class _Attempt:
    """One mutant under attack."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant
        self._requirements = frozenset(DECISIONS[mutant.decision].requirements)
        self.examples = 0
        self.troubles: list[str] = []

    @property
    def over(self) -> bool:
        """Whether the mutant is too broken to go on."""
        return len(self.troubles) >= MOST_TROUBLES

    def caught(self, *, own: bool) -> str:
        """The first that fails of those that judge a requirement of the decision, or of the others."""
        for chaotic in (False, True):
            with Session(self._candidate(chaotic=chaotic)) as session:
                for name in self._failing_scenarios(session, own=own):
                    return name
        with Session(self._candidate(chaotic=True)) as session:
            for name in self._failing_machines(session, own=own):
                return name
        return ""

    def _candidate(self, *, chaotic: bool) -> Candidate:
        mutant = self._mutant
        return Candidate(
            name=f"mutant:{mutant.name}",
            kind=CandidateKind.FAULTY,
            in_process=True,
            open=lambda: guarded(mutant.decision, mutant.answer, mutant.dialect, chaotic=chaotic, seed=SEED),
        )

    def _chosen(self, requirements: Iterable[str], *, own: bool) -> bool:
        return own is not self._requirements.isdisjoint(requirements)

    def _failing_scenarios(self, session: Session, *, own: bool) -> Iterator[str]:
        for scenario in SCENARIOS.values():
            if not self._chosen(scenario.requirements, own=own) or self.over:
                continue
            # Demands of another dialect do not count for this one.
            if not any(map(session.owes, scenario.requirements)):
                continue
            if self._verdict(scenario, session) is Verdict.FAIL:
                yield scenario.name

    def _verdict(self, scenario: Scenario, session: Session) -> Verdict:
        self.examples += 1
        result = play(scenario, session, session.book, naming_ms=0)
        if result.verdict is Verdict.ADAPTER_ERROR:
            self.troubles.append(f"{scenario.name}: {result.reason}")
        return result.verdict

    def _failing_machines(self, session: Session, *, own: bool) -> Iterator[str]:
        def saw(_: str, verdict: Verdict, __: History) -> None:
            if verdict is Verdict.FAIL:
                raise _CaughtError

        def progress(played: int) -> None:
            del played
            self.examples += 1

        for machine in MACHINES.values():
            if not self._chosen(machine.requirements, own=own) or self.over:
                continue
            try:
                trouble = play_plans(
                    machine,
                    session,
                    session.book,
                    profile=PROFILES["smoke"],
                    draw_seed=SEED,
                    deadline=None,
                    on_record=NOTHING,
                    saw=saw,
                    progress=progress,
                )
            except _CaughtError:
                yield machine.name
            except AdapterError as error:
                self.troubles.append(f"{machine.name}: {error}")
            else:
                self.troubles += [f"{machine.name}: {trouble.last_error}"] * trouble.adapter_errors
