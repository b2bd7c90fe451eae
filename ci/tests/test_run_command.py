"""`plumbline run` as its users meet it: exit codes, what is printed, and the directory that is left."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from plumbline.ci.command import group
from plumbline.ci.lint import ROOT
from plumbline.reference.catalogue.loader import all_requirements, catalogue
from plumbline.reference.catalogue.records import Requirement
from plumbline.reference.results.deviations import in_force, read_deviations
from plumbline.reference.results.runs import RunRecord, read_counterexample, read_record, read_verdicts
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow, merge
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.trace.files import verified_files
from plumbline.suites.run.known_deviations import KnownDeviations
from plumbline.suites.run.profiles import PROFILES

SERVED = shlex.join([sys.executable, "-m", "plumbline.ci", "serve-reference"])


def run(out: Path, *arguments: str, profile: str = "smoke") -> Result:
    """The command's result; its run directories lie in `out`."""
    return CliRunner().invoke(group, ["run", "--profile", profile, "--out", str(out), *arguments])


def only_run(out: Path) -> tuple[Path, RunRecord, list[VerdictRow]]:
    """The one run directory, its record and its verdict table."""
    (directory,) = out.iterdir()
    return directory, read_record(directory), read_verdicts(directory)


def merged(rows: list[VerdictRow], requirement: str) -> Verdict:
    return merge(row.verdict for row in rows if row.requirement == requirement)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    """One run of everything on the reference, as JSON; few plans are drawn of each machine."""
    out = tmp_path_factory.mktemp("reference")
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(PROFILES, "smoke", msgspec.structs.replace(PROFILES["smoke"], examples=2))
        return run(out, "--json"), out


@pytest.mark.slow
def test_the_reference_passes_and_leaves_a_whole_run_directory(reference: tuple[Result, Path]):
    result, out = reference
    assert result.exit_code == 0, result.stderr
    directory, record, rows = only_run(out)
    assert record.complete
    assert record.run_id == directory.name
    assert (record.candidate, record.profile) == ("reference", "smoke")
    assert f"results saved in {directory}" in result.stderr
    files, flaws = verified_files(directory, record.run_id)
    assert (len(files), flaws) == (1, [])
    assert {row.requirement for row in rows} == set(all_requirements())
    assert {row.run_id for row in rows} == {record.run_id}
    assert merged(rows, "VER-TIE-01") is Verdict.PASS
    assert not list(directory.glob("counterexamples/*"))


def test_a_run_leaves_its_verdicts_for_build_servers(reference: tuple[Result, Path]):
    directory, record, rows = only_run(reference[1])
    suite = ET.parse(directory / "junit.xml").getroot()[0]  # noqa: S314 - written a moment ago, by us
    properties = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert (properties["run_id"], properties["seed"]) == (record.run_id, str(record.seed))
    judged = {row.requirement for row in rows}
    cases = {str(case.get("name")).split()[0]: case for case in suite.iter("testcase")}
    assert set(cases) == judged
    skipped = {name for name, case in cases.items() if case.find("skipped") is not None}
    neither = (Verdict.NOT_EXERCISED, Verdict.UNSUPPORTED)
    assert skipped == {name for name in judged if merged(rows, name) in neither}


def test_every_source_has_judged_the_run_and_rules_are_among_them(reference: tuple[Result, Path]):
    _, _, rows = only_run(reference[1])
    passed = {(row.source, row.requirement) for row in rows if row.verdict is Verdict.PASS}
    by_rule = {requirement for source, requirement in passed if source is Source.RULE}
    assert by_rule >= {"CONS-RR-02", "CONS-RR-04", "CONS-RR-05", "DISC-LSN-01", "WAN-OPS-01"}
    for source in (Source.SCENARIO, Source.MACHINE):
        assert (source, "CONS-RR-04") in passed
    assert all(row.exercised for row in rows if row.verdict is Verdict.PASS)


