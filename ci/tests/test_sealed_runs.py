"""A run directory that was changed after the run ended: named with the reason, and never green."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from plumbline.ci.command import group
from plumbline.ci.tests.further_cases import one_in
from plumbline.reference.results.runs import read_record, read_verdicts, write_record, write_verdicts
from plumbline.reference.results.sealing import SEAL, UNSEALED, Seal, broken_seal, seal_run
from plumbline.reference.results.verdicts import MEANING, Verdict

LENIENT = "whole_suite = false\nminimum_profile = 'smoke'\n[tolerated]\nunknown = 'any'\n"
SELECTION = ("--profile", "smoke", "--select", "CFG-CHECKS-05", "--select", "VER-TIE-01")


def plumbline(*arguments: str | Path) -> Result:
    return CliRunner().invoke(group, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run of the reference, and one of a faulty variant of it."""
    found = {}
    for name, candidate in (("right", "reference"), ("wrong", "faulty:tie-keeps-own")):
        out = tmp_path_factory.mktemp(name)
        plumbline("run", *SELECTION, "--candidate", candidate, "--out", out)
        (found[name],) = out.iterdir()
    return found


@pytest.fixture
def right(recorded: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded["right"], tmp_path / "runs" / recorded["right"].name))


@pytest.fixture
def wrong(recorded: dict[str, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded["wrong"], tmp_path / "runs" / recorded["wrong"].name))


def gate(run: Path, policy: str = LENIENT) -> Result:
    file = run.parent.parent / "gate.toml"
    file.write_text(policy)
    return plumbline("gate", run, "--policy", file)


def report(run: Path) -> Result:
    return plumbline("report", run, "--out", run.parent.parent / "site")


def test_a_run_seals_all_that_it_leaves(right: Path, wrong: Path):
    assert broken_seal(right) == broken_seal(wrong) == ()
    assert gate(right).exit_code == 0
    assert "0 of them not green" in report(right).stdout
    sealed = msgspec.json.decode((wrong / SEAL).read_bytes(), type=Seal).files
    names = {"run.json", "verdicts.parquet", "trace/manifest.json"}
    examples = {f"counterexamples/{path.name}" for path in (wrong / "counterexamples").iterdir()}
    assert examples
    assert set(sealed) == names | examples


def smoke_made_gate(run: Path) -> None:
    write_record(run, msgspec.structs.replace(read_record(run), profile="gate"))


def fail_made_pass(run: Path) -> None:
    rows = [
        msgspec.structs.replace(row, verdict=Verdict.PASS, exercised=1, failures=0)
        if MEANING[row.verdict].exit_code
        else row
        for row in read_verdicts(run)
    ]
    write_verdicts(run, rows)


def another_counterexample(run: Path) -> None:
    path = next((run / "counterexamples").iterdir())
    path.write_bytes(path.read_bytes().replace(b"VER-TIE-01", b"VER-TIE-02"))


def no_counterexample(run: Path) -> None:
    next((run / "counterexamples").iterdir()).unlink()


def one_more_counterexample(run: Path) -> None:
    path = next((run / "counterexamples").iterdir())
    shutil.copy(path, path.with_name("another.json"))


def linked_counterexamples(run: Path) -> None:
    (run / "counterexamples").rename(run.parent.parent / "elsewhere")
    (run / "counterexamples").symlink_to(run.parent.parent / "elsewhere")


def a_linked_table(run: Path) -> None:
    (run / "verdicts.parquet").unlink()
    (run / "verdicts.parquet").symlink_to(run / "nothing")


def a_pipe_for_a_table(run: Path) -> None:
    (run / "verdicts.parquet").unlink()
    os.mkfifo(run / "verdicts.parquet")


def a_device_for_a_seal(run: Path) -> None:
    (run / SEAL).unlink()
    (run / SEAL).symlink_to("/dev/zero")


def another_manifest(run: Path) -> None:
    path = run / "trace" / "manifest.json"
    path.write_bytes(path.read_bytes() + b"\n")


def torn_seal(run: Path) -> None:
    (run / SEAL).write_bytes((run / SEAL).read_bytes()[:-20])


def seal_of_something_else(run: Path) -> None:
    seal = msgspec.json.decode((run / SEAL).read_bytes(), type=Seal)
    files = seal.files | {"../../outside": next(iter(seal.files.values()))}
    (run / SEAL).write_bytes(msgspec.json.encode(msgspec.structs.replace(seal, files=files)))


CHANGED = "changed after the run ended: its digest is not the seal's"
DAMAGES: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "smoke made gate": (smoke_made_gate, "run.json", CHANGED),
    "fail made pass": (fail_made_pass, "verdicts.parquet", CHANGED),
    "another counterexample": (another_counterexample, "counterexamples/", CHANGED),
    "no counterexample": (no_counterexample, "counterexamples/", "in the seal, but missing"),
    "one more": (one_more_counterexample, "counterexamples/another.json", "added after the run ended"),
    "linked counterexamples": (linked_counterexamples, "counterexamples", "this is a link"),
    "a link to nothing": (a_linked_table, "verdicts.parquet", "this is a link to nothing"),
    "a pipe": (a_pipe_for_a_table, "verdicts.parquet", "this is no file, but a pipe"),
    "a device": (a_device_for_a_seal, SEAL, "this is no file, but a device"),
    "another manifest": (another_manifest, "trace/manifest.json", CHANGED),
    "torn seal": (torn_seal, SEAL, "unreadable"),
    "seal of something else": (seal_of_something_else, SEAL, "not below the run"),
    "no seal": (lambda run: (run / SEAL).unlink(), SEAL, UNSEALED),
}


