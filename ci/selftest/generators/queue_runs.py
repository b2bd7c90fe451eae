"""Random runs of queues that fill up, fail and change hands: with a listener, parallel, or to another site.

Members call, one after the other or at once. Listeners fail now and then, and members die. Also how calls of
a queue's listener are spoilt. Knows nothing of how long it takes to explain them.
"""

from __future__ import annotations

import random
from enum import StrEnum

import msgspec

from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.history.actions import Do, Finish, Inject, PlanStep, ScriptQueue, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.listener_calls import QueuedChange, SeenCall
from plumbline.reference.history.operations import (
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Site,
    Topology,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook.book import Rulebook
from plumbline.suites.harness.driver import Driver
from plumbline.suites.harness.plan_runner import run_plan

REGION = "r"
HERE = ("A", "B", "C")
THERE = ("D", "E")
FAILURES = ("false", "throw", "part")
KINDS = (*(OperationKind.PUT,) * 4, OperationKind.DESTROY, OperationKind.CREATE)


class QueueForm(StrEnum):
    """What kind of queue a run is of."""

    LISTENED = "listened"
    PARALLEL = "parallel"
    GATEWAY = "gateway"


def queue_of(form: QueueForm, batch_size: int) -> QueueAttributes:
    """The queue of site 1."""
    return QueueAttributes(
        id="q",
        site=1,
        remote_site=2 if form is QueueForm.GATEWAY else None,
        parallel=form is QueueForm.PARALLEL,
        batch_size=batch_size,
    )


def draw_queue_plan(
    draw: random.Random, form: QueueForm, operations: int, *, keys: int, deaths: int, backlog: bool
) -> Plan:
    """A plan of so many operations on so many keys.

    Args:
        draw: what is drawn from.
        form: the kind of queue.
        operations: how many.
        keys: how many keys they change.
        deaths: how many members die; listeners fail as often.
        backlog: whether all events wait in the queue before the first one is sent.
    """
    queue = queue_of(form, 100 if backlog else draw.choice((2, 10, 100)))
    turns = sorted(draw.sample(range(operations // 10, operations), deaths))
    dying = list(HERE[:deaths])
    members = list(HERE)
    steps: list[PlanStep] = [_switched(FaultKind.PAUSE, one) for one in members if backlog]
    under_way: dict[str, int] = {}
    for op_id in range(1, operations + 1):
        if op_id in turns and not backlog:
            steps += _failing(draw, form, members)
            members.remove(victim := dying.pop(0))
            under_way = {thread: one for thread, one in under_way.items() if thread[0] != victim}
            steps.append(Inject(Fault(kind=FaultKind.CRASH, member=victim)))
        member = draw.choice(members)
        thread = f"{member}{draw.randrange(2)}"
        if thread in under_way:
            steps.append(Finish(under_way.pop(thread)))
        operation = Operation(
            op_id=op_id,
            thread=thread,
            member=member,
            region=REGION,
            kind=draw.choice(KINDS),
            key=f"k{draw.randrange(keys)}",
            token=f"t{op_id}",
        )
        if draw.random() < (0.0 if backlog else 0.3):
            steps.append(Start(operation))
            under_way[thread] = op_id
        else:
            steps.append(Do(operation))
        if draw.random() < (0.0 if backlog else 0.03):
            steps += [*map(Finish, under_way.values()), Settle()]
            under_way.clear()
    if backlog and deaths:
        members.remove(dying[0])
        steps += [Settle(), Inject(Fault(kind=FaultKind.CRASH, member=dying[0]))]
    steps += [_switched(FaultKind.RESUME, one) for one in members if backlog]
    steps += [*map(Finish, under_way.values()), Settle()]
    return Plan(_topology(form), (_region(form),), tuple(steps), (queue,))


def run_queue(plan: Plan, seed: int) -> History:
    """The history of such a plan on the chaotic reference."""
    adapter = ReferenceAdapter(Rulebook(), chaotic=True, seed=seed)
    order = adapter.deploy(plan.topology).member_order
    driver = Driver(adapter, adapter.hello(), plan.topology, order, plan.regions, plan.queues)
    run_plan(plan, driver)
    return driver.history()


def spoil_calls(history: History, draw: random.Random) -> History:
    """The history in which a call of a listener lacks an event or is missing, or has two events turned."""
    calls = [number for number, seen in enumerate(history.calls) if seen.call.events]
    if not calls:
        return history
    number = draw.choice(calls)
    events = list(history.calls[number].call.events)
    place = draw.randrange(len(events))
    if place and draw.random() < 1 / 2 and _differ(events[place - 1], events[place]):
        events[place - 1], events[place] = events[place], events[place - 1]
    else:
        del events[place]
    seen = history.calls[number]
    changed = SeenCall(msgspec.structs.replace(seen.call, events=tuple(events)), seen.after, seen.before)
    left = (*history.calls[:number], *([changed] if events else []), *history.calls[number + 1 :])
    return msgspec.structs.replace(history, calls=left)


def _differ(one: QueuedChange, other: QueuedChange) -> bool:
    return one.key == other.key and one != other


def _failing(draw: random.Random, form: QueueForm, members: list[str]) -> list[PlanStep]:
    """The listeners of all members that live fail once or twice."""
    if form is QueueForm.GATEWAY:
        return []
    answers = tuple(draw.choice(FAILURES) for _ in range(draw.choice((1, 2))))
    return [ScriptQueue(member, "q", answers) for member in members]


def _switched(kind: FaultKind, member: str) -> PlanStep:
    return Inject(Fault(kind=kind, member=member, queue="q"))


def _topology(form: QueueForm) -> Topology:
    here = Site(1, HERE)
    return Topology((here, Site(2, THERE)) if form is QueueForm.GATEWAY else (here,))


def _region(form: QueueForm) -> RegionAttributes:
    if form is QueueForm.PARALLEL:
        return RegionAttributes(name=REGION, policy=RegionPolicy.PARTITION, redundancy=1, queues=("q",))
    if form is QueueForm.GATEWAY:
        return RegionAttributes(name=REGION, senders=("q",))
    return RegionAttributes(name=REGION, queues=("q",))
