from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from plumbline.ci.command import group
from plumbline.ci.commands import judge as judge_command
from plumbline.ci.selftest.histories.samples import CONFORMING, VIOLATING, sample_run
from plumbline.reference.history.history import History
from plumbline.reference.results.runs import read_record, read_verdicts, write_record
from plumbline.reference.results.sealing import seal_run


def judge(*arguments: str | Path) -> Result:
    return CliRunner().invoke(group, ["judge", *map(str, arguments)])


def test_a_conforming_run_is_told_and_ends_with_0(tmp_path: Path):
    result = judge(sample_run(tmp_path / "run", CONFORMING), "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "engine duckdb: no cluster is named" in result.output
    assert "1 runs: 1 examples" in result.output
    assert {row.run_id for row in read_verdicts(tmp_path / "out")} == {"run"}


def test_a_violation_is_shown_with_its_witness_and_ends_with_1(tmp_path: Path):
    result = judge(sample_run(tmp_path / "run", VIOLATING["CONS-RR-04"]))
    assert result.exit_code == 1
    assert "CONS-RR-04 violated in run e0" in result.output
    assert "valid a on A, valid b on B" in result.output


def test_a_damaged_trace_is_named_and_ends_with_2(tmp_path: Path):
    run = sample_run(tmp_path / "run", CONFORMING)
    path = run / "trace" / "main.parquet"
    path.write_bytes(path.read_bytes()[:100])
    result = judge(run)
    assert result.exit_code == 2
    assert f"set aside: {path}" in result.output


def test_json_is_the_only_output(tmp_path: Path):
    result = judge(sample_run(tmp_path / "run", CONFORMING), "--json")
    told = json.loads(result.stdout)
    assert told["engine"] == "duckdb"
    assert {v["verdict"] for v in told["verdicts"]} == {"pass", "not exercised"}


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_a_bad_directory_is_named_and_ends_with_2(tmp_path: Path, name: str):
    (tmp_path / "empty").mkdir()
    result = judge(tmp_path / name)
    assert result.exit_code == 2
    assert str(tmp_path / name) in result.stderr


def test_results_that_cannot_be_written_are_told_in_one_line(tmp_path: Path):
    run = sample_run(tmp_path / "run", CONFORMING)
    (tmp_path / "file").write_text("in the way")
    result = judge(run, "--out", tmp_path / "file" / "out")
    assert result.exit_code == 2
    assert result.stderr.startswith("plumbline: ")
    assert len(result.stderr.splitlines()) == 1


def test_a_missing_spark_is_told_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    result = judge(sample_run(tmp_path / "run", CONFORMING), "--engine", "spark")
    assert result.exit_code == 2
    assert "pip install 'pyspark" in result.stderr


def test_auto_takes_spark_where_a_cluster_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("SPARK_REMOTE", "sc://somewhere")
    assert judge_command._choose("auto") == ("spark", "the environment names a cluster")
    assert judge_command._choose("duckdb")[0] == "duckdb"
    monkeypatch.delenv("SPARK_REMOTE")
    assert judge_command._choose("auto")[0] == "duckdb"


def of_time(directory: Path, started: str, *histories: History) -> Path:
    run = sample_run(directory, *histories)
    write_record(run, msgspec.structs.replace(read_record(run), started=started))
    seal_run(run)
    return run


def test_of_each_candidate_the_newest_run_is_judged_unless_all_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    of_time(tmp_path / "runs" / "old", "2026-01-01T08:00:00+00:00", VIOLATING["CONS-RR-04"])
    of_time(tmp_path / "runs" / "new", "2026-01-01T09:00:00+00:00", CONFORMING)
    monkeypatch.chdir(tmp_path)
    mended = judge()
    assert mended.exit_code == 0, mended.output
    assert "1 older run was left out" in mended.output
    assert judge("--all").exit_code == 1
    assert judge("runs", "--all").exit_code == 1


def test_of_a_newer_run_of_a_selection_only_that_replaces_what_was_judged_before(tmp_path: Path):
    of_time(tmp_path / "old", "2026-01-01T08:00:00+00:00", VIOLATING["CONS-RR-04"])
    new = of_time(tmp_path / "new", "2026-01-01T09:00:00+00:00", CONFORMING)
    for selected, code in ((("CONS-RR-04",), 0), (("VER-TIE-01",), 1)):
        write_record(new, msgspec.structs.replace(read_record(new), selected=selected))
        seal_run(new)
        result = judge(tmp_path, "--out", tmp_path / "out")
        assert result.exit_code == code, result.output
