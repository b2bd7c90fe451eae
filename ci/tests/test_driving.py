"""The driver that writes histories: what it refuses to do."""

from __future__ import annotations

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.history import Armed, Gate
from plumbline.reference.operations import Operation, OperationKind, RegionAttributes, Site, Topology
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
