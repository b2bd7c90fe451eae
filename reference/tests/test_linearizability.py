"""The search and its judge as a checker of linearizability: a key-value register and its calls."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any, NamedTuple

import pytest

from plumbline.reference.explain.engine import Answer, explain
from plumbline.reference.explain.judge import judge
from plumbline.reference.explain.steps import Claim, Entry, Logs, Place, Step, System, View
from plumbline.reference.hashed import HashedMap

CLOCK = "clock"
MOMENT = Claim("moment", "The clock is one order, and a call or return only allows more.")
READING = Claim("reading", "A reading that is right now changes nothing.", frozenset({"reads are right"}))


class Call(NamedTuple):
    """A put of a value, or a get that gave it; from one moment of the clock to another."""

    kind: str
    key: str
    value: int | None


class Register(System):
    """Calls take effect one at a time, between being called and returning."""

    def __init__(self, calls: Mapping[str, Call]) -> None:
        self.calls = calls

    def initial(self) -> Any:
        """The values by key, and for each open call whether it has taken effect."""
        return HashedMap[str, int](), HashedMap[str, bool]()

    def steps(self, state: Any, view: View) -> Iterator[Step]:
        values, under_way = state
        due: Any = view.due(CLOCK)
        if due is not None:
            kind, name = due
            if kind == "call":
                yield Step(due, (values, under_way.set(name, value=False)), ((CLOCK, due),), MOMENT)
            elif under_way.get(name):
                yield Step(due, (values, under_way.delete(name)), ((CLOCK, due),), MOMENT)
        for name, happened in under_way.items():
            if happened:
                continue
            call = self.calls[name]
            after = under_way.set(name, value=True)
            if call.kind == "put":
                yield Step(("put", name), (values.set(call.key, call.value), after))
            else:
                shown = (("result", name), values.get(call.key))
                yield Step(("get", name), (values, after), (shown,), READING)

    def canonical(self, state: Any, now: int) -> Any:
        del now
        return state


def register(timeline: str, **calls: Call) -> tuple[Register, Logs]:
    """The question of a timeline such as "+a +b -a -b": + calls, - returns."""
    moments = [("call" if word[0] == "+" else "return", word[1:]) for word in timeline.split()]
    returned = {name for kind, name in moments if kind == "return"}
    results: dict[Place, list[Entry]] = {
        ("result", name): [call.value]
        for name, call in calls.items()
        if call.kind == "get" and name in returned
    }
    return Register(calls), Logs({CLOCK: moments, **results}, clock=CLOCK)


def put(value: int, key: str = "x") -> Call:
    return Call("put", key, value)


def got(value: int | None, key: str = "x") -> Call:
    return Call("get", key, value)


LINEARIZABLE = {
    "one after the other": ("+a -a +b -b", {"a": put(1), "b": got(1)}),
    "nothing was put": ("+a -a", {"a": got(None)}),
    "overlapping, before": ("+a +b -b -a", {"a": put(1), "b": got(None)}),
    "overlapping, after": ("+a +b -b -a", {"a": put(1), "b": got(1)}),
    "old, then new, within one put": ("+a +b -b +c -c -a", {"a": put(1), "b": got(None), "c": got(1)}),
    "a put that never returned": ("+a +b -b", {"a": put(1), "b": got(1)}),
    "keys apart": ("+a -a +b -b", {"a": put(1, "x"), "b": got(None, "y")}),
    "two puts at once, either order": ("+a +b -a -b +c -c", {"a": put(1), "b": put(2), "c": got(1)}),
}
NOT_LINEARIZABLE = {
    "lost": ("+a -a +b -b", {"a": put(1), "b": got(None)}),
    "from nowhere": ("+a -a +b -b", {"a": put(1), "b": got(2)}),
    "new, then old, within one put": ("+a +b -b +c -c -a", {"a": put(1), "b": got(1), "c": got(None)}),
    "overwritten and back": (
        "+a -a +b -b +c -c +d -d",
        {"a": put(1), "b": put(2), "c": got(2), "d": got(1)},
    ),
    "two readers that see two puts in two orders": (
        "+a +b +c -c +d -d +e -e -a -b",
        {"a": put(1), "b": put(2), "c": got(1), "d": got(2), "e": got(1)},
    ),
    "of another key": ("+a -a +b -b", {"a": put(1, "x"), "b": got(1, "y")}),
}


def answers(timeline: str, calls: Mapping[str, Call]) -> set[Answer]:
    """What search and judge say of the calls."""
    question = register(timeline, **calls)
    return {explain(*question).answer, judge(*question).answer}


@pytest.mark.parametrize("name", LINEARIZABLE)
def test_linearizable_calls_are_explained(name: str):
    assert answers(*LINEARIZABLE[name]) == {Answer.EXPLAINED}


@pytest.mark.parametrize("name", NOT_LINEARIZABLE)
def test_calls_that_are_not_linearizable_are_refuted(name: str):
    assert answers(*NOT_LINEARIZABLE[name]) == {Answer.REFUTED}


def test_the_run_found_is_told_step_by_step():
    system, logs = register("+a +b -b +c -c -a", a=put(1), b=got(None), c=got(1))
    path = explain(system, logs).path
    assert [name for name, _ in path if name[0] in ("put", "get")] == [
        ("get", "b"),
        ("put", "a"),
        ("get", "c"),
    ]
    assert [name for name, _ in path if name[0] in ("call", "return")] == list(logs.entries[CLOCK])


def draw_calls(draw: random.Random) -> tuple[str, dict[str, Call]]:
    """Up to five calls of two keys by three callers, every result drawn, right or wrong."""
    calls: dict[str, Call] = {}
    busy: dict[int, str] = {}
    timeline = []
    while len(calls) < 5 or busy:
        caller = draw.randrange(3)
        if caller in busy:
            timeline.append(f"-{busy.pop(caller)}")
        elif len(calls) < 5:
            name = "abcde"[len(calls)]
            key = draw.choice("xxy")
            calls[name] = (
                put(len(calls), key)
                if draw.random() < 0.5
                else got(draw.choice((None, *range(len(calls)))), key)
            )
            busy[caller] = name
            timeline.append(f"+{name}")
    return " ".join(timeline), calls


def linearizable(timeline: str, calls: Mapping[str, Call]) -> bool:
    """By trying every order: one that keeps calls apart which were apart, and gives what was got."""
    at = {word: moment for moment, word in enumerate(timeline.split())}

    def holds(order: tuple[str, ...]) -> bool:
        values: dict[str, int | None] = {}
        for index, name in enumerate(order):
            if any(at[f"-{later}"] < at[f"+{name}"] for later in order[index:]):
                return False
            call = calls[name]
            if call.kind == "put":
                values[call.key] = call.value
            elif values.get(call.key) != call.value:
                return False
        return True

    return any(holds(order) for order in permutations(calls))


def test_search_and_judge_agree_with_trying_every_order_on_random_calls():
    draw = random.Random(1)  # noqa: S311 - reproducible examples, not secrets
    found = {Answer.EXPLAINED: 0, Answer.REFUTED: 0}
    for _ in range(400):
        timeline, calls = draw_calls(draw)
        system, logs = register(timeline, **calls)
        right = Answer.EXPLAINED if linearizable(timeline, calls) else Answer.REFUTED
        assert explain(system, logs).answer is right, (timeline, calls)
        assert explain(system, logs, switched_off={"reads are right"}).answer is right, (timeline, calls)
        assert judge(system, logs).answer is right, (timeline, calls)
        found[right] += 1
    assert min(found.values()) > 50


def test_the_claims_spare_the_search_most_of_the_judges_work():
    timeline = " ".join(f"+p{n} +g{n} -p{n} -g{n}" for n in range(30))
    calls = {f"p{n}": put(n) for n in range(30)} | {f"g{n}": got(n) for n in range(30)}
    system, logs = register(f"{timeline} +last -last", **calls, last=got(28))
    searched, judged = explain(system, logs), judge(system, logs)
    assert searched.answer is judged.answer is Answer.REFUTED
    assert searched.states < judged.states
