"""One column of one record: taken from its field, and turned into the type that the trace has for it.

A value of another type is refused with its reason. Knows nothing of kinds and of order.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from plumbline.reference.recording.log_map import KIND, SEQUENCE, FieldMap, Unit
from plumbline.reference.recording.log_records import Fields
from plumbline.reference.trace.schema import COLUMNS

LONGEST_TEXT = 64 * 1024
"""Characters of a field that a pattern is tried on, and of a text that goes into the trace."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PER_S = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_LARGEST = 2**63 - 1


class UnfitFieldError(ValueError):
    """A field is missing, or its value does not fit; the message names field, value and remedy."""


def time_us(said: Any, unit: Unit, name: str) -> int:
    """A time in microseconds since 1970, UTC. Raises UnfitFieldError."""
    if unit == "iso":
        try:
            moment = datetime.fromisoformat(said)
        except (TypeError, ValueError):
            raise UnfitFieldError(
                f"{name} is {_shown(said)}, and no ISO 8601 time; name its unit in the map"
            ) from None
        if moment.tzinfo is None:
            raise UnfitFieldError(
                f"{name} is {_shown(said)}, a time without a zone; write Z or +00:00 behind it"
            )
        return (moment - _EPOCH) // timedelta(microseconds=1)
    per_s = _PER_S[unit]
    if isinstance(said, float) and not isinstance(said, bool) and abs(said) < _LARGEST:
        return round(said * 1_000_000 / per_s)
    return _whole(said, name) * 1_000_000 // per_s


def column_value(name: str, source: FieldMap, fields: Fields) -> Any:
    """The value of a column in a record; None where an optional field is missing or null.

    Args:
        name: the column, as the map names it.
        source: where it comes from.
        fields: the record.

    Raises:
        UnfitFieldError: it is missing, or of another type.
    """
    said = _said(name, source, fields)
    return None if said is None else _typed(name, said, _label(name, source))


def time_value(name: str, source: FieldMap, fields: Fields) -> int | None:
    """The time in a record, in microseconds since 1970; else as `column_value`."""
    said = _said(name, source, fields)
    return None if said is None else time_us(said, source.unit, _label(name, source))


def _label(name: str, source: FieldMap) -> str:
    return f"`{source.field or name}`"


def _said(name: str, source: FieldMap, fields: Fields) -> Any:
    """What the log says, by the column's field, pattern and words."""
    label = _label(name, source)
    said = source.constant if source.constant is not None else fields.get(source.field)
    if said is None:
        if source.optional:
            return None
        raise UnfitFieldError(f"{label} is missing; say `optional: true` of {name} in the map if it may be")
    if source.pattern:
        found = re.search(source.pattern, str(said)[:LONGEST_TEXT])
        if found is None or found[1] is None:
            if source.optional:
                return None
            raise UnfitFieldError(
                f"{label} is {_shown(said)}, and its pattern in the map finds nothing there"
            )
        said = found[1]
    return source.values.get(str(said), said)


def _typed(name: str, said: Any, label: str) -> Any:
    """The value in the type of its column. A CSV has texts alone, so that numbers may come as texts."""
    kind = pa.int64() if name == SEQUENCE else pa.string() if name == KIND else COLUMNS[name].type
    if kind == pa.string():
        if isinstance(said, bool):
            return str(said).lower()
        text = str(said)
        if len(text) > LONGEST_TEXT:
            raise UnfitFieldError(
                f"{label} is a text of {len(text):,} characters, and {LONGEST_TEXT:,} are the most"
            )
        return text
    if kind == pa.bool_():
        if isinstance(said, bool):
            return said
        if said in ("true", "false"):
            return said == "true"
        raise UnfitFieldError(f"{label} is {_shown(said)}, and has to be true or false")
    if kind == pa.float64():
        try:
            return float(said)
        except (TypeError, ValueError):
            raise UnfitFieldError(f"{label} is {_shown(said)}, and has to be a number") from None
    return _whole(said, label)


def _whole(said: Any, label: str) -> int:
    if isinstance(said, str) and re.fullmatch(r"-?[0-9]{1,19}", said):
        said = int(said)
    if isinstance(said, bool) or not isinstance(said, int):
        raise UnfitFieldError(f"{label} is {_shown(said)}, and has to be a whole number")
    if abs(said) > _LARGEST:
        raise UnfitFieldError(f"{label} is {_shown(said)}, and larger than a trace can hold")
    return said


def _shown(said: Any) -> str:
    return f"{said!r:.60}"
