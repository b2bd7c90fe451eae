"""The driver: calls a candidate through its adapter and writes down the history of one example.

Knows when something was sent and received, not whether it was right.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import TypeVar

from msgspec.structs import replace

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError, RefusedError
from plumbline.adapters.protocol import PART_CHARACTERS, Introduction, Observed, characters
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.bulk import singly, with_shares, with_tied
from plumbline.reference.history.fault_kinds import CLIENT_GOES, STARTS_AGAIN, Fault, FaultKind
from plumbline.reference.history.history import History, Observation, OrderStrength
from plumbline.reference.history.listener_calls import QUEUE, QueueCall, QueuedChange, SeenCall
from plumbline.reference.history.log_lines import alerts, is_of_alerts
from plumbline.reference.history.moments import (
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
    StatisticAsked,
    StatisticRead,
    Waited,
)
from plumbline.reference.history.operations import (
    Client,
    Content,
    Event,
    EventKind,
    Interest,
    Operation,
    Outcome,
    QueueAttributes,
    QueueSight,
    RegionAttributes,
    RegionPolicy,
    Status,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.history.substitutes import ShownValue
from plumbline.reference.history.views import QUERIES, RegionViews, view_of
from plumbline.suites.harness.evictions import with_victim
from plumbline.suites.harness.injecting import inject
from plumbline.suites.harness.joining import Joins
from plumbline.suites.harness.log_order import order_strength, tells
from plumbline.suites.harness.registering import Registrations
from plumbline.suites.harness.restless import NEVER, SLICE_MS, Rest, Unanswered
from plumbline.suites.harness.shown_values import ShownValues

_Told = TypeVar("_Told", Event, QueuedChange)

SHOWN_LIMIT_MS = 3_000
"""A listener that will receive something receives it within this time, or within that for settling."""

DEPTH_LIMIT_MS = 5_000
"""Within this time the copies of a queue follow the primary, whose removals are told about once a second."""


class Driver:
    """One example on one candidate, written down as it goes.

    Raises AdapterError when the adapter fails, and when the candidate does not settle in time: then
    nothing can be said of what it shows.
    """

    def __init__(
        self,
        adapter: Adapter,
        introduction: Introduction,
        topology: Topology,
        member_order: tuple[str, ...] | None,
        regions: tuple[RegionAttributes, ...],
        queues: tuple[QueueAttributes, ...] = (),
        clients: tuple[Client, ...] = (),
        *,
        registers: bool = True,
        tombstones: TombstoneSettings | None = None,
        resolver: str = "",
        unanswered: Unanswered = NEVER,
    ) -> None:
        """Begin an example: the candidate is reset to fresh regions, attached to queues that run.

        The clients run from here on, and register for all keys of all regions unless `registers` is False.
        """
        self.introduction = introduction
        self.topology = topology
        self._adapter = adapter
        self._member_order = member_order
        self._regions = regions
        self._timeline: list[Moment] = []
        self._logs: dict[str, list[Observation]] = {
            holder: [] for holder in (*topology.members, *(client.name for client in clients))
        }
        self._calls: list[SeenCall] = []
        self._position = 0
        self._after = 0
        self._questions = 0
        self._values = ShownValues(queues, self._timeline)
        self._under_way: dict[int, Operation] = {}
        self._called: set[int] = set()
        self.rest = Rest(adapter, self.poll, self._logs, self._timeline, unanswered)
        self._tokens: dict[tuple[str, str], str] = {}
        self._limit_ms = introduction.settle_limit_ms
        self.joins = Joins(adapter, self._note, self._waited, self._runs_again, self._limit_ms)
        self.registrations = Registrations(adapter, self._note, self._waited, self._limit_ms)
        self._queues = queues
        self._faults = 0
        self._crashed: set[str] = set()
        self._cut_short: set[int] = set()
        self._valueless: set[str] = set()
        for queue in queues:
            adapter.create_queue(queue)
        self._partitioned = {r.name for r in regions if r.policy is RegionPolicy.PARTITION}
        self._placed: dict[tuple[str, str], Located] = {}
        self._clients = clients
        self._registers = registers
        self._tombstones = tombstones
        if tombstones is not None:
            adapter.keep_tombstones(tombstones)
        adapter.reset(regions)
        for queue in queues:
            for member in filter(queue.runs_on, self._site(queue.site)) if queue.manual_start else ():
                adapter.queue_action(member, queue.id, "start")
        self._resolver = resolver
        for region in regions if resolver else ():
            for member in topology.members:
                adapter.script(member, region.name, "resolver", (resolver,))
        if Capability.QUEUE_INSPECTION in introduction.capabilities:
            # The primary now is the member that was left at the end of the last example.
            for queue in queues:
                for member in filter(queue.runs_on, self._site(queue.site)):
                    self.look_at_queue(member, queue.id)
        for client in clients:
            adapter.start_client(client)
            for region in regions if registers else ():
                self._registered_for_all(client, region)

    def _site(self, number: int) -> tuple[str, ...]:
        """The members of a site."""
        return next(site.members for site in self.topology.sites if site.number == number)

    def _registered_for_all(self, client: Client, region: RegionAttributes) -> None:
        try:
            self._adapter.interest(Interest(client=client.name, region=region.name))
        except RefusedError as error:
            raise AdapterError(f"{client.name} cannot register for all keys: {error}") from error

    def call(self, operation: Operation) -> None:
        """Send a call; it may take effect from here on."""
        for key in operation.keys if operation.region in self._partitioned else ():
            if key:
                self.locate(operation.region, key)
        self._timeline += [Called(entry, share) for entry, share in with_shares(operation)]
        for entry in operation.entries:
            self._called.add(entry.op_id)
            self._tokens[entry.key, operation.token or entry.token] = entry.token
        self._under_way[operation.op_id] = operation
        self._called.add(operation.op_id)
        self._adapter.begin(self._values.sent(operation))

    def finish(self, op_id: int, timeout_ms: int | None = None) -> Outcome | None:
        """Wait for the outcome of a call; None if there is none in time, and it stays under way."""
        outcome = self._adapter.finish(op_id, self._limit_ms if timeout_ms is None else timeout_ms)
        if outcome is not None:
            outcome = self._values.outcome(self._under_way[op_id], outcome)
            if op_id in self._cut_short and outcome.status is Status.FAILED:
                # Only the dead member could know that it had not begun the call.
                outcome = replace(outcome, status=Status.INDEFINITE)
            self.poll()
            operation = self._under_way.pop(op_id)
            told = with_victim(self._timeline, operation, outcome)
            self._timeline += [Returned(entry.op_id, told) for entry in singly(operation)]
        elif timeout_ms is None:
            self.poll()
            self._waited(Waited(f"operation {op_id} to return", op_id))
        return outcome

    def returns_late(self, op_id: int) -> bool:
        """Whether a call that has not returned in all its time returns in as much time again."""
        return self.finish(op_id, self._limit_ms) is not None

    def arm(self, gate: Gate) -> None:
        """From here on the operation parks at the gate; raises ValueError if it was called already."""
        if gate.op_id in self._called:
            raise ValueError(
                f"operation {gate.op_id} was called already and may have passed the listener of "
                f"{gate.member}: arm its gates before calling it"
            )
        self._timeline.append(Armed(gate))
        self._adapter.arm(gate)

    def await_parked(self, gate: Gate, timeout_ms: int | None = None) -> bool:
        """Whether the operation stands at the gate in time."""
        parked = self._adapter.await_parked(gate, self._limit_ms if timeout_ms is None else timeout_ms)
        self.poll()
        if parked:
            self._timeline.append(Parked(gate))
        else:
            self._waited(NotParked(gate))
        return parked

    def release(self, gate: Gate) -> None:
        """Open a gate."""
        self._timeline.append(Released(gate))
        self._adapter.release(gate)

    def leave(self, member: str, region: str) -> None:
        """Have a member give up its copy of a region, once everything has settled."""
        self.settle()
        self._timeline.append(Left(member, region))
        self._adapter.leave(member, region)

    def join(self, member: str, region: str) -> None:
        """Have a member take a copy of a region again, once everything has settled."""
        self.settle()
        self._adapter.join(member, region)
        self._timeline.append(Joined(member, region))

    def begin_restart(self, member: str, region: str, *, held: bool) -> bool:
        """Have a member that was killed begin to run again, and go on; whether a copy is held on its way."""
        self.poll()
        done = self._begin(Fault(kind=FaultKind.RESTART, member=member, meanwhile=True))
        others = tuple(one.name for one in self._regions if one.name != region)
        return self.joins.begin_again((member, region), others, done, held=held)

    def _runs_again(self, member: str) -> None:
        self._crashed.discard(member)

    def host(self, member: str, region: str, *, checks: bool, persistent: bool) -> bool | None:
        """Have a member take a copy again that checks or not, on disk or not, once everything has settled.

        Gives whether it checks then; None if it is refused.
        """
        self.settle()
        in_force: bool | None = None
        try:
            self._adapter.host(member, region, checks, persistent)
            in_force = self._adapter.attributes(member, region).checks
        except RefusedError:
            pass
        self.poll()
        self._timeline.append(Hosted(member, region, checks, persistent, in_force))
        return in_force

    def register(self, interest: Interest) -> bool:
        """Have a client register for keys, or withdraw that, all being settled; False if it is refused."""
        self.settle()
        refused = False
        try:
            self._adapter.interest(interest)
        except RefusedError:
            refused = True
        if not interest.receive_values:
            self._valueless.add(interest.client)
        self._timeline.append(Registered(interest, refused))
        # Events of listeners meanwhile were caused by the call, if by anything: it shows behind it.
        self.poll()
        return not refused

    def _note(self, moment: Moment) -> None:
        """Write down a moment, behind what listeners were told until then."""
        self.poll()
        self._timeline.append(moment)

    def begin_registration(self, number: int, interest: Interest, *, held: bool) -> bool:
        """Call a registration and go on; whether its answer is held, where that is asked for."""
        if not interest.receive_values:
            self._valueless.add(interest.client)
        return self.registrations.begin(number, interest, held=held)

    def script(self, member: str, region: str, refuses: tuple[str, ...]) -> None:
        """Have a cache writer refuse changes of these keys from here on, once everything has settled."""
        self.settle()
        self._adapter.script(member, region, "writer", refuses)
        self._timeline.append(Scripted(member, region, refuses))

    def script_queue(self, member: str, queue: str, answers: tuple[str, ...]) -> None:
        """Have the listener of an asynchronous queue answer so from here on, once everything has settled."""
        self.settle()
        self._adapter.script(member, queue, QUEUE, answers)
        self._timeline.append(QueueScripted(member, queue, answers))

    def queue_calls(self, queue: str) -> tuple[QueueCall, ...]:
        """The calls of a queue's listeners so far, those of each member in their order."""
        return tuple(seen.call for seen in self._calls if seen.call.queue == queue)

    def redeliver(self, op_id: int, member: str) -> None:
        """Deliver the message of an operation once more."""
        self._timeline.append(Redelivered(op_id, member))
        self._adapter.redeliver(op_id, member)

    def inject(self, fault: Fault) -> None:
        """Do something to the candidate, and go on once it is done."""
        if fault.kind is FaultKind.MOVE_PRIMARY:
            self.locate(fault.region, fault.key)
        if fault.at_rest:
            self.settle()
        begun = [self._begin(fault)]
        inject(self._adapter, fault, self.topology, self._clients)
        if fault.kind is FaultKind.CRASH:
            self._crashed.add(fault.member)
            self.joins.forget(fault.member)
            of_it = (one.op_id for one in self._under_way.values() if one.member == fault.member)
            self._cut_short.update(of_it)
        elif fault.kind in STARTS_AGAIN:
            self._crashed.discard(fault.member)
        elif fault.kind in CLIENT_GOES:
            self._crashed.add(fault.client)
            self.registrations.forget(fault.client)
        elif fault.kind is FaultKind.CLIENT_START:
            self._crashed.discard(fault.client)
        elif fault.kind is FaultKind.MOVE_PRIMARY:
            begun += [self._begin(other) for other in self._moved_along(fault)]
        self.poll()
        self._timeline += begun
        for done in begun:
            if done.fault.kind is FaultKind.MOVE_PRIMARY:
                self._ask_placement(done.fault.region, done.fault.key)

    def _begin(self, fault: Fault) -> FaultDone:
        """Note that a fault may happen from here on; what to note once it has happened."""
        self._faults += 1
        self._timeline.append(FaultBegun(self._faults, fault))
        return FaultDone(self._faults, fault)

    def _moved_along(self, fault: Fault) -> Iterator[Fault]:
        """The moves of the other keys of a bucket, and of those that lie with it, whose primary has moved.

        Which keys share a bucket shows here only. They move at once, so each move may be seen before any is
        noted as done.
        """
        old = self._placed[fault.region, fault.key].primary
        for placed in tuple(self._placed.values()):
            if placed.primary != old or (placed.region, placed.key) == (fault.region, fault.key):
                continue
            if self._adapter.placement(placed.region, placed.key).primary == fault.member != old:
                yield replace(fault, region=placed.region, key=placed.key)

    def let_clocks_pass(self) -> None:
        """Come back when the clock of every site shows a later time than any timestamp given so far.

        Raises ValueError if it is not declared how far they differ.
        """
        error_ms = self.introduction.clock_error_ms
        if error_ms is None:
            raise ValueError("how far the clocks of the sites differ is not declared")
        # Timestamps are whole milliseconds. Each call may have got one that is later than its clock showed.
        recent = takewhile(lambda what: not isinstance(what, ClocksPassed), reversed(self._timeline))
        ahead_ms = sum(isinstance(what, Called) for what in recent)
        # Nothing but time is waited for here.
        time.sleep((error_ms + 2 + ahead_ms) / 1000)
        self._timeline.append(ClocksPassed())

    def look_at_queue(self, member: str, queue: str) -> QueueSight:
        """What a member's copy of a queue holds, and what the member is for it."""
        self._questions += 1
        number = self._questions
        self._timeline.append(QueueAsked(number, member, queue))
        sight = self._values.sight(self._adapter.look_at_queue(member, queue))
        if not {token for _, token in self._tokens}.isdisjoint(sight.tokens or ()):
            # no answer says to which key an event of several keys belongs
            sight = replace(sight, tokens=None)
        self.poll()
        self._timeline.append(QueueRead(number, member, queue, sight))
        return sight

    def await_depth(self, member: str, queue: str, depth: int, timeout_ms: int = DEPTH_LIMIT_MS) -> bool:
        """Whether a member's copy of a queue comes to hold so many events in time."""
        sight = self._await_sight(
            member, queue, lambda found: found.depth == depth, f"to hold {depth} events", timeout_ms
        )
        return sight.depth == depth

    def await_on_disk(self, member: str, queue: str) -> int | None:
        """How many events of a member's copy of a queue are on disk, once some are; None where none tells."""
        wanted = "to have events on disk"
        return self._await_sight(member, queue, lambda found: found.overflowed != 0, wanted).overflowed

    def _await_sight(
        self,
        member: str,
        queue: str,
        holds: Callable[[QueueSight], bool],
        words: str,
        timeout_ms: int = DEPTH_LIMIT_MS,
    ) -> QueueSight:
        self.rest.wait_begins()
        deadline = time.monotonic() + timeout_ms / 1000
        for_good = False
        while not holds(self._adapter.look_at_queue(member, queue)):
            if for_good or time.monotonic() > deadline:
                self._waited(Waited(f"the copy of {queue} on {member} {words}"))
                break
            for_good = self.rest.asked(SLICE_MS).settled and self._adapter.stands_still
        # Readings before that are many and say little, so only the last one is recorded.
        return self.look_at_queue(member, queue)

    def locate(self, region: str, key: str) -> Located:
        """The holders of a key of a partitioned region; the candidate is asked the first time only."""
        if (region, key) not in self._placed:
            self._ask_placement(region, key)
        return self._placed[region, key]

    def _ask_placement(self, region: str, key: str) -> None:
        self.rest.wait_begins()
        deadline = time.monotonic() + self._limit_ms / 1000
        while (found := self._adapter.placement(region, key)).primary is None:
            if time.monotonic() > deadline or self.rest.asked(SLICE_MS).settled:
                found = self._adapter.placement(region, key)
                break
        if found.primary is None:
            raise AdapterError(f"placement: no member has become primary for {key!r:.80} of {region}")
        self.poll()
        placed = Located(region, key, found.primary, found.redundant)
        self._placed[region, key] = placed
        self._timeline.append(placed)

    @property
    def crashed(self) -> frozenset[str]:
        """Members that were killed in this example, and durable clients that are away."""
        return frozenset(self._crashed)

    def poll(self) -> tuple[Event, ...]:
        """Take in what listeners were told since the last time; it was shown before this moment."""
        observed = self._all_observed()
        now = len(self._timeline)
        self._calls += [SeenCall(self._call_of_entries(call), self._after, now) for call in observed.calls]
        events = tuple(map(self._of_entry, observed.events))
        for event in events:
            self._logs[event.member].append(Observation(event, self._after, now))
        self._position = observed.position
        return events

    def _all_observed(self) -> Observed:
        """What listeners received since the last time, in as many answers as the candidate needs for it."""
        part = self._adapter.observe(self._position)
        events, calls = part.events, part.calls
        while characters(part) >= PART_CHARACTERS:
            part = self._adapter.observe(part.position)
            events, calls = events + part.events, calls + part.calls
        return Observed(events=events, position=part.position, calls=calls)

    def _of_entry(self, event: Event) -> Event:
        """An event as that of an entry, where one callback argument goes to all keys of an operation."""
        return self._told_singly(self._values.event(event))

    def _call_of_entries(self, call: QueueCall) -> QueueCall:
        """A call of a queue's listener, likewise."""
        call = self._values.call(call)
        return replace(call, events=tuple(map(self._told_singly, call.events)))

    def _told_singly(self, told: _Told) -> _Told:
        token = self._tokens.get((told.key, told.token or ""), told.token)
        return told if token == told.token else replace(told, token=token)

    def tells(self, event: Event, operation: Operation) -> bool:
        """Whether an event is about an operation, as far as the candidate lets one know."""
        named = self.introduction.callback_arguments
        return tells(event, operation, named=named, valueless=event.member in self._valueless)

    def log_order(self, holder: str) -> OrderStrength:
        """How much order the log of a member or a client carries, as declared."""
        clients = tuple(client for client in self._clients if client.name == holder)
        return order_strength(self.introduction, self._regions, clients)

    def await_shown(self, member: str, operation: Operation) -> bool:
        """Whether the listener of a member receives an operation in time."""
        self.rest.wait_begins()
        deadline = time.monotonic() + min(SHOWN_LIMIT_MS, self._limit_ms) / 1000
        self.poll()
        while not any(self.tells(shown.event, operation) for shown in self._logs[member]):
            if time.monotonic() > deadline:
                break
            settled = self.rest.asked(SLICE_MS).settled
            self.poll()
            if settled and not any(self.tells(shown.event, operation) for shown in self._logs[member]):
                break
        else:
            return True
        self._waited(Waited(f"the listener of {member} to receive {operation.token}"))
        return False

    def _waited(self, moment: Moment) -> None:
        """Write down that all the time was given; observations from here on happened after it."""
        self._timeline.append(moment)
        self._after = len(self._timeline)

    def settle(self) -> bool:
        """Wait until nothing more happens by itself; False while parked listeners may hold things back."""
        self.rest.wait_begins()
        self.rest.look_first()
        result = self.rest.asked(self._limit_ms)
        self.poll()
        if result.settled:
            bulks = [operation.keys for operation in self._under_way.values() if operation.entries]
            tied = tuple(sorted(with_tied(frozenset(result.held), bulks, self._logs)))
            self._timeline.append(Settled(tied if bulks else result.held))
            self._after = len(self._timeline)
            for placed in list(self._placed.values()) if self._crashed and not result.held else ():
                self._ask_placement(placed.region, placed.key)
        elif not result.held:
            self.rest.watch(self._limit_ms)
        return result.settled

    def contents(self, member: str, region: str) -> dict[str, str | None]:
        """What a member holds of a region: key to token, None for an invalid entry; nothing if it is gone."""
        return {entry.key: entry.token for entry in self._read(member, region) or ()}

    def has_region(self, member: str, region: str) -> bool:
        """Whether a member or client still has a region."""
        return self._read(member, region) is not None

    def _read(self, member: str, region: str) -> tuple[Content, ...] | None:
        self._questions += 1
        number = self._questions
        self._timeline.append(ContentsAsked(number, member, region))
        entries = self._adapter.contents(member, region)
        if entries is not None:
            entries = self._values.read(member, entries)
        self.poll()
        self._timeline.append(ContentsRead(number, member, region, entries or (), gone=entries is None))
        return entries

    def statistic(self, member: str, name: str) -> int:
        """How far a statistic of a member has moved in this example."""
        self._questions += 1
        number = self._questions
        self._timeline.append(StatisticAsked(number, member, name))
        view = view_of(name)
        if is_of_alerts(name):
            delta = alerts(name, self._adapter.server_log(member))
        elif view is None:
            delta = self._adapter.statistic(member, name)
        else:
            delta = self.views(member, view[1], queried=view[0] in QUERIES).count(view[0])
        self.poll()
        self._timeline.append(StatisticRead(number, member, name, delta))
        return delta

    def views(self, member: str, region: str, *, queried: bool) -> RegionViews:
        """What a member shows of a region by its size and sets, or by queries; what it tells is not noted."""
        shown = self._adapter.queries(member, region) if queried else self._adapter.views(member, region)
        return self._values.views(shown)

    def attributes(self, member: str, region: str) -> RegionAttributes:
        """The attributes in force of a region on a member."""
        attributes = self._adapter.attributes(member, region)
        self.poll()
        self._timeline.append(AttributesRead(member, region, attributes.checks))
        return attributes

    def log(self, member: str) -> tuple[Event, ...]:
        """What the listener of a member has been told so far."""
        return tuple(shown.event for shown in self._logs[member] if shown.event.kind is not EventKind.RESOLVE)

    def conflicts(self, member: str) -> tuple[Event, ...]:
        """What the conflict resolver of a member has been asked so far."""
        return tuple(shown.event for shown in self._logs[member] if shown.event.kind is EventKind.RESOLVE)

    @property
    def values(self) -> tuple[ShownValue, ...]:
        """The values that were shown so far, where a queue gives events substitutes."""
        return self._values.seen

    @property
    def clients(self) -> tuple[str, ...]:
        """The names of the clients."""
        return tuple(client.name for client in self._clients)

    @property
    def under_way(self) -> tuple[Operation, ...]:
        """Operations that have not returned yet, the first called first."""
        return tuple(self._under_way.values())

    def history(self) -> History:
        """Everything that was asked and shown so far."""
        offered = self.introduction.capabilities
        return History(
            topology=self.topology,
            regions=self._regions,
            timeline=tuple(self._timeline),
            logs={member: tuple(log) for member, log in self._logs.items()},
            order_strength=order_strength(self.introduction, self._regions),
            client_order_strength=order_strength(self.introduction, self._regions, self._clients),
            member_order=self._member_order,
            conflated_weight_least=self.introduction.conflated_weight_least,
            conflated_weight_most=self.introduction.conflated_weight_most,
            callback_arguments=self.introduction.callback_arguments,
            queues=self._queues,
            clients=self._clients,
            registers=self._registers,
            tombstones=self._tombstones,
            resolver=self._resolver,
            batches_wait=Capability.VIRTUAL_TIME in offered,
            retries_wait={Capability.VIRTUAL_TIME, Capability.RETRY_TIME} <= {*offered},
            sends_on=self.introduction.sends_on,
            calls=tuple(self._calls),
            values=self._values.seen,
        )
