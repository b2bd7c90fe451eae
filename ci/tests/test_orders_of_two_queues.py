"""Two queues of a region may take operations that go on at the same time in two orders."""

from __future__ import annotations

from itertools import permutations

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.explain.oracle import find
from plumbline.reference.history.actions import Do, PlanStep, Settle, Start
from plumbline.reference.history.history import History, OrderStrength
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
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan

QUEUES = (QueueAttributes(id="one", site=1), QueueAttributes(id="other", site=1))
ORDERS = tuple(permutations("xy"))


def put(op_id: int, key: str) -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"thread {op_id}",
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
