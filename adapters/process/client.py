"""The harness's side of the protocol: an adapter whose every method is a request to another side.

`RemoteAdapter` needs a channel that exchanges lines; `ProcessAdapter` has a child process at its other end.
Knows what may be asked and how an answer is read, not whether the answer is right.
"""
# ruff: noqa: D102 - most methods are those of Adapter, and told there

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError, RefusedError, UnsupportedError
from plumbline.adapters.process.child import Child
from plumbline.adapters.process.messages import (
    ChannelError,
    ErrorCode,
    ErrorObject,
    Record,
    Request,
    Response,
    UnreadableError,
    read,
    read_envelope,
    readable,
    shorten,
    to_line,
    to_raw,
)
from plumbline.adapters.protocol import (
    METHODS,
    PROTOCOL_VERSION,
    Advance,
    Attributes,
    AttributesResult,
    AwaitParked,
    Begin,
    ClientAction,
    ClientStart,
    ClockParams,
    Contents,
    ContentsResult,
    Crash,
    CreateQueue,
    Deploy,
    Deployed,
    Finish,
    Finished,
    GateParams,
    Hello,
    Hosting,
    HostingParams,
    InterestParams,
    Introduction,
    Link,
    MemberParams,
    Nothing,
    Observe,
    Observed,
    ParkedResult,
    Placement,
    PlacementResult,
    QueueAction,
    QueueLook,
    Redeliver,
    Reset,
    Script,
    Settle,
    SettleResult,
    Statistic,
    StatisticResult,
    TombstoneParams,
)
from plumbline.reference.history import Gate
from plumbline.reference.operations import (
    Client,
    Content,
    Interest,
    Operation,
    Outcome,
    QueueAttributes,
    QueueSight,
    RegionAttributes,
    TombstoneSettings,
    Topology,
)

_DATA_SHOWN = 8 * 1024

INTERRUPTED_MS = 1_000
"""Most that each step of ending the other side takes when a request was interrupted: somebody waits."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How long the other side may take.

    Attributes:
        call_ms: for a call that names no time of its own.
        deploy_ms: for `deploy`, which starts every member.
        longest_ms: most that a call may ask for by its own `timeout_ms`.
        grace_ms: on top of a call's own `timeout_ms`; and for each step of ending the other side.
    """

    call_ms: int = 30_000
    deploy_ms: int = 300_000
    longest_ms: int = 600_000
    grace_ms: int = 5_000

    def of(self, method: str, params: msgspec.Struct) -> int:
        """The time limit of one request, in milliseconds."""
        own: int | None = getattr(params, "timeout_ms", None)
        if own is not None:
            return min(max(own, 0), self.longest_ms) + self.grace_ms
        return self.deploy_ms if method == "deploy" else self.call_ms


class Channel(Protocol):
    """The way to the other side."""

    def exchange(self, line: bytes, limit_ms: int) -> bytes:
        """Send a line and return the answer's; raises ChannelError."""

    def last_words(self) -> str:
        """The end of what the other side has said to people."""

    def end(self, patience_ms: int, *, asked: bool = False) -> None:
        """End the other side for good; never raises, may be called twice."""


