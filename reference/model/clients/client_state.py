"""The state of clients: interest, servers, queues kept for them, and what they remember.

Knows what is there, not what may happen next.
"""

from __future__ import annotations

from enum import IntEnum, StrEnum

import msgspec
from msgspec.structs import replace

from plumbline.reference.history.operations import Interest, Status
from plumbline.reference.model.entry import Entry
from plumbline.reference.model.messages import Message
from plumbline.reference.model.sites.site_state import STILL_UNKNOWN
from plumbline.reference.search.hashed_map import HashedMap

NO_SERVER = ""
"""In place of the server of a client that has none, and that a server which starts has to be found by."""


class Registration(msgspec.Struct, frozen=True):
    """One entry of a client's interest list.

    Attributes:
        interest: what the client has registered for.
        in_force: False where the call has returned before its server knows of it, as it should not.
        everywhere: False where only the primary knows of it, as it should not.
        earlier: whether an earlier life of a durable client has registered it: only servers know of it.
        waits: whether it comes into force only when no call is under way, as it should not.
    """

    interest: Interest
    in_force: bool = True
    everywhere: bool = True
    earlier: bool = False
    waits: bool = False


class PendingStage(IntEnum):
    """How far a registration has come.

    It is called; the client has dropped what it held; its server has it on the list; the answer is on its
    way; all of it was applied, or the registration was refused.
    """

    BEGUN = 0
    DROPPED = 1
    LISTED = 2
    ANSWERED = 3
    ENDED = 4


class KeyMark(StrEnum):
    """What has become of a key at a client since its registration began.

    `invalid` is what had no newer value than the answer has; `unsure` what may be newer than the answer, or
    older.
    """

    OWN = "put by the application"
    FETCHED = "fetched by a get"
    EVENT = "brought by an event"
    INVALID = "made invalid by the application"
    DESTROYED = "destroyed by the application"
    DESTROYED_LOCALLY = "destroyed by the application in its own copy"
    GONE = "destroyed by an event"
    UNSURE = "unsure"


DESTROYED = frozenset((KeyMark.DESTROYED, KeyMark.DESTROYED_LOCALLY, KeyMark.GONE))


class PendingRegistration(msgspec.Struct, frozen=True):
    """A registration under way.

    Attributes:
        interest: what the client registers for.
        held: whether its answer is held back on its way.
        stage: how far it has come.
        listed: False where its server has it on no list yet though it has answered, as it should not.
        dropped: the keys that the client has dropped so far.
        answer: what is still to be applied of the answer, by key.
        marks: what has become of keys at the client meanwhile.
        status: how it ends.
        lost: how many servers of its client were dead when it began.
        before: whether its client was registered for the same already when it came on the list.
    """

    interest: Interest
    held: bool = False
    stage: PendingStage = PendingStage.BEGUN
    listed: bool = False
    dropped: frozenset[str] = frozenset()
    answer: tuple[tuple[str, Entry], ...] = ()
    marks: frozenset[tuple[str, KeyMark]] = frozenset()
    status: Status = Status.OK
    before: bool = False
    lost: int = 0

    def mark(self, key: str) -> KeyMark | None:
        """What has become of a key meanwhile."""
        return next((mark for name, mark in self.marks if name == key), None)

    def with_mark(self, key: str, mark: KeyMark | None) -> PendingRegistration:
        """It with another mark of a key, or none."""
        others = frozenset(one for one in self.marks if one[0] != key)
        return replace(self, marks=others if mark is None else others | {(key, mark)})


class QueuePlacement(msgspec.Struct, frozen=True):
    """Which servers keep a client's queue.

    Attributes:
        primary: the one that sends from it; one that is dead until another takes its part.
        secondaries: those that keep a copy, the longest-lived first.
        moves: how often the client has changed its server: never, once, or more often (see `failover`).
        readied: whether a client that is not durable has said that it is ready, where that matters, as it
            should not.
        filling: those of the secondaries that were recruited and have yet to get what waits already.
    """

    primary: str
    secondaries: tuple[str, ...] = ()
    moves: int = 0
    readied: bool = False
    filling: tuple[str, ...] = ()


class DurableState(msgspec.Struct, frozen=True):
    """The present life of a durable client (003).

    Attributes:
        life: how many lives it has had with this one.
        connected: whether it runs; else it is away.
        ready: whether it has said that it is ready for events.
        live: whether it has passed the marker of this life.
        untold: the regions whose listeners are still to be told that they are live.
        read: how many events of its server's queue it has been sent in this life.
        unasked: whether its server takes it for ready before it has said so, as it should not.
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
    untold: tuple[str, ...] = ()
    read: int = 0
    unasked: bool = False
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
        pending: number → registration under way.
        stuck: client → True, where events wait behind a registration that has failed, as they should not.
        unloaded: (client, region) → the keys that later answers leave out, as they should not.
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
    pending: HashedMap[int, PendingRegistration]
    unloaded: HashedMap[tuple[str, str], frozenset[str]]
    stuck: HashedMap[str, bool]
