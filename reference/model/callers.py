"""Callers: an operation takes effect on the member it is called on, is sent, and returns.

Owns the calls. Effect and sending are two steps, since two members can hold undistributed changes of one
key at the same time (004, L73).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import (
    CONDITIONAL,
    READS,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
)
from plumbline.reference.model import tombstones
from plumbline.reference.model.clearing import Clearing
from plumbline.reference.model.clients.attempts import carried_out, counted, seen
from plumbline.reference.model.clients.carrying_out import recipients, refused, ways_of
from plumbline.reference.model.clients.subscriptions import queued
from plumbline.reference.model.collecting import replaced
from plumbline.reference.model.described_steps import LocalChange
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.independence import POSTPONED, Independence
from plumbline.reference.model.lookahead import Lookahead, Ternary
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.places import (
    listener_entry,
    listener_place,
    outcome_entry,
    outcome_place,
    own_place,
)
from plumbline.reference.model.region_operations import WHOLE, RegionOperations
from plumbline.reference.model.setting import Propagation, Setting
from plumbline.reference.model.sites.senders import Senders
from plumbline.reference.model.sites.timestamp_order import NONE, all_after, behind, strictly_after
from plumbline.reference.model.world import Call, CallStage, GateState, World, to_go_on
from plumbline.reference.model.writers import refuses, stands, stood
from plumbline.reference.rulebook.effects import BECOMES, DISTRIBUTED_AS
from plumbline.reference.rulebook.values import Effect, EntryState, Stamp, each
from plumbline.reference.search.transition import Step, View


class Callers:
    """The part of the model that carries out calls on their own member."""

    def __init__(
        self,
        setting: Setting,
        strength: OrderStrength,
        lookahead: Lookahead,
        independence: Independence,
        senders: Senders,
        region_operations: RegionOperations,
    ) -> None:
        self._independence = independence
        self._region_operations = region_operations
        self._setting = setting
        self._strength = strength
        self._lookahead = lookahead
        self._feeding = senders.feeding
        self.clearing = Clearing(setting, strength)

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Effects of calls, and their sending."""
        dead, lesser, partitioned = world.wan.dead, self._setting.lesser, self._setting.partitioned
        transactions = self._setting.transactions
        for op_id, call in to_go_on(world.calls):
            if transactions and op_id in transactions:
                continue
            operation = self._setting.operations[op_id]
            if partitioned and self._setting.has_buckets(operation.member, operation.region):
                continue
            if dead and operation.member in dead:
                continue
            if lesser and (operation.member, operation.region) in lesser:
                continue
            if self._setting.clears and self.clearing.owns(operation):
                yield from self.clearing.steps(world, operation, call)
                continue
            if call.stage is CallStage.CALLED:
                operation = carried_out(operation, call)
                before = seen(world, self._setting, operation.member, op_id) if counted(world) else world
                yield from self.effects(before, view, operation, call)
            elif call.stage is CallStage.APPLIED:
                yield from self.sendings(world, carried_out(operation, call), call)

    def blocked(self, world: World, operation: Operation) -> tuple[bool, ...]:
        """Whether a call has to wait for other writers before it takes effect."""
        if self._setting.clears:
            shut = self.clearing.shuts_out(world, operation)
            if any(shut):
                return shut
        if self._setting.lesser:
            shut = self._region_operations.shuts_out(world, operation)
            if any(shut):
                return shut
        return self.waits_for_others(world, operation, to_send=False)

    def waits_for_lock(self, world: World, operation: Operation) -> bool:
        """Whether an operation of a member that keeps less is a clear held in a writer, or waits for one."""
        return self._region_operations.stands(world, operation) or any(
            self._region_operations.shuts_out(world, operation)
        )

    def waits_for_others(self, world: World, operation: Operation, *, to_send: bool) -> tuple[bool, ...]:
        """Whether a call waits for writers elsewhere before it takes effect, or, of earlier ones, is sent."""
        if not self._setting.watches_writers:
            return (False,)
        others = sum(
            1
            for op_id, call in world.calls.items()
            if call.stage in (CallStage.APPLIED, CallStage.SENT)
            and self._setting.operations[op_id].member != operation.member
            and self._setting.operations[op_id].key == operation.key
            and (op_id < operation.op_id or not to_send)
        )
        return each(self._setting.book.waits_for_other_writers(others, to_send)) if others else (False,)

    def effects(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        """The ways in which an operation may take effect on its member."""
        if all(self.blocked(world, operation)):
            return
        if operation.kind in WHOLE:
            yield from self._region_operations.taken(world, view, operation, call)
            return
        held = stood(world, operation.member, operation)
        if held is not None:
            yield Step(("stands in the writer", operation.member, operation.op_id), held)
        if held is not None or stands(world, operation.member, operation):
            return
        for vetoed in self._vetoes(world, operation):
            if vetoed:
                yield from self._vetoed(world, operation, call)
            else:
                yield from self._unrefused(world, view, operation, call)

    def _vetoes(self, world: World, operation: Operation) -> tuple[bool, ...]:
        """Whether a writer aborts the operation; whether those of other members are asked is not said."""
        if refuses(world, operation.member, operation):
            return each(self._setting.book.server_writer_aborts(operation.kind))
        others = self._setting.others[operation.member]
        return (False, True) if any(refuses(world, other, operation) for other in others) else (False,)

    def _vetoed(self, world: World, operation: Operation, call: Call) -> Iterator[Step]:
        """A writer has refused: the call fails, and nothing has happened; a client has yet to be told."""
        for ended in refused(self._setting, operation, call):
            told = ended.outcome if ended.stage is CallStage.DONE else None
            shows = ((outcome_place(operation.op_id), outcome_entry(told)),) if told else ()
            after = world.but(calls=world.calls.set(operation.op_id, ended))
            for queued_too in self._queued_without_effect(after, operation, None, vetoed=True):
                yield Step(("is vetoed", operation.member, operation.op_id), queued_too, shows)

    def _unrefused(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        entry = world.entry(operation.member, operation.region, operation.key)
        states = tombstones.read_as(self._setting.book, entry, operation.kind)
        if operation.kind is OperationKind.DESTROY and operation.op_id not in self._setting.originators:
            states = tombstones.found_to_destroy(self._setting.book, entry, states)
        for state in states:
            yield from self._taking_effect(world, view, operation, call, entry, state)

    def _taking_effect(
        self, world: World, view: View, operation: Operation, call: Call, entry: Entry, state: EntryState
    ) -> Iterator[Step]:
        of_client = operation.op_id in self._setting.originators
        for effect in ways_of(self._setting, world, operation, state, entry.token):
            if effect.at_client:
                yield self._left_to_client(world, operation, call, effect)
            elif of_client and operation.kind is OperationKind.GET:
                there = state in (EntryState.LIVE, EntryState.INVALID)
                yield self._left_to_client(world, operation, call, effect, entry.stamp, there=there)
            elif effect.becomes is None:
                yield from self._reading(world, operation, call, effect)
            else:
                for applies in self._applies(world, operation, call, effect):
                    if applies:
                        yield from self.changes(world, view, operation, entry, effect)
                    elif not call.ahead:
                        yield from self._sent_ahead(world, operation, call)

    def _applies(self, world: World, operation: Operation, call: Call, effect: Effect) -> tuple[bool, ...]:
        """Whether the operation takes effect now; or its event goes to clients first, as it should not."""
        if not effect.distributed or not self._setting.serves(operation.member):
            return (True,)
        processed = call.ahead and not any(
            channel.target in self._setting.clients and message.op_id == operation.op_id
            for channel, messages in world.channels.items()
            for message in messages
        )
        return each(self._setting.book.applies_unprocessed(processed))

    def _sent_ahead(self, world: World, operation: Operation, call: Call) -> Iterator[Step]:
        """The step by which a server sends clients an event before the event has a version stamp."""
        marked = world.but(calls=world.calls.set(operation.op_id, replace(call, ahead=True)))
        for after in queued(marked, self._setting, self._strength, operation.member, operation, None):
            yield Step(("sends ahead", operation.member, operation.op_id), after)

    def _reading(self, world: World, operation: Operation, call: Call, effect: Effect) -> Iterator[Step]:
        outcome = Outcome(effect.status, effect.value)
        done = replace(call, stage=CallStage.DONE, outcome=outcome)
        read = world.but(calls=world.calls.set(operation.op_id, done))
        ways = list(self._queued_without_effect(read, operation, effect.value))
        for after in ways:
            yield Step(
                ("reads", operation.member, operation.op_id),
                after,
                ((outcome_place(operation.op_id), outcome_entry(outcome)),),
                self._independence.reading(operation) if len(ways) == 1 else None,
            )

    def _queued_without_effect(
        self, world: World, operation: Operation, read: str | None, *, vetoed: bool = False
    ) -> Iterator[World]:
        """What senders make of an operation that changed nothing: nothing, as the documents have it."""
        book, kind, token = self._setting.book, operation.kind, operation.token
        answers = book.no_effect_crosses(vetoed, kind in CONDITIONAL)
        if kind in READS:
            answers, token = book.get_crosses(read is not None), read
            kind = OperationKind.PUT if read is not None else OperationKind.DESTROY
        elif kind not in BECOMES:
            answers = False
        for crosses in each(answers) if self._setting.queues else (False,):
            if crosses:
                yield from self._feeding.queued(
                    world, operation.member, operation, None, update=True, carried=kind, token=token
                )
            else:
                yield world

    def _left_to_client(
        self,
        world: World,
        operation: Operation,
        call: Call,
        effect: Effect,
        stamp: Stamp | None = None,
        *,
        there: bool = False,
    ) -> Step:
        waiting = self._setting.caller(operation.op_id)
        outcome = Outcome(effect.status, effect.value)
        left = replace(
            call, stage=CallStage.SENT, outcome=outcome, stamp=stamp, waiting=waiting, update=there
        )
        return Step(
            ("leaves to its client", operation.member, operation.op_id),
            world.but(calls=world.calls.set(operation.op_id, left)),
        )

    def changes(
        self, world: World, view: View, operation: Operation, entry: Entry, effect: Effect
    ) -> Iterator[Step]:
        """The ways in which an operation changes its own member's entry."""
        member, region, key = operation.member, operation.region, operation.key
        named = self._announces_token(operation, effect)
        thread = operation.thread if named else None
        announced = effect.event is not None
        event = effect.event or EventKind.DESTROY
        apart = named and self._setting.told_apart(member, operation.op_id)
        place = (
            own_place(member, operation.op_id)
            if apart
            else listener_place(self._strength, member, region, key, thread, event)
        )
        shown = listener_entry(region, key, event, operation.token if named else None)
        tellings = [announced] if not announced or self._independence.may_show(view, place, shown) else []
        if announced and self._lookahead.may_go_untold(world, view, member):
            # A member that dies may have changed its copy, and sent that on, before its own listener showed
            # it.
            tellings.append(False)
        if not tellings:
            return
        change = LocalChange(world, view, operation, entry, place, has_token=named, told_apart=apart)
        claim = self._independence.local_change(change)
        if claim is POSTPONED:
            return
        clashes = self._independence.dependences(change)
        outcome = Outcome(effect.status, effect.value)
        for checks in self._setting.checks(region):
            keeps = (
                tombstones.kept(
                    self._setting.book, effect.becomes, None, self._setting.policy(member, region)
                )
                if checks
                else tombstones.kept_unchecked(self._setting.book, effect.becomes)
            )
            stamps = self._timed(world, self.stamps(operation, entry, effect, checks=checks))
            for stamp, told, kept in product(stamps, tellings, keeps):
                entries = tombstones.changed(
                    world, (member, region, key), effect.becomes, operation.token, stamp, checks=kept
                )
                after = Call(
                    CallStage.APPLIED if effect.distributed else CallStage.DONE,
                    outcome,
                    stamp,
                    update=entry.state in (EntryState.LIVE, EntryState.INVALID),
                    early=world.calls[operation.op_id].early,
                    at=world.calls[operation.op_id].at,
                    renamed=world.calls[operation.op_id].renamed,
                )
                shows = [(place, shown)] if told else []
                if not effect.distributed:
                    shows.append((outcome_place(operation.op_id), outcome_entry(outcome)))
                gates = world.gates
                if told and gates.get((member, operation.op_id)) is GateState.ARMED:
                    gates = gates.set((member, operation.op_id), GateState.PARKED)
                applied = world.but(
                    entries=entries, calls=world.calls.set(operation.op_id, after), gates=gates
                )
                applied = replaced(self._setting, world, applied, (member, region, key))
                sent = [applied]
                if effect.distributed and not world.calls[operation.op_id].ahead:
                    sent = list(
                        queued(
                            applied,
                            self._setting,
                            self._strength,
                            member,
                            operation,
                            stamp,
                            sure=announced,
                            update=Ternary.YES if after.update else Ternary.NO,
                            independence=self._independence,
                            view=view,
                        )
                    )
                elif not effect.distributed and self._setting.serves(member):
                    sent = list(self._kept_from_clients(applied, operation))
                ways = [way for one in sent for way in self._told(one, operation, entry, stamp, effect)]
                for known in ways:
                    yield Step(
                        ("applies", member, operation.op_id),
                        known,
                        tuple(shows),
                        claim if told and len(ways) == 1 else None,
                        clashes=clashes,
                    )

    def _kept_from_clients(self, world: World, operation: Operation) -> Iterator[World]:
        """The worlds in which clients are sent what is local to their server: as documented, nothing."""
        for sends in each(self._setting.book.sends_local(operation.kind)):
            if sends:
                yield from queued(world, self._setting, self._strength, operation.member, operation, None)
            else:
                yield world

    def _told(
        self, world: World, operation: Operation, before: Entry, stamp: Stamp | None, effect: Effect
    ) -> Iterator[World]:
        """The worlds in which timestamps and senders know of what was applied on its own member."""
        if not self._setting.queues:
            yield world
            return
        region, key = operation.region, operation.key
        if self._setting.is_timed(region, key) and before.stamp is not None and before.stamp.times:
            is_behind = behind(operation.op_id, before.stamp.times, self._setting.readings)
            gone = before.state is EntryState.TOMBSTONE
            for after in each(self._setting.book.dated_after_stored(is_behind, gone)):
                dated = self._dated(world, operation, before.stamp) if after else world
                yield from self._queued(dated, operation, before, stamp, effect)
            return
        yield from self._queued(world, operation, before, stamp, effect)

    def _dated(self, world: World, operation: Operation, stored: Stamp) -> World:
        """The world in which an operation has a later timestamp than what it replaces."""
        where = (operation.region, operation.key)
        after = all_after if self._setting.onward is Propagation.STAYS else strictly_after
        pairs = after(world.wan.ranks.get(where, NONE), operation.op_id, stored.times)
        assert pairs is not None  # noqa: S101 - what is stamped now was never compared
        return world.but(wan=replace(world.wan, ranks=world.wan.ranks.set(where, pairs)))

    def _queued(
        self, world: World, operation: Operation, before: Entry, stamp: Stamp | None, effect: Effect
    ) -> Iterator[World]:
        """The worlds in which the member's senders know of what was applied there."""
        carried = None
        if not effect.distributed:
            carried = DISTRIBUTED_AS[operation.kind]
        update = before.state in (EntryState.LIVE, EntryState.INVALID)
        yield from self._feeding.queued(
            world,
            operation.member,
            operation,
            stamp,
            update=update,
            carried=carried,
            token=operation.token,
        )

    def _announces_token(self, operation: Operation, effect: Effect) -> bool:
        identified = self._setting.identified and operation.token is not None
        return identified or effect.becomes is EntryState.LIVE

    def _timed(self, world: World, stamps: tuple[Stamp | None, ...]) -> tuple[Stamp | None, ...]:
        """The stamps with the time at which they are given, where that matters."""
        if self._setting.tombstones is None:
            return stamps
        return tuple(stamp and replace(stamp, time=world.wan.passed) for stamp in stamps)

    def stamps(
        self, operation: Operation, entry: Entry, effect: Effect, *, checks: bool
    ) -> tuple[Stamp | None, ...]:
        """The stamps that an operation may be given on its member; none where it does not check."""
        if not checks:
            return (None,)
        if not effect.distributed:
            return (entry.stamp,)
        member = operation.member
        stamps: tuple[Stamp | None, ...] = tuple(
            stamp
            for before in tombstones.goes_on_from(self._setting.book, entry)
            for stamp in each(self._setting.book.stamp(before, member, operation.kind))
        )
        if self._setting.is_timed(operation.region, operation.key):
            site, times = self._setting.site_of[member], frozenset((operation.op_id,))
            return tuple(stamp and replace(stamp, site=site, times=times) for stamp in stamps)
        if self._setting.distributed:
            site = self._setting.site_of[member]
            return tuple(stamp and replace(stamp, site=site) for stamp in stamps)
        return stamps

    def sendings(
        self,
        world: World,
        operation: Operation,
        call: Call,
        *,
        reply: str = "",
        known: frozenset[str] = frozenset(),
    ) -> Iterator[Step]:
        """The ways in which an applied operation is sent to the others.

        Args:
            world: the world.
            operation: the operation, as of the member that has applied it.
            call: how far it has come.
            reply: who called it, and waits until that member answers.
            known: who is known to have it already, and is not sent it.
        """
        if world.gates.get((operation.member, operation.op_id)) is GateState.PARKED:
            return
        if all(self.waits_for_others(world, operation, to_send=True)):
            return
        others = self._setting.others[operation.member]
        if world.away:
            others = tuple(other for other in others if (other, operation.region) not in world.away)
        if world.wan.dead:
            others = tuple(other for other in others if other not in world.wan.dead)
        replies: tuple[str, ...] = ()
        if reply:
            replies = tuple(other for other in others if other == reply)
        if reply or known:
            others = tuple(other for other in others if other not in (reply, *known))
        for targets in recipients(self._setting, operation, others):
            channels = world.channels
            for target in targets:
                channel = Channel(operation.thread, operation.member, target)
                message = Message(operation.op_id, call.stamp, call.update, renamed=call.renamed)
                channels = channels.set(channel, (*channels.get(channel, ()), message))
            waits = self._setting.awaits_acknowledgement(operation.region)
            waiting = call.waiting.union(
                self._setting.caller(operation.op_id), targets if waits else (), replies
            )
            sent = replace(call, stage=CallStage.SENT, waiting=waiting)
            stamps = world.stamps
            if self._setting.keeps_stamp_of(operation.op_id):
                stamps = stamps.set(operation.op_id, call.stamp)
            yield Step(
                ("sends", operation.member, operation.op_id, targets),
                world.but(calls=world.calls.set(operation.op_id, sent), channels=channels, stamps=stamps),
                claim=self._independence.sending(world, operation),
            )
