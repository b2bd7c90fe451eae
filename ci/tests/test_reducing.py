"""Failing plans made small, on candidates that fail every time, now and then, or break meanwhile."""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec
import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import Candidate, CandidateKind, find_candidate
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.protocol import Introduction, SettleResult
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.adapters.tests.small_adapter import SmallAdapter
from plumbline.ci.selftest.generators.one_site import OneSiteShape, draw_plan
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.explain.decision_log import Asked
from plumbline.reference.history.actions import Do, Inject, Look, Park, PlanStep, Release, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, FaultDone, QueueRead
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    QueueRole,
    QueueSight,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan, operations_of, restricted
from plumbline.reference.results.deviations import Deviation
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.suites.harness.session import Session
from plumbline.suites.run import reducer as reducing
from plumbline.suites.run.reducer import ReducerLimits, reduce
from plumbline.suites.run.replaying import Judge, Played, play_plan

JUDGE = Judge(Rulebook())


def of(name: str, adapter: Callable[[], Adapter]) -> Candidate:
    return Candidate(name=name, kind=CandidateKind.PYTHON, in_process=True, open=adapter)


def failing(session: Session, operations: int = 14) -> Played:
    """The first failing example of some that are drawn."""
    for seed in range(300):
        draw = random.Random(seed)  # noqa: S311 - reproducible examples, not secrets
        played = play_plan(draw_plan(draw, OneSiteShape(operations=operations, keys=("x", "y"))), session)
        if JUDGE.verdict(played.history)[0] is Verdict.FAIL:
            return played
    raise AssertionError("no example fails")


def removable(plan: Plan, candidate: Candidate) -> list[int]:
    """The operations without any of which the plan fails all the same."""
    every = {operation.op_id for operation in operations_of(plan)}
    with Session(candidate) as session:
        return [
            op_id
            for op_id in every
            if JUDGE.verdict(play_plan(restricted(plan, every - {op_id}), session).history)[0] is Verdict.FAIL
        ]


@pytest.mark.parametrize(
    "variant",
    one_in(
        2,
        ["tie-keeps-own", "skips-a-member", "announces-twice", "receiver-recounts", "destroy-keeps-version"],
    ),
)
def test_of_what_is_left_no_operation_can_be_left_out(variant: str):
    candidate = find_candidate(f"faulty:{variant}")
    with Session(candidate) as session:
        found = failing(session)
        reduced = reduce(found, session, JUDGE)
        assert JUDGE.verdict(reduced.played.history)[0] is Verdict.FAIL
        assert JUDGE.verdict(play_plan(reduced.played.plan, session).history)[0] is Verdict.FAIL
    assert removable(found.plan, candidate), "a reducer that does nothing would be seen"
    assert removable(reduced.played.plan, candidate) == []
    assert reduced.reduction.minimal
    assert reduced.reduction.operations_before == len(operations_of(found.plan)) == 14
    assert len(operations_of(reduced.played.plan)) <= 4
    assert reduced.reduction.runs <= 60


@pytest.mark.parametrize("suspected", [set(), {1}, None], ids=["nothing", "one", "too much"])
def test_a_model_that_suspects_the_wrong_operations_costs_runs_and_nothing_else(
    suspected: set[int] | None, monkeypatch: pytest.MonkeyPatch
):
    def suspects(played: Played, *_: object) -> set[int]:
        every = {operation.op_id for operation in operations_of(played.plan)}
        return every if suspected is None else suspected

    monkeypatch.setattr(reducing, "suspects", suspects)
    candidate = find_candidate("faulty:tie-keeps-own")
    with Session(candidate) as session:
        reduced = reduce(failing(session), session, JUDGE)
    assert reduced.reduction.minimal
    assert removable(reduced.played.plan, candidate) == []


class Unsteady(ReferenceAdapter):
    """Wrong in one example of three."""

    wrong = FAULTY["tie-keeps-own"].rulebook(Rulebook())

    def __init__(self) -> None:
        super().__init__()
        self.examples = 0

    def behave(self, book: Rulebook, topology: Topology, regions: tuple[RegionAttributes, ...]) -> None:
        ReferenceAdapter.__init__(self, book)
        self.deploy(topology)
        ReferenceAdapter.reset(self, regions)

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        self.examples += 1
        assert self._topology is not None
        self.behave(self.wrong if self.examples % 3 == 0 else Rulebook(), self._topology, regions)


