"""Queue orders: which events surely stand in one order in one queue of a site, and in the other in another.

An event may enter a queue late (`sites.late_entries`). That explains two logs that contradict each other:
that of a queue's listener, those of the site where a gateway sender leads, or the primary's own where logs
carry the order of all that a member does. Knows logs and calls; knows nothing of how events travel.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from plumbline.reference.explain.index import Index
from plumbline.reference.explain.member_lifetimes import NEVER
from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.history.operations import READS, Operation, QueueAttributes, Site
from plumbline.reference.model.sites.lanes import DispatcherPartition, sender_of
from plumbline.reference.model.sites.late_entries import is_unseen

What = tuple[str, str, str | None]
"""Region, key and token."""

Span = tuple[int, int]
"""From which place or position on something was seen, and by which it was."""

Log = Mapping[What, Span]
"""What was seen, and when for the first time."""

BOTH = frozenset((True, False))
"""One of two events came first, or the other."""


class LateEvents(NamedTuple):
    """The events that may enter a queue late.

    Attributes:
        of: queue → op ids.
        behind: queue → op id → those that surely came first of what was called beside it; only of queues in
            which some event may be late.
        windows: between which positions of the clock they may.
    """

    of: Mapping[str, frozenset[int]]
    behind: Mapping[str, Mapping[int, frozenset[int]]]
    windows: tuple[tuple[int, int], ...]


def late_events(history: History, index: Index, *, in_any_order: bool = False) -> LateEvents:
    """The events whose order in one queue contradicts their order in another.

    Args:
        history: what was observed.
        index: the same, looked up.
        in_any_order: whether to take all logs as if they said nothing about order.
    """
    fed = {region.name: {*region.senders, *region.queues} for region in history.regions}
    in_order = history.order_strength is OrderStrength.TOTAL
    late: dict[str, set[int]] = {}
    known: dict[str, list[tuple[int, int]]] = {}
    differ: set[str] = set()
    windows: dict[tuple[int, int], None] = {}
    for site in history.topology.sites:
        queues = [queue for queue in history.queues if queue.site == site.number and _is_one(queue)]
        if len(queues) < len(BOTH):
            continue
        under_way = _under_way(history, index, site)
        dies = any(index.lives.end_by(member, 0) != NEVER for member in site.members)
        entering = {
            operation.op_id: frozenset(q.id for q in queues if _enters(history, index, q, fed, operation))
            for operation in index.operations.values()
        }
        logs = {queue.id: tuple(_logs(history, queue)) for queue in queues}
        own = {queue.id: tuple(_own_logs(history, index, queue)) if in_order else () for queue in queues}
        for one, other in _beside_each_other(index, site.number, under_way):
            entered = entering[one.op_id] & entering[other.op_id]
            seen = {name: _orders(logs[name], one, other) for name in entered}
            applied = [_orders(own[name], one, other) for name in seen]
            sure = {name: order for name, order in seen.items() if len(order) == 1}
            for name, order in sure.items():
                pair = (one.op_id, other.op_id) if True in order else (other.op_id, one.op_id)
                known.setdefault(name, []).append(pair)
            if _any_of([*sure.values(), *(order for order in applied if len(order) == 1)]) == BOTH:
                differ.update(sure)
            orders = {
                name: BOTH if in_any_order else _orders(logs[name], one, other, loses=dies)
                for name in entered
            }
            if _any_of([*orders.values(), *applied]) != BOTH:
                continue
            for name, order in orders.items():
                events = ((other, True), (one, False))
                late.setdefault(name, set()).update(event.op_id for event, first in events if first in order)
            spans = under_way[one.op_id], under_way[other.op_id]
            windows[min(span[0] for span in spans), max(span[1] for span in spans)] = None
    of = {name: frozenset(ids) for name, ids in late.items()}
    return LateEvents(of, {name: _behind(known[name]) for name in differ}, tuple(windows))


def _is_one(queue: QueueAttributes) -> bool:
    """Whether all its events are in one order: not those of several dispatchers, nor those of buckets."""
    return not (queue.parallel or queue.dispatchers > 1 or isinstance(queue, DispatcherPartition))


def _any_of(orders: Iterable[frozenset[bool]]) -> frozenset[bool]:
    """The orders that some of these allow."""
    return frozenset().union(*orders)


def _behind(pairs: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    """What comes first of all that each event is behind, from pairs of which the first comes first."""
    behind: dict[int, set[int]] = {}
    for first, last in pairs:
        behind.setdefault(last, set()).add(first)
    return {last: frozenset(ahead) for last, ahead in behind.items()}


def _enters(
    history: History, index: Index, queue: QueueAttributes, fed: Mapping[str, set[str]], operation: Operation
) -> bool:
    """Whether an operation's event may enter a queue, and leave it seen.

    What another site has written goes on only to sites that are not that one, nor are led to from there.
    """
    origin = index.sites[operation.member]
    if sender_of(queue) not in fed[operation.region] or is_unseen(queue, operation):
        return False
    if origin == queue.site or queue.remote_site is None:
        return True
    return origin != queue.remote_site and not any(
        (other.site, other.remote_site) == (origin, queue.remote_site) for other in history.queues
    )


def _under_way(history: History, index: Index, site: Site) -> dict[int, Span]:
    """Between which positions of the clock an event may have yet to enter queues of a site.

    A call of the site enters them before it returns, and before all has settled: then it may still stand in a
    listener. What another site has called does so by when the site's members have shown it.
    """
    end = len(history.timeline)
    shown: dict[What, int] = {}
    for member in site.members:
        for what, (_, before) in _windows_in(history, member).items():
            shown[what] = max(before, shown.get(what, 0))
    found = {}
    for op_id, called in index.called.items():
        operation = index.operations[op_id]
        if index.sites[operation.member] == site.number:
            returned = index.returned[op_id][0] if op_id in index.returned else end
            at = bisect_left(index.settled, called)
            until = min(returned, index.settled[at] if at < len(index.settled) else end)
        else:
            until = shown.get((operation.region, operation.key, operation.token), end)
        found[op_id] = called, until
    return found


def _beside_each_other(
    index: Index, site: int, under_way: Mapping[int, Span]
) -> Iterator[tuple[Operation, Operation]]:
    """Calls by two threads and of two keys, one of the site, of which none ended before the other began."""
    open_: list[Operation] = []
    for op_id, called in sorted(index.called.items(), key=lambda item: item[1]):
        operation = index.operations[op_id]
        if operation.kind in READS:
            continue
        here = index.sites[operation.member] == site
        open_ = [other for other in open_ if under_way[other.op_id][1] > called]
        for other in open_:
            keys = (operation.region, operation.key), (other.region, other.key)
            apart = operation.thread != other.thread and keys[0] != keys[1]
            if apart and (here or index.sites[other.member] == site):
                yield other, operation
        open_.append(operation)


def _own_logs(history: History, index: Index, queue: QueueAttributes) -> Iterator[Log]:
    """What was seen first when by members that may have been primary of a queue."""
    primary = index.primaries.get(sender_of(queue))
    members = next(site.members for site in history.topology.sites if site.number == queue.site)
    dies = any(index.lives.end_by(member, 0) != NEVER for member in members)
    for member in members if primary is None or dies else (primary,):
        yield _seen_in(history, member)


def _logs(history: History, queue: QueueAttributes) -> Iterator[Log]:
    """What was first seen when: by a queue's listener on each member, or by members of the other site."""
    if queue.remote_site is None:
        received: dict[str, dict[What, Span]] = {}
        for seen in history.calls:
            if seen.call.queue == queue.id:
                log = received.setdefault(seen.call.member, {})
                for change in seen.call.events:
                    log.setdefault((change.region, change.key, change.token), (len(log), len(log) + 1))
        yield from received.values()
        return
    for site in history.topology.sites:
        for member in site.members if site.number == queue.remote_site else ():
            yield _seen_in(history, member)


