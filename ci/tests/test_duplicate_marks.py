"""Marks of possible duplicates: a wrong mark is found and named, and where it is open either is right."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.explain.fault_localization import broken
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History
from plumbline.reference.history.listener_calls import SeenCall
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.replaying import play_plan

BUDGET = Budget(states=20_000)
NAMING_MS = 5_000


def histories(machine: str, candidate: str = "reference:chaotic") -> list[History]:
    """What a candidate shows of plans that a machine draws."""
    found: dict[Plan, History] = {}
    with Session(find_candidate(candidate, seed=7)) as session:

        def execute(plan: Plan) -> None:
            if plan not in found:
                found[plan] = play_plan(plan, session).history

        offers = frozenset(session.introduction.capabilities)
        drive(MACHINES[machine], execute, offers=offers, examples=25, steps=12, draw_seed=4, shrink=False)
    return [*found.values()]


def with_turned_mark(history: History, turned: int, place: int) -> History:
    """The history in which one event of one call has the other mark."""
    seen = history.calls[turned]
    events = list(seen.call.events)
    events[place] = msgspec.structs.replace(events[place], marked=not events[place].marked)
    call = msgspec.structs.replace(seen.call, events=tuple(events))
    calls = (*history.calls[:turned], SeenCall(call, seen.after, seen.before), *history.calls[turned + 1 :])
    return msgspec.structs.replace(history, calls=calls)


def repetitions(history: History) -> Iterator[tuple[int, int]]:
    """Where calls bring an event that an earlier call of the same queue has brought: call and place."""
    brought: set[tuple[str, str | None]] = set()
    for number, seen in enumerate(history.calls):
        names = [(seen.call.queue, change.token) for change in seen.call.events]
        yield from ((number, place) for place, name in enumerate(names) if name in brought)
        brought.update(names)


@pytest.mark.parametrize("machine", ["asynchronous_queues", "parallel_queues"])
def test_each_repetition_without_its_mark_is_refuted(machine: str):
    spoilt = [
        with_turned_mark(history, number, place)
        for history in histories(machine)
        for number, place in [*repetitions(history)][:2]
        if history.calls[number].call.events[place].token is not None
    ]
    assert len(spoilt) >= 3
    assert {search(one, Rulebook(), BUDGET).answer for one in spoilt} == {Answer.REFUTED}


def test_a_mark_too_many_is_named():
    history = next(one for one in histories("asynchronous_queues") if one.calls)
    wrong = with_turned_mark(history, 0, 0)
    assert search(wrong, Rulebook(), BUDGET).answer is Answer.REFUTED
    assert broken(wrong, Rulebook(), NAMING_MS) == ("EXT-MARK-03",)


def test_without_marks_nothing_of_them_is_judged():
    for history in histories("asynchronous_queues", "faulty:marks-everything")[:8]:
        calls = tuple(
            SeenCall(
                msgspec.structs.replace(
                    seen.call,
                    events=tuple(msgspec.structs.replace(one, marked=None) for one in seen.call.events),
                ),
                seen.after,
                seen.before,
            )
            for seen in history.calls
        )
        bare = msgspec.structs.replace(history, calls=calls)
        assert search(bare, Rulebook(), BUDGET).answer is Answer.EXPLAINED
        if history.calls:
            assert search(history, Rulebook(), BUDGET).answer is Answer.REFUTED