def test_what_fails_now_and_then_is_made_small_and_still_fails_now_and_then():
    with Session(of("unsteady", Unsteady)) as session:
        found = failing(session)
        reduced = reduce(found, session, JUDGE, limits=ReducerLimits(runs=1_000))
        again = [JUDGE.verdict(play_plan(reduced.played.plan, session).history)[0] for _ in range(3)]
    assert reduced.tries > 1
    assert again.count(Verdict.FAIL) == 1
    assert reduced.reduction.minimal
    assert len(operations_of(reduced.played.plan)) <= 4
    assert removable(reduced.played.plan, find_candidate("faulty:tie-keeps-own")) == []


class SteadyWithAKey(Unsteady):
    """Wrong in every example in which the first write is of the key `steady`; else in three of four."""

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        self.examples += 1
        assert self._topology is not None
        self.now = (self._topology, regions)
        self.behave(self.wrong if self.examples % 4 else Rulebook(), *self.now)

    def begin(self, operation: Operation) -> None:
        if operation.key == "steady":
            self.behave(self.wrong, *self.now)
        super().begin(operation)


def put(op_id: int, member: str, key: str = "x", kind: OperationKind = OperationKind.PUT) -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"{member}{op_id}",
        member=member,
        region="r",
        kind=kind,
        key=key,
        token=f"t{op_id}",
    )


def tie(*before: Do) -> Plan:
    low, high = put(11, "A"), put(12, "C")
    steps: tuple[PlanStep, ...] = (
        *before,
        Park(low, "A"),
        Park(high, "C"),
        Release(11, "A"),
        Release(12, "C"),
    )
    return Plan(Topology((Site(1, ("A", "B", "C")),)), (RegionAttributes(name="r"),), steps)


def test_what_fails_every_time_does_not_end_as_what_fails_now_and_then():
    with Session(of("steady", SteadyWithAKey)) as session:
        found = play_plan(tie(Do(put(1, "A", "steady")), Do(put(2, "B", "y"))), session)
        reduced = reduce(found, session, JUDGE)
        again = [JUDGE.verdict(play_plan(reduced.played.plan, session).history)[0] for _ in range(6)]
    assert again == [Verdict.FAIL] * 6
    assert {operation.key for operation in operations_of(reduced.played.plan)} == {"steady", "x"}


@pytest.mark.parametrize(("runs", "smaller"), [(0, False), (2, False), (8, True)])
def test_with_the_budget_used_up_the_best_so_far_is_kept(runs: int, smaller: bool):
    with Session(find_candidate("faulty:announces-twice")) as session:
        found = failing(session)
        told: list[int] = []
        limits = ReducerLimits(runs=runs)
        reduced = reduce(found, session, JUDGE, limits=limits, progress=lambda done, _: told.append(done))
        assert told == [*range(1, runs + 1), runs]
        assert reduced.reduction.runs == runs
        assert not reduced.reduction.minimal
        assert JUDGE.verdict(reduced.played.history)[0] is Verdict.FAIL
        assert JUDGE.verdict(play_plan(reduced.played.plan, session).history)[0] is Verdict.FAIL
        assert (len(operations_of(reduced.played.plan)) < 14) is smaller, "two runs show that it is steady"


def test_no_time_is_no_budget_either():
    with Session(find_candidate("faulty:announces-twice")) as session:
        found = failing(session)
        reduced = reduce(found, session, JUDGE, limits=ReducerLimits(seconds=0.0))
    assert reduced.played == found
    assert reduced.reduction.runs == 0
    assert not reduced.reduction.minimal


class Dying(ReferenceAdapter):
    """Wrong, and dead for good from some example on."""

    examples = 0
    last = 0

    def __init__(self) -> None:
        super().__init__(FAULTY["tie-keeps-own"].rulebook(Rulebook()))

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        type(self).examples += 1
        if self.examples > self.last:
            raise AdapterError("dead")
        super().reset(regions)


