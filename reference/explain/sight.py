"""What was seen, in words and by the requirement for its place, where no decision explains a wrong history.

Looks for the plainest things first: an exception at a caller, an event that is told twice, one that is of no
call, one that lacks its callback argument, a log in another order, an event that a log lacks or that a queue
has lost, members that differ at rest. Says nothing of a history that is right: it is asked only about what
the search has refuted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

from plumbline.reference.explain.groundless import groundless
from plumbline.reference.explain.lost import lost
from plumbline.reference.explain.mistold import mistold
from plumbline.reference.history.history import History, OrderStrength
from plumbline.reference.history.join_moments import JoinBegun
from plumbline.reference.history.moments import (
    Called,
    ContentsRead,
    FaultBegun,
    Hosted,
    Joined,
    Left,
    Parked,
    Redelivered,
    Registered,
    Returned,
    Scripted,
    Settled,
    Unsettled,
    Waited,
)
from plumbline.reference.history.operations import (
    EXPIRES,
    LOCAL_ACTIONS,
    READS,
    STORES_VALUE,
    WHOLE_REGION,
    Content,
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Status,
    travels_on,
)
from plumbline.reference.history.registration_moments import RegistrationBegun
from plumbline.reference.history.resolvers import in_place_of


class Sight(NamedTuple):
    """What was seen, in a sentence without a full stop, and the requirement that it breaks there."""

    requirement: str
    words: str


def sight(history: History) -> Sight | None:
    """The plainest thing that is wrong in a history; None where nothing plain is."""
    return next(iter(_Sights(history)), None)


class _Sights:
    def __init__(self, history: History) -> None:
        self._history = history
        self._sites = {member: site.number for site in history.topology.sites for member in site.members}
        self._clients = {client.name for client in history.clients}
        for client in history.clients:
            self._sites[client.name] = self._sites[client.servers[0]]
        self._regions = {region.name: region for region in history.regions}
        self._operations: dict[int, Operation] = {}
        self._of_many: dict[int, Operation] = {}
        self._called: dict[int, int] = {}
        self._returned: dict[int, tuple[int, Outcome]] = {}
        self._settled: list[int] = []
        self._faults = self._redelivered = False
        self._parks = self._endless = False
        for moment, what in enumerate(history.timeline):
            match what:
                case Called(operation, share):
                    if share is not None:
                        self._of_many[share.op_id] = operation
                    self._operations[operation.op_id] = operation
                    self._called[operation.op_id] = moment
                case Returned(op_id, outcome):
                    self._returned[op_id] = (moment, outcome)
                case Settled(held) if not held:
                    self._settled.append(moment)
                case FaultBegun():
                    self._faults = True
                case Redelivered():
                    self._redelivered = True
                case Parked():
                    self._parks = True
                case Unsettled():
                    self._endless = True
        self._by_token = {one.token: one for one in self._operations.values() if one.token is not None}

    def __iter__(self) -> Iterator[Sight]:
        if (wrong := mistold(self._history)) is not None:
            yield Sight(wrong.requirement, wrong.words)
        yield from self._without_answer()
        yield from self._of_no_call()
        yield from self._without_argument()
        yield from self._twice()
        yield from self._out_of_order()
        yield from self._not_held()
        yield from self._lacking()
        yield from self._lost()
        yield from self._apart()

    def _without_answer(self) -> Iterator[Sight]:
        found = groundless(self._history)
        if found is not None:
            operation, returned = found
            told = f": {returned.outcome.detail}" if returned.outcome.detail else ""
            words = f"{_call(operation)} ended without an answer, though nothing kept it from its end{told}"
            if returned.outcome.status is not Status.INDEFINITE:
                words = f"{_call(operation)} failed, though it met no other call{told}"
            yield Sight(self._of_calls(operation), words)
        scripted = any(isinstance(what, Scripted) for what in self._history.timeline)
        for op_id, (_, outcome) in self._returned.items():
            operation = self._operations[op_id]
            fails = outcome.status is Status.FAILED and operation.kind is not OperationKind.TX_COMMIT
            if fails and not self._faults and not scripted:
                told = f": {outcome.detail}" if outcome.detail else ""
                words = f"{_call(operation)} failed, though nothing kept it from its end{told}"
                yield Sight(self._of_calls(operation), words)
        for what in self._history.timeline:
            if isinstance(what, Waited) and what.op_id is not None and not (self._faults or self._parks):
                operation = self._operations.get(what.op_id) or self._of_many[what.op_id]
                words = f"{_call(operation)} did not return, though nothing kept it from its end"
                yield Sight(self._of_calls(operation), words)

    def _of_calls(self, operation: Operation) -> str:
        """The requirement that a call comes to its end."""
        if operation.member in self._clients:
            return "C2S-OPS-02" if operation.kind is OperationKind.DESTROY else "C2S-OPS-01"
        if operation.kind is OperationKind.CLEAR:
            return "CLEAR-LIVE-01"
        region = self._regions[operation.region]
        if region.policy is RegionPolicy.PARTITION:
            return "CONS-PR-01"
        if operation.kind.startswith("tx_"):
            return "TX-VER-01"
        if region.senders or region.queues:
            return "WAN-ASYNC-01"
        return "CONS-RR-02"

    def _of_no_call(self) -> Iterator[Sight]:
        """An event, or a value that is read, that no call wrote to its region and key."""
        for event in self._events():
            operation = self._called_for(event)
            if event.token is None:
                continue
            what = f"the listener of {event.member} received {_told(event)}"
            if operation is None:
                yield Sight(self._value_of(event), f"{what}, which no call wrote")
            elif (event.region, event.key) != (operation.region, operation.key) and operation.key:
                where = f"{operation.region}[{operation.key}]"
                yield Sight(self._place_of(event), f"{what}, which was written to {where}")
        written = {(one.region, one.key, one.token) for one in self._operations.values()}
        written |= {(region, key, in_place_of(token)) for region, key, token in written if token}
        for read in self._history.timeline:
            if not isinstance(read, ContentsRead):
                continue
            for entry in read.entries:
                if entry.token is not None and (read.region, entry.key, entry.token) not in written:
                    yield self._of_value_read(read, entry)

    def _of_value_read(self, read: ContentsRead, entry: Content) -> Sight:
        """A value that is read where no call wrote it: of another region or key, where it came from afar."""
        what = f"{read.member} holds {read.region}[{entry.key}] {entry.token}"
        operation = None if entry.token is None else self._by_token.get(entry.token)
        if operation is None or not operation.key or not self._from_afar(read.member, operation):
            return Sight(self._value(read.region), f"{what}, which no call wrote")
        return Sight("RCV-APPLY-01", f"{what}, which was written to {operation.region}[{operation.key}]")

    def _from_afar(self, member: str, operation: Operation) -> bool:
        """Whether a member, no client, has what another site wrote."""
        return member not in self._clients and self._sites[member] != self._sites[operation.member]

    def _called_for(self, event: Event) -> Operation | None:
        found = None if event.token is None else self._by_token.get(event.token)
        if found is None and self._history.resolver and event.token:
            named = ((token, one) for token, one in self._by_token.items() if token)
            found = next((one for token, one in named if in_place_of(token) == event.token), None)
        return found

    def _without_argument(self) -> Iterator[Sight]:
        """An event without the callback argument that the candidate says all of them carry."""
        if not self._history.callback_arguments:
            return
        named = {(one.region, one.key) for one in self._operations.values() if one.kind not in STORES_VALUE}
        named -= {(one.region, one.key) for one in self._operations.values() if one.kind in _UNNAMED}
        for event in self._events():
            if event.token is None and event.kind in _NAMED and (event.region, event.key) in named:
                what = f"the listener of {event.member} received {event.kind} {event.region}[{event.key}]"
                why = "without its callback argument, which callback_arguments declares"
                yield Sight(self._place_of(event), f"{what} {why}")

    def _twice(self) -> Iterator[Sight]:
        """An event that a listener received more than once, where nothing was sent again for a cause."""
        times = Counter(event for event in self._events() if event.token is not None)
        caused = (self._faults or self._redelivered) and not self._endless
        most = _MOST_WITH_A_CAUSE if caused else 1
        for event, count in times.items():
            if count > most:
                often = "again and again, and nothing came to rest" if self._endless else f"{count} times"
                words = f"the listener of {event.member} received {_told(event)} {often}"
                yield Sight(self._of_repetition(event), words)

    def _of_repetition(self, event: Event) -> str:
        operation = self._called_for(event)
        if event.member in self._clients:
            return "TRK-DUP-01" if self._faults else "TRK-ONCE-01"
        sites = {*self._sites.values()}
        # In a mesh as well, what is sent on to sites that have it comes back without end.
        rings = travels_on(sites, self._history.queues) or (self._endless and len(sites) > _TWO)
        rings = rings and bool(self._regions[event.region].senders)
        if operation is None or self._sites[event.member] == self._sites[operation.member]:
            return "SER-ENQ-01" if rings else "DISC-LSN-01"
        return "SER-ENQ-01" if rings or self._endless else "GWQ-ACK-04"

    def _out_of_order(self) -> Iterator[Sight]:
        """Two events of calls that followed each other, in a log the other way round."""
        if self._faults or self._redelivered:
            return
        for member, log in self._history.logs.items():
            strength = self._history.order_strength
            if member in self._clients and self._history.client_order_strength is not None:
                strength = self._history.client_order_strength
            first: dict[int, Event] = {}
            for shown in log:
                operation = self._called_for(shown.event)
                if operation is not None and shown.event.kind is not EventKind.RESOLVE:
                    first.setdefault(operation.op_id, shown.event)
            for (late, event), (early, _) in combinations(first.items(), 2):
                if self._follows(late, early, member, strength):
                    what = f"{self._operations[early].token}, which had returned before it was called"
                    words = f"the listener of {member} received {_told(event)} before {what}"
                    yield Sight(self._of_order(event, self._operations[late]), words)

    def _follows(self, late: int, early: int, member: str, strength: OrderStrength) -> bool:
        """Whether the log of a member has to show one operation behind another."""
        one, other = self._operations[early], self._operations[late]
        back, outcome = self._returned.get(early, (len(self._history.timeline), None))
        if outcome is None or outcome.status is not Status.OK or back > self._called[late]:
            return False
        same_thread, same_key = one.thread == other.thread, (one.region, one.key) == (other.region, other.key)
        if not same_key and (strength is not OrderStrength.TOTAL or self._overtakes(one, other, member)):
            return False
        if strength is OrderStrength.PER_KEY_AND_THREAD and not same_thread:
            return False
        if same_thread:
            return True
        near = self._sites[member] == self._sites[one.member] == self._sites[other.member]
        acknowledged = all(self._regions[it.region].scope is Scope.ACK for it in (one, other))
        return near and same_key and acknowledged and not {one.member, other.member, member} & self._clients

    def _overtakes(self, one: Operation, other: Operation, member: str) -> bool:
        """Whether events of two keys may overtake each other on their way."""
        apart = any(self._regions[it.region].policy is not RegionPolicy.REPLICATE for it in (one, other))
        far = self._sites[member] != self._sites[one.member]
        several = any(queue.dispatchers > 1 or queue.parallel for queue in self._history.queues)
        unlike = self._regions[one.region].senders != self._regions[other.region].senders
        return apart or (far and (several or unlike))

    def _of_order(self, event: Event, operation: Operation) -> str:
        if event.member in self._clients:
            return "TRK-ORDER-01"
        if self._sites[event.member] != self._sites[operation.member]:
            several = any(queue.dispatchers > 1 for queue in self._history.queues)
            return "WAN-ORDER-02" if several else "WAN-ORDER-01"
        if self._regions[event.region].policy is RegionPolicy.PARTITION:
            return "CONS-PR-03"
        return "DISC-APPLIED-01"

    def _lacking(self) -> Iterator[Sight]:
        """An event that a log lacks at rest, of a put that nothing else was called beside."""
        if self._faults or self._redelivered or not self._settled:
            return
        told = {member: {event.token for event in self._told_at(member)} for member in self._history.logs}
        for op_id, operation in self._operations.items():
            back, outcome = self._returned.get(op_id, (0, None))
            if operation.kind is not OperationKind.PUT or outcome is None or outcome.status is not Status.OK:
                continue
            if not any(moment > back for moment in self._settled) or not self._alone(operation, back):
                continue
            for member in self._must_be_told(operation):
                if operation.token not in told[member]:
                    what = f"{operation.region}[{operation.key}] {operation.token}"
                    words = f"the listener of {member} never received {what}, which {operation.member} put"
                    yield Sight(self._of_loss(member, operation), words)

    def _lost(self) -> Iterator[Sight]:
        """A put that was queued and never came to another site, in spite of faults."""
        for operation, member, holder in lost(self._history, self._sites, self._must_be_told):
            what = f"{operation.region}[{operation.key}] {operation.token}"
            words = f"the listener of {member} never received {what}, which {operation.member} put"
            if member not in self._clients:
                yield Sight("GWQ-ACK-03", f"{words}, though {holder} lives and received it")

    def _not_held(self) -> Iterator[Sight]:
        """A put that a member does not hold at rest, though nothing was called behind or beside it."""
        if self._faults or self._redelivered or not self._settled:
            return
        last: dict[tuple[str, str], Operation] = {}
        for operation in self._operations.values():
            if operation.kind not in READS:
                last[operation.region, operation.key] = operation
        whole = any(one.kind in WHOLE_REGION for one in self._operations.values())
        for (region, key), operation in () if whole else last.items():
            back, outcome = self._returned.get(operation.op_id, (0, None))
            plain = (
                operation.kind is OperationKind.PUT and outcome is not None and outcome.status is Status.OK
            )
            rest = next((moment for moment in self._settled if moment > back), None)
            if not plain or rest is None or not self._alone(operation, back):
                continue
            holders = {*self._must_be_told(operation)}
            for what in self._history.timeline[rest:]:
                if isinstance(what, ContentsRead) and what.region == region and what.member in holders:
                    held = _value_of(what, key)
                    if held != operation.token:
                        put = f"{operation.token}, which {operation.member} put"
                        words = f"at rest {what.member} holds {held} in {region}[{key}] and not {put}"
                        yield Sight(self._of_value(what.member, operation), words)

    def _of_value(self, member: str, operation: Operation) -> str:
        if member in self._clients:
            return "TRK-ORDER-02"
        return "CONS-RR-04" if self._sites[member] == self._sites[operation.member] else "WAN-OPS-02"

    def _alone(self, operation: Operation, back: int) -> bool:
        """Whether no other thread called anything, from one settling to the next, that may take its place."""
        start = self._called[operation.op_id]
        rest = next(moment for moment in self._settled if moment > back)
        before = max((moment for moment in self._settled if moment < start), default=-1)
        others = (
            one
            for op_id, one in self._operations.items()
            if one.thread != operation.thread
            and one.kind not in READS
            and before < self._called[op_id] < rest
        )
        return not any(
            one.region == operation.region and (one.key in ("", operation.key) or one.kind in WHOLE_REGION)
            for one in others
        )

    def _must_be_told(self, operation: Operation) -> Iterator[str]:
        """The members and clients that have to receive an update, as far as that is plain."""
        region = self._regions[operation.region]
        plain = region.policy is RegionPolicy.REPLICATE and not region.policies and region.checks is not False
        if not plain or self._history.resolver or operation.member in self._clients:
            return
        site = self._sites[operation.member]
        queues = (queue for queue in self._history.queues if queue.id in region.senders)
        fed = {queue.remote_site for queue in queues if queue.site == site}
        away = {
            what.member
            for what in self._history.timeline
            if isinstance(what, Left | Joined | JoinBegun | Hosted)
        }
        for member in self._history.logs:
            if member in away:
                continue
            if member in self._clients:
                if self._history.registers and _plain_interest(self._history):
                    yield member
            elif self._sites[member] == site or self._sites[member] in fed:
                yield member

    def _of_loss(self, member: str, operation: Operation) -> str:
        if member in self._clients:
            return "TRK-ONCE-01"
        return "DISC-LSN-01" if self._sites[member] == self._sites[operation.member] else "GWQ-ACK-03"

    def _apart(self) -> Iterator[Sight]:
        """Members of one site that hold different values at rest."""
        if not self._settled:
            return
        last: dict[tuple[str, str], ContentsRead] = {}
        for moment, what in enumerate(self._history.timeline):
            if isinstance(what, ContentsRead) and moment > self._settled[-1]:
                last[what.member, what.region] = what
            elif isinstance(what, Called) and moment > self._settled[-1]:
                return
        for (region, _), found in sorted(_grouped(last, self._sites, self._clients).items()):
            if not _plain_region(self._regions[region]):
                continue
            for one, other in pairwise(found):
                if _held(one) != _held(other):
                    key = next(key for key, _ in sorted(_held(one) ^ _held(other), key=str))
                    values = " and ".join(f"{it.member} holds {_value_of(it, key)}" for it in (one, other))
                    yield Sight("CONS-RR-04", f"at rest members differ in {region}[{key}]: {values}")

    def _events(self) -> Iterator[Event]:
        for member in self._history.logs:
            yield from self._told_at(member)

    def _told_at(self, member: str) -> Iterator[Event]:
        """What a listener was told, without the questions that a resolver was asked."""
        for shown in self._history.logs[member]:
            if shown.event.kind is not EventKind.RESOLVE:
                yield shown.event

    def _place_of(self, event: Event) -> str:
        """The requirement on what a listener is told, by its place."""
        if event.member in self._clients:
            return "S2C-OPS-02" if event.kind is EventKind.DESTROY else "S2C-RECV-01"
        operation = self._called_for(event)
        of_key = [
            one for one in self._operations.values() if (one.region, one.key) == (event.region, event.key)
        ]
        callers = {self._sites[one.member] for one in (of_key if operation is None else [operation])}
        far = bool(callers) and self._sites[event.member] not in callers
        return "RCV-APPLY-01" if far else "DISC-LSN-01"

    def _value_of(self, event: Event) -> str:
        return self._value(event.region)

    def _value(self, region: str) -> str:
        unchecked = region in self._regions and self._regions[region].checks is False
        return "CFG-CHECKS-07" if unchecked else "CONS-RR-05"


def _plain_region(region: RegionAttributes) -> bool:
    return region.policy is RegionPolicy.REPLICATE and not region.policies and region.checks is not False


def _plain_interest(history: History) -> bool:
    """Whether clients stay with their server, and with their registration for all keys."""
    return all(client.subscription for client in history.clients) and not any(
        isinstance(what, Registered | RegistrationBegun) for what in history.timeline
    )


def _grouped(
    last: dict[tuple[str, str], ContentsRead], sites: dict[str, int], clients: set[str]
) -> dict[tuple[str, int], list[ContentsRead]]:
    found: dict[tuple[str, int], list[ContentsRead]] = {}
    for (member, region), read in last.items():
        if member not in clients and not read.gone:
            found.setdefault((region, sites[member]), []).append(read)
    return found


def _held(read: ContentsRead) -> set[tuple[str, str | None]]:
    return {(entry.key, entry.token) for entry in read.entries}


def _value_of(read: ContentsRead, key: str) -> str:
    return next((entry.token or "no value" for entry in read.entries if entry.key == key), "nothing")


def _told(event: Event) -> str:
    return f"{event.kind} {event.region}[{event.key}] {event.token}"


def _call(operation: Operation) -> str:
    named = f" {operation.token}" if operation.token else ""
    where = f" of {operation.region}[{operation.key}]" if operation.key else ""
    return f"{operation.kind}{named}{where} on {operation.member}"


_NAMED = (EventKind.DESTROY, EventKind.INVALIDATE)
_UNNAMED = EXPIRES | LOCAL_ACTIONS
"""Events that are known by their callback argument."""

_TWO = 2
"""Between so many sites nothing comes back by way of another."""

_MOST_WITH_A_CAUSE = 4
"""Faults and redeliveries have events sent again; more often than so nothing plain is said of them."""