def test_json_on_standard_output_has_the_promised_shape_and_says_what_the_table_says(
    reference: tuple[Result, Path],
):
    result, out = reference
    told = json.loads(result.stdout)["runs"][0]
    counted = ["totals", "not_asked_for", "without_test", "exit_code"]
    assert list(told) == [
        *("candidate", "directory", "dialect", "profile", "seed", "complete", "ended_early", "left_out"),
        *("verdicts", "extensions", *counted, "deviations_not_seen"),
    ]
    assert sum(told["totals"].values()) + told["not_asked_for"] + told["without_test"] == len(catalogue())
    assert {frozenset(verdict) for verdict in told["verdicts"]} == {
        frozenset({"requirement", "verdict", "exercised", "failures", "clauses_not_reached"})
    }
    assert told["deviations_not_seen"] == []
    _, record, rows = only_run(out)
    assert [told[name] for name in ("candidate", "dialect", "profile", "seed")] == [
        record.candidate,
        record.dialect,
        record.profile,
        record.seed,
    ]
    assert len(told["verdicts"]) == len(catalogue())
    for verdict in told["verdicts"]:
        about = [row for row in rows if row.requirement == verdict["requirement"]]
        assert verdict["verdict"] == merge(row.verdict for row in about)
        assert verdict["exercised"] == sum(row.exercised for row in about)
        assert verdict["failures"] == sum(row.failures for row in about)


def test_the_rules_and_the_site_find_the_run_as_it_was_left(reference: tuple[Result, Path], tmp_path: Path):
    _, out = reference
    assert CliRunner().invoke(group, ["judge", str(out)]).exit_code == 0
    site = CliRunner().invoke(group, ["report", str(out), "--out", str(tmp_path / "site")])
    assert site.exit_code == 0
    assert "1 candidate, 0 of them not green" in site.stdout
    assert "0 set aside" in site.stdout


def test_several_candidates_are_an_array_and_the_worst_exit_code_stays(tmp_path: Path):
    names = ("reference", "faulty:nobody-counts")
    flags = [word for name in names for word in ("--candidate", name)]
    result = run(tmp_path, *flags, "--select", "STAT-CONFLATED-01", "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)["runs"]
    assert [one["candidate"] for one in told] == list(names)
    assert [one["verdicts"][0]["verdict"] for one in told] == ["pass", "fail"]
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("variant", "requirement"),
    [
        ("tie-keeps-own", "VER-TIE-01"),
        ("announces-losers", "DISC-LSN-01"),
        ("skips-a-member", "CONS-RR-04"),
    ],
)
def test_a_faulty_variant_fails_its_requirement_and_tells_the_whole_story(
    tmp_path: Path, variant: str, requirement: str
):
    result = run(tmp_path / "runs", "--candidate", f"faulty:{variant}", "--select", requirement)
    assert result.exit_code == 1
    directory, record, rows = only_run(tmp_path / "runs")
    assert record.complete
    failing = [row for row in rows if row.verdict is Verdict.FAIL and row.source is not Source.RULE]
    # Nothing else is said to fail, but what the variant breaks besides and the machine has seen.
    assert requirement in {row.requirement for row in failing}
    assert {row.requirement for row in failing} <= set(FAULTY[variant].requirements)
    assert {row.requirement for row in failing if row.source is Source.SCENARIO} == {requirement}
    for row in failing:
        counterexample = read_counterexample(directory / "counterexamples" / row.counterexample)
        assert requirement in counterexample.requirements
        assert counterexample.expected
        assert counterexample.seen
        assert counterexample.times_failed == counterexample.times_tried == 3
    text = result.stderr
    assert f"Violates {requirement}" in text
    for heading in ("Steps", "What happened", "Expected", "Seen", "Replay it"):
        assert f"\n{heading}\n" in text
    assert "exit code 1: a requirement is violated" in text
    # The line can be copied as it is printed, and fails again.
    line = re.search(r"Replay it\n((?:.*\\\n)*.*)\n", text)
    assert line is not None
    again = replayed(line[1].replace("\\\n", ""))
    assert again.exit_code == 1
    assert f"Violates {requirement}" in again.stdout


def replayed(line: str) -> Result:
    """What comes of a replay line."""
    program, *arguments = shlex.split(line)
    assert (program, arguments[0]) == ("plumbline", "replay")
    return CliRunner().invoke(group, arguments)


