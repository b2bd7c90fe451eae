"""Parallel gateway senders: each member sends what its primary buckets hold of the queue (002).

A region's key is a bucket, and has a lane of the sender: a queue of its own, with a connection of its own, on
each member that holds the key. Owns how events enter lanes, which member sends them, and what copies learn of
their removal. `dispatch` sends a lane as any queue. `buckets` knows who takes over.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.operations import Operation, QueueAttributes
from plumbline.reference.model import claims
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.copies import with_sender
from plumbline.reference.model.sites.dependences import crash_of
from plumbline.reference.model.sites.feeding import Feeding
from plumbline.reference.model.sites.lanes import DispatcherPartition
from plumbline.reference.model.sites.site_state import ParallelCopy, Queued, Sender
from plumbline.reference.model.world import Bucket, World
from plumbline.reference.rulebook.values import each
from plumbline.reference.search.transition import Step, View

Where = tuple[str, str]


class ParallelSenders:
    """The part of the model that fills the lanes of parallel senders, and keeps their copies alike."""

    def __init__(self, setting: Setting, lookahead: Lookahead, feeding: Feeding) -> None:
        self._setting = setting
        self._lookahead = lookahead
        self._feeding = feeding

    def feeds(self, where: Where, member: str) -> list[DispatcherPartition]:
        """The lanes on a member that a key feeds."""
        site = self._setting.site_of.get(member)
        return [
            lane
            for lane in self._setting.lanes_at(where)
            if lane.site == site and any(self._feeding.feeds_of(where[0], lane))
        ]

    def copied(
        self,
        world: World,
        member: str,
        operation: Operation,
        holders: tuple[tuple[str, ...], ...],
        *,
        update: bool,
    ) -> Iterator[World]:
        """The worlds in which a member beside the primary has received an operation, and may hold its event.

        Args:
            world: it has received it.
            member: which member.
            operation: which operation.
            holders: the members beside the primary that hold it; of several one is chosen.
            update: whether its key was there where it was carried out.
        """
        worlds = [world]
        for lane in self.feeds((operation.region, operation.key), member):
            worlds = [
                after
                for before in worlds
                for held in holders
                for after in (
                    self.entered(before, member, operation, lane, update=update)
                    if member in held
                    else (before,)
                )
            ]
        yield from worlds

    def entered(
        self, world: World, member: str, operation: Operation, lane: QueueAttributes, *, update: bool
    ) -> Iterator[World]:
        """The worlds in which an event has entered a member's lane, where an operation of the kind does."""
        sender = _sender(world, member, lane)
        ways = product(
            self._feeding.crossings(operation, lane, update=update),
            self._feeding.refusals(world, member, operation, lane),
        )
        for crosses, refused in ways:
            if not crosses or refused or any(event.op_id == operation.op_id for event in sender.queue):
                yield world
                continue
            event = Queued(
                operation.op_id,
                operation.kind,
                operation.token,
                lane.site,
                frozenset((operation.op_id,)),
                position=sender.last + 1,
            )
            grown = replace(sender, queue=(*sender.queue, event), last=event.position)
            yield with_sender(world, member, lane.id, grown)

    def senders_of(self, world: World, lane: QueueAttributes) -> tuple[tuple[str, ...], ...]:
        """Which members send what a lane holds; none until another has taken a dead primary's part."""
        bucket: Bucket | None = world.buckets.get(where_of(lane))
        return ((),) if bucket is None else dispatchers(self._setting, world, bucket)

    def waits(self, world: World, member: str, lane: QueueAttributes) -> tuple[bool, ...]:
        """Whether a member sends nothing as others wait for answers: it does not wait for them."""
        own = self._setting.lanes[lane.sender] if isinstance(lane, DispatcherPartition) else ()
        unanswered = any(
            sender.sent and other != member and other not in world.wan.dead
            for (other, name), sender in world.wan.senders.items()
            if name in own
        )
        return each(self._setting.book.waits_for_other_members(unanswered))

    def announced(
        self, world: World, member: str, lane: QueueAttributes, gone: tuple[Queued, ...], state: str
    ) -> Iterator[World]:
        """The worlds in which other members are to remove events of a lane, in that state of them.

        A message that comes too early, as none should, has arrived before anything else happens.
        """
        book = self._setting.book
        for is_named in each(book.named_in_removal(state)):
            for count in each(book.named_of_batch(len(gone))) if is_named else (0,):
                worlds = [world]
                for other in self._setting.others[member] if count else ():
                    if other not in world.wan.dead:
                        worlds = [
                            after
                            for before in worlds
                            for is_heard in hears(self._setting, world, where_of(lane), other)
                            for after in (
                                self._cut(before, other, lane, gone[:count], at_once=state != "done")
                                if is_heard
                                else (before,)
                            )
                        ]
                yield from worlds

    def _cut(
        self, world: World, member: str, lane: QueueAttributes, gone: tuple[Queued, ...], *, at_once: bool
    ) -> Iterator[World]:
        """The worlds in which a member is to remove what a message names, as far as it holds it."""
        ids = {event.op_id for event in gone}
        held = {name: sender for name, sender in self._held(world, member, lane).items() if sender.queue}
        of_lane = held[lane.id].queue if lane.id in held else ()
        named = tuple(event.op_id for event in of_lane if event.op_id in ids)
        own = tuple(event.op_id for event in of_lane if event.op_id not in ids)
        others = tuple(e.op_id for name, one in held.items() if name != lane.id for e in one.queue)
        for cut in each(self._setting.book.cut_from_copies(named, own, others)):
            after = world
            for name, sender in held.items():
                here = tuple(one.op_id for one in sender.queue if one.op_id in cut)
                if at_once:
                    after = with_sender(after, member, name, _without(sender, here))
                elif here:
                    new = tuple(one for one in here if one not in sender.leaving)
                    after = with_sender(after, member, name, replace(sender, leaving=(*sender.leaving, *new)))
            yield after

    def _held(self, world: World, member: str, lane: QueueAttributes) -> dict[str, Sender]:
        """What a member holds of all lanes of a lane's sender."""
        assert isinstance(lane, DispatcherPartition)  # noqa: S101 - a parallel sender has nothing else
        found = {name: world.wan.senders.get((member, name)) for name in self._setting.lanes[lane.sender]}
        return {name: sender for name, sender in found.items() if sender is not None}

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """A copy receives that an event has left the queue, in the order of its key.

        Only a look at the copy shows when that was, and a primary's death. So it is received no sooner.
        """
        waits = view.reduced and self._lookahead.waits_for_all(view)
        for (member, name), sender in world.wan.senders.in_order():
            if not sender.leaving or not sender.queue or member in world.wan.dead:
                continue
            seen = self._lookahead.copy_is_looked_at_now(world, member, name)
            bucket: Bucket = world.buckets[where_of(self._setting.queues[name])]
            lives = bucket.primary not in world.wan.dead
            # Who has become primary sends what it has not heard of by then.
            leads = bucket.primary == member
            if sender.queue[0].op_id not in sender.leaving or (
                view.reduced and not (seen or waits or leads) and lives
            ):
                continue
            op_id = sender.queue[0].op_id
            yield Step(
                ("learns of a removal", member, name, op_id),
                with_sender(world, member, name, _without(sender, (op_id,))),
                claim=claims.REMOVAL if waits and lives and not (seen or leads) else None,
                clashes=claims.LOOKED_AT | {crash_of(bucket.primary)},
            )

    def rests(self, world: World, *, patient: bool) -> bool:
        """Whether nothing is still to be learnt of removals, where all the time was given for that."""
        return not patient or not any(
            _goes(sender) for (member, _), sender in world.wan.senders.items() if member not in world.wan.dead
        )

    def is_announced(self, world: World, where: Where) -> bool:
        """Whether some member still holds an event of a key whose removal was announced to it."""
        lanes = {lane.id for lane in self._setting.lanes_at(where)}
        return any(_goes(sender) for (_, name), sender in world.wan.senders.items() if name in lanes)

    def promoted(self, world: World, where: Where, heir: str) -> Iterator[World]:
        """The worlds in which a member has become primary of a key, with what it holds of its lanes."""
        book, worlds = self._setting.book, [world]
        for lane in self._setting.lanes_at(where):
            # What the dead primary had still to announce is lost with it.
            for (member, name), sender in world.wan.senders.items():
                if name == lane.id and sender.leaving:
                    worlds = [with_sender(one, member, name, replace(sender, leaving=())) for one in worlds]
            own = replace(_sender(world, heir, lane), leaving=(), primary=True)
            worlds = [
                with_sender(before, heir, lane.id, _holding(own, kept, skipped))
                for before in worlds
                for skipped in each(book.skipped_at_promotion(len(own.queue)))
                for in_order in each(book.promoted_in_order())
                for kept in [own.queue[skipped:] if in_order else _turned(own.queue[skipped:])]
            ]
        yield from worlds

    def moved(self, world: World, where: Where, old: str, heir: str, *, whole: bool) -> Iterator[World]:
        """The worlds in which a living member has become primary of a key in place of another.

        What the old primary has begun to send may still arrive, and it may hear of that. Where the whole
        bucket moves it keeps nothing. See `ParallelQueues.moved`.
        """
        book, worlds = self._setting.book, [world]
        for lane in self._setting.lanes_at(where):
            found = []
            for before in worlds:
                left, own = _sender(before, old, lane), _sender(before, heir, lane)
                source = left if whole else own
                ways = product(each(book.lost_in_move(len(source.queue))), each(book.queue_moves_too()))
                for lost, goes in ways:
                    kept = source.queue[lost:] if goes or not whole else ()
                    lead = replace(own, queue=kept, last=max(own.last, source.last), primary=True)
                    if lost:
                        lead = replace(lead, sent=0, heard=0, wire=0)
                    late = left.sent if left.paused else len(left.queue)
                    rest = replace(left, primary=False, late=late)
                    if whole:
                        lead = replace(lead, leaving=left.leaving)
                        rest = replace(rest, queue=() if goes else left.queue, leaving=(), late=0)
                        rest = replace(rest, sent=0, heard=0, wire=0)
                    after = with_sender(before, heir, lane.id, replace(lead, late=0))
                    found.append(with_sender(after, old, lane.id, rest))
            worlds = found
        yield from worlds


