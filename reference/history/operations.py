"""What can be asked of a system: topology, regions, operations and their outcomes.

Knows nothing of how an operation is carried out, nor of who carries it out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum
from itertools import permutations

import msgspec

from plumbline.reference.history.ranges import (
    Argument,
    Copies,
    Natural,
    OpId,
    SiteNumber,
    Small,
    TimeMs,
    ToldSite,
    ValueBytes,
    Whole,
)


class OperationKind(StrEnum):
    """Every operation that one of the five documents names, whether or not a suite uses it yet."""

    PUT = "put"
    CREATE = "create"
    PUT_IF_ABSENT = "put_if_absent"
    REPLACE = "replace"
    INVALIDATE = "invalidate"
    DESTROY = "destroy"
    LOCAL_INVALIDATE = "local_invalidate"
    LOCAL_DESTROY = "local_destroy"
    GET = "get"
    CONTAINS_KEY = "contains_key"
    REPLACE_IF_EQUAL = "replace_if_equal"
    REMOVE_IF_EQUAL = "remove_if_equal"
    PUT_ALL = "put_all"
    REMOVE_ALL = "remove_all"
    CLEAR = "clear"
    DESTROY_REGION = "destroy_region"
    INVALIDATE_REGION = "invalidate_region"
    LOCAL_CLEAR = "local_clear"
    LOCAL_DESTROY_REGION = "local_destroy_region"
    LOCAL_INVALIDATE_REGION = "local_invalidate_region"
    EXPIRE_DESTROY = "expire_destroy"
    EXPIRE_INVALIDATE = "expire_invalidate"
    EXPIRE_INVALIDATE_REGION = "expire_invalidate_region"
    IDLE_DESTROY = "idle_destroy"
    IDLE_INVALIDATE = "idle_invalidate"
    EXPIRE_LOCAL_DESTROY = "expire_local_destroy"
    EXPIRE_LOCAL_INVALIDATE = "expire_local_invalidate"
    EVICT = "evict"
    TX_BEGIN = "tx_begin"
    TX_COMMIT = "tx_commit"
    TX_ROLLBACK = "tx_rollback"


READS = frozenset({OperationKind.GET, OperationKind.CONTAINS_KEY})
LOCAL_EXPIRES = frozenset({OperationKind.EXPIRE_LOCAL_DESTROY, OperationKind.EXPIRE_LOCAL_INVALIDATE})
"""What a region does by itself, on one member alone, to an entry whose time is over."""

LOCAL_ACTIONS = LOCAL_EXPIRES | {OperationKind.EVICT}
"""The same, and what it does where it has to make room; to call it is to bring that about."""

LOCAL = LOCAL_ACTIONS | {
    OperationKind.LOCAL_INVALIDATE,
    OperationKind.LOCAL_DESTROY,
    OperationKind.LOCAL_CLEAR,
    OperationKind.LOCAL_DESTROY_REGION,
    OperationKind.LOCAL_INVALIDATE_REGION,
}
INVALIDATES_REGION = frozenset({OperationKind.INVALIDATE_REGION, OperationKind.LOCAL_INVALIDATE_REGION})
DESTROYS_REGION = frozenset({OperationKind.DESTROY_REGION, OperationKind.LOCAL_DESTROY_REGION})
WHOLE_REGION = (
    DESTROYS_REGION
    | INVALIDATES_REGION
    | {OperationKind.CLEAR, OperationKind.LOCAL_CLEAR, OperationKind.EXPIRE_INVALIDATE_REGION}
)
IDLES = frozenset({OperationKind.IDLE_DESTROY, OperationKind.IDLE_INVALIDATE})
"""What a region does itself to an entry that was idle for too long."""

EXPIRES = IDLES | {
    OperationKind.EXPIRE_DESTROY,
    OperationKind.EXPIRE_INVALIDATE,
    OperationKind.EXPIRE_INVALIDATE_REGION,
}
"""What a region does itself where a time to live, or without use, is over; to call it is to end that time."""

OF_TRANSACTIONS = frozenset({OperationKind.TX_BEGIN, OperationKind.TX_COMMIT, OperationKind.TX_ROLLBACK})
"""What begins and ends a transaction of the thread that calls it: what it calls between belongs to that."""

NAMELESS = READS | EXPIRES | LOCAL_ACTIONS | OF_TRANSACTIONS
"""What carries no token: it changes nothing, or takes no callback argument."""

CONDITIONAL = frozenset({OperationKind.REPLACE_IF_EQUAL, OperationKind.REMOVE_IF_EQUAL})
"""What changes an entry only where it holds the expected value (000, L11)."""

DESTROYS = frozenset({OperationKind.DESTROY, OperationKind.REMOVE_IF_EQUAL})
"""What destroys one entry on every member."""

STORES_VALUE = frozenset(
    {
        OperationKind.PUT,
        OperationKind.CREATE,
        OperationKind.PUT_IF_ABSENT,
        OperationKind.REPLACE,
        OperationKind.REPLACE_IF_EQUAL,
    }
)

NAMED_BY_VALUE = frozenset(
    {OperationKind.PUT_IF_ABSENT, OperationKind.REPLACE, OperationKind.REPLACE_IF_EQUAL}
)
"""What takes no callback argument everywhere: an event without its value cannot be identified."""


ARGUED = frozenset({OperationKind.PUT, OperationKind.CREATE, OperationKind.INVALIDATE, OperationKind.DESTROY})
"""What may be called with a callback argument, for its event to carry."""


class BulkEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What an operation on many keys does to one of them.

    Attributes:
        op_id: unique in a run, among operations and entries.
        key: the key; no other entry of the operation has it.
        token: unique text: the value that is put, and by which events of a put are recognised.
    """

    op_id: OpId
    key: str
    token: str


