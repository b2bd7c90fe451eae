"""From a history to a question that the search can answer: which model, which logs, what is still to come.

Knows how histories are written down; knows nothing of how the search works.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Mapping
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from plumbline.reference.explain.steps import Entry as Shown
from plumbline.reference.explain.steps import Logs, Place, View
from plumbline.reference.garbage import uncollected
from plumbline.reference.history import (
    Armed,
    Called,
    ContentsAsked,
    ContentsRead,
    Fault,
    FaultBegun,
    FaultKind,
    Gate,
    History,
    Moment,
    NotParked,
    QueueAsked,
    QueueRead,
    Redelivered,
    Released,
    Returned,
    Settled,
    StatisticAsked,
    StatisticRead,
    Waited,
)
from plumbline.reference.history import Shown as ListenerShown
from plumbline.reference.model.faults import mends
from plumbline.reference.model.foresight import Comes
from plumbline.reference.model.places import (
    TIMELINE,
    listener_entry,
    listener_place,
    outcome_entry,
    outcome_place,
)
from plumbline.reference.model.senders import crash_of
from plumbline.reference.model.setting import Setting, served
from plumbline.reference.model.system import Model
from plumbline.reference.model.timeline import Answers, Reading
from plumbline.reference.model.world import LOOK, Channel, Entry, Message, Sender, Stage, Wire, World
from plumbline.reference.operations import (
    READS,
    STORES_VALUE,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    QueueRole,
    QueueSight,
    Scope,
    Status,
)
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.operations import BECOMES, effects
from plumbline.reference.rulebook.values import EntryState

NEVER = 1 << 60
"""A moment that does not come."""

Where = tuple[str, str, str]
"""Member, region, key."""


class Question(NamedTuple):
    """A model and the logs that it should explain."""

    system: Model
    logs: Logs


class _Reader(NamedTuple):
    """Somebody who reads a key: when asked, and as what operation or with which reading."""

    moment: int
    operation: Operation | None
    outcome: Outcome | None
    reading: Reading


_BareReader = tuple[int, Operation | None, Outcome | None, Reading]
"""The fields of a _Reader: there is one for each key and reading, and most are never looked at."""

_MOMENT = itemgetter(0)


class Index:
    """A history looked up: what is still to come at any point of the timeline."""

    def __init__(self, history: History) -> None:
        self.clients = {client.name: client for client in history.clients}
        self.originators: dict[int, str] = {}
        self.operations: dict[int, Operation] = {}
        self.called: dict[int, int] = {}
        self.returned: dict[int, tuple[int, Outcome]] = {}
        self.settled: list[int] = []
        self.settled_everywhere: list[int] = []
        self.answers = Answers()
        self.redelivered: set[int] = set()
        self._again: set[Where] = set()
        self._shut: set[Gate] = set()
        self._sites = {m: site.number for site in history.topology.sites for m in site.members}
        for client in history.clients:
            self._sites[client.name] = self._sites[client.servers[0]]
        self._feeding = {queue.id: queue.site for queue in history.queues}
        self._faults: list[tuple[int, Fault]] = []
        self._down: set[Fault] = set()
        self._looks: list[int] = []
        self._last_look: dict[str, int] = {}
        self.primaries: dict[str, str] = {}
        self._read(history)
        again = frozenset().union(*(_repeats(log) for log in history.logs.values()))
        self._repeated = frozenset(
            op.op_id for op in self.operations.values() if (op.region, op.key, op.token) in again
        )
        self._open: dict[int, frozenset[str]] = {}
        self._scopes = {region.name: region.scope for region in history.regions}
        self._unchecked = {region.name for region in history.regions if region.checks is False}
        self._logged: dict[str, set[tuple[str, str | None]]] = {
            member: {(shown.event.key, shown.event.token) for shown in log}
            for member, log in history.logs.items()
        }
        self._identified = history.callback_arguments
        self._strength = history.order_strength
        self._readers = self._find_readers()
        self._silent = self._find_silent((*history.topology.members, *self.clients))
        self._counts = self._find_counts()
        self._losers = self._find_losers()
        self._unheard = self._find_unheard()

    def _read(self, history: History) -> None:
        self._asked: dict[int, int] = {}
        called: dict[str, set[str]] = {region.name: set() for region in history.regions}
        for moment, what in enumerate(history.timeline):
            match what:
                case Called(asked):
                    operation = served(asked, self.clients)
                    if operation is not asked:
                        self.originators[operation.op_id] = asked.member
                    self.operations[operation.op_id] = operation
                    self.called[operation.op_id] = moment
                    called[operation.region].add(operation.key)
                case Returned(op_id, outcome):
                    self.returned[op_id] = (moment, outcome)
                case Settled(held):
                    if not held and not self._shut:
                        self.settled.append(moment)
                        if not self._down:
                            self.settled_everywhere.append(moment)
                case Armed(gate):
                    self._shut.add(gate)
                case Released(gate):
                    self._shut.discard(gate)
                case Redelivered(op_id, member):
                    operation = self.operations[op_id]
                    self.redelivered.add(op_id)
                    for holder in (member, *self.clients):
                        self._again.add((holder, operation.region, operation.key))
                case _:
                    self._read_answer(history, moment, what, called)

    def _read_answer(self, history: History, moment: int, what: Moment, called: dict[str, set[str]]) -> None:
        """Take in a fault, a question or an answer; a question that is never answered shows nothing."""
        match what:
            case FaultBegun(_, fault):
                self._faults.append((moment, fault))
                self._down = _still_down(self._down, fault)
            case ContentsAsked(number, member, region):
                self._asked[number] = moment
                self.answers.members[number] = (member, region)
                self.answers.contents[number] = {}
            case ContentsRead(number, _, region, entries):
                present = {entry.key: "" if entry.token is None else entry.token for entry in entries}
                wanted = called[region] | present.keys()
                self.answers.contents[number] = {key: present.get(key) for key in wanted}
            case StatisticAsked(number, member, name):
                self._asked[number] = moment
                self.answers.members[number] = (member, name)
                self.answers.statistics[number] = (0, NEVER)
            case QueueAsked(number, member, queue):
                self._asked[number] = moment
                self._looks.append(moment)
                self._last_look[queue] = moment
                self.answers.members[number] = (member, queue)
                self.answers.queues[number] = _UNSEEN
            case QueueRead(number, member, queue, sight):
                self.answers.queues[number] = sight
                if sight.role is QueueRole.PRIMARY and not self._faults:
                    self.primaries.setdefault(queue, member)
            case StatisticRead(number, _, _, delta):
                least, most = history.conflated_weight_least, history.conflated_weight_most
                self.answers.statistics[number] = (-(-delta // most), delta // least)

    @property
    def shared(self) -> frozenset[tuple[str, str]]:
        """The regions and keys that more than one site writes."""
        return self._written_by_several(self._sites)

    def timed(self, *, losers_queued: bool) -> frozenset[tuple[str, str]]:
        """The regions and keys that more than one member writes, where one of them dies or losers are queued.

        What the dead one wrote may have reached other sites and never its own; a loser may reach them late.
        """
        if not losers_queued and not any(fault.kind is FaultKind.CRASH for _, fault in self._faults):
            return frozenset()
        return self._written_by_several({member: member for member in self._sites})

    def _written_by_several(self, whose: Mapping[str, object]) -> frozenset[tuple[str, str]]:
        writers: dict[tuple[str, str], set[object]] = {}
        for operation in self.operations.values():
            if operation.kind not in READS:
                writers.setdefault((operation.region, operation.key), set()).add(whose[operation.member])
        return frozenset(where for where, found in writers.items() if len(found) > 1)

    @property
    def ambiguous(self) -> frozenset[tuple[str, str]]:
        """The regions and keys to which something may have happened in silence."""
        return frozenset((region, key) for _, region, key in self._silent)

    def latest(self, operation: Operation, member: str) -> int:
        """The moment by which the operation has surely reached the member."""
        back, outcome = self.returned.get(operation.op_id, (NEVER, None))
        if outcome is not None and outcome.status is Status.INDEFINITE:
            return NEVER
        near = self._sites[member] == self._sites[operation.member]
        moments = self.settled if near else self.settled_everywhere
        index = bisect_left(moments, self.called[operation.op_id])
        settled = moments[index] if index < len(moments) else NEVER
        if not near:
            return settled
        if member in self.clients:
            known = member == self.originators.get(operation.op_id)
        else:
            known = member == operation.member or self._scopes[operation.region] is Scope.ACK
        return min(back, settled) if known else settled

    def _find_readers(self) -> dict[Where, list[_BareReader]]:
        readers: dict[Where, list[_BareReader]] = {}
        for op_id, operation in self.operations.items():
            _, outcome = self.returned.get(op_id, (NEVER, None))
            if outcome is None or outcome.status is Status.INDEFINITE:
                continue
            if not self._may_only_read(operation):
                continue
            where = (operation.member, operation.region, operation.key)
            readers.setdefault(where, []).append((self.called[op_id], operation, outcome, None))
        for number, seen in self.answers.contents.items():
            member, region = self.answers.members[number]
            asked = self._asked[number]
            for key, reading in seen.items():
                readers.setdefault((member, region, key), []).append((asked, None, None, reading))
        for found in readers.values():
            found.sort(key=_MOMENT)
        return readers

    def _may_only_read(self, operation: Operation) -> bool:
        """Whether the operation may have changed nothing on its member, as far as listeners tell."""
        if operation.kind in READS:
            # It has no token, and neither have events of candidates that name no destroys.
            return True
        logged = self._logged.get(operation.member)
        return logged is None or (operation.key, operation.token) not in logged

    def only_reads(self, operation: Operation) -> bool:
        """Whether it is known that the operation changed nothing on its member (see Foresight)."""
        if operation.op_id in self.originators:
            return False  # its server need not tell of it, nor does its outcome
        if operation.kind in READS:
            return True
        named = self._identified or operation.kind in STORES_VALUE
        return operation.member in self._logged and named and self._may_only_read(operation)

    def _find_silent(self, members: tuple[str, ...]) -> dict[Where, tuple[list[Operation], list[int]]]:
        """Per place the operations that may have come without a word from the listener there.

        With each goes the latest moment at which any up to it may arrive: that never falls, so it can be
        searched.
        """
        silent: dict[Where, list[Operation]] = {}
        for operation in self.operations.values():
            if operation.kind not in _MAY_BE_SILENT and not (
                operation.region in self._unchecked and operation.kind in STORES_VALUE
            ):
                continue
            for member in members:
                logged = self._logged.get(member, set())
                elsewhere = member != operation.member or operation.op_id in self.originators
                if elsewhere and (not self._identified or (operation.key, operation.token) not in logged):
                    silent.setdefault((member, operation.region, operation.key), []).append(operation)
        return {
            where: (found, list(accumulate((self.latest(op, where[0]) for op in found), max)))
            for where, found in silent.items()
        }

    def _find_counts(self) -> dict[str, list[int]]:
        counts: dict[str, list[int]] = {}
        for number in self.answers.statistics:
            counts.setdefault(self.answers.members[number][0], []).append(self._asked[number])
        for moments in counts.values():
            moments.sort()
        return counts

    def reader_to_come(
        self, world: World, now: int, member: str, operation: Operation, entry: Entry
    ) -> Comes:
        """Whether somebody reads `entry` before `operation` changes it (see Foresight)."""
        where = (member, operation.region, operation.key)
        readers = self._readers.get(where)
        if not readers:
            return Comes.NO
        # A value is there once only, so who has yet to see it must come first, unless it comes again.
        comes_again = where in self._again or entry.token == operation.token
        once = entry.state is EntryState.LIVE and not comes_again
        sure = Comes.SURELY if once else Comes.PERHAPS
        for op_id, call in world.calls.items():
            reader = self.operations[op_id]
            if (
                call.stage is Stage.CALLED
                and op_id != operation.op_id
                and (reader.member, reader.region, reader.key) == where
                and self._reads(reader, self.returned.get(op_id, (NEVER, None))[1], entry)
            ):
                return Comes.PERHAPS
        latest = self.latest(operation, member)
        comes = Comes.NO
        for index in range(bisect_left(readers, now, key=_MOMENT), len(readers)):
            found = _Reader(*readers[index])
            if found.moment >= latest:
                break
            if found.operation is None:
                if _seen(entry) == found.reading:
                    return sure
            elif self._reads(found.operation, found.outcome, entry):
                if found.outcome is not None and found.outcome.value == entry.token:
                    return sure
                comes = Comes.PERHAPS
        return comes

    @staticmethod
    def _reads(operation: Operation, outcome: Outcome | None, entry: Entry) -> bool:
        return outcome is not None and any(
            effect.becomes is None and (effect.status, effect.value) == (outcome.status, outcome.value)
            for effect in effects(operation.kind, entry.state, entry.token)
        )

    def silent_change_to_come(
        self, world: World, now: int, member: str, operation: Operation, entry: Entry
    ) -> bool:
        """Whether a change that listeners need not show might come first (see Foresight)."""
        where = (member, operation.region, operation.key)
        if where in self._again:
            return True
        if self._queued_in_silence(world, now, member, operation):
            return True
        if entry.state is EntryState.LIVE:
            return False
        found = self._silent.get(where)
        if found is None:
            return False
        silent, until = found
        latest = self.latest(operation, member)
        for index in range(bisect_left(until, now), len(silent)):
            other = silent[index]
            if self.called[other.op_id] >= latest:
                return False
            if other.op_id == operation.op_id or (
                other.kind is not OperationKind.INVALIDATE and entry.state is EntryState.INVALID
            ):
                continue
            if self._may_still_arrive(world, now, other, member, entry):
                return True
        return False

    def _queued_in_silence(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether a destroy of any key, of which no listener here is told, may enter a queue first."""
        latest: int | None = None
        for other in self._unheard.get(member, ()):
            if other.op_id == operation.op_id:
                continue
            latest = self.latest(operation, member) if latest is None else latest
            called = self.called[other.op_id]
            if called >= latest:
                return False
            if called >= now or self._may_be_under_way(world, member, other):
                return True
        return False

    def _find_unheard(self) -> dict[str, list[Operation]]:
        """Of each member that may feed a queue, destroys of its site that its listener is not told of."""
        unheard: dict[str, list[Operation]] = {}
        for operation in self.operations.values():
            if operation.kind is not OperationKind.DESTROY or not self._feeding:
                continue
            told = (operation.key, operation.token)
            for member, site in self._sites.items():
                near = site == self._sites[operation.member] and member != operation.member
                if near and (not self._identified or told not in self._logged.get(member, set())):
                    unheard.setdefault(member, []).append(operation)
        return unheard

    def _may_still_arrive(self, world: World, now: int, other: Operation, member: str, entry: Entry) -> bool:
        if self.called[other.op_id] >= now:
            return True
        if self._sites[member] != self._sites[other.member]:
            return (member, other.op_id) not in world.wan.seen
        call = world.calls.get(other.op_id)
        if member in self.clients:
            return call is not None or any(
                message.op_id == other.op_id for messages in world.channels.values() for message in messages
            )
        if call is None:
            _, outcome = self.returned.get(other.op_id, (NEVER, None))
            if outcome is not None and outcome.status in (Status.ABSENT, Status.REFUSED):
                return False
            if self._scopes[other.region] is Scope.ACK:
                return False
            return any(
                channel.target == member and any(message.op_id == other.op_id for message in messages)
                for channel, messages in world.channels.items()
            )
        if (
            call.stage is Stage.SENT
            and self._scopes[other.region] is Scope.ACK
            and member not in call.waiting
        ):
            return False
        # What is surely discarded changes nothing.
        return not (
            call.stamp is not None and entry.stamp is not None and entry.stamp.version > call.stamp.version
        )

    def count_to_come(self, now: int, member: str, operation: Operation) -> bool:
        """Whether somebody might read a counter before `operation` is discarded (see Foresight)."""
        moments = self._counts.get(member)
        if not moments:
            return False
        if (member, operation.region, operation.key) in self._again:
            # What comes again counts for nothing as long as it is stored, and counts when it is outdated.
            return True
        index = bisect_left(moments, now)
        return index < len(moments) and moments[index] < self.latest(operation, member)

    def open(self, world: World, view: View) -> frozenset[str]:
        """Faults to come before everything settles, or under way; looks at queues (see Foresight)."""
        found = self._open.get(view.now)
        if found is None:
            found = self._open[view.now] = self._open_from(view.now)
        wan = world.wan
        if wan.faults:
            found = found.union(*(_names(fault) for fault in wan.faults.values()))
        if wan.links:
            found |= {"link"}  # until it is mended, at least
        if wan.dead and any(channel.source in wan.dead for channel in world.channels):
            found |= {"lost messages"}
        if any(unread == LOOK for unread in world.asked.values()):
            found |= {"look"}
        return found

    def _open_from(self, now: int) -> frozenset[str]:
        until = _next(self.settled, now)
        found: set[str] = set()
        for moment, fault in self._faults:
            if now <= moment < until:
                found |= _names(fault)
        # While something is down, a settled queue still tells what had been answered before.
        if any(now <= moment < _next(self.settled_everywhere, now) for moment in self._looks):
            found.add("look")
        if self._repeated:
            found.add("repetition")
        return frozenset(found)

    def wants_message(self, world: World, view: View, channel: Channel) -> bool:
        """Whether what is due needs a message of the channel (see Foresight)."""
        due = view.due(TIMELINE)
        if isinstance(due, Settled | NotParked | Waited):
            return True
        messages = world.channels[channel]
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
        """Whether the message is of a call of its own sender that is known to have returned."""
        operation = self.operations.get(message.op_id)
        if operation is None or operation.member != channel.source or message.op_id not in world.calls:
            return False
        _, outcome = self.returned.get(message.op_id, (NEVER, None))
        return outcome is not None and outcome.status not in (Status.INDEFINITE, Status.FAILED)

    def _shown_by(self, member: str, message: Message) -> tuple[Place, Shown]:
        operation = self.operations[message.op_id]
        return self.place_of(member, operation)

    def place_of(self, member: str, operation: Operation) -> tuple[Place, Shown]:
        """Where the listener of a member tells of an operation that was called elsewhere, and what."""
        _, kind = BECOMES[operation.kind]
        named = self._identified or operation.kind in STORES_VALUE
        thread = operation.thread if named else None
        token = operation.token if named else None
        return (
            listener_place(self._strength, member, operation.region, operation.key, thread, kind),
            listener_entry(operation.region, operation.key, kind, token),
        )

    def wants_event(self, world: World, view: View, wire: Wire, sender: Sender) -> bool:
        """Whether what is due needs an event that the sender has not sent yet (see Foresight)."""
        del world
        if isinstance(view.due(TIMELINE), Settled | NotParked | Waited):
            return True
        # Not only what is due at once: it may be shown when the connection has broken.
        unsent = [self.operations[event.op_id] for event in sender.queue[sender.sent :]]
        return any(
            operation.kind not in BECOMES or _later(view, self.place_of(wire.receiver, operation))
            for operation in unsent
        )

    def copies_are_looked_at(self, now: int, queue: str) -> bool:
        """Whether anybody looks at a copy of the queue from now on (see Foresight)."""
        return self._last_look.get(queue, -1) >= now

    def waits_for_all(self, view: View) -> bool:
        """Whether what is due says that all the time was given that anything may take (see Foresight)."""
        return isinstance(view.due(TIMELINE), NotParked | Waited)

    def _find_losers(self) -> dict[Where, list[Operation]]:
        """Of each key that several sites write, what changed it elsewhere and shows nothing on a member."""
        losers: dict[Where, list[Operation]] = {}
        shared = self.shared
        for operation in self.operations.values():
            where, told = (operation.region, operation.key), (operation.key, operation.token)
            changed = told in self._logged.get(operation.member, {told})
            if where not in shared or operation.kind in READS or not (changed or not self._identified):
                continue
            for member in self._sites:
                if member != operation.member and told not in self._logged.get(member, set()):
                    losers.setdefault((member, *where), []).append(operation)
        return losers

    def loser_to_come(self, world: World, now: int, member: str, operation: Operation) -> bool:
        """Whether an update that shows nothing may come to the key first (see Foresight)."""
        latest = self.latest(operation, member)
        for loser in self._losers.get((member, operation.region, operation.key), ()):
            called = self.called[loser.op_id]
            if called >= latest:
                return False
            if loser.op_id != operation.op_id and (
                called >= now or self._may_be_under_way(world, member, loser)
            ):
                return True
        return False

    def _may_be_under_way(self, world: World, member: str, operation: Operation) -> bool:
        """Whether an operation that was called on another member may still have to arrive at the member."""
        if self._sites[member] != self._sites[operation.member]:
            crosses = operation.kind is not OperationKind.INVALIDATE
            return crosses and (member, operation.op_id) not in world.wan.seen
        call = world.calls.get(operation.op_id)
        if call is not None and (call.stage is not Stage.SENT or member in call.waiting):
            return True
        return any(
            channel.target == member and any(message.op_id == operation.op_id for message in messages)
            for channel, messages in world.channels.items()
        )

    def comes_again(self, op_id: int) -> bool:
        """Whether some member's listener is told of the operation more than once (see Foresight)."""
        return op_id in self._repeated

    def may_happen(self, view: View, fault: Fault) -> bool:
        """Whether the fault may happen now (see Foresight)."""
        return fault.kind is not FaultKind.CRASH or view.complete(fault.member)


