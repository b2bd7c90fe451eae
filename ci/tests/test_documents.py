"""What commands print for programs follows the schemas that are told of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
import pyarrow as pa
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from plumbline.ci.command import SUBCOMMANDS, group
from plumbline.ci.lint import ROOT
from plumbline.ci.selftest.benchmarks import calls, report_sites, timings
from plumbline.ci.selftest.benchmarks.growth import MeasuredExample
from plumbline.ci.selftest.benchmarks.reductions import ReducedFailure, Way
from plumbline.ci.selftest.benchmarks.timings import WantedExamples
from plumbline.ci.selftest.checks.mutating import strike
from plumbline.ci.selftest.commands import bench, faulty, faulty_mutate
from plumbline.ci.selftest.histories.samples import CONFORMING, sample_run
from plumbline.ci.terminal.documents import kinds, name_of, schema, version_of
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.judged.store import tables_by_duckdb, write_tables
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.reference.rules.results import RESULT_SCHEMA
from plumbline.reference.search.search import Answer
from plumbline.reports.tests.samples import write_run

SHIPPED = ROOT / "docs" / "schemas"
PAGE = ROOT / "docs" / "json.md"
EXAMPLE = ROOT / "ci" / "counterexamples" / "CONS-NR-03-geode-1.15.1.json"

LOGS = ROOT / "docs" / "recorded"
FROM = [word for name in ("shop", "watch", "desk") for word in ("--from", str(LOGS / f"{name}.jsonl"))]

COMMANDS: dict[str, list[str]] = {
    "plumbline.bench": ["bench", "--quick"],
    "plumbline.bench-kinds": ["bench", "--sites"],
    "plumbline.bench-calls": ["bench", "--calls", "--quick"],
    "plumbline.bench-pages": ["bench", "--pages"],
    "plumbline.catalogue": ["catalogue", "VER-TIE-01", "OVH-01"],
    "plumbline.check-adapter": ["check-adapter", "--candidate", "reference"],
    "plumbline.coverage": ["coverage", "traces"],
    "plumbline.doctor": ["doctor"],
    "plumbline.drift": ["drift", "judged"],
    "plumbline.explore": ["explore", "--part", "replicated"],
    "plumbline.explore-variants": ["explore", "--part", "tombstones", "--variants", "--within", "0s"],
    "plumbline.faulty-list": ["faulty", "list"],
    "plumbline.faulty-mutate": ["faulty", "mutate", "batch_of"],
    "plumbline.faulty-reduction": ["faulty", "run", "tie-keeps-own", "--reduction"],
    "plumbline.faulty-rules": ["faulty", "rules", "tie-keeps-own", "--plans", "0"],
    "plumbline.faulty-run": ["faulty", "run", "tie-keeps-own"],
    "plumbline.gate": ["gate", "runs"],
    "plumbline.judge": ["judge", "traces"],
    "plumbline.plan-runs": ["plan-runs", "--at-most", "0.01", "--change", "0", "0.01"],
    "plumbline.replay": ["replay", str(EXAMPLE), "--candidate", "reference"],
    "plumbline.report": ["report", "runs", "missing"],
    "plumbline.run": ["run", "--candidate", "faulty:tie-keeps-own", "--candidate", "reference"],
    "plumbline.traces-compact": ["traces", "compact", "traces", "--out", "packs"],
    "plumbline.traces-record": ["traces", "record", "--map", str(LOGS / "orders.yaml"), *FROM],
    "plumbline.trials": ["trials", "--cases", "6"],
    "plumbline.trials-machines": ["trials", "--machine", "replicated_regions", "--cases", "2"],
    "plumbline.trials-right": ["trials", "--right", "--cases", "2"],
    "plumbline.trials-rules": ["trials", "--rules", "--cases", "2"],
}


def two_versions() -> dict[str, pa.Table]:
    """Judged tables of a run of each of two versions."""
    shared = dict.fromkeys(("candidate", "product", "dialect", "profile", "day", "directory"), "c")
    told: list[dict[str, Any]] = []
    for name in ("1", "2"):
        run = {**shared, "run_id": name, "product_version": name, "started": name}
        told.append({**run, "row": "run", "examples": 1, "events": 1})
        told.append({**run, "row": "duplicates", "amount": 9, "failures": int(name) - 1, "exercised": 0})
    return tables_by_duckdb(pa.Table.from_pylist(told, schema=RESULT_SCHEMA))


SMALL = ["--profile", "smoke", "--select", "VER-TIE-01"]

MINUTES = {"plumbline.faulty-rules"}
"""What takes a minute: `--thorough` has it tested."""

SLOW = {"plumbline.faulty-rules"}
BROWSER = {"plumbline.bench-pages"}


@pytest.fixture
def machinery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with runs; what would measure for minutes measures little."""
    monkeypatch.chdir(tmp_path)
    rows = [
        VerdictRow(
            run_id="run-1",
            requirement=requirement,
            source=Source.MACHINE,
            verdict=verdict,
            exercised=3,
            failures=int(verdict is Verdict.FAIL),
            reason="because",
        )
        for requirement, verdict in zip(("VER-TIE-01", "CONS-RR-03", "VER-ID-01"), Verdict, strict=False)
    ]
    write_run(tmp_path / "runs" / "run-1", rows)
    sample_run(tmp_path / "traces" / "run", CONFORMING)

    def timed(_: WantedExamples) -> Iterator[timings.Timed]:
        yield timings.Timed(
            name="calm",
            operations=40,
            within_s=2,
            spoilt=False,
            examples=1,
            in_time=1,
            unknown=0,
            wrong=0,
            states=6.5,
            seconds=0.02,
            longest=0.5,
        )

    def measured(*_: object) -> Iterator[MeasuredExample]:
        yield MeasuredExample(
            operations=200,
            keys="four",
            order=OrderStrength.TOTAL,
            spoilt="",
            seed=0,
            answer=Answer.EXPLAINED,
            states=600,
            seconds=0.5,
        )

    def compared(name: str, machine: Any, *_: object) -> ReducedFailure:
        way = Way(operations=2, members=2, runs=3, seconds=0.1)
        return ReducedFailure(
            variant=name, machine=machine.name, operations=9, own=way, minimal=True, hypothesis=way
        )

    monkeypatch.setattr(bench, "measure_sites", timed)
    monkeypatch.setattr(bench, "measure", measured)
    monkeypatch.setattr(bench, "profile_seconds", lambda _: 1.5)
    monkeypatch.setattr(bench, "round_trips", lambda _: 1000.0)
    monkeypatch.setattr(bench, "call_rates", lambda _: calls.call_rates(10))
    monkeypatch.setattr(bench, "SHARED", ("replicated_regions",))
    monkeypatch.setattr(bench, "measure_site", partial(report_sites.measure, 1, 1))
    monkeypatch.setattr(faulty, "compare", compared)
    monkeypatch.setattr(faulty_mutate, "strike", partial(strike, own_only=True))


