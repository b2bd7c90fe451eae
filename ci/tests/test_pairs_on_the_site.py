"""The site's page of pairs says what `plumbline coverage` says of the same runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.ci.commands import coverage, report, run
from plumbline.reports import pair_page
from plumbline.reports.collection import collect


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs of the reference."""
    out = tmp_path_factory.mktemp("runs")
    for requirement in ("TOMB-TTL-04", "FO-DUR-01"):
        options = ["--candidate", "reference", "--select", requirement, "--out", str(out), "--jobs", "1"]
        assert CliRunner().invoke(run.command, options).exit_code == 0
    return out


def counted(runs: Path) -> tuple[int, int]:
    """How many pairs met, of how many, as the command counts."""
    told = json.loads(CliRunner().invoke(coverage.command, [str(runs), "--json"]).stdout)
    return told["met"], told["possible"]


def test_the_page_counts_what_the_command_counts(runs: Path, tmp_path: Path):
    result = CliRunner().invoke(report.command, [str(runs), "--all", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    met, possible = counted(runs)
    assert 0 < met < possible
    page = (tmp_path / "pairs.html").read_text()
    assert f"<strong>{met} of {possible}</strong> possible pairs met" in page
    assert page.count('<td class="met"') == met
    assert page.count('<td class="unmet"') == possible - met
    assert "durable client and registration: met in" in page
    assert f">: {met} of {possible}." in (tmp_path / "index.html").read_text().replace("</a>", ">", 99)
    assert 'href="../pairs.html"' in next((tmp_path / "requirements").glob("*.html")).read_text()


def test_only_the_newest_runs_are_counted_and_the_page_says_so(runs: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pair_page, "MOST_RUNS", 1)
    page = pair_page.pair_page(collect([runs]))
    assert page is not None
    assert (page.runs, page.left_out) == (1, 1)
    (newest,) = (one for one in runs.iterdir() if "FO-DUR" in (one / "run.json").read_text())
    assert len(page.counted.met) == counted(newest)[0]


def test_damaged_traces_are_left_out_and_without_any_there_is_no_page(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def damaged(*_: object) -> tuple[list[Path], list[str]]:
        return [], ["a flaw"]

    monkeypatch.setattr(pair_page, "verified_files", damaged)
    assert pair_page.pair_page(collect([runs])) is None
    result = CliRunner().invoke(report.command, [str(runs), "--out", str(tmp_path)])
    assert result.exit_code == 0
    assert not (tmp_path / "pairs.html").exists()
    assert "Pairs of features" not in (tmp_path / "index.html").read_text()
