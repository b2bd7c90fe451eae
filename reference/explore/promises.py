"""Promises: what has to hold once nothing more can happen, and at each step; each with its requirement.

Knows worlds, steps and programs; knows nothing of how a world was reached.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from plumbline.reference.explain.steps import Step
from plumbline.reference.explore.programs import KEY, REGION, Program
from plumbline.reference.history import FaultKind
from plumbline.reference.model.world import Sender, World
from plumbline.reference.operations import OperationKind
from plumbline.reference.rulebook.values import EntryState

Held = str | None
"""What a member holds of the key: a token, "" if it is invalid, None if it is not there."""


class Promise(msgspec.Struct, frozen=True):
    """What has to hold at rest.

    Attributes:
        requirement: the id.
        says: what holds, in a few words.
        kept: whether it does, in a world at rest of a program.
    """

    requirement: str
    says: str
    kept: Callable[[Program, World], bool]


class Manner(msgspec.Struct, frozen=True):
    """What has to hold of each step.

    Attributes:
        requirement: the id.
        says: what holds, in a few words.
        kept: whether it does, of a step from a world.
    """

    requirement: str
    says: str
    kept: Callable[[World, Step], bool]


def held(world: World, member: str) -> Held:
    """What a member holds of the key."""
    entry = world.entry(member, REGION, KEY)
    if entry.state is EntryState.LIVE:
        return entry.token
    return "" if entry.state is EntryState.INVALID else None


def holdings(program: Program, world: World) -> dict[str, Held]:
    """What each member that lives holds of the key."""
    return {m: held(world, m) for site in program.shape.sites for m in site if m not in world.wan.dead}


def _sites_agree_within(program: Program, world: World) -> bool:
    found = holdings(program, world)
    return all(
        len({found[m] for m in site}) == 1 for site in program.shape.sites if found.keys() >= set(site)
    )


def _sites_agree(program: Program, world: World) -> bool:
    # Invalidations do not cross (000, L36), and what a member had queued alone dies with it.
    if any(one.kind is OperationKind.INVALIDATE for one in program.operations):
        return True
    if any(fault.kind is FaultKind.CRASH for fault in program.faults):
        return True
    found = holdings(program, world)
    each = [{found[m] for m in site} for site in program.shape.sites]
    return any(len(one) > 1 for one in each) or len(set().union(*each)) == 1


def _queues_are_empty(program: Program, world: World) -> bool:
    # A site whose members are all dead takes nothing; what waits for it has to stay (000, L41).
    sites = {site.number: site.members for site in program.topology.sites}
    reached = {
        queue.id
        for queue in program.queues
        if any(member not in world.wan.dead for member in sites[queue.remote_site or 0])
    }
    return not any(sender.primary and sender.queue for name, sender in _living(world) if name in reached)


def _calls_return(program: Program, world: World) -> bool:
    members = {one.op_id: one.member for one in program.operations}
    return all(members[op_id] in world.wan.dead for op_id, _ in world.calls.items())


def _living(world: World) -> list[tuple[str, Sender]]:
    return [(name, s) for (member, name), s in world.wan.senders.items() if member not in world.wan.dead]


PROMISES = (
    Promise("CONS-RR-04", "members of a site that lost none hold the same", _sites_agree_within),
    Promise("WANC-CHK-01", "sites whose members agree hold the same", _sites_agree),
    Promise("GWQ-ACK-03", "no event is left in a primary's queue", _queues_are_empty),
    Promise("CONS-RR-01", "every call has returned whose member lives", _calls_return),
)
"""Every promise."""


def _told(step: Step) -> list[str]:
    """The members whose listeners are told of something, one of them twice where it is told twice."""
    return [str(place[1]) for place, _ in step.shows if isinstance(place, tuple) and place[0] == "listener"]


def _told_of_changes_only(world: World, step: Step) -> bool:
    told = _told(step)
    # What is sent again may be processed more than once (000, L34).
    told = [member for member in told if (member, step.name[-1]) not in world.wan.seen]
    changed = all(world.entry(m, REGION, KEY) != step.state.entry(m, REGION, KEY) for m in told)
    return changed and len(told) == len(set(told))


def _told_of_every_value(world: World, step: Step) -> bool:
    told = _told(step)
    for (member, region, key), entry in step.state.entries.items():
        before = world.entry(member, region, key)
        if entry.state is EntryState.LIVE and entry.token != before.token and member not in told:
            return False
    return True


MANNERS = (
    Manner("DISC-LSN-01", "listeners are told of what is applied only, and once", _told_of_changes_only),
    Manner("DISC-APPLIED-01", "listeners are told of every value that is stored", _told_of_every_value),
)
"""What holds of each step."""

AGREEMENT = frozenset({"CONS-RR-04", "WANC-CHK-01"})
"""Those about who holds what in the end."""
