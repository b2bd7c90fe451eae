"""Histories of other tools as calls: the two text formats of Porcupine's test data.

`.log`: lines of Jepsen's log of a register (`INFO  jepsen.util - 3 :invoke :write 4`): read, write, cas.
`.txt`: one map a line (`{:process 0, :type :invoke, :f :append, :key "4", ...}`): get, put, append.
Knows nothing of how a history is judged.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import NamedTuple

from plumbline.reference.search.register import RegisterCall

ABSENT = "nil"
"""The result of a read of a register that was never written."""

_JEPSEN = re.compile(r"^INFO\s+jepsen\.util\s+-\s+(\d+)\s+:(\w+)\s+:(\w+)\s+(.*?)\s*$")
_KEYED = re.compile(
    r'^\{:process (\d+), :type :(\w+), :f :(\w+), :key "(.*?)", :value (?:nil|"((?:[^"\\]|\\.)*)")\}\s*$'
)

_SAME_KIND = {"get": "read", "put": "write"}


class UnreadableHistoryError(Exception):
    """A line is in neither format; the message names the file and the line."""


class _Line(NamedTuple):
    process: str
    type: str
    kind: str
    key: str
    value: str | None


def _parsed(line: str) -> _Line | None:
    if (found := _JEPSEN.match(line)) is not None:
        process, kind, call, value = found.groups()
        return _Line(process, kind, call, "", value)
    if (found := _KEYED.match(line)) is not None:
        process, kind, call, key, value = found.groups()
        return _Line(process, kind, _SAME_KIND.get(call, call), key, value)
    return None


def _arguments(line: _Line) -> tuple[Hashable, ...]:
    if line.kind == "read" or line.value is None:
        return ()
    return tuple(line.value.strip("[]").split()) if line.kind == "cas" else (line.value,)


def _result(line: _Line, *, keyed: bool) -> Hashable:
    """What a call returned; None where the format does not say."""
    match line.kind:
        case "read" if line.type == "ok":
            return (line.value or "") if keyed else line.value
        case "cas":
            return line.type == "ok"
        case _:
            return None


def read_history(path: Path) -> dict[str, list[RegisterCall]]:
    """The calls of a file by key; one key, "", where the format has none.

    A call that ends with `:info`, or not at all, may have happened or not.
    Raises UnreadableHistoryError, OSError.
    """
    calls: dict[str, list[RegisterCall]] = {}
    open_calls: dict[str, tuple[str, int]] = {}
    keyed = path.suffix == ".txt"
    for position, (number, line) in enumerate(_lines(path)):
        parsed = _parsed(line)
        if parsed is None:
            raise UnreadableHistoryError(f"{path}, line {number}: in neither format: {line!r:.80}")
        if parsed.type == "invoke":
            of_key = calls.setdefault(parsed.key, [])
            open_calls[parsed.process] = (parsed.key, len(of_key))
            of_key.append(RegisterCall(parsed.kind, _arguments(parsed), position, None))
        elif parsed.process not in open_calls:
            raise UnreadableHistoryError(f"{path}, line {number}: process {parsed.process} has no open call")
        elif parsed.type in ("ok", "fail"):
            key, at = open_calls.pop(parsed.process)
            result = _result(parsed, keyed=keyed)
            calls[key][at] = calls[key][at]._replace(returned=position, result=result)
        else:
            open_calls.pop(parsed.process)
    return calls


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, line.rstrip("\n")


def initial_value(path: Path) -> Hashable:
    """The first state of a register of a file's format."""
    return "" if path.suffix == ".txt" else ABSENT
