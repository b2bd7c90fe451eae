"""Faults: crashes, cut links, stopped receivers, paused queues; and what mends them.

Owns what is down. A fault that was asked for happens at some moment until the harness is told that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import CLIENT_LIVES, STARTS_AGAIN, Fault, FaultKind, fault_words
from plumbline.reference.model.bucket_holders import outlived, without
from plumbline.reference.model.bucket_moves import moved
from plumbline.reference.model.clients.attempts import lost
from plumbline.reference.model.clients.durable_clients import Durable
from plumbline.reference.model.clients.queue_holders import outlived as queues_outlived
from plumbline.reference.model.clients.queue_holders import timed_out, untimed
from plumbline.reference.model.independence import Independence
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.pending_copies import given_up
from plumbline.reference.model.restarts import started_again
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.alerts import without as without_log
from plumbline.reference.model.sites.batches import passed, runs_again, stopped
from plumbline.reference.model.sites.connections import broken, link_of
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.late_entries import has_late, without_entering
from plumbline.reference.model.sites.parallel_copies import paused
from plumbline.reference.model.sites.parallel_copies import without as without_parallel
from plumbline.reference.model.sites.parallel_queues import AGAIN, ENTERS, ParallelQueues
from plumbline.reference.model.sites.parallel_senders import set_paused
from plumbline.reference.model.sites.records import outlived as records_outlived
from plumbline.reference.model.sites.recovery import written
from plumbline.reference.model.sites.retries import unknown
from plumbline.reference.model.sites.site_state import STILL_UNKNOWN, WireName
from plumbline.reference.model.sites.wires import acknowledged, with_wire
from plumbline.reference.model.world import Call, CallStage, GateState, World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step, View

_MENDS = frozenset(
    (
        FaultKind.LINK_UP,
        FaultKind.RECEIVER_START,
        FaultKind.RESUME,
        FaultKind.LET_RUN,
        FaultKind.ANSWERS_BACK,
        *STARTS_AGAIN,
    )
)


class Faults:
    """The part of the model that breaks things, and mends them."""

    def __init__(
        self,
        setting: Setting,
        lookahead: Lookahead,
        durable: Durable,
        parallel: ParallelQueues,
        independence: Independence,
    ) -> None:
        self._independence = independence
        self._setting = setting
        self._parallel = parallel
        self._durable = durable
        self._lookahead = lookahead

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """The faults asked for happen."""
        later = view.reduced and self._independence.drops_later()
        for number, fault in world.wan.faults.items():
            if view.reduced and not self._lookahead.may_happen(view, fault):
                continue
            before = world.but(wan=replace(world.wan, faults=world.wan.faults.delete(number)))
            for after in self.happened(before, fault, later=later):
                yield Step((fault_words(fault),), after, fault=True)

    def happened(  # noqa: PLR0912 - a case for each
        self, world: World, fault: Fault, *, later: bool = False
    ) -> Iterator[World]:
        """The worlds in which a fault, or its mending, has happened.

        Args:
            world: the world before.
            fault: the fault.
            later: whether it stays open what servers drop when a durable client goes (see `acknowledging`).
        """
        wan = world.wan
        link = (fault.site, fault.remote_site)
        match fault.kind:
            case FaultKind.CRASH:
                yield from self._crashed(world, fault.member)
            case FaultKind.MOVE_PRIMARY:
                yield from moved(world, fault, self._setting, self._parallel)
            case FaultKind.LINK_DOWN:
                down = world.but(wan=replace(wan, links=wan.links.set(link, fault.kind)))
                yield from self._cut(down, fault)
            case FaultKind.REPLIES_LOST:
                yield world.but(wan=replace(wan, links=wan.links.set(link, fault.kind)))
            case FaultKind.LINK_UP:
                up = world.but(wan=replace(wan, links=wan.links.delete(link)))
                up = self._mended(up, link)
                yield from self._cut(up, fault) if link in wan.links else (up,)
            case FaultKind.RECEIVER_STOP:
                without = world.but(wan=replace(wan, stopped=wan.stopped.set(fault.member, value=True)))
                for answers in each(self._setting.book.answers_when_stopped()):
                    after = self._answered(without, fault.member) if answers else without
                    yield from self._without_receiver(after, fault.member, lives=True)
            case FaultKind.RECEIVER_START:
                yield world.but(wan=replace(wan, stopped=wan.stopped.delete(fault.member)))
            case FaultKind.PAUSE | FaultKind.RESUME if fault.queue in self._setting.parallel:
                yield paused(world, fault.member, fault.queue, pauses=fault.kind is FaultKind.PAUSE)
            case FaultKind.PAUSE | FaultKind.RESUME if fault.queue in self._setting.parted:
                pauses = fault.kind is FaultKind.PAUSE
                yield set_paused(world, self._setting, fault.member, fault.queue, pauses=pauses)
            case FaultKind.PAUSE | FaultKind.RESUME:
                for name in self._setting.lanes[fault.queue]:
                    sender = wan.senders[fault.member, name]
                    held_back = replace(sender, paused=fault.kind is FaultKind.PAUSE)
                    world = with_sender(world, fault.member, name, held_back)
                yield world
            case FaultKind.HOLD_TIME:
                # A simulation knows since when it has counted: not at all so far.
                yield stopped(world, known=self._setting.clock) if self._time_matters() else world
            case FaultKind.TIME_LEAP:
                timed = passed(world, self._setting, fault.milliseconds) if self._time_matters() else world
                yield from timed_out(timed, self._setting)
            case FaultKind.CLOCK_SET:
                yield world  # what clocks show is told with each operation
            case FaultKind.LET_RUN:
                yield untimed(_untimed(runs_again(world)))
            case FaultKind.RESTART | FaultKind.RECOVER:
                yield from started_again(world, self._setting, fault)
            case FaultKind.ANSWERS_LOST | FaultKind.ANSWERS_BACK:
                yield lost(world, fault)
            case _ if fault.kind in CLIENT_LIVES:
                yield from self._durable.happened(world, fault, later=later)

    def _mended(self, world: World, link: tuple[int, int]) -> World:
        """The world in which senders over a link that was mended may connect at any time."""
        for (member, name), sender in world.wan.senders.items():
            if sender.vain is not None and link_of(self._setting.queues[name]) == link:
                world = with_sender(world, member, name, unknown(sender))
        return world

    def _time_matters(self) -> bool:
        """Whether anything but timestamps depends on what clocks show that are held."""
        return self._setting.batches_wait or not self._setting.queues

    def _answered(self, world: World, member: str) -> World:
        """The world in which a receiver has answered what it was sent, and drops what it had not applied."""
        for name, wire in world.wan.wires.items():
            sender = world.wan.senders.get((name.source, name.queue))
            lost = world.wan.links.get(link_of(self._setting.queues[name.queue])) is FaultKind.REPLIES_LOST
            if wire.receiver != member or wire.broken or sender is None or lost:
                continue
            dropped = with_wire(world, name, replace(wire, events=()))
            world = with_sender(dropped, name.source, name.queue, replace(sender, heard=sender.sent))
        return world

    def _cut(self, world: World, fault: Fault) -> Iterator[World]:
        """The connections of a link are broken."""
        queues = self._setting.queues
        names = [
            name
            for name, _ in world.wan.wires.in_order()
            if link_of(queues[name.queue]) == (fault.site, fault.remote_site)
        ]
        return self._broken(world, names, lives=True)

    def _without_receiver(self, world: World, member: str, *, lives: bool) -> Iterator[World]:
        names = [name for name, wire in world.wan.wires.in_order() if wire.receiver == member]
        return self._broken(world, names, lives=lives)

    def _broken(self, world: World, names: Iterable[WireName], *, lives: bool) -> Iterator[World]:
        """The worlds in which all these connections have broken."""
        worlds = [world]
        for name in names:
            worlds = [
                after
                for before in worlds
                for after in broken(before, name, self._setting, receiver_lives=lives)
            ]
        yield from worlds

    def _crashed(self, world: World, member: str) -> Iterator[World]:
        """The member is dead: its calls, what it held, what it was told and what waited for it are gone."""
        world = records_outlived(world, self._setting, member)
        world = given_up(world, member) if world.images else world
        world = without_entering(world, member) if has_late(self._setting) else world
        wan = replace(world.wan, dead=world.wan.dead.set(member, value=True))
        calls = world.calls
        for op_id, call in world.calls.items():
            operation = self._setting.operations[op_id]
            if operation.member == member:
                left = outlived(world, operation, call, member)
                calls = calls.set(op_id, _survived(call, member) if left is None else left)
            elif call.by == member and call.stage is CallStage.APPLIED:
                # No other member has it, so the call is as before any replicate was asked.
                again = replace(call, stage=CallStage.CALLED, by="", reached=call.reached - {member})
                calls = calls.set(op_id, again)
            elif call.waiting:
                still = frozenset(
                    w
                    for w in call.waiting
                    if w != member
                    and not (isinstance(w, tuple) and member in w and not {ENTERS, AGAIN} & {*w})
                )
                calls = calls.set(op_id, replace(call, waiting=still, reached=call.reached - {member}))
        alone = without(_without_copy(world.but(wan=wan, calls=calls), member), member)
        alone = without_log(without_parallel(alone, member), member)
        for unreceived in (
            after
            for left in queues_outlived(alone, self._setting, member)
            for after in self._without_receiver(left, member, lives=False)
        ):
            own = [name for name, _ in unreceived.wan.wires.in_order() if name.source == member]
            for after in self._broken(unreceived, own, lives=True):
                yield self._unawaited(after, member)

    def _unawaited(self, world: World, member: str) -> World:
        """The world in which no receiver waits for the dead member, whose senders are gone."""
        for name, wire in list(world.wan.wires.items()):
            if member in wire.awaiting:
                world = acknowledged(world, name, member)
        world = written(world, self._setting, member)
        senders = world.wan.senders
        for holder, queue in list(senders):
            if holder == member:
                senders = senders.delete((holder, queue))
        return world.but(wan=replace(world.wan, senders=senders))


def _without_copy(world: World, member: str) -> World:
    """The world without the member's entries and knowledge, messages on their way to it, and parked calls."""
    channels, gates, entries, seen = world.channels, world.gates, world.entries, world.wan.seen
    for channel in world.channels:
        if channel.target == member:
            channels = channels.delete(channel)
    for gate in world.gates:
        if gate[0] == member:
            gates = gates.set(gate, GateState.OPEN)
    for where in world.entries:
        if where[0] == member:
            entries = entries.delete(where)
    for who, op_id in world.wan.seen:
        if who == member:
            seen = seen.delete((who, op_id))
    return world.but(channels=channels, gates=gates, entries=entries, wan=replace(world.wan, seen=seen))


def _untimed(world: World) -> World:
    """The world in which it is unknown how long ago clients processed events."""
    touched = world.served.touched
    for where in world.served.touched:
        touched = touched.set(where, (STILL_UNKNOWN, STILL_UNKNOWN))
    return world.but(served=replace(world.served, touched=touched))


def mends(fault: Fault) -> bool:
    """Whether a fault is in truth the mending of one."""
    return fault.kind in _MENDS


def _survived(call: Call, member: str) -> Call:
    """What is left of a call whose member has died: what was done may have been told, the rest never is.

    The work of another member for it goes on there.
    """
    if call.by not in ("", member) and call.stage in (CallStage.APPLIED, CallStage.SENT):
        return replace(call, indefinite=True, waiting=call.waiting - {member})
    if call.stage is CallStage.DONE or (call.stage is CallStage.SENT and not call.waiting):
        return replace(call, indefinite=True)
    return Call(CallStage.CALLED, indefinite=True)
