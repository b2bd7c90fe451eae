"""Gateway receivers: events of another site arrive one by one, are compared, applied and distributed.

Owns the receiving end of connections. An event is answered once it was dealt with; a repeated one changes
nothing (000, L30).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product

from msgspec.structs import replace

from plumbline.reference.explain.steps import Entry as Shown
from plumbline.reference.explain.steps import Place, Step, View
from plumbline.reference.model import claims, tombstones
from plumbline.reference.model.callers import changed
from plumbline.reference.model.foresight import Comes, Foresight
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Onward, Setting
from plumbline.reference.model.sites.answering import Answering
from plumbline.reference.model.sites.contests import Judged, contests
from plumbline.reference.model.sites.resolving import Resolving
from plumbline.reference.model.sites.senders import Senders
from plumbline.reference.model.sites.times import NONE, Pairs, comparisons, latest, tied
from plumbline.reference.model.sites.wires import ended, freed, with_wire
from plumbline.reference.model.wholes import WHOLE, Wholes
from plumbline.reference.model.world import (
    Channel,
    Entry,
    GateState,
    Message,
    Queued,
    Wire,
    WireName,
    World,
)
from plumbline.reference.operations import Operation
from plumbline.reference.rulebook.operations import BECOMES
from plumbline.reference.rulebook.values import EntryState, Stamp, each


class Receivers:
    """The part of the model that applies what comes from other sites."""

    def __init__(
        self,
        setting: Setting,
        foresight: Foresight,
        replicates: Replicates,
        senders: Senders,
        wholes: Wholes,
        resolving: Resolving,
    ) -> None:
        self._wholes = wholes
        self._resolving = resolving
        self._setting = setting
        self._foresight = foresight
        self._replicates = replicates
        self._senders = senders
        self._answering = Answering(foresight)

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Applying, discarding, answering; and the loss of what was on a broken connection."""
        for name, wire in world.wan.wires.in_order():
            if wire.busy is None and wire.events:
                for index in each(self._setting.book.next_of_wire(len(wire.events))):
                    yield from self._arrived(world, view, name, wire, index)
            yield from self._answering.steps(world, view, name, wire)
            if wire.broken and wire.events and wire.busy is None:
                yield self._lost(world, name, wire)

    def resting(self, wire: Wire) -> bool:
        """Whether nothing more happens on the connection unless something else does first."""
        if wire.busy is not None:
            return True  # it stands in a listener, or what its peers have yet to receive is on its way
        return not wire.events and not (wire.done and not wire.broken)

    def let_go(self, world: World, member: str, op_id: int) -> World:
        """The world in which an event no longer stands in the receiver's listener."""
        for name, wire in world.wan.wires.items():
            if wire.parked and wire.receiver == member and wire.busy is not None and wire.busy.op_id == op_id:
                (after, *_) = self._distributed(world, name, replace(wire, parked=False), wire.busy)
                return after
        return world

    def _lost(self, world: World, name: WireName, wire: Wire) -> Step:
        after = replace(wire, events=())
        wires = world.wan.wires.delete(name) if after.busy is None else world.wan.wires.set(name, after)
        return Step(
            ("loses events", wire.receiver, name),
            world.but(wan=replace(world.wan, wires=wires)),
            fault=True,
        )

    def _arrived(self, world: World, view: View, name: WireName, wire: Wire, index: int) -> Iterator[Step]:
        event = wire.events[index]
        operation = self._setting.carried(event)
        member = wire.receiver
        rest = replace(wire, events=(*wire.events[:index], *wire.events[index + 1 :]))
        entry = world.entry(member, operation.region, operation.key)
        book = self._setting.book
        if operation.kind in WHOLE:
            applied, shows = self._wholes.applied(world, view, operation, member)
            done = with_wire(applied, name, ended(rest))
            yield Step(("applies to the region", member, event.op_id), done, shows)
            return
        if (member, event.op_id) in world.wan.seen:
            again = any(each(book.applies_repeated())) or (
                entry.token == operation.token and entry.stamp is not None and entry.stamp.site == event.site
            )
            done = with_wire(world, name, ended(rest))
            place, shown = self._replicates.shown(member, operation)
            may_show = again and view.fits(place, shown)
            # It may also wait until the log tells of it once more.
            shows_yet = may_show or (again and view.still(place, shown)) or self._setting.resolver is not None
            ways: tuple[World, ...] = (done,)
            if self._loses_again(world, member, event, operation, entry):
                ways = self._replicates.ways.counted_or_not(done, view, member)
            for way in ways:
                yield Step(
                    ("recognises", member, event.op_id),
                    way,
                    claim=None if shows_yet or len(ways) > 1 else claims.REPEATED,
                )
            if may_show:
                for checks in self._setting.checks(operation.region):
                    yield from self._applied(
                        world,
                        view,
                        name,
                        rest,
                        event,
                        operation,
                        entry,
                        _AS_IT_IS,
                        checks=checks,
                        first=False,
                    )
            if self._setting.resolver is not None:
                yield from self._asked_again(world, view, name, rest, event, operation, entry)
            return
        for checks in self._setting.checks(operation.region):
            if not checks:
                yield from self._applied(
                    world, view, name, rest, event, operation, entry, _AS_IT_IS, checks=False, first=True
                )
                continue
            judgements = list(self._ruled(world, member, event, operation, entry))
            may_apply = any(judged.applied for judged in judgements)
            for judged in self._as_shown(world, view, member, judgements):
                becomes = event if judged.event is None else judged.event
                of = operation if judged.event is None else self._setting.carried(becomes)
                if judged.applied:
                    yield from self._applied(
                        world, view, name, rest, becomes, of, entry, judged, checks=True, first=True
                    )
                else:
                    yield from self._discarded(
                        world, view, name, rest, event, operation, judged, may_apply=may_apply
                    )

    def _loses_again(
        self, world: World, member: str, event: Queued, operation: Operation, entry: Entry
    ) -> bool:
        """Whether who does not recognise a repeated event refuses it for what another site has written."""
        where = (operation.region, operation.key)
        if entry.stamp is None or entry.stamp.site == event.site or not self._setting.is_timed(*where):
            return False
        pairs = world.wan.ranks.get(where, NONE)
        judgements = self._judgements(self._setting.site_of[member], event, operation, entry, pairs)
        return any(not judged.applied and judged.pairs == pairs for judged in judgements)

    def _as_shown(
        self, world: World, view: View, member: str, judgements: Iterable[Judged]
    ) -> Iterator[Judged]:
        """Those of the judgements whose question to a resolver the log shows next."""
        untold = self._setting.resolver is not None and self._foresight.may_go_untold(world, view, member)
        for judged in judgements:
            if all(view.fits(*asked) for asked in judged.asked):
                yield judged
            if judged.asked and untold:
                yield replace(judged, asked=())

    def _asked_again(
        self,
        world: World,
        view: View,
        name: WireName,
        wire: Wire,
        event: Queued,
        operation: Operation,
        entry: Entry,
    ) -> Iterator[Step]:
        """A resolver may be asked once more about a repeated event, and disallows it again."""
        judgements = self._ruled(world, wire.receiver, event, operation, entry)
        for judged in self._as_shown(world, view, wire.receiver, judgements):
            if judged.asked and not judged.applied:
                yield from self._discarded(world, view, name, wire, event, operation, judged, may_apply=True)

    def _ruled(
        self, world: World, member: str, event: Queued, operation: Operation, entry: Entry
    ) -> Iterator[Judged]:
        """Every way in which the event may fare, by comparison or by what a resolver answers (004, L121)."""
        policy, at = self._setting.resolver, self._setting.site_of[member]
        if policy is None:
            pairs = world.wan.ranks.get((operation.region, operation.key), NONE)
            return self._judgements(at, event, operation, entry, pairs)
        compare = partial(self._judgements, at, event, operation, entry)
        return self._resolving.rulings(world, member, event, entry, policy, compare)

    def _judgements(
        self, at: int, event: Queued, operation: Operation, entry: Entry, pairs: Pairs
    ) -> Iterator[Judged]:
        """Every way in which the comparison with what is stored may end (004, L30 to L34)."""
        book, where = self._setting.book, (operation.region, operation.key)
        stored = entry.stamp
        if stored is None:
            yield from (Judged(applies, pairs) for applies in each(book.applies_unrecorded()))
            return
        for compared in tombstones.between_sites(book, entry, operation):
            if compared:
                yield from self._compared(at, event, pairs, where, stored)
            else:
                yield Judged(applied=True, pairs=pairs)

    def _compared(
        self, at: int, event: Queued, pairs: Pairs, where: tuple[str, str], stored: Stamp
    ) -> Iterator[Judged]:
        """The comparison with what was stored there by its own site or another."""
        book = self._setting.book
        if stored.site == event.site or not self._setting.is_timed(*where):
            for applies in each(book.applies_same_site()):
                yield Judged(applies, pairs)
            if not stored.times or stored.site != event.site:
                return
            if self._setting.onward is not Onward.STAYS and tied(
                pairs, event.times, stored.times, self._setting.readings
            ):
                return  # what has come by way of that site did not lose there, so that it was sent on
            # An update that lost at home may be told from the one that beat it, and left out.
            beaten_by = stored.times - event.times
            if beaten_by and (self._setting.overtakes or len(beaten_by) == len(stored.times)):
                for later, chosen in comparisons(pairs, event.times, beaten_by, clock=self._setting.clock):
                    if not later:
                        yield Judged(applied=False, pairs=chosen)
            return
        for applies, chosen in contests(self._setting, pairs, event.times, event.site, stored, at):
            yield Judged(applies, chosen)

    def _applied(
        self,
        world: World,
        view: View,
        name: WireName,
        wire: Wire,
        event: Queued,
        operation: Operation,
        entry: Entry,
        judged: Judged,
        *,
        checks: bool,
        first: bool,
    ) -> Iterator[Step]:
        member, region, key = wire.receiver, operation.region, operation.key
        book, pairs = self._setting.book, judged.pairs
        place, shown = self._replicates.shown(member, operation)
        becomes, _ = BECOMES[operation.kind]
        present = entry.state in (EntryState.LIVE, EntryState.INVALID)
        nothing_there = becomes is not EntryState.LIVE and not present
        # Who dies may have changed its copy, and answered, before its own listener was told.
        untold = self._foresight.may_go_untold(world, view, member)
        times: tuple[int, ...] = (1, 0) if nothing_there or untold else (1,)
        if becomes is EntryState.LIVE:
            applies = each(book.applies_to_present(present))
            if not all(applies):
                yield from self._discarded(
                    world, view, name, wire, event, operation, judged, may_apply=any(applies)
                )
            if not any(applies):
                return
        decided = self._replicates.decided_by_log(view, place, shown)
        times = tuple(
            shows
            for shows in times
            if (
                self._fits_behind(view, judged, place, shown)
                if shows
                else not (view.reduced and decided and view.still(place, shown))
            )
        )
        if not times:
            return  # as for most of what is on its way, which is asked at every step
        reader = self._foresight.reader_to_come(world, view.now, member, operation, entry)
        if reader is Comes.SURELY and view.reduced and self._setting.stamps_grow:
            return
        shared, timed = self._setting.is_shared(region, key), self._setting.is_timed(region, key)
        claim = (
            claims.SHOW
            if decided
            and first
            and not (shared and self._foresight.loser_to_come(world, view.now, member, operation))
            and pairs == world.wan.ranks.get((region, key), NONE)
            and reader is Comes.NO
            and not self._foresight.silent_change_to_come(world, view.now, member, operation, entry)
            else None
        )
        again = not self._replicates.ways.is_shown_once(world, view, name, event.op_id)
        clashes = self._setting.changes_queues
        if any(other != name and one.receiver != member for other, one in world.wan.wires.items()):
            clashes |= claims.REPEATED_SHOWS  # what comes again yields to what is under way
        for shows in times:
            for value in each(book.value_received(operation.token, entry.token)):
                stamps: Iterable[Stamp | None]
                stamps = self._stamps(event, entry, member, judged, checks=checks, timed=timed)
                if not first and entry.token == operation.token:
                    # Told again, it is no newer: its peers know it already, and take over no version of it.
                    stamps = (entry.stamp,)
                keeps = (
                    tombstones.kept(
                        book, becomes, entry, self._setting.policy(member, region), of_other_site=True
                    )
                    if checks
                    else (False,)
                )
                for stamp, kept in product(stamps, keeps):
                    changes = changed(world, (member, region, key), becomes, value, stamp, checks=kept)
                    stored = world.but(entries=changes)
                    ways = list(
                        self._stored(stored, name, wire, event, pairs, shows=shows, found=not nothing_there)
                    )
                    for told in ways:
                        yield Step(
                            ("applies from another site", member, event.op_id),
                            told,
                            (*judged.asked, *((place, shown),) * shows),
                            claim if shows and len(ways) == 1 and not again else None,
                            clashes=clashes,
                        )

    @staticmethod
    def _fits_behind(view: View, judged: Judged, place: Place, shown: Shown) -> bool:
        """Whether the log may tell of an event next, behind what a resolver has been asked about it."""
        told = any(asked[0] == place for asked in judged.asked)
        return view.still(place, shown) or not view.observed(place) if told else view.fits(place, shown)

    def _stored(
        self,
        world: World,
        name: WireName,
        wire: Wire,
        event: Queued,
        pairs: Pairs,
        *,
        shows: int,
        found: bool,
    ) -> Iterator[World]:
        """The worlds in which the receiver has stored an event: parked at its gate, or sent to its peers."""
        member, operation = wire.receiver, self._setting.carried(event)
        wan = replace(world.wan, seen=world.wan.seen.set((member, event.op_id), value=True))
        if pairs:
            wan = replace(wan, ranks=wan.ranks.set((operation.region, operation.key), pairs))
        stored = world.but(wan=wan)
        stamp = world.entry(member, operation.region, operation.key).stamp
        wire = replace(wire, stamp=stamp)
        gate = (member, operation.op_id)
        if shows and world.gates.get(gate) is GateState.ARMED:
            parked = with_wire(stored, name, replace(wire, busy=event, parked=True))
            ended = [parked.but(gates=parked.gates.set(gate, GateState.PARKED))]
        else:
            ended = list(self._distributed(stored, name, wire, event))
        for done in ended:
            yield from self._senders.queued(
                done, member, operation, stamp, update=False, event=event, found=found
            )

    def _stamps(
        self, event: Queued, entry: Entry, member: str, judged: Judged, *, checks: bool, timed: bool
    ) -> Iterator[Stamp | None]:
        """What an event from another site leaves behind: a new version here, its own site and timestamp."""
        if not checks:
            yield None
            return
        version = 1 if entry.stamp is None else entry.stamp.version + 1
        book = self._setting.book
        takes_time = each(book.takes_time_of_allowed()) if judged.allowed else (True,)
        for keeps, takes in product(each(book.received_keeps_origin()), takes_time):
            site = event.site if keeps else self._setting.site_of[member]
            times = event.times if timed else frozenset()
            if timed and entry.stamp is not None and (entry.stamp.site == site or not takes):
                times = latest(judged.pairs, times | entry.stamp.times)
            yield Stamp(version, member, site, times, allowed=judged.allowed)

    def _distributed(self, world: World, name: WireName, wire: Wire, event: Queued) -> Iterator[World]:
        """The receiver sends what it has applied to its peers and waits for them."""
        member = wire.receiver
        peers = tuple(m for m in self._setting.others[member] if m not in world.wan.dead)
        for targets, sent in product(each(self._setting.book.receiver_tells(peers)), self._sent_on(event)):
            channels = world.channels
            for target in targets:
                channel = Channel(f"{name.queue}/{name.source}/{name.number}", member, target)
                message = Message(event.op_id, wire.stamp, event=sent, wire=name)
                channels = channels.set(channel, (*channels.get(channel, ()), message))
            busy = replace(wire, busy=event, awaiting=frozenset(targets))
            yield with_wire(world.but(channels=channels), name, freed(busy))

    def _sent_on(self, event: Queued) -> tuple[Queued, ...]:
        """What the other members get of an event that a resolver may have changed."""
        own = self._setting.operations[event.op_id].token
        if self._setting.resolver is None or event.token == own:
            return (event,)
        return tuple(
            replace(event, token=v) for v in each(self._setting.book.value_replaced(own, event.token))
        )

    def _discarded(
        self,
        world: World,
        view: View,
        name: WireName,
        wire: Wire,
        event: Queued,
        operation: Operation,
        judged: Judged,
        *,
        may_apply: bool,
    ) -> Iterator[Step]:
        pairs = judged.pairs
        member, where = wire.receiver, (operation.region, operation.key)
        place, shown = self._replicates.shown(member, operation)
        wan = replace(world.wan, seen=world.wan.seen.set((member, event.op_id), value=True))
        if pairs:
            wan = replace(wan, ranks=wan.ranks.set(where, pairs))
        after = with_wire(world.but(wan=wan), name, wire if judged.stuck else ended(wire))
        # What may still come back over another connection is not lost for good.
        sure = self._replicates.decided_by_log(view, place, shown) and self._replicates.ways.comes_once(
            world, view, name, event.op_id
        )
        # Of two events that may be of the same time nothing is known, though nothing is chosen.
        known = pairs == world.wan.ranks.get(where, NONE) and self._setting.onward is Onward.STAYS
        # Whoever may also apply it does not lose it: an update that lost at home may be left out or not.
        surely = sure and known and not may_apply and self._setting.stamps_grow
        lost = ((place, shown),) if surely else ()
        refused = [
            told
            for left in self._left_by_disallowed(after, member, event, operation, judged)
            for told in self._senders.refused(left, member, event)
        ]
        counted = [
            told for one in refused for told in self._replicates.ways.counted_or_not(one, view, member)
        ]
        surely_so = sure and known and not view.still(place, shown) and len(counted) == len(refused)
        claim = claims.DISCARD if surely_so and not judged.asked else None
        for told in counted:
            yield Step(
                ("discards from another site", member, event.op_id),
                told,
                (*judged.asked, *((place, shown),) * judged.announced),
                claim,
                () if judged.asked else lost,
            )

    def _left_by_disallowed(
        self, world: World, member: str, event: Queued, operation: Operation, judged: Judged
    ) -> Iterator[World]:
        """The worlds in which an event has gone that a resolver was asked about: the entry is as it was."""
        region, key = operation.region, operation.key
        entry = world.entry(member, region, key)
        if not judged.asked or entry.stamp is None:
            yield world
            return
        for takes in each(self._setting.book.takes_time_of_disallowed()):
            if not takes:
                yield world
                continue
            times = latest(judged.pairs, entry.stamp.times | event.times)
            left = replace(entry, stamp=replace(entry.stamp, times=times))
            yield world.but(entries=world.entries.set((member, region, key), left))


_AS_IT_IS = Judged(applied=True, pairs=NONE)
"""Of an event that is not compared."""
