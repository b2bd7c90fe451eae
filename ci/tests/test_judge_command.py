from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plumbline.ci.command import group
from plumbline.ci.commands import judge as judge_command
from plumbline.reference.rules.samples import CONFORMING, VIOLATING, sample_run
from plumbline.reference.runs import read_verdicts


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
    assert "pip install 'plumbline[spark]'" in result.stderr


def test_auto_takes_spark_where_a_cluster_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    monkeypatch.setenv("SPARK_REMOTE", "sc://somewhere")
    assert judge_command._choose("auto") == ("spark", "the environment names a cluster")
    assert judge_command._choose("duckdb")[0] == "duckdb"
    monkeypatch.delenv("SPARK_REMOTE")
    assert judge_command._choose("auto")[0] == "duckdb"
