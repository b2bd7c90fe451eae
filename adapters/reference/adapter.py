"""The reference model driven as a candidate.

Calm, everything that can happen happens at once, in one order. Chaotic, steps of every kind are taken in
any order, drawn from a seed, and no sooner than somebody waits for them.
"""

from __future__ import annotations

import random
from importlib.metadata import version
from zlib import crc32

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.errors import AdapterError, RefusedError, UnsupportedError
from plumbline.adapters.protocol import Deployed, Introduction, Observed, PlacementResult, SettleResult
from plumbline.reference.capabilities import Capability
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.steps import Entry, Place, Unobserved
from plumbline.reference.history import Fault, FaultKind, Gate, OrderStrength
from plumbline.reference.model.attempts import counted
from plumbline.reference.model.buckets import located
from plumbline.reference.model.failover import ACKNOWLEDGED
from plumbline.reference.model.foresight import Unknowing
from plumbline.reference.model.forwarding import REPLIES_EARLY
from plumbline.reference.model.gauges import TOMBSTONE_STATISTICS, readings
from plumbline.reference.model.hosting import joined, left
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.system import Model
from plumbline.reference.model.timeline import Answers
from plumbline.reference.model.tombstones import read_as
from plumbline.reference.model.wholes import WHOLE
from plumbline.reference.model.world import GateState, World, empty_world
from plumbline.reference.model.writers import WRITER, scripted
from plumbline.reference.operations import (
    EXPIRES,
    LOCAL,
    Client,
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
    RegionPolicy,
    Scope,
    Status,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.operations import SUPPORTED
from plumbline.reference.rulebook.values import EntryState, each

CAPABILITIES = (
    Capability.REPLICATED_REGIONS,
    Capability.REGION_POLICIES,
    Capability.PARTITIONED_REGIONS,
    Capability.CHECKS_SETTING,
    Capability.LOCAL_OPERATIONS,
    Capability.CLEAR,
    Capability.LISTENER_GATES,
    Capability.MESSAGE_CONTROL,
    Capability.TOMBSTONES,
    Capability.STATISTICS,
    Capability.CONFIGURATION,
    Capability.CALLBACK_SCRIPTS,
    Capability.CLIENTS,
    Capability.GATEWAYS,
    Capability.QUEUE_INSPECTION,
    Capability.MEMBER_FAULTS,
    Capability.LINK_FAULTS,
    Capability.VIRTUAL_TIME,
)

POLICIES = frozenset(
    (RegionPolicy.REPLICATE, RegionPolicy.NORMAL, RegionPolicy.PRELOADED, RegionPolicy.EMPTY)
)

_INTERESTS = ("all", "key", "list", "regex")

MOST_STEPS_AT_ONCE = 6
"""How many steps chaos takes at most while nobody waits."""

LOSES_SOME = 0.5
"""How often chaos cuts the log of a member that dies."""


class ReferenceAdapter(Adapter):
    """A whole distribution system in one object; what it does is what the rulebook says."""

    def __init__(
        self,
        rulebook: Rulebook | None = None,
        *,
        chaotic: bool = False,
        seed: int = 0,
        dialect: Dialect = Dialect.GEODE,
    ) -> None:
        self._book = rulebook or Rulebook()
        self._dialect = dialect
        self._random = random.Random(seed) if chaotic else None  # noqa: S311 - chaos, not secrets
        self._topology: Topology | None = None
        self._view = Unobserved(reduced=True)
        self._model: Model | None = None
        self._regions: dict[str, RegionAttributes] = {}
        self._world: World = empty_world()
        self._events: list[Event] = []
        self._seen = 0
        self._outcomes: dict[int, Outcome] = {}
        self._queues: dict[str, QueueAttributes] = {}
        self._holds = 0
        self._held: set[int] = set()
        self._tombstones: TombstoneSettings | None = None

    def hello(self) -> Introduction:
        """Introduce the reference."""
        return Introduction(
            name="plumbline reference" + (", chaotic" if self._random else ""),
            version=version("plumbline"),
            dialect=self._dialect,
            capabilities=CAPABILITIES,
            order_strength=OrderStrength.TOTAL,
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
            self._refuse_what_is_not_modelled(region, self._topology)
        setting = Setting(
            self._book,
            self._topology,
            regions,
            self._topology.members,
            queues=tuple(self._queues.values()),
            clock=True,
            tombstones=self._tombstones,
        )
        self._tombstones = None
        setting.plain = False  # what is claimed of clients is for those who search
        self._model = Model(setting, OrderStrength.TOTAL, Unknowing(), Answers())
        self._regions = {region.name: region for region in regions}
        self._world = empty_world()
        self._world = self._world.but(wan=self._model.senders.started(self._world.wan))
        self._holds = 0
        self._held = set()
        self._events = []
        self._seen = 0
        self._outcomes = {}

    @staticmethod
    def _refuse_what_is_not_modelled(region: RegionAttributes, topology: Topology) -> None:
        if region.policy is RegionPolicy.PARTITION:
            _refuse_what_no_bucket_has(region, topology)
            return
        kept = {region.policy_of(member) for member in topology.members}
        if not kept <= POLICIES:
            words = ", ".join(sorted(kept - POLICIES))
            raise UnsupportedError(f"reset: the reference has no {words} regions so far")
        if kept != {RegionPolicy.REPLICATE} and (region.senders or len(topology.sites) > 1):
            raise UnsupportedError("reset: between sites there are only replicates so far")

    def begin(self, operation: Operation) -> None:
        """Call an operation; calm, it has happened when this returns."""
        whole = operation.kind in WHOLE
        if operation.kind not in SUPPORTED and not whole:
            raise UnsupportedError(f"begin: the reference does not model {operation.kind} so far")
        model = self._ready()
        self._require_modelled(operation)
        model.setting.lock_for(operation)
        if whole and self._world.calls and operation.region not in model.setting.clears:
            raise UnsupportedError(f"begin: {operation.kind} is called while nothing is under way, so far")
        of_member = operation.member not in model.setting.clients
        if operation.kind is OperationKind.LOCAL_CLEAR and not of_member:
            raise UnsupportedError("begin: clients do not clear regions alone so far")
        if operation.kind is OperationKind.LOCAL_DESTROY_REGION and of_member:
            raise UnsupportedError("begin: members do not destroy regions alone so far")
        if operation.kind in EXPIRES and model.setting.clients:
            raise UnsupportedError("begin: entries do not expire where there are clients so far")
        if operation.region in model.setting.partitioned:
            if not of_member or whole or operation.kind in LOCAL:
                raise UnsupportedError(
                    "begin: members change single keys of partitioned regions, and nobody else so far"
                )
            self.placement(operation.region, operation.key)
        model.setting.take_up(operation)
        if self._world.wan.stands:
            model.setting.readings[operation.op_id] = (self._holds, self._world.wan.passed)
        self._world = model.timeline.called(self._world, operation)
        self._go_on()

    def _require_modelled(self, operation: Operation) -> None:
        """Clients of several servers call puts once answers were lost, and nothing else, so far."""
        setting, world = self._ready().setting, self._world
        if operation.member not in setting.clients:
            return
        tracked = setting.tracked(operation.member)
        if tracked and (not counted(world) or world.wan.dead):
            raise UnsupportedError("begin: clients of several servers only listen so far")
        if (tracked or world.served.lost) and operation.kind is not OperationKind.PUT:
            raise UnsupportedError(f"begin: no {operation.kind} is called while answers are lost, so far")

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        """Let things happen until the operation has returned or nothing happens any more."""
        del timeout_ms
        model = self._ready()
        while op_id not in self._outcomes:
            if model.setting.operations[op_id].member in self._world.wan.dead:
                self._outcomes[op_id] = self._outcome_of_the_dead(op_id)
                self._world = self._world.but(calls=self._world.calls.delete(op_id))
                break
            for after, outcome in model.timeline.returned(self._world, op_id):
                self._world = after
                self._outcomes[op_id] = outcome
                break
            else:
                if not self._take_step():
                    return None
        return self._outcomes[op_id]

    def observe(self, since: int) -> Observed:
        """What listeners were told since a position."""
        self._seen = len(self._events)
        return Observed(events=tuple(self._events[since:]), position=len(self._events))

    def settle(self, timeout_ms: int) -> SettleResult:
        """Let everything happen that can."""
        del timeout_ms
        while self._take_step():
            pass
        self._seen = len(self._events)
        return SettleResult(settled=True)

    def contents(self, member: str, region: str) -> tuple[Content, ...] | None:
        """What the member holds now; None where the region was destroyed."""
        if (member, region) in self._world.away:
            return None
        return tuple(
            Content(key, entry.token if entry.state is EntryState.LIVE else None)
            for (holder, name, key), entry in sorted(self._world.entries.items())
            if (holder, name) == (member, region)
            and read_as(self._book, entry)[0] in (EntryState.LIVE, EntryState.INVALID)
        )

    def arm(self, gate: Gate) -> None:
        """From here on the operation parks at the gate."""
        self._world = self._ready().timeline.armed(self._world, gate)

    def await_parked(self, gate: Gate, timeout_ms: int) -> bool:
        """Let things happen until the operation stands at the gate."""
        del timeout_ms
        while self._world.gates.get(gate.place) is not GateState.PARKED:
            if not self._take_step():
                return False
        return True

    def release(self, gate: Gate) -> None:
        """Open the gate."""
        self._world = self._ready().timeline.released(self._world, gate)
        self._go_on()

    def statistic(self, member: str, name: str) -> int:
        """The count of discarded updates, and what is counted of tombstones."""
        if name in TOMBSTONE_STATISTICS:
            ((least, _), *_) = readings(self._ready().setting, self._world, member, name)
            return least
        if name != "conflatedEvents":
            raise UnsupportedError(f"statistic: the reference has no {name} so far")
        count: int = self._world.discards.get(member, 0)
        return count

    def attributes(self, member: str, region: str) -> RegionAttributes:
        """The attributes of the region, with checks resolved."""
        attributes = self._regions[region]
        (checks, *_) = each(self._book.checks_in_force(attributes.checks))
        return RegionAttributes(
            name=attributes.name,
            policy=attributes.policy_of(member),
            scope=attributes.scope,
            checks=checks,
            redundancy=attributes.redundancy,
        )

    def leave(self, member: str, region: str) -> None:
        """Drop the member's copy."""
        self._world = left(self._world, member, region)

    def join(self, member: str, region: str) -> None:
        """Copy the region from another member."""
        self._world = next(joined(self._world, member, region, self._ready().setting))

    def redeliver(self, op_id: int, member: str) -> None:
        """Put the operation's message on the way to the member once more."""
        self._world = self._ready().replicates.redelivered(self._world, op_id, member)
        self._go_on()

    def start_client(self, client: Client) -> None:
        """Connect a client to its server."""
        setting = self._ready().setting
        if setting.operations:
            raise UnsupportedError("start_client: clients are there from the beginning so far")
        if client.durable_id is not None or len(client.servers) > 1 + client.redundancy > 1:
            raise UnsupportedError(
                "start_client: neither durable clients nor the recruiting of secondaries are modelled so far"
            )
        if setting.partitioned and len(client.servers) > 1:
            raise UnsupportedError("start_client: clients of partitioned regions have one server so far")
        if client.name in setting.members or not set(client.servers) <= set(setting.members):
            raise AdapterError(f"start_client: {client.name} is a member, or {client.servers} are not")
        setting.connect(client)
        self._world = self._ready().interests.connected(self._world, client)

    def interest(self, interest: Interest) -> None:
        """Have a client register for keys of a region, or withdraw that, once everything has happened."""
        setting = self._ready().setting
        client = setting.clients.get(interest.client)
        if client is None or interest.region not in self._regions:
            raise AdapterError(f"interest: no client {interest.client} or no region {interest.region}")
        if interest.durable or not client.subscription or interest.kind not in _INTERESTS:
            raise UnsupportedError(
                f"interest: neither durable interest nor interest by {interest.kind} is modelled so far"
            )
        self.settle(0)
        interests = self._ready().interests
        accepted = list(interests.registered(self._world, interest))
        ways = accepted or list(interests.refused(self._world, interest))
        self._world, shows = ways[0] if self._random is None else self._random.choice(ways)
        self._told(shows)
        if not accepted:
            raise RefusedError(f"interest: {interest.specification!r} is no expression")

    def script(self, member: str, region: str, callback: str, answers: tuple[str, ...]) -> None:
        """Have a cache writer refuse changes of these keys, once everything has happened."""
        if callback != WRITER or region in self._ready().setting.partitioned:
            raise UnsupportedError(f"script: the reference has no {callback} to be scripted so far")
        if member not in self._ready().setting.holders or region not in self._regions:
            raise AdapterError(f"script: no member or client {member}, or no region {region}")
        self.settle(0)
        self._world = scripted(self._world, member, region, answers)

    def create_queue(self, queue: QueueAttributes) -> None:
        """Keep the queue's attributes: its senders start with the next reset."""
        if queue.parallel or queue.remote_site is None or queue.dispatchers != 1 or queue.conflate:
            raise UnsupportedError(
                "create_queue: the reference has serial gateway senders of one dispatcher so far"
            )
        self._queues[queue.id] = queue

    def queue_action(self, member: str, queue: str, action: str) -> None:
        """Stop and start receivers; pause and resume senders."""
        kinds = {
            ("receiver", "stop"): FaultKind.RECEIVER_STOP,
            ("receiver", "start"): FaultKind.RECEIVER_START,
            ("queue", "pause"): FaultKind.PAUSE,
            ("queue", "resume"): FaultKind.RESUME,
        }
        receiver = queue == "receiver"
        kind = kinds.get(("receiver" if receiver else "queue", action))
        if kind is None:
            raise UnsupportedError(f"queue_action: the reference cannot {action} {queue} so far")
        self._happen(Fault(kind=kind, member=member, queue="" if receiver else queue))

    def look_at_queue(self, member: str, queue: str) -> QueueSight:
        """The member's copy of the queue, whole."""
        sender = self._world.wan.senders[member, queue]
        (depth, *_) = each(self._book.depth_reported(len(sender.queue), sender.sent))
        return QueueSight(
            depth=depth,
            role=QueueRole.PRIMARY if sender.primary else QueueRole.SECONDARY,
            tokens=tuple(event.token for event in sender.queue),
            unprocessed=len(sender.records),
        )

    def placement(self, region: str, key: str) -> PlacementResult:
        """Who holds a key; one that nobody asked for yet goes to a member by its name, and to the next."""
        setting = self._ready().setting
        if region not in setting.partitioned:
            raise AdapterError(f"placement: {region} is no partitioned region")
        if (region, key) not in self._world.buckets:
            living = [m for m in setting.members if m not in self._world.wan.dead]
            first = crc32(key.encode()) % len(living)
            holder, *others = (*living[first:], *living[:first])
            copies = tuple(others[: self._regions[region].redundancy])
            self._world = located(self._world, (region, key), holder, copies)
        bucket = self._world.buckets[region, key]
        primary = None if bucket.primary in self._world.wan.dead else bucket.primary
        return PlacementResult(primary=primary, redundant=bucket.copies)

    def crash(self, member: str) -> None:
        """The member is dead, at some moment before this returns."""
        if counted(self._world):
            raise UnsupportedError("crash: no member dies where answers were lost, so far")
        told = any(where[0] == member for where in self._world.gates)
        self._happen(Fault(kind=FaultKind.CRASH, member=member))
        if self._random is not None and not told:
            self._lose_some_of(member, self._random)

    def restart(self, member: str, from_disk: bool) -> None:
        """Start a member again that was killed, once everything has happened."""
        if self._queues or from_disk or self._ready().setting.partitioned:
            raise UnsupportedError(
                "restart: members with queues, disks or buckets are not started again so far"
            )
        if member not in self._world.wan.dead:
            raise AdapterError(f"restart: {member} lives")
        self.settle(0)
        self._happen(Fault(kind=FaultKind.RESTART, member=member))

    def _lose_some_of(self, member: str, draw: random.Random) -> None:
        """What a listener was told last is lost with its member, if nobody has seen it yet."""
        last = [at for at, event in enumerate(self._events) if event.member == member and at >= self._seen]
        lost = last[draw.randint(0, len(last)) :] if draw.random() < LOSES_SOME else []
        self._events = [event for at, event in enumerate(self._events) if at not in lost]

    def link(self, source: str, target: str, state: str) -> None:
        """Cut a link between sites, lose its replies, or mend it."""
        if source in self._ready().setting.clients:
            self._client_link(source, target, state)
            return
        kinds = {"down": FaultKind.LINK_DOWN, "up": FaultKind.LINK_UP, "drop_acks": FaultKind.REPLIES_LOST}
        if state not in kinds:
            raise UnsupportedError(f"link: the reference cannot set a link {state} so far")
        self._happen(Fault(kind=kinds[state], site=int(source), remote_site=int(target)))

    def _client_link(self, client: str, server: str, state: str) -> None:
        """Lose what a server answers to a client, once everything has happened; or lose it no more."""
        kinds = {"drop_acks": FaultKind.ANSWERS_LOST, "up": FaultKind.ANSWERS_BACK}
        if state not in kinds:
            raise UnsupportedError(f"link: the reference cannot set the link of a client {state} so far")
        if server not in self._ready().setting.clients[client].servers:
            raise AdapterError(f"link: {client} is not served by {server}")
        if state == "drop_acks":
            self.settle(0)
        self._happen(Fault(kind=kinds[state], client=client, member=server))

    def clock(self, site: int, offset_ms: int, frozen: bool) -> None:
        """Hold a site's clock: time stands still once those of all sites are held."""
        if offset_ms:
            raise UnsupportedError("clock: the reference has one time for all sites so far")
        sites = self._ready().setting.sites.keys()
        stood = self._held >= sites
        self._held = self._held | {site} if frozen else self._held - {site}
        if stood is not (self._held >= sites):
            self._holds += not stood
            self._happen(Fault(kind=FaultKind.LET_RUN if stood else FaultKind.HOLD_TIME))

    def keep_tombstones(self, settings: TombstoneSettings) -> None:
        """Keep tombstones so from the next reset on."""
        if self._queues:
            raise UnsupportedError("keep_tombstones: the reference has no gateway senders beside it so far")
        self._tombstones = settings

    def advance(self, milliseconds: int) -> None:
        """Let time pass where it stands."""
        if self._held < self._ready().setting.sites.keys():
            raise AdapterError("advance: the clocks are not held")
        self._happen(Fault(kind=FaultKind.TIME_LEAP, milliseconds=milliseconds))

    def _happen(self, fault: Fault) -> None:
        """Let a fault happen: calm at once, chaotic after some of what could come first."""
        model = self._ready()
        if self._random is not None:
            self._go_on()
        self._world = next(model.faults.happened(self._world, fault))
        self._go_on()

    def _outcome_of_the_dead(self, op_id: int) -> Outcome:
        call = self._world.calls[op_id]
        if call.outcome is not None:
            return call.outcome
        return Outcome(Status.INDEFINITE, detail="its member has died")

    def close(self) -> None:
        """Nothing was started, so nothing needs stopping."""

    def _ready(self) -> Model:
        if self._model is None:
            raise UnsupportedError("reset the candidate before calling operations")
        return self._model

    def _go_on(self) -> None:
        if self._random is None:
            while self._take_step():
                pass
        else:
            for _ in range(self._random.randrange(MOST_STEPS_AT_ONCE)):
                self._take_step()

    def _take_step(self) -> bool:
        """Let one thing happen; False if nothing can.

        Calm, no secondary ever hears what its client has received: whatever can be sent again is. And a
        replicate answers last.
        """
        # In an order of their own: that of the maps inside changes from one process to the next.
        possible = sorted(
            (
                step
                for step in self._ready().internal_steps(self._world, self._view)
                if self._random is not None or step.name[0] not in (ACKNOWLEDGED, REPLIES_EARLY)
            ),
            key=lambda step: repr(step.name),
        )
        if not possible:
            return False
        step = possible[0] if self._random is None else self._random.choice(possible)
        self._world = step.state
        self._told(step.shows)
        return True

    def _told(self, shows: tuple[tuple[Place, Entry], ...]) -> None:
        """Note what listeners were told."""
        for place, entry in shows:
            match place, entry:
                case ("listener", str(member)), (str(region), str(key), EventKind() as kind, token):
                    known = None if token is None else str(token)
                    self._events.append(Event(member=member, region=region, key=key, kind=kind, token=known))


def _refuse_what_no_bucket_has(region: RegionAttributes, topology: Topology) -> None:
    """Raise UnsupportedError for a partitioned region that is not modelled."""
    if region.checks is False or region.scope is not Scope.ACK or region.senders or region.queues:
        raise UnsupportedError("reset: partitioned regions check and wait, and feed no queues so far")
    if len(topology.sites) > 1:
        raise UnsupportedError("reset: partitioned regions are of one site so far")
