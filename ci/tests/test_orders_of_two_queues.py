"""Two queues of a region may take operations that go on at the same time in two orders."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.explain.oracle import find
from plumbline.reference.explain.question import Late, ask
from plumbline.reference.history.actions import Do, PlanStep, Settle, Start
from plumbline.reference.history.history import History, Observation, OrderStrength
from plumbline.reference.history.listener_calls import QueueCall, QueuedChange, SeenCall
from plumbline.reference.history.operations import (
    EventKind,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.model.sites.late_entries import is_entering
from plumbline.reference.model.system import Model
from plumbline.reference.model.world import CallStage, World
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.search import Answer, Cursor
from plumbline.reference.search.transition import Logs, Place
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan

QUEUES = (QueueAttributes(id="one", site=1), QueueAttributes(id="other", site=1))
ORDERS = tuple(permutations("xy"))
MOST_WORLDS = 3_000
LATER = "v later"


SITES = Topology((Site(1, ("A", "B")), Site(2, ("C",))))
BOTH_KINDS = (QueueAttributes(id="out", site=1, remote_site=2), QUEUES[0])


def put(op_id: int, key: str, thread: str = "") -> Operation:
    return Operation(
        op_id=op_id,
        thread=thread or f"thread {op_id}",
        member="A",
        region="r",
        kind=OperationKind.PUT,
        key=key,
        token=f"v {key}",
    )


def received(*steps: PlanStep, **orders: tuple[str, ...]) -> History:
    """What is seen of these steps; the listeners of the two queues receive the keys in these orders."""
    region = RegionAttributes(name="r", queues=tuple(queue.id for queue in QUEUES))
    plan = Plan(Topology((Site(1, ("A", "B")),)), (region,), (*steps, Settle()), QUEUES)
    with Session(find_candidate("reference", seed=1)) as session:
        history = play_plan(plan, session).history
    last = max(seen.before for seen in history.calls)
    calls = (
        SeenCall(
            QueueCall(
                member="A",
                queue=queue,
                events=tuple(
                    QueuedChange(region="r", key=key, kind=EventKind.UPDATE, token=f"v {key}") for key in keys
                ),
                answer="true",
            ),
            0,
            last,
        )
        for queue, keys in orders.items()
    )
    return msgspec.structs.replace(history, calls=tuple(calls), order_strength=OrderStrength.PER_KEY)


AT_ONCE = (Start(put(1, "x")), Start(put(2, "y")))


@pytest.mark.parametrize("one", ORDERS)
@pytest.mark.parametrize("other", ORDERS)
def test_operations_at_the_same_time_may_come_to_two_listeners_in_two_orders(
    one: tuple[str, ...], other: tuple[str, ...]
):
    assert find(received(*AT_ONCE, one=one, other=other), Rulebook()).answer is Answer.EXPLAINED


def test_one_behind_the_other_come_to_each_listener_in_their_order():
    in_turn = (Do(put(1, "x")), Do(put(2, "y")))
    assert find(received(*in_turn, one=ORDERS[0], other=ORDERS[0]), Rulebook()).answer is Answer.EXPLAINED
    for one, other in ((ORDERS[0], ORDERS[1]), (ORDERS[1], ORDERS[0])):
        assert find(received(*in_turn, one=one, other=other), Rulebook()).answer is Answer.REFUTED


def test_what_one_listener_misses_is_missed():
    assert find(received(*AT_ONCE, one=("x", "y"), other=("x",)), Rulebook()).answer is Answer.REFUTED


def beside_a_sender(*steps: PlanStep, at_other_site: str, listener: str) -> Answer:
    """What is found of these steps if their keys come so to the other site, and so to the listener."""
    return find(seen_of(steps, at_other_site, listener), Rulebook()).answer


def seen_of(steps: tuple[PlanStep, ...], at_other_site: str, listener: str) -> History:
    """What is seen of these steps then."""
    region = RegionAttributes(name="r", senders=("out",), queues=("one",))
    plan = Plan(SITES, (region,), (*steps, Settle()), BOTH_KINDS)
    with Session(find_candidate("reference", seed=1)) as session:
        history = play_plan(plan, session).history
    last = max(seen.before for seen in history.calls)
    event = next(iter(history.logs["C"])).event
    shown = (msgspec.structs.replace(event, key=key, token=f"v {key}") for key in at_other_site)
    there = [Observation(event=event, after=0, before=last) for event in shown]
    logs = history.logs | {
        member: tuple(
            Observation(msgspec.structs.replace(one.event, member=member), 0, last) for one in there
        )
        for member in SITES.sites[1].members
    }
    changes = (QueuedChange(region="r", key=k, kind=EventKind.UPDATE, token=f"v {k}") for k in listener)
    call = QueueCall(member="A", queue="one", events=tuple(changes), answer="true")
    calls = (SeenCall(call, 0, last),)
    return msgspec.structs.replace(history, logs=logs, calls=calls, order_strength=OrderStrength.TOTAL)


THREE = (*AT_ONCE, Start(put(3, "z")))


@pytest.mark.parametrize("listener", ["".join(keys) for keys in permutations("xyz")])
@pytest.mark.parametrize("at_other_site", ["xyz", "zxy", "yxz"])
def test_operations_at_the_same_time_may_go_to_another_site_and_to_a_listener_in_two_orders(
    at_other_site: str, listener: str
):
    assert beside_a_sender(*THREE, at_other_site=at_other_site, listener=listener) is Answer.EXPLAINED


@pytest.mark.parametrize("orders", [("xy", "yx"), ("yx", "xy"), ("yx", "yx")])
def test_in_turn_they_go_to_both_in_their_order(orders: tuple[str, str]):
    site, listener = orders
    steps = (Do(put(1, "x")), Do(put(2, "y")))
    assert beside_a_sender(*steps, at_other_site=site, listener=listener) is Answer.REFUTED


@pytest.mark.parametrize(("at_other_site", "listener"), [("xyz", "yzx"), ("yxz", "xyz")])
def test_two_in_turn_keep_their_order_beside_a_third(at_other_site: str, listener: str):
    steps = (Start(put(1, "x")), Do(put(2, "y", "one")), Do(put(3, "z", "one")))
    assert beside_a_sender(*steps, at_other_site=at_other_site, listener=listener) is Answer.EXPLAINED
    assert beside_a_sender(*steps, at_other_site="zyx", listener=listener) is Answer.REFUTED
    assert beside_a_sender(*steps, at_other_site=at_other_site, listener="zxy") is Answer.REFUTED


def worlds_of(model: Model, logs: Logs) -> Iterator[World]:
    """The first worlds that the model alone can be in with these logs."""
    view = Cursor(logs, reduced=False)
    begun = [(model.initial(), HashedMap[Place, int]())]
    seen = set(begun)
    for world, used in begun:
        yield world
        view.move(used)
        taken = ((step.state, view.take(step)) for step in model.steps(world, view))
        new = {(state, one[0]) for state, one in taken if one is not None} - seen
        seen |= new
        begun += new if len(begun) < MOST_WORLDS else ()


def test_an_event_that_has_yet_to_enter_a_queue_keeps_its_call_from_returning():
    model, logs = ask(
        seen_of((Start(put(1, "x")), Start(put(2, "y"))), "xy", "yx"), Rulebook(), late=Late.ANY
    )
    late = 0
    for world in worlds_of(model, logs):
        for op_id in world.calls:
            if is_entering(world, model.setting, op_id):
                assert not list(model.timeline.returned(world, op_id))
                late += world.calls[op_id].stage is CallStage.SENT and not world.calls[op_id].waiting
    assert late > 0


def test_an_event_that_has_yet_to_enter_a_queue_holds_its_key():
    again = msgspec.structs.replace(put(3, "x"), token=LATER)
    steps = (Start(put(1, "x")), Start(put(2, "y")), Start(again))
    model, logs = ask(seen_of(steps, "xyx", "yx"), Rulebook(), late=Late.ANY)
    late = 0
    for world in worlds_of(model, logs):
        for (member, _), sender in world.wan.senders.items():
            for event in sender.entering:
                assert (
                    world.entry(member, "r", model.setting.operations[event.op_id].key).token == event.token
                )
                late += event.op_id == 1 and 3 in world.calls
    assert late > 0
