"""Judging traces by rules, on DuckDB: in a run, over run directories, and inside Spark's tasks.

One call judges many runs together, because each rule has a fixed cost; rules keep runs apart by run_id. A run
whose trace has a flaw, or that has not ended, is never found to pass. An example that is not there once and
whole is not read at all. Knows nothing of Spark.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import duckdb
import msgspec
import pyarrow as pa

from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.results.deciding import Tally, decide
from plumbline.reference.results.deviations import Deviation, words
from plumbline.reference.results.runs import RunRecord, UnreadableRunError
from plumbline.reference.results.sealing import MANIFEST, RECORD, broken_seal
from plumbline.reference.results.verdicts import Source, VerdictRow
from plumbline.reference.rules.rule import ANSWER, Rule, load_rules, parts_of
from plumbline.reference.rules.shown import NO_OCCASION, lacking, set_aside
from plumbline.reference.trace.files import Flaw
from plumbline.reference.trace.packs import pack_of, record_of, trace_of, verified_trace
from plumbline.reference.trace.schema import TRACE_SCHEMA

if TYPE_CHECKING:
    import pyarrow.dataset as ds

WITNESSES_KEPT = 20
"""So many violations of one rule in one run are kept with their witness; all are counted."""

ROWS_IN_MEMORY = 2_000_000
"""Traces of at most so many rows are judged in memory (some 200 MB), larger ones from their files."""

_MEMORY_LIMIT = "2GB"

_WHOLE_EXAMPLES = """
SELECT run_id, example FROM read WHERE kind <> 'trailer' GROUP BY run_id, example
HAVING count(*) FILTER (WHERE kind = 'example_begin') <> 1
  OR count(*) FILTER (WHERE kind = 'example_end') <> 1
  OR max(amount) FILTER (WHERE kind = 'example_end') <> count(*)
  OR count(DISTINCT seq) <> count(*) OR min(seq) <> 0 OR max(seq) <> count(*) - 1
ORDER BY run_id, example
"""
_READ = """
SELECT * FROM read ANTI JOIN unread
  ON read.run_id IS NOT DISTINCT FROM unread.run_id AND read.example IS NOT DISTINCT FROM unread.example
"""
"""The trace without examples that are not there once and whole. Their calls may never have happened."""

_MEANWHILE = "SELECT DISTINCT run_id, example FROM read WHERE kind IN ('ri_call', 'join_call')"
"""Examples that the rules leave aside so far: registrations or copies are under way beside all else."""

_SIZES = """
SELECT run_id, count(*) FILTER (WHERE kind = 'example_begin'), count(*) FILTER (WHERE kind <> 'trailer')
FROM ev GROUP BY run_id
"""


class RuleViolation(msgspec.Struct, frozen=True, kw_only=True):
    """One violation: where it is seen in the trace, what it is about, what was seen (all untrusted text)."""

    run_id: str
    requirement: str
    example: str
    seq: int
    subject: str
    witness: str


class RuleFinding(msgspec.Struct, frozen=True, kw_only=True):
    """What one rule found in one run.

    Attributes:
        run_id: the run.
        requirement: the rule's.
        opportunities: how often a violation could have shown.
        violations: how often it did.
        witnesses: the first violations.
        seconds: time the rule took, shared evenly among the runs judged together.
    """

    run_id: str
    requirement: str
    opportunities: int = 0
    violations: int = 0
    witnesses: tuple[RuleViolation, ...] = ()
    seconds: float = 0.0


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules say of one run directory.

    Attributes:
        directory: the run directory.
        record: what was run; None if that cannot be read, and then there are no verdicts.
        verdicts: one row of each rule that was asked.
        witnesses: the first violations of each rule.
        flaws: what was set aside, or is missing.
        examples: examples judged.
        events: rows of the trace judged.
    """

    directory: str
    record: RunRecord | None = None
    verdicts: tuple[VerdictRow, ...] = ()
    witnesses: tuple[RuleViolation, ...] = ()
    flaws: tuple[Flaw, ...] = ()
    examples: int = 0
    events: int = 0


