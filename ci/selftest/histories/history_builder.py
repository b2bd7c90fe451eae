"""Sample histories, told step by step: what was called, shown, switched and seen.

Of two sites: site 1 has the members a1 and a2, site 2 has b1 and b2. Region r is attached to the gateway
senders `out` (from site 1 to site 2) and `back`; region u to none. Of clients: one site has the members A to
D, each with region r. Unless a step says otherwise every listener shows every event, and each member or
client holds at the end what it showed last. Knows nothing of what is right.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any, Self

import msgspec

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History, Observation, OrderStrength
from plumbline.reference.history.moments import (
    Armed,
    AttributesRead,
    Called,
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
    Parked,
    QueueAsked,
    QueueRead,
    Redelivered,
    Registered,
    Released,
    Returned,
    Settled,
    StatisticAsked,
    StatisticRead,
    Waited,
)
from plumbline.reference.history.operations import (
    NAMELESS,
    Client,
    Conflict,
    Content,
    Event,
    EventKind,
    Interest,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    QueueRole,
    QueueSight,
    RegionAttributes,
    Scope,
    Site,
    Status,
    Topology,
)
from plumbline.reference.history.resolvers import in_place_of
from plumbline.reference.results.verdicts import Source, Verdict
from plumbline.reference.trace.layout import Row
from plumbline.reference.trace.rows import Inside, rows
from plumbline.reference.trace.schema import TraceKind

TOPOLOGY = Topology((Site(1, ("a1", "a2")), Site(2, ("b1", "b2"))))
HOME = "a1 a2"
AWAY = "b1 b2"
SERVERS = Topology((Site(1, ("A", "B", "C", "D")),))
_READ = "r"
_ANNOUNCED = {
    OperationKind.DESTROY: EventKind.DESTROY,
    OperationKind.LOCAL_DESTROY: EventKind.DESTROY,
    OperationKind.INVALIDATE: EventKind.INVALIDATE,
    OperationKind.LOCAL_INVALIDATE: EventKind.INVALIDATE,
}


class Sample(msgspec.Struct, frozen=True):
    """A history, rows of a candidate's inside, the rules it violates, and those it only seems to violate."""

    history: History
    inside: tuple[Inside, ...] = ()
    violates: frozenset[str] = frozenset()
    looks_like: frozenset[str] = frozenset()

    def rows(self, run_id: str, example: str) -> list[Row]:
        """The rows of its trace."""
        return rows(run_id, example, Source.MACHINE, Verdict.PASS, self.history, self.inside)


