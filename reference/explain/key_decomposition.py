"""Keywise: a history is wrong if what it says of a few of its keys alone is wrong already.

Take a run of the model and leave out all that is about some keys: what is left is a run of what is left.
Queues and connections hold less then, and hold nothing up that went through before; batches end where they
like. So few keys refute for all, and of few keys there are far fewer runs. `parts` names all that could tie
keys together otherwise. The other way round, runs of single keys tell when the steps of a run of all keys are
to be tried. Knows histories and projections; knows no model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import combinations

from plumbline.reference.explain.projection import HistoryPart, part_of
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, FaultBegun, FaultDone, Scripted, StatisticRead
from plumbline.reference.history.operations import OF_TRANSACTIONS, WHOLE_REGION, RegionPolicy
from plumbline.reference.search.ordering import Name, Timetable
from plumbline.reference.search.search import Explanation

MOST_KEYS = 8
"""Of more keys than so many each is taken alone only."""

_TIES = frozenset({FaultKind.HOLD_TIME, FaultKind.TIME_LEAP, FaultKind.LET_RUN, FaultKind.ANSWERS_LOST})


Where = tuple[str, str]
"""A region and a key."""


def parts(history: History, keys: int, suspected: Collection[frozenset[Where]] = ()) -> Iterator[HistoryPart]:
    """What the history says of so many of its keys alone, those suspected first.

    Nothing where keys may depend on others.

    So they do where batches leave when they are full and time stands, where clients and queues come together,
    or clients know by numbers what comes again, where a whole region is changed, a writer is told what to
    refuse, a resolver puts other values in place, or members keep less than replicates. Clients of
    partitioned regions are not parted either.
    """
    if bool(history.queues) is bool(history.clients) or not _independent(history):
        return
    held_up = _held_up(history)
    called = [what.operation for what in history.timeline if isinstance(what, Called)]
    # A transaction goes with each part, with as much of it as is about its keys.
    tied = {operation.op_id for operation in called if operation.kind in OF_TRANSACTIONS}
    of_keys = [operation for operation in called if operation.op_id not in tied]
    all_keys = list(dict.fromkeys((operation.region, operation.key) for operation in of_keys))
    if keys >= len(all_keys) or (keys > 1 and len(all_keys) > MOST_KEYS):
        return
    for some in sorted(combinations(all_keys, keys), key=lambda some: frozenset(some) not in suspected):
        kept = {operation.op_id for operation in of_keys if (operation.region, operation.key) in some}
        part = part_of(history, kept | tied, held_up)
        if part is not None:
            yield part


def counting(history: History, part: HistoryPart) -> HistoryPart | None:
    """The same part, as if its keys alone had moved all counters; None where no counter moved.

    A run of it tells when to try what moves them. It refutes nothing, since other keys may have moved some.
    """
    if not any(isinstance(what, StatisticRead) and what.delta for what in history.timeline):
        return None
    kept = {what.operation.op_id for what in part.history.timeline if isinstance(what, Called)}
    return part_of(history, kept, _held_up(history), counts=True)


def _held_up(history: History) -> dict[int, tuple[str, ...]]:
    """The queues to sites whose answers are lost, for each moment behind that begins.

    The last event sent holds up all that is queued behind it, also of other keys.
    """
    lost: set[tuple[int, int]] = set()
    found = {}
    for number, what in enumerate(history.timeline):
        match what:
            case FaultBegun(_, fault) if fault.kind is FaultKind.REPLIES_LOST:
                lost.add((fault.site, fault.remote_site))
            case FaultDone(_, fault) if fault.kind is FaultKind.LINK_UP:
                lost.discard((fault.site, fault.remote_site))
            case _:
                pass
        if lost:
            found[number] = tuple(
                queue.id for queue in history.queues if (queue.site, queue.remote_site) in lost
            )
    return found


def _independent(history: History) -> bool:
    alike = {RegionPolicy.REPLICATE} if history.clients else {RegionPolicy.REPLICATE, RegionPolicy.PARTITION}
    if history.resolver or any(region.policy not in alike or region.policies for region in history.regions):
        return False
    if any(len(client.servers) > 1 for client in history.clients):
        return False
    for what in history.timeline:
        match what:
            case Called(operation) if operation.kind in WHOLE_REGION:
                return False
            case FaultBegun(_, fault) if fault.kind in _TIES:
                return False
            case Scripted():
                return False
            case _:
                pass
    return True


def timetable_of(explained: Iterable[tuple[HistoryPart, Explanation]]) -> Timetable:
    """When what single keys' runs consist of is to be tried in a run of all of them.

    Of what happens to one key in its own run nearly all can happen at the same time among the others. A step
    that several of these runs name, such as a connection, is tried at its first place in any of them.
    """
    times: dict[Name, tuple[int, int]] = {}
    for part, found in explained:
        for rank, (name, now) in enumerate(found.path):
            times.setdefault(name, (part.moments[now - 1] + 1 if now else 0, rank))
    return times
