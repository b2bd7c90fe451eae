"""Runs are judged together by what their traces weigh: small ones many at a time, a large one alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.ci.selftest.histories.samples import CONFORMING, sample_run
from plumbline.reference.rules import loads as module
from plumbline.reference.rules.compaction import compact
from plumbline.reference.rules.loads import loads
from plumbline.reference.rules.survey import find_runs
from plumbline.reference.trace.packs import open_pack


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Seven runs, the fourth of ten times the rows."""
    sizes = (1, 1, 1, 10, 1, 1, 1)
    return [sample_run(tmp_path / "runs" / f"r{at}", *[CONFORMING] * n) for at, n in enumerate(sizes)]


def together(runs: list[Path]) -> list[str]:
    return ["".join(run.name for run in load.directories) for load in loads(runs)]


def test_small_runs_are_judged_together(runs: list[Path]):
    assert together(runs) == ["r0r1r2r3r4r5r6"]
    assert together([]) == []


def test_a_large_run_is_a_load_of_its_own(runs: list[Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_ROWS", loads(runs[:3])[0].rows)
    assert together(runs) == ["r0r1r2", "r3", "r4r5r6"]


def test_a_load_is_cut_by_its_bytes_too(runs: list[Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_BYTES", loads(runs[:2])[0].bytes)
    assert together(runs)[0] == "r0r1"
    assert all(load.bytes <= module.MOST_BYTES or len(load.directories) == 1 for load in loads(runs))


def test_so_many_runs_are_judged_together_at_most(runs: list[Path], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_RUNS", 3)
    assert together(runs) == ["r0r1r2", "r3r4r5", "r6"]


def test_a_run_in_a_pack_weighs_what_it_did(runs: list[Path], tmp_path: Path):
    compact([tmp_path / "runs"], tmp_path / "packs")
    open_pack.cache_clear()
    packed = find_runs([tmp_path / "packs"], packs=True)
    assert [loads([run])[0].rows for run in packed] == [loads([run])[0].rows for run in runs]
    assert loads([packed[3]])[0].bytes > 5 * loads([packed[0]])[0].bytes
