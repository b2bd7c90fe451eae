"""The driver that writes histories: what it refuses to do, and how long it waits."""

from __future__ import annotations

from contextlib import nullcontext

import msgspec
import pytest
from msgspec.structs import replace

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.process.messages import LINE_LIMIT
from plumbline.adapters.protocol import Observed, SettleResult, characters
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.moments import Armed, Gate, Waited
from plumbline.reference.history.operations import (
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.suites.harness.driver import Driver
from plumbline.suites.harness.session import Session
from plumbline.suites.scenarios.mismatch import MismatchError
from plumbline.suites.scenarios.stage import Stage

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


def test_what_is_too_long_for_a_line_comes_in_parts():
    parts: list[int] = []

    class Telling(ReferenceAdapter):
        def observe(self, since: int) -> Observed:
            observed = super().observe(since)
            parts.append(characters(observed))
            return observed

    sites = Topology((Site(1, ("A", "B")),))
    with Telling() as adapter:
        adapter.deploy(sites)
        driver = Driver(adapter, adapter.hello(), sites, sites.members, (RegionAttributes(name="r"),))
        for number in range(1, 10):
            driver.call(replace(PUT, op_id=number, token=f"t{number}", value_bytes=1_000_000))
        assert driver.settle()
    tokens = [seen.event.token for seen in driver.history().logs["B"]]
    assert tokens == [f"t{number}" for number in range(1, 10)]
    assert max(parts) < LINE_LIMIT / 2, "a part fits in a line, and leaves room for what else it says"


class FailsEarly(ReferenceAdapter):
    """Says of what it had not got to when a member died that it certainly did not happen."""

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        outcome = super().finish(op_id, timeout_ms)
        died = outcome is not None and outcome.status is Status.INDEFINITE
        return Outcome(Status.FAILED, detail="was not begun") if died else outcome


def test_what_fails_since_its_member_has_died_is_taken_as_if_nobody_knew():
    sites = Topology((Site(1, ("A", "B")),))
    with FailsEarly() as adapter:
        adapter.deploy(sites)
        driver = Driver(adapter, adapter.hello(), sites, sites.members, (RegionAttributes(name="r"),))
        driver.arm(Gate("A", 1))
        driver.call(PUT)
        assert driver.await_parked(Gate("A", 1))
        driver.inject(Fault(kind=FaultKind.CRASH, member="A"))
        outcome = driver.finish(1)
    assert outcome is not None
    assert (outcome.status, outcome.detail) == (Status.INDEFINITE, "was not begun")


@pytest.mark.parametrize(
    ("strength", "told", "right"),
    [
        (OrderStrength.TOTAL, "1 2 3 4", True),
        (OrderStrength.PER_KEY, "1 3 2 4", False),
        (OrderStrength.PER_KEY_AND_THREAD, "1 2 3 4", True),
        (OrderStrength.PER_KEY_AND_THREAD, "3 1 4 2", True),
        (OrderStrength.PER_KEY_AND_THREAD, "2 1 3 4", False),
        (OrderStrength.PER_KEY_AND_THREAD, "1 2 3", False),
        (OrderStrength.PER_KEY_AND_THREAD, "1 2 3 3", False),
    ],
)
def test_a_scenario_asks_of_a_log_no_more_order_than_it_carries(
    strength: OrderStrength, told: str, *, right: bool
):
    """Operations 1 and 2 are of one thread, 3 and 4 of another."""
    operations = [
        msgspec.structs.replace(PUT, op_id=number, thread=f"A{number > 2}", token=f"{number}")
        for number in (1, 2, 3, 4)
    ]
    log = [
        Event(member="A", region="r", key="x", kind=EventKind.UPDATE, token=token) for token in told.split()
    ]

    class Told(Driver):
        def poll(self) -> tuple[Event, ...]:
            return ()

        def log(self, member: str) -> tuple[Event, ...]:
            return tuple(log) if member == "A" else ()

    sites = Topology((Site(1, ("A",)),))
    adapter = ReferenceAdapter()
    adapter.deploy(sites)
    introduction = msgspec.structs.replace(adapter.hello(), order_strength=strength)
    stage = Stage(Told(adapter, introduction, sites, sites.members, (RegionAttributes(name="r"),)), ("A",))
    with nullcontext() if right else pytest.raises(MismatchError, match="the listener of A to receive"):
        stage.log_is("A", "x", *operations)
