"""An adapter whose every method is one request: a method of the protocol, its params, its result.

Knows how methods and records belong together, in both directions; not where a request goes.
"""
# ruff: noqa: D102 - most methods are those of Adapter, and told there

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.protocol import (
    METHODS,
    Advance,
    Attributes,
    AttributesResult,
    AwaitCopy,
    AwaitInterest,
    AwaitParked,
    Begin,
    BeginCopy,
    BeginInterest,
    ClientAction,
    ClientStart,
    ClockParams,
    Contents,
    ContentsResult,
    Crash,
    CreateQueue,
    Deploy,
    Deployed,
    Finished,
    FinishRequest,
    GateParams,
    HeldResult,
    Hello,
    HostingParams,
    HostingRequest,
    InterestEnded,
    InterestNumber,
    InterestParams,
    Introduction,
    JoinResult,
    Link,
    LogLines,
    LogRequest,
    MemberParams,
    Method,
    MovePrimary,
    Nothing,
    Observe,
    Observed,
    ParkedResult,
    Placement,
    PlacementResult,
    QueueAction,
    QueueLook,
    RedeliverRequest,
    Reset,
    ScriptRequest,
    SettleRequest,
    SettleResult,
    Statistic,
    StatisticResult,
    TombstoneParams,
)
from plumbline.reference.history.log_lines import LogLine
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    Client,
    Content,
    Interest,
    Operation,
    Outcome,
    QueueAttributes,
    QueueSight,
    RegionAttributes,
    Status,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.history.views import RegionViews

Record = TypeVar("Record", bound=msgspec.Struct)


