"""`plumbline explore`: what it looks at in the time it is given, and which variants small worlds refute."""

from __future__ import annotations

import json
import re

import pytest
from click.testing import CliRunner

from plumbline.ci.selftest.commands import explore as explore_command
from plumbline.ci.selftest.commands.explore import command
from plumbline.reference.explore.scopes import SHAPES
from plumbline.reference.explore.topics import ExploreScope, Topic
from plumbline.reference.rulebook.faulty_variants import FAULTY


def test_without_time_nothing_is_looked_at_and_that_is_no_success():
    result = CliRunner().invoke(command, ["--part", "gateways", "--within", "0s", "--json"])
    rows = json.loads(result.stdout.splitlines()[0])["rows"]
    assert [row["explored"] for row in rows] == [0] * len(rows)
    assert all(row["programs"] for row in rows)
    assert result.exit_code == 2


def test_with_time_enough_all_is_looked_at():
    result = CliRunner().invoke(command, ["--part", "gateways", "--within", "1h", "--json"])
    rows = json.loads(result.stdout.splitlines()[0])["rows"]
    assert all(row["explored"] == row["programs"] for row in rows)
    assert result.exit_code == 0


def test_several_processes_see_what_one_does_in_the_same_order():
    alone, shared = (
        json.loads(
            CliRunner().invoke(command, ["--part", "replicated", "--json", *jobs]).stdout.splitlines()[0]
        )["rows"]
        for jobs in ([], ["--jobs", "2"])
    )
    for row in (*alone, *shared):
        del row["seconds"]
    assert shared == alone
    assert any(row["findings"] for row in shared)
    assert CliRunner().invoke(command, ["--variants", "--jobs", "2"]).exit_code == 2


def test_who_waits_without_a_terminal_is_told_now_and_then_how_far_it_is(monkeypatch: pytest.MonkeyPatch):
    one_world = ["--part", "three-sites", "--world", "ties, by 1>2 2>3 3>1"]
    assert CliRunner().invoke(command, one_world).stderr == ""
    monkeypatch.setattr(explore_command, "TOLD_EVERY_S", 0.0)
    told = CliRunner().invoke(command, one_world).stderr.splitlines()
    assert told == [
        f"three-sites, A | B | C: 2 put, ties, by 1>2 2>3 3>1: {done} of 6 programs" for done in range(1, 7)
    ]


def test_worlds_are_chosen_by_their_description_and_all_is_told_together():
    result = CliRunner().invoke(command, ["--part", "three-sites", "--world", "ties, by 1>2 2>3 3>1"])
    assert result.exit_code == 0
    assert "A | B | C: 2 put, ties, by 1>2 2>3 3>1" in result.stdout
    assert "clocks skewed" not in result.stdout
    assert re.match(r"all +6 of 6 ", result.stdout.splitlines()[-1])
    assert CliRunner().invoke(command, ["--world", "of five sites"]).exit_code == 2
    assert "…" not in CliRunner().invoke(command, ["--part", "tombstones"]).stdout
    whole = ["--part", "gateways", "--world", "A | B: 2 put/destroy", "--json"]
    (row,) = json.loads(CliRunner().invoke(command, whole).stdout.splitlines()[0])["rows"]
    assert row["shape"] == "A | B: 2 put/destroy"


def test_variants_that_nobody_asks_about_are_not_counted():
    result = CliRunner().invoke(command, ["--part", "replicated", "--variants", "--within", "0s", "--json"])
    rows = json.loads(result.stdout.splitlines()[0])["rows"]
    named = {row["variant"] for row in rows}
    assert "late-wins" in named < FAULTY.keys()
    assert "sends-newest-first" not in named
    told = " ".join(result.stderr.split())
    assert f"{len(FAULTY)} variants, {len(named)} decide otherwise" in told
    of_safety = [row["variant"] for row in rows if row["safety"]]
    assert f" variants of safety, {len(of_safety)} decide otherwise what these worlds ask, 0 of them" in told
    assert {"late-wins"} <= set(of_safety)
    assert "nobody-counts" in named - set(of_safety)


def test_of_every_part_there_are_small_worlds_and_medium_ones():
    assert {part for part, _ in SHAPES} == set(Topic)
    assert {
        (part, scope) for part in Topic for scope in (ExploreScope.SMALL, ExploreScope.MEDIUM)
    } <= SHAPES.keys()
    for scope in ExploreScope:
        result = CliRunner().invoke(command, ["--scope", scope.value, "--within", "0s", "--json"])
        assert result.exit_code == 2
        rows = json.loads(result.stdout)["rows"]
        assert {row["part"] for row in rows} == {part for part, at in SHAPES if at is scope}
        assert all(row["programs"] for row in rows)


def test_of_a_part_without_large_worlds_that_is_said():
    result = CliRunner().invoke(command, ["--scope", "large", "--part", "clears"])
    assert result.exit_code == 2
    assert "There is no large world of clears." in " ".join(result.output.split())


def test_large_worlds_are_drawn_from_for_so_long_and_no_longer():
    asked = ["--scope", "large", "--part", "gateways", "--world", "A | B: 5", "--within", "1s", "--json"]
    result = CliRunner().invoke(command, asked)
    (row,) = json.loads(result.stdout)["rows"]
    assert row["explored"] == row["cut_short"] == 1
    assert row["states"] > 100
    assert row["seconds"] < 3
    assert row["findings"] == []
    assert result.exit_code == 2


def test_larger_worlds_are_looked_at_behind_small_ones_as_far_as_time_goes():
    asked = ["--part", "tombstones", "--variants", "--within", "0s", "--json"]
    small, medium = (
        CliRunner().invoke(command, [*asked, "--scope", scope.value])
        for scope in (ExploreScope.SMALL, ExploreScope.MEDIUM)
    )
    assert small.exit_code == medium.exit_code == 0
    assert medium.stdout == small.stdout


def test_time_is_a_duration_and_variants_stand_alone():
    assert CliRunner().invoke(command, ["--within", "soon"]).exit_code == 2
    assert CliRunner().invoke(command, ["--variants", "--thorough"]).exit_code == 2
