"""Logs: what has to hold of all that a run has shown, call by call, once nothing more can happen.

What members hold in the end tells nothing of an event that was lost on the way, or came twice. So a walk
keeps what some logs have shown, in their order. Knows programs and worlds; knows nothing of how a log was
come by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from plumbline.reference.explore.programs import Program
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.listener_calls import SUCCESS
from plumbline.reference.history.operations import STORES_VALUE, EventKind, Operation, Status
from plumbline.reference.model.places import call_place, outcome_place
from plumbline.reference.model.world import World
from plumbline.reference.search.transition import Entry, Place

Logs = tuple[tuple[Place, tuple[Any, ...]], ...]
"""What each log has shown, oldest first; and how calls have returned."""


class LogInvariant(msgspec.Struct, frozen=True):
    """What has to hold of the logs of a run that is over.

    Attributes:
        requirement: the id.
        says: what holds, in a few words.
        kept: whether it does, of a program, the world at rest, and what the logs have shown.
    """

    requirement: str
    says: str
    kept: Callable[[Program, World, Logs], bool]


def with_shown(logs: Logs, shows: Sequence[tuple[Place, Entry]]) -> Logs:
    """The logs with something more at their ends."""
    if not shows:
        return logs
    found = dict(logs)
    for place, entry in shows:
        found[place] = (*found.get(place, ()), entry)
    return tuple(sorted(found.items(), key=lambda one: str(one[0])))


def watches(program: Program) -> frozenset[Place]:
    """The logs that a walk keeps: those that an invariant is about."""
    shape = program.shape
    if not shape.logged:
        return frozenset()
    told = shape.members if shape.recovers else tuple(client.name for client in shape.clients)
    calls = [call_place(member, queue.id) for queue in shape.listens for member in shape.members]
    return frozenset([*(("listener", one) for one in told), *calls])


def _shown(logs: Logs, place: Place) -> tuple[Any, ...]:
    return dict(logs).get(place, ())


def _sure(program: Program, world: World, logs: Logs) -> list[Operation]:
    """The operations that ended well and were discarded nowhere: no other changes the key, or they win."""
    keys = [(one.region, one.key) for one in program.operations]
    living = [member for member in program.shape.members if member not in world.wan.dead]
    return [
        one
        for one, where in zip(program.operations, keys, strict=True)
        if (keys.count(where) == 1 or all(world.entry(m, *where).token == one.token for m in living))
        and any(entry[0] is Status.OK for entry in _shown(logs, outcome_place(one.op_id)))
    ]


def _times(shown: Iterable[Any], operation: Operation) -> int:
    """How often an operation stands in a log, or in a batch."""
    return sum(one[:2] == (operation.region, operation.key) and one[3] == operation.token for one in shown)


def _crashed(program: Program) -> set[str]:
    return {fault.member for fault in program.broken if fault.kind is FaultKind.CRASH}


def _clients_are_told(program: Program, world: World, logs: Logs) -> bool:
    if program.shape.registers:
        return True  # a client is sent nothing of what comes before
    died = _crashed(program)
    for client in program.shape.clients:
        secured = client.redundancy and len(died.intersection(client.servers)) <= client.redundancy
        if not secured and died.intersection(client.servers):
            continue  # what was queued is lost with the last server that had it (001, L70)
        lives = sum(one.kind is FaultKind.CLIENT_START for one in program.broken) + 1
        shown = _shown(logs, ("listener", client.name))
        for one in _sure(program, world, logs):
            # What was processed and not acknowledged may come to the next life (003, L15).
            # A destroy of what a client lacks is told of in front of the marker only.
            if (
                one.kind in STORES_VALUE
                and one.member != client.name
                and not 1 <= _times(shown, one) <= lives
            ):
                return False
    return True


def _clients_are_live(program: Program, world: World, logs: Logs) -> bool:
    ready = [one.client for one in program.broken if one.kind is FaultKind.CLIENT_READY]
    return all(
        sum(entry[2] is EventKind.LIVE for entry in _shown(logs, ("listener", client.name)))
        == ready.count(client.name) * len(program.regions)
        for client in program.shape.clients
        if client.durable_id is not None and not all(one in world.wan.dead for one in client.servers)
    )


def _calls_of(program: Program, logs: Logs) -> list[tuple[Any, ...]]:
    """The calls of each queue's listener on each member: what they brought, and the answers."""
    return [
        _shown(logs, call_place(member, queue.id))
        for queue in program.shape.listens
        for member in program.shape.members
    ]


def _failed_comes_again(program: Program, world: World, logs: Logs) -> bool:
    del world
    if any(queue.parallel for queue in program.shape.listens):
        return True  # a batch may mix buckets anew
    for calls in _calls_of(program, logs):
        for (batch, answer), (after, _) in pairwise(calls):
            if answer != SUCCESS and after[: len(batch)] != batch:
                return False
    return True


def _processed(program: Program, logs: Logs) -> list[Any]:
    """What listeners have processed, batch by batch."""
    return [
        event
        for calls in _calls_of(program, logs)
        for batch, answer in calls
        if answer == SUCCESS
        for event in batch
    ]


def _listeners_are_told(program: Program, world: World, logs: Logs) -> bool:
    if not program.shape.listens:
        return True
    shown, queues = _processed(program, logs), len(program.shape.listens)
    return all(_times(shown, one) >= queues for one in _sure(program, world, logs))


def _processed_once(program: Program, world: World, logs: Logs) -> bool:
    del world
    moves = any(fault.kind is FaultKind.MOVE_PRIMARY for fault in program.broken)
    if moves or _crashed(program):
        return True  # what was not removed everywhere may come again (000, L34; 002, Parallel)
    shown, queues = _processed(program, logs), len(program.shape.listens)
    return all(_times(shown, one) <= queues for one in program.operations)


def _queues_come_back(program: Program, world: World, logs: Logs) -> bool:
    """Whether each other site was told of what has ended well, though its queue was on a disk meanwhile."""
    if program.shape.recovers is not FaultKind.RECOVER:
        return True
    return all(
        any(_times(_shown(logs, ("listener", member)), one) for member in site)
        for one in _sure(program, world, logs)
        for site in program.shape.sites
        if one.member not in site
    )


RECORDS = (
    LogInvariant(
        "FO-HA-01", "a client whose queue outlives its server is told of each event once", _clients_are_told
    ),
    LogInvariant(
        "DUR-REPLAY-07",
        "each region of a durable client is told once a life that it is live",
        _clients_are_live,
    ),
    LogInvariant(
        "AEQ-RETRY-02",
        "a batch that has failed comes again, in its order, before all else",
        _failed_comes_again,
    ),
    LogInvariant("GWQ-ACK-03", "each event is processed by a listener that succeeds", _listeners_are_told),
    LogInvariant("AEQ-RETRY-03", "what was processed is not offered again", _processed_once),
    LogInvariant(
        "GWQ-PERSIST-01", "an event whose call has returned outlives its members on a disk", _queues_come_back
    ),
)
"""What holds of logs."""
