"""Projection: what of a history is about some of its operations, as if the others had not been called.

Whether the rest would have gone the same way without them is unknown: a failure of a projection is a
suspicion, to be confirmed on the candidate. Knows how histories are written down; judges nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate

import msgspec

from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.listener_calls import QUEUE, SeenCall
from plumbline.reference.history.moments import (
    Armed,
    Called,
    ContentsAsked,
    ContentsRead,
    Gate,
    Located,
    Moment,
    NotParked,
    Parked,
    QueueAsked,
    QueueRead,
    QueueScripted,
    Redelivered,
    Released,
    Returned,
    Settled,
    SettledBut,
    StatisticAsked,
    StatisticRead,
    Waited,
)
from plumbline.reference.history.operations import (
    DESTROYS,
    Event,
    EventKind,
    Operation,
    OperationKind,
    with_whole_transactions,
)


class HistoryPart(msgspec.Struct, frozen=True):
    """What of a history is about some of its operations.

    Attributes:
        history: as if the others had not been called.
        moments: the numbers, from 0, of the moments of the whole history that are left, in order.
    """

    history: History
    moments: tuple[int, ...]


def project(history: History, kept: Collection[int]) -> History | None:
    """The history as far as it is about these operations; None if they have returned values of others.

    Left out besides the others' calls and events: readings that tell of them, counts to which they may
    have contributed, and which waits timed out while they were under way.
    """
    part = part_of(history, kept)
    return None if part is None else part.history


def part_of(
    history: History,
    kept: Collection[int],
    held_up: Mapping[int, tuple[str, ...]] | None = None,
    *,
    counts: bool = False,
) -> HistoryPart | None:
    """The same with the numbers of its moments.

    Args:
        history: what is left out of.
        kept: the numbers of the operations that stay.
        held_up: of some moments which queues the others may hold up then, though something waits in them.
        counts: whether counts stay as if the kept operations had made them alone. So they may not have.
    """
    return _Projection(history, kept, held_up or {}, counts=counts).carry_out()


class _Projection:
    def __init__(
        self,
        history: History,
        kept: Collection[int],
        held_up: Mapping[int, tuple[str, ...]],
        *,
        counts: bool,
    ) -> None:
        self._counts = counts
        self._history = history
        self._held_up = held_up
        called = [what.operation for what in history.timeline if isinstance(what, Called)]
        self._callers = {operation.op_id: operation.member for operation in called}
        self._sites = {m: site.number for site in history.topology.sites for m in site.members}
        self._kept = with_whole_transactions(called, kept)
        self._operations = [operation for operation in called if operation.op_id in self._kept]
        self._dropped = [operation for operation in called if operation.op_id not in self._kept]
        self._foreign = {operation.token for operation in self._dropped} - {None}
        self._keys = {(operation.region, operation.key) for operation in self._operations}
        self._lost_keys = {(op.region, op.key) for op in self._dropped} - self._keys

    def carry_out(self) -> HistoryPart | None:
        if self._history.calls and self._dropped and not self._whole_keys():
            return None  # what a listener received names keys, and not always operations
        moments = [self._as_far_as_told(number, what) for number, what in enumerate(self._moments())]
        if any(isinstance(what, Returned) and what.outcome.value in self._foreign for what in moments):
            return None
        unreadable = self._unreadable()
        shown = [what is not None and not _of_question(what, unreadable) for what in moments]
        passed = [0, *accumulate(shown)]
        logs = {
            member: tuple(
                msgspec.structs.replace(entry, after=passed[entry.after], before=passed[entry.before])
                for entry in log
                if self._about(entry)
            )
            for member, log in self._history.logs.items()
        }
        received = [seen for seen in map(self._received, self._history.calls) if seen is not None]
        calls = tuple(
            msgspec.structs.replace(seen, after=passed[seen.after], before=passed[seen.before])
            for seen in received
        )
        timeline = tuple(
            self._fewer_keys(_answering(what, number, received))
            for number, (what, keeps) in enumerate(zip(moments, shown, strict=True))
            if keeps and what is not None
        )
        return HistoryPart(
            msgspec.structs.replace(self._history, timeline=timeline, logs=logs, calls=calls),
            tuple(number for number, keeps in enumerate(shown) if keeps),
        )

    def _whole_keys(self) -> bool:
        """Whether all operations of a key stay, or none does."""
        return self._keys.isdisjoint((one.region, one.key) for one in self._dropped)

    def _received(self, seen: SeenCall) -> SeenCall | None:
        """A call of a queue's listener with what is kept of its batch; None where that is nothing.

        A batch may hold as few events as it likes, and comes again whole where it has failed. So what is
        left of batches are batches, too.
        """
        left = tuple(one for one in seen.call.events if (one.region, one.key) not in self._lost_keys)
        if len(left) == len(seen.call.events):
            return seen
        call = msgspec.structs.replace(seen.call, events=left)
        return msgspec.structs.replace(seen, call=call) if left else None

    def _moments(self) -> Iterator[Moment | None]:
        """Each moment of the timeline, or None where it is about the others."""
        others: set[int] = set()
        shut: set[Gate] = set()
        for what in self._history.timeline:
            match what:
                case Armed(gate) | Released(gate) if gate.op_id not in self._kept:
                    shut ^= {gate}
                    yield None
                case Called(operation):
                    if operation.op_id not in self._kept:
                        others.add(operation.op_id)
                    yield what if operation.op_id in self._kept else None
                case Returned(op_id) | Redelivered(op_id):
                    others.discard(op_id)
                    yield what if op_id in self._kept else None
                case NotParked(gate):
                    # The others may have stood in the way.
                    yield what if gate.op_id in self._kept and not (others or shut) else None
                case Armed(gate) | Parked(gate) | Released(gate):
                    yield what if gate.op_id in self._kept else None
                case Waited():
                    yield None if others or shut else what
                case Settled(held):
                    held_up = (held and (others or shut)) or any(map(self._holds_up, shut))
                    yield None if held_up else what
                case Located(region, key):
                    yield what if (region, key) in self._keys else None
                case _:
                    yield what

    def _as_far_as_told(self, number: int, what: Moment | None) -> Moment | None:
        """A moment that says that nothing more happens, without what the others may hold up then."""
        queues = self._held_up.get(number)
        if queues is None:
            return what
        match what:
            case Settled(held):
                return SettledBut(held, queues)
            case NotParked() | Waited():
                return None
        return what

    def _holds_up(self, gate: Gate) -> bool:
        """Whether a listener that stands there holds up others: those of its queue, or of one connection."""
        caller = self._callers.get(gate.op_id, gate.member)
        return gate.callback == QUEUE or self._sites.get(gate.member) != self._sites.get(caller)

    def _about(self, entry: Observation) -> bool:
        """Whether a listener's entry is about what is kept, or about nothing that was called."""
        event = entry.event
        if event.token is not None:
            return event.token not in self._foreign
        if any(_may_tell_of(event, operation) for operation in self._operations):
            return True
        return not any(_may_tell_of(event, operation) for operation in self._dropped)

    def _unreadable(self) -> set[int]:
        """The numbers of questions whose answers are about the others, too."""
        numbers: set[int] = set()
        others = False
        for what in self._history.timeline:
            match what:
                case Called(operation):
                    others |= operation.op_id not in self._kept
                case ContentsRead(number, _, region, entries):
                    for entry in entries:
                        if entry.token in self._foreign and (region, entry.key) not in self._lost_keys:
                            numbers.add(number)
                case StatisticRead(number, _, _, delta) if delta and others and not self._counts:
                    numbers.add(number)
                case QueueRead(number) if others:
                    numbers.add(number)
        return numbers

    def _fewer_keys(self, what: Moment) -> Moment:
        """The same without the keys of which nothing is kept."""
        match what:
            case ContentsRead(_, _, region, entries):
                left = tuple(entry for entry in entries if (region, entry.key) not in self._lost_keys)
                return msgspec.structs.replace(what, entries=left)
            case Settled(held):
                lost = {key for _, key in self._lost_keys}
                left_held = tuple(place for place in held if place[1] not in lost)
                return msgspec.structs.replace(what, held=left_held)
        return what


