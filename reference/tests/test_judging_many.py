from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plumbline.ci.selftest.histories.samples import CONFORMING, VIOLATING, sample_run
from plumbline.reference.file_record import write_atomically
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called
from plumbline.reference.results.runs import UnreadableRunError, read_verdicts
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rules import survey
from plumbline.reference.rules.results import SUMMARY_SCHEMA, judge_by_duckdb
from plumbline.reference.rules.rule import load_rules
from plumbline.reference.rules.survey import SurveyResult, find_runs, judge
from plumbline.reference.rules.telling import harmless, lines

BAD = VIOLATING["CONS-RR-04"]


def judge_all(folder: Path, out: Path | None = None) -> SurveyResult:
    return judge(find_runs([folder]), judge_by_duckdb, out)


class Counting:
    def __init__(self) -> None:
        self.judged: list[str] = []

    def __call__(self, directories: Sequence[Path]) -> pa.Table:
        self.judged += [directory.name for directory in directories]
        return judge_by_duckdb(directories)


def test_runs_are_found_at_and_below_a_directory_each_once(tmp_path: Path):
    one = sample_run(tmp_path / "a" / "one")
    two = sample_run(tmp_path / "two")
    assert find_runs([tmp_path, two]) == [one, two]


def test_a_directory_without_runs_is_named(tmp_path: Path):
    with pytest.raises(UnreadableRunError, match=f"{tmp_path}.*no run directory"):
        find_runs([tmp_path])
    with pytest.raises(UnreadableRunError, match="nowhere: no such directory"):
        find_runs([tmp_path / "nowhere"])


def test_every_run_is_counted_whatever_was_found_in_it(tmp_path: Path):
    sample_run(tmp_path / "runs" / "good", CONFORMING)
    sample_run(tmp_path / "runs" / "empty")
    judged = judge_all(tmp_path / "runs", tmp_path / "out")
    runs = pq.read_table(tmp_path / "out" / "runs.parquet").to_pylist()
    assert [(Path(run["directory"]).name, run["examples"]) for run in runs] == [("empty", 0), ("good", 1)]
    assert len(read_verdicts(tmp_path / "out")) == 2 * len(load_rules())
    assert judged.exit_code == 0


def test_the_exit_code_tells_failed_and_not_judged_apart(tmp_path: Path):
    run = sample_run(tmp_path / "runs" / "good", CONFORMING)
    assert judge_all(tmp_path / "runs").exit_code == 0
    (run / "run.json").write_text("{")
    assert judge_all(tmp_path / "runs").exit_code == 2
    sample_run(tmp_path / "runs" / "bad", BAD)
    assert judge_all(tmp_path / "runs").exit_code == 1


def test_what_was_judged_before_is_not_judged_again_and_what_changed_is(tmp_path: Path):
    runs, out = tmp_path / "runs", tmp_path / "out"
    sample_run(runs / "one", CONFORMING)
    sample_run(runs / "two", CONFORMING)
    engine = Counting()
    first = judge(find_runs([runs]), engine, out)
    sample_run(runs / "three", BAD)
    shutil.rmtree(runs / "two")
    sample_run(runs / "two", BAD)
    second = judge(find_runs([runs]), engine, out)
    assert engine.judged == ["one", "two", "three", "two"]
    assert (first.judged, first.known, second.judged, second.known) == (2, 0, 2, 1)
    fails = {row.run_id for row in read_verdicts(out) if row.verdict is Verdict.FAIL}
    assert fails == {"two", "three"}
    assert len(read_verdicts(out)) == 3 * len(load_rules())
    again = judge(find_runs([runs]), engine, out)
    assert len(engine.judged) == 4
    assert again.results.equals(second.results)


def test_judging_that_was_stopped_goes_on_where_it_stood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(survey, "RUNS_A_BATCH", 1)
    for name in ("one", "two", "three"):
        sample_run(tmp_path / "runs" / name, CONFORMING)
    engine = Counting()

    def stopped(directories: Sequence[Path]) -> pa.Table:
        if len(engine.judged) == 2:
            raise KeyboardInterrupt
        return engine(directories)

    with pytest.raises(KeyboardInterrupt):
        judge(find_runs([tmp_path / "runs"]), stopped, tmp_path / "out")
    judged = judge(find_runs([tmp_path / "runs"]), engine, tmp_path / "out")
    assert sorted(engine.judged) == ["one", "three", "two"]
    assert {row.verdict for row in judged.verdicts} == {Verdict.PASS, Verdict.NOT_EXERCISED}
    assert len(judged.verdicts) == 3 * len(load_rules())


