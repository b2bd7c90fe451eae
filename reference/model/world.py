"""The state of the model: a value, cheap to fork, with its hash kept up to date.

Knows what is there, not what may happen next.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

from plumbline.reference.hashed import HashedMap
from plumbline.reference.operations import Outcome
from plumbline.reference.rulebook.values import EntryState, Stamp


class Entry(NamedTuple):
    """What one member keeps of one key. `stamp` is None where consistency checking is off."""

    state: EntryState
    token: str | None = None
    stamp: Stamp | None = None


ABSENT = Entry(EntryState.ABSENT)


class Stage(IntEnum):
    """How far a call has come; a client's begins by being asked of its server."""

    ASKED = 0
    CALLED = 1
    APPLIED = 2
    SENT = 3
    DONE = 4


class Call(NamedTuple):
    """An operation under way.

    Attributes:
        stage: called; applied on its member; sent to the others; done, its outcome fixed.
        outcome: what the caller will be told, once it has taken effect.
        stamp: the stamp it was given, if it changed something.
        waiting: members whose acknowledgement is awaited, and the client that is to be answered.
        discarded: whether some member has discarded it.
        update: whether the caller's member had the key already.
        indefinite: whether the caller was told that it may or may not have happened, or may yet.
    """

    stage: Stage = Stage.CALLED
    outcome: Outcome | None = None
    stamp: Stamp | None = None
    waiting: frozenset[str] = frozenset()
    discarded: bool = False
    update: bool = False
    indefinite: bool = False


class MessageState(IntEnum):
    """A message is on the way, stands at a gate after it was applied, or is to be rolled back."""

    ON_THE_WAY = 0
    PARKED = 1
    ROLLBACK = 2


class Message(NamedTuple):
    """An operation on its way to one member.

    `update` says that the key was there where it was called; `before` is what a rollback restores. `sure` is
    False if it may as well never have been sent.
    """

    op_id: int
    stamp: Stamp | None
    update: bool = False
    state: MessageState = MessageState.ON_THE_WAY
    before: Entry | None = None
    sure: bool = True


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


class World:
    """Everything there is, one map per kind of thing.

    Attributes:
        entries: (member, region, key) → Entry; nothing for a key never seen.
        calls: op id → Call, for operations under way.
        channels: Channel → messages, first sent first; only those with any.
        gates: (member, op id) → GateState.
        discards: member → how often its conflatedEvents moved.
        order: (higher, lower) → True, as far as the unknown order of member ids was chosen.
        asked: number → keys not yet read (contents), or None (a statistic not yet read).
        away: (member, region) → True, where a member has given up its copy.
        stamps: op id → stamp, of operations that may be delivered once more.
    """

    __slots__ = (
        "_hash",
        "asked",
        "away",
        "calls",
        "channels",
        "discards",
        "entries",
        "gates",
        "order",
        "stamps",
    )

    def __init__(
        self,
        entries: HashedMap[tuple[str, str, str], Entry],
        calls: HashedMap[int, Call],
        channels: HashedMap[Channel, tuple[Message, ...]],
        gates: HashedMap[tuple[str, int], GateState],
        discards: HashedMap[str, int],
        order: HashedMap[tuple[str, str], bool],
        asked: HashedMap[int, Any],
        stamps: HashedMap[int, Stamp | None],
        away: HashedMap[tuple[str, str], bool],
    ) -> None:
        self.entries = entries
        self.calls = calls
        self.channels = channels
        self.gates = gates
        self.discards = discards
        self.order = order
        self.asked = asked
        self.stamps = stamps
        self.away = away
        self._hash: int | None = None

    def but(self, **slices: Any) -> World:
        """The same world with some slices replaced."""
        get = slices.get
        return World(
            get("entries", self.entries),
            get("calls", self.calls),
            get("channels", self.channels),
            get("gates", self.gates),
            get("discards", self.discards),
            get("order", self.order),
            get("asked", self.asked),
            get("stamps", self.stamps),
            get("away", self.away),
        )

    def _slices(self) -> tuple[Any, ...]:
        return (
            self.entries,
            self.calls,
            self.channels,
            self.gates,
            self.discards,
            self.order,
            self.asked,
            self.stamps,
            self.away,
        )

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self._slices())
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, World):
            return NotImplemented
        return self is other or (hash(self) == hash(other) and self._slices() == other._slices())

    def entry(self, member: str, region: str, key: str) -> Entry:
        """What a member keeps of a key."""
        entry: Entry = self.entries.get((member, region, key), ABSENT)
        return entry


def empty_world() -> World:
    """Nothing has happened yet."""
    none: HashedMap[Any, Any] = HashedMap()
    return World(none, none, none, none, none, none, none, none, none)
