"""Records: a secondary may forget what its primary has discarded, and nothing else, before it takes over."""

from __future__ import annotations

import msgspec
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
    Settled,
)
from plumbline.reference.history.operations import (
    Event,
    EventKind,
    Operation,
    OperationKind,
    QueueAttributes,
    QueueRole,
    QueueSight,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer

QUEUE = QueueAttributes(id="to 2", site=1, remote_site=2)
CRASH = Fault(kind=FaultKind.CRASH, member="A")
CUT = Fault(kind=FaultKind.LINK_DOWN, site=1, remote_site=2)


def put(number: int, member: str) -> Called:
    """A put of the one key there is, with the member's name for a value."""
    return Called(
        Operation(
            op_id=number,
            thread=member,
            member=member,
            region="r",
            kind=OperationKind.PUT,
            key="x",
            token=member,
        )
    )


def primary_dies(*called: Called, logs: dict[str, str], records: int | None) -> History:
    """A is primary, and dies when nothing more happens; then B shows so many records, if it is asked.

    Args:
        called: at once.
        logs: the values of which each member is told, in order.
        records: how many B shows before it takes over.
    """
    sight = QueueSight(depth=0, role=QueueRole.SECONDARY, tokens=(), unprocessed=records)
    looks = (QueueAsked(1, "B", QUEUE.id), QueueRead(1, "B", QUEUE.id, sight))
    before: tuple[Moment, ...] = (*called, Settled()) if len(called) > 1 else called
    timeline = (
        *before,
        FaultBegun(1, CRASH),
        FaultDone(1, CRASH),
        *(() if records is None else looks),
        Settled(),
    )
    return History(
        topology=Topology((Site(1, ("A", "B")), Site(2, ("C", "D")))),
        regions=(RegionAttributes(name="r", senders=(QUEUE.id,)),),
        timeline=timeline,
        logs={
            member: tuple(
                Observation(
                    Event(member=member, region="r", key="x", kind=EventKind.UPDATE, token=token),
                    0,
                    len(timeline) - 1,
                )
                for token in logs[member]
            )
            for member in "ABCD"
        },
        member_order=("B", "A", "C", "D"),
        queues=(QUEUE,),
    )


def discarded(told: str, records: int | None) -> History:
    """A discards the update of B: both wrote at the same time, and A has the higher id."""
    logs = {"A": "A", "B": "BA", "C": told, "D": told}
    return primary_dies(put(1, "A"), put(2, "B"), logs=logs, records=records)


def left_to_send(depth: int) -> History:
    """As `discarded`, while nothing can leave; B, which is primary now, shows how much it is to send."""
    whole = discarded("", None)
    sight = QueueSight(depth=depth, role=QueueRole.PRIMARY)
    cut = (FaultBegun(2, CUT), FaultDone(2, CUT))
    looks = (QueueAsked(1, "B", QUEUE.id), QueueRead(1, "B", QUEUE.id, sight))
    return msgspec.structs.replace(whole, timeline=(*cut, *whole.timeline, *looks))


def unreceived(told: str, records: int | None) -> History:
    """What B writes A never hears of."""
    logs = {"A": "", "B": "B", "C": told, "D": told}
    return primary_dies(put(1, "B"), logs=logs, records=records)


def queued(told: str, records: int | None) -> History:
    """What B writes A shows, too."""
    logs = {"A": "B", "B": "B", "C": told, "D": told}
    return primary_dies(put(1, "B"), logs=logs, records=records)


def answers(history: History) -> set[Answer]:
    """What the search says, and what the judge says."""
    question = ask(history, Rulebook())
    return {search(history, Rulebook()).answer, judge(question.system, question.logs).answer}


@pytest.mark.parametrize(
    "right",
    [
        discarded("A", 0),  # forgotten while A lived, or when it was dead
        discarded("A", 1),  # forgotten afterwards, from what A had sent before
        discarded("AB", 1),  # never forgotten, so that it is sent
        discarded("A", None),
        discarded("AB", None),
        left_to_send(1),
        left_to_send(2),
        unreceived("B", 1),
        queued("B", None),
    ],
)
def test_what_was_discarded_is_forgotten_or_kept_and_what_was_not_is_kept(right: History):
    assert answers(right) == {Answer.EXPLAINED}


@pytest.mark.parametrize(
    "wrong",
    [
        discarded("AB", 0),  # no member sends an event whose record it dropped
        unreceived("", 0),
        unreceived("", 1),
        unreceived("", None),
        queued("", None),
        left_to_send(0),
    ],
)
def test_nobody_forgets_what_its_primary_has_not_discarded_nor_sends_what_it_has_forgotten(wrong: History):
    assert answers(wrong) == {Answer.REFUTED}
