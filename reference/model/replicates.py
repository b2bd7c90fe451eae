"""Replicates: an operation arrives at another member, is checked against what is stored, and applied or not.

How the comparison ends, `checks` says; how messages come there, `deliveries`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from msgspec.structs import replace

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.reference.model import tombstones
from plumbline.reference.model.checks import CheckResult, Checks
from plumbline.reference.model.clearing import Clearing
from plumbline.reference.model.clients.announcing import times_told
from plumbline.reference.model.clients.subscriptions import queued
from plumbline.reference.model.collecting import replaced
from plumbline.reference.model.described_steps import LostUpdate, ReceivedChange, SilentChange
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.independence import POSTPONED, Independence
from plumbline.reference.model.lookahead import Lookahead, Ternary
from plumbline.reference.model.messages import Channel, Message, MessageState
from plumbline.reference.model.pending_copies import touched
from plumbline.reference.model.places import listener_entry, listener_place
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.delivery_paths import DeliveryPaths
from plumbline.reference.model.sites.parallel_queues import ParallelQueues
from plumbline.reference.model.sites.senders import Senders
from plumbline.reference.model.sites.wires import acknowledged
from plumbline.reference.model.world import GateState, World, reached
from plumbline.reference.rulebook.effects import ARRIVES
from plumbline.reference.rulebook.values import EntryState, Free, Stamp, each
from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step, View

EITHER = Free((False, True))


class Replicates:
    """The part of the model that takes in operations of other members."""

    def __init__(
        self,
        setting: Setting,
        strength: OrderStrength,
        lookahead: Lookahead,
        independence: Independence,
        senders: Senders,
        parallel: ParallelQueues,
    ) -> None:
        self._independence = independence
        self._setting = setting
        self._parallel = parallel
        self._strength = strength
        self._lookahead = lookahead
        self._feeding = senders.feeding
        self._checks = Checks(setting)
        self.ways = DeliveryPaths(setting, lookahead)
        self.clearing = Clearing(setting, strength)

    def unchecked(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Iterator[Step]:
        """The ways in which a message is taken where it is not checked."""
        member = channel.target
        entry = world.entry(member, operation.region, operation.key)
        becomes, _ = ARRIVES[operation.kind]
        announced = times_told(self._setting, member, operation, head)
        if self._may_go_untold(world, view, member, operation):
            announced = tuple(dict.fromkeys((*announced, 0)))
        stores = becomes is EntryState.LIVE
        values = each(self._setting.book.value_stored_unchecked(operation.token, entry.token))
        keeping = tombstones.kept_unchecked(self._setting.book, becomes)
        for value, times, keeps in product(values if stores else (None,), announced, keeping):
            yield from self._applied(
                world,
                view,
                channel,
                operation,
                head,
                entry,
                value,
                None,
                times=times,
                checks=False,
                keeps=keeps,
            )
        # Without checking, races have no promised outcome: another call may have destroyed the key meanwhile.
        # No document says whether a listener receives a destroy or invalidate that finds no entry.
        gone = entry.state in (EntryState.ABSENT, EntryState.TOMBSTONE)
        # A member that takes a copy lacks what the copy has yet to bring.
        lacks = head.update and gone and (member, operation.region) not in world.images
        if lacks if stores else not tombstones.finds(entry, becomes):
            yield from self.passed_over(world, view, channel, operation, head)

    def _may_go_untold(self, world: World, view: View, member: str, operation: Operation) -> bool:
        """Whether a listener need not be told: its member may die, or its copy is on its way."""
        joins = (member, operation.region) in world.images
        return joins or self._lookahead.may_go_untold(world, view, member)

    def checked(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Iterator[Step]:
        """The ways in which a message is checked, and then applied or discarded."""
        member = channel.target
        entry = world.entry(member, operation.region, operation.key)
        becomes, _ = ARRIVES[operation.kind]
        book = self._setting.book
        place, shown = self.shown(member, operation)
        fits = self._independence.may_show(view, place, shown)
        decided = self.decided_by_log(view, place, shown)
        for finding in self._checks.findings(world, operation, head, entry, member):
            if not finding.applied:
                yield from self._discarded(world, view, channel, operation, head, entry, finding)
                continue
            told = times_told(self._setting, member, operation, head)
            announced = tuple(a * b for a in each(book.announcements_of_applied(finding.tie)) for b in told)
            nothing_there = becomes is not EntryState.LIVE and (
                entry.state is not EntryState.LIVE
                and not (becomes is EntryState.TOMBSTONE and entry.state is EntryState.INVALID)
            )
            # A member that dies may have changed its copy, and queued that, before its own listener showed
            # it.
            if nothing_there or self._may_go_untold(world, view, member, operation):
                announced = tuple(dict.fromkeys((*announced, 0)))
            if 0 in announced:
                silent = SilentChange(
                    world, view, member, operation, place, shown, decided, head.event is not None, head.wire
                )
                if self._independence.is_shown_instead(silent):
                    announced = tuple(times for times in announced if times)
            if not fits:
                announced = tuple(times for times in announced if not times)
            if not announced:
                continue  # as for most of what is on its way, which is asked in every state
            ordered = self._checks.ranked(world.but(order=finding.order), operation, finding)
            for value in each(book.value_stored(operation.token, entry.token)):
                # A client has no member id, so it signs for its server.
                signer = channel.source if member in self._setting.clients else member
                stamps = self._checks.stored_stamps(ordered, operation, head.stamp, entry.stamp, signer)
                for stamp, keeps in product(
                    stamps,
                    tombstones.kept(
                        book,
                        becomes,
                        entry,
                        self._setting.policy(member, operation.region),
                        of_client=member in self._setting.clients,
                        called_there=self._setting.originators.get(head.op_id) == member,
                        of_other_site=head.event is not None,
                    ),
                ):
                    for times in announced:
                        yield from self._applied(
                            ordered,
                            view,
                            channel,
                            operation,
                            head,
                            entry,
                            value,
                            stamp,
                            times=times,
                            checks=True,
                            keeps=keeps,
                            tie=finding.tie,
                        )

    def _applied(
        self,
        world: World,
        view: View,
        channel: Channel,
        operation: Operation,
        head: Message,
        entry: Entry,
        value: str | None,
        stamp: Stamp | None,
        *,
        times: int,
        checks: bool,
        keeps: bool = True,
        tie: bool = False,
    ) -> Iterator[Step]:
        member, region, key = channel.target, operation.region, operation.key
        place, shown = self.shown(member, operation)
        if times and not self._independence.may_show(view, place, shown):
            return
        decided = self.decided_by_log(view, place, shown)
        if not times and self._independence.is_shown_instead(
            SilentChange(
                world, view, member, operation, place, shown, decided, head.event is not None, head.wire
            )
        ):
            return
        change = ReceivedChange(world, view, member, operation, head, entry, times, decided)
        claim = self._independence.received_change(change)
        if claim is POSTPONED:
            return
        becomes, _ = ARRIVES[operation.kind]
        after = world.but(
            entries=tombstones.changed(world, (member, region, key), becomes, value, stamp, checks=keeps)
        )
        after = replaced(self._setting, world, after, (member, region, key))
        after = self._counted(after, member, checks=checks)
        gate = (member, operation.op_id)
        if times and world.gates.get(gate) is GateState.ARMED:
            queue = (replace(head, state=MessageState.PARKED), *world.channels[channel][1:])
            after = after.but(
                gates=world.gates.set(gate, GateState.PARKED),
                channels=after.channels.set(channel, queue),
                calls=reached(world, head.op_id, member),
            )
        else:
            after = self.taken(after, channel, head, discarded=False)
        found = tombstones.finds(entry, becomes)
        # A member that dies before its listener has received the change has changed its copy all the same.
        ways = [
            way
            for sent in self.queued(
                after, view, member, operation, head, sure=times > 0 or found, before=entry
            )
            for way in self._told(sent, member, operation, head, stamp, found=found, tie=tie)
        ]
        for told in ways:
            yield Step(
                ("receives", member, operation.op_id),
                told,
                ((place, shown),) * times,
                claim if len(ways) == 1 else None,
                clashes=self._setting.changes_queues,
            )

    def _told(
        self,
        world: World,
        member: str,
        operation: Operation,
        head: Message,
        stamp: Stamp | None,
        *,
        found: bool,
        tie: bool,
    ) -> Iterator[World]:
        """The worlds in which the member's senders know of an operation that has arrived there."""
        if head.event is not None:
            world = world.but(
                wan=replace(world.wan, seen=world.wan.seen.set((member, head.op_id), value=True))
            )
        if (self._setting.parallel or self._setting.parted) and self._setting.has_buckets(
            member, operation.region
        ):
            yield from self._parallel.copied(world, member, operation, update=head.update)
            return
        if not self._setting.queues:
            yield world
            return
        queue = self._feeding.queued
        for queues in each(self._setting.book.queues_winner()) if tie else (True,):
            update, event = head.update, head.event
            ways = queue(
                world, member, operation, stamp, update=update, event=event, found=found, by_peer=True
            )
            yield from ways if queues else (world,)

    def _counted(self, world: World, member: str, *, checks: bool) -> World:
        """The world with counters moved for an applied update; the documents move none."""
        book = self._setting.book
        (counts, *_) = each(book.counts_applied() if checks else book.counts_unchecked())
        if not counts:
            return world
        return world.but(discards=world.discards.set(member, world.discards.get(member, 0) + 1))

    def passed_over(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Iterator[Step]:
        """A message arrives and nothing comes of it."""
        member = channel.target
        place, shown = self.shown(member, operation)
        decided = self.decided_by_log(view, place, shown)
        lost = LostUpdate(world, view, member, operation, head, place, shown, decided)
        claim = self._independence.passing_over(lost)
        for after in self.queued(world, view, member, operation, head, sure=False):
            yield Step(
                ("ignores", member, operation.op_id),
                self.taken(after, channel, head, discarded=False),
                claim=claim,
            )

    def _discarded(
        self,
        world: World,
        view: View,
        channel: Channel,
        operation: Operation,
        head: Message,
        entry: Entry,
        finding: CheckResult,
    ) -> Iterator[Step]:
        member = channel.target
        book = self._setting.book
        place, shown = self.shown(member, operation)
        counters = each(book.counted_by(member, operation.member)) if finding.counted else ((),)
        if finding.pairs is not None:
            counters = self.ways.counters_or_none(view, member, counters)
        is_shared = self._setting.is_shared(operation.region, operation.key)
        lost = LostUpdate(
            world,
            view,
            member,
            operation,
            head,
            place,
            shown,
            decided=self.decided_by_log(view, place, shown),
            order_kept=finding.order is world.order,
            known_before=not is_shared or self._checks.knew(world, operation, finding),
        )
        safe = self._independence.is_lost_for_good(lost)
        missed = ((place, shown),) if safe and self._setting.stamps_grow else ()
        discarded = book.announces_discarded if head.event is None else book.announces_refused
        told = discarded() if finding.counted else book.announces_repeated()
        if not finding.counted and (member, operation.region) in self._setting.joiners:
            # Its copy has brought this update. No document says what becomes of the message that comes then.
            told, counters = EITHER, ((), (member,))
        kept = self._checks.stamps_kept(entry, head)
        for stores_first, announces, who, stamp, answers in product(
            each(book.stores_before_checking()), each(told), counters, kept, each(book.answers_discarded())
        ):
            discards = world.discards
            for counter in who:
                discards = discards.set(counter, discards.get(counter, 0) + 1)
            if view.reduced and any(self._is_too_much(view, discards, counter) for counter in who):
                continue
            after = world.but(discards=discards, order=finding.order)
            if stamp is not entry.stamp:
                where = (member, operation.region, operation.key)
                after = after.but(entries=after.entries.set(where, replace(entry, stamp=stamp)))
            after = self._checks.ranked(after, operation, finding)
            after = self._checks.raised(after, operation, head, member)
            if stores_first:
                after = self._stored_for_now(after, channel, operation, head, entry)
            else:
                after = self.taken(after, channel, head, discarded=True)
            after = after if answers else after.but(calls=world.calls)
            sent = [after]
            if finding.counted:
                sent = list(self.queued(after, view, member, operation, head, sure=False, discarded=True))
            ways = [way for one in sent for way in self._told_of_loser(one, member, operation, head)]
            for way in ways:
                yield Step(
                    ("discards", member, operation.op_id),
                    way,
                    ((place, shown),) if announces else (),
                    self._independence.discard(lost)
                    if safe and len(ways) == 1 and not announces and not stores_first
                    else None,
                    missed,
                )

    def _is_too_much(self, view: View, discards: HashedMap[str, int], member: str) -> bool:
        """Whether a member has counted more than it is going to tell."""
        most = self._lookahead.most_counted(view.now, member)
        return most is not None and discards.get(member, 0) > most

    def _told_of_loser(
        self, world: World, member: str, operation: Operation, head: Message
    ) -> Iterator[World]:
        """The worlds in which senders know of a discarded update; as the documents have it, they do not."""
        if head.event is not None:
            world = world.but(
                wan=replace(world.wan, seen=world.wan.seen.set((member, head.op_id), value=True))
            )
        if not self._setting.queues:
            yield world
            return
        book = self._setting.book
        for queues, offers in product(each(book.queues_discarded()), each(book.offers_discarded())):
            if (queues or offers) and head.event is None:
                yield from self._feeding.queued(
                    world,
                    member,
                    operation,
                    head.stamp,
                    update=head.update,
                    senders=queues,
                    listeners=queues or offers,
                )
            else:
                yield world

    def _stored_for_now(
        self, world: World, channel: Channel, operation: Operation, head: Message, entry: Entry
    ) -> World:
        """The world in which a loser's value is stored and will be taken back."""
        becomes, _ = ARRIVES[operation.kind]
        where = (channel.target, operation.region, operation.key)
        queue = (replace(head, state=MessageState.ROLLBACK, before=entry), *world.channels[channel][1:])
        return world.but(
            entries=tombstones.changed(world, where, becomes, operation.token, entry.stamp, checks=True),
            channels=world.channels.set(channel, queue),
        )

    def rolled_back(self, world: World, channel: Channel, operation: Operation, head: Message) -> Step:
        """A loser's value that was stored for now is taken back."""
        where = (channel.target, operation.region, operation.key)
        after = self.taken(world, channel, head, discarded=True)
        assert head.before is not None  # noqa: S101 - set when the rollback was planned
        return Step(
            ("rolls back", channel.target, operation.op_id),
            after.but(entries=after.entries.set(where, head.before)),
        )

    def queued(
        self,
        world: World,
        view: View,
        member: str,
        operation: Operation,
        head: Message,
        *,
        sure: bool,
        discarded: bool = False,
        before: Entry | None = None,
    ) -> Iterator[World]:
        """The worlds in which clients of the member are sent what has reached it."""
        found = world.entry(member, operation.region, operation.key) if before is None else before
        update = _updates(head, found) if self._setting.displacing else Ternary.NO
        yield from queued(
            world,
            self._setting,
            self._strength,
            member,
            operation,
            head.stamp,
            sure=sure,
            discarded=discarded,
            update=update,
            independence=self._independence,
            view=view,
        )

    def shown(self, member: str, operation: Operation) -> tuple[Place, Observation]:
        """Where the listener of a member would tell of an operation that arrives there, and what."""
        if operation.kind is OperationKind.CLEAR:
            return self.clearing.shown(member, operation)
        becomes, event = ARRIVES[operation.kind]
        named = (self._setting.identified and operation.token is not None) or becomes is EntryState.LIVE
        region, key = operation.region, operation.key
        thread = operation.thread if named else None
        return (
            listener_place(self._strength, member, region, key, thread, event),
            listener_entry(region, key, event, operation.token if named else None),
        )

    def decided_by_log(self, view: View, place: Place, shown: Any) -> bool:
        """Whether the log says for sure which of its entries, if any, is this one."""
        return (
            view.observed(place)
            and self._strength is not OrderStrength.PER_KEY_AND_THREAD
            and shown[-1] is not None
        )

    def taken(self, world: World, channel: Channel, head: Message, *, discarded: bool) -> World:
        """The world in which the channel's first message has arrived and is acknowledged."""
        if world.images:
            operation = self._setting.operations[head.op_id]
            world = touched(world, channel.target, operation.region, operation.key)
        rest = world.channels[channel][1:]
        channels = world.channels.set(channel, rest) if rest else world.channels.delete(channel)
        if head.wire is not None:
            return acknowledged(world.but(channels=channels), head.wire, channel.target)
        calls = world.calls
        call = calls.get(head.op_id)
        if call is not None and call.by:
            calls = reached(world, head.op_id, channel.target)
            call = calls[head.op_id]
        if call is not None and channel.target in call.waiting:
            call = replace(
                call, waiting=call.waiting - {channel.target}, discarded=call.discarded or discarded
            )
            calls = calls.set(head.op_id, call)
        return world.but(channels=channels, calls=calls)


def _updates(head: Message, before: Entry) -> Ternary:
    """Whether what arrives finds its key there, as it did where it was called; perhaps if only one did."""
    there = before.state in (EntryState.LIVE, EntryState.INVALID)
    if head.update is there:
        return Ternary.YES if there else Ternary.NO
    return Ternary.MAYBE
