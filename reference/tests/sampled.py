"""What rules find in samples."""

from __future__ import annotations

import pyarrow as pa

from plumbline.ci.selftest.histories.history_builder import Sample
from plumbline.reference.rules.judging import findings
from plumbline.reference.trace.schema import TRACE_SCHEMA

Found = dict[str, dict[str, tuple[int, int]]]


def judged(samples: dict[str, Sample], without: str = "") -> Found:
    """By sample and rule: opportunities and violations; rows of one kind may be left out."""
    events = [
        row for name, sample in samples.items() for row in sample.rows(name, "e") if row["kind"] != without
    ]
    found = findings(pa.Table.from_pylist(events, schema=TRACE_SCHEMA), list(samples))
    table: Found = {name: {} for name in samples}
    for f in found:
        table[f.run_id][f.requirement] = (f.opportunities, f.violations)
    return table
