"""A log of a system at work becomes a run; what does not fit is set aside, and what it lacks never passes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from plumbline.reference.file_record import UnreadableRunError
from plumbline.reference.recording import recorder
from plumbline.reference.recording.log_map import LogMap, read_map
from plumbline.reference.recording.recorder import RecordedLog, record_log
from plumbline.reference.results.runs import Recording
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rules.judging import judge_run, judge_runs
from plumbline.reference.rules.rule import load_rules
from plumbline.reference.rules.shown import kinds_read
from plumbline.reference.trace.schema import TraceKind

FOLDER = Path(__file__).parents[2] / "docs" / "recorded"
"""The worked example of docs/recording.md; a wheel has no docs."""

MAP = FOLDER / "orders.yaml"
CALLS, WATCH, LISTENER = (FOLDER / f"{name}.jsonl" for name in ("shop", "watch", "desk"))

Record = dict[str, Any]


def records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def log(path: Path, told: Iterable[Record | str]) -> Path:
    path.write_text("".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in told))
    return path


def changed_map(folder: Path, **changes: Any) -> Path:
    said = yaml.safe_load(MAP.read_text()) | changes
    path = folder / "map.yaml"
    path.write_text(yaml.safe_dump(said))
    return path


def recorded(out: Path, listener: Path = LISTENER, map_file: Path = MAP) -> RecordedLog:
    return record_log([CALLS, WATCH, listener], map_file, read_map(map_file), out)


def verdicts(found: RecordedLog) -> dict[str, Verdict]:
    return {row.requirement: row.verdict for row in found.verdicts}


def judged_so(found: RecordedLog, verdict: Verdict) -> set[str]:
    return {name for name, one in verdicts(found).items() if one is verdict}


def recording(found: RecordedLog) -> Recording:
    assert found.record.recording is not None
    return found.record.recording


def reasons(found: RecordedLog) -> str:
    return "\n".join(f"{one.place}: {one.reason}" for one in recording(found).reasons)


def from_the_listener(found: RecordedLog) -> list[Record]:
    table = pq.read_table(Path(found.directory, "trace", "main.parquet")).to_pylist()
    return [row for row in table if row["kind"] == "listener"]


@pytest.fixture
def all_rules() -> None:
    """Asks every rule, as recording does outside these tests."""


@pytest.fixture(autouse=True)
def _three_rules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rules take more than a second, and most tests are about these."""
    if "all_rules" not in request.fixturenames:
        monkeypatch.setattr(recorder, "judge_run", partial(judge_run, only=TOLD_IN_ORDER))


TOLD_IN_ORDER = {"TRK-ORDER-01", "TRK-DUP-01", "FO-HA-03"}


@pytest.mark.usefixtures("all_rules")
def test_a_right_log_passes_what_it_shows_and_nothing_else(tmp_path: Path):
    found = recorded(tmp_path)
    assert judged_so(found, Verdict.PASS) == TOLD_IN_ORDER
    assert judged_so(found, Verdict.UNSUPPORTED) == set(load_rules()) - TOLD_IN_ORDER


def test_an_event_that_comes_twice_fails_the_rule_of_duplicates_alone(tmp_path: Path):
    told = records(LISTENER)
    place = next(i for i, one in enumerate(told) if "#6" in one.get("value", ""))
    told.insert(place + 1, told[place] | {"at": told[place + 1]["at"]})
    for number, one in enumerate(told, 1):
        one["n"] = number
    found = recorded(tmp_path, log(tmp_path / "log", told))
    assert judged_so(found, Verdict.FAIL) == {"TRK-DUP-01", "FO-HA-03"}
    assert verdicts(found)["TRK-ORDER-01"] is Verdict.PASS


def test_two_events_in_the_wrong_order_fail_the_rule_of_order_alone(tmp_path: Path):
    told = records(LISTENER)
    one, two = (next(x for x in told if mark in x.get("value", "")) for mark in ("#7", "#8"))
    for name in ("key", "value", "what"):
        one[name], two[name] = two[name], one[name]
    found = recorded(tmp_path, log(tmp_path / "log", told))
    assert judged_so(found, Verdict.FAIL) == {"TRK-ORDER-01"}
    assert judged_so(found, Verdict.PASS) == {"TRK-DUP-01", "FO-HA-03"}


@pytest.mark.usefixtures("all_rules")
def test_the_run_is_judged_later_as_it_was_when_it_was_recorded(tmp_path: Path):
    found = recorded(tmp_path, FOLDER / "desk-wrong.jsonl")
    (later,) = judge_runs([Path(found.directory)])
    assert [(row.requirement, row.verdict, row.reason) for row in later.verdicts] == [
        (row.requirement, row.verdict, row.reason) for row in found.verdicts
    ]
    assert not later.flaws


