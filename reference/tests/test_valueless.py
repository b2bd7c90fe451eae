"""Entries without a value, and clients: what they may make of them where no document says it."""

from __future__ import annotations

import pytest

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.history.operations import Client, EventKind, OperationKind, Status
from plumbline.reference.rulebook.book import rulebook_of
from plumbline.reference.search.search import Answer
from plumbline.reference.tests.agreement import told
from plumbline.reference.tests.written import Written

GET, INVALIDATE, DESTROY = OperationKind.GET, OperationKind.INVALIDATE, OperationKind.DESTROY
K = Client(name="K", servers=("B",))
DIALECTS = tuple(Dialect)


def written_without_interest(checks: bool | None) -> Written:
    """B, the server of K, holds an entry without a value, and K has registered for nothing."""
    written = Written(K, observed="ABCK", checks=checks, registers=False)
    put = written.put(1, "A")
    written.told(put, "A", "B", "C")
    written.returns(put)
    gone = written.call(2, "A", INVALIDATE)
    written.told(gone, "A", "B", "C")
    written.returns(gone)
    written.settled()
    return written


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("checks", [None, False])
def test_a_client_that_gets_an_entry_without_a_value_may_keep_it_as_such(keeps: bool, checks: bool | None):
    written = written_without_interest(checks)
    written.returns(written.call(3, "K", GET))
    written.settled()
    written.holds("K", **({"x": None} if keeps else {}))
    assert told(written.history()) is Answer.EXPLAINED


@pytest.mark.parametrize("checks", [None, False])
def test_a_client_that_gets_an_entry_without_a_value_has_no_value_then(checks: bool | None):
    written = written_without_interest(checks)
    written.returns(written.call(3, "K", GET))
    written.settled()
    written.holds("K", x="t1")
    assert told(written.history()) is Answer.REFUTED


def test_a_client_that_gets_what_is_not_there_makes_no_entry_of_it():
    written = Written(K, observed="ABCK", registers=False)
    written.returns(written.call(1, "K", GET))
    written.settled()
    written.holds("K", x=None)
    assert told(written.history()) is Answer.REFUTED


@pytest.mark.parametrize("status", [Status.OK, Status.ABSENT])
@pytest.mark.parametrize("kind", [INVALIDATE, DESTROY, OperationKind.LOCAL_INVALIDATE])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_client_may_be_told_either_of_what_is_not_there(
    status: Status, kind: OperationKind, dialect: Dialect
):
    written = Written(K, observed="ABCK")
    written.returns(written.call(1, "K", kind), status)
    written.settled()
    for holder in "ABCK":
        written.holds(holder)
    assert told(written.history(), rulebook_of(dialect)) is Answer.EXPLAINED


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_client_that_invalidates_what_is_there_does_not_leave_its_value(dialect: Dialect):
    written = Written(K, observed="ABCK")
    put = written.put(1, "A")
    written.told(put, "A", "B", "C", "K")
    written.returns(put)
    written.settled()
    written.returns(written.call(2, "K", INVALIDATE))
    written.settled()
    written.holds("K", x="t1")
    assert told(written.history(), rulebook_of(dialect)) is Answer.REFUTED


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_a_client_invalidates_may_go_on_to_its_own_copy_or_to_everybody(dialect: Dialect):
    written = Written(K, observed="ABCK")
    gone = written.call(1, "K", INVALIDATE)
    written.returns(gone)
    if dialect is Dialect.GEODE:
        written.told(gone, "A", "B", "C", "K", kind=EventKind.INVALIDATE)
    else:
        written.told(gone, "K")
    written.settled()
    for holder in "ABCK" if dialect is Dialect.GEODE else "K":
        written.holds(holder, x=None)
    assert told(written.history(), rulebook_of(dialect)) is Answer.EXPLAINED
