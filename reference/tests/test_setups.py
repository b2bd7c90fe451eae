"""The set-up lines: each setting of a plan, and each declaration of a candidate, changes them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from plumbline.reference.history.actions import Do
from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.history.operations import (
    Client,
    HostPolicy,
    Interest,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Site,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.history.plans import Plan, plan_words
from plumbline.reference.history.registration_actions import Register
from plumbline.reference.history.setups import setup_words

PLAN = Plan(
    Topology((Site(1, ("A", "B")), Site(2, ("X",)))),
    (
        RegionAttributes(name="r", policies=(HostPolicy("B", RegionPolicy.EMPTY),), senders=("out",)),
        RegionAttributes(name="s"),
    ),
    (),
    (QueueAttributes(id="out", site=1, remote_site=2), QueueAttributes(id="aeq", site=1)),
    (Client(name="K", servers=("A", "B"), durable_id="home"),),
    tombstones=TombstoneSettings(timeout_ms=1000, threshold=7),
    resolver="allow",
)

OTHERWISE: dict[type[msgspec.Struct], dict[str, object]] = {
    Site: {"number": 9, "members": ("A",)},
    Topology: {"sites": (Site(1, ("A", "B")),)},
    HostPolicy: {"member": "A", "policy": RegionPolicy.NORMAL},
    RegionAttributes: {
        "name": "t",
        "policy": RegionPolicy.PARTITION,
        "policies": (HostPolicy("A", RegionPolicy.EMPTY),),
        "scope": Scope.NO_ACK,
        "checks": False,
        "senders": ("out", "back"),
        "queues": ("aeq",),
        "redundancy": 1,
    },
    TombstoneSettings: {
        "timeout_ms": 5,
        "other_timeout_ms": 6,
        "threshold": 8,
        "thresholds": (("A", 9),),
    },
    QueueAttributes: {
        "id": "other",
        "site": 2,
        "remote_site": 3,
        "parallel": True,
        "dispatchers": 4,
        "order_policy": "thread",
        "batch_size": 3,
        "batch_interval_ms": 11,
        "conflate": True,
        "persistent": True,
        "maximum_memory_mb": 1,
        "remove_on_exception": False,
        "members": ("A",),
        "manual_start": True,
        "refused_keys": ("r",),
        "withheld_keys": ("w",),
        "group_transactions": True,
        "substituted_keys": ("x",),
        "failing_keys": ("f",),
    },
    Client: {
        "name": "L",
        "servers": ("B",),
        "subscription": False,
        "redundancy": 1,
        "durable_id": "away",
        "durable_timeout_s": 1,
        "checks": True,
        "tracking_timeout_ms": 10,
        "conflate": True,
    },
}
"""Another value of each field of each record that configures something."""


def changed(plan: Plan, record: type[msgspec.Struct], field: str) -> Iterator[Plan]:
    """The plan with one field of a record changed, wherever the plan has such a record."""

    def walk(value: object) -> Iterator[object]:
        if type(value) is record:
            yield msgspec.structs.replace(value, **{field: OTHERWISE[record][field]})
        if isinstance(value, msgspec.Struct):
            for name in value.__struct_fields__:
                for other in walk(getattr(value, name)):
                    yield msgspec.structs.replace(value, **{name: other})
        elif isinstance(value, tuple):
            for index, one in enumerate(value):
                for other in walk(one):
                    yield (*value[:index], other, *value[index + 1 :])

    for other in walk(plan):
        assert isinstance(other, Plan)
        yield other


@pytest.mark.parametrize(
    ("record", "field"),
    [(record, field) for record in OTHERWISE for field in record.__struct_fields__],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_whatever_is_configured_otherwise_reads_otherwise(record: type[msgspec.Struct], field: str) -> None:
    plans = list(changed(PLAN, record, field))
    assert plans
    for plan in plans:
        assert plan != PLAN
        assert setup_words(plan) != setup_words(PLAN)


@pytest.mark.parametrize("field", [name for name in Plan.__struct_fields__ if name != "steps"])
def test_every_field_of_a_plan_but_its_steps_has_words(field: str) -> None:
    value = getattr(PLAN, field)
    other = {
        "topology": Topology((Site(1, ("A",)),)),
        "registers": False,
        "tombstones": None,
        "resolver": "",
    }.get(field, ())
    assert other != value
    assert setup_words(msgspec.structs.replace(PLAN, **{field: other})) != setup_words(PLAN)


HISTORY = History(
    topology=PLAN.topology,
    regions=PLAN.regions,
    timeline=(),
    logs={},
    queues=PLAN.queues,
    clients=PLAN.clients,
)

DECLARED = {
    "order_strength": OrderStrength.PER_KEY,
    "client_order_strength": OrderStrength.PER_KEY,
    "member_order": ("A", "X", "B"),
    "conflated_weight_least": 0,
    "conflated_weight_most": 2,
    "callback_arguments": False,
    "batches_wait": False,
    "retries_wait": True,
    "sends_on": True,
}


@pytest.mark.parametrize(
    "field", [name for name in History.__struct_fields__ if name not in PLAN.__struct_fields__]
)
def test_what_a_candidate_declares_has_words(field: str) -> None:
    if field in ("timeline", "logs", "calls", "values"):
        return
    other = msgspec.structs.replace(HISTORY, **{field: DECLARED[field]})
    assert setup_words(other) != setup_words(HISTORY)


def test_a_plain_example_takes_one_line_a_thing() -> None:
    plan = Plan(Topology((Site(1, ("A", "B")),)), (RegionAttributes(name="r"),), ())
    assert setup_words(plan) == (
        "site 1: members A, B",
        "region r: replicate; distributed_ack; checks left at the default",
    )


def test_operations_and_registrations_of_a_plan_tell_all_that_they_set() -> None:
    put = Operation(
        op_id=1,
        thread="t",
        member="A",
        region="r",
        kind=OperationKind.PUT,
        key="x",
        token="v1",  # noqa: S106 - a token of the protocol
    )
    others = {
        "thread": "u",
        "member": "B",
        "region": "s",
        "kind": OperationKind.CREATE,
        "key": "y",
        "token": "v2",
        "expected": "v0",
        "value_bytes": 100_000,
        "argument": "a1",
    }
    told = plan_words(msgspec.structs.replace(PLAN, steps=(Do(put),)))
    for field in put.__struct_fields__:
        if field not in ("op_id", "entries"):  # entries are of operations on many keys
            other = Do(msgspec.structs.replace(put, **{field: others[field]}))
            assert plan_words(msgspec.structs.replace(PLAN, steps=(other,))) != told, field
    begin = Operation(op_id=1, thread="t", member="A", region="r", kind=OperationKind.TX_BEGIN)
    assert "operation 1" in plan_words(msgspec.structs.replace(PLAN, steps=(Do(begin),)))[0]
    interest = Interest(client="K", region="r")
    told = plan_words(msgspec.structs.replace(PLAN, steps=(Register(interest),)))
    for field, value in {
        "client": "L",
        "region": "s",
        "kind": "key",
        "specification": "x",
        "policy": "keys",
        "durable": True,
        "receive_values": False,
        "register": False,
    }.items():
        step = Register(msgspec.structs.replace(interest, **{field: value}))
        assert plan_words(msgspec.structs.replace(PLAN, steps=(step,))) != told, field