def connect(threads: int = 1) -> duckdb.DuckDBPyConnection:
    """A DuckDB that keeps to itself: no extension is fetched, no statement reaches a file.

    Data beyond its memory goes below the system's folder for temporary files, until it closes.
    """
    overflow = Path(tempfile.gettempdir(), f"plumbline-duckdb-{os.getpid()}")
    connection = duckdb.connect(
        config={
            "threads": threads,
            "memory_limit": _MEMORY_LIMIT,
            "temp_directory": str(overflow),
            "autoinstall_known_extensions": "false",
        }
    )
    connection.execute("SET enable_external_access = false")
    return connection


def findings(trace: pa.Table | ds.Dataset, run_ids: Sequence[str]) -> list[RuleFinding]:
    """What every rule finds in a trace, one finding a rule and run, also where there was no opportunity.

    Args:
        trace: the rows.
        run_ids: the runs that they are of.
    """
    with connect() as connection:
        connection.register("read", trace)
        _take(connection, trace, ())
        return _found(connection, run_ids)


def _found(
    connection: duckdb.DuckDBPyConnection, run_ids: Sequence[str], only: Collection[str] | None = None
) -> list[RuleFinding]:
    """What each rule, or each rule of the requirements named, finds in the table `ev`."""
    kinds = {kind for (kind,) in connection.execute("SELECT DISTINCT kind FROM ev").fetchall()}
    rules = [rule for rule in load_rules().values() if only is None or rule.requirement in only]
    to_ask = [rule for rule in rules if not rule.only_with or rule.only_with in kinds]
    # Parts that several rules read are computed once.
    for part in parts_of(to_ask):
        for name, expression in part.expressions():
            connection.execute(f"CREATE TEMP TABLE {name} AS {expression}")
    return [
        finding
        for rule in rules
        for finding in (
            _ask(connection, rule, run_ids)
            if rule in to_ask
            else [RuleFinding(run_id=run_id, requirement=rule.requirement) for run_id in run_ids]
        )
    ]


def _take(
    connection: duckdb.DuckDBPyConnection, trace: pa.Table | ds.Dataset, unread: Sequence[tuple[str, str]]
) -> None:
    """Let `ev` be the trace that is read; in memory it is ordered by kind.

    Most statements read a few kinds alone.
    """
    meanwhile = connection.execute(_MEANWHILE).fetchall()
    wanted = "SELECT * FROM read"
    if unread or meanwhile:
        runs, examples = (pa.array(names, pa.string()) for names in zip(*unread, *meanwhile, strict=True))
        connection.register("aside", pa.table({"run_id": runs, "example": examples}))
        connection.execute("CREATE TEMP TABLE unread AS SELECT * FROM aside")
        wanted = _READ
    if isinstance(trace, pa.Table):
        connection.execute(f"CREATE TEMP TABLE ev AS {wanted} ORDER BY kind")
        connection.unregister("read")
    else:
        connection.execute(f"CREATE TEMP VIEW ev AS {wanted}")


def verdict_row(
    finding: RuleFinding, flaws: Sequence[Flaw], on_record: Sequence[Deviation] = (), missing: str = ""
) -> VerdictRow:
    """The line of the verdict table: a violation counts in any trace, its absence only in a flawless one.

    A rule cannot make a decision otherwise, as the search can: where anything is on record for its
    requirement, in force in that run, what it finds is a deviation.
    """
    known = [one for one in on_record if one.requirement == finding.requirement]
    first = finding.witnesses[0] if finding.witnesses else None
    verdict, reason = decide(
        Tally(
            exercised=finding.opportunities,
            violations=finding.violations,
            violation="" if first is None else f"{first.example}: {first.subject}: {first.witness}",
            excused=words(known) if known else "",
            flaws=tuple(f"{flaw.path}: {flaw.reason}" for flaw in flaws),
            lacking=missing,
            none_exercised="no opportunity in the trace",
        )
    )
    return VerdictRow(
        run_id=finding.run_id,
        requirement=finding.requirement,
        source=Source.RULE,
        verdict=verdict,
        exercised=finding.opportunities,
        failures=finding.violations,
        reason=reason,
        seconds=finding.seconds,
    )


