"""Durations as they are written on a command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from plumbline.ci.command import group
from plumbline.suites.run.profiles import seconds


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("5", 5.0),
        ("0.5", 0.5),
        ("500ms", 0.5),
        ("90s", 90.0),
        ("5m", 300.0),
        ("1h30m", 5400.0),
        ("1h2m3s4ms", 3723.004),
        ("1.5h", 5400.0),
        (" 2m ", 120.0),
        ("0s", 0.0),
    ],
)
def test_a_duration_is_read_as_it_is_meant(written: str, meant: float):
    assert seconds(written) == pytest.approx(meant)


@pytest.mark.parametrize("written", ["", "h", "soon", "5 minutes", "30m1h", "1h1h", "-5s", "1e3s", "5x"])
def test_what_is_no_duration_is_refused_with_what_to_write(written: str):
    with pytest.raises(ValueError, match="write 500ms, 90s, 5m, 1h30m, or 5 for 5 seconds"):
        seconds(written)


@pytest.mark.parametrize("written", ["9000h", "9" * 400, "40000000"])
def test_no_duration_is_longer_than_a_year(written: str):
    with pytest.raises(ValueError, match="too long"):
        seconds(written)


def test_a_budget_takes_both_forms_and_is_longer_than_nothing(tmp_path: Path):
    asked = ["run", "--profile", "smoke", "--select", "CFG-CHECKS-01", "--out", str(tmp_path), "--budget"]
    for budget in ("1h30m", "60"):
        assert CliRunner().invoke(group, [*asked, budget]).exit_code == 0
    nothing = CliRunner().invoke(group, [*asked, "0s"])
    assert nothing.exit_code == 2
    assert "plays nothing" in nothing.stderr
