"""What the pictures of README and docs are taken of."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.ci import pictures
from plumbline.ci.lint import ROOT
from plumbline.reports.collection import collect


@pytest.mark.parametrize("name", pictures.EXAMPLES.values())
def test_a_shipped_counterexample_is_shown_with_the_right_run_most_like_it(tmp_path: Path, name: str):
    pictures.as_run(name, tmp_path)
    found = collect([tmp_path])
    assert not found.set_aside
    (example,) = found.examples()
    assert example.record.expects_nearest
    assert name.startswith(f"{example.record.requirements[0]}-")


def test_every_picture_is_there_and_shown_somewhere():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    told = "\n".join(page.read_text() for page in pages)
    kept = {picture.name for picture in pictures.PICTURES.iterdir()}
    assert {f"{name}.png" for name in (*pictures.EXAMPLES, "overview", "requirement")} == kept
    assert [name for name in sorted(kept) if f"pictures/{name}" not in told] == []
