"""Partitioned regions of real Apache Geode, and tombstones that grow old by clocks that are held."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plumbline.ci.tests.further_cases import further
from plumbline.reference.history.operations import (
    Content,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    RegionPolicy,
    Site,
    Status,
    TombstoneSettings,
    Topology,
)

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode import cluster as clusters
from plumbline.adapters.geode.geode_adapter import GeodeAdapter
from plumbline.adapters.geode.jvm import plain
from plumbline.adapters.geode.repairing import SOON_MS
from plumbline.adapters.waiting import wait_until

MEMBERS = ("A", "B", "C")
LIMIT_MS = 10_000
T = 60_000


@pytest.fixture(scope="module", params=["1.15.1", further("1.2.1")])
def geode(request: pytest.FixtureRequest) -> Iterator[GeodeAdapter]:
    with GeodeAdapter(request.param) as adapter:
        adapter.deploy(Topology((Site(1, MEMBERS),)))
        yield adapter


def call(adapter: GeodeAdapter, op_id: int, member: str, kind: OperationKind, key: str = "x") -> Outcome:
    token = f"t{op_id}"
    adapter.begin(
        Operation(
            op_id=op_id,
            thread=f"thread {op_id}",
            member=member,
            region="r",
            kind=kind,
            key=key,
            token=token,
        )
    )
    outcome = adapter.finish(op_id, LIMIT_MS)
    assert outcome is not None
    return outcome


@pytest.mark.parametrize("version", ["1.13.1", "1.13.8"])
def test_who_is_first_of_a_site_waits_for_a_short_time_only_where_it_waits_in_any_case(version: str):
    assert clusters._wait_s(version) == clusters.TWISTED_WAIT_S


@pytest.mark.parametrize("version", ["1.13.0", "1.13.18", "1.14.0", "1.15.1", "1.2.1"])
def test_others_wait_until_a_locator_runs(version: str):
    assert clusters._wait_s(version) == clusters.START_LIMIT_S


@pytest.mark.java
@pytest.mark.slow
def test_a_key_of_a_partitioned_region_lies_where_it_is_said_to_lie_and_nowhere_else(geode: GeodeAdapter):
    geode.reset((RegionAttributes(name="r", policy=RegionPolicy.PARTITION, redundancy=1),))
    placed = geode.placement("r", "x")
    assert placed.primary in MEMBERS
    (copy,) = placed.redundant
    (without,) = {*MEMBERS} - {placed.primary, copy}
    assert call(geode, 1, without, OperationKind.PUT).status is Status.OK
    assert geode.settle(LIMIT_MS).settled
    for member in MEMBERS:
        held = () if member == without else (Content("x", "t1"),)
        assert geode.contents(member, "r") == held
    told = {event.member for event in geode.observe(0).events}
    assert told == {placed.primary, copy}
    assert geode.attributes("A", "r").redundancy == 1


@pytest.mark.java
@pytest.mark.slow
def test_a_key_has_another_primary_when_the_one_is_lost(geode: GeodeAdapter):
    geode.reset((RegionAttributes(name="r", policy=RegionPolicy.PARTITION, redundancy=1),))
    placed = geode.placement("r", "x")
    assert placed.primary is not None
    call(geode, 1, placed.primary, OperationKind.PUT)
    geode.crash(placed.primary)
    assert geode.settle(LIMIT_MS).settled
    after = geode.placement("r", "x")
    assert (after.primary, after.redundant) == (placed.redundant[0], ())
    assert geode.contents(placed.redundant[0], "r") == (Content("x", "t1"),)


@pytest.mark.java
@pytest.mark.slow
def test_the_listener_of_a_new_holder_is_heard_and_those_of_others_are_not(geode: GeodeAdapter):
    """Nothing is asked about the key between the death and the event."""
    geode.reset((RegionAttributes(name="r", policy=RegionPolicy.PARTITION),))
    lost = geode.placement("r", "x").primary
    assert lost is not None
    geode.crash(lost)
    call(geode, 1, next(member for member in MEMBERS if member != lost), OperationKind.PUT)
    assert geode.settle(LIMIT_MS).settled
    told = [event.member for event in geode.observe(0).events]
    assert told == [geode.placement("r", "x").primary]
    assert [event.member for event in geode.observe(0).events] == told, "it is decided once"


@pytest.mark.java
@pytest.mark.slow
def test_tombstones_grow_old_by_the_time_that_is_let_pass(geode: GeodeAdapter):
    geode.keep_tombstones(TombstoneSettings(timeout_ms=T, threshold=1))
    geode.reset((RegionAttributes(name="r"),))
    geode.clock(1, 0, frozen=True)
    call(geode, 1, "A", OperationKind.PUT)
    call(geode, 2, "B", OperationKind.DESTROY)
    for passes, count in ((0, 1), (T - 1_000, 1), (11_000, 0)):
        if passes:
            geode.advance(passes)
        assert geode.settle(LIMIT_MS).settled
        assert [geode.statistic(member, "tombstoneCount") for member in MEMBERS] == [count] * 3


@pytest.mark.java
@pytest.mark.slow
def test_who_is_about_to_make_good_what_the_dead_have_left_undone_is_waited_for_unless_it_is_put_off():
    with GeodeAdapter("1.15.1") as adapter:
        adapter.deploy(Topology((Site(1, ("A", "B")),)))
        adapter.reset((RegionAttributes(name="r"),))
        call(adapter, 1, "A", OperationKind.PUT)
        member = adapter._cluster.members["A"]
        region = plain(member._regions["r"])
        version = region.getVersionMember()
        assert not member.repairs()
        region.scheduleSynchronizeForLostMember(version, version, 10 * SOON_MS)
        assert not member.repairs()
        region.scheduleSynchronizeForLostMember(version, version, SOON_MS // 2)
        assert member.repairs()
        # The timer of a busy machine is late, and each look takes as long as a stack of all threads.
        assert wait_until(lambda: not member.repairs(), 3 * LIMIT_MS / 1000)
