"""The reference plays a plan of each machine behind one of any other: nothing of an earlier one is left."""

from __future__ import annotations

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.tests.further_cases import further
from plumbline.reference.history.plans import Plan
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.replaying import play_plan

JOIN_BESIDE_CALLS = ("members_starting_again", "copies_under_way")
"""Machines whose plans the reference can play where nothing stands beside them that it does not follow."""


@pytest.fixture(scope="module")
def plans() -> dict[str, Plan]:
    """A plan of each machine."""
    with Session(find_candidate("reference", seed=1)) as session:
        offers = frozenset(session.introduction.capabilities)
    drawn: dict[str, list[Plan]] = {name: [] for name in MACHINES}
    for name, some in drawn.items():
        drive(MACHINES[name], some.append, offers=offers, examples=3, steps=6, draw_seed=1, shrink=False)
    return {name: some[-1] for name, some in drawn.items()}


@pytest.mark.parametrize("name", [name if name in JOIN_BESIDE_CALLS else further(name) for name in MACHINES])
def test_a_plan_is_played_behind_one_of_any_machine(plans: dict[str, Plan], name: str):
    with Session(find_candidate("reference", seed=1)) as session:
        for earlier in plans.values():
            play_plan(earlier, session)
            play_plan(plans[name], session)
