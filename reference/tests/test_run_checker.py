"""The checker of runs, on systems that have nothing to do with caches: it takes what steps offer, no more."""

from __future__ import annotations

import pytest

from plumbline.reference.search import run_checker
from plumbline.reference.search.run_checker import check_run
from plumbline.reference.search.search import FORGETS, Answer, explain
from plumbline.reference.search.transition import Logs, Step, View
from plumbline.reference.tests.small_systems import SURE, Graph, step

LOGS = Logs({"log": ["a", "b"]})
CHAIN = Graph(start=[step("first", ("log", "a"))], first=[step("second", ("log", "b")), step("aside")])


def test_a_run_that_shows_the_logs_holds():
    found = check_run(CHAIN, LOGS, [("first",), ("second",)])
    assert (found.holds, found.words) == (True, "")


def test_a_run_that_ends_too_early_leaves_entries():
    found = check_run(CHAIN, LOGS, [("first",)])
    assert (found.holds, found.left, found.words) == (False, 1, "the run leaves 1 entries of the logs")


def test_a_run_with_a_step_left_out_is_stuck_at_the_next():
    found = check_run(CHAIN, LOGS, [("second",)])
    assert (found.holds, found.stuck, found.steps) == (False, ("second",), 0)
    assert found.words == "step 1 of the run, ('second',), cannot be taken"


def test_a_run_that_shows_something_else_is_stuck():
    assert not check_run(CHAIN, Logs({"log": ["a", "c"]}), [("first",), ("second",)]).holds
    assert not check_run(CHAIN, Logs({"log": ["b", "a"]}), [("first",), ("second",)]).holds


def test_an_empty_run_shows_empty_logs_alone():
    assert check_run(CHAIN, Logs({"log": []}), []).holds
    assert not check_run(CHAIN, LOGS, []).holds


def test_of_several_steps_of_one_name_each_is_followed():
    system = Graph(
        start=[step("left"), step("right")],
        left=[step("end", ("log", "b"))],
        right=[step("end", ("log", "a"))],
    )
    for leaving in system.steps("start", None):
        leaving.name = ("leaves",)
    assert check_run(system, Logs({"log": ["a"]}), [("leaves",), ("end",)]).holds
    assert check_run(system, Logs({"log": ["b"]}), [("leaves",), ("end",)]).holds
    assert not check_run(system, Logs({"log": ["c"]}), [("leaves",), ("end",)]).holds


def test_steps_that_show_nothing_may_be_missing():
    system = Graph(start=[step("aside"), step("between")], between=[step("end", ("log", "a"))])
    logs = Logs({"log": ["a"]})
    assert check_run(system, logs, [("end",)]).holds
    assert check_run(CHAIN, LOGS, [("second",)]).stuck == ("second",), (
        "what shows something is not passed over"
    )


def test_a_state_is_reduced_only_where_the_run_says_so():
    class Forgetful(Graph):
        def canonical(self, state: str, now: int) -> str:
            del now
            return "start" if state == "detour" else state

    system = Forgetful(start=[step("end", ("log", "a")), step("detour")])
    logs = Logs({"log": ["a"]})
    assert check_run(system, logs, [("detour",), FORGETS, ("end",)]).holds
    assert check_run(system, logs, [("detour",), ("end",)]).stuck == ("end",)


def test_a_run_found_for_some_logs_does_not_hold_for_longer_ones():
    system = Graph(start=[step("end", ("log", "a"), claim=SURE)])
    found = explain(system, Logs({"log": ["a"]}))
    assert found.answer is Answer.EXPLAINED
    run = [name for name, _ in found.run]
    assert check_run(system, Logs({"log": ["a"]}), run).holds
    assert not check_run(system, LOGS, run).holds


class Counting(Graph):
    """Two silent steps from each state, for good."""

    def steps(self, state: str, view: View | None) -> list[Step]:
        del view
        return [step(f"{state}{letter}") for letter in "ab"]


def test_a_run_that_takes_too_many_states_is_given_up_and_is_not_broken(monkeypatch: pytest.MonkeyPatch):
    found = check_run(Counting(), LOGS, [("end",)])
    assert (found.holds, found.given_up) == (False, False)
    assert found.words == "step 1 of the run, ('end',), cannot be taken"
    monkeypatch.setattr(run_checker, "LEAST_STATES", 10)
    found = check_run(Counting(), LOGS, [("end",)])
    assert (found.holds, found.given_up, found.words) == (False, True, "")