class RemoteAdapter(Adapter):
    """An adapter at the other end of a channel.

    Every method may raise AdapterError: the other side failed, and says so; or it is gone, hangs, or
    answered what the protocol does not allow. In the second case it has been ended, with all its
    processes, and every later call fails at once: what it would say could belong to any request.
    """

    def __init__(self, channel: Channel, limits: Limits | None = None) -> None:
        self._channel = channel
        self._limits = limits or Limits()
        self._requests = 0
        self._gone = ""
        self._patience_ms = self._limits.grace_ms
        self.sent = self.answered = b""
        """The last request and the line that answered it, for people; empty where none came."""

    @property
    def gone(self) -> bool:
        """Whether the other side has been ended, so that nothing can be asked any more."""
        return bool(self._gone)

    def hello(self) -> Introduction:
        introduction = self._ask("hello", Hello(), Introduction)
        if introduction.protocol != PROTOCOL_VERSION:
            versions = f"version {introduction.protocol} of the protocol, and this suite {PROTOCOL_VERSION}"
            raise self._give_up(f"hello: the adapter speaks {versions}")
        return introduction

    def deploy(self, topology: Topology) -> Deployed:
        return self._ask("deploy", Deploy(topology=topology), Deployed)

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        self._ask("reset", Reset(regions=regions), Nothing)

    def begin(self, operation: Operation) -> None:
        self._ask("begin", Begin(operation=operation), Nothing)

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        return self._ask("finish", Finish(op_id=op_id, timeout_ms=timeout_ms), Finished).outcome

    def observe(self, since: int) -> Observed:
        return self._ask("observe", Observe(since=since), Observed)

    def settle(self, timeout_ms: int) -> SettleResult:
        return self._ask("settle", Settle(timeout_ms=timeout_ms), SettleResult)

    def contents(self, member: str, region: str) -> tuple[Content, ...] | None:
        return self._ask("contents", Contents(member=member, region=region), ContentsResult).entries

    def arm(self, gate: Gate) -> None:
        self._ask("arm", GateParams(gate=gate), Nothing)

    def await_parked(self, gate: Gate, timeout_ms: int) -> bool:
        return self._ask("await_parked", AwaitParked(gate=gate, timeout_ms=timeout_ms), ParkedResult).parked

    def release(self, gate: Gate) -> None:
        self._ask("release", GateParams(gate=gate), Nothing)

    def statistic(self, member: str, name: str) -> int:
        return self._ask("statistic", Statistic(member=member, name=name), StatisticResult).value

    def attributes(self, member: str, region: str) -> RegionAttributes:
        return self._ask("attributes", Attributes(member=member, region=region), AttributesResult).attributes

    def leave(self, member: str, region: str) -> None:
        self._ask("leave", Hosting(member=member, region=region), Nothing)

    def join(self, member: str, region: str) -> None:
        self._ask("join", Hosting(member=member, region=region), Nothing)

    def host(self, member: str, region: str, checks: bool, persistent: bool) -> None:
        params = HostingParams(member=member, region=region, checks=checks, persistent=persistent)
        self._ask("host", params, Nothing)

    def redeliver(self, op_id: int, member: str) -> None:
        self._ask("redeliver", Redeliver(op_id=op_id, member=member), Nothing)

    def create_queue(self, queue: QueueAttributes) -> None:
        self._ask("create_queue", CreateQueue(queue=queue), Nothing)

    def queue_action(self, member: str, queue: str, action: str) -> None:
        self._ask("queue_action", QueueAction(member=member, queue=queue, action=action), Nothing)

    def placement(self, region: str, key: str) -> PlacementResult:
        return self._ask("placement", Placement(region=region, key=key), PlacementResult)

    def look_at_queue(self, member: str, queue: str) -> QueueSight:
        return self._ask("look_at_queue", QueueLook(member=member, queue=queue), QueueSight)

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
        self._ask("start_client", ClientStart(client=client), Nothing, self._limits.deploy_ms)

    def client_action(self, client: str, action: str, keepalive: bool) -> None:
        self._ask("client_action", ClientAction(client=client, action=action, keepalive=keepalive), Nothing)

    def interest(self, interest: Interest) -> None:
        self._ask("interest", InterestParams(interest=interest), Nothing)

    def script(self, member: str, region: str, callback: str, answers: tuple[str, ...]) -> None:
        params = Script(member=member, region=region, callback=callback, answers=answers)
        self._ask("script", params, Nothing)

    def call(self, method: str, params: msgspec.Struct) -> msgspec.Struct:
        return self._ask(method, params, METHODS[method].result)

    def last_words(self) -> str:
        """The end of what the other side has said to people."""
        return self._channel.last_words()

    def close(self) -> None:
        asked = not self._gone
        if asked:
            try:
                self._ask("close", Nothing(), Nothing, self._limits.grace_ms)
            except (AdapterError, UnsupportedError):
                asked = False  # it would not close by itself, so nothing is to be waited for
            self._gone = self._gone or "it was closed"
        self._channel.end(self._patience_ms, asked=asked)

    def _ask(
        self, method: str, params: msgspec.Struct, result: type[Record], limit_ms: int | None = None
    ) -> Record:
        """One request and its result; raises AdapterError, or what the other side says it is."""
        if self._gone:
            raise AdapterError(f"{method}: the adapter is gone: {self._gone}")
        self._requests += 1
        line = to_line(Request("2.0", self._requests, method, to_raw(params)))
        limit = self._limits.of(method, params) if limit_ms is None else limit_ms
        try:
            self.sent, self.answered = line, b""
            self.answered = self._channel.exchange(line, limit)
            answer = self._answer(self.answered)
            if isinstance(answer, msgspec.Raw):
                return read(answer, result)
        except ChannelError as error:
            raise self._give_up(f"{method}: the adapter {error}") from None
        except UnreadableError as error:
            raise self._give_up(f"{method}: its result breaks the protocol: {error}") from None
        except BaseException:
            # Interrupted: what it says next would answer this request, so it can only be ended, and soon.
            self._gone = f"{method}: it was interrupted"
            self._patience_ms = min(self._patience_ms, INTERRUPTED_MS)
            raise
        raise self._refusal(method, answer)

    def _answer(self, line: bytes) -> msgspec.Raw | ErrorObject:
        """The result or error that answers the request sent last; raises ChannelError."""
        try:
            response = read_envelope(line, Response)
        except UnreadableError as error:
            said = f"said «{shorten(line.decode(errors='replace'))}»"
            if error.is_json:
                raise ChannelError(f"{said}, which is no JSON-RPC 2.0 response: {error}") from None
            raise ChannelError(
                f"{said} where an answer was due; standard output carries answers only: "
                f"print everything else to the error stream ({error})"
            ) from None
        unread = response.id is None and response.error is not msgspec.UNSET
        if response.id != self._requests and not unread:
            raise ChannelError(f"answered request {shorten(str(response.id))} instead of {self._requests}")
        match response.result, response.error:
            case msgspec.Raw() as result, msgspec.UNSET:
                return result
            case msgspec.UNSET, ErrorObject() as refusal:
                return refusal
        raise ChannelError("answered with both a result and an error, or with neither")

    def _refusal(self, method: str, error: ErrorObject) -> AdapterError | UnsupportedError | RefusedError:
        """The exception that an error object stands for; the adapter goes on."""
        message = f"{method}: {shorten(error.message)}"
        if error.code in (ErrorCode.UNSUPPORTED, ErrorCode.UNKNOWN_METHOD):
            return UnsupportedError(message)
        if error.code == ErrorCode.REFUSED and method in ("interest", "host"):
            return RefusedError(message)
        words = [readable(_as_text(error.data)[-_DATA_SHOWN:]), self._channel.last_words()]
        return AdapterError(f"{message} (error {error.code})", "\n".join(word for word in words if word))

    def _give_up(self, message: str) -> AdapterError:
        """End the other side; the error to be raised."""
        self._gone = message
        self._channel.end(self._limits.grace_ms)
        return AdapterError(message, self._channel.last_words())


class ProcessAdapter(RemoteAdapter):
    """A candidate's command that speaks the protocol on its standard input and output."""

    def __init__(
        self,
        command: str,
        limits: Limits | None = None,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Start the command.

        Args:
            command: a command line, split as a shell would split it, but run without one.
            limits: how long it may take.
            environment: variables put to those of this process.
            folder: where it is started; where this process is if left out.

        Raises:
            AdapterError: it cannot be started.
        """
        try:
            self._child = Child(shlex.split(command), environment, folder)
        except (ChannelError, ValueError) as error:
            raise AdapterError(f"process: {error}") from None
        super().__init__(self._child, limits)

    @property
    def pid(self) -> int:
        """Process id of the command, which is also the id of its process group."""
        return self._child.pid


def _as_text(data: Any) -> str:
    if data is None:
        return ""
    return data if isinstance(data, str) else msgspec.json.encode(data).decode()
