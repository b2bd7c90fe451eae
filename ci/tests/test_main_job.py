import json
import os
import signal
import subprocess
import sys
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from plumbline.ci import main_job
from plumbline.ci.lint import ROOT
from plumbline.ci.main_job import (
    FAULTY_VARIANTS,
    JobStep,
    StepResult,
    carry_out,
    carry_out_all,
    fails_now_and_then,
    show,
    succeeded,
)
from plumbline.reference.results.runs import write_verdicts
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.reference.rulebook.faulty_variants import FAULTY

COUNTEREXAMPLE = ROOT / "ci" / "counterexamples" / "CONS-NR-03-geode-1.15.1.json"

PASSES = JobStep(title="reference", arguments=("run",))
CAUGHT = JobStep(title="faulty", arguments=("run",), expected=1, note="caught")
SKIPPED = JobStep(title="geode", skipped="no Maven")
LACKING = JobStep(title="rules", lacking="by DuckDB alone")


def test_a_step_that_ends_otherwise_than_expected_fails_the_job_whichever_way_round():
    assert succeeded([StepResult(PASSES, 0), StepResult(CAUGHT, 1)], all_of_it=True)
    assert not succeeded([StepResult(PASSES, 1), StepResult(CAUGHT, 1)], all_of_it=False)
    assert not succeeded([StepResult(PASSES, 0), StepResult(CAUGHT, 0)], all_of_it=False)
    assert not succeeded([StepResult(PASSES, 0), StepResult(CAUGHT, 2)], all_of_it=False)


@pytest.mark.parametrize(
    ("verdicts", "excused"),
    [
        ((Verdict.PASS, Verdict.INTERMITTENT), True),
        ((Verdict.PASS, Verdict.INTERMITTENT, Verdict.FAIL), False),
        ((Verdict.INTERMITTENT, Verdict.ADAPTER_ERROR), False),
        ((Verdict.INTERMITTENT, Verdict.UNKNOWN), False),
        ((Verdict.PASS, Verdict.DEVIATION), False),
    ],
)
def test_only_what_fails_now_and_then_is_forgiven_to_a_product(
    tmp_path: Path, verdicts: tuple[Verdict, ...], excused: bool
):
    run = tmp_path / "20260101-000000-geode-1.15.1-abc"
    run.mkdir()
    rows = [
        VerdictRow(run_id="r", requirement="VER-TIE-01", source=Source.MACHINE, verdict=verdict)
        for verdict in verdicts
    ]
    write_verdicts(run, rows)
    assert bool(fails_now_and_then(tmp_path)) == excused
    step = JobStep(title="geode", arguments=("run",), excuse=partial(fails_now_and_then, tmp_path))
    results = carry_out_all([step], lambda *_: 1)
    assert succeeded(results, all_of_it=True) == excused


@pytest.mark.parametrize(("tries", "excused"), [((1,), True), ((5,), False), ((1, 5), False)])
def test_what_was_played_once_as_the_time_was_over_is_forgiven(
    tmp_path: Path, tries: tuple[int, ...], excused: bool
):
    run = tmp_path / "20260101-000000-geode-1.15.1-abc"
    (run / "counterexamples").mkdir(parents=True)
    kept = json.loads(COUNTEREXAMPLE.read_text())
    for number, tried in enumerate(tries):
        kept |= {"times_failed": tried, "times_tried": tried}
        (run / "counterexamples" / f"{number}.json").write_text(json.dumps(kept))
    requirement = kept["requirements"][0]
    row = VerdictRow(run_id="r", requirement=requirement, source=Source.MACHINE, verdict=Verdict.FAIL)
    write_verdicts(run, [row])
    assert bool(fails_now_and_then(tmp_path)) == excused


def test_a_product_without_a_readable_run_is_not_forgiven(tmp_path: Path):
    assert not fails_now_and_then(tmp_path)


@pytest.mark.parametrize("result", [StepResult(SKIPPED, None), StepResult(LACKING, 0)])
def test_what_cannot_be_done_here_is_forgiven_only_where_not_all_is_wanted(result: StepResult):
    assert succeeded([result], all_of_it=False)
    assert not succeeded([result], all_of_it=True)


