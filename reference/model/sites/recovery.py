"""Recovery: what a member's disk holds of its queues when it dies, and a queue that runs again (000, L9).

A member that starts again takes a copy of the queue from one that runs it. Where none does, a persistent
queue goes on with what a disk holds. The disk of the member that died last has all that had not left the
queue. No document says what a member does whose disk is older. It waits for the newest disk, or it goes on
and takes in what that one brings. Owns the choices about what was being written.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from msgspec.structs import replace

from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.site_state import Disk, Queued, Sender
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each

MOST_UNSURE = 4
"""Of so many events whose calls have not returned each may be missing by itself; of more, the last ones."""


def written(world: World, setting: Setting, member: str) -> World:
    """The world in which the disk of a member that dies holds what it held of its queues."""
    disks = world.wan.disks
    for (holder, name), sender in world.wan.senders.in_order():
        if holder != member or name not in setting.on_disk:
            continue
        for other, disk in disks.in_order():
            if other[1] == name and disk.newest:
                disks = disks.set(other, replace(disk, newest=False))
        called = {event.op_id for event in sender.queue if event.op_id in world.calls}
        called |= {event.op_id for event in sender.queue if event.op_id in setting.unsure}
        disk = Disk((*sender.removed, *sender.queue), len(sender.removed), frozenset(called))
        disks = disks.set((member, name), disk)
    return world.but(wan=replace(world.wan, disks=disks))


def flushed(world: World, setting: Setting) -> World:
    """The world in which all has come to rest: what has left a queue is off the disk."""
    if not setting.on_disk or not all(each(setting.book.forgets_removed())):
        return world
    for (member, name), sender in world.wan.senders.items():
        if sender.removed:
            world = with_sender(world, member, name, replace(sender, removed=()))
    return world


def recovered(world: World, setting: Setting, member: str, *, from_disk: bool) -> Iterator[World]:
    """The worlds in which the senders of a member that was started again run, as far as they do."""
    worlds = [world]
    for queue in setting.queues_at(member):
        worlds = list(
            dict.fromkeys(
                after for before in worlds for after in _of_queue(before, setting, member, queue, from_disk)
            )
        )
    yield from worlds


def joins_queues(world: World, setting: Setting, member: str) -> Iterator[World]:
    """The worlds in which a member that begins again has joined the queues of its senders.

    From here on it is sent what enters them. What was in them it has by a copy.
    """
    worlds = [world]
    for queue in setting.queues_at(member):
        holders = _holders(world, setting, member, queue.id)
        worlds = [
            after
            for before in worlds
            for whole in each(setting.book.joins_with_queue())
            for after in [_joined(before, member, queue.id, holders, whole=whole)]
        ]
    yield from worlds


def _of_queue(
    world: World, setting: Setting, member: str, queue: QueueAttributes, from_disk: bool
) -> Iterator[World]:
    name = queue.id
    disk = world.wan.disks.get((member, name)) if from_disk else None
    holders = _holders(world, setting, member, name)
    if holders:
        for whole in each(setting.book.joins_with_queue()):
            joined = _joined(world, member, name, holders, whole=whole)
            yield joined
            if disk is not None:
                yield from _with_own(joined, setting, member, name, disk)
        return
    for kept in each(setting.book.keeps_on_disk(queue.persistent)):
        if not all(each(setting.book.goes_on_alone())):
            yield world
        elif kept and from_disk and disk is not None:
            if not disk.newest:
                yield world  # it waits for the disk that is newer
            for image in images(disk, setting):
                leads = _leading(world, setting, member, name, image)
                read = replace(disk, events=image, removed=0)
                disks = leads.wan.disks.set((member, name), read)
                after = leads.but(wan=replace(leads.wan, disks=disks))
                yield _without_disks(leads, name) if disk.newest else after
        else:
            yield _without_disks(_leading(world, setting, member, name, ()), name)


def images(disk: Disk, setting: Setting) -> Iterator[tuple[Queued, ...]]:
    """What the disk of a dead member may hold of a queue, oldest first: the most likely is first."""
    book = setting.book
    left, queue = disk.events[: disk.removed], disk.events[disk.removed :]
    unsure = [event.op_id for event in queue if event.op_id in disk.unsure]
    if len(unsure) <= MOST_UNSURE:
        missing = [frozenset(some) for n in range(len(unsure) + 1) for some in combinations(unsure, n)]
    else:
        missing = [frozenset(unsure[at:]) for at in range(len(unsure), -1, -1)]
    least = 0 if any(each(book.forgets_removed())) else len(left)
    ways = product(missing, range(least, len(left) + 1))
    found: dict[tuple[Queued, ...], None] = {}
    for gone, again in ways:
        there = [event for event in queue if event.op_id not in gone]
        for lost in each(book.unwritten(len(there))):
            whole = (*left[len(left) - again :], *there[: len(there) - lost])
            for skipped in each(book.skipped_on_disk(len(whole))):
                for in_order in each(book.recovers_in_order()):
                    found[whole[skipped:] if in_order else whole[skipped:][::-1]] = None
    yield from found


def _holders(world: World, setting: Setting, member: str, name: str) -> list[str]:
    """The other members that run the queue's sender, a primary first."""
    senders = world.wan.senders
    found = [m for m in setting.others[member] if m not in world.wan.dead and (m, name) in senders]
    return sorted(found, key=lambda one: not senders[one, name].primary)