def _next(moments: list[int], now: int) -> int:
    """The first of the moments from now on; NEVER if there is none."""
    index = bisect_left(moments, now)
    return moments[index] if index < len(moments) else NEVER


_UNSEEN = QueueSight(depth=-1, role=QueueRole.NONE)
"""What a question after a queue shows that is never answered: nothing."""

_FAULT_NAMES = {
    FaultKind.LINK_DOWN: "link",
    FaultKind.LINK_UP: "link",
    FaultKind.REPLIES_LOST: "link",
    FaultKind.RECEIVER_STOP: "receiver",
    FaultKind.RECEIVER_START: "receiver",
    FaultKind.PAUSE: "pause",
    FaultKind.RESUME: "pause",
}


def _later(view: View, shown: tuple[Place, Shown]) -> bool:
    """Whether an entry may be shown now or later."""
    place, entry = shown
    return view.still(place, entry) or not view.observed(place)


def _names(fault: Fault) -> frozenset[str]:
    """How steps call the fault."""
    if fault.kind is FaultKind.CRASH:
        return frozenset(("crash", crash_of(fault.member)))
    if fault.kind is FaultKind.REPLIES_LOST:
        return frozenset((_FAULT_NAMES[fault.kind], "replies"))
    return frozenset((_FAULT_NAMES[fault.kind],))


