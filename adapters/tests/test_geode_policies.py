"""Normal, preloaded and empty members of real Apache Geode, driven."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plumbline.ci.tests.further_cases import further
from plumbline.reference.history.operations import (
    LOCAL_ACTIONS,
    NAMELESS,
    Content,
    HostPolicy,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    RegionPolicy,
    Site,
    Status,
    Topology,
)

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode.geode_adapter import GeodeAdapter

pytestmark = [pytest.mark.java, pytest.mark.slow]

LESSER = {"B": RegionPolicy.NORMAL, "C": RegionPolicy.EMPTY}


@pytest.fixture(scope="module", params=["1.15.1", further("1.2.1")])
def cluster(request: pytest.FixtureRequest) -> Iterator[GeodeAdapter]:
    with GeodeAdapter(request.param) as adapter:
        adapter.deploy(Topology((Site(1, ("A", "B", "C")),)))
        policies = tuple(HostPolicy(member, policy) for member, policy in LESSER.items())
        adapter.reset((RegionAttributes(name="r", policies=policies),))
        yield adapter


def call(adapter: GeodeAdapter, op_id: int, member: str, kind: OperationKind, key: str = "") -> Outcome:
    token = None if kind in NAMELESS else f"v{op_id}"
    adapter.begin(
        Operation(op_id=op_id, thread=member, member=member, region="r", kind=kind, key=key, token=token)
    )
    outcome = adapter.finish(op_id, 10_000)
    assert outcome is not None
    assert adapter.settle(10_000).settled
    return outcome


def test_each_member_keeps_what_its_policy_says(cluster: GeodeAdapter):
    for member in "ABC":
        found = cluster.attributes(member, "r").policy
        assert found is LESSER.get(member, RegionPolicy.REPLICATE)
    for op_id, member in enumerate("ABC", 1):
        assert call(cluster, op_id, member, OperationKind.PUT, f"of {member}").status is Status.OK
    everything = tuple(Content(f"of {member}", f"v{op_id}") for op_id, member in enumerate("ABC", 1))
    assert cluster.contents("A", "r") == everything
    assert cluster.contents("B", "r") == everything[1:2]
    assert cluster.contents("C", "r") == ()
    assert call(cluster, 4, "C", OperationKind.GET, "of A").value == "v1"
    assert call(cluster, 5, "B", OperationKind.LOCAL_CLEAR).status is Status.OK
    assert cluster.contents("B", "r") == ()
    assert cluster.contents("A", "r") == everything


def test_what_a_member_expires_or_evicts_stays_with_the_others(cluster: GeodeAdapter):
    policies = tuple(HostPolicy(member, policy) for member, policy in LESSER.items())
    cluster.reset((RegionAttributes(name="r", policies=policies),))
    for op_id, key in enumerate(("x", "y", "z"), 11):
        assert call(cluster, op_id, "B", OperationKind.PUT, key).status is Status.OK
    everything = cluster.contents("A", "r")
    assert cluster.contents("B", "r") == everything
    assert call(cluster, 14, "B", OperationKind.EXPIRE_LOCAL_DESTROY, "x").status is Status.OK
    assert call(cluster, 15, "B", OperationKind.EXPIRE_LOCAL_INVALIDATE, "y").status is Status.OK
    assert cluster.contents("B", "r") == (Content("y", None), Content("z", "v13"))
    evicted = {call(cluster, op_id, "B", OperationKind.EVICT).value for op_id in (16, 17)}
    assert evicted == {"y", "z"}
    assert call(cluster, 18, "B", OperationKind.EVICT).status is Status.ABSENT
    assert cluster.contents("B", "r") == ()
    assert cluster.contents("A", "r") == everything
    told = [(one.key, one.kind, one.token) for one in cluster.observe(0).events if one.member != "A"]
    assert {key for key, _, token in told if token is None} <= {"x", "y", "z"}
    assert not [one for one in cluster.observe(0).events if one.member == "A" and one.token is None]


def test_a_replicate_refuses_to_expire_or_evict_alone(cluster: GeodeAdapter):
    cluster.reset((RegionAttributes(name="r"),))
    assert call(cluster, 21, "A", OperationKind.PUT, "x").status is Status.OK
    for op_id, kind in enumerate(sorted(LOCAL_ACTIONS), 22):
        key = "" if kind is OperationKind.EVICT else "x"
        assert call(cluster, op_id, "A", kind, key).status is Status.REFUSED


def test_queries_and_views_show_what_a_replicate_holds_without_tombstones(cluster: GeodeAdapter):
    cluster.reset((RegionAttributes(name="r"),))
    for op_id, key in enumerate(("x", "y", "z"), 31):
        assert call(cluster, op_id, "A", OperationKind.PUT, key).status is Status.OK
    assert call(cluster, 34, "B", OperationKind.DESTROY, "y").status is Status.OK
    assert call(cluster, 35, "B", OperationKind.INVALIDATE, "z").status is Status.OK
    for shown in (cluster.queries("A", "r"), cluster.views("A", "r")):
        assert sorted(shown.keys) == ["x", "z"]
        assert {*shown.entries} == {Content("x", "v31"), Content("z", None)}
        assert {*shown.values} - {None} == {"v31"}
        assert shown.size in (1, 2)
