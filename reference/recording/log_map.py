"""The map of a log: which of its fields means which column of the trace, and what its owner vouches for.

A log shows only what its system writes down. So the map also names the system's members, regions, queues and
clients, and kinds of events that never happened. Knows no format of logs.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import Literal

import msgspec
import yaml

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.file_record import UnreadableRunError, bounded
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import Client, QueueAttributes, RegionAttributes, Site, Topology
from plumbline.reference.history.ranges import SiteNumber
from plumbline.reference.trace.schema import COLUMNS, TraceKind

LARGEST_MAP = 1024 * 1024
"""Bytes of a map."""

KIND, TIME, END, SEQUENCE = "kind", "time", "end", "sequence"
SPECIAL = (KIND, TIME, END, SEQUENCE)
"""Columns of a map that the trace does not have under that name."""

_MADE = (
    "run_id",
    "example",
    "source",
    "seq",
    "t_us",
    "t_end_us",
    "clock",
    "log_pos",
    "site",
    "op_id",
    "client",
)
"""Columns that recording makes itself."""

FRAME = frozenset({TraceKind.EXAMPLE_BEGIN, TraceKind.EXAMPLE_END, TraceKind.TRAILER})

OF_THE_SETTING = FRAME | {
    TraceKind.MEMBER_START,
    TraceKind.REGION_HOST,
    TraceKind.QUEUE_HOST,
    TraceKind.ATTACH,
    TraceKind.CONFIG,
    TraceKind.CLIENT_START,
    TraceKind.MAY_SERVE,
    TraceKind.OBSERVED,
    TraceKind.RI_BEGIN,
    TraceKind.RI_END,
    TraceKind.RI_KEY,
}
"""Kinds that the setting of the map gives."""

OF_A_HARNESS = frozenset(
    {
        *(TraceKind.GATE_ARM, TraceKind.GATE_PARK, TraceKind.GATE_MISS, TraceKind.GATE_RELEASE),
        *(TraceKind.REDELIVER, TraceKind.WAITED, TraceKind.UNSETTLED, TraceKind.CLOCKS_PASSED),
        *(TraceKind.CONTENTS_ASKED, TraceKind.CONTENTS_READ, TraceKind.CONTENT, TraceKind.FINAL_VALUE),
        *(TraceKind.STAT_ASKED, TraceKind.STAT, TraceKind.GAUGE, TraceKind.DEPTH, TraceKind.QUEUED),
        *(TraceKind.RI_CALL, TraceKind.RI_HELD, TraceKind.RI_RELEASE, TraceKind.RI_RETURN),
        *(TraceKind.JOIN_CALL, TraceKind.JOIN_HELD, TraceKind.JOIN_RELEASE, TraceKind.JOIN_RETURN),
        TraceKind.INTEREST,
    }
)
"""Kinds that only a harness causes: gates, and answers to its questions. In a log they never happen."""

Unit = Literal["iso", "s", "ms", "us", "ns"]


class MapError(UnreadableRunError):
    """A map is not as a map has to be; the message names the file, the place and the remedy."""


class FieldMap(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"constant": "is"}
):
    """Where a column of the trace comes from.

    Attributes:
        field: the field of the log; a dot leads into a field that holds fields.
        constant: the value in every record, instead of a field. The map calls it `is`.
        pattern: a regular expression over the field's text; its first group is the value.
        values: other words for values: what the log writes, and what the trace calls it.
        unit: of a time: iso (ISO 8601), s, ms, us or ns since 1970.
        optional: whether a record may lack it.
    """

    field: str = ""
    constant: str | int | float | bool | None = None
    pattern: str = ""
    values: dict[str, str] = {}
    unit: Unit = "iso"
    optional: bool = False


class KindMap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a record of one kind is in the trace.

    Attributes:
        kind: the kind of the trace.
        event: what a listener was told, where the kind alone says it.
        op: what was called, where the kind alone says it.
        status: how it ended, where the kind alone says it.
        amount: the measure, where it is always the same.
    """

    kind: TraceKind
    event: str | None = None
    op: str | None = None
    status: str | None = None
    amount: int | None = None


