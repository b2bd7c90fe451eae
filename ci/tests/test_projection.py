"""Projections of histories to fewer operations, on random examples of the reference."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.benchmarks import consistency as consistency_benchmarks
from plumbline.ci.selftest.benchmarks import faults as fault_benchmarks
from plumbline.ci.selftest.generators import two_sites
from plumbline.ci.selftest.generators.one_site import OneSiteShape, draw_plan, run_on_reference
from plumbline.ci.selftest.generators.right_runs import rightly_showing_less
from plumbline.reference.explain.key_decomposition import parts, timetable_of
from plumbline.reference.explain.key_priority import suspects
from plumbline.reference.explain.projection import HistoryPart, part_of, project
from plumbline.reference.explain.question import ask
from plumbline.reference.explain.search_stages import search, sought
from plumbline.reference.history.actions import Await, Do, Finish, Inject, Park, Release, Settle
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.moments import (
    Called,
    ContentsRead,
    Returned,
    Settled,
    SettledBut,
    StatisticRead,
    Waited,
)
from plumbline.reference.history.operations import (
    Client,
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    RegionAttributes,
    Scope,
    Site,
    Status,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.ordering import GuidedOrder, RandomOrder, by_what_shows
from plumbline.reference.search.search import Answer, Budget, Position, explain
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.scenarios.sites import queues, regions
from plumbline.suites.scenarios.sites import topology as sites_topology

SEEDS = range(60)


def example(seed: int) -> History:
    draw = random.Random(seed)  # noqa: S311 - reproducible examples, not secrets
    shape = OneSiteShape(operations=10, keys=("x", "y", "z"), looks=0.3, settled=0.1, redelivered=0.1)
    return rightly_showing_less(run_on_reference(draw_plan(draw, shape), shape, seed=seed), draw)


def operations(history: History) -> list[Operation]:
    return [what.operation for what in history.timeline if isinstance(what, Called)]


def answer(history: History) -> Answer:
    return search(history, Rulebook(), Budget(states=50_000)).answer


@pytest.mark.parametrize("seed", SEEDS)
def test_keys_do_not_know_each_other_so_what_is_right_of_all_is_right_of_some(seed: int):
    history = example(seed)
    assert answer(history) is Answer.EXPLAINED
    for keys in ("x", "y", "z", "xy", "yz"):
        about = project(history, {op.op_id for op in operations(history) if op.key in keys})
        assert about is not None
        # What kept a call from its end may be among the operations that were left out.
        assert sought(about, Rulebook(), Budget(states=50_000))[0].answer is Answer.EXPLAINED
        assert {op.key for op in operations(about)} <= set(keys)
        assert {shown.event.key for log in about.logs.values() for shown in log} <= set(keys)
        read = [what for what in about.timeline if isinstance(what, ContentsRead)]
        assert {entry.key for what in read for entry in what.entries} <= set(keys)


@pytest.mark.parametrize("seed", SEEDS)
def test_with_all_operations_it_is_the_same_history(seed: int):
    history = example(seed)
    assert project(history, {op.op_id for op in operations(history)}) == history


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_tells_of_an_operation_that_was_left_out(seed: int):
    history = example(seed)
    draw = random.Random(seed)  # noqa: S311 - reproducible examples, not secrets
    left_out = draw.sample(operations(history), 4)
    tokens = {op.token for op in left_out} - {None}
    about = project(history, {op.op_id for op in operations(history)} - {op.op_id for op in left_out})
    if about is None:
        assert any(isinstance(w, Returned) and w.outcome.value in tokens for w in history.timeline)
        return
    text = msgspec.json.encode((about.timeline, about.logs)).decode()
    assert [token for token in tokens if f'"{token}"' in text] == []
    least = len(about.timeline)
    for log in about.logs.values():
        for shown in log:
            assert 0 <= shown.after <= shown.before <= least


def put(op_id: int, key: str = "x", kind: OperationKind = OperationKind.PUT) -> Operation:
    return Operation(
        op_id=op_id, thread=f"A{op_id}", member="A", region="r", kind=kind, key=key, token=f"t{op_id}"
    )


def made(*timeline: object, log: tuple[Observation, ...] = (), named: bool = True) -> History:
    return msgspec.structs.replace(
        example(0), timeline=timeline, logs={"A": log}, callback_arguments=named, member_order=None
    )


OK = Outcome(Status.OK)


def test_what_was_waited_for_in_vain_stays_only_if_no_other_stood_in_the_way():
    before, after = Waited("before"), Waited("after")
    history = made(
        Called(put(1)),
        before,
        Returned(1, OK),
        Called(put(2)),
        after,
        Settled((("A", "x"),)),
        Returned(2, OK),
    )
    one, other = project(history, {1}), project(history, {2})
    assert one is not None
    assert other is not None
    assert one.timeline == (Called(put(1)), before, Returned(1, OK))
    assert other.timeline == (Called(put(2)), after, Settled((("A", "x"),)), Returned(2, OK))


def test_a_count_to_which_others_may_have_contributed_is_left_out_unless_it_is_zero():
    nothing, something = (
        StatisticRead(1, "A", "conflatedEvents", 0),
        StatisticRead(2, "A", "conflatedEvents", 1),
    )
    first = StatisticRead(3, "A", "conflatedEvents", 1)
    about = project(made(first, Called(put(1)), nothing, something), set())
    assert about is not None
    assert about.timeline == (first, nothing)


def test_an_event_without_a_token_stays_while_it_may_be_about_what_is_kept():
    destroys = [put(n, key, OperationKind.DESTROY) for n, key in ((1, "x"), (2, "x"), (3, "y"))]
    events = [Event(member="A", region="r", key=key, kind=EventKind.DESTROY, token=None) for key in "xy"]
    log = tuple(Observation(event, 0, 3) for event in events)
    history = made(*map(Called, destroys), log=log, named=False)
    for kept, keys in (({1, 2, 3}, "xy"), ({2}, "x"), ({3}, "y"), (set(), "")):
        about = project(history, kept)
        assert about is not None
        assert [shown.event.key for shown in about.logs["A"]] == list(keys)


def test_what_returned_the_value_of_another_cannot_be_looked_at_alone():
    read = msgspec.structs.replace(put(2, kind=OperationKind.GET), token=None)
    history = made(Called(put(1)), Returned(1, OK), Called(read), Returned(2, Outcome(Status.OK, "t1")))
    assert project(history, {2}) is None
    assert project(history, {1}) is not None


def of_clients(*servers: str) -> History:
    """A client stands in its listener, so that it is not told of another key, however long one waits."""
    first, second = (
        Operation(
            op_id=number,
            thread=f"A{number}",
            member="A",
            region="r",
            kind=OperationKind.PUT,
            key=key,
            token=f"t{number}",
        )
        for number, key in enumerate("yx", 1)
    )
    steps = (Park(first, "K"), Finish(1), Do(second), Finish(2), Await(2, "K"), Release(1, "K"))
    client = Client(name="K", servers=servers)
    plan = Plan(
        Topology((Site(1, ("A", "B", "C")),)), (RegionAttributes(name="r"),), steps, clients=(client,)
    )
    with Session(find_candidate("reference")) as session:
        return play_plan(plan, session).history


def test_what_holds_up_a_client_is_left_out_of_other_keys_with_all_that_waited_for_it():
    history = of_clients("B")
    assert any(isinstance(what, Waited) for what in history.timeline)
    found = list(parts(history, 1))
    assert [{op.key for op in operations(part.history)} for part in found] == [{"y"}, {"x"}]
    assert [answer(part.history) for part in found] == [Answer.EXPLAINED] * 2


def test_what_a_receiver_stands_at_holds_up_the_other_keys_that_its_site_is_sent():
    plan = Plan(
        Topology((Site(1, ("A",)), Site(2, ("C",)))),
        (RegionAttributes(name="r", senders=("to 2",)),),
        (Park(put(1, "y"), "C"), Do(put(2)), Settle(), Release(1, "C")),
        queues=(QueueAttributes(id="to 2", site=1, remote_site=2),),
    )
    with Session(find_candidate("reference")) as session:
        history = play_plan(plan, session).history
    assert sum(isinstance(what, Settled) for what in history.timeline) == 2
    found = {
        key: part.history for part in parts(history, 1) for key in {op.key for op in operations(part.history)}
    }
    assert {key: sum(isinstance(what, Settled) for what in part.timeline) for key, part in found.items()} == {
        "x": 1,  # behind y it had not come by then
        "y": 2,
    }
    assert {answer(part) for part in found.values()} == {Answer.EXPLAINED}


def of_lost_answers() -> History:
    """The last put waits in its queue, behind the unanswered events, until the link is mended."""
    lost = Fault(kind=FaultKind.REPLIES_LOST, site=1, remote_site=2)
    plan = Plan(
        Topology((Site(1, ("A", "B")), Site(2, ("C",)))),
        (RegionAttributes(name="r", senders=("to 2",)),),
        (Inject(lost), Do(put(1, "y")), Do(put(2)), Settle(), Inject(mending(lost))),
        queues=(QueueAttributes(id="to 2", site=1, remote_site=2, batch_size=1),),
    )
    return two_sites.run_on_reference(plan)


def mending(lost: Fault) -> Fault:
    return msgspec.structs.replace(lost, kind=FaultKind.LINK_UP)


def alone(history: History, key: str) -> History:
    (found,) = [
        part.history for part in parts(history, 1) if {op.key for op in operations(part.history)} == {key}
    ]
    return found


def test_what_waits_behind_another_key_for_lost_answers_may_wait_alone_as_well():
    history = of_lost_answers()
    rests = [what for what in alone(history, "x").timeline if isinstance(what, Settled)]
    assert rests == [SettledBut((), ("to 2",)), Settled()]
    (told,) = alone(history, "x").logs["C"]
    assert alone(history, "x").timeline[told.after - 1] == rests[0]
    assert answer(alone(history, "x")) is Answer.EXPLAINED


def test_what_waits_for_no_queue_has_happened_by_then_of_each_key_alone():
    history = of_lost_answers()
    late = msgspec.structs.replace(
        history.logs["B"][1], after=history.logs["C"][1].after, before=len(history.timeline)
    )
    wrong = msgspec.structs.replace(history, logs={**history.logs, "B": (history.logs["B"][0], late)})
    assert answer(alone(wrong, "x")) is Answer.REFUTED
    assert answer(alone(wrong, "y")) is Answer.EXPLAINED


def test_clients_of_several_servers_are_asked_for_all_keys_only():
    assert not list(parts(of_clients("B", "C"), 1))


def test_keys_that_are_suspected_are_asked_first():
    (kind,) = [k for k in fault_benchmarks.KINDS if (k.name, k.operations) == ("two faults", 40)]
    history = fault_benchmarks.draw_example(kind, 1, spoilt=False)
    named = [frozenset((op.region, op.key) for op in operations(part.history)) for part in parts(history, 2)]
    (first, *others) = parts(history, 2, {named[-1]})
    assert len(named) == 6
    assert {(op.region, op.key) for op in operations(first.history)} == named[-1]
    assert len(others) == 5


def test_runs_of_single_keys_lead_to_a_run_of_all_of_them():
    (kind,) = [k for k in consistency_benchmarks.KINDS if (k.name, k.operations) == ("three sites", 40)]
    history = consistency_benchmarks.draw_example(kind, 5, spoilt=False)
    question = ask(history, Rulebook())
    few = Budget(states=3 * question.logs.total, patience=question.logs.total)
    missed = explain(question.system, question.logs, few, order=by_what_shows)
    assert missed.answer is Answer.UNKNOWN
    runs = []
    for part in parts(history, 1):
        alone = ask(part.history, Rulebook())
        runs.append((part, explain(alone.system, alone.logs)))
    timetable = timetable_of(runs)
    led = explain(question.system, question.logs, few, order=GuidedOrder(timetable, question.logs.clock))
    assert led.answer is Answer.EXPLAINED
    assert led.states < 2.5 * question.logs.total
    called = {
        what.operation.op_id: at for at, what in enumerate(history.timeline) if isinstance(what, Called)
    }
    times = [(at, called[name[2]]) for name, (at, _) in timetable.items() if name[0] == "applies"]
    assert len(times) >= 30
    assert all(at > moment for at, moment in times)


def test_who_searches_all_keys_is_led_by_runs_of_single_ones():
    # In no other order that is tried this is found with so few states.
    (kind,) = [k for k in fault_benchmarks.KINDS if (k.name, k.operations) == ("two faults", 40)]
    history = fault_benchmarks.draw_example(kind, 19, spoilt=False)
    few = Budget(states=3 * ask(history, Rulebook()).logs.total)
    assert search(history, Rulebook(), few).answer is Answer.EXPLAINED


def test_of_many_keys_those_are_taken_alone_first_of_which_logs_tell_where_explaining_ended(
    monkeypatch: pytest.MonkeyPatch,
):
    (kind,) = [k for k in fault_benchmarks.KINDS if (k.name, k.operations) == ("crash", 200)]
    history = fault_benchmarks.draw_example(kind, 5, spoilt=True)
    taken = []

    def counted(*arguments: Any) -> HistoryPart | None:
        taken.append(arguments)
        return part_of(*arguments)

    monkeypatch.setattr("plumbline.reference.explain.key_decomposition.part_of", counted)
    assert search(history, Rulebook()).answer is Answer.REFUTED
    assert 0 < len(taken) <= 5, "of two hundred"


def test_where_two_orders_come_to_one_place_and_no_further_pairs_are_asked_before_others_are_drawn(
    monkeypatch: pytest.MonkeyPatch,
):
    history = two_faults(40, spoilt=True)
    drawn = []

    def counted(seed: int) -> RandomOrder:
        drawn.append(seed)
        return RandomOrder(seed)

    monkeypatch.setattr("plumbline.reference.explain.search_stages.RandomOrder", counted)
    assert search(history, Rulebook()).answer is Answer.REFUTED
    assert drawn == []


def two_faults(seed: int, *, spoilt: bool = False) -> History:
    (kind,) = [k for k in fault_benchmarks.KINDS if (k.name, k.operations) == ("two faults", 200)]
    return fault_benchmarks.draw_example(kind, seed, spoilt=spoilt)


def test_a_key_of_which_a_member_shows_what_it_cannot_hold_is_suspected_with_every_other():
    question = ask(two_faults(16, spoilt=True), Rulebook())
    some = Budget(states=3 * question.logs.total)
    found = explain(question.system, question.logs, some)
    found_out = suspects(question, found.frontier)
    assert {"".join(sorted(key for _, key in pair)) for pair in found_out.pairs} == {"wz", "xz", "yz"}
    assert {key for _, key in found_out.keys} == {"z"}


def test_keys_of_which_a_log_is_to_tell_one_after_the_other_are_suspected_of_each_other():
    history = two_faults(2)
    question = ask(history, Rulebook())
    beginning = Position(question.system.initial(), HashedMap(), question.logs.total)
    told_first = {frozenset(shown.event.key for shown in log[:2]) for log in history.logs.values()}
    pairs = suspects(question, [beginning]).pairs
    assert {frozenset(key for _, key in pair) for pair in pairs} == {
        keys for keys in told_first if len(keys) == 2
    }
    assert pairs


def test_each_key_of_a_transaction_keeps_its_begin_and_its_commit():
    """A key whose transaction is left out looks as if it was destroyed without any call."""
    senders = queues(100)
    kinds = [
        (OperationKind.PUT, "x"),
        (OperationKind.TX_BEGIN, ""),
        (OperationKind.DESTROY, "x"),
        (OperationKind.PUT, "y"),
        (OperationKind.TX_COMMIT, ""),
    ]
    called = [
        Operation(
            op_id=number, thread="B0", member="B", region="region", kind=kind, key=key,
            token=f"v{number}" if key else None,
        )
        for number, (kind, key) in enumerate(kinds, 1)
    ]  # fmt: skip
    plan = Plan(
        sites_topology(2), regions(senders, Scope.ACK, None)[:1], (*map(Do, called), Settle()), senders
    )
    with Session(find_candidate("reference")) as session:
        history = play_plan(plan, session).history
    assert history is not None
    alone = list(parts(history, 1))
    assert [[op.op_id for op in operations(part.history)] for part in alone] == [[1, 2, 3, 5], [2, 4, 5]]
    assert [answer(part.history) for part in alone] == [Answer.EXPLAINED, Answer.EXPLAINED]


def test_a_counter_that_one_key_has_moved_is_explained_among_other_keys():
    """Two dispatchers lose their member: a repetition of x is counted, and the order of y and z is open."""
    topology, senders = sites_topology(2), queues(100, dispatchers=2)
    calls = [
        Operation(
            op_id=op_id,
            thread=f"A{op_id}",
            member="A",
            region="region",
            kind=OperationKind.PUT,
            key=key,
            token=f"v{op_id}",
        )
        for op_id, key in enumerate("xxyz", 1)
    ]
    crash = Inject(Fault(kind=FaultKind.CRASH, member="A"))
    then = (Do(calls[1]), Do(calls[2]), Do(calls[3]), crash, Release(1, "C"), Settle())
    plan = Plan(topology, regions(senders, Scope.ACK, None)[:1], (Park(calls[0], "C"), *then), senders)
    with Session(find_candidate("reference")) as session:
        history = play_plan(plan, session).history
        assert any(isinstance(what, StatisticRead) and what.delta for what in history.timeline)
        assert search(history, session.book, Budget(states=60_000)).answer is Answer.EXPLAINED
