"""Which run directories a command reads: those given, else those below the configured folder.

Knows click; which of them count is said in `plumbline.reference.results.newest`.
"""

from __future__ import annotations

from pathlib import Path

import click

run_directories = click.argument(
    "directories", metavar="[DIR]...", nargs=-1, required=False, type=click.Path(path_type=Path)
)

all_runs = click.option(
    "--all", "every", is_flag=True, help="Let older runs of a candidate count beside its newest."
)


def older_words(count: int) -> str:
    """That so many older runs were left out."""
    runs = "1 older run was" if count == 1 else f"{count} older runs were"
    return f"{runs} left out, since newer ones asked for the same; --all reads them too"
