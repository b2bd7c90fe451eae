"""Prose: how long the sentences of the pages are, page by page.

`python -m plumbline.ci.selftest.checks.prose` prints a table. For named pages it prints long sentences, too.
Code, tables and generated parts are no prose. Knows nothing of what a page says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import click
from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[3]

GENERATED = re.compile(r"<!-- (generated|written).*?<!-- end -->", re.DOTALL)
"""Parts of pages that programs write."""

END = re.compile(r"(?<=[.!?])[*_)\"”]*\s+(?=[*_(\"“]*[A-Z0-9`\x00])|(?<=[.!?:])[*_)]*\n")
"""Where a sentence ends: a sign and a beginning, or the end of a line of its own."""

CODE = "\x00"
"""Stands for a piece of code, which counts as one word."""


@dataclass(frozen=True)
class Measured:
    """The sentences of one page."""

    page: str
    sentences: tuple[str, ...]

    @property
    def lengths(self) -> tuple[int, ...]:
        """Words of each sentence."""
        return tuple(words(sentence) for sentence in self.sentences)

    @property
    def mean(self) -> float:
        """Words of a sentence on average."""
        return sum(self.lengths) / len(self.lengths) if self.lengths else 0.0


def words(sentence: str) -> int:
    """How many words a sentence has: all that hold a letter, a digit or a piece of code."""
    return sum(1 for word in sentence.split() if re.search(rf"[\w{CODE}]", word))


def paragraphs(text: str) -> Iterator[str]:
    """Each paragraph and list item of a page, in one line and without its marks."""
    tokens = MarkdownIt("commonmark").enable("table").parse(GENERATED.sub("", text))
    tables = 0
    for before, token in zip([None, *tokens], tokens, strict=False):
        tables += (token.type == "table_open") - (token.type == "table_close")
        if token.type == "inline" and not tables and before is not None and before.type == "paragraph_open":
            yield "".join(map(shown, token.children or ())).strip()


def shown(token: Token) -> str:
    """What a reader sees of a piece of a paragraph."""
    if token.type == "code_inline":
        return CODE
    if token.type in {"softbreak", "hardbreak"}:
        return " "
    return token.content if token.type == "text" else ""


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a page, with one sign for each piece of code."""
    parts = chain.from_iterable(END.split(paragraph) for paragraph in paragraphs(text))
    return tuple(part for part in parts if words(part))


def measure(path: Path) -> Measured:
    """Measure one page."""
    return Measured(path.relative_to(ROOT).as_posix(), sentences(path.read_text(encoding="utf-8")))


def all_pages() -> tuple[Path, ...]:
    """README, changelog and all pages of docs/."""
    return (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")))


def table(measured: tuple[Measured, ...]) -> Table:
    """The table of all pages."""
    shown = Table("page", *(f"{name}" for name in ("sentences", "mean", "longest", "above 35")))
    for page in measured:
        longest = max(page.lengths, default=0)
        above = sum(length > 35 for length in page.lengths)
        shown.add_row(page.page, str(len(page.sentences)), f"{page.mean:.1f}", str(longest), str(above))
    return shown


@click.command()
@click.argument("pages", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--above", default=25, show_default=True, help="Print sentences with more words.")
def main(pages: tuple[Path, ...], above: int) -> None:
    """Print how long the sentences of pages are, and the long ones of named pages."""
    console = Console()
    measured = tuple(measure(page.resolve()) for page in pages or all_pages())
    console.print(table(measured))
    for page in measured if pages else ():
        for sentence, length in zip(page.sentences, page.lengths, strict=True):
            if length > above:
                console.print(f"{length}: {sentence.replace(CODE, '…')}", markup=False, highlight=False)


if __name__ == "__main__":
    main()