def dispatchers(setting: Setting, world: World, bucket: Bucket) -> tuple[tuple[str, ...], ...]:
    """Which members dispatch for a bucket; none until another has taken a dead primary's part."""
    if bucket.primary in world.wan.dead:
        return ((),)
    found = each(setting.book.dispatchers_of(bucket.primary, bucket.copies))
    if not bucket.former or bucket.former in world.wan.dead:
        return found
    goes_on = each(setting.book.deposed_dispatches())
    return tuple((*some, bucket.former) if goes else some for some in found for goes in goes_on)


def hears(setting: Setting, world: World, where: Where, member: str) -> tuple[bool, ...]:
    """Whether a member hears of a removal: not, where one does not that was primary before a move."""
    bucket: Bucket | None = world.buckets.get(where)
    return each(setting.book.deposed_hears()) if bucket and bucket.former == member else (True,)


def begun(world: World, setting: Setting, where: Where) -> World:
    """The world in which the holders of a key, which are known by now, run its lanes."""
    bucket: Bucket = world.buckets[where]
    for lane in setting.lanes_at(where):
        for member in (bucket.primary, *bucket.copies):
            if member not in world.wan.dead:
                sender = replace(_sender(world, member, lane), primary=member == bucket.primary)
                world = with_sender(world, member, lane.id, sender)
    return world


