"""Answers of real servers that are held on their way to a client: to registrations, and to gets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.ci.tests.further_cases import further
from plumbline.reference.history.moments import ANSWER, Gate
from plumbline.reference.history.operations import (
    Client,
    Content,
    Interest,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    Site,
    Status,
    Topology,
)

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode.geode_adapter import GeodeAdapter

pytestmark = pytest.mark.java

REGION = RegionAttributes(name="r")
LIMIT_MS = 15_000
ALL = Interest(client="K", region="r")


@pytest.fixture(scope="module", params=["1.15.1", further("1.2.1")])
def cluster(request: pytest.FixtureRequest) -> Iterator[GeodeAdapter]:
    with GeodeAdapter(request.param) as adapter:
        yield adapter


@pytest.fixture
def adapter(cluster: GeodeAdapter) -> GeodeAdapter:
    """An example with a client of two servers, one of which stands by, and one value."""
    cluster.deploy(Topology((Site(1, ("A", "B", "C")),)))
    cluster.reset((REGION,))
    cluster.start_client(Client(name="K", servers=("B", "C"), redundancy=1))
    call(cluster, 1, "A", OperationKind.PUT)
    return cluster


def operation(number: int, caller: str, kind: OperationKind) -> Operation:
    token = f"t{number}" if kind is OperationKind.PUT else None
    return Operation(
        op_id=number, thread=f"of {caller}", member=caller, region="r", kind=kind, key="k", token=token
    )


def call(adapter: GeodeAdapter, number: int, caller: str, kind: OperationKind) -> Outcome | None:
    adapter.begin(operation(number, caller, kind))
    return adapter.finish(number, LIMIT_MS)


def held(adapter: GeodeAdapter) -> list[str | None]:
    found = adapter.contents("K", "r") or ()
    return [content.token for content in found]


def test_nothing_of_an_answer_is_applied_while_it_is_held(adapter: GeodeAdapter):
    adapter.begin_interest(7, ALL, held=True)
    assert adapter.await_answer(7, LIMIT_MS)
    assert held(adapter) == []
    assert adapter.finish_interest(7, 0) is None
    call(adapter, 2, "A", OperationKind.PUT)
    assert adapter.settle(LIMIT_MS).settled, "a settle does not wait for the events of this client"
    adapter.release_answer(7)
    assert adapter.finish_interest(7, LIMIT_MS) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert adapter.contents("K", "r") == (Content("k", "t2"),)


def test_a_client_calls_while_an_answer_is_held(adapter: GeodeAdapter):
    adapter.begin_interest(7, ALL, held=True)
    assert adapter.await_answer(7, LIMIT_MS)
    assert call(adapter, 2, "K", OperationKind.PUT) == Outcome(Status.OK)
    adapter.release_answer(7)
    assert adapter.finish_interest(7, LIMIT_MS) is Status.OK
    assert held(adapter) == ["t2"]


def test_an_answer_that_is_not_held_is_not_waited_for(adapter: GeodeAdapter):
    adapter.begin_interest(7, ALL, held=False)
    assert adapter.finish_interest(7, LIMIT_MS) is Status.OK
    assert held(adapter) == ["t1"]


def test_a_held_answer_goes_with_its_server(adapter: GeodeAdapter):
    adapter.begin_interest(7, ALL, held=True)
    assert adapter.await_answer(7, LIMIT_MS)
    adapter.crash("B")
    assert adapter.finish_interest(7, LIMIT_MS) is Status.OK, "the other server was asked"
    assert adapter.settle(LIMIT_MS).settled
    assert held(adapter) == ["t1"]


def test_a_client_has_one_answer_under_way_at_a_time(adapter: GeodeAdapter):
    adapter.begin_interest(7, ALL, held=True)
    with pytest.raises(UnsupportedError, match="one answer under way"):
        adapter.begin_interest(8, ALL, held=False)
    with pytest.raises(AdapterError, match="7 is under way"):
        adapter.begin_interest(7, ALL, held=False)
    with pytest.raises(AdapterError, match="9 is not under way"):
        adapter.release_answer(9)


def test_the_next_example_waits_for_no_answer_of_the_last_one(adapter: GeodeAdapter):
    adapter.begin_interest(7, ALL, held=True)
    assert adapter.await_answer(7, LIMIT_MS)
    adapter.reset((REGION,))
    with pytest.raises(AdapterError, match="7 is not under way"):
        adapter.finish_interest(7, 0)


def test_the_answer_to_a_get_is_held_at_its_gate(adapter: GeodeAdapter):
    gate = Gate("K", 5, ANSWER)
    adapter.arm(gate)
    adapter.begin(operation(5, "K", OperationKind.GET))
    assert adapter.await_parked(gate, LIMIT_MS)
    call(adapter, 6, "A", OperationKind.DESTROY)
    assert adapter.finish(5, 0) is None
    adapter.release(gate)
    assert adapter.finish(5, LIMIT_MS) == Outcome(Status.OK, value="t1")


def test_a_get_that_asks_no_server_comes_to_no_gate(adapter: GeodeAdapter):
    adapter.interest(ALL)
    gate = Gate("K", 5, ANSWER)
    adapter.arm(gate)
    assert call(adapter, 5, "K", OperationKind.GET) == Outcome(Status.OK, value="t1")
    assert not adapter.await_parked(gate, 0)
    adapter.interest(Interest(client="K", region="r", policy="none"))
    assert call(adapter, 6, "K", OperationKind.GET) == Outcome(Status.OK, value="t1"), "its gate is another's"