class AskingAdapter(Adapter):
    """An adapter that passes each call on as a request."""

    @abstractmethod
    def _ask(self, method: str, params: msgspec.Struct, result: type[Record]) -> Record:
        """Carry out one request and give its result."""

    def hello(self) -> Introduction:
        return self._ask("hello", Hello(), Introduction)

    def deploy(self, topology: Topology) -> Deployed:
        return self._ask("deploy", Deploy(topology=topology), Deployed)

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        self._ask("reset", Reset(regions=regions), Nothing)

    def begin(self, operation: Operation) -> None:
        self._ask("begin", Begin(operation=operation), Nothing)

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        return self._ask("finish", FinishRequest(op_id=op_id, timeout_ms=timeout_ms), Finished).outcome

    def observe(self, since: int) -> Observed:
        return self._ask("observe", Observe(since=since), Observed)

    def settle(self, timeout_ms: int) -> SettleResult:
        return self._ask("settle", SettleRequest(timeout_ms=timeout_ms), SettleResult)

    def contents(self, member: str, region: str) -> tuple[Content, ...] | None:
        return self._ask("contents", Contents(member=member, region=region), ContentsResult).entries

    def views(self, member: str, region: str) -> RegionViews:
        return self._ask("views", Contents(member=member, region=region), RegionViews)

    def queries(self, member: str, region: str) -> RegionViews:
        return self._ask("queries", Contents(member=member, region=region), RegionViews)

    def arm(self, gate: Gate) -> None:
        self._ask("arm", GateParams(gate=gate), Nothing)

    def await_parked(self, gate: Gate, timeout_ms: int) -> bool:
        return self._ask("await_parked", AwaitParked(gate=gate, timeout_ms=timeout_ms), ParkedResult).parked

    def release(self, gate: Gate) -> None:
        self._ask("release", GateParams(gate=gate), Nothing)

    def statistic(self, member: str, name: str) -> int:
        return self._ask("statistic", Statistic(member=member, name=name), StatisticResult).value

    def server_log(self, member: str) -> tuple[LogLine, ...]:
        return self._ask("server_log", LogRequest(member=member), LogLines).lines

    def attributes(self, member: str, region: str) -> RegionAttributes:
        return self._ask("attributes", Attributes(member=member, region=region), AttributesResult).attributes

    def leave(self, member: str, region: str) -> None:
        self._ask("leave", HostingRequest(member=member, region=region), Nothing)

    def join(self, member: str, region: str) -> None:
        self._ask("join", HostingRequest(member=member, region=region), Nothing)

    def begin_join(self, member: str, region: str, held: bool) -> None:
        self._ask("begin_join", BeginCopy(member=member, region=region, held=held), Nothing)

    def await_copy(self, member: str, region: str, timeout_ms: int) -> bool:
        params = AwaitCopy(member=member, region=region, timeout_ms=timeout_ms)
        return self._ask("await_copy", params, HeldResult).held

    def release_copy(self, member: str, region: str) -> None:
        self._ask("release_copy", HostingRequest(member=member, region=region), Nothing)

    def finish_join(self, member: str, region: str, timeout_ms: int) -> bool:
        params = AwaitCopy(member=member, region=region, timeout_ms=timeout_ms)
        return self._ask("finish_join", params, JoinResult).joined

    def host(self, member: str, region: str, checks: bool, persistent: bool) -> None:
        params = HostingParams(member=member, region=region, checks=checks, persistent=persistent)
        self._ask("host", params, Nothing)

    def redeliver(self, op_id: int, member: str) -> None:
        self._ask("redeliver", RedeliverRequest(op_id=op_id, member=member), Nothing)

    def create_queue(self, queue: QueueAttributes) -> None:
        self._ask("create_queue", CreateQueue(queue=queue), Nothing)

    def queue_action(self, member: str, queue: str, action: str) -> None:
        self._ask("queue_action", QueueAction(member=member, queue=queue, action=action), Nothing)

    def placement(self, region: str, key: str) -> PlacementResult:
        return self._ask("placement", Placement(region=region, key=key), PlacementResult)

    def look_at_queue(self, member: str, queue: str) -> QueueSight:
        return self._ask("look_at_queue", QueueLook(member=member, queue=queue), QueueSight)

    def move_primary(self, region: str, key: str, member: str) -> None:
        self._ask("move_primary", MovePrimary(region=region, key=key, member=member), Nothing)

    def crash(self, member: str) -> None:
        self._ask("crash", Crash(member=member), Nothing)

    def restart(self, member: str, from_disk: bool) -> None:
        self._ask("restart", MemberParams(member=member, from_disk=from_disk), Nothing)

    def link(self, source: str, target: str, state: str) -> None:
        self._ask("link", Link(source=source, target=target, state=state), Nothing)

    def clock(self, site: int, offset_ms: int, frozen: bool) -> None:
        self._ask("clock", ClockParams(site=site, offset_ms=offset_ms, frozen=frozen), Nothing)

    def keep_tombstones(self, settings: TombstoneSettings) -> None:
        self._ask("keep_tombstones", TombstoneParams(settings=settings), Nothing)

    def advance(self, milliseconds: int) -> None:
        self._ask("advance", Advance(milliseconds=milliseconds), Nothing)

    def start_client(self, client: Client) -> None:
        self._ask("start_client", ClientStart(client=client), Nothing)

    def client_action(self, client: str, action: str, keepalive: bool) -> None:
        self._ask("client_action", ClientAction(client=client, action=action, keepalive=keepalive), Nothing)

    def interest(self, interest: Interest) -> None:
        self._ask("interest", InterestParams(interest=interest), Nothing)

    def begin_interest(self, number: int, interest: Interest, held: bool) -> None:
        self._ask("begin_interest", BeginInterest(number=number, interest=interest, held=held), Nothing)

    def await_answer(self, number: int, timeout_ms: int) -> bool:
        params = AwaitInterest(number=number, timeout_ms=timeout_ms)
        return self._ask("await_answer", params, HeldResult).held

    def release_answer(self, number: int) -> None:
        self._ask("release_answer", InterestNumber(number=number), Nothing)

    def finish_interest(self, number: int, timeout_ms: int) -> Status | None:
        params = AwaitInterest(number=number, timeout_ms=timeout_ms)
        return self._ask("finish_interest", params, InterestEnded).status

    def script(self, member: str, region: str, callback: str, answers: tuple[str, ...]) -> None:
        params = ScriptRequest(member=member, region=region, callback=callback, answers=answers)
        self._ask("script", params, Nothing)

    def call(self, method: str, params: msgspec.Struct) -> msgspec.Struct:
        return self._ask(method, params, METHODS[method].result)


def carry_out(adapter: Adapter, method: Method, params: msgspec.Struct) -> msgspec.Struct:
    """Call what a method stands for: the fields of its params are the arguments, in order.

    Returns the result, or its only field.
    """
    if method.name == "hello":
        return adapter.hello()
    if not hasattr(Adapter, method.name):
        return adapter.call(method.name, params)
    value: Any = getattr(adapter, method.name)(*msgspec.structs.astuple(params))
    if isinstance(value, method.result):
        return value
    if method.result is Nothing:
        return Nothing()
    if len(method.result.__struct_fields__) > 1:
        raise AdapterError(f"{method.name} returned {type(value).__name__}, no {method.result.__name__}")
    (field,) = method.result.__struct_fields__
    return method.result(**{field: value})
