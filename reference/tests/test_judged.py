from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from math import ceil, log
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest

from plumbline.ci.selftest.histories.samples import CONFORMING, VIOLATING, sample_run
from plumbline.reference.file_record import UnreadableRunError
from plumbline.reference.judged.facts import facts_by_duckdb
from plumbline.reference.judged.generator import VERSIONS, generate, recorded_run
from plumbline.reference.judged.measures import GAMMA
from plumbline.reference.judged.schema import TABLES, markdown
from plumbline.reference.judged.scoring import Counts, none_seen, score, wilson
from plumbline.reference.judged.store import Row, read_tables, tables_by_duckdb, write_tables
from plumbline.reference.results.runs import read_record, write_record, write_verdicts
from plumbline.reference.results.sealing import seal_run
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.reference.rules.results import RESULT_SCHEMA
from plumbline.reference.rules.survey import find_runs, judge

PAGE = Path(__file__).parents[2] / "docs" / "judged.md"
RULE, SEARCHED = "CONS-RR-04", "VER-STAMP-02"
Tables = dict[str, list[Row]]


def run(folder: Path, name: str, *verdicts: VerdictRow, bad: bool = False, **changes: object) -> Path:
    """A sample run with verdicts of its own, sealed."""
    directory = sample_run(folder / name, VIOLATING[RULE] if bad else CONFORMING)
    write_record(directory, msgspec.structs.replace(read_record(directory), **changes))
    write_verdicts(directory, [msgspec.structs.replace(row, run_id=name) for row in verdicts])
    seal_run(directory)
    return directory


def said(verdict: Verdict, reason: str = "", requirement: str = SEARCHED) -> VerdictRow:
    failures = int(verdict in (Verdict.FAIL, Verdict.INTERMITTENT))
    return VerdictRow(
        run_id="",
        requirement=requirement,
        source=Source.SCENARIO,
        verdict=verdict,
        exercised=3,
        failures=failures,
        reason=reason,
    )


def judged(folder: Path, out: Path) -> Tables:
    judge(
        find_runs([folder]),
        facts_by_duckdb,
        out,
        tables=lambda facts, where: write_tables(where, tables_by_duckdb(facts)),
    )
    return read_tables(out)


def rows_of(tables: Tables, name: str, **wanted: object) -> list[Row]:
    return [row for row in tables[name] if all(row[key] == value for key, value in wanted.items())]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    folder = tmp_path_factory.mktemp("judged")
    for number in range(4):
        started = f"2026-01-0{number + 1}T00:00:00.000+00:00"
        verdict = said(Verdict.FAIL, "B keeps v2") if number == 2 else said(Verdict.PASS)
        version = "1" if number < 2 else "2"
        run(folder / "runs", f"r{number}", verdict, bad=number == 3, started=started, product_version=version)
    return judged(folder / "runs", folder / "out")


def test_k_of_n_has_an_interval_and_no_violation_a_bound(tables: Tables):
    (first,) = rows_of(tables, "versions", requirement=SEARCHED, product_version="1")
    assert (first["broken"], first["judged"], first["verdict"], first["repeats"]) == (0, 2, "pass", "never")
    assert first["below"] == none_seen(2)
    (second,) = rows_of(tables, "versions", requirement=SEARCHED, product_version="2")
    assert (second["broken"], second["judged"], second["repeats"]) == (1, 2, "sometimes")
    assert (second["low"], second["high"]) == wilson(1, 2)
    assert second["below"] is None
    assert second["reason"] == "B keeps v2"


def test_all_intervals_of_the_tables_are_those_of_the_one_scoring_function(tables: Tables):
    for row in tables["verdicts"] + tables["versions"]:
        counts = Counts(
            verdict=Verdict(row["verdict"]),
            judged=row["judged"],
            broken=row["broken"],
            opportunities=row["opportunities"],
        )
        scored = score(counts)
        assert (scored.low, scored.high, scored.below) == (row["low"], row["high"], row["below"])