def replay_line(directory: Path, source: Source) -> str:
    (file,) = directory.glob(f"counterexamples/{source}-*.json")
    return read_counterexample(file).replay


def test_a_replay_is_judged_as_the_run_was(tmp_path: Path):
    known = tmp_path / "what is known.toml"
    known.write_text(
        DEVIATIONS.format(expires="2999-12-31", versions="*").replace("VER-TIE-01", "VER-DUP-01")
    )
    said = ("--timeout", "40s", "--deviations", str(known))
    result = run(
        tmp_path / "runs",
        *("--candidate", "faulty:nobody-counts", "--select", "STAT-CONFLATED-01", "--seed", "11"),
        *("--dialect", "gemfire6", *said),
    )
    assert result.exit_code == 1
    line = replay_line(only_run(tmp_path / "runs")[0], Source.MACHINE)
    arguments = shlex.split(line)
    assert [flag for flag in said if flag not in arguments] == []
    assert replayed(line).exit_code == 1
    known.write_text(
        known.read_text().replace("VER-DUP-01", "STAT-CONFLATED-01").replace("tie-keeps-own", "nobody-counts")
    )
    assert replayed(line).exit_code == 0, "what was found is on record by now"


@pytest.mark.parametrize(
    ("word", "chosen"),
    [
        ("VER-TIE-01", lambda entry: entry.id == "VER-TIE-01"),
        ("VER-TIE", lambda entry: entry.id.startswith("VER-TIE-")),
        ("versions", lambda entry: entry.area == "versions"),
    ],
)
def test_only_what_is_selected_by_id_beginning_or_area_is_judged(
    tmp_path: Path, word: str, chosen: Callable[[Requirement], bool]
):
    result = run(tmp_path, "--select", word, "--budget", "1ms", "--json")
    told = {verdict["requirement"] for verdict in json.loads(result.stdout)["runs"][0]["verdicts"]}
    assert told == {entry.id for entry in catalogue().values() if chosen(entry)}
    assert told


