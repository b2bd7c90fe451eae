"""Clears: in which order members empty their copies and are told, and what no order allows."""

from __future__ import annotations

import pytest

from plumbline.reference.history.operations import OperationKind
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told
from plumbline.reference.tests.written import Written

CLEAR = OperationKind.CLEAR


def test_a_clear_may_reach_the_others_while_its_own_listener_is_held():
    written = Written(observed="ABC")
    written.arms(1, "C")
    clear = written.call(1, "C", CLEAR)
    written.parked(clear, "C")
    written.told(clear, "A", "B")
    written.settled(("C", ""))
    written.releases(clear, "C")
    written.returns(clear)
    written.settled()
    assert told(written.history()) is Answer.EXPLAINED


def test_a_clear_may_wait_with_the_others_until_its_own_listener_goes_on():
    written = Written(observed="ABC")
    written.arms(1, "C")
    clear = written.call(1, "C", CLEAR)
    written.parked(clear, "C")
    written.settled(("C", ""))
    written.releases(clear, "C")
    written.returns(clear)
    written.told(clear, "A", "B")
    written.settled()
    assert told(written.history()) is Answer.EXPLAINED


@pytest.mark.parametrize("own", ["told before", "told behind"])
def test_the_clearing_member_may_be_told_before_the_others_or_behind_them(own: str):
    written = Written(observed="ABC")
    put = written.put(1, "A")
    written.returns(put)
    written.told(put, "A", "B", "C")
    written.settled()
    written.arms(2, "B")
    clear = written.call(2, "C", CLEAR)
    if own == "told before":
        written.told(clear, "C")
    written.parked(clear, "B")
    if own == "told behind":
        written.holds("C", x="t1")
        written.told(clear, "C")
    written.told(clear, "A")
    written.settled(("B", ""))
    written.releases(clear, "B")
    written.returns(clear)
    written.settled()
    assert told(written.history()) is Answer.EXPLAINED


def test_a_clear_does_not_return_while_its_own_listener_is_held():
    written = Written(observed="ABC")
    written.arms(1, "C")
    clear = written.call(1, "C", CLEAR)
    written.parked(clear, "C")
    written.told(clear, "A", "B")
    written.returns(clear)
    written.releases(clear, "C")
    written.settled()
    assert told(written.history()) is Answer.REFUTED


def test_no_copy_stays_as_it_was_when_the_clear_has_returned():
    for holder in "ABC":
        written = Written(observed="ABC")
        put = written.put(1, "A")
        written.returns(put)
        written.told(put, "A", "B", "C")
        written.settled()
        clear = written.call(2, "C", CLEAR)
        written.returns(clear)
        written.told(clear, "A", "B", "C")
        written.holds(holder, x="t1")
        written.settled()
        assert told(written.history()) is Answer.REFUTED


def test_an_update_waits_while_the_clearing_member_has_still_to_empty_its_copy():
    written = Written(observed="ABC")
    put = written.put(1, "A")
    written.returns(put)
    written.told(put, "A", "B", "C")
    written.settled()
    written.arms(2, "A")
    clear = written.call(2, "C", CLEAR)
    written.parked(clear, "A")
    late = written.put(3, "B", "y")
    written.told(late, "B")
    written.holds("C", x="t1")
    written.told(late, "A", "C")
    written.told(clear, "B", "C")
    written.releases(clear, "A")
    written.returns(clear)
    written.returns(late)
    written.settled()
    assert told(written.history()) is Answer.REFUTED
