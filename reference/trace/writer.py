"""The trace writer: takes finished examples and leaves one file of whole examples.

Examples go into a journal at most a second after they were handed over while more are coming, so a kill
costs the events of one second, and the example that was still under way. Knows nothing of what is right.
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa

from plumbline.reference.history import History
from plumbline.reference.trace.files import TraceWriteError, file_schema, journal_to_parquet
from plumbline.reference.trace.layout import Row
from plumbline.reference.trace.rows import Inside, rows
from plumbline.reference.trace.schema import COLUMNS, Column
from plumbline.reference.verdicts import Source, Verdict

_FLUSH_AFTER_SECONDS = 1.0
_FLUSH_AFTER_ROWS = 20_000


class TraceWriter:
    """Writes one trace file of a run; each process of a run has its own, under its own name.

    After an error nothing more can be written; what the journal took before stays readable.
    """

    def __init__(self, run_directory: Path, run_id: str, name: str = "main") -> None:
        """Begin the file `trace/NAME.parquet` of a run; raises TraceWriteError if it is there already."""
        folder = run_directory / "trace"
        self._journal = folder / f"{name}.arrows"
        self._run_id = run_id
        self._schema = file_schema(run_id, name)
        self._waiting: list[Row] = []
        self._flushed = 0.0
        self._file: pa.OSFile | None = None
        for path in (self._journal, self._journal.with_suffix(".parquet")):
            if path.exists():
                raise TraceWriteError(f"{path} is there already, and a trace is never changed")
        with self._guarded():
            folder.mkdir(parents=True, exist_ok=True)
            self._file = pa.OSFile(str(self._journal), "wb")
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX)  # tells `recover` that somebody is at work
            self._stream = pa.ipc.new_stream(self._file, self._schema)

    def write(
        self,
        example: str,
        source: Source,
        outcome: Verdict,
        history: History,
        inside: Sequence[Inside] = (),
    ) -> None:
        """Add one finished example.

        Args:
            example: its name, unique in the run.
            source: which kind of check made it.
            outcome: what that check found.
            history: what was asked and seen.
            inside: what the candidate reported of its inside, in order.

        Raises:
            TraceWriteError: the disk is full, or the writer has failed or was closed before.
        """
        if self._file is None:
            raise TraceWriteError(f"{self._journal} takes no more: it was closed, or writing has failed")
        self._waiting += rows(self._run_id, example, source, outcome, history, inside)
        overdue = time.monotonic() - self._flushed >= _FLUSH_AFTER_SECONDS
        if overdue or len(self._waiting) >= _FLUSH_AFTER_ROWS:
            self.flush()

    def flush(self) -> None:
        """Hand all examples to the journal; from here on a kill of this process does not lose them."""
        if self._file is None or not self._waiting:
            return
        used = set().union(*self._waiting)
        batch = pa.record_batch(
            [_column(self._waiting, c, used) for c in COLUMNS.values()], schema=self._schema
        )
        with self._guarded():
            self._stream.write_batch(batch)
        self._waiting = []
        self._flushed = time.monotonic()

    def close(self) -> Path:
        """End the file in order; returns its path. Raises TraceWriteError, the journal then stays."""
        self.flush()
        if self._file is not None:
            with self._guarded():
                self._stream.close()
                self._file.close()
            self._file = None
            return journal_to_parquet(self._journal)
        return self._journal.with_suffix(".parquet")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """A failed write becomes a clear error and the last one, so that nothing follows a torn batch."""
        try:
            yield
        except OSError as error:
            if self._file is not None:
                self._file.close()
                self._file = None
            raise TraceWriteError(
                f"{self._journal}: {error}; the trace stops here, and what was written before stays readable"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self.close()


def _column(table: Sequence[Row], column: Column, used: set[str]) -> pa.Array:
    """One column of the rows; most concern only few kinds of event and are null throughout."""
    if column.name not in used:
        return pa.nulls(len(table), column.type)
    return pa.array([row.get(column.name) for row in table], column.type)
