"""What is wrong with a plan that comes from elsewhere, before anything of it is carried out.

A plan in a file may name what there is not, or ask for more than a machine has. Knows nothing of candidates:
what one must have for a plan are its needs (`needs.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.history.actions import PlanStep
from plumbline.reference.history.bulk import singly
from plumbline.reference.history.operations import Operation
from plumbline.reference.history.plans import Plan
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
    there = {
        "member": members,
        "client": set(clients),
        "caller": members.union(clients),
        "region": regions,
        "queue": queues,
    }
    called: dict[int, Operation] = {}
    for number, step in enumerate(plan.steps, 1):
        wrong += [f"step {number}: {words}" for words in _of_calls(step, called)]
        wrong += [
            f"step {number}: no {'member' if kind == 'caller' else kind} {name!r:.80}"
            for kind, name in step.names()
            if name and name not in there[kind]
        ]
        wrong += [f"step {number}: {words}" for words in step.mistakes()]
    return wrong


def _of_calls(step: PlanStep, called: dict[int, Operation]) -> Iterator[str]:
    """What is wrong with the numbers of operations; those that the step calls are known from here on."""
    operation = step.operation_called
    for one in dict.fromkeys((operation, *singly(operation))) if operation is not None else ():
        if one.op_id in called:
            yield f"operation {one.op_id} once more"
        called[one.op_id] = one
    if step.about is not None and step.about not in called:
        yield f"operation {step.about} is not called before"
