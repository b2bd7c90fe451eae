"""The search and its judge, on systems that have nothing to do with caches."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import permutations
from typing import Any

import pytest

from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.ordering import GuidedOrder
from plumbline.reference.search.search import FRONTIER, Answer, Budget, Cursor, Explanation, Search, explain
from plumbline.reference.search.transition import Logs, Place, Step, System, View
from plumbline.reference.tests.small_systems import SURE, Graph, step

CLOCK = "clock"


def both(system: Any, logs: Logs) -> tuple[Answer, Answer]:
    """What the search and the judge say."""
    return explain(system, logs).answer, judge(system, logs).answer


def test_a_claimed_step_is_taken_alone():
    system = Graph(start=[step("right"), step("wrong", claim=SURE)], right=[step("end", ("log", "a"))])
    assert both(system, Logs({"log": ["a"]})) == (Answer.REFUTED, Answer.EXPLAINED)


def test_a_step_that_claims_nothing_is_a_choice():
    system = Graph(start=[step("wrong"), step("right"), step("wrong")], right=[step("end", ("log", "a"))])
    assert both(system, Logs({"log": ["a"]})) == (Answer.EXPLAINED, Answer.EXPLAINED)


def test_a_claim_that_relies_on_a_replaced_decision_is_not_believed():
    system = Graph(start=[step("right"), step("wrong", claim=SURE)], right=[step("end", ("log", "a"))])
    logs = Logs({"log": ["a"]})
    assert explain(system, logs, switched_off={"it is so"}).answer is Answer.EXPLAINED
    assert explain(system, logs, switched_off={"something else"}).answer is Answer.REFUTED


def test_a_claimed_step_that_does_not_show_what_is_due_is_not_taken():
    system = Graph(
        start=[step("wrong", ("log", "b"), claim=SURE), step("end", ("log", "a"))],
    )
    assert both(system, Logs({"log": ["a"]})) == (Answer.EXPLAINED, Answer.EXPLAINED)


LOSES_A = Graph(
    start=[step("end", ("log", "a")), step("later", ("other", "b"), loses=(("log", "a"),))],
    later=[step("end", ("log", "a"))],
)


def test_a_step_that_loses_what_is_still_due_ends_the_branch():
    # The search takes the declaration at its word; the judge looks for itself.
    assert both(LOSES_A, Logs({"log": ["a"], "other": ["b"]})) == (Answer.REFUTED, Answer.EXPLAINED)


def test_a_step_that_loses_what_nobody_observed_ends_nothing():
    assert explain(LOSES_A, Logs({"other": ["b"]})).answer is Answer.EXPLAINED


def test_a_step_that_loses_what_was_shown_already_ends_nothing():
    system = Graph(
        start=[step("middle", ("log", "a"))], middle=[step("end", ("other", "b"), loses=(("log", "a"),))]
    )
    assert explain(system, Logs({"log": ["a"], "other": ["b"]})).answer is Answer.EXPLAINED


def test_a_step_that_cannot_be_taken_loses_nothing():
    system = Graph(start=[step("end", ("log", "a")), step("no", ("other", "c"), loses=(("log", "a"),))])
    assert explain(system, Logs({"log": ["a"], "other": []})).answer is Answer.EXPLAINED


def test_the_preferred_choice_is_tried_first():
    def states(**preferences: int) -> int:
        choices = [step(f"s{n}", prefer=preferences.get(f"s{n}", 0)) for n in range(5)]
        system = Graph(start=choices, s2=[step("end", ("log", "a"))])
        return explain(system, Logs({"log": ["a"]})).states

    assert states(s2=1) == 2
    assert states(s2=-1) == 6


def test_what_shows_something_is_tried_before_what_does_not():
    shows = step("end", ("log", "a"))
    system = Graph(start=[shows, step("s1", prefer=9), step("s2", prefer=9)])
    assert explain(system, Logs({"log": ["a"]})).states == 1


class Grid(System):
    """Counters that each go up to a limit by themselves, in any order."""

    def __init__(self, counters: int, limit: int, *, forgets: bool = False) -> None:
        self.counters = counters
        self.limit = limit
        self.forgets = forgets

    def initial(self) -> tuple[int, ...]:
        return (0,) * self.counters

    def steps(self, state: tuple[int, ...], view: View) -> Iterator[Step]:
        del view
        for index, count in enumerate(state):
            if count < self.limit:
                yield Step(("up", index), (*state[:index], count + 1, *state[index + 1 :]))

    def canonical(self, state: tuple[int, ...], now: int) -> tuple[int, ...]:
        del now
        return tuple(sorted(state)) if self.forgets else state


IMPOSSIBLE = Logs({"log": ["never"]})


def test_a_state_reached_in_many_ways_is_visited_once():
    # There are 184,756 ways through 121 states. States with a single successor are not remembered.
    assert explain(Grid(2, 10), IMPOSSIBLE).states < 3 * 11 * 11
    assert judge(Grid(2, 10), IMPOSSIBLE).states == 11 * 11


def test_states_that_are_canonically_the_same_are_visited_once_but_not_by_the_judge():
    assert explain(Grid(3, 4, forgets=True), IMPOSSIBLE).states < explain(Grid(3, 4), IMPOSSIBLE).states / 2
    assert judge(Grid(3, 4, forgets=True), IMPOSSIBLE).states == 5**3


def test_the_budget_of_states_ends_the_search_with_unknown():
    for search in (explain, judge):
        found: Explanation = search(Grid(6, 9), IMPOSSIBLE, Budget(states=50))
        assert found.answer is Answer.UNKNOWN
        assert found.states == 51


def test_the_budget_of_time_ends_the_search_with_unknown():
    found = explain(Grid(6, 9), IMPOSSIBLE, Budget(states=1_000_000, time_ms=0))
    assert found.answer is Answer.UNKNOWN
    assert found.states < 1_000


class Steady(System):
    """Shows one number after the other."""

    def initial(self) -> int:
        return 0

    def steps(self, state: int, view: View) -> Iterator[Step]:
        del view
        yield Step(("on", state), state + 1, (("log", state),))

    def canonical(self, state: int, now: int) -> int:
        del now
        return state


def test_whoever_gets_no_further_gives_up_when_patience_ends():
    found = explain(Grid(6, 9), IMPOSSIBLE, Budget(patience=50))
    assert (found.answer, found.states) == (Answer.UNKNOWN, 51)


def test_patience_does_not_end_while_the_search_gets_further():
    logs = Logs({"log": list(range(100))})
    assert explain(Steady(), logs, Budget(patience=2)).answer is Answer.EXPLAINED
    assert explain(Steady(), logs, Budget(patience=2, states=50)).answer is Answer.UNKNOWN


def test_a_budget_that_suffices_changes_nothing():
    needed = explain(Grid(2, 3), IMPOSSIBLE).states
    assert explain(Grid(2, 3), IMPOSSIBLE, Budget(states=needed)).answer is Answer.REFUTED
    assert explain(Grid(2, 3), IMPOSSIBLE, Budget(states=needed - 1)).answer is Answer.UNKNOWN


def gone_on_with(system: System, logs: Logs, stops: int) -> list[Explanation]:
    """What is said at each stop, so many states behind the one before, until something is known."""
    search = Search(system, logs)
    said: list[Explanation] = []
    while not said or said[-1].answer is Answer.UNKNOWN:
        said.append(search.go_on(Budget(states=stops * (len(said) + 1))))
    return said


@pytest.mark.parametrize("stops", [1, 7, 50])
def test_a_search_that_is_gone_on_with_looks_at_no_state_twice(stops: int):
    whole = explain(Grid(2, 10), IMPOSSIBLE)
    *_, last = said = gone_on_with(Grid(2, 10), IMPOSSIBLE, stops)
    assert (last.answer, last.states, last.branches) == (whole.answer, whole.states, whole.branches)
    assert len(said) == -(-whole.states // stops)


def test_a_run_that_is_found_after_a_stop_is_told_from_its_beginning():
    logs = Logs({"log": list(range(100))})
    *_, last = gone_on_with(Steady(), logs, 30)
    assert last.path == explain(Steady(), logs).path


def test_the_furthest_dead_ends_are_kept_the_furthest_first():
    choices = []
    ways: dict[str, list[Step]] = {}
    for depth in range(1, 7):
        for at in range(1, depth):
            ways[f"way{depth}.{at}"] = [step(f"way{depth}.{at + 1}", ("log", at))]
        choices.append(step(f"way{depth}.1", ("log", 0)))
    found = explain(Graph(start=choices, **ways), Logs({"log": list(range(9))}))
    assert found.answer is Answer.REFUTED
    assert [position.left for position in found.frontier] == [3, 4, 5]
    assert len(found.frontier) == FRONTIER
    assert [name for name, _ in found.frontier[0].path()] == [(f"way6.{at}",) for at in range(1, 7)]
    assert found.frontier[0].used.get("log") == 6


def test_a_search_that_gave_up_tells_how_far_it_came():
    found = explain(Grid(3, 9), IMPOSSIBLE, Budget(states=5))
    assert [position.left for position in found.frontier] == [1]


# Logs: windows, deadlines, places without observations.


class Free(System):
    """A system that may show any of these entries at any time, and lets its clock tick."""

    def __init__(self, *shows: tuple[Place, Hashable]) -> None:
        self.shows = shows

    def initial(self) -> frozenset[int]:
        return frozenset()

    def steps(self, state: frozenset[int], view: View) -> Iterator[Step]:
        if view.due(CLOCK) == "tick":
            yield Step(("tick",), state, ((CLOCK, "tick"),))
        for index, shown in enumerate(self.shows):
            if index not in state:
                yield Step(("show", shown), state | {index}, (shown,))

    def canonical(self, state: frozenset[int], now: int) -> frozenset[int]:
        del now
        return state


def ticking(windows: list[tuple[int, int]], entries: str) -> Logs:
    return Logs({CLOCK: ["tick"] * 3, "log": entries}, clock=CLOCK, windows={"log": windows})


@pytest.mark.parametrize(
    ("windows", "right"),
    [
        ([(0, 3), (0, 3)], True),
        ([(1, 1), (2, 2)], True),
        ([(3, 3), (3, 3)], True),
        ([(0, 0), (0, 0)], True),
        ([(2, 3), (0, 1)], False),  # b comes behind a in the log, but was shown earlier
        ([(4, 9), (4, 9)], False),  # the clock never stands there
    ],
)
def test_entries_are_shown_within_their_windows_or_not_at_all(windows: list[tuple[int, int]], right: bool):
    answer = Answer.EXPLAINED if right else Answer.REFUTED
    assert both(Free(("log", "a"), ("log", "b")), ticking(windows, "ab")) == (answer, answer)


def test_a_path_keeps_to_the_windows():
    found = explain(Free(("log", "a"), ("log", "b")), ticking([(1, 1), (3, 3)], "ab"))
    assert [name[0] if name == ("tick",) else name[1][1] for name, _ in found.path] == [
        *("tick", "a"),
        *("tick", "tick", "b"),
    ]


@pytest.mark.parametrize("names", [*permutations("abc")])
def test_choices_are_tried_in_the_order_of_a_timetable_and_what_is_not_in_it_last(names: tuple[str, ...]):
    free = Free(*((name, 1) for name in "abcd"))
    logs = Logs({CLOCK: ["tick"] * 2, **{name: [1] for name in "abcd"}}, clock=CLOCK)
    first, second, third = names
    timetable = {("show", (first, 1)): (0, 9), ("show", (second, 1)): (1, 3), ("show", (third, 1)): (1, 4)}
    found = explain(free, logs, order=GuidedOrder(timetable, CLOCK))
    shown = [name[0] if name == ("tick",) else name[1][0] for name, _ in found.path]
    assert shown == [first, "tick", second, third, "tick", "d"]
    assert [now for _, now in found.path] == [0, 0, 1, 1, 1, 2]
    assert found.states == len(shown)


def test_the_clock_does_not_leave_a_moment_by_which_an_entry_was_due():
    # b cannot be shown before a, and a only comes when the clock has gone on: no search beyond that.
    logs = ticking([(0, 0)], "a")
    cursor = Cursor(logs, reduced=True)
    tick = Step(("tick",), None, ((CLOCK, "tick"),))
    assert cursor.take(tick) is None
    cursor.move(HashedMap[Place, int]().set("log", 1))
    taken = cursor.take(tick)
    assert taken is not None
    used, count = taken
    assert (used.get(CLOCK), used.get("log"), count) == (1, 1, 1)


def test_deadlines_are_those_of_the_last_entry_due_by_a_moment():
    logs = ticking([(0, 1), (0, 1), (0, 2)], "abc")
    assert logs.deadlines == {1: [("log", 2)], 2: [("log", 3)]}


def test_where_nobody_looked_anything_may_have_been_shown():
    system = Graph(start=[step("next", ("dark", "x"), ("log", "a"))], next=[step("end", ("log", "b"))])
    assert both(system, Logs({"log": "ab"})) == (Answer.EXPLAINED, Answer.EXPLAINED)
    assert both(system, Logs({"log": "ab", "dark": []})) == (Answer.REFUTED, Answer.REFUTED)


def test_a_step_may_show_several_entries_in_one_place():
    system = Graph(start=[step("end", ("log", "a"), ("log", "a"))])
    assert both(system, Logs({"log": "aa"})) == (Answer.EXPLAINED, Answer.EXPLAINED)
    assert both(system, Logs({"log": "a"})) == (Answer.REFUTED, Answer.REFUTED)
    assert both(system, Logs({"log": "aaa"})) == (Answer.REFUTED, Answer.REFUTED)


def test_a_view_tells_what_is_due_what_fits_and_what_is_still_to_come():
    logs = Logs(
        {CLOCK: ["tick", "tick"], "log": ["a", "b", "a"]},
        clock=CLOCK,
        windows={"log": [(0, 2), (1, 2), (1, 2)]},
    )
    cursor = Cursor(logs, reduced=True)
    assert (cursor.due("log"), cursor.due("dark"), cursor.now) == ("a", None, 0)
    assert cursor.observed("log")
    assert not cursor.observed("dark")
    assert cursor.fits("log", "a")
    assert not cursor.fits("log", "b")
    assert cursor.fits("dark", "anything")
    cursor.move(HashedMap[Place, int]().set("log", 1))
    assert cursor.due("log") == "b"
    assert not cursor.fits("log", "b")  # not yet
    cursor.move(HashedMap[Place, int]().set("log", 1).set(CLOCK, 1))
    assert cursor.now == 1
    assert cursor.fits("log", "b")
    assert cursor.still("log", "a")
    cursor.move(HashedMap[Place, int]().set("log", 3).set(CLOCK, 1))
    assert cursor.due("log") is None
    assert not cursor.still("log", "a")
    assert not cursor.still("dark", "a")
