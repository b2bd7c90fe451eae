"""The state of the model: a value, cheap to fork, with its hash kept up to date.

Knows what is there, not what may happen next.
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from plumbline.reference.history.operations import Outcome
from plumbline.reference.model.clients.client_state import ClientState
from plumbline.reference.model.entry import ABSENT, Entry
from plumbline.reference.model.messages import Channel, Message
from plumbline.reference.model.sites.site_state import SiteState
from plumbline.reference.rulebook.values import EntryState, Stamp
from plumbline.reference.search.hashed_map import HashedMap

LOOK = "look"
"""Stands for a question after a queue among those that were asked."""


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


class GateState(IntEnum):
    """A gate is armed, has an operation standing at it, or is open for good."""

    ARMED = 0
    PARKED = 1
    OPEN = 2


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
        former: the primary before the last move, where it matters: where it does as it should not.
    """

    primary: str
    copies: tuple[str, ...] = ()
    former: str = ""


class PendingCopy(msgspec.Struct, frozen=True):
    """A copy of a region on its way to a member.

    Attributes:
        held: whether it is held on its way.
        takes_part: whether the member takes part: what is written from then on is sent to it.
        earlier: (member, op id) of messages that were on their way to others before that.
        read: the keys that were read for it.
        items: (key, entry) of those that the member has yet to take over, in the order of the keys.
        touched: keys of which the member has been sent an update meanwhile.
        returned: whether the member was told that it has its copy, before it has, as it should not be.
    """

    held: bool = False
    takes_part: bool = False
    earlier: frozenset[tuple[str, int]] = frozenset()
    read: frozenset[str] = frozenset()
    items: tuple[tuple[str, Entry], ...] = ()
    touched: frozenset[str] = frozenset()
    returned: bool = False


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
        images: (member, region) → PendingCopy, for copies on their way.
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
    images: HashedMap[tuple[str, str], PendingCopy]

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
    wan = SiteState(*(none,) * 13)
    served = ClientState(*(none,) * len(ClientState.__struct_fields__))
    tombs = TombstoneState(none, none, none)
    return World(none, none, none, none, none, none, none, none, none, wan, served, tombs, none, none, none)


def reached(world: World, op_id: int, member: str) -> HashedMap[int, Call]:
    """The calls once a member has the operation; who has it is noted where a replicate carries it out."""
    call = world.calls.get(op_id)
    if call is None or not call.by:
        return world.calls
    return world.calls.set(op_id, replace(call, reached=call.reached | {member}))
