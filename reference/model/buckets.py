"""Buckets: the keys of partitioned regions, each with a primary and redundant copies.

Owns where updates of such a key are carried out and who is sent them, and what becomes of the key when its
primary dies. Each key has a bucket of its own here, so no set-up says which keys share one. `replicates`
decides what a copy does with an update that has reached it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from msgspec.structs import replace

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import READS, Operation, OperationKind, Outcome, Status
from plumbline.reference.model.clients.carrying_out import effects_of
from plumbline.reference.model.clients.subscriptions import queued
from plumbline.reference.model.described_steps import (
    PrimaryChange,
    PrimarySending,
    PrimaryTakeover,
    SilentChange,
)
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.independence import Independence
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.messages import Channel, Message, MessageState
from plumbline.reference.model.places import (
    outcome_entry,
    outcome_place,
)
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.parallel_queues import AGAIN, ParallelQueues
from plumbline.reference.model.sites.timestamp_order import NONE, all_after
from plumbline.reference.model.tombstones import changed
from plumbline.reference.model.world import Bucket, Call, CallStage, GateState, World
from plumbline.reference.rulebook.values import Effect, EntryState, each
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step, View

Where = tuple[str, str]
"""Region and key."""

Shows = tuple[tuple[Place, Observation], ...]


class Buckets:
    """The part of the model that carries out operations on partitioned regions."""

    def __init__(
        self,
        setting: Setting,
        strength: OrderStrength,
        independence: Independence,
        replicates: Replicates,
        parallel: ParallelQueues,
        lookahead: Lookahead,
    ) -> None:
        self._setting = setting
        self._strength = strength
        self._independence = independence
        self._replicates = replicates
        self._parallel = parallel
        self._lookahead = lookahead

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """The steps of calls at the holders of their key, of messages to copies, and of takeovers."""
        setting = self._setting
        for op_id, call in world.calls.items():
            operation = setting.operations[op_id]
            if not setting.has_buckets(operation.member, operation.region):
                continue
            if call.stage is CallStage.CALLED:
                yield from self._called(world, view, operation, call)
                continue
            if call.stage is CallStage.APPLIED:
                yield from self._sendings(world, operation, call)
            if call.silent and call.carrier not in world.wan.dead:
                yield from self._telling(world, view, operation, call)
        for channel, messages in world.channels.in_order():
            head = messages[0]
            if (
                head.state is not MessageState.PARKED
                and not head.queue
                and channel.target not in setting.clients
                and setting.has_buckets(channel.target, setting.operations[head.op_id].region)
            ):
                yield from self._delivered(world, view, channel, head)
        for where, bucket in world.buckets.in_order():
            if bucket.primary in world.wan.dead and not self._under_way(world, where, parked=False):
                yield from self._takeovers(world, view, where, bucket)

    def may_wait(
        self, world: World, operation: Operation, call: Call, held: frozenset[tuple[str, str]]
    ) -> bool:
        """Whether a call need not go on: it waits for another of its key, for a primary, or at a gate."""
        bucket = world.buckets.get((operation.region, operation.key))
        if call.stage is CallStage.CALLED:
            return (
                call.indefinite
                or any(key == operation.key for _, key in held)
                or bucket is None
                or bucket.primary in world.wan.dead
                or operation.member in world.wan.dead
                or (
                    operation.kind not in READS
                    and any(self._shut(world, operation, bucket.primary, parked=True))
                )
            )
        if call.silent and call.carrier not in world.wan.dead:
            return any(key == operation.key for _, key in held)
        return call.stage is not CallStage.APPLIED or parked(world, operation, call)

    def rests(self, world: World, held: frozenset[tuple[str, str]]) -> bool:
        """Whether every key that has lost its primary has another, except where something is held back."""
        return not any(
            bucket.primary in world.wan.dead
            and not self._under_way(world, where, parked=True)
            and not any(key == where[1] for _, key in held)
            for where, bucket in world.buckets.items()
        )

    def _goes_untold(self, view: View, at: str, operation: Operation) -> bool:
        """Whether a listener's log may have lost several updates of a key with its member, which dies."""
        place, _ = self._replicates.shown(at, operation)
        return self._lookahead.dies(at) and view.observed(place)

    def _behind_untold(self, world: World, operation: Operation, at: str) -> bool:
        """Whether the listener of a primary is still to be called for an earlier update of the same key."""
        own = world.calls[operation.op_id].stamp
        return any(
            call.silent
            and call.carrier == at
            and op_id != operation.op_id
            and call.stamp is not None
            and (own is None or call.stamp.version < own.version)
            and (self._setting.operations[op_id].region, self._setting.operations[op_id].key)
            == (operation.region, operation.key)
            for op_id, call in world.calls.items()
        )

    def _shut(
        self, world: World, operation: Operation, at: str, *, parked: bool = False, untold: bool = False
    ) -> tuple[bool, ...]:
        """Whether an update waits for others of its key at the primary, or, as it should not, of any key."""
        found = {False}
        for same_key in (True, False):
            if self._locked(world, operation, at, same_key=same_key, parked=parked, untold=untold):
                answers = each(self._setting.book.locks_key(same_key))
                found = {one or other for one in found for other in answers}
        return tuple(found)

    def _locked(
        self,
        world: World,
        operation: Operation,
        at: str,
        *,
        same_key: bool,
        parked: bool = False,
        untold: bool = False,
    ) -> bool:
        """Whether a member still sends another update to copies, of the key or of another; or tells of it.

        Where its log may have lost several updates, the next one need not wait for the listener (`untold`).
        """
        for op_id, call in world.calls.items():
            other = self._setting.operations[op_id]
            if call.carrier != at or op_id == operation.op_id:
                continue
            if other.region != operation.region or (other.key == operation.key) is not same_key:
                continue
            if (
                (call.silent and not untold)
                or call.stage is CallStage.APPLIED
                or (call.stage is CallStage.SENT and self._is_awaited(op_id, call))
            ):
                return True
            if parked and world.gates.get((at, op_id)) is GateState.PARKED:
                return True
        return False

    def _is_awaited(self, op_id: int, call: Call) -> bool:
        """Whether a call waits for copies or queues; one that is tried again and known holds nothing up.

        Its event may enter a queue once more behind later ones: order is that of first deliveries (002, L73).
        """
        caller = self._setting.caller(op_id)
        return any(not (isinstance(one, tuple) and one[1] == AGAIN) for one in call.waiting - caller)

    def _called(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        if operation.kind is OperationKind.CLEAR:
            yield from self._refused(world, operation, call)
            return
        bucket = world.buckets.get((operation.region, operation.key))
        if bucket is None:
            return
        dead, book = world.wan.dead, self._setting.book
        if operation.kind in READS:
            # Which of those that hold the key answers is not said: the caller's own copy, or another.
            for holder in (bucket.primary, *bucket.copies) if operation.member not in dead else ():
                if holder not in dead:
                    entry = world.entry(holder, operation.region, operation.key)
                    for effect in effects_of(self._setting, operation, entry.state, entry.token):
                        yield self._reading(world, operation, call, effect, holder)
            return
        by_client = operation.op_id in self._setting.originators
        for at in each(book.carried_out_at(bucket.primary, operation.member, bucket.copies, by_client)):
            if at in dead:
                continue
            entry = world.entry(at, operation.region, operation.key)
            for effect in effects_of(self._setting, operation, entry.state, entry.token):
                if effect.becomes is None:
                    yield self._reading(world, operation, call, effect, at)
                elif not all(self._shut(world, operation, at, untold=self._goes_untold(view, at, operation))):
                    yield from self._carried_out(world, view, operation, entry, effect, at)

    def _refused(self, world: World, operation: Operation, call: Call) -> Iterator[Step]:
        """A clear of a partitioned region is refused; where it is offered nothing is judged."""
        emptied = world.entries
        for where in world.entries:
            if where[:2] == (operation.member, operation.region):
                emptied = emptied.delete(where)
        statuses = (Status.REFUSED, Status.FAILED)
        for status, empties in product(statuses, each(self._setting.book.refused_clear_empties())):
            outcome = Outcome(status)
            calls = world.calls.set(operation.op_id, replace(call, stage=CallStage.DONE, outcome=outcome))
            after = world.but(calls=calls, entries=emptied if empties else world.entries)
            shows = ((outcome_place(operation.op_id), outcome_entry(outcome)),)
            yield Step(("refuses", operation.member, operation.op_id), after, shows)

    def _reading(self, world: World, operation: Operation, call: Call, effect: Effect, at: str) -> Step:
        outcome = Outcome(effect.status, effect.value)
        done = replace(call, stage=CallStage.DONE, outcome=outcome)
        return Step(
            ("reads", at, operation.op_id),
            world.but(calls=world.calls.set(operation.op_id, done)),
            ((outcome_place(operation.op_id), outcome_entry(outcome)),),
            self._independence.reading_of_holder(operation),
        )

    def _carried_out(
        self, world: World, view: View, operation: Operation, entry: Entry, effect: Effect, at: str
    ) -> Iterator[Step]:
        """The steps by which the primary changes its own entry. No other member has the update yet."""
        region, key, op_id = operation.region, operation.key, operation.op_id
        place, shown = self._replicates.shown(at, operation)
        decided = self._replicates.decided_by_log(view, place, shown)
        of_copies = (self._replicates.shown(copy, operation) for copy in world.buckets[region, key].copies)
        change = PrimaryChange(world, view, at, operation, entry, place, shown, decided)
        behind = self._behind_untold(world, operation, at)
        tellings = [True] if not behind and self._independence.may_show(view, place, shown) else []
        if behind or not self._independence.is_told_now(change):
            # Its listener is told behind the copies, and of other keys meanwhile; or it dies before that.
            tellings.append(False)
        claim = self._independence.carrying_out(change) if True in tellings else None
        late = self._independence.likelihood_of_telling_late(change, of_copies) if False in tellings else 0
        call: Call = world.calls[op_id]
        stamps = each(self._setting.book.stamp(entry.stamp, at, operation.kind))
        if self._setting.parted:
            site, times = self._setting.site_of[at], frozenset((op_id,))
            stamps = tuple(replace(stamp, site=site, times=times) for stamp in stamps)
            world = dated(world, region, key, op_id, entry)
        if self._setting.tombstones is not None:
            stamps = tuple(replace(stamp, time=world.wan.passed) for stamp in stamps)
        for stamp, told in product(stamps, tellings):
            after = replace(
                call,
                stage=CallStage.APPLIED,
                outcome=Outcome(effect.status, effect.value),
                stamp=stamp,
                update=entry.state in (EntryState.LIVE, EntryState.INVALID),
                carrier=at,
                silent=not told,
            )
            gates = world.gates
            if told and gates.get((at, op_id)) is GateState.ARMED:
                gates = gates.set((at, op_id), GateState.PARKED)
            entries = changed(world, (at, region, key), effect.becomes, operation.token, stamp, checks=True)
            applied = world.but(entries=entries, calls=world.calls.set(op_id, after), gates=gates)
            for known in queued(applied, self._setting, self._strength, at, operation, stamp):
                yield Step(
                    ("carries out" if told else "carries out, and tells later", at, op_id),
                    known,
                    ((place, shown),) * told,
                    claim if told else None,
                    prefer=0 if told else late,
                )

    def _telling(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        """The listener of a primary is told, behind some of the copies, of what has been carried out."""
        at, op_id = call.carrier, operation.op_id
        place, shown = self._replicates.shown(at, operation)
        if self._behind_untold(world, operation, at) or not self._independence.may_show(view, place, shown):
            return
        gates = world.gates
        if gates.get((at, op_id)) is GateState.ARMED:
            gates = gates.set((at, op_id), GateState.PARKED)
        told = world.but(calls=world.calls.set(op_id, replace(call, silent=False)), gates=gates)
        decided = self._replicates.decided_by_log(view, place, shown)
        change = SilentChange(world, view, at, operation, place, shown, decided)
        yield Step(("tells", at, op_id), told, ((place, shown),), self._independence.telling_late(change))

    def _sendings(self, world: World, operation: Operation, call: Call) -> Iterator[Step]:
        """The update goes to every copy; before or behind the primary's listener, that is not said."""
        region, key = operation.region, operation.key
        bucket = world.buckets[region, key]
        book, dead, at = self._setting.book, world.wan.dead, call.carrier
        if at in dead:
            return
        holders = tuple(h for h in (bucket.primary, *bucket.copies) if h != at and h not in dead)
        others = tuple(m for m in self._setting.others[at] if m not in holders and m not in dead)
        for targets in each(book.copies_sent(holders)):
            channels = world.channels
            for target in (*targets, *others):
                channel = Channel(thread_of((region, key)), at, target)
                message = Message(operation.op_id, call.stamp, call.update, sure=target in holders)
                channels = channels.set(channel, (*channels.get(channel, ()), message))
            for awaited in each(book.copies_awaited(targets)):
                waiting = self._setting.caller(operation.op_id).union(
                    call.waiting, awaited, self._parallel.awaited(operation, at)
                )
                sent = replace(call, stage=CallStage.SENT, waiting=waiting)
                yield Step(
                    ("sends", at, operation.op_id, targets),
                    world.but(calls=world.calls.set(operation.op_id, sent), channels=channels),
                    claim=self._independence.sending_to_copies(PrimarySending(world, operation, call)),
                )

    def _delivered(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """An update reaches a copy; or a member that holds none, which keeps nothing of it."""
        operation = self._setting.operations[head.op_id]
        if not head.sure:
            yield from self._overheard(world, view, channel, head, operation)
            return
        for in_order in each(self._setting.book.works_off_in_order()):
            call = world.calls.get(head.op_id)
            if not in_order and call is not None and channel.target in call.waiting:
                answered = replace(call, waiting=call.waiting - {channel.target})
                after = world.but(calls=world.calls.set(head.op_id, answered))
                yield Step(("answers first", channel.target, head.op_id), after)
                continue
            yield from self._replicates.checked(world, view, channel, operation, head)
            messages = world.channels[channel]
            if not in_order and len(messages) > 1 and messages[1].op_id > head.op_id:
                swapped = (messages[1], head, *messages[2:])
                yield Step(
                    ("is overtaken", channel.target, head.op_id),
                    world.but(channels=world.channels.set(channel, swapped)),
                )

    def _overheard(
        self, world: World, view: View, channel: Channel, head: Message, operation: Operation
    ) -> Iterator[Step]:
        """A member without a copy hears of an update: its clients are sent it, its listener may be told."""
        member = channel.target
        place, shown = self._replicates.shown(member, operation)
        decided = self._replicates.decided_by_log(view, place, shown)
        taken = self._replicates.taken(world, channel, head, discarded=False)
        heard: list[World] = []
        for sends in each(self._setting.book.sends_overheard()):
            known = queued(taken, self._setting, self._strength, member, operation, head.stamp)
            for one in known if sends else (taken,):
                heard.extend(self._parallel.copied(one, member, operation, update=head.update))
        change = SilentChange(world, view, member, operation, place, shown, decided)
        for after in heard:
            if self._independence.may_show(view, place, shown):
                yield Step(("hears of it, and tells", member, head.op_id), after, ((place, shown),))
            if not self._independence.is_shown_instead(change):
                claim = self._independence.passing_by(change) if len(heard) == 1 else None
                yield Step(("hears of it", member, head.op_id), after, claim=claim)

    def _under_way(self, world: World, where: Where, *, parked: bool) -> bool:
        """Whether updates of a key that a dead member has sent may still arrive; or stand in listeners."""
        return any(
            channel.source in world.wan.dead
            and channel.thread == thread_of(where)
            and (parked or messages[0].state is not MessageState.PARKED)
            for channel, messages in world.channels.items()
        )

    def _takeovers(self, world: World, view: View, where: Where, bucket: Bucket) -> Iterator[Step]:
        """A copy becomes primary, or another member where there is none; which one is open."""
        alive = tuple(m for m in self._setting.others[bucket.primary] if m not in world.wan.dead)
        heirs = bucket.copies or alive
        known = self._independence.heir(PrimaryTakeover(world, view, *where))
        if known is not None:
            heirs = tuple(heir for heir in heirs if heir == known)
        for heir in heirs:
            rest = tuple(copy for copy in bucket.copies if copy != heir)
            led = world.but(buckets=world.buckets.set(where, Bucket(heir, rest)))
            ways = [
                (after, shows, (which, again) if again else (which,))
                for agreed, shows, which in self._agreed(led, view, where, bucket.copies)
                for promoted in self._parallel.promoted(agreed, where, heir)
                for again, after in enumerate(
                    self._tried_again(promoted, where, heir, copied=bool(bucket.copies))
                )
            ]
            claim = self._independence.takeover(PrimaryTakeover(world, view, *where, ways=len(ways)))
            if self._parallel.is_announced(world, where):
                claim = None
            for after, shows, which in ways:
                yield Step(("takes over", heir, where, *which), after, shows, claim)

    def _agreed(
        self, world: World, view: View, where: Where, copies: tuple[str, ...]
    ) -> Iterator[tuple[World, Shows, int]]:
        """The worlds in which all survivors hold one state of a key: the state of any one of them.

        No document says whether listeners receive what a copy has missed.
        """
        book, entries = self._setting.book, world.entries
        for keeps in each(book.keeps_copies()):
            if not keeps:
                gone = entries
                for copy in copies:
                    gone = gone.delete((copy, *where))
                yield world.but(entries=gone), (), 0
                continue
            states = dict.fromkeys(world.entry(copy, *where) for copy in copies)
            for agrees in each(book.synchronises()):
                if not agrees or len(states) < 2:
                    yield world, (), 0
                    continue
                for number, state in enumerate(sorted(states, key=_version, reverse=True), 1):
                    missed = [copy for copy in copies if world.entry(copy, *where) != state]
                    alike = entries
                    for copy in missed:
                        alike = (
                            alike.delete((copy, *where))
                            if state.stamp is None
                            else alike.set((copy, *where), state)
                        )
                    for shows in self._news(world, view, where, state, missed):
                        yield world.but(entries=alike), shows, number

    def _news(
        self, world: World, view: View, where: Where, state: Entry, missed: list[str]
    ) -> Iterator[Shows]:
        """What listeners of copies may be told that are sent what they have missed: of it, or nothing."""
        about = [
            self._setting.operations[op_id]
            for op_id, call in world.calls.items()
            if call.stamp is not None
            and call.stamp == state.stamp
            and (self._setting.operations[op_id].region, self._setting.operations[op_id].key) == where
        ]
        told = [self._replicates.shown(copy, operation) for operation in about[:1] for copy in missed]
        fitting = [(None, one) if self._independence.may_show(view, *one) else (None,) for one in told]
        for chosen in product(*fitting):
            yield tuple(one for one in chosen if one is not None)

    def _tried_again(self, world: World, where: Where, heir: str, *, copied: bool) -> Iterator[World]:
        """The worlds in which calls that a dead primary had carried out are known to the new one, or anew.

        The survivors recognise a call that they have when it is tried again, so it takes effect once. A call
        that waited for no copy has ended. Or its answer was lost with the primary. Then it is carried out
        anew where no copy has survived, and recognised where one has (`copied`).
        """
        calls, held = world.calls, world.entry(heir, *where)
        for op_id, call in world.calls.items():
            operation = self._setting.operations[op_id]
            if (operation.region, operation.key) != where or call.carrier not in world.wan.dead:
                continue
            if call.stage is CallStage.APPLIED or (call.stage is CallStage.SENT and call.waiting):
                known = call.stamp is not None and held.stamp == call.stamp
                waits: frozenset[Any] = self._setting.caller(op_id)
                if operation.member not in world.wan.dead:
                    waits = waits.union(self._parallel.awaited_again(operation, heir))
                calls = calls.set(
                    op_id,
                    replace(call, stage=CallStage.SENT, waiting=waits, carrier=heir, silent=False)
                    if known
                    else Call(CallStage.CALLED, indefinite=call.indefinite),
                )
        worlds = [world.but(calls=calls)]
        for op_id in () if copied else self._unanswered(world, where):
            anew = Call(CallStage.CALLED, indefinite=world.calls[op_id].indefinite)
            worlds += [one.but(calls=one.calls.set(op_id, anew)) for one in worlds]
        yield from worlds

    def _unanswered(self, world: World, where: Where) -> Iterator[int]:
        """The calls of other members whose answers may be lost with a primary."""
        dead = world.wan.dead
        for op_id, call in world.calls.items():
            operation = self._setting.operations[op_id]
            if (
                (operation.region, operation.key) == where
                and call.carrier in dead
                and call.stage is CallStage.SENT
                and not call.waiting
                and operation.member not in dead
            ):
                yield op_id


def dated(world: World, region: str, key: str, op_id: int, entry: Entry) -> World:
    """The world in which an operation has a later timestamp than what it replaces at its primary."""
    stored = frozenset[int]() if entry.stamp is None else entry.stamp.times
    pairs = all_after(world.wan.ranks.get((region, key), NONE), op_id, stored)
    if not pairs:
        return world  # also of a call that is carried out once more
    return world.but(wan=replace(world.wan, ranks=world.wan.ranks.set((region, key), pairs)))


def thread_of(where: Where) -> str:
    """The name of the channels in which the updates of a key travel, all in one order."""
    region, key = where
    return f"{region}[{key}]"


def parked(world: World, operation: Operation, call: Call) -> bool:
    """Whether an operation stands in the listener of the member that has carried it out."""
    return bool(call.carrier) and world.gates.get((call.carrier, operation.op_id)) is GateState.PARKED


def tells_still(world: World, operation: Operation, call: Call) -> bool:
    """Whether the member that has carried an operation out, and lives, still tells its listener of it."""
    return (call.silent and call.carrier not in world.wan.dead) or parked(world, operation, call)


def _version(entry: Entry) -> int:
    return 0 if entry.stamp is None else entry.stamp.version
