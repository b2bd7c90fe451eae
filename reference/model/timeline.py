"""The timeline: what the harness sends and receives, moment by moment.

Owns the gates, and what was asked of contents and statistics. Each moment is due at a known place in the
timeline; it either allows something (a call, a release) or says that something has happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

from msgspec.structs import replace

from plumbline.reference.history.bulk import with_tied
from plumbline.reference.history.fault_kinds import STARTS_AGAIN, Fault
from plumbline.reference.history.join_moments import CopyHeld, CopyReleased, JoinBegun, JoinEnded
from plumbline.reference.history.listener_calls import QUEUE
from plumbline.reference.history.moments import (
    ANSWER,
    Armed,
    AttributesRead,
    Called,
    ClocksPassed,
    ContentsAsked,
    ContentsRead,
    FaultBegun,
    FaultDone,
    Gate,
    Hosted,
    Joined,
    Left,
    Located,
    Moment,
    NotParked,
    Parked,
    QueueAsked,
    QueueRead,
    QueueScripted,
    Redelivered,
    Registered,
    Released,
    Returned,
    Scripted,
    Settled,
    SettledBut,
    StatisticAsked,
    StatisticRead,
    Unsettled,
    Waited,
)
from plumbline.reference.history.operations import (
    OF_TRANSACTIONS,
    Operation,
    Outcome,
    QueueRole,
    QueueSight,
    Status,
)
from plumbline.reference.model import claims, tombstones
from plumbline.reference.model.bucket_holders import located, may_lose_answer
from plumbline.reference.model.buckets import tells_still
from plumbline.reference.model.clearing import left_by
from plumbline.reference.model.clients.pending_registrations import PendingRegistrations
from plumbline.reference.model.clients.registrations import Interests
from plumbline.reference.model.clients.without_servers import goes_nowhere
from plumbline.reference.model.committing import committed
from plumbline.reference.model.deliveries import Deliveries
from plumbline.reference.model.gauges import is_gauge, readings
from plumbline.reference.model.hosting import hosted, joined, left
from plumbline.reference.model.pending_copies import PendingCopies
from plumbline.reference.model.places import TIMELINE, outcome_entry, outcome_place
from plumbline.reference.model.quiescence import Quiescence
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.late_entries import is_entering
from plumbline.reference.model.sites.listeners import scripted as listener_scripted
from plumbline.reference.model.sites.overflow import Overflow
from plumbline.reference.model.sites.parallel_copies import held_events
from plumbline.reference.model.sites.parallel_senders import begun, lanes_on
from plumbline.reference.model.sites.receivers import Receivers
from plumbline.reference.model.sites.records import records_shown
from plumbline.reference.model.sites.site_state import Sender
from plumbline.reference.model.world import LOOK, Call, CallStage, GateState, World
from plumbline.reference.model.writers import WRITER, scripted
from plumbline.reference.rulebook.values import EntryState, each
from plumbline.reference.search.transition import Entry, Step, View

Reading = str | None
"""What a reader saw of a key: its token, "" if it was invalid, None if it was absent."""


READS_CONTENTS = "reads contents"
"""The harness reads some keys of a copy: the name of that step."""

WHOLE_COPY, DESTROYED = "\0region", "destroyed"
"""In place of a key: whether there is a copy at all; and what is read of one that was destroyed."""


class Answers:
    """What was read in an example: contents, statistics and queues, by the number of the question."""

    def __init__(self) -> None:
        self.queues: dict[int, QueueSight] = {}
        self.contents: dict[int, dict[str, Reading]] = {}
        self.statistics: dict[int, tuple[int, int]] = {}
        self.members: dict[int, tuple[str, str]] = {}


class Timeline:
    """The part of the model that keeps step with the harness."""

    def __init__(
        self,
        setting: Setting,
        deliveries: Deliveries,
        receivers: Receivers,
        rest: Quiescence,
        answers: Answers,
        interests: Interests,
        pending: PendingRegistrations,
        copies: PendingCopies,
    ) -> None:
        self._copies = copies
        self._interests = interests
        self._pending = pending
        self._setting = setting
        self._overflow = Overflow(setting)
        self._deliveries = deliveries
        self._receivers = receivers
        self._rest = rest
        self._answers = answers

    def steps(self, world: World, view: View) -> Iterator[Step]:
        """The moment that is due, if it can come now; and readings that are right now."""
        due: Entry | None = view.due(TIMELINE)
        if due is not None:
            yield from self._moment(world, due)  # type: ignore[arg-type]
        if world.asked:
            yield from self._readings(world, view)

    def called(self, world: World, operation: Operation) -> World:
        """The world in which the operation has been called."""
        stage = CallStage.ASKED if operation.op_id in self._setting.originators else CallStage.CALLED
        return world.but(calls=world.calls.set(operation.op_id, Call(stage)))

    def returned(self, world: World, op_id: int) -> Iterator[tuple[World, Outcome]]:
        """The worlds in which the operation has returned, and with which outcome; none if it cannot yet."""
        call: Call = world.calls[op_id]
        if call.outcome is None or is_entering(world, self._setting, op_id):
            return
        operation = self._setting.operations[op_id]
        if call.stage is CallStage.DONE:
            for after in left_by(world, self._setting, operation, call.outcome):
                yield after, call.outcome
        elif operation.kind in OF_TRANSACTIONS:
            for over, discarded in committed(world, self._setting, op_id):
                for status in each(self._setting.book.status_of_loser(call.outcome.status, discarded)):
                    yield over, Outcome(status)
        elif tells_still(world, operation, call):
            return  # the primary of its key still tells of it
        elif call.stage is CallStage.SENT and not call.waiting:
            statuses = each(self._setting.book.status_of_loser(call.outcome.status, call.discarded))
            for status, after in product(statuses, left_by(world, self._setting, operation, call.outcome)):
                yield after, Outcome(status, call.outcome.value if status is Status.OK else None)

    def armed(self, world: World, gate: Gate) -> World:
        """The world in which the gate is armed."""
        return world.but(gates=world.gates.set(gate.place, GateState.ARMED))

    def released(self, world: World, gate: Gate) -> World:
        """The world in which the gate is open and nothing stands at it."""
        opened = world.but(gates=world.gates.set(gate.place, GateState.OPEN))
        if gate.callback in (WRITER, ANSWER, QUEUE):
            return opened  # the call parked there has not begun, or has its answer, or is a queue's
        freed = self._receivers.let_go(opened, gate.member, gate.op_id)
        return self._deliveries.let_go(freed, gate.member, gate.op_id)

    def _has_waited(self, world: World) -> bool:
        """Whether nothing more need happen, however long the harness waits.

        A parked listener may hold back all other events of the same key of its member.
        """
        setting = self._setting
        held = frozenset(
            (holder, setting.operations[parked].key)
            for (holder, parked, *callback), state in world.gates.items()
            if state is GateState.PARKED and callback != [QUEUE]  # which holds up its own queue alone
        )
        bulks: dict[int, list[str]] = {}
        for op_id in setting.shares if held else ():
            if op_id not in world.calls:
                continue
            bulks.setdefault(setting.shares[op_id].op_id, []).append(setting.operations[op_id].key)
        return self._rest.quiet(world, with_tied(held, bulks.values(), setting.holders), patient=True)

    def _moment(self, world: World, due: Moment) -> Iterator[Step]:
        if isinstance(due, Returned):  # first, since for nothing else is waited so long
            yield from self._return(world, due.op_id, due.outcome, ((TIMELINE, due),))
            return
        if isinstance(due, Left | Joined | Hosted):
            yield from self._hosting(world, due)
            return
        if isinstance(due, Registered):
            yield from self._registering(world, due)
            return
        if isinstance(due, Scripted):
            if self._rest.quiet(world):
                told = scripted(world, due.member, due.region, due.refuses)
                yield Step(("harness", due), told, ((TIMELINE, due),), claims.NEXT_MOMENT)
            return
        if isinstance(due, QueueScripted):
            if self._rest.quiet(world):
                told = listener_scripted(world, due.member, due.queue, due.answers)
                yield Step(("harness", due), told, ((TIMELINE, due),), claims.NEXT_MOMENT)
            return
        if isinstance(due, JoinBegun | CopyHeld | CopyReleased | JoinEnded):
            after = self._copies.after(world, due)
            if after is not None:
                # What is read for a copy, and taken over, comes before its end.
                claim = None if isinstance(due, JoinEnded) else claims.NEXT_MOMENT
                yield Step(("harness", due), after, ((TIMELINE, due),), claim)
            return
        after = self._pending.after(world, due) or self._allowed(world, due)
        if after is not None:
            yield Step(("harness", due), after, ((TIMELINE, due),), claims.NEXT_MOMENT)
        elif self._has_happened(world, due):
            whole = isinstance(due, Settled) and not due.held
            after = self._rest.settled(world) if whole else world
            yield Step(("harness", due), after, ((TIMELINE, due),), claims.NEXT_MOMENT)

    def _hosting(self, world: World, due: Left | Joined | Hosted) -> Iterator[Step]:
        """A member gives up its copy or takes one; while anything is still on its way, not yet."""
        if not self._rest.quiet(world):
            return
        after = (
            [left(world, due.member, due.region)]
            if isinstance(due, Left)
            else list(hosted(world, due, self._setting))
            if isinstance(due, Hosted)
            else list(joined(world, due.member, due.region, self._setting))
        )
        claim = claims.NEXT_MOMENT if len(after) == 1 else None
        for possible in after:
            yield Step(("harness", due), possible, ((TIMELINE, due),), claim)

    def _registering(self, world: World, due: Registered) -> Iterator[Step]:
        """A client registers for keys or withdraws that; while anything is still on its way, not yet."""
        if not self._rest.quiet(world):
            return
        happens = self._interests.refused if due.refused else self._interests.registered
        ways = list(happens(world, due.interest))
        # A delayed event may still come first, and finds another entry then.
        awaits = any(channel.target == due.interest.client for channel in world.channels)
        claim = claims.NEXT_MOMENT if len(ways) == 1 and not awaits else None
        for after, told in ways:
            yield Step(("harness", due), after, (*told, (TIMELINE, due)), claim)

    def _allowed(self, world: World, due: Moment) -> World | None:
        """The world after a moment that allows something; None for a moment that tells something."""
        match due:
            case Called(operation):
                return self.called(world, operation)
            case Armed(gate):
                return self.armed(world, gate)
            case Released(gate):
                return self.released(world, gate)
            case ContentsAsked(number):
                unread = frozenset(self._answers.contents[number])
                return world.but(asked=world.asked.set(number, unread))
            case StatisticAsked(number):
                return world.but(asked=world.asked.set(number, None))
            case FaultBegun(_, fault) if not self._may_begin(world, fault):
                return None
            case FaultBegun(number, fault):
                return world.but(wan=replace(world.wan, faults=world.wan.faults.set(number, fault)))
            case QueueAsked(number):
                return world.but(asked=world.asked.set(number, LOOK))
            case Located(region, key, primary, redundant):
                known = (region, key) in world.buckets
                placed = located(world, (region, key), primary, redundant)
                return None if known else begun(placed, self._setting, (region, key))
            case Redelivered(op_id, member):
                # Only what was sent can be delivered once more.
                sent = op_id in world.stamps
                return self._deliveries.redelivered(world, op_id, member) if sent else None
            case _:
                return None

    def _may_begin(self, world: World, fault: Fault) -> bool:
        """Whether the state is quiescent if it has to, and no call waits for one of a member that is dead."""
        if fault.kind in STARTS_AGAIN and any(
            self._setting.operations[op_id].member == fault.member and not call.indefinite
            for op_id, call in world.calls.items()
        ):
            return False
        return not fault.at_rest or self._rest.quiet(world)

    def _has_happened(self, world: World, due: Moment) -> bool:
        """Whether a moment that tells something is true now."""
        match due:
            case Parked(gate):
                return world.gates.get(gate.place) is GateState.PARKED
            case NotParked(gate):
                parked = world.gates.get(gate.place) is GateState.PARKED
                return not parked and self._has_waited(world)
            case Waited(_, op_id):
                waits = self._pending.has_ended(world, op_id) or (
                    op_id is not None
                    and all(
                        one in world.calls and any(self.returned(world, one))
                        for one in self._setting.entries_of(op_id)
                    )
                )
                return not waits and self._has_waited(world)
            case SettledBut(held, queues):
                return self._rest.quiet(world, frozenset(held), waiting=queues)
            case Settled(held):
                return self._rest.quiet(world, frozenset(held))
            case ContentsRead(number) | StatisticRead(number) | QueueRead(number):
                return number not in world.asked
            case FaultDone(number):
                return number not in world.wan.faults
            case ClocksPassed() | Unsettled():
                return True
            case AttributesRead(_, region, checks):
                return checks in self._setting.checks(region)
            case Located(region, key, primary, redundant):
                bucket = world.buckets[region, key]
                return (bucket.primary, {*bucket.copies}) == (primary, {*redundant})
            case _:
                return False

    def _return(
        self, world: World, op_id: int, outcome: Outcome, shows: tuple[tuple[Entry, Entry], ...]
    ) -> Iterator[Step]:
        name = ("return", op_id)
        if self._setting.operations[op_id].member in world.wan.dead and not goes_nowhere(
            self._setting, world, op_id
        ):
            yield from self._return_of_the_dead(world, op_id, outcome, shows)
            return
        if outcome.status is Status.INDEFINITE:
            # It may have happened, may still happen, or may never: the call stays under way.
            unsure = replace(world.calls[op_id], indefinite=True)
            yield Step(name, world.but(calls=world.calls.set(op_id, unsure)), shows, claims.NEXT_MOMENT)
            return
        call: Call = world.calls[op_id]
        if outcome.status is Status.FAILED and call.stage is CallStage.CALLED:
            return
        ways = list(self.returned(world, op_id))
        # A returned call may have left messages behind where decisions are open.
        alone = len(ways) == 1 and not may_lose_answer(world, self._setting, op_id)
        for after, told in ways:
            seen = (outcome_place(op_id), outcome_entry(told))
            # Calls that only read have shown their outcome already, when they took effect.
            extra = () if call.stage is CallStage.DONE else (seen,)
            yield Step(name, after, (*shows, *extra), claims.NEXT_MOMENT if alone else None)

    def _return_of_the_dead(
        self, world: World, op_id: int, outcome: Outcome, shows: tuple[tuple[Entry, Entry], ...]
    ) -> Iterator[Step]:
        """The ends of a call on a dead member: its earlier outcome, an indefinite one, or no begin at all."""
        call: Call = world.calls[op_id]
        told = outcome.status in (Status.INDEFINITE, Status.FAILED)
        if call.outcome is not None:
            told = told or outcome_entry(self._setting.ends_as(op_id, call.outcome)) == outcome_entry(outcome)
        if told:
            after = self.left_by_dead(world, op_id)
            seen: tuple[tuple[Entry, Entry], ...] = ()
            if outcome.status is not Status.INDEFINITE and call.stage is not CallStage.DONE:
                seen = ((outcome_place(op_id), outcome_entry(outcome)),)
            yield Step(("return", op_id), after, (*shows, *seen), claims.NEXT_MOMENT)

    def left_by_dead(self, world: World, op_id: int) -> World:
        """The world in which no member waits for a dead member's call; a living primary goes on with it."""
        call: Call = world.calls[op_id]
        operation = self._setting.operations[op_id]
        if self._setting.has_buckets(operation.member, operation.region):
            return world.but(calls=world.calls.set(op_id, replace(call, indefinite=True)))
        if (call.stage is CallStage.APPLIED and call.by) or self._may_be_done_elsewhere(op_id, call):
            return world
        return world.but(calls=world.calls.delete(op_id))

    def _may_be_done_elsewhere(self, op_id: int, call: Call) -> bool:
        """Whether another member may have been asked for what a dead one has called."""
        operation = self._setting.operations[op_id]
        lesser = (operation.member, operation.region) in self._setting.lesser
        return lesser and call.indefinite and call.stage is CallStage.CALLED

    def _readings(self, world: World, view: View) -> Iterator[Step]:
        for number, unread in world.asked.items():
            if unread is None:
                yield from self._statistic(world, number)
            elif unread is LOOK:
                yield from self._look(world, number)
            elif unread:
                yield from self._contents(world, view, number, unread)
            else:
                yield Step(("has read", number), world.but(asked=world.asked.delete(number)), (), claims.READ)

    def _statistic(self, world: World, number: int) -> Iterator[Step]:
        member, name = self._answers.members[number]
        least, most = self._answers.statistics[number]
        if is_gauge(name):
            if any(
                low <= most and least <= high for low, high in readings(self._setting, world, member, name)
            ):
                answered = world.but(asked=world.asked.delete(number))
                yield Step(("reads statistic", number), answered, (), claims.READ)
            return
        if least <= world.discards.get(member, 0) <= most:
            yield Step(
                ("reads statistic", number), world.but(asked=world.asked.delete(number)), (), claims.READ
            )

    def _look(self, world: World, number: int) -> Iterator[Step]:
        """A queue is seen as it is now."""
        member, name = self._answers.members[number]
        sight = self._answers.queues[number]
        if name in self._setting.parallel:
            events = held_events(world, member, name)
            runs = self._setting.parallel[name].runs_on(member) and member not in world.wan.dead
            shown = sight.tokens is None or Counter(sight.tokens) == Counter(one.token for one in events)
            if sight.depth == len(events) and shown and runs is (sight.role is not QueueRole.NONE):
                answered = world.but(asked=world.asked.delete(number))
                yield Step(("is seen", member, name), answered, (), None)
            return
        if name in self._setting.parted:
            yield from self._look_at_lanes(world, number, member, name, sight)
            return
        lanes = [lane for lane in self._setting.lanes.get(name, ()) if (member, lane) in world.wan.senders]
        senders = [world.wan.senders[member, lane] for lane in lanes]
        roles = {QueueRole.PRIMARY if one.primary else QueueRole.SECONDARY for one in senders} or {
            QueueRole.NONE
        }
        if roles != {sight.role}:
            return
        depth = sum(len(one.queue) for one in senders)
        said = product(
            *(each(self._setting.book.depth_reported(len(one.queue), one.sent)) for one in senders)
        )
        if (
            sight.depth in map(sum, said)
            and (sight.tokens is None or _are_of(sight.tokens, senders) or sight.depth != depth)
            and (
                sight.unprocessed is None
                or sight.role is QueueRole.PRIMARY
                or self._may_remember(world, member, lanes, sight.unprocessed)
            )
            and (
                sight.overflowed is None
                or (not lanes and not sight.overflowed)
                or self._overflow.may_show(lanes[0], senders, sight.overflowed)
            )
        ):
            yield Step(("is seen", member, name), world.but(asked=world.asked.delete(number)), (), None)

    def _look_at_lanes(
        self, world: World, number: int, member: str, name: str, sight: QueueSight
    ) -> Iterator[Step]:
        """What a member holds of a parallel sender is seen as it is now; each that runs it may send."""
        senders = lanes_on(world, self._setting, member, name)
        events = [event.token for sender in senders for event in sender.queue]
        depths = product(
            *(each(self._setting.book.depth_reported(len(one.queue), one.sent)) for one in senders)
        )
        site = self._setting.queues[self._setting.lanes[name][0]].site
        runs = self._setting.site_of[member] == site and member not in world.wan.dead
        if (
            sight.depth in map(sum, depths)
            and (sight.tokens is None or Counter(sight.tokens) == Counter(events))
            and runs is (sight.role is not QueueRole.NONE)
        ):
            yield Step(("is seen", member, name), world.but(asked=world.asked.delete(number)), (), None)

    def _may_remember(self, world: World, member: str, lanes: list[str], count: int) -> bool:
        """Whether a secondary may show so many records of events that have yet to be queued, in all."""
        shown = [records_shown(world, self._setting, member, lane) for lane in lanes]
        return sum(one[0] for one in shown) <= count <= sum(one[-1] for one in shown)

    def _contents(self, world: World, view: View, number: int, unread: frozenset[str]) -> Iterator[Step]:
        member, region = self._answers.members[number]
        seen = self._answers.contents[number]
        right = [key for key in unread if seen[key] in self._may_read(world, member, region, key)]
        # One by one for the judge, all at once where readings are known not to disturb each other.
        for group in [frozenset(right)] if view.reduced else [frozenset((key,)) for key in right]:
            if group:
                rest = unread - group
                yield Step(
                    (READS_CONTENTS, number, tuple(sorted(group))),
                    world.but(asked=world.asked.set(number, rest) if rest else world.asked.delete(number)),
                    (),
                    claims.READ,
                )

    def _may_read(self, world: World, member: str, region: str, key: str) -> tuple[Reading, ...]:
        """What a reader of the member's contents may see of a key now, or of the region as a whole."""
        if key == WHOLE_COPY:
            return (DESTROYED if (member, region) in world.away else None,)
        entry = world.entry(member, region, key)
        if entry.state is EntryState.LIVE:
            return (entry.token,)
        states = tombstones.read_as(self._setting.book, entry)
        return tuple("" if state is EntryState.INVALID else None for state in states)


def _are_of(tokens: tuple[str | None, ...], lanes: list[Sender]) -> bool:
    """Whether a queue that consists of these lanes may be shown so; in which order, its lanes do not say."""
    if len(lanes) == 1:
        return tokens == tuple(event.token for event in lanes[0].queue)
    return Counter(tokens) == Counter(event.token for lane in lanes for event in lane.queue)
