from __future__ import annotations

import json
import random
from collections import Counter
from math import ceil, log
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result

from plumbline.ci.command import group
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.judged.measures import GAMMA
from plumbline.reference.judged.proportions import at_most, window
from plumbline.reference.judged.schema import SUBJECT, TABLES
from plumbline.reference.judged.store import Row, tables_by_duckdb, write_tables
from plumbline.reference.rules.results import RESULT_SCHEMA
from plumbline.reports.judged_site import build_judged
from plumbline.reports.version_drift import (
    KS,
    LEVEL,
    NoPairError,
    distance_bound,
    drift,
    pairs,
    sketch_distance,
)

IDS = tuple(catalogue())[:20]
BEFORE, NOW = ("c", "p", "1", "geode"), ("c", "p", "2", "geode")
EQUAL_PAIRS = 200
Tables = dict[str, list[Row]]


def most_alarms(pairs: int, level: float) -> int:
    """More alarms than this have a probability below 1 in 1,000 where each has this level."""
    return next(k for k in range(pairs + 1) if at_most(k, pairs, level) >= 0.999)


def version(subject: tuple[str, ...], runs: int, counts: dict[str, int], verdict: str = "pass") -> Tables:
    """The rows of a version: so many deviating runs of each requirement."""
    who = dict(zip(SUBJECT, subject, strict=True))
    shared = {**who, "runs": runs, "judged": runs, "broken": 0, "intermittent": 0, "not_exercised": 0}
    shared |= {"verdict": verdict, "opportunities": runs, "reason": ""}
    rows = [{**shared, "requirement": name, "deviating": count} for name, count in counts.items()]
    return {**{table.name: [] for table in TABLES}, "versions": rows}


def together(*versions: Tables) -> Tables:
    return {name: [row for one in versions for row in one[name]] for name in versions[0]}


def drawn(draw: random.Random, runs: int, rate: float) -> int:
    first, masses = window(runs, rate)
    return first + draw.choices(range(len(masses)), masses)[0]


def sketch(draw: random.Random, runs: int, slower: float = 1.0) -> dict[int, int]:
    """Times of runs, of which each has its own pace: times of one run are alike."""
    found: Counter[int] = Counter()
    for _ in range(runs):
        pace = slower * draw.lognormvariate(6, 0.5)
        found.update(ceil(log(pace * draw.uniform(1, 1.1)) / log(GAMMA)) for _ in range(20))
    return dict(found)


def timed(subject: tuple[str, ...], bins: dict[int, int], runs: float) -> Tables:
    who = {**dict(zip(SUBJECT, subject, strict=True)), "measure": "propagation"}
    row = {**who, "amount": sum(bins.values()), "p50": 1.0, "p95": 2.0, "p99": 3.0, "effective_runs": runs}
    return {
        **{table.name: [] for table in TABLES},
        "latencies": [row],
        "sketches": [{**who, "day": "d", "bin": at, "amount": amount} for at, amount in bins.items()],
    }


def test_equal_versions_alarm_at_the_stated_level_at_most():
    draw = random.Random(31)  # noqa: S311 - examples, not secrets
    alarms = uncorrected = 0
    for _ in range(EQUAL_PAIRS):
        rates = {name: draw.choice((0.0005, 0.01, 0.3)) for name in IDS}
        sides = (
            version(subject, 2_000, {name: drawn(draw, 2_000, rate) for name, rate in rates.items()})
            for subject in (BEFORE, NOW)
        )
        found = drift(together(*sides), BEFORE, NOW)
        alarms += bool(found.drifted)
        uncorrected += any(row.p <= LEVEL for row in found.rows)
    assert alarms <= most_alarms(EQUAL_PAIRS, LEVEL)
    # The check can fail: without the correction, most pairs alarm.
    assert uncorrected > EQUAL_PAIRS / 4


def test_times_of_equal_versions_alarm_at_the_stated_level_at_most_though_times_of_a_run_are_alike():
    draw = random.Random(32)  # noqa: S311 - as above
    alarms = as_if_independent = 0
    for _ in range(EQUAL_PAIRS):
        distance = sketch_distance(sketch(draw, 20), sketch(draw, 20))
        alarms += distance_bound(distance, 20, 20) <= LEVEL
        as_if_independent += distance_bound(distance, 400, 400) <= LEVEL
    assert alarms <= most_alarms(EQUAL_PAIRS, LEVEL)
    assert as_if_independent > EQUAL_PAIRS / 4