def _seen_in(history: History, member: str) -> Log:
    """What a member has first seen when: at which place of its log, or else in which window."""
    windows = _windows_in(history, member)
    if history.order_strength is not OrderStrength.TOTAL:
        return windows
    return {what: (place, place + 1) for place, what in enumerate(windows)}


def _windows_in(history: History, member: str) -> dict[What, Span]:
    """What a member has seen, as it came first, and in which window."""
    first: dict[What, Span] = {}
    for shown in history.logs.get(member, ()):
        event = shown.event
        if event.conflict is None:
            first.setdefault((event.region, event.key, event.token), (shown.after, shown.before))
    return first


def _orders(logs: Iterable[Log], one: Operation, other: Operation, *, loses: bool = False) -> frozenset[bool]:
    """Whether one event came before another: what logs say, or both where they cannot tell events apart.

    Where the queue may have lost events, one that was never seen comes behind one that was.
    """
    if one.token is None or other.token is None:
        return BOTH
    found: set[bool] = set()
    for log in logs:
        at, beside = (log.get((event.region, event.key, event.token)) for event in (one, other))
        if at is not None and beside is not None:
            found.update(
                first for first, (a, b) in ((True, (at, beside)), (False, (beside, at))) if a[1] <= b[0]
            )
        elif loses and (at is not None or beside is not None):
            found.add(at is not None)
    return frozenset(found)