def test_several_selections_add_up(tmp_path: Path):
    result = run(tmp_path, "--select", "VER-TIE-01", "--select", "DISC", "--budget", "1ms", "--json")
    told = {verdict["requirement"] for verdict in json.loads(result.stdout)["runs"][0]["verdicts"]}
    assert "VER-TIE-01" in told
    assert {identity[:5] for identity in told} == {"VER-T", "DISC-"}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--candidate", "refrence"], "reference"),
        (["--candidate", "faulty:tie-keep-own"], "tie-keeps-own"),
        (["--candidate", "process:./no-such-program"], "no-such-program"),
        (["--candidate", "python:no_such_module:Factory"], "no_such_module"),
        (["--candidate", "geode:1.15.9"], "1.15.1"),
        (["--select", "VER-TIE-99"], "VER-TIE-01"),
        (["--select", "version"], "versions"),
        (["--dialect", "geod"], "geode"),
        (["--profile", "smok"], "smoke"),
        (["--budget", "soon"], "90s"),
        (["--timeout", "soon"], "90s"),
        (["--seed", "x"], "integer"),
        (["--deviations", "no-such-file.toml"], "no-such-file.toml"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_nobody_knows_is_refused_at_once_naming_what_may_be_meant(
    tmp_path: Path, arguments: list[str], named: str
):
    result = run(tmp_path / "runs", *arguments)
    assert result.exit_code == 2
    assert named in result.output
    assert "Traceback" not in result.output
    assert isinstance(result.exception, SystemExit)
    assert not (tmp_path / "runs").exists()


def test_a_candidate_owes_nothing_of_a_requirement_of_another_dialect(tmp_path: Path):
    told = {}
    for dialect in ("gemfire6", "geode"):
        result = run(tmp_path / dialect, "--select", "SER-SECONDARY-07", "--dialect", dialect, "--json")
        assert json.loads(result.stdout)["runs"][0]["dialect"] == dialect
        told[dialect] = only_run(tmp_path / dialect)[2][0].reason
    assert told["gemfire6"] == "not owed in the dialect gemfire6"
    assert told["geode"] == "no test of it yet"


def test_what_is_not_owed_is_not_judged_though_there_are_tests_of_it(tmp_path: Path):
    for dialect, verdict in (("gemfire6", Verdict.FAIL), ("geode", Verdict.UNSUPPORTED)):
        said = ("--candidate", "faulty:sends-ahead", "--select", "GWQ-ACK-05", "--dialect", dialect)
        run(tmp_path / dialect, *said)
        rows = only_run(tmp_path / dialect)[2]
        assert merged(rows, "GWQ-ACK-05") is verdict, dialect


def test_a_counterexample_names_nothing_that_its_dialect_does_not_owe(tmp_path: Path):
    run(tmp_path, "--candidate", "faulty:keeps-invalidations", "--select", "CONS-CL-02")
    directory, _, rows = only_run(tmp_path)
    files = {row.counterexample for row in rows if row.counterexample}
    assert files
    for file in files:
        named = read_counterexample(directory / "counterexamples" / file).requirements
        assert "CONS-CL-02" in named
        assert not [name for name in named if "geode" not in all_requirements()[name].dialects]


def test_a_budget_ends_the_playing(tmp_path: Path):
    selection = ("--select", "CONS-RR-04", "--json")
    short = run(tmp_path / "short", *selection, "--budget", "1ms", profile="full")
    assert short.exit_code in (0, 2), "one scenario may have been begun in time"
    assert "ended this run early" in json.loads(short.stdout)["runs"][0]["ended_early"]
    _, record, rows = only_run(tmp_path / "short")
    assert record.complete
    assert record.checks[0].examples <= 1
    assert record.seconds < 20, "drawing two thousand plans without playing any takes longer"
    machines = [row for row in rows if row.source is Source.MACHINE]
    assert {(row.verdict, row.exercised) for row in machines} == {(Verdict.NOT_EXERCISED, 0)}


def plans_of(out: Path) -> list[tuple[object, ...]]:
    """Everything that was asked of the candidate in a run, example by example."""
    columns = ["example", "seq", "kind", "member", "region", "key", "op_id", "operation", "value"]
    (directory,) = out.iterdir()
    table = pq.read_table(directory / "trace" / "main.parquet")
    present = [name for name in columns if name in table.column_names]
    return [tuple(row.values()) for row in table.select(present).to_pylist()]


def test_the_same_seed_gives_the_same_plans_and_verdicts_and_another_seed_others(tmp_path: Path):
    told = {}
    for name, seed in (("one", "7"), ("two", "7"), ("other", "8")):
        result = run(tmp_path / name, "--seed", seed, "--select", "CONS-RR-04", "--json")
        assert result.exit_code == 0
        (told[name],) = json.loads(result.stdout)["runs"]
        assert Path(told[name].pop("directory")).parent == tmp_path / name
    assert told["one"] == told["two"]
    assert plans_of(tmp_path / "one") == plans_of(tmp_path / "two")
    assert plans_of(tmp_path / "one") != plans_of(tmp_path / "other")


DEVIATIONS = """
[[deviation]]
requirement = "VER-TIE-01"
replaces = "tie-keeps-own"
reason = "ties go to the first update"
owner = "cache team"
expires = {expires}
versions = ["{versions}"]

[[deviation]]
requirement = "CONS-RR-04"
reason = "so members may end differently"
owner = "cache team"
expires = {expires}
versions = ["{versions}"]
"""


def run_with_deviations(tmp_path: Path, text: str) -> Result:
    file = tmp_path / "known.toml"
    file.write_text(text)
    candidate = ("--candidate", "faulty:tie-keeps-own", "--select", "VER-TIE-01", "--select", "CONS-RR-04")
    return run(tmp_path / "runs", *candidate, "--deviations", str(file), "--json")


def test_a_known_difference_is_a_deviation_in_every_source_and_never_a_pass(tmp_path: Path):
    result = run_with_deviations(tmp_path, DEVIATIONS.format(expires="2999-12-31", versions="0.*"))
    assert result.exit_code == 0, result.stderr
    told = {one["requirement"]: one["verdict"] for one in json.loads(result.stdout)["runs"][0]["verdicts"]}
    assert told == {"VER-TIE-01": "deviation", "CONS-RR-04": "deviation"}
    _, _, rows = only_run(tmp_path / "runs")
    deviating = {(row.source, row.requirement) for row in rows if row.verdict is Verdict.DEVIATION}
    assert (Source.SCENARIO, "VER-TIE-01") in deviating
    assert (Source.MACHINE, "VER-TIE-01") in deviating
    assert (Source.RULE, "CONS-RR-04") in deviating
    assert "ties go to the first update (cache team, until 2999-12-31)" in {
        row.reason.partition(": ")[2] for row in rows
    }


def run_with_a_record_too_many(tmp_path: Path, candidate: str, *selection: str) -> Result:
    text = DEVIATIONS.format(expires="2999-12-31", versions="*")
    text = text.replace('"CONS-RR-04"', '"STAT-CONFLATED-01"\nreplaces = "nobody-counts"')
    text = text.replace("so members may end differently", "the counter stands still")
    file = tmp_path / "known.toml"
    file.write_text(text)
    arguments = ("--candidate", candidate, *selection, "--deviations", str(file), "--json")
    return run(tmp_path / "runs", *arguments)


def test_what_is_on_record_and_has_not_shown_is_told_and_changes_no_exit_code(tmp_path: Path):
    result = run_with_a_record_too_many(tmp_path, "reference", "--select", "VER-TIE-01")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)["runs"][0]
    # The harness did not read the counter, so it is unknown whether it stands still.
    assert [(one["requirement"], one["reason"]) for one in told["deviations_not_seen"]] == [
        ("VER-TIE-01", "ties go to the first update")
    ]
    assert told["deviations_not_seen"][0]["advice"].endswith("remove it from the file")
    words = " ".join(result.stderr.split())
    assert "VER-TIE-01: ties go to the first update: on record, but not seen" in words
    assert "STAT-CONFLATED-01" not in result.stderr


