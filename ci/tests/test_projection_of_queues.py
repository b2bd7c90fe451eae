"""What queues' listeners received of some keys: what is right of all keys is right of some of them."""

from __future__ import annotations

import random

import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.generators.queue_runs import (
    QueueForm,
    draw_queue_plan,
    run_queue,
    spoil_calls,
)
from plumbline.reference.explain.projection import project
from plumbline.reference.explain.search_stages import search, sought
from plumbline.reference.history.actions import Do, Park, Release, Settle
from plumbline.reference.history.history import History
from plumbline.reference.history.listener_calls import QUEUE, SUCCESS
from plumbline.reference.history.moments import Called, QueueScripted, Settled
from plumbline.reference.history.operations import Operation, OperationKind, Scope
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.run.replaying import play_plan
from plumbline.suites.scenarios.course import REGION
from plumbline.suites.scenarios.listening import listened_queues, regions, topology

BUDGET = Budget(states=20_000)
KEYS = 3
SEEDS = range(8)
LISTENED = (QueueForm.LISTENED, QueueForm.PARALLEL)


def example(form: QueueForm, seed: int) -> History:
    """A chaotic run of 15 operations, whose listeners fail before a member dies."""
    draw = random.Random(seed)  # noqa: S311 - examples, not secrets
    return run_queue(draw_queue_plan(draw, form, 15, keys=KEYS, deaths=1, backlog=False), seed)


def operations(history: History) -> list[Operation]:
    return [what.operation for what in history.timeline if isinstance(what, Called)]


def about(history: History, *keys: str) -> History:
    part = project(history, {one.op_id for one in operations(history) if one.key in keys})
    assert part is not None
    return part


@pytest.mark.parametrize("form", LISTENED)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_right_of_all_keys_is_right_of_some(form: QueueForm, seed: int):
    history = example(form, seed)
    for keys in (("k0",), ("k1",), ("k2",), ("k0", "k2")):
        part = about(history, *keys)
        assert sought(part, Rulebook(), BUDGET)[0].answer is Answer.EXPLAINED
        assert {one.key for seen in part.calls for one in seen.call.events} <= set(keys)
        assert all(seen.call.events for seen in part.calls)


def test_a_listener_is_told_to_answer_only_what_is_left_of_its_calls():
    dropped = 0
    for seed in SEEDS:
        history = example(QueueForm.LISTENED, seed)
        part = about(history, "k0")
        for member in "ABC":
            told = [
                answer
                for what in part.timeline
                if isinstance(what, QueueScripted) and what.member == member
                for answer in what.answers
                if answer != SUCCESS
            ]
            given = [seen.call.answer for seen in part.calls if seen.call.member == member]
            assert len(told) >= sum(answer != SUCCESS for answer in given)
        dropped += len(history.calls) - len(part.calls)
    assert dropped


def test_a_wrong_call_is_refuted_by_its_key_alone():
    refuted = 0
    for seed in SEEDS:
        right = example(QueueForm.LISTENED, seed)
        wrong = spoil_calls(right, random.Random(seed))  # noqa: S311 - examples, not secrets
        if wrong != right and search(wrong, Rulebook(), BUDGET).answer is Answer.REFUTED:
            keys = {one.key for one in operations(wrong)}
            answers = {key: sought(about(wrong, key), Rulebook(), BUDGET)[0].answer for key in keys}
            refuted += Answer.REFUTED in answers.values()
    assert refuted >= len(SEEDS) // 2


def test_what_waits_behind_a_listener_at_a_gate_has_not_been_forgotten():
    """The listener stands with x, and all comes to rest: y waits, though no call of it is under way."""
    queues = listened_queues()
    put = OperationKind.PUT
    put_x, put_y = (
        Operation(op_id=n, thread=f"A{n}", member="A", region=REGION, kind=put, key=key, token=key)
        for n, key in enumerate("xy", 1)
    )
    steps = (Park(put_x, "A", QUEUE), Do(put_y), Settle(), Release(1, "A", QUEUE), Settle())
    plan = Plan(topology(2), regions(queues, Scope.ACK, None, ())[:1], steps, queues)
    with Session(find_candidate("reference")) as session:
        history = play_plan(plan, session).history
    assert any(isinstance(what, Settled) for what in history.timeline)
    assert search(history, Rulebook(), BUDGET).answer is Answer.EXPLAINED
    assert search(about(history, "y"), Rulebook(), BUDGET).answer is Answer.EXPLAINED


def test_of_some_operations_of_a_key_nothing_is_said():
    history = example(QueueForm.LISTENED, 0)
    first, *_ = operations(history)
    assert [one.key for one in operations(history)].count(first.key) > 1
    assert project(history, {first.op_id}) is None
