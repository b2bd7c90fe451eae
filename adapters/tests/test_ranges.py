"""Each number of the protocol has a range, in the schema and at the border."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from plumbline.adapters.process.messages import UnreadableError, read
from plumbline.adapters.protocol import METHODS
from plumbline.adapters.protocol_schema import SCHEMA_FILE
from plumbline.reference.results.runs import Counterexample
from plumbline.suites.run.configuration import Settings, TimeOuts

SCHEMA = json.loads(SCHEMA_FILE.read_bytes())
INTRODUCTION = {"name": "x", "version": "1", "capabilities": []}


def integers(schema: Any, place: str = "") -> list[tuple[str, dict[str, Any]]]:
    """Every whole number of a schema, with where it stands."""
    if isinstance(schema, list):
        return [found for each in schema for found in integers(each, place)]
    if not isinstance(schema, dict):
        return []
    own = [(place, schema)] if schema.get("type") == "integer" else []
    return [*own, *(found for name, each in schema.items() for found in integers(each, f"{place}.{name}"))]


def test_every_number_of_a_request_or_a_result_has_a_least_and_a_most():
    components = {name: part for name, part in SCHEMA["$defs"].items() if name not in ("request", "response")}
    # The version, and the code of an error, are compared with known ones.
    known = {
        ".Hello.properties.protocol",
        ".Introduction.properties.protocol",
        ".ErrorObject.properties.code",
    }
    found = dict(integers(components))
    assert len(found) > 30
    assert known <= found.keys()
    for place in found.keys() - known:
        assert {"minimum", "maximum"} <= found[place].keys(), place


@pytest.mark.parametrize(
    ("method", "result"),
    [
        ("hello", {**INTRODUCTION, "conflated_weight_most": 0}),
        ("hello", {**INTRODUCTION, "conflated_weight_least": 0}),
        ("hello", {**INTRODUCTION, "conflated_weight_most": 1_001}),
        ("hello", {**INTRODUCTION, "clock_error_ms": -1}),
        ("hello", {**INTRODUCTION, "clock_error_ms": 2**62}),
        ("hello", {**INTRODUCTION, "clock_error_ms": 10**9}),
        ("hello", {**INTRODUCTION, "settle_limit_ms": 0}),
        ("hello", {**INTRODUCTION, "settle_limit_ms": 600_001}),
        ("observe", {"events": [], "position": -1}),
        ("observe", {"events": [], "position": 2**63}),
        ("statistic", {"value": 2**63}),
        ("look_at_queue", {"depth": -1, "role": "primary"}),
        ("look_at_queue", {"depth": 1, "role": "primary", "unprocessed": -1}),
        ("attributes", {"attributes": {"name": "region", "checks": True, "redundancy": -1}}),
    ],
)
def test_a_number_outside_its_range_is_refused(method: str, result: dict[str, Any]):
    with pytest.raises(UnreadableError, match=r"Expected `int` [<>]= |more than 64 bits"):
        read(msgspec.Raw(json.dumps(result).encode()), METHODS[method].result)


@pytest.mark.parametrize("name", ["answer_ms", "deploy_ms", "longest_ms", "grace_ms"])
@pytest.mark.parametrize("wrong", [0, 86_400_001, 10**18])
def test_no_time_out_is_longer_than_a_day(name: str, wrong: int):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({name: wrong}, TimeOuts)


@pytest.mark.parametrize("wrong", [-1, 10**18])
def test_no_file_says_that_an_example_was_played_so_often(wrong: int):
    field = next(one for one in msgspec.structs.fields(Counterexample) if one.name == "times_tried")
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, field.type)


def test_what_settings_say_of_a_candidate_has_the_same_range():
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"clock_error_ms": 10**9}, type(Settings().said.durations))
