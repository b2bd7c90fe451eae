from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.selftest.histories.samples import VIOLATING
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    RegionAttributes,
    Scope,
    Site,
    Status,
    Topology,
)
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rules.judging import RuleFinding, findings
from plumbline.reference.rules.rule import load_rules
from plumbline.reference.trace.rows import rows
from plumbline.reference.trace.schema import TRACE_SCHEMA
from plumbline.suites.harness.driver import Driver

EXAMPLES = 150
TOPOLOGY = Topology((Site(1, ("m1", "m2", "m3")),))
KINDS = (
    *[OperationKind.PUT] * 3,
    OperationKind.CREATE,
    OperationKind.DESTROY,
    OperationKind.INVALIDATE,
    OperationKind.PUT_IF_ABSENT,
    OperationKind.REPLACE,
    OperationKind.GET,
    OperationKind.LOCAL_DESTROY,
    OperationKind.LOCAL_INVALIDATE,
)


def example(rulebook: Rulebook, seed: int) -> History:
    """Fourteen operations on two keys, each member at most one at a time, often two members at once."""
    chance = random.Random(seed)  # noqa: S311 - an example, not a secret
    adapter = ReferenceAdapter(rulebook, chaotic=True, seed=seed)
    order = adapter.deploy(TOPOLOGY).member_order
    region = RegionAttributes(name="r", checks=True, scope=chance.choice(list(Scope)))
    driver = Driver(adapter, adapter.hello(), TOPOLOGY, order, (region,))
    kinds = KINDS if seed % 4 == 0 else KINDS[:-2]
    busy: dict[str, int] = {}
    for op_id in range(1, 15):
        member = chance.choice(TOPOLOGY.members)
        if member in busy:
            driver.finish(busy.pop(member))
        kind = chance.choice(kinds)
        token = None if kind is OperationKind.GET else f"v{op_id}"
        operation = Operation(
            op_id=op_id,
            thread=member,
            member=member,
            region="r",
            kind=kind,
            key=chance.choice("ab"),
            token=token,
        )
        driver.call(operation)
        busy[member] = op_id
        if chance.random() < 0.5:
            driver.finish(busy.pop(member))
    for op_id in busy.values():
        driver.finish(op_id)
    driver.settle()
    for member in TOPOLOGY.members:
        driver.contents(member, "r")
    return driver.history()


def found(rulebook: Rulebook) -> dict[str, RuleFinding]:
    events = [
        row
        for seed in range(EXAMPLES)
        for row in rows("run", f"e{seed}", Source.MACHINE, Verdict.PASS, example(rulebook, seed))
    ]
    return {f.requirement: f for f in findings(pa.Table.from_pylist(events, schema=TRACE_SCHEMA), ["run"])}


def test_no_rule_accuses_the_reference_in_whatever_order_it_takes_its_steps():
    by_rule = found(Rulebook())
    assert set(by_rule) == set(load_rules())
    assert all(by_rule[name].opportunities >= EXAMPLES / 3 for name in VIOLATING), by_rule
    assert [f.witnesses for f in by_rule.values() if f.violations] == []


@pytest.mark.parametrize(
    ("decision", "answer", "requirement"),
    [
        ("status_of_loser", lambda status, discarded: Status.FAILED if discarded else status, "CONS-RR-02"),
        ("applies_tie_of_lower", lambda *_: True, "CONS-RR-04"),
        ("applies_newer", lambda *_: False, "CONS-RR-05"),
        ("announces_discarded", lambda *_: True, "DISC-LSN-01"),
        ("announcements_of_applied", lambda *_: 2, "DISC-LSN-01"),
        ("announcements_of_applied", lambda *_: 0, "DISC-LSN-01"),
    ],
)
def test_a_rule_accuses_a_reference_that_decides_wrongly(
    decision: str, answer: Callable[..., Any], requirement: str
):
    faulty = Rulebook(**{decision: answer})
    assert found(faulty)[requirement].violations > 0
