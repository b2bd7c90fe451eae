"""The table of verdicts: one column a version, one row for equal verdicts, no requirement without one."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.table import main
from plumbline.reports.tests.samples import HOSTILE, row, write_run


def test_versions_stand_side_by_side_and_what_is_alike_in_one_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [row("VER-TIE-01"), row("VER-TIE-02"), row("VER-TIE-03", Verdict.NOT_EXERCISED)]
    write_run(tmp_path / "run-1", [*both, row("WAN-CFG-01", Verdict.DEVIATION)], product_version="1.15.1")
    other = [msgspec.structs.replace(one, run_id="run-2") for one in (*both, row("WAN-CFG-01", Verdict.FAIL))]
    write_run(tmp_path / "run-2", other, product_version="1.9.2")
    assert main([str(tmp_path / "run-1"), str(tmp_path / "run-2")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| requirement | 1.15.1 | 1.9.2 |"
    assert lines[2:] == [
        "| `VER-TIE-01`, `VER-TIE-02` | pass | pass |",
        "| `WAN-CFG-01` | deviation | fail |",
    ]


def test_what_only_one_version_was_judged_for_says_so_of_the_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_run(tmp_path / "run-1", [row("VER-TIE-01")], product_version="1")
    write_run(tmp_path / "run-2", [], product_version="2")
    assert main([str(tmp_path / "run-1"), str(tmp_path / "run-2")]) == 0
    assert "| `VER-TIE-01` | pass | not exercised |" in capsys.readouterr().out


def test_a_hostile_version_stays_in_its_cell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_run(tmp_path / "run-1", [row("VER-TIE-01")], product_version=HOSTILE + "|a|b")
    assert main([str(tmp_path / "run-1")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.count("|") for line in lines] == [3, 3, 3]
    assert "<" not in lines[0]


def test_nothing_to_make_a_table_of_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert "no run directory" in capsys.readouterr().err
