from __future__ import annotations

import time
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from click.testing import CliRunner

from plumbline.ci.command import group
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.judged.store import Row, tables_by_duckdb, write_tables
from plumbline.reference.results.gate_policy import GatePolicy
from plumbline.reference.rules.results import RESULT_SCHEMA
from plumbline.reports.gate_decision import GateDecision, Weight
from plumbline.reports.judged_gate import JudgedEvidence, decide_judged
from plumbline.reports.judged_site import build_judged
from plumbline.reports.release import ReleaseChange, ReleasedVersion, newest, releases
from plumbline.reports.tests.samples import HOSTILE
from plumbline.reports.trend_chart import MOST_BARS, ChartBar, trend_chart

IDS = tuple(catalogue())[:40]
BROKEN, MENDED, NEW = IDS[0], IDS[1], IDS[2]
SECONDS = 30.0
WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)
Tables = dict[str, list[Row]]


def facts(runs: int, text: str = "c") -> list[Row]:
    """Of so many runs over ten days: version 2 begins on the sixth, breaks one thing and mends another."""
    rows: list[Row] = []
    for number in range(runs):
        day = number * 10 // runs
        version = "1" if day < 5 else "2"
        run = {"directory": f"d{number}", "run_id": f"r{number}", "candidate": text, "product": text}
        run |= {"product_version": version, "dialect": "geode", "profile": "gate"}
        run |= {"day": f"2026-01-{day + 1:02}", "started": f"2026-01-{day + 1:02}T00:00:00+00:00"}
        rows.append({**run, "row": "run", "examples": 3, "events": 100, "reason": ""})
        rows.append({**run, "row": "duplicates", "amount": 9, "failures": 1, "exercised": 1})
        rows.append({**run, "row": "latency", "measure": "propagation", "bin": 100 + number % 9, "amount": 5})
        for identity in IDS:
            fails = identity == {"1": MENDED, "2": BROKEN}[version] and number % 2 == 0
            counted = "fail" if fails else "pass"
            counted = "not exercised" if identity == NEW and version == "1" else counted
            said = {**run, "row": "search", "requirement": identity, "source": "machine", "counted": counted}
            rows.append({**said, "exercised": int(counted != "not exercised") * 3, "failures": int(fails)})
            if fails:
                rows[-1]["reason"] = text
                failure = {"alike": identity, "decision": text, "plan": text, "size": 3, "example": text}
                rows.append({**said, **failure, "row": "failure", "seen": text, "expected": text, "tried": 3})
    return rows


def tables_of(rows: list[Row]) -> Tables:
    made = tables_by_duckdb(pa.Table.from_pylist(rows, schema=RESULT_SCHEMA))
    return {name: table.to_pylist() for name, table in made.items()}


@pytest.fixture(scope="module")
def tables() -> Tables:
    return tables_of(facts(1_000))


def pages(folder: Path) -> dict[str, str]:
    found = sorted(folder.glob("**/*.html"))
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in found}


def test_ten_runs_and_a_thousand_have_the_same_pages_of_bounded_size(tmp_path: Path, tables: Tables):
    build_judged(tables_of(facts(10)), catalogue(), tmp_path / "few", written=WRITTEN)
    began = time.monotonic()
    build_judged(tables, catalogue(), tmp_path / "many", written=WRITTEN)
    assert time.monotonic() - began < SECONDS
    few, many = pages(tmp_path / "few"), pages(tmp_path / "many")
    assert few.keys() == many.keys()
    assert len(many) == len(catalogue()) + 2 + 2, "each requirement, each version, overview and requirements"
    sizes = [sum(map(len, site.values())) for site in (few, many)]
    assert sizes[1] < 1.1 * sizes[0]
    assert "1,000 runs" in many["index.html"]


def test_the_pages_show_trend_changes_intervals_and_each_failure_once(tmp_path: Path, tables: Tables):
    build_judged(tables, catalogue(), tmp_path, written=WRITTEN)
    found = pages(tmp_path)
    first = found["index.html"]
    assert 'class="trend"' in first
    assert "Since the last release" in first
    assert all(
        str(change) in first for change in (ReleaseChange.WORSE, ReleaseChange.BETTER, ReleaseChange.NEW)
    )
    (version,) = [
        text for name, text in found.items() if name.startswith("versions/") and "250 of 500" in text
    ][:1]
    assert version.count('<article class="failure">') == 1
    assert "below 0.00597" in version
    assert "p99" in version
    broken = found[f"requirements/{BROKEN}.html"]
    assert "first on 2026-01-06 in version" in broken
    assert "it held before, last on 2026-01-05" in broken


