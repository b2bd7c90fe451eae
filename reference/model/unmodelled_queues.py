"""What of queues in an example the model does not follow (see `unmodelled`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plumbline.reference.history.actions import Inject, ScriptQueue
from plumbline.reference.history.fault_kinds import STARTS_AGAIN, Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, FaultBegun, QueueScripted
from plumbline.reference.history.operations import (
    OF_TRANSACTIONS,
    READS,
    Operation,
    QueueAttributes,
    RegionPolicy,
    transactions_of,
    travels_on,
)
from plumbline.reference.history.plans import Plan
from plumbline.reference.model.sites.lanes import is_parted

ORDER_POLICIES = ("key", "thread", "partition")

TIME_IS_HELD = (FaultKind.HOLD_TIME, FaultKind.TIME_LEAP, FaultKind.LET_RUN)


def of_queue(queue: QueueAttributes) -> Iterator[str]:
    """What is not followed of a queue."""
    listens = queue.remote_site is None
    if is_parted(queue) and (queue.order_policy != "key" or queue.dispatchers > 1 or queue.manual_start):
        yield "parallel gateway senders of several dispatchers, of another order policy, or started later"
    if is_parted(queue) and queue.maximum_memory_mb < QueueAttributes(id="", site=1).maximum_memory_mb:
        yield "parallel gateway senders that overflow"
    if queue.parallel and (queue.persistent or queue.members):
        yield "parallel queues on disk, or that some members do not run"
    if listens and queue.dispatchers > 1:
        yield "asynchronous event queues of several dispatchers"
    if queue.conflate and (listens or queue.parallel or queue.persistent):
        yield "queues that conflate and have listeners, are parallel, or are on disk"
    if queue.conflate and queue.maximum_memory_mb < QueueAttributes(id="", site=1).maximum_memory_mb:
        yield "queues that conflate and overflow"
    if queue.withheld_keys and queue.parallel and listens:
        yield "parallel queues with a listener whose filter withholds events"
    if queue.filters and queue.conflate:
        yield "queues that conflate and have an event filter"
    if queue.group_transactions:
        yield from _of_groups(queue)
    if queue.order_policy not in ORDER_POLICIES:
        yield f"the order policy {queue.order_policy!r:.40}"


def _of_groups(queue: QueueAttributes) -> Iterator[str]:
    """What is not followed of a queue that groups transactions."""
    if queue.remote_site is None or queue.parallel or queue.dispatchers > 1:
        yield "queues that group transactions and have a listener, several dispatchers, or are parallel"
    if queue.conflate or queue.filters:
        yield "queues that group transactions, and conflate or have an event filter"
    if queue.persistent or queue.members or not queue.remove_on_exception:
        yield "queues that group transactions and are on disk, on some members alone, or keep failed events"


def of_substitutes(example: Plan | History, called: Collection[Operation]) -> Iterator[str]:
    """What is not followed beside queues that give events substitutes."""
    if not any(queue.substitutes for queue in example.queues):
        return
    if example.resolver:
        yield "queues that give substitutes, beside conflict resolvers"
    if travels_on({site.number for site in example.topology.sites}, example.queues):
        yield "queues that give substitutes, where events travel on"
    if any(one.expected is not None for one in called):
        yield "queues that give substitutes, where a call expects a value"


def of_groups(example: Plan | History, called: Collection[Operation]) -> Iterator[str]:
    """What is not followed beside senders that group transactions.

    Where a transaction changes regions that do not all feed the same of these, no document says which of its
    events is the last.
    """
    grouping = {queue.id for queue in example.queues if queue.group_transactions}
    if not grouping:
        return
    fed = {region.name: grouping.intersection(region.senders) for region in example.regions}
    of = transactions_of(called)
    changes = [one for one in called if one.op_id in of and one.kind not in READS | OF_TRANSACTIONS]
    found: dict[int, set[str]] = {}
    if any(found.setdefault(of[one.op_id], fed[one.region]) != fed[one.region] for one in changes):
        yield "transactions of which a part alone feeds a sender that groups them"


def of_parallel(example: Plan | History, faults: Collection[Fault]) -> Iterator[str]:
    """What is not followed beside parallel queues."""
    if example.clients and any(queue.parallel and queue.remote_site is None for queue in example.queues):
        yield "parallel asynchronous event queues beside clients"
    kinds = {fault.kind for fault in faults}
    if FaultKind.CRASH in kinds and any(region.redundancy > 1 for region in example.regions):
        yield "parallel queues with several redundant copies, where a member dies"


def of_parallel_senders(example: Plan | History, called: Collection[Operation]) -> Iterator[str]:
    """What is not followed beside parallel gateway senders."""
    if example.resolver or example.tombstones is not None:
        yield "parallel gateway senders beside conflict resolvers, or where tombstones are collected"
    buckets = {region.name: region for region in example.regions if region.policy is RegionPolicy.PARTITION}
    for operation in called:
        region = buckets.get(operation.region)
        if region is None or operation.kind in READS:
            continue
        if region.policy_of(operation.member) is not RegionPolicy.PARTITION:
            yield "writes of a site to a region that another one partitions"


def of_restarts(example: Plan | History, faults: Collection[Fault]) -> Iterator[str]:
    """What is not followed where members with queues are started again."""
    if len(example.topology.sites) > 2 or example.clients:
        yield "the restart of a member with queues, beside clients or more than two sites"
    if any(queue.remote_site is None and not queue.parallel for queue in example.queues):
        yield "the restart of a member with asynchronous event queues"
    if any(fault.kind is FaultKind.HOLD_TIME for fault in faults):
        yield "the restart of a member with queues, where time is held"
    if not _scripted(example).isdisjoint(fault.member for fault in faults if fault.kind in STARTS_AGAIN):
        yield "the restart of a member whose listener was told what to answer"
    for fault in (one for one in faults if one.kind in STARTS_AGAIN):
        runs = [queue for queue in example.queues if _is_of(example, queue, fault.member)]
        if fault.kind is FaultKind.RESTART and any(queue.persistent for queue in runs):
            yield "the restart of a member without the disk that it has kept a queue on"
    if _calls_unheld(example):
        yield "calls while no member holds the queue that they feed"


def _scripted(example: Plan | History) -> set[str]:
    """The members on which a queue's listener is told what to answer."""
    among = example.steps if isinstance(example, Plan) else example.timeline
    return {what.member for what in among if isinstance(what, ScriptQueue | QueueScripted)}


