"""Fading: what nothing reads any more is left out of worlds, so that those that differ in nothing else meet.

The worlds with and without it have the same successors, step by step. Knows worlds and what may still be
called; knows no promise, and nothing of the order in which steps are looked at.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from plumbline.reference.explore.programs import Program
from plumbline.reference.model.claims import STAMPS_GROW
from plumbline.reference.model.messages import Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import CallStage, Collected, World
from plumbline.reference.rulebook.effects import ARRIVES
from plumbline.reference.rulebook.values import EntryState, Stamp
from plumbline.reference.search.hashed_map import HashedMap

_NOTHING: HashedMap[Any, Any] = HashedMap()

_SENT = (CallStage.SENT, CallStage.DONE)

TOMBSTONES_GO_BY_STAMP = STAMPS_GROW | {"collects_replaced", "age_counted_from"}
"""Decisions on which "a collection takes tombstones of its stamp, or earlier ones, only" rests."""


class Fading:
    """What of the worlds of one program nothing reads any more."""

    def __init__(self, program: Program, setting: Setting, replaced: frozenset[str]) -> None:
        self._setting = setting
        self._operations = program.operations
        self._replicates = is_of_replicates(program)
        self._by_stamp = replaced.isdisjoint(TOMBSTONES_GO_BY_STAMP)
        self._tells_losers = "status_of_loser" in replaced

    def faded(self, world: World, called: int) -> World:
        """The world without it.

        Args:
            world: after some step.
            called: how many of the program's calls were made.
        """
        world = uncounted(world)
        if not self._replicates:
            return world
        world = self._unstamped(world)
        if self._by_stamp and self._setting.tombstones is not None:
            world = self._untold(_ageless(world), called)
        return world

    def _unstamped(self, world: World) -> World:
        """The world in which calls that were sent have forgotten with what: their messages have it."""
        calls = world.calls
        for op_id, call in world.calls.items():
            if call.stage in _SENT:
                discarded = call.discarded and self._tells_losers
                if call.stamp is not None or call.update or call.discarded != discarded:
                    left = replace(call, stamp=None, update=False, discarded=discarded)
                    calls = calls.set(op_id, left)
        return world if calls is world.calls else world.but(calls=calls)

    def _untold(self, world: World, called: int) -> World:
        """The world without news of collections that can take nothing from the members that receive them.

        They take a tombstone of the stamp, or an earlier one: if there is none, and none can come, nothing.
        """
        told = world.tombs.told
        if len(told) == 0 or self._destroys_to_come(world, called):
            return world
        for pair, news in world.tombs.told.items():
            of_use = tuple(one for one in news if self._takes(world, pair[1], one))
            if not of_use:
                told = told.delete(pair)
            elif len(of_use) < len(news):
                told = told.set(pair, of_use)
        if told is world.tombs.told:
            return world
        return world.but(tombs=replace(world.tombs, told=told))

    def _destroys_to_come(self, world: World, called: int) -> bool:
        """Whether a tombstone may be written whose stamp is not known yet."""
        known = self._setting.operations
        under_way = (known[op_id] for op_id, call in world.calls.items() if call.stage not in _SENT)
        return any(leaves_tombstone(one.kind) for one in (*self._operations[called:], *under_way))

    def _takes(self, world: World, member: str, one: Collected) -> bool:
        """Whether a member has, or is about to be sent, a tombstone that the collection takes."""
        entry = world.entry(member, one.region, one.key)
        stamps = [entry.stamp] if entry.state is EntryState.TOMBSTONE else []
        stamps += [message.stamp for message in destroys_to(world, self._setting, member)]
        return any(stamp is None or _is_taken(stamp, one.stamp) for stamp in stamps)


def is_of_replicates(program: Program) -> bool:
    """Whether a program is of the replicates of one site and nothing else."""
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
    return shape.alike and len(shape.sites) == 1 and not more


def leaves_tombstone(kind: Any) -> bool:
    """Whether an operation of the kind destroys something."""
    return kind not in ARRIVES or ARRIVES[kind][0] is EntryState.TOMBSTONE


def destroys_to(world: World, setting: Setting, member: str) -> list[Message]:
    """Destroys that are on their way to a member."""
    return [
        message
        for channel, messages in world.channels.items()
        for message in messages
        if channel.target == member and leaves_tombstone(setting.operations[message.op_id].kind)
    ]


def uncounted(world: World) -> World:
    """The world without what is only kept for those who count."""
    if world.tombs.collections:
        world = world.but(tombs=replace(world.tombs, collections=_NOTHING))
    return world.but(discards=_NOTHING) if world.discards else world


def _ageless(world: World) -> World:
    """The world in which only tombstones know how old they are: nothing else expires."""
    entries = world.entries
    for where, entry in world.entries.items():
        if entry.state is not EntryState.TOMBSTONE and entry.stamp is not None and entry.stamp.time:
            entries = entries.set(where, replace(entry, stamp=replace(entry.stamp, time=0)))
    return world if entries is world.entries else world.but(entries=entries)


def _is_taken(stamp: Stamp, collected: Stamp) -> bool:
    """Whether a tombstone of a stamp goes with a collection of another."""
    if stamp.version == collected.version:
        return stamp.member == collected.member
    return stamp.version < collected.version
