"""Faults: crashes, cut links, stopped receivers, paused queues; and what mends them.

Owns what is down. A fault that was asked for happens at some moment until the harness is told that it has.
"""

from __future__ import annotations

from collections.abc import Iterator

from plumbline.reference.explain.steps import Step, View
from plumbline.reference.history import Fault, FaultKind, fault_words
from plumbline.reference.model.dispatch import broken
from plumbline.reference.model.foresight import Foresight
from plumbline.reference.model.senders import with_sender
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.wires import acknowledged
from plumbline.reference.model.world import Call, GateState, Stage, World

_MENDS = frozenset((FaultKind.LINK_UP, FaultKind.RECEIVER_START, FaultKind.RESUME))


class Faults:
    """The part of the model that breaks things, and mends them."""

    def __init__(self, setting: Setting, foresight: Foresight) -> None:
        self._setting = setting
        self._foresight = foresight

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """The faults asked for happen."""
        for number, fault in world.wan.faults.items():
            if view.reduced and not self._foresight.may_happen(view, fault):
                continue
            happened = world.but(wan=world.wan._replace(faults=world.wan.faults.delete(number)))
            yield Step((fault_words(fault),), self.happened(happened, fault), fault=True)

    def happened(self, world: World, fault: Fault) -> World:
        """The world in which a fault, or its mending, has happened."""
        wan = world.wan
        link = (fault.site, fault.remote_site)
        match fault.kind:
            case FaultKind.CRASH:
                return self._crashed(world, fault.member)
            case FaultKind.LINK_DOWN | FaultKind.REPLIES_LOST:
                down = world.but(wan=wan._replace(links=wan.links.set(link, fault.kind)))
                return self._cut(down, fault) if fault.kind is FaultKind.LINK_DOWN else down
            case FaultKind.LINK_UP:
                up = world.but(wan=wan._replace(links=wan.links.delete(link)))
                return self._cut(up, fault) if link in wan.links else up
            case FaultKind.RECEIVER_STOP:
                stopped = world.but(wan=wan._replace(stopped=wan.stopped.set(fault.member, value=True)))
                return self._without_receiver(stopped, fault.member, lives=True)
            case FaultKind.RECEIVER_START:
                return world.but(wan=wan._replace(stopped=wan.stopped.delete(fault.member)))
            case FaultKind.PAUSE | FaultKind.RESUME:
                sender = wan.senders[fault.member, fault.queue]
                paused = sender._replace(paused=fault.kind is FaultKind.PAUSE)
                return with_sender(world, fault.member, fault.queue, paused)

    def _cut(self, world: World, fault: Fault) -> World:
        """The connections of a link are broken."""
        for name in list(world.wan.wires):
            queue = self._setting.queues[name.queue]
            if (queue.site, queue.remote_site) == (fault.site, fault.remote_site):
                world = broken(world, name, self._setting, receiver_lives=True)
        return world

    def _without_receiver(self, world: World, member: str, *, lives: bool) -> World:
        for name, wire in list(world.wan.wires.items()):
            if wire.receiver == member:
                world = broken(world, name, self._setting, receiver_lives=lives)
        return world

    def _crashed(self, world: World, member: str) -> World:
        """The member is dead: its calls, what it held, what it was told and what waited for it are gone."""
        wan = world.wan._replace(dead=world.wan.dead.set(member, value=True))
        calls = world.calls
        for op_id, call in world.calls.items():
            if self._setting.operations[op_id].member == member:
                calls = calls.set(op_id, _survived(call))
            elif call.waiting:
                still = frozenset(
                    w for w in call.waiting if w != member and not (isinstance(w, tuple) and member in w)
                )
                calls = calls.set(op_id, call._replace(waiting=still))
        after = _without_copy(world.but(wan=wan, calls=calls), member)
        after = self._without_receiver(after, member, lives=False)
        for name, wire in list(after.wan.wires.items()):
            if name.source == member:
                after = broken(after, name, self._setting, receiver_lives=True)
            elif member in wire.awaiting:
                after = acknowledged(after, name, member)
        senders = after.wan.senders
        for holder, queue in list(senders):
            if holder == member:
                senders = senders.delete((holder, queue))
        return after.but(wan=after.wan._replace(senders=senders))


def _without_copy(world: World, member: str) -> World:
    """The world without what the member held, what was on its way to it, and who stood in its listeners."""
    channels, gates, entries = world.channels, world.gates, world.entries
    for channel in world.channels:
        if channel.target == member:
            channels = channels.delete(channel)
    for gate in world.gates:
        if gate[0] == member:
            gates = gates.set(gate, GateState.OPEN)
    for where in world.entries:
        if where[0] == member:
            entries = entries.delete(where)
    return world.but(channels=channels, gates=gates, entries=entries)


def mends(fault: Fault) -> bool:
    """Whether a fault is in truth the mending of one."""
    return fault.kind in _MENDS


def _survived(call: Call) -> Call:
    """What is left of a call whose member has died: what was done may have been told, the rest never is."""
    if call.stage is Stage.DONE or (call.stage is Stage.SENT and not call.waiting):
        return call._replace(indefinite=True)
    return Call(Stage.CALLED, indefinite=True)
