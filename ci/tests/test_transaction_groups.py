"""Senders that group transactions: right ones are never accused, and the search agrees with its judge."""

from __future__ import annotations

import random

import msgspec

from plumbline.adapters.candidates import find_candidate
from plumbline.ci.selftest.generators.random_trials import Trial, named_book
from plumbline.ci.selftest.generators.two_sites import (
    ONE_RECEIVES,
    TOPOLOGY,
    TwoSitesShape,
    any_fault,
    draw_plan,
    run_on_reference,
)
from plumbline.ci.selftest.soundness.comparison import compare
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.actions import Do, PlanStep
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook import transaction_groups
from plumbline.reference.rulebook.decisions import GROUPS
from plumbline.reference.search.search import Answer, Budget
from plumbline.suites.harness.session import Session
from plumbline.suites.machines.all_machines import MACHINES, drive
from plumbline.suites.run.replaying import play_plan

BOOKS = (
    *("",) * 8,
    *(f"faulty {variant.name}" for variant in transaction_groups.FAULTS),
    *(f"free {decision}" for decision in GROUPS),
)
"""Rulebooks that judge a trial: mostly the documents'."""


def with_transaction(draw: random.Random, plan: Plan) -> Plan:
    """The plan whose first sender groups transactions, with one of two or three puts among its steps."""
    keys = draw.choice((("x", "w"), ("x", "w"), ("x", "w"), ("x", "w", "v")))
    member, thread = draw.choice(("A", "A", "B")), "transaction"
    count = max((step.operation.op_id for step in plan.steps if hasattr(step, "operation")), default=0)
    kinds = (OperationKind.TX_BEGIN, *(OperationKind.PUT,) * len(keys), OperationKind.TX_COMMIT)
    inside: list[PlanStep] = []
    for turn, (kind, key) in enumerate(zip(kinds, ("", *keys, ""), strict=True), count + 1):
        operation = Operation(
            op_id=turn,
            thread=thread,
            member=member,
            region=plan.regions[0].name,
            kind=kind,
            key=key,
            token=f"v{turn}" if key else None,
        )
        inside.append(Do(operation))
    at = draw.randrange(len(plan.steps) + 1)
    steps = (*plan.steps[:at], *inside, *plan.steps[at:])
    queues = (msgspec.structs.replace(plan.queues[0], group_transactions=True), *plan.queues[1:])
    return msgspec.structs.replace(plan, steps=steps, queues=queues)


def trial(seed: int) -> Trial:
    """A small example with a transaction: by the documents' rulebook, or by the one that judges."""
    draw = random.Random(f"groups {seed}")  # noqa: S311 - examples, not secrets
    kinds = (FaultKind.PAUSE, FaultKind.PAUSE, FaultKind.REPLIES_LOST, FaultKind.LINK_DOWN, FaultKind.CRASH)
    held = (Fault(kind=FaultKind.HOLD_TIME), *(any_fault(draw, (FaultKind.PAUSE,)),) * draw.choice((0, 1)))
    shape = TwoSitesShape(
        operations=draw.choice((0, 1, 1)),
        topology=draw.choice((ONE_RECEIVES, ONE_RECEIVES, TOPOLOGY)),
        keys=("x", "w"),
        started=0.3,
        settled=0.2,
        looks=draw.choice((0.0, 0.5)),
        faults=draw.choice(((), (any_fault(draw, kinds),), held, held)),
        batch_size=draw.choice((1, 1, 2)),
    )
    plan = with_transaction(draw, draw_plan(draw, shape))
    name = draw.choice(BOOKS)
    made_by = draw.choice((*("",) * 6, *BOOKS[8 : 8 + len(transaction_groups.FAULTS)]))
    maker = named_book(name if name.startswith("faulty") and draw.random() < 0.5 else made_by)
    return Trial(
        seed=seed,
        history=run_on_reference(plan, book=maker, seed=seed),
        rulebook=name,
        corruption="",
        operations=len(plan.steps),
        overlapping=False,
    )


def test_the_search_and_the_judge_agree_on_senders_that_group_transactions():
    found = [compare(trial(seed)) for seed in range(6)]
    assert [one for one in found if one.disagree] == []
    assert sum(one.decided for one in found) >= 4
    assert Answer.EXPLAINED in {one.answer for one in found}


def test_drawn_plans_of_senders_that_group_transactions_are_explained():
    seen, found, together = set[Plan](), list[Answer](), 0
    with Session(find_candidate("reference:chaotic", seed=5)) as session:

        def execute(plan: Plan) -> None:
            nonlocal together
            if plan not in seen:
                seen.add(plan)
                explanation = search(play_plan(plan, session).history, session.book, Budget(states=20_000))
                found.append(explanation.answer)
                together += any(step.kind is OperationKind.TX_COMMIT for step in called(plan))

        offers = frozenset(session.introduction.capabilities)
        drive(
            MACHINES["transaction_groups"],
            execute,
            offers=offers,
            examples=20,
            steps=12,
            draw_seed=5,
            shrink=False,
        )
    assert set(found) == {Answer.EXPLAINED}
    assert together >= 10


def called(plan: Plan) -> list[Operation]:
    return [step.operation for step in plan.steps if isinstance(step, Do)]
