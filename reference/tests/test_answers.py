"""What a receiver has answered when it stops: as much as it had dealt with, or less."""

from __future__ import annotations

import pytest

from plumbline.reference.explain.question import ask
from plumbline.reference.explain.search_stages import search
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
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer

KEYS = ("x", "y", "z")


def stopped(left: int) -> History:
    """A puts three keys, both members of site 2 tell of them and stop; so many are left in the queue then."""
    puts = [
        Operation(
            op_id=number,
            thread=f"A{number}",
            member="A",
            region="r",
            kind=OperationKind.PUT,
            key=key,
            token=f"v{number}",
        )
        for number, key in enumerate(KEYS, 1)
    ]
    stop, other = (Fault(kind=FaultKind.RECEIVER_STOP, member=member) for member in "CD")
    timeline: tuple[Moment, ...] = (
        *(QueueAsked(1, "A", "to 2"), QueueRead(1, "A", "to 2", QueueSight(depth=0, role=QueueRole.PRIMARY))),
        *map(Called, puts),
        *(Returned(put.op_id, Outcome(Status.OK)) for put in puts),
        *(FaultBegun(1, stop), FaultDone(1, stop), FaultBegun(2, other), FaultDone(2, other)),
        *(Settled(), QueueAsked(2, "A", "to 2")),
        QueueRead(2, "A", "to 2", QueueSight(depth=left, role=QueueRole.PRIMARY)),
    )
    told = tuple(
        Observation(Event(member="A", region="r", key=put.key, kind=EventKind.UPDATE, token=put.token), 2, 9)
        for put in puts
    )
    return History(
        topology=Topology((Site(1, ("A",)), Site(2, ("C", "D")))),
        regions=(RegionAttributes(name="r", senders=("to 2",)),),
        timeline=timeline,
        logs={"A": told, "C": told, "D": told},
        member_order=("A", "C", "D"),
        queues=(QueueAttributes(id="to 2", site=1, remote_site=2),),
    )


@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_some_of_what_a_receiver_had_dealt_with_may_have_been_answered_when_it_stops(left: int):
    history = stopped(left)
    question = ask(history, Rulebook())
    assert judge(question.system, question.logs).answer is Answer.EXPLAINED
    assert search(history, Rulebook()).answer is Answer.EXPLAINED
