"""The results of judging many runs: one flat table, the same for each engine, and its sums.

A row is about a run (`row = 'run'`, one for every run, so that none gets lost), a verdict, a witness or a
flaw; columns that do not concern it are null. Knows no engine but the one SQL text that sums up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from plumbline.reference.results.runs import VERDICT_SCHEMA
from plumbline.reference.results.totals import counted
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow, merge
from plumbline.reference.rules.judging import Judgement, connect, judge_runs
from plumbline.reference.rules.loads import loads
from plumbline.reference.trace.files import Flaw

_TEXT, _COUNT = pa.string(), pa.int64()

RESULT_SCHEMA = pa.schema(
    [
        pa.field("row", _TEXT, nullable=False),
        pa.field("directory", _TEXT, nullable=False),
        *(pa.field(name, _TEXT) for name in ("run_id", "candidate", "product", "product_version", "day")),
        *(pa.field(name, _TEXT) for name in ("requirement", "source", "verdict", "reason")),
        pa.field("counterexample", _TEXT),
        *(pa.field(name, _COUNT) for name in ("exercised", "failures")),
        pa.field("seconds", pa.float64()),
        *(pa.field(name, _TEXT) for name in ("example", "subject", "witness", "path")),
        *(pa.field(name, _COUNT) for name in ("seq", "examples", "events")),
        # What the judged tables need besides, see plumbline.reference.judged.
        *(
            pa.field(name, _TEXT)
            for name in ("dialect", "profile", "started", "counted", "alike", "decision")
        ),
        *(pa.field(name, _TEXT) for name in ("plan", "expected", "seen", "measure")),
        *(pa.field(name, _COUNT) for name in ("size", "tried", "bin", "amount")),
    ]
)

SUMMARY_SCHEMA = pa.schema(
    [
        *(
            pa.field(name, _TEXT)
            for name in ("requirement", "candidate", "product_version", "day", "verdict")
        ),
        *(
            pa.field(name, _COUNT)
            for name in (
                *("runs", "passed", "deviating", "failed", "unknown", "unsupported", "not_exercised"),
            )
        ),
        *(pa.field(name, _COUNT) for name in ("opportunities", "violations")),
    ]
)
"""One row per requirement, candidate, product version and day; its verdict is that of all runs together."""

_SUMMARY = """
SELECT requirement, candidate, product_version, day,
  '' AS verdict, runs, passed, deviating, failed, unknown, unsupported, not_exercised,
  opportunities, violations
