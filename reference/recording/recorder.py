"""From the files of a log to a run: a run directory of the normal layout, with one example.

Records go to disk as they are read, and come back in order, so that memory stays bounded. The example ends
before the first record that was set aside: what follows may depend on it. Knows no command line.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from plumbline.reference.distribution import VERSION
from plumbline.reference.file_record import UnreadableRunError, recorded
from plumbline.reference.history.history import History
from plumbline.reference.recording.log_map import LogMap
from plumbline.reference.recording.log_reading import Advanced, LogReading, staged_rows
from plumbline.reference.recording.log_records import UnfitRecord
from plumbline.reference.recording.log_rows import LogRows, UnplacedRowError
from plumbline.reference.results.runs import (
    Recording,
    RunRecord,
    SetAsideRecord,
    write_record,
    write_verdicts,
)
from plumbline.reference.results.sealing import seal_run
from plumbline.reference.results.verdicts import VerdictRow
from plumbline.reference.rules.judging import judge_run
from plumbline.reference.trace.files import seal
from plumbline.reference.trace.layout import Layout, Row
from plumbline.reference.trace.writer import write_rows

PROFILE = "recorded"


class RecordedLog(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a log.

    Attributes:
        directory: the run directory.
        record: what its run.json holds.
        verdicts: what the rules say of it.
        events: rows of the trace.
    """

    directory: str
    record: RunRecord
    verdicts: tuple[VerdictRow, ...]
    events: int


def record_log(
    files: Sequence[Path], map_file: Path, said: LogMap, out: Path, advanced: Advanced = lambda *_: None
) -> RecordedLog:
    """Turn the files of one log into one run below `out`, judged by the rules.

    Args:
        files: the log; at equal times a file named first comes first.
        map_file: where the map was read from.
        said: the map.
        out: the folder of runs. The run's name is made from the content of files and map, so that one log
            becomes one run.
        advanced: is called with the bytes read so far, and all bytes.

    Raises:
        UnreadableRunError: a file is no file, the run is there already, or nothing could be recorded.
        OSError: a file cannot be read, or the run cannot be written.
    """
    if said.order == "file" and len(files) > 1:
        raise UnreadableRunError(f"{map_file}: `order: file` is for one file; say `order: time` for several")
    run_id = _run_id(files, map_file, said)
    directory, draft = out / run_id, out / f"{run_id}.part"
    if directory.exists():
        raise UnreadableRunError(
            f"{directory}: this log was recorded already; judge it, or remove that folder"
        )
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    try:
        found = LogReading(files, said, draft / "staged.parquet")
        found.read(advanced)
        if not found.rows:
            first = "".join(f"; {_place(one)}: {one.reason}" for one in found.set_aside[:1])
            raise UnreadableRunError(f"{files[0]}: nothing in it could be recorded{first}")
        made = _Example(found, said, run_id)
        write_rows(draft, run_id, made.rows())
        found.staged.unlink()
        record = _record(run_id, said, found, made.unread)
        verdicts = _judged(draft, record)
        draft.rename(directory)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return RecordedLog(directory=str(directory), record=record, verdicts=verdicts, events=made.events)


def _run_id(files: Sequence[Path], map_file: Path, said: LogMap) -> str:
    digest = hashlib.sha256()
    for path in (map_file, *files):
        digest.update(recorded(path).sha256.encode())
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in said.candidate)[:40].strip("-")
    return f"{name}-{digest.hexdigest()[:12]}"


def _place(one: UnfitRecord) -> str:
    return f"{one.file}:{one.line}"


class _Example:
    """The second pass: rows in order, between the head and the end of the example."""

    def __init__(self, found: LogReading, said: LogMap, run_id: str) -> None:
        self.events = self.unread = 0
        setting = said.setting
        history = History(
            topology=setting.topology,
            regions=setting.regions,
            timeline=(),
            logs=dict.fromkeys(said.observed, ()),
            order_strength=said.log_order,
            queues=setting.queues,
            clients=setting.clients,
            registers=setting.registered,
        )
        layout = Layout(history)
        layout.keys.update(found.keys)
        self._found = found
        self._rows = LogRows(layout, run_id, found.first_us or 0, own_origins="origin_seq" in said.columns)

    def rows(self) -> Iterator[Row]:
        """All rows of the example, each complete."""
        for row in self._all():
            self.events += 1
            yield row

    def _all(self) -> Iterator[Row]:
        yield from self._rows.head()
        over = False
        for t_us, file, line, packed in staged_rows(self._found.staged):
            if over or not self._found.is_kept(t_us, file, line):
                self.unread += 1
                continue
            row, when = msgspec.msgpack.decode(packed)
            try:
                placed = self._rows.placed(row, when)
            except UnplacedRowError as error:
                self._found.note(UnfitRecord(str(self._found.files[file]), line, str(error)))
                over = True
                continue
            yield placed
        yield self._rows.end()


def _record(run_id: str, said: LogMap, found: LogReading, unread: int) -> RunRecord:
    begun = datetime.now(UTC)
    if found.first_us is not None:
        begun = datetime.fromtimestamp(found.first_us / 1e6, UTC)
    return RunRecord(
        run_id=run_id,
        suite_version=VERSION,
        candidate=said.candidate,
        product=said.product,
        product_version=said.product_version,
        dialect=said.dialect,
        profile=PROFILE,
        seed=0,
        started=begun.isoformat(timespec="seconds"),
        complete=True,
        recording=Recording(
            kinds=tuple(sorted(said.kinds_known)),
            empty_start=said.empty_start,
            records=found.records,
            skipped=found.skipped,
            copies=found.copies,
            set_aside=found.aside,
            unread=unread,
            reasons=tuple(SetAsideRecord(_place(one), one.reason) for one in found.set_aside),
        ),
    )


def _judged(draft: Path, record: RunRecord) -> tuple[VerdictRow, ...]:
    """End the run in order: its files, what the rules say of it, and last the seal."""
    seal(draft)
    write_record(draft, record)
    verdicts = judge_run(draft, record).verdicts
    write_verdicts(draft, list(verdicts))
    seal_run(draft)
    return verdicts
