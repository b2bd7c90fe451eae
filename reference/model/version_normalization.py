"""Renumbers versions so that equivalent states compare equal, and drops those that nothing shows any more.

Owns which versions matter only by their differences, and which members still compare them. It changes nothing
that an observation could still show.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Call, CallStage, World
from plumbline.reference.rulebook.values import Stamp

Numbered = tuple[int, str, str]
"""Site, region and key: versions of different sites are never compared."""

FIRST = Stamp(1, "")

_LEFT = (CallStage.SENT, CallStage.DONE)


class VersionNormalization:
    """What is forgotten of versions, in worlds of one setting."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        # Primaries and hosts look calls up by what they wrote, and a destroy that was called may expire.
        self._asks_calls = (
            bool(setting.partitioned or setting.lesser or setting.transactions or setting.clients)
            or setting.tombstones is not None
        )

    def counted_anew(self, world: World, now: int = 0) -> World:
        """The world with the versions of each key counted from one again, at each site for itself.

        Only differences between versions of one key matter, so the smallest that is still stored or on
        its way may as well be one. Without this, every branch that differs in a silent change would stay
        different for ever, since each later version carries the difference on. Only keys are looked at whose
        versions may differ between branches at all: those that something may have happened to in silence.
        """
        world = world if self._asks_calls else without_stamps(world)
        known = self._setting.ambiguous.at(now)
        if len(world.served.copies) or len(world.served.kept) or len(world.served.pending):
            return world  # events queued at secondaries, or for durable clients, and answers count as well
        if len(world.images):
            return world  # and copies on their way
        if len(world.tombs.told) or len(world.tombs.ghosts):
            return world  # and collections
        if not self._setting.stamps_grow or not known or world.stamps:
            return world
        least: dict[Numbered, int] = {}
        for site, holders in self._living(world):
            for region, key in known:
                version = _least_stored(world, holders, region, key)
                if version > 1:
                    least[site, region, key] = version
        if not least:
            return world  # as nearly always, until all callers have gone on
        for where, stamp in self._under_way(world):
            if where in least:
                _lower(least, where, stamp)
        shift = {where: version - 1 for where, version in least.items() if version > 1}
        return self._shifted(world, shift) if shift else world

    def _living(self, world: World) -> list[tuple[int, list[tuple[str, Stamp | None]]]]:
        """By site who keeps entries, and what counts where it has none of a key.

        Where some member has never seen the key, or has it no more, its numbers are kept.
        """
        found: dict[int, list[tuple[str, Stamp | None]]] = {}
        for holder in self._setting.holders:
            if holder not in world.wan.dead:
                unseen = None if holder in self._setting.clients else FIRST
                found.setdefault(self._setting.home(holder), []).append((holder, unseen))
        return list(found.items())

    def _under_way(self, world: World) -> Iterator[tuple[Numbered, Stamp]]:
        """The stamps of calls, messages and connections, and where they count."""
        for op_id, call in world.calls.items():
            if call.stamp is not None:
                yield self._numbered(op_id, self._setting.operations[op_id].member), call.stamp
        for channel, messages in world.channels.items():
            for message in messages:
                if message.stamp is not None:
                    yield self._numbered(message.op_id, channel.source), message.stamp
        for wire in world.wan.wires.values():
            if wire.busy is not None and wire.stamp is not None:
                yield self._numbered(wire.busy.op_id, wire.receiver), wire.stamp

    def _numbered(self, op_id: int, member: str) -> Numbered:
        operation = self._setting.operations[op_id]
        return self._setting.home(member), operation.region, operation.key

    def _shifted(self, world: World, shift: dict[Numbered, int]) -> World:
        """The world with the versions of some keys lowered."""
        entries, calls, channels, wires = world.entries, world.calls, world.channels, world.wan.wires
        for holder in self._setting.holders:
            site = self._setting.home(holder)
            for (where, region, key), by in shift.items():
                entry = world.entry(holder, region, key)
                if site == where and entry.stamp is not None:
                    lower = replace(entry, stamp=_lowered(entry.stamp, by))
                    entries = entries.set((holder, region, key), lower)
        for op_id, call in world.calls.items():
            if call.stamp is None:
                continue  # as most, which only have to return
            by = shift.get(self._numbered(op_id, self._setting.operations[op_id].member), 0)
            if by:
                calls = calls.set(op_id, replace(call, stamp=_lowered(call.stamp, by)))
        for channel, messages in world.channels.items():
            lowered = tuple(self._lowered_message(channel, message, shift) for message in messages)
            if lowered != messages:
                channels = channels.set(channel, lowered)
        for name, wire in world.wan.wires.items():
            if wire.busy is not None and wire.stamp is not None:
                by = shift.get(self._numbered(wire.busy.op_id, wire.receiver), 0)
                wires = wires.set(name, replace(wire, stamp=_lowered(wire.stamp, by)))
        wan = replace(world.wan, wires=wires)
        return world.but(entries=entries, calls=calls, channels=channels, wan=wan)

    def _lowered_message(self, channel: Channel, message: Message, shift: dict[Numbered, int]) -> Message:
        if message.stamp is None:
            return message
        by = shift.get(self._numbered(message.op_id, channel.source), 0)
        return replace(message, stamp=_lowered(message.stamp, by)) if by else message


def without_stamps(world: World) -> World:
    """The world in which calls that only have to return have forgotten what they wrote: others have it."""
    calls = world.calls
    for op_id, call in _with_stamps(world):
        calls = calls.set(op_id, replace(call, stamp=None, update=False))
    return world if calls is world.calls else world.but(calls=calls)


def _with_stamps(world: World) -> list[tuple[int, Call]]:
    """Calls that only have to return, and still know what they wrote."""
    return [
        (op_id, call)
        for op_id, call in world.calls.items()
        if call.stamp is not None and call.stage in _LEFT and not call.waiting
    ]


def _least_stored(world: World, holders: list[tuple[str, Stamp | None]], region: str, key: str) -> int:
    """The smallest version that is stored of a key, or 0; one as soon as it is found, as nearly always."""
    least = 0
    for holder, unseen in holders:
        stamp = world.entry(holder, region, key).stamp or unseen
        if stamp is not None and (not least or stamp.version < least):
            least = stamp.version
            if least == 1:
                break
    return least


def _lower(least: dict[Numbered, int], where: Numbered, stamp: Stamp | None) -> None:
    if stamp is not None and stamp.version < least.get(where, stamp.version + 1):
        least[where] = stamp.version


def _lowered(stamp: Stamp, by: int) -> Stamp:
    return replace(stamp, version=stamp.version - by)
