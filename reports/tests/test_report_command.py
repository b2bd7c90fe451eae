"""`plumbline report` from the command line."""

from __future__ import annotations

import json
import threading
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from plumbline.ci.commands.report import command
from plumbline.ci.terminal import progress
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.tests.samples import HOSTILE, counterexample, row, write_run


def report(*arguments: object) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def test_it_prints_the_path_of_the_first_page_and_a_summary_in_one_line(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run-1", [row(verdict=Verdict.FAIL)])
    result = report(run, "--out", tmp_path / "site")
    path, summary = result.stdout.splitlines()
    assert result.exit_code == 0
    assert Path(path) == tmp_path / "site" / "index.html"
    assert Path(path).is_file()
    assert summary == f"1 candidate, 1 of them not green; {len(catalogue())} requirements; 0 set aside"
    assert result.stderr == ""


def test_json_names_the_page_the_counts_and_what_was_set_aside(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run-1", [row(), row("NEW-ONE-01")])
    missing = tmp_path / "missing"
    result = report(run, missing, "--out", tmp_path / "site", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "schema": "plumbline.report",
        "schema_version": 1,
        "index": str(tmp_path / "site" / "index.html"),
        "candidates": 1,
        "requirements": len(catalogue()) + 1,
        "set_aside": [{"path": str(missing), "reason": "no such directory"}],
        "older_runs": [],
    }


def test_the_newest_run_of_a_candidate_replaces_older_ones_unless_all_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = counterexample()
    monkeypatch.chdir(tmp_path)
    failing = row(verdict=Verdict.FAIL, run_id="old", counterexample="tie.json")
    write_run(tmp_path / "runs" / "old", [failing], {"tie": broken}, product_version="1")
    later = "2026-11-22T06:40:00Z"
    write_run(tmp_path / "runs" / "new", [row(run_id="new")], started=later, product_version="2")
    result = report("--out", "site")
    assert "1 candidate, 0 of them not green" in result.stdout
    assert "1 older run was left out" in result.stdout
    assert "plumbline report --all" in (tmp_path / "site" / "index.html").read_text()
    assert not list((tmp_path / "site" / "counterexamples").iterdir())
    every = report("--all", "--out", "site")
    assert "2 candidates, 1 of them not green" in every.stdout
    assert list((tmp_path / "site" / "counterexamples").iterdir())


def test_the_page_of_a_requirement_tells_what_decides_tests_and_breaks_it(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run-1", [row()])
    report(run, "--out", tmp_path / "site")
    page = (tmp_path / "site" / "requirements" / "VER-TIE-01.html").read_text()
    assert "applies_tie_of_higher" in page
    assert "at_equal_versions_the_higher_id_replaces_the_lower" in page
    assert "tie-keeps-own" in page


@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_nothing_to_read_is_exit_code_2_and_no_site(tmp_path: Path, flags: list[str]) -> None:
    result = report(tmp_path, "--out", tmp_path / "site", *flags)
    assert result.exit_code == 2
    assert not (tmp_path / "site").exists()
    assert "no run.json" in result.output


def test_what_is_set_aside_or_incomplete_is_told_on_the_error_stream(tmp_path: Path) -> None:
    write_run(tmp_path / "run-1", [row()], complete=False)
    table = write_run(tmp_path / "run-2", [row()], candidate="other") / "verdicts.parquet"
    table.write_bytes(b"junk")
    result = report(tmp_path, "--out", tmp_path / "site")
    assert f"set aside: {table}" in result.stderr
    assert "incomplete: reference: run run-1: it did not end in order" in result.stderr
    assert "2 of them not green" in result.stdout


def test_names_of_candidates_cannot_command_the_terminal(tmp_path: Path) -> None:
    write_run(tmp_path / "run-1", [row()], candidate=HOSTILE, complete=False)
    result = report(tmp_path / "run-1", "--out", tmp_path / "site")
    assert "\\u{1B}[31m" in result.stderr
    assert "\x1b" not in result.output


def test_a_log_file_gets_no_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    threads = threading.enumerate()
    assert report(write_run(tmp_path / "run-1", [row()]), "--out", tmp_path / "site").stderr == ""
    assert threading.enumerate() == threads


def test_progress_is_shown_on_a_terminal_to_those_who_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "run-1", [row()])
    monkeypatch.setattr(progress, "Console", partial(Console, force_terminal=True))
    monkeypatch.setattr(progress, "PATIENCE_S", 3600.0)
    assert report(run, "--out", tmp_path / "site").stderr == ""
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    patient = report(run, "--out", tmp_path / "site")
    assert "Writing pages" in patient.stderr
    assert len(patient.stdout.splitlines()) == 2