def judge_runs(directories: Iterable[Path], threads: int = 1) -> list[Judgement]:
    """Judge run directories together, in their order.

    A run that cannot be read, or is there twice, has no verdicts but a flaw; damaged files are set aside.
    """
    looked_at: list[_Looked] = []
    seen: dict[str, Path] = {}
    for directory in directories:
        try:
            record = record_of(directory)
        except UnreadableRunError as error:
            looked_at.append(_Looked(directory, None, [], [Flaw(str(directory), str(error))]))
            continue
        first = seen.setdefault(record.run_id, directory)
        if first is directory:
            looked_at.append(_look(directory, record, sealed=True))
        else:
            twin = Flaw(str(directory), f"the run {record.run_id} was judged already, in {first}")
            looked_at.append(_Looked(directory, None, [], [twin]))
    return _judge_together(looked_at, threads)


def judge_run(
    directory: Path, record: RunRecord, only: Collection[str] | None = None, threads: int = 1
) -> Judgement:
    """Judge one run by the record at hand: one that is ending, whose run.json and seal are written last.

    Args:
        directory: the run directory.
        record: what was run.
        only: requirements; their rules alone are asked. None asks all rules.
        threads: so many work on it.
    """
    return _judge_together([_look(directory, record, sealed=False)], threads, only)[0]


class _Looked(NamedTuple):
    """A run whose files have been looked at; a run in a pack stands there itself for its trace files."""

    directory: Path
    record: RunRecord | None
    files: list[Path]
    flaws: list[Flaw]


def _look(directory: Path, record: RunRecord, *, sealed: bool) -> _Looked:
    files, flaws = verified_trace(directory, record.run_id)
    if record.recording is not None:
        flaws += set_aside(record.recording)
    if record.trouble:
        flaws.append(Flaw(str(directory / RECORD), f"of this run: {record.trouble}"))
    elif sealed and pack_of(directory) is None:
        # Verdicts and counterexamples are not read here.
        broken = broken_seal(directory, (RECORD, MANIFEST))
        flaws += [Flaw(str(one.path), one.reason) for one in broken]
    return _Looked(directory, record, files, flaws)


def _judge_together(
    opened: list[_Looked], threads: int, only: Collection[str] | None = None
) -> list[Judgement]:
    """All runs in one scan; where that meets a broken page, one by one, to learn which run it was."""
    readable = [run for run in opened if run.record is not None]
    try:
        return _judge(opened, threads, only)
    except (duckdb.InterruptException, RuntimeError) as error:
        # A signal that comes while it works DuckDB tells in its own words.
        if "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        raise
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        if len(readable) == 1:
            (broken,) = readable
            broken.flaws.append(Flaw(str(broken.directory / "trace"), f"cannot be read through: {error}"))
            broken.files.clear()
            return _judge(opened, threads, only)
        return [judgement for run in opened for judgement in _judge_together([run], threads, only)]


def _judge(opened: list[_Looked], threads: int, only: Collection[str] | None) -> list[Judgement]:
    run_ids = [run.record.run_id for run in opened if run.record is not None]
    by_run: dict[str, list[RuleFinding]] = {run_id: [] for run_id in run_ids}
    torn: dict[str, list[str]] = {run_id: [] for run_id in run_ids}
    trace = _open([file for run in opened for file in run.files])
    with connect(threads) as connection:
        connection.register("read", trace)
        unread: list[tuple[str, str]] = connection.execute(_WHOLE_EXAMPLES).fetchall()
        _take(connection, trace, unread)
        sizes = {run_id: (e, r) for run_id, e, r in connection.execute(_SIZES).fetchall()}
        found = _found(connection, run_ids, only)
    for run_id, example in unread:
        torn.get(run_id, []).append(example)
    for finding in found:
        by_run[finding.run_id].append(finding)
    judgements = []
    for run in opened:
        if run.record is None:
            judgements.append(Judgement(directory=str(run.directory), flaws=tuple(run.flaws)))
            continue
        run_id = run.record.run_id
        trace_folder = str(run.directory / "trace")
        flaws = [
            *run.flaws,
            *(
                Flaw(trace_folder, f"the example {e} is not there once and whole, so it is unread")
                for e in torn[run_id]
            ),
        ]
        examples, events = sizes.get(run_id, (0, 0))
        owed = [as_shown(as_owed(one, run.record.dialect), run.record) for one in by_run[run_id]]
        judgements.append(
            Judgement(
                directory=str(run.directory),
                record=run.record,
                verdicts=tuple(_row_of(finding, flaws, run.record) for finding in owed),
                witnesses=tuple(witness for finding in owed for witness in finding.witnesses),
                flaws=tuple(flaws),
                examples=examples,
                events=events,
            )
        )
    return judgements


