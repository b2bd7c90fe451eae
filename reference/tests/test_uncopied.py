"""A primary that dies in a call: behind telling its peers, and before it copied its queue entry."""

from __future__ import annotations

import pytest

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation
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
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told

SENDER = "to 2"


def told_there(member: str, put: Operation) -> Event:
    return Event(member=member, region="r", key=put.key, kind=EventKind.UPDATE, token=put.token)


def killed(told_of: str, queued: str) -> History:
    """A, whose queue sends, puts y and is killed; B puts x. B and C are told of both; nothing reaches site 2.

    Args:
        told_of: the keys in the order in which B is told of them.
        queued: the keys in the order in which the queues of B and C hold their events.
    """
    calls = {
        key: Operation(
            op_id=number,
            thread=f"{member}1",
            member=member,
            region="r",
            kind=OperationKind.PUT,
            key=key,
            token=f"v{number}",
        )
        for number, (key, member) in enumerate((("y", "A"), ("x", "B")), 1)
    }
    cut = Fault(kind=FaultKind.LINK_DOWN, site=1, remote_site=2)
    dies = Fault(kind=FaultKind.CRASH, member="A")
    tokens = tuple(calls[key].token for key in queued)
    seen = QueueSight(depth=len(queued), role=QueueRole.PRIMARY, tokens=tokens)
    copy = QueueSight(depth=len(queued), role=QueueRole.SECONDARY, tokens=tokens)
    empty = QueueSight(depth=0, role=QueueRole.PRIMARY, tokens=())
    timeline: tuple[Moment, ...] = (
        *(QueueAsked(1, "A", SENDER), QueueRead(1, "A", SENDER, empty)),
        *(FaultBegun(1, cut), FaultDone(1, cut), Called(calls["y"]), FaultBegun(2, dies), FaultDone(2, dies)),
        *(Returned(1, Outcome(Status.INDEFINITE)), Called(calls["x"]), Returned(2, Outcome(Status.OK))),
        Settled(),
        *(QueueAsked(2, "B", SENDER), QueueRead(2, "B", SENDER, seen)),
        *(QueueAsked(3, "C", SENDER), QueueRead(3, "C", SENDER, copy)),
    )
    logs = {
        member: tuple(Observation(told_there(member, calls[key]), 4, 10) for key in keys)
        for member, keys in (("A", ""), ("B", told_of), ("C", "xy"), ("D", ""))
    }
    return History(
        topology=Topology((Site(1, ("A", "B", "C")), Site(2, ("D",)))),
        regions=(RegionAttributes(name="r", senders=(SENDER,)),),
        timeline=timeline,
        logs=logs,
        queues=(QueueAttributes(id=SENDER, site=1, remote_site=2),),
        member_order=("A", "B", "C", "D"),
    )


@pytest.mark.parametrize(
    ("told_of", "queued", "answer"),
    [
        ("yx", "yx", Answer.EXPLAINED),
        ("xy", "yx", Answer.EXPLAINED),
        ("xy", "xy", Answer.EXPLAINED),
        ("yx", "xy", Answer.REFUTED),
    ],
    ids=["copied", "copied and told of late", "recorded behind it", "recorded before it"],
)
def test_what_was_not_copied_is_queued_as_the_survivor_heard_of_it(told_of: str, queued: str, answer: Answer):
    assert told(killed(told_of, queued)) is answer


@pytest.mark.parametrize("queued", ["x", "xyy"])
def test_it_is_neither_lost_nor_queued_twice(queued: str):
    assert told(killed("xy", queued)) is Answer.REFUTED