FROM (
  SELECT requirement, candidate, product_version, day, count(*) AS runs,
    count(*) FILTER (WHERE verdict = 'pass') AS passed,
    count(*) FILTER (WHERE verdict = 'deviation') AS deviating,
    count(*) FILTER (WHERE verdict = 'fail') AS failed,
    count(*) FILTER (WHERE verdict = 'unknown') AS unknown,
    count(*) FILTER (WHERE verdict = 'unsupported') AS unsupported,
    count(*) FILTER (WHERE verdict = 'not exercised') AS not_exercised,
    CAST(sum(exercised) AS BIGINT) AS opportunities, CAST(sum(failures) AS BIGINT) AS violations
  FROM results WHERE row = 'verdict' GROUP BY requirement, candidate, product_version, day
)
ORDER BY requirement, candidate, product_version, day
"""


def result_rows(judgement: Judgement) -> list[dict[str, Any]]:
    """The rows about one run."""
    run: dict[str, Any] = {"directory": judgement.directory}
    if judgement.record is not None:
        record = judgement.record
        run |= {
            "run_id": record.run_id,
            "candidate": record.candidate,
            "product": record.product,
            "product_version": record.product_version,
            "day": record.started[:10],
        }
    return [
        {"row": "run", **run, "examples": judgement.examples, "events": judgement.events},
        *({"row": "verdict", **run, **msgspec.to_builtins(verdict)} for verdict in judgement.verdicts),
        *({"row": "witness", **run, **msgspec.to_builtins(witness)} for witness in judgement.witnesses),
        *({"row": "flaw", **run, "path": flaw.path, "reason": flaw.reason} for flaw in judgement.flaws),
    ]


def result_table(judgements: Iterable[Judgement]) -> pa.Table:
    """The results of several runs as one table."""
    rows = [row for judgement in judgements for row in result_rows(judgement)]
    return pa.Table.from_pylist(rows, schema=RESULT_SCHEMA)


def judge_by_duckdb(directories: Sequence[Path], threads: int = 2) -> pa.Table:
    """The results of many runs, by DuckDB in this process, a bounded load of them at a time."""
    tables = (result_table(judge_runs(load.directories, threads)) for load in loads(directories))
    return pa.concat_tables([RESULT_SCHEMA.empty_table(), *tables])


def rows_about(results: pa.Table, what: str) -> pa.Table:
    """The rows about `run`, `verdict`, `witness` or `flaw`."""
    return results.filter(pc.equal(results["row"], what))


def verdict_table(results: pa.Table) -> pa.Table:
    """The verdict table as a table (VERDICT_SCHEMA)."""
    return rows_about(results, "verdict").select(VERDICT_SCHEMA.names).cast(VERDICT_SCHEMA)


def verdicts_counted(results: pa.Table) -> list[Verdict]:
    """Each verdict that counts of any rule in any run, once."""
    verdicts = rows_about(results, "verdict")
    verdicts = verdicts.append_column("occasion", pc.greater(verdicts["exercised"], 0))
    kinds = verdicts.group_by(["verdict", "occasion"]).aggregate([]).to_pylist()
    rows = (
        VerdictRow(
            run_id="",
            requirement="",
            source=Source.RULE,
            verdict=Verdict(one["verdict"]),
            exercised=one["occasion"],
        )
        for one in kinds
    )
    return [counted(row) for row in rows]


def sums_by_rule(results: pa.Table) -> list[dict[str, Any]]:
    """For each rule and verdict how many runs, and the sums of opportunities and violations."""
    sums = rows_about(results, "verdict").group_by(["requirement", "verdict"])
    found = sums.aggregate([("run_id", "count"), ("exercised", "sum"), ("failures", "sum")])
    rows: list[dict[str, Any]] = found.sort_by(
        [("requirement", "ascending"), ("verdict", "ascending")]
    ).to_pylist()
    return rows


def verdicts_of(results: pa.Table) -> list[VerdictRow]:
    """The verdict table."""
    rows = rows_about(results, "verdict").select(list(VerdictRow.__struct_fields__)).to_pylist()
    return [msgspec.convert(row, VerdictRow) for row in rows]


def flaws_of(results: pa.Table) -> list[Flaw]:
    """Everything that was set aside or is missing."""
    return [Flaw(row["path"], row["reason"]) for row in rows_about(results, "flaw").to_pylist()]


def summarise(results: pa.Table) -> pa.Table:
    """Sums per requirement, candidate, product version and day (SUMMARY_SCHEMA), by DuckDB."""
    with connect() as connection:
        connection.register("results", results)
        sums: pa.Table = connection.sql(_SUMMARY).to_arrow_table()
        return with_verdicts(sums.cast(SUMMARY_SCHEMA))


def with_verdicts(sums: pa.Table) -> pa.Table:
    """Returns the sums (SUMMARY_SCHEMA), each with its verdict over all runs.

    Any engine may have made the sums.
    """
    rows = zip(*(sums[name].to_pylist() for name in _COUNTED.values()), strict=True)
    verdicts = [
        merge(verdict for verdict, count in zip(_COUNTED, counts, strict=True) if count) for counts in rows
    ]
    place = SUMMARY_SCHEMA.get_field_index("verdict")
    return sums.set_column(
        place, SUMMARY_SCHEMA.field(place), pa.array([str(one) for one in verdicts], _TEXT)
    )


_COUNTED = {
    Verdict.PASS: "passed",
    Verdict.DEVIATION: "deviating",
    Verdict.FAIL: "failed",
    Verdict.UNKNOWN: "unknown",
    Verdict.UNSUPPORTED: "unsupported",
    Verdict.NOT_EXERCISED: "not_exercised",
}
"""The columns of sums, by the verdict that each counts; rules give no others."""
