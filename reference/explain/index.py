"""A history looked up: what was called, answered, settled and told of, and when, by operation and by place.

Knows how histories are written down; knows nothing of worlds, nor of
what any of it means for a step (`recorded_lookahead`).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from plumbline.reference.explain.active_faults import still_dead, still_down
from plumbline.reference.explain.counters import counts, gauges, limits
from plumbline.reference.explain.entries import entries_of
from plumbline.reference.explain.listener_index import (
    received_again,
    repetitions,
    told_more_than_once,
    told_when,
    without_questions,
)
from plumbline.reference.explain.member_lifetimes import NEVER, MemberLifetimes
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.history.moments import (
    Armed,
    Called,
    ContentsAsked,
    ContentsRead,
    FaultBegun,
    Gate,
    Located,
    Moment,
    NotParked,
    QueueAsked,
    QueueRead,
    Redelivered,
    Registered,
    Released,
    Returned,
    Scripted,
    Settled,
    SettledBut,
    StatisticAsked,
    StatisticRead,
    Waited,
)
from plumbline.reference.history.operations import (
    DESTROYS,
    DESTROYS_REGION,
    LOCAL_ACTIONS,
    READS,
    STORES_VALUE,
    WHOLE_REGION,
    Operation,
    OperationKind,
    Outcome,
    QueueRole,
    QueueSight,
    RegionPolicy,
    Scope,
    Status,
)
from plumbline.reference.history.registration_moments import RegistrationBegun
from plumbline.reference.model.ambiguous_keys import AmbiguousKeys, while_used
from plumbline.reference.model.gauges import is_gauge
from plumbline.reference.model.setting import served
from plumbline.reference.model.sites.lanes import DispatcherPartition, lanes_by_sender
from plumbline.reference.model.timeline import DESTROYED, WHOLE_COPY, Answers, Reading

Where = tuple[str, str, str]
"""Member, region, key."""


class Reader(NamedTuple):
    """A reader of a key: the moment of its request, and its operation or its reading."""

    moment: int
    operation: Operation | None
    outcome: Outcome | None
    reading: Reading


BareReader = tuple[int, Operation | None, Outcome | None, Reading]
"""The fields of a Reader: there is one for each key and reading, and most are never looked at."""

MOMENT = itemgetter(0)


class Index:
    """The tables of one history; made once, and then only read."""

    def __init__(self, history: History) -> None:
        self.shares, self.apart, self.own_entries = entries_of(history)
        self.clients = {client.name: client for client in history.clients}
        self.originators: dict[int, str] = {}
        self.operations: dict[int, Operation] = {}
        self.called: dict[int, int] = {}
        self.returned: dict[int, tuple[int, Outcome]] = {}
        self.settled: list[int] = []
        self.settled_everywhere: list[int] = []
        self.held_back: dict[tuple[str, str], list[int]] = {}
        self.answers = Answers()
        self.redelivered: set[int] = set()
        self.again: set[Where] = set()
        self._shut: set[Gate] = set()
        self.sites = {m: site.number for site in history.topology.sites for m in site.members}
        self.sites |= {client.name: self.sites[client.servers[0]] for client in history.clients}
        self.lives = MemberLifetimes(history.timeline)
        self.queues = {queue.id: queue for queue in history.queues}
        self._lanes = lanes_by_sender(history.queues)
        self.faults: list[tuple[int, Fault]] = []
        self._down, self._dead = set[Fault](), frozenset[str]()
        self.looks: list[tuple[int, str]] = []
        self.last_look: dict[str, int] = {}
        self.primaries: dict[str, str] = {}
        self.located: dict[tuple[str, str], list[tuple[int, str]]] = {}
        self._read(history)
        self.told_again, self.received_again = (
            told_more_than_once(history, self.sites),
            received_again(history, self.sites),
        )
        self.repetitions_before = partial(repetitions, history)
        history = without_questions(history)
        self.plain = self._is_plain(history)
        self.repeated = self.received_again.union(
            op.op_id
            for op in self.operations.values()
            if (op.region, op.key, _told_as(op, history)) in self.told_again
        )
        self.scopes = {region.name: region.scope for region in history.regions}
        self.partitioned, self._shared_out = _not_replicated(history)
        """Partitioned regions; and those of which another member may go on with a dead one's call."""
        self._unchecked = {region.name for region in history.regions if region.checks is False}
        self.logged: dict[str, set[tuple[str, str | None]]] = {
            member: {(shown.event.key, shown.event.token) for shown in log}
            for member, log in history.logs.items()
        }
        self.identified = history.callback_arguments
        self.strength = history.order_strength
        self.readers = self._find_readers()
        self._latest: dict[tuple[int, str, str], int] = {}
        self.silent = self._find_silent((*history.topology.members, *self.clients))
        self.unannounced = self._find_unannounced()
        self.counts = counts(self.answers, self.asked)
        self.limits = {} if self.lives.begin_anew else limits(self.answers, self.asked)
        self.gauges = gauges(self.answers, self.asked)
        self.clears = self._find_clears()
        self.leaps = [moment for moment, fault in self.faults if fault.kind is FaultKind.TIME_LEAP]
        self.losers = self._find_losers()
        self.unheard = self._find_unheard()
        self._told = told_when(history)
        self.rivals = self._find_rivals(history)

    def _read(self, history: History) -> None:
        self.asked: dict[int, int] = {}
        self.stills: list[int] = []
        """When all the time was given that anything may take."""
        self.waiting: dict[int, tuple[str, ...]] = {}
        """Those of these moments at which something may wait in queues to be sent, and in which."""
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
                    self.stills.append(moment)
                    if isinstance(what, SettledBut):
                        lanes = (lane for queue in what.queues for lane in self._lanes.get(queue, ()))
                        self.waiting[moment] = tuple(lanes)
                    self._settle(moment, held)
                case NotParked() | Waited():
                    self.stills.append(moment)
                case Armed(gate):
                    self._shut.add(gate)
                case Released(gate):
                    self._shut.discard(gate)
                case Redelivered(op_id, member):
                    operation = self.operations[op_id]
                    self.redelivered.add(op_id)
                    for holder in (member, *self.clients):
                        self.again.add((holder, operation.region, operation.key))
                case _:
                    self._read_answer(history, moment, what, called)

    def _settle(self, moment: int, held: tuple[tuple[str, str], ...]) -> None:
        """Everything is at rest, but for what is held back."""
        for where in held:
            self.held_back.setdefault(where, []).append(moment)
        if not held and not self._shut:
            self.settled.append(moment)
            if not self._down and not (self._dead and self.queues and self.lives.begin_anew):
                self.settled_everywhere.append(moment)  # otherwise events may wait on a disk

    def _read_answer(self, history: History, moment: int, what: Moment, called: dict[str, set[str]]) -> None:
        """Take in a fault, a question or an answer; a question that is never answered shows nothing."""
        match what:
            case FaultBegun(_, fault):
                self.faults.append((moment, fault))
                self._down = still_down(self._down, fault)
                self._dead = still_dead(self._dead, fault)
            case ContentsAsked(number, member, region):
                self.asked[number] = moment
                self.answers.members[number] = (member, region)
                self.answers.contents[number] = {}
            case ContentsRead(number, gone=True):
                self.answers.contents[number] = {WHOLE_COPY: DESTROYED}
            case ContentsRead(number, _, region, entries):
                present = {entry.key: "" if entry.token is None else entry.token for entry in entries}
                wanted = called[region] | present.keys()
                if any(operation.kind in DESTROYS_REGION for operation in self.operations.values()):
                    wanted |= {WHOLE_COPY}
                self.answers.contents[number] = {key: present.get(key) for key in wanted}
            case StatisticAsked(number, member, name):
                self.asked[number] = moment
                self.answers.members[number] = (member, name)
                self.answers.statistics[number] = (0, NEVER)
            case Located(region, key, primary):
                self.located.setdefault((region, key), []).append((moment, primary))
            case QueueAsked(number, member, queue):
                self.asked[number] = moment
                lanes = self._lanes.get(queue, ())
                self.looks += [(moment, lane) for lane in lanes]
                self.last_look |= dict.fromkeys(lanes, moment)
                self.answers.members[number] = (member, queue)
                self.answers.queues[number] = _UNSEEN
            case QueueRead(number, member, queue, sight):
                self.answers.queues[number] = sight
                if sight.role is QueueRole.PRIMARY and not self.faults:
                    self.primaries.setdefault(queue, member)
            case StatisticRead(number, _, name, delta) if is_gauge(name):
                self.answers.statistics[number] = (delta, delta)
            case StatisticRead(number, _, _, delta):
                least, most = history.conflated_weight_least, history.conflated_weight_most
                self.answers.statistics[number] = (-(-delta // most), delta // least)

    def _is_plain(self, history: History) -> bool:
        """Whether clients are registered for all values all the time, and do nothing but put and destroy."""
        kinds = {self.operations[op_id].kind for op_id in self.originators}
        changed = any(
            isinstance(moment, Registered | RegistrationBegun | Scripted) for moment in history.timeline
        )
        changed |= any(
            isinstance(moment, Armed) and moment.gate.callback != "listener" for moment in history.timeline
        )
        alone = all(
            len(client.servers) == 1 and client.durable_id is None and not client.conflate
            for client in history.clients
        )
        changed |= any(operation.kind in WHOLE_REGION for operation in self.operations.values())
        changed |= self.lives.begin_anew
        return alone and history.registers and not changed and kinds <= _PLAIN

    @property
    def unsure(self) -> frozenset[int]:
        """The op ids of calls of which it is not known that they ended well."""
        ends = {op_id: outcome.status for op_id, (_, outcome) in self.returned.items()}
        unknown = (Status.INDEFINITE, Status.FAILED)
        return frozenset(one for one in self.operations if ends.get(one, Status.INDEFINITE) in unknown)

    @property
    def shared(self) -> frozenset[tuple[str, str]]:
        """The regions and keys that more than one site writes, or whose events overtake each other."""
        if any(isinstance(queue, DispatcherPartition) and queue.parts_keys for queue in self.queues.values()):
            return self._written_by_several(lambda operation: operation.op_id)
        return self._written_by_several(lambda operation: self.sites[operation.member])

    def timed(self, *, losers_queued: bool) -> frozenset[tuple[str, str]]:
        """The regions and keys that more than one thread writes, where a member dies or losers are queued.

        An update of the dead member may have reached other sites and never its own; a loser may reach them
        late, and so may what its primary had not been told of.
        """
        if not losers_queued and not self.lives.doomed:
            return frozenset()
        return self._written_by_several(lambda operation: operation.thread)

    def _written_by_several(self, by: Callable[[Operation], object]) -> frozenset[tuple[str, str]]:
        writers: dict[tuple[str, str], set[object]] = {}
        for operation in self.operations.values():
            if operation.kind not in READS:
                writers.setdefault((operation.region, operation.key), set()).add(by(operation))
        return frozenset(where for where, found in writers.items() if len(found) > 1)

    @property
    def ambiguous(self) -> AmbiguousKeys:
        """The regions and keys to which something may have happened in silence: also a collection."""
        silent = {(region, key) for _, region, key in (*self.silent, *self.unannounced)}
        if self.leaps:
            destroys = (op for op in self.operations.values() if op.kind in DESTROYS)
            silent.update((operation.region, operation.key) for operation in destroys)
        whole = any(operation.kind in WHOLE_REGION for operation in self.operations.values())
        if whole or self.faults or self.clients or not self.settled:
            return AmbiguousKeys(periods=(frozenset(silent),))
        used = [(self.called[one.op_id], (one.region, one.key)) for one in self.operations.values()]
        return while_used(silent, self.settled, used)

    def latest(self, operation: Operation, member: str) -> int:
        """The moment by which the operation has surely reached the member."""
        asked = (operation.op_id, operation.member, member)
        known = self._latest.get(asked)
        if known is None:
            known = self._latest[asked] = self._find_latest(operation, member)
        return known

    def shown_by(self, operation: Operation, member: str) -> int:
        """The moment by which the member's log shows an operation that it shows next."""
        latest = self.latest(operation, member)
        if latest == NEVER and member in self.clients and self.clients[member].durable_id is not None:
            return self.told_between(member, operation)[1]
        return latest

    def _find_latest(self, operation: Operation, member: str) -> int:
        back, outcome = self.returned.get(operation.op_id, (NEVER, None))
        if outcome is not None and outcome.status is Status.INDEFINITE:
            return NEVER
        near = self.sites[member] == self.sites[operation.member]
        moments = self.settled if near else self.settled_everywhere
        index = bisect_left(moments, self.called[operation.op_id])
        settled = moments[index] if index < len(moments) else NEVER
        if not near:
            return settled
        if member in self.clients:
            if self.clients[member].durable_id is not None:
                return NEVER  # what has waited for it while it was away comes later, and may come again
            known = member == self.originators.get(operation.op_id)
        else:
            known = member == operation.member or self.scopes[operation.region] is Scope.ACK
        if not known:
            return settled
        return min(back, settled, self._answered_by(operation))

    def _answered_by(self, operation: Operation) -> int:
        """The moment by which a call had its answer before its member died; NEVER if it had none.

        The harness may receive the answer later. But a dead member receives nothing more, and it never
        answers a call that was not acknowledged by then.
        """
        if operation.member not in self.lives.doomed or operation.region in self._shared_out:
            return NEVER
        _, outcome = self.returned.get(operation.op_id, (NEVER, None))
        if outcome is None or outcome.status in (Status.INDEFINITE, Status.FAILED):
            return NEVER
        return self.lives.end_by(operation.member, self.called[operation.op_id])

    def _find_readers(self) -> dict[Where, list[BareReader]]:
        readers: dict[Where, list[BareReader]] = {}
        for op_id, operation in self.operations.items():
            _, outcome = self.returned.get(op_id, (NEVER, None))
            if outcome is None or outcome.status is Status.INDEFINITE:
                continue
            if not self.may_only_read(operation):
                continue
            anywhere = operation.region in self.partitioned
            for member in self.sites if anywhere else (operation.member,):
                where = (member, operation.region, operation.key)
                readers.setdefault(where, []).append((self.called[op_id], operation, outcome, None))
        for number, seen in self.answers.contents.items():
            member, region = self.answers.members[number]
            asked = self.asked[number]
            for key, reading in seen.items():
                readers.setdefault((member, region, key), []).append((asked, None, None, reading))
        for found in readers.values():
            found.sort(key=MOMENT)
        return readers

    def may_only_read(self, operation: Operation) -> bool:
        """Whether the operation may have changed nothing on its member, as far as listeners tell."""
        if operation.kind in READS | LOCAL_ACTIONS:
            # It has no token, and neither have events of candidates that name no destroys.
            return True
        if operation.region in self.partitioned:
            return operation.kind not in _ALWAYS_CHANGES
        logged = self.logged.get(operation.member)
        return logged is None or (operation.key, operation.token) not in logged

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
                logged = self.logged.get(member, set())
                elsewhere = member != operation.member or operation.op_id in self.originators
                if elsewhere and (not self.identified or (operation.key, operation.token) not in logged):
                    silent.setdefault((member, operation.region, operation.key), []).append(operation)
        return {
            where: (found, list(accumulate((self.latest(op, where[0]) for op in found), max)))
            for where, found in silent.items()
        }

    def _find_unannounced(self) -> dict[Where, list[Operation]]:
        """Per place what the region there did itself, which its listener need not receive."""
        found: dict[Where, list[Operation]] = {}
        for operation in self.operations.values():
            if operation.kind in LOCAL_ACTIONS:
                found.setdefault((operation.member, operation.region, operation.key), []).append(operation)
        return found

    def _find_clears(self) -> dict[str, list[tuple[int, int]]]:
        """Of each region the clears, and when they are called."""
        clears: dict[str, list[tuple[int, int]]] = {}
        for op_id, operation in self.operations.items():
            if operation.kind is OperationKind.CLEAR:
                clears.setdefault(operation.region, []).append((op_id, self.called[op_id]))
        return clears

    def _find_losers(self) -> dict[Where, list[Operation]]:
        """Of each key that several sites write, what changed it elsewhere and shows nothing on a member."""
        losers: dict[Where, list[Operation]] = {}
        shared = self.shared
        for operation in self.operations.values():
            where, told = (operation.region, operation.key), (operation.key, operation.token)
            # A member that dies may have changed it before any listener showed it.
            changed = operation.member in self.lives.doomed or told in self.logged.get(
                operation.member, {told}
            )
            if where not in shared or operation.kind in READS or not (changed or not self.identified):
                continue
            for member in self.sites:
                if member != operation.member and told not in self.logged.get(member, set()):
                    losers.setdefault((member, *where), []).append(operation)
        return losers

    def told_between(self, member: str, operation: Operation) -> tuple[int, int]:
        """Between which moments the listener of a member receives an operation, as far as that is known."""
        if operation.token is None:
            return 0, NEVER
        where = (member, operation.region, operation.key, operation.token)
        after, before = self._told.get(where, (0, NEVER))
        if operation.op_id in self.apart and member == operation.member:
            after = min(after, self.called[operation.op_id])
        return after, before

    def _find_rivals(self, history: History) -> dict[tuple[str, str], list[Operation]]:
        """Per member and region what may enter one of the region's queues there, in the order of the calls.

        None where the logs tell in which order a member applied changes of several keys.
        """
        if not self.queues:
            return {}
        ordered = self.strength is OrderStrength.TOTAL
        fed = {region.name: frozenset((*region.senders, *region.queues)) for region in history.regions}
        rivals: dict[tuple[str, str], list[Operation]] = {}
        for operation in self.operations.values():
            if operation.kind in READS:
                continue
            for member, site in self.sites.items():
                if site != self.sites[operation.member]:
                    continue
                if ordered and (operation.op_id not in self.apart or member != operation.member):
                    continue
                for region, senders in fed.items():
                    if not senders.isdisjoint(fed[operation.region]):
                        rivals.setdefault((member, region), []).append(operation)
        return rivals

    def _find_unheard(self) -> dict[str, list[Operation]]:
        """Of each member that may feed a queue, destroys of its site that its listener does not receive."""
        unheard: dict[str, list[Operation]] = {}
        for operation in self.operations.values():
            if operation.kind not in DESTROYS or not self.queues:
                continue
            _, outcome = self.returned.get(operation.op_id, (NEVER, None))
            if outcome is not None and (
                outcome.status in (Status.ABSENT, Status.REFUSED) or outcome.value == "false"
            ):
                continue  # it destroyed nothing, and no listener showed it
            told = (operation.key, operation.token)
            for member, site in self.sites.items():
                near = site == self.sites[operation.member] and member != operation.member
                if near and (not self.identified or told not in self.logged.get(member, set())):
                    unheard.setdefault(member, []).append(operation)
        return unheard


_UNSEEN = QueueSight(depth=-1, role=QueueRole.NONE)
"""What a question after a queue shows that is never answered: nothing."""


def _told_as(operation: Operation, history: History) -> str | None:
    """The token by which listeners receive an operation."""
    named = history.callback_arguments or operation.kind in STORES_VALUE
    return operation.token if named else None


def _not_replicated(history: History) -> tuple[set[str], set[str]]:
    """The partitioned regions; and with them those that some members keep less of than a replicate."""
    partitioned = {r.name for r in history.regions if r.policy is RegionPolicy.PARTITION}
    lesser = {r.name for r in history.regions if r.policy is not RegionPolicy.REPLICATE or r.policies}
    return partitioned, partitioned | lesser


_PLAIN = frozenset({OperationKind.PUT, OperationKind.DESTROY})
"""Operations of clients that leave to the server's events what their copies hold."""

_ALWAYS_CHANGES = frozenset({OperationKind.PUT})
"""Operations that change their key in each state of the entry."""

_MAY_BE_SILENT = DESTROYS | {OperationKind.INVALIDATE}
"""Operations that listeners need not show where they find nothing to destroy or invalidate."""
