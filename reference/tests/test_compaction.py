"""Small runs go into packs, which are judged with the same results; a kill at any moment loses no run."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest

from plumbline.ci.selftest.histories.samples import CONFORMING, VIOLATING, sample_run
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.file_record import write_atomically
from plumbline.reference.judged.facts import facts_by_duckdb
from plumbline.reference.results.runs import read_record, write_record, write_verdicts
from plumbline.reference.results.sealing import records_below, seal_run
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.reference.rules import compaction
from plumbline.reference.rules.compaction import BusyError, CompactedRuns, compact
from plumbline.reference.rules.survey import SurveyResult, find_runs, judge
from plumbline.reference.trace import packs
from plumbline.reference.trace.content import content_of
from plumbline.reference.trace.packs import RUNS, TRACE, open_pack, packs_below, trace_flaw
from plumbline.reports.tests.samples import counterexample

Row = dict[str, Any]


@pytest.fixture(autouse=True)
def _packs_are_opened_anew() -> None:
    open_pack.cache_clear()
    trace_flaw.cache_clear()


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """One run that rules accuse, one that a search accuses with a counterexample, one that is right."""
    folder = tmp_path / "runs"
    sample_run(folder / "b", VIOLATING["CONS-RR-04"], CONFORMING)
    sample_run(folder / "c", CONFORMING)
    failing = sample_run(folder / "a", CONFORMING)
    data = msgspec.json.encode(counterexample())
    write_atomically(failing / "counterexamples" / "one.json", data)
    row = VerdictRow(
        run_id="a",
        requirement="VER-TIE-01",
        source=Source.MACHINE,
        verdict=Verdict.FAIL,
        exercised=1,
        failures=1,
        reason="because",
        counterexample="one.json",
    )
    write_verdicts(failing, [row])
    seal_run(failing)
    return folder


def facts(folder: Path) -> list[str]:
    """What judging finds of the runs below a folder, wherever they lie."""
    table = facts_by_duckdb(find_runs([folder], packs=True))
    left_out = {"directory", "path", "seconds"}
    return sorted(str({k: v for k, v in row.items() if k not in left_out}) for row in table.to_pylist())


def contents(*folders: Path) -> set[str]:
    open_pack.cache_clear()
    there = [folder for folder in folders if packs_below(folder) or records_below(folder)]
    return {content_of(run) for run in find_runs(there, packs=True)}


def packed_rows(done: CompactedRuns) -> list[Row]:
    return [row for pack in done.packs for row in pq.read_table(Path(pack, TRACE)).to_pylist()]


def test_a_pack_is_judged_as_its_runs_were(runs: Path, tmp_path: Path):
    done = compact([runs], tmp_path / "packs")
    assert (done.runs, len(done.packs), done.left) == (3, 1, ())
    before = facts(runs)
    assert facts(tmp_path / "packs") == before
    assert any("'row': 'failure'" in row and "VER-TIE-01" in row for row in before)
    assert any("'row': 'witness'" in row and "CONS-RR-04" in row for row in before)


@pytest.mark.parametrize("rows", [1, 60])
def test_it_is_judged_so_in_many_packs_and_many_row_groups_too(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
):
    monkeypatch.setattr(compaction, "ROWS_PER_GROUP", rows)
    monkeypatch.setattr(compaction, "_ROWS_READ", 7)
    before = facts(runs)
    one = compact([runs], tmp_path / "one")
    assert pq.read_metadata(Path(one.packs[0], TRACE)).num_row_groups > 1
    assert facts(tmp_path / "one") == before
    many = compact([runs], tmp_path / "many", pack_bytes=1)
    assert len(many.packs) == 3
    assert facts(tmp_path / "many") == before


def test_some_runs_of_a_pack_are_judged_without_the_others(runs: Path, tmp_path: Path):
    compact([runs], tmp_path / "packs")
    (wanted,) = [run for run in find_runs([tmp_path / "packs"], packs=True) if run.name == "b"]
    table = facts_by_duckdb([wanted])
    assert set(table["run_id"].to_pylist()) == {"b"}
    (run,) = [row for row in table.to_pylist() if row["row"] == "run"]
    assert run["examples"] == 2


def test_rows_are_sorted_by_run_and_by_sequence_in_an_example(runs: Path, tmp_path: Path):
    rows = packed_rows(compact([runs], tmp_path / "packs"))
    assert [row["run_id"] for row in rows] == sorted(row["run_id"] for row in rows)
    examples = {(row["run_id"], row["example"]) for row in rows if row["example"]}
    assert len(examples) == 4
    for run_id, example in examples:
        found = [row["seq"] for row in rows if (row["run_id"], row["example"]) == (run_id, example)]
        assert found == list(range(len(found)))


def test_a_run_that_is_in_a_pack_is_packed_no_second_time_wherever_it_lies(runs: Path, tmp_path: Path):
    compact([runs], tmp_path / "packs")
    moved = runs.rename(tmp_path / "moved")
    sample_run(moved / "d", CONFORMING)
    again = compact([moved], tmp_path / "packs")
    assert (again.runs, again.known) == (1, 3)
    assert len(find_runs([tmp_path / "packs"], packs=True)) == 4


def test_what_was_judged_before_it_was_packed_is_not_judged_again(runs: Path, tmp_path: Path):
    def judged(folder: Path) -> SurveyResult:
        return judge(find_runs([folder], packs=True), facts_by_duckdb, tmp_path / "judged")

    before = judged(runs)
    compact([runs], tmp_path / "packs", remove=True)
    after = judged(tmp_path / "packs")
    assert (before.judged, after.judged, after.known) == (3, 0, 3)
    assert [row.verdict for row in after.verdicts] == [row.verdict for row in before.verdicts]
    assert after.results["directory"].unique().to_pylist() == [
        str(run) for run in find_runs([tmp_path / "packs"], packs=True)
    ]


def test_run_directories_go_once_their_pack_is_safe_and_stay_unless_that_is_asked_for(
    runs: Path, tmp_path: Path
):
    before = facts(runs)
    compact([runs], tmp_path / "packs")
    assert len(find_runs([runs])) == 3
    removed = compact([runs], tmp_path / "packs", remove=True)
    assert (removed.known, removed.removed) == (3, 3)
    assert list(runs.iterdir()) == []
    assert facts(tmp_path / "packs") == before


def test_a_run_and_its_copy_in_a_pack_count_once_and_another_run_of_its_name_is_set_aside(
    runs: Path, tmp_path: Path
):
    compact([runs], tmp_path / "packs")
    both = judge(find_runs([runs, tmp_path / "packs"], packs=True), facts_by_duckdb)
    assert (both.judged, both.flaws) == (3, [])
    shutil.rmtree(runs / "c")
    sample_run(runs / "c", CONFORMING, CONFORMING)
    other = judge(find_runs([runs, tmp_path / "packs"], packs=True), facts_by_duckdb)
    assert ["the same run c as in" in flaw.reason for flaw in other.flaws] == [True]


class Killed(BaseException):
    """Stands for a kill: no `except` of the code under test takes it for an error."""


STEPS: tuple[tuple[object, str], ...] = (
    (os, "fsync"),
    (Path, "mkdir"),
    (Path, "rename"),
    (Path, "replace"),
    (Path, "unlink"),
    (shutil, "rmtree"),
    (pq.ParquetWriter, "write_table"),
)
"""Everything by which compaction changes the disk."""


def killed_at(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise Killed in place of a step that changes the disk, and of all steps behind it."""
    taken = [0]

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            taken[0] += 1
            if taken[0] >= step:
                raise Killed
            return real(*arguments, **options)

        return call

    for holder, name in STEPS:
        monkeypatch.setattr(holder, name, counted(getattr(holder, name)))