def _is_of(example: Plan | History, queue: QueueAttributes, member: str) -> bool:
    """Whether a member runs a queue."""
    return example.topology.site_of(member).number == queue.site and queue.runs_on(member)


def _calls_unheld(example: Plan | History) -> bool:
    """Whether something is called that feeds a queue from when all that run it have died until all do again.

    What becomes of its event no document says.
    """
    dead: set[str] = set()
    unheld: set[str] = set()
    senders = {region.name: region.senders for region in example.regions}
    for fault, operation in _in_turn(example):
        if fault is not None and fault.kind is FaultKind.CRASH:
            dead.add(fault.member)
        elif fault is not None and fault.kind in STARTS_AGAIN:
            dead.discard(fault.member)
        for queue in example.queues:
            runners = {m for m in example.topology.members if _is_of(example, queue, m)}
            if runners <= dead:
                unheld.add(queue.id)
            elif not runners & dead:
                unheld.discard(queue.id)
        if operation is None:
            continue
        site = example.topology.site_of(operation.member).number
        if any(
            queue.id in unheld and queue.id in senders.get(operation.region, ()) and queue.site == site
            for queue in example.queues
        ):
            return True
    return False


def _in_turn(example: Plan | History) -> Iterator[tuple[Fault | None, Operation | None]]:
    """The faults and operations of an example, one after the other."""
    if isinstance(example, Plan):
        for step in example.steps:
            yield (step.fault, None) if isinstance(step, Inject) else (None, step.operation_called)
        return
    for what in example.timeline:
        yield what.fault if isinstance(what, FaultBegun) else None, None
        yield None, what.operation if isinstance(what, Called) else None
