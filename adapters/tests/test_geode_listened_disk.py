"""Asynchronous event queues of real Apache Geode whose members die and start again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plumbline.ci.tests.further_cases import further
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Status,
    Topology,
)

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode.geode_adapter import GeodeAdapter

pytestmark = [pytest.mark.java, pytest.mark.slow]

MEMBERS = ("A", "B")
IN_MEMORY = QueueAttributes(id="in memory", site=1)
ON_DISK = QueueAttributes(id="on disk", site=1, persistent=True)
LIMIT_MS = 20_000


@pytest.fixture(scope="module", params=["1.15.1", further("1.2.1")])
def geode(request: pytest.FixtureRequest) -> Iterator[GeodeAdapter]:
    with GeodeAdapter(request.param) as adapter:
        adapter.deploy(Topology((Site(1, MEMBERS),)))
        for queue in (IN_MEMORY, ON_DISK):
            adapter.create_queue(queue)
        yield adapter


def test_a_queue_on_disk_is_back_when_its_members_start_again_and_one_in_memory_is_empty(geode: GeodeAdapter):
    geode.reset((RegionAttributes(name="region", queues=(IN_MEMORY.id, ON_DISK.id)),))
    for member in MEMBERS:
        for queue in (IN_MEMORY, ON_DISK):
            geode.queue_action(member, queue.id, "pause")
    put(geode, 1)
    assert geode.settle(LIMIT_MS).settled
    for member in MEMBERS:
        geode.crash(member)
    for member in reversed(MEMBERS):
        geode.restart(member, from_disk=True)
    assert geode.settle(LIMIT_MS).settled
    put(geode, 2)
    assert geode.settle(LIMIT_MS).settled
    received = [(call.queue, change.token) for call in geode.observe(0).calls for change in call.events]
    assert [token for queue, token in received if queue == ON_DISK.id] == ["t1", "t2"]
    assert [token for queue, token in received if queue == IN_MEMORY.id] == ["t2"]


def put(geode: GeodeAdapter, op_id: int) -> None:
    operation = Operation(
        op_id=op_id,
        thread=f"thread {op_id}",
        member=MEMBERS[op_id % 2],
        region="region",
        kind=OperationKind.PUT,
        key=f"k{op_id}",
        token=f"t{op_id}",
    )
    geode.begin(operation)
    outcome = geode.finish(op_id, LIMIT_MS)
    assert outcome is not None
    assert outcome.status is Status.OK
