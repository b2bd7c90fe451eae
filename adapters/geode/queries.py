"""Queries for all of a Geode region: how many entries, and its keys, values and entries.

Knows a query service and the path of a region; knows no members.
"""

from __future__ import annotations

from typing import Any

from plumbline.reference.history.operations import Content
from plumbline.reference.history.views import RegionViews


def found_by_queries(service: Any, path: str) -> RegionViews:
    """What queries find; a value that is missing, which Geode calls UNDEFINED, is none."""
    (size,) = _found(service, "COUNT(*)", path)
    entries = _found(service, "*", f"{path}.entries")
    return RegionViews(
        size=int(size),
        keys=tuple(_found(service, "*", f"{path}.keySet")),
        values=tuple(map(_text, _found(service, "*", path))),
        entries=tuple(Content(entry.getKey(), _text(entry.getValue())) for entry in entries),
    )


def _found(service: Any, what: str, path: str) -> list[Any]:
    # The path is that of the adapter's own region.
    query = service.newQuery(f"SELECT {what} FROM {path}")  # noqa: S608
    return list(query.execute().asList())


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
