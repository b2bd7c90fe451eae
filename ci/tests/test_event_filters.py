"""Queues with event filters: right ones are never accused, and the search agrees with its judge."""

from __future__ import annotations

import random

import msgspec
import pytest

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.generators.random_trials import Trial, named_book
from plumbline.ci.selftest.generators.two_sites import (
    TwoSitesShape,
    any_fault,
    draw_plan,
    run_on_reference,
)
from plumbline.ci.selftest.soundness.comparison import compare
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook import event_filters
from plumbline.reference.rulebook.decisions import FILTERS
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.replaying import play_plan

BOOKS = (
    *("",) * 8,
    *(f"faulty {name}" for variant in event_filters.FAULTS for name in (variant.name,)),
    *(f"free {decision}" for decision in FILTERS),
)
"""Rulebooks that judge a trial: mostly the documents'."""


NAMED: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    *((("w",), ()), ((), ("w",)), (("x",), ("w",))),
    *(((), ("x", "w")), ((), ())),
)
"""Keys that a filter refuses, and that it withholds."""

LEAVES_OUT = ("withholds event", "withholds batch", "passes over")
"""Steps of the model in which a filter keeps an event from being sent."""


def filtered(draw: random.Random, queue: QueueAttributes) -> QueueAttributes:
    """The queue with a filter that names some of the keys x and w, or none."""
    refused, withheld = draw.choice(
        ((("w",), ()), ((), ("w",)), (("x",), ("w",)), ((), ("x", "w")), ((), ()))
    )
    return msgspec.structs.replace(queue, refused_keys=refused, withheld_keys=withheld)


def trial(seed: int) -> Trial:
    """A small example of two sites with filters: made by the documents' rulebook, or by its judge's."""
    draw = random.Random(f"filters {seed}")  # noqa: S311 - examples, not secrets
    faults = tuple(any_fault(draw) for _ in range(draw.choice((0, 1, 1))))
    shape = TwoSitesShape(
        operations=draw.choice((3, 4)),
        keys=("x", "w"),
        settled=0.2,
        looks=draw.choice((0.0, 0.3)),
        faults=faults,
        batch_size=draw.choice((1, 2, 100)),
    )
    plan = draw_plan(draw, shape)
    plan = msgspec.structs.replace(plan, queues=tuple(filtered(draw, queue) for queue in plan.queues))
    name = draw.choice(BOOKS)
    maker = named_book(name if name.startswith("faulty") and draw.random() < 0.5 else "")
    return Trial(
        seed=seed,
        history=run_on_reference(plan, book=maker, seed=seed),
        rulebook=name,
        corruption="",
        operations=shape.operations,
        overlapping=False,
    )


def test_the_search_and_the_judge_agree_on_queues_with_filters():
    found = [compare(trial(seed)) for seed in range(24)]
    assert [one for one in found if one.disagree] == []
    assert sum(one.decided for one in found) >= 22
    assert {one.answer for one in found} >= {Answer.EXPLAINED, Answer.REFUTED}


@pytest.mark.parametrize("machine", ["gateway_faults", "several_dispatchers", "asynchronous_queues"])
def test_drawn_plans_of_queues_with_filters_are_explained(machine: str):
    known, seen, found = MACHINES[machine], set[Plan](), list[Answer]()
    left_out = 0
    draw = random.Random(machine)  # noqa: S311 - examples, not secrets
    with Session(find_candidate("reference:chaotic", seed=5)) as session:

        def execute(plan: Plan) -> None:
            nonlocal left_out
            plan = msgspec.structs.replace(plan, queues=tuple(filtered(draw, one) for one in plan.queues))
            if plan not in seen:
                seen.add(plan)
                explanation = search(play_plan(plan, session).history, session.book, Budget(states=20_000))
                found.append(explanation.answer)
                left_out += any(str(name[0]) in LEAVES_OUT for name, _ in explanation.path)

        offers = frozenset(session.introduction.capabilities)
        drive(known, execute, offers=offers, examples=25, steps=12, draw_seed=3, shrink=False)
    assert Answer.REFUTED not in found
    assert found.count(Answer.UNKNOWN) <= 1
    assert left_out