def marked(name: str) -> Any:
    marks = [pytest.mark.slow] if name in SLOW else [pytest.mark.browser] if name in BROWSER else []
    marks += [pytest.mark.thorough] if name in MINUTES else []
    return pytest.param(name, marks=marks)


@pytest.mark.usefixtures("machinery")
@pytest.mark.parametrize("name", [marked(name) for name in COMMANDS])
def test_what_a_command_prints_follows_its_schema(name: str):
    command = COMMANDS[name]
    more = SMALL if command[0] == "run" else []
    if command[0] == "drift":
        write_tables(Path("judged"), two_versions())
    result = CliRunner().invoke(group, [*command, *more, "--json"])
    told = json.loads(result.stdout)
    kind = kinds()[name]
    assert (told["schema"], told["schema_version"]) == (name, version_of(kind))
    assert list(Draft202012Validator(schema(kind)).iter_errors(told)) == []
    again = msgspec.json.encode(msgspec.json.decode(result.stdout, type=kind))
    assert told == json.loads(again)


def test_every_schema_is_tried_and_shipped_and_named_on_the_page():
    assert sorted(COMMANDS) == sorted(kinds())
    assert sorted(path.stem for path in SHIPPED.iterdir()) == sorted(kinds())
    page = PAGE.read_text()
    for name, kind in kinds().items():
        assert name == name_of(kind)
        Draft202012Validator.check_schema(schema(kind))
        assert f"| [`{name}`](schemas/{name}.json) | {version_of(kind)} |" in page


@pytest.mark.parametrize("name", COMMANDS)
def test_a_shipped_schema_is_that_of_the_type(name: str):
    """`plumbline schema --out docs/schemas` writes them; taking a field away needs another version."""
    assert json.loads((SHIPPED / f"{name}.json").read_text()) == schema(kinds()[name])


def test_every_command_that_prints_json_says_its_schema():
    """A command with --json that is not tried above would print a document without a schema."""
    context = click.Context(group)
    printing = set()
    for name in SUBCOMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        subcommands = command.commands if isinstance(command, click.Group) else {"": command}
        for sub, one in subcommands.items():
            if any("--json" in parameter.opts for parameter in one.params):
                printing.add(f"{name} {sub}".strip())
    tried = {" ".join(words[: 2 if words[0] in {"faulty", "traces"} else 1]) for words in COMMANDS.values()}
    assert printing == tried


def test_a_field_that_is_missing_or_of_another_kind_is_found_out():
    kind = kinds()["plumbline.doctor"]
    validator = Draft202012Validator(schema(kind))
    right = {"schema": "plumbline.doctor", "schema_version": 1, "healthy": True, "checks": []}
    assert validator.is_valid(right)
    for wrong in (
        {**right, "healthy": "yes"},
        {**right, "schema_version": 2},
        {**right, "schema": "plumbline.gate"},
        {key: value for key, value in right.items() if key != "checks"},
        {**right, "checks": [{"name": "Java"}]},
    ):
        assert not validator.is_valid(wrong)


def test_a_schema_is_printed_listed_and_found_by_name():
    listed = CliRunner().invoke(group, ["schema"]).stdout
    assert [line.split()[0] for line in listed.splitlines()] == list(kinds())
    printed = CliRunner().invoke(group, ["schema", "plumbline.gate"])
    assert json.loads(printed.stdout) == schema(kinds()["plumbline.gate"])
    wrong = CliRunner().invoke(group, ["schema", "plumbline.gates"])
    assert wrong.exit_code == 2
    assert "did you mean plumbline.gate" in wrong.stderr


def test_a_schema_describes_each_property_that_the_docstring_does():
    told = schema(kinds()["plumbline.gate"])["$defs"]["GateReason"]
    assert told["description"] == "One reason, told in one line."
    assert told["properties"]["weight"]["description"] == "broken, red or advisory."