def test_hostile_texts_are_shown_escaped_and_bounded(tmp_path: Path):
    build_judged(tables_of(facts(4, HOSTILE)), catalogue(), tmp_path, written=WRITTEN)
    for name, text in pages(tmp_path).items():
        assert "<script>alert" not in text, name
        assert "<img" not in text, name
        assert "\x1b" not in text, name
        assert "\u202e" not in text, name


def of_two(tables: Tables) -> tuple[ReleasedVersion, ReleasedVersion]:
    first, second = releases(tables)
    return first, second


def test_what_a_version_changed_is_told_beside_the_last_one(tables: Tables):
    first, second = of_two(tables)
    assert (first.version, first.last, second.last) == ("1", None, first.subject)
    told = {one.requirement: one.change for one in second.changes}
    assert told == {BROKEN: ReleaseChange.WORSE, MENDED: ReleaseChange.BETTER, NEW: ReleaseChange.NEW}
    assert newest([first, second]) == [second]


def decided(tables: Tables, **given: object) -> GateDecision:
    policy = GatePolicy(whole_suite=False)
    evidence = JudgedEvidence(tables=tables, policy=policy, catalogue=catalogue(), today=date(2026, 1, 20))
    return decide_judged(msgspec.structs.replace(evidence, **given))


def mended() -> Tables:
    return tables_of([row for row in facts(100) if row.get("requirement") not in (BROKEN, MENDED)])


def test_the_gate_reads_the_same_tables_and_the_same_scores(tables: Tables):
    answer = decided(tables)
    assert answer.exit_code == 1
    (reason,) = [one for one in answer.reasons if one.weight is Weight.RED]
    assert (reason.requirement, reason.verdict) == (BROKEN, "fail")
    _, second = of_two(tables)
    assert second.found[BROKEN].score.words in reason.told
    assert decided(mended()).exit_code == 0


def test_the_gate_wants_enough_opportunities_and_a_bound_at_its_confidence():
    sound = mended()
    assert decided(sound, least_opportunities=150).exit_code == 0
    few = decided(sound, least_opportunities=151)
    assert few.exit_code == 1
    assert any("150 opportunities are too few" in one.told for one in few.reasons)
    assert decided(sound, most=0.06).exit_code == 0
    assert decided(sound, most=0.06, confidence=0.99).exit_code == 1


def test_what_passed_in_the_baseline_has_to_pass(tables: Tables):
    answer = decided(tables, baseline=mended())
    assert answer.exit_code == 1
    before = [row for row in facts(100) if row["product_version"] == "1"]
    regressed = decided(tables, baseline=tables_of(before))
    assert any(
        "it passed in the baseline" in one.told for one in regressed.reasons if one.requirement == BROKEN
    )


def test_what_was_set_aside_leaves_the_question_open():
    rows = facts(10)
    rows.append({"row": "flaw", "directory": "d", "path": "d/run.json", "reason": "truncated"})
    rows[0]["reason"] = "truncated"
    answer = decided(tables_of(rows))
    assert answer.exit_code == 2
    assert any("truncated" in one.told for one in answer.reasons)


def test_report_and_gate_take_the_folder_of_the_tables_alone(tmp_path: Path):
    made = tables_by_duckdb(pa.Table.from_pylist(facts(10), schema=RESULT_SCHEMA))
    write_tables(tmp_path / "judged", made)
    report = ["report", str(tmp_path / "judged"), "--out", str(tmp_path / "site")]
    shown = CliRunner().invoke(group, report)
    assert shown.exit_code == 0, shown.output
    assert "1 candidate, 10 runs; 0 set aside" in shown.output
    assert (tmp_path / "site" / "badge.svg").is_file()
    gate = CliRunner().invoke(group, ["gate", str(tmp_path / "judged")])
    assert gate.exit_code == 1
    assert BROKEN in gate.output
    (tmp_path / "judged" / "tables" / "trend" / "part-0.parquet").unlink()
    for command in (report, ["gate", str(tmp_path / "judged")]):
        refused = CliRunner().invoke(group, command)
        assert refused.exit_code == 2
        assert "in the manifest, but missing" in refused.output


def test_a_chart_of_many_days_keeps_the_last_ones():
    bars = [ChartBar(f"2026-01-{day:02}", "1", (("pass", day), ("fail", 1))) for day in range(1, 100)]
    chart = trend_chart(bars)
    assert chart is not None
    assert chart.left_out == len(bars) - MOST_BARS
    assert max(part.x + part.width for part in chart.parts) <= chart.width
    assert min(part.y for part in chart.parts) >= 0
    assert trend_chart([]) is None
