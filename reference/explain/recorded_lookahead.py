"""What is still to come at any point of a history's timeline: the answers that the model's parts ask for.

Which reads, changes and counts may come first is answered here, what disturbs by `fault_lookahead`, what the
next entry needs by `due`. Knows worlds of the model and the index of the history; knows nothing of how the
search works.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from plumbline.reference.explain.fault_lookahead import FaultLookahead, next_from
from plumbline.reference.explain.index import MOMENT, Index, Reader, Where
from plumbline.reference.explain.listener_index import ReceivedByQueues
from plumbline.reference.explain.member_lifetimes import NEVER
from plumbline.reference.explain.next_observation import NextObservation
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.listener_calls import SeenCall
from plumbline.reference.history.operations import (
    EXPIRES,
    LOCAL_ACTIONS,
    READS,
    STORES_VALUE,
    Operation,
    OperationKind,
    Outcome,
    Scope,
    Status,
)
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.gauges import COLLECTIONS
from plumbline.reference.model.lookahead import OfClients, Ternary
from plumbline.reference.model.timeline import Reading
from plumbline.reference.model.world import CallStage, World, to_go_on
from plumbline.reference.rulebook.effects import effects
from plumbline.reference.rulebook.values import EntryState

_SENT = (CallStage.SENT, CallStage.DONE)
_PROMOTES = (FaultKind.CRASH, FaultKind.MOVE_PRIMARY)
_MENDS = (FaultKind.LINK_UP, FaultKind.LINK_DOWN)

_BEGINNING = (CallStage.ASKED, CallStage.CALLED)
"""What such calls read or find they have yet to learn."""


class RecordedLookahead:
    """Lookahead into an example that has been recorded (see `plumbline.reference.model.lookahead`).

    Args:
        index: of the history.
        clients: what is to come at clients.
        calls: what listeners of queues received, where no member starts again.
        fails_in_silence: whether what finds nothing to do leaves nothing behind, not even in a queue.
        tries_again: whether senders may give up waiting for answers that are lost.
    """

    def __init__(
        self,
        index: Index,
        clients: OfClients,
        *,
        calls: Iterable[SeenCall] = (),
        fails_in_silence: bool = False,
        tries_again: bool = False,
    ) -> None:
        self._index = index
        self._fails_in_silence = fails_in_silence
        self.clients = clients
        fault_lookahead = FaultLookahead(index)
        self.open = fault_lookahead.open
        self.copies_are_looked_at = fault_lookahead.copies_are_looked_at
        self.copy_is_looked_at_now = fault_lookahead.copy_is_looked_at_now
        self.arrives_in_time = fault_lookahead.arrives_in_time
        self.binds_to_come = fault_lookahead.binds_to_come
        self.binds_before_rest = fault_lookahead.binds_before_rest
        self.binds_tellingly = fault_lookahead.binds_tellingly
        self.may_break = fault_lookahead.may_break
        self.dies = fault_lookahead.dies
        self.may_happen = fault_lookahead.may_happen
        self.may_go_untold = fault_lookahead.may_go_untold
        due = NextObservation(index, fault_lookahead)
        self.wants_message = due.wants_message
        self.wants_event = due.wants_event
        self.waits_for_all = due.waits_for_all
        self.place_of = due.place_of
        # What a call tried again, or another site that sends again, queues once more is received once more.
        self._received = ReceivedByQueues(
            calls,
            (
                one
                for one in index.operations.values()
                if one.op_id not in index.originators and one.region not in index.partitioned
            ),
            index.sites,
        )
        self._most_tries = _most_tries(index) if tries_again else 0

    def only_reads(self, operation: Operation) -> bool:
        """Whether it is known that the operation changed nothing on its member (see Lookahead)."""
        if operation.op_id in self._index.originators:
            return False  # its server need not tell of it, nor does its outcome
        if operation.kind in READS:
            return True
        if operation.kind in LOCAL_ACTIONS:
            return False  # its listener need not show it
        back, outcome = self._index.returned.get(operation.op_id, (NEVER, None))
        unknown = outcome is None or outcome.status is Status.INDEFINITE
        if self._index.lives.end_between(
            operation.member, self._index.called[operation.op_id], NEVER if unknown else back
        ):
            return False  # it may have died before any listener showed it
        named = self._index.identified or operation.kind in STORES_VALUE
        return operation.member in self._index.logged and named and self._index.may_only_read(operation)

    def reader_to_come(
        self, world: World, now: int, member: str, operation: Operation, entry: Entry
    ) -> Ternary:
        """Whether a call or the harness reads `entry` before `operation` changes it (see Lookahead)."""
        where = (member, operation.region, operation.key)
        readers = self._index.readers.get(where)
        if not readers:
            return Ternary.NO
        # A value is there once only, so who has yet to see it must come first, unless it comes again.
        comes_again = (
            where in self._index.again
            or entry.token == operation.token
            or (operation.region, operation.key, entry.token) in self._index.told_again
        )
        if member in self._index.clients and not self._index.plain:
            comes_again = True  # fetched once more, or loaded as it registers
        anywhere = operation.region in self._index.partitioned  # any of those that hold the key may answer
        once = entry.state is EntryState.LIVE and not comes_again and not anywhere
        sure = Ternary.YES if once else Ternary.MAYBE
        under_way = self._reader_under_way(world, where, anywhere=anywhere, operation=operation, entry=entry)
        if under_way is not Ternary.NO:
            return min(under_way, sure)
        latest = min(self._index.shown_by(operation, member), self._index.lives.end_by(member, now))
        comes = Ternary.NO
        for index in range(bisect_left(readers, now, key=MOMENT), len(readers)):
            found = Reader(*readers[index])
            if found.moment >= latest:
                break
            if found.operation is None:
                if _seen(entry) == found.reading:
                    return sure
            elif found.operation.kind in EXPIRES or found.operation.op_id in self._index.originators:
                comes = max(comes, Ternary.MAYBE)
            elif self._minds(found.operation, found.outcome, entry, operation):
                if found.outcome is not None and found.outcome.value == entry.token:
                    return sure
                comes = Ternary.MAYBE
        return comes

    def _reader_under_way(
        self, world: World, where: Where, *, anywhere: bool, operation: Operation, entry: Entry
    ) -> Ternary:
        """Whether a call under way reads the entry; surely, if its result is known to be this value."""
        found = Ternary.NO
        for op_id, call in to_go_on(world.calls):
            if call.stage not in _BEGINNING:
                continue
            reader = self._index.operations[op_id]
            if self._reads_as_client(reader, where):
                return Ternary.MAYBE
            if (
                call.stage is CallStage.CALLED
                and op_id != operation.op_id
                and (where[0] if anywhere else reader.member, reader.region, reader.key) == where
            ):
                _, outcome = self._index.returned.get(op_id, (NEVER, None))
                if reader.kind in EXPIRES:
                    found = Ternary.MAYBE
                elif self._minds(reader, outcome, entry, operation):
                    if outcome is not None and outcome.value == entry.token:
                        return Ternary.YES
                    found = Ternary.MAYBE
        return found

    def heir(self, world: World, now: int, region: str, key: str) -> str | None:
        """The member that is next observed to be primary for a key (see Lookahead)."""
        if any(fault.kind in _PROMOTES for fault in world.wan.faults.values()):
            return None
        found = next((at for at in self._index.located.get((region, key), ()) if at[0] >= now), None)
        if found is None or any(now <= moment < found[0] for moment, _ in self._index.faults):
            return None
        return found[1]

    def _reads_as_client(self, reader: Operation, where: tuple[str, str, str]) -> bool:
        """Whether a client's call may read its server's copy, or find nothing to do there."""
        return (
            reader.op_id in self._index.originators
            and (reader.member, reader.region, reader.key) == where
            and self._index.may_only_read(reader)
        )

    def _minds(self, reader: Operation, outcome: Outcome | None, entry: Entry, operation: Operation) -> bool:
        """Whether it reads the entry, and could not as well do so once the operation has changed it.

        A create that fails because the entry is there fails alike when the entry holds another value.
        """
        if not self._reads(reader, outcome, entry):
            return False
        stays = entry.state is EntryState.LIVE and operation.kind in STORES_VALUE
        after = replace(entry, token=operation.token)
        return not (self._fails_in_silence and stays and self._reads(reader, outcome, after))

    def _reads(self, operation: Operation, outcome: Outcome | None, entry: Entry) -> bool:
        untold = operation.op_id in self._index.shares
        return outcome is not None and any(
            effect.becomes is None
            and (untold or (effect.status, effect.value) == (outcome.status, outcome.value))
            for effect in effects(operation.kind, entry.state, entry.token, expected=operation.expected)
        )

    def silent_change_to_come(
        self, world: World, now: int, member: str, operation: Operation, entry: Entry
    ) -> bool:
        """Whether a change that listeners need not show might come first (see Lookahead)."""
        where = (member, operation.region, operation.key)
        if where in self._index.again:
            return True
        if (
            self._may_be_held_back(now, member, operation)
            or self._queued_in_silence(world, now, member, operation)
            or self._rivals(world, now, member, operation)
            or self._own_change_to_come(world, now, member, operation)
        ):
            return True
        if entry.state is not EntryState.LIVE and self.clients.becomes_invalid(now, member, operation):
            return True  # it need not show what tells that a value is no longer valid, and remembers it
        if entry.state is EntryState.LIVE:
            return False
        found = self._index.silent.get(where)
        if found is None:
            return False
        silent, until = found
        latest = self._index.shown_by(operation, member)
        for index in range(bisect_left(until, now), len(silent)):
            other = silent[index]
            if self._index.called[other.op_id] >= latest:
                return False
            if other.op_id == operation.op_id or (
                other.kind is not OperationKind.INVALIDATE and entry.state is EntryState.INVALID
            ):
                continue
            if self._may_still_arrive(world, now, other, member, entry):
                return True
        return False

    def _may_be_held_back(self, now: int, member: str, operation: Operation) -> bool:
        """Whether it is said once more what is held back there, and the operation may be by then.

        A completed operation has to be processed everywhere before a settle point; a delayed one has not.
        """
        moments = self._index.held_back.get((member, operation.key))
        if not moments:
            return False
        index = bisect_left(moments, now)
        return index < len(moments) and moments[index] < self._index.latest(operation, member)

    def _own_change_to_come(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether a change may come first of which the member's log does not tell when it comes.

        That is an entry of an operation on many keys that it has called, or what its region does itself.
        """
        index = self._index
        where = (member, operation.region, operation.key)
        for other in (*index.own_entries.get(where, ()), *index.unannounced.get(where, ())):
            if other.op_id == operation.op_id or index.called[other.op_id] >= index.latest(operation, member):
                continue
            call = world.calls.get(other.op_id)
            if index.called[other.op_id] >= now or (call is not None and call.stage <= CallStage.CALLED):
                return True
        return False

    def _queued_in_silence(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether a destroy of any key, of which no listener here is told, may enter a queue first."""
        latest: int | None = None
        for other in self._index.unheard.get(member, ()):
            if other.op_id == operation.op_id:
                continue
            latest = self._index.latest(operation, member) if latest is None else latest
            called = self._index.called[other.op_id]
            if called >= latest:
                return False
            if called >= now or self._may_be_under_way(world, member, other):
                return True
        return False

    def _rivals(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether a change of another key may enter a queue first, as logs do not tell which came first.

        The queue has one order of all keys. A secondary's matters once its primary has died.
        """
        index = self._index
        rivals = index.rivals.get((member, operation.region), ())
        if not rivals or not (index.lives.doomed or _is_primary(world, member)):
            return False
        latest = index.latest(operation, member)
        until = index.told_between(member, operation)[1]
        for other in rivals:
            called = index.called[other.op_id]
            if called >= latest:
                return False
            if other.key == operation.key and other.region == operation.region:
                continue
            if index.told_between(member, other)[0] < until and (
                called >= now or self._may_be_ahead(world, member, other)
            ):
                return True
        return False

    def _may_be_ahead(self, world: World, member: str, operation: Operation) -> bool:
        """Whether an operation of the member's site may still have to change the member's copy."""
        call = world.calls.get(operation.op_id)
        if member == operation.member or (call is not None and call.stage is CallStage.DONE):
            return call is not None and call.stage is CallStage.CALLED
        return self._may_be_under_way(world, member, operation)

    def _may_still_arrive(self, world: World, now: int, other: Operation, member: str, entry: Entry) -> bool:
        if self._index.called[other.op_id] >= now:
            return True
        if self._index.sites[member] != self._index.sites[other.member]:
            return (member, other.op_id) not in world.wan.seen
        call = world.calls.get(other.op_id)
        if any(
            name == member and message.op_id == other.op_id
            for (_, name), queue in world.served.kept.items()
            for message in queue
        ):
            return True
        if member in self._index.clients:
            return call is not None or any(
                message.op_id == other.op_id for messages in world.channels.values() for message in messages
            )
        if call is None:
            _, outcome = self._index.returned.get(other.op_id, (NEVER, None))
            if outcome is not None and outcome.status in (Status.ABSENT, Status.REFUSED):
                return False
            if self._index.scopes[other.region] is Scope.ACK:
                return False
            return any(
                channel.target == member and any(message.op_id == other.op_id for message in messages)
                for channel, messages in world.channels.items()
            )
        if (
            call.stage is CallStage.SENT
            and self._index.scopes[other.region] is Scope.ACK
            and member not in call.waiting
        ):
            return False
        # An operation that is surely discarded changes nothing.
        return not (
            call.stamp is not None and entry.stamp is not None and entry.stamp.version > call.stamp.version
        )

    def count_to_come(self, now: int, member: str, operation: Operation) -> bool:
        """Whether the harness may read a counter before `operation` is discarded (see Lookahead)."""
        moments = self._index.counts.get(member)
        if not moments:
            return False
        if (member, operation.region, operation.key) in self._index.again:
            # A repetition of the stored update does not count; one of an outdated update counts.
            return True
        index = bisect_left(moments, now)
        latest = self._index.latest(operation, member)
        if latest > self._index.lives.end_by(operation.member, self._index.called[operation.op_id]):
            return index < len(moments)  # its messages may be lost, and then they do not count
        return index < len(moments) and moments[index] < latest

    def is_counted(self, world: World, now: int, member: str) -> bool:
        """Whether the harness reads the member's counters from now on (see Lookahead)."""
        moments = self._index.counts.get(member)
        return moments is not None and (
            moments[-1] >= now or any(self._index.answers.members[n][0] == member for n in world.asked)
        )

    def collections_are_counted(self, world: World, now: int, member: str) -> bool:
        """Whether the harness reads from now on how often the member has collected (see Lookahead)."""
        return any(
            (moment >= now or number in world.asked) and self._index.answers.members[number][1] == COLLECTIONS
            for number, moment in self._index.gauges.get(member, ())
        )

    def most_counted(self, now: int, member: str) -> int | None:
        """What the member's conflatedEvents can have moved by at most (see Lookahead)."""
        limits = self._index.limits.get(member, ())
        return next((most for moment, most in limits if moment >= now), None)

    def gauge_to_come(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether the harness may count the member's tombstones first (see Lookahead)."""
        gauges = self._index.gauges.get(member)
        if not gauges:
            return False
        latest = self._index.latest(operation, member)
        return any(
            now <= moment < latest or (moment < now and number in world.asked) for number, moment in gauges
        )

    def clear_to_come(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether the region may be cleared first (see Lookahead)."""
        clears = self._index.clears.get(operation.region)
        if not clears:
            return False
        latest = self._index.latest(operation, member)
        return any(
            now <= called < latest or (called < now and self._is_under_way(world, op_id))
            for op_id, called in clears
        )

    @staticmethod
    def _is_under_way(world: World, op_id: int) -> bool:
        return op_id in world.calls or any(
            message.op_id == op_id for messages in world.channels.values() for message in messages
        )

    def time_to_pass(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether time may be let pass first (see Lookahead)."""
        if any(fault.kind is FaultKind.TIME_LEAP for fault in world.wan.faults.values()):
            return True
        return next_from(self._index.leaps, now) < self._index.latest(operation, member)

    def loser_to_come(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether an update that shows nothing may come to the key first (see Lookahead)."""
        latest = self._index.latest(operation, member)
        for loser in self._index.losers.get((member, operation.region, operation.key), ()):
            called = self._index.called[loser.op_id]
            if called >= latest:
                return False
            if loser.op_id != operation.op_id and (
                called >= now or self._may_be_under_way(world, member, loser)
            ):
                return True
        return False

    def _may_be_under_way(self, world: World, member: str, operation: Operation) -> bool:
        """Whether an operation that was called on another member may still have to arrive at the member."""
        if self._index.sites[member] != self._index.sites[operation.member]:
            crosses = operation.kind is not OperationKind.INVALIDATE
            return crosses and (member, operation.op_id) not in world.wan.seen
        call = world.calls.get(operation.op_id)
        if call is not None and (call.stage is not CallStage.SENT or member in call.waiting):
            return True
        return any(
            channel.target == member and any(message.op_id == operation.op_id for message in messages)
            for channel, messages in world.channels.items()
        )

    def comes_again(self, op_id: int) -> bool:
        """Whether some member's listener receives the operation more than once (see Lookahead)."""
        return op_id in self._index.repeated

    def is_received_again(self, op_id: int) -> bool:
        """Whether the listener of a queue receives the operation more than once (see Lookahead)."""
        return op_id in self._index.received_again

    def order_received(self, member: str, queue: str) -> Mapping[int, int] | None:
        """In which order the member's listener of the queue receives operations (see Lookahead)."""
        return self._received.order(member, queue)

    def is_queued_again(self, member: str, op_id: int) -> bool:
        """Whether the operation enters a queue of the member a second time (see Lookahead)."""
        return self._received.comes_again(member, op_id)

    def may_be_under_way(self, world: World, member: str, op_id: int) -> bool:
        """Whether the operation may still have to arrive at the member (see Lookahead)."""
        if any(
            channel.target == member
            and any(message.op_id == op_id and not message.queue for message in messages)
            for channel, messages in world.channels.items()
        ):
            return True
        call, caller = world.calls.get(op_id), self._index.operations[op_id].member
        if call is None or caller in world.wan.dead or call.stage in _SENT:
            return False
        return member != caller or call.stage is not CallStage.APPLIED

    def tells_again(self) -> bool:
        """Whether some listener receives anything more than once (see Lookahead)."""
        return bool(self._index.repeated)

    def most_tries(self) -> int:
        """How often a sender may give up waiting (see Lookahead): once for each entry that may tell of it."""
        return self._most_tries


def _most_tries(index: Index) -> int:
    """How often waiting for an answer that is lost may be given up and show: once for each entry or count.

    And once more, where what a member refuses is applied by another that it is sent to then.
    """
    lost = [moment for moment, fault in index.faults if fault.kind is FaultKind.REPLIES_LOST]
    if not lost:
        return 0
    mended = [moment for moment, fault in index.faults if fault.kind in _MENDS and moment > lost[-1]]
    counted = (most for later in index.limits.values() for _, most in later if most < NEVER)
    return 1 + index.repetitions_before(mended[-1] if mended else NEVER) + max(counted, default=0)


def _is_primary(world: World, member: str) -> bool:
    """Whether the member dispatches any queue."""
    return any(sender.primary for (name, _), sender in world.wan.senders.items() if name == member)


def _seen(entry: Entry) -> Reading:
    if entry.state is EntryState.LIVE:
        return entry.token
    return "" if entry.state is EntryState.INVALID else None
