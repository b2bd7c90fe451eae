"""What the listeners of all members are told in one example, and the gates at which they park.

Knows nothing of JVMs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeVar

import msgspec

from plumbline.reference.history.listener_calls import QUEUE, QueueCall, QueuedChange
from plumbline.reference.history.moments import Gate
from plumbline.reference.history.operations import (
    WHOLE_REGION,
    Content,
    Event,
    EventKind,
    Operation,
    OperationKind,
)
from plumbline.reference.history.substitutes import parted

# How long a listener may be on its way here after its operation can be read.
LATE_LIMIT_S = 1.0

# Geode warns of a missing acknowledgement after 15 s and goes on waiting; a gate should not stay shut longer.
GATE_LIMIT_S = 30.0


class Holding(NamedTuple):
    """What a member holds of a key, by what its listener was told: nothing, an invalid entry, or a token."""

    present: bool
    token: str | None


ABSENT = Holding(present=False, token=None)
Place = tuple[str, str, str]
"""A member, a region, a key."""

_Told = TypeVar("_Told", Event, QueuedChange)


class Unplaced(NamedTuple):
    """An event at a member that may hold a copy of its key by now, since a holder has died."""

    event: Event


class GeodeExample:
    """One example: what its listeners were told, in that order, its gates, and what changed last.

    `changed` is notified whenever something happens; `changes` counts how often. `placed` names the holders
    of those keys of partitioned regions that were asked for; `dead` are the members that were killed. Of what
    was shown, None stands for an event that counts for nothing.

    Args:
        sites: the number of each member's site.
    """

    def __init__(self, sites: Mapping[str, int] | None = None) -> None:
        self._sites = sites or {}
        self.changed = threading.Condition()
        self.changes = 0
        self.shown: list[Event | QueueCall | Unplaced | None] = []
        self.dead: set[str] = set()
        self.placed: dict[tuple[str, str], tuple[str, ...]] = {}
        self.troubles: list[tuple[str, str]] = []
        self._operations: dict[str, Operation] = {}
        self._removals: dict[tuple[str, str], str | None] = {}
        self._whole: str | None = None  # of the last operation on a whole region
        self._commits: dict[str, int] = {}  # of each thread, the last
        self._open: dict[Gate, threading.Event] = {}
        self._parked: dict[Gate, str] = {}
        self._holdings: dict[Place, list[Holding]] = {}

    @property
    def events(self) -> list[Event]:
        """What region listeners were told, and resolvers."""
        return [one for one in self.shown if isinstance(one, Event)]

    def expect(self, operation: Operation) -> None:
        """An operation is about to be called; its events are recognised from here on."""
        if operation.token is not None:
            self._operations[operation.token] = operation
        self._operations |= {entry.token: operation for entry in operation.entries}
        if operation.kind is OperationKind.REMOVE_IF_EQUAL:
            self._removals[operation.region, operation.key] = operation.token
        if operation.kind in WHOLE_REGION:
            self._whole = operation.token
        if operation.kind is OperationKind.TX_COMMIT:
            self._commits[operation.thread] = operation.op_id

    def arm(self, gate: Gate) -> None:
        """Have the listener or writer of `gate.member` park when it receives `gate.op_id`."""
        with self.changed:
            self._open.setdefault(gate, threading.Event())

    def release(self, gate: Gate) -> None:
        """Open a gate for good."""
        with self.changed:
            self._open.setdefault(gate, threading.Event()).set()
            # It counts as left behind here, not when its thread wakes, or a settle might still see it held.
            self._parked.pop(gate, None)
            self._note()

    def release_all(self, member: str | None = None) -> None:
        """Open every gate, or every gate of one member."""
        for gate in tuple(self._open):
            if member in (None, gate.member):
                self.release(gate)

    def await_parked(self, gate: Gate, limit_s: float) -> bool:
        """Whether the operation stands at the gate within the time."""
        with self.changed:
            return self.changed.wait_for(lambda: gate in self._parked, limit_s)

    def held(self) -> tuple[tuple[str, str], ...]:
        """Members and keys at which listeners are parked; that of a queue holds up no other operation."""
        parked = ((gate, key) for gate, key in self._parked.items() if gate.callback != QUEUE)
        return tuple(sorted({(gate.member, key) for gate, key in parked}))

    def told(self, place: Place) -> int:
        """How often the listener has received an event of a key so far."""
        return len(self._holdings.get(place, ())) or 1

    def await_told(self, since: Mapping[Place, int], fits: Callable[[Holding], bool]) -> None:
        """Come back when what was read of a key is no newer than what its listener was told.

        Geode stores first and then calls the listener, whose event is a moment on its way here: a read in
        between would show an operation before its event. Comes back after a while in any case: a candidate
        whose listeners miss something must be seen to.

        Args:
            since: for what was read, or for each place of which one was, what `told` said before the read
                began.
            fits: whether the read could have found this.
        """
        with self.changed:
            self.changed.wait_for(
                lambda: any(
                    any(map(fits, self._holdings.get(place, [ABSENT])[before - 1 :]))
                    for place, before in since.items()
                ),
                LATE_LIMIT_S,
            )

    def places(self, member: str, region: str) -> dict[Place, int]:
        """For each key of which a member's listener was told: how often."""
        return {
            place: len(holdings)
            for place, holdings in tuple(self._holdings.items())
            if place[:2] == (member, region)
        }

    def learn(self, member: str, region: str, contents: Iterable[Content]) -> None:
        """A member holds just this of a region now, though its listener may have received more."""
        held = {
            (member, region, content.key): Holding(present=True, token=content.token) for content in contents
        }
        with self.changed:
            for place in {*held, *(known for known in self._holdings if known[:2] == (member, region))}:
                self._holdings.setdefault(place, [ABSENT]).append(held.get(place, ABSENT))

    def note(self, _: object = None) -> None:
        """Something happened elsewhere; fit to be called when a future is done."""
        with self.changed:
            self._note()

    def tell(self, event: Event) -> None:
        """A listener receives an event; comes back when it may go on.

        That of a member that holds no copy of the key counts for nothing: Geode tells it of what others hold.
        Where a holder has died, its member may hold one by now. Clients are no members.
        """
        event = self.with_token(event)
        holders = self.placed.get((event.region, event.key), ())
        sites = {self._sites.get(holder) for holder in holders}  # others may have replicates of the region
        if event.member not in holders and self._sites.get(event.member, 0) in sites:
            if self.dead.intersection(holders):
                with self.changed:
                    self.shown.append(Unplaced(event))
                    self._note()
            return
        operation = self._put(event.token)
        if operation is not None and self._sites.get(operation.member) != self._sites.get(event.member):
            # Geode tells only whether the event came from another member of this site.
            event = msgspec.structs.replace(event, remote=event.remote or None)
        with self.changed:
            self.shown.append(event)
            holdings = self._holdings.setdefault((event.member, event.region, event.key), [ABSENT])
            holdings.append(_left_by(event))
            self._note()
        if operation is not None:
            self._park(Gate(event.member, operation.op_id), event.key)

    def _put(self, token: str | None) -> Operation | None:
        """The operation that an event names, also where the event brings a substitute."""
        return None if token is None else self._operations.get(parted(token)[0])

    def tell_live(self, client: str, region: str) -> None:
        """The listener of a durable client hears that its region is live."""
        with self.changed:
            self.shown.append(Event(member=client, region=region, key="", kind=EventKind.LIVE, token=None))
            self._note()

    def tell_conflict(self, event: Event) -> None:
        """A conflict resolver is asked about an event from another site."""
        with self.changed:
            self.shown.append(event)
            self._note()

    def with_token(self, told: _Told) -> _Told:
        """An event with its operation's token: Geode's `remove` of a value takes no callback argument."""
        if told.kind is not EventKind.DESTROY or told.token is not None:
            return told
        return msgspec.structs.replace(told, token=self._removals.get((told.region, told.key)))

    def tell_call(self, call: QueueCall) -> None:
        """The listener of an asynchronous queue is called."""
        with self.changed:
            self.shown.append(call)
            self._note()

    def park_call(self, call: QueueCall) -> None:
        """Stand at the gates of what a call brings, one after the other; comes back when it may answer."""
        for change in call.events:
            operation = self._put(change.token)
            if operation is not None:
                self._park(Gate(call.member, operation.op_id, QUEUE), change.key)

    def tell_whole(self, event: Event) -> None:
        """A listener is told that a whole region was cleared or destroyed, or all of it invalidated.

        Geode's `clear` takes no callback argument; but no two operations on whole regions are under way.
        """
        operation = self._operations.get(self._whole) if self._whole is not None else None
        with self.changed:
            self.shown.append(msgspec.structs.replace(event, token=self._whole))
            for place, holdings in self._holdings.items():
                if place[:2] == (event.member, event.region) and holdings[-1].present:
                    stays = event.kind is EventKind.REGION_INVALIDATE
                    holdings.append(Holding(present=True, token=None) if stays else ABSENT)
            self._note()
        if operation is not None:
            self._park(Gate(event.member, operation.op_id), event.key)

    def ask_whole(self, member: str) -> None:
        """A cache writer is asked whether the region may be cleared; comes back when it may."""
        self.ask(member, "", self._whole)

    def ask(self, member: str, key: str, token: str | None) -> None:
        """A cache writer is asked whether an operation may be; comes back when it may go on."""
        operation = self._put(token)
        if operation is not None:
            self._park(Gate(member, operation.op_id, "writer"), key)

    def ask_commit(self, member: str, tokens: Iterable[str | None]) -> None:
        """A transaction writer is asked whether these may be committed; comes back when they may."""
        threads = [self._operations[token].thread for token in tokens if token in self._operations]
        for op_id in {self._commits[thread] for thread in threads if thread in self._commits}:
            self._park(Gate(member, op_id, "writer"), "")

    def stand_at(self, gate: Gate, key: str) -> None:
        """An answer is there that is to stand at this gate; comes back when it may go on."""
        self._park(gate, key)

    def _park(self, gate: Gate, key: str) -> None:
        """Stand at a gate, if it is armed and shut."""
        with self.changed:
            gate_open = self._open.get(gate)
            if gate_open is None or gate_open.is_set():
                return
            self._parked[gate] = key
            self._note()
        if not gate_open.wait(GATE_LIMIT_S):
            self.trouble(gate.member, f"{gate} was not released within {GATE_LIMIT_S:.0f} s")
            self.release(gate)

    def trouble(self, member: str, words: str) -> None:
        """Note an error in a listener of a member, on a thread that the harness does not wait for."""
        with self.changed:
            self.troubles.append((member, words))
            self._note()

    def wait_change(self, seen: int, deadline: float) -> bool:
        """Whether `changes` has moved on from what was seen, by the deadline (of the monotonic clock)."""
        with self.changed:
            return self.changed.wait_for(lambda: self.changes != seen, max(0.0, deadline - time.monotonic()))

    def wait_quiet(self, quiet_s: float, deadline: float) -> None:
        """Come back when nothing has happened for a while, or at the deadline (of the monotonic clock)."""
        while (now := time.monotonic()) < deadline:
            if not self.wait_change(self.changes, min(now + quiet_s, deadline)):
                return

    def _note(self) -> None:
        self.changes += 1
        self.changed.notify_all()


