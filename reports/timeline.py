"""A history in one order, for people: the moments as they came, and the listener events among them.

An event is known only to lie in a window of the timeline; it is put at the earliest place that its log and
its own operation allow. Histories are shown as they are, wrong ones too: an event of an operation that was
never called, or a return without a call, has its place as well. Knows nothing of pictures or pages.
"""

from __future__ import annotations

from itertools import zip_longest

import msgspec

from plumbline.reference.history.history import History, Observation
from plumbline.reference.history.listener_calls import call_words as batch_words
from plumbline.reference.history.moment_words import MomentContext
from plumbline.reference.history.moments import (
    Called,
    ContentsAsked,
    ContentsRead,
    FaultBegun,
    FaultDone,
    Moment,
    QueueAsked,
    QueueRead,
    Returned,
    Settled,
    StatisticAsked,
    StatisticRead,
)
from plumbline.reference.history.operations import (
    Operation,
)
from plumbline.reference.history.words import call_words, event_words
from plumbline.reference.results.runs import DeadEnd, Difference
from plumbline.reports.fates import DeliveryOutcome, missing

MOST_IDLE = 10
"""So many readings of statistics that did not move are drawn in any case."""

TIMELINE = "timeline"
"""What explain calls the log of moments, as the place of a dead end."""


class TimelineRow(msgspec.Struct, frozen=True):
    """One line of the arranged history: a moment, or one listener event.

    Attributes:
        place: the thread or member it belongs to, or HARNESS.
        words: what happened, short.
        number: of a moment: its position, counted from 1; of an event: how many moments came before it.
        op_id: the operation it is about, or None.
        moment: the moment, or None for an event.
        shown: the event with its window, or None for a moment.
        due: whether this is where it departs from the right run that is most like it; where none is known,
            whether the furthest attempts to explain the history ended because this came next.
        allowed: if so, what the right run shows, or a correct system could show, instead.
        fate: what became of the operation where the member never received it; None for all else.
    """

    place: str
    words: str
    number: int
    op_id: int | None
    moment: Moment | None = None
    shown: Observation | None = None
    due: bool = False
    allowed: tuple[str, ...] = ()
    fate: DeliveryOutcome | None = None

    @property
    def numbered(self) -> str:
        """The words with the number of the operation in front, unless they name it themselves."""
        of_operation = self.shown is not None or isinstance(self.moment, Called | Returned)
        return f"#{self.op_id} {self.words}" if of_operation and self.op_id is not None else self.words


def arrange(
    history: History, dead_ends: tuple[DeadEnd, ...] = (), nearest: tuple[Difference, ...] = ()
) -> tuple[TimelineRow, ...]:
    """All moments and all listener events of a history in one order, what is wrong marked.

    Args:
        history: what was seen.
        dead_ends: where explaining it ended; marked only where no right run is known to differ.
        nearest: where it differs from the right run that is most like it.
    """
    several = len(history.regions) > 1
    context = MomentContext(operations_of(history), several)
    calls = {
        moment.operation.token: (index + 1, moment.operation.op_id)
        for index, moment in enumerate(history.timeline)
        if isinstance(moment, Called) and moment.operation.token is not None
    }
    in_gap: dict[int, dict[str, list[TimelineRow]]] = {}
    for member, log in history.logs.items():
        earliest = 0
        for shown in log:
            # An event without a token may be of any operation, one with a foreign token is of none.
            called, op_id = calls.get(shown.event.token or "", (0, None))
            gap = max(shown.after, called) if called <= shown.before else shown.after
            earliest = max(earliest, gap)
            entry = TimelineRow(
                member, event_words(shown.event, several=several), earliest, op_id, shown=shown
            )
            in_gap.setdefault(earliest, {}).setdefault(member, []).append(entry)
    for seen in history.calls:
        begun = [calls.get(change.token or "", (0, None))[0] for change in seen.call.events]
        gap = max((seen.after, *(at for at in begun if at <= seen.before)))
        entry = TimelineRow(seen.call.member, batch_words(seen.call), gap, None)
        in_gap.setdefault(gap, {}).setdefault(seen.call.member, []).append(entry)
    entries: list[TimelineRow] = []
    for index, moment in enumerate(history.timeline):
        entries += _in_turn(in_gap.pop(index, {}))
        told = moment.told(context)
        entries.append(TimelineRow(told.place, told.words, index + 1, told.op_id, moment=moment))
    # A damaged history may name windows behind its end.
    for gap in sorted(in_gap):
        entries += _in_turn(in_gap[gap])
    differing = _differing(entries, history, nearest)
    return _with_marks(entries, differing or _at_dead_ends(entries, dead_ends))


Marks = dict[int, tuple[str, ...]]
"""What is wrong, by its place among the entries, and what would have been right there."""


def _with_marks(entries: list[TimelineRow], marks: Marks) -> tuple[TimelineRow, ...]:
    return tuple(
        msgspec.structs.replace(entry, due=index in marks, allowed=marks.get(index, ()))
        for index, entry in enumerate(entries)
    )


