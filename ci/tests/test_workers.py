"""Machines that play side by side: the same as one after the other, and no process is left behind."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.command import group
from plumbline.reference.results.runs import read_record, read_verdicts
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.search.search import Budget
from plumbline.suites.run import machine_run as turns
from plumbline.suites.run import plan_outcomes, reducer, running
from plumbline.suites.run import worker_pool as workers
from plumbline.suites.run.machine_run import MachineRun, Progress
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.running import Options, RunOutcome, run_suite

SELECTED = ("CONS-RR-03", "C2S-OPS-01", "WAN-CFG-01")
PLAYED = ("replicated_regions", "client_pipeline", "asynchronous_queues", "gateway_order")


def run(
    out: Path,
    jobs: int,
    *,
    candidate: str = "reference",
    progress: Progress = lambda *_: None,
) -> RunOutcome:
    profile = msgspec.structs.replace(PROFILES["smoke"], examples=12, rules=8)
    options = Options(selected=SELECTED, profile=profile, seed=1, jobs=jobs)
    return run_suite(find_candidate(candidate), options, out, progress)


def rows(outcome: RunOutcome) -> list[Any]:
    """The verdict rows but for what differs between any two runs."""
    return [
        msgspec.structs.replace(row, run_id="", seconds=0.0)
        for row in outcome.rows
        if row.source is not Source.RULE
    ]


def trace(outcome: RunOutcome) -> list[dict[str, Any]]:
    """The rows of the trace but for the run's name, in the order of the examples."""
    read = pq.read_table(outcome.directory / "trace" / "main.parquet").drop_columns(["run_id"])
    return sorted(read.to_pylist(), key=lambda row: (row["example"], row["seq"]))


def test_side_by_side_gives_what_one_after_the_other_gives(tmp_path: Path):
    apart, together = run(tmp_path, 1), run(tmp_path, 3)
    assert rows(together) == rows(apart)
    assert trace(together) == trace(apart)
    for outcome in (apart, together):
        assert [check.name for check in outcome.record.checks] == ["scenarios", *PLAYED]
        assert read_record(outcome.directory).complete
    assert [c.examples for c in together.record.checks] == [c.examples for c in apart.record.checks]


@pytest.mark.slow
def test_failures_are_told_alike_and_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # These limits end the search for further failures at other places when the machine is busy.
    monkeypatch.setattr(reducer, "SUSPECTING", Budget(states=5_000))
    monkeypatch.setattr(reducer, "SUSPECTING_S", 600.0)
    monkeypatch.setattr(reducer, "SLOW_START_S", 600.0)
    monkeypatch.setattr(plan_outcomes, "ReducerLimits", lambda: reducer.ReducerLimits(seconds=600.0))
    monkeypatch.setattr(plan_outcomes, "BEHIND_S", 600.0)
    apart, together = (run(tmp_path, jobs, candidate="faulty:destroy-keeps-version") for jobs in (1, 2))
    for outcome in (apart, together):
        assert Verdict.FAIL in {row.verdict for row in outcome.rows if row.source is Source.MACHINE}
        titles = [kept.title for kept in outcome.counterexamples if kept.source is Source.MACHINE]
        assert list(dict.fromkeys(titles)) == [name for name in PLAYED if name in titles]
    assert [kept.title for kept in together.counterexamples] == [kept.title for kept in apart.counterexamples]


def test_a_run_that_is_interrupted_leaves_no_worker_and_keeps_what_there_is(tmp_path: Path):
    def interrupt(what: str, done: int, total: int) -> None:
        del total
        if what in PLAYED and done == 3:
            assert multiprocessing.active_children()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, 2, progress=interrupt)
    assert not multiprocessing.active_children()
    (directory,) = tmp_path.iterdir()
    assert read_record(directory).broken_off
    assert {row.source for row in read_verdicts(directory)} == {Source.SCENARIO}


def test_an_interruption_between_turns_leaves_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*_: object) -> None:
        assert multiprocessing.active_children()
        raise KeyboardInterrupt

    monkeypatch.setattr(running._Run, "_told", interrupt)
    with pytest.raises(KeyboardInterrupt) as raised:
        run(tmp_path, 2)
    assert not multiprocessing.active_children()
    assert raised.tb is not None  # what was left behind would hang on it


@pytest.mark.parametrize(
    ("ends", "words"), [(lambda: os._exit(3), "has ended with 3"), (lambda: 1 // 0, "ZeroDivisionError")]
)
def test_a_worker_that_ends_costs_its_own_machine_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: Any, words: str
):
    right = turns.take

    def take(turn: MachineRun, *given: Any, **more: Any) -> Any:
        return ends() if turn.machine == PLAYED[0] else right(turn, *given, **more)

    monkeypatch.setattr(workers, "take", take)
    outcome = run(tmp_path, 2)
    assert not multiprocessing.active_children()
    assert outcome.record.complete
    assert [check.name for check in outcome.record.checks] == ["scenarios", *PLAYED]
    lost = {row.requirement for row in outcome.rows if f"error in the machine {PLAYED[0]}" in row.reason}
    assert lost
    for row in outcome.rows:
        if row.source is Source.MACHINE and row.reason.startswith("Plumbline's own error"):
            assert row.verdict is Verdict.UNKNOWN
            assert words in row.reason
    assert Verdict.PASS in {row.verdict for row in outcome.rows if row.source is Source.MACHINE}


def test_where_no_worker_stays_alive_everything_else_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(workers, "_work", lambda *_: None)
    chosen = [word for requirement in SELECTED for word in ("--select", requirement)]
    asked = ["run", "--candidate", "reference", "--profile", "smoke", "--jobs", "2", "--out", str(tmp_path)]
    result = CliRunner().invoke(group, [*asked, *chosen])
    assert result.exit_code == 2
    assert not multiprocessing.active_children()
    told = " ".join(result.output.split())
    assert "Plumbline's own error in the machine" in told
    assert "--jobs 1" in told
    assert "Traceback" not in result.output
    (directory,) = tmp_path.iterdir()
    assert read_record(directory).complete
    verdicts = {
        source: {row.verdict for row in read_verdicts(directory) if row.source is source} for source in Source
    }
    assert verdicts[Source.MACHINE] == {Verdict.UNKNOWN}
    assert verdicts[Source.SCENARIO] == {Verdict.PASS}


def test_candidates_whose_examples_depend_on_others_play_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(running, "Workers", None)
    outcome = run(tmp_path, 2, candidate="reference:chaotic")
    assert [check.name for check in outcome.record.checks] == ["scenarios", *PLAYED]
    with pytest.raises(TypeError):
        run(tmp_path, 2)