def test_a_broken_batch_of_results_is_made_again(tmp_path: Path):
    sample_run(tmp_path / "runs" / "one", CONFORMING)
    judge_all(tmp_path / "runs", tmp_path / "out")
    (batch,) = (tmp_path / "out" / "batches").iterdir()
    batch.write_bytes(batch.read_bytes()[:-9])
    assert judge_all(tmp_path / "runs", tmp_path / "out").judged == 1
    assert judge_all(tmp_path / "runs", tmp_path / "out").judged == 0


class Stopping:
    """Lets so many files be written, and is stopped at the next one, as by a kill."""

    def __init__(self, files: int) -> None:
        self.left = files
        self.write = write_atomically

    def __call__(self, path: Path, data: bytes, *, within: Path | None = None) -> None:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        self.write(path, data, within=within)


def test_a_kill_at_any_write_and_a_new_start_change_nothing_in_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(survey, "RUNS_A_BATCH", 1)
    monkeypatch.setattr(survey, "MOST_BATCHES", 2)
    for number in range(4):
        sample_run(tmp_path / "runs" / f"r{number}", BAD if number == 2 else CONFORMING)
    known = {name: judge_by_duckdb([name]) for name in find_runs([tmp_path / "runs"])}

    def engine(directories: Sequence[Path]) -> pa.Table:
        return pa.concat_tables([known[directory] for directory in directories])

    whole = judge(list(known), engine, tmp_path / "whole").results
    assert len(list((tmp_path / "whole" / "batches").iterdir())) == 1, "four batches became one"
    for files in range(9):
        out = tmp_path / f"out{files}"
        monkeypatch.setattr(survey, "write_atomically", Stopping(files))
        with pytest.raises(KeyboardInterrupt):
            judge(list(known), engine, out)
        monkeypatch.setattr(survey, "write_atomically", write_atomically)
        again = judge(list(known), engine, out)
        assert again.results.equals(whole), files
        assert again.known == min(files, 4)


def test_a_run_that_was_moved_is_known_by_its_content(tmp_path: Path):
    sample_run(tmp_path / "runs" / "one", CONFORMING)
    judge_all(tmp_path / "runs", tmp_path / "out")
    shutil.copytree(tmp_path / "runs", tmp_path / "moved")
    judged = judge_all(tmp_path / "moved", tmp_path / "out")
    assert (judged.judged, judged.known) == (0, 1)
    assert set(judged.results["directory"].to_pylist()) == {str(tmp_path / "moved" / "one")}


def test_a_copied_run_counts_once_and_is_named(tmp_path: Path):
    sample_run(tmp_path / "a", CONFORMING)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    judged = judge_all(tmp_path)
    assert len(judged.verdicts) == len(load_rules())
    assert [Path(flaw.path).name for flaw in judged.flaws] == ["b"]
    assert judged.exit_code == 2


def test_sums_are_per_requirement_candidate_version_and_day(tmp_path: Path):
    sample_run(tmp_path / "runs" / "one", CONFORMING, version="1")
    sample_run(tmp_path / "runs" / "two", BAD, version="1")
    sample_run(tmp_path / "runs" / "three", CONFORMING, version="2")
    judge_all(tmp_path / "runs", tmp_path / "out")
    table = pq.read_table(tmp_path / "out" / "summary.parquet")
    assert table.schema.equals(SUMMARY_SCHEMA)
    sums = {(row["requirement"], row["product_version"]): row for row in table.to_pylist()}
    assert len(sums) == 2 * len(load_rules())
    mixed = sums["CONS-RR-04", "1"]
    assert (mixed["verdict"], mixed["runs"], mixed["passed"], mixed["failed"]) == ("fail", 2, 1, 1)
    assert (mixed["violations"], mixed["opportunities"]) == (1, 2)
    assert sums["CONS-RR-04", "2"]["verdict"] == "pass"


def hostile(history: History) -> History:
    evil = "\x1b[31m<script>\n"
    timeline = tuple(
        msgspec.structs.replace(m, operation=msgspec.structs.replace(m.operation, key=evil))
        if isinstance(m, Called)
        else msgspec.structs.replace(
            m, entries=tuple(msgspec.structs.replace(e, key=evil) for e in m.entries)
        )
        if hasattr(m, "entries")
        else m
        for m in history.timeline
    )
    return msgspec.structs.replace(history, timeline=timeline, logs={})


def test_what_a_candidate_wrote_cannot_steer_the_terminal(tmp_path: Path):
    sample_run(tmp_path / "runs" / "run", hostile(BAD))
    judged = judge_all(tmp_path / "runs")
    told = list(lines(judged))
    assert any("\\x1b[31m<script>\\n" in line for line in told)
    assert all(line.isprintable() for line in told)
    assert harmless("plain text, ümlaut") == "plain text, ümlaut"