class Operation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One operation of one thread on one member or client.

    Attributes:
        op_id: unique in a run; the token of the operation is derived from it.
        thread: name of the calling thread; a thread's operations are called one after the other.
        member: the member, or the client, on which the thread calls.
        region: name of the region.
        kind: what is called.
        key: the key, or "" for operations on a whole region or on many keys; "" for an eviction until its
            outcome names the entry that it has taken.
        token: unique text carried as the value (puts) and as the callback argument (all that change
            something); events are recognised by it. None for reads, expiration and eviction.
        entries: what it does to each of many keys, in this order: put_all and remove_all.
        expected: the value that the entry has to hold for replace_if_equal and remove_if_equal to change it;
            None for all others.
        value_bytes: so long the value is made that is put: dots follow its token. 0 where it is the token
            alone. Every answer tells the whole value.
        argument: the callback argument that its event carries, beside its token; None for none. It is left
            out where it is None.
    """

    op_id: OpId
    thread: str
    member: str
    region: str
    kind: OperationKind
    key: str = ""
    token: str | None = None
    entries: tuple[BulkEntry, ...] = ()
    expected: str | None = None
    value_bytes: ValueBytes = 0
    argument: Argument | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys that it is about."""
        return tuple(entry.key for entry in self.entries) or (self.key,)


def transactions_of(called: Iterable[Operation]) -> dict[int, int]:
    """For each operation of a transaction the operation that began it, by their ids.

    Args:
        called: all operations of an example, in the order in which they are called.
    """
    found: dict[int, int] = {}
    begun: dict[str, int] = {}
    for operation in called:
        if operation.kind is OperationKind.TX_BEGIN:
            begun[operation.thread] = operation.op_id
        if operation.thread in begun:
            found[operation.op_id] = begun[operation.thread]
        if operation.kind in OF_TRANSACTIONS and operation.kind is not OperationKind.TX_BEGIN:
            begun.pop(operation.thread, None)
    return found


