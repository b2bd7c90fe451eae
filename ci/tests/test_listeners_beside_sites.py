"""What a site sends again may reach the listener of a queue again: a receiver may hand on what it knows."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.generators import two_sites
from plumbline.ci.selftest.generators.random_trials import BOTH_SITES, draw_trial
from plumbline.ci.selftest.soundness.comparison import compare
from plumbline.reference.explain.oracle import find
from plumbline.reference.history.actions import Do, Inject, Settle
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import Operation, OperationKind, QueueAttributes, Scope
from plumbline.reference.history.plans import Plan
from plumbline.reference.model.lookahead import NoLookahead
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.scenarios.sites import queues, regions, topology

CASES = 12
OF_TIME = (FaultKind.HOLD_TIME, FaultKind.TIME_LEAP)
SEEDS = 12
LISTENED = QueueAttributes(id="listened", site=1)


@pytest.fixture
def handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Receivers of the reference may hand on to listeners of queues what they recognise."""
    monkeypatch.setattr(NoLookahead, "is_received_again", lambda *_: True)


@pytest.fixture
def listened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each drawn plan has a queue with a listener at its first site."""
    drawn = two_sites.draw_plan

    def draw_plan(draw: random.Random, shape: Any) -> Plan:
        faults = tuple(fault for fault in shape.faults if fault.kind not in OF_TIME)
        plan = drawn(
            draw, msgspec.structs.replace(shape, resolver="", operations=2, parked=0.0, faults=faults)
        )
        regions = tuple(msgspec.structs.replace(one, queues=(LISTENED.id,)) for one in plan.regions)
        return msgspec.structs.replace(plan, regions=regions, queues=(*plan.queues, LISTENED))

    monkeypatch.setattr(two_sites, "draw_plan", draw_plan)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.usefixtures("listened", "handed_on")
def test_the_search_and_the_judge_agree_where_listeners_receive_what_was_sent_again():
    trials = [draw_trial(seed, BOTH_SITES) for seed in range(CASES)]
    found = [compare(trial) for trial in trials]
    assert [one for one in found if one.disagree] == []
    assert {Answer.EXPLAINED, Answer.REFUTED} <= {one.answer for one in found}
    assert any(trial.history.calls for trial in trials)


@pytest.mark.usefixtures("handed_on")
def test_a_receiver_may_hand_an_event_on_to_listeners_again_when_it_recognises_it():
    histories = [_sent_again(seed) for seed in range(SEEDS)]
    again = [one for one in histories if sum(len(seen.call.events) for seen in one.calls) > 1]
    assert again, "no receiver has handed it on again"
    assert {find(one, Rulebook()).answer for one in again} == {Answer.EXPLAINED}


def _sent_again(seed: int) -> History:
    """The other site sends one put, and the member that has sent it dies before it hears the answer."""
    senders = queues(100)
    put = Operation(
        op_id=1,
        thread="D",
        member="D",
        region="region",
        kind=OperationKind.PUT,
        key="x",
        token="v1",  # noqa: S106 - a value
    )
    region = regions(senders, Scope.ACK, None)[0]
    plan = Plan(
        topology(2),
        (msgspec.structs.replace(region, queues=(LISTENED.id,)),),
        (
            Inject(Fault(kind=FaultKind.REPLIES_LOST, site=2, remote_site=1)),
            Do(put),
            Settle(),
            Inject(Fault(kind=FaultKind.CRASH, member="C")),
            Inject(Fault(kind=FaultKind.LINK_UP, site=2, remote_site=1)),
            Settle(),
        ),
        (*senders, LISTENED),
    )
    with Session(find_candidate("reference:chaotic", seed=seed)) as session:
        return play_plan(plan, session).history
