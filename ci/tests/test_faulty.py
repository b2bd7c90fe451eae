"""The suite against candidates that are known to be wrong, and against one that is known to be right."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from plumbline.adapters.candidates import Candidate, CandidateKind, find_candidate
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.selftest.checks import kills as faults
from plumbline.ci.selftest.checks.kills import kill, offering
from plumbline.ci.tests.further_cases import further
from plumbline.reference.catalogue.capabilities import CORE, Capability
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.explain import fault_localization
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import Operation, Outcome
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.decisions import DECISIONS
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.search.search import Budget, Explanation, Search
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES
from plumbline.suites.run import replaying
from plumbline.suites.run.known_deviations import NOTHING
from plumbline.suites.run.plan_outcomes import play_plans
from plumbline.suites.run.playing import play
from plumbline.suites.run.profiles import PROFILES, Profile
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

SEED = 1

SCENARIOS_ONLY = Profile(name="scenarios only", examples=1, rules=1, replays=0)
"""All scenarios, and a machine that draws next to nothing."""


def first_of_each() -> Iterator[Any]:
    """Every variant; those whose requirements variants before them break are further cases."""
    broken: set[str] = set()
    for name, variant in FAULTY.items():
        yield further(name) if broken.issuperset(variant.requirements) else name
        broken.update(variant.requirements)


@pytest.mark.parametrize("name", first_of_each())
def test_each_requirement_that_a_variant_breaks_is_killed_and_named(name: str):
    rows = kill(FAULTY[name], find_candidate(f"faulty:{name}", seed=SEED), SCENARIOS_ONLY, SEED)
    assert [row.requirement for row in rows] == list(FAULTY[name].requirements)
    assert [(row.requirement, row.killed, row.named) for row in rows if not (row.killed and row.named)] == []


def test_registrations_lost_at_a_later_change_of_server_are_named_wherever_they_show():
    """A client that has found its server again, without its registrations, does look for servers."""
    blamed = set()
    with Session(find_candidate("faulty:loses-interest-at-the-second-change")) as session:
        for scenario in SCENARIOS.values():
            if scenario.requirements[0].startswith("FO-"):
                result = play(scenario, session, session.book, naming_ms=0)
                blamed |= set() if result.verdict is Verdict.PASS else set(result.requirements)
    assert blamed == {"FO-NONHA-09"}


def test_what_soon_explains_a_wrong_key_alone_is_not_looked_for_behind_dozens_of_others(
    monkeypatch: pytest.MonkeyPatch,
):
    scenario = SCENARIOS["what_is_sent_again_keeps_its_order"]
    with Session(find_candidate("faulty:repeats-old-values", seed=SEED)) as session:
        history = play(scenario, session, session.book, naming_ms=0).history
    assert history is not None
    looked_at: dict[int, int] = {}
    begun: list[Search] = []
    go_on = Search.go_on

    def counted(self: Search, budget: Budget) -> Explanation:
        found = go_on(self, budget)
        begun.append(self)  # so that no other is known by its number
        looked_at[id(self)] = found.states
        return found

    monkeypatch.setattr(Search, "go_on", counted)
    assert "RCV-DEDUP-01" in fault_localization.broken(history, session.book, 120_000, ["RCV-DEDUP-01"])
    # 12,000 states; 51,000 where all that may matter is asked of all keys first.
    assert sum(looked_at.values()) < 30_000


@pytest.mark.parametrize("name", ["late-wins", "announces-twice", "keeps-old-value"])
def test_the_machine_finds_a_variant_too_and_gives_a_short_plan(name: str, monkeypatch: pytest.MonkeyPatch):
    # On a busy machine a plan was still long when ten seconds were over.
    monkeypatch.setattr(faults, "SMALL_S", 120.0)
    rows = kill(FAULTY[name], find_candidate(f"faulty:{name}", seed=SEED), PROFILES["smoke"], SEED)
    assert all(0 < row.steps <= 4 for row in rows)


def served(name: str) -> str:
    """The candidate's name of a faulty variant in a process of its own."""
    words = [sys.executable, "-m", "plumbline.ci", "serve-reference", "--faulty", name]
    return f"process:{shlex.join(words)}"


@pytest.mark.parametrize("name", ["tie-last-wins", "nobody-counts"])
def test_a_variant_behind_the_protocol_is_killed_and_named_all_the_same(name: str):
    rows = kill(FAULTY[name], find_candidate(served(name)), SCENARIOS_ONLY, SEED)
    assert rows
    assert all(row.killed and row.named for row in rows)


def test_a_variant_is_found_out_only_by_what_the_capabilities_that_it_may_offer_allow():
    candidate = find_candidate("faulty:announces-twice", seed=SEED)
    core, gated = offering(candidate, CORE), offering(candidate, (*CORE, Capability.LISTENER_GATES))
    found = [
        all(row.killed for row in kill(FAULTY["announces-twice"], allowed, SCENARIOS_ONLY, SEED))
        for allowed in (core, gated, candidate)
    ]
    assert found == [False, True, True]


@pytest.mark.parametrize("name", ["late-wins", "nobody-counts", "unchecked-by-default"])
def test_a_candidate_without_the_fault_is_not_killed_and_nothing_is_named(name: str):
    rows = kill(FAULTY[name], find_candidate("reference"), SCENARIOS_ONLY, SEED)
    assert rows
    assert not any(row.killed or row.named for row in rows)


def test_every_decision_is_a_question_of_the_rulebook_and_every_question_a_decision():
    assert Rulebook().answers().keys() == DECISIONS.keys()


