"""A mistake of Plumbline's own in one part: told as such, never a pass, and everything else is judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner, Result

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.command import group
from plumbline.ci.terminal.last_run import LastRun, failed_in
from plumbline.ci.tests.further_cases import one_in
from plumbline.ci.tests.machine_items import machine_item
from plumbline.reference.explain import exercise
from plumbline.reference.history.history import History
from plumbline.reference.results.own_errors import FOLDER
from plumbline.reference.results.runs import read_record, read_verdicts
from plumbline.reference.results.totals import merged
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.variant import FaultyVariant
from plumbline.suites.harness.session import Session
from plumbline.suites.pytest_plugin.findings import Findings
from plumbline.suites.pytest_plugin.plugin import FINDINGS, ON_RECORD, SESSIONS, UnjudgedError
from plumbline.suites.run import leaving, playing, running
from plumbline.suites.run import plan_outcomes as examples
from plumbline.suites.run.known_deviations import KnownDeviations
from plumbline.suites.run.profiles import PROFILES
from plumbline.suites.run.replaying import Judge
from plumbline.suites.run.running import Options, RunOutcome, run_suite

CANDIDATE = "faulty:tie-keeps-own"
SELECTED = ("VER-TIE-01", "CONS-RR-04")


def wrong(*_: Any, **__: Any) -> NoReturn:
    raise ValueError("max() arg is an empty sequence")


def run(
    out: Path, candidate: str = "reference", selected: tuple[str, ...] = SELECTED, jobs: int = 1
) -> RunOutcome:
    options = Options(selected=selected, profile=PROFILES["smoke"], seed=20_250_101, jobs=jobs)
    return run_suite(find_candidate(candidate), options, out, lambda *_: None)


def told_of(outcome: RunOutcome, source: Source) -> list[VerdictRow]:
    return [row for row in outcome.rows if row.source is source]


def is_told_as_our_own(outcome: RunOutcome, part: str) -> None:
    """What holds of each run: it ended, a traceback is kept, and nothing of the part passed."""
    assert outcome.record.complete
    ours = [row for row in outcome.rows if row.reason.startswith("Plumbline's own error in ")]
    assert ours
    assert all(row.verdict is Verdict.UNKNOWN for row in ours)
    assert any(part in row.reason for row in ours)
    assert all("ValueError: max() arg is an empty sequence" in row.reason for row in ours)
    keeps_the_traceback(outcome, part)


def keeps_the_traceback(outcome: RunOutcome, part: str) -> None:
    texts = [path.read_text() for path in (outcome.directory / FOLDER).iterdir()]
    assert any(part in text and "Traceback" in text and "in wrong" in text for text in texts)


def test_in_judging_examples_of_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Judge, "verdict", wrong)
    outcome = run(tmp_path)
    is_told_as_our_own(outcome, "judging an example of the machine replicated_regions")
    assert {row.verdict for row in told_of(outcome, Source.MACHINE)} == {Verdict.UNKNOWN}
    assert {row.verdict for row in told_of(outcome, Source.SCENARIO)} == {Verdict.PASS}
    assert Verdict.PASS in {row.verdict for row in told_of(outcome, Source.RULE)}
    assert set(merged(outcome.rows).values()) == {Verdict.UNKNOWN}


def test_anywhere_else_in_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(examples, "drive", wrong)
    outcome = run(tmp_path)
    is_told_as_our_own(outcome, "the machine replicated_regions")
    assert {row.verdict for row in told_of(outcome, Source.SCENARIO)} == {Verdict.PASS}


def test_in_the_processes_of_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(examples, "drive", wrong)
    outcome = run(tmp_path, selected=("CONS-RR-04", "WAN-CFG-01"), jobs=2)
    is_told_as_our_own(outcome, "the machine replicated_regions")
    assert {row.verdict for row in told_of(outcome, Source.MACHINE)} == {Verdict.UNKNOWN}


def test_in_asking_one_faulty_variant_about_a_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """So it was found: `--candidate reference:chaotic --profile smoke --seed 203 --jobs 1`."""
    right, variant = exercise.refutes, "tie-keeps-own"

    def refutes(asked: FaultyVariant, book: Rulebook, history: History) -> Any:
        return wrong() if asked.name == variant else right(asked, book, history)

    monkeypatch.setattr(exercise, "refutes", refutes)
    outcome = run(tmp_path)
    is_told_as_our_own(outcome, f"asking the faulty variant {variant} about a history")
    stays = merged(outcome.rows)
    assert stays["VER-TIE-01"] is Verdict.UNKNOWN
    assert stays["CONS-RR-04"] is Verdict.PASS, "other variants prove it"


def test_in_judging_a_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(playing, "find", wrong)
    outcome = run(tmp_path)
    is_told_as_our_own(outcome, "the scenario ")
    assert {row.verdict for row in told_of(outcome, Source.SCENARIO)} == {Verdict.UNKNOWN}
    assert Verdict.PASS in {row.verdict for row in told_of(outcome, Source.MACHINE)}


def test_in_judging_by_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(running, "judge_run", wrong)
    outcome = run(tmp_path)
    is_told_as_our_own(outcome, "judging the trace by the rules")
    assert {row.verdict for row in told_of(outcome, Source.SCENARIO)} == {Verdict.PASS}
    assert Verdict.PASS in {row.verdict for row in told_of(outcome, Source.MACHINE)}


@pytest.mark.parametrize(
    ("where", "part"),
    [
        ((examples, "reduce"), "making an example small"),
        ((examples, "find"), "naming what an example breaks"),
        ((leaving, "nearest"), "looking for a right run of"),
    ],
)
def test_a_failure_stays_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: tuple[Any, str], part: str
):
    monkeypatch.setattr(*where, wrong)
    outcome = run(tmp_path, CANDIDATE)
    assert outcome.record.complete
    keeps_the_traceback(outcome, part)
    assert Verdict.FAIL in {row.verdict for row in told_of(outcome, Source.MACHINE)}
    assert merged(outcome.rows)["VER-TIE-01"] is Verdict.FAIL
    assert any(one.source is Source.MACHINE for one in outcome.counterexamples)


def test_the_command_exits_2_and_says_whose_error_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(examples, "drive", wrong)
    result = plumbline("run", "--profile", "smoke", "--select", "CONS-RR-04", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "Plumbline's own error in the machine" in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr


def test_pytest_cannot_judge_either(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(examples, "drive", wrong)
    stash = pytest.Stash()
    stash[FINDINGS] = Findings()
    stash[ON_RECORD] = {"reference": KnownDeviations()}
    config: Any = type("Config", (), {"stash": stash})
    config.getoption = {"--profile": "smoke", "--suite-seed": 1}.get
    ours = pytest.raises(UnjudgedError, match="Plumbline's own error in the machine replicated_regions")
    with Session(find_candidate("reference")) as session:
        stash[SESSIONS] = {"reference": session}
        with ours:
            machine_item()("replicated_regions", "reference", session, config)


def plumbline(*arguments: str) -> Result:
    return CliRunner().invoke(group, list(arguments))


def interrupt(*_: Any, **__: Any) -> NoReturn:
    raise KeyboardInterrupt


@pytest.mark.parametrize("raised", [wrong, interrupt], ids=["error", "interrupted"])
@pytest.mark.parametrize("where", one_in(2, ["_machines", "_rules", "_fill_up", "_write_all"]))
def test_wherever_a_run_ends_early_its_verdicts_so_far_are_kept_and_can_be_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, raised: Callable[..., NoReturn]
):
    if where == "_write_all":
        calls: list[int] = []
        right = running._Run._write_all

        def once(self: Any, record: Any) -> None:
            calls.append(1)
            if len(calls) == 1:
                raised()
            right(self, record)

        monkeypatch.setattr(running._Run, where, once)
    else:
        monkeypatch.setattr(running._Run, where, raised)
    result = plumbline(
        *("run", "--candidate", CANDIDATE, "--profile", "smoke", "--out", str(tmp_path)),
        *("--select", "VER-TIE-01", "--select", "VER-DUP-01"),
    )
    assert result.exit_code != 0
    (directory,) = tmp_path.iterdir()
    record = read_record(directory)
    assert (record.complete, record.broken_off) == (False, True)
    stays = merged(read_verdicts(directory))
    assert stays["VER-TIE-01"] is Verdict.FAIL
    junit = (directory / "junit.xml").read_bytes()
    assert b"the run itself" in junit
    assert b"VER-TIE-01" in junit
    assert "VER-TIE-01" in failed_in(LastRun(record, directory))
    shown = plumbline("report", str(directory), "--out", str(tmp_path / "site"))
    assert "1 candidate, 1 of them not green" in shown.stdout


def test_what_a_stopped_run_had_not_come_to_is_played_again_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(running._Run, "_scenarios", interrupt)
    arguments = ("run", "--profile", "smoke", "--select", "VER-TIE-01", "--out", str(tmp_path))
    assert plumbline(*arguments).exit_code == 130
    monkeypatch.undo()
    again = plumbline("run", "--last-failed", "--out", str(tmp_path))
    assert again.exit_code == 0, again.output
    (newest,) = (one for one in tmp_path.iterdir() if read_record(one).complete)
    assert read_record(newest).selected == ("VER-TIE-01",)
