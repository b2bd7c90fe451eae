"""A run directory: what one run of a suite against one candidate leaves behind, for good.

    run.json              what was run (RunRecord)
    trace/*.parquet       the trace, see plumbline.reference.trace
    verdicts.parquet      the verdict table, one VerdictRow a line
    counterexamples/*.json  one Counterexample a file
    seal.json             the digests of all these, see plumbline.reference.results.sealing

Several such directories are the only database. Knows nothing of how verdicts are reached or shown.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from plumbline.reference.file_record import UnreadableRunError, bounded, must_be_file, write_atomically
from plumbline.reference.history.history import History
from plumbline.reference.history.plans import Plan
from plumbline.reference.history.ranges import Tries
from plumbline.reference.results.deviations import Deviation
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow

RUN_FORMAT = 1
COUNTEREXAMPLE_FORMAT = 2
"""Layout 1 had no plan that can be played again; it is read all the same."""

LARGEST_RECORD = 64 * 1024 * 1024
"""Bytes of a `run.json`."""

MOST_ROWS = 200_000
LARGEST_TABLE = 256 * 1024 * 1024
"""Rows of a run's verdict table, and bytes of it once unpacked: a small file can claim to hold any number.

A run has one row for each source and requirement, some thousands."""

MOST_ROWS_A_RUN = 2_000
"""The same of what `plumbline judge` has written, where that is about many runs."""

LARGEST_COUNTEREXAMPLE = 64 * 1024 * 1024
"""Bytes; a larger file is no reduced example, and reading it would take the memory of the machine."""

VERDICT_SCHEMA = pa.schema(
    [
        pa.field("run_id", pa.string(), nullable=False),
        pa.field("requirement", pa.string(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("verdict", pa.string(), nullable=False),
        pa.field("exercised", pa.int64(), nullable=False),
        pa.field("failures", pa.int64(), nullable=False),
        pa.field("reason", pa.string(), nullable=False),
        pa.field("counterexample", pa.string(), nullable=False),
        pa.field("seconds", pa.float64(), nullable=False),
    ]
)


# Foreign bytes may hold texts that are no UTF-8, and nesting without end.
_UNREADABLE = (OSError, UnicodeDecodeError, RecursionError, msgspec.MsgspecError)


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """What one part of a run played, and what that took.

    Attributes:
        name: a machine's, or `scenarios`.
        examples: so many were played and judged, of those that count.
        planned: so many scenarios were to be played, or plans a machine was to draw, each of which it plays
            once however often it draws it.
        cut: whether the time was over before that.
        seconds: wall time.
        own_s: seconds of processor time of this process, which judges as well as it drives.
    """

    name: str
    examples: int
    planned: int = 0
    cut: bool = False
    seconds: float
    own_s: float


class SetAsideRecord(msgspec.Struct, frozen=True):
    """A record of a log that was not taken over.

    Attributes:
        place: the file and the line, from 1.
        reason: what is wrong with it, and the remedy.
    """

    place: str
    reason: str


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """How a run came from a log that a system wrote at work, without any harness.

    Attributes:
        kinds: kinds of the trace of which the log shows every event, or that surely did not happen. Rules
            that read others cannot judge the run.
        empty_start: whether all regions were empty when the log began.
        records: records of the log, all together.
        skipped: records that are of no concern, by the map.
        copies: records that were there once more; they count once.
        set_aside: records that cannot be taken over.
        unread: rows behind the first of these. They are not judged, as they may depend on it.
        reasons: the first records that were set aside.
    """

    kinds: tuple[str, ...]
    empty_start: bool
    records: int
    skipped: int = 0
    copies: int = 0
    set_aside: int = 0
    unread: int = 0
    reasons: tuple[SetAsideRecord, ...] = ()


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What was run.

    Attributes:
        run_id: unique name of the run.
        suite_version: version of Plumbline.
        candidate: the candidate as it was named, for example `process:./adapter`.
        product: the product's own name.
        product_version: the product's own version.
        digest: a hash that changes when the candidate's introduction does, or "".
        surroundings: what the candidate ran in, for people: an image's digest and an engine's version; "" for
            most.
        dialect: the dialect judged against.
        profile: smoke, gate or full; recorded where it came from a log.
        seed: what the examples were drawn from.
        started: ISO 8601 in UTC.
        seconds: how long it took.
        capabilities: what the candidate declared.
        selected: the requirements asked for; empty for the whole catalogue of that version.
        deviations: the known differences that were in force.
        deviations_not_seen: those of them that did not show, though their requirement was exercised.
        checks: what was played, in that order.
        complete: False until the run has ended in order; an incomplete run is never green.
        recording: how it came from a log; None for a run that a harness drove.
        broken_off: a user stopped the run; its verdict table holds what was judged until then.
        ended_early: what the time budget left unplayed, in a sentence; "" if it left nothing.
        left_out: what a selection left unplayed, in a sentence; "" if it left nothing.
        clauses_not_reached: of requirements that passed, the clauses that nothing played could show broken.
        format: version of this layout.
    """

    run_id: str
    ended_early: str = ""
    left_out: str = ""
    suite_version: str
    candidate: str
    product: str
    product_version: str
    digest: str = ""
    surroundings: str = ""
    dialect: str
    profile: str
    seed: int
    started: str
    seconds: float = 0.0
    capabilities: tuple[str, ...] = ()
    selected: tuple[str, ...] = ()
    deviations: tuple[Deviation, ...] = ()
    deviations_not_seen: tuple[Deviation, ...] = ()
    checks: tuple[Check, ...] = ()
    clauses_not_reached: dict[str, tuple[str, ...]] = {}
    complete: bool = False
    broken_off: bool = False
    recording: Recording | None = None
    format: int = RUN_FORMAT

    @property
    def trouble(self) -> str:
        """Why nothing of this run may be called passed; "" for a run that has ended in order."""
        if self.complete:
            return ""
        return "it was broken off, and did not end in order" if self.broken_off else "it did not end in order"