def test_a_record_that_shows_excuses_no_other_that_does_not(tmp_path: Path):
    selection = ("--select", "VER-TIE-01", "--select", "STAT-CONFLATED-01")
    result = run_with_a_record_too_many(tmp_path, "faulty:tie-keeps-own", *selection)
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)["runs"][0]
    assert [one["requirement"] for one in told["deviations_not_seen"]] == ["STAT-CONFLATED-01"]
    verdicts = {one["requirement"]: one["verdict"] for one in told["verdicts"]}
    assert verdicts["VER-TIE-01"] == "deviation"
    _, _, rows = only_run(tmp_path / "runs")
    (machine,) = (r for r in rows if r.source is Source.MACHINE and r.requirement == "STAT-CONFLATED-01")
    assert machine.verdict is Verdict.PASS
    assert not any("stands still" in row.reason for row in rows)


@pytest.mark.parametrize(
    ("verdicts", "told"),
    [
        ((Verdict.PASS,), True),
        ((Verdict.PASS, Verdict.NOT_EXERCISED), True),
        ((Verdict.PASS, Verdict.DEVIATION), True),  # another record's
        ((Verdict.PASS, Verdict.FAIL), False),
        ((Verdict.PASS, Verdict.UNKNOWN), False),
        ((Verdict.PASS, Verdict.ADAPTER_ERROR), False),
        ((Verdict.NOT_EXERCISED,), False),
        ((), False),
    ],
)
def test_a_record_is_called_needless_only_where_its_requirement_was_exercised_and_held(
    tmp_path: Path, verdicts: tuple[Verdict, ...], told: bool
):
    (tmp_path / "known.toml").write_text(DEVIATIONS.format(expires="2999-12-31", versions="*"))
    known = read_deviations(tmp_path / "known.toml")
    rows = [
        VerdictRow(
            run_id="r",
            requirement=known[0].requirement,
            source=Source.SCENARIO,
            verdict=verdict,
            exercised=int(verdict is not Verdict.NOT_EXERCISED),
        )
        for verdict in verdicts
    ]
    assert KnownDeviations(known).not_shown(rows) == (known[:1] if told else ())
    # A scenario that the time budget left out may show it.
    assert KnownDeviations(known).not_shown(rows, unplayed=[known[0].requirement]) == ()


