"""What is wrong with a plan that comes from elsewhere, before anything of it is carried out.

A plan in a file may name what there is not, or ask for more than a machine has. Knows nothing of candidates:
what one must have for a plan are its needs (`needs.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.history.bulk import BULK, singly
from plumbline.reference.history.operations import CONDITIONAL, Operation
from plumbline.reference.history.plans import (
    Await,
    Finish,
    Inject,
    Park,
    Plan,
    PlanStep,
    Redeliver,
    Register,
    Release,
    operation_of,
)
from plumbline.reference.history.resolvers import policy_of

MOST_MEMBERS = 64
"""A plan from elsewhere that wants more is not carried out: each may be a process."""


def mistakes(plan: Plan) -> list[str]:
    """What is wrong with a plan that comes from elsewhere; empty if it can be carried out."""
    members, regions, queues = set(plan.members), {r.name for r in plan.regions}, {q.id for q in plan.queues}
    wrong = [] if members else ["no members"]
    if len(members) > MOST_MEMBERS:
        wrong.append(f"{len(members):,} members, which is more than {MOST_MEMBERS}")
    clients = [client.name for client in plan.clients]
    if len({*plan.members, *clients}) != len(plan.members) + len(clients):
        wrong.append("a member or client twice")
    wrong += [
        f"client {client.name!r:.80}: its server is no member"
        for client in plan.clients
        if not client.servers or not members.issuperset(client.servers)
    ]
    wrong += [
        f"region {region.name!r:.80}: no member {host.member!r:.80}"
        for region in plan.regions
        for host in region.policies
        if host.member not in members and (host.member not in clients or host.policy != "local")
    ]
    wrong += [
        f"queue {queue.id!r:.80}: no member {name!r:.80}"
        for queue in plan.queues
        for name in queue.members
        if name not in members
    ]
    if plan.tombstones is not None:
        wrong += [
            f"a threshold of tombstones for {name!r:.80}, which is no member"
            for name, _ in plan.tombstones.thresholds
            if name not in members
        ]
    if plan.resolver and policy_of(plan.resolver) is None:
        wrong.append(f"a resolver of the policy {plan.resolver!r:.80}, which there is not")
    callers = members.union(clients)
    called: dict[int, Operation] = {}
    for number, step in enumerate(plan.steps, 1):
        operation = operation_of(step)
        if operation is not None:
            if operation.op_id in called:
                wrong.append(f"step {number}: operation {operation.op_id} once more")
            called[operation.op_id] = operation
            wrong += [f"step {number}: {words}" for words in _wrong_entries(operation, step, called)]
        of = (
            (getattr(step, "member", ""), callers, "member"),
            (getattr(operation, "member", ""), callers, "member"),
            (getattr(step, "region", "") or getattr(operation, "region", ""), regions, "region"),
            (getattr(step, "queue", ""), queues, "queue"),
            (step.interest.client if isinstance(step, Register) else "", set(clients), "client"),
            (step.interest.region if isinstance(step, Register) else "", regions, "region"),
            (step.fault.member if isinstance(step, Inject) else "", members, "member"),
            (step.fault.client if isinstance(step, Inject) else "", set(clients), "client"),
            (step.fault.queue if isinstance(step, Inject) else "", queues, "queue"),
        )
        wrong += [
            f"step {number}: no {kind} {name!r:.80}" for name, there, kind in of if name and name not in there
        ]
        if isinstance(step, Park | Release) and step.callback not in ("listener", "writer"):
            wrong.append(f"step {number}: nothing is parked in a {step.callback!r:.80}")
        if isinstance(step, Release | Finish | Await | Redeliver) and step.op_id not in called:
            wrong.append(f"step {number}: operation {step.op_id} is not called before")
    return wrong


def _wrong_entries(operation: Operation, step: PlanStep, called: dict[int, Operation]) -> Iterator[str]:
    """What is wrong with what an operation has by its kind; its entries are operations from here on, too."""
    if (operation.kind in BULK) is not bool(operation.entries):
        yield f"{operation.kind} of {len(operation.entries)} entries"
    if (operation.kind in CONDITIONAL) is (operation.expected is None):
        yield f"{operation.kind} with the expected value {operation.expected!r:.80}"
    if operation.entries and isinstance(step, Park):
        yield "an operation on many keys is parked nowhere"
    if len({entry.key for entry in operation.entries}) < len(operation.entries):
        yield "a key twice"
    for single in singly(operation) if operation.entries else ():
        if single.op_id in called:
            yield f"operation {single.op_id} once more"
        called[single.op_id] = single
