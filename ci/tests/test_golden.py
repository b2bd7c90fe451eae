"""Golden answers: equal where nothing has changed, and a changed row is shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from plumbline.ci.selftest.checks.golden import TABLES, differences, main

QUICK = ("trials of one site", "trials of clients", "drawn plans")


def asked(*words: str) -> Result:
    named = [word for name in QUICK for word in ("--table", name)]
    return CliRunner().invoke(main, ["--cases", "5", *named, *words])


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("golden") / "kept.json"
    assert asked("--out", str(file)).exit_code == 0
    return file


@pytest.mark.thorough
def test_the_same_tables_are_made_twice(kept: Path):
    again = asked("--against", str(kept))
    assert (again.exit_code, "every row is the same" in again.stdout) == (0, True), again.stdout


def test_a_changed_answer_is_shown(kept: Path, tmp_path: Path):
    tables = json.loads(kept.read_text())
    first = min(tables[QUICK[0]])
    tables[QUICK[0]][first] = "another answer"
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(tables))
    result = asked("--against", str(changed))
    assert result.exit_code == 1
    assert f"  {first}: another answer, now " in result.stdout
    assert "1 rows differ" in result.stdout


def test_rows_of_one_table_alone_differ():
    assert list(differences({"a": "1", "b": "2"}, {"b": "2", "c": "3"})) == [
        "a: 1, now no such row",
        "c: no such row, now 3",
    ]


def test_every_kind_of_golden_answer_has_a_table():
    assert {"witnesses", "rules on samples", "faulty variants", "gate run of the reference"} <= TABLES.keys()
