"""The time budget of a run: how much of it scenarios may take, and what each machine gets of the rest.

Knows the clock; knows nothing of what is played, nor of judging what was played.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from plumbline.reference.results.runs import Check
from plumbline.suites.scenarios.scenario import Scenario

SCENARIO_SHARE = 0.7
"""Scenarios pause after this part of the budget, so that drawn plans get time as well."""

SCENARIOS = "scenarios"
"""The name of their part among the checks of a run."""


class TimeBudget:
    """So many seconds from here on; None for no end. No example is begun after they are over.

    The example that is being played then is played to its end.
    """

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._began = time.monotonic()

    @property
    def last(self) -> float | None:
        """When it ends, on the monotonic clock."""
        return None if self.seconds is None else self._began + self.seconds

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._after(1.0)

    @property
    def machines_are_due(self) -> bool:
        """Whether scenarios have used their share."""
        return self._after(SCENARIO_SHARE)

    def _after(self, part: float) -> bool:
        return self.seconds is not None and time.monotonic() >= self._began + part * self.seconds

    def share(self, waiting: int) -> float | None:
        """When the next of so many waiting machines must stop drawing, so that each gets the same time.

        Time that one machine leaves unused goes to those behind it.
        """
        if self.last is None:
            return None
        now = time.monotonic()
        return now + max(0.0, self.last - now) / waiting


def in_order(scenarios: Iterable[Scenario], *, limited: bool) -> list[Scenario]:
    """Scenarios of one topology together, and last the one that machines begin with.

    Starting members is slow. Where time is limited, a smaller selection comes first that is about every
    requirement at least once.
    """
    ordered = sorted(scenarios, key=lambda one: (not one.queues, bool(one.clients), one.members))
    if not limited:
        return ordered
    first = _covering(ordered)
    return sorted(ordered, key=lambda one: one.name not in first)


def _covering(scenarios: Sequence[Scenario]) -> set[str]:
    """The names of few scenarios that are about every requirement together."""
    left = {requirement for one in scenarios for requirement in one.requirements}
    chosen: set[str] = set()
    while left:
        best = max(scenarios, key=lambda one: len(left.intersection(one.requirements)))
        chosen.add(best.name)
        left.difference_update(best.requirements)
    return chosen


def added(checks: Sequence[Check], more: Check) -> tuple[Check, ...]:
    """The checks with one more; examples played under the same name before are one check with it."""
    before = next((check for check in checks if check.name == more.name), None)
    if before is None:
        return (*checks, more)
    both = Check(
        name=more.name,
        examples=before.examples + more.examples,
        planned=more.planned,
        cut=more.cut,
        seconds=before.seconds + more.seconds,
        own_s=before.own_s + more.own_s,
    )
    return tuple(both if check is before else check for check in checks)


def early_end(budget_s: float | None, checks: Iterable[Check]) -> str:
    """A sentence that says what the budget left unplayed; "" if it left nothing."""
    cut = [check for check in checks if check.cut]
    if budget_s is None or not cut:
        return ""
    told = [f"{one.examples} of {one.planned} scenarios were played" for one in cut if one.name == SCENARIOS]
    machines = [check for check in cut if check.name != SCENARIOS]
    if machines:
        idle = sum(not check.examples for check in machines)
        which = "1 state machine" if len(machines) == 1 else f"{len(machines)} state machines"
        told.append(f"{which} stopped early, {idle} before the first plan")
    return f"the budget of {budget_s:g} s ended this run early: {'; '.join(told)}"
