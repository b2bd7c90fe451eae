"""What the parts of a run played and how long that took, on a terminal. Knows nothing of verdicts."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from plumbline.reference.results.runs import Check
from plumbline.reports.text import one_line


def render_checks(checks: Iterable[Check]) -> RenderableType:
    """A line for each part of a run: examples, wall time, and the processor time of harness and oracle."""
    table = Table(box=None, pad_edge=False)
    for heading in ("played", "examples", "seconds", "processor s", ""):
        table.add_column(heading, justify="left" if heading in ("played", "") else "right")
    for check in checks:
        table.add_row(
            Text(one_line(check.name)),
            str(check.examples),
            f"{check.seconds:.1f}",
            f"{check.own_s:.1f}",
            Text(f"the time limit came before all {check.planned} were played" if check.cut else ""),
        )
    return table
