"""Times and repeated arrivals of traces: what runs show besides verdicts.

Only times of one clock compare, and most harnesses record none: then there is nothing to measure. Times are
kept as a sketch that merges: bin i counts those above 1.02^(i-1) µs and up to 1.02^i µs.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from plumbline.reference.judged.subject import run_columns
from plumbline.reference.rules.judging import Judgement, connect
from plumbline.reference.trace.packs import trace_of, verified_trace

GAMMA = 1.02
"""The ratio of a bin's ends: a quantile is within 1 % of the right one."""

_PAIRS = f"""
WITH began AS (
  SELECT run_id, example, kind, clock, op_id, eid, member, client, queue, t_us FROM ev WHERE t_us IS NOT NULL
), times AS (
  SELECT b.run_id, 'propagation' AS measure, e.t_us - b.t_us AS took
  FROM began b JOIN began e ON b.run_id = e.run_id AND b.example = e.example AND b.op_id = e.op_id
    AND b.clock = e.clock AND b.kind = 'op_begin' AND e.kind = 'listener'
  UNION ALL
  SELECT b.run_id, 'queue_residence' AS measure, e.t_us - b.t_us AS took
  FROM began b JOIN began e ON b.run_id = e.run_id AND b.example = e.example AND b.eid = e.eid
    AND b.clock = e.clock AND b.queue = e.queue AND b.member = e.member AND b.kind = 'enq' AND e.kind = 'rm'
  UNION ALL
  SELECT run_id, 'failover_gap' AS measure, t_us - before AS took FROM (
    SELECT run_id, kind, t_us,
      lag(t_us) OVER (PARTITION BY run_id, example, client, clock ORDER BY t_us, kind) AS before,
      lag(kind) OVER (PARTITION BY run_id, example, client, clock ORDER BY t_us, kind) AS kind_before
    FROM began WHERE kind IN ('failover_begin', 'failover_end')
  ) WHERE kind = 'failover_end' AND kind_before = 'failover_begin'
)
SELECT run_id, measure, CAST(ceil(ln(greatest(took, 1)) / ln({GAMMA})) AS BIGINT) AS bin, count(*) AS amount
FROM times WHERE took >= 0 GROUP BY ALL ORDER BY ALL
"""  # noqa: S608 - a constant of this module

_REPEATED = """
SELECT run_id, count(*) AS arrivals, count(*) FILTER (WHERE place > 1) AS repeated,
  count(*) FILTER (WHERE place > 1 AND posdup) AS marked
FROM (
  SELECT run_id, posdup, row_number() OVER (
    PARTITION BY run_id, example, kind, queue, listener, member, client, op_id, eid, key ORDER BY seq
  ) AS place
  FROM ev WHERE kind IN ('async_event', 'wan_recv', 'deliver') AND (op_id IS NOT NULL OR eid IS NOT NULL)
) GROUP BY run_id ORDER BY run_id
"""


def measured(judgements: Sequence[Judgement], threads: int) -> list[dict[str, Any]]:
    """Rows (`latency`, `duplicates`) of runs without a flaw."""
    runs: dict[str, dict[str, Any]] = {}
    files: list[Path] = []
    for judgement in judgements:
        if judgement.record is None:
            continue
        runs[judgement.record.run_id] = run_columns(judgement.directory, judgement.record)
        good, _ = verified_trace(Path(judgement.directory), judgement.record.run_id)
        files += good
    if not files:
        return []
    trace = trace_of(files)
    with connect(threads) as connection:
        connection.register("ev", trace)
        times: pa.Table = connection.sql(_PAIRS).to_arrow_table()
        repeated: pa.Table = connection.sql(_REPEATED).to_arrow_table()
    rows = [{"row": "latency", **runs[one["run_id"]], **one} for one in times.to_pylist()]
    for one in repeated.to_pylist():
        told = {"amount": one["arrivals"], "failures": one["repeated"], "exercised": one["marked"]}
        rows.append({"row": "duplicates", **runs[one["run_id"]], **told})
    return rows