def as_owed(finding: RuleFinding, dialect: str) -> RuleFinding:
    """The finding; an empty one of what the run's dialect does not owe, as its documents say otherwise."""
    entry = all_requirements().get(finding.requirement)
    if entry is None or dialect not in set(Dialect) or dialect in entry.dialects:
        return finding
    return RuleFinding(run_id=finding.run_id, requirement=finding.requirement, seconds=finding.seconds)


def as_shown(finding: RuleFinding, record: RunRecord) -> RuleFinding:
    """The finding; an empty one where the run came from a log that does not show what the rule reads."""
    if not lacking(finding.requirement, record):
        return finding
    return RuleFinding(run_id=finding.run_id, requirement=finding.requirement, seconds=finding.seconds)


def _row_of(finding: RuleFinding, flaws: Sequence[Flaw], record: RunRecord) -> VerdictRow:
    """The verdict row; what a log does not show is unsupported, also where the log has flaws."""
    missing = lacking(finding.requirement, record)
    if missing:
        return verdict_row(finding, (), record.deviations, missing=missing)
    unseen = NO_OCCASION if record.recording is not None else ""
    return verdict_row(finding, flaws, record.deviations, missing=unseen)


def _open(files: Sequence[Path]) -> pa.Table | ds.Dataset:
    """The trace in files: read once if it is small, as every scan opens every file; else left there."""
    if not files:
        return TRACE_SCHEMA.empty_table()
    trace = trace_of(files)
    if trace.count_rows() > ROWS_IN_MEMORY:
        return trace
    read = {"kind", "amount", *ANSWER, *(name for rule in load_rules().values() for name in rule.columns)}
    return trace.to_table(columns=[name for name in TRACE_SCHEMA.names if name in read])


def _ask(connection: duckdb.DuckDBPyConnection, rule: Rule, run_ids: Sequence[str]) -> list[RuleFinding]:
    began = time.monotonic()
    counts = {
        run_id: (opportunities, violations)
        for run_id, opportunities, violations in connection.execute(
            f"SELECT run_id, count(*), count(*) FILTER (WHERE violated) FROM ({rule.own}) GROUP BY run_id"  # noqa: S608 - the rule's own text
        ).fetchall()
    }
    witnesses: dict[str, list[RuleViolation]] = {}
    if any(violations for _, violations in counts.values()):
        kept = connection.execute(
            f"SELECT run_id, example, seq, subject, witness FROM ({rule.own}) WHERE violated "  # noqa: S608 - the same
            "QUALIFY row_number() OVER (PARTITION BY run_id ORDER BY example, seq, subject, witness) "
            f"<= {WITNESSES_KEPT} ORDER BY run_id, example, seq, subject, witness"
        ).fetchall()
        for run_id, example, seq, subject, witness in kept:
            found = RuleViolation(
                run_id=run_id,
                requirement=rule.requirement,
                example=example,
                seq=seq,
                subject=subject,
                witness=witness,
            )
            witnesses.setdefault(run_id, []).append(found)
    share = (time.monotonic() - began) / max(1, len(run_ids))
    return [
        RuleFinding(
            run_id=run_id,
            requirement=rule.requirement,
            opportunities=counts.get(run_id, (0, 0))[0],
            violations=counts.get(run_id, (0, 0))[1],
            witnesses=tuple(witnesses.get(run_id, ())),
            seconds=share,
        )
        for run_id in run_ids
    ]
