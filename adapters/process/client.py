"""The harness's side of the protocol: an adapter whose every method is a request to another side.

`RemoteAdapter` needs a channel that exchanges lines; `ProcessAdapter` has a child process at its other end.
Knows what may be asked and how an answer is read, not whether the answer is right.
"""
# ruff: noqa: D102 - most methods are those of Adapter, and told there

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from plumbline.adapters.asking import AskingAdapter
from plumbline.adapters.errors import AdapterError, RefusedError, UnansweredError, UnsupportedError
from plumbline.adapters.process.channel import ProcessChannel
from plumbline.adapters.process.child import Child
from plumbline.adapters.process.exchange_log import ExchangeLog, LoggedChannel
from plumbline.adapters.process.messages import (
    ChannelError,
    ErrorCode,
    ErrorObject,
    Record,
    Request,
    Response,
    SilenceError,
    UnreadableError,
    read,
    read_envelope,
    readable,
    shorten,
    to_line,
    to_raw,
)
from plumbline.adapters.protocol import PROTOCOL_VERSION, Hello, Introduction, Nothing

_DATA_SHOWN = 8 * 1024

_STARTS = ("deploy", "start_client")

INTERRUPTED_MS = 1_000
"""Most that each step of ending the other side takes after an interrupt, because the user waits."""


class ReplyLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long the other side may take.

    Attributes:
        call_ms: for a call that names no time of its own.
        deploy_ms: for `deploy` and `start_client`, which start processes.
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
        return self.deploy_ms if method in _STARTS else self.call_ms


class RemoteAdapter(AskingAdapter):
    """An adapter at the other end of a channel.

    Every method may raise AdapterError: the other side failed, and says so; or it is gone, hangs, or answered
    what the protocol does not allow. In the second case it has been ended, with all its processes, and every
    later call fails at once: its next answer could belong to any request.
    """

    def __init__(self, channel: ProcessChannel, limits: ReplyLimits | None = None) -> None:
        self._channel = channel
        self._limits = limits or ReplyLimits()
        self._requests = 0
        self._gone = ""
        self._patience_ms = self._limits.grace_ms
        self.sent = self.answered = b""
        """The last request and the line that answered it, for people; empty where none came."""

    def log_to(self, log: ExchangeLog) -> None:
        """Have every line of the exchange logged from here on."""
        self._channel = LoggedChannel(self._channel, log)

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
        except SilenceError as error:
            gone = self._give_up(f"{method}: the adapter {error}")
            raise UnansweredError(str(gone), gone.last_words, method=method) from None
        except ChannelError as error:
            raise self._give_up(f"{method}: the adapter {error}") from None
        except UnreadableError as error:
            raise self._give_up(f"{method}: its result breaks the protocol: {error}") from None
        except BaseException:
            # Interrupted: its next answer would belong to this request, so it can only be ended, and soon.
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
        limits: ReplyLimits | None = None,
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
