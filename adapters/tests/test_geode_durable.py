"""Durable clients of real members: how they go, what is kept for them, and what no example leaves behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.reference.history.operations import (
    Client,
    EventKind,
    Interest,
    Operation,
    OperationKind,
    RegionAttributes,
    Site,
    Topology,
)

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode.durable import has_connected
from plumbline.adapters.geode.geode_adapter import GeodeAdapter
from plumbline.adapters.geode.member import Member

pytestmark = pytest.mark.java

REGION = RegionAttributes(name="r")
DURABLE = Client(name="K", servers=("B",), durable_id="d")
SOON = Client(name="K", servers=("B",), durable_id="d", durable_timeout_s=60)
LIMIT_MS = 15_000


@pytest.fixture(scope="module")
def cluster() -> Iterator[GeodeAdapter]:
    with GeodeAdapter("1.15.1") as adapter:
        yield adapter


@pytest.fixture
def adapter(cluster: GeodeAdapter) -> GeodeAdapter:
    """An example with a durable client that is registered for all keys, and is ready."""
    cluster.deploy(Topology((Site(1, ("A", "B")),)))
    cluster.reset((REGION,))
    begin_life(cluster, None)
    return cluster


def begin_life(adapter: GeodeAdapter, policy: str | None) -> None:
    adapter.start_client(DURABLE)
    adapter.interest(Interest(client="K", region="r", policy=policy, durable=True))
    adapter.client_action("K", "ready", keepalive=False)
    assert adapter.settle(LIMIT_MS).settled


def put(adapter: GeodeAdapter, number: int) -> None:
    asked = Operation(
        op_id=number,
        thread="of A",
        member="A",
        region="r",
        kind=OperationKind.PUT,
        key="k",
        token=f"t{number}",
    )
    adapter.begin(asked)
    assert adapter.finish(number, LIMIT_MS) is not None
    assert adapter.settle(LIMIT_MS).settled


def shown(adapter: GeodeAdapter) -> list[str | None]:
    """What the client's listener received, with None where its region is live."""
    told = [event for event in adapter.observe(0).events if event.member == "K"]
    return [None if event.kind is EventKind.LIVE else event.token for event in told]


@pytest.mark.parametrize(("action", "keepalive"), [("close", True), ("kill", False)])
def test_what_comes_while_a_client_is_away_is_sent_before_its_region_is_live(
    adapter: GeodeAdapter, action: str, keepalive: bool
):
    put(adapter, 1)
    adapter.client_action("K", action, keepalive=keepalive)
    put(adapter, 2)
    assert shown(adapter) == [None, "t1"]
    begin_life(adapter, None)
    # What the client has not acknowledged yet comes again (003, L15).
    assert shown(adapter)[2:] in (["t2", None], ["t1", "t2", None])
    put(adapter, 3)
    assert shown(adapter)[-2:] == [None, "t3"]
    assert [content.token for content in adapter.contents("K", "r") or ()] == ["t3"]


def test_nothing_is_kept_for_a_client_that_closes_without_keep_alive(adapter: GeodeAdapter):
    adapter.client_action("K", "close", keepalive=False)
    put(adapter, 1)
    begin_life(adapter, "none")
    assert shown(adapter) == [None, None]


def test_servers_know_that_a_client_has_gone_when_it_has(adapter: GeodeAdapter):
    server = adapter._cluster.members["B"]

    def ask(member: Member) -> bool:
        return has_connected(member, "d-1") or has_connected(member, f"d-{adapter._clients.lives._example}")

    assert adapter._cluster.ask(server, ask)
    adapter.client_action("K", "kill", keepalive=False)
    assert not adapter._cluster.ask(server, ask)


def test_no_example_finds_what_another_left_for_the_same_client(adapter: GeodeAdapter):
    adapter.client_action("K", "close", keepalive=True)
    put(adapter, 1)
    adapter.reset((REGION,))
    proxies = adapter._cluster.ask(adapter._cluster.members["B"], proxies_of)
    assert proxies == 0
    begin_life(adapter, None)
    assert shown(adapter) == [None]


def proxies_of(member: Member) -> int:
    """How many clients a member's cache server knows."""
    tiers = member.jvm.gateway.jvm.org.apache.geode.internal.cache.tier.sockets
    return int(tiers.CacheClientNotifier.getInstance().getClientProxies().size())


def test_what_makes_no_sense_is_refused(adapter: GeodeAdapter):
    with pytest.raises(AdapterError, match="K runs already"):
        adapter.start_client(DURABLE)
    with pytest.raises(UnsupportedError):
        adapter.client_action("K", "sleep", keepalive=False)
    adapter.client_action("K", "close", keepalive=True)
    with pytest.raises(AdapterError, match="no durable client K runs"):
        adapter.client_action("K", "ready", keepalive=False)
    with pytest.raises(AdapterError, match="no durable client A runs"):
        adapter.client_action("A", "kill", keepalive=False)


@pytest.mark.parametrize(("passed_ms", "kept"), [(59_000, True), (60_000, False)])
def test_servers_wait_for_an_absent_client_as_long_as_it_has_asked(
    cluster: GeodeAdapter, passed_ms: int, kept: bool
):
    cluster.deploy(Topology((Site(1, ("A", "B")),)))
    cluster.reset((REGION,))
    cluster.clock(1, 0, frozen=True)
    cluster.start_client(SOON)
    cluster.interest(Interest(client="K", region="r", durable=True))
    cluster.client_action("K", "ready", keepalive=False)
    put(cluster, 1)
    cluster.advance(30_000)  # the server knows by then what has been received
    cluster.client_action("K", "close", keepalive=True)
    put(cluster, 2)
    cluster.advance(passed_ms)
    cluster.start_client(SOON)
    cluster.interest(Interest(client="K", region="r", policy="none", durable=True))
    cluster.client_action("K", "ready", keepalive=False)
    assert cluster.settle(LIMIT_MS).settled
    assert shown(cluster) == [None, "t1", *(["t2"] if kept else []), None]


def test_the_return_of_a_client_stops_its_time(adapter: GeodeAdapter):
    adapter.clock(1, 0, frozen=True)
    adapter.client_action("K", "close", keepalive=True)
    adapter.advance(200_000)
    begin_life(adapter, "none")
    adapter.advance(200_000)
    put(adapter, 1)
    assert shown(adapter) == [None, None, "t1"]
