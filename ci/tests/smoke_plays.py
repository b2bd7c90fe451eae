"""Plays of a machine as in a run, for tests. Knows nothing of what they should show."""

from __future__ import annotations

from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.run.known_deviations import NOTHING
from plumbline.suites.run.plan_outcomes import PlanOutcomes, play_plans
from plumbline.suites.run.profiles import PROFILES


def played(machine: str, session: Session, profile: str = "smoke") -> PlanOutcomes:
    return play_plans(
        MACHINES[machine],
        session,
        session.book,
        profile=PROFILES[profile],
        draw_seed=7,
        deadline=None,
        on_record=NOTHING,
        saw=lambda *_: None,
        progress=lambda _: None,
    )
