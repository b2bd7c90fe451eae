"""What another site sends once more and is refused for its timestamp is counted again, or not.

Who does not recognise it as repeated finds that its own site has written later (004, L30); whether that moves
conflatedEvents no document says, as of what comes first. What cannot have come again is not counted again.
"""

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
    Returned,
    Settled,
    StatisticAsked,
    StatisticRead,
)
from plumbline.reference.history.operations import (
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer, Budget

QUEUES = (
    QueueAttributes(id="to 2", site=1, remote_site=2),
    QueueAttributes(id="to 1", site=2, remote_site=1),
)

SENDER_DIES = (Fault(kind=FaultKind.CRASH, member="A"),)
RECEIVER_DIES = (Fault(kind=FaultKind.CRASH, member="C"),)
CUT = tuple(Fault(kind=kind, site=1, remote_site=2) for kind in (FaultKind.LINK_DOWN, FaultKind.LINK_UP))
ANSWERS_LOST = tuple(
    Fault(kind=kind, site=1, remote_site=2) for kind in (FaultKind.REPLIES_LOST, FaultKind.LINK_UP)
)

JUDGE = Budget(states=30_000)


def put(number: int, member: str, token: str) -> tuple[Moment, ...]:
    """A put of the one key there is, and its return."""
    operation = Operation(
        op_id=number, thread=member, member=member, region="r", kind=OperationKind.PUT, key="x", token=token
    )
    return Called(operation), Returned(number, Outcome(Status.OK))


def written_by_both(*faults: Fault, settled: bool, counted: dict[str, int]) -> History:
    """A writes, C writes when all of its site have that, faults follow, and all live tell what they counted.

    Args:
        faults: one after the other.
        settled: whether nothing was under way any more when C wrote: so what A sent was answered.
        counted: by how much the counters have moved, where they have.
    """
    faulted = [
        moment
        for number, fault in enumerate(faults)
        for moment in (FaultBegun(number, fault), FaultDone(number, fault))
    ]
    timeline = [
        *put(1, "A", "first"),
        *([Settled()] if settled else []),
        *put(2, "C", "second"),
        *faulted,
        Settled(),
    ]
    dead = {fault.member for fault in faults}
    for number, member in enumerate("ABCD"):
        if member not in dead:
            timeline.append(StatisticAsked(number, member, "conflatedEvents"))
            timeline.append(StatisticRead(number, member, "conflatedEvents", counted.get(member, 0)))
    logs = {
        member: tuple(
            Observation(
                Event(member=member, region="r", key="x", kind=EventKind.UPDATE, token=token),
                0,
                len(timeline),
            )
            for token in ("first", "second")
        )
        for member in "ABCD"
    }
    return History(
        topology=Topology((Site(1, ("A", "B")), Site(2, ("C", "D")))),
        regions=(RegionAttributes(name="r", senders=("to 2", "to 1")),),
        timeline=tuple(timeline),
        logs=logs,
        member_order=("A", "B", "C", "D"),
        queues=QUEUES,
    )


RIGHT = [
    written_by_both(*SENDER_DIES, settled=True, counted={}),
    written_by_both(*SENDER_DIES, settled=True, counted={"C": 1}),  # its heir did not know it was answered
    written_by_both(*SENDER_DIES, settled=True, counted={"D": 1}),
    written_by_both(*RECEIVER_DIES, settled=False, counted={"D": 1}),
    written_by_both(*CUT, settled=False, counted={"C": 1}),
    written_by_both(*CUT, settled=False, counted={"D": 1}),
    written_by_both(*ANSWERS_LOST, settled=False, counted={"D": 1}),
]

WRONG = [
    written_by_both(*SENDER_DIES, settled=True, counted={"C": 2}),
    written_by_both(*RECEIVER_DIES, settled=True, counted={"D": 1}),  # it was answered, and not sent again
    written_by_both(*CUT, settled=True, counted={"C": 1}),
    written_by_both(settled=False, counted={"C": 1}),
]


@pytest.mark.parametrize("history", RIGHT)
def test_what_may_have_come_once_more_is_counted_once_more_or_not(history: History):
    assert answers(history) == {Answer.EXPLAINED}


@pytest.mark.parametrize("history", WRONG)
def test_what_came_once_is_not_counted_again_nor_anything_oftener_than_it_came(history: History):
    assert answers(history) == {Answer.REFUTED}


def answers(history: History) -> set[Answer]:
    """What the search says, and what the judge says."""
    question = ask(history, Rulebook())
    return {search(history, Rulebook()).answer, judge(question.system, question.logs, JUDGE).answer}
