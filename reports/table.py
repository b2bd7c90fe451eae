"""A table of verdicts for a document: requirement by version, in Markdown, made from run directories.

    python -m plumbline.reports.table RUNS...

Requirements of one area with the same verdicts share a row; a requirement without any verdict is left out.
Knows nothing of how a verdict was reached.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.collection import Collection, collect
from plumbline.reports.text import one_line

LONGEST = 60
UNJUDGED = (Verdict.NOT_EXERCISED, Verdict.UNSUPPORTED)


def table(collection: Collection) -> str:
    """The lines of the table; one column for each candidate, by product version where it tells one."""
    found = [candidate.findings() for candidate in collection.candidates]
    rows: dict[tuple[str, tuple[Verdict, ...]], list[str]] = {}
    for requirement in sorted({requirement for findings in found for requirement in findings}):
        verdicts = tuple(
            findings[requirement].verdict if requirement in findings else Verdict.NOT_EXERCISED
            for findings in found
        )
        if set(verdicts).issubset(UNJUDGED):
            continue
        area = requirement.rpartition("-")[0]
        rows.setdefault((area, verdicts), []).append(requirement)
    heads = [_cell(candidate.version or candidate.name) for candidate in collection.candidates]
    lines = [_line("requirement", *heads), "|" + "---|" * (1 + len(heads))]
    for (_, verdicts), requirements in rows.items():
        named = ", ".join(f"`{_cell(requirement)}`" for requirement in requirements)
        lines.append(_line(named, *(verdict.value for verdict in verdicts)))
    return "\n".join(lines)


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    """A stranger's text that neither ends its cell nor is taken for markup."""
    return "".join(
        letter if letter.isalnum() or letter in " .-_:" else "?" for letter in one_line(text, LONGEST)
    )


def main(arguments: Iterable[str]) -> int:
    """Print the table of the run directories named; 2 where there is none."""
    collection = collect([Path(argument) for argument in arguments])
    for aside in collection.set_aside:
        sys.stderr.write(f"set aside: {one_line(aside.path, 200)}: {one_line(aside.reason, 300)}\n")
    if not collection.candidates:
        sys.stderr.write("table: no run directory was given\n")
        return 2
    sys.stdout.write(table(collection) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
