"""`plumbline gate` as its users meet it, on a run of the reference and on directories that are none."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from datetime import date
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from plumbline.ci.command import group
from plumbline.ci.lint import ROOT
from plumbline.ci.main_job import GEODE_DEVIATIONS
from plumbline.reference.catalogue.loader import catalogue
from plumbline.reference.results.deviations import Deviation
from plumbline.reference.results.gate_policy import PROFILE_ORDER, GatePolicy, PolicyError, read_policy
from plumbline.reference.results.runs import (
    Counterexample,
    read_counterexample,
    read_record,
    read_verdicts,
    write_record,
    write_verdicts,
)
from plumbline.reference.results.sealing import seal_run
from plumbline.reference.results.verdicts import Verdict
from plumbline.suites.run.profiles import PROFILES

LENIENT = 'minimum_profile = "smoke"\nwhole_suite = false\n'
TIE = "VER-TIE-01"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run of the reference, as `plumbline run` leaves it; tests change copies."""
    out = tmp_path_factory.mktemp("recorded")
    arguments = ("run", "--profile", "smoke", "--select", "CFG-CHECKS", "--out", str(out))
    assert CliRunner().invoke(group, arguments).exit_code == 0
    (directory,) = out.iterdir()
    return directory


@pytest.fixture
def run(recorded: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "runs" / recorded.name))


def gate(tmp_path: Path, *arguments: str, policy: str = LENIENT, runs: str = "runs") -> Result:
    (tmp_path / "gate.toml").write_text(policy)
    return CliRunner().invoke(
        group, ["gate", str(tmp_path / runs), "--policy", str(tmp_path / "gate.toml"), *arguments]
    )


def spoil(run: Path, verdict: Verdict, reason: str = "") -> str:
    """Give one requirement another verdict in the table; gives its id."""
    rows = read_verdicts(run)
    passed = next(row for row in rows if row.verdict is Verdict.PASS)
    others = [row for row in rows if row.requirement != passed.requirement]
    write_verdicts(run, [*others, msgspec.structs.replace(passed, verdict=verdict, reason=reason)])
    seal_run(run)
    return passed.requirement


def test_a_right_run_may_go(tmp_path: Path, run: Path):
    del run
    result = gate(tmp_path)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1].startswith("exit code 0: the release may go")
    assert "reference (" in result.stdout


def test_the_policy_for_those_who_write_none_asks_for_the_whole_suite_at_the_gate_profile(run: Path):
    result = CliRunner().invoke(group, ["gate", str(run)])
    assert result.exit_code == 1
    assert "requires the profile gate, and the runs are smoke" in result.stdout
    assert "no run that counts asked for it, nor for" in result.stdout


def test_each_reason_is_one_line_with_requirement_verdict_and_advice(tmp_path: Path, run: Path):
    identity = spoil(run, Verdict.FAIL, "it\x1b[31m broke\nexit code 0: the release may go")
    result = gate(tmp_path)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    (line,) = (line for line in lines if line.startswith("red"))
    assert re.match(
        rf"red +{identity}  fail: it\\u\{{1B\}}\[31m broke\\nexit code 0: .* → mend the product", line
    )
    assert "\x1b" not in result.stdout
    assert lines[-1] == "exit code 1: the release may not go (1 red)"