class DeadEnd(msgspec.Struct, frozen=True, kw_only=True):
    """A place where the search for an explanation ended.

    Attributes:
        consumed: how many entries of all logs were explained until there.
        place: the log in question, for people.
        due: what that log shows next.
        offered: what a correct system could show there instead.
        decision: the decision that refused what was due, or "".
    """

    consumed: int
    place: str
    due: str
    offered: tuple[str, ...] = ()
    decision: str = ""


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Where what was seen differs from a right run.

    Attributes:
        place: whose observation, for people.
        right: what the right run shows there.
        seen: what was seen there.
        instead: what it shows instead of the first thing that is not as in the right run.
        member: the member whose listener or reading it is; "" for the outcome of a call.
        position: which event of the member's log is that first thing, or which moment of the timeline the
            reading is; None where nothing was seen.
        read: the region or queue that was read; "" for a listener.
    """

    place: str
    right: str
    seen: str
    instead: str = ""
    member: str = ""
    position: int | None = None
    read: str = ""


class Reduction(msgspec.Struct, frozen=True, kw_only=True):
    """How an example was made small.

    Attributes:
        operations_before: operations that the failing example called as it was found.
        runs: how often the candidate played an example for it.
        minimal: whether it was seen, in so many tries as fit how often it fails, that no operation can
            be left out; False where the budget ended before.
    """

    operations_before: int
    runs: int
    minimal: bool

    @property
    def words(self) -> str:
        """The same in a sentence without a full stop."""
        words = f"found with {self.operations_before:,} operations and made small in {self.runs:,} runs"
        return f"{words}; none can be left out" if self.minimal else f"{words}, until the budget was used up"


class Counterexample(msgspec.Struct, frozen=True, kw_only=True):
    """A failing example, reduced, with all that is needed to show and replay it.

    Attributes:
        requirements: ids named, most specific first.
        source: scenario or machine.
        title: the scenario's or machine's name.
        candidate: the candidate as it was named.
        product: the product's own name.
        product_version: the product's own version.
        suite_version: version of Plumbline.
        dialect: the dialect judged against.
        seed: what the example was drawn from.
        setup: what was configured before the first step, for people; empty in files of older versions.
        plan: the plan, one line of text a step, for people.
        played: the plan itself, with its topology, regions and queues; None in files of layout 1.
        history: what was asked and seen, with the order strength of its logs.
        refuted: whether the search finds no explanation either; if not, the outcome written down in the
            scenario is all that says what is wrong, and a replay has to play the scenario.
        reduction: how it was made small; None where it was not, as it was written by hand.
        expected: what is allowed, in sentences.
        seen: what was seen instead, in sentences.
        dead_ends: the furthest places where explaining ended.
        nearest: where the most similar of `right_runs` right runs of the plan differs from what was seen.
        right_runs: how many right runs were looked at; 0 if none could be.
        times_failed: in how many of `times_tried` replays it failed.
        times_tried: how often it was replayed.
        replay: the command line that replays it.
        format: version of this layout.
    """

    requirements: tuple[str, ...]
    source: Source
    title: str
    candidate: str
    product: str = ""
    product_version: str
    suite_version: str
    dialect: str = ""
    seed: int
    setup: tuple[str, ...] = ()
    plan: tuple[str, ...]
    played: Plan | None = None
    history: History
    refuted: bool = True
    reduction: Reduction | None = None
    expected: tuple[str, ...]
    seen: tuple[str, ...]
    dead_ends: tuple[DeadEnd, ...] = ()
    nearest: tuple[Difference, ...] = ()
    right_runs: int = 0
    times_failed: Tries = 1
    times_tried: Tries = 1
    replay: str = ""
    format: int = COUNTEREXAMPLE_FORMAT

    @property
    def expects_nearest(self) -> bool:
        """Whether what was expected is just what the nearest right run shows."""
        first = tuple(f"{one.place}: {one.right}" for one in self.nearest[:1])
        return bool(first) and self.expected[:1] == first


class _Layout(msgspec.Struct):
    format: int


def write_record(directory: Path, record: RunRecord) -> None:
    """Write or replace `run.json`."""
    data = msgspec.json.format(msgspec.json.encode(record), indent=2)
    write_atomically(directory / "run.json", data, within=directory)


def read_record(directory: Path) -> RunRecord:
    """Read `run.json`; raises UnreadableRunError."""
    path = directory / "run.json"
    try:
        return msgspec.json.decode(bounded(path, LARGEST_RECORD), type=RunRecord)
    except FileNotFoundError:
        raise UnreadableRunError(f"{directory}: no run.json, so this is not a run directory") from None
    except _UNREADABLE as error:
        raise UnreadableRunError(f"{path}: {error}") from error


def write_verdicts(directory: Path, rows: list[VerdictRow]) -> None:
    """Write the verdict table, replacing an older one."""
    builtins = [msgspec.to_builtins(row) for row in rows]
    write_verdict_table(directory, pa.Table.from_pylist(builtins, schema=VERDICT_SCHEMA))


def write_verdict_table(directory: Path, table: pa.Table) -> None:
    """Write the verdict table (VERDICT_SCHEMA), replacing an older one."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    write_atomically(directory / "verdicts.parquet", sink.getvalue().to_pybytes(), within=directory)


