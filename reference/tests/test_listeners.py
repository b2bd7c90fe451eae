"""The listener of an asynchronous event queue: what it may be called with, by the search and by the judge."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from plumbline.reference.explain.question import ask
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.listener_calls import QueueCall, QueuedChange, SeenCall
from plumbline.reference.history.moments import (
    Called,
    FaultBegun,
    FaultDone,
    Moment,
    QueueAsked,
    QueueRead,
    QueueScripted,
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
from plumbline.reference.search.search import Answer, Budget, explain

Call = tuple[str, str, str]
"""The member, the numbers of the operations in its batch, and the listener's answer."""

OK = "true"


def put(number: int, member: str) -> Operation:
    """A put of a key of its own."""
    return Operation(
        op_id=number,
        thread=f"t{number}",
        member=member,
        region="r",
        kind=OperationKind.PUT,
        key=f"k{number}",
        token=f"v{number}",
    )


def history(
    members: str,
    callers: str,
    calls: Iterable[Call],
    *,
    answers: tuple[str, ...] = (),
    crash: str = "",
    depth: int | None = None,
    batch_size: int = 100,
    at_once: bool = False,
) -> History:
    """One put of each caller, one after the other or all at once, and what the listeners were called with.

    Args:
        members: of the one site, each named by a letter.
        callers: of the puts, which are numbered from 1 on.
        calls: of the listeners.
        answers: what each listener was told to answer.
        crash: the member that dies behind the last put.
        depth: how many events the first member's copy of the queue held in the end.
        batch_size: of the queue.
        at_once: whether all puts are under way at once.
    """
    timeline: list[Moment] = [QueueScripted(member, "q", answers) for member in members if answers]
    puts = [put(number, member) for number, member in enumerate(callers, 1)]
    ended = [Returned(one.op_id, Outcome(Status.OK)) for one in puts]
    if at_once:
        timeline += [*map(Called, puts), *ended]
    else:
        timeline += [moment for one, end in zip(puts, ended, strict=True) for moment in (Called(one), end)]
    ends = len(timeline)
    if crash:
        fault = Fault(kind=FaultKind.CRASH, member=crash)
        timeline += [FaultBegun(1, fault), FaultDone(1, fault)]
    timeline.append(Settled())
    if depth is not None:
        sight = QueueSight(depth=depth, role=QueueRole.PRIMARY)
        timeline += [QueueAsked(1, members[0], "q"), QueueRead(1, members[0], "q", sight)]
    return History(
        topology=Topology((Site(1, tuple(members)),)),
        regions=(RegionAttributes(name="r", queues=("q",)),),
        queues=(QueueAttributes(id="q", site=1, batch_size=batch_size),),
        member_order=tuple(members),
        timeline=tuple(timeline),
        logs={
            member: tuple(
                Observation(
                    Event(member=member, region="r", key=one.key, kind=EventKind.CREATE, token=one.token),
                    0,
                    ends,
                )
                for one in puts
            )
            for member in members
        },
        calls=tuple(
            SeenCall(
                QueueCall(
                    member=member,
                    queue="q",
                    events=tuple(
                        QueuedChange(region="r", key=f"k{one}", kind=EventKind.CREATE, token=f"v{one}")
                        for one in batch
                    ),
                    answer=answer,
                ),
                0,
                len(timeline) - 1,
            )
            for member, batch, answer in calls
        ),
    )


RIGHT = {
    "one by one": history("AB", "AB", [("A", "1", OK), ("A", "2", OK)]),
    "all at once": history("AB", "ABA", [("A", "123", OK)]),
    "on the other member": history("AB", "AB", [("B", "1", OK), ("B", "2", OK)]),
    "failed and again": history(
        "A", "AA", [("A", "1", "false"), ("A", "1", OK), ("A", "2", OK)], answers=("false",)
    ),
    "failed and grown": history("A", "AA", [("A", "1", "throw"), ("A", "12", OK)], answers=("throw",)),
    "again after a takeover": history("AB", "AB", [("A", "1", OK), ("B", "12", OK)], crash="A"),
    "once in spite of a takeover": history("AB", "AB", [("A", "1", OK), ("B", "2", OK)], crash="A"),
    "failed before a takeover": history(
        "AB",
        "AB",
        [("A", "12", "false"), ("B", "1", "false"), ("B", "12", OK)],
        answers=("false",),
        crash="A",
    ),
    "empty in the end": history("AB", "AB", [("A", "12", OK)], depth=0),
}

WRONG = {
    "lost": history("AB", "AB", [("A", "1", OK)]),
    "out of order": history("AB", "AB", [("A", "2", OK), ("A", "1", OK)]),
    "on two members": history("AB", "AB", [("A", "1", OK), ("B", "2", OK)]),
    "twice": history("AB", "A", [("A", "1", OK), ("A", "1", OK)]),
    "failed and lost": history("A", "AA", [("A", "1", "false"), ("A", "2", OK)], answers=("false",)),
    "failed and shorter": history(
        "A", "AA", [("A", "12", "throw"), ("A", "1", OK), ("A", "2", OK)], answers=("throw",)
    ),
    "failed and turned": history("A", "AA", [("A", "12", "throw"), ("A", "21", OK)], answers=("throw",)),
    "empty": history("A", "A", [("A", "1", OK), ("A", "", OK)]),
    "too large": history("A", "AAA", [("A", "123", OK)], batch_size=2),
    "lost at a takeover": history("AB", "AB", [("A", "1", OK)], crash="A"),
    "out of order after a takeover": history(
        "AB", "AB", [("A", "12", OK), ("B", "2", OK), ("B", "1", OK)], crash="A"
    ),
    "kept in the end": history("AB", "AB", [("A", "12", OK)], depth=1),
}


@pytest.mark.parametrize("seen", RIGHT.values(), ids=RIGHT)
def test_what_a_listener_may_receive_is_explained_and_by_the_judge(seen: History) -> None:
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
    return found.answer, judge(asked.system, asked.logs, Budget(200_000)).answer
