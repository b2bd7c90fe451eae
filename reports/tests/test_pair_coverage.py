"""Pairs of features: they meet where both hold at once, and a pair that cannot meet says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from plumbline.reference.trace.schema import TRACE_SCHEMA, TraceKind
from plumbline.reports.features import BARRED, FEATURES, Feature, barred, pairs
from plumbline.reports.pair_coverage import PairCoverage, pair_coverage

PAUSED, CRASH, SENDER = "queue paused", "crash", "gateway sender"


def traced(folder: Path, *examples: list[dict[str, Any]]) -> PairCoverage:
    rows = [
        {"run_id": "run", "example": f"e{number}", "source": "machine", "seq": seq, **row}
        for number, example in enumerate(examples)
        for seq, row in enumerate([{"kind": "example_begin"}, *example])
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=TRACE_SCHEMA), folder / "trace.parquet")
    return pair_coverage([folder / "trace.parquet"])


def met(found: PairCoverage, one: str, other: str) -> int:
    return next(pair.examples for pair in found.pairs if {one, other} == {*pair.features})


def row(kind: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, **more}


HOST = row("queue_host", queue_type="wan", dispatchers=1, batch_size=100)


def test_two_features_meet_where_both_hold_at_once(tmp_path: Path):
    among = [HOST, row("queue_pause"), row("crash"), row("queue_resume")]
    before = [HOST, row("queue_pause"), row("queue_resume"), row("crash")]
    found = traced(tmp_path, among, before)
    assert (found.examples, found.features[PAUSED], found.features[CRASH]) == (2, 2, 2)
    assert met(found, PAUSED, CRASH) == 1
    assert met(found, SENDER, CRASH) == 2


def test_what_has_happened_for_good_meets_all_that_comes_behind_it(tmp_path: Path):
    found = traced(tmp_path, [row("crash"), row("queue_pause"), row("queue_resume")])
    assert met(found, PAUSED, CRASH) == 1


def test_rows_that_end_a_feature_do_not_show_it(tmp_path: Path):
    found = traced(tmp_path, [row("queue_resume"), row("link", status="up")])
    assert not any(found.features.values())
    assert not found.met


def test_a_pair_that_cannot_meet_carries_the_reason_unless_it_has_met(tmp_path: Path):
    client, called = row("client_start"), row("op_begin", op="tx_commit")
    apart, together = traced(tmp_path, [client], [called]), traced(tmp_path, [client, called])
    (reason,) = {pair.barred for pair in apart.pairs if {*pair.features} == {"client", "transaction"}}
    assert reason
    assert len(together.possible) == len(apart.possible) + 1


def test_every_pair_is_counted_once_and_each_name_in_the_table_is_a_feature():
    names = {feature.name for feature in FEATURES}
    assert len(names) == len(FEATURES)
    assert len(pairs()) == len(FEATURES) * (len(FEATURES) - 1) // 2
    assert {name for one, others, _ in BARRED for name in (one, *others)} <= names
    assert all(len(pair) == 2 for pair in barred())


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_a_feature_names_a_kind_of_row(feature: Feature):
    assert any(f"'{kind.value}'" in feature.begins for kind in TraceKind)