def _differing(entries: list[TimelineRow], history: History, nearest: tuple[Difference, ...]) -> Marks:
    """The first event of each log, and the readings, that are not as in the right run."""
    marks: Marks = {}
    for one in nearest:
        within = history.timeline if one.read else history.logs.get(one.member, ())
        if one.position is None or not 0 <= one.position < len(within):
            continue
        meant = within[one.position]
        for index, entry in enumerate(entries):
            if (entry.moment if one.read else entry.shown) is meant:
                marks[index] = (*marks.get(index, ()), one.instead)
    return marks


def _at_dead_ends(entries: list[TimelineRow], dead_ends: tuple[DeadEnd, ...]) -> Marks:
    """What the furthest dead ends speak of; not where they may mean any of several moments."""
    furthest = max((end.consumed for end in dead_ends), default=0)
    due: dict[int, tuple[str, ...]] = {}
    for end in dead_ends:
        if end.consumed == furthest:
            meant = {index for index, entry in enumerate(entries) if _is_due(entry, end)}
            if len(meant) == 1 or end.place != TIMELINE:
                due |= dict.fromkeys(meant, end.offered or ("nothing more",))
    return due


def with_fates(entries: tuple[TimelineRow, ...], history: History) -> tuple[TimelineRow, ...]:
    """Put behind the last settle point what members never received."""
    settled = [index for index, entry in enumerate(entries) if isinstance(entry.moment, Settled)]
    if not settled:
        return entries
    at, number = settled[-1] + 1, entries[settled[-1]].number
    fates: dict[str, list[TimelineRow]] = {}
    for one in missing(history):
        words = f"{one.fate}: {call_words(one.operation, several=len(history.regions) > 1)}"
        entry = TimelineRow(one.member, words, number, one.operation.op_id, fate=one.fate)
        fates.setdefault(one.member, []).append(entry)
    return (*entries[:at], *_in_turn(fates), *entries[at:])


def due_words(entries: tuple[TimelineRow, ...], end: DeadEnd) -> str:
    """What was due at a dead end, in the words of the one entry that it means, or else in its own.

    Of the timeline it is told where that was, as nothing else says it.
    """
    meant = {
        f"{entry.place}: {entry.words}" if end.place == TIMELINE and entry.place else entry.words
        for entry in entries
        if _is_due(entry, end)
    }
    return meant.pop() if len(meant) == 1 else end.due


def _is_due(entry: TimelineRow, end: DeadEnd) -> bool:
    """Whether a dead end speaks of this entry, by the words in which explain names places and what was due.

    An event of another name is left unmarked: the list of dead ends still tells it.
    """
    if entry.shown is not None:
        event = entry.shown.event
        here = end.place == f"listener of {event.member}"
        here = here or end.place.startswith(f"listener of {event.member}, ")
        due = end.due.split()
        return here and due[:1] == [event.kind.value] and due[-1:] == [str(event.token)]
    if isinstance(entry.moment, Returned) and end.place == f"outcome of operation {entry.op_id}":
        return True
    if end.place != TIMELINE or entry.moment is None:
        return False
    fields = msgspec.to_builtins(entry.moment)
    told = " ".join([fields.pop("type"), *(f"{name}={value}" for name, value in fields.items())])
    return end.due.rstrip() == told


def _in_turn(logs: dict[str, list[TimelineRow]]) -> list[TimelineRow]:
    """Events between two moments: the first of each member, then the second of each, and so on."""
    return [entry for events in zip_longest(*logs.values()) for entry in events if entry is not None]


def without_questions(entries: tuple[TimelineRow, ...]) -> tuple[TimelineRow, ...]:
    """Leave out each question that is answered by the very next moment: the answer says it all."""
    kept: list[TimelineRow] = []
    for entry, following in zip_longest(entries, entries[1:]):
        if entry.due:
            kept.append(entry)
            continue
        match entry.moment, following.moment if following else None:
            case (ContentsAsked(number=asked), ContentsRead(number=read)) if asked == read:
                continue
            case (StatisticAsked(number=asked), StatisticRead(number=read)) if asked == read:
                continue
            case (QueueAsked(number=asked), QueueRead(number=read)) if asked == read:
                continue
            case (FaultBegun(number=asked), FaultDone(number=read)) if asked == read:
                continue
        kept.append(entry)
    return tuple(kept)


def without_the_idle(entries: tuple[TimelineRow, ...]) -> tuple[TimelineRow, ...]:
    """Where something else is marked as wrong, leave out many statistics that did not move: they hide it."""
    idle = {
        id(entry)
        for entry in entries
        if isinstance(entry.moment, StatisticRead) and not entry.moment.delta and not entry.due
    }
    if len(idle) <= MOST_IDLE or not any(entry.due for entry in entries):
        return entries
    return tuple(entry for entry in entries if id(entry) not in idle)


def operations_of(history: History) -> dict[int, Operation]:
    """The called operations by id."""
    return {
        moment.operation.op_id: moment.operation for moment in history.timeline if isinstance(moment, Called)
    }
