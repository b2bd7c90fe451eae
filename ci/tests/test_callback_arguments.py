"""Callback arguments: a wrong argument is found and named, and what has none by another way is right."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.reference.explain.fault_localization import broken
from plumbline.reference.explain.mistold import mistold
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.listener_calls import SeenCall
from plumbline.reference.history.operations import Event, EventKind
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.replaying import play_plan

BUDGET = Budget(states=20_000)
NAMING_MS = 3_000


@cache
def histories(machine: str, examples: int = 25) -> list[History]:
    """What the random reference shows of plans that a machine draws."""
    found: dict[Plan, History] = {}
    with Session(find_candidate("reference:chaotic", seed=7)) as session:

        def execute(plan: Plan) -> None:
            if plan not in found:
                found[plan] = play_plan(plan, session).history

        offers = frozenset(session.introduction.capabilities)
        drive(
            MACHINES[machine], execute, offers=offers, examples=examples, steps=10, draw_seed=4, shrink=False
        )
    return [*found.values()]


def with_event(history: History, member: str, at: int, argument: str | None) -> History:
    """The history in which one event has another argument, or none."""
    log = list(history.logs[member])
    seen = log[at]
    told = msgspec.structs.replace(seen.event, argument=msgspec.UNSET if argument is None else argument)
    log[at] = Observation(told, seen.after, seen.before)
    return msgspec.structs.replace(history, logs={**history.logs, member: tuple(log)})


def with_change(history: History, call: int, at: int, argument: str | None) -> History:
    """The history in which one event of a batch has another argument, or none."""
    seen = history.calls[call]
    events = list(seen.call.events)
    events[at] = msgspec.structs.replace(events[at], argument=msgspec.UNSET if argument is None else argument)
    told = msgspec.structs.replace(seen.call, events=tuple(events))
    calls = (*history.calls[:call], SeenCall(told, seen.after, seen.before), *history.calls[call + 1 :])
    return msgspec.structs.replace(history, calls=calls)


def argued(history: History) -> Iterator[tuple[str, int, Event]]:
    """The events of listeners that show an argument."""
    for member, log in history.logs.items():
        yield from ((member, at, seen.event) for at, seen in enumerate(log) if seen.event.argument)


@pytest.mark.parametrize("machine", ["callback_arguments", "arguments_at_clients"])
def test_each_lost_or_foreign_argument_is_refuted(machine: str):
    spoilt = 0
    for history in histories(machine):
        assert mistold(history) is None
        for member, at, _ in [*argued(history)][:3]:
            for wrong in (None, "of another call"):
                assert (
                    search(with_event(history, member, at, wrong), Rulebook(), BUDGET).answer
                    is Answer.REFUTED
                )
                spoilt += 1
    assert spoilt > 20


@pytest.mark.parametrize(
    ("of_client", "remote", "named"),
    [
        (False, False, "EXT-CALLBACK-01"),
        (False, True, "EXT-CALLBACK-03"),
        (True, False, "EXT-CALLBACK-04"),
    ],
)
def test_an_argument_that_is_lost_is_named_by_its_place(of_client: bool, remote: bool, named: str):
    machine = "arguments_at_clients" if of_client else "callback_arguments"
    for history in histories(machine):
        sites = {one: site.number for site in history.topology.sites for one in site.members}
        called = {
            what.operation.token: what.operation for what in history.timeline if hasattr(what, "operation")
        }
        for member, at, event in argued(history):
            if of_client is (member in sites) or any(hasattr(what, "fault") for what in history.timeline):
                continue
            if not of_client and remote is (sites[member] == sites[called[event.token].member]):
                continue
            assert broken(with_event(history, member, at, None), Rulebook(), NAMING_MS) == (named,)
            return
    pytest.fail("no such event was shown")


def test_an_argument_that_no_call_was_given_is_named():
    for history in histories("callback_arguments"):
        for member, log in history.logs.items():
            for at, seen in enumerate(log):
                if not seen.event.argument and seen.event.kind is EventKind.UPDATE:
                    wrong = with_event(history, member, at, "invented")
                    assert broken(wrong, Rulebook(), NAMING_MS) == ("EXT-CALLBACK-05",)
                    return
    pytest.fail("no event without an argument was shown")


def test_an_argument_of_another_event_of_its_batch_is_named():
    for history in histories("callback_arguments", examples=60):
        for number, seen in enumerate(history.calls):
            first, *rest = seen.call.events
            others = [at for at, one in enumerate(rest, 1) if one.argument]
            if first.argument and others:
                wrong = with_change(history, number, others[0], first.argument)
                assert broken(wrong, Rulebook(), NAMING_MS) == ("EXT-CALLBACK-06",)
                return
    pytest.fail("no batch of several events with arguments was shown")


def test_the_search_finds_the_same_with_arguments_and_without():
    for history in histories("callback_arguments")[:8]:
        bare = msgspec.structs.replace(
            history,
            logs={
                member: tuple(
                    Observation(
                        msgspec.structs.replace(seen.event, argument=msgspec.UNSET), seen.after, seen.before
                    )
                    for seen in log
                )
                for member, log in history.logs.items()
            },
            timeline=tuple(
                msgspec.structs.replace(
                    what, operation=msgspec.structs.replace(what.operation, argument=None)
                )
                if hasattr(what, "operation")
                else what
                for what in history.timeline
            ),
            calls=tuple(
                SeenCall(
                    msgspec.structs.replace(
                        seen.call,
                        events=tuple(
                            msgspec.structs.replace(one, argument=msgspec.UNSET) for one in seen.call.events
                        ),
                    ),
                    seen.after,
                    seen.before,
                )
                for seen in history.calls
            ),
        )
        found, of_bare = (search(one, Rulebook(), BUDGET) for one in (history, bare))
        assert (found.answer, found.visited) == (of_bare.answer, of_bare.visited)