def test_a_change_in_one_of_1_000_runs_is_found_in_100_000_and_both_conform():
    draw = random.Random(33)  # noqa: S311 - as above
    for _ in range(20):
        common = dict.fromkeys(IDS[1:], 1000)
        first = version(BEFORE, 100_000, {IDS[0]: 0, **common})
        second = version(NOW, 100_000, {IDS[0]: drawn(draw, 100_000, 0.001), **common})
        found = drift(together(first, second), BEFORE, NOW)
        (row,) = found.drifted
        assert (row.requirement, row.quantity, row.both_conform) == (IDS[0], "deviating as on record", True)
        assert row.before == "0 of 100,000 runs"
        assert row.effect == pytest.approx(0.063, abs=0.02)
        assert row.corrected >= row.p * len(found.rows) * 0.999


def test_the_correction_is_holms():
    counts = [(0, 9), (0, 7), (0, 1)]
    first = version(BEFORE, 100, {name: k for name, (k, _) in zip(IDS, counts, strict=False)})
    second = version(NOW, 100, {name: k for name, (_, k) in zip(IDS, counts, strict=False)})
    rows = drift(together(first, second), BEFORE, NOW).rows
    assert [row.corrected for row in rows] == [min(1, row.p * (3 - place)) for place, row in enumerate(rows)]
    assert [row.drifted for row in rows] == [True, True, False]


def test_slower_times_are_found_with_their_distance():
    draw = random.Random(34)  # noqa: S311 - as above
    tables = together(timed(BEFORE, sketch(draw, 60), 60), timed(NOW, sketch(draw, 60, 3), 60))
    (row,) = drift(tables, BEFORE, NOW).drifted
    assert (row.quantity, row.effect_size, row.both_conform) == ("propagation", KS, True)
    assert row.effect > 0.5
    assert "p99 0.003 ms of 1,200 times" in row.before
    few = together(timed(BEFORE, sketch(draw, 60), 3), timed(NOW, sketch(draw, 60, 3), 60))
    found = drift(few, BEFORE, NOW)
    assert (found.rows, found.words) == ((), "nothing could be compared")
    assert "not compared: propagation, with times of fewer than 4 runs on one side" in found.notes
    old = together(timed(BEFORE, {1: 9}, 9), timed(NOW, {1: 9}, 9))
    old["latencies"][0]["effective_runs"] = None
    assert any("older than the column" in words for words in drift(old, BEFORE, NOW).notes)


def test_a_sketch_is_as_far_from_another_as_their_shares():
    assert sketch_distance({1: 5}, {1: 500}) == 0
    assert sketch_distance({1: 5}, {9: 5}) == 1
    assert sketch_distance({1: 5, 9: 5}, {1: 9, 9: 1}) == pytest.approx(0.4)
    assert distance_bound(0, 100, 100) == 1


def test_a_violation_is_not_called_conforming_and_no_opportunity_is_no_comparison():
    broken = version(NOW, 50, {IDS[0]: 0, IDS[1]: 0}, "fail")
    broken["versions"][0]["broken"] = 30
    broken["versions"][1] |= {"judged": 0, "runs": 0}
    found = drift(together(version(BEFORE, 50, {IDS[0]: 0, IDS[1]: 0}), broken), BEFORE, NOW)
    (row,) = found.drifted
    assert (row.quantity, row.now, row.both_conform) == ("violated", "30 of 50 runs", False)
    assert "not compared: 1 requirements, which were not judged in both versions" in found.notes


