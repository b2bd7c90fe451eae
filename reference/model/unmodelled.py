"""Unmodelled: what of an example's set-up the model does not follow, so that nothing can be judged by it.

A plan may ask a candidate for more than the model knows, as a queue on disk that conflates. Such an example
is unsupported: it neither passes nor accuses. Knows plans and histories; knows no candidate.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from plumbline.reference.history.actions import Count, Inject, Park, Script
from plumbline.reference.history.bulk import BULK
from plumbline.reference.history.fault_kinds import STARTS_AGAIN, Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import (
    Armed,
    Called,
    FaultBegun,
    Gate,
    Registered,
    Returned,
    StatisticAsked,
)
from plumbline.reference.history.operations import (
    CONDITIONAL,
    EXPIRES,
    LOCAL,
    LOCAL_ACTIONS,
    OF_TRANSACTIONS,
    WHOLE_REGION,
    Interest,
    Operation,
    OperationKind,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Status,
    Topology,
    transactions_of,
)
from plumbline.reference.history.plans import Plan, operations_of
from plumbline.reference.history.registration_actions import Register
from plumbline.reference.history.views import view_of
from plumbline.reference.model.sites.lanes import is_parted
from plumbline.reference.model.unmodelled_clients import (
    begun_registrations,
    beside_clients,
    beside_registrations,
    of_client,
    of_conflating,
    of_durable,
    of_interest,
)
from plumbline.reference.model.unmodelled_copies import beside_copies, of_moves
from plumbline.reference.model.unmodelled_queues import (
    TIME_IS_HELD,
    of_groups,
    of_parallel,
    of_parallel_senders,
    of_queue,
    of_restarts,
    of_substitutes,
)
from plumbline.reference.rulebook.effects import SUPPORTED

KEPT = frozenset((RegionPolicy.REPLICATE, RegionPolicy.NORMAL, RegionPolicy.PRELOADED, RegionPolicy.EMPTY))
"""What members may keep of a region that is not partitioned."""


_CALLED = SUPPORTED | WHOLE_REGION | EXPIRES | OF_TRANSACTIONS


def unmodelled(example: Plan | History) -> list[str]:
    """What the model does not follow of a plan or history; empty if the search can judge it."""
    called, registered, faults, writers = _steps(example) if isinstance(example, Plan) else _moments(example)
    found = [words for queue in example.queues for words in of_queue(queue)]
    for region in example.regions:
        found += of_region(region, example.topology, example.queues)
    if any(queue.parallel for queue in example.queues):
        found += of_parallel(example, faults)
    found += of_groups(example, called)
    found += of_substitutes(example, called)
    if any(is_parted(queue) for queue in example.queues):
        found += of_parallel_senders(example, called)
    found += [words for client in example.clients for words in of_client(client)]
    for interest in registered:
        found += of_interest(interest)
    if example.registers and not all(client.subscription for client in example.clients):
        found.append("a client without a subscription that begins registered")
    found += [f"the operation {one.kind}" for one in called if one.kind not in _CALLED]
    found += of_conditionals(called, example.regions, clients={client.name for client in example.clients})
    found += _of_local_actions(example, called)
    found += of_moves(example, called)
    found += beside_clients(example, called)
    found += _in_buckets(example, called, faults)
    found += of_views(_viewed(example), example.regions)
    if isinstance(example, Plan):
        found += _of_bulks(example)
    if example.queues and any(fault.kind in STARTS_AGAIN for fault in faults):
        found += of_restarts(example, faults)
    if any(queue.remote_site is None for queue in example.queues) and any(
        f.kind in TIME_IS_HELD for f in faults
    ):
        found.append("asynchronous event queues while time is held")
    if any(client.durable_id is not None for client in example.clients):
        found += of_durable(example, called, faults)
    found += of_conflating(example, called, faults)
    found += beside_copies(example, called, faults)
    begun = begun_registrations(example)
    for interest in begun:
        found += of_interest(interest)
    if begun:
        found += beside_registrations(example, called, faults)
    led_to = {queue.remote_site for queue in example.queues}
    receiving = {
        member for site in example.topology.sites if site.number in led_to for member in site.members
    }
    if receiving.intersection(writers):
        found.append("cache writers that hold events of another site")
    return list(dict.fromkeys(found))


def of_region(
    region: RegionAttributes, topology: Topology, queues: Collection[QueueAttributes] = ()
) -> Iterator[str]:
    """What is not followed of a region with these members and sites.

    Args:
        region: the region.
        topology: members and sites.
        queues: the queues of all sites.
    """
    parallel = {queue.id for queue in queues if queue.parallel}
    kept = {region.policy_of(member) for member in topology.members}
    if region.policy is RegionPolicy.PARTITION:
        sends = len(topology.sites) > 1 and _leaves_one_site(region, topology, queues)
        if region.policies and not sends:
            yield "members that keep something else of a partitioned region"
        if region.checks is False or region.scope is not Scope.ACK:
            yield "partitioned regions that do not check or do not wait"
        serial = not parallel.issuperset(region.queues)
        if not sends and (region.senders or serial or len(topology.sites) > 1):
            yield "partitioned regions of several sites, or with serial queues"
    elif not set(parallel).isdisjoint((*region.queues, *region.senders)):
        yield "parallel queues of regions that are not partitioned"
    elif not kept <= KEPT:
        yield f"{', '.join(sorted(kept - KEPT))} regions"
    elif kept != {RegionPolicy.REPLICATE} and (region.senders or region.queues or len(topology.sites) > 1):
        yield "members that keep less than a replicate, between sites or with queues"


def _leaves_one_site(
    region: RegionAttributes, topology: Topology, queues: Collection[QueueAttributes]
) -> bool:
    """Whether one of two sites partitions a region and sends it in parallel, and the other replicates it."""
    kept = {site.number: {region.policy_of(member) for member in site.members} for site in topology.sites}
    sites = {
        policy: [number for number, found in kept.items() if found == {policy}]
        for policy in (RegionPolicy.PARTITION, RegionPolicy.REPLICATE)
    }
    from_there = {queue.id for queue in queues if is_parted(queue) and [queue.site] == sites[region.policy]}
    alone = all(len(found) == 1 for found in sites.values()) and len(kept) == len(sites)
    return alone and not region.queues and from_there.issuperset(region.senders)


def of_conditionals(
    called: Collection[Operation], regions: Iterable[RegionAttributes], *, clients: Collection[str]
) -> Iterator[str]:
    """What is not followed of operations that expect a value: members call them, which are all alike."""
    expecting = [operation for operation in called if operation.kind in CONDITIONAL]
    alike = {
        region.name
        for region in regions
        if region.policy in (RegionPolicy.REPLICATE, RegionPolicy.PARTITION) and not region.policies
    }
    if any(operation.member in clients for operation in expecting):
        yield "operations of clients that expect a value"
    if not all(operation.region in alike for operation in expecting):
        yield "operations that expect a value, where some members keep less than a replicate"
    if not transactions_of(called).keys().isdisjoint(operation.op_id for operation in expecting):
        yield "operations that expect a value in a transaction"


def _of_local_actions(example: Plan | History, called: Collection[Operation]) -> Iterator[str]:
    """What is not followed of what regions do themselves on one member."""
    own = [operation for operation in called if operation.kind in LOCAL_ACTIONS]
    if not own:
        return
    clients = {client.name for client in example.clients}
    if any(operation.member in clients for operation in own):
        yield "expiration and eviction in regions of clients"
    buckets = {region.name for region in example.regions if region.policy is RegionPolicy.PARTITION}
    if any(operation.region in buckets for operation in own):
        yield "expiration and eviction with a local action in partitioned regions"
    if not transactions_of(called).keys().isdisjoint(operation.op_id for operation in own):
        yield "expiration and eviction in a transaction"
    if isinstance(example, History) and _nameless_evictions(example):
        yield "an eviction that may have taken any entry"


def _in_buckets(
    example: Plan | History, called: Collection[Operation], faults: Collection[Fault]
) -> Iterator[str]:
    """What is not followed of partitioned regions, besides what their members call on one key."""
    buckets = {region.name for region in example.regions if region.policy is RegionPolicy.PARTITION}
    if not buckets:
        return
    if any(fault.kind is FaultKind.RECOVER for fault in faults):
        yield "buckets on the disk of a member that starts again"
    if example.clients and any(fault.kind is FaultKind.MOVE_PRIMARY for fault in faults):
        yield "primaries that move beside clients"
    if any(len(client.servers) > 1 for client in example.clients):
        yield "clients of several servers, of partitioned regions"
    clients = {client.name for client in example.clients}
    transactions = transactions_of(called)
    for operation in called:
        if operation.region not in buckets or operation.kind in LOCAL_ACTIONS:
            continue
        if operation.op_id in transactions:
            yield "transactions on partitioned regions"
        elif operation.member in clients and operation.kind is not OperationKind.PUT:
            yield f"{operation.kind} of a client on a partitioned region"
        elif operation.kind in LOCAL | WHOLE_REGION | EXPIRES and not (
            operation.kind is OperationKind.CLEAR and operation.member not in clients
        ):
            yield f"{operation.kind} on a partitioned region"


def _nameless_evictions(history: History) -> bool:
    """Whether an eviction may have happened of which the entry is not known: it did not return, say."""
    evicts = {
        what.operation.op_id
        for what in history.timeline
        if isinstance(what, Called) and what.operation.kind is OperationKind.EVICT and not what.operation.key
    }
    ended = {
        what.op_id
        for what in history.timeline
        if isinstance(what, Returned) and what.outcome.status is not Status.INDEFINITE
    }
    return not evicts <= ended


def of_views(viewed: Iterable[tuple[str, str]], regions: Iterable[RegionAttributes]) -> Iterator[str]:
    """What is not followed of views of regions by these members: they are of replicates."""
    whole = {
        region.name for region in regions if region.policy is RegionPolicy.REPLICATE and not region.policies
    }
    if not all(region in whole for _, region in viewed):
        yield "the size or a set of a region that not each member replicates"


def _viewed(example: Plan | History) -> list[tuple[str, str]]:
    """The views that are read, each with its region."""
    names = (
        [step.name for step in example.steps if isinstance(step, Count)]
        if isinstance(example, Plan)
        else [what.name for what in example.timeline if isinstance(what, StatisticAsked)]
    )
    return [view for view in map(view_of, names) if view is not None]


def _of_bulks(plan: Plan) -> Iterator[str]:
    """What is not followed of operations on many keys."""
    called = [operation for step in plan.steps if (operation := step.operation_called) is not None]
    bulks = {operation.op_id for operation in called if operation.kind in BULK}
    if not bulks.isdisjoint(transactions_of(called)):
        yield "operations on many keys in a transaction"
    home = {member: site.number for site in plan.topology.sites for member in site.members}
    sites = {home.get(operation.member) for operation in called if operation.op_id in bulks}
    refusing = {step.member for step in plan.steps if isinstance(step, Script) and step.refuses}
    if bulks and any(home.get(member) in {None, *sites} for member in refusing):
        yield "operations on many keys beside a writer that refuses some"


class _Asked(NamedTuple):
    """What an example asks for; `writers` are members whose writer is to hold what another site calls."""

    called: list[Operation]
    registered: list[Interest]
    faults: list[Fault]
    writers: set[str]


def _steps(plan: Plan) -> _Asked:
    operations = list(operations_of(plan))
    interests = [step.interest for step in plan.steps if isinstance(step, Register)]
    gates = [
        Gate(step.member, step.operation.op_id, step.callback)
        for step in plan.steps
        if isinstance(step, Park)
    ]
    faults = [step.fault for step in plan.steps if isinstance(step, Inject)]
    return _Asked(operations, interests, faults, _meeting(gates, operations, plan.topology))


def _moments(history: History) -> _Asked:
    timeline = history.timeline
    operations = [what.operation for what in timeline if isinstance(what, Called)]
    gates = [what.gate for what in timeline if isinstance(what, Armed)]
    return _Asked(
        operations,
        [what.interest for what in timeline if isinstance(what, Registered)],
        [what.fault for what in timeline if isinstance(what, FaultBegun)],
        _meeting(gates, operations, history.topology),
    )


def _meeting(gates: Iterable[Gate], operations: Iterable[Operation], topology: Topology) -> set[str]:
    """The members whose cache writers are to hold what another site calls."""
    home = {member: site.number for site in topology.sites for member in site.members}
    called_in = {one.op_id: home.get(one.member) for one in operations}
    return {
        gate.member
        for gate in gates
        if gate.callback == "writer" and called_in.get(gate.op_id) not in (None, home.get(gate.member))
    }
