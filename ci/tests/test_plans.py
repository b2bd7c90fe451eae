"""Plans as values: renamed, restricted, checked; and scenarios' plans played as what the scenarios did."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.generators.one_site import OneSiteShape, draw_plan
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.explain.remembered import remembering
from plumbline.reference.history.actions import (
    Await,
    Count,
    Do,
    Finish,
    Host,
    Inject,
    Inquire,
    Join,
    Leave,
    Look,
    Park,
    PlanStep,
    Read,
    Redeliver,
    Release,
    Script,
    ScriptQueue,
    Settle,
    Start,
)
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.join_actions import BeginJoin, EndJoin, ReleaseCopy
from plumbline.reference.history.moments import Called, Gate, NotParked, QueueRead, Redelivered, Returned
from plumbline.reference.history.operations import (
    Client,
    Interest,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Site,
    Topology,
)
from plumbline.reference.history.plan_mistakes import mistakes
from plumbline.reference.history.plan_needs import needs
from plumbline.reference.history.plans import (
    Plan,
    by_rank,
    doubly_busy,
    plan_words,
    renamed,
    restricted,
    with_steps,
)
from plumbline.reference.history.registration_actions import (
    BeginRegistration,
    EndRegistration,
    Register,
    ReleaseAnswer,
)
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.suites.harness.session import Session
from plumbline.suites.run.playing import play
from plumbline.suites.run.replaying import Judge, play_plan
from plumbline.suites.scenarios.all_scenarios import SCENARIOS

TWO_SITES = Topology((Site(1, ("A", "B")), Site(2, ("X", "Y"))))
QUEUE = QueueAttributes(id="q", site=1, remote_site=2)


def put(op_id: int, member: str = "A") -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"{member}{op_id}",
        member=member,
        region="r",
        kind=OperationKind.PUT,
        key="x",
        token=f"t{op_id}",
    )


EVERY: tuple[PlanStep, ...] = (
    Do(put(1)),
    Start(put(2, "B")),
    Park(put(3), "B"),
    Release(3, "B"),
    Finish(2),
    Settle(),
    Inject(Fault(kind=FaultKind.CRASH, member="B")),
    Look("q"),
    Await(1, "B"),
    Read("A", "r"),
    Count("B", "conflatedEvents"),
    Redeliver(1, "B"),
    Leave("A", "r"),
    Join("A", "r"),
    BeginJoin("A", "r", held=True),
    ReleaseCopy("A", "r"),
    EndJoin("A", "r"),
    Host("A", "r", checks=False, persistent=True),
    Inquire("A", "r"),
    Register(Interest(client="K", region="r", kind="regex", specification="x.*", policy="none")),
    BeginRegistration(Interest(client="K", region="r"), 9, held=True),
    ReleaseAnswer(9, "K"),
    EndRegistration(9, "K"),
    Script("B", "r", ("x", "y")),
    ScriptQueue("A", "q", ("false", "throw")),
)
"""A step of every kind."""

PLAN = Plan(TWO_SITES, (RegionAttributes(name="r"),), EVERY, (QUEUE,), (Client(name="K", servers=("B",)),))


def test_the_example_has_a_step_of_every_kind_and_all_of_them_can_be_saved_and_told():
    assert {type(step) for step in EVERY} == set(PlanStep.__args__)
    assert msgspec.json.decode(msgspec.json.encode(PLAN), type=Plan) == PLAN
    assert len(set(plan_words(PLAN))) == len(EVERY)


def test_members_change_places_everywhere_and_change_back():
    there = renamed(PLAN, {"A": "B", "B": "A"})
    assert renamed(there, {"A": "B", "B": "A"}) == PLAN
    assert there.topology == PLAN.topology
    for step, other in zip(PLAN.steps, there.steps, strict=True):
        named = [word for word in plan_words(with_steps(PLAN, [step]))[:1] if "A" in word or "B" in word]
        assert (step != other) is bool(named) or isinstance(step, Settle)
    assert there.clients == (Client(name="K", servers=("A",)),)


def test_ranks_are_those_within_a_site():
    before, now = ("A", "X", "Y", "B"), ("Y", "B", "A", "X")
    assert by_rank(TWO_SITES, before, now) == {"A": "B", "B": "A", "X": "Y", "Y": "X"}
    assert by_rank(TWO_SITES, None, now) == by_rank(TWO_SITES, before, None) == {}


def test_what_concerns_an_operation_goes_with_it():
    assert restricted(PLAN, {1, 2, 3}) == PLAN
    assert restricted(PLAN, {2}).steps == (
        *(Start(put(2, "B")), Finish(2), Settle()),
        *(
            step
            for step in EVERY
            if isinstance(
                step,
                Inject
                | Look
                | Read
                | Count
                | Leave
                | Join
                | BeginJoin
                | ReleaseCopy
                | EndJoin
                | Host
                | Inquire
                | Register
                | BeginRegistration
                | ReleaseAnswer
                | EndRegistration
                | Script
                | ScriptQueue,
            )
        ),
    )


def test_settling_twice_in_the_beginning_or_in_the_end_says_nothing():
    steps = (Settle(), Do(put(1)), Settle(), Settle(), Do(put(2)), Settle())
    assert with_steps(PLAN, steps).steps == (Do(put(1)), Settle(), Do(put(2)))


def test_a_plan_tells_what_it_takes():
    everything = {
        *(Capability.REPLICATED_REGIONS, Capability.GATEWAYS, Capability.CLIENTS, Capability.LISTENER_GATES),
        *(Capability.MEMBER_FAULTS, Capability.QUEUE_INSPECTION, Capability.STATISTICS),
        *(Capability.MESSAGE_CONTROL, Capability.CONFIGURATION, Capability.CALLBACK_SCRIPTS),
        *(Capability.CHECKS_SETTING, Capability.DISK, Capability.HELD_REGISTRATIONS),
        Capability.HELD_JOINS,
    }
    assert set(needs(PLAN)) == everything
    plain = Plan(TWO_SITES, (RegionAttributes(name="r", checks=True),), (Do(put(1)),))
    assert needs(plain) == (Capability.REPLICATED_REGIONS, Capability.CHECKS_SETTING)
    clear = msgspec.structs.replace(put(1), kind=OperationKind.CLEAR)
    regions = (RegionAttributes(name="r", policy=RegionPolicy.PARTITION),)
    assert needs(Plan(TWO_SITES, regions, (Park(clear, "A"),))) == (
        *(Capability.PARTITIONED_REGIONS, Capability.LISTENER_GATES, Capability.CLEAR),
    )


@pytest.mark.parametrize(
    ("setting", "capability"),
    [
        ({"conflate": True}, Capability.QUEUE_CONFLATION),
        ({"refused_keys": ("x",)}, Capability.EVENT_FILTERS),
        ({"withheld_keys": ("x",)}, Capability.EVENT_FILTERS),
        ({"substituted_keys": ("x",)}, Capability.EVENT_SUBSTITUTION),
        ({"failing_keys": ("x",)}, Capability.EVENT_SUBSTITUTION),
        ({"group_transactions": True}, Capability.TRANSACTION_GROUPS),
        ({"persistent": True}, Capability.DISK),
        ({"maximum_memory_mb": 1}, Capability.DISK),
        ({"parallel": True}, Capability.PARALLEL_SENDERS),
    ],
)
def test_a_plan_tells_what_its_queues_take(setting: dict[str, Any], capability: Capability):
    plain, queue = (
        Plan(TWO_SITES, (), (), (one,)) for one in (QUEUE, msgspec.structs.replace(QUEUE, **setting))
    )
    assert set(needs(queue)) - set(needs(plain)) == {capability}


@pytest.mark.parametrize(
    ("setting", "capability"),
    [
        ({"conflate": True}, Capability.SUBSCRIPTION_CONFLATION),
        ({"conflate": False}, Capability.SUBSCRIPTION_CONFLATION),
        ({"durable_id": "d"}, Capability.DURABLE_CLIENTS),
        ({"checks": True}, Capability.CHECKS_SETTING),
    ],
)
def test_a_plan_tells_what_its_clients_take(setting: dict[str, Any], capability: Capability):
    clients = (Client(name="K", servers=("A",)), Client(name="K", servers=("A",), **setting))
    plain, asking = (Plan(TWO_SITES, (), (), clients=(client,)) for client in clients)
    assert set(needs(asking)) - set(needs(plain)) == {capability}


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ((Do(put(1, "C")),), "step 1: no member 'C'"),
        ((Do(put(1)), Read("A", "s")), "step 2: no region 's'"),
        ((Look("p"),), "step 1: no queue 'p'"),
        ((Inject(Fault(kind=FaultKind.CRASH, member="K")),), "step 1: no member 'K'"),
        ((Park(put(1), "C"),), "step 1: no member 'C'"),
        ((Park(put(1), "B", "loader"),), "step 1: nothing is parked in a 'loader'"),
        ((Finish(1), Do(put(1))), "step 1: operation 1 is not called before"),
        ((Do(put(1)), Start(put(1))), "step 2: operation 1 once more"),
    ],
)
def test_what_cannot_be_carried_out_is_told(steps: tuple[PlanStep, ...], said: str):
    assert mistakes(PLAN) == []
    assert said in mistakes(msgspec.structs.replace(PLAN, steps=steps))


def test_a_queue_runs_on_members_that_there_are():
    queue = msgspec.structs.replace(QUEUE, members=("A", "Z"))
    assert mistakes(msgspec.structs.replace(PLAN, queues=(queue,))) == ["queue 'q': no member 'Z'"]


def test_a_client_stands_on_a_member_and_has_a_name_of_its_own():
    for client in (
        Client(name="A", servers=("B",)),
        Client(name="K", servers=("K",)),
        Client(name="K", servers=()),
    ):
        assert len(mistakes(msgspec.structs.replace(PLAN, steps=(), clients=(client,)))) == 1


@pytest.mark.parametrize(
    ("steps", "busy"),
    [
        ((Do(put(1)), Do(put(2))), False),
        ((Start(put(1)), Do(put(2))), True),
        ((Start(put(1)), Finish(1), Do(put(2))), False),
        ((Start(put(1)), Settle(), Do(put(2))), False),
        ((Park(put(1), "B"), Settle(), Do(put(2))), True),
        ((Park(put(1), "B"), Finish(1), Do(put(2))), True),
        ((Park(put(1), "B"), Release(1, "B"), Do(put(2))), True),
        ((Park(put(1), "B"), Release(1, "B"), Settle(), Do(put(2))), False),
        ((Park(put(1, "B"), "B"), Do(put(2)), Do(put(3))), True),
        ((Park(put(1, "B"), "B"), Do(put(2)), Release(1, "B"), Finish(2), Do(put(3))), False),
    ],
)
def test_a_thread_calls_one_operation_after_the_other(steps: tuple[PlanStep, ...], busy: bool):
    one_thread = [
        msgspec.structs.replace(
            step, operation=msgspec.structs.replace(step.operation, thread=step.operation.member)
        )
        if isinstance(step, Do | Start | Park)
        else step
        for step in steps
    ]
    assert doubly_busy(msgspec.structs.replace(PLAN, steps=tuple(one_thread))) is busy
    assert not doubly_busy(msgspec.structs.replace(PLAN, steps=steps))


@pytest.mark.parametrize("seed", range(40))
def test_no_plan_that_is_drawn_has_doubly_busy_threads(seed: int):
    draw = random.Random(seed)  # noqa: S311 - reproducible examples, not secrets
    assert not doubly_busy(draw_plan(draw, OneSiteShape(operations=20)))


def test_messages_that_never_were_are_not_delivered_again():
    absent = msgspec.structs.replace(put(1), kind=OperationKind.DESTROY)
    read = msgspec.structs.replace(put(2), kind=OperationKind.GET, token=None)
    local = msgspec.structs.replace(put(3), kind=OperationKind.LOCAL_DESTROY)
    calls = (Do(absent), Do(read), Do(put(4)), Do(local))
    again = (*(Redeliver(op_id, "B") for op_id in (1, 2, 3, 4)), Redeliver(4, "A"))
    plan = Plan(Topology((Site(1, ("A", "B")),)), (RegionAttributes(name="r"),), (*calls, *again))
    with Session(find_candidate("reference")) as session:
        history = play_plan(plan, session).history
    redelivered = [what for what in history.timeline if isinstance(what, Redelivered)]
    assert redelivered == [Redelivered(4, "B")]
    assert Judge(Rulebook()).verdict(history)[0] is Verdict.PASS


NEVER_RETURN = {"waits-for-site", "waits-for-a-replicate", "asks-nobody-else"}
"""Their calls wait for what cannot be reached, so that no plan with such a call can be carried out."""

TURNS = 6
"""One in so many variants is played; `--thorough` has all of them played."""

STEADY = sorted(FAULTY.keys() - NEVER_RETURN - {v.name for v in FAULTY.values() if v.chaotic})


@pytest.mark.parametrize(
    "variant",
    one_in(TURNS, STEADY),
)
@remembering()
def test_what_fails_as_a_scenario_fails_as_its_plan(variant: str):
    with Session(find_candidate(f"faulty:{variant}")) as session:
        judge = Judge(session.book)
        for scenario in SCENARIOS.values():
            if set(scenario.requirements).isdisjoint(FAULTY[variant].requirements):
                continue
            result = play(scenario, session, session.book, naming_ms=0)
            if result.finding is None or result.history is None:
                continue
            assert result.played is not None
            assert mistakes(result.played) == []
            if result.verdict is Verdict.FAIL:
                played = play_plan(result.played, session)
                refuted = result.finding.answer == "refuted"
                assert (judge.verdict(played.history)[0] is Verdict.FAIL) is refuted, scenario.name
                calls = [
                    [what.operation for what in history.timeline if isinstance(what, Called)]
                    for history in (result.history, played.history)
                ]
                assert calls[0] == calls[1]


def test_waiting_for_an_operation_that_a_parked_one_holds_back_ends_and_is_written_down():
    """The plan of a scenario on a candidate with a hidden lock: its second writer does not come through."""
    region = RegionAttributes(name="r")
    steps = (Park(put(1), "A"), Park(put(2, "B"), "B"), Finish(2))
    plan = Plan(Topology((Site(1, ("A", "B")),)), (region,), steps)
    with Session(find_candidate("faulty:cluster-lock")) as session:
        timeline = play_plan(plan, session).history.timeline
    assert NotParked(Gate("B", 2)) in timeline
    assert {what.op_id for what in timeline if isinstance(what, Returned)} == {1, 2}


def between_sites(*steps: PlanStep) -> Plan:
    """A plan of two sites with a sender each way."""
    region = RegionAttributes(name="r", senders=("q", "back"))
    back = QueueAttributes(id="back", site=2, remote_site=1)
    return Plan(TWO_SITES, (region,), steps, (QUEUE, back))


def link(kind: FaultKind, site: int) -> Inject:
    return Inject(Fault(kind=kind, site=site, remote_site=3 - site))


def kind_of(kind: OperationKind, operation: Operation) -> Operation:
    return msgspec.structs.replace(operation, kind=kind)


@pytest.mark.parametrize(
    "plan",
    [
        # What another site wrote is told from what the own one wrote, however versions are counted.
        between_sites(
            Do(put(1, "X")),
            link(FaultKind.LINK_DOWN, 2),
            Do(kind_of(OperationKind.REPLACE, put(2, "X"))),
            Do(kind_of(OperationKind.INVALIDATE, put(3, "B"))),
            link(FaultKind.LINK_UP, 2),
        ),
        # Only the primary's removal has to be visible; then a longer wait changes nothing.
        between_sites(Do(put(1)), link(FaultKind.REPLIES_LOST, 1), Do(put(2)), Do(put(3)), Await(3, "X")),
        between_sites(
            Do(put(1)), link(FaultKind.REPLIES_LOST, 1), Do(put(2)), Do(put(3)), Await(3, "X"), Look("q")
        ),
    ],
)
def test_what_the_reference_shows_of_two_sites_is_right(plan: Plan):
    with Session(find_candidate("reference")) as session:
        history = play_plan(plan, session).history
    assert Judge(session.book).verdict(history)[0] is Verdict.PASS


def test_what_was_answered_before_a_link_was_cut_is_seen_behind_a_settle_point():
    """The answer to an event that was applied may be lost with its link; a look tells which."""
    plan = between_sites(Do(put(1)), link(FaultKind.LINK_DOWN, 1), Settle(), Look("q"))
    depths = set()
    for seed in range(12):
        with Session(find_candidate("reference:chaotic", seed=seed)) as session:
            history = play_plan(plan, session).history
        assert Judge(session.book).verdict(history)[0] is Verdict.PASS
        shown = bool(history.logs["X"])
        sights = [what.sight.depth for what in history.timeline if isinstance(what, QueueRead)]
        depths.add((shown, sights[-1]))
    assert {(True, 0), (True, 1)} <= depths


def test_an_answer_that_is_lost_keeps_what_stands_behind_it_from_being_sent():
    """The second event crosses only if the answer to the first was heard in time."""
    plan = between_sites(Do(put(1)), link(FaultKind.REPLIES_LOST, 1), Do(put(2)))
    crossed = set()
    for seed in range(20):
        with Session(find_candidate("reference:chaotic:gemfire6", seed=seed)) as session:
            history = play_plan(plan, session).history
        assert Judge(Rulebook()).verdict(history)[0] is Verdict.PASS
        crossed.add(len(history.logs["X"]))
    assert crossed == {1, 2}
