"""Loads: run directories that are judged together, cut by what their traces weigh.

Small runs share the fixed cost of a pass of all rules. A large run is a load of its own, so that memory stays
bounded and no small run waits behind it. Knows no engine.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from plumbline.reference.trace.files import manifest_of
from plumbline.reference.trace.packs import TRACE, open_pack, pack_of

MOST_RUNS = 128
"""So many runs are judged by one pass of the rules at most."""

MOST_ROWS, MOST_BYTES = 1_000_000, 64 * 1024 * 1024
"""A load ends before the run that would make its traces larger than this; a larger run is one alone."""


class Load(NamedTuple):
    """Runs that are judged together: their directories, and rows and bytes of their traces."""

    directories: tuple[Path, ...]
    rows: int
    bytes: int


def loads(directories: Iterable[Path]) -> list[Load]:
    """The runs, cut into loads in their order."""
    found: list[Load] = []
    for directory in directories:
        rows, size = _weight(directory)
        last = found[-1] if found else None
        if (
            last is None
            or len(last.directories) >= MOST_RUNS
            or last.rows + rows > MOST_ROWS
            or last.bytes + size > MOST_BYTES
        ):
            found.append(Load((directory,), rows, size))
        else:
            found[-1] = Load((*last.directories, directory), last.rows + rows, last.bytes + size)
    return found


def _weight(directory: Path) -> tuple[int, int]:
    """Rows and bytes of a run's trace; by its manifest, or else by the sizes of its files."""
    pack = pack_of(directory)
    if pack is not None:
        record, run = open_pack(pack).record, open_pack(pack).runs[directory.name]
        return run.rows, record.files[TRACE].bytes * run.rows // max(1, record.rows)
    manifest = manifest_of(directory)
    if manifest is not None:
        files = manifest.files.values()
        return sum(one.rows for one in files), sum(one.bytes for one in files)
    return 0, sum(path.lstat().st_size for path in directory.glob("trace/*.parquet"))
