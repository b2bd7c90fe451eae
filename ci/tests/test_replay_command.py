"""`plumbline replay`: files of one candidate on others, of other versions, damaged and hostile ones."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from plumbline.adapters.candidates import Candidate, CandidateKind
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.protocol import Deployed, Introduction
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.command import group
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.actions import Do
from plumbline.reference.history.operations import RegionAttributes, Site, Topology
from plumbline.reference.history.plans import Plan, operations_of
from plumbline.reference.history.setups import setup_words
from plumbline.reference.results.runs import Counterexample, read_counterexample
from plumbline.reference.results.verdicts import Verdict
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.suites.harness.session import Session
from plumbline.suites.run import replaying
from plumbline.suites.run.replaying import CannotReplayError, Judge, replay

MANY, FEW = 10, 3
VARIANT = "tie-keeps-own"
MACHINE, SCENARIO = (
    "machine-replicated_regions",
    "scenario-at_equal_versions_the_higher_id_replaces_the_lower",
)


def served(*arguments: str) -> str:
    return f"process:{shlex.join([sys.executable, '-m', 'plumbline.ci', 'serve-reference', *arguments])}"


def replayed(file: Path, *arguments: str) -> Result:
    return CliRunner().invoke(group, ["replay", str(file), *arguments])


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The counterexamples of a faulty variant, by a scenario and by a machine."""
    out = tmp_path_factory.mktemp("runs")
    words = ["run", "--candidate", f"faulty:{VARIANT}", "--select", "VER-TIE-01", "--profile", "smoke"]
    assert CliRunner().invoke(group, [*words, "--out", str(out)]).exit_code == 1
    (folder,) = out.glob("*/counterexamples")
    assert {file.stem for file in folder.iterdir()} == {MACHINE, SCENARIO}
    return folder


@pytest.mark.parametrize("name", [MACHINE, SCENARIO])
@pytest.mark.parametrize(
    ("candidate", "code"),
    [
        ("", 1),
        (served("--faulty", VARIANT), 1),
        ("reference", 0),
        ("reference:chaotic", 0),
        (served(), 0),
        ("faulty:nobody-counts", 1),
        ("process:false", 2),
    ],
)
def test_a_file_is_replayed_on_any_candidate(found: Path, name: str, candidate: str, code: int):
    result = replayed(found / f"{name}.json", *(("--candidate", candidate) if candidate else ()))
    assert result.exit_code == code
    told = candidate or f"faulty:{VARIANT}"
    if code == 2:
        assert result.stderr.splitlines()[-1].startswith("plumbline: ")
    else:
        assert f"failed {code} of 1 times on {told}" in " ".join(result.stdout.splitlines())
    if code == 1:
        for heading in ("Steps", "What happened", "Expected", "Seen"):
            assert f"\n{heading}\n" in result.stdout
    assert "Traceback" not in result.output


def test_a_file_of_two_sites_is_replayed_with_its_queues(tmp_path: Path):
    words = ["run", "--candidate", "faulty:losers-queued", "--select", "WANC-LOCAL-01", "--profile", "smoke"]
    assert CliRunner().invoke(group, [*words, "--out", str(tmp_path)]).exit_code == 1
    files = list(tmp_path.glob("*/counterexamples/scenario-*.json"))
    assert files
    for file in files:
        assert replayed(file).exit_code == 1
        assert replayed(file, "--candidate", "reference").exit_code == 0


@pytest.mark.slow
@pytest.mark.thorough
def test_a_scenario_is_made_small_and_what_is_left_replays_as_a_plan(tmp_path: Path):
    words = ["run", "--candidate", "faulty:sends-ahead", "--select", "RCV-DEDUP-01", "--profile", "smoke"]
    assert CliRunner().invoke(group, [*words, "--out", str(tmp_path)]).exit_code == 1
    (file,) = tmp_path.glob("*/counterexamples/scenario-what_is_sent_again*.json")
    small = tmp_path / "small.json"
    result = replayed(file, "--reduce", str(small))
    assert result.exit_code == 1, result.output
    assert "failed 5 of 5 times" in result.stdout
    before, after = read_counterexample(file), read_counterexample(small)
    for kept in (before, after):
        assert kept.setup == setup_words(kept.history)
    assert before.played is not None
    assert after.played is not None
    assert len(operations_of(before.played)) > MANY
    assert len(operations_of(after.played)) < FEW
    assert after.requirements == before.requirements
    assert after.reduction is not None
    assert after.reduction.minimal
    assert (after.times_failed, after.times_tried) == (5, 5)
    assert replayed(small).exit_code == 1
    assert replayed(small, "--candidate", "reference").exit_code == 0