def test_search_and_rules_stand_side_by_side(tables: Tables):
    (searched,) = rows_of(tables, "versions", requirement=SEARCHED, product_version="2")
    assert (searched["search_verdict"], searched["rule_verdict"]) == ("fail", "")
    (ruled,) = rows_of(tables, "versions", requirement=RULE, product_version="2")
    assert (ruled["search_verdict"], ruled["rule_verdict"], ruled["rule_broken"]) == ("", "fail", 1)


def test_the_first_version_and_day_that_broke_are_known_and_what_held_before(tables: Tables):
    (change,) = rows_of(tables, "changes", requirement=SEARCHED)
    assert (change["first_broken_version"], change["first_broken_day"]) == ("2", "2026-01-03")
    assert (change["held_before_version"], change["held_before"][:10]) == ("1", "2026-01-02")
    assert change["last_held"][:10] == "2026-01-04"


def test_the_verdicts_of_a_day_are_parted_and_the_trend_counts_them(tables: Tables):
    assert {row["day"] for row in tables["verdicts"]} == {f"2026-01-0{day}" for day in range(1, 5)}
    assert [row["violated"] for row in tables["trend"]] == [0, 0, 1, 1]
    assert sum(row["runs"] for row in tables["runs"]) == 4


def test_what_no_run_has_a_row_about_is_told_and_never_passes(tables: Tables):
    silent = {row["requirement"] for row in rows_of(tables, "untested", why="without a row")}
    assert "C2S-PIPE-01" in silent
    assert not silent & {row["requirement"] for row in tables["versions"]}


def test_the_same_failure_of_many_runs_is_one_group_with_its_smallest_witnesses(tmp_path: Path):
    for number in range(5):
        run(tmp_path / "runs", f"r{number}", said(Verdict.FAIL, f"B keeps v{number}"), bad=True)
    tables = judged(tmp_path / "runs", tmp_path / "out")
    (group,) = rows_of(tables, "failures", requirement=SEARCHED)
    assert (group["runs"], group["alike"], group["plan"]) == (5, 5, "B keeps v#")
    (ruled,) = rows_of(tables, "failures", requirement=RULE)
    assert (ruled["runs"], ruled["source"]) == (5, "rule")
    shown = rows_of(tables, "witnesses", failure=ruled["failure"])
    assert [one["place"] for one in shown] == [1, 2, 3]
    assert [one["size"] for one in shown] == sorted(one["size"] for one in shown)


def spoil_record(directory: Path) -> None:
    (directory / "run.json").write_bytes((directory / "run.json").read_bytes()[:-40])


def spoil_table(directory: Path) -> None:
    (directory / "verdicts.parquet").write_bytes((directory / "verdicts.parquet").read_bytes()[:-40])


def spoil_trace(directory: Path) -> None:
    path = directory / "trace" / "main.parquet"
    path.write_bytes(path.read_bytes()[:-30])


def foreign_table(directory: Path) -> None:
    write_verdicts(directory, [said(Verdict.PASS)])
    seal_run(directory)


def other_layout(directory: Path) -> None:
    write_record(directory, msgspec.structs.replace(read_record(directory), format=99))
    seal_run(directory)


def pipe(directory: Path) -> None:
    (directory / "verdicts.parquet").unlink()
    os.mkfifo(directory / "verdicts.parquet")


@pytest.mark.parametrize("spoil", [spoil_record, spoil_table, spoil_trace, foreign_table, other_layout, pipe])
def test_what_cannot_be_read_is_set_aside_with_a_reason_and_turns_nothing_green(
    tmp_path: Path, spoil: Callable[[Path], None]
):
    spoil(run(tmp_path / "runs", "only", said(Verdict.PASS)))
    tables = judged(tmp_path / "runs", tmp_path / "out")
    assert tables["set_aside"]
    assert all(row["reason"] for row in tables["set_aside"])
    assert not [row for row in tables["versions"] if row["verdict"] in ("pass", "deviation")]
    assert sum(row["whole"] for row in tables["runs"]) == 0


def test_a_copy_of_a_run_counts_once_and_is_set_aside(tmp_path: Path):
    one = run(tmp_path / "runs", "one", said(Verdict.PASS))
    shutil.copytree(one, tmp_path / "runs" / "two")
    tables = judged(tmp_path / "runs", tmp_path / "out")
    (row,) = rows_of(tables, "versions", requirement=SEARCHED)
    assert row["runs"] == 1
    assert "the same run one" in tables["set_aside"][0]["reason"]


