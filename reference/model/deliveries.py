"""Deliveries: what members send each other arrives in the order of its channel, is lost, or comes once more.

Owns the channels between members. `replicates` and the parts for other kinds of regions and holders decide
the effect of a message.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation
from plumbline.reference.model import claims
from plumbline.reference.model.clients.attempts import counted, recognised, seen
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.messages import Channel, Message, MessageState
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.precedence import Precedence
from plumbline.reference.model.sites.repeats import told_again
from plumbline.reference.model.sites.resolving import Resolving
from plumbline.reference.model.sites.senders import Senders
from plumbline.reference.model.world import CallStage, World
from plumbline.reference.rulebook.effects import ARRIVES
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Step, View


class Deliveries:
    """The part of the model that carries messages from one member to another."""

    def __init__(
        self,
        setting: Setting,
        lookahead: Lookahead,
        replicates: Replicates,
        senders: Senders,
        precedence: Precedence,
        resolving: Resolving,
    ) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._replicates = replicates
        self._senders = senders
        self._precedence = precedence
        self._resolving = resolving

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Deliveries of the first message of each channel; or their loss, where the sender has died."""
        dead, lesser = world.wan.dead, self._setting.lesser
        transactions = self._setting.transactions
        for channel, messages in world.channels.in_order():
            head = messages[0]
            if dead and channel.source in dead and head.state is not MessageState.PARKED:
                yield self._lost(world, view, channel)
                yield from self._senders.uncopied(world, channel, head)
            if head.queue:
                yield from self._senders.delivered(world, view, channel, head)
                continue
            if head.state is MessageState.PARKED or all(self.waits(world, head)):
                continue
            if channel.target in self._setting.clients:
                continue
            operation = self._operation(head)
            if self._setting.has_buckets(channel.target, operation.region):
                continue
            if head.state is MessageState.ROLLBACK:
                yield self._replicates.rolled_back(world, channel, operation, head)
                continue
            if (lesser and (channel.target, operation.region) in lesser) or head.op_id in transactions:
                continue
            if self._setting.clears and self._replicates.clearing.owns(operation):
                taken = self._replicates.taken(world, channel, head, discarded=False)
                yield from self._replicates.clearing.received(world, channel, operation, taken, head)
                continue
            if head.event is not None and (channel.target, head.op_id) in world.wan.seen:
                # A receiver that applies a repeated event passes it on; who has it already may know it.
                yield Step(
                    ("recognises", channel.target, head.op_id),
                    self._replicates.taken(world, channel, head, discarded=False),
                    claim=claims.REPEATED_BY_PEER if self._in_vain(world, view, channel, operation) else None,
                )
                yield from told_again(self._replicates, world, view, channel, operation, head)
            if counted(world):
                yield from self._perhaps_again(world, view, channel, operation, head)
            else:
                yield from self.taken_in(world, view, channel, operation, head)

    def _in_vain(self, world: World, view: View, channel: Channel, operation: Operation) -> bool:
        """Whether a repetition has no effect: the log shows none, and no counter is read.

        Where another site also writes the key, even a discarded update gives information on timestamps.
        """
        member, lookahead = channel.target, self._lookahead
        setting = self._setting
        if not setting.as_documented or setting.resolver is not None:
            return False
        if setting.is_shared(operation.region, operation.key):
            return False
        if ARRIVES[operation.kind][0] is not EntryState.LIVE or lookahead.dies(member):
            return False
        if view.still(*self._replicates.shown(member, operation)):
            return False
        return self._replicates.ways.has_counted(world, view, member)

    def taken_in(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Iterator[Step]:
        """The ways in which a replicate takes a message in."""
        for checks in self._setting.checks(operation.region):
            if checks:
                taken = partial(
                    self._replicates.checked, world, channel=channel, operation=operation, head=head
                )
                if self._setting.resolver is None or head.event is not None:
                    yield from taken(view)
                else:
                    at = channel.target
                    yield from self._resolving.asked_about_own(world, view, at, operation, taken)
            else:
                yield from self._replicates.unchecked(world, view, channel, operation, head)

    def _perhaps_again(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Iterator[Step]:
        """A member leaves out what it has seen before: a client has tried it again (001, L44)."""
        member, op_id = channel.target, head.op_id
        for known in recognised(world, self._setting, member, op_id, renamed=head.renamed):
            if known:
                left_out = self._replicates.taken(world, channel, head, discarded=False)
                yield Step(("recognises", member, op_id), left_out)
                continue
            for notes in each(self._setting.book.notes_of_peers()):
                noted = seen(world, self._setting, member, op_id) if notes else world
                yield from self.taken_in(noted, view, channel, operation, head)

    def _operation(self, head: Message) -> Operation:
        if head.event is not None:
            return self._setting.carried(head.event)
        return self._setting.operations[head.op_id]

    def _lost(self, world: World, view: View, channel: Channel) -> Step:
        """The steps by which a dead member's message is lost, and all messages behind it."""
        of_queue = bool(world.channels[channel][0].queue)
        claim = claims.LOST if self._surely_lost(world, view, channel) else None
        if of_queue and self._precedence.stored_in_vain(world, view, channel):
            claim = claims.LOST_IN_ORDER
        elif of_queue and self._senders.never_removes(world, view, channel):
            claim = claims.REMOVAL
        loses = tuple(
            self._replicates.shown(channel.target, self._operation(message))
            for message in world.channels[channel]
            if not message.queue
            and message.event is None
            and not self._setting.lesser
            # A client may be sent by another server what it has lost of this one.
            and channel.target not in self._setting.clients
            # A call that was lost with its primary is tried again at another member.
            and self._operation(message).region not in self._setting.partitioned
        )
        return Step(
            ("is lost", channel.source, channel.target, channel.thread),
            self._without(world, channel),
            loses=loses + (self._precedence.lost_in_vain(world, view, channel) if of_queue else ()),
            fault=True,
            claim=claim,
        )

    def _without(self, world: World, channel: Channel) -> World:
        """The world without what is on a channel of a dead member.

        Operations that it has carried out for others no longer wait for members that never receive them.
        """
        calls = world.calls
        for message in world.channels[channel]:
            call = calls.get(message.op_id)
            if call is None or message.queue or call.by != channel.source:
                continue
            if channel.target != self._setting.operations[message.op_id].member:
                calls = calls.set(message.op_id, replace(call, waiting=call.waiting - {channel.target}))
        return world.but(calls=calls, channels=world.channels.delete(channel))

    def _surely_lost(self, world: World, view: View, channel: Channel) -> bool:
        """Whether a copy of a partitioned region would tell of what is under way, and does not.

        A member without a copy may send it to its clients in silence.
        """
        return (
            view.reduced
            and channel.target not in self._setting.clients
            and not self._lookahead.may_go_untold(world, view, channel.target)
            and all(
                not message.queue
                and (message.sure or not self._setting.serves(channel.target))
                and self._setting.has_buckets(channel.target, self._operation(message).region)
                and self._replicates.decided_by_log(
                    view, *(told := self._replicates.shown(channel.target, self._operation(message)))
                )
                and not view.still(*told)
                for message in world.channels[channel]
            )
        )

    def redelivered(self, world: World, op_id: int, member: str) -> World:
        """The world in which the operation's message is on its way to the member once more."""
        operation = self._setting.operations[op_id]
        channel = Channel(f"again:{op_id}", operation.member, member)
        message = Message(op_id, world.stamps.get(op_id))
        queue = (*world.channels.get(channel, ()), message)
        return world.but(channels=world.channels.set(channel, queue))

    def let_go(self, world: World, member: str, op_id: int) -> World:
        """The world in which the message of an operation no longer stands at the member's gate."""
        for channel, messages in world.channels.items():
            head = messages[0]
            if channel.target == member and head.op_id == op_id and head.state is MessageState.PARKED:
                return self._replicates.taken(world, channel, head, discarded=False)
        return world

    def waits(self, world: World, head: Message) -> tuple[bool, ...]:
        """Whether a delivery is held up by a concurrent one that has not even been sent."""
        if not self._setting.watches_delivery or head.queue:
            return (False,)
        operation = self._setting.operations[head.op_id]
        concurrent = any(
            call.stage is CallStage.APPLIED
            and op_id != head.op_id
            and self._setting.operations[op_id].key == operation.key
            for op_id, call in world.calls.items()
        )
        answers = each(self._setting.book.applies_while_another_is_under_way())
        return tuple(concurrent and not applies for applies in answers)
