"""What run directories say together, and what is set aside."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from plumbline.reference.results.runs import write_verdicts
from plumbline.reference.results.sealing import seal_run
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reports.collection import Collection, collect
from plumbline.reports.tests.samples import counterexample, row, write_run


def verdicts(collection: Collection) -> dict[str, Verdict]:
    return {name: one.verdict for name, one in collection.candidates[0].findings().items()}


def test_rows_of_several_sources_and_runs_are_merged(tmp_path: Path) -> None:
    first = write_run(tmp_path / "one", [row(run_id="one"), row("A-B-01", run_id="one")])
    failing = row(verdict=Verdict.FAIL, run_id="two", source=Source.RULE)
    second = write_run(tmp_path / "two", [failing, row("A-B-01", run_id="two")])
    collection = collect([first, second])
    assert len(collection.candidates) == 1
    assert verdicts(collection) == {"VER-TIE-01": Verdict.FAIL, "A-B-01": Verdict.PASS}
    assert collection.candidates[0].exit_code == 1


def test_versions_and_dialects_of_a_candidate_are_columns_of_their_own(tmp_path: Path) -> None:
    write_run(tmp_path / "one", [row(run_id="one")])
    write_run(tmp_path / "two", [row(run_id="two")], product_version="0.2.0")
    write_run(tmp_path / "three", [row(run_id="three")], dialect="gemfire8")
    assert len(collect([tmp_path]).candidates) == 3


def test_a_run_that_passed_everything_is_green(tmp_path: Path) -> None:
    assert collect([write_run(tmp_path / "run-1", [row()])]).candidates[0].exit_code == 0


@pytest.mark.parametrize("verdict", [Verdict.PASS, Verdict.DEVIATION])
def test_an_incomplete_run_is_never_green(tmp_path: Path, verdict: Verdict) -> None:
    collection = collect([write_run(tmp_path / "run-1", [row(verdict=verdict)], complete=False)])
    assert verdicts(collection) == {"VER-TIE-01": Verdict.UNKNOWN}
    assert collection.candidates[0].exit_code == 2
    assert collection.candidates[0].troubles == ("run run-1: it did not end in order",)


def test_an_incomplete_run_without_a_row_takes_the_green_from_a_whole_one(tmp_path: Path) -> None:
    write_run(tmp_path / "run-1", [row()])
    write_run(tmp_path / "run-2", [], complete=False)
    assert collect([tmp_path]).candidates[0].exit_code == 2


def test_a_failure_in_an_incomplete_run_is_a_failure(tmp_path: Path) -> None:
    collection = collect([write_run(tmp_path / "run-1", [row(verdict=Verdict.FAIL)], complete=False)])
    assert collection.candidates[0].exit_code == 1


@pytest.mark.parametrize("content", [b"", b"junk", b"PAR1" + b"\0" * 50 + b"PAR1", None])
def test_a_run_whose_verdict_table_is_damaged_is_set_aside_and_not_green(
    tmp_path: Path, content: bytes | None
) -> None:
    write_run(tmp_path / "run-0", [row(run_id="run-0")])
    table = write_run(tmp_path / "run-1", [row()]) / "verdicts.parquet"
    table.unlink() if content is None else table.write_bytes(content)
    collection = collect([tmp_path])
    assert [item.path for item in collection.set_aside] == [str(table)]
    assert collection.candidates[0].exit_code == 2


def test_a_verdict_table_of_another_run_is_set_aside(tmp_path: Path) -> None:
    collection = collect([write_run(tmp_path / "run-1", [row(run_id="run-9")])])
    assert "another run, run-9" in collection.set_aside[0].reason
    assert collection.candidates[0].findings() == {}
    assert collection.candidates[0].exit_code == 2


DAMAGED = {
    "empty": b"",
    "cut": b'{"run_id": "ru',
    "foreign": b"{}",
    "nothing": b"null",
    "no UTF-8": b'{"run_id": "\xff", "title": "\xff"}',
    "nested": b'{"x": ' + b"[" * 100_000,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_damaged_run_records_and_counterexamples_are_named_and_set_aside(
    tmp_path: Path, content: bytes
) -> None:
    whole = write_run(tmp_path / "run-1", [row()], {"good": counterexample(), "bad": counterexample()})
    (whole / "counterexamples" / "bad.json").write_bytes(content)
    broken = tmp_path / "run-2"
    broken.mkdir()
    (broken / "run.json").write_bytes(content)
    collection = collect([tmp_path])
    assert {Path(item.path).name for item in collection.set_aside} == {"bad.json", "run-2"}
    assert [example.name for example in collection.examples()] == ["good.json"]


def test_another_layout_is_set_aside_instead_of_guessed(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run-1", [row()], {"new": counterexample(format=3)})
    write_run(tmp_path / "run-2", [row(run_id="run-2")], format=3)
    collection = collect([tmp_path])
    reasons = {item.path: item.reason for item in collection.set_aside}
    assert set(reasons) == {str(run / "counterexamples" / "new.json"), str(tmp_path / "run-2")}
    assert all("layout 3" in reason for reason in reasons.values())


def test_a_run_given_twice_counts_once(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run-1", [row()])
    collection = collect([run, tmp_path, run / "." / ".." / "run-1"])
    assert len(collection.candidates[0].runs) == 1
    assert collection.set_aside == ()


def test_a_copy_of_a_run_is_set_aside(tmp_path: Path) -> None:
    write_run(tmp_path / "run-1", [row()])
    write_run(tmp_path / "run-2", [row()], run_id="run-1")
    collection = collect([tmp_path])
    assert [item.path for item in collection.set_aside] == [str(tmp_path / "run-2")]
    assert "already read" in collection.set_aside[0].reason


def test_runs_are_found_at_any_depth(tmp_path: Path) -> None:
    write_run(tmp_path / "nightly" / "monday" / "run-1", [row()])
    assert len(collect([tmp_path]).candidates) == 1


def test_verdicts_of_the_judge_are_put_to_the_runs_they_name_each_once(tmp_path: Path) -> None:
    own = row(source=Source.RULE)
    write_run(tmp_path / "runs" / "run-1", [own])
    write_run(tmp_path / "runs" / "run-2", [row(run_id="run-2")])
    found = row("A-B-01", Verdict.FAIL, run_id="run-2", source=Source.RULE)
    write_verdicts(tmp_path / "judged", [msgspec.structs.replace(own, seconds=9.0), found])
    seal_run(tmp_path / "judged")
    collection = collect([tmp_path / "runs", tmp_path / "judged"])
    assert [run.rows for run in collection.candidates[0].runs] == [(own,), (row(run_id="run-2"), found)]
    assert verdicts(collection)["A-B-01"] is Verdict.FAIL
    assert collection.set_aside == ()


def test_judged_verdicts_do_not_make_an_incomplete_run_green(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "run-1", [], complete=False)
    write_verdicts(tmp_path / "judged", [row(source=Source.RULE)])
    seal_run(tmp_path / "judged")
    collection = collect([tmp_path / "runs", tmp_path / "judged"])
    assert verdicts(collection) == {"VER-TIE-01": Verdict.UNKNOWN}


def test_judged_verdicts_about_absent_runs_are_named(tmp_path: Path) -> None:
    write_run(tmp_path / "runs" / "run-1", [row()])
    write_verdicts(tmp_path / "judged", [row(run_id="run-8"), row(source=Source.RULE)])
    seal_run(tmp_path / "judged")
    collection = collect([tmp_path / "judged", tmp_path / "runs"])
    assert "1 of its 2 runs are not among those given, run-8 for one" in collection.set_aside[0].reason
    assert len(collection.candidates[0].runs[0].rows) == 2


def test_folders_without_a_run_are_set_aside(tmp_path: Path) -> None:
    collection = collect([tmp_path, tmp_path / "missing"])
    assert collection.candidates == ()
    assert [item.path for item in collection.set_aside] == [str(tmp_path), str(tmp_path / "missing")]


def test_a_verdict_nobody_knows_is_set_aside_with_its_table(tmp_path: Path) -> None:
    write_run(tmp_path / "run-1", [row()])
    table = tmp_path / "run-1" / "verdicts.parquet"
    # Same length, so that only the word is wrong and not the file.
    write_verdicts(tmp_path / "run-1", [row(verdict=Verdict.FAIL)])
    table.write_bytes(table.read_bytes().replace(b"fail", b"fine"))
    seal_run(tmp_path / "run-1")
    collection = collect([tmp_path / "run-1"])
    assert collection.candidates[0].exit_code == 2


def test_counterexamples_of_two_runs_have_keys_of_their_own(tmp_path: Path) -> None:
    for name in ("run-1", "run-2"):
        write_run(tmp_path / name, [row(run_id=name)], {"same": counterexample()})
    keys = [example.key for example in collect([tmp_path]).examples()]
    assert len(set(keys)) == 2
    assert all(key.isalnum() for key in keys)


def test_reading_does_not_change_a_run(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run-1", [row()], {"one": counterexample()})
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    collect([run])
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
