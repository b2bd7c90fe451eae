"""Transactions: operations of a thread are kept aside and take effect when it commits (004, L109 to L113).

Owns the calls of operations between a begin and its end. Each entry that was changed is committed by itself,
in any order, and is sent as any update is; on a member without a replicate a replicate carries the
transaction out. Only within one site, without clients, gateway senders and partitioned regions.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from plumbline.reference.explain.steps import Entry as Shown
from plumbline.reference.explain.steps import Place, Step, View
from plumbline.reference.model import tombstones
from plumbline.reference.model.callers import Callers
from plumbline.reference.model.clients import EveryWay
from plumbline.reference.model.deliveries import Deliveries
from plumbline.reference.model.forwarding import Forwarding
from plumbline.reference.model.places import outcome_entry, outcome_place
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import (
    Call,
    Change,
    Channel,
    Entry,
    GateState,
    Message,
    MessageState,
    Stage,
    Transaction,
    World,
)
from plumbline.reference.model.writers import stands, stood
from plumbline.reference.operations import LOCAL, OF_TRANSACTIONS, Operation, OperationKind, Outcome, Status
from plumbline.reference.rulebook.operations import ARRIVES, effects
from plumbline.reference.rulebook.values import Effect, EntryState, Stamp, each

FAILS = "fails to commit"
"""What the step is called by which a commit ends without effect, as a candidate may say it has met others."""

_COMMITTED_AS = {
    EntryState.LIVE: OperationKind.PUT,
    EntryState.INVALID: OperationKind.INVALIDATE,
    EntryState.TOMBSTONE: OperationKind.DESTROY,
}
"""Whatever an operation found when it was called: as what the entry is changed that it is committed to."""

_DISTRIBUTED = {
    OperationKind.LOCAL_DESTROY: OperationKind.DESTROY,
    OperationKind.LOCAL_INVALIDATE: OperationKind.INVALIDATE,
}
_STANDS_IN = frozenset(_DISTRIBUTED.values())


class _Untold(EveryWay):
    """A view under which a listener may be told of anything: of this it is told later."""

    def fits(self, place: Place, entry: Shown) -> bool:  # noqa: ARG002 - a view's signature
        """See View."""
        return True


class Transactions:
    """The part of the model that keeps operations aside and commits them."""

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

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Calls of operations of transactions, and the arrival of what was committed."""
        of = self._setting.transactions
        for op_id, call in world.calls.items():
            if op_id in of:
                yield from self._of_call(world, view, self._setting.operations[op_id], call)
        for channel, messages in world.channels.items():
            head = messages[0]
            if head.op_id in of and head.state is MessageState.ON_THE_WAY and not head.queue:
                yield from self._arrivals(world, view, channel, head)

    def _of_call(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        if call.silent:
            yield from self._told(world, view, operation, call)
        if call.stage is Stage.COMMITTED:
            yield from self._takes_effect(world, view, operation, call)
        elif call.stage is Stage.APPLIED:
            yield from self._sent(world, operation, call)
        elif call.stage is Stage.SENT:
            if self._is_led(operation, call) and self._forwarding.owes_reply(world, operation, call):
                yield self._forwarding.replied(world, operation, call)
        elif call.stage is Stage.CALLED:
            begin = self._setting.transactions[operation.op_id]
            found = world.transactions.get(begin)
            if operation.kind is OperationKind.TX_BEGIN:
                yield self._ended(world, operation, call, "begins", Outcome(Status.OK), Transaction())
            elif found is None or found.ending:
                return  # its begin has not happened yet, or it is over
            elif operation.kind in OF_TRANSACTIONS and self._waits(world, begin, operation.op_id):
                return  # what its thread has called before has not returned
            elif operation.kind is OperationKind.TX_COMMIT:
                yield from self._commits(world, operation, call, found)
            elif operation.kind is OperationKind.TX_ROLLBACK:
                yield from self._rolls_back(world, operation, call, found)
            else:
                yield from self._called(world, view, operation, call, found)

    def _waits(self, world: World, begin: int, op_id: int) -> bool:
        """Whether another call of the transaction is under way, of which the answer may still come."""
        of = self._setting.transactions
        return any(
            other != op_id and of.get(other) == begin and not call.indefinite
            for other, call in world.calls.items()
        )

    # What is called.

    def _ended(
        self,
        world: World,
        operation: Operation,
        call: Call,
        name: str,
        outcome: Outcome,
        now: Transaction | None,
    ) -> Step:
        """A call ends, and its transaction is another one from then on, or over."""
        begin = self._setting.transactions[operation.op_id]
        calls = world.calls.set(operation.op_id, call._replace(stage=Stage.DONE, outcome=outcome))
        under_way = world.transactions.delete(begin) if now is None else world.transactions.set(begin, now)
        return Step(
            (name, operation.member, operation.op_id),
            world.but(calls=calls, transactions=under_way),
            ((outcome_place(operation.op_id), outcome_entry(outcome)),),
        )

    def _called(
        self, world: World, view: View, operation: Operation, call: Call, found: Transaction
    ) -> Iterator[Step]:
        kind = operation.kind
        for early in each(self._setting.book.applies_before_commit(kind)):
            if early and kind not in LOCAL and not self._forwarding.is_lesser(operation):
                yield from self._callers.effects(world, view, operation, call)
            else:
                yield from self._kept(world, operation, call, found)

    def _kept(self, world: World, operation: Operation, call: Call, found: Transaction) -> Iterator[Step]:
        """An operation is kept aside, or reads; where there is no replicate some are refused."""
        kind = operation.kind
        refused = self._ended(world, operation, call, "is refused", Outcome(Status.REFUSED), found)
        if kind in LOCAL:
            for refuses in self._refuses_local(operation):
                if refuses:
                    yield refused
                else:
                    meant = msgspec.structs.replace(operation, kind=_DISTRIBUTED[kind])
                    yield from self._kept_aside(world, operation, meant, call, found)
            return
        stands_in = kind in _STANDS_IN and self._forwarding.is_lesser(operation)
        for takes in each(self._setting.book.takes_in_transaction(kind)) if stands_in else (True,):
            if takes:
                yield from self._kept_aside(world, operation, operation, call, found)
            else:
                yield refused

    def _refuses_local(self, operation: Operation) -> tuple[bool, ...]:
        """Whether an operation is refused that is local; what becomes of it elsewhere is not modelled."""
        checks = any(self._setting.checks(operation.region))
        if not self._forwarding.is_lesser(operation) or not checks:
            return (True,)
        return each(self._setting.book.refuses_local_in_transaction(operation.kind))

    def _kept_aside(
        self, world: World, operation: Operation, meant: Operation, call: Call, found: Transaction
    ) -> Iterator[Step]:
        seen: set[tuple[Outcome, Transaction]] = set()
        for host in (found.host,) if found.host else self._hosts(world, operation):
            for state, token in self._found(world, operation, host, found):
                for effect in effects(meant.kind, state, token):
                    now = self._noted(world, meant, host, found, effect, (state, token))
                    outcome = Outcome(effect.status, effect.value)
                    if (outcome, now) not in seen:
                        seen.add((outcome, now))
                        yield self._ended(world, operation, call, "is kept aside", outcome, now)

    def _hosts(self, world: World, operation: Operation) -> tuple[str, ...]:
        """Who may carry a transaction out whose first operation is called here."""
        if not self._forwarding.is_lesser(operation):
            return (operation.member,)
        replicates = self._forwarding.replicates_of(world, operation)
        found = each(self._setting.book.transaction_host(operation.member, replicates))
        # Of regions that do not check nothing is said.
        alone = () if any(self._setting.checks(operation.region)) else (operation.member,)
        # A decision that is free names members, one that is not the set of those that may.
        named = (m for one in found for m in (one if isinstance(one, tuple) else (one,)))
        return tuple(dict.fromkeys((*named, *alone)))

    def _found(
        self, world: World, operation: Operation, host: str, found: Transaction
    ) -> list[tuple[EntryState, str | None]]:
        """What an operation may find: what its transaction has made of the entry, else what is there.

        Whether it finds once more what the transaction has seen before is not said, nor whether who has the
        transaction carried out elsewhere reads its own copy.
        """
        where = (operation.region, operation.key)
        for change in found.changes:
            if (change.region, change.key) == where:
                return [(change.state, change.token)]
        ways = [(state, token) for region, key, state, token in found.seen if (region, key) == where]
        for member in dict.fromkeys((host, operation.member)):
            entry = world.entry(member, *where)
            ways += [(state, entry.token) for state in tombstones.read_as(self._setting.book, entry)]
        return list(dict.fromkeys(ways))

    def _noted(
        self,
        world: World,
        operation: Operation,
        host: str,
        found: Transaction,
        effect: Effect,
        read: tuple[EntryState, str | None],
    ) -> Transaction:
        """The transaction once an operation has found this, and is to have this effect."""
        where = (operation.region, operation.key)
        changed = next((one for one in found.changes if (one.region, one.key) == where), None)
        if effect.becomes is None:
            if changed is not None:
                return found._replace(host=host)
            others = (one for one in found.seen if one[:2] != where)
            return found._replace(host=host, seen=tuple(sorted((*others, (*where, *read)), key=repr)))
        token = operation.token if effect.becomes is EntryState.LIVE else None
        base = None
        if changed is None and not all(each(self._setting.book.stamped_at_commit())):
            base = world.entry(host, *where).stamp
        touched = 1 if changed is None else changed.touched + 1
        early = base if changed is None else changed.base
        change = Change(*where, operation.op_id, touched, effect.becomes, token, early)
        rest = (one for one in found.changes if one is not changed)
        return Transaction(
            host,
            tuple(sorted((*rest, change), key=lambda one: (one.region, one.key))),
            tuple(one for one in found.seen if one[:2] != where),
        )

    # How it ends.

    def _commits(self, world: World, operation: Operation, call: Call, found: Transaction) -> Iterator[Step]:
        """A transaction is committed, or fails: a candidate may find that it has met others."""
        host = found.host or operation.member
        held = stood(world, host, operation)
        if held is not None:
            yield Step(("stands in the writer", host, operation.op_id), held)
        if held is not None or stands(world, host, operation):
            return
        yield from self._committed(world, operation, call, found, "commits")
        for status in (Status.FAILED, Status.REFUSED) if found.changes else ():
            yield self._ended(world, operation, call, FAILS, Outcome(status), None)

    def _committed(
        self, world: World, operation: Operation, call: Call, found: Transaction, name: str
    ) -> Iterator[Step]:
        """The changes of a transaction are about to take effect."""
        elsewhere = found.host not in ("", operation.member)
        arrives = each(self._setting.book.commits_elsewhere()) if elsewhere else (True,)
        for applies in arrives:
            kept = found._replace(ending=True, changes=found.changes if applies else ())
            calls = world.calls
            for change in kept.changes:
                by = found.host if elsewhere else ""
                calls = calls.set(change.op_id, Call(Stage.COMMITTED, by=by))
            ending = call._replace(stage=Stage.SENT, outcome=Outcome(Status.OK))
            begin = self._setting.transactions[operation.op_id]
            yield Step(
                (name, operation.member, operation.op_id, applies),
                world.but(
                    calls=calls.set(operation.op_id, ending),
                    transactions=world.transactions.set(begin, kept),
                ),
            )

    def _rolls_back(
        self, world: World, operation: Operation, call: Call, found: Transaction
    ) -> Iterator[Step]:
        """A transaction is rolled back, and nothing has happened."""
        for applies in each(self._setting.book.rollback_applies()):
            if applies and found.changes:
                yield from self._committed(world, operation, call, found, "commits all the same")
                continue
            for after in self._left_by(world, found):
                yield self._ended(after, operation, call, "rolls back", Outcome(Status.OK), None)

    def _left_by(self, world: World, found: Transaction) -> Iterator[World]:
        """The worlds that a transaction may leave behind that was rolled back; as documented, no trace."""
        worlds = [world]
        for change in found.changes:
            where = (found.host, change.region, change.key)
            entry = world.entry(*where)
            if entry.stamp is None:
                continue
            worlds = [
                before
                if stamp == entry.stamp
                else before.but(entries=before.entries.set(where, entry._replace(stamp=stamp)))
                for before in worlds
                for stamp in each(self._setting.book.stamp_rolled_back(entry.stamp))
            ]
        yield from worlds

    # What is committed.

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

    def _takes_effect(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        """What was kept aside changes the entry at the host, as an operation called now would."""
        change = self._change(world, operation)
        host = call.by or operation.member
        done = self._as_of(operation, host, _COMMITTED_AS[change.state])
        if all(self._callers.blocked(world, done)):
            return
        entry = world.entry(host, operation.region, operation.key)
        for state in tombstones.read_as(self._setting.book, entry):
            for effect in effects(done.kind, state, entry.token):
                if effect.becomes is None:
                    finished = call._replace(stage=Stage.SENT, waiting=frozenset())
                    calls = world.calls.set(operation.op_id, finished)
                    yield Step(("finds nothing to commit", host, operation.op_id), world.but(calls=calls))
                    if done.kind in _STANDS_IN and state not in (EntryState.LIVE, EntryState.INVALID):
                        # The others may be told of it all the same: they may have what is gone here.
                        gone = Effect(Status.OK, None, change.state, distributed=True)
                        yield from self._sent_ahead(world, done, call, change, entry, gone)
                    continue
                for step in self._callers.changes(world, view, done, entry, effect):
                    yield from self._stamped(step, done, call, change, entry)
                for step in self._callers.changes(world, _Untold(view), done, entry, effect):
                    if step.shows:
                        untold = Step(("applies untold", *step.name[1:]), step.state.but(gates=world.gates))
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
                for stamp in self._stamps_given(found, change, entry):
                    applied = call._replace(stage=Stage.APPLIED, outcome=outcome, stamp=stamp, update=update)
                    stamped = world.but(calls=world.calls.set(done.op_id, applied))
                    reply = self._setting.operations[done.op_id].member if call.by else ""
                    for step in self._callers.sendings(stamped, done, applied, reply=reply):
                        after = step.state
                        own = Channel(done.thread, done.member, done.member)
                        message = Message(done.op_id, stamp, update)
                        channels = after.channels.set(own, (*after.channels.get(own, ()), message))
                        sent = after.calls[done.op_id]
                        sent = sent._replace(waiting=sent.waiting | {done.member})
                        yield Step(
                            ("sends ahead", *step.name[1:]),
                            after.but(channels=channels, calls=after.calls.set(done.op_id, sent)),
                        )

    def _stamps_given(self, found: Stamp | None, change: Change, before: Entry) -> Iterator[Stamp | None]:
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
                stamp = stamp._replace(version=early + 1)
            for versions in each(book.versions_of_commit(change.touched)):
                given[stamp._replace(version=stamp.version + versions - 1)] = None
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
        for given in self._stamps_given(applied.stamp, change, before):
            entries = world.entries
            if where in entries:
                entries = entries.set(where, entries[where]._replace(stamp=given))
            calls = world.calls.set(done.op_id, applied._replace(stamp=given, by=call.by, silent=silent))
            for after in self._kept_of(world.but(entries=entries, calls=calls), where):
                yield Step(step.name, after, step.shows)

    def _kept_of(self, world: World, where: tuple[str, str, str]) -> Iterator[World]:
        """The worlds in which a destroy that was committed has left its tombstone, or none."""
        if world.entry(*where).state is not EntryState.TOMBSTONE:
            yield world
            return
        for keeps in each(self._setting.book.commit_keeps_tombstone()):
            yield world if keeps else world.but(entries=world.entries.delete(where))

    def _told(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        """The host's listener is told of what was committed before; other changes may have come first."""
        host = call.by or operation.member
        change = self._change(world, operation)
        told = self._replicates.shown(host, self._as_of(operation, host, _COMMITTED_AS[change.state]))
        if not view.fits(*told):
            return
        gates, gate = world.gates, (host, operation.op_id)
        if gates.get(gate) is GateState.ARMED:
            gates = gates.set(gate, GateState.PARKED)
        calls = world.calls.set(operation.op_id, call._replace(silent=False))
        yield Step(("tells", host, operation.op_id), world.but(calls=calls, gates=gates), (told,))

    def _is_led(self, operation: Operation, call: Call) -> bool:
        """Whether another member carries an operation out."""
        return call.by not in ("", operation.member)

    def _sent(self, world: World, operation: Operation, call: Call) -> Iterator[Step]:
        if self._is_led(operation, call):
            done = self._forwarding.as_of(operation, call.by)
            ways = self._callers.sendings(world, done, call, reply=operation.member)
        else:
            ways = self._callers.sendings(world, operation, call)
        found = world.transactions.get(self._setting.transactions[operation.op_id])
        for step in ways:
            if call.silent or (found is not None and len(found.changes) > 1):
                # What a thread sends comes in order; and what is told of first may stand there unsent.
                step.claim = None
            yield step

    def _arrivals(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """What was committed arrives, as any update does."""
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
                yield Step(step.name, after, step.shows)
            return
        for stamp in each(self._setting.book.commit_stamp_stored(entry.stamp, where[0])):
            stored = world
            if stamp != entry.stamp:
                stored = world.but(entries=world.entries.set(where, entry._replace(stamp=stamp)))
            for after in self._kept_of(stored, where):
                yield Step(step.name, after, step.shows)

    def _insisting(self, step: Step, member: str, operation: Operation) -> Iterator[Step]:
        """What has lost is stored all the same, under the winner's stamp; its listener is told or not."""
        world, where = step.state, (member, operation.region, operation.key)
        becomes, _ = ARRIVES[operation.kind]
        token = operation.token if becomes is EntryState.LIVE else None
        entry = world.entry(*where)._replace(state=becomes, token=token)
        stored = world.but(entries=world.entries.set(where, entry))
        told: tuple[tuple[Place, Shown], ...] = (self._replicates.shown(member, operation),)
        for shows in (told, ()):
            yield Step(step.name, stored, (*step.shows, *shows))

    # Whether anything more happens.

    def quiet(self, world: World, held: frozenset[tuple[str, str]]) -> bool:
        """Whether no call of a transaction goes on by itself.

        Args:
            world: the world.
            held: members and keys at which something may be held back.
        """
        of = self._setting.transactions
        return not any(
            op_id in of and self._has_to_go_on(world, op_id, call, held)
            for op_id, call in world.calls.items()
        )

    def _has_to_go_on(self, world: World, op_id: int, call: Call, held: frozenset[tuple[str, str]]) -> bool:
        operation = self._setting.operations[op_id]
        found = world.transactions.get(self._setting.transactions[op_id])
        host = (found.host if found else "") or operation.member
        if call.stage is Stage.CALLED:
            begins = operation.kind is OperationKind.TX_BEGIN
            waits = stands(world, host, operation) or (found is None and not begins)
            members = {host, operation.member}
            if found and not found.host and self._forwarding.is_lesser(operation):
                members |= set(self._forwarding.replicates_of(world, operation))
            return not (call.indefinite or waits or any(member in members for member, _ in held))
        if call.silent:
            return (host, operation.key) not in held
        if call.stage is Stage.COMMITTED:
            done = self._as_of(operation, host, OperationKind.PUT)
            return (host, operation.key) not in held and not any(self._callers.blocked(world, done))
        if call.stage is Stage.APPLIED:
            return world.gates.get((call.by or operation.member, op_id)) is not GateState.PARKED
        return (
            self._is_led(operation, call)
            and self._forwarding.owes_reply(world, operation, call)
            and self._forwarding.others_have_it(operation, call)
        )


def committed(world: World, setting: Setting, op_id: int) -> Iterator[tuple[World, bool]]:
    """The world in which a commit is over, and whether any member has discarded something of it.

    None while something of it is still to be done or acknowledged.
    """
    begin, caller = setting.transactions[op_id], setting.operations[op_id].member
    calls, discarded = world.calls, False
    for change in world.transactions[begin].changes:
        call = calls[change.op_id]
        parked = world.gates.get((call.by or caller, change.op_id))
        if call.stage is not Stage.SENT or call.waiting or call.silent or parked is GateState.PARKED:
            return
        discarded = discarded or call.discarded
        calls = calls.delete(change.op_id)
    after = world.but(calls=calls.delete(op_id), transactions=world.transactions.delete(begin))
    yield after, discarded
