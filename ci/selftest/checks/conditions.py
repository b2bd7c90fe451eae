"""Conditions: the table of docs/architecture.md that lists the conditions of the parted reductions.

`python -m plumbline.ci.selftest.checks.conditions` writes it anew from the code. Knows nothing of what a
condition asks.
"""

from __future__ import annotations

import re
from pathlib import Path

import click

from plumbline.ci.selftest.soundness.reductions import PARTED

PAGE = Path(__file__).resolve().parents[3] / "docs" / "architecture.md"

PART = re.compile(
    r"(<!-- written from reference/reduction -->\n).*?(<!-- end of reference/reduction -->)", re.DOTALL
)


def table() -> str:
    """The table in Markdown: reduction, condition, why it is needed, and what is wrong without it."""
    lines = ["| reduction | condition | why it is needed | without it |", "|---|---|---|---|"]
    for reduction in PARTED:
        module = reduction.__module__.rpartition(".")[2]
        lines += [
            f"| `{module}`, `{reduction.__name__}` | {one.name} | {one.reason} | `{one.without}` |"
            for one in reduction.conditions
        ]
    return "".join(f"{line}\n" for line in lines)


def written(page: str) -> str:
    """The text of the page with the table made anew."""
    return PART.sub(lambda part: part[1] + table() + part[2], page)


@click.command()
def main() -> None:
    """Write the table of conditions anew."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
