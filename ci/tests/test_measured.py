"""The tables of figures in the pages and their data files say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from plumbline.ci.selftest.checks.measured import DOCS, PART, newest, rows_of, written

PAGES = sorted(DOCS.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_holds_what_its_data_files_say(page: Path):
    """`python -m plumbline.ci.selftest.checks.measured` writes the pages anew."""
    text = page.read_text(encoding="utf-8")
    assert written(text) == text


def test_each_data_file_has_a_table_on_one_page():
    named = [part["file"] for page in PAGES for part in PART.finditer(page.read_text(encoding="utf-8"))]
    assert sorted(named) == sorted(f"measured/{path.name}" for path in (DOCS / "measured").glob("*.csv"))


def test_a_changed_figure_shows_on_its_page(tmp_path: Path):
    (tmp_path / "measured").mkdir()
    data = tmp_path / "measured" / "speed.csv"
    data.write_text("kind,seconds\none site,1\ntwo sites,2\none site,3\n")
    page = "<!-- written from measured/speed.csv, newest by kind -->\nold\n<!-- end -->\nprose\n"
    shown = written(page, tmp_path)
    assert shown.splitlines()[1:5] == [
        "| kind | seconds |",
        "| --- | --- |",
        "| one site | 3 |",
        "| two sites | 2 |",
    ]
    assert shown.endswith("prose\n")
    assert written(shown, tmp_path) == shown
    data.write_text("kind,seconds\none site,4\n")
    assert "| one site | 4 |" in written(shown, tmp_path)


def test_a_row_that_lacks_a_cell_is_refused(tmp_path: Path):
    data = tmp_path / "odd.csv"
    data.write_text("kind,seconds\none site\n")
    with pytest.raises(ValueError, match=r"odd.csv, line 2: 1 cells for 2 columns"):
        rows_of(data)


def test_the_newest_row_of_each_value_stays_where_the_value_came_first():
    assert newest(["a", "b"], [["x", "1"], ["y", "2"], ["x", "3"]], "a") == [["x", "3"], ["y", "2"]]
