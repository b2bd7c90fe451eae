"""JSON documents for programs: each says which schema it follows, and in which version.

The schemas are made from the types of the documents, so that the two agree. Knows no single command: each
defines its own documents.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from inspect import cleandoc
from typing import Any

import click
import msgspec

_COMMANDS = (
    *("catalogue", "check_adapter", "coverage", "doctor", "drift", "gate", "judge", "plan_runs", "replay"),
    *("report", "run", "traces"),
)
"""The modules of commands that print documents."""

_OF_A_CLONE = ("bench", "explore", "faulty", "faulty_mutate", "trials")
"""Those of commands that test Plumbline itself, which the wheel leaves out."""


class Document(msgspec.Struct, frozen=True, kw_only=True, tag_field="schema"):
    """What a command prints for programs.

    A subclass names its schema with `tag`, and has a field `schema_version`, a literal number. The number
    grows when a field loses its meaning or goes away; a field that is new leaves it as it is.
    """


def show(document: Document, *, compact: bool = False) -> None:
    """Print a document on the output; where nothing reads that any more, the command goes on without it."""
    encoded = msgspec.json.encode(document)
    try:
        click.echo((encoded if compact else msgspec.json.format(encoded, indent=2)).decode())
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at its end, and would complain.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        click.echo("plumbline: nothing reads the standard output any more; the document is lost", err=True)


def name_of(kind: type[Document]) -> str:
    """The name of the schema."""
    return str(kind.__struct_config__.tag)


def version_of(kind: type[Document]) -> int:
    """The version of the schema."""
    fields = msgspec.structs.fields(kind)
    return int(next(field.default for field in fields if field.name == "schema_version"))


def kinds() -> Mapping[str, type[Document]]:
    """Every document that some command prints, by the name of its schema."""
    for command in _COMMANDS:
        import_module(f"plumbline.ci.commands.{command}")
    if find_spec("plumbline.ci.selftest") is not None:
        for command in _OF_A_CLONE:
            import_module(f"plumbline.ci.selftest.commands.{command}")
    found = {name_of(kind): kind for kind in _subclasses(Document)}
    return dict(sorted(found.items()))


def schema(kind: type[Document]) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a document."""
    name = name_of(kind)
    made = _ordered(msgspec.json.schema(kind))
    # The class itself is one definition among those that it uses; a reader wants it at the top.
    definitions = {key: _described(one) for key, one in made.pop("$defs").items()}
    whole = definitions.pop(kind.__name__)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{name.replace('.', ':')}:{version_of(kind)}",
        **whole,
        "title": name,
        **({"$defs": definitions} if definitions else {}),
    }


def _ordered(part: Any) -> Any:
    """The same with alternatives in one order, null last; Python keeps the one first seen of a union."""
    if isinstance(part, dict):
        ordered = {key: _ordered(value) for key, value in part.items()}
        if "anyOf" in ordered:
            ordered["anyOf"].sort(key=lambda one: (one.get("type") == "null", str(one)))
        return ordered
    return [_ordered(one) for one in part] if isinstance(part, list | tuple) else part


def _described(definition: dict[str, Any]) -> dict[str, Any]:
    """A definition whose docstring is told apart: what it is, and what each of its properties is."""
    summary, _, attributes = cleandoc(definition.get("description", "")).partition("\nAttributes:\n")
    described = dict(definition)
    if summary:
        described["description"] = " ".join(summary.split())
    if "properties" in definition:
        # A name at the first level of indentation begins an entry; deeper lines go on with it.
        entries = re.findall(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", attributes, re.MULTILINE)
        texts = {name: " ".join(text.split()) for name, text in entries}
        # The printed document has every field, those with a default included.
        described["required"] = list(definition["properties"])
        described["properties"] = {
            name: {**kind, "description": texts[name]} if name in texts else kind
            for name, kind in definition["properties"].items()
        }
    return described


def _subclasses(kind: type[Document]) -> Iterator[type[Document]]:
    for one in kind.__subclasses__():
        yield one
        yield from _subclasses(one)
