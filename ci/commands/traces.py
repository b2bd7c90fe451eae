"""`plumbline traces`: runs from the logs of a system at work, and many runs in few files.

Knows the command line and what is printed; recording is `plumbline.reference.recording`, and compaction
`plumbline.reference.rules.compaction`.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Literal

import click

from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.error_messages import CommandError
from plumbline.ci.terminal.progress import patiently
from plumbline.ci.terminal.settings import config_option
from plumbline.reference.recording.log_map import read_map
from plumbline.reference.recording.recorder import RecordedLog, record_log
from plumbline.reference.results.runs import Recording, SetAsideRecord, UnreadableRunError
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rules.compaction import PACK_BYTES, BusyError, CompactedRuns, compact
from plumbline.reference.rules.telling import harmless
from plumbline.reference.trace.files import TraceWriteError
from plumbline.suites.run.configuration import Settings

_RECORD_EPILOG = """\
\b
A map (MAP.yaml) says, in a few lines:
  format     jsonl, otlp (OpenTelemetry JSON, logs or spans) or csv
  setting    members, regions, queues, clients of the system
  columns    which field is member, region, key, value, thread, kind, time, sequence
  kinds      what each kind of record is: listener, op_begin, op_end, crash ...
  never      kinds of events that did not happen; rules that need others are unsupported
docs/recording.md has a whole one, and docs/trace.md every column and kind.

\b
Examples:
  plumbline traces record --from listener.jsonl --map listener.yaml
  plumbline traces record --from calls.csv --from events.csv --map orders.yaml --out runs
  plumbline traces record --from export.json.gz --map spans.yaml --json | jq .verdicts

\b
Exit codes:
  0  all of the log was recorded    2  something was set aside, or nothing could be recorded
"""


_COMPACT_EPILOG = """\
\b
Packs:
  OUT/NAME.pack holds many runs in two Parquet files, sorted by run and sequence.
  `plumbline judge OUT` reads them as it reads run directories, with the same results.
  Compact again when there are new runs: a run that is in a pack is not packed twice.

\b
It may be killed at any moment, and called again. With --remove a run directory goes once its pack is safe.

\b
Examples:
  plumbline traces compact runs --out packs
  plumbline traces compact runs --out packs --remove && plumbline judge packs --all --out judged

\b
Exit codes:
  0  every run is in a pack    2  some runs stay where they are, or nothing could be written
"""


class CompactDocument(Document, frozen=True, kw_only=True, tag="plumbline.traces-compact"):
    """What went into packs, and what stays where it is."""

    schema_version: Literal[1] = 1
    compacted: CompactedRuns
    exit_code: int


class RecordDocument(Document, frozen=True, kw_only=True, tag="plumbline.traces-record"):
    """What became of a log: the run, and the verdicts that rules reached on it."""

    schema_version: Literal[1] = 1
    directory: str
    run_id: str
    events: int
    recording: Recording
    verdicts: dict[Verdict, int]
    exit_code: int


@click.group("traces")
def command() -> None:
    """Turn logs that a system wrote at work into runs, and keep many runs in few files."""


@command.command("record", epilog=_RECORD_EPILOG)
@click.option(
    "--from",
    "files",
    required=True,
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A file of the log; may be repeated. Unpacks .gz.",
)
@click.option("--map", "map_file", required=True, type=click.Path(path_type=Path), metavar="MAP.yaml")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder of runs; `out` of plumbline.toml, else runs."
)
@config_option
@click.option("--json", "as_document", is_flag=True, help="A JSON object instead of lines.")
def record(
    files: tuple[Path, ...], map_file: Path, out: Path | None, settings: Settings, as_document: bool
) -> None:
    """Turn a log into a run, which `plumbline judge` and `plumbline report` read as any other.

    Records that do not fit are set aside with their reason. What the log does not show is unsupported, and
    never a pass.
    """
    try:
        said = read_map(map_file)
        with patiently() as part:
            found = record_log(files, map_file, said, out or settings.out, part("reading"))
    except (UnreadableRunError, TraceWriteError) as error:
        raise CommandError(harmless(str(error))) from error
    except OSError as error:
        raise CommandError(harmless(f"{error.filename or out}: {error.strerror or error}")) from error
    recording = found.record.recording
    assert recording is not None  # noqa: S101 - recording makes it
    code = 2 if recording.set_aside else 0
    if as_document:
        show(_document(found, recording, code))
    else:
        _print(found, recording)
    sys.exit(code)


def _document(found: RecordedLog, recording: Recording, code: int) -> RecordDocument:
    return RecordDocument(
        directory=found.directory,
        run_id=found.record.run_id,
        events=found.events,
        recording=recording,
        verdicts=dict(Counter(row.verdict for row in found.verdicts)),
        exit_code=code,
    )


def _print(found: RecordedLog, recording: Recording) -> None:
    click.echo(harmless(f"{found.directory}: {recording.records:,} records, {found.events:,} events"))
    for count, words in (
        (recording.skipped, "skipped, as the map has it"),
        (recording.copies, "there once more, and counted once"),
        (recording.set_aside, "set aside"),
        (recording.unread, "rows behind these not judged, as they may depend on them"),
    ):
        if count:
            click.echo(f"  {count:,} {words}")
    for one in recording.reasons:
        click.echo(_aside(one))
    counts = Counter(row.verdict for row in found.verdicts)
    click.echo("rules: " + ", ".join(f"{counts[one]} {one}" for one in Verdict if counts[one]))
    click.echo(harmless(f"judge it with: plumbline judge {found.directory}"))


def _aside(one: SetAsideRecord) -> str:
    return harmless(f"  set aside: {one.place}: {one.reason}")


@command.command("compact", epilog=_COMPACT_EPILOG)
@click.argument("directories", metavar="DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of packs.")
@click.option(
    "--megabytes",
    type=click.IntRange(1, 4096),
    default=PACK_BYTES // 2**20,
    show_default=True,
    help="A pack ends with the run that makes it reach this size.",
)
@click.option("--remove", is_flag=True, help="Remove each run directory once its pack is safe on the disk.")
@click.option("--json", "as_document", is_flag=True, help="A JSON object instead of lines.")
def compact_runs(
    directories: tuple[Path, ...], out: Path, megabytes: int, remove: bool, as_document: bool
) -> None:
    """Turn the runs at and below each DIR into few files of about one size.

    Runs that are damaged or did not end in order stay where they are, and are named.
    """
    try:
        with patiently() as part:
            done = compact(
                directories, out, pack_bytes=megabytes * 2**20, remove=remove, advanced=part("packing")
            )
    except (BusyError, UnreadableRunError) as error:
        raise CommandError(harmless(str(error))) from error
    except OSError as error:
        raise CommandError(harmless(f"{error.filename or out}: {error.strerror or error}")) from error
    code = 2 if done.left else 0
    if as_document:
        show(CompactDocument(compacted=done, exit_code=code))
    else:
        before = f"; {done.known:,} were in packs before" if done.known else ""
        click.echo(
            f"{done.runs:,} runs, {done.rows:,} rows in {len(done.packs)} packs, {done.bytes:,} bytes{before}"
        )
        if remove:
            click.echo(f"{done.removed:,} run directories removed")
        for one in done.left:
            click.echo(harmless(f"  stays: {one.path}: {one.reason}"))
    sys.exit(code)