def read_verdicts(directory: Path, runs: int = 1) -> list[VerdictRow]:
    """Read the verdict table of a run, or what was judged of so many; raises UnreadableRunError."""
    path = directory / "verdicts.parquet"
    most, largest = max(MOST_ROWS, runs * MOST_ROWS_A_RUN), LARGEST_TABLE * max(1, runs // 100)
    try:
        must_be_file(path)
        metadata = pq.read_metadata(path)
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        if metadata.num_rows > most or sum(group.total_byte_size for group in groups) > largest:
            raise UnreadableRunError(f"{path}: {metadata.num_rows:,} rows are too many for a verdict table")
        rows = pq.read_table(path, schema=VERDICT_SCHEMA).to_pylist()
        return [msgspec.convert(row, VerdictRow) for row in rows]
    except FileNotFoundError:
        raise UnreadableRunError(f"{path}: missing, so the run has not ended in order") from None
    except (*_UNREADABLE, pa.ArrowException) as error:
        raise UnreadableRunError(f"{path}: {error}") from error


def write_counterexample(directory: Path, name: str, counterexample: Counterexample) -> str:
    """Write a counterexample below the run; the file name to be put into the verdict table is returned."""
    data = msgspec.json.format(msgspec.json.encode(counterexample), indent=1)
    write_atomically(directory / "counterexamples" / f"{name}.json", data, within=directory)
    return f"{name}.json"


def read_counterexample(path: Path) -> Counterexample:
    """Read a counterexample file; raises UnreadableRunError."""
    try:
        data = bounded(path, LARGEST_COUNTEREXAMPLE)
        # Looked at first: a file of another layout is wrong by its layout.
        layout = msgspec.json.decode(data, type=_Layout).format
        if not 1 <= layout <= COUNTEREXAMPLE_FORMAT:
            raise UnreadableRunError(
                f"{path}: layout {layout}, but this version reads those up to {COUNTEREXAMPLE_FORMAT}"
            )
        return msgspec.json.decode(data, type=Counterexample)
    except _UNREADABLE as error:
        raise UnreadableRunError(f"{path}: {error}") from error


__all__ = [
    "Counterexample",
    "DeadEnd",
    "Recording",
    "Reduction",
    "RunRecord",
    "SetAsideRecord",
    "Source",
    "UnreadableRunError",
    "Verdict",
    "read_counterexample",
    "read_record",
    "read_verdicts",
    "write_atomically",
    "write_counterexample",
    "write_record",
    "write_verdict_table",
    "write_verdicts",
]