def where_of(lane: QueueAttributes) -> Where:
    """The region and key of a parallel sender's lane."""
    group = (lane.group if isinstance(lane, DispatcherPartition) else None) or "\0"
    region, key = group.split("\0", 1)
    return region, key


def set_paused(world: World, setting: Setting, member: str, queue: str, *, pauses: bool) -> World:
    """The world in which a member begins no further batch of a parallel sender, or does so again."""
    parallel = world.wan.parallel
    if pauses:
        parallel = parallel.set((member, queue), ParallelCopy(paused=True))
    elif (member, queue) in parallel:
        parallel = parallel.delete((member, queue))
    world = world.but(wan=replace(world.wan, parallel=parallel))
    for name in setting.lanes[queue]:
        sender = world.wan.senders.get((member, name))
        if sender is not None:
            world = with_sender(world, member, name, replace(sender, paused=pauses))
    return world


def lanes_on(world: World, setting: Setting, member: str, queue: str) -> list[Sender]:
    """What a member holds of a parallel sender, key by key."""
    found = (world.wan.senders.get((member, name)) for name in setting.lanes[queue])
    return [sender for sender in found if sender is not None]


def _sender(world: World, member: str, lane: QueueAttributes) -> Sender:
    """A member's part of a lane; nothing so far, and held back where the sender is on that member."""
    found: Sender | None = world.wan.senders.get((member, lane.id))
    if found is not None:
        return found
    sender = lane.sender if isinstance(lane, DispatcherPartition) else lane.id
    return Sender(paused=(member, sender) in world.wan.parallel)


def _goes(sender: Sender) -> bool:
    """Whether a member holds an event whose removal others have announced."""
    return bool(sender.leaving) and any(event.op_id in sender.leaving for event in sender.queue)


def _without(sender: Sender, gone: tuple[int, ...]) -> Sender:
    """What a member holds of a lane without some events. A copy that sends, as none should, may have."""
    left = tuple(event for event in sender.queue if event.op_id not in gone)
    leaving = tuple(one for one in sender.leaving if one not in gone)
    late = sum(event.op_id not in gone for event in sender.queue[: sender.late])
    if sender.late and any(event.op_id in gone for event in sender.queue[: sender.sent]):
        # Its bucket has moved: what it has sent has left by the new primary, and no answer matters any more.
        return replace(sender, queue=left, leaving=leaving, late=late, sent=0, heard=0, wire=0)
    sent, heard = min(sender.sent, len(left)), min(sender.heard, len(left))
    return replace(sender, queue=left, leaving=leaving, sent=sent, heard=heard, late=late)


def _holding(sender: Sender, events: tuple[Queued, ...], skipped: int) -> Sender:
    """A sender that holds these events, without as many of those that it may have sent before a move."""
    lead = replace(sender, queue=events)
    return replace(lead, sent=0, heard=0, wire=0) if skipped else lead


def _turned(events: tuple[Queued, ...]) -> tuple[Queued, ...]:
    """Events the other way round, at the same positions."""
    return tuple(
        replace(event, position=one.position) for event, one in zip(events[::-1], events, strict=True)
    )
