"""Plans: what to ask of a candidate, step by step, decided before any of it is done.

A plan is a value: it can be shown, shrunk, saved and run again on another candidate. Knows nothing of
what the outcome should be, nor of how a plan is carried out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from plumbline.reference.history.actions import Do, Finish, Park, PlanStep, Release, Settle, Start
from plumbline.reference.history.bulk import singly
from plumbline.reference.history.listener_calls import QUEUE
from plumbline.reference.history.operations import (
    Client,
    HostPolicy,
    Operation,
    QueueAttributes,
    RegionAttributes,
    TombstoneSettings,
    Topology,
    with_whole_transactions,
)


class Plan(msgspec.Struct, frozen=True):
    """Topology, regions, queues, clients and steps of one example; how tombstones are kept, if that matters.

    Where a resolver is named, by its policy, it is installed on every member from the beginning. The clients
    register for all keys of all regions when they start, unless `registers` says otherwise.
    """

    topology: Topology
    regions: tuple[RegionAttributes, ...]
    steps: tuple[PlanStep, ...]
    queues: tuple[QueueAttributes, ...] = ()
    clients: tuple[Client, ...] = ()
    registers: bool = True
    tombstones: TombstoneSettings | None = None
    resolver: str = ""

    @property
    def members(self) -> tuple[str, ...]:
        """All members of all sites."""
        return self.topology.members


def operations_of(plan: Plan) -> tuple[Operation, ...]:
    """The operations that a plan calls, in the order in which it calls them; of many keys that of each."""
    called = (operation for step in plan.steps if (operation := step.operation_called) is not None)
    return tuple(single for operation in called for single in singly(operation))


def restricted(plan: Plan, kept: Collection[int]) -> Plan:
    """The plan with these operations only; what concerns the others goes with them."""
    whole = with_whole_transactions(operations_of(plan), kept)
    steps = [_with_entries(step, whole) for step in plan.steps]
    whole |= {op.op_id for step in steps if (op := step.operation_called) is not None and op.entries}
    return with_steps(plan, [step for step in steps if step.concerns(whole)])


def _with_entries(step: PlanStep, kept: Collection[int]) -> PlanStep:
    """The step with these entries only, where it calls an operation on many keys."""
    if not isinstance(step, Do | Start) or not step.operation.entries:
        return step
    entries = tuple(entry for entry in step.operation.entries if entry.op_id in kept)
    return msgspec.structs.replace(step, operation=msgspec.structs.replace(step.operation, entries=entries))


def with_steps(plan: Plan, steps: Collection[PlanStep]) -> Plan:
    """The plan with other steps, without those of them that say nothing.

    Settling twice is settling once; in the beginning everything is at rest, and in the end everything is
    settled and looked at in any case.
    """
    kept: list[PlanStep] = []
    for step in steps:
        if not isinstance(step, Settle) or (kept and not isinstance(kept[-1], Settle)):
            kept.append(step)
    while kept and isinstance(kept[-1], Settle):
        kept.pop()
    return msgspec.structs.replace(plan, steps=tuple(kept))


def doubly_busy(plan: Plan) -> bool:
    """Whether a thread is to call an operation while an earlier one of it may be under way.

    Threads call one operation after the other; what a plan shows that asks for more is unknown.
    """
    busy: dict[str, int] = {}
    parked: set[tuple[int, str]] = set()
    for step in plan.steps:
        operation = step.operation_called
        if operation is not None and operation.thread in busy:
            return True
        match step:
            case Park(called, member, callback) if callback != QUEUE:
                busy[called.thread] = called.op_id
                parked.add((called.op_id, member))
            case Start(called) | Park(called):
                busy[called.thread] = called.op_id
            case Do(called) if parked:
                busy[called.thread] = called.op_id
            case Release(op_id, member):
                parked.discard((op_id, member))
            case Finish(op_id) if not parked:
                busy = {thread: other for thread, other in busy.items() if other != op_id}
            case _ if step.waits_for_rest and not parked:
                busy.clear()
    return False


def renamed(plan: Plan, names: Mapping[str, str]) -> Plan:
    """The plan with other members in the parts that members play; the topology stays, and who is a client."""

    def name(member: str) -> str:
        return names.get(member, member)

    clients = tuple(
        msgspec.structs.replace(client, servers=tuple(map(name, client.servers))) for client in plan.clients
    )
    regions = tuple(
        msgspec.structs.replace(
            region, policies=tuple(HostPolicy(name(host.member), host.policy) for host in region.policies)
        )
        for region in plan.regions
    )
    steps = tuple(step.renamed(name) for step in plan.steps)
    return msgspec.structs.replace(plan, steps=steps, clients=clients, regions=regions)


def by_rank(
    topology: Topology, before: tuple[str, ...] | None, now: tuple[str, ...] | None
) -> dict[str, str]:
    """For members of the ids ordered as `before`, the members of the same rank in their site as `now`.

    Empty where one of the orders is not known.
    """
    if before is None or now is None:
        return {}
    names: dict[str, str] = {}
    for site in topology.sites:
        old, new = ([member for member in order if member in site.members] for order in (before, now))
        names.update(zip(old, new, strict=False))
    return names


def plan_words(plan: Plan) -> tuple[str, ...]:
    """A plan, one line a step, for people; `setups` has the words of what is configured before.

    Operations name their region where there are several.
    """
    several = len(plan.regions) > 1
    return tuple(step.words(several=several) for step in plan.steps)
