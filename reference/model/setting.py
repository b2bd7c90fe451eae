"""What the parts of the model share in one example: rulebook, topology, regions, the operations called.

Knows no state and no log.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

import msgspec

from plumbline.reference.history.bulk import BULK, Share
from plumbline.reference.history.operations import (
    READS,
    Client,
    Interest,
    Operation,
    OperationKind,
    Outcome,
    QueueAttributes,
    RegionAttributes,
    RegionPolicy,
    Scope,
    Status,
    TombstoneSettings,
    Topology,
    transactions_of,
    travels_on,
)
from plumbline.reference.history.resolvers import ResolverPolicy, policy_of
from plumbline.reference.model import claims
from plumbline.reference.model.ambiguous_keys import AmbiguousKeys
from plumbline.reference.model.claims import (
    CLIENTS_AS_DOCUMENTED,
    IN_SEQUENCE,
    LOOKED_AT_IN_ORDER,
    STAMPS_GROW,
    TIME_PASSES,
    TOLD_LATE,
    UNANSWERED_STAYS,
)
from plumbline.reference.model.sites.lanes import (
    DispatcherPartition,
    group_of_bucket,
    is_parted,
    lane_of_bucket,
    lanes_by_sender,
    sender_of,
)
from plumbline.reference.model.sites.site_state import Queued
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.decisions import DURABLE
from plumbline.reference.rulebook.values import each

_BULK_OF = {single: bulk for bulk, single in BULK.items()}

_WHOLE = (RegionPolicy.REPLICATE, RegionPolicy.PARTITION)
"""Where who holds a key holds all there is of it."""


class Propagation(StrEnum):
    """What becomes, at a site, of an event that has come from another one."""

    STAYS = "stays"
    """It goes no further: sites that are to have it are sent it by the site that wrote it."""
    AS_OF_SENDER = "as of the sender"
    """It goes on, with the id of the site that sends it on (004, L119 s1)."""
    AS_OF_WRITER = "as of the writer"
    """It goes on, with the id of the site that wrote it: no document has that; for comparison."""


class Setting:
    """The unchanging side of an example.

    Attributes:
        book: the decisions.
        members: all members, in the order of the topology.
        order: members from the lowest to the highest id, None if it is not known.
        operations: op id → operation, for every operation called so far or ever; one that a client calls is
            here as its server's.
        transactions: op id → the op id of the begin of its transaction, for operations of transactions.
        originators: op id → the client that called it, for operations of clients.
        shares: op id → which entry of an operation on many keys it is, for such entries.
        apart: op ids of entries of which their own member's log does not tell when they were applied there.
        clients: the clients by name.
        displacing: the clients in whose queues updates may make way for later ones.
        registered: what clients have registered for before anything else happens.
        plain: whether clients are registered for all values all the time, and only write: then their steps
            may be claimed to be safe.
        identified: whether destroys and invalidates are announced with their token.
        stamps_grow: whether all decisions are as they are on which "a loser stays one" rests.
        in_sequence: whether all decisions are as they are on which "what waits in a queue comes in its order"
            rests.
        tells_late: whether all decisions are as they are on which "a removal may be told of later" rests.
        clients_as_documented: whether all decisions are as they are on which "what a server changes goes to
            its clients once, in that order" rests.
        durable_as_documented: whether all decisions about durable clients are as they are.
        as_documented: whether all decisions are answered as the documents of some dialect say.
        resends: whether all decisions are as they are on which "a message without effect is as if not sent"
            rests.
        ambiguous: the keys whose versions may differ between runs that show the same, and when.
        redeliverable: op ids whose message may be delivered once more; None for all.
        sites: site number → its members.
        led_to: queue → the members of the site where it leads; none for what leads to no site.
        site_of: member → its site's number.
        others: member → the other members of its site.
        queues: id → queue, of those that are serial, and of lanes of parallel senders (see `lanes_at`).
        parallel: the same of parallel asynchronous ones, which are parted as the buckets of regions are.
        conflating: the ids of queues that conflate.
        conflates: whether there is any.
        filtering: the queues that have an event filter.
        grouping: the gateway senders that are to group transactions.
        marks: whether listeners of queues show which events are marked as possible duplicates.
        repeats_calls: whether something happens after which any call may come to a member once more.
        parted: the ids of parallel gateway senders.
        distributed: whether there is more than one site.
        clock: whether timestamps are in the order of op ids; else they are hidden.
        shared: (region, key) pairs that several sites write; None for all.
        changes_queues: what every change of an entry clashes with, as it may enter a queue.
        overtaken: op ids of calls of which it is not known how they ended, and whose thread goes on calling.
        timed: (region, key) pairs that one site writes, and whose timestamps may matter all the same.
        show: the claim of a change that the log says comes next on its member.
        readings: op id → what the clocks showed, where the harness held them (see `times`).
        tombstones: how long members keep tombstones, where that was asked for; None: longer than it takes.
        clears: regions that are cleared under a lock (see `clearing`).
        primaries: queue → the member that was seen to be its primary in the beginning.
        lesser: (member, region) → its policy, for members that keep less than a replicate.
        partitioned: the names of the partitioned regions.
        resolver: what the conflict resolver on every member answers; None where there is none.
        onward: whether events travel on, by way of a site that did not write them; no document says so, nor
            that they do not (see `send_on`).
        refuses_received: whether a cache writer may refuse what comes from another site.
        logs_read: whether what members log is read.
        registers_meanwhile: whether registrations are under way beside all else.
        joiners: (member, region) of copies that are taken beside all else.
        beside_copies: between which positions of the clock such a copy is taken, or is to be: behind the
            one, at which all is at rest, and up to the other, at which the copy has ended.
        lanes: sender → the names of its lanes, see `lanes`.
        overtakes: whether events of one key may overtake each other on their way to another site.
        ticks: op id → how often all clocks had surely moved on by its call, and by its return (see `spans`).
        batches_wait: whether batches wait where time stands; where they do not, they leave as if it ran.
        retries_wait: whether senders that have found no receiver wait there, too.
        wanders: whether a sender may hand each batch to another receiver (see `sites.wandering`).
        on_disk: the queues that may come back from disks, where members with queues are started again.
        unsure: op ids of calls that did not end well, so that their events may not be on a disk.
        enters_late: whether the event of an operation may enter a queue, by its id, after others (see
            `sites.late_entries`); None where no choice is left.
        entry_order: queue → op id → the operations whose events surely enter the queue before its own.
        has_heirs: whether a secondary may become primary, so that the order of its records may show.
        beside_late: between which positions of the clock such an event may be late.
    """

    refuses_received = False
    logs_read = False
    wanders = False
    registers_meanwhile = False
    joiners: frozenset[tuple[str, str]] = frozenset()
    beside_copies: tuple[tuple[int, int], ...] = ((-1, 1 << 60),)
    enters_late: Callable[[str, Operation], bool] | None = None
    entry_order: Mapping[str, Mapping[int, frozenset[int]]] = {}
    beside_late: tuple[tuple[int, int], ...] = ()
    has_heirs = True

    def __init__(
        self,
        book: Rulebook,
        topology: Topology,
        regions: tuple[RegionAttributes, ...],
        order: tuple[str, ...] | None,
        *,
        identified: bool = True,
        redeliverable: frozenset[int] | None = None,
        queues: tuple[QueueAttributes, ...] = (),
        clock: bool = False,
        tombstones: TombstoneSettings | None = None,
    ) -> None:
        self.book = book
        self.members = topology.members
        self.sites = {site.number: site.members for site in topology.sites}
        self.site_of = {member: site.number for site in topology.sites for member in site.members}
        self.others = {m: tuple(o for o in self.sites[self.site_of[m]] if o != m) for m in self.members}
        self._lead_by(queues)
        self.changes_queues = LOOKED_AT_IN_ORDER | TIME_PASSES if queues else frozenset()
        self.show = claims.SHOW_AND_QUEUE if queues else claims.SHOW
        self.distributed = len(topology.sites) > 1
        self.clock = clock
        self.shared: frozenset[tuple[str, str]] | None = None
        self.overtaken: frozenset[int] = frozenset()
        self.timed: frozenset[tuple[str, str]] = frozenset()
        self.readings: dict[int, tuple[int, int]] = {}
        self.primaries: dict[str, str] = {}
        self.tombstones = tombstones
        self.clears: frozenset[str] = frozenset()
        self.order, self.identified = order, identified
        self.redeliverable = redeliverable
        self.ambiguous = AmbiguousKeys()
        self.operations: dict[int, Operation] = {}
        self.transactions: dict[int, int] = {}
        self.originators: dict[int, str] = {}
        self.shares: dict[int, Share] = {}
        self.apart: frozenset[int] = frozenset()
        self.clients, self.durable = dict[str, Client](), frozenset[str]()
        self.displacing = frozenset[str]()
        self.registered: tuple[Interest, ...] = ()
        self.plain = True
        self.resolver: ResolverPolicy | None = None
        self.onward = Propagation.STAYS
        self.batches_wait = self.retries_wait = True
        self.marks = self.repeats_calls = False
        self.on_disk, self.unsure = frozenset[str](), frozenset[int]()
        self.ticks: Mapping[int, tuple[int, int]] = {}
        self._numbers, self._carried = dict[int, int](), dict[Queued, Operation]()
        self._regions = {region.name: region for region in regions}
        self.lesser = {
            (member, region.name): policy
            for region in regions
            for member in self.members
            if (policy := region.policy_of(member)) not in _WHOLE
        }
        self.partitioned = frozenset(r.name for r in regions if r.policy is RegionPolicy.PARTITION)
        self._whole = {
            (host.member, region.name)
            for region in regions
            for host in region.policies
            if host.policy is RegionPolicy.REPLICATE
        }
        self._checks: dict[str, tuple[Any, ...]] = {
            region.name: tuple(
                dict.fromkeys(
                    checks
                    for named in each(
                        book.setting_obeyed(
                            region.checks, tuple(r.checks for r in regions if r is not region)
                        )
                    )
                    for checks in each(book.checks_in_force(named))
                )
            )
            for region in regions
        }
        self.clients_as_documented = not self.lesser and CLIENTS_AS_DOCUMENTED.isdisjoint(book.replaced())
        self.durable_as_documented = DURABLE.keys().isdisjoint(book.replaced())
        self.stamps_grow = STAMPS_GROW.isdisjoint(book.replaced())
        self.in_sequence = IN_SEQUENCE.isdisjoint(book.replaced())
        self.tells_late = TOLD_LATE.isdisjoint(book.replaced())
        self.resends = UNANSWERED_STAYS.isdisjoint(book.replaced())
        self.as_documented = not book.replaced()
        self.watches_writers = "waits_for_other_writers" in book.replaced()
        self.watches_delivery = "applies_while_another_is_under_way" in book.replaced()

    def _lead_by(self, queues: tuple[QueueAttributes, ...]) -> None:
        conflating = any(queue.conflate for queue in queues)
        self.conflating = frozenset(
            queue.id for queue in queues if conflating and any(each(self.book.conflates(queue.conflate)))
        )
        self.conflates = bool(self.conflating)
        self.filtering = tuple(queue for queue in queues if queue.filters)
        self.substituting = tuple(queue for queue in queues if queue.substitutes)
        self.grouping = tuple(queue for queue in queues if queue.group_transactions)
        self.parallel = {one.id: one for one in queues if one.parallel and one.remote_site is None}
        self.parted = frozenset(sender_of(queue) for queue in queues if is_parted(queue))
        self._unparted = [queue for queue in queues if queue.id in self.parted]
        apart = self.parallel.keys() | self.parted
        self.queues = {queue.id: queue for queue in queues if queue.id not in apart}
        self.lanes = lanes_by_sender(queues) | {queue.id: () for queue in self._unparted}
        self.overtakes = any(isinstance(queue, DispatcherPartition) and queue.parts_keys for queue in queues)
        self.led_to = {queue.id: self.sites.get(queue.remote_site or 0, ()) for queue in queues}
        self._lanes_at: dict[tuple[str, str], tuple[DispatcherPartition, ...]] = {}

    def resolve_by(self, words: str) -> None:
        """Install a conflict resolver on every member; by then nothing is sure that rests on timestamps."""
        self.resolver = policy_of(words)
        self.stamps_grow = self.in_sequence = False
        self.shared = None

    def refuse_received(self) -> None:
        """Have events of other sites meet cache writers that refuse some; then nothing is sure to arrive."""
        self.refuses_received = True
        self.stamps_grow = self.in_sequence = False
        self.shared = None

    def send_on(self) -> None:
        """Have events travel on, with the id of the site that sends them on, where sites lack a link.

        Nothing is sure then that rests on who is sent what by whom.
        """
        sites = self.sites.keys()
        named = {name for region in self._regions.values() for name in region.senders}
        if travels_on(sites, (queue for queue in self.queues.values() if queue.id in named)):
            self.onward = Propagation.AS_OF_SENDER
            self.stamps_grow = self.in_sequence = False

    def recover(self) -> None:
        """Have members with queues start again, so that what their disks hold matters."""
        kept = self.book.keeps_on_disk
        self.on_disk = frozenset(name for name, one in self.queues.items() if any(each(kept(one.persistent))))

    def checks(self, region: str) -> tuple[bool, ...]:
        """Whether the region checks consistency; more than one answer only where that decision is free."""
        return self._checks[region]

    def client_checks(self, client: str) -> tuple[bool, ...]:
        """Whether a client checks what it is sent."""
        return each(self.book.checks_in_force(self.clients[client].checks))

    def connect(self, client: Client) -> None:
        """From here on the client's operations are carried out by its server."""
        self.clients[client.name] = client
        if client.durable_id is not None:
            self.durable |= {client.name}
        if any(one.conflate for one in self.clients.values()):
            asked = {said: any(each(self.book.conflates_for(said))) for said in (False, True)}
            self.displacing = frozenset(
                one.name for one in self.clients.values() if asked[bool(one.conflate)]
            )
            # An event may be left out, so it does not follow what a client is still sent.
            self.plain = self.clients_as_documented = self.durable_as_documented = False

    def serves(self, member: str) -> bool:
        """Whether the member may have any clients to send events to."""
        return any(c.subscription and member in c.servers for c in self.clients.values())

    def number_of(self, op_id: int) -> int:
        """The number of an operation among those of its thread, from 1 on (001, L44)."""
        found = self._numbers.get(op_id)
        if found is None:
            thread = self.operations[op_id].thread
            found = sum(1 for other, op in self.operations.items() if other <= op_id and op.thread == thread)
            self._numbers[op_id] = found
        return found

    def committed_together(self, operation: Operation) -> int:
        """How many operations of its transaction, it among them, may change the entry; 0 outside of one."""
        begin = self.transactions.get(operation.op_id)
        where = (operation.region, operation.key)
        return sum(
            (other.region, other.key) == where and other.kind not in READS
            for other in self.operations.values()
            if begin is not None and self.transactions.get(other.op_id) == begin
        )

    def numbers_by_key(self, op_id: int, highest: int) -> tuple[int, int]:
        """The number of an operation, were each key counted alone, and the highest of its thread's first."""
        thread = self.operations[op_id].thread
        counted: dict[int, int] = {}
        keys: dict[tuple[str, str], int] = {}
        for other, operation in sorted(self.operations.items()):
            if operation.thread == thread:
                where = (operation.region, operation.key)
                counted[other] = keys[where] = keys.get(where, 0) + 1
        return counted[op_id], max([*counted.values()][:highest], default=0)

    def tracked(self, client: str) -> bool:
        """Whether a client may be sent an event twice, and so has to know what it has processed."""
        return len(self.clients[client].servers) > 1 or client in self.durable

    def thread_of(self, token: str | None) -> str | None:
        """The thread whose operation a token stands for; None if it stands for none."""
        named = (op.thread for op in self.operations.values() if token is not None and op.token == token)
        return next(named, None)

    def caller(self, op_id: int) -> frozenset[str]:
        """The client that called an operation; empty if a member called it."""
        client = self.originators.get(op_id)
        return frozenset() if client is None else frozenset((client,))

    @property
    def holders(self) -> tuple[str, ...]:
        """All holders of copies: members and clients."""
        return (*self.members, *self.clients)

    def take_up(self, operation: Operation, share: Share | None = None) -> None:
        """Note an operation that is called; a client's is carried out by its server (004, L39)."""
        if share is not None:
            self.shares[operation.op_id] = share
        if operation.member in self.clients:
            self.originators[operation.op_id] = operation.member
        self.operations[operation.op_id] = served(operation, self.clients)
        if self.transactions or operation.kind is OperationKind.TX_BEGIN:
            self.transactions = transactions_of(self.operations.values())

    def entries_of(self, op_id: int) -> tuple[int, ...]:
        """The entries of an operation on many keys; of another operation itself."""
        return tuple(one for one, share in self.shares.items() if share.op_id == op_id) or (op_id,)

    def told_apart(self, member: str, op_id: int) -> bool:
        """Whether a member's log tells of an operation in a place of its own (see `own_place`)."""
        return op_id in self.apart and member == self.operations[op_id].member

    def kind_of(self, operation: Operation) -> OperationKind:
        """As what an operation was called: of an entry of one on many keys the kind of that."""
        return _BULK_OF[operation.kind] if operation.op_id in self.shares else operation.kind

    def ends_as(self, op_id: int, outcome: Outcome) -> Outcome:
        """The outcome that the harness receives of a call.

        For one key of many, an absence is not reported.
        """
        if op_id in self.shares and outcome.status is Status.ABSENT:
            return Outcome(Status.OK)
        return outcome

    @property
    def region_names(self) -> tuple[str, ...]:
        """The regions in use."""
        return tuple(self._regions)

    def awaits_acknowledgement(self, region: str) -> bool:
        """Whether calls on the region wait until the other members have received them."""
        return self._regions[region].scope is Scope.ACK

    @property
    def serial(self) -> tuple[QueueAttributes, ...]:
        """The queues, and lanes of them, that one member dispatches for all."""
        return tuple(queue for queue in self.queues.values() if not queue.parallel)

    def queues_at(self, member: str) -> tuple[QueueAttributes, ...]:
        """The serial queues that the member runs; a client has none."""
        site = self.site_of.get(member)
        return tuple(queue for queue in self.serial if queue.site == site and queue.runs_on(member))

    def has_buckets(self, holder: str, region: str) -> bool:
        """Whether a holder has a region by buckets; members of another site may replicate it."""
        return region in self.partitioned and (holder, region) not in self._whole

    def lanes_at(self, where: tuple[str, str]) -> tuple[DispatcherPartition, ...]:
        """The lanes of parallel senders for a region and key; a running system makes them as keys come up."""
        found = self._lanes_at.get(where)
        if found is not None:
            return found
        region, group = where[0], group_of_bucket(where)
        for queue in self._unparted:
            if queue.id in self.senders_of(region):
                lane = lane_of_bucket(queue, where)
                self.queues[lane.id], self.led_to[lane.id] = lane, self.led_to[queue.id]
                self.lanes[queue.id] += (lane.id,)
        lanes = (one for one in self.queues.values() if isinstance(one, DispatcherPartition) and one.parallel)
        self._lanes_at[where] = found = tuple(lane for lane in lanes if lane.group == group)
        return found

    def runners(self, queue: QueueAttributes) -> tuple[str, ...]:
        """The members that run a queue, the first to start first."""
        return tuple(member for member in self.sites[queue.site] if queue.runs_on(member))

    def reached(self, site: int, region: str) -> frozenset[int]:
        """A site, and those that it sends what is done to a region."""
        named = self.senders_of(region)
        sent = (
            queue.remote_site for queue in self.queues.values() if queue.site == site and queue.id in named
        )
        return frozenset((site, *(remote for remote in sent if remote is not None)))

    def home(self, holder: str) -> int:
        """The site of a member, or of a client's server."""
        client = self.clients.get(holder)
        return self.site_of[holder if client is None else client.servers[0]]

    def lock_for(self, operation: Operation) -> None:
        """Have a clear take the lock of its region, where that is modelled."""
        if operation.kind is not OperationKind.CLEAR or self.clients or self.queues or self.lesser:
            return
        region = self._regions[operation.region]
        if region.checks is not False and region.policy is RegionPolicy.REPLICATE:
            self.clears |= {operation.region}

    def policy(self, holder: str, region: str) -> RegionPolicy:
        """What a member keeps of a region; a client keeps what it is sent or has asked for."""
        if holder in self.clients:
            return RegionPolicy.NORMAL
        return self.lesser.get((holder, region), self._regions[region].policy)

    def without_pool(self, client: str, region: str) -> bool:
        """Whether a client's region names no pool, so that it belongs to the client alone."""
        return self._regions[region].policy_of(client) is RegionPolicy.LOCAL

    def is_replicated(self, holder: str, region: str) -> bool:
        """Whether a holder's tombstones of a region are kept as in replicated and partitioned ones."""
        return self.policy(holder, region) in (RegionPolicy.REPLICATE, RegionPolicy.PARTITION)

    def senders_of(self, region: str) -> tuple[str, ...]:
        """The gateway senders and asynchronous queues that the region is attached to."""
        attributes = self._regions[region]
        return (*attributes.senders, *attributes.queues)

    def has_senders(self, region: str) -> bool:
        """Whether the region is attached to any gateway sender."""
        return bool(self._regions[region].senders)

    def feeds(self, region: str, queue: QueueAttributes) -> tuple[bool, bool, bool]:
        """Whether the region is attached to a queue, is the first that is, and was there before it ran."""
        ids = {queue.id, sender_of(queue)}
        attached = [name for name in self._regions if not ids.isdisjoint(self.senders_of(name))]
        return region in attached, attached[:1] == [region], queue.manual_start

    def is_shared(self, region: str, key: str) -> bool:
        """Whether several sites may write the key."""
        return self.distributed and (self.shared is None or (region, key) in self.shared)

    def is_timed(self, region: str, key: str) -> bool:
        """Whether timestamps of the key may be compared: between sites, or because a member dies."""
        return self.is_shared(region, key) or (self.distributed and (region, key) in self.timed)

    def carried(self, event: Queued) -> Operation:
        """The operation that an event stands for where it arrives."""
        operation = self.operations[event.op_id]
        if (operation.kind, operation.token) == (event.kind, event.token):
            return operation
        found = self._carried.get(event)
        if found is None:
            found = msgspec.structs.replace(operation, kind=event.kind, token=event.token)
            self._carried[event] = found
        return found

    def keeps_stamp_of(self, op_id: int) -> bool:
        """Whether the operation's message may be needed once more."""
        return self.redeliverable is None or op_id in self.redeliverable


def served(operation: Operation, clients: Mapping[str, Client]) -> Operation:
    """An operation as it is carried out: a client's by its server, a member's by that member."""
    client = clients.get(operation.member)
    return operation if client is None else msgspec.structs.replace(operation, member=client.server)
