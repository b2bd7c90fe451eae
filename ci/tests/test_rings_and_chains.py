"""Three sites in a chain or a ring: what is drawn of them, and what is asked of whoever sends nothing on."""

from __future__ import annotations

import msgspec

from plumbline.adapters.candidates import Candidate, find_candidate
from plumbline.adapters.protocol import Introduction
from plumbline.ci.examples import three_sites
from plumbline.ci.examples.right_runs import ask_about
from plumbline.ci.examples.trials import draw_trial
from plumbline.reference.capabilities import Capability
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.engine import Answer
from plumbline.reference.history import History, fault_words
from plumbline.reference.plans import Inject, Plan
from plumbline.reference.verdicts import Verdict
from plumbline.suites.machines.registry import MACHINES, drive
from plumbline.suites.scenarios import mesh
from plumbline.suites.scenarios.playing import play
from plumbline.suites.scenarios.registry import SCENARIOS
from plumbline.suites.session import Session

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
    assert len(TRAVELLING) == 6


def test_who_sends_on_and_says_otherwise_fails():
    with Session(saying_that_nothing_travels_on("reference")) as session:
        asked = [name for name in TRAVELLING if name != ANYWHERE]
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