@pytest.mark.parametrize("kind", ["link", "inject", "tx_begin"])
def test_a_kind_that_the_log_neither_shows_nor_excludes_makes_its_rules_unsupported(
    tmp_path: Path, kind: str
):
    """Where a link may have been cut, an event that comes again is no violation."""
    never = [one for one in yaml.safe_load(MAP.read_text())["never"] if one != kind]
    found = recorded(tmp_path, FOLDER / "desk-wrong.jsonl", changed_map(tmp_path, never=never))
    row = next(row for row in found.verdicts if row.requirement == "TRK-ORDER-01")
    assert row.verdict is Verdict.UNSUPPORTED
    assert row.reason == f"the log does not show {kind}, nor does its map exclude them"


def test_the_kinds_that_a_rule_reads_are_those_of_its_parts_too():
    assert {"listener", "op_begin", "crash", "link"} <= kinds_read("TRK-ORDER-01")
    assert kinds_read("TRK-ORDER-01") <= set(TraceKind)


@pytest.mark.usefixtures("all_rules")
def test_a_rule_that_needs_an_empty_start_is_unsupported_until_the_map_has_it(tmp_path: Path):
    name = next(rule.requirement for rule in load_rules().values() if rule.empty_start and not rule.only_with)
    never = sorted(set(TraceKind) - {"example_begin", "example_end", "trailer", "listener", "op_begin"})
    (tmp_path / "a").mkdir()
    for said, words in ((False, "regions that were empty when the log began"), (True, "no occasion")):
        made = changed_map(tmp_path / "a", never=[str(kind) for kind in never], empty_start=said)
        row = next(row for row in recorded(tmp_path, map_file=made).verdicts if row.requirement == name)
        assert row.verdict is not Verdict.PASS
        assert words in row.reason


