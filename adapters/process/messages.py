"""What travels between harness and adapter: JSON-RPC 2.0, one message a line, and how records are read.

Knows neither pipes nor what a method means.
"""

from __future__ import annotations

import json
from enum import IntEnum
from functools import cache
from typing import Any, Literal, TypeVar

import msgspec

LINE_LIMIT = 8 * 1024 * 1024
"""Longest message in bytes; a sender of a longer one is cut off, so that memory stays bounded."""

_INT64 = range(-(2**63), 2**63)
_SHOWN = 200

Record = TypeVar("Record", bound=msgspec.Struct)


class ErrorCode(IntEnum):
    """Why a request was not carried out; all but the last three say that the request itself was wrong."""

    NOT_JSON = -32700
    NOT_A_REQUEST = -32600
    UNKNOWN_METHOD = -32601
    WRONG_PARAMS = -32602
    ADAPTER_FAILED = -32603
    UNSUPPORTED = -32001
    REFUSED = -32002


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The harness asks. `id` is chosen by it, and every request is answered (there are no notifications)."""

    jsonrpc: Literal["2.0"]
    id: int | str
    method: str
    params: msgspec.Raw = msgspec.Raw(b"{}")


class ErrorObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Why there is no result. `data` is for people, as long as it has to be: a stack trace, say."""

    code: int
    message: str
    data: Any = None


class Response(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The adapter answers, with exactly one of result and error.

    `id` is the request's; it is null only when the request could not be read far enough to know it.
    """

    jsonrpc: Literal["2.0"]
    id: int | str | None
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: ErrorObject | msgspec.UnsetType = msgspec.UNSET


class UnreadableError(Exception):
    """Bytes are not the record they should be; the message says which field, with no control characters.

    Attributes:
        is_json: False when they are not even JSON.
    """

    def __init__(self, message: str, *, is_json: bool) -> None:
        super().__init__(message)
        self.is_json = is_json


class ChannelError(Exception):
    """The other side died, hung or sent what cannot be read. All that it sends from now on is worthless."""


class SilenceError(ChannelError):
    """The other side has said nothing at all in the time that it was given, and may still be there."""


class _TwiceError(Exception):
    """An object names a field twice."""


_encoder = msgspec.json.Encoder()


def to_line(record: msgspec.Struct) -> bytes:
    """A message as it travels: JSON (which has no raw line feed), then a line feed."""
    return _encoder.encode(record) + b"\n"


def to_raw(record: msgspec.Struct) -> msgspec.Raw:
    """A record as params or result of a message."""
    return msgspec.Raw(_encoder.encode(record))


def read_envelope(line: bytes, kind: type[Record]) -> Record:
    """Read a message but not the params or the result in it; raises UnreadableError.

    A field that is named twice is refused, at any depth: readers disagree about which of the two counts.
    """
    try:
        record: Record = _decoder(kind).decode(line)
        json.loads(line.decode(errors="replace"), object_pairs_hook=_each_once)
    except (msgspec.ValidationError, _TwiceError) as error:
        raise UnreadableError(shorten(str(error)), is_json=True) from None
    except (ValueError, RecursionError) as error:
        raise UnreadableError(shorten(str(error)), is_json=False) from None
    return record


def read(data: msgspec.Raw, kind: type[Record]) -> Record:
    """Read one record and refuse what is missing, of another type, or not known; raises UnreadableError.

    An unknown field is refused in nested records too: a misspelt optional field would else be
    read as its default, and a candidate judged by what it never said.
    """
    try:
        record: Record = _decoder(kind).decode(data)
        fault = _fault(_plain.decode(data), record, "$")
    except (ValueError, RecursionError) as error:
        raise UnreadableError(shorten(str(error)), is_json=True) from None
    if fault:
        raise UnreadableError(shorten(fault), is_json=True)
    return record


def shorten(text: str, limit: int = _SHOWN) -> str:
    """Foreign text on one line: cut to `limit` characters, with everything unprintable escaped."""
    cut = text if len(text) <= limit else text[:limit] + "…"
    return "".join(character if character.isprintable() else _escaped(character) for character in cut)


def readable(text: str) -> str:
    """Foreign text that may keep its lines and tabs, with everything else unprintable escaped."""
    return "".join(
        character if character.isprintable() or character in "\n\t" else _escaped(character)
        for character in text.replace("\r\n", "\n")
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


@cache
def _decoder(kind: type[Record]) -> msgspec.json.Decoder[Record]:
    return msgspec.json.Decoder(kind)


def _each_once(fields: list[tuple[str, object]]) -> None:
    """Raise _TwiceError where an object names a field twice; nothing is kept of what is read."""
    if len(fields) > len({name for name, _ in fields}):
        names = [name for name, _ in fields]
        doubled = next(name for name in names if names.count(name) > 1)
        raise _TwiceError(f"Object names the field `{doubled}` twice")


_plain = msgspec.json.Decoder()


def _fault(plain: object, record: object, path: str) -> str:
    """The first unknown field, or whole number beyond 64 bits (no trace column could hold it); or ""."""
    if isinstance(plain, dict):
        known = getattr(record, "__struct_fields__", None)
        for name, value in plain.items():
            if known is not None and name not in known:
                return f"Object contains unknown field `{name}` - at `{path}`"
            part = getattr(record, name) if known is not None else value
            if fault := _fault(value, part, f"{path}.{name}"):
                return fault
    elif isinstance(plain, list):
        parts = record if isinstance(record, tuple) else plain
        for number, (value, part) in enumerate(zip(plain, parts, strict=True)):
            if fault := _fault(value, part, f"{path}[{number}]"):
                return fault
    elif isinstance(plain, int) and plain not in _INT64:
        return f"Whole number has more than 64 bits - at `{path}`"
    return ""
