"""Parallel asynchronous event queues: what listeners may be called with, by search and judge."""

from __future__ import annotations

import pytest

from plumbline.reference.explain.question import ask
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.listener_calls import QueueCall, QueuedChange, SeenCall
from plumbline.reference.history.moments import (
    Called,
    FaultBegun,
    FaultDone,
    Located,
    Moment,
    QueueAsked,
    QueueRead,
    QueueScripted,
    Returned,
    Settled,
)
from plumbline.reference.history.operations import (
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    QueueRole,
    QueueSight,
    RegionAttributes,
    RegionPolicy,
    Site,
    Status,
    Topology,
)
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer, Budget, explain

Call = tuple[str, str, str]
"""The member, the numbers of the operations in its batch, and the listener's answer."""

OK = "true"
PLACES = {"a": ("A", "B"), "b": ("B", "A")}
"""For each key its primary and the member with its redundant copy; E holds neither."""


def history(
    keys: str,
    calls: list[Call],
    *,
    answers: tuple[str, ...] = (),
    crash: str = "",
    depths: dict[str, int] | None = None,
    paused: str = "",
) -> History:
    """A put of each of these keys by E, one after the other, and what the listeners were called with.

    Args:
        keys: the keys.
        calls: in the order in which they came.
        answers: what the listener on A is to answer.
        crash: a member that dies at last.
        depths: for some members how many events they are seen to hold at the end.
        paused: a member that begins no batch.
    """
    operations = [
        Operation(
            op_id=number,
            thread="t",
            member="E",
            region="r",
            kind=OperationKind.PUT,
            key=key,
            token=f"v{number}",
        )
        for number, key in enumerate(keys, 1)
    ]
    timeline: list[Moment] = [Located("r", key, place[0], (place[1],)) for key, place in PLACES.items()]
    if answers:
        timeline.append(QueueScripted("A", "q", answers))
    if paused:
        pause = Fault(kind=FaultKind.PAUSE, member=paused, queue="q")
        timeline += [FaultBegun(1, pause), FaultDone(1, pause)]
    for operation in operations:
        timeline += [Called(operation), Returned(operation.op_id, Outcome(Status.OK))]
    if crash:
        fault = Fault(kind=FaultKind.CRASH, member=crash)
        timeline += [FaultBegun(2, fault), FaultDone(2, fault)]
    timeline.append(Settled(()))
    for number, (member, depth) in enumerate((depths or {}).items(), 1):
        sight = QueueSight(depth=depth, role=QueueRole.PRIMARY)
        timeline += [QueueAsked(number, member, "q"), QueueRead(number, member, "q", sight)]
    seen = tuple(
        SeenCall(
            QueueCall(
                member=member,
                queue="q",
                events=tuple(
                    QueuedChange(region="r", key=keys[int(one) - 1], kind=EventKind.CREATE, token=f"v{one}")
                    for one in batch
                ),
                answer=answer,
            ),
            0,
            len(timeline) - 1,
        )
        for member, batch, answer in calls
    )
    return History(
        topology=Topology((Site(1, ("A", "B", "E")),)),
        regions=(RegionAttributes(name="r", policy=RegionPolicy.PARTITION, redundancy=1, queues=("q",)),),
        queues=(QueueAttributes(id="q", site=1, parallel=True),),
        timeline=tuple(timeline),
        logs={},
        calls=seen,
    )


RIGHT = {
    "each for its own": history("ab", [("A", "1", OK), ("B", "2", OK)]),
    "in any order across keys": history("abab", [("B", "24", OK), ("A", "1", OK), ("A", "3", OK)]),
    "failed and grown": history("aa", [("A", "1", "throw"), ("A", "12", OK)], answers=("throw",)),
    "paused on one": history("ab", [("B", "2", OK)], paused="A", depths={"A": 1, "B": 1, "E": 0}),
    "again after a promotion": history("aa", [("A", "12", OK), ("B", "12", OK)], crash="A"),
    "not again after a promotion": history("aa", [("A", "12", OK)], crash="A"),
    "the rest after a promotion": history("aa", [("A", "1", OK), ("B", "2", OK)], crash="A"),
    "drained": history("a", [("A", "1", OK)], depths={"A": 0, "B": 0, "E": 0}),
}

WRONG = {
    "lost": history("ab", [("A", "1", OK)]),
    "by the copy": history("a", [("B", "1", OK)]),
    "by both": history("a", [("A", "1", OK), ("B", "1", OK)]),
    "out of order": history("aa", [("A", "21", OK)]),
    "failed and lost": history("aa", [("A", "1", "false"), ("A", "2", OK)], answers=("false",)),
    "held by all": history("a", [], paused="A", depths={"A": 1, "B": 1, "E": 1}),
    "held by one": history("a", [], paused="A", depths={"A": 1, "B": 0, "E": 0}),
    "lost at a promotion": history("aa", [("A", "1", OK)], crash="A"),
    "turned at a promotion": history("aa", [("B", "21", OK)], crash="A"),
    "kept by the primary": history("a", [("A", "1", OK)], depths={"A": 1}),
}


@pytest.mark.parametrize("seen", RIGHT.values(), ids=RIGHT)
def test_what_listeners_may_receive_is_explained_and_by_the_judge(seen: History) -> None:
    assert answers_of(seen) == (Answer.EXPLAINED, Answer.EXPLAINED)


@pytest.mark.parametrize("seen", WRONG.values(), ids=WRONG)
def test_what_no_listener_may_receive_is_refuted_and_by_the_judge(seen: History) -> None:
    assert answers_of(seen) == (Answer.REFUTED, Answer.REFUTED)


def answers_of(seen: History) -> tuple[Answer, Answer]:
    """What the search says, and the judge."""
    book = Rulebook()
    question = ask(seen, book)
    found = explain(question.system, question.logs, Budget(20_000), book.replaced())
    asked = ask(seen, book)
    return found.answer, judge(asked.system, asked.logs, Budget(400_000)).answer
