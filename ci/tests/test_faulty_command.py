"""`plumbline faulty run`: which variants it plays, what it says of them, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from plumbline.adapters.candidates import Candidate, CandidateKind, find_candidate
from plumbline.ci import command as ci_command
from plumbline.ci.command import group
from plumbline.ci.selftest.checks.kills import Kill
from plumbline.ci.selftest.checks.rule_kills import UNSEEN, Accused, Piece, accused, seen_from_outside
from plumbline.ci.selftest.commands import faulty as faulty_command
from plumbline.ci.terminal.stopping import Stop
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.catalogue.records import Area
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.rulebook.variant import FaultyVariant

MISSED = "gets-cross"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(faulty_command.command, ["run", *arguments])


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[Candidate]:
    """The candidates played; every variant counts as caught, in as many seconds as its name has letters."""
    candidates: list[Candidate] = []

    def kill(variant: FaultyVariant, candidate: Candidate, *_: object) -> list[Kill]:
        candidates.append(candidate)
        return [
            Kill(
                variant=variant.name,
                requirement=requirement,
                killed=True,
                named=variant.name != MISSED,
                seconds=len(variant.name),
                examples=1,
                steps=1,
            )
            for requirement in variant.requirements
        ]

    monkeypatch.setattr(faulty_command, "kill", kill)
    return candidates


def test_an_area_chooses_those_that_break_something_of_it(played: list[Candidate]):
    assert run("--area", "queue-removal", "--area", "wan-conflicts").exit_code == 0
    wanted = {Area.QUEUE_REMOVAL, Area.WAN_CONFLICTS}
    assert [candidate.name for candidate in played] == [
        f"faulty:{name}"
        for name, variant in FAULTY.items()
        if wanted & {all_requirements()[requirement].area for requirement in variant.requirements}
    ]


def test_of_those_named_an_area_leaves_its_own(played: list[Candidate]):
    assert run("late-wins", "destroys-stay", "--area", "wan-distribution", "--process").exit_code == 0
    (candidate,) = played
    assert candidate.kind is CandidateKind.PROCESS
    assert candidate.name.endswith("--faulty destroys-stay")


def test_an_area_that_nothing_chosen_breaks_is_an_error(played: list[Candidate]):
    result = run("late-wins", "--area", "tombstones")
    assert result.exit_code == 2
    assert "none of the variants breaks anything of tombstones" in result.output
    assert played == []


def test_one_that_is_not_named_rightly_is_told_and_fails_the_command(played: list[Candidate]):
    result = run("destroys-stay", "creates-stay", MISSED)
    assert len(played) == 3
    assert result.exit_code == 1
    told = " ".join(result.output.split())
    assert (
        "3 variants, 3 killed, 2 named; until killed 12.0 s at the median, 100% within 15 s, 13.0 s at worst"
        in told
    )
    assert "(destroys-stay)" in told


@pytest.mark.parametrize("option", ["--core", "--process", "--json"])
def test_a_run_that_is_broken_off_has_told_what_it_has_seen(
    played: list[Candidate], monkeypatch: pytest.MonkeyPatch, option: str
):
    caught: Callable[..., list[Kill]] = vars(faulty_command)["kill"]

    def interrupted(variant: FaultyVariant, candidate: Candidate, *others: object) -> list[Kill]:
        if variant.name == MISSED:
            try:
                first = KeyboardInterrupt()
                first.add_note("Failing test case: as Hypothesis says of what it plays")
                raise first
            finally:
                raise KeyboardInterrupt
        return caught(variant, candidate, *others)

    monkeypatch.setattr(faulty_command, "kill", interrupted)
    monkeypatch.setattr(ci_command, "STOP", Stop())
    result = CliRunner().invoke(group, ["faulty", "run", "destroys-stay", MISSED, "creates-stay", option])
    assert len(played) == 1
    assert result.exit_code == 130
    assert result.stderr.splitlines()[0] == "plumbline: stopped by SIGINT"
    assert "stopped before all 3 had been played; until then 1 variants, 1 killed" in result.stderr
    assert "Failing" not in result.stderr
    if option == "--json":
        rows = json.loads(result.stdout)["rows"]
        assert {row["variant"] for row in rows} == {"destroys-stay"}
    else:
        head, *rows = result.stdout.splitlines()
        assert head.split()[:2] == ["variant", "requirement"]
        assert [row.split()[0] for row in rows] == ["destroys-stay"]


def test_a_run_that_is_broken_off_at_once_says_that_nothing_was_played(monkeypatch: pytest.MonkeyPatch):
    def interrupted(*_: object) -> list[Kill]:
        raise KeyboardInterrupt

    monkeypatch.setattr(faulty_command, "kill", interrupted)
    monkeypatch.setattr(ci_command, "STOP", Stop())
    result = CliRunner().invoke(group, ["faulty", "run", "destroys-stay", "--json"])
    assert (result.exit_code, json.loads(result.stdout)["rows"]) == (130, [])
    assert "until then nothing" in result.stderr


@pytest.fixture
def guilty(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The variants that the rules are to accuse; no candidate is recorded."""
    accuse: set[str] = set()

    def told(candidate: Candidate, name: str, *_: object) -> Accused:
        violated = ("WAN-OPS-03",) if name in accuse else ()
        return Accused(
            candidate=f"{name}" if candidate else "",
            examples=1,
            judged=("WAN-OPS-03",),
            violated=violated,
            witnesses=("",) * len(violated),
            seconds=1.0,
        )

    monkeypatch.setattr(faulty_command, "accused", told)
    return accuse