def _still_down(down: set[Fault], fault: Fault) -> set[Fault]:
    """What is down once a fault, or what mends one, was asked for."""
    if not mends(fault):
        return {*down, fault} if fault.kind is not FaultKind.CRASH else down
    return {old for old in down if _MENDED_BY.get(old.kind) != fault.kind or _spot(old) != _spot(fault)}


_MENDED_BY = {
    FaultKind.LINK_DOWN: FaultKind.LINK_UP,
    FaultKind.REPLIES_LOST: FaultKind.LINK_UP,
    FaultKind.RECEIVER_STOP: FaultKind.RECEIVER_START,
    FaultKind.PAUSE: FaultKind.RESUME,
}


def _spot(fault: Fault) -> tuple[str, str, int, int]:
    """Where a fault is."""
    return fault.member, fault.queue, fault.site, fault.remote_site


def _repeats(log: tuple[ListenerShown, ...]) -> frozenset[tuple[str, str, str | None]]:
    """Region, key and token of what a log tells of more than once."""
    told = Counter((shown.event.region, shown.event.key, shown.event.token) for shown in log)
    return frozenset(what for what, times in told.items() if times > 1 and what[2] is not None)


def _awaits(waiting: frozenset[object], channel: Channel) -> bool:
    """Whether a call awaits something that comes over the channel."""
    return any(
        isinstance(awaited, tuple) and awaited[1:] == (channel.source, channel.target) for awaited in waiting
    )


