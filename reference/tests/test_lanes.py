"""A sender of several dispatchers keeps the order of keys, or of threads, and no other."""

from __future__ import annotations

import pytest

from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation, OrderStrength
from plumbline.reference.history.moments import (
    Called,
    FaultBegun,
    FaultDone,
    Moment,
    QueueAsked,
    QueueRead,
    Returned,
    Settled,
)
from plumbline.reference.history.operations import (
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    QueueRole,
    QueueSight,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.model.sites.dependences import binds, breaks
from plumbline.reference.model.sites.lanes import DispatcherPartition, dealt_out, sender_of, told_apart
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer

TOPOLOGY = Topology((Site(1, ("A", "B")), Site(2, ("C", "D"))))
REGION = RegionAttributes(name="r", senders=("to 2", "to 1"))
BACK = QueueAttributes(id="to 1", site=2, remote_site=1)


def sender(dispatchers: int = 3, policy: str = "key") -> QueueAttributes:
    return QueueAttributes(id="to 2", site=1, remote_site=2, dispatchers=dispatchers, order_policy=policy)


def put(number: int, key: str, thread: str = "A-one") -> tuple[Moment, Moment]:
    called = Operation(
        op_id=number,
        thread=thread,
        member="A",
        region="r",
        kind=OperationKind.PUT,
        key=key,
        token=f"v{number}",
    )
    return Called(called), Returned(number, Outcome(Status.OK))


def told(*timeline: Moment, there: str, queue: QueueAttributes) -> History:
    """A history in which site 1 shows everything as it was called, and site 2 the values so named."""
    puts = {what.operation.token: what.operation for what in timeline if isinstance(what, Called)}

    def log(member: str, tokens: list[str]) -> tuple[Observation, ...]:
        return tuple(
            Observation(
                Event(member=member, region="r", key=puts[token].key, kind=EventKind.UPDATE, token=token),
                0,
                len(timeline),
            )
            for token in tokens
        )

    return History(
        topology=TOPOLOGY,
        regions=(REGION,),
        timeline=timeline,
        logs={
            **{member: log(member, [token for token in puts if token]) for member in "AB"},
            **{member: log(member, there.split()) for member in "CD"},
        },
        member_order=TOPOLOGY.members,
        order_strength=OrderStrength.TOTAL,
        queues=(queue, BACK),
    )


def answer(history: History) -> Answer:
    return search(history, Rulebook()).answer


OTHER_KEY = (*put(1, "x"), *put(2, "y"), Settled())
SAME_KEY = (*put(1, "x", "A-one"), *put(2, "x", "A-two"), Settled())


@pytest.mark.parametrize(
    ("timeline", "queue", "expected"),
    [
        (OTHER_KEY, sender(1), Answer.REFUTED),
        (OTHER_KEY, sender(3), Answer.EXPLAINED),
        (OTHER_KEY, sender(3, "partition"), Answer.EXPLAINED),
        (OTHER_KEY, sender(3, "thread"), Answer.REFUTED),
        (SAME_KEY, sender(3), Answer.REFUTED),
        (SAME_KEY, sender(3, "thread"), Answer.EXPLAINED),
    ],
    ids=[
        "one dispatcher keeps all in order",
        "keys may overtake each other",
        "so may routing objects",
        "a thread keeps its order",
        "a key keeps its order",
        "threads may overtake each other",
    ],
)
def test_what_comes_the_other_way_round(
    timeline: tuple[Moment, ...], queue: QueueAttributes, expected: Answer
):
    assert answer(told(*timeline, there="v2 v1", queue=queue)) is expected


@pytest.mark.parametrize("queue", [sender(1), sender(3), sender(3, "thread")])
def test_what_comes_in_order_may_always_come(queue: QueueAttributes):
    assert answer(told(*OTHER_KEY, there="v1 v2", queue=queue)) is Answer.EXPLAINED


def test_a_history_of_one_dispatcher_is_left_as_it_is():
    history = told(*OTHER_KEY, there="v1 v2", queue=sender(1))
    assert told_apart(history, Rulebook()) is history


def test_there_is_a_lane_for_each_key_and_the_region_feeds_all_of_them():
    history = told_apart(told(*OTHER_KEY, there="v1 v2", queue=sender(3)), Rulebook())
    lanes = [queue for queue in history.queues if isinstance(queue, DispatcherPartition)]
    assert [lane.group for lane in lanes] == ["x", "y"]
    assert not any(lane.parts_keys for lane in lanes)
    assert history.regions[0].senders == (*(lane.id for lane in lanes), "to 1")


def test_events_of_a_key_may_overtake_where_each_thread_has_a_lane():
    history = told_apart(told(*SAME_KEY, there="v1 v2", queue=sender(3, "thread")), Rulebook())
    assert all(queue.parts_keys for queue in history.queues if isinstance(queue, DispatcherPartition))


def test_a_running_sender_hands_each_group_to_one_of_its_dispatchers():
    queues, (region,) = dealt_out((sender(3), BACK), (REGION,))
    lanes = [queue for queue in queues if isinstance(queue, DispatcherPartition)]
    assert len(lanes) == 3
    assert len(region.senders) == 4
    keys = [f"k{number}" for number in range(40)]
    assert {sum(lane.has(key) for lane in lanes) for key in keys} == {1}
    assert all(any(lane.has(key) for key in keys) for lane in lanes)


def test_what_is_said_of_a_sender_is_said_of_its_lanes():
    (lane, *_), _ = dealt_out((sender(3),), (REGION,))
    pause = Fault(kind=FaultKind.PAUSE, member="A", queue="to 2")
    assert sender_of(lane) == "to 2"
    assert binds(pause, lane, ("C", "D"))
    assert breaks(pause, lane, TOPOLOGY.members)


def paused(*tokens: str, depth: int, there: str) -> History:
    """Both senders of site 1 are paused, two keys are written, all rests, and A's queue is looked at."""
    pauses = [
        moment
        for number, member in enumerate("AB")
        for fault in [Fault(kind=FaultKind.PAUSE, member=member, queue="to 2")]
        for moment in (FaultBegun(number, fault), FaultDone(number, fault))
    ]
    sight = QueueSight(depth=depth, role=QueueRole.PRIMARY, tokens=tokens, unprocessed=0)
    looks = (QueueAsked(1, "A", "to 2"), QueueRead(1, "A", "to 2", sight))
    return told(*pauses, *OTHER_KEY, *looks, there=there, queue=sender(3))


@pytest.mark.parametrize("tokens", [("v1", "v2"), ("v2", "v1")])
def test_a_pause_holds_all_dispatchers_up_and_a_look_shows_what_all_of_them_have(tokens: tuple[str, str]):
    assert answer(paused(*tokens, depth=2, there="")) is Answer.EXPLAINED


def test_a_look_shows_nothing_else():
    assert answer(paused("v1", "v3", depth=2, there="")) is Answer.REFUTED
    assert answer(paused("v1", depth=1, there="")) is Answer.REFUTED


def test_nothing_crosses_while_the_sender_is_paused():
    assert answer(paused("v2", depth=1, there="v1")) is Answer.REFUTED