EACH = 5
"""Of so many steps one is tried with every change; `--thorough` tries all."""


@pytest.mark.parametrize("first", one_in(EACH, range(1, EACH + 1)))
def test_a_kill_at_any_moment_loses_no_run_and_the_next_call_goes_on(runs: Path, tmp_path: Path, first: int):
    shutil.rmtree(runs / "b")
    whole, was, kills = contents(runs), facts(runs), 0
    for step in range(first, 500, EACH):
        copy, out = tmp_path / f"runs-{step}", tmp_path / f"packs-{step}"
        shutil.copytree(runs, copy)
        with pytest.MonkeyPatch.context() as patched:
            killed_at(step, patched)
            try:
                compact([copy], out, pack_bytes=1, remove=True)
                break
            except Killed:
                kills += 1
        assert contents(copy, out) == whole
        compact([copy], out, pack_bytes=1, remove=True)
        assert contents(out) == whole
        assert list(copy.iterdir()) == []
        assert {path.suffix for path in out.iterdir()} == {".pack"}
    assert kills >= 30 // EACH
    assert facts(out) == was


@pytest.mark.parametrize("name", [TRACE, RUNS])
def test_of_a_pack_that_was_changed_nothing_passes_and_it_is_named(runs: Path, tmp_path: Path, name: str):
    (pack,) = compact([runs], tmp_path / "packs").packs
    path = Path(pack, name)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    judged = judge(find_runs([tmp_path / "packs"], packs=True), facts_by_duckdb)
    assert judged.exit_code != 0
    assert {row.verdict for row in judged.verdicts} <= {Verdict.UNKNOWN}
    assert all("changed after" in flaw.reason for flaw in judged.flaws)
    assert {Path(flaw.path).name for flaw in judged.flaws} <= {name, Path(pack).name}
    assert judged.flaws