class SystemSetting(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The system whose log it is, as it stood when the log began.

    Attributes:
        sites: the members of each site, by its number (1 to 127).
        regions: the regions that the log is about, as each member has them.
        queues: gateway senders and asynchronous event queues.
        clients: the clients, each with the members that may serve it.
        registered: whether each client was registered for all keys from the beginning.
    """

    sites: dict[SiteNumber, tuple[str, ...]]
    regions: tuple[RegionAttributes, ...]
    queues: tuple[QueueAttributes, ...] = ()
    clients: tuple[Client, ...] = ()
    registered: bool = True

    @property
    def topology(self) -> Topology:
        """The sites and their members."""
        return Topology(tuple(Site(number, members) for number, members in self.sites.items()))

    @property
    def parties(self) -> frozenset[str]:
        """All members and clients."""
        return frozenset((*self.topology.members, *(client.name for client in self.clients)))


class LogMap(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """A map as its file states it.

    Attributes:
        candidate: a name for the system; runs of one name are versions of one candidate.
        product: the product's own name.
        product_version: the product's own version.
        dialect: whose reading of the documents it follows.
        format: jsonl (JSON lines), otlp (OpenTelemetry JSON, logs or spans) or csv (with a header line).
        order: time where all times are of one clock, so that they order all records; file where one file has
            all records in the order in which they happened.
        log_order: the order that the log of one listener keeps.
        setting: the system.
        observed: members and clients whose listeners the log shows whole.
        columns: from where each column of the trace comes.
        kinds: what each kind of record is in the trace, by the text of the column `kind`.
        skip: kinds of records that are of no concern.
        never: kinds of the trace that did not happen while the log was written; its owner vouches for that.
        gapless: whether the sequence of one log counts each of its records, so that a gap is a loss.
        empty_start: whether all regions were empty when the log began.
    """

    candidate: str
    product: str
    product_version: str
    dialect: Dialect = Dialect.GEODE
    format: Literal["jsonl", "otlp", "csv"]
    order: Literal["time", "file"]
    log_order: OrderStrength = OrderStrength.PER_KEY
    setting: SystemSetting
    observed: tuple[str, ...]
    columns: dict[str, str | FieldMap]
    kinds: dict[str, KindMap]
    skip: tuple[str, ...] = ()
    never: tuple[TraceKind, ...] = ()
    gapless: bool = False
    empty_start: bool = False

    @cached_property
    def fields(self) -> dict[str, FieldMap]:
        """From where each column comes, in the long form."""
        return {
            name: FieldMap(field=one) if isinstance(one, str) else one for name, one in self.columns.items()
        }

    @property
    def kinds_known(self) -> frozenset[TraceKind]:
        """Kinds of which the run shows every event, or that surely did not happen."""
        shown = {one.kind for one in self.kinds.values()}
        if END in self.columns:
            shown.add(TraceKind.OP_END)
        return frozenset(shown) | OF_THE_SETTING | OF_A_HARNESS | frozenset(self.never)


def read_map(path: Path) -> LogMap:
    """Read a map; raises MapError, with the remedy, and OSError."""
    try:
        text = bounded(path, LARGEST_MAP).decode()
        said = yaml.safe_load(text)
        found = msgspec.convert(said, LogMap)
    except FileNotFoundError:
        raise MapError(f"{path}: no such file; docs/recording.md shows a map") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise MapError(f"{path}: {where}{error.problem}") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, msgspec.ValidationError) as error:
        raise MapError(f"{path}: {' '.join(str(error).split())}") from error
    for mistake in _mistakes(found):
        raise MapError(f"{path}: {mistake}")
    return found


def _mistakes(said: LogMap) -> list[str]:
    """What no system and no log can fit, each in words with the remedy."""
    found = []
    known = set(COLUMNS) - set(_MADE) | set(SPECIAL)
    for name, one in said.fields.items():
        if name not in known:
            found.append(f"columns: there is no column {name} to fill; docs/trace.md lists the columns")
        if bool(one.field) == (one.constant is not None):
            found.append(f"columns: {name} needs a field, or a constant value by `is`, and not both")
        if one.pattern:
            try:
                groups = re.compile(one.pattern).groups
            except re.error as error:
                found.append(f"columns: the pattern of {name} is no regular expression: {error}")
            else:
                found += [] if groups else [f"columns: the pattern of {name} needs a group for the value"]
    if KIND not in said.columns:
        found.append(
            "columns: kind is missing; name the field that tells records apart, or a constant by `is`"
        )
    if said.order == "time" and (TIME not in said.columns or said.fields[TIME].optional):
        found.append("columns: each record needs its time where order is time; or say `order: file`")
    if said.order == "file" and END in said.columns:
        found.append("columns: end needs `order: time`, since a file has no place for it")
    framed = sorted(name for name, one in said.kinds.items() if one.kind in FRAME)
    found += [f"kinds: {name} may not be {said.kinds[name].kind}: recording writes that" for name in framed]
    parties = said.setting.parties
    names = [*said.setting.topology.members, *(client.name for client in said.setting.clients)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        found.append(f"setting: {twice[0]} is there twice; each member and client needs its own name")
    strangers = [name for name in said.observed if name not in parties]
    strangers += [s for client in said.setting.clients for s in client.servers if s not in parties]
    found += [f"{name} is observed or serves, and no member or client of the setting" for name in strangers]
    found += [
        f"setting: the client {client.name} needs a server"
        for client in said.setting.clients
        if not client.servers
    ]
    if not said.setting.topology.members or not said.setting.regions:
        found.append("setting: a system needs a member and a region")
    return found
