"""Three sites in a chain or a ring: their plans, and the plans for candidates that send nothing on."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest

from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.protocol import Introduction
from plumbline.ci.selftest.checks.ticking import ticking
from plumbline.ci.selftest.generators import three_sites
from plumbline.ci.selftest.generators.random_trials import draw_trial
from plumbline.ci.selftest.generators.right_runs import ask_about
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.oracle import find
from plumbline.reference.history.actions import Do, Inject, PlanStep, Settle
from plumbline.reference.history.fault_kinds import Fault, FaultKind, fault_words
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, ClocksPassed, ContentsRead
from plumbline.reference.history.operations import Operation, OperationKind, Scope
from plumbline.reference.history.plans import Plan
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.playing import play
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.scenarios import mesh
from plumbline.suites.scenarios.all_scenarios import SCENARIOS
from plumbline.suites.scenarios.course import REGION
from plumbline.suites.scenarios.sites import regions

TRAVELLING = sorted(name for name, one in SCENARIOS.items() if one.sited in (mesh.CHAIN, mesh.RING))
ANYWHERE = "what_the_middle_of_a_chain_discards_goes_no_further"
"""Nothing of what is asked there has to travel on."""


def ways(example: History | Plan) -> frozenset[tuple[int, int | None]]:
    """From which site to which there is a sender in it."""
    return frozenset((queue.site, queue.remote_site) for queue in example.queues)


def saying_that_nothing_travels_on(name: str) -> Candidate:
    def introduced(introduction: Introduction) -> Introduction:
        return msgspec.structs.replace(introduction, sends_on=False)

    return msgspec.structs.replace(find_candidate(name), introduced=introduced)


def test_who_says_that_nothing_travels_on_is_asked_for_that():
    with Session(saying_that_nothing_travels_on("faulty:nothing-goes-on")) as session:
        found = {name: play(SCENARIOS[name], session, session.book).verdict for name in TRAVELLING}
    assert found == dict.fromkeys(TRAVELLING, Verdict.PASS)
    assert len(TRAVELLING) == 7


def test_who_sends_on_and_says_otherwise_fails():
    with Session(saying_that_nothing_travels_on("reference")) as session:
        # What goes no further passes wherever nothing is expected to travel on.
        asked = [name for name in TRAVELLING if not name.endswith("goes_no_further")]
        found = {name: play(SCENARIOS[name], session, session.book, 0) for name in asked}
    assert {result.verdict for result in found.values()} == {Verdict.FAIL}
    assert {result.finding is not None and result.finding.answer for result in found.values()} == {
        Answer.REFUTED
    }


def test_the_machine_of_three_sites_draws_meshes_chains_and_rings_and_cuts_their_links():
    plans: list[Plan] = []
    offers = frozenset(Capability)
    drive(
        MACHINES["three_sites"], plans.append, offers=offers, examples=30, steps=6, draw_seed=1, shrink=False
    )
    drawn = {plan.topology: ways(plan) for plan in plans}
    assert drawn == {one.topology: frozenset(one.links) for one in (mesh.MESH, mesh.CHAIN, mesh.RING)}
    for plan in plans:
        faults = [step.fault for step in plan.steps if isinstance(step, Inject)]
        assert [fault_words(one) for one in faults if (one.site, one.remote_site) not in ways(plan)] == []


def test_trials_draw_every_way_to_link_three_sites():
    drawn = {ways(draw_trial(seed, sites=3).history) for seed in range(30)}
    assert drawn == {frozenset(linked) for linked in three_sites.LINKED}


def test_no_right_run_of_three_sites_is_refuted():
    asked = [ask_about(seed, 3, Dialect.GEMFIRE6) for seed in range(24)]
    assert [one.seed for one in asked if one.answer is not Answer.EXPLAINED] == []


PUT, DESTROY = OperationKind.PUT, OperationKind.DESTROY


def in_a_ring(at_3: OperationKind, at_2: OperationKind) -> Plan:
    """Site 1 puts a key; while nothing passes, site 3 changes it and then site 2, each waited for."""
    calls = [
        Operation(op_id=n, thread=f"{m}{n}", member=m, region=REGION, kind=kind, key="x", token=f"v{n}")
        for n, (m, kind) in enumerate((("A", PUT), ("D", at_3), ("B", at_2)), 1)
    ]
    cut, healed = (
        [Inject(Fault(kind=kind, site=a, remote_site=b)) for a, b in mesh.RING.links]
        for kind in (FaultKind.LINK_DOWN, FaultKind.LINK_UP)
    )
    queues = mesh.queues(links=mesh.RING.links)
    shared, _ = regions(queues, Scope.ACK, None)
    base, later, last = map(Do, calls)
    steps: tuple[PlanStep, ...] = (base, Settle(), *cut, later, last, *healed, Settle())
    return Plan(mesh.RING.topology, (shared,), steps, queues)


def with_clocks_moved_on(history: History, before: str) -> History:
    """The same, had all clocks moved on before a member called."""
    calls = [
        moment
        for moment, what in enumerate(history.timeline)
        if isinstance(what, Called) and what.operation.member == before
    ]
    at = calls[0]

    def later(moment: int) -> int:
        return moment + (moment > at)

    timeline = (*history.timeline[:at], ClocksPassed(), *history.timeline[at:])
    logs = {
        member: tuple(
            msgspec.structs.replace(shown, after=later(shown.after), before=later(shown.before))
            for shown in log
        )
        for member, log in history.logs.items()
    }
    return msgspec.structs.replace(history, timeline=timeline, logs=logs)


@pytest.mark.parametrize(("at_3", "at_2"), list(product((PUT, DESTROY), repeat=2)))
def test_calls_of_one_tick_may_end_sites_of_a_ring_apart(at_3: OperationKind, at_2: OperationKind):
    with Session(ticking(calls_per_tick=100)) as session:
        history = play_plan(in_a_ring(at_3, at_2), session).history
        held = {what.member: what.entries for what in history.timeline if isinstance(what, ContentsRead)}
        assert held["A"] == held["C"] == held["D"]
        assert (held["A"] != held["B"]) is ((at_3, at_2) != (DESTROY, DESTROY))
        assert find(history, session.book).answer is Answer.EXPLAINED
        moved_on = find(with_clocks_moved_on(history, "B"), session.book).answer
    assert moved_on is (Answer.EXPLAINED if held["A"] == held["B"] else Answer.REFUTED)


@pytest.mark.parametrize("calls_per_tick", [2, 5])
def test_no_run_whose_clocks_tick_is_refuted(calls_per_tick: int):
    plans: list[Plan] = []
    drive(
        MACHINES["three_sites"],
        plans.append,
        offers=frozenset(Capability),
        examples=12,
        steps=6,
        draw_seed=3,
        shrink=False,
    )
    with Session(ticking(calls_per_tick)) as session:
        found = [find(play_plan(plan, session).history, session.book).answer for plan in plans]
    assert found == [Answer.EXPLAINED] * len(plans)
