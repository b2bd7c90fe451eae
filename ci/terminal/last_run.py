"""The last run below a folder, and what failed in it: what `plumbline run --last-failed` plays again."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from plumbline.ci.terminal.error_messages import CommandError
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.results.runs import RunRecord, UnreadableRunError, read_record, read_verdicts
from plumbline.reference.results.totals import merged
from plumbline.reference.results.verdicts import MEANING
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
    """What failed or went unjudged in a run, of the ids given or of all; raises UnreadableRunError.

    Of a run that was stopped that is also what it had not come to.
    """
    try:
        rows = read_verdicts(run.directory)
    except UnreadableRunError as error:
        raise UnreadableRunError(f"{error}; run without --last-failed") from error
    stays = merged(rows)
    asked = run.record.selected or tuple(all_requirements()) if run.record.trouble else ()
    return tuple(
        identity
        for identity in ids or all_requirements()
        if (MEANING[stays[identity]].exit_code if identity in stays else identity in asked)
    )
