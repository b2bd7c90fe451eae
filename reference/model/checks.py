"""Checks: an update that arrives is compared with what is stored, and wins or loses.

The order of the checks is that of the documents: newer, older, equal version (004, L67 to L69); with what
another site wrote, by time (004, L30 to L34). Which of two ids, or of two timestamps, is the higher is chosen
here, for good, where it is not known. Does not know how updates travel, nor what becomes of winners and
losers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation
from plumbline.reference.model import tombstones
from plumbline.reference.model.collecting import Collecting
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.messages import Message
from plumbline.reference.model.setting import Propagation, Setting
from plumbline.reference.model.sites.conflict_resolution import contests
from plumbline.reference.model.sites.timestamp_order import NONE, Pairs, latest
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import EntryState, Stamp, each
from plumbline.reference.search.hashed_map import HashedMap

Order = HashedMap[tuple[str, str], bool]


class CheckResult(NamedTuple):
    """How a check ended: applied or discarded, whether it settled a tie, and the order of ids so far.

    `pairs` are the timestamps' order so far, where it had to be asked for.
    """

    applied: bool
    tie: bool
    order: Order
    counted: bool = True
    pairs: Pairs | None = None


class Checks:
    """Comparisons under one rulebook."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._collecting = Collecting(setting)

    def findings(
        self, world: World, operation: Operation, head: Message, entry: Entry, member: str
    ) -> Iterator[CheckResult]:
        """Every way in which the comparison of the message with what is stored may end."""
        for stored in tombstones.compared(self._setting.book, entry):
            for overwrites in self._overwrites(world, head.stamp, entry, (member, operation.region)):
                if overwrites and stored is not None:
                    yield CheckResult(applied=True, tie=False, order=world.order)
                else:
                    yield from self._compared_with(world, operation, head, stored, member)

    def _overwrites(
        self, world: World, incoming: Stamp | None, entry: Entry, where: tuple[str, str]
    ) -> tuple[bool, ...]:
        """Whether an update is applied with no comparison: over an expired tombstone, if it is later."""
        stored = entry.stamp
        if self._setting.tombstones is None or entry.state is not EntryState.TOMBSTONE:
            return (False,)
        if incoming is None or stored is None or incoming.time <= stored.time:
            return (False,)
        if incoming.version > stored.version:
            return (False,)
        replicated = self._setting.is_replicated(*where)
        expired = self._collecting.expired(world, stored, replicated=replicated)
        if not any(expired):
            return expired
        overwrites = each(self._setting.book.overwrites_expired())
        return tuple(dict.fromkeys(a and b for a in expired for b in overwrites))

    def _compared_with(
        self, world: World, operation: Operation, head: Message, stored: Stamp | None, member: str
    ) -> Iterator[CheckResult]:
        book, order = self._setting.book, world.order
        incoming = head.stamp
        if stored is not None and incoming is not None and stored.site != incoming.site:
            entry = world.entry(member, operation.region, operation.key)
            # An event that a resolver allowed is compared as if it had been called here.
            let_in = incoming.allowed or stored.allowed
            compares = each(book.compares_allowed() if let_in else book.compares_times_among_peers())
            if any(compares):
                at = self._setting.home(member)
                yield from self._between_sites(world, operation, incoming, stored, entry, at)
            if all(compares):
                return
        for takes_part in each(book.takes_part(self._setting.kind_of(operation))):
            if not takes_part:
                yield CheckResult(applied=True, tie=False, order=order)
            elif stored is None or incoming is None or incoming.version > stored.version:
                gap = 0 if incoming is None else incoming.version - (0 if stored is None else stored.version)
                for applies in each(book.applies_newer(gap, stored is not None)):
                    yield CheckResult(applies, tie=False, order=order)
            elif incoming.version < stored.version:
                yield from (
                    CheckResult(applies, tie=False, order=order) for applies in each(book.applies_older())
                )
            elif incoming.member == stored.member:
                for applies in each(book.applies_same_stamp(member in self._setting.clients)):
                    yield CheckResult(applies, tie=False, order=order, counted=False)
            else:
                for higher, chosen in self._compared(order, incoming.member, stored.member, member):
                    decision = book.applies_tie_of_higher if higher else book.applies_tie_of_lower
                    yield from (CheckResult(applies, tie=True, order=chosen) for applies in each(decision()))

    def _between_sites(
        self, world: World, operation: Operation, incoming: Stamp, stored: Stamp, entry: Entry, at: int
    ) -> Iterator[CheckResult]:
        """The comparison with an update of another site: by timestamps, not by versions (004, L30 to L34)."""
        compared = tombstones.between_sites(self._setting.book, entry, operation)
        if not all(compared):
            yield CheckResult(applied=True, tie=False, order=world.order)
        if not any(compared):
            return
        pairs = world.wan.ranks.get((operation.region, operation.key), NONE)
        if not incoming.times or not stored.times:
            yield CheckResult(applied=True, tie=False, order=world.order)
            return
        gone = entry.state is EntryState.TOMBSTONE
        for applies, chosen in contests(
            self._setting, pairs, incoming.times, incoming.site, stored, at, over_tombstone=gone
        ):
            yield CheckResult(applies, tie=False, order=world.order, counted=True, pairs=chosen)

    def is_newer(self, world: World, one: Stamp, other: Stamp, at: str) -> Iterator[tuple[bool, Order]]:
        """Whether a stamp is newer than another of the same site, and the order of ids that this takes."""
        if one.version != other.version or one.member == other.member:
            yield one.version > other.version, world.order
        else:
            yield from self._compared(world.order, one.member, other.member, at)

    def _compared(self, order: Order, one: str, other: str, at: str) -> Iterator[tuple[bool, Order]]:
        """Whether one member's id is higher; chosen here, for good, where it is not known."""
        if self._setting.order is not None:
            for higher in each(self._setting.book.is_higher(one, other, self._setting.order, at)):
                yield higher, order
        elif (one, other) in order:
            yield True, order
        elif (other, one) in order:
            yield False, order
        else:
            yield True, _with_pair(order, one, other)
            yield False, _with_pair(order, other, one)

    def ranked(self, world: World, operation: Operation, finding: CheckResult) -> World:
        """The world in which the order of timestamps is what the finding chose."""
        if finding.pairs is None:
            return world
        where = (operation.region, operation.key)
        return world.but(wan=replace(world.wan, ranks=world.wan.ranks.set(where, finding.pairs)))

    def stored_stamps(
        self,
        world: World,
        operation: Operation,
        incoming: Stamp | None,
        stored: Stamp | None,
        member: str,
    ) -> tuple[Stamp | None, ...]:
        """The stamps that an applied update may leave behind; none came where its caller did not check."""
        if incoming is None:
            return (None,)
        stamps: tuple[Stamp, ...] = each(self._setting.book.stamp_stored(incoming, stored, member))
        timed = (self._timed(world, operation, stamp, incoming, stored) for stamp in stamps)
        if self._setting.tombstones is None:
            return tuple(timed)
        begins = self._collecting.begins(world, incoming.time)
        return tuple(replace(stamp, time=time) for stamp in timed for time in begins)

    def _timed(
        self, world: World, operation: Operation, stamp: Stamp, incoming: Stamp, stored: Stamp | None
    ) -> Stamp:
        """The stamp with the later of two timestamps of one site, also where the earlier update has won."""
        stamp = replace(stamp, site=incoming.site, times=incoming.times)
        if stored is None or stored.site != incoming.site or not stored.times:
            return stamp
        if not all(each(self._setting.book.keeps_later_time())):
            return stamp
        pairs = world.wan.ranks.get((operation.region, operation.key), NONE)
        return replace(stamp, times=latest(pairs, incoming.times | stored.times, self._setting.readings))

    def raised(self, world: World, operation: Operation, head: Message, member: str) -> World:
        """The world in which an entry has the later timestamp of its own and of a loser of its site."""
        entry = world.entry(member, operation.region, operation.key)
        stored, loser = entry.stamp, head.stamp
        if stored is None or loser is None or not loser.times or stored.site != loser.site:
            return world
        if not all(each(self._setting.book.keeps_later_time())):
            return world
        where = (operation.region, operation.key)
        times = latest(world.wan.ranks.get(where, NONE), stored.times | loser.times, self._setting.readings)
        kept = replace(entry, stamp=replace(stored, times=times))
        return world.but(entries=world.entries.set((member, *where), kept))

    def stamps_kept(self, entry: Entry, head: Message) -> tuple[Stamp | None, ...]:
        """The stamps that an entry may have once a loser was discarded: as documented, its own."""
        if entry.stamp is None or head.stamp is None:
            return (entry.stamp,)
        kept: tuple[Stamp | None, ...] = each(self._setting.book.stamp_kept(entry.stamp, head.stamp))
        return kept

    def knew(self, world: World, operation: Operation, finding: CheckResult) -> bool:
        """Whether the finding needed no timestamps' order that the world did not have, nor a tie."""
        pairs = world.wan.ranks.get((operation.region, operation.key), NONE)
        return bool(finding.pairs == pairs) and self._setting.onward is Propagation.STAYS


def _with_pair(order: Order, higher: str, lower: str) -> Order:
    """The order of ids with one more pair, and all that follows from it."""
    above = {higher} | {a for a, b in order if b == higher}
    below = {lower} | {b for a, b in order if a == lower}
    for a in above:
        for b in below:
            order = order.set((a, b), value=True)
    return order
