"""`plumbline traces record`, as docs/recording.md shows it, and `plumbline traces compact`."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plumbline.ci.command import group
from plumbline.ci.lint import ROOT

PAGE = (ROOT / "docs" / "recording.md").read_text(encoding="utf-8")
LOGS = ROOT / "docs" / "recorded"


def plumbline(*words: str) -> Result:
    return CliRunner().invoke(group, words)


@pytest.fixture(autouse=True)
def _in_the_folder_of_the_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "recorded"
    shutil.copytree(LOGS, folder)
    monkeypatch.chdir(folder)


def test_the_example_of_the_page_prints_what_the_page_shows():
    steps = [step.partition("```")[0] for step in re.split(r"^\$ ", PAGE, flags=re.MULTILINE)[1:]]
    played = 0
    for step in steps:
        command, _, printed = step.partition("\n")
        if command.startswith("cd "):
            continue
        words, _, without = command.partition(" | grep -v ")
        lines = plumbline(*words.split()[1:]).output.splitlines()
        assert [line for line in lines if not without or without not in line] == printed.splitlines()
        played += 1
    assert played == 3


def test_the_map_of_the_page_is_the_one_that_is_used():
    (shown,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert shown == (LOGS / "orders.yaml").read_text(encoding="utf-8")


def test_the_lines_of_the_page_stand_in_the_logs():
    shown = re.findall(r"^\{\"at\".*\}$", PAGE, re.MULTILINE)
    written = "".join(path.read_text() for path in LOGS.glob("*.jsonl")).splitlines()
    assert len(shown) == 3
    assert set(shown) <= set(written)


RECORD = ("traces", "record", "--from", "desk.jsonl", "--map", "orders.yaml")


def test_a_record_that_is_set_aside_is_named_and_ends_with_2():
    with Path("desk.jsonl").open("a") as file:
        file.write('{"at": "2026-03-02T09:')
    result = plumbline(*RECORD)
    assert result.exit_code == 2
    assert "  1 set aside" in result.output
    assert (
        "  set aside: desk.jsonl:15: the line is cut short; each line has to be one JSON object"
        in result.output
    )


def test_json_is_the_only_output_and_counts_what_was_set_aside():
    with Path("desk.jsonl").open("a") as file:
        file.write("torn\n")
    result = plumbline(*RECORD, "--json")
    told = json.loads(result.stdout)
    assert (told["exit_code"], told["recording"]["set_aside"]) == (result.exit_code, 1) == (2, 1)
    assert set(told["verdicts"]) == {"unknown", "unsupported"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--from", "gone.jsonl", "--map", "orders.yaml"), "gone.jsonl: No such file or directory"),
        (("--from", "desk.jsonl", "--map", "gone.yaml"), "gone.yaml: no such file; docs/recording.md shows"),
        (("--from", ".", "--map", "orders.yaml"), ".: this is no file, but a folder"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(words: tuple[str, ...], told: str):
    result = plumbline("traces", "record", *words)
    assert result.exit_code == 2
    assert result.stderr.startswith("plumbline: ")
    assert told in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_run_stands_in_a_report_with_what_is_unsupported():
    plumbline(*RECORD)
    assert plumbline("report", "runs", "--out", "site").exit_code == 0
    assert "unsupported" in Path("site/index.html").read_text()


def test_recorded_runs_are_compacted_and_judged_in_their_pack():
    plumbline(*RECORD)
    before = plumbline("judge", "runs", "--json")
    packed = plumbline("traces", "compact", "runs", "--out", "packs", "--remove")
    assert packed.exit_code == 0
    assert re.match(r"1 runs, 31 rows in 1 packs, [\d,]+ bytes\n1 run directories removed\n", packed.output)
    after = plumbline("judge", "packs", "--json")
    assert after.exit_code == before.exit_code
    one, two = (json.loads(result.stdout) for result in (before, after))
    assert [(row["requirement"], row["verdict"]) for row in one["verdicts"]] == [
        (row["requirement"], row["verdict"]) for row in two["verdicts"]
    ]
    known = plumbline("traces", "compact", "packs", "--out", "packs", "--json")
    assert json.loads(known.stdout)["compacted"]["runs"] == 0


def test_a_run_that_stays_is_named_and_ends_with_2():
    plumbline(*RECORD)
    (run,) = Path("runs").iterdir()
    (run / "seal.json").unlink()
    result = plumbline("traces", "compact", "runs", "--out", "packs")
    assert result.exit_code == 2
    assert f"  stays: {run.resolve()}: " in result.output
    assert "it has no seal" in result.output


def test_a_folder_that_is_not_there_is_told_in_one_line():
    result = plumbline("traces", "compact", "nowhere", "--out", "packs")
    assert (result.exit_code, result.stderr) == (
        2,
        "plumbline: nowhere: no such directory; name a folder with runs\n",
    )
