"""Quiescence: what must have happened before a candidate may report that nothing more happens."""

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

VALUE = "v1"


def sight(role: QueueRole) -> QueueSight:
    """An empty queue, or copy of one."""
    return QueueSight(depth=0, role=role)


def primary_dies(then: QueueRole) -> History:
    """A puts, and dies once its event has passed; when nothing more happens B is looked at."""
    put = Operation(
        op_id=1, thread="A1", member="A", region="r", kind=OperationKind.PUT, key="x", token=VALUE
    )
    crash = Fault(kind=FaultKind.CRASH, member="A")
    timeline = (
        *(QueueAsked(1, "A", "to 2"), QueueRead(1, "A", "to 2", sight(QueueRole.PRIMARY))),
        *(Called(put), Returned(1, Outcome(status=Status.OK)), FaultBegun(1, crash), FaultDone(1, crash)),
        *(Settled(), QueueAsked(2, "B", "to 2"), QueueRead(2, "B", "to 2", sight(then))),
    )
    told = (
        Observation(
            Event(member="A", region="r", key="x", kind=EventKind.CREATE, token=VALUE), after=3, before=4
        ),
    )
    return History(
        topology=Topology((Site(1, ("A", "B")), Site(2, ("C",)))),
        regions=(RegionAttributes(name="r", senders=("to 2",)),),
        timeline=timeline,
        logs={"A": told, "B": told, "C": told},
        member_order=("A", "B", "C"),
        queues=(QueueAttributes(id="to 2", site=1, remote_site=2),),
    )


@pytest.mark.parametrize(
    ("then", "answer"),
    [(QueueRole.PRIMARY, Answer.EXPLAINED), (QueueRole.SECONDARY, Answer.REFUTED)],
)
def test_nothing_is_at_rest_before_somebody_has_taken_over(then: QueueRole, answer: Answer):
    # The dead primary's notices of removals may be on their way for long; quiescence does not wait for them.
    history = primary_dies(then)
    question = ask(history, Rulebook())
    assert judge(question.system, question.logs).answer is answer
    assert search(history, Rulebook()).answer is answer
