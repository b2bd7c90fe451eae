"""Transactions: operations of a thread are kept aside and take effect when it commits (004, L109 to L113).

Owns the calls of operations between a begin and its end; `committing` decides the effect of the changes. On a
member without a replicate a replicate carries the transaction out. Only without clients and partitioned
regions; committed changes enter the queues of gateway senders.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from plumbline.reference.history.operations import (
    LOCAL,
    OF_TRANSACTIONS,
    READS,
    Operation,
    OperationKind,
    Outcome,
    Status,
)
from plumbline.reference.model import tombstones
from plumbline.reference.model.callers import Callers
from plumbline.reference.model.committing import STANDS_IN, Committing
from plumbline.reference.model.forwarding import Forwarding
from plumbline.reference.model.messages import MessageState
from plumbline.reference.model.places import outcome_entry, outcome_place
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Call, CallStage, Change, GateState, Transaction, World
from plumbline.reference.model.writers import stands, stood
from plumbline.reference.rulebook.effects import effects
from plumbline.reference.rulebook.values import Effect, EntryState, each
from plumbline.reference.search.transition import Step, View

FAILS = "fails to commit"
"""What the step is called by which a commit ends without effect, as a candidate may say it has met others."""

_DISTRIBUTED = {
    OperationKind.LOCAL_DESTROY: OperationKind.DESTROY,
    OperationKind.LOCAL_INVALIDATE: OperationKind.INVALIDATE,
}
"""As what a local operation is kept aside, where it is not refused."""


class Transactions:
    """The part of the model that keeps operations aside and commits them."""

    def __init__(
        self,
        setting: Setting,
        callers: Callers,
        forwarding: Forwarding,
        committing: Committing,
    ) -> None:
        self._setting = setting
        self._callers = callers
        self._forwarding = forwarding
        self._committing = committing

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Calls of operations of transactions, and the arrival of what was committed."""
        of = self._setting.transactions
        for op_id, call in world.calls.items():
            if op_id in of:
                yield from self._of_call(world, view, self._setting.operations[op_id], call)
        for channel, messages in world.channels.in_order():
            head = messages[0]
            if head.op_id in of and head.state is MessageState.ON_THE_WAY and not head.queue:
                yield from self._committing.arrivals(world, view, channel, head)

    def _of_call(self, world: World, view: View, operation: Operation, call: Call) -> Iterator[Step]:
        if call.silent:
            yield from self._committing.told(world, view, operation, call)
        if call.stage is CallStage.COMMITTED:
            yield from self._committing.takes_effect(world, view, operation, call)
        elif call.stage is CallStage.APPLIED:
            yield from self._committing.sent(world, view, operation, call)
        elif call.stage is CallStage.SENT:
            if self._committing.owes_reply(world, operation, call):
                yield self._forwarding.replied(world, operation, call)
        elif call.stage is CallStage.CALLED:
            begin = self._setting.transactions[operation.op_id]
            found = world.transactions.get(begin)
            if operation.kind is OperationKind.TX_BEGIN:
                yield self._ended(world, operation, call, "begins", Outcome(Status.OK), Transaction())
            elif found is None or found.ending:
                return  # its begin has not happened yet, or it is over
            elif operation.kind in OF_TRANSACTIONS and self._waits(world, begin, operation.op_id):
                return  # an earlier call of its thread has not returned
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
        calls = world.calls.set(operation.op_id, replace(call, stage=CallStage.DONE, outcome=outcome))
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
            if early and kind not in LOCAL | READS and not self._forwarding.is_lesser(operation):
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
        stands_in = kind in STANDS_IN and self._forwarding.is_lesser(operation)
        for takes in each(self._setting.book.takes_in_transaction(kind)) if stands_in else (True,):
            if takes:
                yield from self._kept_aside(world, operation, operation, call, found)
            else:
                yield refused

    def _refuses_local(self, operation: Operation) -> tuple[bool, ...]:
        """Whether an operation is refused that is local; its effect elsewhere is not modelled."""
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
        """The members that may carry out a transaction whose first operation is called here."""
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
        own = [(one.state, one.token) for one in found.changes if (one.region, one.key) == where]
        for state, _ in own:
            finds = each(self._setting.book.finds_own_change(state is EntryState.TOMBSTONE))
            if all(finds):
                return own
            own = own if any(finds) else []
        ways = [(state, token) for region, key, state, token in found.seen if (region, key) == where]
        ways += own
        for member in dict.fromkeys((host, operation.member)):
            entry = world.entry(member, *where)
            states = tombstones.read_as(self._setting.book, entry, operation.kind)
            ways += [(state, entry.token) for state in states]
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
                return replace(found, host=host)
            others = (one for one in found.seen if one[:2] != where)
            return replace(found, host=host, seen=tuple(sorted((*others, (*where, *read)), key=repr)))
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
            kept = replace(found, ending=True, changes=found.changes if applies else ())
            calls = world.calls
            for change in kept.changes:
                by = found.host if elsewhere else ""
                calls = calls.set(change.op_id, Call(CallStage.COMMITTED, by=by))
            ending = replace(call, stage=CallStage.SENT, outcome=Outcome(Status.OK))
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
        elsewhere = found.host not in ("", operation.member)
        for applies in each(self._setting.book.rollback_applies(elsewhere)):
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
                else before.but(entries=before.entries.set(where, replace(entry, stamp=stamp)))
                for before in worlds
                for stamp in each(self._setting.book.stamp_rolled_back(entry.stamp))
            ]
        yield from worlds

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
        if call.stage is CallStage.CALLED:
            begins = operation.kind is OperationKind.TX_BEGIN
            waits = stands(world, host, operation) or (found is None and not begins)
            members = {host, operation.member}
            if found and not found.host and self._forwarding.is_lesser(operation):
                members |= set(self._forwarding.replicates_of(world, operation))
            return not (call.indefinite or waits or any(member in members for member, _ in held))
        if call.silent:
            # No document says whether the host's listener is told before the others have answered.
            answered = not (call.stage is CallStage.SENT and call.waiting)
            return answered and (host, operation.key) not in held
        if call.stage is CallStage.COMMITTED:
            return (host, operation.key) not in held and not self._committing.waits(world, operation, host)
        if call.stage is CallStage.APPLIED:
            return world.gates.get((call.by or operation.member, op_id)) is not GateState.PARKED
        return self._committing.owes_reply(world, operation, call) and self._forwarding.others_have_it(
            operation, call
        )
