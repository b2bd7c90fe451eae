"""The regions of an example: what they are called in Geode, and how members come to have them.

Each example has regions of its own, under names that none before had. Knows nothing of what is done to them.
"""

from __future__ import annotations

from functools import partial

from plumbline.adapters.errors import AdapterError
from plumbline.adapters.geode.cluster import Cluster
from plumbline.adapters.geode.jvm import JavaError
from plumbline.adapters.geode.listener import GeodeExample, RegionListener
from plumbline.adapters.geode.member import Member
from plumbline.reference.history.operations import RegionAttributes, RegionPolicy, Scope


class Regions:
    """The regions that members have, and what Geode calls them.

    Attributes:
        named: attributes of each region, by the name that the suite gives it.
        internal: what each is called in Geode.
    """

    def __init__(self, cluster: Cluster) -> None:
        self.named: dict[str, RegionAttributes] = {}
        self.internal: dict[str, str] = {}
        self._cluster = cluster
        self._stage = GeodeExample({})
        self._example = 0

    def begin_example(self, stage: GeodeExample, regions: tuple[RegionAttributes, ...]) -> None:
        """These regions are meant from here on; no member has them so far. Listeners are on this stage."""
        self._example += 1
        self._stage = stage
        self.named = {attributes.name: attributes for attributes in regions}
        self.internal = {
            attributes.name: f"example{self._example}_{number}" for number, attributes in enumerate(regions)
        }

    def __getitem__(self, name: str) -> RegionAttributes:
        self.require(name)
        return self.named[name]

    def require(self, name: str) -> None:
        """Raises AdapterError if no region has this name."""
        if name not in self.named:
            raise AdapterError(f"no region is named {name}; there are: {', '.join(self.named) or 'none'}")

    def paths(self) -> frozenset[str]:
        """Their full paths in Geode."""
        return frozenset(f"/{internal}" for internal in self.internal.values())

    def create_all(self, member: Member) -> None:
        """On the member's own thread: create all of them."""
        for attributes in self.named.values():
            self.create(attributes, member)

    def create(self, attributes: RegionAttributes, member: Member, *, persistent: bool = False) -> None:
        """On the member's own thread: create one of them, which may have other attributes than were meant."""
        listener = RegionListener(self._stage, member.name, attributes.name)
        disk = self._cluster.disk(member.name) if persistent else None
        member.create_region(
            attributes, self.internal[attributes.name], listener, disk, self._beside(attributes)
        )

    def _beside(self, attributes: RegionAttributes) -> str | None:
        """What Geode calls the first region that shares a parallel queue with another: they lie together."""
        fed = {*attributes.senders, *attributes.queues}
        if attributes.policy is not RegionPolicy.PARTITION or not fed:
            return None
        sharing = [one.name for one in self.named.values() if fed & {*one.senders, *one.queues}]
        return None if sharing[0] == attributes.name else self.internal[sharing[0]]

    def together(self) -> tuple[str, ...]:
        """The regions that lie beside others, and then those: no member can give up one alone."""
        beside = {name: self._beside(attributes) for name, attributes in self.named.items()}
        led = {name for name, internal in self.internal.items() if internal in beside.values()}
        return tuple(sorted((name for name in beside if beside[name] or name in led), key=led.__contains__))

    def refusal(self, attributes: RegionAttributes, member: Member, *, persistent: bool) -> str | None:
        """On the member's own thread: create one; in whose words Geode refuses it, if it does."""
        try:
            self.create(attributes, member, persistent=persistent)
        except JavaError as error:
            thrown = error.java_exception
            if thrown.getClass().getName() != "java.lang.IllegalStateException":
                raise
            words: str = thrown.toString()
            return words
        return None

    def learn(self, holder: Member) -> None:
        """Take what a member or client holds now for known, without its events; nothing is under way."""
        for name in self.named:
            found = self._cluster.ask(holder, partial(Member.contents, name=name))
            self._stage.learn(holder.name, name, found or ())

    def all_acknowledged(self) -> bool:
        """Whether calls on each of them wait for acknowledgements."""
        return all(attributes.scope is Scope.ACK for attributes in self.named.values())

    def pass_on_unacknowledged(self) -> bool:
        """Whether a member may carry out what another hands to it, and send it on unacknowledged."""
        regions = self.named.values()
        return any(attributes.scope is Scope.NO_ACK and attributes.policies for attributes in regions)

    def parts(self, name: str, member: str) -> bool:
        """Whether a member is one of those that a region is partitioned over."""
        return self.named[name].policy_of(member) is RegionPolicy.PARTITION

    def partitioned(self) -> list[str]:
        """Names of those that are partitioned."""
        parted = RegionPolicy.PARTITION
        return [name for name, attributes in self.named.items() if attributes.policy is parted]