def test_the_runs_of_a_pack_that_cannot_be_read_are_packed_again_where_they_are_left(
    runs: Path, tmp_path: Path
):
    (pack,) = compact([runs], tmp_path / "packs").packs
    Path(pack, RUNS).write_bytes(b"torn")
    open_pack.cache_clear()
    again = compact([runs], tmp_path / "packs")
    assert again.runs == 3
    assert [one.path for one in again.left] == [pack]
    open_pack.cache_clear()
    assert facts(tmp_path / "packs") == facts(runs)


def cut(run: Path) -> None:
    path = run / "trace" / "main.parquet"
    path.write_bytes(path.read_bytes()[:100])


def unfinished(run: Path) -> None:
    write_record(run, msgspec.structs.replace(read_record(run), complete=False))
    seal_run(run)


def linked(run: Path) -> None:
    (run / "notes.txt").symlink_to("run.json")


LEFT: dict[str, tuple[Callable[[Path], object], str]] = {
    "a torn trace": (cut, "main.parquet: truncated"),
    "a run that did not end": (unfinished, "it did not end in order"),
    "a counterexample that is gone": (
        lambda run: (run / "counterexamples" / "one.json").unlink(),
        "one.json: in the seal, but missing",
    ),
    "a record that is no JSON": (lambda run: (run / "run.json").write_text("{"), "run.json"),
    "a link": (linked, "a link is in it"),
}


@pytest.mark.parametrize("name", LEFT)
def test_a_run_that_is_not_whole_stays_where_it_is_and_is_named(runs: Path, tmp_path: Path, name: str):
    change, words = LEFT[name]
    change(runs / "a")
    done = compact([runs], tmp_path / "packs", remove=True)
    assert (done.runs, done.removed) == (2, 2)
    assert [words in f"{one.path}: {one.reason}" for one in done.left] == [True]
    assert [path.name for path in runs.iterdir()] == ["a"]


def test_a_run_that_changes_while_it_is_packed_is_not_removed(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    end = compaction._Draft.end

    def changed(draft: Any) -> Path:
        seal_run(runs / "b")
        (runs / "b" / "more.parquet").write_bytes(b"more")
        return end(draft)

    monkeypatch.setattr(compaction._Draft, "end", changed)
    done = compact([runs], tmp_path / "packs", remove=True)
    assert (done.runs, done.removed) == (3, 2)
    assert [path.name for path in runs.iterdir()] == ["b"]


def test_two_compactions_are_not_at_work_in_one_folder(runs: Path, tmp_path: Path):
    out = tmp_path / "packs"
    out.mkdir()
    folder = os.open(out, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with pytest.raises(BusyError, match="another compaction is at work there"):
            compact([runs], out)
    finally:
        os.close(folder)


def test_a_pack_of_another_layout_is_refused_by_its_name(runs: Path, tmp_path: Path):
    (pack,) = compact([runs], tmp_path / "packs").packs
    path = Path(pack, packs.PACK)
    path.write_bytes(path.read_bytes().replace(b'"format": 1', b'"format": 9', 1))
    judged = judge(find_runs([tmp_path / "packs"], packs=True), facts_by_duckdb)
    assert [flaw.path for flaw in judged.flaws] == [pack]
    assert "layout 9" in judged.flaws[0].reason
