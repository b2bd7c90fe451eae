"""The first pass over a log: each record is read, checked against its own log, and put on disk as rows.

What does not fit is set aside with its reason. Knows nothing of trace files.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from plumbline.reference.recording.columns import UnfitFieldError
from plumbline.reference.recording.events import RecordEvents, events_of
from plumbline.reference.recording.log_map import LogMap
from plumbline.reference.recording.log_records import UnfitRecord, read_records
from plumbline.reference.rules.judging import connect
from plumbline.reference.trace.layout import Row
from plumbline.reference.trace.schema import TraceKind

KEPT_REASONS = 20
"""So many of the records that were set aside are kept by name; all are counted."""

_ROWS_TOGETHER = 20_000
_REMEMBERED = 4_096
"""So many records of each log are remembered, to know a copy of one."""

_STAGED = pa.schema(
    [
        ("t_us", pa.int64()),
        ("file", pa.int64()),
        ("line", pa.int64()),
        ("place", pa.int64()),
        ("row", pa.binary()),
    ]
)
_IN_ORDER = "SELECT t_us, file, line, row FROM staged ORDER BY t_us NULLS FIRST, file, line, place"

Advanced = Callable[[int, int], None]
"""Is called with the bytes read so far, and all bytes."""


class LogReading:
    """What the first pass found.

    Args:
        files: the log; at equal times a file named first comes first.
        said: the map.
        staged: the file that takes the rows until they are in order.

    Attributes:
        records: records of the log.
        rows: rows that these stand for.
        skipped: records that are of no concern.
        copies: records that were there before.
        aside: records that were set aside.
        set_aside: the first of them.
        first_us: when the log begins, in microseconds since 1970; None where it has no times.
        keys: keys that calls name, by region.
    """

    def __init__(self, files: Sequence[Path], said: LogMap, staged: Path) -> None:
        self.files, self.staged, self._said = files, staged, said
        self.records = self.rows = self.skipped = self.copies = self.aside = 0
        self.set_aside: list[UnfitRecord] = []
        self.first_us: int | None = None
        self.keys: dict[str, dict[str, None]] = {}
        # By file the line of its first record that was set aside, and the latest time in front of it.
        self._ends: dict[int, tuple[int, int]] = {}
        # By log the sequence and the time of its last record, and its last records by sequence.
        self._last: dict[str, tuple[int | None, int | None]] = {}
        self._known: dict[str, OrderedDict[int, bytes]] = {}

    def read(self, advanced: Advanced) -> None:
        """Read all files; raises OSError and UnreadableRunError."""
        sizes = [path.stat().st_size for path in self.files]
        with pq.ParquetWriter(self.staged, _STAGED, compression="zstd") as sink:
            for number, path in enumerate(self.files):
                for rows in _some(self._of_file(number, path)):
                    sink.write_table(pa.Table.from_pylist(rows, schema=_STAGED))
                    self.rows += len(rows)
                    advanced(sum(sizes[:number]), sum(sizes))
                advanced(sum(sizes[: number + 1]), sum(sizes))

    def _of_file(self, number: int, path: Path) -> Iterator[Row]:
        latest = -(2**63)
        for one in read_records(path, self._said.format):
            self.records += 1
            if isinstance(one, UnfitRecord):
                self._refuse(number, one, latest)
                continue
            try:
                found = events_of(self._said, one.fields)
                is_new = self._fits(found, one.fields)
            except UnfitFieldError as error:
                self._refuse(number, UnfitRecord(str(path), one.line, str(error)), latest)
                continue
            if not is_new:
                self.copies += 1
                continue
            self.skipped += not found.rows
            for place, (row, t_us) in enumerate(zip(found.rows, found.times_us, strict=True)):
                if t_us is not None:
                    latest = max(latest, t_us) if place == 0 else latest
                    self.first_us = t_us if self.first_us is None else min(self.first_us, t_us)
                if row["kind"] == TraceKind.OP_BEGIN and "key" in row:
                    self.keys.setdefault(row["region"], {})[row["key"]] = None
                ordered = t_us if self._said.order == "time" else None
                yield {
                    "t_us": ordered,
                    "file": number,
                    "line": one.line,
                    "place": place,
                    "row": msgspec.msgpack.encode((row, t_us)),
                }

    def _fits(self, found: RecordEvents, fields: object) -> bool:
        """Whether the record goes on from the one before it in its log; False for a copy of a known one."""
        sequence, began = found.sequence, found.times_us[0] if len(found.times_us) == 1 else None
        before, before_us = self._last.get(found.party, (None, None))
        if sequence is not None:
            known = self._known.setdefault(found.party, OrderedDict())
            content = hashlib.sha256(msgspec.msgpack.encode(fields)).digest()
            if known.get(sequence) == content:
                return False
            if before is not None and sequence <= before:
                again = (
                    "is there twice, with other content" if sequence in known else f"comes behind {before}"
                )
                raise UnfitFieldError(f"the sequence {sequence} of {found.party or 'the log'} {again}")
            if self._said.gapless and before is not None and sequence > before + 1:
                lost = sequence - before - 1
                raise UnfitFieldError(
                    f"the sequence goes from {before} to {sequence}: {lost} records are missing"
                )
            known[sequence] = content
            if len(known) > _REMEMBERED:
                known.popitem(last=False)
        if began is not None and before_us is not None and began < before_us and self._said.order == "time":
            back = before_us - began
            raise UnfitFieldError(
                f"its time is {back:,} µs before that of the record before it; keep the order of each log"
            )
        self._last[found.party] = (
            before if sequence is None else sequence,
            before_us if began is None else began,
        )
        return True

    def _refuse(self, number: int, one: UnfitRecord, latest: int) -> None:
        self.note(one)
        self._ends.setdefault(number, (one.line, latest))

    def note(self, one: UnfitRecord) -> None:
        """Count a record that was set aside; the first are kept by name."""
        self.aside += 1
        if len(self.set_aside) < KEPT_REASONS:
            self.set_aside.append(one)

    def is_kept(self, t_us: int | None, file: int, line: int) -> bool:
        """Whether a record stands in front of every record that was set aside."""
        return all(
            line < end if number == file else t_us is not None and t_us <= latest
            for number, (end, latest) in self._ends.items()
        )


def _some(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """The rows, many at a time."""
    together: list[Row] = []
    for row in rows:
        together.append(row)
        if len(together) >= _ROWS_TOGETHER:
            yield together
            together = []
    if together:
        yield together


def staged_rows(path: Path) -> Iterator[tuple[int | None, int, int, bytes]]:
    """The rows on disk, in order. DuckDB sorts them, beyond its memory on disk."""
    import pyarrow.dataset as ds  # noqa: PLC0415 - it brings pandas along where that is installed

    with connect() as connection:
        connection.register("staged", ds.dataset(path, format="parquet"))
        reader = connection.execute(_IN_ORDER)
        while some := reader.fetchmany(_ROWS_TOGETHER):
            yield from some