@pytest.mark.parametrize("after", [0, 2, 8])
def test_a_candidate_that_dies_meanwhile_leaves_what_was_found_and_a_session_for_others(
    after: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(Dying, "examples", 0)
    monkeypatch.setattr(Dying, "last", 10**9)
    with Session(of("dying", Dying)) as session:
        found = failing(session)
        monkeypatch.setattr(Dying, "last", Dying.examples + after)
        reduced = reduce(found, session, JUDGE)
        assert not session.given_up
    assert JUDGE.verdict(reduced.played.history)[0] is Verdict.FAIL
    assert not reduced.reduction.minimal


class TwoSites(SmallAdapter):
    """Two sites with a queue between them, where everything is well and faults do nothing."""

    def hello(self) -> Introduction:
        needed = (Capability.REPLICATED_REGIONS, Capability.GATEWAYS)
        faults = (Capability.MEMBER_FAULTS, Capability.LINK_FAULTS)
        return Introduction(name="two sites", version="1", capabilities=(*needed, *faults))

    def create_queue(self, queue: QueueAttributes) -> None:
        pass

    def link(self, source: str, target: str, state: str) -> None:
        pass

    def crash(self, member: str) -> None:
        pass

    def settle(self, timeout_ms: int) -> SettleResult:
        del timeout_ms
        return SettleResult(settled=True)

    def look_at_queue(self, member: str, queue: str) -> QueueSight:
        del member, queue
        return QueueSight(depth=0, role=QueueRole.PRIMARY)


class FailsWhere(Judge, frozen=True):
    """Takes an example for wrong if it shows all of these."""

    shows: tuple[Callable[[object], bool], ...] = ()

    def verdict(self, history: History, asked: Asked | None = None) -> tuple[Verdict, tuple[Deviation, ...]]:
        del asked
        fails = all(any(map(shown, history.timeline)) for shown in self.shows)
        return (Verdict.FAIL if fails else Verdict.PASS), ()


def called(op_id: int) -> Callable[[object], bool]:
    return lambda what: isinstance(what, Called) and what.operation.op_id == op_id


def cut(kind: FaultKind) -> Inject:
    return Inject(Fault(kind=kind, site=1, remote_site=2))


@pytest.mark.slow
def test_faults_and_looks_that_do_not_matter_are_left_out_on_two_sites():
    topology = Topology((Site(1, ("A", "B", "C")), Site(2, ("X", "Y"))))
    steps = (
        Do(put(1, "A", "y")),
        cut(FaultKind.LINK_DOWN),
        Do(put(2, "A")),
        Look("q"),
        Start(put(3, "X")),
        cut(FaultKind.LINK_UP),
        Settle(),
        Inject(Fault(kind=FaultKind.CRASH, member="B")),
        Look("q"),
        Do(put(4, "C")),
    )
    queue = QueueAttributes(id="q", site=1, remote_site=2)
    plan = Plan(topology, (RegionAttributes(name="r", senders=("q",)),), steps, (queue,))

    def cut_off(what: object) -> bool:
        return isinstance(what, FaultDone) and what.fault.kind is FaultKind.LINK_DOWN

    judge = FailsWhere(Rulebook(), shows=(cut_off, called(3)))
    with Session(of("two sites", TwoSites)) as session:
        reduced = reduce(play_plan(plan, session), session, judge)
    left = reduced.played.plan
    assert left.steps == (cut(FaultKind.LINK_DOWN), Do(put(3, "X")))
    assert [len(site.members) for site in left.topology.sites] == [1, 1]
    assert "X" in left.members
    assert left.queues == (queue,)
    assert reduced.reduction.minimal

    looked = FailsWhere(Rulebook(), shows=(called(3), lambda what: isinstance(what, QueueRead)))
    with Session(of("two sites", TwoSites)) as session:
        kept = reduce(play_plan(plan, session), session, looked).played.plan.steps
    assert Look("q") in kept
    assert len(kept) == 2


def test_no_thread_is_made_to_call_two_operations_at_once(monkeypatch: pytest.MonkeyPatch):
    calls = [msgspec.structs.replace(put(op_id, "A"), thread="one") for op_id in (1, 2)]
    steps: tuple[PlanStep, ...] = (Start(calls[0]), Settle(), Start(calls[1]))
    both = FailsWhere(Rulebook(), shows=(called(1), called(2)))
    # Were calls made simpler first, there would be nothing to hold apart.
    monkeypatch.setattr(reducing, "_instead", lambda plan, _: plan)
    with Session(find_candidate("reference")) as session:
        found = play_plan(msgspec.structs.replace(tie(), steps=steps), session)
        assert reduce(found, session, both).played.plan.steps == steps


def test_a_plan_is_tried_as_often_as_it_takes_to_see_it_fail():
    assert reducing.tries_for(3, 3) == reducing.tries_for(5, 3) == 1
    assert 1 < reducing.tries_for(2, 3) < reducing.tries_for(1, 3) <= reducing.MOST_TRIES
    assert reducing.tries_for(0, 3) == reducing.tries_for(-2, 3) == reducing.MOST_TRIES