class RegionListener:
    """What is told of one region on one member, by the JVM on Geode's own threads (see `telling.py`)."""

    def __init__(self, stage: GeodeExample, member: str, region: str) -> None:
        self._stage = stage
        self._member = member
        self._region = region

    def tell(
        self, kind: EventKind, key: str, token: str | None, *, remote: bool, argument: str | None = None
    ) -> None:
        """Something was done to an entry; comes back when that may go on."""
        told = Event(member=self._member, region=self._region, key=key, kind=kind, token=token, remote=remote)
        self._stage.tell(told if argument is None else msgspec.structs.replace(told, argument=argument))

    def tell_whole(self, kind: EventKind, *, remote: bool) -> None:
        """Something was done to the whole region; nothing else is under way."""
        self._stage.tell_whole(
            Event(member=self._member, region=self._region, key="", kind=kind, token=None, remote=remote)
        )

    def tell_live(self) -> None:
        """A marker was told, as only clients are."""
        self.tell_trouble(f"a marker arrived in {self._region}, but this is no client")

    def tell_trouble(self, words: str) -> None:
        """Something went wrong where an event was told."""
        self._stage.trouble(self._member, words)


_WITH_VALUE = frozenset({EventKind.CREATE, EventKind.UPDATE})


def _left_by(event: Event) -> Holding:
    """What an event of an entry leaves behind."""
    if event.kind is EventKind.DESTROY:
        return ABSENT
    return Holding(present=True, token=event.token if event.kind in _WITH_VALUE else None)
