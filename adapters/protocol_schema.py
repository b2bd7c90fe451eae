"""The protocol told twice more, out of its types: as JSON Schema and as the tables of docs/protocol.md.

`python -m plumbline.adapters.protocol_schema` rewrites both in a clone; tests keep all three in step. Knows
how types are told, not what the methods do.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from plumbline.adapters import refusals, sent
from plumbline.adapters.adapter import Adapter
from plumbline.adapters.candidates import FORMS
from plumbline.adapters.process.messages import LINE_LIMIT, ErrorCode, ErrorObject
from plumbline.adapters.process.server import Server
from plumbline.adapters.protocol import METHODS, PROTOCOL_VERSION, Method, Nothing
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.catalogue.capabilities import LOST_WITHOUT

SCHEMA_FILE = Path(__file__).with_name("protocol.json")
DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "protocol.md"

_MOST = 2**63 - 1
_REFERENCE = "#/$defs/"
_FIELD = re.compile(r"^ {4}(\w+): ", re.MULTILINE)
_PART = re.compile(r"(<!-- generated: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)

_DOES = {
    "views": "The size of a region on a member, and its key, value and entry sets, as the member has them.",
    "queries": "What queries on a member find of a region: how many entries, all keys, values and entries.",
    "crash": "Kill a member without farewell.",
    "restart": "Start a member again, with what its disk holds or without.",
    "look_at_queue": "Depth, role and contents of a queue on a member; null where they cannot be seen.",
    "pending_events": "How many events wait for a durable client.",
    "configure": "Start a member with a declarative configuration; refused ones tell why.",
    "placement": "The primary (null while there is none) and the redundant holders of a key.",
}
"""What those methods do whose records serve several, or tell something else."""

_WHY = {
    ErrorCode.NOT_JSON: "the request is not JSON",
    ErrorCode.NOT_A_REQUEST: "the request is JSON, but no request of JSON-RPC 2.0",
    ErrorCode.UNKNOWN_METHOD: "no such method; to the harness the same as -32001",
    ErrorCode.WRONG_PARAMS: "a field of the params is missing, unknown or of another type",
    ErrorCode.ADAPTER_FAILED: "the adapter could not do it: an *adapter error*",
    ErrorCode.UNSUPPORTED: "the candidate does not offer this; what needs it is *unsupported*, if allowed",
    ErrorCode.REFUSED: (
        "the candidate refuses it, and is judged by that; answered to `interest` and `host` only"
    ),
}


def schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of every line that may travel, in either direction.

    Besides, under `methods`, the params, the result and the capability of each method.
    """
    components = _components()
    requests = [
        _closed(
            jsonrpc={"const": "2.0"},
            id={"type": ["integer", "string"]},
            method={"const": method.name},
            params={"$ref": _REFERENCE + method.params.__name__},
        )
        for method in METHODS.values()
    ]
    for method, request in zip(METHODS.values(), requests, strict=True):
        if all(default_exists for *_, default_exists in _fields(components[method.params.__name__])):
            request["required"].remove("params")
    answer = {"jsonrpc": {"const": "2.0"}, "id": {"type": ["integer", "string", "null"]}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Plumbline adapter protocol",
        "description": "One line of a session: a request of the harness or the response of the adapter.",
        "protocol": PROTOCOL_VERSION,
        "line_limit": LINE_LIMIT,
        "oneOf": [{"$ref": _REFERENCE + "request"}, {"$ref": _REFERENCE + "response"}],
        "methods": {
            method.name: {
                "capability": method.capability,
                "params": {"$ref": _REFERENCE + method.params.__name__},
                "result": {"$ref": _REFERENCE + method.result.__name__},
            }
            for method in METHODS.values()
        },
        "capabilities": dict(LOST_WITHOUT),
        "errors": {str(int(code)): why for code, why in _WHY.items()},
        "$defs": {
            "request": {"oneOf": requests},
            "response": {
                "oneOf": [
                    _closed(**answer, result={"type": "object"}),
                    _closed(**answer, error={"$ref": _REFERENCE + "ErrorObject"}),
                ]
            },
            **components,
        },
    }


def schema_text() -> bytes:
    """What stands in protocol.json."""
    return msgspec.json.format(msgspec.json.encode(schema()), indent=1) + b"\n"


def document(text: str) -> str:
    """The text of docs/protocol.md with its generated parts made anew.

    A part stands between `<!-- generated: NAME -->` and `<!-- end -->`. Of the session only the answers are
    generated: they are what the reference says to the requests.
    """
    components = _components()
    parts = {
        "candidates": "\n".join(_candidate_table()),
        "methods": "\n".join(_method_table(components)),
        "records": "\n".join(_record_tables(components)),
        "capabilities": "\n".join(_capability_table()),
        "errors": "\n".join(_error_table()),
        "refusals": "\n".join(refusals.table()),
        "sent": "\n".join(sent.table()),
        "values": "\n".join(sent.values_table()),
    }

    def renew(found: re.Match[str]) -> str:
        begin, name, old, end = found.groups()
        part = "\n".join(_replayed(old)) if name == "session" else parts[name]
        return f"{begin}{part}\n{end}"

    return _PART.sub(renew, text)


def _replayed(session: str) -> Iterator[str]:
    """The requests of a session (lines with an arrow to the right), each with the reference's answer."""
    server = Server(ReferenceAdapter())
    yield "```"
    for line in session.splitlines():
        if line.startswith("→ "):
            yield line
            yield "← " + server.answer(line.removeprefix("→ ").encode()).decode().rstrip("\n")
    yield "```"


