"""The trace writer: takes finished examples and leaves one file of whole examples.

Examples go into a journal at most a second after they were handed over, also while the next one hangs: a
thread of its own sees to that. So a kill costs the events of one second, and the example still under way.
Knows nothing of what is right.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO, FileIO
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

import pyarrow as pa

from plumbline.reference.file_record import new_file, refuse_links
from plumbline.reference.history.history import History
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.trace.files import TraceWriteError, file_schema, journal_to_parquet
from plumbline.reference.trace.layout import Row
from plumbline.reference.trace.rows import Inside, rows
from plumbline.reference.trace.schema import COLUMNS, Column

FLUSH_AFTER_S = 0.8
"""So long do finished examples wait for others before they go into the journal together."""

_FLUSH_AFTER_ROWS = 20_000


class TraceWriter:
    """Writes one trace file of a run; each process of a run has its own, under its own name.

    After an error nothing more can be written; events that the journal took before stay readable. An error
    that the thread meets is raised by the next call.
    """

    def __init__(self, run_directory: Path, run_id: str, name: str = "main") -> None:
        """Begin the file `trace/NAME.parquet` of a run; raises TraceWriteError if it is there already."""
        folder = run_directory / "trace"
        self._journal = folder / f"{name}.arrows"
        self._run_id = run_id
        self._schema = file_schema(run_id, name)
        self._waiting: list[Row] = []
        self._flushed = -FLUSH_AFTER_S
        self._file: FileIO | None = None
        self._error: TraceWriteError | None = None
        self._lock = threading.Lock()
        self._something_waits = threading.Event()
        self._closed = threading.Event()
        for path in (self._journal, self._journal.with_suffix(".parquet")):
            if path.exists():
                raise TraceWriteError(f"{path} is there already, and a trace is never changed")
        with self._guarded():
            folder.mkdir(parents=True, exist_ok=True)
            refuse_links(folder, run_directory)
            self._file = os.fdopen(new_file(self._journal), "wb", buffering=0)
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX)  # tells `recover` that a process is at work
            # Batches are made in memory, so that one is written whole or taken back.
            self._made = BytesIO()
            self._stream = pa.ipc.new_stream(self._made, self._schema)
        self._flusher = threading.Thread(target=self._flush_in_time, name=f"trace {name}", daemon=True)
        self._flusher.start()

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
        self._raise_what_the_thread_met()
        if self._file is None:
            raise TraceWriteError(f"{self._journal} takes no more: it was closed, or writing has failed")
        told = rows(self._run_id, example, source, outcome, history, inside)
        with self._lock:
            self._waiting += told
            overdue = time.monotonic() - self._flushed >= FLUSH_AFTER_S
        if overdue or len(self._waiting) >= _FLUSH_AFTER_ROWS:
            self.flush()
        else:
            self._something_waits.set()

    def flush(self) -> None:
        """Hand all examples to the journal; from here on a kill of this process does not lose them."""
        self._raise_what_the_thread_met()
        with self._lock:
            self._flush()

    def close(self) -> Path:
        """End the file in order; returns its path. Raises TraceWriteError, the journal then stays."""
        self._stop_the_thread()
        self.flush()
        if self._file is not None:
            with self._guarded():
                self._stream.close()
                self._append(self._file)
                self._file.close()
            self._file = None
            return journal_to_parquet(self._journal)
        return self._journal.with_suffix(".parquet")

    def _flush(self) -> None:
        if self._file is None or not self._waiting:
            return
        used = set().union(*self._waiting)
        batch = pa.record_batch(
            [_column(self._waiting, c, used) for c in COLUMNS.values()], schema=self._schema
        )
        self._stream.write_batch(batch)
        self._waiting = []
        self._flushed = time.monotonic()
        with self._guarded():
            self._append(self._file)

    def _append(self, file: FileIO) -> None:
        """Write the new rows at the end of the journal; a write cut short by a signal is repeated later."""
        start = file.tell()
        try:
            left = memoryview(self._made.getvalue())
            while left:
                left = left[file.write(left) :]
        except OSError:
            raise  # nothing follows it, and a torn batch is left out when the journal is read
        except BaseException:
            with suppress(OSError):
                file.truncate(start)
                file.seek(start)
            raise
        self._made.seek(0)
        self._made.truncate()

    def _flush_in_time(self) -> None:
        """What the thread does: give examples a moment to gather, then hand them over."""
        while True:
            self._something_waits.wait()
            # Cleared before it is asked whether the file was closed: closing sets both.
            self._something_waits.clear()
            if self._closed.wait(FLUSH_AFTER_S):
                return
            with self._lock:
                try:
                    self._flush()
                except TraceWriteError as error:
                    self._error = error
                    return

    def _stop_the_thread(self) -> None:
        self._closed.set()
        self._something_waits.set()
        self._flusher.join()

    def _raise_what_the_thread_met(self) -> None:
        error, self._error = self._error, None
        if error is not None:
            raise error

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """A failed write becomes a clear error and the last one, so that nothing follows a torn batch."""
        try:
            yield
        except OSError as error:
            if self._file is not None:
                with suppress(OSError):
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
        else:
            self._stop_the_thread()


def write_rows(run_directory: Path, run_id: str, rows: Iterable[Row], name: str = "main") -> Path:
    """Write a trace file of rows that are complete, whole examples in their order; returns its path.

    Memory holds a bounded number of rows. Raises TraceWriteError, and then there is no file.
    """
    folder = run_directory / "trace"
    journal, schema = folder / f"{name}.arrows", file_schema(run_id, name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        refuse_links(folder, run_directory)
        with os.fdopen(new_file(journal), "wb") as file, pa.ipc.new_stream(file, schema) as stream:
            waiting = iter(rows)
            while table := list(islice(waiting, _FLUSH_AFTER_ROWS)):
                used = set().union(*table)
                columns = [_column(table, c, used) for c in COLUMNS.values()]
                stream.write_batch(pa.record_batch(columns, schema=schema))
    except OSError as error:
        raise TraceWriteError(f"{journal}: {error}") from error
    return journal_to_parquet(journal)


def _column(table: Sequence[Row], column: Column, used: set[str]) -> pa.Array:
    """One column of the rows; most concern only few kinds of event and are null throughout."""
    if column.name not in used:
        return pa.nulls(len(table), column.type)
    return pa.array([row.get(column.name) for row in table], column.type)
