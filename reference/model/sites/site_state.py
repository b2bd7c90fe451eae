"""The state of what leads from site to site: queues, their copies, connections, and what is broken.

Knows what is there, not what may happen next.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.operations import OperationKind
from plumbline.reference.rulebook.values import Stamp
from plumbline.reference.search.hashed_map import HashedMap

STILL_UNKNOWN = -1
"""The elapsed time where the harness did not hold time still."""


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
        update: whether it may make way for a later update of its key, in a queue that conflates.
        withheld: whether an event filter has withheld it, so that it only counts as one of its batch.
        joined: whether it was sent at once with the event in front of it, as of one transaction.
        again: whether it was in a batch whose connection broke, where transactions are grouped.
    """

    op_id: int
    kind: OperationKind
    token: str | None
    site: int
    times: frozenset[int]
    position: int = 0
    been: frozenset[int] = frozenset()
    update: bool = False
    withheld: bool = False
    joined: bool = False
    again: bool = False


class Sender(msgspec.Struct, frozen=True):
    """A gateway sender on one member.

    Attributes:
        primary: whether it dispatches.
        queue: its copy of the queue, oldest first.
        records: a secondary's unprocessed events, in the order in which they were recorded.
        notes: events that the primary has queued before a secondary has seen their operation.
        spared: operations that a primary had discarded before it died, which a secondary may yet hear of.
        callbacks: queue entries that the secondary's listener has yet to be told of.
        entering: events that have yet to enter this queue, or to be recorded, where others come in between.
        entered: op ids of events that have, where others are known to wait for them.
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
        leaving: of a parallel sender, op ids of events that it holds and whose removal others have announced.
        late: of a member whose bucket has moved away, how many events it may have begun to send by then.
    """

    primary: bool = False
    queue: tuple[Queued, ...] = ()
    records: tuple[Queued, ...] = ()
    notes: frozenset[int] = frozenset()
    spared: frozenset[int] = frozenset()
    callbacks: tuple[Queued, ...] = ()
    entering: tuple[Queued, ...] = ()
    entered: frozenset[int] = frozenset()
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
    leaving: tuple[int, ...] = ()
    late: int = 0


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


class Alert(msgspec.Struct, frozen=True):
    """What a member has logged of an event that failed at the other site, or of a durable client.

    Attributes:
        member: where it has.
        names: the key, or the client, that it names; "" where it names none.
        refusal: whether it holds the words of the receiver's exception.
        timed_out: whether it is about a durable client that has timed out.
    """

    member: str
    names: str
    refusal: bool = False
    timed_out: bool = False


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
        failed: op ids of those that failed and of which the sender has not heard, where logs are read.
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
    failed: tuple[int, ...] = ()


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
        offered: (queue, op id) → the member whose listener has received it last, where marks are shown.
        stands: whether the harness holds time still.
        passed: how many milliseconds it has let pass.
        alerts: what members have surely logged, where logs are read.
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
    offered: HashedMap[tuple[str, int], str]
    stands: bool = False
    passed: int = 0
    alerts: frozenset[Alert] = frozenset()
