"""The driver that writes histories: what it refuses to do, and how long it waits."""

from __future__ import annotations

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.protocol import SettleResult
from plumbline.adapters.reference.adapter import ReferenceAdapter
from plumbline.reference.history import Armed, Gate, Waited
from plumbline.reference.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    Site,
    Topology,
)
from plumbline.suites.driving import Driver
from plumbline.suites.session import Session

PUT = Operation(
    op_id=1,
    thread="A0",
    member="A",
    region="r",
    kind=OperationKind.PUT,
    key="x",
    token="t1",  # noqa: S106 - a token of this suite, no secret
)


def test_a_gate_is_armed_before_its_operation_is_called_and_refused_ever_after():
    late = "operation 1 was called already .* listener of B: arm its gates before calling it"
    with Session(find_candidate("reference")) as session:
        driver, _ = session.begin(Topology((Site(1, ("A", "B")),)), (RegionAttributes(name="r"),))
        driver.arm(Gate("A", 1))
        driver.call(PUT)
        with pytest.raises(ValueError, match=late):
            driver.arm(Gate("B", 1))
        assert driver.await_parked(Gate("A", 1))
        driver.release(Gate("A", 1))
        assert driver.finish(1) is not None
        with pytest.raises(ValueError, match=late):
            driver.arm(Gate("B", 1))
    armed = [moment for moment in driver.history().timeline if isinstance(moment, Armed)]
    assert armed == [Armed(Gate("A", 1))], "what was refused is no part of the history"


@pytest.mark.parametrize("stands_still", [True, False])
def test_a_depth_that_does_not_come_is_waited_for_unless_time_changes_nothing(*, stands_still: bool):
    waits: list[int] = []

    class Settling(ReferenceAdapter):
        def settle(self, timeout_ms: int) -> SettleResult:
            waits.append(timeout_ms)
            return super().settle(timeout_ms)

    Settling.stands_still = stands_still
    sites = Topology((Site(1, ("A", "B")), Site(2, ("C",))))
    queue = QueueAttributes(id="q", site=1, remote_site=2)
    regions = (RegionAttributes(name="r", senders=("q",)),)
    with Settling() as adapter:
        adapter.deploy(sites)
        driver = Driver(adapter, adapter.hello(), sites, sites.members, regions, (queue,))
        assert driver.await_depth("B", "q", 0)
        assert waits == []
        assert not driver.await_depth("B", "q", 7, timeout_ms=200)
    assert (len(waits) == 1) == stands_still
    assert sum(isinstance(moment, Waited) for moment in driver.history().timeline) == 1