def facts(subject: tuple[str, ...], day: str, repeating: int, runs: int = 40) -> list[Row]:
    rows: list[Row] = []
    for number in range(runs):
        run = {**dict(zip(SUBJECT, subject, strict=True)), "profile": "gate", "day": day, "directory": "d"}
        run |= {"run_id": f"{subject[2]}-{number}", "started": f"{day}T00:00:00+00:00"}
        rows.append({**run, "row": "run", "examples": 3, "events": 100, "reason": ""})
        rows.append({**run, "row": "duplicates", "amount": 9, "failures": int(number < repeating)})
        rows[-1]["exercised"] = 0
        rows.append({**run, "row": "latency", "measure": "propagation", "bin": 100 + number % 9, "amount": 5})
        said = {**run, "row": "search", "requirement": IDS[0], "source": "machine", "counted": "pass"}
        rows.append({**said, "exercised": 3, "failures": 0})
    return rows


@pytest.fixture(scope="module")
def made() -> dict[str, pa.Table]:
    rows = facts(BEFORE, "2026-01-01", 1) + facts(NOW, "2026-01-02", 20)
    return tables_by_duckdb(pa.Table.from_pylist(rows, schema=RESULT_SCHEMA))


def called(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(group, ["drift", str(folder), *arguments])


def test_the_command_and_the_site_show_repeated_events_that_drifted(
    tmp_path: Path, made: dict[str, pa.Table]
):
    write_tables(tmp_path, made)
    told = called(tmp_path)
    assert told.exit_code == 1, told.output
    words = " ".join(told.output.split())
    assert "c 1 and 2, geode: 2 of 3 quantities drifted, at a level of 0.05" in words
    assert "both conform" in words
    (pair,) = json.loads(called(tmp_path, "--json").stdout)["pairs"]
    row = pair["rows"][0]
    assert (row["before"], row["now"]) == ("1 of 40 runs", "20 of 40 runs")
    assert {one["quantity"] for one in pair["rows"] if one["drifted"]} == {
        "runs with a repeated event",
        "runs with a repeated event that is not marked",
    }
    assert pair["rows"][2]["before"].endswith("of 200 times")
    assert called(tmp_path, "--level", "1e-9").exit_code == 0
    tables = {name: table.to_pylist() for name, table in made.items()}
    build_judged(tables, catalogue(), tmp_path / "site")
    for page in (tmp_path / "site" / "index.html", *(tmp_path / "site" / "versions").glob("*.html")):
        text = page.read_text(encoding="utf-8")
        assert ("20 of 40 runs" in text) == ("earlier version of it" not in text), page
    assert "both conform" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_what_cannot_be_compared_is_one_clear_line(tmp_path: Path, made: dict[str, pa.Table]):
    nothing = called(tmp_path)
    assert (nothing.exit_code, len(nothing.output.splitlines())) == (2, 1)
    assert "no judged tables" in nothing.output
    write_tables(tmp_path, made)
    unknown = called(tmp_path, "--now", "7[red]")
    assert (unknown.exit_code, len(unknown.output.splitlines())) == (2, 1)
    assert "there is: c 1, c 2" in unknown.output
    assert called(tmp_path, "--before", "2").exit_code == 2
    empty = {name: table.slice(0, 0) for name, table in made.items()}
    write_tables(tmp_path, empty)
    told = called(tmp_path)
    assert (told.exit_code, len(told.output.splitlines())) == (2, 1)
    assert "there is: no run" in told.output


def test_versions_are_paired_with_the_one_before_or_as_named():
    rows = [
        {
            **dict(zip(SUBJECT, ("c", "p", name, "geode"), strict=True)),
            "profile": "gate",
            "runs": 1,
            "whole": 1,
        }
        | {"first_started": f"2026-01-0{name}", "last_started": f"2026-01-0{name}"}
        for name in ("1", "2", "3")
    ]
    tables = {**{table.name: [] for table in TABLES}, "runs": rows}
    assert [(one[2], other[2]) for one, other in pairs(tables)] == [("2", "3")]
    assert [(one[2], other[2]) for one, other in pairs(tables, "1")] == [("1", "3")]
    assert [(one[2], other[2]) for one, other in pairs(tables, now="2")] == [("1", "2")]
    with pytest.raises(NoPairError, match="c 1, c 2, c 3"):
        pairs(tables, "3")
    empty = drift(tables, BEFORE, NOW)
    assert (empty.words, empty.rows, len(empty.notes)) == ("nothing could be compared", (), 2)
    rows[0]["profile"] = "full"
    assert any("other profiles (full and gate)" in words for words in drift(tables, BEFORE, NOW).notes)
