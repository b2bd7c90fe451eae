"""Rest: whether anything more happens by itself.

Asks each part; knows what a parked listener may hold back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from plumbline.reference.model.buckets import Buckets
from plumbline.reference.model.callers import Callers
from plumbline.reference.model.clients.clients import Clients
from plumbline.reference.model.collecting import Collecting
from plumbline.reference.model.deliveries import Deliveries
from plumbline.reference.model.forwarding import Forwarding
from plumbline.reference.model.messages import MessageState
from plumbline.reference.model.pending_copies import PendingCopies
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.dispatch import Dispatch
from plumbline.reference.model.sites.lanes import sender_of
from plumbline.reference.model.sites.parallel_queues import ParallelQueues
from plumbline.reference.model.sites.receivers import Receivers
from plumbline.reference.model.sites.recovery import flushed
from plumbline.reference.model.sites.takeover import Takeover
from plumbline.reference.model.transactions import Transactions
from plumbline.reference.model.world import Call, CallStage, GateState, World, to_go_on
from plumbline.reference.model.writers import stands
from plumbline.reference.rulebook.values import each


class Quiescence:
    """What must have happened before anything can be called settled."""

    def __init__(
        self,
        setting: Setting,
        callers: Callers,
        buckets: Buckets,
        deliveries: Deliveries,
        clients: Clients,
        takeover: Takeover,
        receivers: Receivers,
        dispatch: Dispatch,
        parallel: ParallelQueues,
        forwarding: Forwarding,
        collecting: Collecting,
        transactions: Transactions,
        copies: PendingCopies,
    ) -> None:
        self._copies = copies
        self._transactions = transactions
        self._forwarding = forwarding
        self._collecting = collecting
        self._setting = setting
        self._callers = callers
        self._buckets = buckets
        self._deliveries = deliveries
        self._clients = clients
        self._takeover = takeover
        self._receivers = receivers
        self._dispatch = dispatch
        self._parallel = parallel

    def quiet(
        self,
        state: World,
        held: frozenset[tuple[str, str]] = frozenset(),
        *,
        patient: bool = False,
        waiting: Collection[str] = (),
    ) -> bool:
        """Whether nothing more happens by itself, except where a parked listener may hold it back.

        Args:
            state: the world.
            held: members and keys at which something may be held back.
            patient: whether also what happens only now and then has happened: removals were told of.
            waiting: queues in which something may wait to be sent, or lie on its way as if it did.
        """
        return (
            self._calls_rest(state, held)
            and self._messages_rest(state, held, patient=patient)
            and (not self._setting.transactions or self._transactions.quiet(state, held))
            and (not self._setting.clients or self._clients.quiet(state, held))
            and (not self._setting.partitioned or self._buckets.rests(state, held))
            and (
                not (self._setting.parallel or self._setting.parted)
                or self._parallel.rests(state, held, patient=patient)
            )
            and (not self._setting.queues or self._queues_rest(state, held, waiting, patient=patient))
            and (self._setting.tombstones is None or self._collecting.quiet(state))
            and (not state.images or self._copies_rest(state))
        )

    def _copies_rest(self, state: World) -> bool:
        """Whether copies have come as far as they must: they may wait for what is parked."""
        return self._copies.rests(state) or GateState.PARKED in set(state.gates.values())

    def settled(self, state: World) -> World:
        """The world that the harness has been told to have settled, with nothing held back."""
        state = flushed(state, self._setting)
        return self._clients.settled(state) if self._setting.clients else state

    def _calls_rest(self, state: World, held: frozenset[tuple[str, str]]) -> bool:
        for op_id, call in self._asked(state):
            operation = self._setting.operations[op_id]
            if self._setting.has_buckets(operation.member, operation.region):
                if not self._buckets.may_wait(state, operation, call, held):
                    return False
                continue
            if operation.member in state.wan.dead:
                continue
            if self._setting.lesser and self._forwarding.is_lesser(operation):
                if self._forwarding.has_to_go_on(state, operation, call, held):
                    return False
                if call.stage is CallStage.CALLED:
                    continue
            if self._setting.clears and self._callers.clearing.begins(operation, call):
                if not call.indefinite and self._callers.clearing.must_go_on(state, operation):
                    return False
                continue
            if call.stage is CallStage.CALLED:
                if (
                    not call.indefinite
                    and not stands(state, operation.member, operation)
                    and (operation.member, operation.key) not in held
                    and not any(self._callers.blocked(state, operation))
                    and not self._clients.waits(state, operation)
                ):
                    return False
            elif (
                call.stage is CallStage.APPLIED
                and state.gates.get((call.by or operation.member, op_id)) is not GateState.PARKED
                and not any(self._callers.waits_for_others(state, operation, to_send=True))
            ):
                return False
        return True

    def _asked(self, state: World) -> Iterable[tuple[int, Call]]:
        """The calls that may not rest: no transaction's; and none that have left their member, as a rule."""
        setting = self._setting
        if setting.transactions:
            return [one for one in state.calls.items() if one[0] not in setting.transactions]
        if setting.partitioned or setting.lesser or setting.clears:
            return state.calls.items()  # type: ignore[no-any-return]
        return to_go_on(state.calls)

    def _messages_rest(self, state: World, held: frozenset[tuple[str, str]], *, patient: bool) -> bool:
        for channel, messages in state.channels.items():
            head = messages[0]
            if head.state is MessageState.PARKED or channel.target in self._setting.clients:
                continue
            if head.queue:
                if patient or head.event is not None or channel.source in state.wan.dead:
                    return False  # messages of dead members arrive or are lost before a takeover
                continue
            key = self._setting.operations[head.op_id].key
            if head.op_id in self._setting.transactions and (channel.source, key) in held:
                continue  # the others may wait for the member that commits
            if (channel.target, key) not in held and not any(self._deliveries.waits(state, head)):
                return False
        return True

    def _queues_rest(
        self, state: World, held: frozenset[tuple[str, str]], waiting: Collection[str], *, patient: bool
    ) -> bool:
        for (member, name), sender in state.wan.senders.items():
            if (
                sender.callbacks
                or sender.entering
                or not self._dispatch.idle(
                    state, member, name, waits=sender_of(self._setting.queues[name]) in waiting
                )
            ):
                return False
            tells = all(each(self._setting.book.tells_removals(sender.told > 0)))
            if patient and tells and sender.primary and sender.told < sender.mark:
                return False
            if self._takeover.must_take_over(state, member, name):
                return False
        for connection, wire in state.wan.wires.items():
            if self._receivers.resting(state, connection, wire) or (
                sender_of(self._setting.queues[connection.queue]) in waiting and wire.busy is None
            ):
                continue
            if not wire.events:
                return False
            if (wire.receiver, self._setting.carried(wire.events[0]).key) not in held:
                return False
        return True
