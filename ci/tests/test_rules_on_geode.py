"""No rule accuses Apache Geode on two sites, calm or with faults; corrupted, the same traces are accused."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from plumbline.ci.selftest.histories.history_builder import TOPOLOGY
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Operation, OperationKind, QueueAttributes, RegionAttributes
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.rules.judging import findings
from plumbline.reference.trace.layout import Row
from plumbline.reference.trace.rows import rows
from plumbline.reference.trace.schema import TRACE_SCHEMA
from plumbline.suites.harness.driver import Driver

pytest.importorskip("py4j", reason="the extra [geode] is not installed")

from plumbline.adapters.geode.geode_adapter import GeodeAdapter

pytestmark = pytest.mark.java

QUEUES = (QueueAttributes(id="out", site=1, remote_site=2), QueueAttributes(id="back", site=2, remote_site=1))
REGIONS = (RegionAttributes(name="r", senders=("out", "back")), RegionAttributes(name="u"))
FAULTS = (None, FaultKind.LINK_DOWN, FaultKind.REPLIES_LOST, FaultKind.PAUSE, FaultKind.CRASH)
KINDS = (
    *[OperationKind.PUT] * 3,
    OperationKind.CREATE,
    OperationKind.DESTROY,
    OperationKind.INVALIDATE,
    OperationKind.GET,
)


def fault(kind: FaultKind) -> Fault:
    if kind is FaultKind.CRASH:
        return Fault(kind=kind, member="a1")
    if kind in {FaultKind.PAUSE, FaultKind.RESUME}:
        return Fault(kind=kind, member="a1", queue="out")
    return Fault(kind=kind, site=1, remote_site=2)


def example(
    adapter: GeodeAdapter, order: tuple[str, ...] | None, number: int, kind: FaultKind | None
) -> list[Row]:
    """Fifteen operations, one after the other, the middle five with the fault; all is looked at then."""
    chance = random.Random(number)  # noqa: S311 - an example, not a secret
    driver = Driver(adapter, adapter.hello(), TOPOLOGY, order, REGIONS, QUEUES)
    members = [m for m in TOPOLOGY.members if number % 2 or m.startswith("a")]
    for op_id in range(1, 16):
        if op_id == 6 and kind is not None:
            driver.inject(fault(kind))
            members = [m for m in members if m not in driver.crashed]
        if op_id == 11 and kind not in {None, FaultKind.CRASH}:
            driver.settle()
            driver.look_at_queue("a1", "out")
            driver.look_at_queue("a2", "out")
            driver.inject(fault(FaultKind.RESUME if kind is FaultKind.PAUSE else FaultKind.LINK_UP))
        member, called = chance.choice(members), chance.choice(KINDS)
        operation = Operation(
            op_id=op_id,
            thread=f"t-{member}",
            member=member,
            region=chance.choice("rrrru"),
            kind=called,
            key=chance.choice("kl"),
            token=None if called is OperationKind.GET else f"v{number}.{op_id}",
        )
        driver.call(operation)
        driver.finish(op_id)
    driver.settle()
    for member in TOPOLOGY.members:
        if member not in driver.crashed:
            driver.look_at_queue(member, "out" if member.startswith("a") else "back")
    driver.settle()
    for member in TOPOLOGY.members:
        for region in ("r", "u") if member not in driver.crashed else ():
            driver.contents(member, region)
    return rows("run", f"{number}", Source.MACHINE, Verdict.PASS, driver.history())


@pytest.mark.slow
def test_no_rule_accuses_geode_and_lost_or_turned_events_are_noticed():
    with GeodeAdapter("1.15.1") as adapter:
        order = adapter.deploy(TOPOLOGY).member_order
        trace = [row for n in range(15) for row in example(adapter, order, n, FAULTS[n % len(FAULTS)])]

    def judged(table: list[Row]) -> dict[str, tuple[int, int]]:
        found = findings(pa.Table.from_pylist(table, schema=TRACE_SCHEMA), ["run"])
        return {f.requirement: (f.opportunities, f.violations) for f in found}

    found = judged(trace)
    assert {name for name, (_, bad) in found.items() if bad} == set()
    exercised = {name for name, (chances, _) in found.items() if chances}
    assert exercised >= {"GWQ-ACK-01", "GWQ-ACK-03", "REM-GEN-01", "WAN-ASYNC-01", "WAN-CFG-01", "WAN-OPS-02"}
    assert exercised >= {"SER-PRIMARY-01", "STAT-QUEUE-01", "WAN-OPS-05", "WAN-ORDER-01", "WANC-PEER-01"}

    crossed = [r for r in trace if r["kind"] == "listener" and r.get("origin_site") not in {None, r["site"]}]
    gone = [row for row in trace if not any(row is lost for lost in crossed)]
    turned = [
        row | {"log_pos": -row["log_pos"]} if row["kind"] == "listener" and row["site"] == 2 else row
        for row in trace
    ]
    assert {"GWQ-ACK-03", "WAN-OPS-02"} <= {name for name, (_, bad) in judged(gone).items() if bad}
    assert "WAN-ORDER-01" in {name for name, (_, bad) in judged(turned).items() if bad}