def with_whole_transactions(called: Iterable[Operation], kept: Collection[int]) -> frozenset[int]:
    """Those of the operations to be kept that can stand without the others.

    Of a transaction nothing can without its begin and its end.
    """
    operations = tuple(called)
    ends = [op.op_id for op in operations if op.kind in OF_TRANSACTIONS]
    of = transactions_of(operations)
    torn = {of.get(op_id) for op_id in ends if op_id not in kept}
    return frozenset(
        op.op_id
        for op in operations
        if op.op_id in kept and (of.get(op.op_id) is None or of[op.op_id] not in torn)
    )


class Status(StrEnum):
    """How a call ended. `failed` says it certainly did not happen, `indefinite` that it may have."""

    OK = "ok"
    EXISTS = "exists"
    ABSENT = "absent"
    REFUSED = "refused"
    FAILED = "failed"
    INDEFINITE = "indefinite"


class Outcome(msgspec.Struct, frozen=True):
    """What the caller got back.

    Attributes:
        status: how the call ended; `exists` and `absent` are the answers of create on a present key and
            of destroy or invalidate on an absent one.
        value: what was returned: the token read by get; "true" or "false" for contains_key; the same for
            replace_if_equal and remove_if_equal, whether they have changed the entry; the previous token
            (or None) for put_if_absent and replace; the key of the entry that an eviction has taken; None
            for all others.
        detail: the candidate's own words on a failure, for people only; never compared.
    """

    status: Status
    value: str | None = None
    detail: str = ""


class Scope(StrEnum):
    """Whether a call waits until the other members have received its operation."""

    ACK = "distributed_ack"
    NO_ACK = "distributed_no_ack"


class RegionPolicy(StrEnum):
    """What a member keeps of a region."""

    REPLICATE = "replicate"
    PARTITION = "partition"
    NORMAL = "normal"
    PRELOADED = "preloaded"
    EMPTY = "empty"
    LOCAL = "local"


class HostPolicy(msgspec.Struct, frozen=True):
    """What one member keeps of a region, where that is not what the others keep.

    A client may be named with `local`: its region of that name has no pool, and is its own alone.
    """

    member: str
    policy: RegionPolicy


class RegionAttributes(msgspec.Struct, frozen=True, kw_only=True):
    """How a region is configured on every member of a site.

    Attributes:
        name: the region's name.
        policy: what each member keeps.
        policies: the members that keep something else.
        scope: whether calls wait for acknowledgements.
        checks: consistency checking on, off, or None to leave the attribute unnamed.
        senders: ids of gateway senders attached.
        queues: ids of asynchronous event queues attached.
        redundancy: redundant copies of a partitioned region's buckets.
    """

    name: str
    policy: RegionPolicy = RegionPolicy.REPLICATE
    policies: tuple[HostPolicy, ...] = ()
    scope: Scope = Scope.ACK
    checks: bool | None = None
    senders: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()
    redundancy: Copies = 0

    def policy_of(self, member: str) -> RegionPolicy:
        """What a member keeps of the region."""
        return next((host.policy for host in self.policies if host.member == member), self.policy)

    def is_local_at(self, client: str) -> bool:
        """Whether a client has the region without a pool, for itself alone."""
        return HostPolicy(client, RegionPolicy.LOCAL) in self.policies