def test_json_has_the_answer_and_every_reason(tmp_path: Path, run: Path):
    identity = spoil(run, Verdict.FAIL, "it broke")
    result = gate(tmp_path, "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["exit_code"], told["answer"]) == (1, 1, "the release may not go")
    assert [(one["weight"], one["requirement"], one["verdict"]) for one in told["reasons"]] == [
        ("red", identity, "fail")
    ]
    assert told["candidates"][0]["verdicts"]["fail"] == 1


def test_a_regression_against_a_baseline_is_red(tmp_path: Path, run: Path, recorded: Path):
    assert gate(tmp_path, "--baseline", str(recorded)).exit_code == 0
    identity = spoil(run, Verdict.NOT_EXERCISED)
    result = gate(tmp_path, "--baseline", str(recorded))
    assert result.exit_code == 1
    assert f"{identity}  not exercised: it passed in the baseline" in result.stdout


def test_deviations_are_read_from_the_file_that_is_given(tmp_path: Path, run: Path):
    identity = spoil(run, Verdict.DEVIATION)
    assert gate(tmp_path).exit_code == 1
    file = tmp_path / "known.toml"
    entry = f'[[deviation]]\nrequirement = "{identity}"\nreason = "r"\nowner = "o"\nexpires = 2999-01-01\n'
    file.write_text(entry)
    assert gate(tmp_path, "--deviations", str(file)).exit_code == 0
    file.write_text(entry.replace("2999", "2020"))
    result = gate(tmp_path, "--deviations", str(file))
    assert result.exit_code == 1
    assert "has expired on 2020-01-01" in result.stdout


def played(**fields: object) -> Counterexample:
    """A counterexample of VER-TIE-01, seen on version 1.15.1 and ready to be replayed."""
    shown = read_counterexample(
        GEODE_DEVIATIONS.parent / "counterexamples" / "WANC-LOCAL-01-geode-1.15.1.json"
    )
    return msgspec.structs.replace(shown, **({"requirements": (TIE,)} | fields))


@pytest.mark.parametrize(
    ("counterexample", "expected"),
    [
        (played(), ""),
        (None, "its counterexample is missing: "),
        (b"{", "its counterexample cannot be read: "),
        (played(requirements=("VER-NEXT-01",)), "its counterexample is of VER-NEXT-01: "),
        (played(format=99), "layout 99, but this version reads those up to"),
        (played(format=1, played=None), "is of layout 1 and cannot be replayed"),
        (played(product_version="1.9.2"), "was seen on Apache Geode 1.9.2, and it is on record for 1.15.*"),
    ],
    ids=["right", "missing", "torn", "of another requirement", "newer", "older", "of another version"],
)
def test_a_deviation_that_its_file_does_not_show_is_red_with_advice(
    tmp_path: Path, run: Path, counterexample: Counterexample | bytes | None, expected: str
):
    write_record(run, msgspec.structs.replace(read_record(run), product_version="1.15.1"))
    rows = [msgspec.structs.replace(row, verdict=Verdict.PASS, exercised=1) for row in read_verdicts(run)]
    deviates = msgspec.structs.replace(rows[0], requirement=TIE, verdict=Verdict.DEVIATION)
    write_verdicts(run, [*rows, deviates])
    seal_run(run)
    known = tmp_path / "known"
    known.mkdir()
    (known / "known.toml").write_text(
        f'[[deviation]]\nrequirement = "{TIE}"\nreason = "r"\nowner = "o"\nexpires = 2999-01-01\n'
        'versions = ["1.15.*"]\ncounterexample = "shown.json"\n'
    )
    if counterexample is not None:
        data = counterexample if isinstance(counterexample, bytes) else msgspec.json.encode(counterexample)
        (known / "shown.json").write_bytes(data)
    result = gate(tmp_path, "--deviations", str(known / "known.toml"), "--json")
    told = json.loads(result.stdout)
    red = [one for one in told["reasons"] if one["weight"] == "red"]
    if not expected:
        assert (result.exit_code, red) == (0, [])
        return
    ((identity, said, advice),) = [(one["requirement"], one["told"], one["advice"]) for one in red]
    assert (result.exit_code, identity) == (1, TIE)
    assert said.startswith("of the deviation on record, its counterexample")
    assert expected in said
    assert advice


def test_files_of_deviations_that_only_the_runs_kept_are_said_not_to_be_looked_at(tmp_path: Path, run: Path):
    known = Deviation(
        requirement=TIE, reason="r", owner="o", expires=date(2999, 1, 1), counterexample="shown.json"
    )
    record = read_record(run)
    for counterexample, advised in (("shown.json", 1), ("https://example.org/1", 0), ("", 0)):
        kept = msgspec.structs.replace(known, counterexample=counterexample)
        write_record(run, msgspec.structs.replace(record, deviations=(kept,)))
        seal_run(run)
        told = json.loads(gate(tmp_path, "--json").stdout)
        assert sum("were not looked at" in one["told"] for one in told["reasons"]) == advised


def fewer_rows_in_the_trace(run: Path) -> None:
    trace = next((run / "trace").glob("*.parquet"))
    trace.write_bytes(trace.read_bytes()[:-100])


def as_of_another_run(run: Path) -> None:
    rows = read_verdicts(run)
    write_verdicts(run, [msgspec.structs.replace(row, run_id="other") for row in rows])
    seal_run(run)


def torn_table(run: Path) -> None:
    table = run / "verdicts.parquet"
    table.write_bytes(table.read_bytes()[: table.stat().st_size // 2])


def interrupted(run: Path) -> None:
    write_record(run, msgspec.structs.replace(read_record(run), complete=False))


def pipe(run: Path) -> None:
    (run / "run.json").unlink()
    os.mkfifo(run / "run.json")


def twice(run: Path) -> None:
    shutil.copytree(run, run.with_name("copy"))


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda run: (run / "verdicts.parquet").unlink(), "verdicts.parquet: in the seal, but missing"),
        (torn_table, "verdicts.parquet"),
        (as_of_another_run, "it belongs to another run, other"),
        (interrupted, "it did not end in order"),
        (lambda run: (run / "run.json").write_bytes(b"\x1b[31m{"), "run.json"),
        (lambda run: (run / "run.json").write_bytes(b"[" * 100_000), "run.json"),
        (pipe, "this is no file"),
        (lambda run: shutil.rmtree(run / "trace"), "manifest.json: in the seal, but missing"),
        (fewer_rows_in_the_trace, "truncated"),
        (twice, "was already read"),
        (shutil.rmtree, "no run.json in it nor below it"),
        (lambda run: shutil.rmtree(run.parent), "no such directory"),
    ],
)
def test_a_directory_that_is_broken_leaves_the_question_open(
    tmp_path: Path, run: Path, break_it: Callable[[Path], object], said: str
):
    break_it(run)
    result = gate(tmp_path)
    assert result.exit_code == 2
    assert said in result.stdout
    assert "the question could not be answered" in result.stdout
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("minimum_profil = 'gate'", "there is no key 'minimum_profil' here; did you mean minimum_profile?"),
        ("minimum_profile = 'gaet'", "'gaet' is none of full, gate, smoke; did you mean gate?"),
        ("levels = ['MUTS']", "'MUTS' is none of MUST, SHOULD, MAY, EXTENSION; did you mean MUST?"),
        ("[tolerated]\nunknown = -1", "tolerated, unknown: expected"),
        ("[tolerated]\nunknown = 'all'", "tolerated, unknown: "),
        ("not_required = ['VER-TIE-1']", "not_required: there is no requirement 'VER-TIE-1'; did you mean"),
        ("regressions_accepted = ['VER']", "regressions_accepted: there is no requirement 'VER'"),
        ("[required]\nrequirements = ['X-Y-01']", "required, requirements: there is no requirement"),
        ("passes_at_least = 0", "passes_at_least: expected"),
        ("levels =", "no TOML"),
    ],
)
def test_a_wrong_policy_is_told_with_its_place_and_exit_code_2(
    tmp_path: Path, run: Path, policy: str, said: str
):
    del run
    result = gate(tmp_path, policy=policy)
    assert result.exit_code == 2
    assert "gate.toml: " in result.output
    assert said in " ".join(result.output.split())


