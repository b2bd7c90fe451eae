"""Real Apache Geode as a candidate: members in JVMs of their own, driven over py4j.

The methods of `plumbline.adapters.adapter.Adapter` for regions, transactions and clients on the members of
any number of sites, and gateway senders between them. How each answer is got, and why it can be
trusted, is told in docs/geode.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from operator import eq

from plumbline.adapters.errors import AdapterError, UnsupportedError
from plumbline.adapters.geode.answers import HeldAnswers
from plumbline.adapters.geode.client_side import ClientSide
from plumbline.adapters.geode.clients import GeodeClients
from plumbline.adapters.geode.clock import COLLECTIONS, SIZES
from plumbline.adapters.geode.clocks import Clocks
from plumbline.adapters.geode.cluster import Cluster, PartedError
from plumbline.adapters.geode.gateways import Gateways
from plumbline.adapters.geode.jars import find_jars
from plumbline.adapters.geode.joining import BegunJoins
from plumbline.adapters.geode.limits import (
    offered,
    require_call,
    require_feeding,
    require_operation,
    require_region,
    require_topology,
)
from plumbline.adapters.geode.listener import ABSENT, GeodeExample, Holding, Unplaced
from plumbline.adapters.geode.logs import entries
from plumbline.adapters.geode.member import COUNTED, Member
from plumbline.adapters.geode.regions import Regions
from plumbline.adapters.geode.registering import BegunRegistrations
from plumbline.adapters.geode.restarting_side import RestartingSide
from plumbline.adapters.geode.roster import Roster
from plumbline.adapters.geode.settling import Settling
from plumbline.adapters.geode.underway import LEFTOVER_LIMIT_S, Underway
from plumbline.adapters.protocol import (
    Deployed,
    Introduction,
    Observed,
    PlacementResult,
    SettleResult,
)
from plumbline.adapters.waiting import wait_until
from plumbline.reference.history.actions import FAILURES
from plumbline.reference.history.history import OrderStrength
from plumbline.reference.history.listener_calls import QUEUE, QueueCall
from plumbline.reference.history.log_lines import LogLine
from plumbline.reference.history.moments import ANSWER, Gate
from plumbline.reference.history.operations import (
    Content,
    Event,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    QueueSight,
    RegionAttributes,
    RegionPolicy,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.history.resolvers import policy_of
from plumbline.reference.history.views import RegionViews

ANSWER_LIMIT_S = 20.0

START_TRIES = 3
"""So often members are started before a site that comes up in two parts is an error."""
CALM_S = 0.06
DEATH_NOTED_S = 5.0

WRITER = "writer"


class GeodeAdapter(RestartingSide, ClientSide):
    """Apache Geode of one version.

    Args:
        name: what stands behind `geode:`, a version or a directory of jars.
        answer_limit_s: how long a member may take to answer what never takes long.

    Raises:
        UnknownCandidateError: there are no such jars.
        MissingToolError: they could not be fetched.
    """

    def __init__(self, name: str, *, answer_limit_s: float = ANSWER_LIMIT_S) -> None:
        jars = find_jars(name)
        self._version = jars.version
        self._cluster = Cluster(jars, answer_limit_s)
        self._clients = GeodeClients(jars, self._cluster, self._asked)
        self._gateways = Gateways(self._cluster)
        self._settling = Settling(self._gateways)
        self._topology = Topology(())
        self._roster = Roster(self._cluster, self._clients)
        self._regions = Regions(self._cluster)
        self._underway = Underway(self._cluster, self._roster.require_alive)
        self._registrations = BegunRegistrations(
            self._cluster, self._clients.sender_of, self._roster.require_alive
        )
        self._joins = BegunJoins(self._cluster, self._roster.require_alive)
        self._answers = HeldAnswers(self._registrations)
        self._clocks = Clocks(
            self._cluster,
            lambda: (*self._roster.survivors(), *self._clients.connected()),
            self._roster.site,
        )
        self._together: tuple[str, ...] = ()
        self._baseline: dict[str, dict[str, int]] = {}
        self._logged: dict[str, tuple[int, int]] = {}
        self._begin_example(())

    def hello(self) -> Introduction:
        """Introduce Geode; the version is that of the jar's name until a member runs."""
        return Introduction(
            name="Apache Geode",
            version=self._version,
            capabilities=offered(self._version),
            order_strength=OrderStrength.PER_KEY,
            # Without checking a destroyed entry leaves the map at once, and with it the lock under which
            # listeners are called: two threads' events of one key may then be told in either order.
            order_strength_unchecked=OrderStrength.PER_KEY_AND_THREAD,
            conflated_weight_least=1,
            conflated_weight_most=2,
            sends_on=True,
            # All members run on one host; Geode only shifts a clock by what it takes for the time of joining.
            clock_error_ms=100,
        )

    def deploy(self, topology: Topology) -> Deployed:
        """Start the members; their ids ascend in the order in which the topology names them.

        Members that run already are kept if the one list of names begins with the other and none of them
        has died; else all are ended and started anew.
        """
        require_topology(topology)
        if not self._cluster.can_become(topology) or (self._gateways.queues and topology != self._topology):
            self.close()
        self._bring_back()
        order = self._started(topology)
        self._topology = topology
        self._gateways.use(topology)
        self._roster.in_use = topology.members
        self._version = self._cluster.ask(self._roster.member(order[0]), Member.version)
        return Deployed(member_order=order)

    def _started(self, topology: Topology) -> tuple[str, ...]:
        """The order of the members once all run; raises AdapterError.

        Members of old versions that start together on a busy machine may found two systems. They are ended
        and started again, because no document is about that.
        """
        for _ in range(START_TRIES - 1):
            try:
                return self._cluster.start(topology)
            except PartedError:
                self.close()
        return self._cluster.start(topology)

    def reset(self, regions: tuple[RegionAttributes, ...]) -> None:
        """Give up what the last example left open, drop its regions everywhere, and create fresh ones."""
        for attributes in regions:
            require_region(attributes)
            self._gateways.require_queues(attributes)
            named = (*attributes.senders, *attributes.queues)
            require_feeding(attributes, tuple(self._gateways.queues[name] for name in named), self._topology)
        self._roster.require_alive()
        self._registrations.give_up()
        self._joins.give_up()
        self._end_starts()
        self._underway.give_up()
        self._bring_back()
        self._accept_all()
        self._empty_queues()
        members = self._roster.members()
        self._begin_example(regions)
        self._clients.drop_regions(self._cluster.members.values())
        together, holding = self._together, [one for one in members if one.holds(*self._together)]
        if holding:
            self._cluster.ask(holding[0], partial(Member.destroy_together, names=together))
        self._together = self._regions.together()
        self._cluster.ask_all(self._cluster.members.values(), Member.drop_regions)
        self._cluster.ask_all(members, self._regions.create_all)
        for name in self._regions.partitioned():
            first = next(member for member in members if self._regions.parts(name, member.name))
            self._cluster.ask(first, partial(Member.assign_buckets, name=name))
        self._clocks.begin_example()
        self._baseline = self._cluster.ask_all(members, Member.counts)
        self._logged = {member.name: member.jvm.printed_bytes for member in members}
        for name, failed in self._gateways.failures().items():
            self._baseline[name][FAILURES] = failed

    def _accept_all(self) -> None:
        """Have no writer refuse anything: events that are tried again and again are to leave their queues."""
        self._cluster.ask_all(self._roster.survivors(), Member.accept_all)
        self._gateways.accept_all()

    def begin(self, operation: Operation) -> None:
        """Call an operation on its thread, behind what that thread was given before."""
        require_operation(operation, of_client=operation.member in self._clients.in_use)
        attributes = self._regions[operation.region]
        require_call(operation, attributes)
        self._roster.require_alive()
        member = self._roster.member(operation.member)
        if operation.kind is OperationKind.CLEAR:
            self._clearing.add(member.name)
        placed = self._stage.placed.get((operation.region, operation.key), ())
        holders = placed if self._regions.parts(operation.region, operation.member) else ()
        path = f"/{self._regions.internal[operation.region]}"
        self._answers.begun(operation, path, partial(self._underway.has_ended, operation.op_id))
        self._underway.begin(operation, member, attributes.scope, holders)

    def finish(self, op_id: int, timeout_ms: int) -> Outcome | None:
        """The outcome of a begun operation; None if it has not returned within the time."""
        return self._underway.finish(op_id, timeout_ms / 1000)

    def observe(self, since: int) -> Observed:
        """All listeners' events in the order in which they reached this process."""
        self._roster.require_alive()
        self._place_anew(since)
        told = tuple(self._stage.shown[since:])
        return Observed(
            events=tuple(event for event in told if isinstance(event, Event)),
            position=since + len(told),
            calls=tuple(call for call in told if isinstance(call, QueueCall)),
        )

    def _place_anew(self, since: int) -> None:
        """Decide which events count of keys whose holders have died: those at their holders now."""
        for at, one in enumerate(tuple(self._stage.shown[since:]), since):
            if isinstance(one, Unplaced):
                found = self.placement(one.event.region, one.event.key)
                counts = one.event.member in (found.primary, *found.redundant)
                self._stage.shown[at] = one.event if counts else None

    def settle(self, timeout_ms: int) -> SettleResult:
        """Wait until all operations have returned and all their messages have arrived.

        While listeners are parked only a short calm is waited for, and `settled` is False.
        """
        deadline = time.monotonic() + timeout_ms / 1000
        self._cluster.count_out_the_dead()
        if self._underway.all_done(deadline):
            at_rest = (
                self._cluster.rid_of_the_dead(deadline)
                and self._has_primaries(deadline)
                and self._gateways.all_send(deadline - time.monotonic())
                and self._settling.wait(self._stage, deadline)
                and self._tombstones_rest(deadline)
            )
            if at_rest and self._regions.pass_on_unacknowledged():
                # A flush follows what its own thread has sent, not what another member's has sent for it.
                self._stage.wait_quiet(CALM_S, deadline)
            if not self._stage.held():
                but = self._registrations.holders()
                settled = (
                    at_rest
                    and self._registrations.at_rest(deadline)
                    and self._joins.at_rest(deadline)
                    and self._clients.drained(self._cluster.members, deadline, but)
                )
                if settled:
                    self._learn_of_clients()
                return SettleResult(settled=settled)
        if self._stage.held():
            self._stage.wait_quiet(CALM_S, deadline)
        return SettleResult(settled=False, held=self._stage.held())

    def _learn_of_clients(self) -> None:
        """Take what clients hold for known where they may have started anew, or heard of what they lack."""
        anew = self._roster.dead() or self._clients.restarted
        for client in self._clients.connected():
            misses = (
                anew
                or self._clients.lives.is_durable(client.name)
                or self._registrations.is_registering(client.name)
            )
            if client.name in self._clients.in_use and misses:
                self._regions.learn(client)

    def contents(self, member: str, region: str) -> tuple[Content, ...] | None:
        """What the member itself holds; None where it has the region no more."""
        self._regions.require(region)
        before = self._stage.places(member, region)
        calm = member not in self._clients.in_use and not self._underway.busy()
        found = self._cluster.ask(self._roster.survivor(member), partial(Member.contents, name=region))
        if found is None or (calm and member not in self._clients.in_use):  # no event can be on its way
            return found
        holdings = {
            (member, region, content.key): Holding(present=True, token=content.token) for content in found
        }
        for place in before.keys() | holdings.keys():
            since = {place: before.get(place, 1)}
            self._stage.await_told(since, partial(eq, holdings.get(place, ABSENT)))
        return found

    def views(self, member: str, region: str) -> RegionViews:
        """What the member shows by `size`, `keySet`, `values` and `entrySet`."""
        self._regions.require(region)
        return self._cluster.ask(self._roster.survivor(member), partial(Member.views, name=region))

    def queries(self, member: str, region: str) -> RegionViews:
        """What queries on the member find, in the object query language."""
        self._regions.require(region)
        return self._cluster.ask(self._roster.survivor(member), partial(Member.queries, name=region))

    def placement(self, region: str, key: str) -> PlacementResult:
        """The holders of a key of a partitioned region, as the first survivor sees them."""
        if self._regions[region].policy is not RegionPolicy.PARTITION:
            raise AdapterError(f"placement: {region} is no partitioned region")
        self._roster.require_alive()
        placed = partial(Member.placed, name=region, key=key, dead=self._roster.dead())
        asked = [one for one in self._roster.survivors() if self._regions.parts(region, one.name)]
        if not asked:
            raise AdapterError(f"placement: no member that holds {region} lives")
        found = self._cluster.ask(asked[0], placed)
        holders = (*((found.primary,) if found.primary is not None else ()), *found.redundant)
        self._stage.placed[region, key] = holders
        return PlacementResult(primary=found.primary, redundant=found.redundant)

    def move_primary(self, region: str, key: str, member: str) -> None:
        """Have a member become the primary of a key, and come back when all survivors know it."""
        if self.placement(region, key).primary is None or not self._regions.parts(region, member):
            raise AdapterError(f"move_primary: {member} or the primary of {key} does not live, or holds none")
        one = self._roster.survivor(member)
        self._cluster.ask(one, partial(Member.become_primary, name=region, key=key))
        ask = partial(Member.placed, name=region, key=key, dead=self._roster.dead())
        asked = [each for each in self._roster.survivors() if self._regions.parts(region, each.name)]

        def is_known() -> bool:
            return {found.primary for found in self._cluster.ask_all(asked, ask).values()} == {member}

        if not wait_until(is_known, DEATH_NOTED_S):
            raise AdapterError(f"move_primary: {member} is not the primary of {key} for all others")
        for name, other in tuple(self._stage.placed):
            self.placement(name, other)

    def arm(self, gate: Gate) -> None:
        """Park the listener or the writer of `gate.member` when it receives the operation."""
        if gate.callback == WRITER:
            self._cluster.ask(
                self._roster.survivor(gate.member), partial(Member.has_writers, stage=self._stage)
            )
        if gate.callback == ANSWER:
            self._answers.arm(gate)
        self._stage.arm(gate)

    def script(self, member: str, region: str, callback: str, answers: tuple[str, ...]) -> None:
        """Have a cache writer refuse changes of these keys; nothing else is under way."""
        if callback == "resolver":
            self._install(member, region, answers)
            return
        if callback == QUEUE:
            self._roster.survivor(member)
            self._gateways.listener(member, region).answer(answers)
            return
        if callback != WRITER:
            raise UnsupportedError(f"script: no {callback} is driven on Geode yet")
        self._regions.require(region)
        if member in self._roster.in_use:
            self._gateways.refuse(member, region, some=bool(answers))
        refuse = partial(Member.refuse, name=region, stage=self._stage, keys=frozenset(answers))
        self._cluster.ask(self._roster.survivor(member), refuse)

    def _install(self, member: str, region: str, answers: tuple[str, ...]) -> None:
        """Give a member a conflict resolver of this policy, until the next `reset`."""
        self._regions.require(region)
        policy = policy_of(answers[0]) if len(answers) == 1 else None
        if policy is None:
            raise UnsupportedError(f"script: there is no policy {answers!r:.80}")
        internal = self._regions.internal[region]
        install = partial(Member.resolve_by, policy=policy, stage=self._stage, name=region, internal=internal)
        self._cluster.ask(self._roster.survivor(member), install)

    def await_parked(self, gate: Gate, timeout_ms: int) -> bool:
        """Whether it has parked within the time."""
        parked = self._stage.await_parked(gate, timeout_ms / 1000)
        self._roster.require_alive()
        return parked

    def release(self, gate: Gate) -> None:
        """Let the listener return, now or whenever it is told."""
        self._stage.release(gate)

    def statistic(self, member: str, name: str) -> int:
        """How far a counter of the member's cache has moved since the last reset, or what tombstones take."""
        if name == FAILURES:
            return self._gateways.failures()[member] - self._baseline[member][FAILURES]
        if name not in {*COUNTED, *SIZES}:
            raise UnsupportedError(f"the statistic {name} is not read from Apache Geode yet")
        found = self._cluster.ask(self._roster.survivor(member), partial(Member.statistic, name=name))
        return found - self._baseline[member].get(name, 0)

    def server_log(self, member: str) -> tuple[LogLine, ...]:
        """What the member's JVM has printed since the last reset."""
        return entries(self._roster.survivor(member).jvm.printed_since(self._logged[member]))

    def attributes(self, member: str, region: str) -> RegionAttributes:
        """The attributes that the running region tells of itself."""
        self._regions.require(region)
        return self._cluster.ask(self._roster.survivor(member), partial(Member.attributes, name=region))

    def crash(self, member: str) -> None:
        """Kill a member's JVM; another one boots at once, to take its place at the next `reset`."""
        if member in self._clients.in_use:
            raise UnsupportedError("crash: clients are not killed on Geode yet")
        doomed = self._roster.member(member)
        if doomed.name in self._clearing:
            # Now and then a survivor's put still waited after twenty seconds; the cause is unknown.
            raise UnsupportedError(
                "crash: a member that may hold the lock of a clear is not killed on Geode yet"
            )
        self._clients.require_no_copy(member)
        doomed.kill()
        self._gateways.gone(member)
        self._joins.gone(member)
        self._starting.pop(member, None)
        self._cluster.prepare()
        if self._gateways.on_disk():
            # The disks of survivors have to tell that it died before them.
            self._cluster.rid_of_the_dead(time.monotonic() + DEATH_NOTED_S)
        self._stage.dead.add(member)
        self._stage.release_all(member)  # its listeners hold nothing back any more

    def _asked(self, client: str, server: str, data: bytes) -> Callable[[], None] | None:
        """What the answer waits for to what a client asks a server, if for anything."""
        return self._answers.asked(client, server, data)

    def keep_tombstones(self, settings: TombstoneSettings) -> None:
        """Keep tombstones so from the next reset on."""
        self._clocks.keep_tombstones(settings)

    def clock(self, site: int, offset_ms: int, frozen: bool) -> None:
        """Hold the clocks of all sites; batches leave as ever."""
        self._roster.require_alive()
        self._clocks.set(site, offset_ms, frozen=frozen)

    def advance(self, milliseconds: int) -> None:
        """Let so much time pass where it stands; durable clients that are away are waited for no longer."""
        self._clocks.advance(milliseconds)
        self._clients.let_pass(milliseconds, self._cluster.members)

    def create_queue(self, queue: QueueAttributes) -> None:
        """Create and start a gateway sender, and the receivers of the site that it sends to."""
        self._roster.require_alive()
        self._bring_back()  # it runs on every member, and comes before the `reset` that ends the last example
        self._gateways.create(queue)

    def queue_action(self, member: str, queue: str, action: str) -> None:
        """Pause, resume, stop or start a gateway sender on a member, or stop or start its receiver."""
        self._roster.survivor(member)
        self._gateways.act(member, queue, action)

    def look_at_queue(self, member: str, queue: str) -> QueueSight:
        """What the member's copy of a queue holds of this example's regions."""
        paths, asked = self._regions.paths(), self._roster.survivor(member)
        return self._cluster.ask(asked, lambda one: one.gateway.sight(queue, paths))

    def link(self, source: str, target: str, state: str) -> None:
        """Set the link from one site's senders to another's receivers `up`, `down` or `drop_acks`."""
        self._roster.require_alive()
        if source in self._clients.in_use:
            self._roster.survivor(target)
            self._clients.link(source, target, state)
            return
        self._gateways.link(source, target, state)

    def close(self) -> None:
        """Kill the JVMs, and end all threads."""
        self._stage.release_all()
        self._underway.stop()
        self._clients.end()
        self._cluster.end()
        self._clocks.forget()
        self._gateways.close()
        self._underway.join()  # none has a living JVM to wait for any more
        self._roster.in_use = ()
        self._begin_example(())

    def _begin_example(self, regions: tuple[RegionAttributes, ...]) -> None:
        """Nothing of the example before is known from here on."""
        sites = self._topology.sites
        self._stage = GeodeExample({member: site.number for site in sites for member in site.members})
        self._roster.begin_example(self._stage)
        self._regions.begin_example(self._stage, regions)
        self._gateways.begin_example(self._stage, self._regions.internal)
        self._underway.begin_example(self._stage)
        self._registrations.begin_example(self._stage)
        self._joins.begin_example(self._stage)
        self._starting = {}
        self._answers.begin_example(self._stage)
        self._baseline = {}
        self._clearing: set[str] = set()

    def _tombstones_rest(self, deadline: float) -> bool:
        """Whether tombstones have been dealt with as far as time goes, by the deadline."""
        told = self._regions.all_acknowledged() or self._roster.dead()
        since = None if told else {name: self._baseline[name][COLLECTIONS] for name in self._roster.in_use}
        return self._clocks.at_rest(deadline, since)

    def _has_primaries(self, deadline: float) -> bool:
        """Whether survivors know a primary of all that is left of partitioned regions, by the deadline."""
        dead = self._roster.dead()
        if not dead or not self._regions.partitioned():
            return True
        ask = partial(Member.knows_primaries, dead=dead)

        def known() -> bool:
            return all(self._cluster.ask_all(self._roster.survivors(), ask).values())

        return wait_until(known, deadline - time.monotonic(), 0.02)

    def _bring_back(self) -> None:
        """Have members run again that were crashed, with all their queues."""
        for waiting in self._gateways.waiting():  # for a disk that is given up with the last example
            waiting.kill()
            self._gateways.gone(waiting.name)
        for name in self._cluster.dead():
            self._cluster.renew_disk(name)
        if self._cluster.revive():
            self._clients.servers_changed()
            self._gateways.restore()

    def _empty_queues(self) -> None:
        """Undo all faults, and wait until queues hold nothing of the last example."""
        if not self._gateways.queues:
            return
        self._gateways.heal()
        if not self._settling.wait(self._stage, time.monotonic() + LEFTOVER_LIMIT_S):
            raise AdapterError(
                f"queues are not empty {LEFTOVER_LIMIT_S:g} s after all faults were undone:"
                f" {self._gateways.flows()}",
                self._cluster.last_words(),
            )
