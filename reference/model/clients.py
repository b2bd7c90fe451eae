"""Clients: their operations are carried out by a server, and they apply what they are sent.

A client's call is passed on to its server (004, L39), takes effect there exactly as a member's own, and is
answered; the answer, and whatever waits in the client's queue, arrives like an update from another member.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

import msgspec

from plumbline.reference.explain.steps import Claim, Place, Step, View
from plumbline.reference.explain.steps import Entry as Shown
from plumbline.reference.model import claims
from plumbline.reference.model.callers import changed
from plumbline.reference.model.failover import Failover
from plumbline.reference.model.foresight import Comes, Foresight
from plumbline.reference.model.interests import PRESENT, Interests
from plumbline.reference.model.places import outcome_entry, outcome_place
from plumbline.reference.model.replicates import Replicates
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.wholes import Wholes
from plumbline.reference.model.world import Call, Channel, Entry, Message, MessageState, Stage, World
from plumbline.reference.model.writers import ASKS, refuses, stands, stood
from plumbline.reference.operations import (
    DESTROYS_REGION,
    NAMED_BY_VALUE,
    WHOLE_REGION,
    Operation,
    OperationKind,
    Outcome,
    Status,
)
from plumbline.reference.rulebook.operations import BECOMES, effects
from plumbline.reference.rulebook.subscriptions import Absent
from plumbline.reference.rulebook.values import EntryState, Stamp, each


class Clients:
    """The part of the model that passes on clients' calls, answers them, and empties clients' queues."""

    def __init__(
        self,
        setting: Setting,
        foresight: Foresight,
        replicates: Replicates,
        interests: Interests,
        failover: Failover,
        wholes: Wholes,
    ) -> None:
        self._wholes = wholes
        self._setting = setting
        self._foresight = foresight
        self._interests = interests
        self._failover = failover
        self._replicates = replicates

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """Calls that reach their server, answers that leave it, and the first message of each queue."""
        for op_id, client in self._setting.originators.items():
            call = world.calls.get(op_id)
            if call is None:
                continue
            operation = self._setting.operations[op_id]
            if call.stage is Stage.ASKED:
                yield from self._asked(world, client, operation, call)
            elif self._is_to_be_answered(world, client, operation, call):
                yield self._answered(world, client, operation, call)
        for channel, messages in world.channels.items():
            head, client = messages[0], channel.target
            if client not in self._setting.clients or head.state is MessageState.PARKED:
                continue
            if not any(self._is_sent(channel, messages)):
                continue
            if self._setting.plain:
                yield from self._arrivals(world, view, channel, head)
                continue
            yield from self._each_way(world, view, channel, head)
        yield from self._interests.steps(world)
        yield from self._failover.steps(world)

    def _each_way(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """What may come of a message at a client that reads, has several servers or an interest list."""
        for known in self._failover.remembered(world, channel.target, head):
            yield from self._known_or_new(known, view, channel, head)

    def _known_or_new(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """A client recognises a message, or takes it."""
        client = channel.target
        operation = self._setting.operations[head.op_id]
        answers = operation.kind is OperationKind.GET
        # What a client may forget stays no repetition.
        forgets = self._setting.clients[client].tracking_timeout_ms is not None
        meddles = forgets or self._foresight.clients.meddles(world, view.now, client, operation)
        believes = not answers and not meddles
        for repeated in (False,) if answers else self._failover.processed(world, client, head):
            if repeated:
                again = taken(world, channel, head)
                claim = claims.RECOGNISED if believes else None
                yield Step(("recognises", client, head.op_id), again, claim=claim)
                continue
            ways = list(self._arrivals(world, view if believes else EveryWay(view), channel, head))
            if believes and self._is_still_told(view, client, head):
                # What passes without a word is known from then on, and would never be told of any more.
                ways = [step for step in ways if step.shows]
            for step in ways:
                step.claim = self._claimed(world, view, channel, head, step, ways) if believes else None
                step.loses = ()
                if not answers:
                    step.state = self._failover.tracking(step.state, client, head)
                yield step
            if (
                not head.sure
                and self._setting.tracked(client)
                and not (
                    view.reduced
                    and self._setting.clients_as_documented
                    and not self._foresight.clients.takes_over(world, view.now, client)
                )
            ):
                # Not sent by this server: the client knows nothing of it, so another may still send it.
                unknown = taken(world, channel, head)
                claim = self._never_sent(world, view, channel, head, ways) if believes else None
                yield Step(("is never sent", client, head.op_id), unknown, claim=claim)

    def _is_still_told(self, view: View, client: str, head: Message) -> bool:
        """Whether the client's log tells later of just this message."""
        operation = self._setting.operations[head.op_id]
        place, shown = self._replicates.shown(client, self._as_told(head))
        return (
            self._setting.clients_as_documented
            and self._replicates.decided_by_log(view, place, shown)
            and view.still(place, shown)
            and not self._foresight.clients.fetches(client, operation)
        )

    def _claimed(
        self, world: World, view: View, channel: Channel, head: Message, step: Step, ways: list[Step]
    ) -> Claim | None:
        """The claim of a way in which a client takes a message, where it leaves the key alone itself.

        What its log still tells of may come from another server instead, or not at all from this one, so
        that only showing it is claimed. What its log tells no more of has to pass without a word. Then the
        only way of doing so is the best one while nobody could see the difference: a key that is not there
        stays so for every reader, and whatever is older than what has passed is passed over, too.
        """
        client = channel.target
        if step.shows:
            return claims.SHOW_AT_CLIENT if step.claim is not None else None
        if self._may_be_told(view, client, head) or self._overtakes(world, client, head, step):
            return None
        alike = self._looks_alike(world, client, head, ways)
        if not head.sure:
            alone = alike and self._owes(world, view, client, head) is Comes.NO
            return claims.DISCARD_AT_CLIENT if alone and step.name[0] == "ignores" else None
        if step.claim is None and not (len(ways) == 1 and alike):
            return None
        return claims.DISCARD_AT_CLIENT

    def _overtakes(self, world: World, client: str, head: Message, step: Step) -> bool:
        """Whether a way changes a key in silence while an answer and an event of it are on different ways.

        Where the one makes a key's entry newer, or its tombstone, the other would not be taken any more.
        """
        operation = self._setting.operations[head.op_id]
        where = (operation.region, operation.key)
        if step.state.entry(client, *where) == world.entry(client, *where):
            return False
        return any(
            self._setting.originators.get(op_id) == client
            and (self._setting.operations[op_id].region, self._setting.operations[op_id].key) == where
            for op_id in world.calls
        )

    def _never_sent(
        self, world: World, view: View, channel: Channel, head: Message, ways: list[Step]
    ) -> Claim | None:
        """The claim that a server has never sent a message: only so is what came before it still told of."""
        client = channel.target
        if self._may_be_told(view, client, head) or not self._looks_alike(world, client, head, ways):
            return None
        return claims.DISCARD_AT_CLIENT if self._owes(world, view, client, head) is Comes.SURELY else None

    def _may_be_told(self, view: View, client: str, head: Message) -> bool:
        """Whether the client's log may still tell of a message."""
        place, shown = self._replicates.shown(client, self._as_told(head))
        return not self._replicates.decided_by_log(view, place, shown) or view.still(place, shown)

    def _owes(self, world: World, view: View, client: str, head: Message) -> Comes:
        """Whether a client would take what it still tells of for a repetition, if it knew the number."""
        if not self._setting.tracked(client):
            return Comes.NO
        operation = self._setting.operations[head.op_id]
        return self._foresight.clients.owes_earlier(world, view, client, operation)

    def _as_told(self, head: Message) -> Operation:
        """The operation that a message tells a client of: where it brings no value, an invalidation."""
        operation = self._setting.operations[head.op_id]
        if head.bare and BECOMES[operation.kind][0] is EntryState.LIVE:
            return msgspec.structs.replace(operation, kind=OperationKind.INVALIDATE)
        return operation

    def _looks_alike(self, world: World, client: str, head: Message, ways: list[Step]) -> bool:
        """Whether nobody who reads the key at the client sees a difference, in whichever way it is taken."""
        operation = self._setting.operations[head.op_id]
        seen = {
            reading_of(one.entry(client, operation.region, operation.key))
            for one in (world, *(way.state for way in ways))
        }
        return len(seen) == 1 and not any(way.shows for way in ways)

    def quiet(self, world: World, held: frozenset[tuple[str, str]]) -> bool:
        """Whether no client has anything to come, except where a parked listener may hold it back."""
        for op_id, client in self._setting.originators.items():
            call = world.calls.get(op_id)
            if call is None or call.indefinite:
                continue
            operation = self._setting.operations[op_id]
            stays = stands(world, client, operation) or self.waits(world, operation)
            if call.stage is Stage.ASKED and not stays:
                return False
            if self._is_to_be_answered(world, client, operation, call):
                return False
        # A queue is emptied in order, so what waits at its server, in its client's listener, or for its
        # client's own call, may hold all of it back.
        holders = {holder for holder, _ in held} | {
            client for op_id, client in self._setting.originators.items() if self._is_served(world, op_id)
        }
        holders |= {
            channel.target
            for channel, messages in world.channels.items()
            if channel.target in self._setting.clients and messages[0].state is MessageState.PARKED
        }
        if not self._failover.quiet(world):
            return False
        return not any(
            channel.target in self._setting.clients
            and messages[0].state is not MessageState.PARKED
            and all(self._is_sent(channel, messages))
            and holders.isdisjoint((channel.source, channel.target))
            for channel, messages in world.channels.items()
        )

    def _is_sent(self, channel: Channel, messages: tuple[Message, ...]) -> tuple[bool, ...]:
        """Whether what waits for a client is sent; several answers only where that is free."""
        answers = all(self._setting.originators.get(m.op_id) == channel.target for m in messages)
        return (True,) if answers else each(self._setting.book.keeps_sending(len(messages)))

    def waits(self, world: World, operation: Operation) -> bool:
        """Whether a call may have to wait for another call of its client on the same key."""
        client = self._setting.originators.get(operation.op_id)
        return client is not None and any(
            op_id != operation.op_id
            and self._setting.operations[op_id].key == operation.key
            and self._is_served(world, op_id)
            for op_id, caller in self._setting.originators.items()
            if caller == client
        )

    def _is_served(self, world: World, op_id: int) -> bool:
        """Whether a client's call is under way at its server, or beyond; or held in a writer."""
        call = world.calls.get(op_id)
        if call is None:
            return False
        operation = self._setting.operations[op_id]
        holders = (self._setting.originators[op_id], operation.member)
        held = any(stands(world, holder, operation) for holder in holders)
        return held or call.stage in (Stage.APPLIED, Stage.SENT)

    def _asked(self, world: World, client: str, operation: Operation, call: Call) -> Iterator[Step]:
        """A client carries out itself what is only its own, and has its server do the rest."""
        if operation.kind is OperationKind.GET:
            yield from self._got(world, client, operation, call)
            return
        entry = world.entry(client, operation.region, operation.key)
        for forwards in each(self._forwards(operation, entry)):
            if forwards:
                yield from self._passed_on(world, client, operation, call)
            else:
                yield from self._kept(world, client, operation, call, entry)

    def _forwards(self, operation: Operation, entry: Entry) -> object:
        """Whether a client's operation goes to its server."""
        book = self._setting.book
        held = entry.state in PRESENT
        match operation.kind:
            case OperationKind.CONTAINS_KEY:
                return False
            case OperationKind.LOCAL_INVALIDATE | OperationKind.LOCAL_DESTROY:
                return book.forwards_local()
            case OperationKind.INVALIDATE | OperationKind.INVALIDATE_REGION:
                return book.forwards_invalidates()
            case OperationKind.DESTROY:
                return book.forwards_destroy_of_held() if held else book.forwards_destroy_of_absent()
            case OperationKind.DESTROY_REGION:
                return book.forwards_region_destroy()
            case OperationKind.LOCAL_DESTROY_REGION:
                return book.forwards_local_region_destroy()
            case OperationKind.CLEAR:
                return True
            case _:
                return book.forwards_updates(held)

    def _kept(
        self, world: World, client: str, operation: Operation, call: Call, entry: Entry
    ) -> Iterator[Step]:
        """An operation takes effect in the client's own copy, and nowhere else."""
        kind = _OWN.get(operation.kind, operation.kind)
        name = ("does itself", client, operation.op_id)
        if operation.kind in WHOLE_REGION:
            destroys = operation.kind in DESTROYS_REGION
            happens = self._wholes.destroyed if destroys else self._wholes.invalidated
            after, told = happens(world, client, operation)
            yield self._done(name, after, operation, call, Outcome(Status.OK), ())
            yield self._done(name, after, operation, call, Outcome(Status.OK), (told,))
            return
        for effect in effects(kind, entry.state, entry.token):
            outcome = Outcome(effect.status, effect.value)
            if effect.becomes is None:
                yield self._done(name, world, operation, call, outcome, ())
                continue
            where = (client, operation.region, operation.key)
            stamp = entry.stamp if effect.becomes is not EntryState.TOMBSTONE else None
            entries = changed(world, where, effect.becomes, operation.token, stamp, checks=False)
            told = self._replicates.shown(client, msgspec.structs.replace(operation, kind=kind))
            yield self._done(name, world.but(entries=entries), operation, call, outcome, (told,))

    @staticmethod
    def _done(
        name: tuple[object, ...],
        world: World,
        operation: Operation,
        call: Call,
        outcome: Outcome,
        told: tuple[tuple[Place, Shown], ...],
    ) -> Step:
        done = call._replace(stage=Stage.DONE, outcome=outcome)
        shows = (*told, (outcome_place(operation.op_id), outcome_entry(outcome)))
        return Step(name, world.but(calls=world.calls.set(operation.op_id, done)), shows)

    def _passed_on(self, world: World, client: str, operation: Operation, call: Call) -> Iterator[Step]:
        """The client's writer is asked, and then the server."""
        book = self._setting.book
        refused = refuses(world, client, operation)
        for first in each(book.writer_runs_first()):
            held = stood(world, client, operation) if first else None
            if held is not None:
                yield Step(("stands in the writer", client, operation.op_id), held)
            elif not first or not stands(world, client, operation):
                for aborts in each(book.client_writer_aborts(operation.kind)) if refused else (False,):
                    if aborts:
                        yield self._failed(("is vetoed", client, operation.op_id), world, operation, call)
                    else:
                        yield from self._reached(world, client, operation, call)

    @staticmethod
    def _failed(name: tuple[object, ...], world: World, operation: Operation, call: Call) -> Step:
        failed = Outcome(Status.FAILED)
        ended = call._replace(stage=Stage.DONE, outcome=failed)
        shows = ((outcome_place(operation.op_id), outcome_entry(failed)),)
        return Step(name, world.but(calls=world.calls.set(operation.op_id, ended)), shows)

    def _reached(self, world: World, client: str, operation: Operation, call: Call) -> Iterator[Step]:
        op_id = operation.op_id
        for checks in self._setting.client_checks(client):
            for server_checks in self._setting.checks(operation.region):
                for serves in each(self._setting.book.serves_client(checks, server_checks)):
                    if serves:
                        yield from self._asks_server(world, client, operation, call)
                    else:
                        yield self._failed(("is refused", client, op_id), world, operation, call)

    def _asks_server(self, world: World, client: str, operation: Operation, call: Call) -> Iterator[Step]:
        """The call is on its way to the server; the client's own copy has changed already, or not yet."""
        op_id = operation.op_id
        reached = call._replace(stage=Stage.CALLED)
        for early in each(self._setting.book.client_applies_first()) if operation.kind in ASKS else (False,):
            if not early:
                after = world.but(calls=world.calls.set(op_id, reached))
                yield Step(("passes on", client, op_id), after, claim=claims.PASS_ON)
                continue
            where, becomes = (client, operation.region, operation.key), BECOMES[operation.kind][0]
            entries = changed(world, where, becomes, operation.token, None, checks=False)
            calls = world.calls.set(op_id, reached._replace(early=True))
            told = self._replicates.shown(client, operation)
            yield Step(
                ("passes on behind its own change", client, op_id),
                world.but(entries=entries, calls=calls),
                (told,),
            )

    def _is_to_be_answered(self, world: World, client: str, operation: Operation, call: Call) -> bool:
        """Whether the server has done with a call, and has not answered yet."""
        return (
            call.stage is Stage.SENT
            and call.waiting == {client}
            and _answer_of(client, operation) not in world.channels
        )

    @staticmethod
    def _answered(world: World, client: str, operation: Operation, call: Call) -> Step:
        message = Message(operation.op_id, call.stamp)
        return Step(
            ("answers", client, operation.op_id),
            world.but(channels=world.channels.set(_answer_of(client, operation), (message,))),
            claim=claims.PASS_ON,
        )

    def _arrivals(self, world: World, view: View, channel: Channel, head: Message) -> Iterator[Step]:
        """The ways in which a client may take a message; one that does not check takes it as it comes."""
        operation = self._setting.operations[head.op_id]
        if operation.kind is OperationKind.GET:
            yield from self._fetched(world, channel, operation, head)
            return
        call = world.calls.get(head.op_id)
        if call is not None and channel == _answer_of(channel.target, operation):
            held = stood(world, channel.target, operation)
            if held is not None:
                # The server was told before the client's writer was asked, as it should not be.
                yield Step(("stands in the writer", channel.target, operation.op_id), held)
            if held is not None or stands(world, channel.target, operation):
                return
            if _is_vetoed(call) or call.early:
                yield from self._without_change(world, view, channel, operation, head, call)
                return
        if not head.sure:
            yield from self._missed(world, view, channel, operation, head)
        if (told := self._as_told(head)) is not operation:
            nameless = operation.kind in NAMED_BY_VALUE
            entry = world.entry(channel.target, operation.region, operation.key)
            for one in (told, msgspec.structs.replace(told, token=None)) if nameless else (told,):
                if entry.state is not EntryState.LIVE:
                    found = self._nothing_to_invalidate(world, view, channel, one, head, entry)
                else:
                    found = self._taken_as(world, view, channel, one, head)
                for step in found:
                    # The log decides nothing of what may be told of in two ways.
                    step.claim = None if nameless else step.claim
                    step.loses = () if nameless else step.loses
                    yield step
            return
        yield from self._taken_as(world, view, channel, operation, head)

    def _taken_as(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Iterator[Step]:
        """The ways in which a client may take a message of this operation."""
        for checks in self._setting.client_checks(channel.target):
            versioned = head.stamp is not None
            for takes in each(self._setting.book.client_takes(checks, versioned)):
                if not takes:
                    yield from self._missed(world, view, channel, operation, head)
                    continue
                for compares in each(self._setting.book.client_compares()) if checks else (False,):
                    way = self._replicates.checked if compares else self._replicates.unchecked
                    yield from way(world, view, channel, operation, head)

    def _without_change(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message, call: Call
    ) -> Iterator[Step]:
        """An answer arrives that changes nothing: to what was vetoed, or what the client has done before."""
        client = channel.target
        vetoed = _is_vetoed(call)
        for keeps in each(self._setting.book.keeps_vetoed()) if vetoed and not call.early else (False,):
            if keeps:
                yield from self._replicates.unchecked(world, view, channel, operation, head)
            else:
                name = "is told of a veto" if vetoed else "has done so already"
                yield Step((name, client, operation.op_id), taken(world, channel, head))

    def _missed(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message
    ) -> Iterator[Step]:
        """Nothing comes of a message: always a choice, since something else may."""
        for step in self._replicates.passed_over(world, view, channel, operation, head):
            step.claim = None
            yield step

    def _nothing_to_invalidate(
        self, world: World, view: View, channel: Channel, operation: Operation, head: Message, entry: Entry
    ) -> Iterator[Step]:
        """What tells that a value is no longer valid comes where there is none.

        An entry without a value stays one, and is as new as what has come; a key that is not there stays so.
        """
        where = (channel.target, operation.region, operation.key)
        absent = entry.state is not EntryState.INVALID
        becomes: set[Absent | None] = {None}
        if absent:
            book = self._setting.book
            ways = self._setting.client_checks(channel.target)
            becomes = {way for checks in ways for way in each(book.invalidates_absent(checks))}
            becomes = _of_destroyed(becomes, entry.stamp, head.stamp)
        for way in sorted(becomes, key=str):
            if way is Absent.STAYS:
                yield from self._missed(world, view, channel, operation, head)
                continue
            stamp = entry.stamp
            if head.stamp is not None and (stamp is None or stamp.version < head.stamp.version):
                stamp = head.stamp
            after = world.but(entries=world.entries.set(where, Entry(EntryState.INVALID, None, stamp)))
            yield Step(
                ("is told that it has no value", channel.target, operation.op_id),
                taken(after, channel, head),
                (self._replicates.shown(channel.target, operation),) if way is Absent.TOLD_INVALID else (),
            )

    def _got(self, world: World, client: str, operation: Operation, call: Call) -> Iterator[Step]:
        """A client gets what it holds; what it does not hold, or without a value, it asks its server for."""
        entry = world.entry(client, operation.region, operation.key)
        live = entry.state is EntryState.LIVE
        for asks in (False,) if live else each(self._setting.book.get_asks_server()):
            if asks:
                reached = call._replace(stage=Stage.CALLED)
                yield Step(
                    ("passes on", client, operation.op_id),
                    world.but(calls=world.calls.set(operation.op_id, reached)),
                )
                continue
            outcome = Outcome(Status.OK, entry.token if live else None)
            read = call._replace(stage=Stage.DONE, outcome=outcome)
            yield Step(
                ("reads its own", client, operation.op_id),
                world.but(calls=world.calls.set(operation.op_id, read)),
                ((outcome_place(operation.op_id), outcome_entry(outcome)),),
            )

    def _fetched(self, world: World, channel: Channel, operation: Operation, head: Message) -> Iterator[Step]:
        """What a client has asked its server for arrives, and is kept if nothing newer has come meanwhile.

        Whether listeners are told of it is not said.
        """
        client, region, key = channel.target, operation.region, operation.key
        outcome = world.calls[operation.op_id].outcome
        assert outcome is not None  # noqa: S101 - its server has answered
        entry = world.entry(client, region, key)
        name = ("is answered", client, operation.op_id)
        for checks in self._setting.client_checks(client):
            newer = (
                checks
                and entry.stamp is not None
                and head.stamp is not None
                and (
                    entry.stamp.version > head.stamp.version
                    or (entry.stamp == head.stamp and entry.state is EntryState.LIVE)
                )
            )
            for keeps in (
                (False,) if outcome.value is None or newer else each(self._setting.book.keeps_fetched())
            ):
                if not keeps:
                    yield Step(name, taken(world, channel, head))
                    continue
                stamp = head.stamp if checks else None
                kept = Entry(EntryState.LIVE, outcome.value, stamp)
                after = taken(
                    world.but(entries=world.entries.set((client, region, key), kept)), channel, head
                )
                told = self._interests.shown(client, region, key, outcome.value)
                for shows in ((), (told,)):
                    yield Step(name, after, shows)


_OWN = {
    OperationKind.LOCAL_INVALIDATE: OperationKind.INVALIDATE,
    OperationKind.LOCAL_DESTROY: OperationKind.DESTROY,
}
"""What a local operation does to a client's own copy, where nobody refuses it."""


def _is_vetoed(call: Call) -> bool:
    return call.outcome is not None and call.outcome.status is Status.FAILED


def _of_destroyed(ways: set[Absent | None], gone: Stamp | None, sent: Stamp | None) -> set[Absent | None]:
    """What may become of a key that a client lacks, where it was destroyed after what is sent of it now."""
    if gone is None or sent is None or gone.version < sent.version:
        return ways
    # As new as each other: the ids of members decide, of which a client has none.
    return {Absent.STAYS} if gone.version > sent.version else {Absent.STAYS, *ways}


def _answer_of(client: str, operation: Operation) -> Channel:
    """The way by which the answer to an operation comes back."""
    return Channel(f"answer to {operation.op_id}", operation.member, client)


def reading_of(entry: Entry) -> tuple[bool, str | None]:
    """What a reader sees of an entry: whether the key is there, and its value."""
    return entry.state in PRESENT, entry.token if entry.state is EntryState.LIVE else None


def taken(world: World, channel: Channel, head: Message) -> World:
    """The world in which a client has taken the first message of a channel."""
    rest = world.channels[channel][1:]
    channels = world.channels.set(channel, rest) if rest else world.channels.delete(channel)
    calls, call = world.calls, world.calls.get(head.op_id)
    if call is not None and channel.target in call.waiting:
        calls = calls.set(head.op_id, call._replace(waiting=call.waiting - {channel.target}))
    return world.but(channels=channels, calls=calls)


class EveryWay:
    """A view under which nothing is left out: what spares steps elsewhere need not hold at such clients."""

    reduced = False

    def __init__(self, view: View) -> None:
        self._view = view
        self.now = view.now

    def due(self, place: Place) -> Shown | None:
        """See View."""
        return self._view.due(place)

    def fits(self, place: Place, entry: Shown) -> bool:
        """See View."""
        return self._view.fits(place, entry)

    def still(self, place: Place, entry: Shown) -> bool:
        """See View."""
        return self._view.still(place, entry)

    def observed(self, place: Place) -> bool:
        """See View."""
        return self._view.observed(place)

    def complete(self, owner: Hashable) -> bool:
        """See View."""
        return self._view.complete(owner)
