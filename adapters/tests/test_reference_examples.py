"""On the reference, what an example leaves behind is no part of the next one on the same members."""

from __future__ import annotations

from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.history.operations import (
    HostPolicy,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Site,
    Topology,
)

SITES = Topology((Site(1, ("A", "B")), Site(2, ("C", "D"))))


PARTED = RegionAttributes(
    name="r",
    policy=RegionPolicy.PARTITION,
    policies=(HostPolicy("C", RegionPolicy.REPLICATE), HostPolicy("D", RegionPolicy.REPLICATE)),
    senders=("of buckets",),
)


def test_a_member_starts_again_beside_calls_though_an_earlier_example_had_a_parallel_sender():
    adapter = ReferenceAdapter()
    adapter.deploy(SITES)
    adapter.create_queue(QueueAttributes(id="of buckets", site=1, remote_site=2, parallel=True))
    adapter.reset((PARTED,))
    adapter.create_queue(QueueAttributes(id="serial", site=1, remote_site=2))
    adapter.reset((RegionAttributes(name="r", senders=("serial",)),))
    adapter.crash("A")
    adapter.begin_join("A", "r", held=False)
    assert adapter.finish_join("A", "r", timeout_ms=1000)
