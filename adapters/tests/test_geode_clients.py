"""Clients of real members: what they are told, what outlives an example, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.reference.operations import (
    Client,
    Interest,
    Operation,
    OperationKind,
    RegionAttributes,
    Scope,
    Site,
    Status,
    Topology,
)

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode.adapter import GeodeAdapter

pytestmark = pytest.mark.java

TWO = Topology((Site(1, ("A", "B")),))
REGION = RegionAttributes(name="r")
UNCHECKED = Client(name="K", servers=("B",), checks=False)
LIMIT_MS = 10_000


@pytest.fixture(scope="module", params=["1.15.1", "1.2.1"])
def cluster(request: pytest.FixtureRequest) -> Iterator[GeodeAdapter]:
    with GeodeAdapter(request.param) as adapter:
        yield adapter


@pytest.fixture
def adapter(cluster: GeodeAdapter) -> GeodeAdapter:
    """An example without clients so far."""
    cluster.deploy(TWO)
    cluster.reset((REGION,))
    return cluster


def start(adapter: GeodeAdapter, client: Client = UNCHECKED) -> None:
    adapter.start_client(client)
    adapter.interest(Interest(client=client.name, region="r"))


def operation(number: int, member: str, kind: OperationKind = OperationKind.PUT) -> Operation:
    return Operation(
        op_id=number, thread=f"of {member}", member=member, region="r", kind=kind, key="k", token=f"t{number}"
    )


def call(adapter: GeodeAdapter, asked: Operation) -> Status:
    adapter.begin(asked)
    outcome = adapter.finish(asked.op_id, LIMIT_MS)
    assert outcome is not None, "the call did not return"
    return outcome.status


def told(adapter: GeodeAdapter, holder: str) -> list[str]:
    return [f"{e.kind} {e.token}" for e in adapter.observe(0).events if e.member == holder]


def held(adapter: GeodeAdapter, holder: str) -> dict[str, str | None]:
    return {content.key: content.token for content in adapter.contents(holder, "r")}


@pytest.mark.parametrize("checks", [None, False])
def test_when_all_has_settled_a_client_was_told_of_everything_in_order(
    adapter: GeodeAdapter, checks: bool | None
):
    start(adapter, msgspec.structs.replace(UNCHECKED, checks=checks))
    callers = ["A", "B", "K"] * 10
    for number, caller in enumerate(callers, 1):
        if caller == "K":  # what it calls would overtake what is on its way to it
            assert adapter.settle(LIMIT_MS).settled
        assert call(adapter, operation(number, caller)) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    expected = ["create t1", *(f"update t{number}" for number in range(2, 31))]
    assert {holder: told(adapter, holder) for holder in "ABK"} == dict.fromkeys("ABK", expected)
    assert [held(adapter, holder) for holder in "ABK"] == [{"k": "t30"}] * 3


def test_a_client_destroys_everywhere_and_the_key_comes_back(adapter: GeodeAdapter):
    start(adapter)
    for number, (caller, kind) in enumerate(
        [("A", OperationKind.PUT), ("K", OperationKind.DESTROY), ("B", OperationKind.PUT)], 1
    ):
        assert call(adapter, operation(number, caller, kind)) is Status.OK
        assert adapter.settle(LIMIT_MS).settled
    for holder in "ABK":
        assert told(adapter, holder) == ["create t1", "destroy t2", "create t3"]


def test_a_client_outlives_examples_whatever_its_checks_and_server(adapter: GeodeAdapter):
    start(adapter)
    first = adapter._clients.caches["K"].jvm.pid
    call(adapter, operation(1, "A"))
    for client in (Client(name="K", servers=("B",)), Client(name="K", servers=("A",))):
        adapter.reset((REGION,))
        start(adapter, client)
        assert held(adapter, "K") == {}
        call(adapter, operation(1, "K"))
        assert adapter.settle(LIMIT_MS).settled
        assert told(adapter, "B") == told(adapter, "K") == ["create t1"]
        assert adapter._clients.caches["K"].jvm.pid == first


def test_what_is_not_driven_is_refused(adapter: GeodeAdapter):
    for client in (
        Client(name="K", servers=("B",), durable_id="d"),
        Client(name="K", servers=("B",), redundancy=1),
        Client(name="K", servers=("B",), subscription=False),
    ):
        with pytest.raises(UnsupportedError):
            adapter.start_client(client)
    start(adapter)
    with pytest.raises(UnsupportedError):
        adapter.interest(Interest(client="K", region="r", policy="none"))
    with pytest.raises(UnsupportedError):
        adapter.begin(operation(1, "K", OperationKind.GET))
    adapter.reset((RegionAttributes(name="r", scope=Scope.NO_ACK),))
    with pytest.raises(UnsupportedError):
        adapter.start_client(UNCHECKED)
    with pytest.raises(AdapterError):
        call(adapter, operation(2, "K"))


def test_a_client_that_dies_is_an_error_of_the_adapter_and_no_event_less(adapter: GeodeAdapter):
    start(adapter)
    adapter._clients.caches["K"].jvm.kill()
    with pytest.raises(AdapterError, match="client K"):
        adapter.settle(LIMIT_MS)
    adapter.close()
