"""Parallel queues and senders of real Apache Geode: what lies where, and who sends it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from plumbline.adapters.errors import UnsupportedError
from plumbline.ci.tests.further_cases import further
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Status,
)
from plumbline.suites.scenarios.parted_sites import parted_region, senders
from plumbline.suites.scenarios.sites import topology

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode.geode_adapter import GeodeAdapter

pytestmark = [pytest.mark.java, pytest.mark.slow]

SITES = topology(3)
HERE, THERE = (site.members for site in SITES.sites)
QUEUES = senders()
LISTENED = QueueAttributes(id="listened", site=1, parallel=True)
LIMIT_MS = 10_000


@pytest.fixture(scope="module", params=["1.15.1", further("1.2.1")])
def geode(request: pytest.FixtureRequest) -> Iterator[GeodeAdapter]:
    with GeodeAdapter(request.param) as adapter:
        adapter.deploy(SITES)
        for queue in (*QUEUES, LISTENED):
            adapter.create_queue(queue)
        yield adapter


def put(adapter: GeodeAdapter, op_id: int, region: str = "region", key: str = "x") -> None:
    member = HERE[op_id % len(HERE)]
    adapter.begin(
        Operation(
            op_id=op_id,
            thread=f"thread {op_id}",
            member=member,
            region=region,
            kind=OperationKind.PUT,
            key=key,
            token=f"t{op_id}",
        )
    )
    outcome = adapter.finish(op_id, LIMIT_MS)
    assert outcome is not None
    assert outcome.status is Status.OK


def test_events_wait_where_their_bucket_lies_and_cross_from_its_primary(geode: GeodeAdapter):
    geode.reset((parted_region(SITES, QUEUES, 1),))
    placed = geode.placement("region", "x")
    assert placed.primary in HERE
    for member in HERE:
        geode.queue_action(member, QUEUES[0].id, "pause")
    put(geode, 1)
    put(geode, 2)
    assert geode.settle(LIMIT_MS).settled
    for member in HERE:
        lies = member in {placed.primary, *placed.redundant}
        assert geode.look_at_queue(member, QUEUES[0].id).tokens == (("t1", "t2") if lies else ())
    geode.queue_action(placed.primary, QUEUES[0].id, "resume")
    assert geode.settle(LIMIT_MS).settled
    seen = [(event.member, event.token) for event in geode.observe(0).events if event.member in THERE]
    assert sorted(seen) == [(member, token) for member in THERE for token in ("t1", "t2")]
    assert [geode.look_at_queue(member, QUEUES[0].id).depth for member in HERE] == [0] * len(HERE)


def test_two_regions_that_share_a_sender_lie_together(geode: GeodeAdapter):
    geode.reset(tuple(parted_region(SITES, QUEUES, 1, name) for name in ("region", "other")))
    assert geode.placement("region", "x") == geode.placement("other", "x")
    put(geode, 1)
    put(geode, 2, "other")
    assert geode.settle(LIMIT_MS).settled
    seen = {(event.region, event.token) for event in geode.observe(0).events if event.member in THERE}
    assert seen == {("region", "t1"), ("other", "t2")}


def test_the_listener_of_the_primary_receives_what_a_parallel_queue_holds(geode: GeodeAdapter):
    geode.reset((msgspec.structs.replace(parted_region(SITES, (), 1), queues=(LISTENED.id,)),))
    placed = geode.placement("region", "x")
    put(geode, 1)
    assert geode.settle(LIMIT_MS).settled
    (called,) = geode.observe(0).calls
    assert (called.member, [change.token for change in called.events]) == (placed.primary, ["t1"])


@pytest.mark.parametrize("redundancy", [0, 1])
def test_a_bucket_moves_with_what_its_queue_holds(geode: GeodeAdapter, redundancy: int):
    geode.reset(tuple(parted_region(SITES, QUEUES, redundancy, name) for name in ("region", "other")))
    before = geode.placement("other", "x")
    for member in HERE:
        geode.queue_action(member, QUEUES[0].id, "pause")
    put(geode, 1)
    put(geode, 2, "other")
    assert geode.settle(LIMIT_MS).settled
    holders = {before.primary, *before.redundant}
    for taker in (*before.redundant, next(member for member in HERE if member not in holders)):
        geode.move_primary("other", "x", taker)
        assert geode.placement("other", "x").primary == taker == geode.placement("region", "x").primary
    placed = geode.placement("other", "x")
    assert len(placed.redundant) == redundancy
    assert geode.look_at_queue(taker, QUEUES[0].id).tokens == ("t1", "t2")
    put(geode, 3)
    for member in HERE:
        geode.queue_action(member, QUEUES[0].id, "resume")
    assert geode.settle(LIMIT_MS).settled
    seen = [event.token for event in geode.observe(0).events if event.member == THERE[0]]
    assert sorted(token for token in seen if token) == ["t1", "t2", "t3"]
    assert [geode.look_at_queue(member, QUEUES[0].id).depth for member in HERE] == [0] * len(HERE)


def test_what_is_not_driven_of_them_is_refused(geode: GeodeAdapter):
    refused = (
        RegionAttributes(name="region", senders=(QUEUES[0].id,)),
        RegionAttributes(name="region", policy=RegionPolicy.PARTITION),
    )
    for attributes in refused:
        with pytest.raises(UnsupportedError, match=r"not driven on Geode|on all members of one site"):
            geode.reset((attributes,))
    with pytest.raises(UnsupportedError, match="in memory, on all members"):
        geode.create_queue(QueueAttributes(id="kept", site=1, remote_site=2, parallel=True, persistent=True))
