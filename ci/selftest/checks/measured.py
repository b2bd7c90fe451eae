"""Measured: the tables of figures in the pages of docs/, written from data files.

A file `docs/measured/NAME.csv` holds all rows that were ever measured. A page shows them between
`<!-- written from measured/NAME.csv -->` and `<!-- end -->`; with `, newest by COLUMN` behind the name it
shows the last row for each value of that column. `python -m plumbline.ci.selftest.checks.measured` writes the
pages anew. Knows nothing of what the figures mean.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import click

DOCS = Path(__file__).resolve().parents[3] / "docs"

PART = re.compile(
    r"(?P<begin><!-- written from (?P<file>measured/[\w-]+\.csv)(?:, newest by (?P<by>.+?))? -->\n)"
    r".*?(?P<end><!-- end -->)",
    re.DOTALL,
)
"""A table of a page, with the file that it is written from."""


def rows_of(path: Path) -> tuple[list[str], list[list[str]]]:
    """Columns and rows of a data file; raises ValueError where a row lacks a cell or has one too many."""
    with path.open(encoding="utf-8", newline="") as file:
        columns, *rows = csv.reader(file)
    for number, row in enumerate(rows, 2):
        if len(row) != len(columns):
            raise ValueError(f"{path.name}, line {number}: {len(row)} cells for {len(columns)} columns")
    return columns, rows


def newest(columns: list[str], rows: list[list[str]], by: str) -> list[list[str]]:
    """The last row for each value of a column, where the value came first."""
    at = columns.index(by)
    return list({row[at]: row for row in rows}.values())


def table(columns: list[str], rows: list[list[str]]) -> str:
    """The table in Markdown."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(f"| {' | '.join(cell for cell in line)} |\n" for line in lines)


def written(page: str, docs: Path = DOCS) -> str:
    """The text of a page with its tables made anew."""

    def made(part: re.Match[str]) -> str:
        columns, rows = rows_of(docs / part["file"])
        shown = newest(columns, rows, part["by"]) if part["by"] else rows
        return part["begin"] + table(columns, shown) + part["end"]

    return PART.sub(made, page)


@click.command()
def main() -> None:
    """Write the tables of all pages anew from their data files."""
    for path in sorted(DOCS.glob("*.md")):
        before = path.read_text(encoding="utf-8")
        after = written(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            click.echo(path.name)


if __name__ == "__main__":
    main()
