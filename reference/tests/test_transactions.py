"""Transactions: histories written by hand, for the search and for its judge."""

from __future__ import annotations

import pytest

from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, ContentsAsked, ContentsRead, Moment, Returned, Settled
from plumbline.reference.history.operations import (
    OF_TRANSACTIONS,
    Content,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
    transactions_of,
    with_whole_transactions,
)
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told

_KINDS = {
    "b": OperationKind.TX_BEGIN,
    "c": OperationKind.TX_COMMIT,
    "r": OperationKind.TX_ROLLBACK,
    "p": OperationKind.PUT,
    "d": OperationKind.DESTROY,
    "g": OperationKind.GET,
}


def history(timeline: str) -> History:
    """A history of the replicates A and B, whose listeners were not observed.

    Args:
        timeline: `pA` puts t1 under x at A and waits, t2 if it is the second call; lower case `a` is the
            thread of A that transacts: `ba` begins, `pa` puts, `da` destroys, `ca` commits, `ra` rolls back;
            `ca-` fails; `ga=1` gets t1; `A=1` reads that A holds t1, `A=` nothing.
    """
    moments: list[Moment] = []
    called = 0
    for step in timeline.split():
        if step[0] in "AB":
            token = f"t{step[2:]}" if step[2:] else None
            entries = () if token is None else (Content("x", token),)
            number = len(moments)
            moments += [
                Settled(),
                ContentsAsked(number, step[0], "r"),
                ContentsRead(number, step[0], "r", entries),
            ]
            continue
        called += 1
        kind, caller = _KINDS[step[0]], step[1]
        nameless = kind in OF_TRANSACTIONS or kind is OperationKind.GET
        operation = Operation(
            op_id=called,
            thread=f"thread {caller}",
            member=caller.upper(),
            region="r",
            kind=kind,
            key="" if kind in OF_TRANSACTIONS else "x",
            token=None if nameless else f"t{called}",
        )
        value = f"t{step.partition('=')[2]}" if "=" in step else None
        status = Status.FAILED if step.endswith("-") else Status.OK
        moments += [Called(operation), Returned(called, Outcome(status, value))]
    return History(
        topology=Topology((Site(1, ("A", "B")),)),
        regions=(RegionAttributes(name="r"),),
        timeline=tuple(moments),
        logs={},
        member_order=("A", "B"),
    )


@pytest.mark.parametrize(
    ("timeline", "answer"),
    [
        ("ba pa ca A=2 B=2", Answer.EXPLAINED),
        ("ba pa A=2", Answer.REFUTED),
        # A commit has been acknowledged by all when it returns.
        ("ba pa ca gB=2", Answer.EXPLAINED),
        ("ba pa ca gB", Answer.REFUTED),
        ("ba pa A= B= ca B=2", Answer.EXPLAINED),
        ("ba pa ra A= B=", Answer.EXPLAINED),
        ("ba pa ra B=2", Answer.REFUTED),
        ("ba pa pa ca A=3 B=3", Answer.EXPLAINED),
        ("ba pa pa ca B=2", Answer.REFUTED),
        ("ba pa ga=2 ca A=2", Answer.EXPLAINED),
        ("ba pa gB=2 ca A=2", Answer.REFUTED),
        ("pA ba da A=1 ca A= B=", Answer.EXPLAINED),
        ("pA ba da B=", Answer.REFUTED),
        ("ba pa pB ca A=2 B=2", Answer.EXPLAINED),
        ("ba pa pB ca A=3 B=3", Answer.REFUTED),
        ("ba pa pB ca- A=3 B=3", Answer.EXPLAINED),
        ("ba pa pB ca- A=2", Answer.REFUTED),
    ],
)
def test_what_a_transaction_leaves(timeline: str, answer: Answer):
    assert told(history(timeline), Rulebook()) is answer


def test_what_a_thread_calls_between_begin_and_end_belongs_to_its_transaction():
    called = [m.operation for m in history("pa ba pa pB ca pa ba").timeline if isinstance(m, Called)]
    assert transactions_of(called) == {2: 2, 3: 2, 5: 2, 7: 7}


@pytest.mark.parametrize(
    ("kept", "whole"),
    [({1, 2, 3, 4}, {1, 2, 3, 4}), ({1, 2, 4}, {4}), ({2, 3, 4}, {4}), ({1, 3, 4}, {1, 3, 4})],
)
def test_of_a_transaction_nothing_is_left_without_its_begin_and_its_end(kept: set[int], whole: set[int]):
    called = [m.operation for m in history("ba pa ca pB").timeline if isinstance(m, Called)]
    assert with_whole_transactions(called, kept) == whole
