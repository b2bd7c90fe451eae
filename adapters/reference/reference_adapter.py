"""The reference model driven as a candidate: what the protocol asks, put to a simulation of the model.

How things happen, calm or chaotic, `simulation` says; `limits` lists the requests that are refused because
they are not modelled.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import ClassVar
from zlib import crc32

from msgspec.structs import replace

from plumbline.adapters.errors import AdapterError, RefusedError, UnsupportedError
from plumbline.adapters.protocol import (
    PART_CHARACTERS,
    Deployed,
    Introduction,
    Observed,
    PlacementResult,
    SettleResult,
)
from plumbline.adapters.reference.evictions import naming_victim, with_victim
from plumbline.adapters.reference.joining import Joining
from plumbline.adapters.reference.limits import (
    CAPABILITIES,
    require_operation,
    require_region,
    require_view,
)
from plumbline.adapters.reference.queueing import Queueing
from plumbline.adapters.reference.scripting import Scripting
from plumbline.adapters.reference.shown import logged, views
from plumbline.adapters.reference.simulation import Simulation
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.distribution import VERSION
from plumbline.reference.history.actions import FAILURES
from plumbline.reference.history.bulk import with_shares
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.listener_calls import QueueCall
from plumbline.reference.history.log_lines import LogLine
from plumbline.reference.history.moments import Gate, Hosted
from plumbline.reference.history.operations import (
    Content,
    Event,
    Operation,
    Outcome,
    QueueAttributes,
    RegionAttributes,
    Status,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.history.views import QUERIES, RegionViews
from plumbline.reference.model.bucket_holders import located
from plumbline.reference.model.clients.attempts import counted
from plumbline.reference.model.clients.without_servers import goes_nowhere
from plumbline.reference.model.gauges import TOMBSTONE_STATISTICS, readings
from plumbline.reference.model.hosting import hosted, joined, left
from plumbline.reference.model.lookahead import NoLookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.lanes import dealt_out
from plumbline.reference.model.sites.late_entries import enters_another_first
from plumbline.reference.model.sites.parallel_senders import begun
from plumbline.reference.model.system import Model
from plumbline.reference.model.timeline import Answers
from plumbline.reference.model.tombstones import read_as
from plumbline.reference.model.world import GateState, World
from plumbline.reference.rulebook.book import Rulebook, rulebook_of
from plumbline.reference.rulebook.values import EntryState, each


class ReferenceAdapter(Joining, Queueing, Scripting):
    """A whole distribution system in one object; it behaves as the rulebook says.

    Without a rulebook, it is that of the dialect.
    """

    stands_still: ClassVar[bool] = True

    def __init__(
        self,
        rulebook: Rulebook | None = None,
        *,
        chaotic: bool = False,
        seed: int = 0,
        dialect: Dialect = Dialect.GEODE,
        simulate: Callable[[Model, random.Random | None], Simulation] = Simulation,
        most_tries: int = 0,
    ) -> None:
        self._simulate = simulate
        self._most_tries = most_tries
        self._book = rulebook_of(dialect) if rulebook is None else rulebook
        self._dialect = dialect
        self._random = random.Random(seed) if chaotic else None  # noqa: S311 - chaos, not secrets
        self._topology: Topology | None = None
        self._simulation: Simulation | None = None
        self._regions: dict[str, RegionAttributes] = {}
        self._outcomes: dict[int, Outcome] = {}
        self._queues: dict[str, QueueAttributes] = {}
        self._named: set[str] = set()
        self._holds = 0
        self._held: set[int] = set()
        self._ahead: dict[int, int] = {}
        self._settings_of: dict[tuple[str, str], bool] = {}
        self._tombstones: TombstoneSettings | None = None

    def hello(self) -> Introduction:
        """Introduce the reference."""
        return Introduction(
            name="plumbline reference" + (", chaotic" if self._random else ""),
            version=VERSION,
            dialect=self._dialect,
            capabilities=CAPABILITIES,
            order_strength=OrderStrength.TOTAL,
            sends_on=True,
            clock_error_ms=0,
        )

    def deploy(self, topology: Topology) -> Deployed:
        """Start over with these members; the first named has the lowest id."""
        self._topology = topology
        self._queues = {}
        return Deployed(member_order=topology.members)

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        """Forget everything and create the regions."""
        if self._topology is None:
            raise UnsupportedError("reset: deploy a topology first")
        for region in regions:
            require_region(region, self._topology, self._queues.values())
        # A queue of an earlier example is part of this one only if it is named again, or fed.
        in_use = self._named.union(*(region.senders for region in regions))
        queues, fed = dealt_out(tuple(one for one in self._queues.values() if one.id in in_use), regions)
        self._named = set()
        setting = Setting(
            self._book,
            self._topology,
            fed,
            self._topology.members,
            queues=queues,
            clock=True,
            tombstones=self._tombstones,
        )
        self._tombstones = None
        setting.plain = False  # claims on clients are for searches
        setting.send_on()
        setting.recover()
        if self._random is not None:
            setting.enters_late = partial(enters_another_first, setting)
        setting.logs_read = setting.marks = True
        model = Model(setting, OrderStrength.TOTAL, NoLookahead(self._most_tries), Answers())
        self._simulation = self._simulate(model, self._random)
        self._regions = {region.name: region for region in regions}
        self._holds = 0
        self._held = set()
        self._ahead = {}
        self._settings_of = {}
        self._outcomes = {}

    def begin(self, operation: Operation) -> None:
        """Call an operation; calm, it has happened when this returns."""
        simulation = self._ready()
        setting = simulation.setting
        operation = with_victim(operation, simulation.world, self._random)
        setting.lock_for(operation)
        require_operation(operation, setting, simulation.world)
        for entry, share in with_shares(operation):
            if setting.has_buckets(operation.member, operation.region):
                self.placement(operation.region, entry.key)
            setting.take_up(entry, share)
            wan = simulation.world.wan
            if wan.stands:
                ahead = self._ahead.get(setting.home(operation.member), 0)
                setting.readings[entry.op_id] = (self._holds, wan.passed + ahead)
            simulation.world = simulation.model.timeline.called(simulation.world, entry)
        simulation.go_on()

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        """Let things happen until the operation has returned or nothing happens any more."""
        del timeout_ms
        setting = self._ready().setting
        told: list[Outcome] = []
        for one in setting.entries_of(op_id):
            outcome = self._ended(one)
            if outcome is None:
                return None
            told.append(setting.ends_as(one, outcome))
        alike = len({outcome.status for outcome in told}) == 1
        done = told[0] if alike else Outcome(Status.INDEFINITE, detail="some entries are done")
        if op_id not in setting.operations:
            return done
        operation = setting.operations[op_id]
        done = replace(done, value=self._ready().substitutes.read(operation.member, done.value))
        return naming_victim(operation, done)

    def _ended(self, op_id: int) -> Outcome | None:
        simulation = self._ready()
        caller = simulation.setting.operations[op_id].member
        while op_id not in self._outcomes:
            world = simulation.world
            if caller in world.wan.dead and not goes_nowhere(simulation.setting, world, op_id):
                self._outcomes[op_id] = _outcome_of_the_dead(world, op_id)
                simulation.world = simulation.model.timeline.left_by_dead(world, op_id)
                break
            for after, outcome in simulation.model.timeline.returned(world, op_id):
                simulation.world = after
                self._outcomes[op_id] = outcome
                break
            else:
                if not simulation.take_step():
                    return None
        return self._outcomes[op_id]

    def observe(self, since: int) -> Observed:
        """What listeners received since a position, or the first part of it where that is long."""
        simulation = self._ready()
        events, calls, length = list[Event](), list[QueueCall](), 0
        for told in simulation.events[since:]:
            changes = told.events if isinstance(told, QueueCall) else (told,)
            length += sum(len(change.token or "") for change in changes)
            if isinstance(told, QueueCall):
                calls.append(told)
            else:
                events.append(told)
            if length >= PART_CHARACTERS:
                break
        simulation.seen = since + len(events) + len(calls)
        return Observed(events=tuple(events), position=simulation.seen, calls=tuple(calls))

    def settle(self, timeout_ms: int) -> SettleResult:
        """Let everything happen that can."""
        del timeout_ms
        simulation = self._ready()
        simulation.settle()
        return SettleResult(settled=True)

    def contents(self, member: str, region: str) -> tuple[Content, ...] | None:
        """What the member holds now; None where the region was destroyed."""
        simulation = self._ready()
        world, read = simulation.world, simulation.substitutes.read
        if (member, region) in world.away:
            return None
        return tuple(
            Content(key, read(member, entry.token) if entry.state is EntryState.LIVE else None)
            for (holder, name, key), entry in sorted(world.entries.items())
            if (holder, name) == (member, region)
            and read_as(self._book, entry)[0] in (EntryState.LIVE, EntryState.INVALID)
        )

    def views(self, member: str, region: str) -> RegionViews:
        """What the member shows by its size and its sets."""
        simulation = self._ready()
        require_view(member, region, simulation.setting)
        return simulation.substitutes.views(member, views(simulation.world, self._book, member, region))

    def queries(self, member: str, region: str) -> RegionViews:
        """What queries on the member find."""
        simulation = self._ready()
        require_view(member, region, simulation.setting)
        shown = views(simulation.world, self._book, member, region, QUERIES)
        return simulation.substitutes.views(member, shown)

    def arm(self, gate: Gate) -> None:
        """From here on the operation parks at the gate."""
        simulation = self._ready()
        simulation.world = simulation.model.timeline.armed(simulation.world, gate)

    def await_parked(self, gate: Gate, timeout_ms: int) -> bool:
        """Let things happen until the operation stands at the gate."""
        del timeout_ms
        simulation = self._ready()
        while simulation.world.gates.get(gate.place) is not GateState.PARKED:
            if not simulation.take_step():
                return False
        return True

    def release(self, gate: Gate) -> None:
        """Open the gate."""
        simulation = self._ready()
        simulation.world = simulation.model.timeline.released(simulation.world, gate)
        simulation.go_on()

    def statistic(self, member: str, name: str) -> int:
        """The count of discarded updates, of failed events, and what is counted of tombstones."""
        simulation = self._ready()
        if name == FAILURES or name in TOMBSTONE_STATISTICS:
            ((least, _), *_) = readings(simulation.setting, simulation.world, member, name)
            return least
        if name != "conflatedEvents":
            raise UnsupportedError(f"statistic: the reference has no {name} so far")
        count: int = simulation.world.discards.get(member, 0)
        return count

    def server_log(self, member: str) -> tuple[LogLine, ...]:
        """What the member has logged as an alert."""
        return logged(self._ready().world, member)

    def attributes(self, member: str, region: str) -> RegionAttributes:
        """The attributes of the region, with checks resolved."""
        attributes = self._regions[region]
        (checks, *_) = self._ready().setting.checks(region)
        checks = self._settings_of.get((member, region), checks)
        return RegionAttributes(
            name=attributes.name,
            policy=attributes.policy_of(member),
            scope=attributes.scope,
            checks=checks,
            redundancy=attributes.redundancy,
        )

    def leave(self, member: str, region: str) -> None:
        """Drop the member's copy."""
        simulation = self._ready()
        simulation.world = left(simulation.world, member, region)

    def join(self, member: str, region: str) -> None:
        """Copy the region from another member."""
        simulation = self._ready()
        simulation.world = next(joined(simulation.world, member, region, simulation.setting))

    def host(self, member: str, region: str, checks: bool, persistent: bool) -> None:
        """Copy the region from another member, with settings of the member's own; or refuse to."""
        simulation = self._ready()
        setting = simulation.setting
        if (member, region) not in simulation.world.away or region in setting.partitioned:
            raise AdapterError(f"host: {member} has a copy of {region}, or it is partitioned")
        (in_force, *_) = setting.checks(region)
        if persistent and not checks:
            (in_force, *_) = each(self._book.setting_of_persistent(checks))
        elif checks is not in_force:
            (in_force, *_) = each(self._book.setting_of_joiner(checks, in_force))
        follows = self._random is not None and self._random.choice((True, False))
        if in_force is not checks and not follows:
            raise RefusedError(f"host: {region} checks: {in_force}, and so must {member}")
        self._settings_of[member, region] = in_force
        taken = Hosted(member, region, checks, persistent, in_force)
        simulation.world = next(hosted(simulation.world, taken, setting))

    def redeliver(self, op_id: int, member: str) -> None:
        """Put the operation's message on the way to the member once more."""
        simulation = self._ready()
        simulation.world = simulation.model.deliveries.redelivered(simulation.world, op_id, member)
        simulation.go_on()

    def placement(self, region: str, key: str) -> PlacementResult:
        """The holders of a key. A key that is new goes to a member by its name, and to the next."""
        simulation = self._ready()
        setting = simulation.setting
        if region not in setting.partitioned:
            raise AdapterError(f"placement: {region} is no partitioned region")
        if (region, key) not in simulation.world.buckets:
            living = [
                m
                for m in setting.members
                if setting.has_buckets(m, region) and m not in simulation.world.wan.dead
            ]
            first = crc32(key.encode()) % len(living)
            holder, *others = (*living[first:], *living[:first])
            copies = tuple(others[: self._regions[region].redundancy])
            where = (region, key)
            simulation.world = begun(located(simulation.world, where, holder, copies), setting, where)
        bucket = simulation.world.buckets[region, key]
        primary = None if bucket.primary in simulation.world.wan.dead else bucket.primary
        return PlacementResult(primary=primary, redundant=bucket.copies)

    def move_primary(self, region: str, key: str, member: str) -> None:
        """Make a member the primary of a key, once everything has happened."""
        simulation = self._ready()
        primary = self.placement(region, key).primary
        living = member not in simulation.world.wan.dead and simulation.setting.has_buckets(member, region)
        if primary is None or not living:
            raise AdapterError(f"move_primary: {member} or the primary of {key} does not live, or holds none")
        self.settle(0)
        simulation.happen(Fault(kind=FaultKind.MOVE_PRIMARY, member=member, region=region, key=key))

    def crash(self, member: str) -> None:
        """The member is dead, at some moment before this returns."""
        simulation = self._ready()
        if counted(simulation.world):
            raise UnsupportedError("crash: no member dies where answers were lost, so far")
        told = any(where[0] == member for where in simulation.world.gates)
        simulation.happen(Fault(kind=FaultKind.CRASH, member=member))
        if not told:
            simulation.lose_some_of(member)

    def restart(self, member: str, from_disk: bool) -> None:
        """Start a member again that was killed, once everything has happened."""
        simulation = self._ready()
        if from_disk and (simulation.setting.partitioned or not self._queues):
            raise UnsupportedError("restart: regions and buckets on disk do not start again so far")
        if member not in simulation.world.wan.dead:
            raise AdapterError(f"restart: {member} lives")
        self.settle(0)
        kind = FaultKind.RECOVER if from_disk else FaultKind.RESTART
        simulation.happen(Fault(kind=kind, member=member))

    def link(self, source: str, target: str, state: str) -> None:
        """Cut a link between sites, lose its replies, or mend it."""
        if source in self._ready().setting.clients:
            self._client_link(source, target, state)
            return
        kinds = {"down": FaultKind.LINK_DOWN, "up": FaultKind.LINK_UP, "drop_acks": FaultKind.REPLIES_LOST}
        if state not in kinds:
            raise UnsupportedError(f"link: the reference cannot set a link {state} so far")
        self._ready().happen(Fault(kind=kinds[state], site=int(source), remote_site=int(target)))

    def _client_link(self, client: str, server: str, state: str) -> None:
        """Lose what a server answers to a client, once everything has happened; or lose it no more."""
        kinds = {"drop_acks": FaultKind.ANSWERS_LOST, "up": FaultKind.ANSWERS_BACK}
        if state not in kinds:
            raise UnsupportedError(f"link: the reference cannot set the link of a client {state} so far")
        if server not in self._ready().setting.clients[client].servers:
            raise AdapterError(f"link: {client} is not served by {server}")
        if state == "drop_acks":
            self.settle(0)
        self._ready().happen(Fault(kind=kinds[state], client=client, member=server))

    def clock(self, site: int, offset_ms: int, frozen: bool) -> None:
        """Hold a site's clock: time stands still once those of all sites are held."""
        if offset_ms and not frozen:
            raise UnsupportedError("clock: clocks that run have one time at all sites so far")
        self._ahead[site] = offset_ms
        sites = self._ready().setting.sites.keys()
        # Queues stay from earlier examples; those that a region feeds now matter.
        if any(region.queues for region in self._regions.values()):
            raise UnsupportedError("clock: no time is held beside asynchronous queues so far")
        stood = self._held >= sites
        self._held = self._held | {site} if frozen else self._held - {site}
        if stood is not (self._held >= sites):
            self._holds += not stood
            self._ready().happen(Fault(kind=FaultKind.LET_RUN if stood else FaultKind.HOLD_TIME))

    def keep_tombstones(self, settings: TombstoneSettings) -> None:
        """Keep tombstones so from the next reset on."""
        self._tombstones = settings

    def advance(self, milliseconds: int) -> None:
        """Let time pass where it stands."""
        if self._held < self._ready().setting.sites.keys():
            raise AdapterError("advance: the clocks are not held")
        self._ready().happen(Fault(kind=FaultKind.TIME_LEAP, milliseconds=milliseconds))

    def close(self) -> None:
        """Nothing was started, so nothing needs stopping."""


def _outcome_of_the_dead(world: World, op_id: int) -> Outcome:
    call = world.calls[op_id]
    if call.outcome is not None:
        return call.outcome
    return Outcome(Status.INDEFINITE, detail="its member has died")
