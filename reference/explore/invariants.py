"""Promises: what has to hold once nothing more can happen, and at each step; each with its requirement.

Knows worlds, steps and programs; knows nothing of how a world was reached.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from plumbline.reference.explore.program_shape import KEY, REGION, ProgramShape
from plumbline.reference.explore.programs import Program
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import EXPIRES, LOCAL, WHOLE_REGION, OperationKind, RegionPolicy
from plumbline.reference.history.resolvers import policy_of
from plumbline.reference.model.clients.client_state import NO_SERVER
from plumbline.reference.model.sites.site_state import Sender
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import EntryState
from plumbline.reference.search.transition import Step

Held = str | None
"""What a member holds of an entry: a token, "" if it is invalid, None if it is not there."""

Place = tuple[str, str]
"""Of which entry: region and key."""


class StateInvariant(msgspec.Struct, frozen=True):
    """What has to hold at rest.

    Attributes:
        requirement: the id.
        says: what holds, in a few words.
        kept: whether it does, in a world at rest of a program.
    """

    requirement: str
    says: str
    kept: Callable[[Program, World], bool]


class StepInvariant(msgspec.Struct, frozen=True):
    """What has to hold of each step.

    Attributes:
        requirement: the id.
        says: what holds, in a few words.
        kept: whether it does, of a step from a world.
        of_plain: whether it holds only where all is one replicated entry (see `ProgramShape.plain`).
    """

    requirement: str
    says: str
    kept: Callable[[Program, World, Step], bool]
    of_plain: bool = True


def held(world: World, holder: str, place: Place) -> Held:
    """What a member or client holds of an entry."""
    entry = world.entry(holder, *place)
    if entry.state is EntryState.LIVE:
        return entry.token
    return "" if entry.state is EntryState.INVALID else None


def holdings(program: Program, world: World) -> dict[str, Held]:
    """What each member that lives, and each client, holds; told with the entry where there are several."""
    shape = program.shape
    return {
        " ".join((holder, *_named(shape, place))): held(world, holder, place)
        for holder in shape.holders
        for place in shape.places
        if holder not in world.wan.dead
    }


def _named(shape: ProgramShape, place: Place) -> tuple[str, ...]:
    """As much of a place as tells it from the others."""
    return tuple(part for at, part in enumerate(place) if len({other[at] for other in shape.places}) > 1)


def keepers(program: Program, world: World, place: Place) -> list[tuple[str, ...]]:
    """For each site the members that have to hold all that there is of an entry, dead ones among them."""
    policies = {region.name: region for region in program.shape.hosted}
    bucket = world.buckets.get(place)
    if bucket is not None:
        return [(*bucket.copies, bucket.primary)]
    return [
        tuple(m for m in site if policies[place[0]].policy_of(m) is RegionPolicy.REPLICATE)
        for site in program.shape.sites
    ]


def _sites_agree_within(program: Program, world: World) -> bool:
    if any(one.kind in LOCAL for one in program.operations):
        return True  # such a change is of one member
    return all(
        len({held(world, member, place) for member in site}) == 1
        for place in program.shape.places
        if place not in world.buckets
        for site in keepers(program, world, place)
        if site and not any(member in world.wan.dead for member in site)
    )


def _copies_agree(program: Program, world: World) -> bool:
    del program
    return all(
        len({held(world, member, place) for member in (bucket.primary, *bucket.copies)}) == 1
        for place, bucket in world.buckets.items()
        if bucket.primary not in world.wan.dead
    )


_OF_THEIR_SITE = LOCAL | WHOLE_REGION | EXPIRES | {OperationKind.INVALIDATE}
"""What does not cross to other sites (000, L20 to L22, L36)."""


def _sites_agree(program: Program, world: World) -> bool:
    # An event that does not cross parts sites, as a region without a gateway sender does; an event that one
    # member alone had queued is lost with it; a resolver that says the same of all leaves each site what that
    # makes of it; and a batch may wait for a time that does not come.
    policy = policy_of(program.shape.resolver)
    if (policy and policy.always) or any(one.kind in _OF_THEIR_SITE for one in program.operations):
        return True
    if program.shape.waits or not program.shape.connected:
        return True
    if any(fault.kind is FaultKind.CRASH for fault in program.broken):
        return True
    found = [
        [{held(world, member, place) for member in site} for site in keepers(program, world, place)]
        for place in program.shape.places
        if place[0] == program.regions[0].name
    ]
    return all(any(len(one) > 1 for one in each) or len(set().union(*each)) == 1 for each in found)


def _queues_are_empty(program: Program, world: World) -> bool:
    if program.shape.waits:
        return True  # a batch may wait for a time that does not come
    # A site whose members are all dead takes nothing; the events that wait for it have to stay (000, L41).
    sites = {site.number: site.members for site in program.topology.sites}
    reached = {
        queue.id
        for queue in program.queues
        if any(member not in world.wan.dead for member in sites[queue.remote_site or queue.site])
    }
    return not any(sender.primary and sender.queue for name, sender in _living(world) if name in reached)


def _queues_are_led(program: Program, world: World) -> bool:
    del program
    living = _living(world)
    led = {name for name, sender in living if sender.primary}
    return all(name in led for name, _ in living)


def _calls_return(program: Program, world: World) -> bool:
    servers = {client.name: client.server for client in program.shape.clients}
    members = {one.op_id: servers.get(one.member, one.member) for one in program.operations}
    return all(members[op_id] in world.wan.dead for op_id, _ in world.calls.items())


_OWN = frozenset({OperationKind.INVALIDATE})
"""What a client does to its own copy, and asks no server for (001, L22)."""


def _clients_hold_the_same(program: Program, world: World) -> bool:
    # What a durable client is sent in front of its marker changes nothing of its copy (003, L36).
    # What one changes in its own copy alone it keeps. What a member that dies has told some of parts members.
    names = {client.name for client in program.shape.clients}
    alone = (one.kind in LOCAL or (one.kind in _OWN and one.member in names) for one in program.operations)
    living = [member for member in program.shape.members if member not in world.wan.dead]
    if any(alone):
        return True
    for client in program.shape.clients:
        line = world.served.lines.get(client.name)
        if client.durable_id is not None or line is None or line.primary in (NO_SERVER, *world.wan.dead):
            continue
        for place in program.shape.places:
            registered = not program.shape.registers or (client.name, place[0]) in world.served.interests
            if len({held(world, member, place) for member in living}) > 1:
                continue
            # A client that lacks a key makes no entry of it at an invalidation.
            apart = (held(world, client.name, place) or "") != (held(world, line.primary, place) or "")
            if registered and apart:
                return False
    return True


def _clients_are_secured(program: Program, world: World) -> bool:
    # A durable client looks for no other servers here: it has no more than it needs.
    for client in program.shape.clients:
        line = world.served.lines.get(client.name)
        living = [server for server in client.servers if server not in world.wan.dead]
        if client.durable_id is None and line is not None and living:
            copies = sum(server in living for server in line.secondaries)
            known = all(
                one.everywhere
                for where, found in world.served.interests.items()
                for one in found
                if where[0] == client.name
            )
            if copies < min(client.redundancy, len(living) - 1) or not known:
                return False
    return True


def _living(world: World) -> list[tuple[str, Sender]]:
    return [(name, s) for (member, name), s in world.wan.senders.items() if member not in world.wan.dead]


OF_CLIENTS = "INT-MON-01"
"""The one about what clients hold in the end."""

PROMISES = (
    StateInvariant("CONS-RR-04", "members of a site that lost none hold the same", _sites_agree_within),
    StateInvariant("CONS-PR-04", "the copies of a key that live hold the same", _copies_agree),
    StateInvariant("WANC-CHK-01", "sites whose members agree hold the same", _sites_agree),
    StateInvariant("GWQ-ACK-03", "no event is left in a primary's queue", _queues_are_empty),
    StateInvariant(
        "SER-PRIMARY-04", "a queue has a primary as long as a member of its site lives", _queues_are_led
    ),
    StateInvariant(
        OF_CLIENTS, "a client that is registered holds what its server holds", _clients_hold_the_same
    ),
    StateInvariant(
        "FO-RED-01",
        "a client has its secondaries where servers live, and they know its interest",
        _clients_are_secured,
    ),
    StateInvariant("CONS-RR-01", "every call has returned whose member lives", _calls_return),
)
"""Every promise."""


def _told(step: Step) -> list[str]:
    """The members whose listeners receive something, one of them twice where it is told twice."""
    return [str(place[1]) for place, _ in step.shows if isinstance(place, tuple) and place[0] == "listener"]


def _told_of_changes_only(program: Program, world: World, step: Step) -> bool:
    del program
    told = _told(step)
    # A repeated event may be processed more than once (000, L34).
    told = [member for member in told if (member, step.name[-1]) not in world.wan.seen]
    changed = all(world.entry(m, REGION, KEY) != step.state.entry(m, REGION, KEY) for m in told)
    return changed and len(told) == len(set(told))


def _told_of_every_value(program: Program, world: World, step: Step) -> bool:
    del program
    told = _told(step)
    for (member, region, key), entry in step.state.entries.items():
        before = world.entry(member, region, key)
        if entry.state is EntryState.LIVE and entry.token != before.token and member not in told:
            return False
    return True


def _batches_are_no_larger(program: Program, world: World, step: Step) -> bool:
    del world
    sizes = {queue.id: queue.batch_size for queue in program.queues}
    # An event queued by two dead members may be there twice.
    return all(
        len({event.op_id for event in sender.queue[: sender.sent]}) <= sizes[name]
        for (_, name), sender in step.state.wan.senders.items()
    )


def _has_the_queue(program: Program, world: World, step: Step) -> bool:
    if step.name[0] != "is sent the queue":
        return True
    _, primary, server, client = step.name
    own = {one.op_id for one in program.operations if one.member == client}
    waits = {
        message.op_id
        for channel, messages in world.channels.items()
        if (channel.source, channel.target) == (primary, client)
        for message in messages
    }
    copy = step.state.served.copies.get((server, client), ())
    return waits - own <= {message.op_id for message in copy}


def _is_ready(program: Program, world: World, step: Step) -> bool:
    told = _told(step)
    return all(
        world.served.durable[client.name].ready
        for client in program.shape.clients
        if client.durable_id is not None and client.name in told
    )


MANNERS = (
    StepInvariant(
        "DISC-LSN-01", "listeners are told of what is applied only, and once", _told_of_changes_only
    ),
    StepInvariant(
        "DISC-APPLIED-01", "listeners are told of every value that is stored", _told_of_every_value
    ),
    StepInvariant(
        "GWQ-BATCH-01", "no more is unanswered than a batch holds", _batches_are_no_larger, of_plain=False
    ),
    StepInvariant(
        "FO-RED-01",
        "a recruited secondary is sent all that waits for the client",
        _has_the_queue,
        of_plain=False,
    ),
    StepInvariant(
        "DUR-READY-01", "a durable client is told of nothing before it is ready", _is_ready, of_plain=False
    ),
)
"""What holds of each step."""

AGREEMENT = frozenset({"CONS-RR-04", "CONS-PR-04", "WANC-CHK-01"})
"""Those about who holds what in the end."""
