"""Gateway receivers: events of another site arrive one by one, are compared, applied and distributed.

Owns the receiving end of connections. An event is answered once it was dealt with; a repeated one changes
nothing (000, L30).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import DESTROYS, Operation
from plumbline.reference.model import tombstones
from plumbline.reference.model.clients.subscriptions import queued
from plumbline.reference.model.collecting import Collecting
from plumbline.reference.model.described_steps import RefusedEvent, RemoteChange, RepeatedEvent, SilentChange
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.independence import POSTPONED, Independence
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.region_operations import WHOLE, RegionOperations
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.answering import Answering
from plumbline.reference.model.sites.conflict_resolution import ContestResult
from plumbline.reference.model.sites.failing import Failing
from plumbline.reference.model.sites.repeats import is_left_of
from plumbline.reference.model.sites.resolving import Resolving
from plumbline.reference.model.sites.rulings import Rulings
from plumbline.reference.model.sites.senders import Senders
from plumbline.reference.model.sites.site_state import Connection, Queued, WireName
from plumbline.reference.model.sites.timestamp_order import NONE, Pairs, latest
from plumbline.reference.model.sites.wires import ended, freed, with_wire
from plumbline.reference.model.world import GateState, World
from plumbline.reference.rulebook.effects import BECOMES
from plumbline.reference.rulebook.values import EntryState, Stamp, each
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step, View


class Receivers:
    """The part of the model that applies what comes from other sites."""

    def __init__(
        self,
        setting: Setting,
        strength: OrderStrength,
        lookahead: Lookahead,
        replicates: Replicates,
        senders: Senders,
        region_operations: RegionOperations,
        resolving: Resolving,
        independence: Independence,
    ) -> None:
        self._strength = strength
        self._region_operations = region_operations
        self._setting = setting
        self._lookahead = lookahead
        self._replicates = replicates
        self._feeding = senders.feeding
        self._independence = independence
        self._answering = Answering(independence)
        self._rulings = Rulings(setting, resolving)
        self._failing = Failing(setting)
        self._listened = {queue.id for queue in setting.queues.values() if queue.remote_site is None}

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Applying, discarding, answering; and the loss of what was on a broken connection."""
        for name, wire in world.wan.wires.in_order():
            if wire.busy is None and wire.events:
                size = self._setting.queues[name.queue].batch_size
                passing = self._failing.tried_first(world, name, wire)
                first = (0,) if passing else each(self._setting.book.next_of_wire(len(wire.events), size))
                for index in (*first, *passing):
                    yield from self._arrived(world, view, name, wire, index)
            yield from self._answering.steps(world, view, name, wire)
            if wire.broken and wire.events and wire.busy is None:
                yield self._lost(world, name, wire)

    def resting(self, world: World, name: WireName, wire: Connection) -> bool:
        """Whether nothing more happens on the connection unless something else does first."""
        if self._setting.refuses_received and self._failing.rests(world, name, wire):
            return not (wire.done and not wire.broken)
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

    def _lost(self, world: World, name: WireName, wire: Connection) -> Step:
        after = replace(wire, events=())
        wires = world.wan.wires.delete(name) if after.busy is None else world.wan.wires.set(name, after)
        return Step(
            ("loses events", wire.receiver, name),
            world.but(wan=replace(world.wan, wires=wires)),
            fault=True,
        )

    def _arrived(
        self, world: World, view: View, name: WireName, wire: Connection, index: int
    ) -> Iterator[Step]:
        event = wire.events[index]
        operation = self._setting.carried(event)
        member = wire.receiver
        rest = replace(wire, events=(*wire.events[:index], *wire.events[index + 1 :]))
        if event.withheld:
            yield Step(("passes over", member, event.op_id), with_wire(world, name, ended(rest)))
            return
        entry = world.entry(member, operation.region, operation.key)
        if operation.kind in WHOLE:
            applied, shows = self._region_operations.applied(world, view, operation, member)
            done = with_wire(applied, name, ended(rest))
            yield Step(("applies to the region", member, event.op_id), done, shows)
            return
        if (member, event.op_id) in world.wan.seen:
            yield from self._repeated(world, view, name, rest, event, operation, entry)
            return
        present = entry.state in (EntryState.LIVE, EntryState.INVALID)
        absent = operation.kind in DESTROYS and not present
        fails = self._failing.fails(world, member, operation)
        if fails:
            yield from self._failing.steps(world, name, rest, event)
            fails = not absent  # whether a writer is asked before nothing is destroyed, no document says
        if absent:
            ends = each(self._setting.book.absent_ends_well())
            if not all(ends):
                yield Step(("fails the batch", member, event.op_id), _failed(world, name, rest))
            if not any(ends):
                return
        yield from self._judged(world, view, name, rest, event, operation, entry, fails=fails)

    def _judged(
        self,
        world: World,
        view: View,
        name: WireName,
        rest: Connection,
        event: Queued,
        operation: Operation,
        entry: Entry,
        *,
        fails: bool,
    ) -> Iterator[Step]:
        """An event is compared, where that is on, and applied or discarded; one that fails is not applied."""
        member = rest.receiver
        for checks in self._setting.checks(operation.region):
            if not checks and not fails:
                yield from self._applied(
                    world, view, name, rest, event, operation, entry, _AS_IT_IS, checks=False, first=True
                )
            if not checks:
                continue
            judgements = list(self._rulings.of(world, member, event, operation, entry))
            may_apply = any(judged.applied for judged in judgements)
            for judged in self._as_shown(world, view, member, judgements):
                becomes = event if judged.event is None else judged.event
                of = operation if judged.event is None else self._setting.carried(becomes)
                if judged.applied and fails:
                    continue  # its writer refuses what would be applied
                if judged.applied:
                    yield from self._applied(
                        world, view, name, rest, becomes, of, entry, judged, checks=True, first=True
                    )
                else:
                    yield from self._discarded(
                        world, view, name, rest, event, operation, judged, may_apply=may_apply
                    )

    def _repeated(
        self,
        world: World,
        view: View,
        name: WireName,
        wire: Connection,
        event: Queued,
        operation: Operation,
        entry: Entry,
    ) -> Iterator[Step]:
        """An event comes once more: it is recognised, or applied again where it is still what is stored."""
        member = wire.receiver
        over_own = entry.stamp is not None and entry.stamp.site == self._setting.site_of[member]
        again = any(each(self._setting.book.applies_repeated(over_own)))
        again = again or is_left_of(entry, event, operation)
        done = with_wire(world, name, ended(wire))
        place, shown = self._replicates.shown(member, operation)
        nothing_there = entry.state not in (EntryState.LIVE, EntryState.INVALID)
        of_peers = (self._replicates.shown(peer, operation) for peer in self._setting.others[member])
        tells = again and nothing_there and self._independence.may_show_later(view, of_peers)
        ways: tuple[World, ...] = (done,)
        if self._loses_again(world, member, event, operation, entry):
            ways = self._replicates.ways.counted_or_not(done, view, member)
        ways = tuple(after for way in ways for after in self._received_again(way, member, event, operation))
        claim = self._independence.repetition(
            RepeatedEvent(view, place, shown, applies_again=again, told_by_peers=tells, ways=len(ways))
        )
        for way in ways:
            yield Step(("recognises", member, event.op_id), way, claim=claim)
        if tells or (again and self._independence.may_show(view, place, shown)):
            for checks in self._setting.checks(operation.region):
                yield from self._applied(
                    world,
                    view,
                    name,
                    wire,
                    event,
                    operation,
                    entry,
                    _AS_IT_IS,
                    checks=checks,
                    first=False,
                )
        if self._setting.resolver is not None:
            yield from self._asked_again(world, view, name, wire, event, operation, entry)

    def _received_again(
        self, world: World, member: str, event: Queued, operation: Operation
    ) -> Iterator[World]:
        """The worlds in which listeners of queues receive again what a receiver recognises, or do not.

        No document says whether it enters their queues again, at a receiver with all of the primaries alone
        or at its peers, too.
        """
        yield world
        if not self._listened or not self._lookahead.is_received_again(event.op_id):
            return
        fed = list(self._enters_again((world,), member, event, operation))
        senders = (world.wan.senders.get((member, name)) for name in self._listened)
        if all(sender is None or sender.primary for sender in senders):
            yield from fed
        for peer in self._setting.others[member]:
            fed = list(self._enters_again(fed, peer, event, operation))
        yield from fed

    def _enters_again(
        self, worlds: Iterable[World], member: str, event: Queued, operation: Operation
    ) -> Iterator[World]:
        for world in worlds:
            yield from self._feeding.queued(
                world, member, operation, None, update=False, event=event, senders=False
            )

    def _loses_again(
        self, world: World, member: str, event: Queued, operation: Operation, entry: Entry
    ) -> bool:
        """Whether who does not recognise a repeated event refuses it for what another site has written."""
        where = (operation.region, operation.key)
        if entry.stamp is None or entry.stamp.site == event.site or not self._setting.is_timed(*where):
            return False
        pairs = world.wan.ranks.get(where, NONE)
        judgements = self._rulings.compared(self._setting.site_of[member], event, operation, entry, pairs)
        return any(not judged.applied and judged.pairs == pairs for judged in judgements)

    def _as_shown(
        self, world: World, view: View, member: str, judgements: Iterable[ContestResult]
    ) -> Iterator[ContestResult]:
        """Those of the judgements whose question to a resolver the log shows next."""
        untold = self._setting.resolver is not None and self._lookahead.may_go_untold(world, view, member)
        for judged in judgements:
            if all(self._independence.may_show(view, *asked) for asked in judged.asked):
                yield judged
            if judged.asked and untold:
                yield replace(judged, asked=())

    def _asked_again(
        self,
        world: World,
        view: View,
        name: WireName,
        wire: Connection,
        event: Queued,
        operation: Operation,
        entry: Entry,
    ) -> Iterator[Step]:
        """A resolver may be asked once more about a repeated event, and disallows it again."""
        judgements = self._rulings.of(world, wire.receiver, event, operation, entry)
        for judged in self._as_shown(world, view, wire.receiver, judgements):
            if judged.asked and not judged.applied:
                yield from self._discarded(world, view, name, wire, event, operation, judged, may_apply=True)

    def _applied(
        self,
        world: World,
        view: View,
        name: WireName,
        wire: Connection,
        event: Queued,
        operation: Operation,
        entry: Entry,
        judged: ContestResult,
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
        # A member that dies may have changed its copy, and answered, before its own listener showed it.
        untold = self._lookahead.may_go_untold(world, view, member)
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
        silent = SilentChange(world, view, member, operation, place, shown, decided, remote=True, wire=name)
        times = tuple(
            shows
            for shows in times
            if (
                self._fits_behind(view, judged, place, shown)
                if shows
                else not self._independence.is_shown_instead(silent)
            )
        )
        if not times:
            return  # as for most of what is on its way, which is asked at every step
        known = pairs == world.wan.ranks.get((region, key), NONE)
        change = RemoteChange(
            world, view, member, operation, name, entry, decided=decided, first=first, known_before=known
        )
        claim = self._independence.remote_change(change)
        if claim is POSTPONED:
            return
        timed, clashes = self._setting.is_timed(region, key), self._independence.remote_dependences(change)
        for shows in times:
            for value in each(book.value_received(operation.token, entry.token)):
                stamps: Iterable[Stamp | None]
                stamps = self._stamps(world, event, entry, member, judged, checks=checks, timed=timed)
                if not first and is_left_of(entry, event, operation):
                    # However it counts versions, all members come to have one: they need not differ here.
                    stamps = (entry.stamp,)
                keeps = (
                    tombstones.kept(
                        book, becomes, entry, self._setting.policy(member, region), of_other_site=True
                    )
                    if checks
                    else (False,)
                )
                for stamp, kept in product(stamps, keeps):
                    changes = tombstones.changed(
                        world, (member, region, key), becomes, value, stamp, checks=kept
                    )
                    stored = world.but(entries=changes)
                    ways = list(
                        self._stored(stored, name, wire, event, pairs, shows=shows, found=not nothing_there)
                    )
                    for told in ways:
                        yield Step(
                            ("applies from another site", member, event.op_id),
                            told,
                            (*judged.asked, *((place, shown),) * shows),
                            claim if shows and len(ways) == 1 else None,
                            clashes=clashes,
                        )

    def _fits_behind(self, view: View, judged: ContestResult, place: Place, shown: Observation) -> bool:
        """Whether the log may tell of an event next, behind what a resolver has been asked about it."""
        told = any(asked[0] == place for asked in judged.asked)
        if told:
            return self._independence.may_show_later(view, ((place, shown),))
        return self._independence.may_show(view, place, shown)

    def _stored(
        self,
        world: World,
        name: WireName,
        wire: Connection,
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
        stamp = world.entry(member, operation.region, operation.key).stamp
        wire = replace(wire, stamp=stamp)
        gate = (member, operation.op_id)
        ended: list[World] = []
        for stored in self._failing.reported(world.but(wan=wan), member, failed=False):
            if shows and world.gates.get(gate) is GateState.ARMED:
                parked = with_wire(stored, name, replace(wire, busy=event, parked=True))
                ended.append(parked.but(gates=parked.gates.set(gate, GateState.PARKED)))
            else:
                ended += self._distributed(stored, name, wire, event)
        for done in ended:
            for known in queued(done, self._setting, self._strength, member, operation, stamp, sure=found):
                yield from self._feeding.queued(
                    known, member, operation, stamp, update=False, event=event, found=found
                )

    def _stamps(
        self,
        world: World,
        event: Queued,
        entry: Entry,
        member: str,
        judged: ContestResult,
        *,
        checks: bool,
        timed: bool,
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
                times = latest(judged.pairs, times | entry.stamp.times, self._setting.readings)
            for time in self._ages(world, event):
                yield Stamp(version, member, site, times, time, allowed=judged.allowed)

    def _ages(self, world: World, event: Queued) -> tuple[int, ...]:
        """When the age of a tombstone may begin that comes from another site, whose clock may be ahead."""
        if self._setting.tombstones is None:
            return (0,)
        _, called = self._setting.readings.get(event.op_id, (0, world.wan.passed))
        return Collecting(self._setting).begins(world, called)

    def _distributed(self, world: World, name: WireName, wire: Connection, event: Queued) -> Iterator[World]:
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
        wire: Connection,
        event: Queued,
        operation: Operation,
        judged: ContestResult,
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
        refused = [
            told
            for left in self._left_by_disallowed(after, member, event, operation, judged)
            for told in self._feeding.refused(left, member, event)
        ]
        counted = [
            told for one in refused for told in self._replicates.ways.counted_or_not(one, view, member)
        ]
        claim, is_lost = self._independence.refusal(
            RefusedEvent(
                world,
                view,
                operation,
                name,
                place,
                shown,
                decided=self._replicates.decided_by_log(view, place, shown),
                known_before=pairs == world.wan.ranks.get(where, NONE),
                may_apply=may_apply,
                counted_once=len(counted) == len(refused),
                asked=bool(judged.asked),
            )
        )
        lost = ((place, shown),) if is_lost else ()
        announcing = (judged.announced,)
        if not judged.asked:
            announcing = each(self._setting.book.announces_refused())
        for told, announced in product(counted, announcing):
            yield Step(
                ("discards from another site", member, event.op_id),
                told,
                (*judged.asked, *((place, shown),) * announced),
                claim,
                lost,
            )

    def _left_by_disallowed(
        self, world: World, member: str, event: Queued, operation: Operation, judged: ContestResult
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
            times = latest(judged.pairs, entry.stamp.times | event.times, self._setting.readings)
            left = replace(entry, stamp=replace(entry.stamp, times=times))
            yield world.but(entries=world.entries.set((member, region, key), left))


def _failed(world: World, name: WireName, wire: Connection) -> World:
    """The world in which a receiver drops what has arrived behind an event, and answers it with that."""
    failed = ended(replace(wire, events=()))
    for _ in wire.events:
        failed = ended(failed)
    return with_wire(world, name, failed)


_AS_IT_IS = ContestResult(applied=True, pairs=NONE)
"""Of an event that is not compared."""
