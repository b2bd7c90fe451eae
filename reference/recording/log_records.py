"""Records of logs: JSON lines, OpenTelemetry JSON and CSV, read one at a time.

What cannot be read is set aside with its place and reason. Knows nothing of what the fields mean.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from plumbline.reference.file_record import must_be_file

LONGEST_LINE = 4 * 1024 * 1024
"""Bytes; a longer line is set aside."""

LARGEST_DOCUMENT = 256 * 1024 * 1024
"""Bytes of an OpenTelemetry file that is one document over many lines."""

_DEEPEST = 8
"""Fields within fields, at most."""

Fields = dict[str, Any]
"""The fields of a record by name; a dot stands before the name of a field within a field."""


class LogRecord(msgspec.Struct, frozen=True):
    """One record: its line in the file, from 1, and its fields."""

    line: int
    fields: Fields


class UnfitRecord(msgspec.Struct, frozen=True):
    """What was not taken over: the file, the line from 1, and the reason with its remedy."""

    file: str
    line: int
    reason: str


def read_records(path: Path, form: str) -> Iterator[LogRecord | UnfitRecord]:
    """The records of a file, in its order; `.gz` is unpacked.

    Args:
        path: the file.
        form: jsonl, otlp or csv.

    Raises:
        OSError: the file cannot be read.
        UnreadableRunError: it is no file.
    """
    must_be_file(path)
    opened: BinaryIO
    with path.open("rb") as opened:
        stream = gzip.open(opened) if path.suffix == ".gz" else opened  # noqa: SIM115 - closed with the file
        yield from _READERS[form](str(path), stream)  # type: ignore[arg-type]


def _lines(file: str, stream: BinaryIO) -> Iterator[tuple[int, str, bool] | UnfitRecord]:
    """Each line with its number, and whether it is whole: a line that ends the file may be cut short."""
    number = 0
    while True:
        number += 1
        try:
            line = stream.readline(LONGEST_LINE + 1)
        except (EOFError, gzip.BadGzipFile) as error:
            yield UnfitRecord(file, number, f"the file is cut short here: {error}; copy it again")
            return
        if not line:
            return
        whole = line.endswith(b"\n")
        if len(line) > LONGEST_LINE and not whole:
            while line and not line.endswith(b"\n"):
                line = stream.readline(LONGEST_LINE)
            yield UnfitRecord(file, number, f"the line is longer than {LONGEST_LINE:,} bytes")
            continue
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            yield UnfitRecord(file, number, f"the line is no UTF-8 ({error.reason}); write the log in UTF-8")
            continue
        if text.strip():
            yield number, text, whole


def _json_lines(file: str, stream: BinaryIO) -> Iterator[LogRecord | UnfitRecord]:
    for one in _lines(file, stream):
        if isinstance(one, UnfitRecord):
            yield one
            continue
        number, text, whole = one
        found = _decoded(file, number, text, whole)
        yield found if isinstance(found, UnfitRecord) else LogRecord(number, _flat(found))


def _decoded(file: str, number: int, text: str, whole: bool) -> UnfitRecord | dict[str, Any]:
    """The object in a line."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        cut = "the line is cut short" if not whole else f"the line is no JSON ({error})"
        return UnfitRecord(file, number, f"{cut}; each line has to be one JSON object")
    if not isinstance(found, dict):
        return UnfitRecord(file, number, "the line is no JSON object; each line has to be one")
    return found


def _flat(found: dict[str, Any], before: str = "", depth: int = 0) -> Fields:
    """The fields of an object and of those in it, lists left out."""
    flat: Fields = {}
    for name, value in found.items():
        if isinstance(value, dict) and depth < _DEEPEST:
            flat |= _flat(value, f"{before}{name}.", depth + 1)
        elif not isinstance(value, dict | list):
            flat[f"{before}{name}"] = value
    return flat


