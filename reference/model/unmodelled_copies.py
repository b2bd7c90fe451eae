"""What is not followed of copies that members give up, or take: at rest, and beside all else.

Knows plans and histories, and no model.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from plumbline.reference.history.actions import Host, Join, Leave, Park, Redeliver
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.join_actions import BeginJoin
from plumbline.reference.history.join_moments import JoinBegun, JoinEnded
from plumbline.reference.history.moments import Armed, FaultBegun, Hosted, Joined, Left, Redelivered, Settled
from plumbline.reference.history.operations import (
    DESTROYS_REGION,
    EXPIRES,
    LOCAL,
    LOCAL_ACTIONS,
    OF_TRANSACTIONS,
    WHOLE_REGION,
    Operation,
    RegionPolicy,
)
from plumbline.reference.history.plans import Plan


def of_moves(example: Plan | History, called: Collection[Operation]) -> Iterator[str]:
    """What is not followed of copies that members give up, or take anew.

    No document says what becomes of an event from another site, or for a queue, on a member without a copy.
    """
    moved: set[tuple[str, str]] = set()
    if isinstance(example, Plan):
        moved = {(s.member, s.region) for s in example.steps if isinstance(s, Leave | Join | Host)}
    else:
        moved = {(m.member, m.region) for m in example.timeline if isinstance(m, Left | Joined | Hosted)}
    if not moved:
        return
    if len(example.topology.sites) > 1 or example.queues:
        yield "copies that are given up or taken, between sites or with queues"
    if {member for member, _ in moved} & {server for client in example.clients for server in client.servers}:
        yield "copies that servers of clients give up or take"
    destroyed = {operation.region for operation in called if operation.kind in DESTROYS_REGION}
    if any(region in destroyed for _, region in moved):
        yield "copies that are given up or taken of a region that is destroyed"
    regions = {region.name: region for region in example.regions}
    if any(r in regions and regions[r].policy is RegionPolicy.PARTITION for _, r in moved):
        yield "buckets that members give up or take"


def beside_copies(
    example: Plan | History, called: Collection[Operation], faults: Collection[Fault]
) -> Iterator[str]:
    """What is not followed where copies are taken beside all else."""
    begun = _begun(example)
    if not begun:
        return
    again = _begun_again(example)
    if again:
        yield from _beside_restarts(example)
    beside = example.queues or len(example.topology.sites) > 1
    if example.clients or (beside and not {member for member, _ in begun} <= again):
        yield "copies under way between sites, or beside queues or clients"
    if any(region.policy is not RegionPolicy.REPLICATE or region.policies for region in example.regions):
        yield "copies under way of regions that not each member replicates"
    if any(operation.kind in _BESIDE for operation in called):
        yield "copies under way beside local operations, transactions or operations on whole regions"
    beside_them = _BESIDE_RESTARTS if again else {FaultKind.CRASH}
    if example.tombstones is not None or any(fault.kind not in beside_them for fault in faults):
        yield "copies under way beside faults other than crashes"
    if any((member, None) in begun for member in _held_at(example)):
        yield "listeners that hold what comes to a member whose copy is under way"


_BESIDE = WHOLE_REGION | EXPIRES | LOCAL | LOCAL_ACTIONS | OF_TRANSACTIONS


def _begun(example: Plan | History) -> set[tuple[str, str | None]]:
    """The members that take copies beside all else: with each region, and alone."""
    found = (
        [(step.member, step.region) for step in example.steps if isinstance(step, BeginJoin)]
        if isinstance(example, Plan)
        else [(what.member, what.region) for what in example.timeline if isinstance(what, JoinBegun)]
    )
    return {*found, *((member, None) for member, _ in found)}


_BESIDE_RESTARTS = {
    FaultKind.CRASH,
    FaultKind.RESTART,
    FaultKind.PAUSE,
    FaultKind.RESUME,
    FaultKind.RECEIVER_STOP,
    FaultKind.RECEIVER_START,
}
"""The faults of plans in which members start again beside all else."""


def _begun_again(example: Plan | History) -> set[str]:
    """The members that were killed, and start again beside all else."""
    if isinstance(example, Plan):
        return {step.member for step in example.steps if isinstance(step, BeginJoin) and step.again}
    return {
        what.fault.member
        for what in example.timeline
        if isinstance(what, FaultBegun) and what.fault.kind is FaultKind.RESTART and what.fault.meanwhile
    }


def _beside_restarts(example: Plan | History) -> Iterator[str]:
    """What is not followed where members start again beside all else."""
    if any(queue.remote_site is None or queue.parallel for queue in example.queues):
        yield "members that start again beside all else, with asynchronous or parallel queues"
    if isinstance(example, Plan):
        return
    dying: set[str] = set()
    starting: set[str] = set()
    ended: set[str] = set()
    for what in example.timeline:
        match what:
            case FaultBegun(_, Fault(kind=FaultKind.CRASH, member=member)):
                if starting and (example.queues or member in starting):
                    yield "deaths behind the start of a member, before all has settled"
                dying.add(member)
            case FaultBegun(_, Fault(kind=FaultKind.RESTART, meanwhile=True, member=member)):
                if member in dying:
                    yield "the start of a member behind its death, before all has settled"
                starting.add(member)
                ended.discard(member)
            case JoinEnded(member):
                ended.add(member)
            case Settled(held) if not held:
                dying.clear()
                starting -= ended
            case _:
                pass


def _held_at(example: Plan | History) -> set[str]:
    """The members at which something is held or delivered again."""
    if isinstance(example, Plan):
        return {step.member for step in example.steps if isinstance(step, Park | Redeliver)}
    armed = {what.gate.member for what in example.timeline if isinstance(what, Armed)}
    return armed | {what.member for what in example.timeline if isinstance(what, Redelivered)}