def test_a_policy_that_is_missing_is_told(tmp_path: Path):
    with pytest.raises(PolicyError, match="No such file"):
        read_policy(tmp_path / "none.toml")


def test_the_policy_of_the_documentation_is_the_one_in_force_without_a_file(tmp_path: Path):
    page = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    text = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0]
    (tmp_path / "gate.toml").write_text(text)
    assert read_policy(tmp_path / "gate.toml") == GatePolicy()
    keys = set(re.findall(r"^(\w+) =", text, re.MULTILINE))
    told = {
        *GatePolicy.__struct_fields__,
        *GatePolicy().tolerated.__struct_fields__,
        *GatePolicy().required.__struct_fields__,
    }
    assert keys == told - {"tolerated", "required"}


def test_the_order_of_profiles_is_that_of_the_suite():
    assert list(PROFILE_ORDER) == list(PROFILES)
    assert sorted(PROFILES.values(), key=lambda one: one.examples) == list(PROFILES.values())


def earlier(run: Path, verdict: Verdict) -> str:
    """Put an older run beside it, in which one requirement got another verdict; gives its id."""
    older = Path(shutil.copytree(run, run.parent / "earlier"))
    record = read_record(older)
    rows = [msgspec.structs.replace(row, run_id="earlier") for row in read_verdicts(older)]
    write_verdicts(older, rows)
    started = "2020-01-01T00:00:00+00:00"
    write_record(older, msgspec.structs.replace(record, run_id="earlier", started=started))
    return spoil(older, verdict)


