"""Dispatch: the primary sends its queue over a connection, hears what was answered, and only then removes.

Owns the sender's side of a batch. A batch is not a thing of its own here: it is what is sent before the first
of it is answered, and it ends wherever the receiver answers. So every way of cutting batches is a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model import claims
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites import dependences, retries
from plumbline.reference.model.sites.acknowledgements import Acknowledgements
from plumbline.reference.model.sites.batches import Batches
from plumbline.reference.model.sites.conflation import Conflation
from plumbline.reference.model.sites.connections import broken, link_of
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.cut_through import CutThrough
from plumbline.reference.model.sites.failing import Failing
from plumbline.reference.model.sites.filters import EventFilters
from plumbline.reference.model.sites.grouping import TransactionGroups
from plumbline.reference.model.sites.lanes import DispatcherPartition, sender_of
from plumbline.reference.model.sites.listeners import Listeners, waits_for_others
from plumbline.reference.model.sites.parallel_senders import ParallelSenders
from plumbline.reference.model.sites.removal_messages import RemovalMessages
from plumbline.reference.model.sites.site_state import Connection, Queued, Sender, WireName
from plumbline.reference.model.sites.wandering import GOES_ELSEWHERE, elsewhere, is_free
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step, View

TRIES_AGAIN = "connects anew"
"""By this name a sender gives up waiting for an answer that is lost, and sends once more."""

SENDS_EVENT = "sends event"
"""A sender sends the next event of a batch: the name of that step."""


class Dispatch:
    """The part of the model that empties queues."""

    def __init__(
        self,
        setting: Setting,
        lookahead: Lookahead,
        passage: CutThrough,
        parallel: ParallelSenders,
        conflation: Conflation,
    ) -> None:
        self._conflation = conflation
        self._setting = setting
        self._parallel = parallel
        self._lookahead = lookahead
        self._passage = passage
        self._failing = Failing(setting)
        self._filters = EventFilters(setting)
        self._groups = TransactionGroups(setting)
        self._batches = Batches(setting)
        self._listeners = Listeners(setting)
        self._removals_told = RemovalMessages(setting, lookahead)
        self._answers = Acknowledgements(
            setting, lookahead, passage, parallel, self._groups, self._listeners, self._removals_told
        )
        # Every state asks this of every sender.
        self._dispatches = {role: any(each(setting.book.dispatches(role))) for role in (True, False)}

    def heard(self, world: World, view: View) -> Iterator[Step]:
        """Hearing what was answered, and removing it."""
        for member, queue, sender, wire in self._dispatching(world):
            if sender.heard:
                yield from self._answers.removing(world, view, member, queue, sender)
            if wire is not None and wire.replies:
                yield from self._answers.hearing(world, view, member, queue, sender, wire)

    def sent(self, world: World, view: View) -> Iterator[Step]:
        """Connecting, sending or calling a listener, telling of removals."""
        for member, queue, sender, wire in self._dispatching(world):
            if queue.remote_site is None:
                yield from self._listeners.steps(world, view, member, queue, sender)
            elif (
                _has_nothing_to_send(sender, wire)
                or all(self._held_up(world, member, queue))
                or self._is_spent(world, member, queue, sender)
            ):
                continue
            elif wire is not None and sender.sent > sender.heard:
                yield from self._trying_again(world, view, member, queue, sender)
            if queue.remote_site is not None and self._setting.filtering:
                yield from self._withholding(world, member, queue, sender)
            if wire is not None and len(sender.queue) != sender.sent:
                yield from self._sending(world, view, member, queue, sender, wire)
            elif sender.wire == 0 and sender.queue and queue.remote_site is not None:
                yield from self._connecting(world, member, queue, sender)
            if sender.told < sender.mark:
                yield from self._removals_told.steps(world, view, member, queue, sender)

    def _dispatching(self, world: World) -> Iterator[tuple[str, QueueAttributes, Sender, Connection | None]]:
        wan = world.wan
        for (member, name), sender in wan.senders.in_order():
            if member not in wan.dead and (sender.late or any(self._leads(world, member, name, sender))):
                wire = wan.wires.get(WireName(name, member, sender.wire)) if sender.wire > 0 else None
                yield member, self._setting.queues[name], sender, wire

    def _leads(self, world: World, member: str, name: str, sender: Sender) -> tuple[bool, ...]:
        """Whether a member sends what its queue, or its copy, holds."""
        queue = self._setting.queues[name]
        if queue.parallel:
            return tuple(member in some for some in self._parallel.senders_of(world, queue))
        return (self._dispatches[sender.primary],)

    def _is_spent(self, world: World, member: str, queue: QueueAttributes, sender: Sender) -> bool:
        """Whether a member whose bucket has moved away has sent all that it had begun with."""
        leads = any(self._leads(world, member, queue.id, sender))
        return not leads and sender.sent >= sender.late

    def receivers(self, world: World, queue: QueueAttributes) -> list[str]:
        """The members to which the queue's sender could connect."""
        return retries.receivers_of(self._setting, world, queue)

    def _held_up(self, world: World, member: str, queue: QueueAttributes) -> tuple[bool, ...]:
        """Whether the sender waits for another one of its member that has no receiver, or for a listener."""
        beside = (
            self._parallel.waits(world, member, queue)
            if queue.parallel
            else waits_for_others(self._setting, world, member, queue)
        )
        if any(beside):
            return beside
        waits = each(self._setting.book.waits_for_other_senders())
        stuck = any(waits) and any(
            at == member
            and name != queue.id
            and one.queue
            and self._setting.led_to[name]
            and not self.receivers(world, self._setting.queues[name])
            for (at, name), one in world.wan.senders.items()
        )
        return waits if stuck else (False,)

    def idle(self, world: World, member: str, name: str, *, waits: bool = False) -> bool:
        """Whether the sender has nothing to do unless something else happens first.

        Where it is known to wait, an unobserved event may hold up what it could send.
        """
        sender = world.wan.senders[member, name]
        if not all(self._leads(world, member, name, sender)):
            return True
        if sender.heard:
            return False
        queue = self._setting.queues[name]
        if self._filters.may_block(queue, sender) or self._groups.may_stay(queue, sender):
            return True
        if queue.remote_site is None:
            return self._listeners.idle(world, member, queue, sender)
        if any(self._held_up(world, member, queue)) or self._may_wait_for_another_group(world, member, queue):
            return True
        if not sender.wire:
            book, reachable = self._setting.book, self.receivers(world, queue)
            if sender.queue and not reachable and not any(each(book.stays_without_receiver())):
                return False
            if retries.finds_none(self._setting, world, queue, sender):
                return False
            stuck = not any(all(self._reconnects(sender, receiver)) for receiver in reachable)
            return stuck or not sender.queue or not retries.must_try(self._setting, world, sender)
        wire = world.wan.wires.get(WireName(name, member, sender.wire))
        if wire is None:
            return True
        lost = world.wan.links.get(link_of(queue)) is FaultKind.REPLIES_LOST
        if wire.replies and not lost and not self._failing.withholds(world, queue, member, sender.wire):
            return not any(self._groups.answered(sender, wire.replies))
        # Once something is unanswered the batch may have ended there.
        if waits or bool(sender.sent) or sender.paused or len(sender.queue) == sender.sent:
            return True
        return not self._batches.must_leave(world, queue, sender)

    def _may_wait_for_another_group(self, world: World, member: str, queue: QueueAttributes) -> bool:
        """Whether its dispatcher may have another group, too, and wait for what concerns that.

        That is the answer to a batch, or the time until it looks for a receiver again.
        """
        if not isinstance(queue, DispatcherPartition) or queue.group is None:
            return False
        if all(each(self._setting.book.sends_while_unanswered())):
            return False
        lanes = (lane for lane in self._setting.lanes[queue.sender] if lane != queue.id)
        others = (world.wan.senders.get((member, lane)) for lane in lanes)
        return any(other is not None and (other.sent or other.vain is not None) for other in others)

    def may_take_in(self, world: World) -> bool:
        """Whether some batch may leave, and takes in what is queued until it does."""
        return world.wan.stands and any(
            self._batches.takes_in(self._setting.queues[name], sender)
            for (_, name), sender in world.wan.senders.items()
        )

    def _connecting(
        self, world: World, member: str, queue: QueueAttributes, sender: Sender
    ) -> Iterator[Step]:
        reachable = self.receivers(world, queue)
        if not reachable and not all(each(self._setting.book.stays_without_receiver())):
            given_up = replace(sender, queue=(), sent=0, heard=0, mark=sender.last)
            yield Step(("gives up", member, queue.id), with_sender(world, member, queue.id, given_up))
        if retries.finds_none(self._setting, world, queue, sender):
            tried = replace(sender, vain=(0, 0))
            yield Step(("finds no receiver", member, queue.id), with_sender(world, member, queue.id, tried))
        for receiver in reachable if retries.may_try(self._setting, world, sender) else ():
            if not any(self._reconnects(sender, receiver)):
                continue
            number = sender.wires + 1
            wires = world.wan.wires.set(WireName(queue.id, member, number), Connection(receiver))
            connected = replace(sender, wire=number, wires=number, sent=sender.heard, horizon=0, vain=None)
            if not sender.wires and not self._reconnects_to_any():
                connected = replace(connected, knows=receiver)
            after = with_sender(world, member, queue.id, connected)
            yield Step(
                ("connects", member, queue.id, receiver),
                after.but(wan=replace(after.wan, wires=wires)),
                # Where time stands, a batch that is full takes in more until it leaves: when it may, matters.
                claim=claims.CONNECT if len(reachable) == 1 and not world.wan.stands else None,
                clashes=dependences.unreachable(queue, member, self._setting.led_to[queue.id]),
            )

    def _reconnects(self, sender: Sender, receiver: str) -> tuple[bool, ...]:
        """Whether the sender connects to a receiver, as it always does the first time."""
        return each(self._setting.book.reconnects(receiver == sender.knows)) if sender.wires else (True,)

    def _reconnects_to_any(self) -> bool:
        """Whether it does not matter which receiver the sender knows: it connects again to any."""
        return all(answer for same in (True, False) for answer in each(self._setting.book.reconnects(same)))

    def _withholding(
        self, world: World, member: str, queue: QueueAttributes, sender: Sender
    ) -> Iterator[Step]:
        """A batch that begins with withheld events leaves them out; nothing has to be answered for that."""
        if not sender.queue or sender.sent or sender.heard or sender.paused:
            return
        if not any(self._filters.withholds(queue, sender, 0)) or self._filters.blocks(queue, sender, 0):
            return
        for begun in self._batches.begun(world, queue, sender):
            count = next(
                (
                    place
                    for place, event in enumerate(begun.queue)
                    if event.position > begun.horizon or not any(self._filters.withholds(queue, begun, place))
                ),
                len(begun.queue),
            )
            left = replace(begun, sent=count, heard=count)
            yield Step(
                ("withholds event", member, queue.id, sender.queue[0].op_id),
                with_sender(world, member, queue.id, left),
            )

    def _trying_again(
        self, world: World, view: View, member: str, queue: QueueAttributes, sender: Sender
    ) -> Iterator[Step]:
        """While answers are lost the sender waits no longer, and connects again (002, L105: it keeps trying).

        Only where that can show: a recognised repetition is as if it had not been sent.
        """
        if world.wan.links.get(link_of(queue)) is not FaultKind.REPLIES_LOST:
            return
        unanswered = sender.queue[sender.heard : sender.sent]
        if sender.tries >= self._lookahead.most_tries() or not any(
            self._passage.shows_again(world, view, queue.id, event) for event in unanswered
        ):
            return
        tried = with_sender(world, member, queue.id, replace(sender, tries=sender.tries + 1))
        for after in broken(
            tried, WireName(queue.id, member, sender.wire), self._setting, receiver_lives=True
        ):
            yield Step((TRIES_AGAIN, member, queue.id), after, fault=True)

    def _sending(
        self, world: World, view: View, member: str, queue: QueueAttributes, sender: Sender, wire: Connection
    ) -> Iterator[Step]:
        if sender.paused and not sender.sent:
            return
        # A sender that does not wait for answers may end a batch anywhere; paused, none begins.
        ahead = any(each(self._setting.book.sends_while_unanswered())) and not sender.paused
        batches: Iterable[Sender]
        if not (sender.sent and not ahead) and not self._batches.goes_on(world, sender):
            batches = self._batches.begun(world, queue, sender)
        elif (
            view.reduced
            and not sender.paused
            and not world.wan.stands
            and len(wire.events) == sender.sent
            and not self._setting.filtering
            and not self._groups.may_group(queue)
        ):
            # No receiver has taken any of it yet, so the batch may begin only now and hold more.
            anew = self._batches.begun(world, queue, replace(sender, sent=0))
            batches = (replace(begun, sent=sender.sent) for begun in anew)
        else:
            batches = (sender,)
        for begun in batches:
            for step in self._sent(world, view, member, queue, begun, wire):
                step.claim = None if self._setting.wanders else step.claim  # it may go elsewhere later
                yield step
        if is_free(self._setting, sender) and not self._batches.goes_on(world, sender):
            yield from self._sending_elsewhere(world, view, member, queue, sender, wire)

    def _sending_elsewhere(
        self, world: World, view: View, member: str, queue: QueueAttributes, sender: Sender, wire: Connection
    ) -> Iterator[Step]:
        receivers = self.receivers(world, queue)
        for after, moved, found in elsewhere(world, member, queue, sender, wire, receivers):
            for begun in self._batches.begun(after, queue, moved):
                for step in self._sent(after, view, member, queue, begun, found):
                    step.name, step.claim = (GOES_ELSEWHERE, *step.name[1:]), None
                    yield step

    def _sent(
        self, world: World, view: View, member: str, queue: QueueAttributes, sender: Sender, wire: Connection
    ) -> Iterator[Step]:
        """The next event of the batch under way is sent."""
        book, horizon = self._setting.book, sender.horizon
        name = WireName(queue.id, member, sender.wire)
        unsent = len(sender.queue) - sender.sent
        # An event may stay on its way until it is lost, or sent again, as if it had not been sent. Only what
        # was held back by a pause, or by answers that are lost, settles without having arrived.
        paused = dependences.pause_of(member, sender_of(queue))
        hindered = frozenset((paused, dependences.replies_lost(*link_of(queue))))
        if not self._setting.resends:
            hindered |= dependences.sends_again(queue, member, wire.receiver)
        # Where no answer comes, or the queue is paused, whether a batch went on or had ended decides what is
        # applied before the next.
        # What a filter withholds shows nowhere, and whether it was in a batch decides what may leave with it.
        filtered = bool(self._setting.filtering)
        lost = sender.paused or world.wan.links.get(link_of(queue)) is FaultKind.REPLIES_LOST
        if not lost and self._passage.is_free(world, view, name, sender, wire, sender.queue[sender.sent]):
            # A fault shows only whether it has left its queue by then, and only to a reading of the queue.
            hindered = claims.LOOKED_AT | {dependences.look_behind_fault(queue.id)}
        for ahead in each((book.next_of_bucket if queue.parallel else book.next_of_queue)(unsent)):
            index = sender.sent + ahead
            event = sender.queue[index]
            moved = bool(sender.late) and not any(self._leads(world, member, queue.id, sender))
            if event.position > horizon or (moved and index >= sender.late):
                continue
            if self._filters.blocks(queue, sender, index):
                return
            may_go = self._conflation.may_go(view, queue.id, sender, event)
            runs = self._groups.runs(queue, sender, index)
            # What is sent of a transaction depends on what of it is queued by then.
            settled = len(runs) == 1 and not self._groups.may_grow(world, queue, event)
            for run in runs:
                events = [sender.queue[place] for place in run]
                for after in self._sent_at_once(world, member, queue, sender, wire, events):
                    yield Step(
                        (SENDS_EVENT, member, queue.id, event.op_id),
                        after,
                        claim=None
                        if (sender.sent and lost) or may_go or moved or filtered or not settled
                        else claims.SEND_EVENT,
                        undone_by=hindered if self._setting.resends and len(run) == 1 else frozenset(),
                        wanted=partial(self._lookahead.wants_event, world, view, name, sender),
                        clashes=hindered | claims.TIME_PASSES,
                        prefer=-1 if may_go else 0,
                    )

    def _sent_at_once(
        self,
        world: World,
        member: str,
        queue: QueueAttributes,
        sender: Sender,
        wire: Connection,
        events: Iterable[Queued],
    ) -> Iterator[World]:
        """The worlds in which these events have been sent, one after the other."""
        found = [(world, sender, wire)]
        for number, event in enumerate(events):
            joined = replace(event, joined=number > 0) if event.joined is not (number > 0) else event
            found = [
                after
                for before, its_sender, its_wire in found
                for after in self._put_on(before, member, queue, its_sender, its_wire, joined)
            ]
        return (after for after, _, _ in found)

    def _put_on(
        self,
        world: World,
        member: str,
        queue: QueueAttributes,
        sender: Sender,
        wire: Connection,
        event: Queued,
    ) -> Iterator[tuple[World, Sender, Connection]]:
        """The worlds in which an event has been put on a connection, with its sender and that."""
        book, name = self._setting.book, WireName(queue.id, member, sender.wire)
        index = next(
            place
            for place, one in enumerate(sender.queue[sender.sent :], sender.sent)
            if one.position == event.position and one.op_id == event.op_id
        )
        order = (
            *sender.queue[: sender.sent],
            event,
            *sender.queue[sender.sent : index],
            *sender.queue[index + 1 :],
        )
        for early, withheld in product(
            each(book.removes_when_sent()), self._filters.withholds(queue, sender, index)
        ):
            if early:
                # The events answered, or sent and kept, cannot be more than the events left.
                kept = order[1:]
                after = replace(
                    sender,
                    queue=kept,
                    sent=min(sender.sent, len(kept)),
                    heard=min(sender.heard, len(kept)),
                    mark=max(sender.mark, event.position),
                )
            else:
                after = replace(sender, queue=order, sent=sender.sent + 1)
            sent = with_sender(world, member, queue.id, after)
            bare = replace(event, position=0, update=False, withheld=withheld, joined=False, again=False)
            for late, told in product(
                each(book.replies_after_applying()), each(book.tells_removal_when_sent())
            ):
                filled = replace(
                    wire,
                    events=(*wire.events, bare),
                    replies=wire.replies + (not late),
                    early=wire.early + (not late),
                )
                wires = sent.wan.wires.set(name, filled)
                sent = sent.but(wan=replace(sent.wan, wires=wires))
                known = self._removals_told.told(sent, member, queue, event.position) if told else sent
                for told_of in self._answers.announced(known, member, queue, (event,), "offered"):
                    yield told_of, after, filled


def _has_nothing_to_send(sender: Sender, wire: Connection | None) -> bool:
    """Whether a sender has sent all events, heard all answers and told of all removals."""
    if sender.told < sender.mark:
        return False
    if wire is None:
        return sender.wire > 0 or not sender.queue
    return sender.sent <= sender.heard and len(sender.queue) == sender.sent