_ANNOUNCED = {
    # A get may bring an entry without a value.
    EventKind.CREATE: (OperationKind.GET,),
    EventKind.UPDATE: (OperationKind.GET,),
    EventKind.INVALIDATE: (
        OperationKind.INVALIDATE,
        OperationKind.LOCAL_INVALIDATE,
        OperationKind.EXPIRE_INVALIDATE,
        OperationKind.IDLE_INVALIDATE,
        OperationKind.EXPIRE_LOCAL_INVALIDATE,
    ),
    EventKind.DESTROY: (
        *DESTROYS,
        OperationKind.LOCAL_DESTROY,
        OperationKind.EXPIRE_DESTROY,
        OperationKind.IDLE_DESTROY,
        OperationKind.EXPIRE_LOCAL_DESTROY,
        OperationKind.EVICT,
    ),
}
"""The operations that an event without a token may be about."""


def _answering(what: Moment, number: int, received: Sequence[SeenCall]) -> Moment:
    """What a listener was told to answer, without the answers to calls of which nothing is kept."""
    if not isinstance(what, QueueScripted) or not what.answers:
        return what
    behind = [
        seen.call.answer
        for seen in received
        if seen.before > number and (seen.call.member, seen.call.queue) == (what.member, what.queue)
    ]
    return msgspec.structs.replace(what, answers=tuple(behind[: len(what.answers)]))


def _may_tell_of(event: Event, operation: Operation) -> bool:
    same = (event.region, event.key) == (operation.region, operation.key)
    return same and operation.kind in _ANNOUNCED.get(event.kind, ())


def _of_question(what: Moment, numbers: Collection[int]) -> bool:
    """Whether a moment asks or answers one of these questions."""
    if isinstance(
        what, ContentsAsked | ContentsRead | StatisticAsked | StatisticRead | QueueAsked | QueueRead
    ):
        return what.number in numbers
    return False
