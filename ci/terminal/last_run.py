"""The last run below a folder, and what failed in it: what `plumbline run --last-failed` plays again."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from plumbline.ci.command import CommandError
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.runs import RunRecord, UnreadableRunError, read_record, read_verdicts
from plumbline.reference.verdicts import MEANING, Verdict, merge
from plumbline.reports.text import one_line


class LastRun(msgspec.Struct, frozen=True):
    """A run, and where it lies."""

    record: RunRecord
    directory: Path


def last_run(out: Path, candidates: Collection[str] = ()) -> LastRun:
    """The run below a folder that was started last, of one of the candidates if any are named.

    Directories that are no runs, or cannot be read, are passed over. Raises CommandError if none is left.
    """
    found = []
    for path in out.glob("*/run.json"):
        try:
            run = LastRun(read_record(path.parent), path.parent)
        except UnreadableRunError:
            continue
        if not candidates or run.record.candidate in candidates:
            found.append((run.record.started, path.stat().st_mtime_ns, run))
    if not found:
        of = f" of {', '.join(candidates)}" if candidates else ""
        raise CommandError(
            one_line(f"there is no run{of} below {out}; run without --last-failed first", 1000)
        )
    return max(found, key=lambda one: one[:2])[2]


def failed_in(run: LastRun, ids: Collection[str] = ()) -> tuple[str, ...]:
    """What failed or went unjudged in a run, of the ids given or of all; raises UnreadableRunError."""
    if run.record.trouble:
        raise UnreadableRunError(
            f"{run.directory}: {run.record.trouble}, so it cannot say what failed; run without --last-failed"
        )
    verdicts: dict[str, list[Verdict]] = {}
    for row in read_verdicts(run.directory):
        verdicts.setdefault(row.requirement, []).append(row.verdict)
    return tuple(
        identity for identity in ids or catalogue() if MEANING[merge(verdicts.get(identity, ()))].exit_code
    )