def _components() -> dict[str, Any]:
    """The schema of every record of the protocol, by name, with each field's meaning beside it."""
    types = [kind for method in METHODS.values() for kind in (method.params, method.result)]
    _, components = msgspec.json.schema_components([*types, ErrorObject], ref_template=_REFERENCE + "{name}")
    for component in components.values():
        if "properties" in component:
            component["additionalProperties"] = False
        summary, meanings = _told(component.get("description", ""))
        if summary:
            component["description"] = summary
        for field, meaning in meanings.items():
            component["properties"][field]["description"] = meaning
    return dict(sorted(components.items()))


def _told(docstring: str) -> tuple[str, dict[str, str]]:
    """What a docstring says of a record as a whole, and of each of its fields."""
    text = re.sub(r"\bNone\b", "null", inspect.cleandoc(docstring))
    summary, _, attributes = text.partition("Attributes:")
    parts = _FIELD.split(attributes)
    return " ".join(summary.split()), {
        field: " ".join(meaning.split()).rstrip(".")
        for field, meaning in zip(parts[1::2], parts[2::2], strict=True)
    }


def _closed(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _fields(component: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], bool]]:
    """Name, schema and whether there is a default, of each field of a record."""
    for name, field in component["properties"].items():
        yield name, field, name not in component["required"]


def _method_table(components: dict[str, Any]) -> Iterator[str]:
    yield "| method | does | params | result | needs |"
    yield "|---|---|---|---|---|"
    for method in METHODS.values():
        cells = (
            f"`{method.name}`",
            _purpose(method, components),
            _signature(method.params, components),
            _signature(method.result, components),
            f"`{method.capability}`" if method.capability else "",
        )
        yield f"| {' | '.join(cells)} |"


def _purpose(method: Method, components: dict[str, Any]) -> str:
    """As an in-process adapter is told, or what the params or the result are; all where one is sent on."""
    spelled_out = getattr(Adapter, method.name, None)
    if spelled_out is not None:
        told = _told(str(spelled_out.__doc__))[0]
        if f"see `{method.params.__name__}`" not in told:
            return told
        return str(components[method.params.__name__]["description"])
    if method.name in _DOES:
        return _DOES[method.name]
    record = method.params if method.result is Nothing else method.result
    return str(components[record.__name__]["description"])


def _has_meanings(component: dict[str, Any]) -> bool:
    """Whether the fields of a record are explained, so that it gets a table of its own."""
    return any("description" in field for field in component.get("properties", {}).values())


def _signature(kind: type[msgspec.Struct], components: dict[str, Any]) -> str:
    component = components[kind.__name__]
    if _has_meanings(component):
        return _words({"$ref": _REFERENCE + kind.__name__})
    return "<br>".join(
        f"`{name}`: {_words(field)}{_default(field, has_default=has_default)}"
        for name, field, has_default in _fields(component)
    )


def _words(field: dict[str, Any]) -> str:
    """A type in a few words."""
    if "$ref" in field:
        name = field["$ref"].removeprefix(_REFERENCE)
        if name == "Capability":
            return "[capability](#capabilities)"
        return f"[{name}](#{name.lower()})"
    if "anyOf" in field:
        return " or ".join(_words(each) for each in field["anyOf"])
    if "prefixItems" in field:
        return f"[{', '.join(_words(each) for each in field['prefixItems'])}]"
    if field.get("type") == "array":
        return f"list of {_words(field['items'])}"
    if field.get("type") == "integer":
        return f"integer{_range(field.get('minimum'), field.get('maximum'))}"
    return str(field.get("type", "anything"))


def _range(least: int | None, most: int | None) -> str:
    """The range of a whole number; one of 64 bits is the widest, and goes without saying."""
    if least in (None, -(2**63)) and most in (None, _MOST):
        return ""
    return f" from {least}" if most == _MOST else f" from {least} to {most}"


def _default(field: dict[str, Any], *, has_default: bool) -> str:
    if not has_default:
        return ""
    if "default" not in field:
        return ", or left out"
    return f" = `{msgspec.json.encode(field['default']).decode()}`"


def _record_tables(components: dict[str, Any]) -> Iterator[str]:
    """A table for each record and enumeration that the method table names without telling its fields."""
    spelled_out = {kind.__name__ for method in METHODS.values() for kind in (method.params, method.result)}
    for name, component in components.items():
        if name == "Capability" or (name in spelled_out and not _has_meanings(component)):
            continue
        yield f"### {name}"
        yield ""
        yield component["description"]
        yield ""
        if "enum" in component:
            yield ", ".join(f"`{value}`" for value in component["enum"])
            yield ""
            continue
        yield "| field | type | meaning |"
        yield "|---|---|---|"
        for field_name, field, has_default in _fields(component):
            type_and_default = _words(field) + _default(field, has_default=has_default)
            yield f"| `{field_name}` | {type_and_default} | {field.get('description', '')} |"
        yield ""


def _candidate_table() -> Iterator[str]:
    yield "| name | stands for |"
    yield "|---|---|"
    for form, meaning in FORMS.items():
        yield f"| `{form}` | {meaning} |"


def _capability_table() -> Iterator[str]:
    yield "| capability | without it cannot be judged |"
    yield "|---|---|"
    for capability, lost in LOST_WITHOUT.items():
        yield f"| `{capability}` | {lost} |"


def _error_table() -> Iterator[str]:
    yield "| code | meaning |"
    yield "|---|---|"
    for code, why in _WHY.items():
        yield f"| {int(code)} | {why} |"


def main() -> None:
    """Rewrite the schema and the generated parts of the document."""
    SCHEMA_FILE.write_bytes(schema_text())
    DOCUMENT.write_text(document(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"{SCHEMA_FILE}\n{DOCUMENT}\n")


if __name__ == "__main__":
    main()