def test_rules_that_accuse_the_variant_and_nobody_right_are_content(guilty: set[str]):
    guilty.add("destroys-stay")
    result = CliRunner().invoke(faulty_command.command, ["rules", "destroys-stay"])
    assert result.exit_code == 0, result.output
    told = " ".join(result.output.split())
    assert "1 variants, 1 accused by rules alone; 1 break what a rule sees from outside, 1 of them" in told


@pytest.mark.parametrize("name", ["reference", "reference:chaotic"])
def test_rules_that_accuse_a_right_candidate_fail_the_command(guilty: set[str], name: str):
    guilty.update(("destroys-stay", name))
    result = CliRunner().invoke(faulty_command.command, ["rules", "destroys-stay", "--process"])
    assert result.exit_code == 1
    assert f"accused though right: {name}" in result.output


def test_a_variant_that_no_rule_accuses_fails_the_command(guilty: set[str]):
    guilty.add("creates-stay")
    result = CliRunner().invoke(faulty_command.command, ["rules", "creates-stay", "destroys-stay"])
    assert result.exit_code == 1
    assert "not accused: destroys-stay" in result.output


def test_what_no_rule_can_see_from_outside_is_not_asked_for(guilty: set[str]):
    assert not guilty
    result = CliRunner().invoke(faulty_command.command, ["rules", "tells-removal-when-sent", "sends-ahead"])
    assert "REM-GEN-01" in seen_from_outside()
    assert "GWQ-ACK-05" not in seen_from_outside()
    assert result.output.rstrip().endswith("not accused: tells-removal-when-sent")


def test_a_variant_that_is_known_not_to_show_is_let_off_until_it_does(
    guilty: set[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(UNSEEN, "destroys-stay", "nobody looks")
    assert CliRunner().invoke(faulty_command.command, ["rules", "destroys-stay"]).exit_code == 0
    guilty.add("destroys-stay")
    result = CliRunner().invoke(faulty_command.command, ["rules", "destroys-stay"])
    assert result.exit_code == 1
    assert "accused, though said to be unseen: destroys-stay" in result.output


@pytest.mark.slow
def test_rules_alone_tell_a_wrong_candidate_from_a_right_one():
    right = accused(find_candidate("reference:chaotic", seed=3), "right", tuple(Piece), 5, 3)
    assert right.violated == ()
    assert right.examples > 50
    assert len(right.judged) > 20
    wrong = accused(find_candidate("faulty:destroys-stay"), "wrong", (Piece.SITES,), 0, 0)
    assert "WAN-OPS-03" in wrong.violated
    assert len(wrong.witnesses) == len(wrong.violated)


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (("--core",), "with 1 of the capabilities 0 of 1 variants are found out (0%)"),
        (("--capabilities-of", "reference"), "capabilities 1 of 1 variants are found out (100%)"),
    ],
)
def test_a_variant_that_only_listeners_tell_of_is_found_out_where_they_are_offered(
    option: tuple[str, ...], said: str
):
    found = run("announces-twice", *option, "--profile", "smoke")
    assert found.exit_code == 0
    assert said in " ".join(found.output.split())


def test_whose_capabilities_are_meant_is_said_once():
    found = run("announces-twice", "--core", "--capabilities-of", "reference")
    assert found.exit_code == 2
    assert "either --core or --capabilities-of, not both" in found.output
