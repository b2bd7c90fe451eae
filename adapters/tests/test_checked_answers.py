"""The border: answers that contradict themselves or the request are adapter errors; observations pass."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.checked import CheckedAdapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.process.client import RemoteAdapter
from plumbline.adapters.process.messages import Response, UnreadableError, read_envelope
from plumbline.adapters.protocol import Deployed, Introduction, Observed, PlacementResult, SettleResult
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.history.listener_calls import QueueCall, QueuedChange
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    Conflict,
    Content,
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    QueueRole,
    QueueSight,
    RegionAttributes,
    RegionPolicy,
    Site,
    Status,
    Topology,
)

TOPOLOGY = Topology((Site(1, ("A", "B")),))
REGION = RegionAttributes(name="region")
BUCKETS = RegionAttributes(name="buckets", policy=RegionPolicy.PARTITION, redundancy=1)


def saying(method: str, *answers: object) -> CheckedAdapter:
    """A right adapter, except that it gives these answers to a method, the last one again and again."""
    left = list(answers)

    def answer(*_: object, **__: object) -> object:
        return left.pop(0) if len(left) > 1 else left[0]

    adapter: Adapter = type("Saying", (ReferenceAdapter,), {method: answer})()
    return CheckedAdapter(adapter)


def begun(adapter: CheckedAdapter, *regions: RegionAttributes) -> CheckedAdapter:
    """The adapter, in the middle of an example."""
    adapter.hello()
    adapter.deploy(TOPOLOGY)
    adapter.reset(regions or (REGION,))
    return adapter


def called(adapter: CheckedAdapter, kind: OperationKind = OperationKind.PUT) -> CheckedAdapter:
    """The adapter, with operation 1 begun on member A."""
    token = None if kind in (OperationKind.GET, OperationKind.CONTAINS_KEY) else "v1"
    begun(adapter).begin(
        Operation(op_id=1, thread="t", member="A", region="region", kind=kind, key="x", token=token)
    )
    return adapter


def armed(adapter: CheckedAdapter) -> CheckedAdapter:
    """The adapter, with a gate armed."""
    begun(adapter).arm(Gate("A", 1))
    return adapter


def killed(adapter: CheckedAdapter) -> CheckedAdapter:
    """The adapter, with member A dead."""
    adapter.crash("A")
    return adapter


def event(**changes: Any) -> Event:
    told: dict[str, Any] = {"member": "A", "region": "region", "key": "x", "token": "v1"}
    return Event(**{"kind": EventKind.UPDATE, **told, **changes})


def introduction(**changes: Any) -> Introduction:
    return msgspec.structs.replace(ReferenceAdapter().hello(), **changes)


def listened(adapter: CheckedAdapter) -> CheckedAdapter:
    """The adapter, with an asynchronous event queue."""
    adapter.hello()
    adapter.deploy(TOPOLOGY)
    adapter.create_queue(QueueAttributes(id="listened", site=1))
    adapter.reset((msgspec.structs.replace(REGION, queues=("listened",)),))
    return adapter


def batch(marked: bool | None) -> Observed:
    change = QueuedChange(region="region", key="x", kind=EventKind.DESTROY, token=None, marked=marked)
    call = QueueCall(member="A", queue="listened", events=(change,), answer="true")
    return Observed(events=(), position=1, calls=(call,))


CONFLICT = Conflict(
    kind=EventKind.UPDATE, old=None, site=1, stored_site=2, time_ms=0, stored_time_ms=0, answer="allow"
)

Ask = Callable[[CheckedAdapter], object]


@pytest.mark.parametrize(
    ("method", "answers", "asks", "complaint"),
    [
        (
            "observe",
            [batch(None)],
            lambda it: listened(it).observe(0),
            "observe: a call of the listener at A that does not say of each event whether it is `marked`",
        ),
        (
            "contents",
            [(Content("x", "wrong"), Content("x", "right"))],
            lambda it: begun(it).contents("A", "region"),
            "contents: names the key 'x' twice",
        ),
        (
            "deploy",
            [Deployed(member_order=())],
            lambda it: it.deploy(TOPOLOGY),
            "deploy: member_order is [], and the members are ['A', 'B'], each once",
        ),
        (
            "deploy",
            [Deployed(member_order=("A", "A", "B"))],
            lambda it: it.deploy(TOPOLOGY),
            "deploy: member_order is ['A', 'A', 'B']",
        ),
        (
            "deploy",
            [Deployed(member_order=("A", "Z"))],
            lambda it: it.deploy(TOPOLOGY),
            "deploy: member_order is ['A', 'Z']",
        ),
        (
            "hello",
            [introduction(protocol=2)],
            lambda it: it.hello(),
            "hello: speaks version 2 of the protocol, and this suite 1",
        ),
        (
            "hello",
            [introduction(capabilities=("clear", "clear"))],
            lambda it: it.hello(),
            "hello: declares 'clear' twice",
        ),
        (
            "hello",
            [introduction(conflated_weight_least=2, conflated_weight_most=1)],
            lambda it: it.hello(),
            "hello: one discarded update cannot add at least 2 and at most 1",
        ),
        (
            "hello",
            [introduction(), introduction(version="2")],
            lambda it: (it.hello(), it.hello()),
            "hello: says version '2', and said",
        ),
        (
            "hello",
            [introduction(), introduction(capabilities=("clear",))],
            lambda it: (it.hello(), it.hello()),
            "hello: says capabilities 'clear', and said 'replicated_regions, ",
        ),
        (
            "finish",
            [Outcome(Status.OK, "v0")],
            lambda it: called(it).finish(1, 0),
            "finish: gives 'v0' back for put, which gives nothing back",
        ),
        (
            "finish",
            [Outcome(Status.OK, "yes")],
            lambda it: called(it, OperationKind.CONTAINS_KEY).finish(1, 0),
            "finish: gives 'yes' back for contains_key, where 'true' or 'false' is due",
        ),
        (
            "finish",
            [Outcome(Status.OK)],
            lambda it: called(it).finish(2, 0),
            "finish: tells an outcome of operation 2, which was not begun",
        ),
        (
            "observe",
            [Observed(events=(event(member="Z"),), position=1)],
            lambda it: begun(it).observe(0),
            "observe: an event of a member that does not exist: 'Z'",
        ),
        (
            "observe",
            [Observed(events=(event(region="other"),), position=1)],
            lambda it: begun(it).observe(0),
            "observe: an event of a region that does not exist: 'other'",
        ),
        (
            "observe",
            [Observed(events=(), position=2), Observed(events=(), position=1)],
            lambda it: (begun(it).observe(0), it.observe(2)),
            "observe: goes back to position 1, where 2 was asked for",
        ),
        (
            "observe",
            [Observed(events=(event(),), position=0)],
            lambda it: begun(it).observe(0),
            "observe: tells 1 events and stays at position 0",
        ),
        (
            "observe",
            [Observed(events=(event(conflict=CONFLICT),), position=1)],
            lambda it: begun(it).observe(0),
            "observe: a conflict beside an event of the kind update at A",
        ),
        (
            "observe",
            [Observed(events=(event(kind=EventKind.RESOLVE),), position=1)],
            lambda it: begun(it).observe(0),
            "observe: an event of the kind resolve at A without its conflict",
        ),
        (
            "observe",
            [
                Observed(
                    events=(
                        event(
                            kind=EventKind.RESOLVE, conflict=msgspec.structs.replace(CONFLICT, answer="hm")
                        ),
                    ),
                    position=1,
                )
            ],
            lambda it: begun(it).observe(0),
            "observe: a resolver of A is asked about update, and answers 'hm'",
        ),
        (
            "settle",
            [SettleResult(settled=True, held=(("A", "x"),))],
            lambda it: begun(it).settle(0),
            "settle: names [('A', 'x')] as held, and no gate was armed in this example",
        ),
        (
            "settle",
            [SettleResult(settled=False, held=(("Z", "x"),))],
            lambda it: armed(it).settle(0),
            "settle: names 'Z', which does not exist",
        ),
        (
            "attributes",
            [RegionAttributes(name="other", checks=True)],
            lambda it: begun(it).attributes("A", "region"),
            "attributes: tells the attributes of 'other', where 'region' is asked about",
        ),
        (
            "attributes",
            [REGION],
            lambda it: begun(it).attributes("A", "region"),
            "attributes: does not say whether region checks",
        ),
        (
            "placement",
            [PlacementResult(primary="A", redundant=("A",))],
            lambda it: begun(it, BUCKETS).placement("buckets", "x"),
            "placement: names a holder of 'x', 'A' twice",
        ),
        (
            "placement",
            [PlacementResult(primary="A", redundant=("Z",))],
            lambda it: begun(it, BUCKETS).placement("buckets", "x"),
            "placement: says that 'Z' holds 'x', and no such member lives",
        ),
        (
            "placement",
            [PlacementResult(primary="A")],
            lambda it: killed(begun(it, BUCKETS)).placement("buckets", "x"),
            "placement: says that 'A' holds 'x', and no such member lives",
        ),
    ],
)
def test_an_answer_that_cannot_be_believed_is_an_adapter_error(
    method: str, answers: list[object], asks: Ask, complaint: str
):
    with pytest.raises(AdapterError) as error:
        asks(saying(method, *answers))
    assert str(error.value).startswith(complaint)


@pytest.mark.parametrize(
    ("method", "answer", "asks"),
    [
        ("contents", (Content("x", "never written"),), lambda it: begun(it).contents("A", "region")),
        ("contents", None, lambda it: begun(it).contents("A", "region")),
        ("finish", Outcome(Status.EXISTS), lambda it: called(it).finish(1, 0)),
        ("finish", Outcome(Status.OK, "never"), lambda it: called(it, OperationKind.GET).finish(1, 0)),
        ("observe", Observed(events=(event(),) * 2, position=2), lambda it: begun(it).observe(0)),
        ("observe", Observed(events=(event(key="odd"),), position=9), lambda it: begun(it).observe(0)),
        ("statistic", -3, lambda it: begun(it).statistic("A", "conflatedEvents")),
        (
            "look_at_queue",
            QueueSight(depth=1, role=QueueRole.PRIMARY, tokens=("v1", "v1")),
            lambda it: begun(it).look_at_queue("A", "to 2"),
        ),
    ],
)
def test_what_a_broken_candidate_may_show_is_judged_and_no_adapter_error(
    method: str, answer: object, asks: Ask
):
    assert asks(saying(method, answer)) == answer


def test_an_operation_of_the_example_before_is_none_of_this_one():
    adapter = called(saying("finish", Outcome(Status.OK)))
    adapter.finish(1, 0)
    begun(adapter)
    with pytest.raises(AdapterError, match="outcome of operation 1, which was not begun"):
        adapter.finish(1, 0)


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","id":1,"result":{},"result":{}}',
        '{"jsonrpc":"2.0","id":1,"id":1,"result":{}}',
        '{"jsonrpc":"2.0","id":1,"result":{"events":[],"position":9,"position":3}}',
        '{"jsonrpc":"2.0","id":1,"result":{"entries":[{"key":"x","token":"wrong","token":"right"}]}}',
    ],
)
def test_a_field_named_twice_is_refused_at_any_depth(line: str):
    with pytest.raises(UnreadableError, match=r"names the field `(result|id|position|token)` twice") as error:
        read_envelope(line.encode(), Response)
    assert error.value.is_json


class _Twice:
    """A channel whose every answer names its position twice."""

    def exchange(self, line: bytes, limit_ms: int) -> bytes:
        del limit_ms
        number = json.loads(line)["id"]
        return (
            f'{{"jsonrpc":"2.0","id":{number},"result":{{"position":1,"position":2,"events":[]}}}}'.encode()
        )

    def last_words(self) -> str:
        return ""

    def end(self, patience_ms: int, *, asked: bool = False) -> None:
        del patience_ms, asked


def test_an_answer_that_names_a_field_twice_is_an_adapter_error():
    with pytest.raises(AdapterError, match=r"observe: .* names the field `position` twice"):
        RemoteAdapter(_Twice()).observe(0)