def test_a_variant_replaces_decisions_that_there_are_and_no_others():
    for name, variant in FAULTY.items():
        assert variant.name == name
        assert variant.replaces, name
        assert variant.rulebook(Rulebook()).replaced() == variant.replaces.keys() <= DECISIONS.keys(), name


def test_every_requirement_of_every_decision_is_broken_by_a_variant_that_makes_it_wrong():
    broken = {
        decision: {
            requirement
            for variant in FAULTY.values()
            if decision in variant.replaces
            for requirement in variant.requirements
        }
        for decision in DECISIONS
    }
    assert [decision for decision, some in broken.items() if not some] == []
    assert {
        decision: set(DECISIONS[decision].requirements) - some
        for decision, some in broken.items()
        if not set(DECISIONS[decision].requirements) <= some
    } == {}


def test_requirements_of_decisions_and_variants_are_in_the_catalogue():
    named = {id_ for decision in DECISIONS.values() for id_ in decision.requirements}
    named |= {id_ for variant in FAULTY.values() for id_ in variant.requirements}
    assert named <= all_requirements().keys()


RIGHT = [
    further(("reference", 0)),  # `suites` plays these
    ("reference:gemfire6", 0),
    ("reference:chaotic", 0),
    further(("reference:chaotic:gemfire6", 0)),
    further(("reference:chaotic", 1)),
    further(("reference:chaotic", 2)),
]


@pytest.mark.parametrize(("candidate", "seed"), RIGHT)
def test_the_reference_passes_every_scenario(candidate: str, seed: int):
    with Session(find_candidate(candidate, seed=seed)) as session:
        results = [play(scenario, session, session.book) for scenario in SCENARIOS.values()]
        unowed = {s.name for s in SCENARIOS.values() if not any(map(session.owes, s.requirements))}
    assert len(results) > len(unowed)
    assert {result.title for result in results if result.verdict is not Verdict.PASS} <= unowed


@pytest.mark.parametrize(("hangs", "verdict"), [("put", Verdict.FAIL), ("nothing", Verdict.PASS)])
def test_a_call_that_hangs_for_good_is_judged_and_the_candidate_opened_afresh(hangs: str, verdict: Verdict):
    """It is never told to have returned, so that the example cannot be ended in order."""
    opened: list[object] = []

    class Hanging(ReferenceAdapter):
        stuck: frozenset[int] = frozenset()
        died = False

        def crash(self, member: str) -> None:
            self.died = True
            super().crash(member)

        def begin(self, operation: Operation) -> None:
            if self.died and operation.kind == hangs:
                self.stuck |= {operation.op_id}
            else:
                super().begin(operation)

        def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
            return None if op_id in self.stuck else super().finish(op_id, timeout_ms)

    def opens() -> Hanging:
        opened.append(adapter := Hanging(chaotic=False, seed=0))
        return adapter

    scenario = SCENARIOS["updates_go_on_when_the_member_has_died_that_waited_for_the_lock"]
    with Session(
        Candidate(name="hanging", kind=CandidateKind.PYTHON, in_process=True, open=opens)
    ) as session:
        for _ in range(2):
            assert play(scenario, session, session.book).verdict is verdict
    assert len(opened) == (2 if verdict is Verdict.FAIL else 1)


def test_what_clears_leave_is_judged_where_logs_are_in_the_least_order():
    """Such logs leave much open: an example has to be small enough to be explained all the same."""

    def hello(self: Any) -> Any:
        told = ReferenceAdapter.hello(self)
        return msgspec.structs.replace(told, order_strength=OrderStrength.PER_KEY_AND_THREAD)

    adapter = type("InLittleOrder", (ReferenceAdapter,), {"hello": hello})
    candidate = Candidate(
        name="in little order",
        kind=CandidateKind.PYTHON,
        in_process=True,
        open=lambda: adapter(chaotic=False, seed=0),
    )
    with Session(candidate) as session:
        for scenario in SCENARIOS.values():
            if scenario.requirements[0].startswith("CLEAR-") and session.owes(scenario.requirements[0]):
                result = play(scenario, session, session.book)
                assert (result.title, result.verdict) == (result.title, Verdict.PASS)


@pytest.mark.parametrize(
    ("candidate", "examples"),
    [
        further(("reference", 30)),  # the main job draws more of them
        ("reference:chaotic", 30),
        further(("reference:chaotic", 60)),
        further(("reference:chaotic:gemfire6", 60)),
    ],
)
@pytest.mark.parametrize("machine", MACHINES)
def test_the_reference_passes_what_a_machine_draws(
    candidate: str, examples: int, machine: str, monkeypatch: pytest.MonkeyPatch
):
    # The number of states alone ends a search: what is decided must not depend on how fast the machine is.
    monkeypatch.setattr(replaying, "BUDGET", Budget(states=replaying.BUDGET.states))
    verdicts: list[Verdict] = []
    with Session(find_candidate(candidate, seed=SEED)) as session:
        trouble = play_plans(
            MACHINES[machine],
            session,
            session.book,
            profile=Profile(name="some", examples=examples, rules=12, replays=0),
            draw_seed=SEED,
            deadline=None,
            on_record=NOTHING,
            saw=lambda _, verdict, __: verdicts.append(verdict),
            progress=lambda _: None,
        )
    assert trouble.failure is None
    assert trouble.adapter_errors == 0
    assert verdicts == [Verdict.PASS] * trouble.played
    assert trouble.played >= 0.4 * examples  # Hypothesis draws some plans twice