@pytest.mark.parametrize(("expires", "versions"), [("2020-01-01", "*"), ("2999-12-31", "9.*")])
def test_a_deviation_that_has_expired_or_is_of_another_version_is_a_failure_again(
    tmp_path: Path, expires: str, versions: str
):
    result = run_with_deviations(tmp_path, DEVIATIONS.format(expires=expires, versions=versions))
    assert result.exit_code == 1
    assert merged(only_run(tmp_path / "runs")[2], "VER-TIE-01") is Verdict.FAIL


def test_the_example_of_the_documentation_can_be_read(tmp_path: Path):
    page = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "known.toml").write_text(text)
    (deviation,) = read_deviations(tmp_path / "known.toml")
    assert in_force((deviation,), "1.15.1", deviation.expires) == (deviation,)
    assert in_force((deviation,), "1.2.1", deviation.expires) == ()


def test_a_deviation_excuses_nothing_else(tmp_path: Path):
    text = DEVIATIONS.format(expires="2999-12-31", versions="*").replace("tie-keeps-own", "nobody-counts")
    result = run_with_deviations(tmp_path, text)
    assert result.exit_code == 1
    assert merged(only_run(tmp_path / "runs")[2], "VER-TIE-01") is Verdict.FAIL


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[[deviation]", "known.toml"),
        ("[[deviation]]\nrequirement = 'VER-TIE-01'\n", "reason"),
        (DEVIATIONS.format(expires="soon", versions="*"), "known.toml"),
        (DEVIATIONS.format(expires="2999-12-31", versions="*") + "color = 'red'\n", "color"),
        (
            DEVIATIONS.format(expires="2999-12-31", versions="*").replace("tie-keeps", "tie-sells"),
            "tie-sells",
        ),
        (DEVIATIONS.format(expires="2999-12-31", versions="*").replace("TIE-01", "TIE-99"), "VER-TIE-01"),
        ("\udcff", "known.toml"),
    ],
)
def test_a_broken_file_of_deviations_is_refused_with_its_fault(tmp_path: Path, text: str, named: str):
    file = tmp_path / "known.toml"
    file.write_bytes(text.encode(errors="surrogateescape"))
    result = run(tmp_path / "runs", "--deviations", str(file))
    assert result.exit_code == 2
    assert "known.toml" in result.output
    assert named in result.output
    assert "Traceback" not in result.output
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("flags", ["", " --chaotic --seed 3"])
def test_the_reference_served_as_a_process_passes(tmp_path: Path, flags: str):
    result = run(
        tmp_path, "--candidate", f"process:{SERVED}{flags}", "--select", "VER-TIE", "--select", "DISC"
    )
    assert result.exit_code == 0, result.stderr
    _, record, rows = only_run(tmp_path)
    assert record.complete
    assert merged(rows, "VER-TIE-01") is Verdict.PASS
    assert merged(rows, "DISC-LSN-01") is Verdict.PASS


def test_a_faulty_variant_served_as_a_process_fails_its_requirement(tmp_path: Path):
    result = run(
        tmp_path, "--candidate", f"process:{SERVED} --faulty tie-keeps-own", "--select", "VER-TIE-01"
    )
    assert result.exit_code == 1
    _, record, rows = only_run(tmp_path)
    assert record.complete
    assert merged(rows, "VER-TIE-01") is Verdict.FAIL


def test_nothing_is_left_in_the_folder_of_the_user_but_the_run(tmp_path: Path):
    folder, cache = tmp_path / "work", tmp_path / "cache"
    folder.mkdir()
    command = [sys.executable, "-m", "plumbline.ci", "run", "--profile", "smoke", "--select", "CONS-RR-04"]
    told = ("XDG_CACHE_HOME", "HYPOTHESIS_STORAGE_DIRECTORY")
    plain = {name: value for name, value in os.environ.items() if name not in told}
    for variable in told:
        environment = {**plain, variable: str(cache)}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        assert [path.name for path in folder.iterdir()] == ["runs"]
    unwritable = {**plain, "XDG_CACHE_HOME": "/proc/nowhere"}
    done = subprocess.run(command, cwd=folder, env=unwritable, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