def test_the_steps_behind_a_failed_one_are_carried_out_and_a_skipped_one_is_not():
    called: list[list[str]] = []

    def execute(command: list[str], _: Path | None) -> int:
        called.append(command)
        return 1

    results = carry_out_all([PASSES, SKIPPED, CAUGHT], execute)
    assert [result.exit_code for result in results] == [1, None, 1]
    assert [command[1:] for command in called] == [["run"], ["run"]]


def test_the_summary_tells_what_failed_what_was_skipped_and_why():
    console = Console(file=StringIO(), width=120, markup=False)
    show(
        [
            StepResult(PASSES, 2, 1.0),
            StepResult(CAUGHT, 1, 2.5),
            StepResult(SKIPPED, None),
            StepResult(LACKING, 0),
        ],
        console,
    )
    assert isinstance(console.file, StringIO)
    text = console.file.getvalue()
    for words in (
        "exit code 2, not 0: FAILED",
        "exit code 1; caught",
        "skipped: no Maven",
        "exit code 0; by DuckDB alone",
        "2.5",
    ):
        assert words in text


def test_a_step_gives_its_exit_code():
    assert carry_out([sys.executable, "-c", "raise SystemExit(3)"], None) == 3


def test_what_a_step_with_a_log_prints_goes_there(tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    log = tmp_path / "log.txt"
    assert carry_out(["sh", "-c", "echo out; echo err >&2"], log) == 0
    assert sorted(log.read_text().split()) == ["err", "out"]
    assert capfd.readouterr() == ("", "")


def test_a_stopped_job_stops_the_step_under_way():
    probe = (
        "import signal\n"
        "from plumbline.ci import main_job\n"
        "signal.signal(signal.SIGTERM, main_job.STOP)\n"
        "main_job.carry_out(['sh', '-c', 'echo $$; exec sleep 60'], None)\n"
    )
    with subprocess.Popen([sys.executable, "-c", probe], stdout=subprocess.PIPE, text=True) as job:
        assert job.stdout is not None
        step = int(job.stdout.readline())
        job.send_signal(signal.SIGTERM)
        assert job.wait(timeout=30) == 143
    with pytest.raises(ProcessLookupError):
        os.kill(step, 0)


def test_the_site_is_given_what_judging_has_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(main_job, "missing_for_geode", lambda _: "no Maven")
    monkeypatch.setattr(main_job, "missing_for_spark", lambda: "no Spark")
    steps = {step.title: step.arguments for step in main_job.plan(tmp_path, tmp_path / "site")}
    judging = steps["rules over all traces"]
    assert judging[judging.index("--out") + 1] in steps["site"]


def test_the_gate_is_asked_about_the_reference_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(main_job, "missing_for_geode", lambda _: "no Maven")
    monkeypatch.setattr(main_job, "missing_for_spark", lambda: "no Spark")
    steps = main_job.plan(tmp_path, tmp_path / "site")
    (asked,) = (step.arguments[1] for step in steps if step.arguments[0] == "gate")
    runs = [step.title for step in steps if step.arguments[0] == "run" and asked in step.arguments]
    assert runs == ["reference, profile gate"]
    (judged,) = (step.arguments for step in steps if step.title == "rules over all traces")
    assert str(Path(asked).parent) in judged


@pytest.mark.parametrize(("of_the_gate", "succeeds"), [(0, True), (1, False), (2, False)])
def test_the_job_fails_where_the_gate_or_the_reference_in_front_of_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_the_gate: int, succeeds: bool
):
    monkeypatch.setattr(main_job, "missing_for_geode", lambda _: "no Maven")
    monkeypatch.setattr(main_job, "missing_for_spark", lambda: "no Spark")
    steps = main_job.plan(tmp_path, tmp_path / "site")
    for gate in ("gate, by the policy for most", "reference, profile gate"):
        ended = {step.arguments: of_the_gate if step.title == gate else step.expected for step in steps}

        def ends(command: list[str], _: Path | None, ended: dict[tuple[str, ...], int] = ended) -> int:
            return ended[tuple(command[3 if command[1] == "-m" else 1 :])]

        assert succeeded(carry_out_all(steps, ends), all_of_it=False) is succeeds


def test_the_faulty_variants_of_the_job_exist():
    assert set(FAULTY_VARIANTS) <= set(FAULTY)
