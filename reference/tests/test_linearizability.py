"""The search as a checker of linearizability: a register, its calls, and recorded histories."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from itertools import permutations
from pathlib import Path

import pytest

from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.recorded_histories import (
    UnreadableHistoryError,
    initial_value,
    read_history,
)
from plumbline.reference.search.register import RegisterCall, linearizable, only_reads, question, register
from plumbline.reference.search.search import Answer, explain

Named = Mapping[str, tuple[str, tuple[Hashable, ...], Hashable]]


def calls(timeline: str, named: Named) -> list[RegisterCall]:
    """The calls of a timeline such as "+a +b -a -b": + calls, - returns."""
    at = {word: moment for moment, word in enumerate(timeline.split())}
    return [
        RegisterCall(
            kind, arguments, at[f"+{name}"], at.get(f"-{name}"), result if f"-{name}" in at else None
        )
        for name, (kind, arguments, result) in named.items()
    ]


def write(value: int) -> tuple[str, tuple[Hashable, ...], Hashable]:
    return "write", (value,), None


def read(value: int) -> tuple[str, tuple[Hashable, ...], Hashable]:
    """A read; 0 is the first value of the register."""
    return "read", (), value


def cas(expected: int, value: int, *, done: bool) -> tuple[str, tuple[Hashable, ...], Hashable]:
    return "cas", (expected, value), done


LINEARIZABLE: dict[str, tuple[str, Named]] = {
    "one after the other": ("+a -a +b -b", {"a": write(1), "b": read(1)}),
    "nothing was written": ("+a -a", {"a": read(0)}),
    "overlapping, before": ("+a +b -b -a", {"a": write(1), "b": read(0)}),
    "overlapping, after": ("+a +b -b -a", {"a": write(1), "b": read(1)}),
    "old, then new, within one write": ("+a +b -b +c -c -a", {"a": write(1), "b": read(0), "c": read(1)}),
    "a write that never returned": ("+a +b -b", {"a": write(1), "b": read(1)}),
    "two writes at once, either order": ("+a +b -a -b +c -c", {"a": write(1), "b": write(2), "c": read(1)}),
    "the same value again, later": (
        "+a +b -b +c -c +d -d -a",
        {"a": write(1), "b": write(1), "c": write(2), "d": read(1)},
    ),
    "compare and set": ("+a -a +b -b", {"a": cas(0, 1, done=True), "b": cas(0, 2, done=False)}),
}
NOT_LINEARIZABLE: dict[str, tuple[str, Named]] = {
    "lost": ("+a -a +b -b", {"a": write(1), "b": read(0)}),
    "from nowhere": ("+a -a +b -b", {"a": write(1), "b": read(2)}),
    "new, then old, within one write": ("+a +b -b +c -c -a", {"a": write(1), "b": read(1), "c": read(0)}),
    "overwritten and back": (
        "+a -a +b -b +c -c +d -d",
        {"a": write(1), "b": write(2), "c": read(2), "d": read(1)},
    ),
    "two readers that see two writes in two orders": (
        "+a +b +c -c +d -d +e -e -a -b",
        {"a": write(1), "b": write(2), "c": read(1), "d": read(2), "e": read(1)},
    ),
    "compare and set of an old value": (
        "+a -a +b -b",
        {"a": cas(0, 1, done=True), "b": cas(0, 2, done=True)},
    ),
}


def answers(timeline: str, named: Named) -> set[Answer]:
    """The answers of the search and of the exhaustive search."""
    asked = question(calls(timeline, named), register, 0)
    return {explain(*asked).answer, judge(*asked).answer}


@pytest.mark.parametrize("name", LINEARIZABLE)
def test_linearizable_calls_are_explained(name: str):
    assert answers(*LINEARIZABLE[name]) == {Answer.EXPLAINED}


@pytest.mark.parametrize("name", NOT_LINEARIZABLE)
def test_calls_that_are_not_linearizable_are_refuted(name: str):
    assert answers(*NOT_LINEARIZABLE[name]) == {Answer.REFUTED}


def test_the_run_found_names_each_effect_in_order():
    system, logs = question(calls(*LINEARIZABLE["old, then new, within one write"]), register, 0)
    path = explain(system, logs).path
    assert [name for name, _ in path if name[0] == "effect"] == [("effect", 1), ("effect", 0), ("effect", 2)]


def draw_calls(draw: random.Random) -> list[RegisterCall]:
    """Up to five calls by three callers, every result drawn, right or wrong; some never return."""
    named: dict[str, tuple[str, tuple[Hashable, ...], Hashable]] = {}
    busy: dict[int, str] = {}
    timeline = []
    while len(named) < 5 or busy:
        caller = draw.randrange(3)
        if caller in busy:
            name = busy.pop(caller)
            if draw.random() < 0.9:
                timeline.append(f"-{name}")
        elif len(named) < 5:
            name = "abcde"[len(named)]
            named[name] = draw.choice(
                (
                    write(draw.randrange(1, 4)),
                    read(draw.randrange(4)),
                    cas(draw.randrange(3), draw.randrange(1, 4), done=draw.random() < 0.5),
                )
            )
            busy[caller] = name
            timeline.append(f"+{name}")
    return calls(" ".join(timeline), named)


def by_every_order(drawn: Sequence[RegisterCall]) -> bool:
    """Whether some order keeps apart the calls that were apart, and gives every result.

    A call that never returned may have happened or not, so every part of those is tried as well.
    """
    done = [call for call in drawn if call.returned is not None]
    open_calls = [call for call in drawn if call.returned is None]
    parts = [
        [call for number, call in enumerate(open_calls) if mask >> number & 1]
        for mask in range(1 << len(open_calls))
    ]
    return any(_holds(order) for part in parts for order in permutations([*done, *part]))


def _holds(order: Sequence[RegisterCall]) -> bool:
    value: Hashable = 0
    for index, call in enumerate(order):
        if any(later.returned is not None and later.returned < call.called for later in order[index:]):
            return False
        value, result = register(value, call)
        if call.result is not None and call.result != result:
            return False
    return True


def test_the_search_agrees_with_trying_every_order_on_2000_random_histories():
    draw = random.Random(1)  # noqa: S311 - reproducible examples, not secrets
    found = {Answer.EXPLAINED: 0, Answer.REFUTED: 0}
    for _ in range(2_000):
        drawn = draw_calls(draw)
        right = Answer.EXPLAINED if by_every_order(drawn) else Answer.REFUTED
        assert linearizable(drawn, register, 0) is right, drawn
        found[right] += 1
    assert min(found.values()) > 200


def test_the_exhaustive_search_agrees_too():
    draw = random.Random(2)  # noqa: S311 - reproducible examples, not secrets
    for _ in range(200):
        drawn = draw_calls(draw)
        assert judge(*question(drawn, register, 0)).answer is linearizable(drawn, register, 0), drawn


def test_taking_reads_at_once_spares_most_states():
    named = {f"w{n}": write(n) for n in range(1, 30)} | {f"r{n}": read(n) for n in range(1, 30)}
    timeline = " ".join(f"+w{n} +r{n} -w{n} -r{n}" for n in range(1, 30))
    asked = question(calls(f"{timeline} +last -last", {**named, "last": read(28)}), register, 0)
    searched, judged = explain(*asked), judge(*asked)
    assert searched.answer is judged.answer is Answer.REFUTED
    assert searched.states < judged.states


def test_only_calls_that_never_change_the_register_are_taken_at_once():
    assert only_reads(RegisterCall("read", (), 0, 1, 7))
    assert only_reads(RegisterCall("cas", (1, 2), 0, 1, result=False))
    assert not only_reads(RegisterCall("cas", (1, 2), 0, None, None))
    assert not only_reads(RegisterCall("write", (1,), 0, 1, None))


JEPSEN = """\
INFO  jepsen.util - 0\t:invoke\t:read\tnil
INFO  jepsen.util - 1\t:invoke\t:write\t4
INFO  jepsen.util - 0\t:ok\t:read\tnil
INFO  jepsen.util - 2\t:invoke\t:cas\t[4 3]
INFO  jepsen.util - 1\t:info\t:write\t:timed-out
INFO  jepsen.util - 2\t:ok\t:cas\t[4 3]
INFO  jepsen.util - 0\t:invoke\t:read\tnil
INFO  jepsen.util - 0\t:ok\t:read\t{last}
INFO  jepsen.util - 3\t:invoke\t:read\tnil
INFO  jepsen.util - 3\t:fail\t:read\t:timed-out
"""

KEYED = """\
{:process 0, :type :invoke, :f :append, :key "0", :value "x 0 0 y"}
{:process 0, :type :ok, :f :append, :key "0", :value "x 0 0 y"}
{:process 1, :type :invoke, :f :put, :key "1", :value "z"}
{:process 0, :type :invoke, :f :get, :key "0", :value nil}
{:process 1, :type :ok, :f :put, :key "1", :value "z"}
{:process 0, :type :ok, :f :get, :key "0", :value "LAST"}
"""


@pytest.mark.parametrize(
    ("last", "right"), [("3", Answer.EXPLAINED), ("4", Answer.REFUTED), ("nil", Answer.REFUTED)]
)
def test_a_log_of_jepsen_is_read(tmp_path: Path, last: str, right: Answer):
    file = tmp_path / "register.log"
    file.write_text(JEPSEN.format(last=last))
    (found,) = read_history(file).values()
    assert [call.kind for call in found] == ["read", "write", "cas", "read", "read"]
    assert (found[1].returned, found[4].result) == (None, None)
    assert linearizable(found, register, initial_value(file)) is right


@pytest.mark.parametrize(("last", "right"), [("x 0 0 y", Answer.EXPLAINED), ("", Answer.REFUTED)])
def test_a_history_with_keys_is_read_key_by_key(tmp_path: Path, last: str, right: Answer):
    file = tmp_path / "keys.txt"
    file.write_text(KEYED.replace("LAST", last))
    found = read_history(file)
    assert {key: len(of_key) for key, of_key in found.items()} == {"0": 2, "1": 1}
    assert linearizable(found["0"], register, initial_value(file)) is right
    assert linearizable(found["1"], register, initial_value(file)) is Answer.EXPLAINED


@pytest.mark.parametrize("line", ["no format at all", "INFO  jepsen.util - 9\t:ok\t:read\t1"])
def test_a_line_that_is_no_part_of_a_history_is_named(tmp_path: Path, line: str):
    file = tmp_path / "register.log"
    file.write_text(f"{line}\n")
    with pytest.raises(UnreadableHistoryError, match="line 1"):
        read_history(file)