BROKEN: dict[str, tuple[str | Record, str]] = {
    "a line that is no JSON": ('{"at": "2026', "the line is no JSON"),
    "a line that is no object": ("[1]", "the line is no JSON object"),
    "a field that is missing": ({"key": None}, "`key` is missing; say `optional: true` of key"),
    "a number that is a word": ({"n": "nine"}, "`n` is 'nine', and has to be a whole number"),
    "a time without a zone": ({"at": "2026-03-02T09:15:00"}, "a time without a zone; write Z"),
    "a time that is no time": ({"at": "noon"}, "`at` is 'noon', and no ISO 8601 time"),
    "a time that goes back": (
        {"at": "2026-03-02T09:15:00.000001Z"},
        "µs before that of the record before it",
    ),
    "a sequence that is there twice": ({"n": 8}, "the sequence 8 of desk is there twice, with other content"),
    "a gap of the sequence": ({"n": 12}, "the sequence goes from 8 to 12: 3 records are missing"),
    "a foreign process": ({"process": "desk-2"}, "'desk-2' is no member or client of the map's `setting`"),
    "a foreign region": ({"region": "stock"}, "'stock' is no region of the map's `setting`"),
    "a foreign kind": ({"what": "afterParty"}, "its kind is 'afterParty'; name it in the map below"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_record_that_does_not_fit_is_set_aside_with_its_reason_and_nothing_passes(
    tmp_path: Path, name: str
):
    change, words = BROKEN[name]
    told: list[Record | str] = [*records(LISTENER)]
    told[8] = change if isinstance(change, str) else {**records(LISTENER)[8], **change}
    listener = log(tmp_path / "log", told)
    found = recorded(tmp_path, listener)
    assert f"{listener}:9: " in reasons(found)
    assert words in reasons(found)
    assert judged_so(found, Verdict.PASS) == set()
    assert verdicts(found)["TRK-ORDER-01"] is Verdict.UNKNOWN


def test_a_run_keeps_what_was_set_aside_for_those_who_judge_it_later(tmp_path: Path):
    listener = log(tmp_path / "log", [*records(LISTENER), "torn"])
    (later,) = judge_runs([Path(recorded(tmp_path, listener).directory)])
    assert [flaw.path for flaw in later.flaws] == [f"{listener}:15"]
    assert {row.verdict for row in later.verdicts} == {Verdict.UNKNOWN, Verdict.UNSUPPORTED}


def test_what_stands_behind_a_record_that_was_set_aside_neither_passes_nor_accuses(tmp_path: Path):
    """The lost record may have been the reason for what follows."""
    told = records(FOLDER / "desk-wrong.jsonl")
    twice = next(
        i for i, one in enumerate(told) if "#6" in told[i - 1].get("value", "") and "#6" in one["value"]
    )
    before = recorded(tmp_path, log(tmp_path / "b", [*told[: twice - 1], "torn", *told[twice:]]))
    assert judged_so(before, Verdict.FAIL) == set()
    assert recording(before).unread > 0
    behind = recorded(tmp_path, log(tmp_path / "a", [*told[: twice + 1], "torn"]))
    assert judged_so(behind, Verdict.FAIL) == {"TRK-DUP-01", "FO-HA-03"}


def test_a_copy_of_a_record_counts_once(tmp_path: Path):
    """Collectors send a record again where its receipt was lost."""
    told = records(LISTENER)
    found = recorded(tmp_path, log(tmp_path / "log", [*told[:9], *told[6:]]))
    assert recording(found).copies == 3
    assert recording(found).set_aside == 0
    assert judged_so(found, Verdict.PASS) == TOLD_IN_ORDER


def test_a_value_that_two_calls_wrote_to_one_key_cannot_name_its_call(tmp_path: Path):
    calls = records(CALLS)
    calls[5]["value"] = calls[0]["value"]
    found = record_log([log(tmp_path / "calls", calls), WATCH, LISTENER], MAP, read_map(MAP), tmp_path)
    assert "map `token` to a field that is unique to a call" in reasons(found)
    assert judged_so(found, Verdict.FAIL) == set()


def test_a_log_that_was_recorded_already_is_recorded_no_second_time(tmp_path: Path):
    first = recorded(tmp_path)
    with pytest.raises(UnreadableRunError, match="this log was recorded already"):
        recorded(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [first.record.run_id]


def test_a_log_without_anything_to_record_leaves_nothing(tmp_path: Path):
    empty = log(tmp_path / "log", ["torn"])
    with pytest.raises(
        UnreadableRunError, match=r"nothing in it could be recorded; .*:1: the line is no JSON"
    ):
        record_log([empty], MAP, read_map(MAP), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def as_csv(path: Path, told: list[Record]) -> Path:
    names = ["at", "until", "n", "process", "thread", "what", "region", "key", "value"]
    lines = [",".join(names), *(",".join(str(one.get(name, "")) for name in names) for one in told)]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def as_otlp(path: Path, told: list[Record]) -> Path:
    """One export request a line, as a collector's file exporter writes them."""
    exported = [
        {
            "timeUnixNano": "1772442900000000000",
            "attributes": [
                {"key": key, "value": {"intValue": str(value)} if key == "n" else {"stringValue": value}}
                for key, value in one.items()
            ],
        }
        for one in told
    ]
    requests = [{"resourceLogs": [{"scopeLogs": [{"logRecords": [one]}]}]} for one in exported]
    return log(path, requests)


def of_attributes() -> dict[str, Any]:
    columns = yaml.safe_load(MAP.read_text())["columns"]
    return {
        name: f"attributes.{one}" if isinstance(one, str) else one | {"field": f"attributes.{one['field']}"}
        for name, one in columns.items()
    }


@pytest.mark.parametrize("form", ["csv", "otlp", "one document", "packed"])
def test_the_same_log_in_another_format_is_the_same_trace(tmp_path: Path, form: str):
    logs = {path.stem: records(path) for path in (CALLS, WATCH, LISTENER)}
    said: dict[str, Any] = {"format": "csv" if form == "csv" else "jsonl" if form == "packed" else "otlp"}
    if said["format"] == "otlp":
        said["columns"] = of_attributes()
    if form == "one document":
        one = {
            "resourceLogs": [
                json.loads(line)["resourceLogs"][0]
                for told in logs.values()
                for line in as_otlp(tmp_path / "x", told).read_text().splitlines()
            ]
        }
        files = [tmp_path / "export.json"]
        files[0].write_text(json.dumps(one, indent=1))
        said["gapless"] = False
    elif form == "packed":
        files = [tmp_path / f"{name}.gz" for name in logs]
        for path, told in zip(files, logs.values(), strict=True):
            path.write_bytes(gzip.compress("".join(json.dumps(one) + "\n" for one in told).encode()))
    else:
        write = as_csv if form == "csv" else as_otlp
        files = [write(tmp_path / name, told) for name, told in logs.items()]
    made = changed_map(tmp_path, **said)
    found = record_log(files, made, read_map(made), tmp_path / "out")
    assert reasons(found) == ""
    plain = recorded(tmp_path / "plain")
    assert [{**row, "run_id": ""} for row in from_the_listener(found)] == [
        {**row, "run_id": ""} for row in from_the_listener(plain)
    ]
    assert verdicts(found) == verdicts(plain)


def test_a_csv_whose_last_line_has_no_end_may_be_cut(tmp_path: Path):
    path = as_csv(tmp_path / "log", records(LISTENER))
    path.write_text(path.read_text()[:-2])
    made = changed_map(tmp_path, format="csv")
    found = record_log([path], made, read_map(made), tmp_path / "out")
    assert "so it may be cut short; end each with a line feed" in reasons(found)


def test_spans_are_calls_with_an_end(tmp_path: Path):
    spans = [
        {
            "name": "put",
            "startTimeUnixNano": f"{1_772_442_900 + i}000000000",
            "endTimeUnixNano": f"{1_772_442_900 + i}250000000",
            "attributes": [{"key": "key", "value": {"stringValue": "k"}}],
        }
        for i in range(2)
    ]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]}
    export = log(
        tmp_path / "log", [{"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}]
    )
    columns = {
        "kind": "name",
        "time": {"field": "startTimeUnixNano", "unit": "ns"},
        "end": {"field": "endTimeUnixNano", "unit": "ns"},
        "member": "resource.service.name",
        "thread": {"is": "main"},
        "region": {"is": "orders"},
        "key": "attributes.key",
    }
    made = changed_map(tmp_path, format="otlp", columns=columns, gapless=False)
    found = record_log([export], made, read_map(made), tmp_path / "out")
    rows = pq.read_table(Path(found.directory, "trace", "main.parquet")).to_pylist()
    calls = [(row["kind"], row["t_us"], row["op_id"]) for row in rows if row["kind"].startswith("op_")]
    assert calls == [
        ("op_begin", 0, 0),
        ("op_end", 250_000, 0),
        ("op_begin", 1_000_000, 1),
        ("op_end", 1_250_000, 1),
    ]


def test_a_pattern_takes_a_part_of_a_field(tmp_path: Path):
    """Geode prints an event as one text."""
    event = (
        "EntryEventImpl[op=UPDATE;region=/orders;key=k;id=EventID[id=31 bytes;threadID=65537;sequenceID=7]]"
    )
    columns = {
        "kind": {"field": "event", "pattern": "op=([A-Z]+);"},
        "member": {"is": "desk"},
        "region": {"field": "event", "pattern": "region=/([^;]+)"},
        "key": {"field": "event", "pattern": ";key=([^;]+)"},
        "origin_seq": {"field": "event", "pattern": "sequenceID=([0-9]+)"},
    }
    made = changed_map(
        tmp_path,
        columns=columns,
        order="file",
        gapless=False,
        kinds={"UPDATE": {"kind": "listener", "event": "update"}},
    )
    found = record_log([log(tmp_path / "log", [{"event": event}])], made, read_map(made), tmp_path / "out")
    (row,) = from_the_listener(found)
    assert (row["key"], row["origin_seq"], row["log_pos"]) == ("k", 7, 0)


WRONG_MAPS: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown word": ({"colums": {}}, "unknown field `colums`"),
    "an unknown column": (
        {"columns": {"kind": "k", "time": "t", "colour": "c"}},
        "there is no column colour",
    ),
    "no kind": ({"columns": {"time": "at"}}, "columns: kind is missing"),
    "no time": ({"columns": {"kind": "what"}}, "each record needs its time where order is time"),
    "a pattern without a group": (
        {"columns": {"kind": {"field": "k", "pattern": "x"}, "time": "t"}},
        "the pattern of kind needs a group",
    ),
    "a kind that recording writes": ({"kinds": {"x": {"kind": "trailer"}}}, "recording writes that"),
    "a stranger": ({"observed": ["till"]}, "till is observed or serves, and no member or client"),
}


@pytest.mark.parametrize("name", WRONG_MAPS)
def test_a_wrong_map_is_refused_in_one_line_with_the_remedy(tmp_path: Path, name: str):
    changes, words = WRONG_MAPS[name]
    path = changed_map(tmp_path, **changes)
    with pytest.raises(UnreadableRunError) as refused:
        read_map(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_map_that_is_no_yaml_is_refused_by_its_line(tmp_path: Path):
    path = tmp_path / "map.yaml"
    path.write_text("candidate: [\n")
    with pytest.raises(UnreadableRunError, match=r"map\.yaml: line 2: "):
        read_map(path)


def test_a_map_reads_as_it_was_written():
    said = read_map(MAP)
    assert isinstance(said, LogMap)
    assert said.setting.parties == {"server-1", "server-2", "desk", "shop"}
    assert {"listener", "crash", "op_end", "link"} <= said.kinds_known
    assert "tx_commit" not in said.kinds_known
