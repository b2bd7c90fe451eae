"""A server fails while its client stands in a listener: what the client may be told, and what it may not."""

from __future__ import annotations

import pytest

from plumbline.reference.history.operations import Client, Operation
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told
from plumbline.reference.tests.written import Written

M = Client(name="M", servers=("B", "C"))


def held(*, behind: bool = False) -> tuple[Written, Operation]:
    """M stands in its listener for the first put, and B, its server, has died; perhaps more waited there."""
    written = Written(M, observed="ACM")
    written.arms(1, "M")
    first = written.put(1, "A", thread="T")
    written.parked(first, "M")
    written.told(first, "A", "C")
    written.returns(first)
    if behind:
        more = written.put(2, "A", thread="T")
        written.told(more, "A", "C")
        written.returns(more)
    written.crash("B")
    return written, first


def put_meanwhile(written: Written, number: int) -> Operation:
    """Another put reaches all members while M is held."""
    late = written.put(number, "A", thread="T")
    written.told(late, "A", "C")
    written.returns(late)
    return late


@pytest.mark.parametrize("is_told", [True, False])
@pytest.mark.parametrize("behind", [True, False])
def test_a_client_may_attach_to_another_server_while_its_listener_is_held(is_told: bool, behind: bool):
    written, first = held(behind=behind)
    late = put_meanwhile(written, 3)
    written.settled(("M", "x"))
    written.releases(first, "M")
    if is_told:
        written.told(late, "M")
    written.settled()
    written.holds("M", x="t3")
    assert told(written.history()) is Answer.EXPLAINED


def test_a_listener_that_is_held_is_told_nothing_else_meanwhile():
    written, first = held()
    late = put_meanwhile(written, 2)
    written.told(late, "M")
    written.settled(("M", "x"))
    written.releases(first, "M")
    written.settled()
    assert told(written.history()) is Answer.REFUTED


@pytest.mark.parametrize("left", ["t1", "t2"])
def test_a_client_does_not_keep_what_is_outdated_on_its_new_server(left: str):
    written, first = held(behind=True)
    put_meanwhile(written, 3)
    written.settled(("M", "x"))
    written.releases(first, "M")
    written.settled()
    written.holds("M", x=left)
    assert told(written.history()) is Answer.REFUTED


@pytest.mark.parametrize(("order", "answer"), [((2, 3), Answer.EXPLAINED), ((3, 2), Answer.REFUTED)])
def test_what_waited_on_the_dead_server_comes_first_or_never(order: tuple[int, int], answer: Answer):
    written = Written(M, observed="ACM", checks=False)
    written.arms(1, "M")
    puts = {1: written.put(1, "A", thread="T")}
    written.parked(puts[1], "M")
    puts[2] = written.put(2, "A", thread="T")
    written.told(puts[1], "A", "C")
    written.told(puts[2], "A", "C")
    written.crash("B")
    written.releases(puts[1], "M")
    puts[3] = written.put(3, "C", thread="U")
    for number in order:
        written.told(puts[number], "M")
    written.told(puts[3], "A", "C")
    for put in puts.values():
        written.returns(put)
    written.settled()
    written.holds("M", x="t3")
    assert told(written.history()) is answer
