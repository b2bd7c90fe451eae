"""Committing: what a transaction has changed takes effect entry by entry, in any order (004, L109 to L113).

A committed change is stamped and sent as any update is. Knows nothing of what was kept aside before, nor of
how a transaction ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import msgspec
from msgspec.structs import replace

from plumbline.reference.history.operations import Operation, OperationKind, Outcome, Status
from plumbline.reference.model import tombstones
from plumbline.reference.model.callers import Callers
from plumbline.reference.model.deliveries import Deliveries
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.forwarding import Forwarding
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Call, CallStage, Change, GateState, Transaction, World
from plumbline.reference.rulebook.effects import ARRIVES, effects
from plumbline.reference.rulebook.values import Effect, EntryState, Stamp, each
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, Step, Untold, View

_COMMITTED_AS = {
    EntryState.LIVE: OperationKind.PUT,
    EntryState.INVALID: OperationKind.INVALIDATE,
    EntryState.TOMBSTONE: OperationKind.DESTROY,
}
"""The operation by which a commit changes an entry: one for each state that the transaction leaves."""

STANDS_IN = frozenset({OperationKind.DESTROY, OperationKind.INVALIDATE})
"""What others may be told of though the entry is gone where it is carried out."""


class Committing:
    """The part of the model that carries out what transactions commit."""

    def __init__(
        self,
        setting: Setting,
        callers: Callers,
        replicates: Replicates,
        deliveries: Deliveries,
        forwarding: Forwarding,
    ) -> None:
        self._setting = setting
        self._callers = callers
        self._replicates = replicates
        self._deliveries = deliveries
        self._forwarding = forwarding
        self._carried: dict[tuple[int, str, OperationKind], Operation] = {}

    def waits(self, world: World, operation: Operation, host: str) -> bool:
        """Whether what is to be committed cannot take effect yet."""
        return any(self._callers.blocked(world, self._as_of(operation, host, OperationKind.PUT)))

    def _as_of(self, operation: Operation, host: str, kind: OperationKind) -> Operation:
        """An operation as it is committed by its host."""
        found = self._carried.get((operation.op_id, host, kind))
        if found is None:
            found = msgspec.structs.replace(operation, member=host, kind=kind)
            self._carried[operation.op_id, host, kind] = found
        return found

    def _change(self, world: World, operation: Operation) -> Change:
        found: Transaction = world.transactions[self._setting.transactions[operation.op_id]]
        return next(change for change in found.changes if change.op_id == operation.op_id)

    def takes_effect(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        """The change of a transaction takes effect at the host, as an operation called now would."""
        change = self._change(world, operation)
        host = call.by or operation.member
        done = self._as_of(operation, host, _COMMITTED_AS[change.state])
        if all(self._callers.blocked(world, done)):
            return
        entry = world.entry(host, operation.region, operation.key)
        for state in tombstones.read_as(self._setting.book, entry, done.kind):
            for effect in effects(done.kind, state, entry.token):
                if effect.becomes is None:
                    finished = replace(call, stage=CallStage.SENT, waiting=frozenset())
                    calls = world.calls.set(operation.op_id, finished)
                    yield Step(("finds nothing to commit", host, operation.op_id), world.but(calls=calls))
                    if done.kind in STANDS_IN and state not in (EntryState.LIVE, EntryState.INVALID):
                        # The others may be told of it all the same: they may have what is gone here.
                        gone = Effect(Status.OK, None, change.state, distributed=True)
                        yield from self._sent_ahead(world, done, call, change, entry, gone)
                    continue
                for step in self._callers.changes(world, view, done, entry, effect):
                    yield from self._stamped(step, done, call, change, entry)
                for step in self._callers.changes(world, Untold(view), done, entry, effect):
                    if step.shows:
                        untold = Step(("applies untold", *step.name[1:]), step.state.but(gates=world.gates))
                        untold.prefer = -1
                        yield from self._stamped(untold, done, call, change, entry, silent=True)
                yield from self._sent_ahead(world, done, call, change, entry, effect)

    def _sent_ahead(
        self, world: World, done: Operation, call: Call, change: Change, entry: Entry, effect: Effect
    ) -> Iterator[Step]:
        """What is committed is stamped and sent, and the host changes its own copy as the others do.

        Which comes first is not said.
        """
        outcome = Outcome(effect.status, effect.value)
        update = entry.state in (EntryState.LIVE, EntryState.INVALID)
        for checks in self._setting.checks(done.region):
            for found in self._callers.stamps(done, entry, effect, checks=checks):
                for stamp in self._stamps_given(found, change, entry, self._caller(done)):
                    applied = replace(
                        call, stage=CallStage.APPLIED, outcome=outcome, stamp=stamp, update=update
                    )
                    stamped = world.but(calls=world.calls.set(done.op_id, applied))
                    reply = self._setting.operations[done.op_id].member if call.by else ""
                    for step in self._callers.sendings(stamped, done, applied, reply=reply):
                        after = step.state
                        own = Channel(done.thread, done.member, done.member)
                        message = Message(done.op_id, stamp, update)
                        channels = after.channels.set(own, (*after.channels.get(own, ()), message))
                        sent = after.calls[done.op_id]
                        sent = replace(sent, waiting=sent.waiting | {done.member})
                        yield Step(
                            ("sends ahead", *step.name[1:]),
                            after.but(channels=channels, calls=after.calls.set(done.op_id, sent)),
                            prefer=-1,
                        )

    def _stamps_given(
        self, found: Stamp | None, change: Change, before: Entry, caller: str
    ) -> Iterator[Stamp | None]:
        """The stamps that a commit may give; as documented, the one that any change would get."""
        if found is None:
            yield None
            return
        book = self._setting.book
        given: dict[Stamp, None] = {}
        for at_commit in each(book.stamped_at_commit()):
            stamp = found
            if not at_commit and before.stamp is not None:
                early = 0 if change.base is None else change.base.version
                stamp = replace(stamp, version=early + 1)
            signers = each(book.signer_of_commit(stamp.member, caller))
            for versions, signer in product(each(book.versions_of_commit(change.touched)), signers):
                given[replace(stamp, version=stamp.version + versions - 1, member=signer)] = None
        yield from given

    def _stamped(
        self,
        step: Step,
        done: Operation,
        call: Call,
        change: Change,
        before: Entry,
        *,
        silent: bool = False,
    ) -> Iterator[Step]:
        """The ways in which a commit may stamp the entry that it has changed."""
        world = step.state
        applied = world.calls[done.op_id]
        where = (done.member, done.region, done.key)
        for given in self._stamps_given(applied.stamp, change, before, self._caller(done)):
            entries = world.entries
            if where in entries:
                entries = entries.set(where, replace(entries[where], stamp=given))
            calls = world.calls.set(done.op_id, replace(applied, stamp=given, by=call.by, silent=silent))
            for after in self._kept_of(world.but(entries=entries, calls=calls), where):
                yield Step(step.name, after, step.shows, prefer=step.prefer)

    def _caller(self, done: Operation) -> str:
        """On which member an operation was called that its host has carried out."""
        return self._setting.operations[done.op_id].member

    def _kept_of(self, world: World, where: tuple[str, str, str]) -> Iterator[World]:
        """The worlds in which a destroy that was committed has left its tombstone, or none."""
        if world.entry(*where).state is not EntryState.TOMBSTONE:
            yield world
            return
        for keeps in each(self._setting.book.commit_keeps_tombstone()):
            yield world if keeps else world.but(entries=world.entries.delete(where))

    def told(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        """The host's listener is told of what was committed before; other changes may have come first."""
        host = call.by or operation.member
        change = self._change(world, operation)
        told = self._replicates.shown(host, self._as_of(operation, host, _COMMITTED_AS[change.state]))
        if not view.fits(*told):
            return
        gates, gate = world.gates, (host, operation.op_id)
        if gates.get(gate) is GateState.ARMED:
            gates = gates.set(gate, GateState.PARKED)
        calls = world.calls.set(operation.op_id, replace(call, silent=False))
        yield Step(("tells", host, operation.op_id), world.but(calls=calls, gates=gates), (told,))

    def owes_reply(self, world: World, operation: Operation, call: Call) -> bool:
        """Whether another member has carried it out, and the caller has yet to be told."""
        return self._is_led(operation, call) and self._forwarding.owes_reply(world, operation, call)

    def _is_led(self, operation: Operation, call: Call) -> bool:
        """Whether another member carries an operation out."""
        return call.by not in ("", operation.member)

    def sent(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        """The steps that send committed changes to the others."""
        too_soon = self._is_too_soon(world, view, operation)
        if self._is_led(operation, call):
            done = self._forwarding.as_of(operation, call.by)
            ways = self._callers.sendings(world, done, call, reply=operation.member)
        else:
            ways = self._callers.sendings(world, operation, call)
        found = world.transactions.get(self._setting.transactions[operation.op_id])
        for step in ways:
            if call.silent or (found is not None and len(found.changes) > 1):
                # Messages of one thread arrive in order; and what is told of first may stand there unsent.
                step.claim = None
            if too_soon:
                step.prefer = -1
            yield step

    def _is_too_soon(self, world: World, view: View, operation: Operation) -> bool:
        """Whether another member is yet to show a change first that its transaction has yet to send."""
        found = world.transactions.get(self._setting.transactions[operation.op_id])
        later = [
            change
            for change in (found.changes if found is not None else ())
            if change.op_id != operation.op_id
            # A call that has returned before its commit, as none should, has sent its change long since.
            and (call := world.calls.get(change.op_id)) is not None
            and call.stage is not CallStage.SENT
        ]
        if not later:
            return False
        state = self._change(world, operation).state
        for member in self._setting.others[operation.member]:
            when = self._shown_at(view, member, operation, state)
            if when is None:
                continue
            for change in later:
                first = self._shown_at(view, member, self._setting.operations[change.op_id], change.state)
                if first is not None and first < when:
                    return True
        return False

    def _shown_at(self, view: View, member: str, operation: Operation, state: EntryState) -> int | None:
        """At which position of its log a member is yet to show what was committed; None if it is not."""
        done = self._as_of(operation, operation.member, _COMMITTED_AS[state])
        return view.when(*self._replicates.shown(member, done))

    def arrivals(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """The steps by which committed changes arrive, as any update does."""
        operation = self._setting.operations[head.op_id]
        where = (channel.target, operation.region, operation.key)
        if (channel.target, operation.region) in self._setting.lesser:
            ways = self._forwarding.arrivals(world, view, channel, head)
        else:
            ways = self._deliveries.taken_in(world, view, channel, operation, head)
        for step in ways:
            match step.name[0]:
                case "receives":
                    yield from self._received(step, where, head)
                case "discards":
                    for yields in each(self._setting.book.commit_yields()):
                        if yields:
                            yield step
                        else:
                            yield from self._insisting(step, channel.target, operation)
                case _:
                    yield step

    def _received(self, step: Step, where: tuple[str, str, str], head: Message) -> Iterator[Step]:
        """The ways in which a member keeps what was committed elsewhere."""
        world = step.state
        entry = world.entry(*where)
        if head.stamp is None or entry.stamp is None:
            for after in self._kept_of(world, where):
                yield Step(step.name, after, step.shows, prefer=step.prefer)
            return
        for stamp in each(self._setting.book.commit_stamp_stored(entry.stamp, where[0])):
            stored = world
            if stamp != entry.stamp:
                stored = world.but(entries=world.entries.set(where, replace(entry, stamp=stamp)))
            for after in self._kept_of(stored, where):
                yield Step(step.name, after, step.shows, prefer=step.prefer)

    def _insisting(self, step: Step, member: str, operation: Operation) -> Iterator[Step]:
        """The steps by which a losing change is stored all the same, under the winner's stamp.

        The listener may or may not receive it.
        """
        world, where = step.state, (member, operation.region, operation.key)
        becomes, _ = ARRIVES[operation.kind]
        token = operation.token if becomes is EntryState.LIVE else None
        entry = replace(world.entry(*where), state=becomes, token=token)
        stored = world.but(entries=world.entries.set(where, entry))
        told: tuple[tuple[Place, Observation], ...] = (self._replicates.shown(member, operation),)
        for shows in (told, ()):
            yield Step(step.name, stored, (*step.shows, *shows))


def committed(world: World, setting: Setting, op_id: int) -> Iterator[tuple[World, bool]]:
    """The world in which a commit is over, and whether any member has discarded something of it.

    None while something of it is still to be done or acknowledged.
    """
    begin, caller = setting.transactions[op_id], setting.operations[op_id].member
    calls, discarded = world.calls, False
    for change in world.transactions[begin].changes:
        call = calls[change.op_id]
        parked = world.gates.get((call.by or caller, change.op_id))
        if call.stage is not CallStage.SENT or call.waiting or call.silent or parked is GateState.PARKED:
            return
        discarded = discarded or call.discarded
        calls = calls.delete(change.op_id)
    after = world.but(calls=calls.delete(op_id), transactions=world.transactions.delete(begin))
    yield after, discarded