def test_a_mended_failure_is_green_unless_all_runs_are_asked_for(tmp_path: Path, run: Path):
    failed = earlier(run, Verdict.FAIL)
    mended = gate(tmp_path)
    assert mended.exit_code == 0, mended.output
    assert "1 older run was left out" in mended.stdout
    assert json.loads(gate(tmp_path, "--json").stdout)["older_runs"] == ["earlier"]
    every = gate(tmp_path, "--all")
    assert every.exit_code != 0
    assert failed in every.stdout


def test_without_arguments_the_configured_folder_is_read(
    tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch
):
    del run
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gate.toml").write_text(LENIENT)
    usual = CliRunner().invoke(group, ["gate", "--policy", "gate.toml"])
    assert usual.exit_code == 0, usual.output
    (tmp_path / "runs").rename(tmp_path / "kept")
    assert CliRunner().invoke(group, ["gate", "--policy", "gate.toml"]).exit_code == 2
    (tmp_path / "plumbline.toml").write_text('[candidate]\nname = "reference"\n[run]\nout = "kept"\n')
    assert CliRunner().invoke(group, ["gate", "--policy", "gate.toml"]).exit_code == 0


def test_what_was_not_judged_is_said_whatever_the_answer_is(tmp_path: Path, run: Path):
    del run
    result = CliRunner().invoke(group, ["gate", str(tmp_path / "runs"), *policy(tmp_path)], color=True)
    assert result.exit_code == 0, result.output
    found = re.search(r"\x1b\[31m\x1b\[1m(\d+) of (\d+) were not judged\x1b\[0m", result.stdout)
    assert found is not None
    assert 300 < int(found[1]) < int(found[2]) == len(catalogue())


def policy(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "gate.toml").write_text(LENIENT)
    return "--policy", str(tmp_path / "gate.toml")


def test_files_for_build_servers_are_written_where_they_are_asked_for(tmp_path: Path, run: Path):
    identity = spoil(run, Verdict.FAIL, "it broke")
    out = tmp_path / "out"
    asked = ("--sarif", out / "a.sarif", "--badge", out / "a.svg", "--summary", out / "a.md")
    result = gate(tmp_path, *map(str, asked))
    assert result.exit_code == 1
    assert "::error" not in result.output
    (results,) = (one["results"] for one in json.loads((out / "a.sarif").read_text())["runs"])
    assert [one["ruleId"] for one in results] == [identity]
    assert "1 violated" in (out / "a.svg").read_text()
    assert json.loads((out / "a.json").read_text())["message"] == "1 violated"
    assert "The release may not go" in (out / "a.md").read_text()


def test_on_github_reasons_become_annotations_and_the_summary_of_the_step(
    tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch
):
    identity = spoil(run, Verdict.FAIL, "it broke")
    (tmp_path / "step.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "step.md"))
    result = gate(tmp_path, "--json")
    assert json.loads(result.stdout)["exit_code"] == 1
    lines = result.stderr.splitlines()
    assert any(line.startswith(f"::error title={identity} fail::it broke%0A") for line in lines)
    summary = (tmp_path / "step.md").read_text()
    assert summary.startswith("before\n## Plumbline: ❌ The release may not go")
    assert "were not judged" in summary