def test_what_does_not_fail_is_not_made_small(found: Path, tmp_path: Path):
    small = tmp_path / "small.json"
    result = replayed(found / f"{SCENARIO}.json", "--candidate", "reference", "--reduce", str(small))
    assert result.exit_code == 2
    assert "has not failed in 10 tries" in " ".join(result.stderr.split())
    assert not small.exists()


def test_as_json_it_says_how_often_it_failed_what_was_expected_and_what_was_seen(found: Path):
    result = replayed(found / f"{MACHINE}.json", "--times", "3", "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert (told["failed"], told["tried"], told["verdicts"]) == (3, 3, {"fail": 3})
    assert told["expected"]
    assert told["seen"]
    assert told["plan"]
    assert told["setup"][0].startswith("site 1: members")
    right = json.loads(replayed(found / f"{MACHINE}.json", "--candidate", "reference", "--json").stdout)
    assert (right["failed"], right["tried"], right["verdicts"], right["seen"]) == (0, 1, {"pass": 1}, [])


def test_a_file_holds_everything_that_a_replay_needs(found: Path):
    example = read_counterexample(found / f"{MACHINE}.json")
    assert example.format == 2
    assert example.refuted
    assert example.played is not None
    assert example.reduction is not None
    assert example.reduction.minimal
    assert len(operations_of(example.played)) < example.reduction.operations_before
    assert example.dialect == "geode"
    assert example.product == "plumbline reference"
    assert (example.times_failed, example.times_tried) == (3, 3)
    scenario = read_counterexample(found / f"{SCENARIO}.json")
    assert scenario.played is not None
    assert [operation.op_id for operation in operations_of(scenario.played)] == [1, 2, 3]
    assert scenario.reduction is None


def changed(found: Path, tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    data = json.loads((found / f"{MACHINE}.json").read_text())
    change(data)
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(data))
    return file


def test_one_that_does_not_fail_every_time_is_played_more_than_once(found: Path, tmp_path: Path):
    file = changed(found, tmp_path, lambda data: data.update(times_failed=1, times_tried=3))
    told = json.loads(replayed(file, "--json").stdout)
    assert told["tried"] == 8
    assert json.loads(replayed(file, "--json", "--times", "2").stdout)["tried"] == 2


def test_what_only_the_scenario_says_is_replayed_as_the_scenario(tmp_path: Path):
    words = ["run", "--candidate", "faulty:unchecked-by-default", "--select", "CFG-CHECKS-01"]
    CliRunner().invoke(group, [*words, "--profile", "smoke", "--out", str(tmp_path)])
    (file,) = tmp_path.glob("*/counterexamples/scenario-a_region_reports_checking*.json")
    # The search refutes this one as well; a file says so where only the scenario does.
    file.write_text(json.dumps(json.loads(file.read_text()) | {"refuted": False}))
    assert not read_counterexample(file).refuted
    result = replayed(file)
    assert result.exit_code == 1
    assert "checking to be on at A" in result.stdout
    assert replayed(file, "--candidate", "reference").exit_code == 0
    file.write_text(file.read_text().replace("a_region_reports", "a_region_sang"))
    result = replayed(file)
    assert result.exit_code == 2
    assert "has no such scenario" in result.stderr


def damaged(change: Callable[[dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    def damage(content: bytes) -> bytes:
        data = json.loads(content)
        change(data)
        return json.dumps(data).encode()

    return damage


def elsewhere(data: dict[str, Any]) -> None:
    data["played"]["steps"][0]["operation"]["member"] = "\x1b[2Jnobody"


def twice(data: dict[str, Any]) -> None:
    data["played"]["steps"] *= 2


def nobody(data: dict[str, Any]) -> None:
    data["played"]["topology"]["sites"] = []


def crowd(data: dict[str, Any]) -> None:
    data["played"]["topology"]["sites"] = [{"number": 1, "members": [f"m{n}" for n in range(5_000)]}]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda _: b"", "truncated"),
        (lambda content: content[: len(content) // 2], "truncated"),
        (lambda content: b"\xff" + content, ""),
        (lambda _: b"[" * 100_000, ""),
        (lambda _: b"[]", "object"),
        (lambda _: b'{"format": 3}', "layout 3, but this version reads those up to 2"),
        (lambda _: b'{"format": 2}', "missing required field"),
        (damaged(lambda data: data.update(format=1, played=None)), "run the suite again"),
        (damaged(lambda data: data["played"].update(steps=[{"type": "explode"}])), "explode"),
        (damaged(elsewhere), "step 1: no member '\\x1b[2Jnobody'"),
        (damaged(twice), "once more"),
        (damaged(nobody), "no members"),
        (damaged(crowd), "5,000 members"),
        (damaged(lambda data: data["played"].update(regions=[])), "no region 'region'"),
        (damaged(lambda data: data["history"].update(member_order=["A"])), "order of member ids"),
        (damaged(lambda data: data.update(candidate="nothing:like that")), "unknown candidate"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(
    found: Path, tmp_path: Path, damage: Callable[[bytes], bytes], said: str
):
    file = tmp_path / "bad.json"
    file.write_bytes(damage((found / f"{MACHINE}.json").read_bytes()))
    result = replayed(file)
    assert result.exit_code == 2
    last = result.stderr.splitlines()[-1]
    assert last.startswith("plumbline: ")
    assert said in last
    assert "\x1b" not in result.output
    assert "Traceback" not in result.output


def of(name: str, adapter: Callable[[], ReferenceAdapter]) -> Candidate:
    return Candidate(name=name, kind=CandidateKind.PYTHON, in_process=True, open=adapter)


class Reversed(ReferenceAdapter):
    """Gives the lowest id to the member named last."""

    def __init__(self) -> None:
        super().__init__(FAULTY[VARIANT].rulebook(Rulebook()))

    def deploy(self, topology: Topology) -> Deployed:
        return super().deploy(Topology(tuple(Site(s.number, s.members[::-1]) for s in topology.sites)))


def ranks(plan: Plan | None, order: tuple[str, ...] | None) -> list[int]:
    """The rank of the member that calls each operation."""
    assert plan is not None
    assert order is not None
    return [order.index(operation.member) for operation in operations_of(plan)]


def test_parts_go_by_rank_where_another_candidate_orders_its_members_otherwise(
    found: Path, monkeypatch: pytest.MonkeyPatch
):
    example = read_counterexample(found / f"{SCENARIO}.json")
    with Session(of("reversed", Reversed)) as session:
        (result,) = replay(example, session, Judge(Rulebook()), 1)
        monkeypatch.setattr(replaying, "by_rank", lambda *_: {})
        (by_name,) = replay(example, session, Judge(Rulebook()), 1)
    assert result.verdict is Verdict.FAIL
    assert result.history is not None
    order = result.history.member_order
    assert order == ("C", "B", "A")
    recorded = ranks(example.played, example.history.member_order)
    assert recorded == ranks(result.played, order) != ranks(by_name.played, order)


class Ungated(ReferenceAdapter):
    def hello(self) -> Introduction:
        introduction = super().hello()
        kept = tuple(c for c in introduction.capabilities if c is not Capability.LISTENER_GATES)
        return msgspec.structs.replace(introduction, capabilities=kept)


def test_a_candidate_that_lacks_what_it_takes_is_told_so(found: Path):
    example = read_counterexample(found / f"{SCENARIO}.json")
    with (
        Session(of("ungated", Ungated)) as session,
        pytest.raises(CannotReplayError, match="lacks listener_gates, which the example needs"),
    ):
        replay(example, session, Judge(Rulebook()), 1)


class Dying(ReferenceAdapter):
    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        raise AdapterError(f"dead, without {len(regions)} regions")


def test_a_candidate_that_dies_is_not_judged_and_not_tried_for_ever(found: Path):
    example = read_counterexample(found / f"{MACHINE}.json")
    with Session(of("dying", Dying)) as session:
        results = replay(example, session, Judge(Rulebook()), 1_000)
    assert {result.verdict for result in results} == {Verdict.ADAPTER_ERROR}
    assert len(results) == 3
    assert "dead, without 1 regions" in results[0].reason


def test_a_plan_without_operations_is_played_and_passes(found: Path):
    example: Counterexample = read_counterexample(found / f"{MACHINE}.json")
    assert example.played is not None
    empty: Plan = msgspec.structs.replace(example.played, steps=())
    assert not any(isinstance(step, Do) for step in empty.steps)
    with Session(of("right", ReferenceAdapter)) as session:
        again = msgspec.structs.replace(example, played=empty)
        results = replay(again, session, Judge(Rulebook()), 1)
    assert [result.verdict for result in results] == [Verdict.PASS]
