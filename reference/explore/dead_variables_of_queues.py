"""Dead-variable elimination for queues, connections and crashed members of a world of sites.

As `fading` is for replicates: what follows is the same, step by step. It is what queues count that no other
member keeps, copies that no member takes over, connections' numbers, and who has what comes no more.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.explore.programs import Program
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import counted_anew, with_sender
from plumbline.reference.model.sites.site_state import Sender, WireName
from plumbline.reference.model.world import CallStage, World

UNDER_WAY = (CallStage.CALLED, CallStage.APPLIED)


def is_of_sites(program: Program) -> bool:
    """Whether a program is of replicates in sites that are each connected to each, and nothing else."""
    shape = program.shape
    more = (
        shape.clients
        or shape.committed
        or shape.again
        or shape.rejoins
        or shape.takes
        or shape.resolver
        or shape.wholly
    )
    return shape.alike and bool(program.queues) and not (more or shape.links or program.ticks or shape.waits)


class Emptied:
    """What of the queues of one program nothing reads any more."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting

    def emptied(self, world: World, doomed: frozenset[str]) -> World:
        """The world without it.

        Args:
            world: after some step.
            doomed: the members that may still die, and leave a queue to a holder of a copy.
        """
        world = self._without_copies(_buried(world, self._setting), doomed)
        for (member, name), sender in world.wan.senders.items():
            if sender.heir or (sender.horizon and not sender.sent):
                horizon = sender.horizon if sender.sent else 0
                world = with_sender(world, member, name, replace(sender, heir=False, horizon=horizon))
        for (member, name), sender in world.wan.senders.items():
            if self._is_alone(world, member, name):
                world = with_sender(world, member, name, counted_anew(sender))
        return self._forgotten(_numbered_anew(world))

    def _without_copies(self, world: World, doomed: frozenset[str]) -> World:
        """The world without copies of queues that no member takes over: their primaries live on."""
        senders = world.wan.senders
        led = {name for (member, name), one in senders.items() if one.primary and member not in doomed}
        if not led:
            return world
        for (member, name), sender in world.wan.senders.items():
            if name not in led:
                continue
            kept = replace(sender, told=sender.mark) if sender.primary else Sender()
            if kept != sender:
                world = with_sender(world, member, name, kept)
        channels, calls = world.channels, world.calls
        for channel, messages in world.channels.items():
            left = tuple(one for one in messages if one.queue not in led)
            if len(left) < len(messages):
                channels = channels.set(channel, left) if left else channels.delete(channel)
        for op_id, call in world.calls.items():
            waiting = frozenset(w for w in call.waiting if not (isinstance(w, tuple) and w[0] in led))
            if waiting != call.waiting:
                calls = calls.set(op_id, replace(call, waiting=waiting))
        return world.but(channels=channels, calls=calls)

    def _is_alone(self, world: World, member: str, name: str) -> bool:
        """Whether no other member knows the positions of a queue, nor receives any."""
        if any(queue == name and other != member for other, queue in world.wan.senders):
            led = world.wan.senders[member, name].primary
            others = (
                s for (other, queue), s in world.wan.senders.items() if queue == name and other != member
            )
            if not led or any(other != Sender() for other in others):
                return False
        return not any(one.queue == name for messages in world.channels.values() for one in messages)

    def _forgotten(self, world: World) -> World:
        """The world that does not know who has what is nowhere on its way any more."""
        if len(world.wan.seen) == 0:
            return world
        coming = set(_on_its_way(world))
        seen = world.wan.seen
        for where in world.wan.seen:
            if where[1] not in coming:
                seen = seen.delete(where)
        return world if seen is world.wan.seen else world.but(wan=replace(world.wan, seen=seen))


def _buried(world: World, setting: Setting) -> World:
    """The world without the calls of crashed members: nothing waits for them."""
    calls = world.calls
    for op_id, call in world.calls.items():
        if setting.operations[op_id].member in world.wan.dead:
            calls = calls.delete(op_id)
        elif call.stage not in UNDER_WAY and (call.stamp is not None or call.update):
            calls = calls.set(op_id, replace(call, stamp=None, update=False))
    return world if calls is world.calls else world.but(calls=calls)


def _numbered_anew(world: World) -> World:
    """The world in which the connections of each sender that are left are numbered from one."""
    wan, channels = world.wan, world.channels
    numbers: dict[WireName, int] = {}
    for (member, name), sender in wan.senders.items():
        if sender.wires:
            used = {wire.number for wire in wan.wires if (wire.source, wire.queue) == (member, name)}
            used |= {
                one.wire.number
                for messages in world.channels.values()
                for one in messages
                if one.wire is not None and (one.wire.source, one.wire.queue) == (member, name)
            }
            used |= {sender.wire} - {0}
            for at, number in enumerate(sorted(used), 1):
                numbers[WireName(name, member, number)] = at
            if max(used, default=0) == len(used) == sender.wires:
                continue
            anew = replace(sender, wire=numbers.get(WireName(name, member, sender.wire), 0), wires=len(used))
            wan = replace(wan, senders=wan.senders.set((member, name), anew))
    moved = {name: at for name, at in numbers.items() if name.number != at}
    if not moved:
        return world if wan is world.wan else world.but(wan=wan)
    wires = wan.wires
    for name in moved:
        wires = wires.delete(name)
    for name, at in moved.items():
        if name in wan.wires:
            wires = wires.set(name._replace(number=at), wan.wires[name])
    of = {channel: moved[one.wire] for channel, ones in channels.items() for one in ones if one.wire in moved}
    for channel in of:
        channels = channels.delete(channel)
    for channel, at in of.items():
        channels = channels.set(*_renamed(channel, world.channels[channel], at))
    return world.but(wan=replace(wan, wires=wires), channels=channels)


def _renamed(channel: Channel, messages: tuple[Message, ...], at: int) -> tuple[Channel, tuple[Message, ...]]:
    """A receiver's channel to a peer, when the connection whose events it distributes has another number."""
    name = messages[0].wire
    assert name is not None  # noqa: S101 - all of a channel came over one connection
    renamed = tuple(replace(one, wire=name._replace(number=at)) for one in messages)
    return channel._replace(thread=f"{name.queue}/{name.source}/{at}"), renamed


def _on_its_way(world: World) -> Iterator[int]:
    """The operations that some member may yet hear of."""
    for call in world.calls.items():
        if call[1].stage in UNDER_WAY:
            yield call[0]
    for sender in world.wan.senders.values():
        yield from sender.notes
        held = (sender.queue, sender.records, sender.callbacks, sender.entering)
        yield from (one.op_id for some in held for one in some)
    for wire in world.wan.wires.values():
        yield from (one.op_id for one in (*wire.events, wire.busy) if one is not None)
    for messages in world.channels.values():
        yield from (one.op_id for one in messages)
