"""Senders that have found no receiver: where time is held they try again five seconds later (000, L41)."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from plumbline.ci.selftest.generators import two_sites
from plumbline.ci.selftest.generators.random_trials import BOTH_SITES, draw_trial
from plumbline.ci.selftest.soundness.comparison import compare
from plumbline.reference.history.actions import Inject
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.plans import Plan
from plumbline.reference.search.search import Answer

CASES = 100
LEAPS_MS = (5, 2_000, 3_000, 5_000, 9_000)
STOPS = Fault(kind=FaultKind.RECEIVER_STOP, member="C")


def _longer(plan: Plan, draw: random.Random) -> Plan:
    """The plan with leaps of seconds."""
    steps = [
        Inject(msgspec.structs.replace(step.fault, milliseconds=draw.choice(LEAPS_MS)))
        if isinstance(step, Inject) and step.fault.kind is FaultKind.TIME_LEAP
        else step
        for step in plan.steps
    ]
    return msgspec.structs.replace(plan, steps=tuple(steps))


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each drawn plan stops the only receiver, and holds time."""
    drawn = two_sites.draw_plan

    def draw_plan(draw: random.Random, shape: Any) -> Plan:
        small = msgspec.structs.replace(
            shape,
            topology=two_sites.ONE_RECEIVES,
            faults=(*two_sites.held_time(draw), STOPS),
            writers=("A",),
            operations=2,
            resolver="",
            parked=0.0,
            started=0.3,
            settled=0.4,
            looks=0.2,
        )
        return _longer(drawn(draw, small), draw)

    monkeypatch.setattr(two_sites, "draw_plan", draw_plan)


@pytest.mark.slow
@pytest.mark.usefixtures("held")
def test_the_search_and_the_judge_agree_where_senders_wait():
    trials = [draw_trial(seed, BOTH_SITES) for seed in range(CASES)]
    found = [compare(trial) for trial in trials]
    assert [one for one in found if one.disagree] == []
    assert {Answer.EXPLAINED, Answer.REFUTED} <= {one.answer for one in found}