class TombstoneSettings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How long members keep tombstones, and when they collect those that have expired (004, L95 to L97).

    Attributes:
        timeout_ms: for how long one of a replicate or bucket is kept, in milliseconds; None: not named.
        other_timeout_ms: the same in clients, and in members that keep less than a replicate.
        threshold: how many expired ones of a member set off a collection; None to leave it unnamed.
        thresholds: members with a threshold of their own, and theirs.
    """

    timeout_ms: TimeMs | None = None
    other_timeout_ms: TimeMs | None = None
    threshold: Natural | None = None
    thresholds: tuple[tuple[str, Natural], ...] = ()

    def threshold_of(self, member: str) -> int | None:
        """The threshold that is named for a member."""
        return dict(self.thresholds).get(member, self.threshold)


class QueueAttributes(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A gateway sender or asynchronous event queue, as it is configured on the members of its site.

    Attributes:
        id: its name, unique among all sites.
        site: the site whose events it distributes.
        remote_site: where a gateway sender sends to; None for an asynchronous event queue.
        parallel: whether every member dispatches what it is primary for, instead of one for all.
        dispatchers: dispatcher threads.
        order_policy: `key`, `thread` or `partition`: what keeps its order under several dispatchers.
        batch_size: most events of one batch.
        batch_interval_ms: how long an event waits at most for its batch to become full.
        conflate: whether a queued update makes way for a later one of its key.
        persistent: whether the queue is kept on disk.
        maximum_memory_mb: above this the queue overflows to disk.
        remove_on_exception: whether an event leaves the queue though the other site failed to apply it.
        members: the members of its site that run it; all of them where none is named.
        manual_start: whether it starts by a `start` behind each reset, when its regions are there already.
        refused_keys: keys whose events its event filter refuses before they are queued.
        withheld_keys: keys whose events its event filter withholds before they are sent.
        group_transactions: whether a gateway sender never splits a transaction over two batches.
        substituted_keys: keys for whose values its substitution filter gives others: see `substitutes`.
        failing_keys: keys at whose events that filter fails.
    """

    id: str
    site: SiteNumber
    remote_site: SiteNumber | None = None
    parallel: bool = False
    dispatchers: Small = 1
    order_policy: str = "key"
    batch_size: Small = 100
    batch_interval_ms: TimeMs = 10
    conflate: bool = False
    persistent: bool = False
    maximum_memory_mb: Small = 100
    remove_on_exception: bool = True
    members: tuple[str, ...] = ()
    manual_start: bool = False
    refused_keys: tuple[str, ...] = ()
    withheld_keys: tuple[str, ...] = ()
    group_transactions: bool = False
    substituted_keys: tuple[str, ...] = ()
    failing_keys: tuple[str, ...] = ()

    @property
    def substitutes(self) -> bool:
        """Whether it has a substitution filter."""
        return bool(self.substituted_keys or self.failing_keys)

    @property
    def filters(self) -> bool:
        """Whether it has an event filter."""
        return bool(self.refused_keys or self.withheld_keys)

    def runs_on(self, member: str) -> bool:
        """Whether a member of its site runs it."""
        return not self.members or member in self.members


def travels_on(sites: Collection[int], queues: Iterable[QueueAttributes]) -> bool:
    """Whether some of several sites are reached by way of others only, since not each is linked to each."""
    links = {(queue.site, queue.remote_site) for queue in queues}
    return len(sites) > _TWO and bool(links) and not links.issuperset(permutations(sites, 2))


_TWO = 2
"""Between so many sites nothing is by way of another."""


class QueueRole(StrEnum):
    """What a member is for a queue: it dispatches, stands by, or does not run it."""

    PRIMARY = "primary"
    SECONDARY = "secondary"
    NONE = "none"