def _csv(file: str, stream: BinaryIO) -> Iterator[LogRecord | UnfitRecord]:
    """Records below a header line. A field may hold no line feed, so that a cut record shows."""
    header: list[str] = []
    for one in _lines(file, stream):
        if isinstance(one, UnfitRecord):
            yield one
            continue
        number, text, whole = one
        if not whole:
            yield UnfitRecord(
                file, number, "the line has no end, so it may be cut short; end each with a line feed"
            )
            continue
        try:
            (cells,) = csv.reader([text.rstrip("\r\n")], strict=True)
        except (csv.Error, ValueError) as error:
            yield UnfitRecord(file, number, f"the line is no CSV ({error}); a quoted field needs both quotes")
            continue
        if not header:
            header = [name.strip().removeprefix("\ufeff") for name in cells]
        elif len(cells) != len(header):
            words = f"the line has {len(cells)} fields, and the header {len(header)}"
            yield UnfitRecord(file, number, f"{words}; quote a field that holds a comma")
        else:
            # An empty cell is no value: CSV has no other way to leave one out.
            cut = {name: cell for name, cell in zip(header, cells, strict=True) if cell != ""}
            yield LogRecord(number, cut)


def _otlp(file: str, stream: BinaryIO) -> Iterator[LogRecord | UnfitRecord]:
    """Log records and spans, exported one request a line, or as one document over many lines."""
    first = True
    for one in _lines(file, stream):
        if isinstance(one, UnfitRecord):
            yield one
            continue
        number, text, whole = one
        found = _decoded(file, number, text, whole)
        if first and isinstance(found, UnfitRecord):
            rest = stream.read(LARGEST_DOCUMENT + 1)
            if len(rest) > LARGEST_DOCUMENT:
                yield UnfitRecord(file, number, "the document is too large; export one request a line")
                return
            if rest:
                found = _decoded(file, number, text + rest.decode(errors="replace"), whole=False)
        first = False
        if isinstance(found, UnfitRecord):
            yield found
            continue
        try:
            records = list(_exported(found))
        except (AttributeError, TypeError, ValueError) as error:
            records = []
            yield UnfitRecord(file, number, f"this is no OpenTelemetry export ({error})")
            continue
        if not records:
            yield UnfitRecord(file, number, "there is neither resourceLogs nor resourceSpans in it")
        for fields in records:
            yield LogRecord(number, fields)


def _exported(request: dict[str, Any]) -> Iterator[Fields]:
    """The records of one export request (OTLP/JSON), each with its resource's and scope's attributes."""
    for outer, middle, inner in (
        ("resourceLogs", "scopeLogs", "logRecords"),
        ("resourceSpans", "scopeSpans", "spans"),
    ):
        for resource in request.get(outer, ()):
            of_resource = _attributes("resource.", resource.get("resource", {}))
            for scope in resource.get(middle, ()):
                about = scope.get("scope", {})
                shared = of_resource | _attributes("scope.", about)
                shared |= {"scope.name": about["name"]} if "name" in about else {}
                for record in scope.get(inner, ()):
                    own = {k: v for k, v in record.items() if not isinstance(v, dict | list)}
                    body = _value(record["body"]) if "body" in record else None
                    told = _flat({"body": body}) if body is not None else {}
                    yield shared | own | told | _attributes("attributes.", record)


def _attributes(before: str, holder: dict[str, Any]) -> Fields:
    return _flat({f"{before}{one['key']}": _value(one["value"]) for one in holder.get("attributes", ())})


def _value(any_value: dict[str, Any]) -> Any:
    """A value as OTLP/JSON writes it: the name of its type leads to it, and whole numbers are texts."""
    for name, value in any_value.items():
        match name:
            case "intValue":
                return int(value)
            case "kvlistValue":
                return {one["key"]: _value(one["value"]) for one in value.get("values", ())}
            case "stringValue" | "boolValue" | "doubleValue":
                return value
    return None


_READERS: dict[str, Callable[[str, BinaryIO], Iterator[LogRecord | UnfitRecord]]] = {
    "jsonl": _json_lines,
    "otlp": _otlp,
    "csv": _csv,
}
