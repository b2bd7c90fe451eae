"""The types, the JSON Schema and the document tell the same protocol."""

from __future__ import annotations

import json
import re

import jsonschema
import msgspec
import pytest

from plumbline.adapters.process.messages import UnreadableError, read
from plumbline.adapters.protocol import METHODS, PROTOCOL_VERSION, Observed
from plumbline.adapters.protocol_schema import DOCUMENT, SCHEMA_FILE, document, schema_text
from plumbline.reference.catalogue.capabilities import Capability

REMEDY = "run: python -m plumbline.adapters.protocol_schema"
SCHEMA = json.loads(SCHEMA_FILE.read_bytes())
TEXT = DOCUMENT.read_text(encoding="utf-8")


def session() -> list[tuple[str, str]]:
    """Requests and responses of the example in the document."""
    requests = re.findall(r"^→ (.*)$", TEXT, re.MULTILINE)
    responses = re.findall(r"^← (.*)$", TEXT, re.MULTILINE)
    return list(zip(requests, responses, strict=True))


def validator(schema: dict[str, object]) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator({**schema, "$defs": SCHEMA["$defs"]})


def test_the_schema_is_the_one_of_the_types():
    assert SCHEMA_FILE.read_bytes() == schema_text(), REMEDY


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_document_has_all_generated_parts_and_they_are_up_to_date():
    assert set(re.findall(r"<!-- generated: (\w+) -->", TEXT)) == {
        "candidates",
        "methods",
        "records",
        "capabilities",
        "errors",
        "refusals",
        "sent",
        "session",
        "values",
    }
    assert document(TEXT) == TEXT, REMEDY


def test_the_document_names_the_version_that_the_types_have():
    assert f"This is version {PROTOCOL_VERSION}." in TEXT


def test_every_link_inside_the_document_leads_somewhere():
    headings = {heading.lower().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)}
    links = set(re.findall(r"\]\(#([^)]*)\)", TEXT))
    assert links
    assert links <= headings


def test_every_method_and_capability_is_in_the_schema():
    assert set(SCHEMA["methods"]) == set(METHODS)
    assert set(SCHEMA["capabilities"]) == set(Capability)


def test_the_example_session_shows_results_and_errors():
    codes = [json.loads(response).get("error", {}).get("code") for _, response in session()]
    assert codes.count(None) >= 10
    assert {-32001, -32602} <= set(codes)


@pytest.mark.parametrize(("request_line", "response_line"), session())
def test_the_lines_of_the_example_session_keep_the_schema(request_line: str, response_line: str):
    request, response = json.loads(request_line), json.loads(response_line)
    line = validator(SCHEMA)
    assert line.is_valid(response)
    assert line.is_valid(request) == (response.get("error", {}).get("code") != -32602)
    if "result" in response:
        validator(SCHEMA["methods"][request["method"]]["result"]).validate(response["result"])


@pytest.mark.parametrize(
    ("events", "good"),
    [
        ([{"member": "a", "region": "r", "key": "k", "kind": "update", "token": None}], True),
        ([{"member": "a", "region": "r", "key": "k", "kind": "update"}], False),
        ([{"member": "a", "region": "r", "key": "k", "kind": "changed", "token": None}], False),
        ([{"member": "a", "region": "r", "key": "k", "kind": "update", "token": None, "x": 1}], False),
    ],
)
def test_schema_and_types_refuse_the_same(events: list[dict[str, object]], good: bool):
    result = {"events": events, "position": 1}
    assert validator(SCHEMA["methods"]["observe"]["result"]).is_valid(result) == good
    if good:
        read(msgspec.Raw(json.dumps(result).encode()), Observed)
    else:
        with pytest.raises(UnreadableError):
            read(msgspec.Raw(json.dumps(result).encode()), Observed)


def test_the_schema_knows_which_requests_need_params():
    line = validator(SCHEMA)
    assert line.is_valid({"jsonrpc": "2.0", "id": 1, "method": "hello"})
    assert not line.is_valid({"jsonrpc": "2.0", "id": 1, "method": "observe"})
    assert not line.is_valid({"jsonrpc": "2.0", "id": 1, "method": "teleport", "params": {}})
