"""The adapter's side of the protocol: any in-process adapter, served to any sender of requests.

Knows how a request is read and answered, not what the adapter does.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from typing import BinaryIO

import msgspec

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.asking import carry_out
from plumbline.adapters.errors import AdapterError, RefusedError, UnsupportedError
from plumbline.adapters.process.messages import (
    LINE_LIMIT,
    ErrorCode,
    ErrorObject,
    Request,
    Response,
    UnreadableError,
    read,
    read_envelope,
    to_line,
    to_raw,
)
from plumbline.adapters.protocol import METHODS


class _RequestError(Exception):
    """The request is at fault, not the adapter."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class Server:
    """Answers requests out of one adapter.

    Attributes:
        closed: whether the adapter has been asked to close.
    """

    def __init__(self, adapter: Adapter, *, alone: bool = False) -> None:
        """Take the adapter; `alone` where all that is raised meanwhile is the adapter's own."""
        self._adapter = adapter
        self._alone = alone
        self.closed = False

    def answer(self, line: bytes) -> bytes:
        """The response to one request, as a line; each error becomes an error response."""
        try:
            request = read_envelope(line, Request)
        except UnreadableError as error:
            code = ErrorCode.NOT_A_REQUEST if error.is_json else ErrorCode.NOT_JSON
            return _refusal(None, code, str(error))
        try:
            return to_line(Response("2.0", request.id, self._result(request)))
        except _RequestError as error:
            return _refusal(request.id, error.code, str(error))
        except UnsupportedError as error:
            return _refusal(request.id, ErrorCode.UNSUPPORTED, str(error))
        except RefusedError as error:
            return _refusal(request.id, ErrorCode.REFUSED, str(error))
        except AdapterError as error:
            return _refusal(request.id, ErrorCode.ADAPTER_FAILED, str(error), error.last_words)
        except BaseException as error:
            if self._is_a_stop(error):
                raise
            message = f"{type(error).__name__}: {error}"
            return _refusal(request.id, ErrorCode.ADAPTER_FAILED, message, traceback.format_exc())

    def _result(self, request: Request) -> msgspec.Raw:
        method = METHODS.get(request.method)
        if method is None:
            raise _RequestError(ErrorCode.UNKNOWN_METHOD, f"there is no method {request.method!r}")
        try:
            params = read(request.params, method.params)
        except UnreadableError as error:
            raise _RequestError(ErrorCode.WRONG_PARAMS, str(error)) from None
        if method.name == "close":
            self.closed = True
        return to_raw(carry_out(self._adapter, method, params))

    def close(self) -> None:
        """Close the adapter unless it is closed; its errors are printed, for no request is left to answer."""
        if self.closed:
            return
        self.closed = True
        try:
            self._adapter.close()
        except BaseException as error:
            if self._is_a_stop(error):
                raise
            traceback.print_exc(file=sys.stderr)

    def _is_a_stop(self, error: BaseException) -> bool:
        """Whether a user stops the process that tests; all else that a candidate raises is its answer."""
        return not self._alone and not isinstance(error, (Exception, SystemExit, GeneratorExit))


class Loopback:
    """A channel to an adapter in this very process: no time limits, but answers are read as strictly."""

    def __init__(self, adapter: Adapter, *, alone: bool = False) -> None:
        self._server = Server(adapter, alone=alone)

    def exchange(self, line: bytes, limit_ms: int) -> bytes:  # noqa: ARG002 - nothing here can stop it
        """Answer at once; the adapter's output goes to the error stream."""
        with redirect_stdout(sys.stderr):
            return self._server.answer(line)

    def last_words(self) -> str:
        """Nothing: its output is visible already."""
        return ""

    def end(self, patience_ms: int, *, asked: bool = False) -> None:  # noqa: ARG002 - a channel's signature
        """Close the adapter, unless a request has."""
        self._server.close()


def serve(adapter: Adapter, source: BinaryIO, sink: BinaryIO, *, alone: bool = False) -> None:
    """Answer requests until `close`, the end of the source or a request of more than LINE_LIMIT bytes.

    The adapter is closed in any case. Raises BrokenPipeError when no process reads the answers any more.
    """
    server = Server(adapter, alone=alone)
    try:
        while not server.closed and (line := source.readline(LINE_LIMIT + 1)):
            sink.write(server.answer(line))
            sink.flush()
            if len(line) > LINE_LIMIT:
                return  # where the next request begins cannot be known
    finally:
        server.close()


def serve_stdio(open_adapter: Callable[[], Adapter]) -> None:
    """Serve on standard input and output.

    Before the adapter is made, file descriptor 1 becomes the error stream, so that nothing printed by
    it, its libraries or its children can end up between the answers.
    """
    sys.stdout.flush()
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with suppress(BrokenPipeError), sink:  # a harness that has gone is the end of the session
        serve_session(open_adapter, sys.stdin.buffer, sink)


def serve_session(open_adapter: Callable[[], Adapter], source: BinaryIO, sink: BinaryIO) -> None:
    """Serve one session with an adapter of its own; where none can be made, the first request hears why."""
    try:
        adapter = open_adapter()
    except BaseException as error:  # noqa: BLE001 - its error is the answer to the first request
        told = str(error) if isinstance(error, AdapterError) else f"{type(error).__name__}: {error}"
        trace = "".join(traceback.format_exception(error))
        refuse_once(f"the adapter could not be made: {told}", source, sink, trace)
        return
    serve(adapter, source, sink, alone=True)


def refuse_once(message: str, source: BinaryIO, sink: BinaryIO, data: str | None = None) -> None:
    """Answer the first request with the reason why no session begins."""
    try:
        request_id = read_envelope(source.readline(LINE_LIMIT + 1), Request).id
    except UnreadableError:
        return
    sink.write(_refusal(request_id, ErrorCode.ADAPTER_FAILED, message, data))
    sink.flush()


def _refusal(request_id: int | str | None, code: ErrorCode, message: str, data: str | None = None) -> bytes:
    """An error response. Foreign text may hold lone surrogates, which JSON cannot carry: they are escaped."""
    words = message.encode(errors="backslashreplace").decode()
    detail = data.encode(errors="backslashreplace").decode() if data else None
    return to_line(Response("2.0", request_id, error=ErrorObject(code, words, detail)))