def test_a_poisoned_record_is_bounded_and_its_day_is_no_path(tmp_path: Path):
    run(tmp_path / "runs", "one", said(Verdict.PASS), started="../.-..-..", candidate="<b>" * 1_000)
    tables = judged(tmp_path / "runs", tmp_path / "out")
    assert {row["day"] for row in tables["verdicts"]} == {"unknown"}
    assert max(len(row["candidate"]) for row in tables["verdicts"]) == 200


def test_tables_that_were_changed_or_are_of_another_format_are_not_read(tmp_path: Path):
    run(tmp_path / "runs", "one", said(Verdict.PASS))
    judged(tmp_path / "runs", tmp_path / "out")
    part = tmp_path / "out" / "tables" / "versions" / "part-0.parquet"
    whole = part.read_bytes()
    part.write_bytes(whole[:-8])
    with pytest.raises(UnreadableRunError, match="digest"):
        read_tables(tmp_path / "out")
    part.write_bytes(whole)
    manifest = tmp_path / "out" / "tables" / "judged.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"format": 2}))
    with pytest.raises(UnreadableRunError, match="format 2, but this version reads 1"):
        read_tables(tmp_path / "out")
    with pytest.raises(UnreadableRunError, match="no judged tables"):
        read_tables(tmp_path)


def test_times_of_one_clock_become_quantiles_within_one_percent():
    facts = [
        {
            "row": "latency",
            "directory": "d",
            **dict.fromkeys(("candidate", "product", "product_version", "dialect"), "c"),
            "day": "2026-01-01",
            "measure": "propagation",
            "bin": ceil(log(number) / log(GAMMA)),
            "amount": 1,
            "run_id": "many" if number > 100 else "few",
        }
        for number in range(1, 1_001)
    ]
    found = tables_by_duckdb(pa.Table.from_pylist(facts, schema=RESULT_SCHEMA))
    (row,) = found["latencies"].to_pylist()
    assert row["amount"] == 1_000
    assert row["effective_runs"] == pytest.approx(1.22, abs=0.01)
    assert row["p50"] == pytest.approx(500, rel=0.02)
    assert row["p99"] == pytest.approx(990, rel=0.02)


def test_the_page_is_what_the_schema_says():
    assert markdown() in PAGE.read_text(encoding="utf-8")
    assert len(TABLES) == len({table.name for table in TABLES})


def test_generated_runs_are_whole_the_same_each_time_and_show_the_fault_of_one_version(tmp_path: Path):
    draw = random.Random(1)  # noqa: S311 - examples, not secrets
    failing = said(Verdict.FAIL, "B keeps v2")
    right = recorded_run(run(tmp_path / "right", "right", said(Verdict.PASS)), draw)
    wrong = recorded_run(run(tmp_path / "wrong", "wrong", failing, bad=True), draw)
    for out in ("one", "two"):
        made = generate(tmp_path / out, right, wrong, runs=18, days=6, seed=2)
        assert len(made) == 18
    first, second = (
        [path.read_bytes() for path in sorted((tmp_path / out).glob("*/seal.json"))] for out in ("one", "two")
    )
    assert first == second
    tables = judged(tmp_path / "one", tmp_path / "out")
    assert tables["set_aside"] == []
    assert {row["candidate"] for row in tables["runs"]} == {"generated:sample"}
    searched = {row["product_version"]: row for row in rows_of(tables, "versions", requirement=SEARCHED)}
    assert [searched[version]["broken"] > 0 for version in VERSIONS] == [False, True, False]
    assert {row["measure"] for row in tables["latencies"]} == {"propagation"}
    assert len({row["day"] for row in tables["trend"]}) == 6


def test_few_opportunities_are_no_pass():
    counts = Counts(verdict=Verdict.PASS, judged=10, broken=0, opportunities=4)
    assert score(counts).verdict is Verdict.PASS
    assert score(counts, least_opportunities=5).verdict is Verdict.NOT_EXERCISED
    assert score(counts, 0.99).below == pytest.approx(0.369, abs=1e-3)
