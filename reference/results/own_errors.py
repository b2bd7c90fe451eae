"""Plumbline's own errors: a mistake in one part of it costs only what that part would have said.

The verdict of that part is unknown then, and the run goes on. Knows nothing of what the parts do.
"""

from __future__ import annotations

import traceback
from pathlib import Path

import msgspec

from plumbline.reference.file_record import write_atomically

FOLDER = "own-errors"
"""Below the run directory: one text with a traceback for each error."""

LONGEST = 300


class OwnError(msgspec.Struct, frozen=True):
    """One error.

    Attributes:
        part: what Plumbline was doing, for example `the machine gateways`.
        told: which error, in one line.
        trace: the traceback.
    """

    part: str
    told: str
    trace: str

    @classmethod
    def of(cls, part: str, error: BaseException) -> OwnError:
        """What is kept of an exception."""
        told = f"{type(error).__name__}: {error}".replace("\n", " ")[:LONGEST]
        return cls(part, told, "".join(traceback.format_exception(error)))

    @property
    def words(self) -> str:
        """The reason that verdicts get."""
        return f"Plumbline's own error in {self.part}: {self.told}"


def keep(directory: Path, number: int, error: OwnError) -> Path:
    """Write the traceback below a run directory; raises OSError."""
    path = directory / FOLDER / f"{number:03}.txt"
    text = f"{error.words}\n\n{error.trace}"
    write_atomically(path, text.encode(errors="backslashreplace"), within=directory)
    return path
