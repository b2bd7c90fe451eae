"""The state of the model: a value, cheap to fork, with its hash kept up to date.

Knows what is there, not what may happen next.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import Interest, OperationKind, Outcome
from plumbline.reference.rulebook.values import EntryState, Stamp
from plumbline.reference.search.hashed_map import HashedMap

STILL_UNKNOWN = -1
"""The elapsed time where the harness did not hold time still."""

NOBODY = ""
"""In place of the server of a client that has none, and that a server which starts has to be found by."""

LOOK = "look"
"""Stands for a question after a queue among those that were asked."""


class Entry(msgspec.Struct, frozen=True):
    """What one member keeps of one key. `stamp` is None where consistency checking is off."""

    state: EntryState
    token: str | None = None
    stamp: Stamp | None = None


ABSENT = Entry(EntryState.ABSENT)


class CallStage(IntEnum):
    """How far a call has come; a client's begins by being asked of its server, a clear by taking its lock.

    An operation of a transaction begins by its commit.
    """

    ASKED = 0
    CALLED = 1
    APPLIED = 2
    SENT = 3
    DONE = 4
    LOCKED = 5
    COMMITTED = 6


class Call(msgspec.Struct, frozen=True):
    """An operation under way.

    Attributes:
        stage: called; applied on its member; sent to the others; done, its outcome fixed.
        outcome: what the caller will be told, once it has taken effect.
        stamp: the stamp it was given, if it changed something.
        waiting: members whose acknowledgement is awaited; the client that is to be answered; and (queue,
            primary, member) for copies of its event in a queue.
        discarded: whether some member has discarded it.
        update: whether the caller's member had the key already.
        indefinite: whether the caller was told that it may or may not have happened, or may yet.
        ahead: whether clients were sent its event before it was applied, as they should not.
        early: whether its client has changed its own copy before its server was asked, as it should not.
        again: whether the answer was lost, and its client is about to try again.
        at: the server that its client has tried again at; "" for the one it was called at.
        renamed: whether it was tried again under another identity, as it should not.
        by: the replicate that carries it out; "" where the member on which it is called does so.
        reached: the members that have it already, where a replicate carries it out.
        carrier: which member has carried it out, where the region is partitioned.
        silent: whether that member's listener is still to be told of it.
    """

    stage: CallStage = CallStage.CALLED
    outcome: Outcome | None = None
    stamp: Stamp | None = None
    waiting: frozenset[Any] = frozenset()
    discarded: bool = False
    update: bool = False
    indefinite: bool = False
    ahead: bool = False
    early: bool = False
    again: bool = False
    at: str = ""
    renamed: bool = False
    by: str = ""
    reached: frozenset[str] = frozenset()
    carrier: str = ""
    silent: bool = False


_LEFT = (CallStage.SENT, CallStage.DONE)
"""Their own member has nothing more to do for such calls."""


@lru_cache(maxsize=1024)
def to_go_on(calls: HashedMap[int, Call]) -> tuple[tuple[int, Call], ...]:
    """Those of the calls with which their own member has not done yet, each behind its operation's number.

    Of many that are under way most only wait for others, and state after state asks for the few that do not.
    """
    return tuple(one for one in calls.items() if one[1].stage not in _LEFT)


class MessageState(IntEnum):
    """A message is on the way, stands at a gate after it was applied, or is to be rolled back."""

    ON_THE_WAY = 0
    PARKED = 1
    ROLLBACK = 2


class Message(msgspec.Struct, frozen=True):
    """An operation on its way to one member.

    `update` says that the key was there where it was called; `before` is what a rollback restores. `sure` is
    False if it may as well never have been sent, `bare` tells a client that its value is no longer valid,
    without the new one. `renamed` is what has lost its identity, as it should not.
    `event` is what came from another site, over the connection `wire`; or, where `queue` is named, what
    enters the member's copy of that queue. A message with a `queue` and no event removes all up to `mark`.
    `acknowledged` is, at a secondary, how many milliseconds of held time had passed at a settle point by
    which the client had processed it; else STILL_UNKNOWN.
    """

    op_id: int
    stamp: Stamp | None
    update: bool = False
    state: MessageState = MessageState.ON_THE_WAY
    before: Entry | None = None
    sure: bool = True
    event: Queued | None = None
    wire: WireName | None = None
    queue: str = ""
    mark: int = 0
    bare: bool = False
    renamed: bool = False
    acknowledged: int = STILL_UNKNOWN


class GateState(IntEnum):
    """A gate is armed, has an operation standing at it, or is open for good."""

    ARMED = 0
    PARKED = 1
    OPEN = 2


class Channel(NamedTuple):
    """Messages of one thread to one member arrive in the order in which they were sent."""

    thread: str
    source: str
    target: str


class Queued(msgspec.Struct, frozen=True):
    """An event in a queue, or on its way to another site.

    Attributes:
        op_id: the operation.
        kind: what it does where it arrives.
        token: the value that it carries, or the callback argument.
        site: the site that wrote it, or that sent it on.
        times: the operations of which the latest timestamp is its own.
        position: its key in the queue; 0 while it is only recorded.
        been: the sites that have it or were sent it; empty where events do not travel on.
    """

    op_id: int
    kind: OperationKind
    token: str | None
    site: int
    times: frozenset[int]
    position: int = 0
    been: frozenset[int] = frozenset()


class Sender(msgspec.Struct, frozen=True):
    """A gateway sender on one member.

    Attributes:
        primary: whether it dispatches.
        queue: its copy of the queue, oldest first.
        records: a secondary's unprocessed events, in the order in which they were recorded.
        notes: events that the primary has queued before a secondary has seen their operation.
        spared: operations that a primary had discarded before it died, which a secondary may yet hear of.
        callbacks: queue entries that the secondary's listener has yet to be told of.
        last: the last position given or seen.
        mark: up to which position events are removed; what comes later is not taken up to there.
        told: up to which position the others know it.
        sent: how many events at the head of the queue are unanswered.
        heard: how many of them were answered and are about to be removed.
        horizon: up to which position the batch under way may reach.
        wire: the number of its connection; 0 while it has none.
        wires: how many connections it has made.
        tries: how often it has given up waiting for an answer, and connected again.
        paused: whether it builds no further batch.
        heir: whether it was secondary and has taken over.
        missed: how often another secondary has taken over instead.
        since_batch: milliseconds since a batch left, at most, where the harness holds time still; else, or
            where it is not known, STILL_UNKNOWN.
        waited: milliseconds for which it could have sent its oldest event, at least, where time stands.
        vain: how long ago it found no receiver, at least and at most, in milliseconds; None where it has not,
            or where time runs.
        knows: the receiver that it connected to first, where a rulebook has it connect to no other.
        answer: what the listener that it has called is about to answer; "" while it has called none.
        failed: how many events the batch held that its listener has failed; 0 if it has failed none since it
            succeeded last.
        failures: how often that batch has failed.
        ended: whether it calls its listener no more, as it should not.
        batch: what has left the queue and is not answered, as it should not be.
        removed: what has left its copy since all had come to rest, where a disk may hold it all the same.
        renewed: whether it has queued nothing since the queue came back from a disk.
    """

    primary: bool = False
    queue: tuple[Queued, ...] = ()
    records: tuple[Queued, ...] = ()
    notes: frozenset[int] = frozenset()
    spared: frozenset[int] = frozenset()
    callbacks: tuple[Queued, ...] = ()
    last: int = 0
    mark: int = 0
    told: int = 0
    sent: int = 0
    heard: int = 0
    horizon: int = 0
    wire: int = 0
    wires: int = 0
    tries: int = 0
    vain: tuple[int, int] | None = None
    paused: bool = False
    heir: bool = False
    missed: int = 0
    since_batch: int = STILL_UNKNOWN
    waited: int = 0
    knows: str = ""
    answer: str = ""
    failed: int = 0
    failures: int = 0
    ended: bool = False
    batch: tuple[Queued, ...] = ()
    removed: tuple[Queued, ...] = ()
    renewed: bool = False


class ParallelCopy(msgspec.Struct, frozen=True):
    """What one member holds of a parallel queue: the queue's buckets that lie on it.

    Attributes:
        events: what it holds, by region and key; those of one key oldest first.
        batch: what its listener was called with, while it has not succeeded.
        answer: what the listener is about to answer; "" while no call is under way.
        failures: how often the batch has failed.
        ended: whether it calls its listener no more, as it should not.
        leaving: op ids of events whose removal others have announced to it, and that it still holds.
        paused: whether it begins no further batch.
    """

    events: tuple[Queued, ...] = ()
    batch: tuple[Queued, ...] = ()
    answer: str = ""
    failures: int = 0
    ended: bool = False
    leaving: tuple[int, ...] = ()
    paused: bool = False


class Disk(msgspec.Struct, frozen=True):
    """What the disk of a member that has died may hold of a queue.

    Attributes:
        events: what it was sent of the queue and may hold, oldest first.
        removed: how many of them, the oldest, had left the queue; their removal may not have been written.
        unsure: op ids of those that may not have been written, as their calls have not returned.
        newest: whether no other member with the queue has died since.
    """

    events: tuple[Queued, ...]
    removed: int
    unsure: frozenset[int]
    newest: bool = True


class WireName(NamedTuple):
    """A connection of a sender to a receiver."""

    queue: str
    source: str
    number: int


class Connection(msgspec.Struct, frozen=True):
    """What is on a connection.

    Attributes:
        receiver: the member at its other end.
        events: sent and not yet applied, oldest first.
        busy: the event that the receiver has applied and still distributes among its peers.
        stamp: what it left behind, which its peers are told.
        awaiting: the peers that have not acknowledged it.
        parked: whether it stands in the receiver's listener.
        done: how many events were dealt with and not yet answered.
        replies: how many answered ones the sender has not heard of.
        early: how many were answered before they were dealt with, which no receiver should do.
        broken: whether the sender knows no more of it; what has arrived may still be applied.
    """

    receiver: str
    events: tuple[Queued, ...] = ()
    busy: Queued | None = None
    stamp: Stamp | None = None
    awaiting: frozenset[str] = frozenset()
    parked: bool = False
    done: int = 0
    replies: int = 0
    early: int = 0
    broken: bool = False


class SiteState(msgspec.Struct, frozen=True):
    """All that several sites, queues and faults add to a world.

    Attributes:
        senders: (member, queue) → Sender.
        wires: WireName → Wire.
        seen: (member, op id) → True, for each event of another site that the member has.
        links: (site, remote site) → down or replies lost; nothing for a link that is up.
        stopped: member → True, where its receiver is stopped.
        dead: member → True.
        faults: number → Fault, asked for and not happened yet.
        ranks: (region, key) → pairs of operations of which the first has the later timestamp.
        scripts: (member, queue) → what its listener answers to its next calls; then that it succeeded.
        disks: (member, queue) → what the disk of a member that has died may hold.
        failures: member → how many events its receiver has reported as failed.
        parallel: (member, queue) → what the member holds of a parallel queue.
        stands: whether the harness holds time still.
        passed: how many milliseconds it has let pass.
    """

    senders: HashedMap[tuple[str, str], Sender]
    wires: HashedMap[WireName, Connection]
    seen: HashedMap[tuple[str, int], bool]
    links: HashedMap[tuple[int, int], FaultKind]
    stopped: HashedMap[str, bool]
    dead: HashedMap[str, bool]
    faults: HashedMap[int, Fault]
    ranks: HashedMap[tuple[str, str], frozenset[tuple[int, int]]]
    scripts: HashedMap[tuple[str, str], tuple[str, ...]]
    disks: HashedMap[tuple[str, str], Disk]
    failures: HashedMap[str, int]
    parallel: HashedMap[tuple[str, str], ParallelCopy]
    stands: bool = False
    passed: int = 0


class Registration(msgspec.Struct, frozen=True):
    """One entry of a client's interest list.

    Attributes:
        interest: what the client has registered for.
        in_force: False where the call has returned before its server knows of it, as it should not.
        everywhere: False where only the primary knows of it, as it should not.
    """

    interest: Interest
    in_force: bool = True
    everywhere: bool = True


class QueuePlacement(msgspec.Struct, frozen=True):
    """Which servers keep a client's queue.

    Attributes:
        primary: the one that sends from it; one that is dead until another takes its part.
        secondaries: those that keep a copy, the longest-lived first.
        moves: how often the client has changed its server: never, once, or more often (see `failover`).
    """

    primary: str
    secondaries: tuple[str, ...] = ()
    moves: int = 0


class DurableState(msgspec.Struct, frozen=True):
    """The present life of a durable client (003).

    Attributes:
        life: how many lives it has had with this one.
        connected: whether it runs; else it is away.
        ready: whether it has said that it is ready for events.
        live: whether it has passed the marker of this life.
        read: how many events of its server's queue it has been sent in this life.
        stalled: whether its server waits for another event before it sends, as it should not.
        known: whether its servers knew of it when this life began.
        since: how much held time had passed when it went last; STILL_UNKNOWN where time ran.
        before: for how long it had been away before, in milliseconds.
        timeout_ms: for how long servers keep its queue, as this life has announced.
    """

    life: int = 1
    connected: bool = True
    ready: bool = False
    live: bool = False
    read: int = 0
    stalled: bool = False
    known: bool = False
    since: int = STILL_UNKNOWN
    before: int = 0
    timeout_ms: int = 0


class ClientState(msgspec.Struct, frozen=True):
    """All that clients add to a world.

    Attributes:
        interests: (client, region) → its interest list there, earliest first; only those with any.
        lines: client → which servers keep its queue.
        copies: (server, client) → what a secondary has queued for the client, oldest first; only if any.
        tracks: (client, thread, region, key) → the highest number of the thread's operations that the client
            has processed; region and key are "" where logs have one order of all keys.
        touched: (client, thread) → when the client processed its first and last event of the thread, in
            milliseconds that the harness let pass, or STILL_UNKNOWN; only where clients forget threads.
        received: (client, op id) → True, where the client has processed it since it has this primary; only
            where clients forget threads.
        refusals: (member or client, region) → the keys of which its cache writer refuses changes.
        lost: (client, server) → True, where what the server answers to the client is lost.
        withdrawn: (client, region) → what the client has withdrawn there; only where that may come back.
        highest: (server, thread) → the highest number of the thread's operations that the server has seen;
            counted from when answers were lost first, as it matters to what is tried again only.
        durable: durable client → its present life, or that it is away.
        kept: (server, durable client) → the queue that the server holds for it, oldest first; only if any.
    """

    interests: HashedMap[tuple[str, str], tuple[Registration, ...]]
    lines: HashedMap[str, QueuePlacement]
    copies: HashedMap[tuple[str, str], tuple[Message, ...]]
    tracks: HashedMap[tuple[str, str, str, str], int]
    refusals: HashedMap[tuple[str, str], frozenset[str]]
    touched: HashedMap[tuple[str, str], tuple[int, int]]
    received: HashedMap[tuple[str, int], bool]
    lost: HashedMap[tuple[str, str], bool]
    highest: HashedMap[tuple[str, str], int]
    withdrawn: HashedMap[tuple[str, str], tuple[Interest, ...]]
    durable: HashedMap[str, DurableState]
    kept: HashedMap[tuple[str, str], tuple[Message, ...]]


class TombstoneState(msgspec.Struct, frozen=True):
    """All that the collecting of tombstones adds to a world.

    Attributes:
        told: (collector, other member) → tombstones collected that the other has yet to hear of.
        collections: member → how far its tombstoneGCCount has moved, at least and at most.
        ghosts: (member, region, key) → stamp of a tombstone that something newer has replaced, where it may
            be collected all the same, as it should not.
    """

    told: HashedMap[tuple[str, str], tuple[Collected, ...]]
    collections: HashedMap[str, tuple[int, int]]
    ghosts: HashedMap[tuple[str, str, str], Stamp]


class Collected(msgspec.Struct, frozen=True):
    """A tombstone that was collected: of which entry, and its stamp.

    `first` says of a client that it receives nothing more of the key from the server before this.
    """

    region: str
    key: str
    stamp: Stamp
    first: bool = False


class Bucket(msgspec.Struct, frozen=True):
    """The holders of a key of a partitioned region.

    Attributes:
        primary: the member that carries out its updates; one that is dead until another takes its part.
        copies: the members that live and hold redundant copies.
    """

    primary: str
    copies: tuple[str, ...] = ()


class Change(msgspec.Struct, frozen=True):
    """What a transaction is to make of one entry.

    Attributes:
        region: the region.
        key: the key.
        op_id: the last of its operations on the entry; listeners are told of that one.
        touched: how many of its operations changed the entry.
        state: what it becomes.
        token: with which value.
        base: the stamp of the entry when it was changed first, where stamps are given so early, as they
            should not.
    """

    region: str
    key: str
    op_id: int
    touched: int
    state: EntryState
    token: str | None
    base: Stamp | None = None


class Transaction(msgspec.Struct, frozen=True):
    """A transaction that has begun, or commits.

    Attributes:
        host: the member that carries it out; "" until its first operation decides.
        changes: what it is to change, in the order of the keys.
        seen: (region, key, state, token) of entries that it has read and not changed, in that order.
        ending: whether its commit is under way.
    """

    host: str = ""
    changes: tuple[Change, ...] = ()
    seen: tuple[tuple[str, str, EntryState, str | None], ...] = ()
    ending: bool = False


class World(msgspec.Struct, frozen=True, cache_hash=True):
    """Everything there is, one map per kind of thing.

    Attributes:
        entries: (member, region, key) → Entry; nothing for a key never seen.
        calls: op id → Call, for operations under way.
        channels: Channel → messages, first sent first; only those with any.
        gates: (member, op id), and "writer" where it is in its cache writer → GateState.
        discards: member → how often its conflatedEvents moved.
        order: (higher, lower) → True, as far as the unknown order of member ids was chosen.
        asked: number → keys not yet read (contents), or None (a statistic not yet read).
        away: (member, region) → True, where a member has given up its copy.
        stamps: op id → stamp, of operations that may be delivered once more.
        wan: what several sites, queues and faults add.
        served: what clients add.
        tombs: what the collecting of tombstones adds.
        buckets: (region, key) → Bucket, for keys of partitioned regions.
        transactions: op id of its begin → Transaction, until it is over.
    """

    entries: HashedMap[tuple[str, str, str], Entry]
    calls: HashedMap[int, Call]
    channels: HashedMap[Channel, tuple[Message, ...]]
    gates: HashedMap[tuple[str | int, ...], GateState]
    discards: HashedMap[str, int]
    order: HashedMap[tuple[str, str], bool]
    asked: HashedMap[int, Any]
    stamps: HashedMap[int, Stamp | None]
    away: HashedMap[tuple[str, str], bool]
    wan: SiteState
    served: ClientState
    tombs: TombstoneState
    buckets: HashedMap[tuple[str, str], Bucket]
    transactions: HashedMap[int, Transaction]

    def but(self, **slices: Any) -> World:
        """The same world with some slices replaced."""
        return replace(self, **slices)

    def entry(self, member: str, region: str, key: str) -> Entry:
        """What a member keeps of a key."""
        entry: Entry = self.entries.get((member, region, key), ABSENT)
        return entry


def empty_world() -> World:
    """Nothing has happened yet."""
    none: HashedMap[Any, Any] = HashedMap()
    wan = SiteState(none, none, none, none, none, none, none, none, none, none, none, none)
    served = ClientState(none, none, none, none, none, none, none, none, none, none, none, none)
    tombs = TombstoneState(none, none, none)
    return World(none, none, none, none, none, none, none, none, none, wan, served, tombs, none, none)


def reached(world: World, op_id: int, member: str) -> HashedMap[int, Call]:
    """The calls once a member has the operation; who has it is noted where a replicate carries it out."""
    call = world.calls.get(op_id)
    if call is None or not call.by:
        return world.calls
    return world.calls.set(op_id, replace(call, reached=call.reached | {member}))
