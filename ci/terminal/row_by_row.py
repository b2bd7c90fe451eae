"""Rows that are printed as soon as each is known, so that a stopped command has shown its results so far.

A table of fixed widths, or one JSON document that is closed in any case. Knows nothing of what the rows are
about.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import msgspec
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from plumbline.ci.terminal.documents import Document, name_of, version_of

Thing = TypeVar("Thing")

PIPED_WIDTH = 160
"""A pipe has no width; one line for each row is what people want to keep."""


class TableColumn(msgspec.Struct, frozen=True):
    """A column of a table whose rows are not known yet.

    Attributes:
        name: its head.
        width: characters that its cells need; its head, if that is longer.
        right: whether it is justified to the right, as numbers are.
    """

    name: str
    width: int = 0
    right: bool = False


def names(name: str, cells: Iterable[str]) -> TableColumn:
    """A column of cells that are known before any row is, as wide as the longest."""
    return TableColumn(name, max(map(len, cells), default=0))


class LineTable:
    """A table, line by line on the output; its head comes with the first row.

    Args:
        columns: its columns.
        title: printed above it.
        width: characters that a line has at least, however narrow the terminal is.
    """

    def __init__(self, columns: Sequence[TableColumn], title: str = "", width: int = 0) -> None:
        self._width = width
        self._columns = columns
        self._title = title
        self._headed = False

    def add(self, *cells: str) -> None:
        """Print a row; cells may hold rich's markup."""
        console = Console()
        if not console.is_terminal:
            console = Console(width=PIPED_WIDTH)
        if console.width < self._width:
            console = Console(width=self._width)
        table = Table(box=None, show_header=not self._headed, padding=(0, 2, 0, 0))
        for column in self._columns:
            wide = max(column.width, len(column.name))
            table.add_column(column.name, min_width=wide, justify="right" if column.right else "left")
        table.add_row(*cells)
        if self._title and not self._headed:
            console.print(self._title, style="italic", highlight=False, markup=False)
        self._headed = True
        console.print(table)
        sys.stdout.flush()


class Rows:
    """The rows of a JSON document on the output, one at a time."""

    def __init__(self) -> None:
        self._separator = "\n"

    def add(self, row: object) -> None:
        """Print an element."""
        separator, self._separator = self._separator, ",\n"
        sys.stdout.write(separator + msgspec.json.encode(row).decode())
        sys.stdout.flush()


@contextmanager
def document(kind: type[Document]) -> Iterator[Rows]:
    """One JSON document of a kind that has `rows` and nothing else; it is closed even if stopped."""
    head = {"schema": name_of(kind), "schema_version": version_of(kind)}
    sys.stdout.write(msgspec.json.encode(head).decode()[:-1] + ',"rows":[')
    try:
        yield Rows()
    finally:
        sys.stdout.write("\n]}\n")
        sys.stdout.flush()


def one_by_one(things: Iterable[Thing], name: str, total: int) -> Iterator[Thing]:
    """Hand things over as they come; while one is waited for, a terminal shows how many there have been.

    The bar is on the error stream, and gone whenever something is handed over, so that it can be printed.

    Args:
        things: what takes long to make.
        name: of the bar.
        total: how many there will be.
    """
    console = Console(stderr=True)
    progress = Progress(
        console=console,
        transient=True,
        disable=not console.is_terminal,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    bar = progress.add_task(name, total=total)
    coming = iter(things)
    while True:
        try:
            with progress:
                thing = next(coming)
        except StopIteration:
            return
        progress.advance(bar)
        yield thing
