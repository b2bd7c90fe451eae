"""Forwarding: what members do that keep less than a replicate, and what arrives at them (004, L37).

Owns their calls. An operation on an entry that such a member lacks is carried out by a replicate, whose
answer comes like an update. Where the documents are silent each reading is an alternative: who holds the
entry carries the operation out or has it carried out; of what it lacks it is told, or takes it, or neither.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.operations import (
    LOCAL,
    READS,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    RegionPolicy,
    Status,
)
from plumbline.reference.model.callers import Callers
from plumbline.reference.model.clients.registrations import PRESENT
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.messages import Channel, Message, MessageState
from plumbline.reference.model.places import listener_entry, listener_place, outcome_entry, outcome_place
from plumbline.reference.model.region_operations import WHOLE
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Call, CallStage, GateState, World
from plumbline.reference.rulebook.values import EntryState, Stamp, each
from plumbline.reference.search.transition import Step, View

REPLIES, REPLIES_EARLY = "replies", "replies early"
"""The names of the steps by which a caller receives the result of a replicate."""

_BEGINNING = (CallStage.CALLED, CallStage.LOCKED)
"""Calls that have not taken effect; of clears some have the lock of a replicate."""

_LEAVES_NOTHING = (OperationKind.DESTROY, OperationKind.INVALIDATE)
"""What has nothing to do where the entry is lacking, and may say so, although a replicate has done it."""

_MAY_BE_REFUSED = (OperationKind.PUT_IF_ABSENT, OperationKind.REPLACE)
"""What such a member need not offer: no document says that it has to."""

_STAYS_HERE = LOCAL | WHOLE.keys()
"""Operations that no replicate carries out for the caller."""


class Forwarding:
    """The part of the model for members that keep less than a replicate."""

    def __init__(
        self, setting: Setting, strength: OrderStrength, callers: Callers, replicates: Replicates
    ) -> None:
        self._setting = setting
        self._strength = strength
        self._callers = callers
        self._replicates = replicates
        self._carried: dict[tuple[int, str], Operation] = {}

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Calls of such members, carried out here or elsewhere; and what arrives at them."""
        for op_id, call in world.calls.items():
            operation = self._setting.operations[op_id]
            if not self.is_lesser(operation) or op_id in self._setting.transactions:
                continue
            if call.stage in _BEGINNING:
                yield from self._called(world, view, operation, call)
            elif call.stage is CallStage.APPLIED:
                yield from self._applied(world, operation, call)
            elif self.owes_reply(world, operation, call):
                yield self.replied(world, operation, call)
            elif self._unanswered(world, operation, call) and any(self._asks_another()):
                again = replace(call, stage=CallStage.CALLED, by="", waiting=frozenset())
                calls = world.calls.set(op_id, again)
                yield Step(("asks another", operation.member, op_id), world.but(calls=calls))
        for channel, messages in world.channels.in_order():
            head = messages[0]
            if head.op_id in self._setting.transactions:
                continue
            if head.state is MessageState.ON_THE_WAY and not head.queue:
                region = self._setting.operations[head.op_id].region
                if (channel.target, region) in self._setting.lesser:
                    yield from self.arrivals(world, view, channel, head)

    def is_lesser(self, operation: Operation) -> bool:
        """Whether the member that an operation is called on keeps less than a replicate."""
        return (operation.member, operation.region) in self._setting.lesser

    def has_to_go_on(
        self, world: World, operation: Operation, call: Call, held: frozenset[tuple[str, str]]
    ) -> bool:
        """Whether something happens to a call of such a member, however little is done about it.

        Args:
            world: the world.
            operation: what was called.
            call: how far it has come.
            held: members and keys at which something may be held back.
        """
        if call.stage in _BEGINNING and self._callers.waits_for_lock(world, operation):
            return False
        if call.stage is CallStage.LOCKED:
            return not call.indefinite
        if call.stage is CallStage.CALLED:
            replicates = self.replicates_of(world, operation)
            if call.indefinite or any((m, operation.key) in held for m in (operation.member, *replicates)):
                return False
            lacks = world.entry(operation.member, operation.region, operation.key).state not in PRESENT
            stuck = lacks and not replicates and operation.kind not in READS | _STAYS_HERE
            return not stuck or all(each(self._setting.book.ends_without_replicate()))
        if self.owes_reply(world, operation, call):
            return self.others_have_it(operation, call)
        return self._unanswered(world, operation, call) and all(self._asks_another())

    def _asks_another(self) -> tuple[bool, ...]:
        return each(self._setting.book.asks_another_replicate())

    def _unanswered(self, world: World, operation: Operation, call: Call) -> bool:
        """Whether who was asked has died, and nothing that it has sent of it is still on its way."""
        return (
            call.stage is CallStage.SENT
            and call.by in world.wan.dead
            and operation.member in call.waiting
            and operation.member not in world.wan.dead
            and not any(
                channel.source in world.wan.dead and message.op_id == operation.op_id
                for channel, messages in world.channels.items()
                for message in messages
            )
        )

    def owes_reply(self, world: World, operation: Operation, call: Call) -> bool:
        """Whether who carried the operation out has still to tell the caller."""
        channel = Channel(operation.thread, call.by, operation.member)
        return (
            call.stage is CallStage.SENT
            and operation.kind not in READS
            and operation.member in call.waiting
            and call.by not in ("", *world.wan.dead)
            and all(message.op_id != operation.op_id for message in world.channels.get(channel, ()))
        )

    def others_have_it(self, operation: Operation, call: Call) -> bool:
        """Whether all have acknowledged the operation who have to, but for its caller."""
        return call.waiting <= {operation.member} | self._setting.caller(operation.op_id)

    def replied(self, world: World, operation: Operation, call: Call) -> Step:
        """The caller is told, with the stamp; it may be before all others have acknowledged."""
        channel = Channel(operation.thread, call.by, operation.member)
        message = Message(operation.op_id, call.stamp)
        channels = world.channels.set(channel, (*world.channels.get(channel, ()), message))
        name = REPLIES if self.others_have_it(operation, call) else REPLIES_EARLY
        return Step((name, call.by, operation.op_id), world.but(channels=channels))

    def _others(self, world: World, operation: Operation) -> tuple[str, ...]:
        """The other members that live and have the region."""
        return tuple(
            other
            for other in self._setting.others[operation.member]
            if other not in world.wan.dead and (other, operation.region) not in world.away
        )

    def replicates_of(self, world: World, operation: Operation) -> tuple[str, ...]:
        """The replicates that may be asked."""
        return tuple(
            other
            for other in self._others(world, operation)
            if (other, operation.region) not in self._setting.lesser
        )

    def _called(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        kind = operation.kind
        entry = world.entry(operation.member, operation.region, operation.key)
        if operation.member in world.wan.dead:
            # A request that it sent before it died may still be carried out.
            if call.indefinite and kind not in READS | _STAYS_HERE:
                yield from self._elsewhere(world, view, operation, call)
            return
        if kind in _STAYS_HERE:
            yield from self._callers.effects(world, view, operation, call)
        elif kind in READS:
            yield from self._callers.effects(world, view, operation, call)
            if entry.state is not EntryState.LIVE:
                yield from self._fetches(world, operation, call)
        else:
            if kind in _MAY_BE_REFUSED:
                yield self._ended(world, operation, call, "refuses", Status.REFUSED)
            held = entry.state in PRESENT and not call.reached
            if held or not all(each(self._setting.book.absent_goes_to_replicate())):
                yield from self._callers.effects(world, view, operation, call)
            if held or any(each(self._setting.book.absent_goes_to_replicate())):
                yield from self._elsewhere(world, view, operation, call)

    def _elsewhere(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        """A replicate carries the operation out; without any, it ends all the same."""
        replicates = self.replicates_of(world, operation)
        for replicate in replicates:
            known = replicate in call.reached
            for recognises in each(self._setting.book.recognises_asked_again()) if known else (False,):
                if recognises:
                    yield from self._recognised(world, operation, call, replicate)
                else:
                    yield from self._carried_out(world, view, operation, call, replicate)
        alive = operation.member not in world.wan.dead
        if alive and not replicates and any(each(self._setting.book.ends_without_replicate())):
            yield from self._alone(world, view, operation, call)

    def _carried_out(
        self, world: World, view: View, operation: Operation, call: Call, replicate: str
    ) -> Iterator[Step]:
        """The operation takes effect at a replicate, which stamps it as its own."""
        lacks = world.entry(operation.member, operation.region, operation.key).state not in PRESENT
        for step in self._callers.effects(world, view, self.as_of(operation, replicate), call):
            done = step.state.calls[operation.op_id]
            if done.stage is CallStage.APPLIED:
                at = replace(done, by=replicate, reached=call.reached | {replicate})
                step.state = step.state.but(calls=step.state.calls.set(operation.op_id, at))
                if call.reached and call.stamp is not None:
                    # A replicate that is asked once more may ask the others which version they have seen.
                    yield Step(step.name, _stamped(step.state, replicate, operation, call.stamp), step.shows)
            yield step
            if done.stage is CallStage.APPLIED and lacks and operation.kind in _LEAVES_NOTHING:
                absent = replace(step.state.calls[operation.op_id], outcome=Outcome(Status.ABSENT))
                calls = step.state.calls.set(operation.op_id, absent)
                yield Step(step.name, step.state.but(calls=calls), step.shows)

    def _recognised(self, world: World, operation: Operation, call: Call, replicate: str) -> Iterator[Step]:
        """The steps of a replicate that is asked for its entry: it answers, and may send it to others."""
        others = self._others(world, operation)
        missing = tuple(other for other in others if other not in call.reached)
        for targets in dict.fromkeys((missing, ())):
            channels = world.channels
            for target in targets:
                channel = Channel(operation.thread, replicate, target)
                message = Message(operation.op_id, call.stamp)
                channels = channels.set(channel, (*channels.get(channel, ()), message))
            waits = self._setting.awaits_acknowledgement(operation.region)
            waiting = frozenset((operation.member, *(targets if waits else ())))
            sent = replace(
                call,
                stage=CallStage.SENT,
                by=replicate,
                waiting=waiting | self._setting.caller(operation.op_id),
            )
            yield Step(
                ("answers once more", replicate, operation.op_id, targets),
                world.but(channels=channels, calls=world.calls.set(operation.op_id, sent)),
            )

    def _alone(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        """Without any replicate the operation is carried out where it is called, or refused."""
        op_id, member = operation.op_id, operation.member
        if call.reached:
            # Others have it already; what is left is to take it over.
            channel = Channel(operation.thread, member, member)
            channels = world.channels.set(channel, (Message(op_id, call.stamp),))
            sent = replace(
                call, stage=CallStage.SENT, by=member, waiting=self._setting.caller(op_id) | {member}
            )
            yield Step(
                ("takes over", member, op_id),
                world.but(channels=channels, calls=world.calls.set(op_id, sent)),
            )
        for step in self._callers.effects(world, view, operation, call):
            if step.state.calls[op_id].stage is CallStage.APPLIED:
                yield Step(step.name, _stamped(step.state, member, operation, None), step.shows)
            yield step
        for status in (Status.REFUSED, Status.FAILED):
            yield self._ended(world, operation, call, "finds no replicate", status)

    @staticmethod
    def _ended(world: World, operation: Operation, call: Call, why: str, status: Status) -> Step:
        """The call ends, and nothing has happened."""
        outcome = Outcome(status)
        ended = replace(call, stage=CallStage.DONE, outcome=outcome)
        return Step(
            (why, operation.member, operation.op_id),
            world.but(calls=world.calls.set(operation.op_id, ended)),
            ((outcome_place(operation.op_id), outcome_entry(outcome)),),
        )

    def as_of(self, operation: Operation, replicate: str) -> Operation:
        """The operation as a replicate carries it out."""
        found = self._carried.get((operation.op_id, replicate))
        if found is None:
            found = msgspec.structs.replace(operation, member=replicate)
            self._carried[operation.op_id, replicate] = found
        return found

    def _applied(self, world: World, operation: Operation, call: Call) -> Iterator[Step]:
        book = self._setting.book
        if not call.by:
            others = self._others(world, operation)
            for told in each(book.told_by_less_than_replicate(others, self.replicates_of(world, operation))):
                left_out = frozenset(others) - frozenset(told)
                yield from self._callers.sendings(world, operation, call, known=left_out)
            return
        for recognises in each(book.recognises_asked_again()):
            known = call.reached if recognises else frozenset()
            yield from self._callers.sendings(
                world, self.as_of(operation, call.by), call, reply=operation.member, known=known
            )

    def _fetches(self, world: World, operation: Operation, call: Call) -> Iterator[Step]:
        """A reading is answered by another member."""
        op_id, member = operation.op_id, operation.member
        for source in self._others(world, operation):
            entry = world.entry(source, operation.region, operation.key)
            if operation.kind is OperationKind.CONTAINS_KEY:
                outcome = Outcome(Status.OK, "true" if entry.state in PRESENT else "false")
                read = replace(call, stage=CallStage.DONE, outcome=outcome)
                yield Step(
                    ("asks", member, op_id, source),
                    world.but(calls=world.calls.set(op_id, read)),
                    ((outcome_place(op_id), outcome_entry(outcome)),),
                )
            elif entry.state is EntryState.LIVE:
                asked = replace(
                    call,
                    stage=CallStage.SENT,
                    outcome=Outcome(Status.OK, entry.token),
                    stamp=entry.stamp,
                    waiting=self._setting.caller(op_id) | {member},
                    by=source,
                )
                channel = Channel(f"copy for {op_id}", source, member)
                yield Step(
                    ("asks", member, op_id, source),
                    world.but(
                        calls=world.calls.set(op_id, asked),
                        channels=world.channels.set(channel, (Message(op_id, entry.stamp),)),
                    ),
                )

    def arrivals(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """The ways in which such a member takes a message."""
        operation = self._setting.operations[head.op_id]
        member = channel.target
        if operation.kind in READS:
            yield from self._fetched(world, channel, operation, head)
            return
        if self._setting.lesser[member, operation.region] is RegionPolicy.EMPTY:
            yield from self._told_only(world, view, channel, operation, head)
            return
        lacks = world.entry(member, operation.region, operation.key).state not in PRESENT
        if operation.member == member:
            transacted = operation.op_id in self._setting.transactions
            if lacks and (transacted or operation.kind in _LEAVES_NOTHING):
                # That there was nothing to change here may be all that its caller makes of it; and what was
                # committed elsewhere may come to the caller as it comes to any other.
                yield from self._replicates.passed_over(world, view, channel, operation, head)
            stamps: tuple[Stamp | None, ...] = (None,)
            if head.stamp is not None:
                stamps = each(self._setting.book.stamp_taken_over(head.stamp, member))
            for stamp in stamps:
                for step in self._taken(world, view, channel, operation, replace(head, stamp=stamp)):
                    yield from self._counted_or_not(world, channel, head, step)
            return
        if lacks:
            yield from self._replicates.passed_over(world, view, channel, operation, head)
        takes: tuple[bool, ...] = (True,)
        if operation.kind is OperationKind.DESTROY:
            invalid = world.entry(member, operation.region, operation.key).state is EntryState.INVALID
            takes = each(self._setting.book.takes_destroy_of_invalid()) if invalid else takes
        for takes_it in takes:
            if takes_it:
                yield from self._taken(world, view, channel, operation, head)
            else:
                yield from self._replicates.passed_over(world, view, channel, operation, head)

    def _taken(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Iterator[Step]:
        """An update arrives as at a replicate; of what it lacks a member may be told all the same."""
        book = self._setting.book
        where = (channel.target, operation.region, operation.key)
        lacks = world.entry(*where).state not in PRESENT
        if operation.member == channel.target and operation.kind not in _LEAVES_NOTHING:
            lacks = False  # who has called it takes the version over, and has the entry then
        for checks in self._setting.checks(operation.region):
            for compares in each(book.checks_less_than_replicate()) if checks else (False,):
                way = self._replicates.checked if compares else self._replicates.unchecked
                for step in way(world, view, channel, operation, head):
                    if lacks and step.shows and step.state.entry(*where).state in PRESENT:
                        step.claim, step.loses = None, ()
                        untouched = step.state.but(entries=world.entries)
                        yield Step(("is told", channel.target, head.op_id), untouched, step.shows)
                    yield step

    def _counted_or_not(self, world: World, channel: Channel, head: Message, step: Step) -> Iterator[Step]:
        """An answer that comes too late for its caller: an update that is counted as discarded, or none.

        The documents count the messages by which other members announce an update (004, L70).
        """
        if step.name[0] != "discards" or step.state.discards == world.discards:
            yield step
            return
        step.claim, step.loses = None, ()
        yield step
        after = step.state.but(discards=world.discards)
        yield Step(("makes nothing of the answer", channel.target, head.op_id), after, step.shows)

    def _told_only(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Iterator[Step]:
        """An update arrives where nothing is kept: the listener is told of it, or not."""
        member, gate = channel.target, (channel.target, head.op_id)
        yield from self._replicates.passed_over(world, view, channel, operation, head)
        place, shown = self._replicates.shown(member, operation)
        if not view.fits(place, shown):
            return
        if world.gates.get(gate) is GateState.ARMED:
            parked = (replace(head, state=MessageState.PARKED), *world.channels[channel][1:])
            after = world.but(
                gates=world.gates.set(gate, GateState.PARKED), channels=world.channels.set(channel, parked)
            )
        else:
            after = self._replicates.taken(world, channel, head, discarded=False)
        for told in self._replicates.queued(after, view, member, operation, head, sure=True):
            yield Step(("is told", member, operation.op_id), told, ((place, shown),))

    def _fetched(self, world: World, channel: Channel, operation: Operation, head: Message) -> Iterator[Step]:
        """The steps by which the value of a get arrives from another member.

        The caller may keep it, and listeners may receive it.
        """
        member, region, key = channel.target, operation.region, operation.key
        outcome = world.calls[operation.op_id].outcome
        assert outcome is not None  # noqa: S101 - it was found where it came from
        name = ("is answered", member, operation.op_id)
        after = self._replicates.taken(world, channel, head, discarded=False)
        entry = world.entry(member, region, key)
        newer = entry.state is EntryState.LIVE or (
            entry.stamp is not None and head.stamp is not None and entry.stamp.version > head.stamp.version
        )
        if self._setting.lesser[member, region] is not RegionPolicy.EMPTY and not newer:
            thread = self._setting.thread_of(outcome.value)
            place = listener_place(self._strength, member, region, key, thread, EventKind.UPDATE)
            told = (place, listener_entry(region, key, EventKind.UPDATE, outcome.value))
            stamps: tuple[Stamp | None, ...] = (None,)
            if head.stamp is not None:
                stamps = each(self._setting.book.stamp_of_fetched(head.stamp, member))
            for stamp in stamps:
                kept = Entry(EntryState.LIVE, outcome.value, stamp)
                keeps = after.but(entries=after.entries.set((member, region, key), kept))
                for shows in ((), (told,)):
                    yield Step(name, keeps, shows)
        yield Step(name, after)


def _stamped(world: World, member: str, operation: Operation, stamp: Stamp | None) -> World:
    """The world in which what an operation has just changed has another stamp, or none."""
    where = (member, operation.region, operation.key)
    entries, calls = world.entries, world.calls
    if where in entries:
        entries = entries.set(where, replace(entries[where], stamp=stamp))
    return world.but(
        entries=entries, calls=calls.set(operation.op_id, replace(calls[operation.op_id], stamp=stamp))
    )