class HistoryBuilder:
    """A history being told."""

    def __init__(
        self,
        *,
        scope: Scope = Scope.ACK,
        regions: tuple[RegionAttributes, ...] = (),
        strength: OrderStrength = OrderStrength.TOTAL,
        clients: tuple[Client, ...] = (),
        registers: bool = True,
        alone: bool = False,
        resolver: str = "",
        third: bool = False,
        chain: bool = False,
        **queue: Any,
    ) -> None:
        """Args: the regions' scope, or other regions; order of the logs; attributes of the sender `out`.

        A resolver is named by its policy. With clients, or `alone`, there is one site, and no sender;
        `registers` says whether clients begin with all interest. A `third` site has the member c1; then each
        site feeds each other, or in a `chain` only its neighbours.
        """
        further = permutations((1, 2, 3), 2) if third else ()
        linked = ({2, 3},) if chain else ({2, 3}, {1, 3})
        more = tuple(
            QueueAttributes(id=f"{site} to {remote}", site=site, remote_site=remote)
            for site, remote in further
            if {site, remote} in linked
        )
        both = ("out", "back", *(queue.id for queue in more))
        of_senders = Topology((*TOPOLOGY.sites, Site(3, ("c1",)))) if third else TOPOLOGY
        self._topology = SERVERS if clients or alone else of_senders
        self._clients, self._registers = clients, registers
        of_sites = (
            RegionAttributes(name="r", scope=scope, senders=both),
            RegionAttributes(name="u", scope=scope),
        )
        self._regions = regions or ((RegionAttributes(name="r", scope=scope),) if clients else of_sites)
        senders = (
            QueueAttributes(id="out", site=1, remote_site=2, **queue),
            QueueAttributes(id="back", site=2, remote_site=1),
            *more,
        )
        self._queues = () if clients or alone else senders
        self._strength = strength
        self._timeline: list[Moment] = []
        self._holders = (*self._topology.members, *(client.name for client in clients))
        self._logs: dict[str, list[Observation]] = {holder: [] for holder in self._holders}
        self._resolver = resolver
        self._inside: list[Inside] = []
        self._operations: list[Operation] = []
        self._numbers = 0
        self._lost: set[str] = set()

    def call(self, kind: str, member: str, key: str, region: str = "r", thread: str = "") -> int:
        """An operation is called; its number. Its token is v and its number."""
        op_id = len(self._operations) + 1
        operation = Operation(
            op_id=op_id,
            thread=thread or f"t-{member}",
            member=member,
            region=region,
            kind=OperationKind(kind),
            key=key,
            token=None if OperationKind(kind) in NAMELESS else f"v{op_id}",
        )
        self._operations.append(operation)
        self._timeline.append(Called(operation))
        return op_id

    def ends(self, op_id: int, status: Status = Status.OK, value: str | None = None) -> Self:
        """An operation has returned."""
        self._timeline.append(Returned(op_id, Outcome(status, value)))
        return self

    def shown(
        self,
        op_id: int,
        members: str | None = None,
        *,
        named: bool = True,
        kind: str = "",
        after: int = 0,
        replaced: bool = False,
    ) -> Self:
        """Listeners are told of an operation; `named` says whether by its token.

        `replaced` says whether of what a conflict resolver has put in place of its value. `after` says behind
        how many moments of the timeline that surely was.
        """
        operation = self._operations[op_id - 1]
        for member in self._holders if members is None else members.split():
            log = self._logs[member]
            known = any(
                s.event.key == operation.key and s.event.region == operation.region
                for s in log
                if s.event.conflict is None
            )
            told = _ANNOUNCED.get(operation.kind, EventKind.UPDATE if known else EventKind.CREATE)
            event = Event(
                member=member,
                region=operation.region,
                key=operation.key,
                kind=EventKind(kind) if kind else told,
                token=(in_place_of(operation.token) if replaced else operation.token) if named else None,
            )
            log.append(Observation(event, after, len(self._timeline)))
        return self

    def live(self, client: str, region: str = _READ) -> Self:
        """The listener of a durable client is told that its region is live."""
        event = Event(member=client, region=region, key="", kind=EventKind.LIVE, token=None)
        self._logs[client].append(Observation(event, 0, len(self._timeline)))
        return self

    def asked(
        self,
        op_id: int,
        member: str,
        answer: str,
        *,
        old: int | None = None,
        site: int | None = None,
        stored_site: int | None = None,
    ) -> Self:
        """The conflict resolver of a member is asked about an operation, over another's value.

        It is told the sites that called both, unless others are named.
        """
        operation = self._operations[op_id - 1]
        stored = None if old is None else self._operations[old - 1]
        of = {one: each.number for each in self._topology.sites for one in each.members}
        conflict = Conflict(
            kind=EventKind.DESTROY if operation.kind is OperationKind.DESTROY else EventKind.UPDATE,
            old=None if stored is None else stored.token,
            site=of[operation.member] if site is None else site,
            stored_site=(0 if stored is None else of[stored.member]) if stored_site is None else stored_site,
            time_ms=op_id,
            stored_time_ms=old or 0,
            answer=answer,
        )
        event = Event(
            member=member,
            region=operation.region,
            key=operation.key,
            kind=EventKind.RESOLVE,
            token=operation.token,
            conflict=conflict,
        )
        self._logs[member].append(Observation(event, 0, len(self._timeline)))
        return self

    def do(self, kind: str, member: str, key: str, members: str | None = None, **call: str) -> Self:
        """An operation is called, shown to members, and returns."""
        op_id = self.call(kind, member, key, **call)
        return self.shown(op_id, members).ends(op_id)

    def put(self, member: str, key: str, members: str | None = None) -> Self:
        """A put is called, shown to members, and returns."""
        return self.do("put", member, key, members)

    def settle(self) -> Self:
        """Everything has come to rest."""
        self._timeline.append(Settled())
        return self

    def register(
        self,
        client: str,
        specification: str = "",
        policy: str | None = None,
        *,
        values: bool = True,
        kind: str = "",
        register: bool = True,
        durable: bool = False,
        refused: bool = False,
    ) -> Self:
        """A client registers at rest, for keys parted by blanks or else for all; or withdraws that."""
        keys = specification.split()
        interest = Interest(
            client=client,
            region=_READ,
            kind=kind or ("all" if not keys else "key" if len(keys) == 1 else "list"),
            specification=specification if kind else "\n".join(keys),
            policy=policy,
            receive_values=values,
            register=register,
            durable=durable,
        )
        self._timeline.append(Registered(interest, refused))
        return self

    @property
    def moments(self) -> int:
        """How many moments of the timeline there are so far."""
        return len(self._timeline)

    def waited(self, op_id: int | None = None) -> Self:
        """All the time was given, for an operation's return where one is named."""
        self._timeline.append(Waited("something", op_id))
        return self

    def fault(
        self, kind: str, member: str = "", queue: str = "", client: str = "", milliseconds: int = 0
    ) -> Self:
        """A fault, or its mending; of the link from site 1 to site 2, or of a member, its queue or client."""
        site, remote_site = (0, 0) if member else (1, 2)
        fault = Fault(
            kind=FaultKind(kind),
            member=member,
            queue=queue,
            site=site,
            remote_site=remote_site,
            client=client,
            milliseconds=milliseconds,
        )
        self._numbers += 1
        self._timeline += [FaultBegun(self._numbers, fault), FaultDone(self._numbers, fault)]
        if fault.kind is FaultKind.CRASH:
            self._lost.add(member)
        if fault.kind is FaultKind.RESTART:
            self._lost.discard(member)
        return self

    def look(self, member: str, depth: int, role: str = "", queue: str = "out") -> Self:
        """A look at a queue; a1 is its primary unless said otherwise."""
        role = role or ("primary" if member in {"a1", "b1"} else "secondary")
        self._numbers += 1
        sight = QueueSight(depth=depth, role=QueueRole(role))
        self._timeline.append(QueueAsked(self._numbers, member, queue))
        self._timeline.append(QueueRead(self._numbers, member, queue, sight))
        return self

    def located(self, key: str, primary: str, *copies: str) -> Self:
        """It is said who holds a key of region r, which is partitioned."""
        self._timeline.append(Located(_READ, key, primary, copies))
        return self

    def says(self, member: str, *, checks: bool) -> Self:
        """A member says whether it checks region r."""
        self._timeline.append(AttributesRead(member, _READ, checks))
        return self

    def left(self, member: str) -> Self:
        """A member gives up its copy of region r."""
        self._timeline.append(Left(member, _READ))
        return self

    def joined(self, member: str) -> Self:
        """A member takes a copy of region r again."""
        self._timeline.append(Joined(member, _READ))
        return self

    def hosts(
        self, member: str, *, asked: bool, in_force: bool | None = None, persistent: bool = False
    ) -> Self:
        """A member was to take a copy of region r with this setting: what it has then, None if refused."""
        self._timeline.append(Hosted(member, _READ, asked, persistent, in_force))
        return self

    def counts(self, member: str, name: str, delta: int) -> Self:
        """A statistic of a member is read."""
        self._numbers += 1
        self._timeline.append(StatisticAsked(self._numbers, member, name))
        self._timeline.append(StatisticRead(self._numbers, member, name, delta))
        return self

    def gate(self, member: str, op_id: int) -> Self:
        """An operation that is still to be called will park in a listener."""
        self._timeline.append(Armed(Gate(member, op_id)))
        return self

    def parked(self, member: str, op_id: int) -> Self:
        """It is parked."""
        self._timeline.append(Parked(Gate(member, op_id)))
        return self

    def released(self, member: str, op_id: int) -> Self:
        """It goes on."""
        self._timeline.append(Released(Gate(member, op_id)))
        return self

    def again(self, op_id: int, member: str) -> Self:
        """The message of an operation is put on the way to a member once more."""
        self._timeline.append(Redelivered(op_id, member))
        return self

    def inner(self, kind: TraceKind, **columns: Any) -> Self:
        """A row of the candidate's inside."""
        self._inside.append(Inside(len(self._timeline), {"kind": kind, **columns}))
        return self

    def read(self, **held: dict[str, str | None]) -> Self:
        """Region r is read on all holders left; `held` is what one shows if not what it was told."""
        for member in self._holders:
            if member in self._lost:
                continue
            contents = held.get(member, self._told(member))
            self._numbers += 1
            self._timeline.append(ContentsAsked(self._numbers, member, _READ))
            entries = tuple(Content(key, token) for key, token in contents.items())
            self._timeline.append(ContentsRead(self._numbers, member, _READ, entries))
        return self

    def has_region(self, **there: bool) -> Self:
        """Region r is looked for on members: it is there, or is not any more."""
        for member, held in there.items():
            self._numbers += 1
            self._timeline.append(ContentsAsked(self._numbers, member, _READ))
            self._timeline.append(ContentsRead(self._numbers, member, _READ, (), gone=not held))
        return self

    def _told(self, member: str) -> dict[str, str | None]:
        told: dict[str, str | None] = {}
        for shown in self._logs[member]:
            event = shown.event
            if event.region != _READ or event.conflict is not None:
                continue
            if event.kind is EventKind.DESTROY:
                told.pop(event.key, None)
            elif event.kind is EventKind.CLEAR:
                told.clear()
            elif event.kind is EventKind.REGION_INVALIDATE:
                told = dict.fromkeys(told)
            elif event.kind is EventKind.INVALIDATE:
                told[event.key] = None
            else:
                told[event.key] = event.token
        return told

    def rests(self, **held: dict[str, str | None]) -> Self:
        """Everything has come to rest and all members are read."""
        return self.settle().read(**held)

    def sample(self, violates: str = "", looks_like: str = "") -> Sample:
        """The sample, with the ids of rules, parted by blanks."""
        history = History(
            topology=self._topology,
            regions=self._regions,
            timeline=tuple(self._timeline),
            logs={member: tuple(log) for member, log in self._logs.items()},
            order_strength=self._strength,
            member_order=self._topology.members,
            queues=self._queues,
            clients=self._clients,
            registers=self._registers,
            resolver=self._resolver,
        )
        return Sample(
            history, tuple(self._inside), frozenset(violates.split()), frozenset(looks_like.split())
        )
