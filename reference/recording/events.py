"""From one record to its events: the rows of the trace that it stands for, before they are in order.

A record that lacks what its kind needs is refused with its reason. Knows nothing of other records.
"""

from __future__ import annotations

from typing import Any

import msgspec

from plumbline.reference.history.operations import EventKind, OperationKind, Status
from plumbline.reference.recording.columns import UnfitFieldError, column_value, time_value
from plumbline.reference.recording.log_map import (
    END,
    KIND,
    SEQUENCE,
    SPECIAL,
    TIME,
    FieldMap,
    KindMap,
    LogMap,
)
from plumbline.reference.recording.log_records import Fields
from plumbline.reference.trace.layout import Row
from plumbline.reference.trace.schema import TraceKind

_NEEDS: dict[TraceKind, tuple[str, ...]] = {
    TraceKind.LISTENER: ("member", "region", "event"),
    TraceKind.ASYNC_EVENT: ("member", "queue", "batch", "region", "event"),
    TraceKind.DISPATCH_BEGIN: ("member", "queue", "batch"),
    TraceKind.DISPATCH_END: ("member", "queue", "batch", "status"),
    TraceKind.OP_BEGIN: ("member", "thread", "region", "op"),
    TraceKind.OP_END: ("member", "thread"),
    TraceKind.CRASH: ("member",),
    TraceKind.MEMBER_STOP: ("member",),
    TraceKind.SETTLE: ("amount",),
}
"""What rules cannot do without in a row of a kind."""

_OF_ENTRIES = frozenset({TraceKind.LISTENER, TraceKind.ASYNC_EVENT, TraceKind.OP_BEGIN})
"""Kinds of records that need every column of the map; others may lack what does not concern them."""

_WORDS = {"event": EventKind, "op": OperationKind}
_REGION_WIDE = {EventKind.CLEAR, EventKind.REGION_DESTROY, EventKind.REGION_INVALIDATE, EventKind.LIVE}


class RecordEvents(msgspec.Struct, frozen=True, kw_only=True):
    """What a record says.

    Attributes:
        party: the member or client whose log it is in; "" where it names none.
        sequence: its place in that log, where the log numbers its records.
        rows: the row that it stands for, or two where it names an end; none where it is of no concern.
        times_us: when each row happened, in microseconds since 1970; None where the log has no times.
    """

    party: str
    sequence: int | None
    rows: tuple[Row, ...]
    times_us: tuple[int | None, ...]


def events_of(said: LogMap, fields: Fields) -> RecordEvents:
    """What a record says, by the map. Raises UnfitFieldError."""
    sources = said.fields
    name = column_value(KIND, sources[KIND], fields)
    skipped = name in said.skip
    if not skipped and name not in said.kinds:
        raise UnfitFieldError(f"its kind is {name!r:.60}; name it in the map below `kinds` or `skip`")
    optional = {c: _lenient(one) for c, one in sources.items()} if skipped else sources
    party, sequence = (
        column_value(column, optional[column], fields) if column in optional else None
        for column in ("member", SEQUENCE)
    )
    if party is not None and party not in said.setting.parties and not skipped:
        raise UnfitFieldError(f"{party!r:.60} is no member or client of the map's `setting`; add it there")
    found = RecordEvents(party=party or "", sequence=sequence, rows=(), times_us=())
    if skipped:
        return found
    one = said.kinds[name]
    row = _row(one, sources, fields)
    if row.get("region") not in {None, *(region.name for region in said.setting.regions)}:
        raise UnfitFieldError(f"{row['region']!r:.60} is no region of the map's `setting`; add it there")
    time = time_value(TIME, sources[TIME], fields) if TIME in sources else None
    ends = END in sources and one.kind is TraceKind.OP_BEGIN
    end = time_value(END, sources[END], fields) if ends else None
    status = row.pop("status", None) if one.kind is TraceKind.OP_BEGIN else None
    if end is None:
        return msgspec.structs.replace(found, rows=(row,), times_us=(time,))
    if time is not None and end < time:
        raise UnfitFieldError(f"its end is {time - end:,} µs before its time; a call ends behind its begin")
    ended = {"kind": TraceKind.OP_END, "member": row["member"], "thread": row["thread"], "status": status}
    return msgspec.structs.replace(found, rows=(row, ended), times_us=(time, end))


def _lenient(source: FieldMap) -> FieldMap:
    return msgspec.structs.replace(source, optional=True)


def _row(one: KindMap, sources: dict[str, FieldMap], fields: Fields) -> Row:
    fixed = {n: getattr(one, n) for n in ("event", "op", "status", "amount") if getattr(one, n) is not None}
    row: dict[str, Any] = {"kind": one.kind}
    for name, source in sources.items():
        if name in SPECIAL or name in fixed:
            continue
        value = column_value(name, source if one.kind in _OF_ENTRIES else _lenient(source), fields)
        if value is not None:
            row[name] = value
    row |= fixed
    for name in _NEEDS.get(one.kind, ()):
        if row.get(name) is None:
            raise UnfitFieldError(f"a record of the kind {one.kind} needs {name}; name its field in the map")
    for name, words in _WORDS.items():
        if name in row and row[name] not in set(words):
            raise UnfitFieldError(f"{name} is {row[name]!r:.60}; it has to be one of {', '.join(words)}")
    if one.kind in (TraceKind.OP_BEGIN, TraceKind.OP_END) and row.get("status") not in {None, *Status}:
        raise UnfitFieldError(f"status is {row['status']!r:.60}; it has to be one of {', '.join(Status)}")
    if one.kind is TraceKind.LISTENER and "key" not in row and row["event"] not in _REGION_WIDE:
        raise UnfitFieldError("an event of an entry needs its key; name the field of `key` in the map")
    return row
