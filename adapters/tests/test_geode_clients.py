"""Clients of real members: what they are told, what outlives an example, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from plumbline.adapters.errors import AdapterError, RefusedError, UnsupportedError
from plumbline.ci.tests.further_cases import further
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
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

from plumbline.adapters.geode.geode_adapter import GeodeAdapter
from plumbline.adapters.geode.jvm import plain
from plumbline.adapters.geode.member import Member
from plumbline.adapters.waiting import wait_until

pytestmark = pytest.mark.java

FOUR = Topology((Site(1, ("A", "B", "C", "D")),))
TWO = Topology((Site(1, ("A", "B")),))
REGION = RegionAttributes(name="r")
UNCHECKED = Client(name="K", servers=("B",), checks=False)
AT_TWO = Client(name="K", servers=("B", "A"), redundancy=1)
LIMIT_MS = 15_000
KEYS = "abc"


@pytest.fixture(scope="module", params=["1.15.1", further("1.2.1")])
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


def operation(number: int, member: str, kind: OperationKind = OperationKind.PUT, key: str = "k") -> Operation:
    return Operation(
        op_id=number, thread=f"of {member}", member=member, region="r", kind=kind, key=key, token=f"t{number}"
    )


def call(adapter: GeodeAdapter, asked: Operation) -> Status:
    adapter.begin(asked)
    outcome = adapter.finish(asked.op_id, LIMIT_MS)
    assert outcome is not None, "the call did not return"
    return outcome.status


def told(adapter: GeodeAdapter, holder: str) -> list[str]:
    return [f"{e.kind} {e.token}" for e in adapter.observe(0).events if e.member == holder]


def held(adapter: GeodeAdapter, holder: str) -> dict[str, str | None]:
    return {content.key: content.token for content in adapter.contents(holder, "r") or ()}


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


@pytest.mark.parametrize(
    ("kind", "status", "at_server", "at_client"),
    [
        (OperationKind.CREATE, Status.EXISTS, "t1", "t1"),
        (OperationKind.PUT_IF_ABSENT, Status.OK, "t1", "t1"),
        (OperationKind.REPLACE, Status.OK, "t2", "t2"),
        (OperationKind.INVALIDATE, Status.OK, None, None),
        (OperationKind.LOCAL_INVALIDATE, Status.OK, "t1", None),
        (OperationKind.LOCAL_DESTROY, Status.OK, "t1", "nothing"),
        (OperationKind.LOCAL_INVALIDATE_REGION, Status.OK, "t1", None),
    ],
)
def test_what_a_client_calls_of_a_key_that_all_hold(
    adapter: GeodeAdapter, kind: OperationKind, status: Status, at_server: str | None, at_client: str | None
):
    start(adapter)
    assert call(adapter, operation(1, "A")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert call(adapter, operation(2, "K", kind)) is status
    assert adapter.settle(LIMIT_MS).settled
    found = {holder: held(adapter, holder).get("k", "nothing") for holder in "ABK"}
    assert found == {"A": at_server, "B": at_server, "K": at_client}


@pytest.mark.parametrize("caller", "AK")
def test_a_clear_empties_the_region_of_members_and_clients(adapter: GeodeAdapter, caller: str):
    start(adapter)
    assert call(adapter, operation(1, "A")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert call(adapter, operation(2, caller, OperationKind.CLEAR, key="")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert [held(adapter, holder) for holder in "ABK"] == [{}] * 3
    assert call(adapter, operation(3, "B")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert [told(adapter, holder)[-2:] for holder in "ABK"] == [["clear t2", "create t3"]] * 3


@pytest.mark.parametrize("asked", "KB")
def test_a_writer_is_asked_before_anything_changes_and_may_refuse(adapter: GeodeAdapter, asked: str):
    start(adapter)
    adapter.script(asked, "r", "writer", ("k",))
    assert call(adapter, operation(1, "K")) is Status.FAILED
    assert call(adapter, operation(2, "K", key="other")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert [held(adapter, holder) for holder in "ABK"] == [{"other": "t2"}] * 3
    adapter.script(asked, "r", "writer", ())
    gate = Gate(asked, 3, "writer")
    adapter.arm(gate)
    adapter.begin(operation(3, "K"))
    assert adapter.await_parked(gate, LIMIT_MS)
    assert not adapter.settle(LIMIT_MS).settled
    assert [held(adapter, holder) for holder in "ABK"] == [{"other": "t2"}] * 3
    adapter.release(gate)
    assert adapter.settle(LIMIT_MS).settled
    assert [told(adapter, holder) for holder in "ABK"] == [["create t2", "create t3"]] * 3
    adapter.reset((REGION,))
    assert call(adapter, operation(1, "B")) is Status.OK  # no writer is asked any more


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


def put_all(adapter: GeodeAdapter, first: int) -> dict[str, str | None]:
    """Put every one of KEYS on A, with operations numbered from the first on, and let that settle."""
    for number, key in enumerate(KEYS, first):
        assert call(adapter, operation(number, "A", key=key)) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    return {key: f"t{number}" for number, key in enumerate(KEYS, first)}


@pytest.mark.parametrize(
    ("kind", "specification", "covered"),
    [("all", "", "abc"), ("key", "b", "b"), ("list", "a\nc", "ac"), ("regex", "[ab]", "ab")],
)
def test_a_client_loads_and_is_sent_what_it_has_registered_for_until_it_withdraws(
    adapter: GeodeAdapter, kind: str, specification: str, covered: str
):
    adapter.start_client(UNCHECKED)
    interest = Interest(client="K", region="r", kind=kind, specification=specification)
    first = put_all(adapter, 1)
    assert held(adapter, "K") == {}
    adapter.interest(interest)
    assert held(adapter, "K") == {key: first[key] for key in covered}
    second = put_all(adapter, 11)
    assert told(adapter, "K") == [f"update {second[key]}" for key in covered]
    adapter.interest(msgspec.structs.replace(interest, register=False))
    put_all(adapter, 21)
    assert len(told(adapter, "K")) == len(covered)
    assert held(adapter, "K") == {key: second[key] for key in covered}


def test_the_policy_says_what_is_loaded_and_what_was_held_is_dropped_first(adapter: GeodeAdapter):
    adapter.start_client(UNCHECKED)
    values = put_all(adapter, 1)
    for policy, loaded in (
        ("keys_values", values),
        ("none", {}),
        ("keys", dict.fromkeys(KEYS)),
        (None, values),
    ):
        adapter.interest(Interest(client="K", region="r", policy=policy))
        assert held(adapter, "K") == loaded
    assert told(adapter, "K") == []


def test_without_values_a_client_is_told_that_its_own_is_invalid_and_gets_the_new_one(adapter: GeodeAdapter):
    adapter.start_client(UNCHECKED)
    put_all(adapter, 1)
    adapter.interest(Interest(client="K", region="r", receive_values=False))
    changed = put_all(adapter, 11)
    assert told(adapter, "K") == [f"invalidate {token}" for token in changed.values()]
    assert held(adapter, "K") == dict.fromkeys(KEYS)
    adapter.begin(operation(21, "K", OperationKind.GET, "b"))
    outcome = adapter.finish(21, LIMIT_MS)
    assert outcome is not None
    assert outcome.value == changed["b"]
    assert held(adapter, "K") == {"a": None, "b": changed["b"], "c": None}
    assert told(adapter, "K")[3:] == [f"update {changed['b']}"]


def puts_served(adapter: GeodeAdapter, member: str) -> int:
    """How many puts of clients the cache server of a member has carried out."""
    system = adapter._cluster.members[member]._system()
    (statistics,) = system.findStatisticsByType(system.findType("CacheServerStats"))
    return int(statistics.get("putRequests"))


def test_calls_go_to_the_first_server_and_events_come_once_from_it(adapter: GeodeAdapter):
    start(adapter, AT_TWO)
    ports = [adapter._cluster.members[server].serve() for server in AT_TWO.servers]
    assert adapter._clients.caches["K"].subscribed() == (ports[0], frozenset(ports[1:]))
    before = {server: puts_served(adapter, server) for server in AT_TWO.servers}
    adapter.arm(Gate("B", 1))
    adapter.begin(operation(1, "K", key="k1"))
    assert adapter.await_parked(Gate("B", 1), LIMIT_MS)
    # Another call needs another connection now.
    for number in range(2, 7):
        elsewhere = msgspec.structs.replace(operation(number, "K", key=f"k{number}"), thread="another")
        assert call(adapter, elsewhere) is Status.OK
    adapter.release(Gate("B", 1))
    assert adapter.finish(1, LIMIT_MS) is not None
    assert puts_served(adapter, "B") - before["B"] == 6
    assert puts_served(adapter, "A") == before["A"]
    assert call(adapter, operation(7, "A")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert sorted(told(adapter, "K")) == [f"create t{number}" for number in range(1, 8)]


def test_when_the_first_server_dies_the_other_sends_what_follows_and_takes_the_calls(adapter: GeodeAdapter):
    start(adapter, AT_TWO)
    assert call(adapter, operation(1, "A")) is Status.OK
    assert call(adapter, operation(2, "K", key="own")) is Status.OK
    adapter.crash("B")
    for number, caller in enumerate(("A", "K", "A", "K"), 3):
        assert adapter.settle(LIMIT_MS).settled
        assert call(adapter, operation(number, caller)) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    of_k = [shown for shown in told(adapter, "K") if shown != "create t2"]
    assert of_k == ["create t1", *(f"update t{number}" for number in range(3, 7))]
    assert held(adapter, "K") == held(adapter, "A") == {"k": "t6", "own": "t2"}
    adapter.reset((REGION,))
    start(adapter, AT_TWO)
    assert call(adapter, operation(1, "B")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert told(adapter, "K") == ["create t1"]


def kept(member: Member) -> tuple[int, int]:
    """How many events a server keeps for its client, and how many it was told to be done with."""
    tiers = member.jvm.gateway.jvm.org.apache.geode.internal.cache.tier.sockets
    (proxy,) = tiers.CacheClientNotifier.getInstance().getClientProxies().toArray()
    queue = plain(proxy.getHARegionQueue())
    return int(queue.size()), int(queue.getStatistics().getEventsRemovedByQrm())


def test_what_a_client_has_not_received_is_kept_until_it_has_whoever_dies(cluster: GeodeAdapter):
    cluster.deploy(FOUR)
    cluster.reset((REGION,))
    start(cluster, Client(name="K", servers=("B", "C", "D"), redundancy=2, checks=False))
    last = cluster._cluster.members["D"]
    size, removed = cluster._cluster.ask(last, kept)
    for number in (1, 2):
        cluster.arm(Gate("K", number))
    assert call(cluster, operation(1, "A")) is Status.OK
    assert cluster.await_parked(Gate("K", 1), LIMIT_MS)
    assert call(cluster, operation(2, "A")) is Status.OK
    assert call(cluster, operation(3, "A", key="other")) is Status.OK
    # Long enough for what stands by to be told of the first; the others it keeps.
    assert wait_until(lambda: cluster._cluster.ask(last, kept)[1] > removed, LIMIT_MS / 1000)
    assert cluster._cluster.ask(last, kept)[0] - size == 2
    cluster.crash("B")
    cluster.release(Gate("K", 1))
    assert cluster.await_parked(Gate("K", 2), LIMIT_MS)
    cluster.crash("C")
    cluster.release(Gate("K", 2))
    assert cluster.settle(LIMIT_MS).settled
    assert told(cluster, "K") == ["create t1", "update t2", "create t3"]


def test_a_client_finds_its_only_server_when_that_starts_again(adapter: GeodeAdapter):
    start(adapter)
    assert call(adapter, operation(1, "A", key="kept")) is Status.OK
    assert call(adapter, operation(2, "A", key="gone")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    adapter.crash("B")
    assert adapter.settle(LIMIT_MS).settled
    assert call(adapter, operation(3, "A", key="kept")) is Status.OK
    assert call(adapter, operation(4, "A", OperationKind.DESTROY, key="gone")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert held(adapter, "K") == {"kept": "t1", "gone": "t2"}
    adapter.restart("B", from_disk=False)
    assert held(adapter, "B") == {"kept": "t3"}
    assert adapter.settle(LIMIT_MS).settled
    assert held(adapter, "K") == {"kept": "t3"}
    for number, caller in enumerate("ABK", 5):
        assert call(adapter, operation(number, caller, key="kept")) is Status.OK
        assert adapter.settle(LIMIT_MS).settled
    assert told(adapter, "K")[2:] == ["update t5", "update t6", "update t7"]
    assert told(adapter, "B")[2:] == ["update t5", "update t6", "update t7"]
    adapter.reset((REGION,))
    start(adapter)
    assert call(adapter, operation(1, "A")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert told(adapter, "B") == told(adapter, "K") == ["create t1"]


def test_who_founded_the_cluster_is_killed_and_finds_it_again(adapter: GeodeAdapter):
    start(adapter)
    assert call(adapter, operation(1, "B")) is Status.OK
    adapter.crash("A")
    assert call(adapter, operation(2, "B")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert told(adapter, "K") == ["create t1", "update t2"]
    adapter.reset((REGION,))
    assert call(adapter, operation(1, "A")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert told(adapter, "B") == ["create t1"]


def test_no_server_is_killed_whose_queues_one_that_started_again_may_keep(adapter: GeodeAdapter):
    start(adapter, AT_TWO)
    adapter.crash("B")
    assert adapter.settle(LIMIT_MS).settled
    adapter.restart("B", from_disk=False)
    with pytest.raises(UnsupportedError):
        adapter.crash("A")
    with pytest.raises(AdapterError):
        adapter.restart("A", from_disk=False)


@pytest.mark.parametrize("servers", [("B",), ("B", "A")])
def test_a_call_whose_answer_is_lost_is_tried_again_and_happens_once(
    adapter: GeodeAdapter, servers: tuple[str, ...]
):
    start(adapter, Client(name="K", servers=servers))
    assert call(adapter, operation(1, "A")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    served = puts_served(adapter, "B")
    adapter.link("K", "B", "drop_acks")
    adapter.begin(operation(2, "K"))
    if len(servers) == 1:
        assert wait_until(lambda: puts_served(adapter, "B") > served + 1, LIMIT_MS / 1000)
        assert adapter.finish(2, 0) is None
        adapter.link("K", "B", "up")
    outcome = adapter.finish(2, LIMIT_MS)
    assert outcome is not None
    assert outcome.status is Status.OK
    adapter.link("K", "B", "up")
    assert call(adapter, operation(3, "A")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert puts_served(adapter, "B") > served
    for holder in "AB":
        assert told(adapter, holder) == ["create t1", "update t2", "update t3"]
    assert held(adapter, "K") == {"k": "t3"}
    with pytest.raises(UnsupportedError):
        adapter.link("K", "B", "down")


def test_what_is_not_driven_is_refused(adapter: GeodeAdapter):
    for client in (
        Client(name="K", servers=("B",), redundancy=1),
        Client(name="K", servers=("A", "B"), redundancy=2),
        Client(name="K", servers=("B",), subscription=False),
    ):
        with pytest.raises(UnsupportedError):
            adapter.start_client(client)
    start(adapter)
    for interest in (
        Interest(client="K", region="r", kind="query"),
        Interest(client="K", region="r", policy="values"),
    ):
        with pytest.raises(UnsupportedError):
            adapter.interest(interest)
    for interest in (
        Interest(client="B", region="r"),
        Interest(client="K", region="s"),
    ):
        with pytest.raises(AdapterError):
            adapter.interest(interest)
    with pytest.raises(RefusedError):
        adapter.interest(Interest(client="K", region="r", kind="regex", specification="("))
    with pytest.raises(UnsupportedError):
        adapter.begin(operation(1, "K", OperationKind.EXPIRE_DESTROY))
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


def test_a_create_of_what_only_the_server_holds_becomes_an_update_there(adapter: GeodeAdapter):
    start(adapter)
    assert call(adapter, operation(1, "A")) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert call(adapter, operation(2, "K", OperationKind.LOCAL_DESTROY)) is Status.OK
    assert call(adapter, operation(3, "K", OperationKind.CREATE)) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert [held(adapter, holder) for holder in "ABK"] == [{"k": "t3"}] * 3
    assert [told(adapter, holder)[-1] for holder in "ABK"] == ["update t3", "update t3", "create t3"]


def test_a_destroy_of_what_nobody_holds_ends_well_and_no_listener_receives_it(adapter: GeodeAdapter):
    start(adapter)
    assert call(adapter, operation(1, "K", OperationKind.DESTROY)) is Status.OK
    assert call(adapter, operation(2, "A")) is Status.OK
    assert call(adapter, operation(3, "A", OperationKind.DESTROY)) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert call(adapter, operation(4, "K", OperationKind.DESTROY)) is Status.OK
    assert adapter.settle(LIMIT_MS).settled
    assert [told(adapter, holder) for holder in "ABK"] == [["create t2", "destroy t3"]] * 3
