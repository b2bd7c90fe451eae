"""Tables: TOML files that people write, read into typed records, with errors that say where and what to do.

A field that a record does not know is refused, and the nearest name offered. Knows nothing of what the tables
mean; the purpose of a field, and an example of it, stand beside its type (`msgspec.Meta`).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from plumbline.reference.catalogue.loader import did_you_mean

Record = TypeVar("Record", bound=msgspec.Struct)

LARGEST = 4 * 1024 * 1024
"""Bytes; no table that people write is larger."""

_WRONG = re.compile(r"(?P<what>.*?)(?: - at `\$(?P<place>.*)`)?", re.DOTALL)
_STEP = re.compile(r"\.?([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_MISSING = re.compile(r"Object missing required field `(.*)`")
_NAMES = {
    "Object": "a table",
    "array": "a list",
    "str": "text",
    "int": "a whole number",
    "bool": "true or false",
}
_NAMES |= {"object": "a table", "date": "a date", "float": "a number"}


class TableError(ValueError):
    """A file cannot be used; the message says which, where in it, and what to do."""


def read_table(path: Path, record: type[Record], *, identity: str = "") -> Record:
    """The record that a TOML file holds.

    Args:
        path: the file.
        record: what it must be.
        identity: the key whose value tells apart the tables of a list, for messages.

    Raises:
        TableError: it cannot be read, is no TOML, or does not fit the record.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise TableError(f"{path}: more than {LARGEST:,} bytes are too many for a file that people write")
        found = tomllib.loads(data.decode())
    except OSError as error:
        raise TableError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TableError(f"{path}: it is no UTF-8 text: {error.reason}; save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise TableError(f"{path}: it is no TOML: {error}") from error
    return to_record(found, record, str(path), identity=identity)


def to_record(found: Mapping[str, Any], record: type[Record], file: str, *, identity: str = "") -> Record:
    """The same of what was read already; `file` is what messages begin with."""
    kind = inspect.type_info(record)
    for steps, key, known in _unknown(found, kind):
        where = _where(steps, found, identity)
        meant = did_you_mean(key, known) or f"; there are: {', '.join(known)}"
        raise TableError(f"{file}: {where}there is no key {key!r:.80} here{meant}")
    for steps in _blanks(found):
        blank = "it is blank, as an unset variable of a template leaves it; write a value or leave it out"
        raise TableError(f"{file}: {_where(steps, found, identity)}{blank}")
    try:
        return msgspec.convert(found, record)
    except msgspec.ValidationError as error:
        match = _WRONG.fullmatch(str(error))
        what, place = match.groups() if match else (str(error), "")
        steps = tuple(name or step for name, step in _STEP.findall(place or ""))
        missing = _MISSING.fullmatch(what)
        if missing is not None:
            words = f"{missing[1]} is missing; add{_for_example(_at(kind, (*steps, missing[1])), missing[1])}"
        else:
            example = _for_example(_at(kind, steps), steps[-1] if steps else "")
            words = _plain(what, _value_at(found, steps), _at(kind, steps)) + (
                f"; write{example}" if example else ""
            )
        raise TableError(f"{file}: {_where(steps, found, identity)}{words}") from error


def _blanks(value: object, steps: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where a text, or a key of a table, is empty or of blanks alone: which is a slip."""
    if isinstance(value, str) and not value.strip():
        yield steps
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if not str(key).strip():
                yield (*steps, repr(key))
            yield from _blanks(inner, (*steps, str(key)))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _blanks(inner, (*steps, str(number)))


def fields(record: type[msgspec.Struct]) -> Iterator[tuple[inspect.Field, str, str]]:
    """Each field of a record, what it is good for, and an example of it as TOML; "" where there is none."""
    kind = inspect.type_info(record)
    for field in kind.fields if isinstance(kind, inspect.StructType) else ():
        extra = _extra(field.type)
        examples = extra.get("examples", ())
        yield field, str(extra.get("description", "")), str(examples[0]) if examples else ""


def _unknown(
    value: object, kind: inspect.Type, steps: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str, tuple[str, ...]]]:
    """Keys that no record has: where, which, and what there is instead."""
    bare = _bare(kind)
    if isinstance(bare, inspect.StructType) and isinstance(value, dict):
        known = {field.encode_name: field.type for field in bare.fields}
        for key, inner in value.items():
            if key not in known:
                yield steps, key, tuple(known)
            else:
                yield from _unknown(inner, known[key], (*steps, key))
    elif isinstance(bare, inspect.ListType | inspect.VarTupleType) and isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _unknown(inner, bare.item_type, (*steps, str(number)))


def _bare(kind: inspect.Type) -> inspect.Type:
    """A type without what is said about it, and without the None that it may be instead."""
    while True:
        if isinstance(kind, inspect.Metadata):
            kind = kind.type
        elif isinstance(kind, inspect.UnionType) and len(_somethings(kind)) == 1:
            kind = _somethings(kind)[0]
        else:
            return kind


def _somethings(kind: inspect.UnionType) -> list[inspect.Type]:
    return [one for one in kind.types if not isinstance(one, inspect.NoneType)]


def _extra(kind: inspect.Type | None) -> dict[str, Any]:
    return (kind.extra_json_schema or {}) if isinstance(kind, inspect.Metadata) else {}


def _at(kind: inspect.Type | None, steps: tuple[str, ...]) -> inspect.Type | None:
    """The type at a place, with what is said about it."""
    for step in steps:
        bare = None if kind is None else _bare(kind)
        if isinstance(bare, inspect.StructType):
            kind = next((field.type for field in bare.fields if field.encode_name == step), None)
        elif isinstance(bare, inspect.ListType | inspect.VarTupleType):
            kind = bare.item_type
        else:
            kind = None
    return kind


def _value_at(found: object, steps: tuple[str, ...]) -> object:
    for step in steps:
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            return None
    return found


def _where(steps: tuple[str, ...], found: object, identity: str) -> str:
    """A place in words: `deviation 2 (VER-TIE-01), expires: `."""
    words: list[str] = []
    for count, step in enumerate(steps, 1):
        if not step.isdecimal():
            words.append(step)
            continue
        value = _value_at(found, steps[:count])
        name = value.get(identity) if isinstance(value, dict) else None
        told = f" ({name:.80})" if isinstance(name, str) else ""
        words[-1:] = [f"{words[-1] if words else 'entry'} {int(step) + 1}{told}"]
    return f"{', '.join(words)}: " if words else ""


def _for_example(kind: inspect.Type | None, key: str) -> str:
    examples = _extra(kind).get("examples", ())
    return f", for example: {key} = {examples[0]}" if examples else f": {key} = …" if key else ""


def _plain(what: str, value: object, kind: inspect.Type | None) -> str:
    """Returns msgspec's message in the terms of a TOML file."""
    bare = None if kind is None else _bare(kind)
    choices: tuple[str, ...] = ()
    if isinstance(bare, inspect.EnumType):
        choices = tuple(str(one.value) for one in bare.cls)
    elif isinstance(bare, inspect.LiteralType):
        choices = tuple(str(one) for one in bare.values)
    if choices and isinstance(value, str):
        return f"{value!r:.80} is none of {', '.join(choices)}{did_you_mean(value, choices)}"
    words = re.sub(r"`(\w+)`", lambda name: _NAMES.get(name[1], name[1]), what)
    return words[:1].lower() + words[1:].replace("length >= 1", "that is not empty")
