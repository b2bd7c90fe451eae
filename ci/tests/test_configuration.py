"""`plumbline.toml`: written by `plumbline init`, read by run, pytest, replay, gate; `--last-failed`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.errors import AdapterError, UnknownCandidateError
from plumbline.adapters.process.client import ProcessAdapter, ReplyLimits
from plumbline.adapters.protocol import Introduction
from plumbline.ci.command import group
from plumbline.ci.lint import ROOT
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.records import Level
from plumbline.reference.results.gate_policy import GatePolicy, Tolerated
from plumbline.reference.results.runs import (
    RunRecord,
    read_record,
    read_verdicts,
    write_record,
    write_verdicts,
)
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.suites.run.configuration import (
    NO_SETTINGS,
    Configuration,
    ConfigurationError,
    find_settings,
    template,
)

ADAPTER = """\
#!/bin/sh
[ "$EXPECTED" = yes ] || { echo "EXPECTED is not set" >&2; exit 3; }
exec %s -m plumbline.ci serve-reference "$@"
"""

SETTINGS = """\
[candidate]
command = "./my-adapter"
environment = { EXPECTED = "yes" }
[run]
profile = "smoke"
seed = 7
select = ["CFG-CHECKS-05"]
out = "kept"
[gate]
minimum_profile = "smoke"
whole_suite = false
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an adapter that answers only as it is configured, and its settings; called from there."""
    adapter = tmp_path / "my-adapter"
    adapter.write_text(ADAPTER % sys.executable)
    adapter.chmod(0o755)
    (tmp_path / "plumbline.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(group, arguments)


def only_record(out: Path) -> RunRecord:
    (directory,) = out.iterdir()
    return read_record(directory)


def settings_of(tmp_path: Path, text: str):
    (tmp_path / "some.toml").write_text(text)
    return find_settings(tmp_path / "some.toml")


def test_a_run_takes_from_the_file_what_its_command_line_leaves_out(folder: Path):
    result = call("run")
    assert result.exit_code == 0, result.stderr
    record = only_record(folder / "kept")
    assert (record.candidate, record.profile, record.seed) == ("process:./my-adapter", "smoke", 7)
    assert record.selected == ("CFG-CHECKS-05",)
    assert call("gate", "kept").exit_code == 0


def test_a_command_line_wins_over_the_file(folder: Path):
    arguments = ("--candidate", "reference", "--seed", "9", "--select", "VER-DUP-01", "--out", "elsewhere")
    assert call("run", *arguments).exit_code == 0
    record = only_record(folder / "elsewhere")
    assert (record.candidate, record.seed, record.selected) == ("reference", 9, ("VER-DUP-01",))
    (folder / "gate.toml").write_text("")
    assert call("gate", "elsewhere", "--policy", "gate.toml").exit_code == 1


def test_a_file_elsewhere_is_named_and_its_paths_start_from_it(folder: Path, monkeypatch: pytest.MonkeyPatch):
    known = '[[deviation]]\nrequirement = "CFG-CHECKS-05"\nreason = "r"\nowner = "o"\nexpires = 2999-01-01\n'
    (folder / "known.toml").write_text(known)
    text = SETTINGS.replace("[gate]", 'deviations = "known.toml"\n[gate]')
    (folder / "plumbline.toml").write_text(text)
    (folder / "below").mkdir()
    monkeypatch.chdir(folder / "below")
    assert call("run", "--config", "../plumbline.toml").exit_code == 0
    record = only_record(folder / "kept")
    assert record.candidate == "process:./my-adapter"
    assert [one.requirement for one in record.deviations] == ["CFG-CHECKS-05"]
    told = call("gate", "../kept", "--config", "../plumbline.toml")
    assert "the deviation on record no longer shows" in told.stdout


def test_pytest_reads_the_file_too(folder: Path):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-rA",
        "-p",
        "no:cacheprovider",
        "--pyargs",
        "plumbline.suites",
    ]
    done = subprocess.run(
        [*command, "-k", "CFG-CHECKS-05"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    assert "[process:./my-adapter-CFG-CHECKS-05]" in done.stdout
    (folder / "plumbline.toml").write_text("[run]\nprofil = 'smoke'")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 4
    assert "did you mean profile?" in done.stderr


def test_a_capability_that_is_expected_and_not_offered_ends_the_run_before_anything_is_judged(folder: Path):
    text = SETTINGS.replace("[run]", 'capabilities = ["gateways", "visible_versions"]\n[run]')
    (folder / "plumbline.toml").write_text(text)
    result = call("run", "--json")
    assert result.exit_code == 2
    (told,) = json.loads(result.stdout)["runs"][0]["verdicts"]
    assert told["verdict"] == "adapter error"
    assert "does not offer visible_versions, which plumbline.toml expects" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[candidat]", "there is no key 'candidat' here; did you mean candidate?"),
        ("[time_outs]\nanswer = 30", "time_outs: there is no key 'answer' here; did you mean answer_ms?"),
        ("[time_outs]\nanswer_ms = '30s'", "time_outs, answer_ms: expected a whole number, got text"),
        ("[durations]\nsettle_limit_ms = 0", "durations, settle_limit_ms: expected a whole number >= 1"),
        ("[run]\nbudget_s = 0", "run, budget_s: expected"),
        ("[run]\nprofile = 'fulll'", "did you mean full?"),
        ("[candidate]\ncapabilities = ['gateway']", "did you mean gateways?"),
        ("[candidate]\ncommand = 'a'\nname = 'reference'", "both a command and a name"),
        ("[candidate]\nname = 'reference'\nenvironment = {A = 'b'}", "only a command has one"),
        ('[candidate]\ncommand = "a \'b"', "cannot be split into words"),
        ("[candidate]\nenvironment = {A = 1}", "candidate, environment, ...: expected text"),
        ('[candidate]\ncommand = ""', "candidate, command: it is blank"),
        ('[candidate]\nname = ""', "candidate, name: it is blank"),
        ('[candidate]\ncommand = " \\t"', "candidate, command: it is blank"),
        ('[candidate]\ncommand = "a"\nname = ""', "candidate, name: it is blank"),
        ('[candidate]\ncommand = "a"\nenvironment = {A = ""}', "candidate, environment, A: it is blank"),
        ('[candidate]\ncommand = "a"\nenvironment = {" " = "b"}', "candidate, environment, ' ': it is blank"),
        ("[candidate]\ncapabilities = ['gateways']", "candidate: it has neither a command nor a name"),
        ('[run]\ndeviations = ""', "run, deviations: it is blank"),
        ('[run]\nout = ""', "run, out: it is blank"),
        ('[run]\nprofile = ""', "run, profile: it is blank"),
        ('[run]\nselect = [""]', "run, select 1: it is blank"),
        ('[run]\nselect = ["VER", " "]', "run, select 2: it is blank"),
        ('[gate]\nnot_required = [" "]', "gate, not_required 1: it is blank"),
        ('[gate]\nminimum_profile = ""', "gate, minimum_profile: it is blank"),
        (
            '[gate.required]\ncandidates = [""]',
            "gate, required, candidates 1: it is blank",
        ),
        ("[gate]\nnot_required = ['XYZ']", "gate: not_required: there is no requirement 'XYZ'"),
        (
            "[gate.tolerated]\nunknwon = 1",
            "gate, tolerated: there is no key 'unknwon' here; did you mean unknown?",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_the_place_and_the_nearest_name(tmp_path: Path, text: str, said: str):
    with pytest.raises(ConfigurationError) as refusal:
        settings_of(tmp_path, text)
    assert str(refusal.value).startswith(str(tmp_path / "some.toml"))
    assert said in str(refusal.value)


@pytest.mark.parametrize("command", ["run", "gate", "replay"])
def test_every_command_that_reads_the_file_refuses_a_wrong_one(folder: Path, command: str):
    (folder / "plumbline.toml").write_text("[candidat]")
    result = call(command, *([] if command == "run" else ["plumbline.toml"]))
    assert result.exit_code == 2
    assert "did you mean candidate?" in " ".join(result.output.split())
    assert not (folder / "kept").exists()


@pytest.mark.parametrize("key", ["command", "name"])
def test_an_unset_variable_of_a_template_does_not_test_the_reference_instead(folder: Path, key: str):
    (folder / "plumbline.toml").write_text(f'[candidate]\n{key} = ""\n[run]\nprofile = "smoke"\n')
    for command in (["run"], ["check-adapter"], ["gate", "."], ["replay", "plumbline.toml"]):
        result = call(*command)
        assert result.exit_code == 2, command
        told = " ".join(result.output.split())
        assert f"plumbline.toml: candidate, {key}: it is blank" in told
    assert not (folder / "kept").exists()
    assert not (folder / "runs").exists()


BLANK = [
    ("run", "--candidate"),
    ("run", "--select"),
    ("run", "--profile"),
    ("run", "--dialect"),
    ("run", "--deviations"),
    ("run", "--budget"),
    ("run", "--timeout"),
    ("run", "--out"),
    ("run", "--config"),
    ("check-adapter", "--candidate"),
    ("gate", "--policy"),
    ("gate", "--deviations"),
    ("gate", "--baseline"),
    ("gate", ""),
    ("report", ""),
    ("report", "--out"),
    ("judge", ""),
    ("judge", "--out"),
    ("traces compact", ""),
    ("traces compact", "--out"),
    ("traces record", "--from"),
    ("traces record", "--map"),
    ("traces record", "--out"),
    ("replay", ""),
    ("replay", "--candidate"),
    ("faulty run", ""),
]


@pytest.mark.parametrize("value", ["", " "])
@pytest.mark.parametrize(("command", "option"), BLANK)
def test_a_blank_value_on_a_command_line_is_a_usage_error_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, option: str, value: str
):
    monkeypatch.chdir(tmp_path)
    result = call(*command.split(), *([option] if option else []), value)
    assert result.exit_code == 2
    told = " ".join(result.output.split())
    assert "is blank, as an unset variable leaves it" in told
    assert (option or "argument") in told.replace("the value of '", "argument ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--candidate", "--deviations", "--plumbline-config"])
def test_a_blank_value_is_a_usage_error_of_pytest_too(tmp_path: Path, option: str):
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--pyargs", "plumbline.suites"]
    done = subprocess.run(
        [*command, option, ""], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"the value of {option} is blank" in done.stderr


def test_a_command_that_is_not_there_is_told_with_the_file(folder: Path):
    (folder / "my-adapter").unlink()
    settings = find_settings(None, folder)
    with pytest.raises(UnknownCandidateError, match=r"plumbline\.toml: .*there is no program"):
        settings.find(settings.candidate_name)


def test_time_outs_and_durations_reach_the_candidate(tmp_path: Path):
    settings = settings_of(
        tmp_path,
        "[candidate]\nname = 'reference'\n"
        "[time_outs]\nanswer_ms = 1\ndeploy_ms = 2\nlongest_ms = 3\ngrace_ms = 4\n"
        "[durations]\nsettle_limit_ms = 5\nclock_error_ms = 0\n",
    )
    assert settings.said.time_outs.limits == ReplyLimits(call_ms=1, deploy_ms=2, longest_ms=3, grace_ms=4)
    said = Introduction(name="n", version="v", capabilities=())
    introduced = settings.find("reference").introduced(said)
    assert (introduced.settle_limit_ms, introduced.clock_error_ms) == (5, 0)
    assert settings.find("reference:chaotic").introduced(said) == said


def test_the_time_outs_of_the_file_hold_for_every_process_unless_a_command_line_names_others(folder: Path):
    (folder / "plumbline.toml").write_text(SETTINGS + "[time_outs]\nanswer_ms = 12345\n")
    settings = find_settings(None, folder)
    for limits, answer_ms in ((None, 12345), (ReplyLimits(call_ms=99), 99)):
        for name in ("process:./my-adapter", "process:sh -c true"):
            with settings.find(name, limits=limits).open() as adapter:
                assert isinstance(adapter, ProcessAdapter)
                assert adapter._limits.call_ms == answer_ms


def test_an_environment_is_that_of_the_configured_candidate_alone(folder: Path):
    settings = find_settings(None, folder)
    with settings.find("process:./my-adapter").open() as adapter:
        assert adapter.hello().name
    with find_candidate("process:./my-adapter").open() as adapter, pytest.raises(AdapterError) as error:
        adapter.hello()
    assert "EXPECTED is not set" in error.value.last_words


def test_without_a_file_nothing_is_set(tmp_path: Path):
    assert find_settings(None, tmp_path) == NO_SETTINGS
    with pytest.raises(ConfigurationError, match="No such file"):
        find_settings(tmp_path / "none.toml")


def uncommented(text: str) -> str:
    return re.sub(r"^# (\w+ = )", r"\1", text, flags=re.MULTILINE).replace("\nname =", "\n# name =")


def test_the_file_to_begin_with_is_right_as_it_is_and_with_every_key_set(tmp_path: Path):
    settings = settings_of(tmp_path, template("./a 'b \"c'"))
    assert settings.candidate_name == "process:./a 'b \"c'"
    said = msgspec.structs.replace(settings.said, candidate=Configuration().candidate)
    assert said == Configuration()
    every = settings_of(tmp_path, uncommented(template()))
    assert every.said.candidate.capabilities == (Capability.CLIENTS, Capability.GATEWAYS)
    assert every.said.gate.levels == (Level.MUST, Level.SHOULD)
    assert every.said.run.budget_s == 300
    assert every.said.gate.tolerated == Tolerated(not_exercised=20, unsupported=20)
    assert every.said.gate != GatePolicy()


def test_init_writes_the_file_once_and_again_only_when_forced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert call("init", "--command", "./mine --stdio").exit_code == 0
    written = (tmp_path / "plumbline.toml").read_text()
    assert find_settings(None, tmp_path).candidate_name == "process:./mine --stdio"
    refused = call("init")
    assert refused.exit_code == 2
    assert "plumbline.toml is there already; --force replaces it" in refused.output
    assert (tmp_path / "plumbline.toml").read_text() == written
    assert call("init", "--force").exit_code == 0
    assert (tmp_path / "plumbline.toml").read_text() == template()


def test_init_with_a_command_that_no_shell_can_split_writes_nothing(tmp_path: Path):
    result = call("init", str(tmp_path), "--command", "./mine 'x")
    assert result.exit_code == 2
    assert "cannot be split" in result.output
    assert list(tmp_path.iterdir()) == []


def test_the_documentation_shows_the_file_that_is_written():
    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert f"```toml\n{template()}```" in page


# --last-failed


def earlier_run(out: Path, started: str, *verdicts: tuple[str, Verdict], **fields: object) -> Path:
    """A run directory with one row a requirement."""
    directory = out / f"run-{started}"
    record: dict[str, object] = {
        "suite_version": "0",
        "candidate": "reference",
        "product": "p",
        "product_version": "1",
        "dialect": "geode",
        "profile": "smoke",
        "seed": 11,
        "complete": True,
    }
    record |= fields
    write_record(directory, RunRecord(run_id=directory.name, started=started, **record))  # type: ignore[arg-type]
    rows = [
        VerdictRow(run_id=directory.name, requirement=identity, source=Source.SCENARIO, verdict=verdict)
        for identity, verdict in verdicts
    ]
    write_verdicts(directory, rows)
    return directory


def test_last_failed_plays_what_failed_or_went_unjudged_in_the_last_run_with_its_seed(tmp_path: Path):
    earlier_run(tmp_path, "2026-01-01", ("VER-TIE-01", Verdict.FAIL))
    last = earlier_run(
        tmp_path,
        "2026-01-02",
        ("CFG-CHECKS-05", Verdict.FAIL),
        ("VER-DUP-01", Verdict.ADAPTER_ERROR),
        ("VER-TIE-02", Verdict.PASS),
        ("VER-TIE-03", Verdict.NOT_EXERCISED),
    )
    (tmp_path / "junk").mkdir()
    (tmp_path / "junk" / "run.json").write_text("junk")
    result = call("run", "--last-failed", "--out", str(tmp_path))
    assert result.exit_code == 0, result.stderr
    (new,) = (
        read_record(path)
        for path in tmp_path.iterdir()
        if path.name not in {"run-2026-01-01", last.name, "junk"}
    )
    assert new.selected == ("VER-DUP-01", "CFG-CHECKS-05")
    assert (new.profile, new.seed, new.candidate) == ("smoke", 11, "reference")
    again = call("run", "--last-failed", "--out", str(tmp_path))
    assert again.exit_code == 0
    assert "nothing failed in the last run" in again.stderr


def test_last_failed_keeps_to_the_candidate_and_the_selection_that_are_given(tmp_path: Path):
    earlier_run(tmp_path, "2026-01-01", ("VER-TIE-01", Verdict.FAIL), ("VER-DUP-01", Verdict.FAIL))
    earlier_run(tmp_path, "2026-01-02", ("VER-TIE-02", Verdict.FAIL), candidate="faulty:tie-keeps-own")
    arguments = ("--candidate", "reference", "--select", "VER-DUP")
    result = call("run", "--last-failed", "--out", str(tmp_path), "--json", *arguments)
    assert [one["requirement"] for one in json.loads(result.stdout)["runs"][0]["verdicts"]] == ["VER-DUP-01"]


@pytest.mark.parametrize("torn", [False, True])
def test_last_failed_without_a_run_that_ended_says_so(tmp_path: Path, torn: bool):
    if torn:
        (earlier_run(tmp_path, "2026-01-01") / "verdicts.parquet").unlink()
    result = call("run", "--last-failed", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert ("missing, so the run has not ended" if torn else "there is no run below") in result.output
    assert len(list(tmp_path.iterdir())) == torn


def test_the_rows_of_a_run_played_again_are_those_asked_for(folder: Path):
    earlier_run(
        folder / "kept", "2026-01-01", ("CFG-CHECKS-05", Verdict.FAIL), candidate="process:./my-adapter"
    )
    assert call("run", "--last-failed").exit_code == 0
    (new,) = (path for path in (folder / "kept").iterdir() if path.name != "run-2026-01-01")
    assert {row.requirement for row in read_verdicts(new)} == {"CFG-CHECKS-05"}