@pytest.mark.parametrize(("damage", "name", "reason"), one_in(2, DAMAGES.values()), ids=list(DAMAGES))
def test_what_was_changed_is_named_and_makes_nothing_green(
    wrong: Path, damage: Callable[[Path], None], name: str, reason: str
):
    damage(wrong)
    (broken, *_) = broken_seal(wrong)
    assert str(broken.path).startswith(str(wrong / name))
    assert reason in broken.reason
    asked = gate(wrong)
    assert asked.exit_code == 2, asked.output
    assert reason in " ".join(asked.output.split())
    assert "the release may go" not in asked.output
    shown = report(wrong)
    assert shown.exit_code == 0
    assert "1 candidate, 1 of them not green" in shown.stdout
    assert reason in " ".join(shown.stderr.split())


@pytest.mark.parametrize("name", ["smoke made gate", "another manifest", "torn seal", "no seal"])
def test_no_rule_passes_in_a_run_whose_record_is_not_the_sealed_one(right: Path, name: str):
    damage, file, reason = DAMAGES[name]
    assert "pass" in verdicts_of_judge(right)[1]
    damage(right)
    code, verdicts, output = verdicts_of_judge(right)
    assert code == 2
    assert "pass" not in verdicts
    assert file in output
    assert reason in output


def verdicts_of_judge(run: Path) -> tuple[int, set[str], str]:
    told = plumbline("judge", run, "--json")
    return told.exit_code, {one["verdict"] for one in json.loads(told.stdout)["verdicts"]}, told.stdout


def test_a_right_run_made_to_look_better_is_not_green_either(right: Path):
    smoke_made_gate(right)
    strict = LENIENT.replace("'smoke'", "'gate'")
    answer = gate(right, strict)
    assert answer.exit_code == 2
    assert "run.json" in answer.output


def test_a_run_of_an_older_version_is_never_green_and_told_so(right: Path):
    (right / SEAL).unlink()
    answer = gate(right)
    assert answer.exit_code == 2
    assert "it has no seal" in answer.output
    assert "an older version" in answer.output


def test_what_judge_has_written_is_sealed_and_looked_at(right: Path, tmp_path: Path):
    judged = tmp_path / "judged"
    assert plumbline("judge", right, "--out", judged).exit_code == 0
    assert broken_seal(judged) == ()
    both = plumbline("gate", right, judged, "--policy", lenient(tmp_path))
    assert both.exit_code == 0, both.output
    write_verdicts(judged, read_verdicts(judged)[1:])
    both = plumbline("gate", right, judged, "--policy", lenient(tmp_path))
    assert both.exit_code == 2
    assert "changed after" in both.output


def lenient(folder: Path) -> Path:
    (folder / "gate.toml").write_text(LENIENT)
    return folder / "gate.toml"


def test_a_new_seal_is_believed_since_it_proves_nobody(wrong: Path):
    """What the documents say of it: it shows changes, it does not prove who wrote the files."""
    fail_made_pass(wrong)
    seal_run(wrong)
    assert broken_seal(wrong) == ()


def test_a_dangling_link_in_one_run_does_not_keep_the_others_from_being_judged(
    right: Path, wrong: Path, tmp_path: Path
):
    for name in ("trace/more.parquet", "trace/other.arrows", "trace/anything"):
        (wrong / name).symlink_to(wrong / "nothing")
    (tmp_path / "runs" / "third").mkdir()
    (tmp_path / "runs" / "third" / "run.json").symlink_to(tmp_path / "nothing")
    result = plumbline("judge", tmp_path / "runs", "--out", tmp_path / "judged", "--json")
    told = json.loads(result.stdout)
    assert {one["run_id"] for one in told["verdicts"]} == {right.name, wrong.name}
    passed = {one["run_id"] for one in told["verdicts"] if one["verdict"] == "pass"}
    assert passed == {right.name}
    assert {Path(one["path"]).name for one in told["set_aside"]} >= {"more.parquet", "other.arrows", "third"}
    shown = plumbline("report", tmp_path / "runs", "--out", tmp_path / "site")
    assert "third: " in shown.stderr
    assert "this is a link to nothing" in shown.stderr


@pytest.mark.parametrize("judged", [False, True])
def test_a_table_of_millions_of_rows_is_refused_by_its_name(right: Path, tmp_path: Path, judged: bool):
    directory = right
    if judged:
        directory = tmp_path / "judged"
        assert plumbline("judge", right, "--out", directory).exit_code == 0
    rows = pq.read_table(directory / "verdicts.parquet")
    with pq.ParquetWriter(directory / "verdicts.parquet", rows.schema) as writer:
        many = rows.take([0] * 400_000)
        for _ in range(10):
            writer.write_table(many)
    seal_run(directory)
    answer = plumbline("gate", right, directory, "--policy", lenient(tmp_path))
    assert answer.exit_code == 2
    assert "verdicts.parquet" in answer.output
    assert "4,000,000 rows are too many for a verdict table" in " ".join(answer.output.split())
