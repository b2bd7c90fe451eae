"""A history in one order, for people: the moments as they came, and the listener events among them.

An event is known only to lie in a window of the timeline; it is put at the earliest place that its log and
its own operation allow. Histories are shown as they are, wrong ones too: an event of an operation that
nobody called, or a return without a call, has its place as well. Knows nothing of pictures or pages.
"""

from __future__ import annotations

from itertools import zip_longest

import msgspec

from plumbline.reference.history import (
    Armed,
    Called,
    ContentsAsked,
    ContentsRead,
    Gate,
    History,
    Moment,
    NotParked,
    Parked,
    Redelivered,
    Released,
    Returned,
    Settled,
    Shown,
    StatisticAsked,
    StatisticRead,
)
from plumbline.reference.operations import (
    STORES_VALUE,
    Content,
    Event,
    EventKind,
    Operation,
    OperationKind,
    Outcome,
)

HARNESS = ""
"""Where a moment belongs that concerns no single thread or member."""


class Entry(msgspec.Struct, frozen=True):
    """One line of the arranged history: a moment, or one listener event.

    Attributes:
        place: the thread or member it belongs to, or HARNESS.
        words: what happened, short.
        number: of a moment: its position, counted from 1; of an event: how many moments came before it.
        op_id: the operation it is about, or None.
        moment: the moment, or None for an event.
        shown: the event with its window, or None for a moment.
    """

    place: str
    words: str
    number: int
    op_id: int | None
    moment: Moment | None = None
    shown: Shown | None = None

    @property
    def numbered(self) -> str:
        """The words with the number of the operation in front, unless they name it themselves."""
        of_operation = self.shown is not None or isinstance(self.moment, Called | Returned)
        return f"#{self.op_id} {self.words}" if of_operation and self.op_id is not None else self.words


def arrange(history: History) -> tuple[Entry, ...]:
    """All moments and all listener events of a history in one order."""
    operations = operations_of(history)
    calls = {
        moment.operation.token: (index + 1, moment.operation.op_id)
        for index, moment in enumerate(history.timeline)
        if isinstance(moment, Called) and moment.operation.token is not None
    }
    in_gap: dict[int, dict[str, list[Entry]]] = {}
    for member, log in history.logs.items():
        earliest = 0
        for shown in log:
            # An event without a token may be of any operation, one with a foreign token is of none.
            called, op_id = calls.get(shown.event.token or "", (0, None))
            gap = max(shown.after, called) if called <= shown.before else shown.after
            earliest = max(earliest, gap)
            entry = Entry(member, event_words(shown.event), earliest, op_id, shown=shown)
            in_gap.setdefault(earliest, {}).setdefault(member, []).append(entry)
    entries: list[Entry] = []
    for index, moment in enumerate(history.timeline):
        entries += _in_turn(in_gap.pop(index, {}))
        place, words, op_id = _told(moment, operations)
        entries.append(Entry(place, words, index + 1, op_id, moment=moment))
    # A damaged history may name windows behind its end.
    for gap in sorted(in_gap):
        entries += _in_turn(in_gap[gap])
    return tuple(entries)


def _in_turn(logs: dict[str, list[Entry]]) -> list[Entry]:
    """Events between two moments: the first of each member, then the second of each, and so on."""
    return [entry for events in zip_longest(*logs.values()) for entry in events if entry is not None]


def without_questions(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """Leave out each question that is answered by the very next moment: the answer says it all."""
    kept: list[Entry] = []
    for entry, following in zip_longest(entries, entries[1:]):
        match entry.moment, following.moment if following else None:
            case (ContentsAsked(number=asked), ContentsRead(number=read)) if asked == read:
                continue
            case (StatisticAsked(number=asked), StatisticRead(number=read)) if asked == read:
                continue
        kept.append(entry)
    return tuple(kept)


def operations_of(history: History) -> dict[int, Operation]:
    """The called operations by id."""
    return {
        moment.operation.op_id: moment.operation for moment in history.timeline if isinstance(moment, Called)
    }


def call_words(operation: Operation) -> str:
    """An operation in a few words: `put x = v3 on A`, `destroy x (v4) on B`."""
    words = [operation.kind.value]
    if operation.key:
        words.append(operation.key)
    if operation.token is not None:
        stored = operation.kind in STORES_VALUE
        words.append(f"= {operation.token}" if stored else f"({operation.token})")
    return f"{' '.join(words)} on {operation.member}"


def outcome_words(outcome: Outcome, kind: OperationKind | None) -> str:
    """How a call ended: `→ ok`, `→ ok: v2`, `→ failed (connection lost)`; a get of nothing says so."""
    words = f"→ {outcome.status.value}"
    if outcome.value is not None:
        words += f": {outcome.value}"
    elif kind is OperationKind.GET:
        words += ": nothing"
    return f"{words} ({outcome.detail})" if outcome.detail else words


def event_words(event: Event) -> str:
    """A listener event in a few words: `update x = v3`, `destroy x (v4)`."""
    words = f"{event.kind.value} {event.key}".rstrip()
    if event.token is None:
        return words
    if event.kind in {EventKind.CREATE, EventKind.UPDATE}:
        return f"{words} = {event.token}"
    return f"{words} ({event.token})"


def entry_words(entry: Content) -> str:
    """What a member holds for a key: `x = v3`, `x = invalid`."""
    return f"{entry.key} = {'invalid' if entry.token is None else entry.token}"


def _told(moment: Moment, operations: dict[int, Operation]) -> tuple[str, str, int | None]:
    """Where a moment belongs, its words, and the operation it is about."""
    place = HARNESS
    op_id: int | None = None
    match moment:
        case Called(operation=operation):
            place, op_id, words = operation.thread, operation.op_id, call_words(operation)
        case Returned(op_id=number, outcome=outcome):
            op_id, called = number, operations.get(number)
            place = called.thread if called else HARNESS
            words = outcome_words(outcome, called.kind if called else None)
        case Armed(gate=Gate(member=place, op_id=op_id)):
            words = f"gate armed for #{op_id}"
        case Parked(gate=Gate(member=place, op_id=op_id)):
            words = f"#{op_id} parked at the gate"
        case NotParked(gate=Gate(member=place, op_id=op_id)):
            words = f"#{op_id} has not reached the gate"
        case Released(gate=Gate(member=place, op_id=op_id)):
            words = f"gate opened for #{op_id}"
        case Settled(held=held):
            behind = ", ".join(f"{key} on {member}" for member, key in held)
            words = f"settled, held back: {behind}" if behind else "settled"
        case ContentsAsked(member=place, region=region):
            words = f"asked what {region} holds"
        case ContentsRead(member=place, region=region, entries=entries):
            words = f"{region} holds {', '.join(entry_words(entry) for entry in entries) or 'nothing'}"
        case StatisticAsked(member=place, name=name):
            words = f"asked for {name}"
        case StatisticRead(member=place, name=name, delta=delta):
            words = f"{name} moved by {delta:+d}" if delta else f"{name} did not move"
        case Redelivered(op_id=op_id, member=place):
            words = f"message of #{op_id} sent again"
    return place, words, op_id
