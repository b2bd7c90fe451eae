"""What every fact of a run carries: whose run it is, of which version and day. Knows only its record."""

from __future__ import annotations

from datetime import date, datetime

from plumbline.reference.results.runs import RunRecord

NO_DAY = "unknown"


def run_columns(directory: str, record: RunRecord) -> dict[str, str]:
    """The columns that say which run a fact is of."""
    day = day_of(record.started)
    return {
        "directory": directory,
        "run_id": record.run_id,
        "candidate": record.candidate,
        "product": record.product,
        "product_version": record.product_version,
        "dialect": record.dialect,
        "profile": record.profile,
        "day": day,
        "started": record.started if day != NO_DAY else "",
    }


def day_of(started: str) -> str:
    """The day of a start; `unknown` for a text that is no time."""
    try:
        datetime.fromisoformat(started)
        return date.fromisoformat(started[:10]).isoformat()
    except ValueError:
        return NO_DAY