def _joined(world: World, member: str, name: str, holders: list[str], *, whole: bool = True) -> World:
    """The world in which a member has taken a copy of the queue from one that runs it, as a secondary."""
    of = world.wan.senders[holders[0], name]
    copy = Sender(queue=of.queue if whole else (), last=of.last, mark=of.mark, renewed=of.renewed)
    return with_sender(world, member, name, copy)


def _leading(world: World, setting: Setting, member: str, name: str, image: tuple[Queued, ...]) -> World:
    """The world in which a member's sender runs as the first one; others that live and wait join it."""
    placed = tuple(replace(event, position=number) for number, event in enumerate(image, 1))
    made = max((wire.number for wire in world.wan.wires if wire[:2] == (name, member)), default=0)
    leader = Sender(primary=True, queue=placed, last=len(placed), wires=made, renewed=bool(placed))
    world = with_sender(world, member, name, leader)
    for other in setting.others[member]:
        waits = other not in world.wan.dead and (other, name) not in world.wan.senders
        if waits and setting.queues[name].runs_on(other):
            world = _joined(world, other, name, [member])
    return world


def _with_own(world: World, setting: Setting, member: str, name: str, disk: Disk) -> Iterator[World]:
    """The worlds in which a queue that runs takes in what only the disk of the member that joins holds."""
    holders = _holders(world, setting, member, name)
    known = {event.op_id for event in world.wan.senders[holders[0], name].queue}
    led = world.wan.disks.get((holders[0], name))
    known |= set() if led is None else {event.op_id for event in led.events}
    for image in images(disk, setting):
        brought = [event for event in image if event.op_id not in known]
        if not brought:
            continue
        after = world
        for holder in (*holders, member):
            sender = after.wan.senders[holder, name]
            events = tuple(
                replace(event, position=sender.last + number) for number, event in enumerate(brought, 1)
            )
            more = replace(sender, queue=(*sender.queue, *events), last=sender.last + len(events))
            after = with_sender(after, holder, name, more)
        if led is not None and not disk.newest:
            more_read = replace(led, events=(*led.events, *brought))
            disks = after.wan.disks.set((holders[0], name), more_read)
            after = after.but(wan=replace(after.wan, disks=disks))
        yield _without_disks(after, name) if disk.newest else after


def _without_disks(world: World, name: str) -> World:
    """The world in which all that was on disks of a queue is where the queue runs."""
    disks = world.wan.disks
    for where in world.wan.disks:
        if where[1] == name:
            disks = disks.delete(where)
    return world.but(wan=replace(world.wan, disks=disks))
