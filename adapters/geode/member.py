"""One member of a Geode cluster: a cache in a JVM of its own, its regions, and what can be read of them.

Every method but `kill` and `close` talks to the JVM and may hang with it: the adapter calls them with a
limit, on the member's own thread. Knows nothing of examples and of other members.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cmp_to_key
from pathlib import Path
from typing import Any

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode import buckets
from plumbline.adapters.geode.class_file import held_by, let_go
from plumbline.adapters.geode.clock import SIZES, Clock, look_when_told
from plumbline.adapters.geode.disks import disk_store
from plumbline.adapters.geode.eviction import EVICTING, evict, limit
from plumbline.adapters.geode.expiration import expire
from plumbline.adapters.geode.gateway import Gateway
from plumbline.adapters.geode.handles import Handles, fields, records
from plumbline.adapters.geode.jars import Jars
from plumbline.adapters.geode.jvm import BridgeError, GoneError, JavaError, Jvm, JvmClient, plain
from plumbline.adapters.geode.listener import GeodeExample, RegionListener
from plumbline.adapters.geode.queries import found_by_queries
from plumbline.adapters.geode.repairing import repairing
from plumbline.adapters.geode.resolver import Resolver
from plumbline.adapters.geode.telling import Telling
from plumbline.adapters.geode.transacting import CommitWriter
from plumbline.adapters.geode.worker import Worker
from plumbline.adapters.geode.writer import RegionWriter
from plumbline.reference.history.log_lines import REFUSAL
from plumbline.reference.history.operations import (
    Content,
    Operation,
    Outcome,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Status,
)
from plumbline.reference.history.resolvers import ResolverPolicy
from plumbline.reference.history.views import RegionViews

# A hidden region, acknowledged: a put into it comes back when all that its thread sent before has arrived.
FLUSH_REGION = "plumbline_flush"

# How long a secondary server keeps an event whose removal it is not told. As shipped that is 180 seconds,
# which would be milliseconds here (see the flags of the JVM), and clients would lose them.
MESSAGES_LIVE_MS = 3_600_000

# Statistics that Geode gives another name than document 004 does (L101).
_NAMED_OTHERWISE = {"tombstoneCount": "tombstones", "tombstoneGCCount": "tombstoneGCs"}

COUNTED = ("conflatedEvents", "tombstoneCount", "tombstoneGCCount")
"""Statistics of a cache that go on from one example to the next."""

POLICIES = {
    policy.name: policy
    for policy in (
        RegionPolicy.REPLICATE,
        RegionPolicy.NORMAL,
        RegionPolicy.PRELOADED,
        RegionPolicy.EMPTY,
        RegionPolicy.PARTITION,
    )
}
"""What Geode calls what a member keeps of a region."""

_SCOPES = {Scope.ACK: "DISTRIBUTED_ACK", Scope.NO_ACK: "DISTRIBUTED_NO_ACK"}


class Member:
    """One member. Its JVM is starting when the constructor returns; `join` makes it one of the cluster.

    Attributes:
        name: by which the others know it from `join` on.
        counted_out: whether survivors were told that it has died.
        port: of its cache server; None if it runs none.
    """

    def __init__(self, name: str, jars: Jars, directory: Path, options: Collection[str] = ()) -> None:
        self.name = name
        self.counted_out = False
        self.jvm = Jvm(jars, directory, options)
        self.control = Worker(f"geode-{name}")
        self._crashed = False
        self._cache: Any = None
        self._gateway: Gateway | None = None
        self._clock: Clock | None = None
        self._statistics: Any = None
        self._bindings: Any = None
        self._lasting: Any = None
        self._regions: dict[str, Any] = {}
        self._writers: dict[str, RegionWriter] = {}
        self._resolver: Resolver | None = None
        self._lesser: dict[str, bool] = {}
        self._partitioned: set[str] = set()
        self._evicting: set[str] = set()
        self._flush: Any = None
        self._holds_commits = False
        self._telling: Telling | None = None
        self._handles: Handles | None = None
        self._held: Any = None
        self._constants: dict[tuple[str, str], Any] = {}
        self._counted: Any = None
        self.port: int | None = None

    @property
    def gateway(self) -> Gateway:
        """Its gateway senders and its receiver."""
        if self._gateway is None:
            raise GoneError("not joined")
        return self._gateway

    @property
    def clock(self) -> Clock:
        """The clock of its cache, and its tombstones."""
        if self._clock is None:
            raise GoneError("it has no cache yet")
        return self._clock

    def join(self, properties: Mapping[str, str], limit_s: float) -> None:
        """Wait for the JVM, then create the cache, and with it join the cluster."""
        self.jvm.connect(limit_s)
        look_when_told(self.jvm.gateway.jvm)
        self._put_together()
        self._cache = self._create_cache(properties)
        self._gateway = Gateway(self.jvm.gateway.jvm, self._put_together(), self._cache, self._keep)
        self._measure()
        factory = self._factory(Scope.ACK)
        factory.setConcurrencyChecksEnabled(False)
        self._flush = factory.create(FLUSH_REGION)
        self._keep_for_good()

    def warm_up(self, properties: Mapping[str, str], limit_s: float) -> None:
        """Wait for the JVM, then create a cache and close it: the next one is created much sooner."""
        self.jvm.connect(limit_s)
        self._put_together()
        self._create_cache(properties).close()

    def version(self) -> str:
        """The product's version, as the running product tells it."""
        text: str = self.jvm.gateway.jvm.org.apache.geode.internal.GemFireVersion.getGemFireVersion()
        return text

    def neighbours(self) -> tuple[str, ...]:
        """Names of all members in this member's view, itself included, from the lowest to the highest id."""
        system = self._system()
        ids: list[Any] = [system.getDistributedMember(), *system.getAllOtherMembers().toArray()]
        ids.sort(key=cmp_to_key(_compare))
        return tuple(member.getName() for member in ids)

    def still_hears(self, dead: Iterable[Member]) -> bool:
        """Whether this member still counts one of the dead as its neighbour, or still reads what it sent."""
        if {member.name for member in dead} & set(self.neighbours()):
            return True
        threads = self.jvm.gateway.jvm.java.lang.Thread.getAllStackTraces().keySet().toString()
        # Another thread is named after the dead, but it only sleeps for 3 s and then forgets their addresses.
        return any(
            re.search(rf"reader for [^(]*\({re.escape(member.name)}:{member.jvm.pid}\b", threads)
            for member in dead
        )

    def repairs(self) -> bool:
        """Whether it has yet to make good what a member that has died has left undone."""
        return repairing(self.jvm.gateway.jvm, self._cache)

    def count_out(self, names: Collection[str]) -> None:
        """Have those of the members named that it still counts as neighbours, and that have died, removed.

        It is what Geode does itself, with all that follows, after a second without an answer.
        """
        manager = self._system().getDistributionManager()
        for neighbour in self._system().getAllOtherMembers().toArray():
            if neighbour.getName() in names:
                try:
                    membership = manager.getDistribution()
                except BridgeError:  # so called from 1.10 on
                    membership = manager.getMembershipManager()
                membership.requestMemberRemoval(neighbour, "it was killed")

    def create_region(
        self,
        attributes: RegionAttributes,
        internal: str,
        listener: RegionListener,
        disk: Path | None = None,
        beside: str | None = None,
    ) -> None:
        """Create a region under an internal name, attached to its senders here, and give it its listener.

        It is kept on the disk that is given, and its buckets lie beside those of another.
        """
        policy = attributes.policy_of(self.name)
        factory = self._factory(attributes.scope, policy)
        if policy is RegionPolicy.PARTITION:
            buckets.set_up(factory, self._java(), attributes.redundancy, beside)
            self._partitioned.add(attributes.name)
        if disk is not None:
            java = self.jvm.gateway.jvm
            factory.setDataPolicy(java.org.apache.geode.cache.DataPolicy.PERSISTENT_REPLICATE)
            factory.setDiskStoreName(disk_store(java, self._cache, disk))
        factory.setStatisticsEnabled(True)  # else no entry can be given a time to live
        self._evicting.discard(attributes.name)
        if policy in EVICTING:
            limit(factory, self.jvm.gateway.jvm)
            self._evicting.add(attributes.name)
        for sender in attributes.senders:
            if self.gateway.names_sender(sender):
                factory.addGatewaySenderId(sender)
        for queue in attributes.queues:
            if self.gateway.names_sender(queue):
                factory.addAsyncEventQueueId(queue)
        if attributes.checks is not None:
            factory.setConcurrencyChecksEnabled(attributes.checks)
        self._regions[attributes.name] = self._created(factory, internal, listener)
        self._lesser[attributes.name] = policy is not RegionPolicy.REPLICATE

    def assign_buckets(self, name: str) -> None:
        """Spread a partitioned region over the members, which all have it."""
        buckets.assign(self._regions[name], self._java())

    def placed(self, name: str, key: str, dead: Collection[str]) -> buckets.Placed:
        """The living holders of a key of a partitioned region, as this member sees them."""
        return buckets.placed(self._regions[name], self._java(), key, dead)

    def become_primary(self, name: str, key: str) -> None:
        """Become the primary of a key of a partitioned region."""
        buckets.take_over(self._regions[name], self.jvm.gateway.jvm, key)

    def knows_primaries(self, dead: Collection[str]) -> bool:
        """Whether it knows a living primary of all that lives of its partitioned regions."""
        return all(buckets.has_primaries(self._regions[name], dead) for name in self._partitioned)

    def keeps_less(self, name: str) -> bool:
        """Whether it keeps less of a region than a replicate."""
        return self._lesser.get(name, False)

    def writer(self, name: str, stage: GeodeExample) -> RegionWriter:
        """The cache writer of a region, which gets one if it has none yet."""
        if name not in self._writers:
            java = self.jvm.gateway.jvm.org.apache.geode.cache

            def refusal() -> Exception:
                refused: Exception = JavaError(REFUSAL, java.CacheWriterException(REFUSAL))
                return refused

            self._writers[name] = RegionWriter(stage, self.name, refusal)
            self._regions[name].getAttributesMutator().setCacheWriter(self._writers[name])
        return self._writers[name]

    def refuse(self, name: str, stage: GeodeExample, keys: frozenset[str]) -> None:
        """Have the cache writer of a region refuse changes of these keys, and of no others."""
        self.writer(name, stage).refuses = keys

    def accept_all(self) -> None:
        """Have no cache writer refuse anything any more."""
        for writer in self._writers.values():
            writer.refuses = frozenset()

    def resolve_by(self, policy: ResolverPolicy, stage: GeodeExample, name: str, internal: str) -> None:
        """Have a conflict resolver of this policy, in all regions of the example that it is given."""
        if self._resolver is None:
            self._resolver = Resolver(stage, self.name, policy)
            self._cache.setGatewayConflictResolver(self._resolver)
        self._resolver.regions[internal] = name

    def has_writers(self, stage: GeodeExample) -> None:
        """Have all regions of the example ask a cache writer."""
        for name in self._regions:
            self.writer(name, stage)
        self.hold_commits(stage)

    def hold_commits(self, stage: GeodeExample) -> None:
        """Have transactions of the example ask a writer before they are committed."""
        if not self._holds_commits:
            self.transactions().setWriter(CommitWriter(stage, self.name))
            self._holds_commits = True

    def expire(self, operation: Operation) -> Outcome:
        """Let the time of an entry end here, and wait for what its region does."""
        return expire(self._regions[operation.region], self.jvm.gateway.jvm, operation)

    def evict(self, operation: Operation, client: JvmClient) -> Outcome:
        """Have a region make room for one entry, and tell which it has taken; replicates refuse it."""
        if operation.region not in self._evicting:
            return Outcome(Status.REFUSED, detail="Geode evicts by a local destroy from no such region")
        region = self.region(operation.region, client)
        return evict(region, self.jvm.gateway.jvm, client)

    def hold_copy(self, internal: str, runs: object) -> Any:
        """Have something run as a copy of this region comes here; gives what ends that."""
        return held_by(self.jvm.gateway, self.jvm.directory / "classes", internal, runs)

    def let_copies_go(self, place: Any) -> None:
        """Have copies come without being held, from here on."""
        let_go(self.jvm.gateway, place)

    def drop_region(self, name: str) -> None:
        """Give up this member's copy of a region; the others keep theirs."""
        _drop(self._regions.pop(name))
        self._partitioned.discard(name)

    def holds(self, *names: str) -> bool:
        """Whether it has all of these regions by buckets, of which there are some."""
        return bool(names) and self._partitioned.issuperset(names)

    def destroy_together(self, names: tuple[str, ...]) -> None:
        """Destroy regions that lie together on all members: Geode destroys none of them on one alone."""
        for region in (self._regions[name] for name in names if not self._regions[name].isDestroyed()):
            region.destroyRegion()

    def drop_regions(self) -> None:
        """Forget the example's regions, on this member only, and every Java object that it left behind."""
        for region in self._regions.values():
            _drop(region)
        self._regions.clear()
        if self._telling is not None:
            self._telling.forget(but=FLUSH_REGION)
        self._partitioned.clear()
        self._writers.clear()
        if self._resolver is not None:
            self._cache.setGatewayConflictResolver(None)
            self._resolver = None
        if self._holds_commits:
            self.transactions().setWriter(None)
            self._holds_commits = False
        # Nothing tells py4j's server that Python has done with an event; without this, every event ever shown
        # would stay in the JVM, and with it its region.
        self._bindings.keySet().retainAll(self._lasting)

    def region(self, name: str, client: JvmClient) -> Any:
        """A region as one more thread sees it, over its own connection."""
        return plain(self._regions[name], client)

    def transactions(self, client: JvmClient | None = None) -> Any:
        """The transaction manager, as one more thread sees it, or the member's own."""
        return plain(self._cache.getCacheTransactionManager(), client)

    def flush_region(self, client: JvmClient | None = None) -> Any:
        """The hidden region, as one more thread sees it, or the member's own."""
        return plain(self._flush, client)

    def serve(self, port: int = 0) -> int:
        """Run a cache server for clients at this port, or at any, from the first time on; tells its port."""
        if self.port is None:
            server = self._cache.addCacheServer()
            server.setPort(port)
            server.setBindAddress("127.0.0.1")
            server.setHostnameForClients("127.0.0.1")
            server.setMessageTimeToLive(MESSAGES_LIVE_MS)
            server.start()
            self.port = int(server.getPort())
        return self.port

    def contents(self, name: str) -> tuple[Content, ...] | None:
        """What this member holds of a region, and it alone: each key as it is when it is read.

        None where the region was destroyed.
        """
        region = self._regions[name]
        if region.isDestroyed():
            return None
        copies = buckets.copies(region) if name in self._partitioned else [region]
        texts = (self._put_together().ask(self._held, copy) for copy in copies)
        found = [Content(key or "", token) for text in texts for key, token in records(text)]
        return tuple(sorted(found, key=_by_key))

    def views(self, name: str) -> RegionViews:
        """What this member shows of a region by `size`, `keySet`, `values` and `entrySet`."""
        region = self._regions[name]
        entries = tuple(Content(entry.getKey(), entry.getValue()) for entry in region.entrySet(False))  # noqa: FBT003
        return RegionViews(
            size=region.size(), keys=tuple(region.keySet()), values=tuple(region.values()), entries=entries
        )

    def queries(self, name: str) -> RegionViews:
        """What queries for all of a region find."""
        return found_by_queries(self._cache.getQueryService(), self._regions[name].getFullPath())

    def counts(self) -> dict[str, int]:
        """What its cache counts that is counted since the beginning of an example."""
        found = fields(self._put_together().ask(self._counted, self._statistics))
        return {name: int(number or "") for name, number in zip(COUNTED, found, strict=True)}

    def statistic(self, name: str) -> int:
        """A statistic of its cache as it stands; those of sizes as they will be when they follow."""
        if name in SIZES:
            return self.clock.size(name)
        return int(self._statistics.get(_NAMED_OTHERWISE.get(name, name)))

    def attributes(self, name: str) -> RegionAttributes:
        """How a region is configured on this member; raises AdapterError where that has no name here."""
        found = self._regions[name].getAttributes()
        policy, scope = found.getDataPolicy().toString(), found.getScope().toString()
        scopes = {"DISTRIBUTED_ACK": Scope.ACK, "DISTRIBUTED_NO_ACK": Scope.NO_ACK}
        if policy not in POLICIES or scope not in scopes:
            raise AdapterError(f"{self.name} shows the region {name} as {policy}, {scope}")
        return RegionAttributes(
            name=name,
            policy=POLICIES[policy],
            scope=scopes[scope],
            checks=found.getConcurrencyChecksEnabled(),
            senders=tuple(sorted(found.getGatewaySenderIds().toArray())),
            redundancy=found.getPartitionAttributes().getRedundantCopies()
            if name in self._partitioned
            else 0,
        )

    def kill(self) -> None:
        """End the JVM at once: for its neighbours, a crash."""
        self._crashed = True
        self.jvm.kill()

    def crashed(self) -> bool:
        """Whether it was killed on purpose."""
        return self._crashed

    def close(self) -> None:
        """End the JVM and the threads. May be called twice."""
        self.jvm.close()
        self.control.stop()

    def _put_together(self) -> Handles:
        """Have the JVM answer at once what belongs together, from now on."""
        if self._handles is None:
            java = self.jvm.gateway.jvm
            self._handles = handles = Handles(java)
            self._telling = Telling(java, handles)
            region, entry = (
                handles.named(f"org.apache.geode.cache.{name}") for name in ("Region", "Region$Entry")
            )
            held = handles.row(handles.method(entry, "getKey"), handles.method(entry, "getValue"))
            entries = handles.bind(handles.method(region, "entrySet", handles.boolean), 1, False)  # noqa: FBT003
            gone = handles.unless(held, "org.apache.geode.cache.EntryDestroyedException", "")
            self._held = handles.each(gone, entries)
            statistics = handles.named("org.apache.geode.Statistics")
            number = handles.method(statistics, "get", handles.text)
            named = (handles.bind(number, 1, _NAMED_OTHERWISE.get(name, name)) for name in COUNTED)
            self._counted = handles.row(*named)
        return self._handles

    def _created(self, factory: Any, internal: str, listener: RegionListener) -> Any:
        """Create a region, told of by this listener; it goes by its internal name in Geode."""
        assert self._telling is not None  # noqa: S101 - it has a cache
        self._telling.listeners[internal] = listener
        factory.addCacheListener(self._telling.listener)
        return plain(factory.create(internal))

    def _measure(self) -> None:
        """Find the statistics and the clock of the cache, which has just been created."""
        self._statistics = self._system().findStatisticsByTextId("cachePerfStats")[0]
        self._clock = Clock(self.jvm.gateway.jvm, self._cache)

    def _system(self) -> Any:
        return self._cache.getDistributedSystem()

    def _create_cache(self, properties: Mapping[str, str]) -> Any:
        java = self.jvm.gateway.jvm
        settings = java.java.util.Properties()
        for key, value in properties.items():
            settings.setProperty(key, value)
        return java.org.apache.geode.cache.CacheFactory(settings).create()

    def _factory(self, scope: Scope, policy: RegionPolicy = RegionPolicy.REPLICATE) -> Any:
        factory = self._cache.createRegionFactory()
        factory.setDataPolicy(self._constant("DataPolicy", policy.name))
        if policy is not RegionPolicy.PARTITION:  # which has none of its own
            factory.setScope(self._constant("Scope", _SCOPES[scope]))
        return factory

    def _constant(self, kind: str, name: str) -> Any:
        """A constant of a class that users of Geode know; looking it up takes several calls."""
        if (kind, name) not in self._constants:
            self._constants[kind, name] = self._keep(getattr(getattr(self._java(), kind), name))
        return self._constants[kind, name]

    def _java(self) -> Any:
        """The package that users of Geode know."""
        return self.jvm.gateway.jvm.org.apache.geode.cache

    def _keep(self, thing: Any) -> Any:
        """Have a Java object outlive examples; gives it back."""
        if self._lasting is not None:  # else all that is there will last
            self._lasting.add(thing._target_id)  # noqa: SLF001 - it has no public name
        return thing

    def _keep_for_good(self) -> None:
        """Note which Java objects outlive examples."""
        gateway = self.jvm.gateway.java_gateway_server.getGateway()
        field = gateway.getClass().getDeclaredField("bindings")
        field.setAccessible(True)
        self._bindings = field.get(gateway)
        self._lasting = self.jvm.gateway.jvm.java.util.HashSet()
        self._lasting.addAll(self._bindings.keySet())


def _drop(region: Any) -> None:
    """Give up a region on this member alone, where no operation has destroyed it."""
    if not region.isDestroyed():
        region.localDestroyRegion()


def _by_key(content: Content) -> str:
    return content.key


def _compare(one: Any, other: Any) -> int:
    """How Geode itself compares two members' ids."""
    return int(one.compareTo(other))