def _seen(entry: Entry) -> Reading:
    if entry.state is EntryState.LIVE:
        return entry.token
    return "" if entry.state is EntryState.INVALID else None


def ask(history: History, book: Rulebook) -> Question:
    """The question whether the model with this rulebook can show exactly this history."""
    with uncollected():
        return _ask(history, book)


def _ask(history: History, book: Rulebook) -> Question:
    index = Index(history)
    setting = Setting(
        book,
        history.topology,
        history.regions,
        history.member_order,
        identified=history.callback_arguments,
        redeliverable=frozenset(index.redelivered),
        queues=history.queues,
    )
    for client in history.clients:
        setting.connect(client)
        for region in history.regions:
            setting.subscribe(client.name, region.name)
    setting.shared = index.shared
    setting.timed = index.timed(losers_queued="queues_discarded" in book.replaced())
    setting.primaries = index.primaries
    setting.operations = index.operations
    setting.originators = index.originators
    setting.ambiguous = index.ambiguous
    model = Model(setting, history.order_strength, index, index.answers, history.client_order_strength)
    return Question(model, _logs(history, index))


def _logs(history: History, index: Index) -> Logs:
    entries: dict[Place, list[Shown]] = {TIMELINE: list(history.timeline)}
    windows: dict[Place, list[tuple[int, int]]] = {}
    by_token = {op.token: op for op in index.operations.values() if op.token is not None}
    for op_id, (_, outcome) in index.returned.items():
        if outcome.status is not Status.INDEFINITE:
            entries[outcome_place(op_id)] = [outcome_entry(outcome)]
    for member in history.logs:
        of_client = history.client_order_strength if member in index.clients else None
        strength = of_client or history.order_strength
        # A key of which nothing was shown was observed all the same.
        for operation in index.operations.values():
            _, kind = BECOMES.get(operation.kind, (None, _LOCAL_EVENT.get(operation.kind, EventKind.UPDATE)))
            named = history.callback_arguments or operation.kind in STORES_VALUE
            thread = operation.thread if named else None
            place = listener_place(strength, member, operation.region, operation.key, thread, kind)
            entries.setdefault(place, [])
            windows.setdefault(place, [])
        for shown in history.logs[member]:
            event = shown.event
            entry = listener_entry(event.region, event.key, event.kind, event.token)
            caller = None if event.token is None else by_token.get(event.token)
            thread = None if caller is None else caller.thread
            place = listener_place(strength, member, event.region, event.key, thread, event.kind)
            entries.setdefault(place, []).append(entry)
            windows.setdefault(place, []).append((shown.after, shown.before))
    owners: dict[Place, Hashable] = {}
    for place in entries:
        if isinstance(place, tuple) and place[0] == "listener":
            owners[place] = place[1]
    return Logs(entries, clock=TIMELINE, windows=windows, owners=owners)


_MAY_BE_SILENT = (OperationKind.DESTROY, OperationKind.INVALIDATE)
"""Operations that listeners need not show where they find nothing to destroy or invalidate."""

_LOCAL_EVENT = {
    OperationKind.LOCAL_INVALIDATE: EventKind.INVALIDATE,
    OperationKind.LOCAL_DESTROY: EventKind.DESTROY,
}
