"""What the suite's items have found under pytest, of this process or of several.

Where several share the items, each writes what it found into one folder. The process that judges a
requirement waits for the items of all. Knows files and processes, not pytest.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path

import msgspec

from plumbline.reference.history.history import History
from plumbline.reference.results.runs import Check, write_atomically
from plumbline.reference.results.verdicts import VerdictRow

POLL_S = 0.05
PATIENCE_S = 60.0
"""How long to wait while no process plays an item: a process that died may be replaced by another."""


class ItemFinding(msgspec.Struct, frozen=True, kw_only=True):
    """What one item found.

    Attributes:
        candidate: as it was named.
        title: the scenario's or machine's name.
        product: the candidate's own name and version, and the dialect judged by.
        rows: its lines of a verdict table.
        check: how much it played; None where it played nothing.
        counterexample: the file that was kept of its failure, or "".
        right: the right histories, each with the name that a run gives it. A requirement item checks which
            clauses these histories reach.
    """

    candidate: str
    title: str
    product: str = ""
    rows: tuple[VerdictRow, ...] = ()
    check: Check | None = None
    counterexample: str = ""
    right: tuple[tuple[str, History], ...] = ()


class Findings:
    """All findings: in memory, or in a folder that other processes write to as well.

    Args:
        folder: the folder; None to keep them in memory.
        patience_s: how long to wait for others while no process plays an item.
    """

    def __init__(self, folder: Path | None = None, patience_s: float = PATIENCE_S) -> None:
        self._folder = folder
        self._patience_s = patience_s
        self._kept: dict[tuple[str, str], ItemFinding] = {}
        self._read: set[Path] = set()

    def share(self, folder: Path) -> None:
        """Look into a folder from here on, that other processes write to."""
        self._folder = folder

    def begin(self, candidate: str, title: str) -> None:
        """Note that this process plays an item."""
        if self._folder is not None:
            write_atomically(self._path(candidate, title, "begun"), str(os.getpid()).encode())

    def add(self, finding: ItemFinding) -> None:
        """Keep what an item found, played to its end."""
        self._kept[finding.candidate, finding.title] = finding
        if self._folder is not None:
            path = self._path(finding.candidate, finding.title, "json")
            write_atomically(path, msgspec.json.encode(finding))

    def has(self, candidate: str, title: str) -> bool:
        """Whether this process has kept what an item found."""
        return (candidate, title) in self._kept

    def end(self, candidate: str, title: str) -> None:
        """Note that this process plays an item no more, whether or not it found anything."""
        if self._folder is not None:
            self._path(candidate, title, "begun").unlink(missing_ok=True)

    def of(self, candidate: str) -> list[ItemFinding]:
        """The findings about a candidate so far, by title."""
        new = set(self._folder.glob("*.json")) - self._read if self._folder is not None else set()
        for path in new:
            found = msgspec.json.decode(path.read_bytes(), type=ItemFinding)
            self._kept[found.candidate, found.title] = found
        self._read |= new
        about = [one for one in self._kept.values() if one.candidate == candidate]
        return sorted(about, key=lambda one: one.title)

    def missing(
        self,
        candidate: str,
        titles: Collection[str],
        clock: Callable[[], float] = time.monotonic,
        alive: Callable[[int], bool] | None = None,
    ) -> tuple[str, ...]:
        """Wait until these items have been played; returns those that no process plays or has played."""
        if self._folder is None:
            return ()
        last_moved, left = clock(), set(titles)
        while True:
            done = {title for title in left if self._path(candidate, title, "json").exists()}
            left -= done
            if not left:
                return ()
            if done or any((alive or _alive)(self._player(candidate, title)) for title in left):
                last_moved = clock()
            if clock() - last_moved > self._patience_s:
                return tuple(title for title in titles if title in left)
            threading.Event().wait(POLL_S)

    def _player(self, candidate: str, title: str) -> int:
        """The process that plays an item; 0 if none has begun it."""
        with suppress(OSError, ValueError):
            return int(self._path(candidate, title, "begun").read_bytes())
        return 0

    def _path(self, candidate: str, title: str, kind: str) -> Path:
        name = hashlib.sha256(f"{candidate}\0{title}".encode(errors="surrogatepass")).hexdigest()[:24]
        return (self._folder or Path()) / f"{name}.{kind}"


def _alive(process: int) -> bool:
    """Whether a process runs; not this one, which waits, nor one that has ended and is not yet forgotten."""
    if process in (0, os.getpid()):
        return False
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return not Path("/proc/self/stat").exists()
    except OSError:
        return False
