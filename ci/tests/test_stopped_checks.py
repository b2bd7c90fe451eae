"""`plumbline explore` and `plumbline trials` print what they find as they go, and keep it when stopped."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec
import pytest
from click.testing import CliRunner, Result

from plumbline.ci.command import group
from plumbline.ci.selftest.checks import variants_explored
from plumbline.ci.selftest.checks.exploring import explored
from plumbline.ci.selftest.commands import explore, trials
from plumbline.ci.selftest.generators.right_runs import ask_about
from plumbline.ci.selftest.soundness.comparison import compare
from plumbline.ci.terminal.progress import until_stopped
from plumbline.reference.explore.variant_check import refute
from plumbline.reference.rulebook.faulty_variants import FAULTY
from plumbline.reference.search.search import Answer

T = TypeVar("T")
THREE = ["--part", "three-sites", "--world", "2 put, ties"]


def call(*arguments: str) -> Result:
    return CliRunner().invoke(group, list(arguments))


def stopping_after(calls: int, real: Callable[..., T]) -> Callable[..., T]:
    """The same function, stopped by Ctrl-C in the call after so many."""
    made = 0

    def stopped(*arguments: Any, **options: Any) -> T:
        nonlocal made
        made += 1
        if made > calls:
            raise KeyboardInterrupt
        return real(*arguments, **options)

    return stopped


def test_what_was_found_is_given_with_what_stopped_it():
    def things() -> Iterator[int]:
        yield 1
        yield 2
        raise KeyboardInterrupt

    told: list[int] = []
    found, stopped = until_stopped(things(), told.append)
    assert found == told == [1, 2]
    assert isinstance(stopped, KeyboardInterrupt)
    assert until_stopped(iter([1])) == ([1], None)


def test_explore_prints_each_world_when_it_has_been_visited(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(explore, "explored", stopping_after(2, explored))
    result = call("explore", *THREE)
    assert result.exit_code == 130
    lines = result.stdout.splitlines()
    assert lines[0].split()[:3] == ["part", "world", "programs"]
    assert all("6 of 6" in line for line in lines[1:3]), "two worlds had been visited"
    assert any(line.startswith("WANC-CHK-01, ") for line in lines), "and what it showed is told"


def test_explore_keeps_what_it_found_in_a_world_that_was_not_finished(monkeypatch: pytest.MonkeyPatch):
    def three_of(*arguments: Any, **options: Any) -> Iterator[Any]:
        looked_at = real(*arguments, **options)
        for _ in range(3):
            yield next(looked_at)
        raise KeyboardInterrupt

    real = explored
    monkeypatch.setattr(explore, "explored", three_of)
    result = call("explore", *THREE)
    assert result.exit_code == 130
    assert "3 of 6" in result.stdout.splitlines()[1]
    assert result.stdout.splitlines()[-1].startswith("all ")
    document = call("explore", *THREE, "--json")
    assert document.exit_code == 130
    (row,) = json.loads(document.stdout)["rows"]
    assert (row["explored"], row["programs"]) == (3, 6)


def test_explore_keeps_the_variants_that_it_has_asked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(variants_explored, "refute", stopping_after(2, refute))
    result = call("explore", "--variants", "--part", "tombstones")
    assert result.exit_code == 130
    head, *rows = result.stdout.splitlines()
    assert head.split()[:3] == ["variant", "of", "safety"]
    assert len([row for row in rows if row.split()[0] in FAULTY]) == 2
    assert "2 decide otherwise what these worlds ask" in " ".join(result.stderr.split())
    document = call("explore", "--variants", "--part", "tombstones", "--json")
    assert document.exit_code == 130
    assert json.loads(document.stdout)["rows"] == []


def test_trials_keep_what_they_compared(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trials, "compare", stopping_after(4, compare))
    result = call("trials", "--cases", "50")
    assert result.exit_code == 130
    assert "4 trials; states visited" in result.stdout
    monkeypatch.setattr(trials, "compare", stopping_after(0, compare))
    assert "0 trials; states visited" in call("trials").stdout


def test_the_document_of_stopped_trials_is_whole(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trials, "compare", stopping_after(4, compare))
    result = call("trials", "--cases", "50", "--json")
    assert result.exit_code == 130
    assert json.loads(result.stdout)["cases"] == 4


def test_right_runs_that_were_asked_about_are_kept_and_a_refuted_one_is_told_at_once(
    monkeypatch: pytest.MonkeyPatch,
):
    real = ask_about

    def refuting(seed: int, *arguments: Any, **options: Any) -> Any:
        if seed == 2:
            raise KeyboardInterrupt
        asked = real(seed, *arguments, **options)
        return msgspec.structs.replace(asked, answer=Answer.REFUTED)

    monkeypatch.setattr(trials, "ask_about", refuting)
    result = call("trials", "--right", "--cases", "9")
    assert result.exit_code == 130
    lines = result.stdout.splitlines()
    assert lines[:2] == ["refuted: seed 0", "refuted: seed 1"]
    assert any(line.startswith("2 right runs;") for line in lines)
