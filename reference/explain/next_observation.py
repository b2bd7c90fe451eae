"""What the next entry of the timeline needs: messages that must have come, events that must have been sent.

Knows the history's index and what disturbs; nothing of what comes behind that entry.
"""

from __future__ import annotations

from plumbline.reference.explain.fault_lookahead import FaultLookahead
from plumbline.reference.explain.index import Index
from plumbline.reference.explain.member_lifetimes import NEVER
from plumbline.reference.history.moments import NotParked, Returned, Settled, SettledBut, Waited
from plumbline.reference.history.operations import STORES_VALUE, EventKind, Operation, Status
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.places import TIMELINE, listener_entry, listener_place
from plumbline.reference.model.sites import dependences
from plumbline.reference.model.sites.lanes import sender_of
from plumbline.reference.model.sites.site_state import Sender, WireName
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.effects import ARRIVES, BECOMES
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, View


class NextObservation:
    """What has to happen before the timeline can go on."""

    def __init__(self, index: Index, fault_lookahead: FaultLookahead) -> None:
        self._index = index
        self._fault_lookahead = fault_lookahead

    def wants_message(self, world: World, view: View, channel: Channel) -> bool:
        """Whether what is due needs a message of the channel (see Lookahead)."""
        due = view.due(TIMELINE)
        if isinstance(due, Settled | NotParked | Waited):
            return True
        messages = world.channels[channel]
        if any(
            message.queue
            and self._fault_lookahead.copy_is_looked_at_now(world, channel.target, message.queue)
            for message in messages
        ):
            return True
        if isinstance(due, Returned):
            call = world.calls.get(due.op_id)
            if call is not None and any(
                message.op_id == due.op_id or _awaits(call.waiting, channel) for message in messages
            ):
                return True
        return any(
            self._has_to_return(world, message, channel)
            or (not message.queue and view.fits(*self._shown_by(channel.target, message)))
            for message in messages
        )

    def _has_to_return(self, world: World, message: Message, channel: Channel) -> bool:
        """Whether the message is of a call that is known to have returned.

        That is asked of a call of its own sender, and of a caller that dies: it may have returned before.
        """
        operation = self._index.operations.get(message.op_id)
        if operation is None or message.op_id not in world.calls:
            return False
        if operation.member != channel.source and operation.member not in self._index.lives.doomed:
            return False
        _, outcome = self._index.returned.get(message.op_id, (NEVER, None))
        return outcome is not None and outcome.status not in (Status.INDEFINITE, Status.FAILED)

    def _shown_by(self, member: str, message: Message) -> tuple[Place, Observation]:
        operation = self._index.operations[message.op_id]
        return self.place_of(member, operation)

    def place_of(self, member: str, operation: Operation) -> tuple[Place, Observation]:
        """Where the listener of a member tells of an operation that was called elsewhere, and what."""
        _, kind = ARRIVES.get(operation.kind, (None, EventKind.CLEAR))
        named = self._index.identified or operation.kind in STORES_VALUE
        thread = operation.thread if named else None
        token = operation.token if named else None
        return (
            listener_place(self._index.strength, member, operation.region, operation.key, thread, kind),
            listener_entry(operation.region, operation.key, kind, token),
        )

    def wants_event(self, world: World, view: View, name: WireName, sender: Sender) -> bool:
        """Whether what is due needs an event that the sender has not sent yet (see Lookahead)."""
        due = view.due(TIMELINE)
        waits = isinstance(due, SettledBut) and sender_of(self._index.queues[name.queue]) in due.queues
        if isinstance(due, Settled | NotParked | Waited) and not waits:
            return True
        if dependences.look_behind_fault(name.queue) in self._fault_lookahead.open(world, view):
            return True  # how deep the queue is shows what was answered before the fault
        # A member may need it though its log lacks it: a peer reports it, or a counter does.
        site = self._index.sites[world.wan.wires[name].receiver]
        members = [
            member
            for member, of in self._index.sites.items()
            if of == site and member not in world.wan.dead and member not in self._index.clients
        ]
        return any(
            (member, event.op_id) not in world.wan.seen
            or event.op_id in self._index.received_again
            or self._index.operations[event.op_id].kind not in BECOMES
            or _later(view, self.place_of(member, self._index.operations[event.op_id]))
            for event in sender.queue[sender.sent :]
            for member in members
        )

    def waits_for_all(self, view: View) -> bool:
        """Whether what is due says that all the time was given that anything may take (see Lookahead)."""
        return isinstance(view.due(TIMELINE), NotParked | Waited)


def _later(view: View, shown: tuple[Place, Observation]) -> bool:
    """Whether an entry may be shown now or later."""
    place, entry = shown
    return view.still(place, entry) or not view.observed(place)


def _awaits(waiting: frozenset[object], channel: Channel) -> bool:
    """Whether a call awaits something that comes over the channel."""
    return any(
        isinstance(awaited, tuple) and awaited[1:] == (channel.source, channel.target) for awaited in waiting
    )