class QueueSight(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is seen of a queue on one member.

    Attributes:
        depth: events that the member's copy holds.
        role: what the member is for the queue.
        tokens: their tokens, oldest first; None where a candidate does not show them.
        unprocessed: events that a secondary remembers as not yet queued by the primary; None if not shown.
        overflowed: events of the copy that are on disk as they exceed its memory; None if not shown.
    """

    depth: Natural
    role: QueueRole
    tokens: tuple[str | None, ...] | None = None
    unprocessed: Natural | None = None
    overflowed: Natural | None = None


class Site(msgspec.Struct, frozen=True):
    """A cluster: its distributed system id (1 to 127) and the names of its members."""

    number: SiteNumber
    members: tuple[str, ...]


class Topology(msgspec.Struct, frozen=True):
    """The sites a candidate has to run before operations are called."""

    sites: tuple[Site, ...]

    @property
    def members(self) -> tuple[str, ...]:
        """All members of all sites, in the order in which they were named."""
        return tuple(member for site in self.sites for member in site.members)

    def site_of(self, member: str) -> Site:
        """The site of a member; raises KeyError if no site has it."""
        for site in self.sites:
            if member in site.members:
                return site
        raise KeyError(member)


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """A client cache with a copy of every region; operations and events name it as their member.

    Attributes:
        name: its name, which no member has.
        servers: the members that may serve it, the one to be connected to first.
        subscription: whether servers send it events.
        redundancy: how many more servers keep its queue.
        durable_id: the id under which servers keep its queue while it is away; None if they do not.
        durable_timeout_s: for how long they do, in seconds.
        checks: consistency checking of its own copies, independent of its servers: on, off, or None to leave
            the attribute unnamed (004, L47).
        tracking_timeout_ms: for how long without any event it remembers what it has processed of a thread, in
            milliseconds (001, L48); None: for longer than an example takes.
        conflate: whether updates that wait in its queue make way for later ones of their keys. Left out where
            nothing is asked, so adapters that do not know it see no new field.
    """

    name: str
    servers: tuple[str, ...]
    subscription: bool = True
    redundancy: Copies = 0
    durable_id: str | None = None
    durable_timeout_s: Small = 300
    checks: bool | None = None
    tracking_timeout_ms: TimeMs | None = None
    conflate: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def server(self) -> str:
        """The member that it is connected to at first."""
        return self.servers[0]


class Interest(msgspec.Struct, frozen=True, kw_only=True):
    """What a client registers for, or withdraws.

    Attributes:
        client: which client.
        region: of which region.
        kind: `all` keys, one `key`, a `list` of keys or a `regex` for keys.
        specification: the key, the keys one a line, or the expression; "" for all.
        policy: what is fetched at once: `none`, `keys` or `keys_values`; None to leave it unnamed.
        durable: whether servers keep it while the client is away.
        receive_values: whether events bring values, or only say that the key is no longer valid.
        register: False to withdraw it.
    """

    client: str
    region: str
    kind: str = "all"
    specification: str = ""
    policy: str | None = None
    durable: bool = False
    receive_values: bool = True
    register: bool = True


class EventKind(StrEnum):
    """What a region listener was told. Creates and updates are told apart only where both sides do."""

    CREATE = "create"
    UPDATE = "update"
    INVALIDATE = "invalidate"
    DESTROY = "destroy"
    CLEAR = "clear"
    REGION_DESTROY = "region_destroy"
    REGION_INVALIDATE = "region_invalidate"
    LIVE = "live"
    RESOLVE = "resolve"


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """What a conflict resolver received about an event from another site, and what it answered (004, L121).

    Attributes:
        kind: what the event does: it updates the entry (or creates it), or destroys it.
        old: the value stored, None where there is none.
        site: the site that the event is of.
        stored_site: the one that the last change of the entry is of.
        time_ms: the event's timestamp.
        stored_time_ms: the entry's.
        answer: `allow`, `disallow`, `replace`, or `throw` where it failed.
    """

    kind: EventKind
    old: str | None
    site: ToldSite
    stored_site: ToldSite
    time_ms: Whole
    stored_time_ms: Whole
    answer: str


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a region listener, or of a conflict resolver.

    Attributes:
        member: the member, or the client, where the listener is registered.
        region: the region's name.
        key: the key.
        kind: what the listener was told.
        token: the token of the operation: the new value for creates and updates, the callback argument
            else; None where the candidate passes none.
        remote: whether the operation was called on another member; None where it is not told.
        conflict: what else a resolver was told, where the kind is `resolve`.
        argument: the callback argument that the event carries, beside its token; left out, or null, where it
            carries none.
    """

    member: str
    region: str
    key: str
    kind: EventKind
    token: str | None
    remote: bool | None = None
    conflict: Conflict | None = None
    argument: Argument | msgspec.UnsetType | None = msgspec.UNSET


class Content(msgspec.Struct, frozen=True):
    """What one member holds for one key: its token, or None when the entry is invalid."""

    key: str
    token: str | None
